// SPDX-License-Identifier: MIT
/// @file
/// The walker for serialized Variants: reads bytes, and calls a sink with events that contain offsets.
///
/// A Variant is a u32 header (type number in bits 0-7, flags from bit 16), then the value. Everything is little-endian
/// and padded to 4 bytes. Rules: Godot's core/io/marshalls.cpp, decode_variant().
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/test_counters.h"
#include "godot-codec/core/utf8.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/walk_events.h"

namespace godot_codec {

/// Maximum nesting depth that the engine accepts (Variant::MAX_RECURSION_DEPTH). A deeper value gets
/// EncodingNote::nesting.
inline constexpr std::uint32_t engine_max_nesting = 1024;

struct WalkLimits {
  /// Maximum nesting depth; a deeper value gives Outcome::over_limit. At most max_nesting, which is a little more than
  /// the engine allows. So a value that the engine rejects can be shown.
  std::uint32_t nesting = max_nesting;

  static constexpr std::uint32_t max_nesting = engine_max_nesting + 16;
};

/// How the bytes of a Variant are encoded.
struct Encoding {
  Dialect dialect = Dialect::godot4;
  /// True if the root value is in the compact form of Godot 4's multiplayer. This form has a header of one byte for a
  /// bool (type in bits 0-5, value in bit 7) or an int (type in bits 0-5, size in bits 6-7, followed by 1, 2, 4 or 8
  /// bytes). Other values have the usual header. Rules: MultiplayerAPI::decode_and_decompress_variant().
  bool is_compact = false;
};

class BytesDecoder;

/// Options of the caller, which do not depend on the bytes.
struct ReadOptions {
  /// True if reals have 64 bits even without a flag. According to the documentation, double-precision builds send them.
  bool has_double_reals = false;
  WalkLimits limits;
  /// Decodes the bytes of a PackedByteArray for texts in brief style. If null, the text shows the array's size. Must
  /// outlive the walk.
  const BytesDecoder *decoder = nullptr;
};

struct WalkResult {
  Outcome outcome = Outcome::ok;
  bool is_stopped = false;  ///< true if the sink returned VisitAction::stop
  std::size_t offset = 0;   ///< where the walk ended: after the value, or at the first bytes that could not be read
  EncodingNoteSet notes;    ///< all notes, including those not sent to the sink
  EncodingTraitSet traits;  ///< all traits
  /// Number of missing padding bytes of a PackedByteArray at the packet's end. The engine's decode_variant() counts
  /// them in the value's size, although they are missing.
  std::uint32_t missing_padding = 0;

  /// Returns the offset at which the engine expects the value to end.
  [[nodiscard]] std::size_t engine_end() const { return offset + missing_padding; }
};

/// Returns the part of a text that the engine keeps: without a byte order mark at the start, and only up to the first
/// zero byte.
[[nodiscard]] inline std::string_view engine_text(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text.substr(0, text.find('\0'));
}

/// True if the engine accepts the text as UTF-8. The engine ignores the bytes after the first zero byte.
[[nodiscard]] inline bool is_engine_utf8(std::string_view text) {
  return is_ascii(text) || is_valid_utf8(text.substr(0, text.find('\0')));
}

/// Calls a function of a sink.
/// @returns the sink's VisitAction; proceed if the sink's function returns void
template <typename Event>
VisitAction call_sink(Event event) {
  if constexpr (std::is_void_v<decltype(event())>) {
    event();
    return VisitAction::proceed;
  } else {
    return event();
  }
}

/// A single walk. Trivially destructible, so that longjmp may skip its destructor; fixed size (13 KiB).
template <typename Sink>
class VariantWalker {
 public:
  VariantWalker(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options, Sink &sink)
      : bytes_(clip_to_32_bits(bytes, offset)),
        cursor_(bytes_, offset),
        is_clipped_(bytes_.captured < bytes.captured),
        table_(dialect_table(encoding.dialect)),
        start_offset_(offset),
        max_depth_(std::min(options.limits.nesting, WalkLimits::max_nesting)),
        has_double_reals_(options.has_double_reals),
        is_compact_(encoding.is_compact),
        sink_(sink) {
    open_containers_[0] = {0, 0, 1};
  }

  WalkResult run() {
    if (!is_compact_ || !read_compact_value()) {
      do {
        read_children();
      } while (can_continue() && depth_ > 0);
    }
    // After a failure, all open containers end at the offset of the failure.
    while (!is_ended_ && depth_ > 0) leave_container();
    const bool is_too_long = is_clipped_ && cursor_.outcome() == Outcome::truncated;
    return {is_too_long ? Outcome::over_limit : cursor_.outcome(),
            is_stopped_,
            cursor_.offset(),
            notes_,
            traits_,
            missing_padding_};
  }

