// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Labels of items, and the Info column. Texts may be longer than epan's buffers. epan cuts some texts within a
/// character, which makes PDML and JSON invalid. These functions cut between two characters, and append an ellipsis.
/// All texts are UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A number as text, for a label.
class Digits {
 public:
  explicit Digits(std::uint32_t number) { text_.append_unsigned(number); }
  Digits(const Digits &) = delete;
  Digits &operator=(const Digits &) = delete;
  [[nodiscard]] std::string_view view() const { return text_.view(); }

 private:
  std::array<char, 16> memory_;
  godot_codec::TextBuffer text_{memory_};
};

/// Sets an item's text to the concatenated parts.
void set_label(proto_item *item, std::initializer_list<std::string_view> parts);

/// Sets a protocol's item to the protocol's name, ": " and a text.
void label_protocol(proto_item *item, int proto, const char *text);

/// The length of the part of a text that fits, in bytes, and the ellipsis that replaces the rest; "" if nothing was
/// cut.
struct CutText {
  int length;
  const char *end;
};

/// Cuts a text between two characters. @param capacity size of the buffer in bytes, including the terminating zero
[[nodiscard]] CutText cut_text(const char *text, std::size_t capacity);

/// Returns a comparison for a display filter, `field == "text"`, with the escapes that the text needs.
[[nodiscard]] const char *filter_for(packet_info *pinfo, const char *field, const char *text);

/// Returns the text with its first letter in upper case.
[[nodiscard]] const char *as_sentence(packet_info *pinfo, const char *text);

/// Replaces the text after the fence in the Info column. @param used number of bytes before the fence
void set_info(packet_info *pinfo, std::size_t used, const char *text);

/// Appends to the Info column.
void append_info(packet_info *pinfo, const char *text);

/// True if the Info column is shown. False on the first pass of tshark `-2` and of the window.
[[nodiscard]] inline bool wants_info(const packet_info *pinfo) { return col_get_writable(pinfo->cinfo, COL_INFO) != 0; }

/// Makes a column read-only until restore(). Locks may be nested: restore() sets the state from before the lock.
class LockedColumn {
 public:
  LockedColumn(column_info *columns, int column)
      : columns_(columns), column_(column), was_writable_(col_get_writable(columns, column) != 0) {
    set(false);
  }
  void restore() const { set(was_writable_); }

 private:
  void set(bool is_writable) const { col_set_writable(columns_, column_, is_writable ? 1 : 0); }

  column_info *columns_;
  int column_;
  bool was_writable_;
};
static_assert(std::is_trivially_destructible_v<LockedColumn>);

}  // namespace godot_plugin
