// SPDX-License-Identifier: MIT
#include "godot-codec/project/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace godot_codec::project {
namespace {

// The output buffer grows with the actual output, never by a size that the file contains.
constexpr std::size_t first_room = 16U << 10;

// Enlarges the output buffer if it is full.
// @returns false if the limit is reached
bool grow_output(std::string &decompressed, std::size_t used, std::size_t max_size) {
  if (used < decompressed.size()) return true;
  if (used >= max_size) return false;
  decompressed.resize(std::min(max_size, std::max(first_room, 2 * used)));
  return true;
}

struct ZstdContextDeleter {
  void operator()(ZSTD_DCtx *context) const { ZSTD_freeDCtx(context); }
};

class LibraryDecompressor final : public Decompressor {
 public:
  [[nodiscard]] bool decompress_zstd(std::string_view compressed, std::size_t max_size,
                                     std::string &decompressed) const override {
    constexpr int max_window = 27;  // maximum window size in bits; games do not need a larger window
    decompressed.clear();
    const std::unique_ptr<ZSTD_DCtx, ZstdContextDeleter> context(ZSTD_createDCtx());
    if (context == nullptr || compressed.empty()) return false;
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_window);
    ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
    std::size_t used = 0;
    for (std::size_t expected = 1; expected != 0 || input.pos < input.size;) {
      if (!grow_output(decompressed, used, max_size)) return false;
      ZSTD_outBuffer output{decompressed.data(), decompressed.size(), used};
      const std::size_t before = input.pos;
      expected = ZSTD_decompressStream(context.get(), &output, &input);
      const bool has_moved = output.pos > used || input.pos > before;
      used = output.pos;
      if (ZSTD_isError(expected) != 0 || (!has_moved && expected != 0)) return false;
    }
    decompressed.resize(used);
    return true;
  }

  [[nodiscard]] bool decompress_deflate(std::string_view compressed, std::size_t max_size,
                                        std::string &decompressed) const override {
    constexpr int without_header = -MAX_WBITS;
    decompressed.clear();
    if (compressed.size() > std::numeric_limits<uInt>::max()) return false;
    z_stream stream{};
    if (inflateInit2(&stream, without_header) != Z_OK) return false;
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(compressed.data()));  // zlib does not modify its input
    stream.avail_in = static_cast<uInt>(compressed.size());
    const bool is_whole = inflate_all(stream, max_size, decompressed);
    decompressed.resize(is_whole ? stream.total_out : 0);
    inflateEnd(&stream);
    return is_whole;
  }

 private:
  static bool inflate_all(z_stream &stream, std::size_t max_size, std::string &decompressed) {
    for (int result = Z_OK; result != Z_STREAM_END;) {
      if (!grow_output(decompressed, stream.total_out, max_size)) return false;
      stream.next_out = reinterpret_cast<Bytef *>(decompressed.data() + stream.total_out);
      stream.avail_out = static_cast<uInt>(
          std::min<std::size_t>(decompressed.size() - stream.total_out, std::numeric_limits<uInt>::max()));
      result = inflate(&stream, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END) return false;
    }
    return true;
  }
};

}  // namespace

const Decompressor &library_decompressor() {
  static const LibraryDecompressor libraries;
  return libraries;
}

}  // namespace godot_codec::project
