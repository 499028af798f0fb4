// SPDX-License-Identifier: MIT
/// @file
/// Reassembles fragmented messages by the rules of ENet's receiver (enet_protocol_handle_send_fragment() in its
/// protocol.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <span>
#include <vector>

#include "godot-codec/enet/command_log.h"
#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// A fragment that has arrived.
struct EnetFragment {
  std::uint32_t number = 0;  ///< index of the fragment, from 0
  std::uint32_t offset = 0;  ///< offset in the message, in bytes
  std::uint32_t packet = 0;  ///< packet number of the packet that contains the fragment
  std::uint16_t length = 0;
  bool is_overlapping = false;  ///< true if it contains bytes that an earlier fragment also contains
  bool is_conflicting = false;  ///< true if these bytes differ; then the bytes of the later fragment are used
};

/// A fragmented message. Its address is stable.
struct EnetFragmentedMessage {
  explicit EnetFragmentedMessage(std::pmr::memory_resource *memory)
      : bytes(memory), fragments(memory), arrived_fragments_(memory) {}

  std::uint32_t total_length = 0;  ///< length in bytes, as its fragments say
  std::uint32_t fragment_count = 0;
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
  EnetCommandPosition completed;  ///< command with the last missing fragment; packet 0 while a fragment is missing
  /// True if all fragments have arrived, but do not cover all bytes. ENet's receiver then uses uninitialised memory for
  /// the missing bytes.
  bool has_gap = false;
  std::pmr::vector<std::uint8_t> bytes;      ///< if is_whole(), the message; otherwise the bytes in order of arrival
  std::pmr::vector<EnetFragment> fragments;  ///< sorted by index; only if complete

  [[nodiscard]] bool is_whole() const { return completed.packet != 0 && !has_gap; }

 private:
  friend class EnetReassembler;
  /// A fragment, and the offset of its bytes in the message's `bytes` while a fragment is missing.
  struct ArrivedFragment {
    EnetFragment fragment;
    std::size_t position = 0;
  };
  std::pmr::map<std::uint32_t, ArrivedFragment> arrived_fragments_;  ///< by index, while a fragment is missing
  bool is_in_order_ = true;  ///< true if all fragments arrived in order and without gaps
};

/// The position of a fragment, and its message.
struct EnetFragmentRecord {
  EnetCommandPosition position;
  std::uint32_t message = 0;
};

/// Counts of the fragmented messages of a side.
struct EnetFragmentCounts {
  std::uint32_t begun_count = 0;  ///< number of unreliable messages with at least one captured fragment
  std::uint32_t whole_count = 0;  ///< number of complete unreliable messages
  std::int64_t slowest_time =
      0;  ///< longest time from the first to the last fragment of a reliable message, in nanoseconds
  std::uint32_t slowest_size = 0;  ///< size of this message in bytes
};

/// All fragmented messages of a capture. Each fragment must be added once, in capture order.
///
/// The memory grows with the bytes that have arrived, never with the lengths and counts in the fragments. Adding a
/// fragment takes time logarithmic in the number of the message's fragments.
class EnetReassembler {
 public:
  explicit EnetReassembler(std::pmr::memory_resource *memory);

  /// The source of a fragment.
  struct Source {
    std::uint32_t connection = 0;
    unsigned sender = 0;
    std::uint8_t session = 0;  ///< session number in the datagram's header
    EnetCommandPosition position;
    std::int64_t time = 0;  ///< capture time in nanoseconds
  };

  /// Adds a fragment that is completely captured and has no find_enet_fragment_error().
  ///
  /// The fragment begins a new message if its total length or count contradicts the previous message with this sequence
  /// number. It also begins a new message if ENet would have given up the previous message by now. A fragment with an
  /// index that has already arrived changes nothing.
  void add(const Source &source, const EnetCommand &command, std::span<const std::uint8_t> data);

  /// Returns the fragments of each datagram.
  [[nodiscard]] const EnetCommandLog<EnetFragmentRecord> &records() const { return records_; }
  [[nodiscard]] const EnetFragmentedMessage &message(std::uint32_t number) const { return messages_[number]; }
  [[nodiscard]] EnetFragmentCounts counts(std::uint32_t connection, unsigned sender) const;

 private:
  std::uint32_t find_or_begin_message(const Source &source, const EnetCommand &command);
  void count_completed_message(const Source &source, const EnetCommand &command, const EnetFragmentedMessage &message);
  static void assemble(EnetFragmentedMessage &message);
  static void copy_fragments(EnetFragmentedMessage &message);

  std::pmr::memory_resource *memory_;
  std::pmr::map<std::uint64_t, EnetFragmentCounts> counts_;  ///< by connection and sender
  EnetCommandLog<EnetFragmentRecord> records_;
  std::pmr::deque<EnetFragmentedMessage> messages_;
  std::pmr::map<std::uint64_t, std::uint32_t>
      newest_messages_;  ///< indices of the newest messages, by connection, direction,
                         ///< session, channel, type and start sequence number
};

}  // namespace godot_codec
