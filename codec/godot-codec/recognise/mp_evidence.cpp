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
  MpReader reader(packet, options);
  return mp_evidence(reader, framing);
}

Evidence mp_evidence(MpReader &reader, MpFraming framing) {
  const std::size_t size = reader.values().bytes().reported;
  if (size == 0) return {Confidence::neutral};
  const Confidence confidence = judge_mp_packet(reader, framing, mp_generation(framing));
  if (confidence != Confidence::weak) return {confidence};
  const bool is_telling = size >= least_strong_size && has_mp_name(reader.read(framing, mp_generation(framing)));
  if (is_telling) return {Confidence::strong};
  return mp_greeting_evidence(mp_generation(framing));
}

}  // namespace godot_codec