 private:
  static constexpr std::uint32_t type_mask = 0xff;
  // The "shared" bit of a count. In a NodePath, this bit marks the format of Godot 3 and later.
  static constexpr std::uint32_t count_flag = 1U << 31;

  // The one-byte header of a compact value (SceneMultiplayer's VARIANT_META_*).
  static constexpr std::uint8_t compact_type_mask = 0x3f;
  static constexpr unsigned compact_size_shift = 6;
  static constexpr std::uint8_t compact_bool_flag = 1U << 7;

  static constexpr std::size_t header_size = 4;
  static constexpr std::size_t alignment = 4;
  // Minimum sizes of an element in bytes. If the remaining bytes cannot hold as many elements as a count says, the
  // count is malformed.
  static constexpr std::size_t min_value_size = header_size;
  static constexpr std::size_t min_string_size = 4;

  static constexpr std::uint32_t not_suppressed = ~0U;

  // A container that has not ended. When the walk returns to it, its header is read again.
  struct OpenContainer {
    std::uint32_t start;       // offset from the walk's start
    std::uint32_t next_child;  // index of the next child: an element, a key or value, a property
    std::uint32_t child_count;
  };

  struct ContainerSlot {
    ValueRole role;
    std::uint32_t index;
  };

  // Limits the bytes to 4 GiB from the walk's start, because OpenContainer stores 32-bit offsets.
  static Bytes clip_to_32_bits(Bytes bytes, std::size_t offset) {
    constexpr std::size_t reach = std::numeric_limits<std::uint32_t>::max();
    if (offset < bytes.captured && bytes.captured - offset > reach) bytes.captured = offset + reach;
    return bytes;
  }

  [[nodiscard]] bool can_continue() const { return cursor_.ok() && !is_stopped_; }
  [[nodiscard]] bool is_suppressed() const { return suppressed_depth_ != not_suppressed; }

  // ---- events. A function that may stop the walk returns true if the walk continues.

  // Calls a function of the sink, and applies its VisitAction.
  // @param depth of the innermost open value
  template <typename Event>
  bool emit(std::uint32_t depth, Event event) {
    return apply_action(call_sink(event), depth);
  }

  bool apply_action(VisitAction action, std::uint32_t depth) {
    if (action == VisitAction::proceed) [[likely]]
      return true;
    suppressed_depth_ = action == VisitAction::skip ? depth : 0;
    is_ended_ = action != VisitAction::skip;
    is_stopped_ = action == VisitAction::stop;
    return !is_stopped_;
  }

  bool note(const ValueHeader &value, EncodingNote note, Range range, std::uint32_t missing = 0) {
    notes_.add(note);
    return is_suppressed() || emit(value.depth, [&] { return sink_.note(value, NotedBytes{note, range, missing}); });
  }

  // A template over the field, so that a sink's switch over the fields is resolved at compile time.
  template <VariantField field>
  bool emit_integer(const ValueHeader &value, Range range, std::int64_t number, std::uint32_t index = 0) {
    return is_suppressed() || emit(value.depth, [&] {
             return sink_.integer(value, IntegerField{field, index, range, number});
           });
  }

  template <VariantField field>
  bool emit_text(const ValueHeader &value, Range range, std::string_view text, std::uint32_t index = 0) {
    return is_suppressed() || emit(value.depth, [&] {
             return sink_.text(value, TextField{field, index, range, text});
           });
  }

  bool begin_value(const ValueHeader &value) {
    return is_suppressed() || emit(value.depth, [&] { return sink_.begin_value(value); });
  }

  bool end_value(const ValueHeader &value) {
    if (is_suppressed()) [[unlikely]] {
      if (is_ended_ || suppressed_depth_ != value.depth) return !is_stopped_;
      suppressed_depth_ = not_suppressed;
    }
    const Range whole{value.range.offset, cursor_.offset() - value.range.offset};
    const VisitAction action = call_sink([&] { return sink_.end_value(value, whole); });
    // As a result of end_value(), VisitAction::skip has no effect.
    return action == VisitAction::skip || apply_action(action, value.depth);
  }

  // ---- fields. A function that returns a bool returns true if the walk continues. A function that returns a text
  // returns nullopt if the walk does not continue.

