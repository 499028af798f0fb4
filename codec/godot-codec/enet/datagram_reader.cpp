// SPDX-License-Identifier: MIT
#include "godot-codec/enet/datagram_reader.h"

#include <enet/enet.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace godot_codec {
namespace {

using Input = std::span<const std::uint8_t>;
using Output = std::span<std::uint8_t>;

// ---- FastLZ
// A block is a sequence of instructions. The upper 3 bits of an instruction's first byte select its type:
// - 0: a literal run. The lower 5 bits are its length minus 1.
// - Otherwise: a match. The upper 3 bits are its length, and the lower 5 bits are the first bits of its distance.
// The first byte of a block always begins a literal run. Its upper 3 bits are the level instead.

class FastlzBlock {
 public:
  FastlzBlock(Input in, Output out) : in_(in), out_(out) {}

  std::size_t decompress() {
    if (in_.empty()) return 0;
    const unsigned level = in_[0] >> 5;
    if (level > 1) return 0;
    is_level2_ = level == 1;
    std::uint8_t instruction = next() & 0x1f;
    while (is_valid_) {
      if (instruction < 0x20) {
        copy_literals(instruction + std::size_t{1});
      } else {
        copy_match(instruction);
      }
      if (in_offset_ == in_.size()) break;
      instruction = next();
    }
    return is_valid_ ? out_size_ : 0;
  }

 private:
  static constexpr std::size_t length_bias = 2;  // the shortest match has 3 bytes
  // Highest value of the 3 bits, which means that more bytes of the length follow.
  static constexpr std::size_t long_length = 7;
  static constexpr std::size_t far_distance = 31U << 8 | 255;  // in level 2, two more bytes of the distance follow

  std::uint8_t next() {
    is_valid_ = is_valid_ && in_offset_ < in_.size();
    return is_valid_ ? in_[in_offset_++] : 0;
  }

  void copy_literals(std::size_t length) {
    is_valid_ = is_valid_ && length <= in_.size() - in_offset_ && length <= out_.size() - out_size_;
    if (!is_valid_) return;
    std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(in_offset_), length,
                out_.begin() + static_cast<std::ptrdiff_t>(out_size_));
    in_offset_ += length;
    out_size_ += length;
  }

  void copy_match(std::uint8_t instruction) {
    std::size_t length = instruction >> 5;
    if (length == long_length) length += read_length_extension();
    length += length_bias;
    std::size_t distance = std::size_t{instruction & 0x1fU} << 8;
    distance |= next();
    if (is_level2_ && distance == far_distance) {
      distance += std::size_t{next()} << 8;
      distance += next();
    }
    is_valid_ = is_valid_ && distance < out_size_ && length <= out_.size() - out_size_;
    if (!is_valid_) return;
    // Copies byte by byte, because a match may overlap its own output and so repeat it.
    for (const std::size_t end = out_size_ + length; out_size_ < end; ++out_size_) {
      out_[out_size_] = out_[out_size_ - distance - 1];
    }
  }

  // Reads the rest of a length. In level 1, this is one byte. In level 2, these are any number of bytes with the value
  // 255, then another byte.
  std::size_t read_length_extension() {
    std::size_t more = next();
    for (std::size_t last = more; is_level2_ && last == 255;) {
      last = next();
      more += last;
    }
    return more;
  }

  Input in_;
  Output out_;
  std::size_t in_offset_ = 0;
  std::size_t out_size_ = 0;
  bool is_level2_ = false;
  bool is_valid_ = true;
};

std::size_t decompress_fastlz(Input in, Output out) { return FastlzBlock(in, out).decompress(); }

// ---- other compressions, decoded by libraries

#ifdef GODOT_CODEC_RANGE_CODER
constexpr bool has_range_coder = true;

struct RangeCoderDeleter {
  void operator()(void *coder) const { enet_range_coder_destroy(coder); }
};

std::size_t decompress_range_coder(Input in, Output out) {
  if (in.empty() || out.empty()) return 0;
  // The coder's 64 KiB can be used again, because each block resets the coder.
  thread_local const std::unique_ptr<void, RangeCoderDeleter> coder(enet_range_coder_create());
  if (coder == nullptr) return 0;
  return enet_range_coder_decompress(coder.get(), in.data(), in.size(), out.data(), out.size());
}
#else
constexpr bool has_range_coder = false;

