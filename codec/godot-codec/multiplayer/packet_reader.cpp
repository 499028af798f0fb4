// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/packet_reader.h"

namespace godot_codec {

namespace {

void read_packet_into(MpParsedPacket &reading, Bytes packet, MpFraming framing, Generation generation) {
  reading.has_prefix = framing != MpFraming::none;
  std::size_t offset = 0;
  if (reading.has_prefix) {
    reading.prefix = read_mp_prefix(packet, framing);
    if (!reading.prefix.has_command) return;
    offset = reading.prefix.prefix_range.end();
  }
  do {
    const MpMessage &command = reading.commands.emplace(read_mp_message(packet, offset, generation));
    if (command.relayed.length == 0) break;
    offset = command.relayed.offset;
  } while (!reading.commands.is_full());
}

}  // namespace

const MpParsedPacket &MpPacketReader::read(MpFraming framing, Generation generation) {
  if (!parsed_packet_ || framing != framing_ || generation != generation_) {
    read_packet_into(parsed_packet_.emplace(), variant_cache_.bytes(), framing, generation);
    framing_ = framing;
    generation_ = generation;
  }
  return *parsed_packet_;
}

}  // namespace godot_codec
