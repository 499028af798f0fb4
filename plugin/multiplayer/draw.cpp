// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/draw.h"

#include <algorithm>

#include "godot-codec/variant/detect.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/preferences.h"
#include "plugin/multiplayer/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::Generation;
using godot_codec::mp_client;
using godot_codec::MpCommand;
using godot_codec::MpConnection;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpName;
using godot_codec::MpNode;
using godot_codec::MpNumbering;
using godot_codec::MpObject;
using godot_codec::MpRoute;
using godot_codec::MpValue;
using godot_codec::MpVariants;
using godot_codec::Outcome;
using godot_codec::Range;
using godot_codec::WalkOptions;

expert_field *expert_of_message(Outcome outcome) {
  switch (outcome) {
    case Outcome::truncated:
      return &mp_experts.truncated;
    case Outcome::unsupported:
      return &mp_experts.unsupported;
    case Outcome::over_limit:
      return &mp_experts.limit;
    default:
      return &mp_experts.malformed;
  }
}

void draw_value(const MpDrawing &drawing, proto_tree *tree, const MpValue &value) {
  const int hf = registered(value.field);
  const int offset = static_cast<int>(value.range.offset);
  const int length = static_cast<int>(value.range.length);
  switch (godot_codec::mp_field_info(value.field).kind) {
    case godot_codec::MpKind::boolean:
      proto_tree_add_boolean(tree, hf, drawing.tvb, offset, length, value.integer != 0);
      break;
    case godot_codec::MpKind::int32:
      proto_tree_add_int(tree, hf, drawing.tvb, offset, length, static_cast<std::int32_t>(value.integer));
      break;
    case godot_codec::MpKind::uint64:
      proto_tree_add_uint64(tree, hf, drawing.tvb, offset, length, value.integer);
      break;
    case godot_codec::MpKind::text: {
      // Its terminating zero lies under it.
      const int with_zero = std::min(length + 1, tvb_captured_length_remaining(drawing.tvb, offset));
      proto_tree_add_string(tree, hf, drawing.tvb, offset, with_zero, printable(drawing.pinfo->pool, value.text));
      break;
    }
    case godot_codec::MpKind::opaque_bytes:
      proto_tree_add_item(tree, hf, drawing.tvb, offset, length, ENC_NA);
      break;
    default:
      proto_tree_add_uint(tree, hf, drawing.tvb, offset, length, static_cast<std::uint32_t>(value.integer));
      break;
  }
}

// The captured part of a range as an item of what is not read. @returns null if nothing of it was captured
proto_item *draw_undecoded(const MpDrawing &drawing, proto_tree *tree, Range range) {
  const std::size_t start = std::min(range.offset, drawing.packet.bytes.captured);
  const std::size_t end = std::min(range.end(), drawing.packet.bytes.captured);
  if (start == end) return nullptr;
  return proto_tree_add_item(tree, mp_fields.undecoded, drawing.tvb, static_cast<int>(start),
                             static_cast<int>(end - start), ENC_NA);
}

// What is left of a range, and why. Where no byte is, the message's own item tells it.
void draw_rest(const MpDrawing &drawing, proto_tree *tree, Range rest, Outcome outcome) {
  if (rest.length == 0 && outcome == Outcome::ok) return;
  proto_item *item = draw_undecoded(drawing, tree, rest);
  expert_add_info(drawing.pinfo, item != nullptr ? item : drawing.item,
                  outcome == Outcome::ok ? &mp_experts.trailing : expert_of_message(outcome));
}

// @returns whether no item is left for a range
bool draw_if_full(const MpDrawing &drawing, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (tree == nullptr || !is_tree_full(tree)) return false;
  draw_mp_limit(drawing, tree, {offset, end - offset});
  return true;
}

const char *what_variants_are(MpCommand command) {
  if (command == MpCommand::rpc) return "Argument";
  return command == MpCommand::rset ? "Value" : "Property";
}

