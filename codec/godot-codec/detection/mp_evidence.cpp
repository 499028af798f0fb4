// SPDX-License-Identifier: MIT
#include "godot-codec/detection/evidence.h"
#include "godot-codec/multiplayer/plausibility.h"
#include "godot-codec/multiplayer/reading.h"

namespace godot_codec {
namespace {

// If the beginning of the connection is not captured, only calls and paths that contain a name are evidence, as in
// captures/mp_enet1_godot4.2 and lost_arguments_godot4.6. Shorter commands may be chance:
// tests/data/custom_spawn_cut.pcapng.
bool has_mp_name(const MpReading &reading) {
  using enum MpField;
  if (reading.count == 0) return false;
  const MpFields &fields = reading.commands[0].fields;
  return fields.has(path) || fields.has(method) || fields.has(property) || fields.has(name);
}

}  // namespace

Evidence mp_greeting_evidence(Generation generation) {
  // The kinds differ by generation, because all messages of a connection are of the same generation.
  return {Confidence::weak, static_cast<std::uint32_t>(generation) + 1};
}

Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options) {
  MpReader reader({packet}, options);
  return mp_evidence(reader, framing);
}

Evidence mp_evidence(MpReader &reader, MpFraming framing) {
  const std::size_t size = reader.values().bytes().reported;
  if (size == 0) return {Confidence::neutral};
  const Confidence confidence = evaluate_mp_packet(reader, framing, mp_generation(framing));
  if (confidence != Confidence::weak) return {confidence};
  const bool is_telling = size >= least_strong_size && has_mp_name(reader.read(framing, mp_generation(framing)));
  if (is_telling) return {Confidence::strong};
  return mp_greeting_evidence(mp_generation(framing));
}

}  // namespace godot_codec
