// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Writes UTF-8 texts to labels and to the Info column. If a text is longer than epan's buffer, epan may cut it inside
/// a character, which makes PDML and JSON invalid. These functions cut between two characters and append an ellipsis.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A number as text, for a label.
class NumberLabel {
 public:
  explicit NumberLabel(std::uint32_t number) { text_.append_unsigned(number); }
  NumberLabel(const NumberLabel &) = delete;
  NumberLabel &operator=(const NumberLabel &) = delete;
  [[nodiscard]] std::string_view view() const { return text_.view(); }

 private:
  std::array<char, 16> memory_;
  godot_codec::TextBuffer text_{memory_};
};

/// Sets an item's text to the concatenated parts.
void set_label(proto_item *item, std::initializer_list<std::string_view> parts);

/// Sets the text of a protocol's item to "NAME: TEXT", with the name of the protocol.
void set_protocol_label(proto_item *item, int proto, const char *text);

/// A text that was cut to fit: the number of bytes that remain, and the ellipsis after these bytes ("" if not cut).
struct TruncatedText {
  int length;
  const char *ellipsis;
};

/// Cuts a text to a buffer's size, but never inside a UTF-8 character. @param capacity size of the buffer in bytes,
/// including the terminating zero
[[nodiscard]] TruncatedText truncate_text(const char *text, std::size_t capacity);

/// Returns a quoted text, escaped for a display filter.
[[nodiscard]] std::string quoted(std::string_view text);

/// Returns the title of a field with a filter name: "String length" for string.length, "Connect ID" for
/// connect.connect_id.
[[nodiscard]] std::string title_of(std::string_view filter_name);

/// Returns text such as "2,310 messages" or "1 message".
[[nodiscard]] std::string count_text(std::uint64_t number, const char *what);

/// Returns the text with its first letter in upper case.
[[nodiscard]] const char *capitalize_first_letter(packet_info *pinfo, const char *text);

/// Replaces the text after the fence in the Info column. epan does not copy the text, because that takes longer than
/// everything else about the column. @param used number of bytes before the fence @param text in the packet's memory
void set_info(packet_info *pinfo, std::size_t used, const char *text);

/// Appends to the Info column. @param text in the packet's memory
void append_info(packet_info *pinfo, const char *text);

/// True if the Info column is shown. False on the first pass of tshark `-2` and of the window.
[[nodiscard]] inline bool is_info_column_shown(const packet_info *pinfo) {
  return col_get_writable(pinfo->cinfo, COL_INFO) != 0;
}

/// Makes a column read-only until restore(). Locks can be nested, because restore() restores the previous state.
class ColumnLock {
 public:
  /// @param is_locked false: the column stays writable
  ColumnLock(column_info *columns, int column, bool is_locked)
      : columns_(columns), column_(column), was_writable_(col_get_writable(columns, column) != 0) {
    if (is_locked) col_set_writable(columns_, column_, false);
  }
  void restore() const { col_set_writable(columns_, column_, was_writable_ ? 1 : 0); }

 private:
  column_info *columns_;
  int column_;
  bool was_writable_;
};
static_assert(std::is_trivially_destructible_v<ColumnLock>);

}  // namespace godot_plugin
