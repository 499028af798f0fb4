// SPDX-License-Identifier: MIT
/// @file
/// Bytes as a capture has them, and a cursor over them with a sticky first error.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace godot_codec {

/// How reading bytes ended. The four failures are different things to a reader:
/// the capture is at fault, the sender is at fault, this reader is too old, or a limit of ours was met.
enum class Outcome : std::uint8_t {
  ok,
  truncated,    ///< the packet was longer, but the capture stops here (a snap length)
  malformed,    ///< the bytes contradict themselves: a length or a count past the packet's end, …
  unsupported,  ///< well-formed as far as can be told, but of a kind this reader does not know
  over_limit,   ///< readable, but beyond a limit of this reader (see Limits)
};

/// A range of bytes: offset from the start of the Bytes it was read from, and length, both in bytes.
struct Range {
  std::size_t offset = 0;
  std::size_t length = 0;

  [[nodiscard]] constexpr std::size_t end() const { return offset + length; }
};

/// Captured bytes of a packet, and how long the packet was on the wire. Does not own them.
struct Bytes {
  const std::uint8_t *data = nullptr;
  std::size_t captured = 0;  ///< bytes that may be read at data
  std::size_t reported = 0;  ///< bytes on the wire, at least captured

  constexpr Bytes() = default;
  constexpr Bytes(const std::uint8_t *bytes, std::size_t captured_length, std::size_t reported_length)
      : data(bytes),
        captured(captured_length),
        reported(reported_length < captured_length ? captured_length : reported_length) {}
  constexpr Bytes(const std::uint8_t *bytes, std::size_t length) : Bytes(bytes, length, length) {}

  /// The bytes of a range of this; what lies outside is left out.
  [[nodiscard]] constexpr Bytes slice(Range range) const {
    const std::size_t start = range.offset < reported ? range.offset : reported;
    const std::size_t length = range.length < reported - start ? range.length : reported - start;
    const std::size_t available = start < captured ? captured - start : 0;
    return {start < captured ? data + start : nullptr, available < length ? available : length, length};
  }
};

/// Reads values from Bytes, front to back: Godot's are little-endian, ENet's big-endian.
///
/// The first failure sticks: from then on every read answers 0 and moves nothing, so that reads
/// can be chained and the outcome asked for once. A read that would pass the captured bytes but not
/// the reported ones is `truncated`; one that would pass the reported ones is `malformed`.
class Cursor {
 public:
  explicit constexpr Cursor(Bytes bytes, std::size_t offset = 0)
      : bytes_(bytes), offset_(offset), stop_(offset <= bytes.captured ? bytes.captured + 1 : offset) {}

  [[nodiscard]] constexpr bool ok() const { return outcome_ == Outcome::ok; }
  [[nodiscard]] constexpr Outcome outcome() const { return outcome_; }
  /// Where the next read starts; after a failure, where the failed read started.
  [[nodiscard]] constexpr std::size_t offset() const { return offset_; }
  /// Bytes on the wire from here to the packet's end.
  [[nodiscard]] constexpr std::size_t remaining() const {
    return offset_ < bytes_.reported ? bytes_.reported - offset_ : 0;
  }

  /// Captured bytes from here on.
  [[nodiscard]] constexpr std::size_t available() const {
    return offset_ < bytes_.captured ? bytes_.captured - offset_ : 0;
  }

  /// Fails here, unless something failed before.
  constexpr void fail(Outcome outcome) { fail_at(offset_, outcome); }
  /// After a failure, reports it at an earlier offset.
  constexpr void step_back(std::size_t offset) { offset_ = stop_ = offset; }
  /// Fails at a place that was passed, unless something failed before.
  constexpr void fail_at(std::size_t offset, Outcome outcome) {
    if (!ok()) return;
    offset_ = stop_ = offset;
    outcome_ = outcome;
  }

  /// True if @p length bytes can be taken. After a failure false, even for a length of 0.
  [[nodiscard]] constexpr bool has(std::size_t length) const { return length < stop_ - offset_; }

  /// Moves over @p length bytes, and says where they are. @returns whether they can be read; fails where not
  constexpr bool take(std::size_t length, const std::uint8_t *&start) {
    if (!has(length)) [[unlikely]] {
      fail(length > remaining() ? Outcome::malformed : Outcome::truncated);
      return false;
    }
    start = bytes_.data + offset_;
    offset_ += length;
    return true;
  }

  /// Takes @p length bytes. @returns their address, or nullptr (and fails) where they cannot be read.
  constexpr const std::uint8_t *take(std::size_t length) {
    const std::uint8_t *start = nullptr;
    take(length, start);
    return start;
  }

  /// Reads one little-endian integer or IEEE 754 real. @returns whether it can be read; fails where not
  template <typename T>
  bool read(T &value) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    const std::uint8_t *start = nullptr;
    if (!take(sizeof(T), start)) return false;
    value = load_le<T>(start);
    return true;
  }

  /// Reads one number, or 0 after a failure, for callers that look at the outcome later.
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

  /// The big-endian integer at @p start, which must hold sizeof(T) bytes.
  template <typename T>
  static T load_be(const std::uint8_t *start) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits = bits << 8 | start[i];
    return static_cast<T>(bits);
  }

  /// The little-endian value at @p start, which must hold sizeof(T) bytes.
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
  std::size_t stop_;  // one behind the captured bytes; where not even nothing can be taken, after a failure: the offset
  Outcome outcome_ = Outcome::ok;
};

}  // namespace godot_codec
