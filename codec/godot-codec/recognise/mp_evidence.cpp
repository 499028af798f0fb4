// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/plausibility.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/recognise/evidence.h"

namespace godot_codec {
namespace {

// True if a command, or the one that it relays, names a node, method or property.
bool has_mp_name(const MpReading &reading) {
  const auto has_name = [](const MpMessage &message) {
    using enum MpField;
    return message.fields.has(path) || message.fields.has(method) || message.fields.has(property) ||
           message.fields.has(name);
  };
  if (reading.count == 0) return false;
  return has_name(reading.commands[reading.count > 1 ? 1 : 0]);
}

}  // namespace

Evidence mp_greeting_evidence(Generation generation) {
  // Both generations are multiplayers, but a connection is of one.
  return {Confidence::weak, static_cast<std::uint32_t>(generation) + 1};
}

Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options) {
  MpReader reader(packet);
  return mp_evidence(packet, reader, framing, options);
}

Evidence mp_evidence(Bytes packet, MpReader &reader, MpFraming framing, const ReadOptions &options) {
  if (packet.reported == 0) return {Confidence::neutral};
  const MpReading &reading = reader.read(framing, mp_generation(framing));
  const Confidence confidence = judge_mp_reading(packet, reading, framing, options);
  if (confidence != Confidence::weak) return {confidence};
  const bool is_telling = packet.reported >= least_strong_size && has_mp_name(reading);
  if (is_telling) return {Confidence::strong};
  return mp_greeting_evidence(mp_generation(framing));
}

}  // namespace godot_codec
