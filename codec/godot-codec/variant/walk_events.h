// SPDX-License-Identifier: MIT
/// @file
/// The events of a walk over a Variant. A sink has one member function per event, which gets a small trivial struct
/// with the event's data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/variant_fields.h"
#include "godot-codec/variant/variant_types.h"

namespace godot_codec {

/// The role of a value in its container.
enum class ValueRole : std::uint8_t {
  root,
  element,   ///< of an Array
  key,       ///< of a Dictionary
  value,     ///< of a Dictionary
  property,  ///< of an Object that is sent in full
};

/// Something unusual in the encoding of a value. The value can be read all the same.
enum class EncodingNote : std::uint8_t {
  header_bits,       ///< header bits are set that the engine ignores
  bool_value,        ///< a bool is neither 0 nor 1; the engine reads true
  padding,           ///< padding is not zero; the engine does not check it
  missing_padding,   ///< a PackedByteArray at the packet's end lacks its padding
  invalid_utf8,      ///< the engine rejects the value
  old_node_path,     ///< the NodePath format of Godot 2; current engines reject it
  obsolete_subname,  ///< NodePath flag bit 1 is set, so the path has one sub-name more than its count
  negative_count,    ///< bit 31 of a count is set although it is not a flag; the engine reads no elements
  full_object,       ///< an Object with its properties; the engine rejects it unless objects are allowed
  nesting,           ///< nested more deeply than the engine allows
};

inline constexpr std::size_t note_count = static_cast<std::size_t>(EncodingNote::nesting) + 1;

using EncodingNoteSet = EnumSet<EncodingNote>;

/// A property of the encoding that only some Godot releases produce. detection/release.h uses it to detect the release.
enum class EncodingTrait : std::uint8_t {
  wide_int,           ///< a small int sent in 64 bits
  narrow_int,         ///< an int sent in 32 bits
  typed_array,        ///< an Array that gives its elements' type
  typed_dictionary,   ///< a Dictionary that gives its keys' or values' type
  vector4_array,      ///< a PackedVector4Array
  old_bytes_in_text,  ///< non-zero padding after a text or byte array
  old_bytes_in_path,  ///< non-zero padding inside a NodePath
};
using EncodingTraitSet = EnumSet<EncodingTrait>;

/// The notes of values that bytes_to_var() of Godot 4.6 rejects. If any contained value has such a note, the whole
/// value is rejected.
inline constexpr EncodingNoteSet refused_notes{EncodingNote::invalid_utf8, EncodingNote::old_node_path,
                                               EncodingNote::full_object, EncodingNote::nesting};

/// The notes of values that no engine writes in a dialect. EncodingNote::full_object is not included, because an engine
/// writes a full Object if the game requests it. Non-zero padding alone does not identify an engine version: see
/// variant_evidence().
[[nodiscard]] constexpr EncodingNoteSet never_sent_notes(Dialect dialect) {
  EncodingNoteSet notes{EncodingNote::header_bits,    EncodingNote::bool_value,    EncodingNote::missing_padding,
                        EncodingNote::invalid_utf8,   EncodingNote::old_node_path, EncodingNote::obsolete_subname,
                        EncodingNote::negative_count, EncodingNote::nesting};
  if (dialect == Dialect::docs) notes.add(EncodingNote::padding);
  return notes;
}

/// What a value's header contains.
struct ValueHeader {
  Type type = Type::nil;
  ValueRole role = ValueRole::root;
  std::uint32_t index = 0;   ///< index of an element, entry or property in its container, from 0
  std::uint32_t depth = 0;   ///< number of values around this one; 0 for the root
  std::uint32_t header = 0;  ///< the header's u32; for a one-byte header, only the type number
  Range range;               ///< the header's bytes
  std::string_view name;     ///< the type's name in the dialect; zero-terminated
};

/// How a typed container gives the type of its elements, its keys or its values.
enum class ElementTypeKind : std::uint8_t {
  any,         ///< not typed
  built_in,    ///< by a type number
  class_name,  ///< by the name of a class
  script,      ///< by the path of a script
};

/// Returns how a typed container's header gives the type of its elements, its keys or its values.
/// @param field element_type, key_type or value_type
[[nodiscard]] constexpr ElementTypeKind element_type_kind(const ValueHeader &container, VariantField field) {
  const unsigned shift = field == VariantField::value_type ? 18 : 16;
  return static_cast<ElementTypeKind>(container.header >> shift & 3);
}

/// A number of fixed size: a bool, int, length, count or id.
struct IntegerField {
  VariantField field = VariantField::boolean;
  std::uint32_t index = 0;  ///< for a length: index of the name in its path, or of the property in its Object
  Range range;
  std::int64_t value = 0;  ///< cast to std::uint64_t if the FieldKind is uint64
};

/// The value of a float.
struct RealField {
  Range range;
  double value = 0;
  std::uint64_t bits = 0;   ///< the bits as sent, including those of a NaN
  bool is_float32 = false;  ///< true if sent in 32 bits, so it must be formatted as a 32-bit float
};

struct TextField {
  VariantField field = VariantField::string;
  std::uint32_t index = 0;  ///< index of a name in its path, or of a property in its Object
  Range range;              ///< bytes of the text, without length and padding; for the name of a built-in element type,
                            ///< bytes of the type number
  std::string_view text;    ///< a view into the walked bytes, or the name of a type
};

/// The padding after a text or a byte array, up to a multiple of 4 bytes.
struct PaddingField {
  std::uint32_t index = 0;  ///< index of the padded text in its path or Object
  Range range;
  std::string_view bytes;
};

struct NotedBytes {
  EncodingNote note = EncodingNote::header_bits;
  Range range;                        ///< the bytes that the note is about
  std::uint32_t missing_padding = 0;  ///< for EncodingNote::missing_padding: number of missing bytes
};

/// A view of consecutive little-endian numbers of one type in a packet.
template <typename T>
class NumberView {
 public:
  /// Only for range-based loops.
  struct Iterator {
    const std::uint8_t *at;

