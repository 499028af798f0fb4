// SPDX-License-Identifier: MIT
/// @file
/// Messages that come in fragments, put together as ENet's receiver does it
/// (enet_protocol_handle_send_fragment() in its protocol.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <span>
#include <vector>

#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/log.h"
#include "godot-codec/enet/side.h"

namespace godot_codec {

/// A fragment that has come.
struct EnetFragment {
  std::uint32_t number = 0;  ///< index, from 0
  std::uint32_t offset = 0;  ///< in the message, in bytes
  std::uint32_t packet = 0;  ///< that brought it
  std::uint16_t length = 0;
  bool is_overlapping = false;  ///< it holds bytes that one before it held
  bool is_conflicting = false;  ///< and they differ: the later ones count
};

/// A message in fragments. Its address stays.
struct EnetFragmentedMessage {
  explicit EnetFragmentedMessage(std::pmr::memory_resource *memory)
      : bytes(memory), fragments(memory), pieces_(memory) {}

  std::uint32_t total_length = 0;  ///< bytes, as its fragments say
  std::uint32_t fragment_count = 0;
  std::int64_t first_time = 0;
  std::int64_t last_time = 0;
  EnetPlace completed;  ///< the command that brought the last fragment; nowhere as long as one is missing
  /// All fragments have come, but no fragment holds some of the bytes. A receiver takes what its memory held there.
  bool has_hole = false;
  std::pmr::vector<std::uint8_t> bytes;      ///< if is_whole(), the message; else the bytes by arrival
  std::pmr::vector<EnetFragment> fragments;  ///< by number, if complete

  [[nodiscard]] bool is_whole() const { return completed.packet != 0 && !has_hole; }

 private:
  friend class EnetFragments;
  /// A fragment, and where its bytes lie among those that have come.
  struct Piece {
    EnetFragment fragment;
    std::size_t position = 0;
  };
  std::pmr::map<std::uint32_t, Piece> pieces_;  ///< by number, as long as one is missing
  bool is_in_order_ = true;                     ///< each began where the one before it ended
};

/// Where a fragment stands, and of which message it is.
struct EnetFragmentRecord {
  EnetPlace place;
  std::uint32_t message = 0;
};

/// Messages in fragments of one side.
struct EnetFragmentCount {
  std::uint32_t begun = 0;         ///< unreliable messages that a fragment came of
  std::uint32_t whole = 0;         ///< unreliable messages that came as a whole
  std::int64_t slowest = 0;        ///< how long a reliable one took from its first fragment to its last, at most
  std::uint32_t slowest_size = 0;  ///< and that one's bytes
};

/// All messages in fragments of a capture. To be fed once, in its order.
///
/// Memory goes by the bytes that have come, never by the lengths and counts that they speak of; the cost of a fragment
/// by the logarithm of how many its message has.
class EnetFragments {
 public:
  explicit EnetFragments(std::pmr::memory_resource *memory);

  /// Where a fragment comes from.
  struct Source {
    std::uint32_t connection = 0;
    Side sender = Side::first;
    std::uint8_t session = 0;  ///< the session in the datagram's header
    EnetPlace place;
    std::int64_t time = 0;  ///< the capture's time, in nanoseconds
  };

  /// Takes a fragment that is wholly captured and has no enet_fragment_fault().
  ///
  /// It is of another message than the one before where the number was used so long ago that ENet would have given
  /// that up, and where it contradicts that in total length or count. One with a number that has come changes nothing.
  void add(const Source &source, const EnetCommand &command, std::span<const std::uint8_t> data);

  /// The fragments of each datagram.
  [[nodiscard]] const EnetLog<EnetFragmentRecord> &records() const { return records_; }
  [[nodiscard]] const EnetFragmentedMessage &message(std::uint32_t number) const { return messages_[number]; }
  [[nodiscard]] EnetFragmentCount count(std::uint32_t connection, Side sender) const;

 private:
  std::uint32_t message_of(const Source &source, const EnetCommand &command);
  void count_whole(const Source &source, const EnetCommand &command, const EnetFragmentedMessage &message);
  static void put_together(EnetFragmentedMessage &message);
  static void copy_pieces(EnetFragmentedMessage &message);

  std::pmr::memory_resource *memory_;
  std::pmr::map<std::uint64_t, EnetFragmentCount> counts_;  ///< by connection and sender
  EnetLog<EnetFragmentRecord> records_;
  std::pmr::deque<EnetFragmentedMessage> messages_;
  std::pmr::map<std::uint64_t, std::uint32_t> newest_;  ///< messages by connection, direction, session, channel, kind
                                                        ///< and start number
};

}  // namespace godot_codec
