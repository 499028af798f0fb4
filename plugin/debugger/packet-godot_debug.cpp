// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/debugger/packet-godot_debug.h"

#include <algorithm>
#include <deque>
#include <new>
#include <optional>

#include "godot-codec/core/outcome.h"
#include "godot-codec/debugger/message.h"
#include "godot-codec/debugger/monitors.h"
#include "godot-codec/variant/text.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/fields.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/preferences.h"
#include "plugin/godot/releases.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/match.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DebugForm;
using godot_codec::DebugMessage;
using godot_codec::DebugValue;
using godot_codec::Outcome;
using godot_codec::ValueTexts;

constexpr std::size_t max_info = 240;

int proto_godot_debug = -1;

struct {
  HeaderField message{FT_STRING, "godot_debug.message", "Message", "Name of the message"};
  HeaderField thread_id{FT_INT64, "godot_debug.thread_id", "Thread ID",
                        "Thread of the game that sent the message or receives it; 1: main thread"};
  HeaderField label{FT_STRING, "godot_debug.label", "Label", "Name of the argument"};
  HeaderField undecoded{FT_BYTES, "godot_debug.undecoded", "Undecoded bytes", "Bytes that could not be decoded"};
} debug_fields;

struct {
  int packet = -1;
  int arguments = -1;
} debug_subtrees;

struct {
  ExpertItem malformed{"godot_debug.malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself"};
  ExpertItem truncated{"godot_debug.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the message"};
  ExpertItem unsupported{"godot_debug.unsupported", PI_UNDECODED, PI_NOTE, "Unknown message of the remote debugger"};
  ExpertItem limit{"godot_debug.limit", PI_UNDECODED, PI_NOTE,
                   "The tree is full, see the preference gui.max_tree_items"};
} debug_experts;

// ---- State, written on the first pass only

// Names of the monitors in each stream. A deque, so that pointers to elements stay valid.
std::deque<godot_codec::DebugMonitors> all_monitors;
wmem_map_t *monitors_of_streams;  // by conversation

void forget_monitors() { all_monitors.clear(); }

godot_codec::DebugMonitors *find_monitors(const conversation_t *conversation) {
  return static_cast<godot_codec::DebugMonitors *>(wmem_map_lookup(monitors_of_streams, conversation));
}

void learn_monitors(Bytes bytes, const DebugMessage &message, const MessageContext &context) {
  if (!may_learn(context.pinfo)) return;
  godot_codec::DebugMonitors *monitors = find_monitors(context.conversation);
  if (monitors == nullptr) {
    monitors = &all_monitors.emplace_back();
    wmem_map_insert(monitors_of_streams, context.conversation, monitors);
  }
  monitors->learn(context.message.moment, bytes, message);
}

std::optional<std::uint32_t> monitors_before(const MessageContext &context) {
  const godot_codec::DebugMonitors *monitors = find_monitors(context.conversation);
  return monitors == nullptr ? std::nullopt : monitors->before(context.message.moment);
}

// ---- A message

// The parameters for adding a message to the tree.
struct Drawing {
  packet_info *pinfo;
  tvbuff_t *tvb;
  proto_tree *tree;
  const DebugMessage *message;
  const MessageContext *context;
  ValueTexts *texts;  // texts of the arguments, stored while writing the summary; null without a visible tree
};

// Adds a Variant of the message. @returns its end; 0 if it cannot be decoded
std::size_t draw_value(const Drawing &drawing, proto_tree *tree, const DebugValue &value, const char *label,
                       const char *root_path, ValueTexts *texts = nullptr) {
  // A Variant in a packet of its own ends with the packet, even if it is malformed.
  const bool is_packet = drawing.message->form == DebugForm::parts;
  const int start = static_cast<int>(value.range.offset);
  std::size_t end = tvb_reported_length(drawing.tvb);
  if (is_packet) {
    godot_codec::Cursor cursor(bytes_of(drawing.tvb), value.range.offset - godot_codec::stream_prefix_size);
    end = std::min(end, value.range.offset + cursor.read<std::uint32_t>());
  }
  tvbuff_t *part = subset_of(drawing.tvb, {0, end});
  DrawTarget target{part, drawing.pinfo, tree, preferred_max_elements(), root_path, label};
  target.texts = texts;
  const godot_codec::WalkResult result =
      draw_variant(target, start, {.dialect = drawing.message->dialect}, preferred_read_options());
  return result.outcome == Outcome::ok ? result.offset : 0;
}

