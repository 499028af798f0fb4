// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/labels.h"

#include <algorithm>
#include <cstring>

#include "plugin/epan/internals.h"

namespace godot_plugin {
namespace {

std::size_t remaining_capacity(std::size_t used, std::size_t size) { return size - std::min(used, size); }

// Returns a word of a filter name as titles spell it: abbreviations are spelled out or capitalised.
std::string_view spell_out(std::string_view word) {
  constexpr std::string_view spellings[][2] = {
      {"id", "ID"}, {"rid", "RID"}, {"mtu", "MTU"}, {"seq", "sequence number"}};
  for (const auto &spelling : spellings) {
    if (word == spelling[0]) return spelling[1];
  }
  return word;
}

}  // namespace

TruncatedText truncate_text(const char *text, std::size_t capacity) {
  constexpr const char *ellipsis = "\u2026";
  const std::size_t size = std::strlen(text);
  if (size < capacity) return {static_cast<int>(size), ""};
  const std::size_t reserved = std::strlen(ellipsis) + 1;
  if (capacity < reserved) return {0, ""};
  std::size_t length = capacity - reserved;
  constexpr unsigned char continuation_mask = 0xc0;
  constexpr unsigned char continuation = 0x80;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & continuation_mask) == continuation) --length;
  return {static_cast<int>(length), ellipsis};
}

void set_label(proto_item *item, std::initializer_list<std::string_view> parts) {
  if (!is_visible(item)) return;
  std::array<char, ITEM_LABEL_LENGTH> memory;
  godot_codec::TextBuffer label(memory);
  for (const std::string_view part : parts) label.append(part);
  proto_item_set_text(item, "%s", memory.data());
}

void set_protocol_label(proto_item *item, int proto, const char *text) {
  if (!is_visible(item)) return;
  set_label(item, {proto_registrar_get_nth(static_cast<unsigned>(proto))->name, ": ", text});
}

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

std::string title_of(std::string_view filter_name) {
  std::string title;
  std::string_view last;
  while (!filter_name.empty()) {
    const std::string_view word = filter_name.substr(0, filter_name.find_first_of("._"));
    if (word != last) title.append(title.empty() ? "" : " ").append(spell_out(word));
    last = word;
    filter_name.remove_prefix(std::min(word.size() + 1, filter_name.size()));
  }
  title[0] = g_ascii_toupper(title[0]);
  return title;
}

std::string count_text(std::uint64_t number, const char *what) {
  constexpr std::ptrdiff_t group = 3;
  std::string text = std::to_string(number);
  for (std::ptrdiff_t position = std::ssize(text) - group; position > 0; position -= group) {
    text.insert(static_cast<std::size_t>(position), 1, ',');
  }
  return text + " " + what + (number == 1 ? "" : "s");
}

const char *capitalize_first_letter(packet_info *pinfo, const char *text) {
  char *sentence = wmem_strdup(pinfo->pool, text);
  sentence[0] = g_ascii_toupper(sentence[0]);
  return sentence;
}

void set_info(packet_info *pinfo, std::size_t used, const char *text) {
  const TruncatedText cut = truncate_text(text, remaining_capacity(used, COL_MAX_INFO_LEN));
  if (cut.ellipsis[0] == '\0') return col_set_str(pinfo->cinfo, COL_INFO, text);
  col_add_fstr(pinfo->cinfo, COL_INFO, "%.*s%s", cut.length, text, cut.ellipsis);
}

void append_info(packet_info *pinfo, const char *text) {
  const char *known = col_get_text(pinfo->cinfo, COL_INFO);
  if (known == nullptr || *known == '\0') return set_info(pinfo, 0, text);
  const TruncatedText cut = truncate_text(text, remaining_capacity(std::strlen(known), COL_MAX_INFO_LEN));
  if (cut.ellipsis[0] == '\0') return col_append_fstr(pinfo->cinfo, COL_INFO, "%s", text);
  col_append_fstr(pinfo->cinfo, COL_INFO, "%.*s%s", cut.length, text, cut.ellipsis);
}

}  // namespace godot_plugin
