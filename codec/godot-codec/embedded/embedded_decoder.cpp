// SPDX-License-Identifier: MIT
#include "godot-codec/embedded/embedded_decoder.h"

#include <algorithm>
#include <memory>
#include <new>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/enet/datagram_reader.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec {
namespace {

constexpr std::size_t max_output = std::size_t{1} << 20;
constexpr std::size_t max_expansion = 256;
constexpr std::size_t min_output = 4096;
constexpr unsigned max_nesting = 4;  // maximum depth of byte arrays inside byte arrays

// True if bytes may be FastLZ. FastLZ data starts with a run of literal bytes. In a game, these are the beginning of a
// Variant, of JSON or of a text.
bool may_be_fastlz(Bytes bytes) {
  constexpr std::size_t min_size = 16;
  if (bytes.captured < min_size || bytes.captured < bytes.reported || bytes.data[0] >> 5 > 1) return false;
  const Bytes first = bytes.slice({1, sizeof(std::uint32_t)});
  return has_variant_header(first) || is_plain_text(first.text());
}

// A buffer for decompressed bytes. It is not zero-filled; null if memory is exhausted.
struct DecompressedBytes {
  std::unique_ptr<std::uint8_t[]> memory;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t size = 0;

  [[nodiscard]] Bytes bytes() const { return {memory.get(), size}; }
};

DecompressedBytes decompress_payload(EmbeddedFormat format, Bytes bytes) {
  const std::size_t limit = max_decompressed_size(bytes.captured);
  DecompressedBytes result{std::unique_ptr<std::uint8_t[]>(new (std::nothrow) std::uint8_t[limit])};  // NOLINT
  if (result.memory != nullptr) {
    result.size = decompress_embedded(format, {bytes.data, bytes.captured}, {result.memory.get(), limit});
  }
  return result;
}

// Returns the evidence for a Variant in a payload, for detection. To show a Variant after a length prefix, weak
// evidence is enough; detection needs strong evidence.
Confidence evaluate_payload(Bytes bytes, const EmbeddedPayload &payload, const EmbeddedOptions &options) {
  if (payload.format != EmbeddedFormat::variant) return Confidence::none;
  if (!payload.has_length_prefix) return Confidence::strong;
  const Evidence evidence = variant_evidence(bytes.slice(payload.content), options.read);
  return evidence.confidence == Confidence::strong ? Confidence::strong : Confidence::none;
}

class PayloadWriter {
 public:
  PayloadWriter(TextBuffer &text, const EmbeddedOptions &options, unsigned nesting)
      : text_(text), options_(options), nesting_depth_(nesting) {}

  bool write(Bytes bytes, const EmbeddedPayload &payload) {
    if (payload.format == EmbeddedFormat::nothing) return false;
    if (is_compressed(payload.format)) {
      if (!write_decompressed(bytes, payload)) return false;
    } else if (!write_content(bytes, payload)) {
      text_.append(embedded_format_name(payload.format));
    }
    text_.append(" in ");
    text_.append_unsigned(bytes.reported);
    text_.append(" bytes");
    if (is_compressed(payload.format)) {
      text_.append(" of ");
      text_.append(embedded_format_name(payload.format));
    }
    return true;
  }

 private:
  // @returns false, and appends nothing, if the content is neither a Variant nor a text
  bool write_content(Bytes bytes, const EmbeddedPayload &payload) {
    constexpr std::size_t longest_text = 120;
    const std::string_view text = bytes.slice(payload.content).text();
    if (payload.format == EmbeddedFormat::variant) {
      write_variants(bytes, payload);
    } else if (payload.format == EmbeddedFormat::json) {
      text_.append_escaped(text, false, longest_text);
    } else if (payload.format == EmbeddedFormat::text) {
      text_.append_quoted(text, longest_text);
    } else {
      return false;
    }
    return true;
  }

  void write_variants(Bytes bytes, const EmbeddedPayload &payload) {
    const EmbeddedDecoder inner(options_, nesting_depth_ + 1);
    ReadOptions read = options_.read;
    read.decoder = nesting_depth_ < max_nesting ? &inner : nullptr;
    write_prefix(bytes, payload);
    std::size_t offset = payload.content.offset;
    for (std::uint32_t i = 0; i < payload.count && !text_.is_full(); ++i) {
      if (i > 0) text_.append(", ");
      offset = append_variant(text_, bytes, offset, {.dialect = payload.dialect}, read, TextStyle::brief).offset;
    }
  }

  // Appends the bytes before the content in hexadecimal, such as "07 ".
  void write_prefix(Bytes bytes, const EmbeddedPayload &payload) {
    if (payload.has_length_prefix) return;
    const Bytes prefix = bytes.slice({0, payload.content.offset});
    for (std::size_t i = 0; i < prefix.captured; ++i) {
      text_.append_hex(prefix.data[i]);
      text_.append(" ");
    }
  }

