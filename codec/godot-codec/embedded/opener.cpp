// SPDX-License-Identifier: MIT
#include "godot-codec/embedded/opener.h"

#include <algorithm>
#include <memory>
#include <new>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/enet/compression.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {
namespace {

using In = std::span<const std::uint8_t>;
using Out = std::span<std::uint8_t>;

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t most_expansion = 256;
constexpr std::size_t least_output = 4096;
constexpr unsigned max_nesting = 4;  // byte arrays inside byte arrays

// Decompresses a file of FileAccess. It consists of a magic number, the compression mode, the block size, the total
// size, the compressed size of each block, and the blocks. The last block may be shorter.
// Source: FileAccessCompressed::open_after_magic()
std::size_t read_compressed_file(In in, Out out) {
  constexpr InsideKind modes[] = {InsideKind::fastlz, InsideKind::zlib, InsideKind::zstd, InsideKind::gzip};
  Cursor sizes(Bytes(in.data(), in.size()), sizeof(std::uint32_t));
  const auto mode = sizes.read<std::uint32_t>();
  const auto block_size = sizes.read<std::uint32_t>();
  const auto total = sizes.read<std::uint32_t>();
  if (!sizes.ok() || mode >= std::size(modes) || block_size == 0 || total == 0 || total > out.size()) return 0;
  const std::size_t blocks = total / block_size + std::size_t{1};
  if (blocks > sizes.remaining() / sizeof(std::uint32_t)) return 0;
  std::size_t offset = sizes.offset() + blocks * sizeof(std::uint32_t);
  std::size_t written = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto size = sizes.read<std::uint32_t>();
    const std::size_t wanted = std::min<std::size_t>(block_size, total - written);
    if (wanted == 0) break;
    if (size > in.size() - offset) return 0;
    if (decompress_inside(modes[mode], in.subspan(offset, size), out.subspan(written, wanted)) != wanted) return 0;
    offset += size;
    written += wanted;
  }
  return written;
}

// True if bytes may be FastLZ. FastLZ data starts with a run of literal bytes, here the beginning of a Variant, of JSON
// or of text.
bool may_be_fastlz(Bytes bytes) {
  constexpr std::size_t least = 16;
  if (bytes.captured < least || bytes.captured < bytes.reported || bytes.data[0] >> 5 > 1) return false;
  const Bytes first = bytes.slice({1, sizeof(std::uint32_t)});
  return has_variant_header(first) || is_plain_text({reinterpret_cast<const char *>(first.data), first.captured});
}

// A buffer for decompressed bytes: not zero-filled; null if memory is exhausted.
struct Decompressed {
  std::unique_ptr<std::uint8_t[]> memory;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t size = 0;

  [[nodiscard]] Bytes bytes() const { return {memory.get(), size}; }
};

Decompressed decompressed(InsideKind kind, Bytes bytes) {
  const std::size_t limit = inside_limit(bytes.captured);
  Decompressed result{std::unique_ptr<std::uint8_t[]>(new (std::nothrow) std::uint8_t[limit])};  // NOLINT
  if (result.memory != nullptr) {
    result.size = decompress_inside(kind, {bytes.data, bytes.captured}, {result.memory.get(), limit});
  }
  return result;
}

// After a length prefix, weak evidence is enough to show a Variant, but detection requires strong evidence.
Confidence confidence_of(Bytes bytes, const Inside &inside, const InsideOptions &options) {
  if (inside.kind != InsideKind::variant) return Confidence::none;
  if (!inside.has_length) return Confidence::strong;
  const Evidence evidence = variant_evidence(bytes.slice(inside.content), options.read);
  return evidence.confidence == Confidence::strong ? Confidence::strong : Confidence::none;
}

class Writer {
 public:
  Writer(TextBuffer &text, const InsideOptions &options, unsigned nesting)
      : text_(text), options_(options), nesting_(nesting) {}

  bool write(Bytes bytes, const Inside &inside) {
    switch (inside.kind) {
      case InsideKind::nothing:
        return false;
      case InsideKind::variant:
        write_variants(bytes, inside);
        break;
      case InsideKind::json:
        write_text(bytes.slice(inside.content), false);
        break;
      case InsideKind::text:
        write_text(bytes.slice(inside.content), true);
        break;
      case InsideKind::zlib:
      case InsideKind::gzip:
      case InsideKind::zstd:
      case InsideKind::fastlz:
      case InsideKind::fileaccess:
        if (!write_decompressed(bytes, inside)) return false;
        break;
      case InsideKind::png:
      case InsideKind::jpeg:
      case InsideKind::webp:
      case InsideKind::ogg:
        text_.append(inside_name(inside.kind));
        break;
    }
    text_.append(" in ");
    text_.append_unsigned(bytes.reported);
    text_.append(" bytes");
    if (is_compressed(inside.kind)) {
      text_.append(" of ");
      text_.append(inside_name(inside.kind));
    }
    return true;
  }

 private:
  void write_variants(Bytes bytes, const Inside &inside) {
    const Opener inner(options_, nesting_ + 1);
    ReadOptions read = options_.read;
    read.inside = nesting_ < max_nesting ? &inner : nullptr;
    write_prefix(bytes, inside);
    std::size_t offset = inside.content.offset;
    for (std::uint32_t i = 0; i < inside.count && !text_.is_full(); ++i) {
      if (i > 0) text_.append(", ");
      offset = append_variant(text_, bytes, offset, {.dialect = inside.dialect}, read, TextStyle::brief).offset;
    }
  }

