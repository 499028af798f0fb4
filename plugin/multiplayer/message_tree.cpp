// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>

#include "godot-codec/core/outcome.h"
#include "godot-codec/embedded/embedded.h"
#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/variant/detect.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/embedded.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/multiplayer/packet.h"
#include "plugin/multiplayer/rules.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::Generation;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpName;
using godot_codec::MpProperties;
using godot_codec::MpProperty;
using godot_codec::MpResolvedMessage;
using godot_codec::MpResolvedObject;
using godot_codec::MpResolvedPart;
using godot_codec::MpRoute;
using godot_codec::MpValue;
using godot_codec::MpVariants;
using godot_codec::Outcome;
using godot_codec::Range;
using godot_codec::TextBuffer;

// Expert items for unread bytes, by outcome. After a message that was read, the bytes are no part of it.
constexpr godot_codec::ByOutcome<ExpertItem *> rest_experts = {
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
      // The item covers the terminating zero, too.
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

// True for fields that are shown before the values: nodes, peers, and custom payload. Sizes and ids are shown after the
// values, folded, because names before the values show what the ids refer to.
bool is_in_front(MpField field, bool has_method_name) {
  switch (field) {
    case MpField::method_id:
      return !has_method_name;
    case MpField::peer:
    case MpField::path:
    case MpField::method:
    case MpField::property:
    case MpField::valid:
    case MpField::data:
    case MpField::name:
      return true;
    default:
      return false;
  }
}

void draw_front(const MpDrawing &drawing, proto_tree *tree, const MpFields &fields, bool has_method_name) {
  if (tree == nullptr) return;
  for (const MpValue &value : fields) {
    if (is_in_front(value.field, has_method_name)) draw_value(drawing, tree, value);
  }
}

// Adds the sizes and ids of a part of a message, folded.
// @param others range that the caller adds to the tree; may be empty
// @returns their tree; null if there are none
proto_tree *draw_header(const MpDrawing &drawing, proto_tree *tree, Range others, const MpFields &fields,
                        bool has_method_name) {
  if (tree == nullptr) return nullptr;
  Range all = others;
  for (const MpValue &value : fields) {
    if (is_in_front(value.field, has_method_name)) continue;
    const std::size_t start = all.length == 0 ? value.range.offset : std::min(all.offset, value.range.offset);
    all = {start, std::max(all.end(), value.range.end()) - start};
  }
  if (all.length == 0) return nullptr;
  proto_item *item = add_captured(tree, mp_fields.header, drawing.tvb, all);
  proto_tree *header = proto_item_add_subtree(item, mp_subtrees.header);
  for (const MpValue &value : fields) {
    if (!is_in_front(value.field, has_method_name)) draw_value(drawing, header, value);
  }
  return header;
}

// Adds the captured part of a range as undecoded bytes. @returns null if no byte of it was captured
proto_item *draw_undecoded(const MpDrawing &drawing, proto_tree *tree, Range range) {
  if (captured_range(drawing.tvb, range).length == 0) return nullptr;
  return add_captured(tree, mp_fields.undecoded, drawing.tvb, range);
}

// Adds the remaining bytes of a range, and why they were not read. If no byte remains, the item of the message has the
// reason.
void draw_rest(const MpDrawing &drawing, proto_tree *tree, Range rest, Outcome outcome) {
  if (rest.length == 0 && outcome == Outcome::ok) return;
  proto_item *item = draw_undecoded(drawing, tree, rest);
  if (item == nullptr) item = drawing.item;
  if (outcome == Outcome::truncated) return add_truncated(drawing.pinfo, item, &mp_experts.truncated, "the message");
  add_expert(drawing.pinfo, item, rest_experts.of(outcome));
}

// Adds the limit for a range if the tree has no capacity left. @returns whether that is so
bool draw_if_full(const MpDrawing &drawing, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (!is_tree_full(tree)) return false;
  draw_mp_limit(drawing, tree, {offset, end - offset});
  return true;
}

// Adds a generated text about a range.
proto_item *draw_text(const MpDrawing &drawing, proto_tree *tree, int hf, Range range, const char *text) {
  proto_item *item = add_captured_text(tree, hf, drawing.tvb, range, text);
  proto_item_set_generated(item);
  return item;
}

void draw_hidden_text(const MpDrawing &drawing, proto_tree *tree, int hf, Range range, const char *text) {
  proto_item_set_hidden(draw_text(drawing, tree, hf, range, text));
}

// Names for consecutive values.
struct Values {
  const char *what;                                          // "Argument"; for a property, the property's name
  const char *object;                                        // null if the values are no properties
  MpProperties *properties;                                  // null if the values are no properties
  const godot_codec::project::Function *function = nullptr;  // the function that takes the arguments, if that is known
};

// The label of a value, and the prefix of its paths.
struct ValueName {
  const char *label;
  const char *path;
  MpProperty property;
};

// True if an output needs the names of values: labels, paths, and fields of properties.
bool are_names_read(proto_tree *tree) {
  const int told[] = {mp_fields.property,           mp_fields.property_path,       mp_fields.property_source,
                      mp_fields.property_full_path, mp_fields.property_with_value, fields.path,
                      fields.path_with_value};
  return std::ranges::any_of(told, [tree](int hf) { return proto_field_is_referenced(tree, hf) != 0; });
}

ValueName name_value(const MpDrawing &drawing, const Values &values, const MpProperty &property, std::uint32_t index,
                     bool is_only) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (values.properties == nullptr) {
    const bool has_name = values.function != nullptr && index < values.function->parameters.size();
    const char *label = has_name  ? printable(pool, values.function->parameters[index].name)
                        : is_only ? values.what
                                  : wmem_strdup_printf(pool, "%s %u", values.what, index);
    return {label, wmem_strdup_printf(pool, "/%u", index), {}};
  }
  return {pool_text(drawing.pinfo, [&](TextBuffer &text) { property.append_to(text); }),
          pool_text(drawing.pinfo,
                    [&](TextBuffer &text) {
                      text.append("/");
                      godot_codec::append_mp_property_path(values.object, property, text);
                    }),
          property};
}