  bool write_decompressed(Bytes bytes, const EmbeddedPayload &payload) {
    const DecompressedBytes all = decompress_payload(payload.format, bytes.slice(payload.content));
    if (all.size == 0) return false;
    write_prefix(bytes, payload);
    if (!write_content(all.bytes(), detect_embedded(all.bytes(), options_))) {
      text_.append_unsigned(all.size);
      text_.append(" bytes");
    }
    return true;
  }

  TextBuffer &text_;
  const EmbeddedOptions &options_;
  unsigned nesting_depth_;
};

// True if bytes are FastLZ and the decompressed bytes have a known format. Many foreign bytes can be decompressed as
// FastLZ, such as the 3,000 bytes in captures/mp_ws_godot4.6.pcapng, but to no known format.
bool is_fastlz(Bytes bytes, const EmbeddedOptions &options) {
  if (!may_be_fastlz(bytes)) return false;
  const DecompressedBytes all = decompress_payload(EmbeddedFormat::fastlz, bytes);
  const EmbeddedFormat within = all.size == 0 ? EmbeddedFormat::nothing : detect_embedded(all.bytes(), options).format;
  return within == EmbeddedFormat::variant || within == EmbeddedFormat::json || within == EmbeddedFormat::text;
}

// True if the bytes are a size and FastLZ data. Games send the size first, because PackedByteArray.decompress() needs
// the decompressed size.
bool is_fastlz_after_size(Bytes bytes) {
  constexpr std::size_t size = sizeof(std::uint32_t);
  if (bytes.captured < bytes.reported || bytes.captured <= size) return false;
  const Bytes content = bytes.slice({size, bytes.captured - size});
  const auto little = Cursor::load_le<std::uint32_t>(bytes.data);
  const auto big = Cursor::load_be<std::uint32_t>(bytes.data);
  const std::size_t max_size = max_decompressed_size(content.captured);
  if ((little > max_size && big > max_size) || !may_be_fastlz(content)) return false;
  const std::size_t decompressed_size = decompress_payload(EmbeddedFormat::fastlz, content).size;
  return decompressed_size > 0 && (decompressed_size == little || decompressed_size == big);
}

}  // namespace

std::size_t max_decompressed_size(std::size_t compressed) {
  if (compressed > max_output / max_expansion) return max_output;
  return std::max(min_output, compressed * max_expansion);
}

std::size_t decompress_embedded(EmbeddedFormat format, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  switch (format) {
    case EmbeddedFormat::zlib:
      return decompress(Compression::zlib, in, out);
    case EmbeddedFormat::gzip:
      return decompress_gzip(in, out);
    case EmbeddedFormat::zstd:
      return decompress(Compression::zstd, in, out);
    case EmbeddedFormat::fastlz:
      return decompress(Compression::fastlz, in, out);
    case EmbeddedFormat::fileaccess:
      return decompress_file(in, out);
    default:
      return 0;
  }
}

EmbeddedPayload detect_embedded_or_fastlz(Bytes bytes, const EmbeddedOptions &options) {
  EmbeddedPayload payload = detect_embedded(bytes, options);
  if (payload.format != EmbeddedFormat::nothing) return payload;
  const bool is_whole = is_fastlz(bytes, options);
  if (!is_whole && !is_fastlz_after_size(bytes)) return payload;
  const std::size_t front = is_whole ? 0 : sizeof(std::uint32_t);
  payload.format = EmbeddedFormat::fastlz;
  payload.content = {front, bytes.reported - front};
  return payload;
}

Confidence EmbeddedDecoder::confidence(Bytes bytes) const {
  if (bytes.captured < bytes.reported || is_plain_text(bytes.text())) return Confidence::none;
  const EmbeddedPayload payload = detect_embedded_or_fastlz(bytes, options_);
  if (!is_compressed(payload.format)) return evaluate_payload(bytes, payload, options_);
  if (payload.content.offset > 0) return Confidence::none;  // compressed ENet datagrams look the same
  const DecompressedBytes all = decompress_payload(payload.format, bytes.slice(payload.content));
  return all.size == 0 ? Confidence::none
                       : evaluate_payload(all.bytes(), detect_embedded(all.bytes(), options_), options_);
}

bool EmbeddedDecoder::append_decoded(TextBuffer &text, Bytes bytes) const {
  const bool may_decompress = nesting_depth_ == 0;
  const EmbeddedPayload payload =
      may_decompress ? detect_embedded_or_fastlz(bytes, options_) : detect_embedded(bytes, options_);
  if (is_compressed(payload.format) && (!may_decompress || bytes.captured < bytes.reported)) return false;
  return PayloadWriter(text, options_, nesting_depth_).write(bytes, payload);
}

}  // namespace godot_codec
