// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What is remembered of ENet connections from packet to packet. Written on the first pass, read on every one.
#pragma once

#include <cstdint>

#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/reader.h"
#include "godot-codec/enet/tracker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// One connection of two hosts: from a connect command to the next one.
struct EnetConnection {
  std::uint32_t stream;  ///< counts connections, from 0
  std::uint32_t server_port;
  bool has_connect_id;
  std::uint32_t connect_id;
  bool has_connect;            ///< the connect command was captured
  bool is_closed;              ///< a disconnect command was: the next connect begins another, whatever its id
  unsigned client_direction;   ///< direction_of() what the client sends
  std::uint32_t connect_data;  ///< the client's unique id, in Godot
  std::uint32_t channel_count;
  godot_codec::AckTracker *tracker;
  wmem_map_t *messages;  ///< in fragments: FragmentedMessage by direction, session, channel, kind and start number
};

/// A message, as what runs inside of ENet is told of it: the argument of its dissectors.
struct EnetMessage {
  const EnetConnection *connection;
  std::uint32_t number;  ///< of the frame's messages, from 0; the same on every pass
  std::uint8_t channel;
  bool is_over_mtu;  ///< unreliable, and in fragments all the same
};

/// What the first pass found out about one command.
struct EnetCommandAnalysis {
  const godot_codec::Transmission *transmission;  ///< of a command that asks for an acknowledgement
  const godot_codec::Transmission *acknowledged;  ///< by an acknowledge or verify connect
  std::int64_t round_trip_time;                   ///< in nanoseconds, where acknowledged is not null
  std::uint32_t missing;                          ///< unreliable or unsequenced numbers passed over
  std::uint64_t all_missing;                      ///< of the connection's direction so far, where missing is not 0
  std::uint32_t message_id;  ///< of a fragment's message; 0: the fragment is not to be put together
};

/// What the first pass found out about one datagram.
struct EnetFrame {
  EnetConnection *connection;
  bool has_checksum;
  bool is_decompressed;
  godot_codec::Compression compression;  ///< of what is_decompressed
  std::uint32_t checksum_key;            ///< stands in the checksum's place while it is computed
  bool has_checksum_key;
  std::uint32_t command_count;
  EnetCommandAnalysis *commands;
};

/// Reads a datagram, by what is known of its hosts at that point of the capture: the same on every pass.
/// @param told by the user
[[nodiscard]] godot_codec::EnetDatagram read_enet(int proto, packet_info *pinfo, godot_codec::Bytes bytes,
                                                  const godot_codec::EnetExpectation &told);

/// Analyses a datagram whose header could be read on the first pass; finds the analysis again later.
[[nodiscard]] const EnetFrame *analyse_enet(int proto, packet_info *pinfo, const godot_codec::EnetDatagram &datagram);

/// The analysis of the packet that is dissected, if it has one.
[[nodiscard]] const EnetFrame *find_enet_frame(int proto, packet_info *pinfo);

/// Connections in the capture so far.
[[nodiscard]] std::uint32_t enet_connection_count();

/// Registers what has to be forgotten with the capture.
void register_enet_state();

}  // namespace godot_plugin
