// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/draw.h"

#include <algorithm>
#include <optional>

#include "godot-codec/core/outcome.h"
#include "godot-codec/inside/inside.h"
#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/sentence.h"
#include "godot-codec/multiplayer/signature.h"
#include "godot-codec/variant/detect.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/experts.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/problem.h"
#include "plugin/epan/quoted.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/inside.h"
#include "plugin/godot/preferences.h"
#include "plugin/godot/releases.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/own_bytes.h"

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
using godot_codec::MpProperties;
using godot_codec::MpProperty;
using godot_codec::MpRoute;
using godot_codec::MpValue;
using godot_codec::MpVariants;
using godot_codec::Outcome;
using godot_codec::Range;
using godot_codec::TextBuffer;

// Bytes behind a message that was read are no part of it.
constexpr godot_codec::ByOutcome<expert_field *> rest_experts = {
    &mp_experts.trailing, &mp_experts.truncated, &mp_experts.malformed, &mp_experts.unsupported, &mp_experts.limit};

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
      const Range with_zero{value.range.offset, value.range.length + 1};
      add_captured_text(tree, hf, drawing.tvb, with_zero, printable(drawing.pinfo->pool, value.text));
      break;
    }
    case godot_codec::MpKind::opaque_bytes:
      add_captured(tree, hf, drawing.tvb, value.range);
      break;
    case godot_codec::MpKind::uint8:
    case godot_codec::MpKind::uint16:
    case godot_codec::MpKind::uint32:
      proto_tree_add_uint(tree, hf, drawing.tvb, offset, length, static_cast<std::uint32_t>(value.integer));
      break;
  }
}

// The captured part of a range as an item of what is not read. @returns null if nothing of it was captured
proto_item *draw_undecoded(const MpDrawing &drawing, proto_tree *tree, Range range) {
  if (captured_part(drawing.tvb, range).length == 0) return nullptr;
  return add_captured(tree, mp_fields.undecoded, drawing.tvb, range);
}

// Draws the remaining bytes of a range, and why they were not read. If there are none, the message's item tells why.
void draw_rest(const MpDrawing &drawing, proto_tree *tree, Range rest, Outcome outcome) {
  if (rest.length == 0 && outcome == Outcome::ok) return;
  proto_item *item = draw_undecoded(drawing, tree, rest);
  if (item == nullptr) item = drawing.item;
  if (outcome == Outcome::truncated) return add_truncated(drawing.pinfo, item, &mp_experts.truncated, "the message");
  expert_add_info(drawing.pinfo, item, rest_experts.of(outcome));
}

// @returns whether no item is left for a range
bool draw_if_full(const MpDrawing &drawing, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (!is_tree_full(tree)) return false;
  draw_mp_limit(drawing, tree, {offset, end - offset});
  return true;
}

constexpr std::size_t max_text = 512;  // for names and paths with values: filters compare them

// Text in the packet's memory, made by something that appends it.
template <typename Append>
const char *pool_text(const MpDrawing &drawing, Append append) {
  auto *memory = static_cast<char *>(wmem_alloc(drawing.pinfo->pool, max_text));
  TextBuffer text({memory, max_text});
  append(text);
  return memory;
}

// A text that no byte holds, but is about some.
proto_item *draw_text(const MpDrawing &drawing, proto_tree *tree, int hf, Range range, const char *text) {
  proto_item *item = add_captured_text(tree, hf, drawing.tvb, range, text);
  proto_item_set_generated(item);
  return item;
}

void draw_hidden_text(const MpDrawing &drawing, proto_tree *tree, int hf, Range range, const char *text) {
  proto_item_set_hidden(draw_text(drawing, tree, hf, range, text));
}

// Values, one after another: what they are called, and whose they are.
struct Values {
  const char *what;                                          // "Argument"; of a property it is the property's name
  const char *object;                                        // null of what is no property
  MpProperties *properties;                                  // null where there is no list
  const godot_codec::project::Function *function = nullptr;  // the function that takes the arguments, if that is known
};

// A value's name, and the beginning of its paths.
struct ValueName {
  const char *label;
  const char *path;
  MpProperty property;
};

ValueName name_value(const MpDrawing &drawing, const Values &values, std::uint32_t index, bool is_only) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (values.properties == nullptr) {
    const bool has_name = values.function != nullptr && index < values.function->parameters.size();
    const char *label = has_name  ? printable(pool, values.function->parameters[index].name)
                        : is_only ? values.what
                                  : wmem_strdup_printf(pool, "%s %u", values.what, index);
    return {label, wmem_strdup_printf(pool, "/%u", index), {}};
  }
  const MpProperty property = values.properties->next();
  return {pool_text(drawing, [&](TextBuffer &text) { property.append_to(text); }),
          pool_text(drawing,
                    [&](TextBuffer &text) {
                      text.append("/");
                      godot_codec::append_mp_property_path(values.object, property, text);
                    }),
          property};
}

// A value as one property of one node.
void draw_property(const MpDrawing &drawing, proto_tree *tree, const ValueName &name, const MpProperties &properties,
                   Range range, const godot_codec::Encoding &encoding) {
  const char *path = name.path + 1;
  draw_hidden_text(drawing, tree, mp_fields.property, range, name.label);
  draw_hidden_text(drawing, tree, mp_fields.property_path, range, path);
  if (!name.property.name.source.empty()) {
    draw_hidden_text(drawing, tree, mp_fields.property_source, range,
                     printable(drawing.pinfo->pool, name.property.name.source));
  }
  if (proto_field_is_referenced(tree, mp_fields.property_full_path)) {
    bool is_known = false;
    const char *full =
        pool_text(drawing, [&](TextBuffer &text) { is_known = properties.append_full_path(name.property, text); });
    if (is_known) draw_hidden_text(drawing, tree, mp_fields.property_full_path, range, full);
  }
  if (!proto_field_is_referenced(tree, mp_fields.property_with_value)) return;
  const godot_codec::Bytes bytes = godot_codec::mp_until(drawing.packet.bytes, range.end());
  draw_text(drawing, tree, mp_fields.property_with_value, range, pool_text(drawing, [&](TextBuffer &text) {
              text.append(path);
              text.append("=");
              godot_codec::append_variant(text, bytes, range.offset, encoding, drawing.packet.options,
                                          godot_codec::TextStyle::plain);
            }));
}

