// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/draw.h"

#include <algorithm>

#include "godot-codec/variant/detect.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/multiplayer/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::Generation;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpObject;
using godot_codec::MpValue;
using godot_codec::MpVariants;
using godot_codec::Outcome;
using godot_codec::Range;

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

void draw_value(const MpPacket &packet, proto_tree *tree, const MpValue &value) {
  const int hf = registered(value.field);
  const int offset = static_cast<int>(value.range.offset);
  const int length = static_cast<int>(value.range.length);
  switch (godot_codec::mp_field_info(value.field).kind) {
    case godot_codec::MpKind::boolean:
      proto_tree_add_boolean(tree, hf, packet.tvb, offset, length, value.integer != 0);
      break;
    case godot_codec::MpKind::int32:
      proto_tree_add_int(tree, hf, packet.tvb, offset, length, static_cast<std::int32_t>(value.integer));
      break;
    case godot_codec::MpKind::uint64:
      proto_tree_add_uint64(tree, hf, packet.tvb, offset, length, value.integer);
      break;
    case godot_codec::MpKind::text: {
      // Its terminating zero lies under it.
      const int with_zero = std::min(length + 1, tvb_captured_length_remaining(packet.tvb, offset));
      proto_tree_add_string(tree, hf, packet.tvb, offset, with_zero, printable(packet.pinfo->pool, value.text));
      break;
    }
    case godot_codec::MpKind::opaque_bytes:
      proto_tree_add_item(tree, hf, packet.tvb, offset, length, ENC_NA);
      break;
    default:
      proto_tree_add_uint(tree, hf, packet.tvb, offset, length, static_cast<std::uint32_t>(value.integer));
      break;
  }
}

// The captured part of a range as an item of what is not read. @returns null if nothing of it was captured
proto_item *draw_undecoded(const MpPacket &packet, proto_tree *tree, Range range) {
  const std::size_t start = std::min(range.offset, packet.bytes.captured);
  const std::size_t end = std::min(range.end(), packet.bytes.captured);
  if (start == end) return nullptr;
  return proto_tree_add_item(tree, mp_fields.undecoded, packet.tvb, static_cast<int>(start),
                             static_cast<int>(end - start), ENC_NA);
}

// What is left of a range, and why. Where no byte is, the message's own item tells it.
void draw_rest(const MpPacket &packet, proto_tree *tree, Range rest, Outcome outcome) {
  if (rest.length == 0 && outcome == Outcome::ok) return;
  proto_item *item = draw_undecoded(packet, tree, rest);
  expert_add_info(packet.pinfo, item != nullptr ? item : packet.item,
                  outcome == Outcome::ok ? &mp_experts.trailing : expert_of_message(outcome));
}

// @returns whether no item is left for a range
bool draw_if_full(const MpPacket &packet, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (tree == nullptr || !is_tree_full(tree)) return false;
  draw_mp_limit(packet, tree, {offset, end - offset});
  return true;
}

const char *what_variants_are(MpCommand command) {
  if (command == MpCommand::rpc) return "Argument";
  return command == MpCommand::rset ? "Value" : "Property";
}

// @param what they are: "Argument"
void draw_variants(const MpPacket &packet, proto_tree *tree, Generation generation, const MpVariants &variants,
                   const char *what) {
  if (tree == nullptr) return;
  const std::size_t end = variants.range.end();
  tvbuff_t *part = tvb_new_subset_length(packet.tvb, 0, static_cast<int>(end));
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  for (; count < variants.count && offset < end; ++count) {
    if (draw_if_full(packet, tree, offset, end)) return;
    const char *path = wmem_strdup_printf(packet.pinfo->pool, "/%u", count);
    const char *label = variants.count == 1 ? what : wmem_strdup_printf(packet.pinfo->pool, "%s %u", what, count);
    const DrawTarget target{part, packet.pinfo, tree, preferred_max_elements(), path, label};
    const godot_codec::WalkResult result =
        draw_variant(target, static_cast<int>(offset), godot_codec::mp_encoding(generation), preferred_read_options());
    if (result.outcome != Outcome::ok) return;
    offset = result.offset;
  }
  const bool is_short = variants.count != MpVariants::all && count < variants.count;
  if (is_short) {
    expert_add_info_format(packet.pinfo, packet.item, &mp_experts.malformed, "Only %u of %u values are there", count,
                           variants.count);
  }
  draw_rest(packet, tree, {offset, end - offset}, Outcome::ok);
}

// ---- what numbers stand for