  template <VariantField field>
  std::uint32_t read_u32(const ValueHeader &value) {
    const std::size_t start = cursor_.offset();
    const auto number = cursor_.read<std::uint32_t>();
    if (cursor_.ok()) emit_integer<field>(value, {start, sizeof number}, number);
    return number;
  }

  template <VariantField field, typename T>
  bool read_integer(const ValueHeader &value) {
    const std::size_t start = cursor_.offset();
    T number = 0;
    return cursor_.read(number) && emit_integer<field>(value, {start, sizeof number}, number);
  }

  bool read_int(const ValueHeader &value) {
    if (!has_wide_flag(value)) {
      traits_.add(EncodingTrait::narrow_int);
      return read_integer<VariantField::integer, std::int32_t>(value);
    }
    const std::size_t start = cursor_.offset();
    std::int64_t number = 0;
    if (!cursor_.read(number)) return false;
    if (number == static_cast<std::int32_t>(number)) traits_.add(EncodingTrait::wide_int);
    return emit_integer<VariantField::integer>(value, {start, sizeof number}, number);
  }

  bool read_real(const ValueHeader &value, bool has_wide_reals) {
    const std::size_t start = cursor_.offset();
    std::uint64_t bits = 0;
    std::uint32_t single = 0;
    if (!(has_wide_reals ? cursor_.read(bits) : cursor_.read(single))) return false;
    if (is_suppressed()) return true;
    const double number =
        has_wide_reals ? std::bit_cast<double>(bits) : static_cast<double>(std::bit_cast<float>(single));
    const RealField field{{start, cursor_.offset() - start}, number, has_wide_reals ? bits : single, !has_wide_reals};
    return emit(value.depth, [&] { return sink_.real(value, field); });
  }

  bool read_boolean(const ValueHeader &value) {
    const std::size_t start = cursor_.offset();
    std::uint32_t word = 0;
    if (!cursor_.read(word)) return false;
    const bool goes_on = emit_integer<VariantField::boolean>(value, {start, sizeof word}, word != 0 ? 1 : 0);
    return (word <= 1 || note(value, EncodingNote::bool_value, {start, sizeof word})) && goes_on;
  }

  // True if the @p length bytes before @p end are zero; @p length is at most four. A length field precedes the padding,
  // so it is safe to load four bytes.
  static bool is_zero_filled(const std::uint8_t *end, std::size_t length) {
    const std::uint64_t word = Cursor::load_le<std::uint32_t>(end - sizeof(std::uint32_t));
    return word >> (sizeof(std::uint32_t) - length) * 8 == 0;
  }

  bool read_padding(const ValueHeader &value, std::size_t length, std::uint32_t index = 0) {
    const std::size_t start = cursor_.offset();
    const std::uint8_t *padding = nullptr;
    if (!cursor_.take(length, padding)) return false;
    if (length == 0) return true;
    const PaddingField field{index, {start, length}, {reinterpret_cast<const char *>(padding), length}};
    const bool goes_on = is_suppressed() || emit(value.depth, [&] { return sink_.padding(value, field); });
    if (is_zero_filled(padding + length, length)) [[likely]]
      return goes_on;
    traits_.add(value.type == Type::node_path ? EncodingTrait::old_bytes_in_path : EncodingTrait::old_bytes_in_text);
    const bool may_hold_anything = value.type == Type::node_path && !table_.clears_node_path_padding;
    return (may_hold_anything || note(value, EncodingNote::padding, field.range)) && goes_on;
  }

  // Returns the number of padding bytes after a text. Fails if text and padding exceed the remaining bytes.
  std::size_t measure_padding(std::uint32_t length) {
    const std::size_t padding = -length % alignment;
    if (cursor_.has(length + padding)) return padding;
    if (length > cursor_.remaining() || padding > cursor_.remaining() - length) cursor_.fail(Outcome::malformed);
    return padding;
  }

  // Reads a u32 length, the text, and its padding to a multiple of 4 bytes. (marshalls.cpp, _decode_string)
  template <VariantField field>
  std::optional<std::string_view> read_string(const ValueHeader &value, std::uint32_t index = 0) {
    const std::size_t length_at = cursor_.offset();
    std::uint32_t length = 0;
    if (!cursor_.read(length)) return std::nullopt;
    bool goes_on = emit_integer<VariantField::string_length>(value, {length_at, sizeof length}, length, index);
    const std::size_t padding = measure_padding(length);
    const Range range{cursor_.offset(), length};
    const std::uint8_t *start = nullptr;
    if (!cursor_.take(length, start)) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char *>(start), length);
    goes_on &= emit_text<field>(value, range, text, index);
    if (!is_engine_utf8(text)) goes_on &= note(value, EncodingNote::invalid_utf8, range);
    return read_padding(value, padding, index) && goes_on ? std::optional(text) : std::nullopt;
  }