// @returns whether Godot 4 may not be able to read one of them
bool draw_variants(const MpDrawing &drawing, proto_tree *tree, Generation generation, const MpVariants &variants,
                   const Values &values) {
  if (!wants_experts(tree)) return false;
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(generation);
  // An earlier item has told already that the capture ends.
  if (variants.range.offset > drawing.packet.bytes.captured) return false;
  const std::size_t end = variants.range.end();
  tvbuff_t *part = subset_of(drawing.tvb, {0, end});
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  bool has_unreadable = false;
  for (; count < variants.count && offset < end; ++count) {
    if (draw_if_full(drawing, tree, offset, end)) return true;
    const ValueName name = name_value(drawing, values, count, variants.count == 1);
    const DrawTarget target{part, drawing.pinfo, tree, preferred_max_elements(), name.path, name.label};
    const godot_codec::WalkResult result =
        draw_variant(target, static_cast<int>(offset), encoding, drawing.packet.options);
    has_unreadable = has_unreadable || godot_codec::is_unreadable(drawing.packet.bytes, offset, result);
    if (result.outcome != Outcome::ok) return has_unreadable;
    if (values.properties != nullptr)
      draw_property(drawing, tree, name, *values.properties, {offset, result.offset - offset}, encoding);
    offset = result.offset;
  }
  const bool is_short = variants.count != MpVariants::all && count < variants.count;
  if (is_short) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.malformed, "Only %u of %u values are there", count,
               variants.count);
  }
  draw_rest(drawing, tree, {offset, end - offset}, Outcome::ok);
  return has_unreadable || is_short;
}

// ---- what numbers stand for

// "peer 3", "the client" where its id is not known.
const char *describe_peer(const MpDrawing &drawing, std::int32_t peer, bool begins_sentence) {
  const bool is_end = peer == mp_client || peer == godot_codec::mp_server;
  const std::int32_t id = is_end && !drawing.packet.has_roles ? id_of_end(drawing, peer) : peer;
  if (id == 0) return begins_sentence ? "One peer" : "the other peer";
  if (id != peer) return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", begins_sentence ? "Peer" : "peer", id);
  const char *word = begins_sentence ? "Peer" : "peer";
  if (peer != mp_client) return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", word, peer);
  const MpConnection &connection = *drawing.packet.connection;
  if (!connection.is_client_known(drawing.packet.moment)) return begins_sentence ? "The client" : "the client";
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", word, connection.client_id());
}

// A fault of a message: for the expert item, the table of problems and the Info column.
struct MpProblem {
  expert_field *field;
  const char *what;              // a node's path, or its name; null if it is not known
  const char *filter;            // the field of the display filter that holds it
  const char *mark;              // a few words for the Info column; null: none
  MpNumbering peers;             // the peer whose number it is, and the one who does not know it
  const char *detail = nullptr;  // see ProblemSubject
};

// @param filter of the subject; null: none
void note_problem_with(const MpDrawing &drawing, proto_item *item, const MpProblem &problem, const char *filter,
                       const char *text) {
  const ProblemSubject subject{problem.what == nullptr ? "" : problem.what,
                               describe_peer(drawing, problem.peers.owner, false),
                               describe_peer(drawing, problem.peers.listener, false), filter, problem.detail};
  add_problem(drawing.pinfo, item, problem.field, subject, "%s", text);
  if (*drawing.mark == nullptr) *drawing.mark = problem.mark;
}

void note_problem(const MpDrawing &drawing, proto_item *item, const MpProblem &problem, const char *text) {
  const bool is_named = problem.what != nullptr;
  note_problem_with(drawing, item, problem,
                    is_named ? filter_for(drawing.pinfo, problem.filter, problem.what) : nullptr, text);
}

const char *of_path(const MpDrawing &drawing, const char *path, const char *words) {
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %s", path, words);
}

constexpr const char *path_field = "godot_mp.path";

// The path that fields name or mean; null if it is not known.
const char *path_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::path)) return printable(drawing.pinfo->pool, fields.text(MpField::path));
  const MpName *name = godot_codec::find_mp_name(drawing.packet, fields, numbering);
  return name == nullptr ? nullptr : name->text.data();
}

// The path of an object: a spawned node's by its net id, another one's by its synchronizer's path; null if not known.
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

// True for a message that is relayed between two peers, if neither is known to be the server: its numbers have no
// owner.
bool is_of_nobody(const MpDrawing &drawing, const MpNumbering &numbering) {
  return !drawing.packet.has_roles && numbering.owner != mp_client && numbering.owner != godot_codec::mp_server;
}