// Adds the property of a value. @param value its text; null: not known yet
void draw_property(const MpDrawing &drawing, proto_tree *tree, const ValueName &name, const MpProperties &properties,
                   Range range, const godot_codec::Encoding &encoding, const char *value) {
  const char *path = name.path + 1;
  draw_hidden_text(drawing, tree, mp_fields.property, range, name.label);
  draw_hidden_text(drawing, tree, mp_fields.property_path, range, path);
  if (!name.property.name.source.empty()) {
    draw_hidden_text(drawing, tree, mp_fields.property_source, range,
                     printable(drawing.pinfo->pool, name.property.name.source));
  }
  if (proto_field_is_referenced(tree, mp_fields.property_full_path)) {
    bool is_known = false;
    const char *full = pool_text(
        drawing.pinfo, [&](TextBuffer &text) { is_known = properties.append_full_path(name.property, text); });
    if (is_known) draw_hidden_text(drawing, tree, mp_fields.property_full_path, range, full);
  }
  if (!proto_field_is_referenced(tree, mp_fields.property_with_value)) return;
  const godot_codec::Bytes bytes = godot_codec::mp_until(drawing.packet.bytes, range.end());
  draw_text(drawing, tree, mp_fields.property_with_value, range, pool_text(drawing.pinfo, [&](TextBuffer &text) {
              text.append(path);
              text.append("=");
              if (value != nullptr) return text.append(value);
              godot_codec::append_variant(text, bytes, range.offset, encoding, drawing.packet.options,
                                          godot_codec::TextStyle::plain);
            }));
}

