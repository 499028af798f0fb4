// SPDX-License-Identifier: MIT
/// @file
/// The combined findings about the ENet datagrams of a capture: connections, acknowledgements, gaps, fragmented
/// messages, the hosts' compressions, and duplicates.
///
/// Datagrams are added once, in capture order. Later queries name a position, and return what was known at this
/// position. Some members also contain what became known later (acked_in, completed, facts).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <vector>

#include "godot-codec/core/memory_budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/ack_tracker.h"
#include "godot-codec/enet/command_log.h"
#include "godot-codec/enet/connection_facts.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/duplicate_window.h"
#include "godot-codec/enet/frame_interval_detector.h"
#include "godot-codec/enet/reassembler.h"

namespace godot_codec {

/// A connection between two hosts, from one connect command to the next. Its address is stable.
struct EnetConnection {
  std::uint32_t stream = 0;  ///< number of the connection, from 0
  std::uint32_t server_port = 0;
  bool has_connect = false;         ///< true if the connect command was captured
  unsigned client_direction = 0;    ///< direction of the client's datagrams; if has_connect
  std::uint32_t connect_data = 0;   ///< the client's unique ID, in Godot; if has_connect
  std::uint32_t channel_count = 0;  ///< number of channels that the client requested; if has_connect
  PacketPosition first_datagram;    ///< first datagram
  const EnetConnection *replaced_connection = nullptr;  ///< earlier connection of the same hosts, which was replaced
  std::uint32_t connect_id = 0;
  PacketPosition connect_id_since;       ///< position at which the connect ID became known; packet 0: not known
  EnetServerActivity *server = nullptr;  ///< the server that the client connects to; if has_connect
  EnetConnectionFacts facts;             ///< facts about the whole connection, as of the newest datagram
};

/// Two hosts that exchange datagrams; a host is an address and a UDP port. Only the session creates and reads them.
class EnetHostPair {
 public:
  EnetHostPair(std::uint32_t number, std::pmr::memory_resource *memory)
      : pair_number_(number),
        checksum_changes_(memory),
        compression_changes_{ValueChanges<Compression>(memory), ValueChanges<Compression>(memory)},
        connections_(memory) {}

 private:
  friend class EnetSession;

  /// A value that applies from a position on.
  template <typename Value>
  struct ValueChange {
    PacketPosition since;
    Value value;
  };
  template <typename Value>
  using ValueChanges = std::pmr::vector<ValueChange<Value>>;

  std::uint32_t pair_number_;
  ValueChanges<bool> checksum_changes_;  ///< true if datagrams have a checksum
  ValueChanges<Compression> compression_changes_[2];
  MemoryBudget::Share budget_share_;
  /// The peer IDs in a side's datagrams, as far as they are known: from these datagrams, or from a connect of the other
  /// side, which assigns a peer ID. Stores at most max_count peer IDs.
  struct PeerSlots {
    static constexpr std::size_t max_count = 8;
    std::uint16_t numbers[max_count];
    std::size_t count;

    void add(std::uint32_t number);
    /// True if a datagram may be for one of these slots.
    [[nodiscard]] bool may_receive(Bytes datagram) const;
  };
  PeerSlots peer_slots_[2] = {};
  std::pmr::vector<EnetConnection *> connections_;  ///< sorted by beginning
};

/// The circumstances in which a datagram was captured.
struct EnetDatagramContext {
  PacketPosition position;
  std::int64_t time = 0;               ///< capture time in nanoseconds
  unsigned sender = 0;                 ///< side that sent the datagram, 0 or 1
  std::uint32_t destination_port = 0;  ///< for a connect: the server's port
  std::uint32_t server_port = 0;       ///< port that probably is the server's; used if the server is not known
  std::uint32_t destination = 0;       ///< for a connect: a number that identifies the destination's address and port
  std::uint32_t wire_size = 0;  ///< size of the packet that contains the datagram, in bytes; 0: use the datagram's size
  std::uint32_t source_port = 0;
};

/// A gap in the sequence numbers, before a command.
struct EnetSequenceGap {
  EnetCommandPosition position;
  std::uint32_t missing = 0;         ///< number of missing commands before this command: lost, late, or never sent
  std::uint64_t missing_so_far = 0;  ///< number of missing commands so far, in this direction of the connection
};

/// The findings about a datagram.
struct EnetDatagramFindings {
  /// null if nothing was recorded about these hosts, for example because only an ICMP error quotes the datagram.
  const EnetConnection *connection = nullptr;
  PacketPosition position;      ///< position of the datagram
  PacketPosition duplicate_of;  ///< first capture of the same datagram; packet 0: this is the first capture
  /// The connect ID. While ENet computes the checksum, the checksum field contains the connect ID.
  std::uint32_t connect_id = 0;
  bool is_connect_id_known = false;
  std::int64_t frame_time = 0;  ///< the sender's frame interval in nanoseconds, if this datagram shows it; otherwise 0
};

/// The findings about one command of a datagram.
struct EnetCommandFindings {
  const Transmission *transmission = nullptr;      ///< the transmission, for a command that requests an acknowledgement
  const AckMatch *answer = nullptr;                ///< the command that this acknowledge or verify connect answers
  const EnetStall *stall = nullptr;                ///< the stall that ends with this answer
  const EnetSequenceGap *gap = nullptr;            ///< gap before an unreliable or unsequenced command
  const EnetFragmentedMessage *message = nullptr;  ///< the message of a fragment
  bool is_last_fragment = false;                   ///< true if this fragment completed the message
};

/// The ENet state of a capture. Its memory is released when it is destroyed.
///
/// A datagram takes as much memory as its commands need: see AckTracker and EnetReassembler. A gap takes 32 bytes, a
/// duplicate 20, and an unreliable command in order takes nothing. A Budget limits the total. Datagrams that exceed it
/// are ignored.
class EnetSession {
 public:
  explicit EnetSession(std::pmr::memory_resource *memory = std::pmr::get_default_resource());