// The path that a number stands for.
// @param must_be_told the message is lost on a receiver who was not told
void draw_path(const MpDrawing &drawing, proto_tree *tree, const MpFields &fields, const MpNumbering &numbering,
               bool must_be_told) {
  const bool is_numbered = fields.has(MpField::path_id) || fields.has(MpField::spawner);
  if (!is_numbered || fields.has(MpField::path) || is_of_nobody(drawing, numbering)) return;
  const std::uint32_t number = fields.number(fields.has(MpField::spawner) ? MpField::spawner : MpField::path_id);
  const godot_codec::MpTelling other =
      must_be_told ? drawing.packet.connection->told_to_others(numbering, number, drawing.packet.moment)
                   : godot_codec::MpTelling{};
  const MpName *name =
      other.name != nullptr ? other.name : godot_codec::find_mp_name(drawing.packet, fields, numbering);
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
  if (other.name == nullptr) return;
  const char *path = name->text.data();
  note_problem(
      drawing, drawing.item,
      {&mp_experts.untold_path, path, path_field, of_path(drawing, path, "was never told there"), numbering},
      wmem_strdup_printf(drawing.pinfo->pool,
                         "%s was never told that path %u is %s; %s was (frame %u): Godot drops the message",
                         describe_peer(drawing, numbering.listener, true), number, path,
                         other.receiver == mp_client ? "another peer" : describe_peer(drawing, other.receiver, false),
                         name->defined.packet));
}

// Notes if the receiver lacks the node that a net id stands for.
void note_presence(const MpDrawing &drawing, proto_item *item, const MpFields &fields, const MpNumbering &numbering) {
  using State = godot_codec::MpPresence::State;
  if (!fields.has(MpField::net_id) || is_of_nobody(drawing, numbering)) return;
  const std::uint32_t id = fields.number(MpField::net_id);
  const godot_codec::MpPresence presence = drawing.packet.connection->presence(numbering, id, drawing.packet.moment);
  if (presence.state == State::present || presence.state == State::uncertain) return;
  const char *what = presence.state == State::gone ? "was told that the node is despawned"
                     : presence.moment.packet != 0 ? "is told of the node later"
                                                   : "was not told of the node in this capture";
  const char *where =
      presence.moment.packet == 0 ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", presence.moment.packet);
  note_problem(drawing, item,
               {&mp_experts.unknown_node, node_of(drawing, fields, numbering), "godot_mp.node", nullptr, numbering},
               wmem_strdup_printf(drawing.pinfo->pool, "%s %s%s", describe_peer(drawing, numbering.listener, true),
                                  what, where));
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
  if (message.is_bare_variant) {
    return proto_item_set_generated(draw_mp_command(drawing, message.command, {message.range.offset, 0}));
  }
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

// How a sync comes: late, and how long after the last one.
void draw_sync(const MpDrawing &drawing, proto_item *item, proto_tree *tree, std::uint32_t index) {
  const godot_codec::MpSyncRecord *record = drawing.packet.connection->find_sync(drawing.packet.moment, index);
  if (record == nullptr) return;
  if (record->is_late) expert_add_info(drawing.pinfo, item, &mp_experts.late_sync);
  if (!record->has_interval) return;
  constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
  const std::int64_t interval = record->interval;
  nstime_t time;
  time.secs = interval / nanoseconds_per_second;
  time.nsecs = static_cast<int>(interval % nanoseconds_per_second);
  proto_item_set_generated(proto_tree_add_time(tree, mp_fields.sync_interval, drawing.tvb, 0, 0, &time));
}

// Names are kept back where they cannot be right.
void note_fit(const MpDrawing &drawing, proto_item *item, const MpProperties &properties) {
  const godot_codec::MpFit fit = properties.fit();
  if (fit != godot_codec::MpFit::other_count && fit != godot_codec::MpFit::other_types) return;
  add_expert(drawing.pinfo, item, &mp_experts.other_properties, "%s",
             fit == godot_codec::MpFit::other_count
                 ? "The project has not as many properties here as there are values"
                 : "The project has properties here that cannot have values of these types");
}

void draw_object(const MpDrawing &drawing, const MpMessage &message, const MpObject &object, std::uint32_t index,
                 const MpNumbering &numbering) {
  const auto append = [&](TextBuffer &text) {
    godot_codec::append_mp_object(drawing.packet, object.fields, numbering, text);
  };
  // Expert items are for those, too, who look at no tree.
  const char *name = drawing.tree == nullptr ? "" : pool_text(drawing, append);
  proto_item *item = add_captured_text(drawing.tree, mp_fields.object, drawing.tvb, object.range, name);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.object);
  for (const MpValue &value : object.fields) draw_value(drawing, tree, value);
  draw_path(drawing, tree, object.fields, numbering, true);
  draw_node(drawing, tree, object.fields, numbering);
  note_presence(drawing, item, object.fields, numbering);
  if (message.command == MpCommand::sync) draw_sync(drawing, item, tree, index);
  MpProperties properties(drawing.packet, message, object.fields, object.variants, numbering);
  note_fit(drawing, item, properties);
  draw_variants(drawing, tree, message.generation, object.variants, {"", name, &properties});
  if (object.outcome != Outcome::ok) {
    draw_rest(drawing, tree, {object.offset, object.range.end() - object.offset}, object.outcome);
  }
}

void draw_objects(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  std::size_t offset = message.objects.offset;
  for (std::uint32_t index = 0; offset < message.objects.end(); ++index) {
    if (draw_if_full(drawing, drawing.tree, offset, message.objects.end())) return;
    const MpObject object = godot_codec::read_mp_object(drawing.packet.bytes, offset, message.command);
    draw_object(drawing, message, object, index, numbering);
    if (object.outcome != Outcome::ok) return;
    offset = object.offset;
  }
}

// The values that a spawned node has from the beginning.
void draw_spawn_state(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const char *name = printable(drawing.pinfo->pool, message.fields.text(MpField::name));
  MpProperties properties(drawing.packet, message, message.fields, message.variants, numbering);
  note_fit(drawing, drawing.item, properties);
  draw_variants(drawing, drawing.tree, message.generation, message.variants, {"", name, &properties});
}