std::size_t decompress_range_coder(Input, Output) { return 0; }
#endif

// @param window_bits as in inflateInit2(), where it also selects the type of the header
std::size_t inflate_all(Input in, Output out, int window_bits) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return 0;
  stream.next_in = const_cast<Bytef *>(in.data());  // zlib does not write to the input, but may be built without const
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return result == Z_STREAM_END ? stream.total_out : 0;
}

std::size_t decompress_zlib(Input in, Output out) { return inflate_all(in, out, MAX_WBITS); }

bool has_zstd_magic(Input in) {
  constexpr std::uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
  return in.size() > std::size(magic) && std::equal(std::begin(magic), std::end(magic), in.begin());
}

std::size_t decompress_zstd(Input in, Output out) {
  if (!has_zstd_magic(in)) return 0;  // needed, because the library also reads obsolete formats
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  return ZSTD_isError(size) != 0 ? 0 : size;
}

// ---- detection

// True if a payload of this compression may begin with these bytes.
bool may_be_compressed_with(Compression compression, Input in) {
  switch (compression) {
    case Compression::none:
      return false;
    case Compression::zstd:
      return has_zstd_magic(in);
    case Compression::zlib:  // RFC 1950: method 8, and a header that is a multiple of 31
      return in.size() > 2 && (in[0] & 0xf) == 8 && (in[0] << 8 | in[1]) % 31 == 0;
    case Compression::fastlz:
      return !in.empty() && in[0] >> 5 <= 1;
    case Compression::range_coder:
      return has_range_coder && !in.empty();
  }
  return false;
}

}  // namespace

std::string_view compression_name(Compression compression) {
  constexpr std::string_view names[compression_count] = {"none", "range coder", "FastLZ", "zlib", "Zstandard"};
  return names[static_cast<std::size_t>(compression)];
}

std::size_t decompress_gzip(Input in, Output out) {
  constexpr int gzip_header = 16;
  return inflate_all(in, out, MAX_WBITS + gzip_header);
}

std::size_t decompress_deflate(Input in, Output out) { return inflate_all(in, out, -MAX_WBITS); }

// The file consists of a magic number, the compression mode, the block size, the total size, the compressed size of
// each block, and the blocks. The last block may be shorter. Source: FileAccessCompressed::open_after_magic()
std::size_t decompress_file(Input in, Output out) {
  constexpr std::size_t (*modes[])(Input, Output) = {decompress_fastlz, decompress_zlib, decompress_zstd,
                                                     decompress_gzip};
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
    if (modes[mode](in.subspan(offset, size), out.subspan(written, wanted)) != wanted) return 0;
    offset += size;
    written += wanted;
  }
  return written;
}

std::size_t decompress(Compression compression, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  switch (compression) {
    case Compression::none:
      return 0;
    case Compression::range_coder:
      return decompress_range_coder(in, out);
    case Compression::fastlz:
      return decompress_fastlz(in, out);
    case Compression::zlib:
      return decompress_zlib(in, out);
    case Compression::zstd:
      return decompress_zstd(in, out);
  }
  return 0;
}

std::size_t decompress_first_bytes(Compression compression, std::span<const std::uint8_t> in,
                                   std::span<std::uint8_t> out) {
  if (in.empty()) return 0;
  std::ranges::fill(out, std::uint8_t{0});
  if (compression == Compression::range_coder) {
    // The output is always filled, because the decoder stops when the output is full.
    static_cast<void>(decompress_range_coder(in, out));
    return has_range_coder ? out.size() : 0;
  }
  if (compression != Compression::fastlz) return 0;
  // A block begins with a literal run, which contains uncompressed bytes.
  const std::size_t length = std::min({out.size(), in.size() - 1, std::size_t{in[0] & 0x1fU} + 1});
  std::copy_n(in.begin() + 1, length, out.begin());
  return length;
}

namespace {

using CommandList = std::pmr::vector<EnetCommand>;

class DatagramReader {
 public:
  DatagramReader(Bytes datagram, const EnetExpectedFormat &format, std::pmr::memory_resource &memory)
      : datagram_(datagram), format_(format), memory_(memory) {}