// Adds values. @returns whether Godot 4 may be unable to read one of them
bool draw_variants(const MpDrawing &drawing, proto_tree *tree, Generation generation, const MpVariants &variants,
                   const Values &values) {
  const bool is_nothing = variants.count == 0 && variants.range.length == 0;
  if (is_nothing || !wants_experts(drawing.pinfo, tree)) return false;
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(generation);
  // An earlier item has reported the end of the capture.
  if (variants.range.offset > drawing.packet.bytes.captured) return false;
  const std::size_t end = variants.range.end();
  tvbuff_t *part = subset_of(drawing.tvb, {0, end});
  const bool is_name_read = are_names_read(tree);
  const bool is_property = values.properties != nullptr;
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  bool has_unreadable = false;
  for (; count < variants.count && offset < end; ++count) {
    if (draw_if_full(drawing, tree, offset, end)) return true;
    const MpProperty property = is_property ? values.properties->next() : MpProperty{};
    const bool is_odd = generation == Generation::godot4 && is_odd_value(drawing, offset, is_property);
    const ValueName name = is_name_read || is_odd ? name_value(drawing, values, property, count, variants.count == 1)
                                                  : ValueName{"", "", property};
    VariantTarget target{part, drawing.pinfo, tree, preferred_max_elements(), name.path, name.label};
    const char *text = nullptr;
    if (is_property) target.plain_text = &text;
    target.texts = drawing.packet.values->scripts();
    const godot_codec::WalkResult result =
        add_variant_items(target, static_cast<int>(offset), encoding, drawing.packet.options);
    if (is_odd) note_value(drawing, offset, is_property, name.label, values.object);
    has_unreadable =
        has_unreadable || godot_codec::is_unreadable(drawing.packet.bytes, offset, result.outcome, result.notes);
    if (result.outcome != Outcome::ok) return has_unreadable;
    if (is_property && is_name_read) {
      draw_property(drawing, tree, name, *values.properties, {offset, result.offset - offset}, encoding, text);
    }
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

// ---- what ids refer to

void draw_definition(const MpDrawing &drawing, proto_tree *tree, const MpName &name, std::int32_t listener) {
  proto_item_set_generated(
      proto_tree_add_uint(tree, mp_fields.path_defined_in, drawing.tvb, 0, 0, name.defined.packet));
  proto_item_set_generated(proto_tree_add_boolean(
      tree, mp_fields.path_confirmed, drawing.tvb, 0, 0,
      drawing.packet.connection->paths().is_confirmed(name, listener, drawing.packet.moment) ? 1 : 0));
}

void draw_path_name(const MpDrawing &drawing, proto_tree *tree, const MpFields &fields, const MpName &name) {
  proto_item_set_generated(proto_tree_add_string(tree, registered(MpField::path), drawing.tvb, 0, 0, name.text.data()));
  if (fields.has(MpField::spawner)) {
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.spawner, drawing.tvb, 0, 0, name.text.data()));
  }
}

// True if the memory limit may have prevented an update of the session before this message.
bool is_left_out(const MpDrawing &drawing) {
  const godot_codec::PacketPosition first = mp_session().first_left_out();
  return first.packet != 0 && first <= drawing.packet.moment;
}

// Adds the path that a number stands for.
// @param must_be_announced true if the message is lost at a receiver that has not got the path
// @returns the announcement; null if it is not known
const MpName *draw_path(const MpDrawing &drawing, proto_tree *tree, const MpResolvedPart &part,
                        bool must_be_announced) {
  if (!part.path_id() || part.fields.has(MpField::path) || is_of_nobody(drawing, part.ids)) return nullptr;
  const bool is_lost = must_be_announced && !is_left_out(drawing) && part.unannounced();
  const MpName *name = is_lost && part.unannounced()->name != nullptr ? part.unannounced()->name : part.announced();
  if (tree != nullptr && name != nullptr) draw_path_name(drawing, tree, part.fields, *name);
  if (is_lost) {
    note_unannounced(drawing, part);
  } else if (name == nullptr) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.unknown_path);
  }
  return name;
}

// Adds the announcement of a path that is confirmed without its number, as Godot 3 does.
void draw_confirmed_path(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const bool is_by_path = message.is(MpCommand::confirm_path) && message.fields.has(MpField::path);
  if (!is_by_path || drawing.tree == nullptr) return;
  const MpName *name =
      drawing.packet.connection->paths().find(message.ids, message.fields.text(MpField::path), drawing.packet.moment);
  if (name != nullptr) draw_definition(drawing, drawing.tree, *name, message.ids.listener);
}

void draw_node(const MpDrawing &drawing, proto_tree *tree, const MpResolvedPart &part) {
  const char *node = tree == nullptr ? nullptr : node_of(drawing, part);
  if (node == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.node, drawing.tvb, 0, 0, node));
}

// ---- parts of commands