    T operator*() const { return Cursor::load_le<T>(at); }
    void operator++() { at += sizeof(T); }
    bool operator==(const Iterator &) const = default;
  };

  NumberView(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T operator[](std::size_t index) const { return Cursor::load_le<T>(data_ + index * sizeof(T)); }
  [[nodiscard]] Iterator begin() const { return {data_}; }
  [[nodiscard]] Iterator end() const { return {data_ + size_ * sizeof(T)}; }

 private:
  const std::uint8_t *data_;
  std::size_t size_;
};

/// A view of consecutive numbers in a packet, with a type that is only known at run time.
class NumberSequence {
 public:
  constexpr NumberSequence() = default;
  constexpr NumberSequence(NumberKind kind, const std::uint8_t *data, Range range)
      : kind_(kind), data_(data), range_(range) {}

  [[nodiscard]] constexpr NumberKind kind() const { return kind_; }
  [[nodiscard]] constexpr bool is_real() const { return kind_ == NumberKind::float32 || kind_ == NumberKind::float64; }
  /// True if the numbers are 32-bit reals, so they must be formatted as 32-bit floats.
  [[nodiscard]] constexpr bool is_float32() const { return kind_ == NumberKind::float32; }
  /// The bytes of all numbers together.
  [[nodiscard]] constexpr Range range() const { return range_; }
  [[nodiscard]] constexpr std::size_t size() const { return range_.length / number_size(kind_); }
  [[nodiscard]] constexpr Range range(std::size_t index) const {
    return {range_.offset + index * number_size(kind_), number_size(kind_)};
  }

  /// Calls a function with the NumberView of the actual type.
  /// @returns what the function returns
  template <typename Function>
  decltype(auto) visit(Function function) const {
    switch (kind_) {
      case NumberKind::uint8:
        return function(NumberView<std::uint8_t>(data_, size()));
      case NumberKind::int32:
        return function(NumberView<std::int32_t>(data_, size()));
      case NumberKind::int64:
        return function(NumberView<std::int64_t>(data_, size()));
      case NumberKind::float32:
        return function(NumberView<float>(data_, size()));
      case NumberKind::float64:
        break;
    }
    return function(NumberView<double>(data_, size()));
  }

  /// Returns one number. Truncates a real to an integer.
  [[nodiscard]] std::int64_t integer(std::size_t index) const {
    return visit([index](auto numbers) { return static_cast<std::int64_t>(numbers[index]); });
  }
  [[nodiscard]] double real(std::size_t index) const {
    return visit([index](auto numbers) { return static_cast<double>(numbers[index]); });
  }

 private:
  NumberKind kind_ = NumberKind::uint8;
  const std::uint8_t *data_ = nullptr;
  Range range_;
};

/// An element of a PackedStringArray.
struct PackedString {
  std::uint32_t index = 0;
  Range length;            ///< the bytes of the element's length field
  std::uint32_t size = 0;  ///< the value of the length field: the text and its terminating zero, in bytes
  Range range;             ///< the text's bytes, without the terminating zero
  std::string_view text;   ///< null if the text is truncated
  Range padding;           ///< the terminating zero and the padding; may be empty

  [[nodiscard]] constexpr bool has_text() const { return text.data() != nullptr; }
};

/// The readable elements of a PackedStringArray, in wire order.
class PackedStrings {
 public:
  /// Only for range-based loops.
  struct Iterator {
    const std::uint8_t *packet;
    std::size_t offset;
    std::uint32_t index;

    PackedString operator*() const { return read_packed_string(packet, offset, index); }
    void operator++() { offset = read_packed_string(packet, offset, index++).padding.end(); }
    bool operator==(const Iterator &other) const { return index == other.index; }
  };

