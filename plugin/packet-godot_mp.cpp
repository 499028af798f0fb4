// SPDX-License-Identifier: GPL-2.0-or-later
#include "packet-godot_mp.h"

#include <algorithm>
#include <array>

#include "decisions.h"
#include "detect.h"
#include "draw.h"
#include "endpoints.h"
#include "enet_state.h"
#include "mp_fields.h"
#include "mp_state.h"
#include "packet-godot.h"
#include "text.h"
#include "websocket.h"

namespace godot_plugin {
namespace {

using godot::Bytes;
using godot::Generation;
using godot::MpCommand;
using godot::MpField;
using godot::MpFields;
using godot::MpFraming;
using godot::MpLikeness;
using godot::MpMessage;
using godot::MpObject;
using godot::MpPrefix;
using godot::MpValue;
using godot::MpVariants;
using godot::Outcome;
using godot::TextBuffer;
using godot::TextStyle;
using godot::WalkOptions;

constexpr std::size_t max_summary = 240;
constexpr unsigned max_relays = 2;  // an engine relays a command once

int proto_mp = -1;

// ---- preferences

enum GenerationPreference { generation_auto, generation_4, generation_3 };

int pref_generation = generation_auto;

// ---- one packet

// What the first pass decides of a packet.
struct MpDecision {
  bool is_mp;
  Generation generation;
  MpFraming framing;
  bool is_late;      // a sync older than the newest
  bool is_over_mtu;  // unreliable, and in fragments
};

// What is at hand while a packet is dissected.
struct MpPacket {
  packet_info *pinfo;
  tvbuff_t *tvb;
  Bytes bytes;
  proto_tree *root;
  proto_tree *tree;
  proto_item *item;
  MpGame *game;
  const MpDecision *decision;
  MpMoment moment;
};

// Who speaks to whom.
struct MpRoute {
  std::int32_t sender;
  std::int32_t receiver;
  bool is_sender_known;
  bool is_receiver_known;
};

WalkOptions options_of(Generation generation) {
  return godot::mp_walk_options(generation, preferred_walk_options(godot::Dialect::godot4));
}

bool is_from_client(const packet_info *pinfo, const MpGame &game) {
  return direction_of(pinfo) == game.client_direction;
}

MpRoute route_of(const packet_info *pinfo, const MpGame &game) {
  const std::int32_t client = game.has_client_id ? game.client_id : 0;
  const bool is_known = game.has_client_id;
  return is_from_client(pinfo, game) ? MpRoute{client, godot::mp_server, is_known, true}
                                     : MpRoute{godot::mp_server, client, true, is_known};
}

std::uint32_t number_of(const MpFields &fields, MpField field) {
  return static_cast<std::uint32_t>(fields.integer(field));
}

// ---- what a number stands for

// The path that a message names or means; null if it is not known.
const char *path_of(const MpPacket &packet, const MpFields &fields, std::int32_t sender, const MpName **name) {
  *name = nullptr;
  if (fields.has(MpField::path)) return printable(packet.pinfo->pool, fields.text(MpField::path));
  const MpField number = fields.has(MpField::spawner) ? MpField::spawner : MpField::path_id;
  if (!fields.has(number)) return nullptr;
  *name = find_name(packet.game->paths, sender, number_of(fields, number), packet.moment);
  return *name == nullptr ? nullptr : (*name)->text;
}

// What an object of a sync is of: a spawned node by its net id, another by the path of its synchronizer.
const char *node_of(const MpPacket &packet, const MpFields &fields, std::int32_t sender) {
  const MpName *name = nullptr;
  if (fields.has(MpField::name)) return printable(packet.pinfo->pool, fields.text(MpField::name));
  if (fields.has(MpField::path_id)) return path_of(packet, fields, sender, &name);
  if (!fields.has(MpField::net_id)) return nullptr;
  name = find_name(packet.game->nodes, sender, number_of(fields, MpField::net_id), packet.moment);
  return name == nullptr ? nullptr : name->text;
}

void learn_spawn(const MpPacket &packet, const MpMessage &message, std::int32_t sender) {
  const std::string_view name = message.fields.text(MpField::name);
  define_name(packet.game->nodes, sender, number_of(message.fields, MpField::net_id), name, packet.moment);
  for (std::size_t i = 0; i < message.sync_ids.length / sizeof(std::uint32_t); ++i) {
    const MpValue id = godot::read_mp_sync_id(packet.bytes, message, i);
    define_name(packet.game->nodes, sender, static_cast<std::uint32_t>(id.integer), name, packet.moment);
  }
}

// What a confirmation is about: the number, or in Godot 3 the path, is that of the message's receiver.
MpName *confirmed_name(const MpPacket &packet, const MpFields &fields, const MpRoute &route) {
  if (fields.has(MpField::path_id)) {
    return find_name(packet.game->paths, route.receiver, number_of(fields, MpField::path_id), packet.moment);
  }
  const char *path = printable(packet.pinfo->pool, fields.text(MpField::path));
  return find_name_by_text(packet.game->paths, route.receiver, path, packet.moment);
}

// Remembers what a message says. On the first pass only.
void learn(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  if (message.outcome != Outcome::ok) return;
  const MpFields &fields = message.fields;
  if (message.command == MpCommand::simplify_path) {
    define_name(packet.game->paths, route.sender, number_of(fields, MpField::path_id), fields.text(MpField::path),
                packet.moment);
  } else if (message.command == MpCommand::confirm_path) {
    MpName *name = confirmed_name(packet, fields, route);
    if (name != nullptr) confirm_name(name, route.sender, packet.moment);
  } else if (message.command == MpCommand::spawn) {
    learn_spawn(packet, message, route.sender);
  }
}

// ---- summaries

void append_arguments(const MpPacket &packet, const MpMessage &message, TextBuffer &text) {
  const WalkOptions options = options_of(message.generation);
  const Bytes bytes = godot::mp_until(packet.bytes, message.variants.range.end());
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count && offset < message.variants.range.end(); ++i) {
    if (i > 0) text.append(", ");
    const godot::WalkResult result = godot::append_variant(text, bytes, offset, options, TextStyle::brief);
    if (result.outcome != Outcome::ok || result.stopped) return;
    offset = result.offset;
  }
}

void append_node(TextBuffer &text, const char *name, const MpFields &fields) {
  if (name != nullptr) {
    text.append(name);
    return;
  }
  text.append("#");
  const MpField number = fields.has(MpField::net_id) ? MpField::net_id : MpField::path_id;
  text.append_unsigned(number_of(fields, number));
}

void append_call(const MpPacket &packet, const MpMessage &message, const char *path, TextBuffer &text) {
  text.append("RPC ");
  append_node(text, path, message.fields);
  text.append(".");
  if (message.fields.has(MpField::method)) {
    text.append_escaped(message.fields.text(MpField::method), false);
  } else {
    text.append("#");
    text.append_unsigned(number_of(message.fields, MpField::method_id));
  }
  text.append("(");
  if (message.fields.has(MpField::data)) {
    text.append_unsigned(message.fields.text(MpField::data).size());
    text.append(" bytes");
  }
  append_arguments(packet, message, text);
  text.append(")");
}

void append_objects(const MpPacket &packet, const MpMessage &message, std::int32_t sender, TextBuffer &text) {
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpObject object = godot::read_mp_object(packet.bytes, offset, message.command);
    if (object.outcome != Outcome::ok) return;
    if (offset > message.objects.offset) text.append(", ");
    append_node(text, node_of(packet, object.fields, sender), object.fields);
    offset = object.offset;
  }
}