// Adds the length prefix of a packet that contains one Variant.
void draw_length(const Drawing &drawing, proto_tree *tree, const DebugValue &value) {
  add_captured_number(tree, fields.length, drawing.tvb,
                      {value.range.offset - godot_codec::stream_prefix_size, godot_codec::stream_prefix_size});
}

class ElementTypeSink final : public godot_codec::VariantSink {
 public:
  [[nodiscard]] const godot_codec::TextField &found() const { return found_; }

  godot_codec::Verdict begin_value(const godot_codec::ValueHeader &value) {
    return value.depth == 0 ? godot_codec::Verdict::proceed : godot_codec::Verdict::stop;
  }
  void text(const godot_codec::ValueHeader & /*value*/, const godot_codec::TextField &field) {
    if (field.field == godot_codec::Field::element_type) found_ = field;
  }

 private:
  godot_codec::TextField found_{};
};

void draw_element_type(const Drawing &drawing, proto_tree *tree, std::size_t offset) {
  ElementTypeSink sink;
  godot_codec::walk_variant(bytes_of(drawing.tvb), offset, {.dialect = drawing.message->dialect},
                            preferred_read_options(), sink);
  const godot_codec::TextField &type = sink.found();
  if (type.range.length == 0) return;
  add_captured_text(tree, registered(godot_codec::Field::element_type), drawing.tvb, type.range,
                    printable(drawing.pinfo->pool, type.text));
}

// Adds the header of the Array that contains the message.
void draw_array_header(const Drawing &drawing, proto_tree *tree, std::size_t offset, std::size_t elements) {
  const std::size_t count = elements - sizeof(std::uint32_t);
  const std::string_view name = godot_codec::type_name(drawing.message->dialect, godot_codec::Type::array);
  add_captured_text(tree, fields.type, drawing.tvb, {offset, sizeof(std::uint32_t)}, name.data());
  draw_element_type(drawing, tree, offset);
  add_captured_number(tree, registered(godot_codec::Field::count), drawing.tvb, {count, sizeof(std::uint32_t)});
}

void draw_name(const Drawing &drawing) {
  const DebugValue &name = drawing.message->name;
  add_captured_text(drawing.tree, debug_fields.message, drawing.tvb, name.text_range,
                    printable(drawing.pinfo->pool, name.text));
  draw_value(drawing, drawing.tree, name, "Name", "");
}

void draw_thread(const Drawing &drawing) {
  if (!drawing.message->has_thread) return;
  const DebugValue &thread = drawing.message->thread;
  const int start = static_cast<int>(thread.range.offset + sizeof(std::uint32_t));
  const int length = static_cast<int>(thread.range.length - sizeof(std::uint32_t));
  proto_tree_add_int64(drawing.tree, debug_fields.thread_id, drawing.tvb, start, length, thread.integer);
  draw_value(drawing, drawing.tree, thread, "Thread", "");
}

// Adds the remaining bytes as one item, because the tree is full or their format is unknown.
void draw_rest(const Drawing &drawing, std::size_t offset, ExpertItem *why) {
  const godot_codec::Range rest = behind(drawing.tvb, offset);
  if (captured_part(drawing.tvb, rest).length == 0) return;
  proto_item *item = add_captured(drawing.tree, debug_fields.undecoded, drawing.tvb, rest);
  add_expert(drawing.pinfo, item, why);
}

bool is_cut(tvbuff_t *tvb) { return tvb_captured_length(tvb) < tvb_reported_length(tvb); }

// Adds bytes that are not part of a message where its end or its next part should be.
void draw_unreadable(const Drawing &drawing, std::size_t offset) {
  draw_rest(drawing, offset, is_cut(drawing.tvb) ? &debug_experts.truncated : &debug_experts.malformed);
}

// Returns an argument's title: "File" for "file".
const char *title_of_label(packet_info *pinfo, std::string_view label, std::uint32_t index) {
  if (label.empty()) return wmem_strdup_printf(pinfo->pool, "Argument %u", index);
  char *title = wmem_strndup(pinfo->pool, label.data(), label.size());
  title[0] = g_ascii_toupper(title[0]);
  return title;
}