  void read_node_path(const ValueHeader &value) {
    const std::size_t start = cursor_.offset();
    const auto word = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return;
    if ((word & count_flag) == 0) {
      cursor_ = Cursor(bytes_, start);
      read_string<VariantField::node_path>(value);
      if (cursor_.ok()) note(value, EncodingNote::old_node_path, {start, cursor_.offset() - start});
      return;
    }
    const std::uint32_t names = word & ~count_flag;
    emit_integer<VariantField::node_path_name_count>(value, {start, sizeof word}, names);
    std::uint32_t subnames = read_u32<VariantField::node_path_subname_count>(value);
    const std::size_t flags_at = cursor_.offset();
    const std::uint32_t flags = read_u32<VariantField::node_path_flags>(value);
    if ((flags & 2) != 0 && cursor_.ok()) {
      ++subnames;
      note(value, EncodingNote::obsolete_subname, {flags_at, sizeof flags});
    }
    // The engine's sum wraps around, too. So there may be fewer strings than the two counts say.
    const std::uint32_t total = names + subnames;
    if (total > cursor_.remaining() / min_string_size) cursor_.fail(Outcome::malformed);
    for (std::uint32_t i = 0; i < total && can_continue(); ++i) {
      if (i < names) {
        read_string<VariantField::node_path_name>(value, i);
      } else {
        read_string<VariantField::node_path_subname>(value, i - names);
      }
    }
  }

  void read_signal(const ValueHeader &value) {
    if (read_string<VariantField::signal_name>(value))
      read_integer<VariantField::signal_object_id, std::int64_t>(value);
  }

  // ---- sequences of numbers

  static bool has_wide_flag(const ValueHeader &value) { return (value.header & header_flag_wide) != 0; }

  [[nodiscard]] bool has_wide_reals(const ValueHeader &value, const TypeShape &shape) const {
    const bool is_flagged = table_.has_godot4_flags && has_wide_flag(value);
    return (shape.header_flags.bits & header_flag_wide) != 0 && (has_double_reals_ || is_flagged);
  }

  // Reads @p count numbers. If bytes are missing, emits the complete numbers and then fails.
  template <typename Emit>
  bool read_numbers(NumberKind kind, std::size_t count, Emit emit_numbers) {
    const std::size_t size = number_size(kind);
    const std::size_t start = cursor_.offset();
    const bool is_whole = cursor_.has(count * size);
    const std::size_t length = is_whole ? count * size : cursor_.available() / size * size;
    const std::uint8_t *data = cursor_.take(length);
    const bool goes_on = is_suppressed() || emit_numbers(NumberSequence(kind, data, {start, length}));
    if (!is_whole && goes_on) cursor_.take(size);
    return is_whole && goes_on;
  }

  bool read_components(const ValueHeader &value, const TypeShape &shape) {
    const NumberKind kind = has_wide_reals(value, shape) ? NumberKind::float64 : shape.number_kind;
    return read_numbers(kind, shape.component_count, [&](const NumberSequence &numbers) {
      return numbers.range().length == 0 || emit(value.depth, [&] { return sink_.components(value, numbers); });
    });
  }

  // Reads the count of a packed array. Bit 31 is not a flag in this count: the engine reads a negative count.
  std::uint32_t read_count(const ValueHeader &value, std::size_t element_size) {
    const std::uint32_t count = read_u32<VariantField::count>(value);
    if (cursor_.ok() && count > cursor_.remaining() / element_size) cursor_.fail(Outcome::malformed);
    return count;
  }

  bool emit_packed(const ValueHeader &value, const PackedArray &array) {
    return is_suppressed() || emit(value.depth, [&] { return sink_.packed_array(value, array); });
  }