void append_numbered(TextBuffer &text, std::string_view before, std::int64_t number, std::string_view after = {}) {
  text.append(before);
  text.append_integer(number);
  text.append(after);
}

// What a path's number has to do with whom: "Path 3 is Main/World".
void append_path_message(const MpMessage &message, const char *path, TextBuffer &text) {
  text.append("Path");
  // Godot 3 confirms the path itself.
  if (message.fields.has(MpField::path_id)) append_numbered(text, " ", number_of(message.fields, MpField::path_id));
  if (message.command == MpCommand::simplify_path) {
    text.append(" is ");
  } else {
    const bool is_valid = !message.fields.has(MpField::valid) || message.fields.integer(MpField::valid) != 0;
    text.append(is_valid ? " confirmed: " : " confirmed, but the checksum failed: ");
  }
  text.append(path == nullptr ? "?" : path);
}

void append_summary_of(const MpPacket &packet, const MpMessage &message, const MpRoute &route, TextBuffer &text) {
  const MpFields &fields = message.fields;
  const MpName *name = nullptr;
  const std::int32_t definer = message.command == MpCommand::confirm_path ? route.receiver : route.sender;
  const char *path = path_of(packet, fields, definer, &name);
  switch (message.command) {
    case MpCommand::rpc:
      append_call(packet, message, path, text);
      break;
    case MpCommand::rset:
      text.append("Set ");
      append_node(text, path, fields);
      text.append(".");
      text.append_escaped(fields.text(MpField::property), false);
      text.append(" = ");
      append_arguments(packet, message, text);
      break;
    case MpCommand::simplify_path:
    case MpCommand::confirm_path:
      append_path_message(message, path, text);
      break;
    case MpCommand::spawn:
      text.append("Spawn ");
      text.append_escaped(fields.text(MpField::name), false);
      text.append(" by ");
      text.append(path == nullptr ? "?" : path);
      break;
    case MpCommand::despawn:
      text.append("Despawn ");
      append_node(text, node_of(packet, fields, route.sender), fields);
      break;
    case MpCommand::sync:
      append_numbered(text, "Sync t=", number_of(fields, MpField::time), ": ");
      append_objects(packet, message, route.sender, text);
      break;
    case MpCommand::delta:
      text.append("Delta ");
      append_objects(packet, message, route.sender, text);
      break;
    case MpCommand::auth:
      if (fields.text(MpField::data).empty()) {
        text.append("Authentication done");
      } else {
        append_numbered(text, "Authentication, ", static_cast<std::int64_t>(fields.text(MpField::data).size()),
                        " bytes");
      }
      break;
    case MpCommand::add_peer:
      append_numbered(text, "Peer ", static_cast<std::int32_t>(fields.integer(MpField::peer)), " has come");
      break;
    case MpCommand::remove_peer:
      append_numbered(text, "Peer ", static_cast<std::int32_t>(fields.integer(MpField::peer)), " has gone");
      break;
    case MpCommand::relay:
      append_numbered(text, is_from_client(packet.pinfo, *packet.game) ? "To " : "From ",
                      static_cast<std::int32_t>(fields.integer(MpField::peer)), ": ");
      break;
    case MpCommand::peer_id:
      append_numbered(text, "You are peer ", static_cast<std::int32_t>(fields.integer(MpField::peer)));
      break;
    case MpCommand::raw:
      append_numbered(text, "Raw bytes(", static_cast<std::int64_t>(fields.text(MpField::data).size()), ")");
      break;
  }
}

