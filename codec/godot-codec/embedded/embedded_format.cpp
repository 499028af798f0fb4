// SPDX-License-Identifier: MIT
#include "godot-codec/embedded/embedded_format.h"

#include <algorithm>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

constexpr std::size_t length_size = sizeof(std::uint32_t);
constexpr std::size_t max_prefix = 8;  // maximum number of bytes before a Variant; Godot 3's NetworkedMultiplayerENet
                                       // has such a header
constexpr std::size_t min_after_length = 8;  // other data may contain a length, a type and a number by chance, because
                                             // all three are small numbers
constexpr std::size_t min_text = 4;          // a shorter text may be a number by chance
constexpr std::size_t min_compressed = 8;    // shortest output of the compressors, in bytes
constexpr std::uint32_t max_consecutive = 4096;

// True if a text repeats one character. Such bytes are padding, as in the maps of tests/data/web_deflate.pcapng.
bool is_padding(std::string_view text) {
  constexpr std::size_t max_repeated = 16;
  return text.size() > max_repeated && text.find_first_not_of(text.front()) == std::string_view::npos;
}

bool is_text(std::string_view text) { return is_plain_text(text) && !is_padding(text); }

Bytes bytes_after(Bytes bytes, std::size_t offset) { return bytes.slice({offset, bytes.reported - offset}); }

// The evidence that a payload is a Variant, and the Variant's dialect.
struct VariantMatch {
  Confidence confidence = Confidence::none;
  Dialect dialect = Dialect::godot4;
};

VariantMatch match_variant(Bytes bytes, const EmbeddedOptions &options) {
  if (bytes.captured < bytes.reported || bytes.captured < length_size) return {};
  const Evidence evidence = variant_evidence(bytes, options.read);
  if (evidence.confidence <= Confidence::neutral) return {evidence.confidence};
  const DialectDetection &detection = evidence.detection;
  if (options.dialect && !detection.candidates.has(*options.dialect)) return {};
  return {evidence.confidence, options.dialect ? *options.dialect : choose_dialect(detection, {}).dialect};
}

bool detect_variant(Bytes bytes, const EmbeddedOptions &options, EmbeddedPayload &payload) {
  const VariantMatch found = match_variant(bytes, options);
  if (found.confidence != Confidence::strong) return false;
  payload.format = EmbeddedFormat::variant;
  payload.content = {0, bytes.reported};
  payload.dialect = found.dialect;
  return true;
}

// Detects a Variant or a text after a length prefix. A matching length is evidence by itself, so weak evidence is
// enough for the content. Examples with both byte orders: captures/own_bytes_godot4.6.pcapng and garbled_godot4.6.
template <typename Length>
bool detect_after_length(Bytes bytes, const EmbeddedOptions &options, EmbeddedPayload &payload) {
  if (bytes.reported <= sizeof(Length) || bytes.captured < bytes.reported) return false;
  const std::size_t rest = bytes.reported - sizeof(Length);
  if (Cursor::load_le<Length>(bytes.data) != rest && Cursor::load_be<Length>(bytes.data) != rest) return false;
  const Bytes content = bytes_after(bytes, sizeof(Length));
  payload.content = {sizeof(Length), rest};
  payload.has_length_prefix = true;
  const VariantMatch found = match_variant(content, options);
  if (found.confidence >= Confidence::weak && rest > min_after_length) {
    payload.format = EmbeddedFormat::variant;
    payload.dialect = found.dialect;
  } else if (rest >= min_text && is_text(content.text())) {
    payload.format = is_json(content.text()) ? EmbeddedFormat::json : EmbeddedFormat::text;
  } else {
    payload = {};
  }
  return payload.format != EmbeddedFormat::nothing;
}

// Finds the end of a complete Variant. Rejects Variants with notes about encodings that the engine never sends.
// Otherwise the 8 bytes of Godot 3's ENet header before a Variant would read as a bool
// (captures/enet_none_godot3.6.pcapng).
// @returns the end offset; 0 if there is no such Variant
std::size_t find_variant_end(Bytes bytes, std::size_t offset, const ReadOptions &options, Dialect dialect) {
  const WalkResult result = check_variant(bytes, offset, {.dialect = dialect}, options);
  const bool is_exact = result.outcome == Outcome::ok && !result.notes.intersects(never_sent_notes(dialect));
  return is_exact ? result.offset : 0;
}

// @returns the number of consecutive Variants that exactly fill the payload; 0 if there are other bytes
std::uint32_t count_consecutive_variants(Bytes bytes, const ReadOptions &options, Dialect dialect) {
  std::uint32_t count = 0;
  for (std::size_t offset = 0; offset < bytes.reported; ++count) {
    offset = find_variant_end(bytes, offset, options, dialect);
    if (offset == 0 || count == max_consecutive) return 0;
  }
  return count;
}

