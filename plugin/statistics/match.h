// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The match page's part of a frame's record (plugin/page): messages with their values, and facts that their transport
/// showed. All in the packet's memory, and made only while a page is being collected.
#pragma once

#include <cstdint>
#include <span>

#include "godot-codec/variant/types.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A property, an argument, or what a key of a Dictionary holds.
struct MatchValue {
  MatchValue *next;
  const char *name;  ///< `position`, `/player/hp`
  godot_codec::Type type;
  bool is_single;                   ///< its numbers are reals of 32 bits
  std::span<const double> numbers;  ///< numbers of an int, a vector and the like; else empty
  const char *text;                 ///< where there are no numbers
};

/// The part of a message that is about one node; all of a message that is about none.
struct MatchObject {
  MatchObject *next;
  const char *node;  ///< the node's path, or as much as is known of it; empty: none
  const char *name;  ///< the name in the tables: a node's second synchronizer has its net id in it
  std::uint32_t bytes;
  std::uint32_t id;   ///< its number on the wire; 0: it has none
  bool is_timed;      ///< a sync of which it is known how it came
  bool is_late;       ///< a sync as new, or newer, had come before: Godot drops this one
  bool has_interval;  ///< another one of the synchronizer came before
  MatchValue *first_value;
  MatchValue *last_value;
};

/// The ends of the packet, for MatchPeer: by their address they are told from all texts.
extern const char *const at_source;
extern const char *const at_destination;

/// Somebody who sends or receives: by the id of the multiplayer, by address and port, or both.
struct MatchPeer {
  const char *id;        ///< "1", "client", "all"; null: it has none
  const char *endpoint;  ///< at_source, at_destination, or a text; null: it is not at an end of this connection
};

/// A message.
struct MatchMessage {
  MatchMessage *next;
  const char *kind;  ///< "rpc", "sync", "variant"; a literal
  MatchPeer from;
  MatchPeer to;
  const char *what;      ///< a call's method, a Variant's kind; empty: none
  const char *sentence;  ///< its text in the list; null: it has none
  const char *delivery;  ///< how ENet brought it; null: not said
  std::int64_t waited;   ///< for earlier ones of its channel, in nanoseconds
  std::uint16_t place;   ///< in its channel, among those that are sent reliably
  std::uint32_t bytes;
  std::uint16_t number;  ///< a sync's: the sender counts its rounds
  bool has_number;
  bool is_split;      ///< most of it came in frames before
  bool is_handed_on;  ///< the server sends it on to its receiver, and the capture has that, too
  MatchObject *first_object;
  MatchObject *last_object;
};

/// A fact that a datagram shows of its connection.
struct MatchFact {
  enum class Kind : std::uint8_t {
    round_trip,  ///< nanoseconds from a command of the receiver's to this acknowledgement
    resent,      ///< a command that was sent before
    missing,     ///< so many unreliable ones before this were lost, or come late
    stood_still  ///< nanoseconds in which the sender did nothing, until now
  };
  const MatchFact *next;
  Kind kind;
  std::int64_t value;
};

/// True while a page is being collected.
[[nodiscard]] bool is_match_wanted();
void want_match(bool is_wanted);

/// Adds a message to the frame's record. @returns null where no page wants it, or it is not to be counted
MatchMessage *add_match_message(packet_info *pinfo, const char *kind, std::uint32_t bytes);
MatchObject *add_match_object(packet_info *pinfo, MatchMessage &message, const char *node, std::uint32_t bytes);
void add_match_fact(packet_info *pinfo, MatchFact::Kind kind, std::int64_t value);

/// Adds the Variant at @p offset under a name, and the numbers in it each under a name of its own. @returns where it
/// ends; 0: it cannot be read
std::size_t add_match_value(packet_info *pinfo, MatchObject &object, const char *name, godot_codec::Bytes bytes,
                            std::size_t offset, const godot_codec::Encoding &encoding,
                            const godot_codec::ReadOptions &options);

/// Says of the newest message how it reads in the list.
void say_match_message(packet_info *pinfo, const char *sentence);
/// Says of the newest message how it was delivered, if that was not said.
/// @param waited see MatchMessage @param place see there
void deliver_match_message(packet_info *pinfo, const char *delivery, std::int64_t waited, std::uint16_t place);

}  // namespace godot_plugin
