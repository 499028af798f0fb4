// SPDX-License-Identifier: MIT
/// @file
/// Captured bytes, and a cursor that reads values from them and keeps its first error.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace godot_codec {

/// How reading ended. Failures have different causes: the capture, the sender, an old reader, or a limit of the reader.
enum class Outcome : std::uint8_t {
  ok,
  truncated,    ///< the packet is longer than its captured bytes (snap length)
  malformed,    ///< the bytes contradict themselves, for example by a length that exceeds the packet
  unsupported,  ///< well-formed as far as known, but of a kind that this reader does not know
  over_limit,   ///< valid, but beyond a limit of this reader (see WalkLimits)
};

inline constexpr std::size_t outcome_count = static_cast<std::size_t>(Outcome::over_limit) + 1;

/// A table with one value per Outcome. A table that lacks a value does not compile.
template <typename Value>
class OutcomeTable {
 public:
  constexpr OutcomeTable(Value ok, Value truncated, Value malformed, Value unsupported, Value over_limit)
      : values_{ok, truncated, malformed, unsupported, over_limit} {}

  [[nodiscard]] constexpr Value of(Outcome outcome) const { return values_[static_cast<std::size_t>(outcome)]; }

 private:
  std::array<Value, outcome_count> values_;
};

/// Returns the mark that follows the summary of an incompletely read message, such as " [truncated]"; empty for `ok`.
[[nodiscard]] constexpr const char *outcome_mark(Outcome outcome) {
  constexpr OutcomeTable<const char *> marks = {"", " [truncated]", " [malformed]", " [unsupported]",
                                                " [nested too deep]"};
  return marks.of(outcome);
}

/// A range of bytes: its offset from the start of a Bytes, and its length, both in bytes.
struct Range {
  std::size_t offset = 0;
  std::size_t length = 0;

  [[nodiscard]] constexpr std::size_t end() const { return offset + length; }
};

/// The captured bytes of a packet, and the packet's length on the wire. A view: does not own the bytes.
struct Bytes {
  const std::uint8_t *data = nullptr;
  std::size_t captured = 0;  ///< number of bytes that can be read at data
  std::size_t reported = 0;  ///< number of bytes on the wire; at least `captured`

  constexpr Bytes() = default;
  constexpr Bytes(const std::uint8_t *bytes, std::size_t captured_length, std::size_t reported_length)
      : data(bytes),
        captured(captured_length),
        reported(reported_length < captured_length ? captured_length : reported_length) {}
  constexpr Bytes(const std::uint8_t *bytes, std::size_t length) : Bytes(bytes, length, length) {}

  /// The captured bytes as a text.
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char *>(data), captured}; }
  /// Returns the bytes of a range, clipped to these bytes.
  [[nodiscard]] constexpr Bytes slice(Range range) const {
    const std::size_t start = range.offset < reported ? range.offset : reported;
    const std::size_t length = range.length < reported - start ? range.length : reported - start;
    const std::size_t available = start < captured ? captured - start : 0;
    return {start < captured ? data + start : nullptr, available < length ? available : length, length};
  }
};

/// Reads values from Bytes, from front to back. Godot's values are little-endian, ENet's big-endian.
///
/// The first failure is kept: all later reads return 0 and do not advance. So callers can chain reads and check the
/// outcome once. A read past the captured bytes but within the reported bytes is `truncated`. A read past the reported
/// bytes is `malformed`.
class Cursor {
 public:
  explicit constexpr Cursor(Bytes bytes, std::size_t offset = 0)
      : bytes_(bytes), offset_(offset), read_limit_(offset <= bytes.captured ? bytes.captured + 1 : offset) {}

  [[nodiscard]] constexpr bool ok() const { return outcome_ == Outcome::ok; }
  [[nodiscard]] constexpr Outcome outcome() const { return outcome_; }
  /// Offset of the next read; after a failure, the offset of the failed read.
  [[nodiscard]] constexpr std::size_t offset() const { return offset_; }
  /// Number of bytes on the wire from here to the packet's end.
  [[nodiscard]] constexpr std::size_t remaining() const {
    return offset_ < bytes_.reported ? bytes_.reported - offset_ : 0;
  }