// Finds the parameters of a call's method in its source in the game's folder; null: not known.
const godot_codec::project::Function *called_function(const MpDrawing &drawing, const MpMessage &message,
                                                      const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return nullptr;
  return names->function(godot_codec::mp_method_of(drawing.packet, message, numbering));
}

// True if bytes of an argument were opened with certainty.
bool is_opened(const MpDrawing &drawing, Range range, godot_codec::Dialect dialect) {
  const godot_codec::Bytes bytes = drawing.packet.bytes.slice(range);
  const godot_codec::InsideOptions options{drawing.packet.options, true, dialect};
  return are_bytes_opened() && godot_codec::look_inside(bytes, options).kind != godot_codec::InsideKind::nothing;
}

// Bytes of the game's own that are just one Variant are opened, as a guess.
void draw_guess(const MpDrawing &drawing, const MpMessage &message) {
  if (!wants_experts(drawing.tree)) return;
  const godot_codec::Dialect dialect = godot_codec::mp_encoding(message.generation).dialect;
  const godot_codec::ReadOptions &options = drawing.packet.options;
  const Range range = godot_codec::mp_own_bytes(drawing.packet.bytes, message, options);
  if (range.length == 0) return;
  const godot_codec::Detection detection = godot_codec::detect_dialect(drawing.packet.bytes.slice(range), options);
  const bool is_variant = detection.fit == godot_codec::Fit::exact && detection.candidates.has(dialect);
  const char *root_path = message.command == MpCommand::rpc ? "/0" : "";
  // The bytes of an argument that is a Variant itself are opened where they are drawn.
  if (!is_variant && message.fields.has(MpField::data)) {
    draw_inside({drawing.tvb, drawing.pinfo, drawing.tree, range, root_path, 0, false, true, dialect});
  }
  if (!is_variant || (!message.fields.has(MpField::data) && is_opened(drawing, range, dialect))) return;
  proto_item *item = proto_tree_add_boolean(drawing.tree, mp_fields.data_guessed, drawing.tvb, 0, 0, 1);
  proto_item_set_generated(item);
  tvbuff_t *part = subset_of(drawing.tvb, {0, range.end()});
  draw_hidden_text(drawing, drawing.tree, fields.inside, range, "variant");
  draw_variant(
      {part, drawing.pinfo, proto_item_add_subtree(item, mp_subtrees.guess), preferred_max_elements(), root_path},
      static_cast<int>(range.offset), {.dialect = dialect}, options);
}

// ---- what is worth a word

// Describes a list of methods by the project: "those of res://world.gd"; null if the project does not say.
const char *describe_list(const MpDrawing &drawing, const MpName &name) {
  const godot_codec::MpNames *names = drawing.packet.names;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (name.md5 == godot_codec::mp_md5_of_no_methods) return "none";
  if (names == nullptr) return nullptr;
  const std::string_view owner = names->owner_of_list(name.md5);
  if (!owner.empty()) return wmem_strdup_printf(pool, "those of %s", printable(pool, owner));
  const std::string_view text = names->mismatch(name.md5, name.text);
  if (text.empty()) return nullptr;
  const std::size_t nearest = text.find(": ");
  if (nearest == std::string_view::npos) return "others than the project";
  return wmem_strdup_printf(pool, "others%s", printable(pool, text.substr(nearest)));
}

// "Peer 1 has those of res://world.gd", or the list's MD5 where that is all that is known.
const char *describe_side(const MpDrawing &drawing, const MpName &name, std::int32_t peer, bool begins_sentence) {
  const char *list = describe_list(drawing, name);
  if (list == nullptr) list = wmem_strdup_printf(drawing.pinfo->pool, "the list %s", name.md5.data());
  return wmem_strdup_printf(drawing.pinfo->pool, "%s has %s", describe_peer(drawing, peer, begins_sentence), list);
}

// Which side has which methods, as far as that helps. Who says that they differ has a list in the capture only if he
// has told the same path himself, before or after.
void note_sides(const MpDrawing &drawing, const MpName &told, const MpNumbering &numbering) {
  if (told.md5.empty()) return;
  const MpConnection &connection = *drawing.packet.connection;
  const MpNumbering other{numbering.listener, numbering.owner};
  const MpName *own = connection.find_path(other, told.text, drawing.packet.moment);
  if (own == nullptr) own = connection.find_later_path(other, told.text, drawing.packet.moment);
  const char *side = describe_side(drawing, told, numbering.owner, true);
  const char *list = describe_list(drawing, told);
  const MpProblem problem{&mp_experts.checksum_failed,     told.text.data(), path_field, nullptr, numbering,
                          list == nullptr ? nullptr : side};
  if (own != nullptr && !own->md5.empty() && own->md5 != told.md5) {
    note_problem(drawing, drawing.item, problem,
                 wmem_strdup_printf(drawing.pinfo->pool, "%s; %s (frame %u)", side,
                                    describe_side(drawing, *own, numbering.listener, false), own->defined.packet));
  } else if (list != nullptr) {
    note_problem(drawing, drawing.item, problem, side);
  }
}

// A path that none of the project's scenes has: ": no scene has it: did you mean Main/World?"; null if there is nothing
// to say.
const char *describe_similar(const MpDrawing &drawing, std::string_view path) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const std::string_view similar = names == nullptr ? std::string_view{} : names->similar_path(path);
  if (similar.empty()) return nullptr;
  return wmem_strdup_printf(drawing.pinfo->pool, "no scene of the project has it, did you mean %s?",
                            printable(drawing.pinfo->pool, similar));
}

