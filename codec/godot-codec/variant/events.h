// SPDX-License-Identifier: MIT
/// @file
/// The events of a walk: one verb an event, with a small plain struct each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/fields.h"
#include "godot-codec/variant/types.h"

namespace godot_codec {

/// Header bit 16 of a number, of an Object, and, in Godot 4, of what holds reals.
inline constexpr std::uint32_t header_flag_wide = 1U << 16;
inline constexpr std::uint32_t header_flag_object_id = 1U << 16;
/// Header bits 16-17 of an Array: how its elements' type is given; 16-17 and 18-19 of a Dictionary: its keys', values'.
inline constexpr std::uint32_t header_mask_types = 0xfU << 16;

/// The place of a value in its container.
enum class Role : std::uint8_t {
  root,
  element,   ///< in an Array
  key,       ///< in a Dictionary
  value,     ///< in a Dictionary
  property,  ///< in an Object that is sent in full
};

/// Oddities: readable, but worth a word.
enum class Note : std::uint8_t {
  header_bits,       ///< header bits are set that the engine ignores
  bool_value,        ///< a bool is neither 0 nor 1; the engine reads true
  padding,           ///< padding is not zero; the engine never looks
  missing_padding,   ///< a PackedByteArray ends the packet unpadded
  invalid_utf8,      ///< the engine refuses the value
  old_node_path,     ///< the NodePath format of Godot 2; engines of today refuse it
  obsolete_subname,  ///< NodePath flag bit 1: one more sub-name than counted
  negative_count,    ///< a count with bit 31 set where it is not a flag; the engine reads none
  full_object,       ///< the engine refuses it unless told to allow objects
  nesting,           ///< deeper than the engine allows
};

inline constexpr std::size_t note_count = static_cast<std::size_t>(Note::nesting) + 1;

/// Some of an enum's values, of 32 at most.
template <typename Member>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Member> members) {
    for (const Member member : members) add(member);
  }
  constexpr void add(Member member) { bits_ |= bit(member); }
  [[nodiscard]] constexpr bool has(Member member) const { return (bits_ & bit(member)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool intersects(EnumSet other) const { return (bits_ & other.bits_) != 0; }

 private:
  static constexpr std::uint32_t bit(Member member) { return 1U << static_cast<unsigned>(member); }
  std::uint32_t bits_ = 0;
};
using NoteSet = EnumSet<Note>;

/// Something that some releases of Godot write and others do not; detection/release.h learns from it.
enum class Trait : std::uint8_t {
  wide_int,           ///< a small int in 64 bits
  narrow_int,         ///< an int in 32 bits
  typed_array,        ///< an Array that says what its elements are
  typed_dictionary,   ///< a Dictionary that says what its keys or values are
  vector4_array,      ///< a PackedVector4Array
  old_bytes_in_text,  ///< padding that is not zero, behind a text or bytes
  old_bytes_in_path,  ///< padding that is not zero, within a NodePath
};
using TraitSet = EnumSet<Trait>;

/// The notes of which any makes Godot 4.6's bytes_to_var() refuse the whole value.
inline constexpr NoteSet refused_notes{Note::invalid_utf8, Note::old_node_path, Note::full_object, Note::nesting};

/// The notes of what no engine of a dialect writes. (A full Object it does, when it is told to.) Padding that is not
/// zero tells of no engine's years alone: see variant_evidence().
[[nodiscard]] constexpr NoteSet never_sent_notes(Dialect dialect) {
  NoteSet notes{Note::header_bits,   Note::bool_value,       Note::missing_padding, Note::invalid_utf8,
                Note::old_node_path, Note::obsolete_subname, Note::negative_count,  Note::nesting};
  if (dialect == Dialect::docs) notes.add(Note::padding);
  return notes;
}

/// A value, as its header tells it.
struct ValueHeader {
  Type type = Type::nil;
  Role role = Role::root;
  std::uint32_t index = 0;   ///< position of an element, entry or property in its container, from 0
  std::uint32_t depth = 0;   ///< values around this one; 0 at the root
  std::uint32_t header = 0;  ///< the word itself; for a one-byte header, the type number alone
  Range range;               ///< the header's bytes
  std::string_view name;     ///< the type's in the dialect; ends with a zero
};

/// How the type of a typed container's elements, keys or values is given.
enum class ElementKind : std::uint8_t {
  any,         ///< not typed
  built_in,    ///< a type's number
  class_name,  ///< the name of a class
  script,      ///< the path of a script
};

/// Reads from a typed container's header which type, class or script its elements, keys or values have.
/// @param field element_type, key_type or value_type
[[nodiscard]] constexpr ElementKind element_kind(const ValueHeader &container, Field field) {
  const unsigned shift = field == Field::value_type ? 18 : 16;
  return static_cast<ElementKind>(container.header >> shift & 3);
}

/// An entry of a Dictionary.
struct Entry {
  std::uint32_t index = 0;
  Range range;  ///< the bytes that have been read; for an event that begins a value, its start and no length
};

/// A number of fixed size: a bool, an int, a length, a count, an id.
struct IntegerField {
  Field field = Field::boolean;
  std::uint32_t index = 0;  ///< for a length: position of the name in its path, or of the property in its Object
  Range range;
  std::int64_t value = 0;  ///< read it as unsigned where the FieldKind is uint64
};

/// The number of a float.
struct RealField {
  Range range;
  double value = 0;
  std::uint64_t bits = 0;  ///< exactly as sent, of a NaN, too
  bool is_single = false;  ///< it had 32 bits: its shortest text is that of a float
};

/// A text.
struct TextField {
  Field field = Field::string;
  std::uint32_t index = 0;  ///< position of a name in its path, or of a property in its Object
  Range range;              ///< exactly the text's; for a built-in element type, its number's
  std::string_view text;    ///< into the walked bytes, or a type's name
};

/// Fills a text or a byte array up to a multiple of 4 bytes.
struct PaddingField {
  std::uint32_t index = 0;  ///< position of the text in its path or Object
  Range range;
  std::string_view bytes;
};

/// Something odd about a value.
struct Oddity {
  Note note = Note::header_bits;
  Range range;                        ///< the bytes that it is about
  std::uint32_t missing_padding = 0;  ///< bytes, of that note
};

/// Numbers of one kind that stand one behind the other in a packet. Does not own them.
template <typename T>
class NumberView {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T *;
    using reference = T;

    Iterator() = default;
    explicit Iterator(const std::uint8_t *at) : at_(at) {}
    T operator*() const { return Cursor::load_le<T>(at_); }
    Iterator &operator++() {
      at_ += sizeof(T);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &) const = default;

   private:
    const std::uint8_t *at_ = nullptr;
  };

  NumberView(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T operator[](std::size_t index) const { return Cursor::load_le<T>(data_ + index * sizeof(T)); }
  [[nodiscard]] Iterator begin() const { return Iterator(data_); }
  [[nodiscard]] Iterator end() const { return Iterator(data_ + size_ * sizeof(T)); }

 private:
  const std::uint8_t *data_;
  std::size_t size_;
};

/// Numbers whose kind is known when they are read.
class Numbers {
 public:
  constexpr Numbers() = default;
  constexpr Numbers(NumberKind kind, const std::uint8_t *data, Range range) : kind_(kind), data_(data), range_(range) {}

  [[nodiscard]] constexpr NumberKind kind() const { return kind_; }
  [[nodiscard]] constexpr bool is_real() const { return kind_ == NumberKind::float32 || kind_ == NumberKind::float64; }
  /// The reals have 32 bits: their shortest text is that of a float.
  [[nodiscard]] constexpr bool is_single() const { return kind_ == NumberKind::float32; }
  /// The bytes of all elements together.
  [[nodiscard]] constexpr Range range() const { return range_; }
  [[nodiscard]] constexpr std::size_t size() const { return range_.length / number_size(kind_); }
  [[nodiscard]] constexpr Range range(std::size_t index) const {
    return {range_.offset + index * number_size(kind_), number_size(kind_)};
  }

  /// Calls a function with the NumberView of what they are. @returns what it does
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

  /// One of them; reals are cut to whole numbers.
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

/// A value of a fixed layout: a vector, a color, a matrix. If the value is cut: the components before the cut.
struct Components {
  std::span<const Field> fields;  ///< all that the type has, in the order of the wire
  Numbers numbers;                ///< those that are there
};

/// An element of a PackedStringArray.
struct PackedString {
  std::uint32_t index = 0;
  Range length;            ///< the word in front
  std::uint32_t size = 0;  ///< the length as its field says
  Range range;             ///< the text's bytes, without the terminating zero that an engine counts
  std::string_view text;
  Range padding;  ///< that zero with it; it may have no length
};

/// The elements of a PackedStringArray, as far as they could be read, front to back.
class PackedStrings {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = PackedString;
    using difference_type = std::ptrdiff_t;
    using pointer = const PackedString *;
    using reference = PackedString;

    Iterator() = default;
    Iterator(const std::uint8_t *packet, std::size_t offset, std::uint32_t index)
        : packet_(packet), offset_(offset), index_(index) {}
    PackedString operator*() const { return read_packed_string(packet_, offset_, index_); }
    Iterator &operator++() {
      offset_ = read_packed_string(packet_, offset_, index_++).padding.end();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &other) const { return index_ == other.index_; }

   private:
    const std::uint8_t *packet_ = nullptr;
    std::size_t offset_ = 0;
    std::uint32_t index_ = 0;
  };

  constexpr PackedStrings() = default;
  constexpr PackedStrings(const std::uint8_t *packet, std::size_t offset, std::uint32_t size)
      : packet_(packet), offset_(offset), size_(size) {}

  [[nodiscard]] constexpr std::uint32_t size() const { return size_; }
  [[nodiscard]] Iterator begin() const { return {packet_, offset_, 0}; }
  [[nodiscard]] Iterator end() const { return {packet_, 0, size_}; }

  /// The element whose length stands at @p offset and was found to be readable.
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

/// The length of a text that cannot be read: it says more than there is.
struct CutString {
  std::uint32_t index = 0;
  Range length;
  std::uint32_t size = 0;
  Range range;            ///< the text's bytes, if only its padding is cut
  std::string_view text;  ///< the text, if only its padding is cut
  bool has_text = false;
};

/// The elements of a packed array, as far as they could be read: all of them, unless the walk fails.
struct PackedArray {
  Type element = Type::integer;  ///< the type of each element
  std::uint32_t count = 0;       ///< elements, as the wire says
  std::uint32_t width = 1;       ///< numbers of each: 3 of a Vector3
  Numbers numbers = {};          ///< all elements; if the last one is cut, its bytes that are there
  PackedStrings strings = {};    ///< the elements of a PackedStringArray, which has no numbers
  CutString cut = {};            ///< the element of a PackedStringArray that could not be read
  bool has_cut = false;          ///< true if such an element exists

  /// Elements that could be read whole.
  [[nodiscard]] constexpr std::size_t size() const {
    return element == Type::string ? strings.size() : numbers.size() / width;
  }
  /// The bytes of an element, as far as they are there. Not of a string.
  [[nodiscard]] constexpr Range range(std::size_t index) const {
    const Range first = numbers.range(index * width);
    const std::size_t length = first.length * width;
    const std::size_t rest = numbers.range().end() - first.offset;
    return {first.offset, length < rest ? length : rest};
  }
};
static_assert(std::is_trivially_destructible_v<PackedArray>);

/// A sink's answer: go on, skip the contents, or stop.
enum class Verdict : std::uint8_t {
  proceed,
  skip,  ///< nothing more of the innermost open value but its end_value; its bytes are still checked. No answer to an
         ///< end_value
  mute,  ///< no further event at all; what is left is still checked
  stop,  ///< no further event at all; the walk ends at once
};

/// Receives the events of a walk, in the order of the bytes: derive from it and declare the verbs that are wanted, as
/// they stand here. One may return a Verdict instead of nothing. The walker is compiled for each sink, so that those
/// left alone cost nothing.
///
/// Every begin is followed by its end, after a failure too, unless the sink wants no further events. Notes on the
/// elements of a PackedStringArray follow it. Events may be copied, and jumped over by longjmp.
class VariantSink {
 public:
  void begin_value(const ValueHeader & /*value*/) {}
  /// @param whole the value, or what could be read of it
  void end_value(const ValueHeader & /*value*/, Range /*whole*/) {}
  void begin_entry(const ValueHeader & /*dictionary*/, const Entry & /*entry*/) {}
  void end_entry(const ValueHeader & /*dictionary*/, const Entry & /*entry*/) {}

  // Parts of a value.
  void integer(const ValueHeader & /*value*/, const IntegerField & /*field*/) {}
  void real(const ValueHeader & /*value*/, const RealField & /*field*/) {}
  void text(const ValueHeader & /*value*/, const TextField & /*field*/) {}
  void components(const ValueHeader & /*value*/, const Components & /*components*/) {}
  void packed_array(const ValueHeader & /*value*/, const PackedArray & /*array*/) {}
  void padding(const ValueHeader & /*value*/, const PaddingField & /*field*/) {}
  void note(const ValueHeader & /*value*/, const Oddity & /*oddity*/) {}
};

}  // namespace godot_codec