// Adds a hidden item for filters and exports; the tree shows the label on the argument itself. The item's length is set
// after the argument was added.
// @returns null if there is no label or no visible tree
proto_item *draw_label(const Drawing &drawing, proto_tree *tree, std::size_t start, std::string_view label) {
  if (label.empty()) return nullptr;
  const char *text = wmem_strndup(drawing.pinfo->pool, label.data(), label.size());
  proto_item *item = add_captured_text(tree, debug_fields.label, drawing.tvb, behind(drawing.tvb, start), text);
  if (item == tree) return nullptr;
  proto_item_set_hidden(item);
  return item;
}

void draw_arguments(const Drawing &drawing, proto_tree *tree) {
  const DebugMessage &message = *drawing.message;
  const Bytes bytes = bytes_of(drawing.tvb);
  godot_codec::DebugLabels labels(bytes, message, monitors_before(*drawing.context));
  std::size_t end = message.arguments;
  for (std::uint32_t i = 0; i < message.argument_count; ++i) {
    if (is_tree_full(tree)) return draw_rest(drawing, end, &debug_experts.limit);
    const DebugValue value = godot_codec::glance_at_argument(bytes, message, end);
    const std::string_view label = labels.next();
    labels.saw(value);
    const bool is_packet = message.form == DebugForm::parts;
    if (is_packet && value.range.length == 0) {
      if (end >= bytes.reported) add_expert(drawing.pinfo, tree, &debug_experts.malformed);
      return draw_unreadable(drawing, end);
    }
    if (is_packet) draw_length(drawing, tree, value);
    const std::size_t start = value.range.offset;
    proto_item *item = draw_label(drawing, tree, start, label);
    const char *path = wmem_strdup_printf(drawing.pinfo->pool, "/%u", i);
    end = draw_value(drawing, tree, value, title_of_label(drawing.pinfo, label, i), path, drawing.texts);
    if (end == 0) return;
    if (item != nullptr) proto_item_set_len(item, static_cast<int>(end - start));
  }
  if (end < bytes.reported) draw_unreadable(drawing, end);
}

// Adds the Array with the arguments of Godot 4. @returns the tree for them
proto_tree *draw_list(const Drawing &drawing) {
  const DebugMessage &message = *drawing.message;
  const char *text = wmem_strdup_printf(drawing.pinfo->pool, "Array(%u)", message.argument_count);
  proto_item *item =
      add_captured_text(drawing.tree, fields.value, drawing.tvb, behind(drawing.tvb, message.list.offset), text);
  set_label(item, {"Arguments: ", text});
  proto_tree *tree = proto_item_add_subtree(item, debug_subtrees.arguments);
  draw_array_header(drawing, tree, message.list.offset, message.list.end());
  return tree;
}

DebugValue value_at(std::size_t offset) {
  DebugValue value;
  value.range.offset = offset;
  return value;
}

// Shows a packet that is not a debugger message: a Variant, or the readable part of a message's first Variant.
void draw_other(const Drawing &drawing) {
  const std::size_t end = draw_value(drawing, drawing.tree, value_at(godot_codec::stream_prefix_size), "Value", "");
  if (end > 0 && !is_cut(drawing.tvb)) {
    add_expert(
        drawing.pinfo, proto_tree_get_parent(drawing.tree), &debug_experts.unsupported,
        "A Variant, but not a message of the remote debugger: if the game sends Variants, set the port in godot.tcp.port, not in godot_debug.tcp.port");
  }
  if (end > 0) draw_unreadable(drawing, end);
}

void draw_message(const Drawing &drawing) {
  const DebugMessage &message = *drawing.message;
  if (tvb_captured_length(drawing.tvb) < godot_codec::stream_prefix_size) return draw_unreadable(drawing, 0);
  draw_length(drawing, drawing.tree, value_at(godot_codec::stream_prefix_size));
  if (message.form == DebugForm::other) return draw_other(drawing);
  const bool is_array = message.form != DebugForm::parts;
  if (is_array) draw_array_header(drawing, drawing.tree, godot_codec::stream_prefix_size, message.name.range.offset);
  draw_name(drawing);
  draw_thread(drawing);
  if (message.form == DebugForm::parts) {
    const DebugValue count = value_at(message.list.offset + godot_codec::stream_prefix_size);
    draw_length(drawing, drawing.tree, count);
    draw_value(drawing, drawing.tree, count, "Number of arguments", "");
  }
  draw_arguments(drawing, message.form == DebugForm::godot4 ? draw_list(drawing) : drawing.tree);
}

