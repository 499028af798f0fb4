// SPDX-License-Identifier: MIT
/// @file
/// Reads the fields of multiplayer commands, objects and prefixes. For internal use only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"

namespace godot_codec {

/// A cursor that adds each field that it reads to a list.
class FieldReader : public Cursor {
 public:
  FieldReader(Bytes bytes, std::size_t offset, MpFields &fields)
      : Cursor(bytes, offset), bytes_(bytes), read_end_(offset), fields_(fields) {}

  // Reads a byte that belongs to no field.
  std::uint8_t read_byte() {
    const auto value = read<std::uint8_t>();
    mark_read(offset());
    return value;
  }

  template <typename T>
  T read_number(MpField field) {
    const std::size_t start = offset();
    const T value = read<T>();
    add(field, {start, sizeof value}, static_cast<std::uint64_t>(value));
    return value;
  }

  void read_boolean(MpField field) {
    const std::size_t start = offset();
    const auto value = read<std::uint8_t>();
    add(field, {start, sizeof value}, value != 0 ? 1 : 0);
  }

  // Reads a u32. If bit 31 is set, bits 0-30 are the field `other`; if not, the u32 is `field`.
  // @returns true if bit 31 is set
  bool read_number_or(MpField field, MpField other) {
    const std::size_t start = offset();
    const auto value = read<std::uint32_t>();
    const bool is_other = (value & mp_flag_other) != 0;
    add(is_other ? other : field, {start, sizeof value}, value & ~mp_flag_other);
    return is_other;
  }

  void read_bytes(MpField field, std::size_t length) {
    const std::size_t start = offset();
    const auto *text = reinterpret_cast<const char *>(take(length));
    if (text != nullptr) add(field, {start, length}, 0, {text, length});
  }

  // Adds the remaining bytes as a field, if there are any.
  void read_rest(MpField field) {
    if (remaining() > 0) read_bytes(field, remaining());
  }

  // Reads a text and its terminating zero.
  void read_text(MpField field) {
    const std::size_t start = offset();
    const std::size_t available = start < bytes_.captured ? bytes_.captured - start : 0;
    const void *zero = ok() && available > 0 ? std::memchr(bytes_.data + start, 0, available) : nullptr;
    if (zero == nullptr) {
      fail(bytes_.captured < bytes_.reported ? Outcome::truncated : Outcome::malformed);
      return;
    }
    const auto length = static_cast<std::size_t>(static_cast<const std::uint8_t *>(zero) - (bytes_.data + start));
    read_bytes(field, length);
    read_byte();
  }

  // Reads a text of @p length bytes, including its zero terminator. Engines also accept a text without a zero
  // terminator.
  void read_sized_text(MpField field, std::size_t length) {
    const std::size_t start = offset();
    const std::uint8_t *text = take(length);
    if (text == nullptr) return;
    const std::size_t text_length = length - (length > 0 && text[length - 1] == 0 ? 1 : 0);
    add(field, {start, text_length}, 0, {reinterpret_cast<const char *>(text), text_length});
    mark_read(start + length);
  }

  // Skips bytes, and returns them as a range instead of a field. The bytes need not be in the capture.
  Range skip(std::size_t length) {
    const Range range{offset(), length};
    if (ok()) static_cast<Cursor &>(*this) = Cursor(bytes_, range.end());
    mark_read(range.end());
    return range;
  }

  // Like skip(), but fails if a byte is not in the capture.
  Range skip_captured(std::size_t length) {
    const Range range{offset(), length};
    take(length);
    mark_read(range.end());
    return ok() ? range : Range{};
  }

  // Returns the last bytes, which belong to no field and no range.
  [[nodiscard]] Range unread_range() const {
    const std::size_t start = std::min(std::max(read_end_, offset()), bytes_.reported);
    return {start, bytes_.reported - start};
  }

 private:
  void mark_read(std::size_t end) {
    if (ok()) read_end_ = std::max(read_end_, end);
  }

  void add(MpField field, Range range, std::uint64_t integer, std::string_view text = {}) {
    if (!ok()) return;
    fields_.add({field, range, integer, text});
    mark_read(range.end());
  }

  Bytes bytes_;
  std::size_t read_end_;
  MpFields &fields_;
};
static_assert(std::is_trivially_destructible_v<FieldReader>);

}  // namespace godot_codec
