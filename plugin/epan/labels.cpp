// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/labels.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "plugin/epan/internals.h"
#include "plugin/epan/problem.h"

namespace godot_plugin {
namespace {

// Formatted texts beyond this are cut a first time, somewhere: more of it is never shown.
constexpr std::size_t max_formatted = std::size_t{4} * ITEM_LABEL_LENGTH;

// The beginning of a text, and what stands in the place of the rest.
struct Fitting {
  int length;
  const char *end;
};

// @param room bytes, with the terminating zero
Fitting fit(const char *text, std::size_t room) {
  constexpr const char *ellipsis = "\u2026";
  const std::size_t size = std::strlen(text);
  if (size < room) return {static_cast<int>(size), ""};
  const std::size_t reserved = std::strlen(ellipsis) + 1;
  if (room < reserved) return {0, ""};
  std::size_t length = room - reserved;
  constexpr unsigned char continuation_mask = 0xc0;
  constexpr unsigned char continuation = 0x80;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & continuation_mask) == continuation) --length;
  return {static_cast<int>(length), ellipsis};
}

std::size_t room_behind(std::size_t used, std::size_t size) { return size - std::min(used, size); }

}  // namespace

void set_label(proto_item *item, std::initializer_list<std::string_view> parts) {
  if (!is_visible(item)) return;
  std::array<char, ITEM_LABEL_LENGTH> memory;
  godot_codec::TextBuffer label(memory);
  for (const std::string_view part : parts) label.append(part);
  proto_item_set_text(item, "%s", memory.data());
}

void label_protocol(proto_item *item, int proto, const char *text) {
  if (!is_visible(item)) return;
  set_label(item, {proto_registrar_get_nth(static_cast<unsigned>(proto))->name, ": ", text});
}

void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *format, ...) {
  char text[max_formatted];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const Fitting fitting = fit(text, ITEM_LABEL_LENGTH);
  expert_add_info_format(pinfo, item, expert, "%.*s%s", fitting.length, text, fitting.end);
  tell_problem_listener(pinfo, *expert, false);
  if (expert->is_trouble()) mark_trouble(item);
}

void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert) {
  expert_add_info(pinfo, item, expert);
  tell_problem_listener(pinfo, *expert, false);
  if (expert->is_trouble()) mark_trouble(item);
}

void set_info(packet_info *pinfo, std::size_t used, const char *text) {
  const Fitting fitting = fit(text, room_behind(used, COL_MAX_INFO_LEN));
  // Not by col_add_str(), which copies byte by byte.
  if (fitting.end[0] == '\0') return col_add_fstr(pinfo->cinfo, COL_INFO, "%s", text);
  col_add_fstr(pinfo->cinfo, COL_INFO, "%.*s%s", fitting.length, text, fitting.end);
}

void append_info(packet_info *pinfo, const char *text) {
  const char *known = col_get_text(pinfo->cinfo, COL_INFO);
  if (known == nullptr || *known == '\0') return set_info(pinfo, 0, text);
  const Fitting fitting = fit(text, room_behind(std::strlen(known), COL_MAX_INFO_LEN));
  if (fitting.end[0] == '\0') return col_append_fstr(pinfo->cinfo, COL_INFO, "%s", text);
  col_append_fstr(pinfo->cinfo, COL_INFO, "%.*s%s", fitting.length, text, fitting.end);
}

}  // namespace godot_plugin
