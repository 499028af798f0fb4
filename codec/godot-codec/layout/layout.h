// SPDX-License-Identifier: MIT
/// @file
/// Custom binary formats of a game, which the game's author describes in a text file. doc/formats.md documents the
/// file's syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace godot_codec {

/// The kind of a field, which determines how it is displayed and compared.
enum class LayoutFieldKind : std::uint8_t {
  group,  ///< has fields itself
  boolean,
  unsigned_number,
  signed_number,
  real,
  text,
  opaque_bytes,
  variant,
};

/// The encoding of a field on the wire.
enum class LayoutFieldType : std::uint8_t {
  group,
  unsigned_number,  ///< 1, 2, 4 or 8 bytes
  signed_number,    ///< 1, 2, 4 or 8 bytes
  varint,           ///< 7 bits per byte, lowest bits first; the highest bit of a byte means that another byte follows
  bits,             ///< some bits, counted from the lowest bit of a byte; in big-endian fields, counted from the
                    ///< highest bit
  real,             ///< IEEE 754, 2, 4 or 8 bytes
  text,             ///< UTF-8 after a length of 32 bits, as StreamPeer.put_string() and put_utf8_string() write it
  text_of_length,   ///< UTF-8 of a given length
  text_until_zero,  ///< UTF-8, terminated by a zero byte
  data,             ///< raw bytes
  variant,          ///< after a length, as put_var() writes it, or without a length, as var_to_bytes() returns it
};

/// A number of elements, bytes or bits, and where it comes from.
struct LayoutCount {
  enum class Source : std::uint8_t {
    number,  ///< a fixed number
    slot,    ///< the value of an earlier field
    to_end,  ///< up to the end of the data
  };
  Source source = Source::number;
  std::uint64_t number = 1;
  std::uint16_t slot = 0;
};

/// A condition on the value of an earlier field. A field with a condition exists only if the condition is met.
struct LayoutCondition {
  bool accepts_less = false;     ///< true if the condition is met by a value below the number
  bool accepts_equal = false;    ///< true if the condition is met by the number itself
  bool accepts_greater = false;  ///< true if the condition is met by a value above the number
  bool is_bit_test = false;      ///< true if the condition is met by a value that has any bit of the number
  std::uint16_t slot = 0;
  std::int64_t number = 0;
};

/// The name of one value of a field; for flags, the name of one bit.
struct LayoutValueName {
  std::int64_t number = 0;
  std::string name;

  bool operator==(const LayoutValueName &) const = default;
};

/// A display filter field. Several layout nodes can share one field.
struct LayoutField {
  std::string path;  ///< "players.slot"
  LayoutFieldKind kind = LayoutFieldKind::group;
  std::vector<LayoutValueName> names;  ///< of its values

  bool operator==(const LayoutField &) const = default;
};

using LayoutFields = std::span<const LayoutField>;

/// A field of a layout. All names are resolved to slots and indexes.
struct LayoutNode {
  std::string name;
  LayoutFieldType type = LayoutFieldType::group;
  std::uint8_t size = 0;  ///< of a number, in bytes
  bool is_big_endian = false;
  bool is_flags = false;
  std::optional<std::uint16_t> slot;  ///< index under which the walk stores the field's value, so that later fields can
                                      ///< refer to it
  std::uint32_t field = 0;            ///< index in LayoutFile::fields()
  std::optional<LayoutCount> count;   ///< number of elements; nullopt if the field is not repeated
  std::optional<LayoutCount> length;  ///< size of data or of a group in bytes; of bits in bits
  std::optional<LayoutCondition> condition;
  std::optional<std::int64_t> constant;
  std::optional<std::string> constant_text;  ///< for a text or data, the required bytes
  std::vector<LayoutNode> fields;            ///< fields of a group
  /// For flags: the mask of each bit, and the index of the bit's field in LayoutFile::fields().
  std::vector<std::pair<std::uint64_t, std::uint32_t>> flags;
};

/// A value that an argument of the RPC must have for the layout to apply.
struct LayoutArgumentCondition {
  std::uint32_t index = 0;
  std::optional<std::int64_t> number;  ///< nullopt: compare `text`
  std::string text;
};

/// The format of one argument of an RPC, or of the raw messages on a port.
struct Layout {
  std::string node;    ///< path of the node, or the last names of the path; empty: any node
  std::string method;  ///< empty: raw messages
  std::uint16_t port = 0;
  std::vector<LayoutArgumentCondition> conditions;
  std::optional<std::uint32_t> argument;  ///< index of the argument; nullopt: any byte array
  std::uint32_t line = 0;
  bool is_incomplete = false;  ///< true if the description has an error after these fields
  std::vector<LayoutNode> fields;
};

/// An error in the description file.
struct LayoutError {
  std::uint32_t line = 0;  ///< counted from 1; 0: the whole file
  std::string message;
};

/// The value of an RPC argument, for comparing it with conditions.
struct LayoutArgumentValue {
  std::optional<std::int64_t> number;
  std::optional<std::string_view> text;
};

/// All formats of a description file.
class LayoutFile {
 public:
  /// Maximum number of fields of a layout that other fields can refer to.
  static constexpr std::size_t max_slots = 128;
  /// Maximum nesting of groups.
  static constexpr std::size_t max_nesting = 16;
  /// Maximum number of fields and flags of all layouts, which also limits the number of registered fields. A named part
  /// counts once for each use.
  static constexpr std::size_t max_nodes = 4096;
  /// Maximum number of flags of a field.
  static constexpr std::size_t max_flags = 64;
  /// Maximum number of value names of a field.
  static constexpr std::size_t max_names = 1024;
  /// Maximum number of value names of all fields. A named part counts once for each use.
  static constexpr std::size_t max_all_names = 65536;
  /// Maximum size of a file, in bytes.
  static constexpr std::size_t max_file_size = std::size_t{1} << 20;

  /// Parses a description file. After an error in a layout, omits the remaining fields of this layout. errors() lists
  /// the errors.
  [[nodiscard]] static LayoutFile parse(std::string_view text);

  [[nodiscard]] LayoutFields fields() const { return fields_; }
  [[nodiscard]] std::span<const LayoutError> errors() const { return errors_; }
  [[nodiscard]] std::span<const Layout> layouts() const { return layouts_; }

  /// True if a layout applies to an argument of an RPC.
  /// @param node path of the node
  /// @param arguments values of all readable arguments
  [[nodiscard]] static bool applies_to(const Layout &layout, std::string_view node, std::string_view method,
                                       std::uint32_t argument, std::span<const LayoutArgumentValue> arguments);
  /// True if any layout is for this method. If false, callers need not read the method's arguments.
  [[nodiscard]] bool has_layout_for_method(std::string_view method) const;

 private:
  friend class LayoutBuilder;

  std::vector<LayoutField> fields_;
  std::vector<LayoutError> errors_;
  std::vector<Layout> layouts_;
};

}  // namespace godot_codec
