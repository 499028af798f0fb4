// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/reading.h"

namespace godot_codec {

namespace {

void read_into(MpReading &reading, Bytes packet, MpFraming framing, Generation generation) {
  reading.has_prefix = framing != MpFraming::none;
  std::size_t offset = 0;
  if (reading.has_prefix) {
    reading.prefix = read_mp_prefix(packet, framing);
    if (!reading.prefix.has_message) return;
    offset = reading.prefix.range.end();
  }
  do {
    const MpMessage &command = reading.commands[reading.count++] = read_mp_message(packet, offset, generation);
    if (command.inner.length == 0) break;
    offset = command.inner.offset;
  } while (reading.count < reading.commands.size());
}

}  // namespace

const MpReading &MpReader::read(MpFraming framing, Generation generation) {
  if (!reading_ || framing != framing_ || generation != generation_) {
    read_into(reading_.emplace(), values_.bytes(), framing, generation);
    framing_ = framing;
    generation_ = generation;
  }
  return *reading_;
}

MpMessage mp_message_of(const MpPrefix &prefix, Generation generation) {
  MpMessage message;
  message.generation = generation;
  message.command = prefix.command;
  message.is_known = prefix.is_known;
  message.fields = prefix.fields;
  message.outcome = prefix.outcome;
  return message;
}

}  // namespace godot_codec
