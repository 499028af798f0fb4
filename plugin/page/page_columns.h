// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The data of the match page: columns of numbers. Columns are compressed while they grow, so that a million messages
/// need little memory. The page contains them as base64, so that texts from packets cannot become HTML.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace godot_plugin {

/// Compresses bytes as they are added. Browsers can read the format (zlib).
class CompressedBytes {
 public:
  CompressedBytes();
  ~CompressedBytes();
  CompressedBytes(const CompressedBytes &) = delete;
  CompressedBytes &operator=(const CompressedBytes &) = delete;

  void append(std::span<const std::byte> bytes) {
    if (bytes.size() > buffer_.size() - used_size_) return append_in_chunks(bytes);
    std::memcpy(buffer_.data() + used_size_, bytes.data(), bytes.size());
    used_size_ += bytes.size();
  }
  /// Call after the last append(). @returns the compressed bytes
  [[nodiscard]] const std::string &finish_compression();

 private:
  void append_in_chunks(std::span<const std::byte> bytes);
  void compress_buffer(int flush);

  static constexpr std::size_t buffer_size = std::size_t{32} << 10;

  z_stream stream_{};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(buffer_size);  // bytes that are not compressed yet
  std::size_t used_size_ = 0;
  std::string compressed_;
};

class PageColumn;

/// All columns of a page, in the order of their construction.
using PageColumns = std::vector<PageColumn *>;

/// A column. page/data.js reads the types u8, u16, u32, i32, f32 and f64. A plus after the type means that each number
/// is stored as the difference from the previous number.
class PageColumn {
 public:
  /// Adds the column to @p columns.
  PageColumn(PageColumns &columns, std::string_view name, std::string_view type) : name_(name), type_(type) {
    columns.push_back(this);
  }
  PageColumn(const PageColumn &) = delete;
  PageColumn &operator=(const PageColumn &) = delete;

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view type() const { return type_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const std::string &finish_compression() { return compressed_.finish_compression(); }

 protected:
  ~PageColumn() = default;

  CompressedBytes compressed_;  // NOLINT: only PageColumnOf uses it
  std::uint32_t count_ = 0;     // NOLINT
 private:
  std::string_view name_;
  std::string_view type_;
};

/// A column of numbers. @tparam is_increasing true if the numbers increase, as indexes and times do. The column then
/// stores differences, which take a tenth of the time and space
template <typename Number, bool is_increasing = false>
class PageColumnOf final : public PageColumn {
 public:
  /// @param name a string literal
  PageColumnOf(PageColumns &columns, std::string_view name) : PageColumn(columns, name, type_name()) {}

  void add(Number number) {
    static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");
    if constexpr (is_increasing) {
      const Number before = std::exchange(last_number_, number);
      number -= before;
    }
    compressed_.append(std::as_bytes(std::span(&number, 1)));
    ++count_;
  }
  void add(std::span<const std::byte> bytes) requires std::is_same_v<Number, std::uint8_t> {
    compressed_.append(bytes);
    count_ += static_cast<std::uint32_t>(bytes.size());
  }

 private:
  static constexpr std::string_view type_name() {
    if constexpr (std::is_same_v<Number, std::uint8_t>) return "u8";
    if constexpr (std::is_same_v<Number, std::uint16_t>) return "u16";
    if constexpr (std::is_same_v<Number, std::uint32_t>) return is_increasing ? "+u32" : "u32";
    if constexpr (std::is_same_v<Number, std::int32_t>) return "i32";
    if constexpr (std::is_same_v<Number, float>) return "f32";
    if constexpr (std::is_same_v<Number, double>) return "f64";
  }

  Number last_number_{};
};

/// An increasing column of 32-bit numbers. Differences may wrap around, because the arithmetic is modulo 2^32.
using IncreasingColumn = PageColumnOf<std::uint32_t, true>;

/// Texts, to which columns refer by index. Each text is stored once until the cache of known texts is full.
class StringTable {
 public:
  StringTable(PageColumns &columns, std::string_view bytes_name, std::string_view ends_name);

  /// @param text printable text; a very long text is cut and gets an ellipsis
  std::uint32_t add(const char *text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  PageColumnOf<std::uint8_t> bytes_;
  IncreasingColumn end_offsets_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> indexes_;
  std::size_t indexed_bytes_ = 0;
};

/// Returns a text as a JSON string, with quotes.
[[nodiscard]] std::string json_string(std::string_view text);

/// The names of an object's members, and their values in JSON.
using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;

[[nodiscard]] std::string json_object(const JsonMembers &members);

/// Returns the JSON array of the values that @p to_json returns for the items.
template <typename Items, typename ToJson>
[[nodiscard]] std::string json_array(const Items &items, ToJson to_json) {
  std::string json = "[";
  for (const auto &item : items) json.append(json.size() > 1 ? "," : "").append(to_json(item));
  return json + "]";
}

}  // namespace godot_plugin
