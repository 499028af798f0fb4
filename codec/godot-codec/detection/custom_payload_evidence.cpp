// SPDX-License-Identifier: MIT
#include <span>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {
namespace {

// True if the readable beginning of a container is too long for chance, such as a Dictionary with its first key.
bool is_long_container_start(Bytes packet, std::size_t read, Dialect dialect) {
  constexpr std::size_t begun = 16;
  const std::span<const TypeRow> types = dialect_table(dialect).types;
  if (read < begun || packet.data[0] >= types.size()) return false;
  const Type root = types[packet.data[0]].type;
  return root == Type::object || root == Type::dictionary || root == Type::array;
}

// True if a game is less likely to send the value than random bytes of the same length. For example, two consecutive
// Variants of captures/pairs_godot3.2.3.pcapng can be read as one Transform3D with tiny numbers.
bool is_less_likely_than_noise(Bytes packet, Dialect dialect, const ReadOptions &options) {
  constexpr std::size_t byte_size = 8;
  constexpr std::size_t fading = 40;  // tolerance in bits, because a vector that fades to zero has tiny numbers, too
  if (variant_evidence(packet, options).confidence != Confidence::none) return false;
  return measure_surprise(packet, dialect, options) > byte_size * packet.reported + fading;
}

}  // namespace

bool is_length_prefixed_variant(Bytes packet, const ReadOptions &options) {
  Cursor cursor(packet);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length != packet.reported - sizeof length) return false;
  return detect_dialect(packet.slice({sizeof length, length}), options).fit == DialectFit::exact;
}

bool is_probably_custom_payload(Bytes packet, Dialect dialect, const WalkResult &result, const ReadOptions &options) {
  if (packet.captured < packet.reported || result.outcome == Outcome::over_limit || result.is_stopped) return false;
  const bool is_container = is_long_container_start(packet, result.offset, dialect);
  // For example, a float of captures/own_streams_godot4.6.pcapng reads as a null with flags that no engine sets.
  const bool is_odd = result.notes.intersects(never_sent_notes(dialect));
  if (result.outcome != Outcome::ok) return is_odd || !is_container;
  // If more bytes follow, weak evidence is not enough: consecutive ints (captures/pairs_godot4.6.pcapng) and zeros are
  // not a Variant with trailing bytes.
  if (result.engine_end() < packet.reported) {
    return variant_evidence(packet.slice({0, result.offset}), options).confidence != Confidence::strong;
  }
  return is_odd ? !is_container : is_less_likely_than_noise(packet, dialect, options);
}

}  // namespace godot_codec