  EnetDatagram read(bool has_checksum) {
    EnetDatagram datagram;
    datagram.header = read_enet_header(datagram_, has_checksum);
    datagram.outcome = datagram.header.outcome;
    if (datagram.outcome != Outcome::ok) return datagram;
    datagram.payload = datagram_.slice({datagram.header.offset, datagram_.reported});
    if (!datagram.header.is_compressed) {
      read_commands(datagram, Compression::none, datagram.payload);
    } else if (datagram.payload.captured < datagram.payload.reported) {
      datagram.outcome = Outcome::truncated;
    } else if (datagram.payload.reported == 0) {
      datagram.outcome = Outcome::malformed;
    } else {
      decompress_commands(datagram);
    }
    return datagram;
  }

 private:
  // Clears the list of commands. The list is never destroyed, because the result refers to it.
  void begin_commands() {
    constexpr std::size_t usual_count = 8;
    if (commands_ != nullptr) return commands_->clear();
    commands_ = std::pmr::polymorphic_allocator<>(&memory_).new_object<CommandList>();
    commands_->reserve(usual_count);
  }

  void read_commands(EnetDatagram &datagram, Compression compression, Bytes commands) {
    begin_commands();
    datagram.is_readable = true;
    datagram.compression = compression;
    datagram.commands_bytes = commands;
    datagram.run = read_enet_commands(commands, compression == Compression::fastlz,
                                      [this](const EnetCommand &command) { commands_->push_back(command); });
    datagram.outcome = datagram.run.outcome;
    datagram.commands = *commands_;
  }

  // Tries a compression.
  // @returns true if the commands were decompressed
  bool try_compression(EnetDatagram &datagram, Compression compression, Input in) {
    if (buffer_ == nullptr) buffer_ = static_cast<std::uint8_t *>(memory_.allocate(enet_max_datagram, 1));
    const std::size_t size = decompress(compression, in, {buffer_, enet_max_datagram});
    if (size == 0) return false;
    read_commands(datagram, compression, {buffer_, size});
    return true;
  }

  // False if the first bytes cannot be a command. Then the slow decompression of foreign data is avoided.
  [[nodiscard]] bool is_worth_decompressing(Compression compression, Input in) const {
    if (compression == format_.compression) return true;
    std::array<std::uint8_t, 2> start{};
    return may_begin_enet_command({start.data(), decompress_first_bytes(compression, in, start)});
  }

  void decompress_commands(EnetDatagram &datagram) {
    const Input in(datagram.payload.data, datagram.payload.captured);
    const EnetDatagram header_only = datagram;
    const bool is_configured = format_.is_compression_configured;
    const auto is_found = [&](Compression compression) {
      if (!may_be_compressed_with(compression, in) || !is_worth_decompressing(compression, in)) return false;
      if (try_compression(datagram, compression, in) && (is_configured || datagram.run.is_plausible)) return true;
      datagram = header_only;
      return false;
    };
    if (is_configured || format_.may_decompress) {
      if (format_.compression && is_found(*format_.compression)) return;
      // The most certain formats are tried first. The last two formats have no magic number.
      for (const Compression other :
           {Compression::zstd, Compression::zlib, Compression::fastlz, Compression::range_coder}) {
        if (!is_configured && other != format_.compression && is_found(other)) return;
      }
    }
    datagram.outcome = Outcome::unsupported;
  }

  Bytes datagram_;
  const EnetExpectedFormat &format_;
  std::pmr::memory_resource &memory_;
  CommandList *commands_ = nullptr;
  std::uint8_t *buffer_ = nullptr;  // buffer for decompressed bytes
};

}  // namespace

EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectedFormat &format, std::pmr::memory_resource &memory) {
  const EnetDatagram usual = DatagramReader(datagram, format, memory).read(format.has_checksum);
  if (usual.is_plausible() || format.is_checksum_configured) return usual;
  // If the expected use of checksums is wrong, the commands are not plausible. Then the opposite is tried.
  const EnetDatagram other = DatagramReader(datagram, format, memory).read(!format.has_checksum);
  return other.is_plausible() ? other : usual;
}

}  // namespace godot_codec