// ---- the tree

void draw_value(const MpPacket &packet, proto_tree *tree, const MpValue &value) {
  const int hf = registered(value.field);
  const int offset = static_cast<int>(value.range.offset);
  const int length = static_cast<int>(value.range.length);
  switch (godot::mp_field_info(value.field).kind) {
    case godot::MpKind::boolean:
      proto_tree_add_boolean(tree, hf, packet.tvb, offset, length, value.integer != 0);
      break;
    case godot::MpKind::int32:
      proto_tree_add_int(tree, hf, packet.tvb, offset, length, static_cast<std::int32_t>(value.integer));
      break;
    case godot::MpKind::uint64:
      proto_tree_add_uint64(tree, hf, packet.tvb, offset, length, value.integer);
      break;
    case godot::MpKind::text: {
      // Its terminating zero lies under it.
      const int with_zero = std::min(length + 1, tvb_captured_length_remaining(packet.tvb, offset));
      proto_tree_add_string(tree, hf, packet.tvb, offset, with_zero, printable(packet.pinfo->pool, value.text));
      break;
    }
    case godot::MpKind::opaque_bytes:
      proto_tree_add_item(tree, hf, packet.tvb, offset, length, ENC_NA);
      break;
    default:
      proto_tree_add_uint(tree, hf, packet.tvb, offset, length, static_cast<std::uint32_t>(value.integer));
      break;
  }
}

// What no item is left for. @returns whether there is anything like that
bool draw_limit(const MpPacket &packet, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (tree == nullptr || !is_tree_full(tree)) return false;
  const int start = static_cast<int>(std::min(offset, packet.bytes.captured));
  const int length = static_cast<int>(std::min(end, packet.bytes.captured)) - start;
  proto_item *item = proto_tree_add_item(tree, mp_fields.undecoded, packet.tvb, start, length, ENC_NA);
  expert_add_info(packet.pinfo, item, &mp_experts.limit);
  return true;
}

void draw_variants(const MpPacket &packet, proto_tree *tree, Generation generation, const MpVariants &variants) {
  if (tree == nullptr) return;
  const WalkOptions options = options_of(generation);
  const auto end = static_cast<int>(variants.range.end());
  tvbuff_t *part = tvb_new_subset_length(packet.tvb, 0, end);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < variants.count && offset < variants.range.end(); ++i) {
    if (draw_limit(packet, tree, offset, variants.range.end())) return;
    DrawTarget target{part, packet.pinfo, tree, preferred_max_elements(),
                      wmem_strdup_printf(packet.pinfo->pool, "/%u", i)};
    const godot::WalkResult result = draw_variant(target, static_cast<int>(offset), options);
    if (result.outcome != Outcome::ok) return;
    offset = result.offset;
  }
}