void note_checksum(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  if (message.command != MpCommand::confirm_path || !is_failed) return;
  const MpName *name = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  const char *path = path_of(drawing, message.fields, numbering);
  const char *releases = describe_two_releases(drawing.pinfo);
  note_problem(drawing, drawing.item,
               {&mp_experts.checksum_failed, path, path_field, "its RPC methods differ", numbering},
               wmem_strdup_printf(
                   drawing.pinfo->pool, "%s says that its RPC methods of %s differ from those of %s%s%s%s",
                   describe_peer(drawing, numbering.listener, true), path == nullptr ? "a node" : path,
                   describe_peer(drawing, numbering.owner, false),
                   name == nullptr ? "" : wmem_strdup_printf(drawing.pinfo->pool, " (frame %u)", name->defined.packet),
                   releases == nullptr ? "" : "; ", releases == nullptr ? "" : releases));
  if (name != nullptr) note_sides(drawing, *name, numbering);
}

// A call of a node whose methods the receiver has otherwise.
void note_checksum_failure(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::rpc) return;
  const MpConnection &connection = *drawing.packet.connection;
  const godot_codec::Moment moment = drawing.packet.moment;
  const MpName *name = message.fields.has(MpField::path)
                           ? connection.find_path(numbering, message.fields.text(MpField::path), moment)
                           : godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  if (name == nullptr) return;
  const std::optional<godot_codec::Moment> failed = connection.checksum_failure(*name, numbering.listener, moment);
  if (!failed) return;
  const char *path = name->text.data();
  note_problem(
      drawing, drawing.item,
      {&mp_experts.after_checksum_failure, path, path_field, "another method may run there", numbering},
      wmem_strdup_printf(drawing.pinfo->pool,
                         "The RPC methods of %s differ between the two games (frame %u): another one may be called",
                         path, failed->packet));
}

// A scene beyond the list of the spawner in the game's folder.
void note_unlisted_scene(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  if (names == nullptr || message.command != MpCommand::spawn || message.outcome != Outcome::ok) return;
  const auto scene = static_cast<std::uint32_t>(message.fields.integer(MpField::scene));
  const MpName *spawner = godot_codec::find_mp_name(drawing.packet, message.fields, numbering);
  if (spawner == nullptr || scene == godot_codec::mp_custom_scene) return;
  const std::optional<std::size_t> count = names->spawnable_scenes(spawner->text);
  if (!count || scene < *count) return;
  const char *path = spawner->text.data();
  const char *list = wmem_strdup_printf(drawing.pinfo->pool, "number %u, of %zu", scene, *count);
  note_problem(
      drawing, drawing.item,
      {&mp_experts.unlisted_scene, path, path_field, "the scene is not in the spawner's list", numbering, list},
      wmem_strdup_printf(drawing.pinfo->pool,
                         "%s spawns the scene number %u, and has %zu in the game's folder: a receiver with "
                         "that list spawns nothing (\"Index … is out of bounds\")",
                         path, scene, *count));
}

// "it was spawned there (frame 12): …", of a node that the receiver should have; null of others.
const char *describe_lost_spawn(const MpDrawing &drawing, std::string_view path, const MpNumbering &numbering) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const godot_codec::MpSpawn *spawn = drawing.packet.connection->find_spawned(numbering, name, drawing.packet.moment);
  if (spawn == nullptr) return nullptr;
  return wmem_strdup_printf(
      drawing.pinfo->pool,
      "spawned in frame %u and yet not there: is its scene, number %u, in the spawner's list there?",
      spawn->spawned.packet, unsigned{spawn->scene});
}

// The peer at one end of the connection.
std::int32_t end_of(bool is_client) { return is_client ? mp_client : godot_codec::mp_server; }

// How an authentication went wrong in the end; null if it did not.
const char *describe_authentication(const MpDrawing &drawing, const MpConnection &connection) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const auto has = [&](bool is_client, godot_codec::Moment godot_codec::MpAuthentication::*step) {
    return (connection.authentication(is_client).*step).packet != 0;
  };
  using Step = godot_codec::MpAuthentication;
  const bool asked[] = {has(false, &Step::asked), has(true, &Step::asked)};
  const bool completed[] = {has(false, &Step::completed), has(true, &Step::completed)};
  if (asked[0] && asked[1] && !completed[0] && !completed[1]) {
    return "The authentication never ends: neither side calls complete_auth()";
  }
  for (const bool is_client : {false, true}) {
    const char *who = describe_peer(drawing, end_of(is_client), false);
    const char *other = describe_peer(drawing, end_of(!is_client), false);
    if (asked[is_client] && !completed[is_client] && asked[!is_client]) {
      return wmem_strdup_printf(pool, "The authentication never ends: %s does not call complete_auth()", who);
    }
    const bool is_dropped = !completed[is_client] && has(!is_client, &Step::others);
    if (asked[is_client] && !asked[!is_client] && is_dropped) {
      return wmem_strdup_printf(pool, "%s asks for authentication, %s takes no part in it: it needs an auth_callback",
                                describe_peer(drawing, end_of(is_client), true), other);
    }
    if (asked[is_client] && !asked[!is_client] && !has(!is_client, &Step::others)) {
      return wmem_strdup_printf(pool, "The authentication never ends: %s does not answer", other);
    }
  }
  return nullptr;
}

// True if the receiver waits for authentication, and drops everything else.
bool is_dropped_unauthenticated(const MpDrawing &drawing) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles) return false;
  const godot_codec::MpAuthentication &receiver = packet.connection->authentication(!packet.is_from_client);
  const bool has_asked = receiver.asked.packet != 0 && receiver.asked < packet.moment;
  const bool has_completed = receiver.completed.packet != 0 && receiver.completed < packet.moment;
  return has_asked && !has_completed;
}