void draw_first_byte(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (!message.command.is_known || drawing.tree == nullptr) return;
  if (message.command.is_bare_variant) {
    return proto_item_set_generated(
        draw_mp_command(drawing, message.command.command, {message.command.range.offset, 0}));
  }
  draw_mp_command(drawing, message.command.command, {message.command.range.offset, 1});
}

void draw_sync_ids(const MpDrawing &drawing, proto_tree *tree, const MpResolvedMessage &message) {
  constexpr std::size_t id_size = sizeof(std::uint32_t);
  for (std::size_t i = 0; i < message.command.sync_ids.length / id_size; ++i) {
    if (draw_if_full(drawing, tree, message.command.sync_ids.offset + i * id_size, message.command.sync_ids.end()))
      return;
    draw_value(drawing, tree, godot_codec::read_mp_sync_id(drawing.packet.bytes, message.command, i));
  }
}

// Adds flags, sizes and ids of a message. @param told announcement of its path; null: not known
void draw_message_header(const MpDrawing &drawing, const MpResolvedMessage &message, const MpName *told,
                         bool has_method_name) {
  const auto flags = godot_codec::mp_flags(message.command.generation, message.command.command);
  const bool has_flags = message.command.is_known && !message.command.is_bare_variant && !flags.empty();
  const Range others = has_flags ? Range{message.command.range.offset, 1} : message.command.sync_ids;
  proto_tree *tree = draw_header(drawing, drawing.tree, others, message.fields, has_method_name);
  if (tree == nullptr) return;
  for (const godot_codec::MpFlag flag : flags) {
    if (has_flags) {
      proto_tree_add_item(tree, registered(flag), drawing.tvb, static_cast<int>(message.command.range.offset), 1,
                          ENC_NA);
    }
  }
  draw_sync_ids(drawing, tree, message);
  if (told != nullptr) draw_definition(drawing, tree, *told, message.ids.listener);
}

// Adds how late a sync arrived, and its interval since the previous sync.
void draw_sync(const MpDrawing &drawing, proto_item *item, proto_tree *tree, const MpResolvedObject &object) {
  const godot_codec::MpSyncRecord *record = object.timing();
  if (record == nullptr) return;
  if (record->is_late) {
    add_expert(drawing.pinfo, item, &mp_experts.late_sync);
    drawing.notes->dropped = "a newer sync arrived before";
  }
  if (!record->has_interval || tree == nullptr) return;
  constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
  const std::int64_t interval = record->interval;
  nstime_t time;
  time.secs = interval / nanoseconds_per_second;
  time.nsecs = static_cast<int>(interval % nanoseconds_per_second);
  proto_item_set_generated(proto_tree_add_time(tree, mp_fields.sync_interval, drawing.tvb, 0, 0, &time));
}

// @param object name of the object that has the values
void draw_properties(const MpDrawing &drawing, proto_item *item, proto_tree *tree, const MpResolvedPart &part,
                     const char *object) {
  if (drawing.packet.names == nullptr && !wants_experts(drawing.pinfo, tree)) return;
  note_fit(drawing, item, part, object);
  MpProperties properties = part.properties();
  draw_variants(drawing, tree, part.command.generation, part.variants, {"", object, &properties});
}

void draw_object(const MpDrawing &drawing, const MpResolvedObject &object) {
  // Expert items need the name even if no tree is built.
  const char *name = drawing.tree != nullptr
                         ? pool_text(drawing.pinfo, [&](TextBuffer &text) { object.append_object(text); })
                     : wants_experts(drawing.pinfo, drawing.tree) ? node_of(drawing, object)
                                                                  : nullptr;
  proto_item *item = add_captured_text(drawing.tree, mp_fields.object, drawing.tvb, object.object.range, name);
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.object);
  const MpName *path = draw_path(drawing, tree, object, true);
  draw_node(drawing, tree, object);
  note_presence(drawing, item, object);
  draw_sync(drawing, item, tree, object);
  draw_properties(drawing, item, tree, object, name == nullptr ? "" : name);
  proto_tree *header = draw_header(drawing, tree, {}, object.fields, true);
  if (header != nullptr && path != nullptr) draw_definition(drawing, header, *path, object.ids.listener);
  if (object.object.outcome != Outcome::ok) {
    draw_rest(drawing, tree, {object.object.offset, object.object.range.end() - object.object.offset},
              object.object.outcome);
  }
}

