// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/plausibility.h"
#include "godot-codec/recognise/evidence.h"

namespace godot_codec {
namespace {

// True if a command, or the one that it relays, names a node, method or property.
bool has_mp_name(Bytes packet, MpFraming framing) {
  const auto has_name = [](const MpMessage &message) {
    using enum MpField;
    return message.fields.has(path) || message.fields.has(method) || message.fields.has(property) ||
           message.fields.has(name);
  };
  std::size_t offset = 0;
  if (framing != MpFraming::none) {
    const MpPrefix prefix = read_mp_prefix(packet, framing);
    if (!prefix.has_message) return false;
    offset = prefix.range.end();
  }
  const MpMessage message = read_mp_message(packet, offset, mp_generation(framing));
  if (message.inner.length == 0) return has_name(message);
  return has_name(read_mp_message(packet, message.inner.offset, mp_generation(framing)));
}

}  // namespace

Evidence mp_greeting_evidence(Generation generation) {
  // Both generations are multiplayers, but a connection is of one.
  return {Likeness::weak, static_cast<std::uint32_t>(generation) + 1};
}

Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options) {
  if (packet.reported == 0) return {Likeness::neutral};
  const Likeness likeness = looks_like_mp_packet(packet, framing, options);
  if (likeness != Likeness::weak) return {likeness};
  const bool is_telling = packet.reported >= least_strong_size && has_mp_name(packet, framing);
  if (is_telling) return {Likeness::strong};
  return mp_greeting_evidence(mp_generation(framing));
}

}  // namespace godot_codec
