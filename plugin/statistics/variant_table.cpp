// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <exception>

#include "godot-codec/variant/message_kind_text.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

CountTable variants_table({GODOT_TABLE("put_var(): what costs bandwidth"), "godot,variants", {"Message"}, "Ways"});

constexpr std::size_t max_kind = 160;
using KindText = std::array<char, max_kind>;

// Never throws, and calls no epan function.
void write_message_kind(KindText &kind, godot_codec::Bytes bytes, std::size_t offset,
                        const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  static godot_codec::ValueArena arena;
  godot_codec::TextBuffer text(kind);
  try {
    godot_codec::append_message_kind(text, bytes, offset, encoding, options, arena);
  } catch (const std::exception &) {
    text.append("(unreadable)");  // out of memory
  }
}

// @param kind the value's kind, or another name for the message
MatchMessage *begin_match_message(packet_info *pinfo, const char *name, const char *kind, std::size_t bytes) {
  MatchMessage *message = add_match_message(pinfo, name, static_cast<std::uint32_t>(bytes));
  if (message == nullptr) return nullptr;
  message->method_or_kind = kind;
  message->from = {nullptr, at_source};
  message->to = {nullptr, at_destination};
  return message;
}

}  // namespace

void count_non_variant(packet_info *pinfo, const char *kind, std::size_t bytes, const char *endpoints) {
  if (frame_record_if_counted(pinfo) == nullptr) return;
  count_in(pinfo, variants_table, {kind, nullptr, nullptr, endpoints}, static_cast<std::uint32_t>(bytes));
  begin_match_message(pinfo, "bytes", kind, bytes);
}

void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  if (frame_record_if_counted(pinfo) == nullptr) return;
  KindText kind;
  write_message_kind(kind, bytes, offset, encoding, options);
  const char *name = wmem_strdup(pinfo->pool, kind.data());
  const std::size_t size = bytes.reported - offset;
  count_in(pinfo, variants_table, {name, nullptr, nullptr, endpoints_text(pinfo)}, static_cast<std::uint32_t>(size));
  MatchMessage *message = begin_match_message(pinfo, "variant", name, size);
  if (message == nullptr) return;
  MatchObject *object = add_match_object(pinfo, *message, "", static_cast<std::uint32_t>(size));
  add_match_value(pinfo, *object, "", bytes, offset, encoding, options);
}

}  // namespace godot_plugin
