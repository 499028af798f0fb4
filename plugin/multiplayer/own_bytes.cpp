// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/own_bytes.h"

#include "godot-codec/multiplayer/arguments.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/own_bytes.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::MpArgument;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpMessage;
using godot_codec::Range;

dissector_table_t call_table;
dissector_table_t raw_table;

dissector_handle_t find_call_dissector(const MpDrawing &drawing, const char *node, const char *method) {
  if (node != nullptr) {
    const char *whole = wmem_strdup_printf(drawing.pinfo->pool, "%s.%s", node, method);
    if (dissector_handle_t handle = dissector_get_string_handle(call_table, whole); handle != nullptr) return handle;
  }
  return dissector_get_string_handle(call_table, method);
}

// Its bytes are the message's, which is counted.
void call_for(const MpDrawing &drawing, const OwnCall &call) {
  const FrameRecord::Messages before = count_messages_as(drawing.pinfo, FrameRecord::Messages::ignored);
  const OwnAnswer answer = call_own_dissector(drawing.pinfo, call);
  count_messages_as(drawing.pinfo, before);
  if (*drawing.own_text == nullptr) *drawing.own_text = answer.text;
}

tvbuff_t *part_of(const MpDrawing &drawing, Range range) { return subset_of(drawing.tvb, range); }

proto_tree *root_of(const MpDrawing &drawing) {
  return drawing.tree == nullptr ? nullptr : proto_tree_get_root(drawing.tree);
}

}  // namespace

void dissect_call_bytes(const MpDrawing &drawing, const MpMessage &message, const char *node, const char *method) {
  const bool is_readable = message.command == MpCommand::rpc && message.outcome == godot_codec::Outcome::ok;
  dissector_handle_t handle = is_readable ? find_call_dissector(drawing, node, method) : nullptr;
  if (handle == nullptr) return;
  if (message.fields.has(MpField::data)) {
    const Range range = godot_codec::mp_own_bytes(drawing.packet.bytes, message, drawing.packet.options);
    if (range.length > 0) call_for(drawing, {handle, part_of(drawing, range), root_of(drawing)});
    return;
  }
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count && offset < message.variants.range.end(); ++i) {
    const MpArgument argument =
        godot_codec::read_mp_argument(drawing.packet.bytes, message, offset, drawing.packet.options);
    if (argument.offset == 0) return;
    offset = argument.offset;
    if (argument.bytes.length == 0) continue;
    call_for(drawing, {handle, part_of(drawing, argument.bytes), root_of(drawing)});
  }
}

void dissect_raw_bytes(const MpDrawing &drawing, const MpMessage &message) {
  if (message.command != MpCommand::raw && message.command != MpCommand::auth) return;
  const Range range = godot_codec::mp_own_bytes(drawing.packet.bytes, message, drawing.packet.options);
  if (range.length == 0) return;
  const std::uint32_t port = drawing.packet.is_from_client ? drawing.pinfo->destport : drawing.pinfo->srcport;
  dissector_handle_t handle = dissector_get_uint_handle(raw_table, port);
  if (handle == nullptr) handle = find_own_dissector(port);
  call_for(drawing, {handle, part_of(drawing, range), root_of(drawing)});
}

void register_mp_own_bytes(int proto) {
  call_table = register_dissector_table("godot_mp.call", "Godot method with bytes", proto, FT_STRING, BASE_NONE);
  dissector_table_allow_decode_as(call_table);
  raw_table = register_server_port_table("godot_mp.raw", "Godot raw message, server port", proto, "godot_mp");
}

}  // namespace godot_plugin
