// SPDX-License-Identifier: MIT
/// @file
/// Reads custom payloads by a layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// A value of a field.
struct LayoutValue {
  const LayoutNode *node = nullptr;
  std::uint32_t index = 0;     ///< index of the element, if the field is repeated
  std::size_t bit_offset = 0;  ///< offset from the first bit of the first byte
  std::size_t bit_length = 0;  ///< in bits; while a group is not finished, its length so far
  std::uint64_t integer = 0;   ///< value of a number; sign-extended if the type is signed
  double real = 0;             ///< value of a float
  Range content;               ///< bytes of a text, data or Variant, without a length prefix or a terminating zero
  std::string_view text;       ///< bytes of a text or data
  const LayoutValueName *name = nullptr;  ///< name of the number, or null

  /// Returns the range of bytes that contains the value.
  [[nodiscard]] Range range() const {
    const std::size_t start = bit_offset / 8;
    return {start, (bit_offset + bit_length + 7) / 8 - start};
  }
};

/// Receives the values of a walk, in the order of their bytes.
class LayoutSink {
 public:
  /// Called before and after all elements of a repeated field, even if it has no elements.
  virtual void begin_list(const LayoutNode &node) = 0;
  virtual void end_list(const LayoutNode &node) = 0;
  /// Called before and after the fields of a group. end_group() is called even if a field was unreadable.
  virtual void begin_group(const LayoutValue &group) = 0;
  virtual void end_group(const LayoutValue &group) = 0;
  virtual void value(const LayoutValue &value) = 0;
  /// Called for the remaining bytes of a group with a given size.
  virtual void trailing_bytes(Range range) = 0;

 protected:
  ~LayoutSink() = default;
};

struct LayoutWalkResult {
  Outcome outcome = Outcome::ok;  ///< malformed: the data ends before the layout does, or a length exceeds the data
  std::size_t offset = 0;         ///< end of the walk, in bytes
  bool has_constant_mismatch = false;       ///< true if the data differs from a constant, so it has another format
  const LayoutNode *failed_node = nullptr;  ///< the field that could not be read, or null
};

/// Maximum number of values that a walk emits, independent of the counts in the packet.
inline constexpr std::uint32_t layout_max_values = 20'000;

/// The data that a walk reads.
struct LayoutData {
  const LayoutFile &file;  ///< contains the layout; must outlive the walk
  Bytes bytes;
  Encoding encoding;  ///< of Variants in the data
  ReadOptions options;
};

/// Reads data by a layout.
/// @param sink null: only check whether the layout fits
LayoutWalkResult walk_layout(const Layout &layout, const LayoutData &data, LayoutSink *sink);

/// Chooses the layout that fits the data best. A layout with a different constant does not fit. If several layouts fit,
/// prefers the first layout that covers all of the data; if none covers it all, the first layout.
/// @param applies called with a layout; returns false if the layout must not be chosen
/// @returns null if no layout fits
template <typename Applies>
const Layout *choose_layout(const LayoutData &data, const Applies &applies) {
  const Layout *best = nullptr;
  for (const Layout &layout : data.file.layouts()) {
    if (!applies(layout)) continue;
    const LayoutWalkResult result = walk_layout(layout, data, nullptr);
    if (result.has_constant_mismatch) continue;
    const bool is_whole = result.outcome == Outcome::ok && result.offset == data.bytes.reported;
    if (is_whole || result.outcome == Outcome::truncated) return &layout;
    if (best == nullptr) best = &layout;
  }
  return best;
}

/// Chooses the layout of a raw message, by the port of the server.
[[nodiscard]] const Layout *find_port_layout(std::uint16_t port, const LayoutData &data);

/// Appends the values as text: `{kind: heal, target: "bob", amount: 2.5}`.
LayoutWalkResult append_layout_text(TextBuffer &buffer, const Layout &layout, const LayoutData &data);

/// Appends a single value in the format of append_layout_text().
void append_layout_value(TextBuffer &buffer, const LayoutValue &value, const LayoutData &data);

}  // namespace godot_codec
