// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/debugger/packet-godot_debug.h"

#include <algorithm>
#include <new>
#include <optional>

#include "godot-codec/debugger/message.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/field_registration.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/releases.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DebugMessage;
using godot_codec::DebugMessageForm;
using godot_codec::DebugValue;
using godot_codec::Outcome;
using godot_codec::ScriptTextCache;

CountTable messages_table({GODOT_TABLE("debugger: messages to and from the editor"),
                           "godot_debug,messages",
                           {"Message"},
                           nullptr,
                           {"godot_debug.message"}});

constexpr std::size_t max_info_size = 240;

int proto_godot_debug = -1;

struct {
  HeaderField message{FT_STRING, "godot_debug.message", "Message", "Name of the message"};
  HeaderField thread_id{FT_INT64, "godot_debug.thread_id", "Thread ID",
                        "Thread of the game that sent the message or receives it; 1: main thread"};
  HeaderField label{FT_STRING, "godot_debug.label", "Label", "Name of the argument"};
  HeaderField undecoded{FT_BYTES, "godot_debug.undecoded", "Undecoded bytes", "Bytes that could not be decoded"};
} debug_fields;

struct {
  Subtree packet;
  Subtree arguments;
} debug_subtrees;

struct {
  ExpertItem malformed{
      {"godot_debug.malformed", PI_MALFORMED, PI_ERROR, "The sizes and counts in a debugger message do not match"},
      {.advice =
           "Check that the preference godot_debug.tcp.port contains only ports of the remote debugger, because Godot does not send such messages."}};
  ExpertItem truncated{"godot_debug.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the message"};
  ExpertItem unsupported{"godot_debug.unsupported", PI_UNDECODED, PI_NOTE, "Unknown message of the remote debugger"};
  ExpertItem limit{"godot_debug.limit", PI_UNDECODED, PI_NOTE,
                   "The tree is full, see the preference gui.max_tree_items"};
} debug_experts;

// ---- State, written on the first pass only

// Number of custom monitors in each TCP stream; nullopt before a message with their names.
using CustomMonitorHistory = godot_codec::History<std::optional<std::uint32_t>>;
ConversationState<CustomMonitorHistory> monitors;

void record_monitors(Bytes bytes, const DebugMessage &message, const MessageContext &context) {
  if (!may_update_state(context.pinfo)) return;
  if (const auto count = godot_codec::count_custom_monitors(bytes, message))
    monitors.of(context.conversation).record(context.message.position, count);
}

std::optional<std::uint32_t> monitor_count_before(const MessageContext &context) {
  const CustomMonitorHistory *known = monitors.find(context.conversation);
  return known == nullptr ? std::nullopt : known->before(context.message.position);
}

// ---- A message

// A debugger message, and where to add its items.
struct DebugDissection {
  packet_info *pinfo;
  tvbuff_t *tvb;
  proto_tree *tree;
  const DebugMessage *message;
  const MessageContext *context;
  ScriptTextCache *texts;  // texts of the arguments, stored while writing the summary; null without a visible tree
};

// Adds the Variant at @p offset. @returns the Variant's end offset; 0 if the Variant is malformed
std::size_t add_value(const DebugDissection &dissection, proto_tree *tree, std::size_t offset, const char *label,
                      const char *root_path, ScriptTextCache *texts = nullptr) {
  // If each Variant is one packet, the Variant ends with the packet, even if it is malformed.
  const bool is_packet = dissection.message->form == DebugMessageForm::godot3_packets;
  std::size_t end = tvb_reported_length(dissection.tvb);
  if (is_packet) {
    godot_codec::Cursor cursor(bytes_of(dissection.tvb), offset - godot_codec::stream_prefix_size);
    end = std::min(end, offset + cursor.read<std::uint32_t>());
  }
  tvbuff_t *part = subset_of(dissection.tvb, {0, end});
  VariantTarget variant_target{part, dissection.pinfo, tree, root_path, label};
  variant_target.texts = texts;
  const godot_codec::WalkResult result = add_variant_items(
      variant_target, static_cast<int>(offset), {.dialect = dissection.message->dialect}, preferred_read_options());
  return result.outcome == Outcome::ok ? result.offset : 0;
}