// True if the receiver never finishes its authentication: nothing gets through to it. Looks ahead.
bool is_never_admitted(const MpDrawing &drawing) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles) return false;
  const godot_codec::MpAuthentication &receiver = packet.connection->authentication(!packet.is_from_client);
  return receiver.asked.packet != 0 && receiver.completed.packet == 0;
}

void note_authentication(const MpDrawing &drawing, const MpMessage &message) {
  const godot_codec::MpPacket &packet = drawing.packet;
  if (!packet.has_roles || packet.connection == nullptr) return;
  const MpConnection &connection = *packet.connection;
  const MpNumbering ends{end_of(packet.is_from_client), end_of(!packet.is_from_client)};
  if (message.command != MpCommand::auth) {
    if (!is_dropped_unauthenticated(drawing)) return;
    note_problem(
        drawing, drawing.item, {&mp_experts.authentication, nullptr, nullptr, "not authenticated", ends},
        wmem_strdup_printf(drawing.pinfo->pool,
                           "%s asks for authentication, %s takes no part in it: it needs an auth_callback",
                           describe_peer(drawing, ends.listener, true), describe_peer(drawing, ends.owner, false)));
    return;
  }
  const bool is_first = connection.authentication(packet.is_from_client).asked == packet.moment &&
                        (connection.authentication(!packet.is_from_client).asked.packet == 0 ||
                         packet.moment < connection.authentication(!packet.is_from_client).asked);
  const char *text =
      is_first && PINFO_FD_VISITED(drawing.pinfo) ? describe_authentication(drawing, connection) : nullptr;
  if (text == nullptr) return;
  note_problem(drawing, drawing.item, {&mp_experts.authentication, nullptr, nullptr, "never ends", ends}, text);
}

// A path that should long be confirmed, on calls that go on with it, and on what told it.
void note_unconfirmed(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (is_dropped_unauthenticated(drawing) || is_never_admitted(drawing)) return;
  const MpConnection &connection = *drawing.packet.connection;
  const char *peer = describe_peer(drawing, numbering.listener, true);
  if (const MpName *name = connection.find_unconfirmed(drawing.packet, message, numbering); name != nullptr) {
    const char *path = name->text.data();
    const char *similar = describe_similar(drawing, name->text);
    if (similar == nullptr) similar = describe_lost_spawn(drawing, name->text, numbering);
    note_problem(drawing, drawing.item,
                 {&mp_experts.unconfirmed_path, path, path_field, of_path(drawing, path, "is missing there"), numbering,
                  similar},
                 wmem_strdup_printf(
                     drawing.pinfo->pool, "%s probably lacks %s: it has not confirmed the path (frame %u)%s%s", peer,
                     path, name->defined.packet, similar == nullptr ? "" : "; ", similar == nullptr ? "" : similar));
  }
  if (message.command != MpCommand::simplify_path || message.outcome != Outcome::ok) return;
  const MpName *told = connection.find_path(numbering, message.fields.number(MpField::path_id), drawing.packet.moment);
  if (told == nullptr || !connection.is_never_confirmed(drawing.packet, *told, numbering)) return;
  const char *similar = describe_similar(drawing, told->text);
  if (similar == nullptr) similar = describe_lost_spawn(drawing, told->text, numbering);
  const char *seen = "it never confirms the path, though it is heard until long after";
  if (told->late_call.packet != 0) {
    seen =
        wmem_strdup_printf(drawing.pinfo->pool, "it never confirms the path, and calls go on with all of it (frame %u)",
                           told->late_call.packet);
  } else if (told->overdue.packet != 0) {
    seen = wmem_strdup_printf(drawing.pinfo->pool, "it has not confirmed the path by frame %u, or later",
                              told->overdue.packet);
  }
  note_problem(drawing, drawing.item,
               {&mp_experts.unconfirmed_path, told->text.data(), path_field,
                similar == nullptr ? "is missing there" : similar, numbering, similar},
               wmem_strdup_printf(drawing.pinfo->pool, "%s probably lacks the node: %s", peer, seen));
}

// Where the name of a method is from, and the name where the wire has its number.
void draw_method(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.fields.has(MpField::method)) {
    draw_hidden_text(drawing, drawing.tree, mp_fields.method_source, {}, "wire");
    return;
  }
  const godot_codec::MpGivenName name = godot_codec::mp_method_name(drawing.packet, message, numbering);
  if (name.text.empty()) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  draw_text(drawing, drawing.tree, registered(MpField::method), {}, printable(pool, name.text));
  draw_text(drawing, drawing.tree, mp_fields.method_source, {}, printable(pool, name.source));
}

// Draws raw bytes, for which the game's author may have a dissector.
void draw_own_bytes(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  dissect_raw_bytes(drawing, message);
  if (message.command != MpCommand::rpc) return;
  const std::string_view name = message.fields.has(MpField::method)
                                    ? message.fields.text(MpField::method)
                                    : godot_codec::mp_method_name(drawing.packet, message, numbering).text;
  if (name.empty()) return;
  dissect_call_bytes(drawing, message, path_of(drawing, message.fields, numbering),
                     printable(drawing.pinfo->pool, name));
}