// @param receiver who is to know the number
void draw_definition(const MpPacket &packet, proto_tree *tree, const MpName &name, std::int32_t receiver) {
  proto_item_set_generated(proto_tree_add_uint(tree, mp_fields.path_defined_in, packet.tvb, 0, 0, name.defined.frame));
  proto_item_set_generated(proto_tree_add_boolean(tree, mp_fields.path_confirmed, packet.tvb, 0, 0,
                                                  is_confirmed(name, receiver, packet.moment) ? 1 : 0));
}

// The path that a number stands for.
void draw_path(const MpPacket &packet, proto_tree *tree, const MpFields &fields, std::int32_t definer,
               std::int32_t receiver) {
  const MpName *name = nullptr;
  const char *path = path_of(packet, fields, definer, &name);
  const bool is_numbered = fields.has(MpField::path_id) || fields.has(MpField::spawner);
  if (!is_numbered || fields.has(MpField::path)) return;
  if (path == nullptr) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.unknown_path);
    return;
  }
  proto_item_set_generated(proto_tree_add_string(tree, registered(MpField::path), packet.tvb, 0, 0, path));
  if (fields.has(MpField::spawner)) {
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.spawner, packet.tvb, 0, 0, path));
  }
  draw_definition(packet, tree, *name, receiver);
}

void draw_node(const MpPacket &packet, proto_tree *tree, const MpFields &fields, std::int32_t sender) {
  const char *node = node_of(packet, fields, sender);
  if (node == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.node, packet.tvb, 0, 0, node));
}

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

void draw_objects(const MpPacket &packet, proto_tree *tree, const MpMessage &message, const MpRoute &route) {
  std::size_t offset = message.objects.offset;
  while (tree != nullptr && offset < message.objects.end()) {
    if (draw_limit(packet, tree, offset, message.objects.end())) return;
    const MpObject object = godot::read_mp_object(packet.bytes, offset, message.command);
    const int start = static_cast<int>(object.range.offset);
    const int length =
        std::min(static_cast<int>(object.range.length), tvb_captured_length_remaining(packet.tvb, start));
    proto_item *item = proto_tree_add_item(tree, mp_fields.object, packet.tvb, start, length, ENC_NA);
    proto_tree *below = proto_item_add_subtree(item, mp_subtrees.object);
    const char *node = node_of(packet, object.fields, route.sender);
    if (node != nullptr) proto_item_set_text(item, "%s", node);
    for (const MpValue &value : object.fields) draw_value(packet, below, value);
    draw_path(packet, below, object.fields, route.sender, route.receiver);
    draw_node(packet, below, object.fields, route.sender);
    draw_variants(packet, below, message.generation, object.variants);
    if (object.outcome != Outcome::ok) {
      expert_add_info(packet.pinfo, item, expert_of_message(object.outcome));
      return;
    }
    offset = object.offset;
  }
}

void draw_rest(const MpPacket &packet, proto_tree *tree, godot::Range rest, Outcome outcome) {
  if (rest.length == 0) return;
  // What was not captured may begin behind what was.
  const int offset = static_cast<int>(std::min(rest.offset, packet.bytes.captured));
  proto_item *item = proto_tree_add_item(tree, mp_fields.undecoded, packet.tvb, offset,
                                         tvb_captured_length_remaining(packet.tvb, offset), ENC_NA);
  if (outcome != Outcome::ok) expert_add_info(packet.pinfo, item, expert_of_message(outcome));
}

// Bytes of the game's own that are just one Variant are opened, as a guess.
void draw_guess(const MpPacket &packet, proto_tree *tree, const MpFields &fields, bool is_call) {
  const MpValue *data = fields.find(MpField::data);
  if (tree == nullptr || data == nullptr || data->range.length == 0) return;
  const Bytes bytes = packet.bytes.slice(data->range);
  const godot::Detection detection = godot::detect_dialect(bytes, {});
  WalkOptions options;
  options.dialect = packet.decision->generation == Generation::godot4 ? godot::Dialect::godot4 : godot::Dialect::godot3;
  if (detection.fit != godot::Fit::exact || !detection.candidates.has(options.dialect)) return;
  proto_item_set_generated(proto_tree_add_boolean(tree, mp_fields.data_guessed, packet.tvb, 0, 0, 1));
  tvbuff_t *part = tvb_new_subset_length(packet.tvb, 0, static_cast<int>(data->range.end()));
  const char *root_path = is_call ? "/0" : "";
  draw_variant({part, packet.pinfo, tree, preferred_max_elements(), root_path}, static_cast<int>(data->range.offset),
               options);
}