void draw_objects(const MpDrawing &drawing, const MpResolvedMessage &message) {
  MpObjectNotes notes(drawing);
  std::size_t offset = message.command.objects.offset;
  for (std::uint32_t i = 0; const MpResolvedObject *object = message.object(i); ++i) {
    if (draw_if_full(drawing, drawing.tree, offset, message.command.objects.end())) return;
    draw_object(drawing, *object);
    if (object->object.outcome != Outcome::ok) return;
    notes.add(*object);
    offset = object->object.offset;
  }
  notes.end();
}

// Adds the values that a spawned node has from the beginning.
void draw_spawn_state(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const bool is_named = wants_experts(drawing.pinfo, drawing.tree);
  const char *name = is_named ? printable(drawing.pinfo->pool, message.fields.text(MpField::name)) : "";
  draw_properties(drawing, drawing.item, drawing.tree, message, name);
}

// Adds the arguments as the receiver gets them, if it cannot read all of them.
void draw_loss(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const std::optional<godot_codec::MpLoss> loss = godot_codec::find_mp_loss(*drawing.packet.values, message.command);
  if (!loss) return;
  const char *received = pool_text(drawing.pinfo, [&](TextBuffer &text) {
    godot_codec::append_mp_received(drawing.packet, message.command, *loss, text);
  });
  draw_text(drawing, drawing.tree, mp_fields.received_as, {}, received);
  note_loss(drawing, message, *loss, received);
}

// True if the payload embedded in an argument was decoded with certainty.
bool is_opened(const MpDrawing &drawing, Range range, godot_codec::Dialect dialect) {
  const godot_codec::Bytes bytes = drawing.packet.bytes.slice(range);
  const godot_codec::EmbeddedOptions options{drawing.packet.options, true, dialect};
  return decodes_embedded_data() &&
         godot_codec::detect_embedded(bytes, options).format != godot_codec::EmbeddedFormat::nothing;
}

// Decodes custom payload that consists of one Variant, as a guess.
void draw_guess(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (!wants_experts(drawing.pinfo, drawing.tree)) return;
  const godot_codec::Dialect dialect = godot_codec::mp_encoding(message.command.generation).dialect;
  const godot_codec::ReadOptions &options = drawing.packet.options;
  const Range range = godot_codec::mp_own_bytes(*drawing.packet.values, message.command);
  if (range.length == 0) return;
  const godot_codec::DialectDetection detection =
      godot_codec::detect_dialect(drawing.packet.bytes.slice(range), options);
  const bool is_variant = detection.fit == godot_codec::DialectFit::exact && detection.candidates.has(dialect);
  const char *root_path = message.is(MpCommand::rpc) ? "/0" : "";
  // The payload of an argument that is a Variant itself is decoded with the argument.
  if (!is_variant && message.fields.has(MpField::data)) {
    add_embedded_items({drawing.tvb, drawing.pinfo, drawing.tree, range, root_path, 0, false, true, dialect});
  }
  if (!is_variant || (!message.fields.has(MpField::data) && is_opened(drawing, range, dialect))) return;
  proto_item *item = proto_tree_add_boolean(drawing.tree, mp_fields.data_guessed, drawing.tvb, 0, 0, 1);
  proto_item_set_generated(item);
  tvbuff_t *part = subset_of(drawing.tvb, {0, range.end()});
  draw_hidden_text(drawing, drawing.tree, fields.embedded, range, "variant");
  add_variant_items(
      {part, drawing.pinfo, proto_item_add_subtree(item, mp_subtrees.guess), preferred_max_elements(), root_path},
      static_cast<int>(range.offset), {.dialect = dialect}, options);
}

// Adds the name of a method, if the message has only its number, and where the name is from.
// @returns false if the name is not known
bool draw_method(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (drawing.tree == nullptr) return false;
  const godot_codec::MpGivenName name = message.method_name();
  wmem_allocator_t *pool = drawing.pinfo->pool;
  if (message.fields.has(MpField::method)) {
    draw_hidden_text(drawing, drawing.tree, mp_fields.method_source, {}, printable(pool, name.source));
    return true;
  }
  if (name.text.empty()) return false;
  draw_text(drawing, drawing.tree, registered(MpField::method), {}, printable(pool, name.text));
  draw_text(drawing, drawing.tree, mp_fields.method_source, {}, printable(pool, name.source));
  return true;
}