// @param what they are: "Argument"
void draw_variants(const MpDrawing &drawing, proto_tree *tree, Generation generation, const MpVariants &variants,
                   const char *what) {
  if (tree == nullptr) return;
  const WalkOptions options = mp_options(drawing.packet, generation);
  const std::size_t end = variants.range.end();
  tvbuff_t *part = tvb_new_subset_length(drawing.tvb, 0, static_cast<int>(end));
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  for (; count < variants.count && offset < end; ++count) {
    if (draw_if_full(drawing, tree, offset, end)) return;
    const char *path = wmem_strdup_printf(drawing.pinfo->pool, "/%u", count);
    const char *label = variants.count == 1 ? what : wmem_strdup_printf(drawing.pinfo->pool, "%s %u", what, count);
    const DrawTarget target{part, drawing.pinfo, tree, preferred_max_elements(), path, label};
    const godot_codec::WalkResult result = draw_variant(target, static_cast<int>(offset), options);
    if (result.outcome != Outcome::ok) return;
    offset = result.offset;
  }
  const bool is_short = variants.count != MpVariants::all && count < variants.count;
  if (is_short) {
    expert_add_info_format(drawing.pinfo, drawing.item, &mp_experts.malformed, "Only %u of %u values are there", count,
                           variants.count);
  }
  draw_rest(drawing, tree, {offset, end - offset}, Outcome::ok);
}

// ---- what numbers stand for

// The path that fields name or mean; null if it is not known.
const char *path_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::path)) return printable(drawing.pinfo->pool, fields.text(MpField::path));
  const MpName *name = godot_codec::find_mp_name(drawing.packet, fields, numbering);
  return name == nullptr ? nullptr : name->text.data();
}

// What an object is of: a spawned node by its net id, another by the path of its synchronizer; null if not known.
const char *node_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::name)) return printable(drawing.pinfo->pool, fields.text(MpField::name));
  if (fields.has(MpField::path_id)) return path_of(drawing, fields, numbering);
  const MpNode *node = godot_codec::find_mp_node(drawing.packet, fields, numbering);
  return node == nullptr ? nullptr : node->spawn->name.data();
}

void draw_definition(const MpDrawing &drawing, proto_tree *tree, const MpName &name, std::int32_t listener) {
  proto_item_set_generated(
      proto_tree_add_uint(tree, mp_fields.path_defined_in, drawing.tvb, 0, 0, name.defined.packet));
  proto_item_set_generated(
      proto_tree_add_boolean(tree, mp_fields.path_confirmed, drawing.tvb, 0, 0,
                             drawing.packet.connection->is_confirmed(name, listener, drawing.packet.moment) ? 1 : 0));
}

// The path that a number stands for.
void draw_path(const MpDrawing &drawing, proto_tree *tree, const MpFields &fields, const MpNumbering &numbering) {
  const bool is_numbered = fields.has(MpField::path_id) || fields.has(MpField::spawner);
  if (!is_numbered || fields.has(MpField::path)) return;
  const MpName *name = godot_codec::find_mp_name(drawing.packet, fields, numbering);
  if (name == nullptr) {
    expert_add_info(drawing.pinfo, drawing.item, &mp_experts.unknown_path);
    return;
  }
  proto_item_set_generated(
      proto_tree_add_string(tree, registered(MpField::path), drawing.tvb, 0, 0, name->text.data()));
  if (fields.has(MpField::spawner)) {
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.spawner, drawing.tvb, 0, 0, name->text.data()));
  }
  draw_definition(drawing, tree, *name, numbering.listener);
}

// Godot 3 confirms a path without its number.
void draw_confirmed_path(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::confirm_path || !message.fields.has(MpField::path)) return;
  const MpName *name =
      drawing.packet.connection->find_path(numbering, message.fields.text(MpField::path), drawing.packet.moment);
  if (name != nullptr) draw_definition(drawing, drawing.tree, *name, numbering.listener);
}

void draw_node(const MpDrawing &drawing, proto_tree *tree, const MpFields &fields, const MpNumbering &numbering) {
  const char *node = node_of(drawing, fields, numbering);
  if (node == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.node, drawing.tvb, 0, 0, node));
}

// ---- parts of commands