void learn_release_of(Bytes bytes, const DebugMessage &message, const MessageContext &context) {
  SenderReleases *sender = learning_releases(context.pinfo, context.conversation);
  if (sender != nullptr) godot_codec::learn_release(sender->facts, context.message.moment, bytes, message);
}

// Passes the arguments to the match page, including the values of monitors.
void tell_match(Bytes bytes, const DebugMessage &message, const MessageContext &context, const char *name) {
  packet_info *pinfo = context.pinfo;
  MatchMessage *match = add_match_message(pinfo, "debug", tvb_reported_length(context.tvb));
  if (match == nullptr) return;
  match->what = name;
  match->from = {nullptr, at_source};
  match->to = {nullptr, at_destination};
  MatchObject *object = add_match_object(pinfo, *match, "", match->bytes);
  godot_codec::DebugLabels labels(bytes, message, monitors_before(context));
  std::size_t end = message.arguments;
  for (std::uint32_t i = 0; i < message.argument_count && end < bytes.reported; ++i) {
    const DebugValue value = godot_codec::glance_at_argument(bytes, message, end);
    if (message.form == DebugForm::parts && value.range.length == 0) return;
    const std::string_view label = labels.next();
    labels.saw(value);
    const char *argument = label.empty() ? wmem_strdup_printf(pinfo->pool, "argument %u", i)
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
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_info));
  godot_codec::TextBuffer summary({memory, max_info});
  auto *texts = is_visible(root) ? new (wmem_alloc(pinfo->pool, sizeof(ValueTexts)))
                                       ValueTexts(preferred_read_options())
                                 : nullptr;
  const Outcome outcome = godot_codec::append_debug_summary(summary, bytes, message, preferred_read_options(), texts);
  const bool is_other = message.form == DebugForm::other && outcome == Outcome::ok;
  const char *mark = godot_codec::outcome_mark(is_other ? Outcome::unsupported : outcome);
  const char *sentence = wmem_strdup_printf(pinfo->pool, "%s%s", memory, mark);
  tell_message(context, "GodotDebug", sentence);
  if (count_message(context, Cost::debugger) != nullptr) {
    const bool is_named = message.form != DebugForm::other && !message.name.text.empty();
    const char *name = is_named ? printable(pinfo->pool, message.name.text) : "(no name)";
    count_in(pinfo, &FrameRecord::debug_messages, {name}, tvb_reported_length(tvb));
    if (is_match_wanted()) tell_match(bytes, message, context, name);
    say_match_message(pinfo, sentence);
  }
  learn_release_of(bytes, message, context);
  if (godot_codec::names_monitors(message)) learn_monitors(bytes, message, context);
  if (!wants_experts(pinfo, root)) return;
  proto_item *item = proto_tree_add_item(root, proto_godot_debug, tvb, 0, -1, ENC_NA);
  label_protocol(item, proto_godot_debug, sentence);
  if (is_cut(tvb)) add_expert(pinfo, item, &debug_experts.truncated);
  proto_tree *tree = proto_item_add_subtree(item, debug_subtrees.packet);
  draw_message({pinfo, tvb, tree, &message, &context, texts});
  draw_release(tvb, pinfo, tree, context.conversation);
}

void register_godot_debug() {
  proto_godot_debug = proto_register_protocol("Godot Remote Debugger", "GodotDebug", "godot_debug");
  begin_port_preferences(prefs_register_protocol(proto_godot_debug, nullptr));
  register_fields(proto_godot_debug, debug_fields);
  register_subtrees(debug_subtrees);
  register_experts(proto_godot_debug, debug_experts);
  monitors_of_streams = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
  register_cleanup_routine(guarded<forget_monitors>);
}

}  // namespace godot_plugin