void draw_notes(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  if (godot::mp_unknown_flags(message) != 0) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.unknown_flags);
  }
  if (message.command == MpCommand::sync && message.range.length > godot::mp_max_sync_size) {
    expert_add_info(packet.pinfo, packet.item, &mp_experts.oversized_sync);
  }
  if (packet.decision->is_late) expert_add_info(packet.pinfo, packet.item, &mp_experts.late_sync);
  if (packet.decision->is_over_mtu) expert_add_info(packet.pinfo, packet.item, &mp_experts.over_mtu);
  const bool is_refused = message.command == MpCommand::confirm_path && message.fields.has(MpField::valid) &&
                          message.fields.integer(MpField::valid) == 0;
  if (!is_refused) return;
  const MpName *name = nullptr;
  const char *path = path_of(packet, message.fields, route.receiver, &name);
  expert_add_info_format(
      packet.pinfo, packet.item, &mp_experts.checksum_failed,
      "Peer %d says that its RPC methods of %s differ from those of peer %d%s", route.sender,
      path == nullptr ? "a node" : path, route.receiver,
      name == nullptr ? "" : wmem_strdup_printf(packet.pinfo->pool, " (frame %u)", name->defined.frame));
}

void draw_route(const MpPacket &packet, const MpRoute &route) {
  proto_tree *tree = packet.tree;
  if (route.is_sender_known) {
    proto_item_set_generated(proto_tree_add_int(tree, mp_fields.sender, packet.tvb, 0, 0, route.sender));
  }
  if (route.is_receiver_known) {
    proto_item_set_generated(proto_tree_add_int(tree, mp_fields.receiver, packet.tvb, 0, 0, route.receiver));
  }
}

void draw_sync_ids(const MpPacket &packet, const MpMessage &message) {
  constexpr std::size_t id_size = sizeof(std::uint32_t);
  if (packet.tree == nullptr) return;
  for (std::size_t i = 0; i < message.sync_ids.length / id_size; ++i) {
    if (draw_limit(packet, packet.tree, message.sync_ids.offset + i * id_size, message.sync_ids.end())) return;
    draw_value(packet, packet.tree, godot::read_mp_sync_id(packet.bytes, message, i));
  }
}

// A command and what is in it. @returns its summary
void dissect_message(const MpPacket &packet, std::size_t offset, MpRoute route, unsigned relays, TextBuffer &text) {
  const MpMessage message = godot::read_mp_message(packet.bytes, offset, packet.decision->generation);
  const int start = static_cast<int>(message.range.offset);
  if (!PINFO_FD_VISITED(packet.pinfo)) learn(packet, message, route);
  if (message.is_known) append_summary_of(packet, message, route, text);
  const bool is_relay = message.command == MpCommand::relay && message.inner.length > 0;

  if (message.is_known) {
    const char *name = godot::mp_command_info(message.command).name.data();
    proto_tree_add_string(packet.tree, mp_fields.command, packet.tvb, start, 1, name);
    for (const godot::MpFlag flag : godot::mp_flags(message.generation, message.command)) {
      proto_tree_add_uint(packet.tree, registered(flag), packet.tvb, start, 1, message.first);
    }
  }
  for (const MpValue &value : message.fields) draw_value(packet, packet.tree, value);
  draw_sync_ids(packet, message);
  const bool is_confirm = message.command == MpCommand::confirm_path;
  const std::int32_t definer = is_confirm ? route.receiver : route.sender;
  const std::int32_t knower = is_confirm ? route.sender : route.receiver;
  draw_path(packet, packet.tree, message.fields, definer, knower);
  if (message.command == MpCommand::confirm_path && message.fields.has(MpField::path)) {
    const MpName *name = confirmed_name(packet, message.fields, route);
    if (name != nullptr) draw_definition(packet, packet.tree, *name, knower);
  }
  if (message.command == MpCommand::spawn || message.command == MpCommand::despawn) {
    draw_node(packet, packet.tree, message.fields, route.sender);
  }
  draw_variants(packet, packet.tree, message.generation, message.custom);
  draw_variants(packet, packet.tree, message.generation, message.variants);
  draw_objects(packet, packet.tree, message, route);
  draw_guess(packet, packet.tree, message.fields, message.command == MpCommand::rpc);
  draw_notes(packet, message, route);
  if (is_relay && relays < max_relays) {
    const auto peer = static_cast<std::int32_t>(message.fields.integer(MpField::peer));
    const bool is_to_server = is_from_client(packet.pinfo, *packet.game);
    const MpRoute inner = is_to_server ? MpRoute{route.sender, peer, route.is_sender_known, true}
                                       : MpRoute{peer, route.receiver, true, route.is_receiver_known};
    dissect_message(packet, message.inner.offset, inner, relays + 1, text);
  } else if (!is_relay) {
    draw_route(packet, route);
  }
  draw_rest(packet, packet.tree, message.rest, message.outcome);
}