void draw_first_byte(const MpDrawing &drawing, const MpMessage &message) {
  if (!message.is_known) return;
  draw_mp_command(drawing, message.command, {message.range.offset, 1});
  const int start = static_cast<int>(message.range.offset);
  for (const godot_codec::MpFlag flag : godot_codec::mp_flags(message.generation, message.command)) {
    proto_tree_add_item(drawing.tree, registered(flag), drawing.tvb, start, 1, ENC_NA);
  }
}

void draw_sync_ids(const MpDrawing &drawing, const MpMessage &message) {
  constexpr std::size_t id_size = sizeof(std::uint32_t);
  if (drawing.tree == nullptr) return;
  for (std::size_t i = 0; i < message.sync_ids.length / id_size; ++i) {
    if (draw_if_full(drawing, drawing.tree, message.sync_ids.offset + i * id_size, message.sync_ids.end())) return;
    draw_value(drawing, drawing.tree, godot_codec::read_mp_sync_id(drawing.packet.bytes, message, i));
  }
}

// @returns the item
proto_item *draw_object(const MpDrawing &drawing, const MpObject &object, Generation generation,
                        const MpNumbering &numbering) {
  const int start = static_cast<int>(object.range.offset);
  const int length = std::min(static_cast<int>(object.range.length), tvb_captured_length_remaining(drawing.tvb, start));
  proto_item *item = proto_tree_add_item(drawing.tree, mp_fields.object, drawing.tvb, start, length, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.object);
  const char *node = node_of(drawing, object.fields, numbering);
  if (node != nullptr) proto_item_append_text(item, ": %s", node);
  for (const MpValue &value : object.fields) draw_value(drawing, tree, value);
  draw_path(drawing, tree, object.fields, numbering);
  draw_node(drawing, tree, object.fields, numbering);
  draw_variants(drawing, tree, generation, object.variants, "Property");
  if (object.outcome != Outcome::ok) {
    draw_rest(drawing, tree, {object.offset, object.range.end() - object.offset}, object.outcome);
  }
  return item;
}

void draw_objects(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  std::size_t offset = message.objects.offset;
  for (std::uint32_t index = 0; drawing.tree != nullptr && offset < message.objects.end(); ++index) {
    if (draw_if_full(drawing, drawing.tree, offset, message.objects.end())) return;
    const MpObject object = godot_codec::read_mp_object(drawing.packet.bytes, offset, message.command);
    proto_item *item = draw_object(drawing, object, message.generation, numbering);
    const godot_codec::MpSyncRecord *record = drawing.packet.connection->find_sync(drawing.packet.moment, index);
    if (record != nullptr && record->is_late) expert_add_info(drawing.pinfo, item, &mp_experts.late_sync);
    if (object.outcome != Outcome::ok) return;
    offset = object.offset;
  }
}

// Bytes of the game's own that are just one Variant are opened, as a guess.
void draw_guess(const MpDrawing &drawing, const MpMessage &message) {
  if (drawing.tree == nullptr) return;
  const WalkOptions options = preferred_walk_options(
      message.generation == Generation::godot4 ? godot_codec::Dialect::godot4 : godot_codec::Dialect::godot3);
  const Range range = godot_codec::mp_own_bytes(drawing.packet.bytes, message, options);
  const godot_codec::Detection detection = godot_codec::detect_dialect(drawing.packet.bytes.slice(range), options);
  if (detection.fit != godot_codec::Fit::exact || !detection.candidates.has(options.dialect)) return;
  proto_item *item = proto_tree_add_boolean(drawing.tree, mp_fields.data_guessed, drawing.tvb, 0, 0, 1);
  proto_item_set_generated(item);
  tvbuff_t *part = tvb_new_subset_length(drawing.tvb, 0, static_cast<int>(range.end()));
  const char *root_path = message.command == MpCommand::rpc ? "/0" : "";
  draw_variant(
      {part, drawing.pinfo, proto_item_add_subtree(item, mp_subtrees.guess), preferred_max_elements(), root_path},
      static_cast<int>(range.offset), options);
}