  void read_packed_bytes(const ValueHeader &value) {
    const std::uint32_t count = read_count(value, 1);
    if (!can_continue()) return;
    const std::size_t start = cursor_.offset();
    const std::uint8_t *data = nullptr;
    if (!cursor_.take(count, data)) return;
    emit_packed(value, {.count = count, .numbers = NumberSequence(NumberKind::uint8, data, {start, count})});
    // The engine's reader does not require the padding, although its writer always sends the padding.
    const std::size_t padding = (alignment - count % alignment) % alignment;
    const std::size_t present = std::min(padding, cursor_.remaining());
    read_padding(value, present);
    if (present < padding) {
      missing_padding_ = static_cast<std::uint32_t>(padding - present);
      note(value, EncodingNote::missing_padding, {cursor_.offset(), 0}, missing_padding_);
    }
  }

  void read_packed_numbers(const ValueHeader &value, const TypeShape &shape) {
    const Type element = packed_element_type(value.type);
    const std::uint32_t width = std::max<std::uint32_t>(shape_of(element).component_count, 1);
    const NumberKind kind = has_wide_reals(value, shape) ? NumberKind::float64 : shape.number_kind;
    if (value.type == Type::packed_vector4_array) traits_.add(EncodingTrait::vector4_array);
    const std::uint32_t count = read_count(value, width * number_size(kind));
    if (!can_continue()) return;
    read_numbers(kind, std::size_t{count} * width, [&](const NumberSequence &numbers) {
      return emit_packed(value, {.element = element, .count = count, .numbers_per_element = width, .numbers = numbers});
    });
  }

  // The length of each element includes a terminating zero. The zero is reported as part of the padding.
  void read_packed_strings(const ValueHeader &value) {
    const std::size_t count_at = cursor_.offset();
    const std::uint32_t count = read_u32<VariantField::count>(value);
    if (!can_continue()) return;
    if ((count & count_flag) != 0) {
      note(value, EncodingNote::negative_count, {count_at, sizeof count});
      return;
    }
    if (count > cursor_.remaining() / min_string_size) cursor_.fail(Outcome::malformed);
    if (!cursor_.ok()) return;
    const std::size_t start = cursor_.offset();
    PackedArray array{.element = Type::string, .count = count};
    EncodingNoteSet notes;
    std::uint32_t size = 0;
    while (size < count && read_packed_string_element(size, array, notes)) ++size;
    array.strings = PackedStrings(bytes_.data, start, size);
    emit_packed(value, array);
    if (!notes.empty()) note_packed_strings(value, array);
  }

  // Reads an element of a PackedStringArray.
  // @returns false if the element cannot be read
  bool read_packed_string_element(std::uint32_t index, PackedArray &array, EncodingNoteSet &notes) {
    const std::size_t start = cursor_.offset();
    std::uint32_t length = 0;
    if (!cursor_.read(length)) return false;
    const std::size_t padding = measure_padding(length);
    const std::size_t text_at = cursor_.offset();
    const std::uint8_t *bytes = nullptr;
    if (!cursor_.take(length, bytes)) {
      array.truncated_string = {index, {start, sizeof length}, length, {}, {}, {}};
      return false;
    }
    const bool counts_zero = length > 0 && bytes[length - 1] == 0;
    const std::size_t text_length = counts_zero ? length - 1 : length;
    const std::string_view text(reinterpret_cast<const char *>(bytes), text_length);
    if (!is_engine_utf8(text)) notes.add(EncodingNote::invalid_utf8);
    if (!cursor_.take(padding, bytes)) {
      array.truncated_string = {index, {start, sizeof length}, length, {text_at, text_length}, text, {}};
      cursor_.move_failure_back(text_at + text_length);
      return false;
    }
    if (!is_zero_filled(bytes + padding, padding)) notes.add(EncodingNote::padding);
    return true;
  }