  constexpr PackedStrings() = default;
  constexpr PackedStrings(const std::uint8_t *packet, std::size_t offset, std::uint32_t size)
      : packet_(packet), offset_(offset), size_(size) {}

  [[nodiscard]] constexpr std::uint32_t size() const { return size_; }
  [[nodiscard]] Iterator begin() const { return {packet_, offset_, 0}; }
  [[nodiscard]] Iterator end() const { return {packet_, 0, size_}; }

  /// Returns the element with its length field at @p offset. The walker has already checked that it is readable.
  static PackedString read_packed_string(const std::uint8_t *packet, std::size_t offset, std::uint32_t index);

 private:
  const std::uint8_t *packet_ = nullptr;
  std::size_t offset_ = 0;
  std::uint32_t size_ = 0;
};

inline PackedString PackedStrings::read_packed_string(const std::uint8_t *packet, std::size_t offset,
                                                      std::uint32_t index) {
  constexpr std::size_t alignment = 4;
  PackedString element;
  element.index = index;
  element.length = {offset, sizeof element.size};
  element.size = Cursor::load_le<std::uint32_t>(packet + offset);
  const std::size_t start = offset + sizeof element.size;
  const auto *text = reinterpret_cast<const char *>(packet + start);
  const std::size_t end = start + (element.size + alignment - 1) / alignment * alignment;
  const bool counts_zero = element.size > 0 && text[element.size - 1] == '\0';
  element.text = {text, counts_zero ? element.size - 1 : element.size};
  element.range = {start, element.text.size()};
  element.padding = {element.range.end(), end - element.range.end()};
  return element;
}

/// The readable elements of a packed array. Elements are missing only if the walk fails.
struct PackedArray {
  Type element = Type::integer;           ///< the type of each element
  std::uint32_t count = 0;                ///< number of elements according to the count field
  std::uint32_t numbers_per_element = 1;  ///< how many numbers make up an element, such as 3 for a Vector3
  NumberSequence numbers =
      {};  ///< the numbers of all elements, including the complete numbers of a truncated last element
  PackedStrings strings = {};          ///< the elements of a PackedStringArray, which has no numbers
  PackedString truncated_string = {};  ///< the element with a length that exceeds the available bytes, without padding

  [[nodiscard]] constexpr bool has_truncated_string() const { return truncated_string.length.length > 0; }
  /// Returns the number of complete elements.
  [[nodiscard]] constexpr std::size_t size() const {
    return element == Type::string ? strings.size() : numbers.size() / numbers_per_element;
  }
  /// Returns the bytes of an element that are present. Must not be called for a PackedStringArray.
  [[nodiscard]] constexpr Range range(std::size_t index) const {
    const Range first = numbers.range(index * numbers_per_element);
    const std::size_t length = first.length * numbers_per_element;
    const std::size_t rest = numbers.range().end() - first.offset;
    return {first.offset, length < rest ? length : rest};
  }
};
static_assert(std::is_trivially_destructible_v<PackedArray>);

/// What the walker does after an event: the return value of the sink.
enum class VisitAction : std::uint8_t {
  proceed,
  /// skip: sends no event for the rest of the innermost open value, except its end_value(). The bytes are still
  /// checked. Has no effect if end_value() returns it
  skip,
  check_only,  ///< sends no further event; still checks the remaining bytes
  stop,        ///< sends no further event and ends the walk
};

/// Receives the events of a walk, in the order of the bytes. Derive from it and declare the functions that you need,
/// with the same parameters. They return void or a VisitAction. The walker is a template over the sink, so events
/// without a function cost nothing.
///
/// Each begin_value() is followed by its end_value(), even after a failure, unless the sink has returned check_only or
/// stop. Notes on the elements of a PackedStringArray follow packed_array(). Events may be copied. They are trivially
/// destructible, so that longjmp may skip their destructors.
class VariantSink {
 public:
  void begin_value(const ValueHeader & /*value*/) {}
  /// @param whole the value's bytes, as far as they are readable
  void end_value(const ValueHeader & /*value*/, Range /*whole*/) {}

  // The contents of a value.
  void integer(const ValueHeader & /*value*/, const IntegerField & /*field*/) {}
  void real(const ValueHeader & /*value*/, const RealField & /*field*/) {}
  void text(const ValueHeader & /*value*/, const TextField & /*field*/) {}
  /// @param numbers the components of a vector, color or matrix that are present (component_field())
  void components(const ValueHeader & /*value*/, const NumberSequence & /*numbers*/) {}
  void packed_array(const ValueHeader & /*value*/, const PackedArray & /*array*/) {}
  void padding(const ValueHeader & /*value*/, const PaddingField & /*field*/) {}
  void note(const ValueHeader & /*value*/, const NotedBytes & /*oddity*/) {}
};

}  // namespace godot_codec