// ---- what is worth a word

// "peer 3", "the client" where its id is not known.
const char *describe_peer(const MpDrawing &drawing, std::int32_t peer, bool begins_sentence) {
  const char *word = begins_sentence ? "Peer" : "peer";
  if (peer != mp_client) return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", word, peer);
  const MpConnection &connection = *drawing.packet.connection;
  if (!connection.is_client_known(drawing.packet.moment)) return begins_sentence ? "The client" : "the client";
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", word, connection.client_id());
}

void note_checksum(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  if (message.command != MpCommand::confirm_path || !is_failed) return;
  const MpName *name = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  const char *path = path_of(drawing, message.fields, numbering);
  expert_add_info_format(
      drawing.pinfo, drawing.item, &mp_experts.checksum_failed,
      "%s says that its RPC methods of %s differ from those of %s%s", describe_peer(drawing, numbering.listener, true),
      path == nullptr ? "a node" : path, describe_peer(drawing, numbering.owner, false),
      name == nullptr ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", name->defined.packet));
}

void draw_notes(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (godot_codec::mp_unknown_flags(message) != 0) {
    expert_add_info(drawing.pinfo, drawing.item, &mp_experts.unknown_flags);
  }
  if (message.command == MpCommand::sync && message.range.length > godot_codec::mp_max_sync_size) {
    expert_add_info(drawing.pinfo, drawing.item, &mp_experts.oversized_sync);
  }
  note_checksum(drawing, message, numbering);
}

// @param hf sender or receiver
void draw_peer(const MpDrawing &drawing, int hf, std::int32_t peer) {
  const bool is_client = peer == mp_client;
  const MpConnection &connection = *drawing.packet.connection;
  if (is_client && !connection.is_client_known(drawing.packet.moment)) return;
  const std::int32_t id = is_client ? connection.client_id() : peer;
  proto_item_set_generated(proto_tree_add_int(drawing.tree, hf, drawing.tvb, 0, 0, id));
}

}  // namespace

void draw_mp_fields(const MpDrawing &drawing, const MpFields &fields) {
  for (const MpValue &value : fields) draw_value(drawing, drawing.tree, value);
}

void draw_mp_command(const MpDrawing &drawing, MpCommand command, Range range) {
  proto_tree_add_string(drawing.tree, mp_fields.command, drawing.tvb, static_cast<int>(range.offset),
                        static_cast<int>(range.length), godot_codec::mp_command_info(command).name.data());
}

void draw_mp_message(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route) {
  const MpNumbering numbering = numbering_of(drawing.packet, route, message.command);
  draw_first_byte(drawing, message);
  draw_mp_fields(drawing, message.fields);
  draw_sync_ids(drawing, message);
  if (message.command != MpCommand::simplify_path) draw_path(drawing, drawing.tree, message.fields, numbering);
  draw_confirmed_path(drawing, message, numbering);
  if (message.command == MpCommand::spawn || message.command == MpCommand::despawn) {
    draw_node(drawing, drawing.tree, message.fields, numbering);
  }
  draw_variants(drawing, drawing.tree, message.generation, message.custom, "Value for the spawn_function");
  draw_variants(drawing, drawing.tree, message.generation, message.variants, what_variants_are(message.command));
  draw_objects(drawing, message, numbering);
  draw_guess(drawing, message);
  draw_notes(drawing, message, numbering);
}

void draw_mp_route(const MpDrawing &drawing, const MpRoute &route) {
  draw_peer(drawing, mp_fields.sender, route.sender);
  draw_peer(drawing, mp_fields.receiver, route.receiver);
}

void draw_mp_rest(const MpDrawing &drawing, Range rest, Outcome outcome) {
  draw_rest(drawing, drawing.tree, rest, outcome);
}

void draw_mp_limit(const MpDrawing &drawing, proto_tree *tree, Range range) {
  proto_item *item = draw_undecoded(drawing, tree, range);
  expert_add_info(drawing.pinfo, item != nullptr ? item : drawing.item, &mp_experts.limit);
}

}  // namespace godot_plugin
