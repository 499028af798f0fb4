// SPDX-License-Identifier: MIT
/// @file
/// A Variant as a tree of values, for whoever wants to look things up in it: all of it is built at once, in memory that
/// is used again for the next one.
///
/// A walk (walker.h) is faster and takes no memory; a tree is easier to work with, and outlives the packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/types.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

struct ValueEntry;

/// A value. Plain data of 16 bytes; what it points at lives in its ValueArena.
///
/// Asked for what its type does not have, it answers with 0 or nothing. Texts are as they were sent: if `notes` of
/// ReadValue has, they may be invalid UTF-8, and the engine ends them at a zero (engine_text()).
class Value {
 public:
  Value() = default;

  [[nodiscard]] Type type() const { return type_; }
  /// Nothing, or an Object that is none: an id of 0, no class.
  [[nodiscard]] bool is_null() const;

  [[nodiscard]] bool boolean() const { return type_ == Type::boolean && payload_.integer != 0; }
  /// The number of an int; the id of a RID.
  [[nodiscard]] std::int64_t integer() const {
    return type_ == Type::integer || type_ == Type::rid ? payload_.integer : 0;
  }
  /// The number of a float, or of an int.
  [[nodiscard]] double real() const {
    return type_ == Type::real ? payload_.real : static_cast<double>(type_ == Type::integer ? payload_.integer : 0);
  }
  /// The text of a String or StringName; the class of an Object sent in full; the name of a Signal.
  [[nodiscard]] std::string_view text() const;
  /// The instance id of an Object sent by id, and of a Signal's.
  [[nodiscard]] std::uint64_t object_id() const;

  /// The elements of an Array.
  [[nodiscard]] std::span<const Value> elements() const;
  /// The entries of a Dictionary, in the order of the wire; the properties of an Object sent in full, by name. A key
  /// that stands there twice is here twice.
  [[nodiscard]] std::span<const ValueEntry> entries() const;
  /// The value of a key that is a text; the last one if the key stands there twice, as the engine takes it. Looks at
  /// one entry after the other. @returns null where there is none
  [[nodiscard]] const Value *find(std::string_view key) const;

  /// How the numbers of a vector, a color, a matrix or a packed array are kept.
  [[nodiscard]] NumberKind number_kind() const { return kind_; }
  /// How many they are: three of a Vector3, three for each element of a PackedVector3Array.
  [[nodiscard]] std::size_t number_count() const { return has_numbers() ? size_ : 0; }
  /// The numbers, in the order in which a script writes them. Empty where they are of another kind than asked for:
  /// std::uint8_t, std::int32_t, std::int64_t, float, double, by number_kind(). If it has two floats or less,
  /// they are part of the Value.
  template <typename Number>
  [[nodiscard]] std::span<const Number> numbers() const {
    if (!has_numbers() || kind_ != kind_of<Number>()) return {};
    return {static_cast<const Number *>(data()), size_};
  }
  /// One of them. @param index below number_count()
  [[nodiscard]] double number(std::size_t index) const;
  /// The elements of a PackedStringArray, each without the zero that ends it on the wire.
  [[nodiscard]] std::span<const std::string_view> strings() const;

  /// The names on a NodePath, and those behind its colons: Strings. In the format of Godot 2 all of it is one name.
  [[nodiscard]] std::span<const Value> path_names() const;
  [[nodiscard]] std::span<const Value> path_subnames() const;
  [[nodiscard]] bool is_absolute() const;

 private:
  friend class ValueReader;
  friend class ValueArena;

  struct Path;
  struct Named;

  static constexpr std::size_t inline_size = 8;

  explicit Value(Type type) : type_(type) {}

  template <typename Number>
  static constexpr NumberKind kind_of() {
    if constexpr (std::is_same_v<Number, std::uint8_t>) return NumberKind::uint8;
    if constexpr (std::is_same_v<Number, std::int32_t>) return NumberKind::int32;
    if constexpr (std::is_same_v<Number, std::int64_t>) return NumberKind::int64;
    if constexpr (std::is_same_v<Number, float>) return NumberKind::float32;
    static_assert(std::is_arithmetic_v<Number>);
    return NumberKind::float64;
  }
  [[nodiscard]] bool has_numbers() const {
    return shape_of(type_).component_count > 0 || (is_packed(type_) && type_ != Type::packed_string_array);
  }
  [[nodiscard]] const void *data() const {
    return size_ * number_size(kind_) <= inline_size ? static_cast<const void *>(&payload_) : payload_.pointer;
  }

  Type type_ = Type::nil;
  NumberKind kind_ = NumberKind::uint8;
  bool is_by_id_ = false;   // for an Object: it was sent as an id
  std::uint32_t size_ = 0;  // for a text its bytes, for a container its elements
  union Payload {
    std::int64_t integer;
    double real;
    const void *pointer;
  } payload_ = {0};
};
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);

/// An entry of a Dictionary, or a property.
struct ValueEntry {
  Value key;
  Value value;
};

/// The memory of trees. It grows with the bytes that are read, by 32 of its own for one of them at most (and 8 KiB),
/// never by a count in them; it is kept when it is cleared, and used again.
class ValueArena {
 public:
  /// @param upstream where it comes from
  explicit ValueArena(std::pmr::memory_resource *upstream = std::pmr::get_default_resource());
  ~ValueArena();
  ValueArena(const ValueArena &) = delete;
  ValueArena &operator=(const ValueArena &) = delete;

  /// Ends the life of all values.
  void clear();
  /// Bytes that it has taken from upstream.
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  friend class ValueReader;

  struct Block {
    std::byte *bytes;
    std::size_t size;
  };

  void *allocate(std::size_t size) {
    size = (size + alignment - 1) / alignment * alignment;
    if (size > static_cast<std::size_t>(end_ - free_)) add_block(size);
    void *start = free_;
    free_ += size;
    return start;
  }
  void add_block(std::size_t size);
  void grow_stack();
  void give_back(Block block);

  static constexpr std::size_t alignment = 8;

  std::pmr::memory_resource *upstream_;
  std::pmr::vector<Block> blocks_;  // the last one is in use
  std::byte *free_ = nullptr;
  std::byte *end_ = nullptr;
  Block stack_{nullptr, 0};  // values whose container is not read to its end
  std::size_t capacity_ = 0;
};

/// A tree, and how the walk ended that built it.
struct ReadValue {
  WalkResult result;            ///< where notes has one of refused_notes, the engine reads nothing
  const Value *root = nullptr;  ///< null unless result.outcome is ok
};

/// Builds the tree of the one Variant that starts at @p offset. It has what the bytes say, of them copies: they need
/// not outlive it. Not in it are the types of typed containers. Does not recurse; throws what @p arena's upstream does.
[[nodiscard]] ReadValue read_value(Bytes bytes, std::size_t offset, const Encoding &encoding,
                                   const ReadOptions &options, ValueArena &arena);

}  // namespace godot_codec