// @param hf sender or receiver
void draw_peer(const MpDrawing &drawing, int hf, std::int32_t peer) {
  // The id of a WebRTC client may become known late. Then it is shown for all messages of the client.
  const bool may_be_late = drawing.packet.transport == Transport::webrtc;
  const godot_codec::PacketPosition moment = may_be_late ? godot_codec::packet_position_last : drawing.packet.moment;
  const std::optional<std::int32_t> id = drawing.packet.connection->peers().id_of(peer, moment);
  if (id) proto_item_set_generated(proto_tree_add_int(drawing.tree, hf, drawing.tvb, 0, 0, *id));
}

// The route of a relayed message has other ends than the packet.
void draw_known_ends(const MpDrawing &drawing, const MpRoute &route) {
  const MpRoute direct = godot_codec::direct_route(drawing.packet);
  const std::int32_t sender = id_of_end(drawing, direct.sender);
  const std::int32_t receiver = id_of_end(drawing, direct.receiver);
  if (route.sender == direct.sender && sender != 0) draw_peer(drawing, mp_fields.sender, sender);
  if (route.receiver == direct.receiver && receiver != 0) draw_peer(drawing, mp_fields.receiver, receiver);
}

}  // namespace

void draw_mp_prefix(const MpDrawing &drawing, const MpFields &fields) {
  draw_front(drawing, drawing.tree, fields, true);
  draw_header(drawing, drawing.tree, {}, fields, true);
}

proto_item *draw_mp_command(const MpDrawing &drawing, MpCommand command, Range range) {
  return add_captured_text(drawing.tree, mp_fields.command, drawing.tvb, range,
                           godot_codec::mp_command_info(command).name);
}

void draw_mp_message(const MpDrawing &drawing, const MpResolvedMessage &message) {
  draw_first_byte(drawing, message);
  const bool has_method_name = draw_method(drawing, message);
  draw_front(drawing, drawing.tree, message.fields, has_method_name);
  const MpName *told = nullptr;
  if (!message.is(MpCommand::simplify_path)) {
    told = draw_path(drawing, drawing.tree, message,
                     !message.is(MpCommand::confirm_path) && message.command.outcome == Outcome::ok);
  }
  draw_confirmed_path(drawing, message);
  if (message.is(MpCommand::spawn) || message.is(MpCommand::despawn)) {
    draw_node(drawing, drawing.tree, message);
  }
  draw_variants(drawing, drawing.tree, message.command.generation, message.command.custom,
                {"Value for the spawn_function", nullptr, nullptr});
  if (message.is(MpCommand::spawn)) {
    draw_spawn_state(drawing, message);
  } else {
    const bool is_doubtful =
        draw_variants(drawing, drawing.tree, message.command.generation, message.variants,
                      {message.is(MpCommand::rpc) ? "Argument" : "Value", nullptr, nullptr, message.function()});
    if (is_doubtful) draw_loss(drawing, message);
  }
  draw_objects(drawing, message);
  draw_guess(drawing, message);
  dissect_own_bytes(drawing, message);
  draw_message_header(drawing, message, told, has_method_name);
  check_message(drawing, message);
}

void draw_mp_route(const MpDrawing &drawing, const MpRoute &route) {
  drawing.notes->route = route;
  if (drawing.tree == nullptr) return;
  if (!drawing.packet.has_roles()) return draw_known_ends(drawing, route);
  draw_peer(drawing, mp_fields.sender, route.sender);
  draw_peer(drawing, mp_fields.receiver, route.receiver);
}

void draw_mp_rest(const MpDrawing &drawing, Range rest, Outcome outcome) {
  draw_rest(drawing, drawing.tree, rest, outcome);
}

void draw_mp_limit(const MpDrawing &drawing, proto_tree *tree, Range range) {
  proto_item *item = draw_undecoded(drawing, tree, range);
  add_expert(drawing.pinfo, item != nullptr ? item : drawing.item, &mp_experts.limit);
}

}  // namespace godot_plugin