// What stands before a command, or in its place. @returns where the command begins, or -1
int dissect_prefix(const MpPacket &packet, MpRoute &route, TextBuffer &text) {
  const MpPrefix prefix = godot::read_mp_prefix(packet.bytes, packet.decision->framing);
  for (const MpValue &value : prefix.fields) draw_value(packet, packet.tree, value);
  // System messages name nobody: they are for who has the connection.
  if (prefix.has_message && prefix.fields.has(MpField::source)) {
    route = {static_cast<std::int32_t>(prefix.fields.integer(MpField::source)),
             static_cast<std::int32_t>(prefix.fields.integer(MpField::target)), true, true};
  }
  if (prefix.has_message) return static_cast<int>(prefix.range.end());
  if (prefix.is_known) {
    MpMessage message;
    message.command = prefix.command;
    message.fields = prefix.fields;
    append_summary_of(packet, message, route, text);
    const char *name = godot::mp_command_info(prefix.command).name.data();
    proto_tree_add_string(packet.tree, mp_fields.command, packet.tvb, static_cast<int>(prefix.range.offset),
                          static_cast<int>(prefix.range.length), name);
    draw_route(packet, route);
  }
  draw_rest(packet, packet.tree, prefix.rest, prefix.outcome);
  return -1;
}

// ---- is it one?

bool is_command(Bytes bytes, Generation generation, MpLikeness least) {
  return bytes.reported > 0 && godot::looks_like_mp_message(bytes, generation, {}) >= least;
}

// Godot 3's packets over ENet: a prefix and a command, or, on channel 0, a peer that has come or gone.
bool is_godot3(Bytes bytes, std::uint8_t channel, MpLikeness least, MpFraming &framing) {
  framing = channel == 0 ? MpFraming::enet3_system : MpFraming::enet3;
  const MpPrefix prefix = godot::read_mp_prefix(bytes, framing);
  if (prefix.outcome != Outcome::ok) return false;
  if (!prefix.has_message) return prefix.is_known && prefix.rest.length == 0;
  return is_command(bytes.slice({prefix.range.end(), bytes.reported}), Generation::godot3, least);
}

bool may_be(Generation generation, const MpGame &game) {
  const int other = generation == Generation::godot4 ? generation_3 : generation_4;
  return pref_generation != other && (!game.is_known || game.generation == generation);
}

// The engine drops a sync that is older than the newest one it has.
bool is_late_sync(Bytes bytes, MpGame *game, unsigned direction) {
  const MpMessage message = godot::read_mp_message(bytes, 0, Generation::godot4);
  if (message.outcome != Outcome::ok || message.command != MpCommand::sync) return false;
  const auto time = static_cast<std::uint16_t>(number_of(message.fields, MpField::time));
  const auto ahead = static_cast<std::int16_t>(time - game->newest_sync[direction]);
  if (game->has_sync[direction] && ahead < 0) return true;
  game->has_sync[direction] = true;
  game->newest_sync[direction] = time;
  return false;
}

void remember(MpGame *game, const MpDecision &decision) {
  game->is_known = true;
  game->generation = decision.generation;
}

// What a game asks for tells the generations apart: Godot 3 asks for 3 channels, Godot 4 for 255, unless told
// otherwise.
constexpr std::uint32_t channels_of_godot3 = 3;
constexpr std::uint32_t channels_of_godot4 = 255;