  /// Adds two hosts without any known facts. They are valid as long as the session.
  EnetHostPair &add_host_pair();

  /// Returns how to read a datagram at a position, as earlier datagrams show. The result is the same on every pass.
  /// @param preferences the user's preferences, which have priority over the recorded facts
  [[nodiscard]] static EnetExpectedFormat expected_format(const EnetHostPair &hosts, unsigned sender,
                                                          PacketPosition position,
                                                          const EnetExpectedFormat &preferences);

  /// True if a datagram between the ports of a connection belongs to another protocol. Such a datagram is not plausible
  /// as ENet, and is not for a known slot of its receiver.
  /// @param whole the datagram with its header
  [[nodiscard]] static bool is_foreign(const EnetHostPair &hosts, unsigned sender, Bytes whole,
                                       const EnetDatagram &datagram);

  /// Updates the state from a datagram. Must be called in capture order.
  /// @param whole the datagram with its header
  void update(EnetHostPair &hosts, const EnetDatagramContext &arrival, Bytes whole,
              const EnetDatagram &datagram) noexcept;

  /// Records an ICMP error about a datagram between the hosts.
  static void record_icmp_error(EnetHostPair &hosts, unsigned sender, PacketPosition position,
                                EnetIcmpErrorReason icmp_error_reason);

  /// Returns the first datagram that was ignored, completely or in part, because the memory budget was exhausted;
  /// packet 0: none.
  [[nodiscard]] PacketPosition first_over_memory_limit() const { return budget_.exhausted_at(); }

  /// Returns the findings about the datagram at a position. A duplicate has the findings of its first capture.
  [[nodiscard]] EnetDatagramFindings find(const EnetHostPair &hosts, PacketPosition position) const;
  /// Returns the findings about a command. @param command index in the datagram
  [[nodiscard]] EnetCommandFindings find(const EnetDatagramFindings &datagram, std::size_t command) const;

  /// Returns the acknowledgements, losses and delays of the connections. Connections are identified by `stream`.
  [[nodiscard]] const AckTracker &tracker() const { return ack_tracker_; }
  /// Returns the counts of a side's unreliable and unsequenced messages, as of the newest datagram.
  [[nodiscard]] EnetUnreliableCounts unreliable_counts(const EnetConnection &connection, unsigned sender) const;
  /// Returns the counts of a side's fragmented messages.
  [[nodiscard]] EnetFragmentCounts fragment_counts(const EnetConnection &connection, unsigned sender) const {
    return reassembler_.counts(connection.stream, sender);
  }
  /// Returns the connections, by stream.
  [[nodiscard]] const std::pmr::deque<EnetConnection> &connections() const { return connections_; }

 private:
  struct Duplicate {
    EnetCommandPosition position;
    PacketPosition of;
  };

  static void record_encoding(EnetHostPair &hosts, const EnetDatagramContext &arrival, const EnetDatagram &datagram);
  EnetConnection &begin_connection(EnetHostPair &hosts, const EnetDatagramContext &arrival,
                                   const EnetDatagram &datagram, const EnetCommand *connect);
  void record_answer_from_elsewhere(EnetConnection &connection, const EnetDatagramContext &arrival,
                                    const EnetDatagram &datagram);
  EnetConnection &find_or_begin_connection(EnetHostPair &hosts, const EnetDatagramContext &arrival,
                                           const EnetDatagram &datagram);
  void record_datagram(EnetConnection &connection, const EnetDatagramContext &arrival, std::size_t size);
  void record_command(EnetConnection &connection, const EnetDatagramContext &arrival, const EnetDatagram &datagram,
                      std::size_t index);
  void record_acknowledgement(EnetConnection &connection, const EnetDatagramContext &arrival,
                              const EnetCommand &command, EnetCommandPosition position);
  void record_frame_interval(EnetSideFacts &side, const EnetDatagramContext &arrival);
  void record_stall(EnetConnection &connection, const EnetDatagramContext &arrival, const AckMatch &match,
                    EnetCommandPosition position);
  void record_gap(EnetConnection &connection, unsigned sender, const EnetCommand &command,
                  EnetCommandPosition position);
  static const EnetConnection *find_connection_at(const EnetHostPair &hosts, PacketPosition position);

  MemoryBudget budget_;
  MemoryBudget::ChargedMemory memory_;
  std::pmr::deque<EnetHostPair> host_pairs_;
  std::pmr::deque<EnetConnection> connections_;
  std::pmr::map<std::uint32_t, EnetServerActivity> servers_;  // by EnetDatagramContext::destination
  std::pmr::map<std::uint32_t, EnetConnection *>
      connections_by_connect_id_;  // the newest connection of each connect ID
  std::pmr::deque<RoundTripStatistics> round_trips_;
  std::pmr::deque<FrameIntervalDetector> frame_intervals_;
  AckTracker ack_tracker_;
  EnetReassembler reassembler_;
  EnetCommandLog<EnetSequenceGap> gaps_;
  EnetCommandLog<EnetStall> stalls_;
  EnetCommandLog<EnetFrameIntervalRecord> frame_interval_records_;
  DuplicateWindow duplicate_window_;
  EnetCommandLog<Duplicate> duplicates_;
};

}  // namespace godot_codec
