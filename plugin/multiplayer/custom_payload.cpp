// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/epan/custom_dissectors.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::MpArgument;

dissector_table_t call_table;
dissector_table_t raw_table;

dissector_handle_t find_call_dissector(const MpDissection &dissection, const char *node, const char *method) {
  if (node != nullptr) {
    const char *whole = dissection.format("%s.%s", node, method);
    if (dissector_handle_t handle = dissector_get_string_handle(call_table, whole); handle != nullptr) return handle;
  }
  return dissector_get_string_handle(call_table, method);
}

// Calls a dissector without counting the bytes again, because the message already counts them.
void call_dissector_without_counting(const MpDissection &dissection, const CustomDissectorCall &call) {
  const FrameRecord::MessageCounting before =
      set_message_counting(dissection.pinfo, FrameRecord::MessageCounting::ignored);
  const CustomDissectorResult answer = call_custom_dissector(dissection.pinfo, call);
  set_message_counting(dissection.pinfo, before);
  if (dissection.result->custom_info_text == nullptr) dissection.result->custom_info_text = answer.info_text;
}

tvbuff_t *tvb_of(const MpDissection &dissection, Range range) { return subset_of(dissection.tvb, range); }

proto_tree *root_of(const MpDissection &dissection) {
  return dissection.tree == nullptr ? nullptr : proto_tree_get_root(dissection.tree);
}

// The dissector for a called method. Without a dissector, the custom formats are tried.
struct CustomCallee {
  dissector_handle_t handle;  // null: no dissector is registered
  const char *node;           // null: not known
  const char *method;
};

void add_described_payload(const MpDissection &dissection, const MpResolvedMessage &message, Range range,
                           const godot_codec::Layout &layout, const char *what) {
  add_layout_items({tvb_of(dissection, range), dissection.pinfo, root_of(dissection),
                    godot_codec::custom_payload_encoding(message.command.generation), what},
                   layout);
}

void dissect_argument(const MpDissection &dissection, const MpResolvedMessage &message, const CustomCallee &callee,
                      std::uint32_t index, Range range) {
  if (callee.handle != nullptr)
    return call_dissector_without_counting(dissection, {callee.handle, tvb_of(dissection, range), root_of(dissection)});
  const godot_codec::Layout *layout = godot_codec::find_call_layout(message, index, range);
  if (layout == nullptr) return;
  const char *node = callee.node == nullptr ? "" : callee.node;
  const char *what = dissection.format("%s%s%s", node, *node == '\0' ? "" : ".", callee.method);
  add_described_payload(dissection, message, range, *layout, what);
}

void dissect_call_payload(const MpDissection &dissection, const MpResolvedMessage &message) {
  const std::string_view name = message.method_name().text;
  if (name.empty() || message.command.outcome != Outcome::ok) return;
  const char *node = path_of(dissection, message);
  const char *method = dissection.printable(name);
  const CustomCallee callee{find_call_dissector(dissection, node, method), node, method};
  const godot_codec::LayoutFile *layouts = dissection.packet.layouts;
  if (callee.handle == nullptr && (layouts == nullptr || !layouts->has_layout_for_method(name))) return;
  if (message.fields.has(MpField::data)) {
    const Range range = godot_codec::find_mp_custom_payload(*dissection.packet.values, message.command);
    if (range.length > 0) dissect_argument(dissection, message, callee, 0, range);
    return;
  }
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count && offset < message.variants.range.end(); ++i) {
    const MpArgument argument = godot_codec::read_mp_argument(*dissection.packet.values, message.command, offset);
    if (argument.offset == 0) return;
    offset = argument.offset;
    if (argument.bytes.length == 0) continue;
    dissect_argument(dissection, message, callee, i, argument.bytes);
  }
}

void dissect_raw_payload(const MpDissection &dissection, const MpResolvedMessage &message) {
  const Range range = godot_codec::find_mp_custom_payload(*dissection.packet.values, message.command);
  if (range.length == 0) return;
  const std::uint32_t port =
      dissection.packet.is_from_server() ? dissection.pinfo->srcport : dissection.pinfo->destport;
  dissector_handle_t handle = dissector_get_uint_handle(raw_table, port);
  if (handle == nullptr) handle = find_custom_dissector(port);
  const godot_codec::Layout *layout = handle == nullptr ? godot_codec::find_raw_layout(message, range) : nullptr;
  if (layout != nullptr) return add_described_payload(dissection, message, range, *layout, nullptr);
  call_dissector_without_counting(dissection, {handle, tvb_of(dissection, range), root_of(dissection)});
}

}  // namespace

void dissect_custom_payloads(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (message.is(MpCommand::rpc)) dissect_call_payload(dissection, message);
  if (message.is(MpCommand::raw) || message.is(MpCommand::auth)) dissect_raw_payload(dissection, message);
}

void register_mp_custom_payload(int proto) {
  call_table = register_dissector_table("godot_mp.call", "Godot method with bytes", proto, FT_STRING, BASE_NONE);
  dissector_table_allow_decode_as(call_table);
  raw_table =
      register_server_port_table<server_port_of>("godot_mp.raw", "Godot raw message, server port", proto, "godot_mp");
}

}  // namespace godot_plugin