void draw_definition(const MpPacket &packet, proto_tree *tree, const MpName &name, std::int32_t listener) {
  proto_item_set_generated(proto_tree_add_uint(tree, mp_fields.path_defined_in, packet.tvb, 0, 0, name.defined.frame));
  proto_item_set_generated(proto_tree_add_boolean(tree, mp_fields.path_confirmed, packet.tvb, 0, 0,
                                                  is_confirmed(name, listener, packet.moment) ? 1 : 0));
}

// The path that a number stands for.
void draw_path(const MpPacket &packet, proto_tree *tree, const MpFields &fields, const MpNumbering &numbering) {
  const bool is_numbered = fields.has(MpField::path_id) || fields.has(MpField::spawner);
  if (!is_numbered || fields.has(MpField::path)) return;
  const MpName *name = name_of(packet, fields, numbering);
  if (name == nullptr) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.unknown_path);
    return;
  }
  proto_item_set_generated(proto_tree_add_string(tree, registered(MpField::path), packet.tvb, 0, 0, name->text));
  if (fields.has(MpField::spawner)) {
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.spawner, packet.tvb, 0, 0, name->text));
  }
  draw_definition(packet, tree, *name, numbering.listener);
}

// Godot 3 confirms a path without its number.
void draw_confirmed_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::confirm_path || !message.fields.has(MpField::path)) return;
  const char *path = printable(packet.pinfo->pool, message.fields.text(MpField::path));
  const MpName *name = find_name_by_text(packet.game->paths, numbering.owner, numbering.listener, path, packet.moment);
  if (name != nullptr) draw_definition(packet, packet.tree, *name, numbering.listener);
}

void draw_node(const MpPacket &packet, proto_tree *tree, const MpFields &fields, const MpNumbering &numbering) {
  const char *node = node_of(packet, fields, numbering);
  if (node == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.node, packet.tvb, 0, 0, node));
}

// ---- parts of commands

void draw_first_byte(const MpPacket &packet, const MpMessage &message) {
  if (!message.is_known) return;
  draw_mp_command(packet, message.command, {message.range.offset, 1});
  const int start = static_cast<int>(message.range.offset);
  for (const godot_codec::MpFlag flag : godot_codec::mp_flags(message.generation, message.command)) {
    proto_tree_add_item(packet.tree, registered(flag), packet.tvb, start, 1, ENC_NA);
  }
}

void draw_sync_ids(const MpPacket &packet, const MpMessage &message) {
  constexpr std::size_t id_size = sizeof(std::uint32_t);
  if (packet.tree == nullptr) return;
  for (std::size_t i = 0; i < message.sync_ids.length / id_size; ++i) {
    if (draw_if_full(packet, packet.tree, message.sync_ids.offset + i * id_size, message.sync_ids.end())) return;
    draw_value(packet, packet.tree, godot_codec::read_mp_sync_id(packet.bytes, message, i));
  }
}

// @returns the item
proto_item *draw_object(const MpPacket &packet, const MpObject &object, Generation generation,
                        const MpNumbering &numbering) {
  const int start = static_cast<int>(object.range.offset);
  const int length = std::min(static_cast<int>(object.range.length), tvb_captured_length_remaining(packet.tvb, start));
  proto_item *item = proto_tree_add_item(packet.tree, mp_fields.object, packet.tvb, start, length, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.object);
  const char *node = node_of(packet, object.fields, numbering);
  if (node != nullptr) proto_item_append_text(item, ": %s", node);
  for (const MpValue &value : object.fields) draw_value(packet, tree, value);
  draw_path(packet, tree, object.fields, numbering);
  draw_node(packet, tree, object.fields, numbering);
  draw_variants(packet, tree, generation, object.variants, "Property");
  if (object.outcome != Outcome::ok) {
    draw_rest(packet, tree, {object.offset, object.range.end() - object.offset}, object.outcome);
  }
  return item;
}

void draw_objects(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  std::size_t offset = message.objects.offset;
  for (std::uint32_t index = 0; packet.tree != nullptr && offset < message.objects.end(); ++index) {
    if (draw_if_full(packet, packet.tree, offset, message.objects.end())) return;
    const MpObject object = godot_codec::read_mp_object(packet.bytes, offset, message.command);
    proto_item *item = draw_object(packet, object, message.generation, numbering);
    if (is_late_sync(*packet.game, packet.moment, index)) {
      expert_add_info(packet.pinfo, item, &mp_experts.late_sync);
    }
    if (object.outcome != Outcome::ok) return;
    offset = object.offset;
  }
}