  void note_packed_strings(const ValueHeader &value, const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      if (!is_engine_utf8(element.text)) note(value, EncodingNote::invalid_utf8, element.range);
      if (!is_zero_filled(bytes_.data + element.padding.end(), element.padding.length)) {
        note(value, EncodingNote::padding, element.padding);
      }
    }
    if (!is_engine_utf8(array.truncated_string.text))
      note(value, EncodingNote::invalid_utf8, array.truncated_string.range);
  }

  // ---- containers

  // Reads the type of a typed container's elements, keys or values.
  template <VariantField field>
  void read_container_type(const ValueHeader &value) {
    const ElementTypeKind kind = element_type_kind(value, field);
    if (kind == ElementTypeKind::any || !can_continue()) return;
    traits_.add(field == VariantField::element_type ? EncodingTrait::typed_array : EncodingTrait::typed_dictionary);
    if (kind != ElementTypeKind::built_in) {
      read_string<field>(value);
      return;
    }
    const std::size_t start = cursor_.offset();
    const auto number = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return;
    if (number >= table_.types.size()) {
      cursor_.fail_at(start, Outcome::unsupported);
      return;
    }
    emit_text<field>(value, {start, sizeof number}, table_.types[number].name);
  }

  // Reads the count and the "shared" bit of an Array or a Dictionary.
  // @returns number of values in the container
  std::uint32_t read_child_count(const ValueHeader &value, std::uint32_t children_each) {
    const std::size_t start = cursor_.offset();
    const auto word = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return 0;
    const std::uint32_t count = word & ~count_flag;
    emit_integer<VariantField::count>(value, {start, sizeof word}, count);
    if ((word & count_flag) != 0) emit_integer<VariantField::shared>(value, {start, sizeof word}, 1);
    if (count > cursor_.remaining() / (min_value_size * children_each)) {
      cursor_.fail(Outcome::malformed);
      return 0;
    }
    return count * children_each;
  }

  // Godot 4 sends a null or freed object in an RPC as a header only: encode_and_compress_variant() replaces the type in
  // the header of a Nil. The name of a class begins with a letter. So if no such name follows, the object is null.
  [[nodiscard]] bool is_null_argument(const ValueHeader &value) const {
    if (!is_compact_ || value.depth != 0) return false;
    Cursor ahead = cursor_;
    const auto length = ahead.read<std::uint32_t>();
    if (ahead.ok() && (length == 0 || length > ahead.remaining())) return true;
    const auto first = static_cast<unsigned char>(ahead.read<std::uint8_t>() | 0x20);
    return ahead.ok() ? first < 'a' || first > 'z' : ahead.outcome() == Outcome::malformed;
  }

  // @returns number of properties that follow
  std::uint32_t read_object(const ValueHeader &value) {
    if ((value.header & header_flag_object_id) != 0) {
      read_integer<VariantField::object_id, std::int64_t>(value);
      return 0;
    }
    if (is_null_argument(value)) {
      emit_text<VariantField::object_class>(value, {cursor_.offset(), 0}, bytes_.text().substr(cursor_.offset(), 0));
      return 0;
    }
    note(value, EncodingNote::full_object, value.range);
    const std::optional<std::string_view> name = read_string<VariantField::object_class>(value);
    // A null object ends after the empty class name.
    if (!name || is_stopped_ || engine_text(*name).empty()) return 0;
    const std::size_t count_at = cursor_.offset();
    const std::uint32_t count = read_u32<VariantField::object_property_count>(value);
    if (!cursor_.ok()) return 0;
    if ((count & count_flag) != 0) {
      note(value, EncodingNote::negative_count, {count_at, sizeof count});
      return 0;
    }
    if (count > cursor_.remaining() / (min_string_size + min_value_size)) {
      cursor_.fail(Outcome::malformed);
      return 0;
    }
    return count;
  }

  void enter_container(const ValueHeader &value, std::uint32_t children) {
    open_containers_[++depth_] = {static_cast<std::uint32_t>(value.range.offset - start_offset_), 0, children};
    container_ = value;
  }

  // ---- values

  // Reads a bool or an int with a one-byte header.
  // @returns false, without reading anything, if the value has the usual header
  bool read_compact_value() {
    const std::size_t start = cursor_.offset();
    const auto byte = cursor_.read<std::uint8_t>();
    if (!cursor_.ok()) return true;
    const std::uint32_t number = byte & compact_type_mask;
    const bool is_known = number < table_.types.size();
    const BodyFormat body = is_known ? table_.types[number].body : BodyFormat::nothing;
    const unsigned size = byte >> compact_size_shift;
    const bool is_short = body == BodyFormat::boolean || body == BodyFormat::integer;
    if (!is_short && size == 0) {
      cursor_ = Cursor(bytes_, start);
      return false;
    }
    if (!is_short) {
      // The engine takes the whole byte as the type number here, and no type has such a high number.
      cursor_.fail_at(start, Outcome::malformed);
    } else if (max_depth_ == 0) {
      cursor_.fail_at(start, Outcome::over_limit);
    } else {
      read_short_value(table_.types[number], number, {start, sizeof byte}, byte);
    }
    return true;
  }

  void read_short_value(const TypeRow &row, std::uint32_t number, Range range, std::uint8_t byte) {
    const ValueHeader value{row.type, ValueRole::root, 0, 0, number, range, row.name};
    begin_value(value);
    const unsigned size = byte >> compact_size_shift;
    if (row.type == Type::boolean) {
      if ((byte & ~(compact_type_mask | compact_bool_flag)) != 0) note(value, EncodingNote::header_bits, range);
      emit_integer<VariantField::boolean>(value, range, (byte & compact_bool_flag) != 0 ? 1 : 0);
    } else if (size == 0) {
      read_integer<VariantField::integer, std::int8_t>(value);
    } else if (size == 1) {
      read_integer<VariantField::integer, std::int16_t>(value);
    } else if (size == 2) {
      read_integer<VariantField::integer, std::int32_t>(value);
    } else {
      read_integer<VariantField::integer, std::int64_t>(value);
    }
    end_value(value);
  }

  // Reads a value; of a container, only the part before its children.
  // @returns true if the walk continues
  bool read_value(ContainerSlot slot) {
    const std::size_t start = cursor_.offset();
    std::uint32_t header = 0;
    if (!cursor_.read(header)) [[unlikely]]
      return false;
    const std::uint32_t number = header & type_mask;
    if (number >= table_.types.size() || depth_ >= max_depth_) [[unlikely]] {
      cursor_.fail_at(start, number >= table_.types.size() ? Outcome::unsupported : Outcome::over_limit);
      return false;
    }
    const TypeRow &row = table_.types[number];
    const ValueHeader value = make_value_header(row, slot, header);
    bool goes_on = begin_value(value);
    const bool is_odd = (header & row.ignored_bits) != 0;
    const bool is_deep = depth_ > engine_max_nesting;
    if (is_odd || is_deep) [[unlikely]]
      goes_on = note_header(value, is_odd);
    if (!goes_on) return false;
    switch (row.body) {
      case BodyFormat::nothing:
        break;
      case BodyFormat::boolean:
        goes_on = read_boolean(value);
        break;
      case BodyFormat::integer:
        goes_on = read_int(value);
        break;
      case BodyFormat::real:
        goes_on = read_real(value, has_wide_flag(value));
        break;
      case BodyFormat::string:
        goes_on = read_string<VariantField::string>(value).has_value();
        break;
      case BodyFormat::components:
        goes_on = read_components(value, shape_of(value.type));
        break;
      default:
        return read_rare_value(row, slot, header);
    }
    return end_value(value) && goes_on;
  }

  // Builds the event data of a header. The cursor must be directly after the header.
  [[nodiscard]] ValueHeader make_value_header(const TypeRow &row, ContainerSlot slot, std::uint32_t word) const {
    return {row.type, slot.role, slot.index, depth_, word, {cursor_.offset() - header_size, header_size}, row.name};
  }

  bool note_header(const ValueHeader &value, bool is_odd) {
    if (depth_ > engine_max_nesting) note(value, EncodingNote::nesting, value.range);
    if (is_odd) note(value, EncodingNote::header_bits, value.range);
    return !is_stopped_;
  }

  // Reads a value of one of the less frequent types, after its header. Not inlined, and takes the header's parts as
  // parameters. So the ValueHeader of a small value can stay in registers.
  // @returns true if the walk continues
  [[gnu::noinline]] bool read_rare_value(const TypeRow &row, ContainerSlot slot, std::uint32_t header) {
    const ValueHeader value = make_value_header(row, slot, header);
    const std::uint32_t children = read_rare_body(value, row.body);
    if (children > 0 && can_continue()) {
      enter_container(value, children);
      return false;
    }
    return end_value(value) && can_continue();
  }

  // @returns number of child values that follow
  std::uint32_t read_rare_body(const ValueHeader &value, BodyFormat body) {
    switch (body) {
      case BodyFormat::string_name:
        read_string<VariantField::string_name>(value);
        break;
      case BodyFormat::node_path:
        read_node_path(value);
        break;
      case BodyFormat::rid:
        if (table_.rid_has_id) read_integer<VariantField::rid, std::int64_t>(value);
        break;
      case BodyFormat::object:
        return read_object(value);
      case BodyFormat::signal:
        read_signal(value);
        break;
      case BodyFormat::dictionary:
        if (table_.has_godot4_flags) {
          read_container_type<VariantField::key_type>(value);
          read_container_type<VariantField::value_type>(value);
        }
        return can_continue() ? read_child_count(value, 2) : 0;
      case BodyFormat::array:
        if (table_.has_godot4_flags) read_container_type<VariantField::element_type>(value);
        return can_continue() ? read_child_count(value, 1) : 0;
      case BodyFormat::packed_bytes:
        read_packed_bytes(value);
        break;
      case BodyFormat::packed_numbers:
        read_packed_numbers(value, shape_of(value.type));
        break;
      case BodyFormat::packed_strings:
        read_packed_strings(value);
        break;
      case BodyFormat::nothing:
      case BodyFormat::boolean:
      case BodyFormat::integer:
      case BodyFormat::real:
      case BodyFormat::string:
      case BodyFormat::components:
        break;  // handled in read_value()
    }
    return 0;
  }

  // ---- children

  // Reads children of the innermost container until it ends or another container begins. At level 0, reads the root.
  void read_children() {
    OpenContainer &open = open_containers_[depth_];
    const BodyFormat body = body_format_of(depth_);
    const std::uint32_t children = open.child_count;
    // The events of children name their container only in an Object: the property's name belongs to it.
    if (body == BodyFormat::object) restore_container();
    while (open.next_child < children) {
      if (body == BodyFormat::object && !read_string<VariantField::object_property>(container_, open.next_child))
        return;
      if (!read_value(make_slot(body, open.next_child++))) return;
    }
    if (depth_ > 0) leave_container();
  }

  static ContainerSlot make_slot(BodyFormat parent, std::uint32_t child) {
    if (parent == BodyFormat::array) return {ValueRole::element, child};
    if (parent == BodyFormat::dictionary) return {child % 2 == 0 ? ValueRole::key : ValueRole::value, child / 2};
    if (parent == BodyFormat::object) return {ValueRole::property, child};
    return {ValueRole::root, child};
  }

  void leave_container() {
    restore_container();
    end_value(container_);
    --depth_;
  }

  // Updates container_ after the walk has returned to an outer container.
  void restore_container() {
    if (container_.depth != depth_ - 1) container_ = rebuild_header(depth_);
  }

  [[nodiscard]] std::uint32_t header_word(std::uint32_t level) const {
    return Cursor::load_le<std::uint32_t>(bytes_.data + start_offset_ + open_containers_[level].start);
  }

  // The body format of the open container at a level. At level 0, the root is in no container, so the format is
  // BodyFormat::nothing.
  [[nodiscard]] BodyFormat body_format_of(std::uint32_t level) const {
    return level == 0 ? BodyFormat::nothing : table_.types[header_word(level) & type_mask].body;
  }

  // Rebuilds the header of the open container at a level from the bytes.
  [[nodiscard]] ValueHeader rebuild_header(std::uint32_t level) const {
    const std::uint32_t word = header_word(level);
    const TypeRow &row = table_.types[word & type_mask];
    const ContainerSlot slot = make_slot(body_format_of(level - 1), open_containers_[level - 1].next_child - 1);
    const Range range{start_offset_ + open_containers_[level].start, header_size};
    return {row.type, slot.role, slot.index, level - 1, word, range, row.name};
  }

  Bytes bytes_;
  Cursor cursor_;
  bool is_clipped_;
  const DialectTable &table_;
  std::size_t start_offset_;
  std::uint32_t max_depth_;
  std::uint32_t depth_ = 0;                          // number of open containers
  std::uint32_t suppressed_depth_ = not_suppressed;  // depth of the value that the sink skips
  bool has_double_reals_;
  bool is_compact_;
  bool is_ended_ = false;    // the sink has returned check_only or stop
  bool is_stopped_ = false;  // the sink has returned stop
  EncodingNoteSet notes_;
  EncodingTraitSet traits_;
  std::uint32_t missing_padding_ = 0;
  // The header of the innermost open container. Outdated after the walk has returned to an outer container: see
  // restore_container().
  ValueHeader container_;
  Sink &sink_;
  // By depth; element 0 is no container, but has the root as its only child. Not initialised, so that only the used
  // elements are touched.
  std::array<OpenContainer, WalkLimits::max_nesting + 1> open_containers_;
};

/// Walks the Variant that starts at @p offset. Allocates nothing, does not recurse, and takes linear time. Ignores the
/// bytes after the value.
template <typename Sink>
WalkResult walk_variant(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options,
                        Sink &sink) {
  static_assert(std::is_trivially_destructible_v<VariantWalker<Sink>>);
  const WalkResult result = VariantWalker<Sink>(bytes, offset, encoding, options, sink).run();
  count_for_test(TestCounter::walked_bytes, result.offset - offset);
  return result;
}

/// Walks the Variant that starts at @p offset without a sink, to check it.
inline WalkResult check_variant(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options) {
  VariantSink sink;
  return walk_variant(bytes, offset, encoding, options, sink);
}

}  // namespace godot_codec