  // Appends the bytes before the content in hexadecimal: "07 ".
  void write_prefix(Bytes bytes, const Inside &inside) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (inside.has_length) return;
    const Bytes prefix = bytes.slice({0, inside.content.offset});
    for (std::size_t i = 0; i < prefix.captured; ++i) {
      const char hex[] = {digits[prefix.data[i] >> 4], digits[prefix.data[i] & 0xf], ' '};
      text_.append({hex, sizeof hex});
    }
  }

  void write_text(Bytes bytes, bool is_quoted) {
    constexpr std::size_t longest = 120;
    if (is_quoted) text_.append("\"");
    text_.append_escaped({reinterpret_cast<const char *>(bytes.data), bytes.captured}, is_quoted, longest);
    if (is_quoted) text_.append("\"");
  }

  bool write_decompressed(Bytes bytes, const Inside &inside) {
    const Decompressed all = decompressed(inside.kind, bytes.slice(inside.content));
    if (all.size == 0) return false;
    write_prefix(bytes, inside);
    InsideOptions options = options_;
    const Inside within = look_inside(all.bytes(), options);
    if (within.kind == InsideKind::variant) {
      write_variants(all.bytes(), within);
    } else if (within.kind == InsideKind::json || within.kind == InsideKind::text) {
      write_text(all.bytes().slice(within.content), within.kind == InsideKind::text);
    } else {
      text_.append_unsigned(all.size);
      text_.append(" bytes");
    }
    return true;
  }

  TextBuffer &text_;
  const InsideOptions &options_;
  unsigned nesting_;
};

}  // namespace

std::size_t inside_limit(std::size_t compressed) {
  if (compressed > most_output / most_expansion) return most_output;
  return std::max(least_output, compressed * most_expansion);
}

std::size_t decompress_inside(InsideKind kind, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  switch (kind) {
    case InsideKind::zlib:
      return decompress(Compression::zlib, in, out);
    case InsideKind::gzip:
      return decompress_gzip(in, out);
    case InsideKind::zstd:
      return decompress(Compression::zstd, in, out);
    case InsideKind::fastlz:
      return decompress(Compression::fastlz, in, out);
    case InsideKind::fileaccess:
      return read_compressed_file(in, out);
    case InsideKind::nothing:
    case InsideKind::variant:
    case InsideKind::json:
    case InsideKind::text:
    case InsideKind::png:
    case InsideKind::jpeg:
    case InsideKind::webp:
    case InsideKind::ogg:
      break;
  }
  return 0;
}

namespace {

// True if bytes are FastLZ with a known format inside. Many bytes can be decompressed as FastLZ: the 3,000 bytes in
// captures/mp_ws_godot4.6.pcapng can, but the result has no known format.
bool is_fastlz(Bytes bytes, const InsideOptions &options) {
  if (!may_be_fastlz(bytes)) return false;
  const Decompressed all = decompressed(InsideKind::fastlz, bytes);
  const InsideKind within = all.size == 0 ? InsideKind::nothing : look_inside(all.bytes(), options).kind;
  return within == InsideKind::variant || within == InsideKind::json || within == InsideKind::text;
}

// True if a size and FastLZ data follow. PackedByteArray.decompress() needs the decompressed size, so games send it
// before the data.
bool is_fastlz_behind_size(Bytes bytes) {
  constexpr std::size_t size = sizeof(std::uint32_t);
  if (bytes.captured < bytes.reported || bytes.captured <= size) return false;
  const Bytes content = bytes.slice({size, bytes.captured - size});
  const auto little = Cursor::load_le<std::uint32_t>(bytes.data);
  const auto big = Cursor::load_be<std::uint32_t>(bytes.data);
  const std::size_t most = inside_limit(content.captured);
  if ((little > most && big > most) || !may_be_fastlz(content)) return false;
  const std::size_t unpacked = decompressed(InsideKind::fastlz, content).size;
  return unpacked > 0 && (unpacked == little || unpacked == big);
}

}  // namespace

Inside look_inside_packed(Bytes bytes, const InsideOptions &options) {
  Inside inside = look_inside(bytes, options);
  if (inside.kind != InsideKind::nothing) return inside;
  const bool is_whole = is_fastlz(bytes, options);
  if (!is_whole && !is_fastlz_behind_size(bytes)) return inside;
  const std::size_t front = is_whole ? 0 : sizeof(std::uint32_t);
  inside.kind = InsideKind::fastlz;
  inside.content = {front, bytes.reported - front};
  return inside;
}

Confidence Opener::confidence(Bytes bytes) const {
  if (bytes.captured < bytes.reported) return Confidence::none;
  const Inside inside = look_inside_packed(bytes, options_);
  if (!is_compressed(inside.kind)) return confidence_of(bytes, inside, options_);
  if (inside.content.offset > 0) return Confidence::none;  // compressed ENet datagrams look like this
  const Decompressed all = decompressed(inside.kind, bytes.slice(inside.content));
  return all.size == 0 ? Confidence::none : confidence_of(all.bytes(), look_inside(all.bytes(), options_), options_);
}

bool Opener::append_inside(TextBuffer &text, Bytes bytes) const {
  const bool may_decompress = nesting_ == 0;
  const Inside inside = may_decompress ? look_inside_packed(bytes, options_) : look_inside(bytes, options_);
  if (is_compressed(inside.kind) && (!may_decompress || bytes.captured < bytes.reported)) return false;
  return Writer(text, options_, nesting_).write(bytes, inside);
}

}  // namespace godot_codec