// Adds the length prefix of a packet that contains one Variant. @param offset of the Variant
void add_length_prefix(const DebugDissection &dissection, proto_tree *tree, std::size_t offset) {
  add_captured_number(tree, fields.length, dissection.tvb,
                      {offset - godot_codec::stream_prefix_size, godot_codec::stream_prefix_size});
}

// Adds the header of an Array that contains the message or its arguments.
void add_array_header(const DebugDissection &dissection, proto_tree *tree, const DebugValue &array) {
  constexpr std::size_t field_size = sizeof(std::uint32_t);
  const std::string_view name = godot_codec::type_name(dissection.message->dialect, godot_codec::Type::array);
  add_captured_text(tree, fields.type, dissection.tvb, {array.range.offset, field_size}, name.data());
  if (array.text_range.length > 0) {
    add_captured_text(tree, registered_field(godot_codec::VariantField::element_type), dissection.tvb, array.text_range,
                      printable(dissection.pinfo->pool, array.text));
  }
  add_captured_number(tree, registered_field(godot_codec::VariantField::count), dissection.tvb,
                      {array.range.end() - field_size, field_size});
}

void add_message_name(const DebugDissection &dissection) {
  const DebugValue &name = dissection.message->name;
  add_captured_text(dissection.tree, debug_fields.message, dissection.tvb, name.text_range,
                    printable(dissection.pinfo->pool, name.text));
  add_value(dissection, dissection.tree, name.range.offset, "Name", "");
}

void add_thread_id(const DebugDissection &dissection) {
  if (!dissection.message->has_thread_id) return;
  const DebugValue &thread = dissection.message->thread_id;
  const int start = static_cast<int>(thread.range.offset + sizeof(std::uint32_t));
  const int length = static_cast<int>(thread.range.length - sizeof(std::uint32_t));
  proto_tree_add_int64(dissection.tree, debug_fields.thread_id, dissection.tvb, start, length, thread.integer);
  add_value(dissection, dissection.tree, thread.range.offset, "Thread", "");
}

// Adds the remaining bytes as one item, because the tree is full or their format is unknown.
void add_remaining_bytes(const DebugDissection &dissection, std::size_t offset, ExpertItem *why) {
  const godot_codec::Range rest = range_from(dissection.tvb, offset);
  if (captured_range(dissection.tvb, rest).length == 0) return;
  proto_item *item = add_captured(dissection.tree, debug_fields.undecoded, dissection.tvb, rest);
  add_expert(dissection.pinfo, item, why);
}

bool is_truncated(tvbuff_t *tvb) { return tvb_captured_length(tvb) < tvb_reported_length(tvb); }

// Adds the remaining bytes as one item, because they cannot be decoded or follow the message's end.
void add_undecodable_bytes(const DebugDissection &dissection, std::size_t offset) {
  add_remaining_bytes(dissection, offset,
                      is_truncated(dissection.tvb) ? &debug_experts.truncated : &debug_experts.malformed);
}

// Returns an argument's title: "File" for "file".
const char *argument_title(packet_info *pinfo, std::string_view label, std::uint32_t index) {
  if (label.empty()) return wmem_strdup_printf(pinfo->pool, "Argument %u", index + 1);
  char *title = wmem_strndup(pinfo->pool, label.data(), label.size());
  title[0] = g_ascii_toupper(title[0]);
  return title;
}

// Adds a hidden item for filters and exports, because the argument's own item already shows the label. The caller sets
// the item's length after adding the argument.
// @returns null if there is no label or no visible tree
proto_item *add_hidden_label_item(const DebugDissection &dissection, proto_tree *tree, std::size_t start,
                                  std::string_view label) {
  if (label.empty()) return nullptr;
  const char *text = wmem_strndup(dissection.pinfo->pool, label.data(), label.size());
  proto_item *item =
      add_captured_text(tree, debug_fields.label, dissection.tvb, range_from(dissection.tvb, start), text);
  if (item == tree) return nullptr;
  proto_item_set_hidden(item);
  return item;
}