// Detects several consecutive Variants. At least one of them needs strong evidence. If a preference says that the game
// sends Variants, weak evidence is enough. But then no Variant may be null, because zeros read as null.
bool detect_consecutive_variants(Bytes bytes, const EmbeddedOptions &options, Dialect dialect,
                                 EmbeddedPayload &payload) {
  if (!has_variant_header(bytes) || bytes.captured < bytes.reported) return false;
  const std::uint32_t count = count_consecutive_variants(bytes, options.read, dialect);
  if (count < 2) return false;
  EmbeddedOptions only = options;
  only.dialect = dialect;
  Confidence most = Confidence::none;
  bool has_null = false;
  for (std::size_t offset = 0, end = 0; offset < bytes.reported; offset = end) {
    end = find_variant_end(bytes, offset, options.read, dialect);
    most = std::max(most, match_variant(bytes.slice({offset, end - offset}), only).confidence);
    has_null = has_null || end - offset == sizeof(std::uint32_t);
  }
  if (most != Confidence::strong && (!options.expects_variants || most != Confidence::weak || has_null)) return false;
  payload.format = EmbeddedFormat::variant;
  payload.content = {0, bytes.reported};
  payload.count = count;
  payload.dialect = dialect;
  return true;
}

bool detect_variant_after_prefix(Bytes bytes, const EmbeddedOptions &options, EmbeddedPayload &payload) {
  for (std::size_t prefix = 1; prefix <= max_prefix && prefix < bytes.reported; ++prefix) {
    const Bytes content = bytes_after(bytes, prefix);
    // Every Variant's size is a multiple of 4 bytes.
    if (content.reported % length_size != 0 || !has_variant_header(content)) continue;
    if (!detect_variant(content, options, payload)) continue;
    payload.content = {prefix, content.reported};
    return true;
  }
  return false;
}

struct Signature {
  EmbeddedFormat format;
  std::size_t offset;
  std::string_view bytes;
};

constexpr Signature signatures[] = {
    {EmbeddedFormat::gzip, 0, {"\x1f\x8b\x08", 3}}, {EmbeddedFormat::zstd, 0, "\x28\xb5\x2f\xfd"},
    {EmbeddedFormat::fileaccess, 0, "GCPF"},        {EmbeddedFormat::png, 0, {"\x89PNG\r\n\x1a\n", 8}},
    {EmbeddedFormat::jpeg, 0, "\xff\xd8\xff"},      {EmbeddedFormat::webp, 8, "WEBP"},
    {EmbeddedFormat::ogg, 0, {"OggS\0", 5}},
};

// True for RFC 1950 data as PackedByteArray.compress() writes it: a window of 32 KiB, no dictionary, and a valid header
// checksum (captures/own_bytes_godot4.6.pcapng).
bool is_zlib(const std::uint8_t *data) {
  constexpr std::uint8_t deflate_32k = 0x78;
  constexpr std::uint8_t has_dictionary = 0x20;
  return data[0] == deflate_32k && (data[1] & has_dictionary) == 0 && (data[0] << 8 | data[1]) % 31 == 0;
}

// Detects compressed data after a few bytes, such as a message kind or the decompressed size. The signature of zlib is
// weak, because it has only two bytes. So zlib is only detected after a size of 4 bytes.
bool detect_compressed_after_prefix(Bytes bytes, EmbeddedPayload &payload) {
  for (std::size_t prefix = 1; prefix <= max_prefix && prefix < bytes.reported; ++prefix) {
    const EmbeddedFormat format = detect_signature(bytes_after(bytes, prefix));
    const bool is_certain = format == EmbeddedFormat::gzip || format == EmbeddedFormat::zstd;
    const bool is_likely = format == EmbeddedFormat::zlib && prefix == length_size;
    if (!is_certain && !is_likely) continue;
    payload.format = format;
    payload.content = {prefix, bytes.reported - prefix};
    return true;
  }
  return false;
}

}  // namespace

std::string_view embedded_format_name(EmbeddedFormat format) {
  constexpr std::string_view names[] = {"",       "variant",    "json", "text", "zlib", "gzip", "zstd",
                                        "fastlz", "fileaccess", "png",  "jpeg", "webp", "ogg"};
  return names[static_cast<std::size_t>(format)];
}

EmbeddedFormat detect_signature(Bytes bytes) {
  const std::string_view text = bytes.text();
  if (bytes.captured < min_compressed) return EmbeddedFormat::nothing;
  const auto *found = std::ranges::find_if(signatures, [&](const Signature &each) {
    return text.size() > each.offset && text.substr(each.offset).starts_with(each.bytes);
  });
  EmbeddedFormat format = is_zlib(bytes.data) ? EmbeddedFormat::zlib : EmbeddedFormat::nothing;
  if (found != std::end(signatures)) format = found->format;
  return format == EmbeddedFormat::nothing || is_plain_text(text) ? EmbeddedFormat::nothing : format;
}

EmbeddedPayload detect_embedded(Bytes bytes, const EmbeddedOptions &options) {
  EmbeddedPayload payload;
  if (bytes.captured == 0) return payload;
  payload.content = {0, bytes.reported};
  if (is_text(bytes.text())) {
    if (bytes.reported >= min_text)
      payload.format = is_json(bytes.text()) ? EmbeddedFormat::json : EmbeddedFormat::text;
    return payload;
  }
  payload.format = detect_signature(bytes);
  if (payload.format != EmbeddedFormat::nothing) return payload;
  if (detect_variant(bytes, options, payload)) return payload;
  if (detect_after_length<std::uint32_t>(bytes, options, payload)) return payload;
  if (detect_after_length<std::uint16_t>(bytes, options, payload)) return payload;
  for (const Dialect dialect : all_dialects) {
    if (options.dialect && dialect != *options.dialect) continue;
    if (detect_consecutive_variants(bytes, options, dialect, payload)) return payload;
  }
  if (!detect_variant_after_prefix(bytes, options, payload)) detect_compressed_after_prefix(bytes, payload);
  return payload;
}

}  // namespace godot_codec
