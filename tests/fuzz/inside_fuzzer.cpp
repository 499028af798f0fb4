// SPDX-License-Identifier: MIT
// Looks for embedded data in hostile custom payloads. Aborts if a result lies outside of the payload, a text is not
// UTF-8, or more is written than the limit.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "godot-codec/core/utf8.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/embedded/embedded_decoder.h"
#include "godot-codec/embedded/embedded_format.h"
#include "require.h"

namespace {

using namespace godot_codec;

void check_found(Bytes bytes, const EmbeddedPayload &inside) {
  if (inside.format == EmbeddedFormat::nothing) return;
  require(!embedded_format_name(inside.format).empty());
  require(inside.content.end() <= bytes.reported && inside.count > 0);
  const bool is_length =
      inside.content.offset == sizeof(std::uint16_t) || inside.content.offset == sizeof(std::uint32_t);
  require(!inside.has_length_prefix || is_length);
  // Without a length, the content is preceded by at most eight bytes.
  require(inside.content.offset <= 8);
}

void check_decompression(Bytes bytes, const EmbeddedPayload &inside) {
  if (!is_compressed(inside.format) || bytes.captured < bytes.reported) return;
  const Bytes content = bytes.slice(inside.content);
  std::vector<std::uint8_t> out(max_decompressed_size(content.captured));
  require(decompress_embedded(inside.format, {content.data, content.captured}, out) <= out.size());
}

void check(Bytes bytes, const EmbeddedOptions &options) {
  const EmbeddedPayload plain = detect_embedded(bytes, options);
  const EmbeddedPayload inside = detect_embedded_or_fastlz(bytes, options);
  check_found(bytes, plain);
  check_found(bytes, inside);
  require(plain.format == EmbeddedFormat::nothing || plain.format == inside.format);
  check_decompression(bytes, inside);
  const EmbeddedDecoder opener(options);
  std::array<char, 200> memory{};
  TextBuffer text(memory);
  const bool is_told = opener.append_decoded(text, bytes);
  require(is_told == !text.view().empty() && is_valid_utf8(text.view()));
  require(!is_told || inside.format != EmbeddedFormat::nothing);
  const Confidence confidence = opener.confidence(bytes);
  require(confidence == Confidence::none || (confidence == Confidence::strong && is_told));
  ReadOptions read = options.read;
  read.decoder = &opener;
  require(packet_evidence(bytes, read).confidence >= variant_evidence(bytes, read).confidence);
  static_cast<void>(is_length_prefixed_variant(bytes, read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  EmbeddedOptions known;
  known.dialect = Dialect::godot3;
  constexpr std::size_t cut = 5;
  for (const Bytes bytes : {Bytes(data, size), Bytes(data, size, size + cut)}) {
    check(bytes, {});
    check(bytes, known);
  }
  static_cast<void>(is_json({reinterpret_cast<const char *>(data), size}));
  return 0;
}