// A call that its receiver refuses, and tells nobody but its own log.
void note_authority(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route,
                    const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  const bool may_be_server = route.sender == godot_codec::mp_server || !drawing.packet.has_roles;
  if (names == nullptr || !is_call) return;
  const godot_codec::MpMethod method = godot_codec::mp_method_of(drawing.packet, message, numbering);
  if (names->is_disabled(method)) {
    return note_problem(drawing, drawing.item,
                        {&mp_experts.refused, path_of(drawing, message.fields, numbering), path_field,
                         "Godot refuses it", numbering, "the method's mode is \"disabled\""},
                        "The method's mode is \"disabled\": Godot refuses the call, whoever makes it");
  }
  if (may_be_server || !names->is_for_authority(method)) return;
  const MpConnection &connection = *drawing.packet.connection;
  if (connection.is_only_authority(route.sender, method.path)) return;
  const bool is_only_caller = connection.is_only_caller(route.sender, method.path, drawing.packet.moment);
  const bool may_be_authority = names->may_move_authority() && is_only_caller;
  if (may_be_authority && !connection.has_other_authority(route.sender, method.path)) return;
  if (!names->may_move_authority()) {
    note_problem(
        drawing, drawing.item,
        {&mp_experts.refused, path_of(drawing, message.fields, numbering), path_field, "Godot refuses it", numbering},
        wmem_strdup_printf(drawing.pinfo->pool,
                           "The method is for the node's authority, and %s is not the server: Godot refuses the call",
                           describe_peer(drawing, route.sender, false)));
    return;
  }
  note_problem(drawing, drawing.item,
               {&mp_experts.not_allowed, path_of(drawing, message.fields, numbering), path_field, nullptr, numbering},
               wmem_strdup_printf(drawing.pinfo->pool,
                                  "The method is for the node's authority, and %s is not the server: Godot refuses the "
                                  "call, unless a script has made the sender the authority",
                                  describe_peer(drawing, route.sender, false)));
}

// A call with arguments that the method does not take.
void note_signature(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::project::Function *function = called_function(drawing, message, numbering);
  if (function == nullptr || message.outcome != Outcome::ok) return;
  const godot_codec::MpArguments arguments =
      godot_codec::read_mp_arguments(drawing.packet.bytes, message, drawing.packet.options);
  if (godot_codec::is_mp_call_accepted(*function, arguments)) return;
  const char *signature =
      pool_text(drawing, [&](TextBuffer &text) { godot_codec::append_mp_signature(*function, text); });
  const char *refusal =
      pool_text(drawing, [&](TextBuffer &text) { godot_codec::append_mp_refusal(*function, arguments, text); });
  wmem_allocator_t *pool = drawing.pinfo->pool;
  note_problem(drawing, drawing.item,
               {&mp_experts.signature_mismatch, path_of(drawing, message.fields, numbering), path_field,
                "its arguments do not fit", numbering,
                wmem_strdup_printf(pool, "%s: %s", printable(pool, signature), printable(pool, refusal))},
               wmem_strdup_printf(pool, "%s gets %u argument%s: the receiver does not call it, and says \"%s\"",
                                  printable(pool, signature), arguments.count, arguments.count == 1 ? "" : "s",
                                  printable(pool, refusal)));
}

// A call of a node with a list of methods that the project lacks.
void note_call_of_unknown_methods(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return;
  const godot_codec::MpMethod method = godot_codec::mp_method_of(drawing.packet, message, numbering);
  if (!names->lacks_list(method.md5) || !names->method(method).text.empty()) return;
  add_expert(drawing.pinfo, drawing.item, &mp_experts.after_unknown_methods,
             "No script of the project has the methods of %s: this one has no name",
             printable(drawing.pinfo->pool, method.path));
}

// A call whose method gets null for what was sent.
void note_loss(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  const std::optional<godot_codec::MpLoss> loss =
      godot_codec::find_mp_loss(drawing.packet.bytes, message, drawing.packet.options);
  if (!loss) return;
  const char *received = pool_text(
      drawing, [&](TextBuffer &text) { godot_codec::append_mp_received(drawing.packet, message, *loss, text); });
  draw_text(drawing, drawing.tree, mp_fields.received, {}, received);
  const char *format = "The receiver cannot read argument %u%s: the method gets null for it and for all behind it, %s";
  if (loss->is_if_refused) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.arguments_refusable, format, loss->first,
               " unless it allows objects (allow_object_decoding)", received);
    return;
  }
  note_problem(
      drawing, drawing.item,
      {&mp_experts.arguments_lost, path_of(drawing, message.fields, numbering), path_field, nullptr, numbering},
      wmem_strdup_printf(drawing.pinfo->pool, format, loss->first, "", received));
}

// A list of methods that the project lacks.
void note_unknown_methods(const MpDrawing &drawing, const MpMessage &message) {
  const godot_codec::MpNames *names = drawing.packet.names;
  if (names == nullptr || message.command != MpCommand::simplify_path || !message.fields.has(MpField::md5)) return;
  const std::string_view text = names->mismatch(message.fields.text(MpField::md5), message.fields.text(MpField::path));
  if (text.empty()) return;
  add_expert(drawing.pinfo, drawing.item, &mp_experts.unknown_methods, "Methods of %s: %s",
             printable(drawing.pinfo->pool, message.fields.text(MpField::path)), printable(drawing.pinfo->pool, text));
}

// A message that the server is to relay, and cannot.
void note_absent_peer(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route) {
  using State = godot_codec::MpWhereabouts::State;
  const godot_codec::MpPacket &packet = drawing.packet;
  const bool is_for_one = route.receiver > godot_codec::mp_server && message.inner.length == 0;
  if (!packet.has_roles || !packet.is_from_client || !is_for_one || route.sender != mp_client) return;
  const godot_codec::MpWhereabouts where = packet.connection->whereabouts(route.receiver, packet.moment);
  if (where.state == State::here) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *peer = wmem_strdup_printf(pool, "%d", route.receiver);
  const char *text = wmem_strdup_printf(
      pool, "Peer %s is not there any more (frame %u): what is still sent to it gets lost", peer, where.moment.packet);
  const MpNumbering ends{route.sender, route.receiver};
  const char *filter = wmem_strdup_printf(pool, "godot_mp.receiver == %s", peer);
  note_problem_with(drawing, drawing.item, {&mp_experts.absent_peer, nullptr, nullptr, "that peer has gone", ends},
                    filter, text);
}

