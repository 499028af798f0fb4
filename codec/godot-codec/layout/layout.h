// SPDX-License-Identifier: MIT
/// @file
/// Formats that only a game knows, as its author has described them in a text file. doc/formats.md tells what stands
/// in one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace godot_codec {

/// How a field is shown and compared.
enum class LayoutKind : std::uint8_t {
  group,  ///< a part with fields of its own
  boolean,
  unsigned_number,
  signed_number,
  real,
  text,
  opaque_bytes,
  variant,
};

/// The format of a field on the wire.
enum class LayoutType : std::uint8_t {
  group,
  unsigned_number,  ///< 1, 2, 4 or 8 bytes
  signed_number,    ///< 1, 2, 4 or 8 bytes
  varint,           ///< 7 bits a byte, the lowest first; the highest bit says that another byte follows
  bits,             ///< some bits; from the lowest one of a byte on, or the highest where it is big-endian
  half,             ///< IEEE 754, 16 bits
  single,           ///< 32 bits
  real,             ///< 64 bits
  text,             ///< StreamPeer.put_string() and put_utf8_string() write it: a length of 32 bits and UTF-8
  text_of_length,   ///< so many bytes of UTF-8
  text_until_zero,  ///< UTF-8 and a zero
  data,             ///< bytes
  variant,          ///< put_var() writes it after a length; or without a length, var_to_bytes() makes it
};

/// A number of elements, bytes or bits.
struct LayoutCount {
  enum class Source : std::uint8_t {
    number,  ///< this many
    slot,    ///< the number in an earlier field
    all,     ///< until the bytes end
  };
  Source source = Source::number;
  std::uint64_t number = 1;
  std::uint16_t slot = 0;
};

/// A part is there only if a field before it says so.
struct LayoutCondition {
  enum class Comparison : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal, has_bit };
  std::uint16_t slot = 0;
  Comparison comparison = Comparison::equal;
  std::int64_t number = 0;
};

/// A number and what it is called; for flags, a bit.
struct LayoutName {
  std::int64_t number = 0;
  std::string name;

  bool operator==(const LayoutName &) const = default;
};

/// A field of the display filter, for all places that have it.
struct LayoutField {
  std::string path;  ///< "players.slot"
  LayoutKind kind = LayoutKind::group;
  std::vector<LayoutName> names;  ///< names for its numbers

  bool operator==(const LayoutField &) const = default;
};

using LayoutFields = std::span<const LayoutField>;

/// One line of a format, made ready to be walked.
struct LayoutNode {
  std::string name;
  LayoutType type = LayoutType::group;
  std::uint8_t size = 0;  ///< bytes of a number
  bool is_big_endian = false;
  bool is_repeated = false;
  bool is_flags = false;
  std::optional<std::uint16_t> slot;  ///< where its number is kept for what depends on it
  std::uint32_t field = 0;            ///< index in Layouts::fields()
  LayoutCount count;                  ///< how many of it there are, if it is repeated
  std::optional<LayoutCount> length;  ///< bytes of data and of a group, bits of bits
  std::optional<LayoutCondition> condition;
  std::optional<std::int64_t> constant;
  std::optional<std::string> constant_text;  ///< for a text or data
  std::vector<LayoutNode> parts;             ///< a group's
  /// For flags: bit and field.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> flags;
};

/// A value that an argument of the call must have.
struct LayoutArgumentCondition {
  std::uint32_t index = 0;
  std::optional<std::int64_t> number;  ///< or a text
  std::string text;
};

/// A layout for the bytes in one place.
struct Layout {
  std::string node;    ///< path of a call's node or its end; empty: any
  std::string method;  ///< empty: raw messages
  std::uint16_t port = 0;
  std::vector<LayoutArgumentCondition> conditions;
  std::optional<std::uint32_t> argument;  ///< which one; any array of bytes where none is named
  std::uint32_t line = 0;
  bool is_incomplete = false;  ///< a mistake stands behind what is here
  std::vector<LayoutNode> parts;
};

/// Something that the author should mend.
struct LayoutMistake {
  std::uint32_t line = 0;
  std::string text;
};

/// An argument of a call, to be compared.
struct LayoutArgument {
  std::optional<std::int64_t> number;
  std::optional<std::string_view> text;
};

/// All that a file describes.
class Layouts {
 public:
  /// So many numbers of a layout can be asked for by what is behind them.
  static constexpr std::size_t max_slots = 128;
  /// Groups around one another.
  static constexpr std::size_t max_nesting = 16;
  /// Lines and flags of all formats, with named parts in each place that uses them: no more fields are registered.
  static constexpr std::size_t max_nodes = 4096;
  /// Flags of a field: its bits.
  static constexpr std::size_t max_flags = 64;
  /// Names of a field's numbers.
  static constexpr std::size_t max_names = 1024;
  /// Names of all numbers, in each place that uses them.
  static constexpr std::size_t max_all_names = 65536;
  /// Bytes of a file.
  static constexpr std::size_t max_file_size = std::size_t{1} << 20;

  /// Reads a file. What a mistake leaves unclear is left out, and all else is there.
  [[nodiscard]] static Layouts read(std::string_view text);

  [[nodiscard]] LayoutFields fields() const { return fields_; }
  [[nodiscard]] std::span<const LayoutMistake> mistakes() const { return mistakes_; }
  [[nodiscard]] std::span<const Layout> layouts() const { return layouts_; }

  /// True if a layout is about an argument of a call. @param node path of the node @param arguments the readable ones
  [[nodiscard]] static bool is_about(const Layout &layout, std::string_view node, std::string_view method,
                                     std::uint32_t argument, std::span<const LayoutArgument> arguments);
  /// True if any layout is about a method: else nobody needs to read the arguments.
  [[nodiscard]] bool has_method(std::string_view method) const;
  /// True if any layout is about raw messages of a server's port.
  [[nodiscard]] bool has_port(std::uint16_t port) const;

 private:
  friend class LayoutBuilder;

  std::vector<LayoutField> fields_;
  std::vector<LayoutMistake> mistakes_;
  std::vector<Layout> layouts_;
};

}  // namespace godot_codec