  /// Number of captured bytes from here.
  [[nodiscard]] constexpr std::size_t available() const {
    return offset_ < bytes_.captured ? bytes_.captured - offset_ : 0;
  }

  /// Fails at the current offset, unless the cursor has failed before.
  constexpr void fail(Outcome outcome) { fail_at(offset_, outcome); }
  /// Moves a reported failure to an earlier offset.
  constexpr void move_failure_back(std::size_t offset) { offset_ = read_limit_ = offset; }
  /// Fails at an earlier offset, unless the cursor has failed before.
  constexpr void fail_at(std::size_t offset, Outcome outcome) {
    if (!ok()) return;
    offset_ = read_limit_ = offset;
    outcome_ = outcome;
  }

  /// True if @p length bytes can be taken. After a failure always false, even if @p length is 0.
  [[nodiscard]] constexpr bool has(std::size_t length) const { return length < read_limit_ - offset_; }

  /// Takes @p length bytes: sets @p start to them and advances.
  /// @returns false, and fails, if the bytes cannot be read
  constexpr bool take(std::size_t length, const std::uint8_t *&start) {
    if (!has(length)) [[unlikely]] {
      fail(length > remaining() ? Outcome::malformed : Outcome::truncated);
      return false;
    }
    start = bytes_.data + offset_;
    offset_ += length;
    return true;
  }

  /// Takes @p length bytes.
  /// @returns the address of the bytes; null, and fails, if they cannot be read
  constexpr const std::uint8_t *take(std::size_t length) {
    const std::uint8_t *start = nullptr;
    take(length, start);
    return start;
  }

  /// Reads one little-endian integer or IEEE 754 real.
  /// @returns false, and fails, if the value cannot be read
  template <typename T>
  bool read(T &value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    const std::uint8_t *start = nullptr;
    if (!take(sizeof(T), start)) return false;
    value = load_le<T>(start);
    return true;
  }

  /// Reads one little-endian number.
  /// @returns 0 after a failure, so the caller must check the outcome
  template <typename T>
  T read() {
    T value{};
    read(value);
    return value;
  }

  /// Reads one big-endian integer.
  template <typename T>
  T read_be() {
    static_assert(std::is_integral_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    const std::uint8_t *start = take(sizeof(T));
    return start == nullptr ? T{} : load_be<T>(start);
  }

  /// Returns the big-endian integer at @p start, which must point to sizeof(T) bytes.
  template <typename T>
  static T load_be(const std::uint8_t *start) {
    std::uint8_t reversed[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) reversed[i] = start[sizeof(T) - 1 - i];
    return load_le<T>(reversed);
  }

  /// Returns the little-endian value at @p start, which must point to sizeof(T) bytes.
  template <typename T>
  static T load_le(const std::uint8_t *start) {
    T value;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&value, start, sizeof value);
    } else {
      std::uint8_t reversed[sizeof(T)];
      for (std::size_t i = 0; i < sizeof(T); ++i) reversed[i] = start[sizeof(T) - 1 - i];
      std::memcpy(&value, reversed, sizeof value);
    }
    return value;
  }

 private:
  Bytes bytes_;
  std::size_t offset_;
  // One more than the number of captured bytes; after a failure equal to offset_, so that has() is false even for a
  // length of 0.
  std::size_t read_limit_;
  Outcome outcome_ = Outcome::ok;
};

/// Takes the next @p size bytes as a text. Empty if they cannot be read.
[[nodiscard]] inline std::string_view take_text(Cursor &cursor, std::size_t size) {
  const std::uint8_t *start = cursor.take(size);
  return start == nullptr ? std::string_view() : Bytes(start, size).text();
}

}  // namespace godot_codec