// Bytes of the game's own that are just one Variant are opened, as a guess.
void draw_guess(const MpPacket &packet, const MpMessage &message) {
  if (packet.tree == nullptr) return;
  const godot_codec::Dialect dialect = godot_codec::mp_encoding(message.generation).dialect;
  const godot_codec::ReadOptions options = preferred_read_options();
  const Range range = godot_codec::mp_own_bytes(packet.bytes, message, options);
  const godot_codec::Detection detection = godot_codec::detect_dialect(packet.bytes.slice(range), options);
  if (detection.fit != godot_codec::Fit::exact || !detection.candidates.has(dialect)) return;
  proto_item *item = proto_tree_add_boolean(packet.tree, mp_fields.data_guessed, packet.tvb, 0, 0, 1);
  proto_item_set_generated(item);
  tvbuff_t *part = tvb_new_subset_length(packet.tvb, 0, static_cast<int>(range.end()));
  const char *root_path = message.command == MpCommand::rpc ? "/0" : "";
  draw_variant(
      {part, packet.pinfo, proto_item_add_subtree(item, mp_subtrees.guess), preferred_max_elements(), root_path},
      static_cast<int>(range.offset), {.dialect = dialect}, options);
}

// ---- what is worth a word

// "peer 3", "the client" where its id is not known.
const char *describe_peer(const MpPacket &packet, std::int32_t peer, bool begins_sentence) {
  const char *word = begins_sentence ? "Peer" : "peer";
  if (peer != mp_client) return wmem_strdup_printf(packet.pinfo->pool, "%s %d", word, peer);
  if (!is_client_known(*packet.game, packet.moment)) return begins_sentence ? "The client" : "the client";
  return wmem_strdup_printf(packet.pinfo->pool, "%s %d", word, packet.game->client_id);
}

void note_checksum(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  if (message.command != MpCommand::confirm_path || !is_failed) return;
  const MpName *name = name_of(packet, message.fields, numbering);
  const char *path = path_of(packet, message.fields, numbering);
  expert_add_info_format(
      packet.pinfo, packet.item, &mp_experts.checksum_failed,
      "%s says that its RPC methods of %s differ from those of %s%s", describe_peer(packet, numbering.listener, true),
      path == nullptr ? "a node" : path, describe_peer(packet, numbering.owner, false),
      name == nullptr ? "" : wmem_strdup_printf(packet.pinfo->pool, " (frame %u)", name->defined.frame));
}

void draw_notes(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  if (godot_codec::mp_unknown_flags(message) != 0) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.unknown_flags);
  }
  if (message.command == MpCommand::sync && message.range.length > godot_codec::mp_max_sync_size) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.oversized_sync);
  }
  note_checksum(packet, message, numbering);
}

// @param hf sender or receiver
void draw_peer(const MpPacket &packet, int hf, std::int32_t peer) {
  const bool is_client = peer == mp_client;
  if (is_client && !is_client_known(*packet.game, packet.moment)) return;
  const std::int32_t id = is_client ? packet.game->client_id : peer;
  proto_item_set_generated(proto_tree_add_int(packet.tree, hf, packet.tvb, 0, 0, id));
}

}  // namespace

void draw_mp_fields(const MpPacket &packet, const MpFields &fields) {
  for (const MpValue &value : fields) draw_value(packet, packet.tree, value);
}

void draw_mp_command(const MpPacket &packet, MpCommand command, Range range) {
  proto_tree_add_string(packet.tree, mp_fields.command, packet.tvb, static_cast<int>(range.offset),
                        static_cast<int>(range.length), godot_codec::mp_command_info(command).name.data());
}

void draw_mp_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  const MpNumbering numbering = numbering_of(packet, route, message.command);
  draw_first_byte(packet, message);
  draw_mp_fields(packet, message.fields);
  draw_sync_ids(packet, message);
  if (message.command != MpCommand::simplify_path) draw_path(packet, packet.tree, message.fields, numbering);
  draw_confirmed_path(packet, message, numbering);
  if (message.command == MpCommand::spawn || message.command == MpCommand::despawn) {
    draw_node(packet, packet.tree, message.fields, numbering);
  }
  draw_variants(packet, packet.tree, message.generation, message.custom, "Value for the spawn_function");
  draw_variants(packet, packet.tree, message.generation, message.variants, what_variants_are(message.command));
  draw_objects(packet, message, numbering);
  draw_guess(packet, message);
  draw_notes(packet, message, numbering);
}

void draw_mp_route(const MpPacket &packet, const MpRoute &route) {
  draw_peer(packet, mp_fields.sender, route.sender);
  draw_peer(packet, mp_fields.receiver, route.receiver);
}

void draw_mp_rest(const MpPacket &packet, Range rest, Outcome outcome) {
  draw_rest(packet, packet.tree, rest, outcome);
}

void draw_mp_limit(const MpPacket &packet, proto_tree *tree, Range range) {
  proto_item *item = draw_undecoded(packet, tree, range);
  expert_add_info(packet.pinfo, item != nullptr ? item : packet.item, &mp_experts.limit);
}

}  // namespace godot_plugin