MpDecision decide_enet(Bytes bytes, packet_info *pinfo, const EnetMessage &enet, MpGame *game, bool is_told,
                       bool is_first_pass) {
  const bool is_asked_for = pref_generation != generation_auto || game->is_known || is_told;
  // 4.x games may ask for three channels, too, and 3.x games for many: that a generation is known says more.
  const std::uint32_t channels = is_asked_for ? 0 : enet.connection->channel_count;
  // Authentication comes before anything else, and is bytes of the game's own but for two.
  const bool is_authentication = enet.connection->channel_count == channels_of_godot4 && enet.channel == 0 &&
                                 godot::read_mp_message(bytes, 0, Generation::godot4).command == MpCommand::auth;
  const bool is_enough = game->is_known || is_told || is_authentication;
  const MpLikeness least = is_enough ? MpLikeness::weak : MpLikeness::yes;
  // A system message is short: there must be more that speaks for Godot 3.
  const bool may_be_system =
      enet.channel != 0 || game->is_known || enet.connection->channel_count == channels_of_godot3;
  MpFraming framing = MpFraming::none;
  MpDecision decision = {};
  if (may_be(Generation::godot3, *game) && may_be_system && channels != channels_of_godot4 &&
      is_godot3(bytes, enet.channel, least, framing)) {
    decision = {true, Generation::godot3, framing, false, enet.is_over_mtu};
  } else if (may_be(Generation::godot4, *game) && is_command(bytes, Generation::godot4, least)) {
    const bool is_late = is_first_pass && is_late_sync(bytes, game, direction_of(pinfo));
    decision = {true, Generation::godot4, MpFraming::none, is_late, enet.is_over_mtu};
  }
  if (is_first_pass && decision.is_mp) remember(game, decision);
  return decision;
}

// Over WebSocket, Godot 4's server first sends the client's id alone, Godot 3 begins every message with a prefix.
MpDecision decide_websocket(Bytes bytes, packet_info *pinfo, MpGame *game, bool is_first_pass) {
  constexpr std::size_t id_size = 4;
  const MpPrefix prefix = godot::read_mp_prefix(bytes, MpFraming::websocket3);
  const bool is_3 = may_be(Generation::godot3, *game) && prefix.outcome == Outcome::ok && prefix.rest.length == 0 &&
                    (!prefix.has_message || is_command(bytes.slice({prefix.range.end(), bytes.reported}),
                                                       Generation::godot3, MpLikeness::weak));
  const bool is_id = !game->is_known && !is_from_client(pinfo, *game) && bytes.reported == id_size;
  MpDecision decision = {};
  if (is_id && may_be(Generation::godot4, *game)) {
    decision = {true, Generation::godot4, MpFraming::websocket_id, false, false};
  } else if (is_3) {
    decision = {true, Generation::godot3, MpFraming::websocket3, false, false};
  } else if (may_be(Generation::godot4, *game) && is_command(bytes, Generation::godot4, MpLikeness::weak)) {
    decision = {true, Generation::godot4, MpFraming::none, false, false};
  }
  if (!is_first_pass || !decision.is_mp) return decision;
  remember(game, decision);
  const MpFraming framing = decision.framing;
  const MpPrefix id = framing == MpFraming::none ? MpPrefix{} : godot::read_mp_prefix(bytes, framing);
  if (id.is_known && id.command == MpCommand::peer_id) {
    game->has_client_id = true;
    game->client_id = static_cast<std::int32_t>(id.fields.integer(MpField::peer));
  }
  return decision;
}

// ---- dissectors

void set_columns(packet_info *pinfo, const char *summary, bool is_in_enet) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotMP");
  if (is_in_enet) {
    col_append_str(pinfo->cinfo, COL_INFO, summary);
  } else {
    col_set_str(pinfo->cinfo, COL_INFO, summary);
  }
}

void dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, MpGame *game, const MpDecision *decision,
                    std::uint32_t number) {
  proto_item *item = proto_tree_add_item(root, proto_mp, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.packet);
  const MpPacket packet{pinfo, tvb, bytes_of(tvb), root, tree, item, game, decision, {pinfo->num, number}};
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_summary));
  TextBuffer text({memory, max_summary});
  MpRoute route = route_of(pinfo, *game);
  int offset = 0;
  if (decision->framing != MpFraming::none) offset = dissect_prefix(packet, route, text);
  if (offset >= 0) dissect_message(packet, static_cast<std::size_t>(offset), route, 0, text);
  proto_item_append_text(item, ": %s", memory);
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.summary, tvb, 0, 0, memory));
  proto_item_set_generated(proto_tree_add_uint(tree, mp_fields.length, tvb, 0, 0, tvb_reported_length(tvb)));
  set_columns(pinfo, memory, proto_is_frame_protocol(pinfo->layers, "enet"));
}

