// SPDX-License-Identifier: MIT
#include "godot-codec/enet/reassembler.h"

#include <algorithm>

#include "godot-codec/enet/ack_tracker.h"

namespace godot_codec {
namespace {

std::uint64_t key_of(const EnetReassembler::Source &source, const EnetCommand &command) {
  const bool is_unreliable = command.is(EnetCommandType::send_unreliable_fragment);
  std::uint64_t key = source.connection;
  key = key << 1 | source.sender;
  key = key << 2 | (source.session & 3U);
  key = key << 8 | command.channel;
  key = key << 1 | (is_unreliable ? 1U : 0U);
  return key << 16 | command.value(EnetField::fragment_start_seq);
}

std::uint64_t side_key(std::uint32_t connection, unsigned sender) { return std::uint64_t{connection} << 1 | sender; }

}  // namespace

EnetFragmentCounts EnetReassembler::counts(std::uint32_t connection, unsigned sender) const {
  const auto found = counts_.find(side_key(connection, sender));
  return found == counts_.end() ? EnetFragmentCounts{} : found->second;
}

EnetReassembler::EnetReassembler(std::pmr::memory_resource *memory)
    : memory_(memory), counts_(memory), records_(memory), messages_(memory), newest_messages_(memory) {}

std::uint32_t EnetReassembler::find_or_begin_message(const Source &source, const EnetCommand &command) {
  const std::uint32_t total = command.value(EnetField::fragment_total_length);
  const std::uint32_t count = command.value(EnetField::fragment_count);
  const auto [newest, is_first] = newest_messages_.try_emplace(key_of(source, command), std::uint32_t{0});
  if (!is_first) {
    EnetFragmentedMessage &message = messages_[newest->second];
    const bool is_same = message.total_length == total && message.fragment_count == count &&
                         elapsed(message.last_time, source.time) <= max_wait;
    if (is_same) return newest->second;
    // The old message stays incomplete, because a new message has replaced it.
    if (message.completed.packet == 0) {
      message.arrived_fragments_.clear();
      std::pmr::vector<std::uint8_t>(memory_).swap(message.bytes);
    }
  }
  if (command.is(EnetCommandType::send_unreliable_fragment)) {
    ++counts_[side_key(source.connection, source.sender)].begun_count;
  }
  newest->second = static_cast<std::uint32_t>(messages_.size());
  EnetFragmentedMessage &message = messages_.emplace_back(memory_);
  message.total_length = total;
  message.fragment_count = count;
  message.first_time = source.time;
  return newest->second;
}

void EnetReassembler::add(const Source &source, const EnetCommand &command, std::span<const std::uint8_t> data) {
  const std::uint32_t number = find_or_begin_message(source, command);
  EnetFragmentedMessage &message = messages_[number];
  message.last_time = source.time;
  records_.add({source.position, number});
  if (message.completed.packet != 0) return;

  EnetFragment fragment;
  fragment.number = command.value(EnetField::fragment_number);
  fragment.offset = command.value(EnetField::fragment_offset);
  fragment.packet = source.position.packet;
  fragment.length = static_cast<std::uint16_t>(data.size());
  const std::size_t position = message.bytes.size();
  if (!message.arrived_fragments_
           .try_emplace(fragment.number, EnetFragmentedMessage::ArrivedFragment{fragment, position})
           .second)
    return;
  message.is_in_order_ = message.is_in_order_ && fragment.offset == position;
  message.bytes.insert(message.bytes.end(), data.begin(), data.end());
  if (message.arrived_fragments_.size() < message.fragment_count) return;
  message.completed = source.position;
  count_completed_message(source, command, message);
  assemble(message);
}

void EnetReassembler::count_completed_message(const Source &source, const EnetCommand &command,
                                              const EnetFragmentedMessage &message) {
  EnetFragmentCounts &count = counts_[side_key(source.connection, source.sender)];
  if (command.is(EnetCommandType::send_unreliable_fragment)) {
    ++count.whole_count;
    return;
  }
  const std::int64_t time = elapsed(message.first_time, source.time);
  if (time <= count.slowest_time) return;
  count.slowest_time = time;
  count.slowest_size = message.total_length;
}

void EnetReassembler::assemble(EnetFragmentedMessage &message) {
  if (!message.is_in_order_ || message.bytes.size() != message.total_length) copy_fragments(message);
  message.bytes.shrink_to_fit();
  message.fragments.reserve(message.arrived_fragments_.size());
  for (const auto &[number, arrived] : message.arrived_fragments_) message.fragments.push_back(arrived.fragment);
  message.arrived_fragments_.clear();
}

// Copies the fragments to their offsets, in order of arrival. So a later fragment overwrites an earlier fragment.
void EnetReassembler::copy_fragments(EnetFragmentedMessage &message) {
  message.has_gap = message.bytes.size() < message.total_length;
  if (message.has_gap) return;
  using ArrivedFragment = EnetFragmentedMessage::ArrivedFragment;
  std::pmr::memory_resource *memory = message.bytes.get_allocator().resource();
  std::pmr::vector<ArrivedFragment *> arrival(memory);
  for (auto &[number, arrived] : message.arrived_fragments_) arrival.push_back(&arrived);
  std::ranges::sort(arrival, {}, &ArrivedFragment::position);

  // This allocates no more bytes than have arrived, because the fragments together have at least the total length.
  std::pmr::vector<std::uint8_t> whole(message.total_length, 0, memory);
  std::pmr::vector<bool> is_filled(message.total_length, false, memory);
  for (ArrivedFragment *arrived : arrival) {
    EnetFragment &fragment = arrived->fragment;
    for (std::size_t i = 0; i < fragment.length; ++i) {
      const std::uint8_t byte = message.bytes[arrived->position + i];
      const std::size_t at = fragment.offset + i;
      fragment.is_overlapping = fragment.is_overlapping || is_filled[at];
      fragment.is_conflicting = fragment.is_conflicting || (is_filled[at] && whole[at] != byte);
      whole[at] = byte;
      is_filled[at] = true;
    }
  }
  message.has_gap = std::ranges::find(is_filled, false) != is_filled.end();
  message.bytes.swap(whole);
}

}  // namespace godot_codec
