// SPDX-License-Identifier: MIT
#include "godot-codec/enet/duplicates.h"

#include <cstddef>

namespace godot_codec {
namespace {

constexpr std::size_t slot_count = 4096;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

// Returns the hash. It is never 0, because 0 marks an unused slot.
std::uint64_t hash_of(std::uint64_t sender, Bytes datagram) {
  std::uint64_t hash = mix(mix(0x2545f4914f6cdd1dU, sender), datagram.reported);
  std::size_t at = 0;
  for (; datagram.captured - at >= sizeof hash; at += sizeof hash) {
    hash = mix(hash, Cursor::load_le<std::uint64_t>(datagram.data + at));
  }
  for (; at < datagram.captured; ++at) hash = mix(hash, datagram.data[at]);
  return hash == 0 ? 1 : hash;
}

}  // namespace

PacketPosition DuplicateWindow::add(std::uint64_t sender, Bytes datagram, PacketPosition position, std::int64_t time) {
  if (seen_.empty()) seen_.resize(slot_count);
  const std::uint64_t hash = hash_of(sender, datagram);
  Seen &slot = seen_[hash % slot_count];
  // The packets of merged files are not always in order.
  const std::int64_t apart = slot.time < time ? elapsed(slot.time, time) : elapsed(time, slot.time);
  if (slot.hash == hash && apart <= duplicate_window) return slot.position;
  slot = {hash, time, position};
  return packet_position_zero;
}

}  // namespace godot_codec