// A node of which the receiver gets everything but the values of a synchronizer.
void note_unsynchronized(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (message.command != MpCommand::spawn || message.outcome != Outcome::ok || may_learn(drawing.pinfo)) return;
  const MpNode *node = godot_codec::find_mp_node(drawing.packet, message.fields, numbering);
  if (node == nullptr || node->spawn->spawned != drawing.packet.moment) return;
  const godot_codec::MpSpawn &spawn = *node->spawn;
  if (spawn.unsynchronized.packet == 0) return;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *which =
      wmem_strdup_printf(pool, "Synchronizer %u of %u", spawn.unsynchronized_place + 1, spawn.synchronizers);
  note_problem(drawing, drawing.item,
               {&mp_experts.unsynchronized, node_of(drawing, message.fields, numbering), "godot_mp.node",
                wmem_strdup_printf(pool, "%s never comes", which), numbering},
               wmem_strdup_printf(pool,
                                  "%s of %s goes to other peers and never to this one, which has the node: is it "
                                  "hidden there (public_visibility, set_visibility_for())?",
                                  which, spawn.name.data()));
}

void draw_notes(const MpDrawing &drawing, const MpMessage &message, const MpNumbering &numbering) {
  if (godot_codec::mp_unknown_flags(message) != 0) {
    expert_add_info(drawing.pinfo, drawing.item, &mp_experts.unknown_flags);
  }
  if (message.command == MpCommand::sync && message.range.length > godot_codec::mp_max_sync_size) {
    expert_add_info(drawing.pinfo, drawing.item, &mp_experts.oversized_sync);
  }
  note_checksum(drawing, message, numbering);
  note_checksum_failure(drawing, message, numbering);
  note_unconfirmed(drawing, message, numbering);
  if (message.command == MpCommand::despawn) note_presence(drawing, drawing.item, message.fields, numbering);
}

// @param hf sender or receiver
void draw_peer(const MpDrawing &drawing, int hf, std::int32_t peer) {
  const bool is_client = peer == mp_client;
  const MpConnection &connection = *drawing.packet.connection;
  // A client of WebRTC is not greeted: who it is shows late, and is told of all its messages.
  const bool may_be_late = drawing.message->carrier == Carrier::webrtc && connection.client_id() != 0;
  if (is_client && !may_be_late && !connection.is_client_known(drawing.packet.moment)) return;
  const std::int32_t id = is_client ? connection.client_id() : peer;
  proto_item_set_generated(proto_tree_add_int(drawing.tree, hf, drawing.tvb, 0, 0, id));
}

// A relay's route has other ends than the packet.
void draw_known_ends(const MpDrawing &drawing, const MpRoute &route) {
  const MpRoute direct = godot_codec::direct_route(drawing.packet);
  const std::int32_t sender = id_of_end(drawing, direct.sender);
  const std::int32_t receiver = id_of_end(drawing, direct.receiver);
  if (route.sender == direct.sender && sender != 0) draw_peer(drawing, mp_fields.sender, sender);
  if (route.receiver == direct.receiver && receiver != 0) draw_peer(drawing, mp_fields.receiver, receiver);
}

}  // namespace

void draw_mp_fields(const MpDrawing &drawing, const MpFields &fields) {
  for (const MpValue &value : fields) draw_value(drawing, drawing.tree, value);
}

proto_item *draw_mp_command(const MpDrawing &drawing, MpCommand command, Range range) {
  return add_captured_text(drawing.tree, mp_fields.command, drawing.tvb, range,
                           godot_codec::mp_command_info(command).name.data());
}

void draw_mp_message(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route) {
  const MpNumbering numbering = numbering_of(drawing.packet, route, message.command);
  draw_first_byte(drawing, message);
  draw_mp_fields(drawing, message.fields);
  draw_sync_ids(drawing, message);
  draw_method(drawing, message, numbering);
  if (message.command != MpCommand::simplify_path) {
    draw_path(drawing, drawing.tree, message.fields, numbering, message.command != MpCommand::confirm_path);
  }
  draw_confirmed_path(drawing, message, numbering);
  if (message.command == MpCommand::spawn || message.command == MpCommand::despawn) {
    draw_node(drawing, drawing.tree, message.fields, numbering);
  }
  draw_variants(drawing, drawing.tree, message.generation, message.custom,
                {"Value for the spawn_function", nullptr, nullptr});
  if (message.command == MpCommand::spawn) {
    draw_spawn_state(drawing, message, numbering);
  } else {
    const bool is_doubtful = draw_variants(drawing, drawing.tree, message.generation, message.variants,
                                           {message.command == MpCommand::rpc ? "Argument" : "Value", nullptr, nullptr,
                                            called_function(drawing, message, numbering)});
    if (is_doubtful) note_loss(drawing, message, numbering);
  }
  draw_objects(drawing, message, numbering);
  draw_guess(drawing, message);
  draw_own_bytes(drawing, message, numbering);
  draw_notes(drawing, message, numbering);
  note_authority(drawing, message, route, numbering);
  note_authentication(drawing, message);
  note_absent_peer(drawing, message, route);
  note_unsynchronized(drawing, message, numbering);
  note_unlisted_scene(drawing, message, numbering);
  note_unknown_methods(drawing, message);
  note_call_of_unknown_methods(drawing, message, numbering);
  note_signature(drawing, message, numbering);
}

void draw_mp_route(const MpDrawing &drawing, const MpRoute &route) {
  *drawing.route = route;
  if (!drawing.packet.has_roles) return draw_known_ends(drawing, route);
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