void add_arguments(const DebugDissection &dissection, proto_tree *tree) {
  const DebugMessage &message = *dissection.message;
  const Bytes bytes = bytes_of(dissection.tvb);
  godot_codec::DebugArgumentLabels labels(bytes, message, monitor_count_before(*dissection.context));
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    if (is_tree_full(tree)) return add_remaining_bytes(dissection, end, &debug_experts.limit);
    const DebugValue value = godot_codec::peek_argument(bytes, message, end);
    const std::string_view label = labels.next();
    labels.record_argument(value);
    const bool is_packet = message.form == DebugMessageForm::godot3_packets;
    if (is_packet && value.range.length == 0) {
      if (end >= bytes.reported) add_expert(dissection.pinfo, tree, &debug_experts.malformed);
      return add_undecodable_bytes(dissection, end);
    }
    const std::size_t start = value.range.offset;
    if (is_packet) add_length_prefix(dissection, tree, start);
    proto_item *item = add_hidden_label_item(dissection, tree, start, label);
    const char *path = wmem_strdup_printf(dissection.pinfo->pool, "/%u", i);
    end = add_value(dissection, tree, start, argument_title(dissection.pinfo, label, i), path, dissection.texts);
    if (end == 0) return;
    if (item != nullptr) proto_item_set_len(item, static_cast<int>(end - start));
  }
  if (end < bytes.reported) add_undecodable_bytes(dissection, end);
}

// Adds the Array that contains the arguments in Godot 4. @returns the tree for the arguments
proto_tree *add_argument_list(const DebugDissection &dissection) {
  const DebugMessage &message = *dissection.message;
  const char *text = wmem_strdup_printf(dissection.pinfo->pool, "Array(%u)", message.argument_count);
  proto_item *item = add_captured_text(dissection.tree, fields.value, dissection.tvb,
                                       range_from(dissection.tvb, message.list.range.offset), text);
  set_label(item, {"Arguments: ", text});
  proto_tree *tree = proto_item_add_subtree(item, debug_subtrees.arguments);
  add_array_header(dissection, tree, message.list);
  return tree;
}

// Shows a packet that is not a debugger message: one Variant, or the readable part of its first Variant.
void add_other_packet(const DebugDissection &dissection) {
  const std::size_t end = add_value(dissection, dissection.tree, godot_codec::stream_prefix_size, "Value", "");
  if (end > 0 && !is_truncated(dissection.tvb)) {
    add_expert(
        dissection.pinfo, proto_tree_get_parent(dissection.tree), &debug_experts.unsupported,
        "This is a Variant, but not a debugger message. If the game sends Variants on this port, set the port in godot.tcp.port, not in godot_debug.tcp.port");
  }
  if (end > 0) add_undecodable_bytes(dissection, end);
}

void add_message(const DebugDissection &dissection) {
  const DebugMessage &message = *dissection.message;
  if (tvb_captured_length(dissection.tvb) < godot_codec::stream_prefix_size)
    return add_undecodable_bytes(dissection, 0);
  add_length_prefix(dissection, dissection.tree, godot_codec::stream_prefix_size);
  if (message.form == DebugMessageForm::other) return add_other_packet(dissection);
  const bool is_array = message.form != DebugMessageForm::godot3_packets;
  if (is_array) add_array_header(dissection, dissection.tree, message.root);
  add_message_name(dissection);
  add_thread_id(dissection);
  if (!is_array) {
    add_length_prefix(dissection, dissection.tree, message.list.range.offset);
    add_value(dissection, dissection.tree, message.list.range.offset, "Number of arguments", "");
  }
  add_arguments(dissection, message.form == DebugMessageForm::godot4 ? add_argument_list(dissection) : dissection.tree);
}

