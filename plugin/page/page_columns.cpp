// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/page/page_columns.h"

#include <algorithm>
#include <array>
#include <new>

namespace godot_plugin {
namespace {

constexpr std::size_t max_text_size = 1024;
// Maximum size of the known texts, in bytes. After that, each occurrence of a text is stored again.
constexpr std::size_t max_known = std::size_t{16} << 20;
// Needs a third of the time of zlib's default level; the output is a third larger.
constexpr int compression_level = Z_BEST_SPEED;

}  // namespace

CompressedBytes::CompressedBytes() {
  // A window of 8 KiB is enough, because numbers repeat within a few rows. The small window saves memory, because each
  // of the dozens of columns has a window.
  constexpr int window_bits = 13;
  constexpr int memory_level = 6;
  if (deflateInit2(&stream_, compression_level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

CompressedBytes::~CompressedBytes() { deflateEnd(&stream_); }

void CompressedBytes::append_in_chunks(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_size_ == buffer_.size()) compress_buffer(Z_NO_FLUSH);
    const std::size_t size = std::min(bytes.size(), buffer_.size() - used_size_);
    append(bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

const std::string &CompressedBytes::finish_compression() {
  compress_buffer(Z_FINISH);
  return compressed_;
}

void CompressedBytes::compress_buffer(int flush) {
  std::array<Bytef, std::size_t{16} << 10> output;
  stream_.next_in = reinterpret_cast<Bytef *>(buffer_.data());
  stream_.avail_in = static_cast<uInt>(used_size_);
  do {
    stream_.next_out = output.data();
    stream_.avail_out = static_cast<uInt>(output.size());
    deflate(&stream_, flush);
    compressed_.append(reinterpret_cast<const char *>(output.data()), output.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
  used_size_ = 0;
}

StringTable::StringTable(PageColumns &columns, std::string_view bytes_name, std::string_view ends_name)
    : bytes_(columns, bytes_name), end_offsets_(columns, ends_name) {
  add("");
}

std::uint32_t StringTable::add(const char *text) {
  constexpr std::string_view ellipsis = "…";
  std::string_view taken = text == nullptr ? "" : text;
  const bool is_cut = taken.size() > max_text_size;
  if (is_cut) {
    std::size_t end = max_text_size;
    while ((static_cast<unsigned char>(taken[end]) & 0xc0U) == 0x80U) --end;
    taken = taken.substr(0, end);
  }
  const auto known = indexes_.find(taken);
  if (known != indexes_.end()) return known->second;
  bytes_.add(std::as_bytes(std::span(taken)));
  if (is_cut) bytes_.add(std::as_bytes(std::span(ellipsis)));
  end_offsets_.add(bytes_.count());
  const std::uint32_t number = end_offsets_.count() - 1;
  if (indexed_bytes_ + taken.size() <= max_known) {
    indexes_.emplace(taken, number);
    indexed_bytes_ += taken.size() + sizeof(std::string) * 3;
  }
  return number;
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json.append("\\").push_back(c);
    } else if (byte < 0x20) {
      json.append("\\u00").append({digits[byte >> 4U], digits[byte & 0xfU]});
    } else {
      json.push_back(c);
    }
  }
  return json + '"';
}

std::string json_object(const JsonMembers &members) {
  std::string json = "{";
  for (const auto &[name, value] : members) {
    json.append(json.size() > 1 ? "," : "").append(json_string(name)).append(":").append(value);
  }
  return json + "}";
}

}  // namespace godot_plugin
