// SPDX-License-Identifier: MIT
/// @file
/// Bytes of a game's own, walked by what the game's author has described.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// A value that was met.
struct LayoutValue {
  const LayoutNode *node = nullptr;
  std::uint32_t index = 0;       ///< among its like, where it is repeated
  std::size_t bit_offset = 0;    ///< from the first bit of the first byte
  std::size_t bit_length = 0;    ///< for a group, the bits so far
  std::uint64_t integer = 0;     ///< a number; sign-extended if it is signed
  double real = 0;               ///< a float
  Range content;                 ///< the bytes of a text, data or Variant, without the length before and the zero after
  std::string_view text;         ///< the bytes of a text or data
  bool has_name = false;         ///< it is a number with a name
  std::string_view number_name;  ///< empty if has_name is false

  /// The bytes in which it lies.
  [[nodiscard]] Range range() const {
    const std::size_t start = bit_offset / 8;
    return {start, (bit_offset + bit_length + 7) / 8 - start};
  }
};

/// Is told of values, in the order of the wire.
class LayoutSink {
 public:
  /// Around all elements of what is repeated, even if there are none.
  virtual void begin_list(const LayoutNode &node) = 0;
  virtual void end_list(const LayoutNode &node) = 0;
  /// Around the fields of a group; the end is told where one of them could not be read, too.
  virtual void begin_group(const LayoutValue &group) = 0;
  virtual void end_group(const LayoutValue &group) = 0;
  virtual void value(const LayoutValue &value) = 0;
  /// Bytes within a group of a known size that its fields leave over.
  virtual void rest(Range range) = 0;

 protected:
  ~LayoutSink() = default;
};

struct LayoutResult {
  Outcome outcome = Outcome::ok;  ///< malformed: the bytes end before the layout does, or a length runs past their end
  std::size_t offset = 0;         ///< where the walk ended, in bytes
  bool is_other = false;          ///< a constant is another one: the bytes are of another format
  const LayoutNode *failed = nullptr;  ///< that could not be read
};

/// So many values are told of at most: no number in a packet makes it more.
inline constexpr std::uint32_t layout_max_values = 20'000;

/// Walks over bytes. @param encoding of Variants in them @param sink null: nobody wants to know
LayoutResult walk_layout(const Layout &layout, LayoutFields fields, Bytes bytes, const Encoding &encoding,
                         const ReadOptions &options, LayoutSink *sink);

/// Finds the layout of some that fits bytes best: none whose constants are others; where several fit, the first.
class LayoutChoice {
 public:
  LayoutChoice(LayoutFields fields, Bytes bytes, const Encoding &encoding, const ReadOptions &options)
      : fields_(fields), bytes_(bytes), encoding_(encoding), options_(options) {}

  void offer(const Layout &layout);
  [[nodiscard]] const Layout *best() const { return best_; }

 private:
  LayoutFields fields_;
  Bytes bytes_;
  Encoding encoding_;
  const ReadOptions &options_;
  const Layout *best_ = nullptr;
  bool is_whole_ = false;
};

/// Appends `{kind: heal, target: "bob", amount: 2.5}`.
LayoutResult append_layout(TextBuffer &buffer, const Layout &layout, LayoutFields fields, Bytes bytes,
                           const Encoding &encoding, const ReadOptions &options);

/// Appends one value as append_layout() writes it.
void append_layout_value(TextBuffer &buffer, const LayoutValue &value, LayoutFields fields, Bytes bytes,
                         const Encoding &encoding, const ReadOptions &options);

}  // namespace godot_codec