// The game of an ENet connection.
MpGame *game_of(packet_info *pinfo, const EnetConnection *connection) {
  // Kept with the conversation, by the connection's number: a port may see many connections.
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *games = static_cast<wmem_tree_t *>(conversation_get_proto_data(conversation, proto_mp));
  if (games == nullptr) {
    games = wmem_tree_new(wmem_file_scope());
    conversation_add_proto_data(conversation, proto_mp, games);
  }
  auto *game = static_cast<MpGame *>(wmem_tree_lookup32(games, connection->stream));
  if (game != nullptr) return game;
  const bool is_to_server = pinfo->destport == connection->server_port;
  const unsigned to_server = is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo);
  game = new_game(connection->has_connect ? connection->client_direction : to_server);
  game->has_client_id = connection->has_connect;
  game->client_id = static_cast<std::int32_t>(connection->connect_data);
  wmem_tree_insert32(games, connection->stream, game);
  return game;
}

// @param is_told the user says that it is one
bool dissect_enet_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, bool is_told) {
  if (data == nullptr) return false;
  const auto *enet = static_cast<const EnetMessage *>(data);
  MpGame *game = game_of(pinfo, enet->connection);
  const std::uint32_t number = next_in_frame(proto_mp, pinfo, Decided::packet);
  const MpDecision *decision = decide_once<MpDecision>(
      proto_mp, pinfo, Decided::packet, number,
      [&](bool is_first_pass) { return decide_enet(bytes_of(tvb), pinfo, *enet, game, is_told, is_first_pass); });
  if (!decision->is_mp) return false;
  dissect_packet(tvb, pinfo, tree, game, decision, number);
  return true;
}

ws_bool dissect_mp_in_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_enet_message(tvb, pinfo, tree, data, false);
}

int dissect_mp_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  return dissect_enet_message(tvb, pinfo, tree, data, true) ? static_cast<int>(tvb_captured_length(tvb)) : 0;
}

WebSocketPorts websocket_ports;

// The game of a WebSocket's connection.
MpGame *game_of_websocket(packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *game = static_cast<MpGame *>(conversation_get_proto_data(conversation, proto_mp));
  if (game != nullptr) return game;
  const bool is_to_server = websocket_ports.contains(pinfo->destport);
  game = new_game(is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo));
  conversation_add_proto_data(conversation, proto_mp, game);
  return game;
}

int dissect_mp_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  MpGame *game = game_of_websocket(pinfo);
  const std::uint32_t number = next_in_frame(proto_mp, pinfo, Decided::packet);
  const MpDecision *decision = decide_once<MpDecision>(
      proto_mp, pinfo, Decided::packet, number,
      [&](bool is_first_pass) { return decide_websocket(bytes_of(tvb), pinfo, game, is_first_pass); });
  // A message that is none, and a text message, is somebody else's.
  if (!decision->is_mp) return call_data_dissector(tvb, pinfo, tree);
  dissect_packet(tvb, pinfo, tree, game, decision, number);
  return static_cast<int>(tvb_captured_length(tvb));
}

void apply_preferences() { websocket_ports.apply(); }

void register_preferences() {
  static const enum_val_t generations[] = {{"auto", "Automatic", generation_auto},
                                           {"4", "Godot 4", generation_4},
                                           {"3", "Godot 3", generation_3},
                                           {nullptr, nullptr, 0}};
  module_t *module = prefs_register_protocol(proto_mp, apply_preferences);
  prefs_register_enum_preference(module, "generation", "Generation",
                                 "Whose high-level multiplayer it is. Automatic goes by the messages.",
                                 &pref_generation, generations, false);
  websocket_ports.register_preference(
      module, "TCP ports of servers whose WebSocket messages are of the high-level multiplayer.");
}

}  // namespace

void register_godot_mp() {
  proto_mp = proto_register_protocol("Godot High-level Multiplayer", "GodotMP", "godot_mp");
  register_mp_fields(proto_mp);
  register_preferences();
}

void handoff_godot_mp() {
  heur_dissector_add("enet", dissect_mp_in_enet, "Godot multiplayer over ENet", "godot_mp_enet", proto_mp,
                     HEURISTIC_ENABLE);
  dissector_add_uint_range_with_preference("enet.port", "", create_dissector_handle(dissect_mp_on_port, proto_mp));
  websocket_ports.set_dissector(create_dissector_handle(dissect_mp_websocket, proto_mp));
}

}  // namespace godot_plugin
