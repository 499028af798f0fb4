// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/raw.h"

#include <string_view>

#include "godot-codec/recognise/evidence.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {
namespace {

// The shortest output of the compressors.
constexpr std::size_t least_compressed = 8;

bool has_stray_length(Bytes packet, const ReadOptions &options) {
  Cursor cursor(packet);
  const auto length = cursor.read<std::uint32_t>();
  if (!cursor.ok() || length != packet.reported - sizeof length) return false;
  return detect_dialect(packet.slice({sizeof length, length}), options).fit == Fit::exact;
}

// RFC 1950: deflate with a window of 32 KiB, no dictionary, and a check that makes 31 divide both bytes.
bool is_zlib_header(std::uint8_t method, std::uint8_t flags) {
  constexpr std::uint8_t deflate_32k = 0x78;
  constexpr std::uint8_t has_dictionary = 0x20;
  return method == deflate_32k && (flags & has_dictionary) == 0 && (method << 8 | flags) % 31 == 0;
}

}  // namespace

RawKind look_at_raw(Bytes packet, const ReadOptions &options) {
  if (has_stray_length(packet, options)) return RawKind::stray_length;
  const std::string_view text{reinterpret_cast<const char *>(packet.data), packet.captured};
  if (packet.captured < least_compressed || is_plain_text(text)) return RawKind::plain;
  const std::uint8_t *data = packet.data;
  if (data[0] == 0x1f && data[1] == 0x8b && data[2] == 8) return RawKind::gzip;
  if (data[0] == 0x28 && data[1] == 0xb5 && data[2] == 0x2f && data[3] == 0xfd) return RawKind::zstd;
  return is_zlib_header(data[0], data[1]) ? RawKind::zlib : RawKind::plain;
}

bool is_rather_raw(Bytes packet, const WalkResult &result, const ReadOptions &options) {
  // Nobody sends so much of a Variant by accident: a Dictionary with its first key.
  constexpr std::size_t begun = 16;
  if (packet.captured < packet.reported || result.outcome == Outcome::over_limit) return false;
  const bool is_whole = result.outcome == Outcome::ok;
  if (is_whole && (result.stopped || result.engine_end() >= packet.reported)) return false;
  if (!is_whole) return result.offset < begun;
  return variant_evidence(packet.slice({0, result.offset}), options).likeness != Likeness::strong;
}

}  // namespace godot_codec