void record_sender_release(Bytes bytes, const DebugMessage &message, const MessageContext &context) {
  ReleaseEvidence *sender = release_evidence_to_update(context.pinfo, context.conversation);
  if (sender != nullptr) godot_codec::record_release_facts(sender->facts, context.message.position, bytes, message);
}

// Passes the arguments to the match page, including the values of monitors.
void pass_to_match_page(Bytes bytes, const DebugMessage &message, const MessageContext &context, const char *name) {
  packet_info *pinfo = context.pinfo;
  MatchMessage *match = add_match_message(pinfo, "debug", tvb_reported_length(context.tvb), name);
  if (match == nullptr) return;
  MatchObject *object = add_match_object(pinfo, *match, "", match->bytes);
  godot_codec::DebugArgumentLabels labels(bytes, message, monitor_count_before(context));
  std::size_t end = message.arguments_offset;
  for (std::uint32_t i = 0; i < message.argument_count && end < bytes.reported; ++i) {
    const DebugValue value = godot_codec::peek_argument(bytes, message, end);
    if (message.form == DebugMessageForm::godot3_packets && value.range.length == 0) return;
    const std::string_view label = labels.next();
    labels.record_argument(value);
    const char *argument = label.empty() ? wmem_strdup_printf(pinfo->pool, "argument %u", i + 1)
                                         : wmem_strndup(pinfo->pool, label.data(), label.size());
    end = add_match_value(pinfo, *object, argument, bytes, value.range.offset, {.dialect = message.dialect},
                          preferred_read_options());
    if (end == 0) return;
  }
}

}  // namespace

void dissect_debug_message(const MessageContext &context) {
  packet_info *pinfo = context.pinfo;
  proto_tree *root = context.tree;
  tvbuff_t *tvb = context.tvb;
  const Bytes bytes = bytes_of(tvb);
  const DebugMessage message = godot_codec::read_debug_message(bytes);
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_info_size));
  godot_codec::TextBuffer summary({memory, max_info_size});
  auto *texts = is_visible(root) ? new (wmem_alloc(pinfo->pool, sizeof(ScriptTextCache)))
                                       ScriptTextCache(preferred_read_options())
                                 : nullptr;
  const Outcome outcome = godot_codec::append_debug_summary(summary, bytes, message, preferred_read_options(), texts);
  const bool is_other = message.form == DebugMessageForm::other && outcome == Outcome::ok;
  const char *mark = godot_codec::outcome_mark(is_other ? Outcome::unsupported : outcome);
  const char *marked_summary = wmem_strdup_printf(pinfo->pool, "%s%s", memory, mark);
  add_summary(context, "GodotDebug", marked_summary);
  if (count_message(context, ByteCategory::debugger) != nullptr) {
    const bool is_named = message.form != DebugMessageForm::other && !message.name.text.empty();
    const char *name = is_named ? printable(pinfo->pool, message.name.text) : "(no name)";
    count_in(pinfo, messages_table, {name}, tvb_reported_length(tvb));
    if (is_collecting_match()) pass_to_match_page(bytes, message, context, name);
    set_match_summary(pinfo, marked_summary);
  }
  record_sender_release(bytes, message, context);
  record_monitors(bytes, message, context);
  if (!needs_expert_items(pinfo, root)) return;
  proto_item *item = proto_tree_add_item(root, proto_godot_debug, tvb, 0, -1, ENC_NA);
  set_protocol_label(item, proto_godot_debug, marked_summary);
  if (is_truncated(tvb)) add_expert(pinfo, item, &debug_experts.truncated);
  proto_tree *tree = proto_item_add_subtree(item, debug_subtrees.packet);
  add_message({pinfo, tvb, tree, &message, &context, texts});
  add_release_items(tvb, pinfo, tree, context.conversation);
}

void register_godot_debug() {
  proto_godot_debug = proto_register_protocol("Godot Remote Debugger", "GodotDebug", "godot_debug");
  begin_port_preferences(prefs_register_protocol(proto_godot_debug, nullptr));
}

}  // namespace godot_plugin
