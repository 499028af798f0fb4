// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>

#include "godot-codec/embedded/embedded_format.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/variant/dialect_detection.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/multiplayer/rules.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::MpFieldValue;
using godot_codec::MpVariants;

// Expert items for bytes that were not decoded, by outcome. If the outcome is ok, the bytes follow the message.
constexpr godot_codec::OutcomeTable<ExpertItem *> rest_experts = {
    &mp_experts.trailing, &mp_experts.truncated, &mp_experts.malformed, &mp_experts.unsupported, &mp_experts.limit};

void add_field(const MpDissection &dissection, proto_tree *tree, const MpFieldValue &value) {
  const int hf = registered_field(value.field);
  const godot_codec::FieldKind kind = godot_codec::mp_field_info(value.field).kind;
  if (kind == godot_codec::FieldKind::text) {
    // The item covers the terminating zero, too.
    const Range with_zero{value.range.offset, value.range.length + 1};
    add_captured_text(tree, hf, dissection.tvb, with_zero, dissection.printable(value.text));
  } else if (kind == godot_codec::FieldKind::opaque_bytes) {
    add_captured(tree, hf, dissection.tvb, value.range);
  } else {
    add_integer(tree, hf, dissection.tvb, value.range, kind, value.signed_integer());
  }
}

// True for fields that are shown before the values: nodes, peers, and custom payload. Sizes and IDs are shown after the
// values, in a collapsed subtree, because the names already show what the IDs refer to.
bool is_shown_first(MpField field, bool has_method_name) {
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

void add_first_fields(const MpDissection &dissection, proto_tree *tree, const MpFields &fields, bool has_method_name) {
  if (tree == nullptr) return;
  for (const MpFieldValue &value : fields) {
    if (is_shown_first(value.field, has_method_name)) add_field(dissection, tree, value);
  }
}

// Adds the sizes and IDs of a part of a message in a collapsed subtree.
// @param others range that the caller adds to the tree; may be empty
// @returns the subtree; null if there are no such fields
proto_tree *add_header_fields(const MpDissection &dissection, proto_tree *tree, Range others, const MpFields &fields,
                              bool has_method_name) {
  if (tree == nullptr) return nullptr;
  Range all = others;
  for (const MpFieldValue &value : fields) {
    if (is_shown_first(value.field, has_method_name)) continue;
    const std::size_t start = all.length == 0 ? value.range.offset : std::min(all.offset, value.range.offset);
    all = {start, std::max(all.end(), value.range.end()) - start};
  }
  if (all.length == 0) return nullptr;
  proto_item *item = add_captured(tree, mp_fields.header, dissection.tvb, all);
  proto_tree *header = proto_item_add_subtree(item, mp_subtrees.header);
  for (const MpFieldValue &value : fields) {
    if (!is_shown_first(value.field, has_method_name)) add_field(dissection, header, value);
  }
  return header;
}

// Adds the captured part of a range as undecoded bytes. @returns null if no byte of the range was captured
proto_item *add_undecoded(const MpDissection &dissection, proto_tree *tree, Range range) {
  if (captured_range(dissection.tvb, range).length == 0) return nullptr;
  return add_captured(tree, mp_fields.undecoded, dissection.tvb, range);
}

// Adds an item about the limit, for a range, if the tree is full. @returns true if the tree is full
bool add_limit_if_full(const MpDissection &dissection, proto_tree *tree, std::size_t offset, std::size_t end) {
  if (!is_tree_full(tree)) return false;
  add_mp_limit_item(dissection, tree, {offset, end - offset});
  return true;
}

// Adds a generated text about a range.
proto_item *add_generated_text(const MpDissection &dissection, proto_tree *tree, int hf, Range range,
                               const char *text) {
  proto_item *item = add_captured_text(tree, hf, dissection.tvb, range, text);
  proto_item_set_generated(item);
  return item;
}

void add_hidden_text(const MpDissection &dissection, proto_tree *tree, int hf, Range range, const char *text) {
  proto_item_set_hidden(add_generated_text(dissection, tree, hf, range, text));
}

// The source of the names of consecutive values: properties, or parameters of a function.
struct ValueNameSource {
  const char *what;                                          // "Argument", or the name of the property
  const char *object;                                        // null if the values are no properties
  MpPropertyCursor *properties;                              // null if the values are no properties
  const godot_codec::project::Function *function = nullptr;  // the called function; null if not known
  const MpResolvedMessage *call = nullptr;                   // the call, if the values are its arguments
};

// The label of a value, and the prefix of its paths.
struct ValueName {
  const char *label;
  const char *path;
  MpProperty property;
};

// True if an output needs the names of values: labels, paths, and fields of properties.
bool are_names_needed(proto_tree *tree) {
  const int name_fields[] = {mp_fields.property,           mp_fields.property_path,       mp_fields.property_source,
                             mp_fields.property_full_path, mp_fields.property_with_value, fields.path,
                             fields.path_with_value};
  return std::ranges::any_of(name_fields, [tree](int hf) { return proto_field_is_referenced(tree, hf) != 0; });
}

ValueName name_value(const MpDissection &dissection, const ValueNameSource &values, const MpProperty &property,
                     std::uint32_t index, bool is_only) {
  if (values.properties == nullptr) {
    const bool has_name = values.function != nullptr && index < values.function->parameters.size();
    const char *label = has_name  ? dissection.printable(values.function->parameters[index].name)
                        : is_only ? values.what
                                  : dissection.format("%s %u", values.what, index + 1);
    return {label, dissection.format("/%u", index), {}};
  }
  return {pool_text(dissection.pinfo, [&](TextBuffer &text) { property.append_to(text); }),
          pool_text(dissection.pinfo,
                    [&](TextBuffer &text) {
                      text.append("/");
                      godot_codec::append_mp_property_path(values.object, property, text);
                    }),
          property};
}

// Adds the property of a value. @param value the value's text; null: not known yet
void add_property(const MpDissection &dissection, proto_tree *tree, const ValueName &name,
                  const MpPropertyCursor &properties, Range range, const godot_codec::Encoding &encoding,
                  const char *value) {
  const char *path = name.path + 1;
  add_hidden_text(dissection, tree, mp_fields.property, range, name.label);
  add_hidden_text(dissection, tree, mp_fields.property_path, range, path);
  if (!name.property.name.source.empty()) {
    add_hidden_text(dissection, tree, mp_fields.property_source, range,
                    dissection.printable(name.property.name.source));
  }
  if (proto_field_is_referenced(tree, mp_fields.property_full_path)) {
    bool is_known = false;
    const char *full = pool_text(
        dissection.pinfo, [&](TextBuffer &text) { is_known = properties.append_full_path(name.property, text); });
    if (is_known) add_hidden_text(dissection, tree, mp_fields.property_full_path, range, full);
  }
  if (!proto_field_is_referenced(tree, mp_fields.property_with_value)) return;
  const godot_codec::Bytes bytes = godot_codec::mp_bytes_before(dissection.packet.bytes, range.end());
  add_generated_text(dissection, tree, mp_fields.property_with_value, range,
                     pool_text(dissection.pinfo, [&](TextBuffer &text) {
                       text.append(path);
                       text.append("=");
                       if (value != nullptr) return text.append(value);
                       godot_codec::append_variant(text, bytes, range.offset, encoding, dissection.packet.options(),
                                                   godot_codec::TextStyle::plain);
                     }));
}

// Adds values. @returns true if Godot 4 may be unable to read one of the values
bool add_values(const MpDissection &dissection, proto_tree *tree, Generation generation, const MpVariants &variants,
                const ValueNameSource &values) {
  const bool is_nothing = variants.count == 0 && variants.range.length == 0;
  if (is_nothing || !dissection.has_expert_items) return false;
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(generation);
  // An earlier item has already reported that the packet is truncated.
  if (variants.range.offset > dissection.packet.bytes.captured) return false;
  const std::size_t end = variants.range.end();
  tvbuff_t *until_end = subset_of(dissection.tvb, {0, end});
  const bool are_names_used = are_names_needed(tree);
  const bool is_property = values.properties != nullptr;
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  bool has_unreadable = false;
  for (; count < variants.count && offset < end; ++count) {
    if (add_limit_if_full(dissection, tree, offset, end)) return true;
    const MpProperty property = is_property ? values.properties->next() : MpProperty{};
    const bool has_problem = generation == Generation::godot4 && has_value_problem(dissection, offset, is_property);
    const ValueName name = are_names_used || has_problem
                               ? name_value(dissection, values, property, count, variants.count == 1)
                               : ValueName{"", "", property};
    VariantTarget target{until_end, dissection.pinfo, tree, name.path, name.label};
    const char *text = nullptr;
    if (is_property) target.plain_text = &text;
    target.texts = dissection.packet.values->scripts();
    const godot_codec::WalkResult result =
        add_variant_items(target, static_cast<int>(offset), encoding, dissection.packet.options());
    if (has_problem) {
      const char *what = values.call == nullptr ? name.label : describe_argument(dissection, *values.call, count);
      report_value_problem(dissection, offset, is_property, what, values.object);
    }
    has_unreadable = has_unreadable ||
                     godot_codec::is_unreadable_variant(dissection.packet.bytes, offset, result.outcome, result.notes);
    if (result.outcome != Outcome::ok) return has_unreadable;
    if (is_property && are_names_used) {
      add_property(dissection, tree, name, *values.properties, {offset, result.offset - offset}, encoding, text);
    }
    offset = result.offset;
  }
  const bool is_short = variants.count != MpVariants::all && count < variants.count;
  if (is_short) {
    add_expert(dissection.pinfo, dissection.item, &mp_experts.malformed,
               "The message announces %u values but contains only %u", variants.count, count);
  }
  add_mp_remaining_bytes(dissection, tree, {offset, end - offset}, Outcome::ok);
  return has_unreadable || is_short;
}

// ---- paths and nodes that IDs refer to

void add_path_definition(const MpDissection &dissection, proto_tree *tree, const MpAnnouncedPath &name,
                         std::int32_t receiver) {
  add_frame_link(tree, mp_fields.path_defined_in, dissection.tvb, name.position.packet);
  proto_item_set_generated(
      proto_tree_add_boolean(tree, mp_fields.path_confirmed, dissection.tvb, 0, 0,
                             dissection.paths().is_confirmed(name, receiver, dissection.packet.position) ? 1 : 0));
}

void add_path_name(const MpDissection &dissection, proto_tree *tree, const MpFields &fields,
                   const MpAnnouncedPath &name) {
  proto_item_set_generated(
      proto_tree_add_string(tree, registered_field(MpField::path), dissection.tvb, 0, 0, name.text.data()));
  if (fields.has(MpField::spawner)) {
    proto_item_set_generated(proto_tree_add_string(tree, mp_fields.spawner, dissection.tvb, 0, 0, name.text.data()));
  }
}

// True if the memory limit may have prevented an update of the session before this message.
bool may_session_lack_updates(const MpDissection &dissection) {
  const PacketPosition first = mp_session().first_over_memory_limit();
  return first.packet != 0 && first <= dissection.packet.position;
}

// Adds the path that a path id refers to.
// @param must_be_announced true if a receiver that has not got the path drops the message
// @returns the announcement; null if not known
const MpAnnouncedPath *add_path(const MpDissection &dissection, proto_tree *tree, const MpResolvedItem &resolved,
                                bool must_be_announced) {
  if (!resolved.path_id() || resolved.fields.has(MpField::path) || is_id_scope_unknown(dissection, resolved.ids))
    return nullptr;
  const bool is_lost = must_be_announced && !may_session_lack_updates(dissection) && resolved.unannounced_path_id();
  const MpAnnouncedPath *name = is_lost ? resolved.unannounced_path_id()->name : nullptr;
  if (name == nullptr) name = resolved.announced_path();
  if (tree != nullptr && name != nullptr) add_path_name(dissection, tree, resolved.fields, *name);
  if (is_lost) {
    report_unannounced_path(dissection, resolved);
  } else if (name == nullptr) {
    add_expert(dissection.pinfo, dissection.item, &mp_experts.unknown_path);
  }
  return name;
}

// Adds the announcement of a path that is confirmed without its ID, as Godot 3 does.
void add_confirmed_path(const MpDissection &dissection, const MpResolvedMessage &message) {
  const bool is_by_path = message.is(MpCommand::confirm_path) && message.fields.has(MpField::path);
  if (!is_by_path || dissection.tree == nullptr) return;
  const MpAnnouncedPath *name = dissection.paths().find(message);
  if (name != nullptr) add_path_definition(dissection, dissection.tree, *name, message.ids.receiver);
}

void add_node(const MpDissection &dissection, proto_tree *tree, const MpResolvedItem &resolved) {
  const char *node = tree == nullptr ? nullptr : node_of(dissection, resolved);
  if (node == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, mp_fields.node, dissection.tvb, 0, 0, node));
}

// ---- parts of commands

void add_first_byte(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (!message.command.is_known || dissection.tree == nullptr) return;
  if (message.command.is_bare_variant) {
    return proto_item_set_generated(
        add_mp_command_item(dissection, message.command.command, {message.command.range.offset, 0}));
  }
  add_mp_command_item(dissection, message.command.command, {message.command.range.offset, 1});
}

void add_sync_ids(const MpDissection &dissection, proto_tree *tree, const MpResolvedMessage &message) {
  constexpr std::size_t id_size = sizeof(std::uint32_t);
  for (std::size_t i = 0; i < message.command.sync_ids.length / id_size; ++i) {
    if (add_limit_if_full(dissection, tree, message.command.sync_ids.offset + i * id_size,
                          message.command.sync_ids.end()))
      return;
    add_field(dissection, tree, godot_codec::read_mp_sync_id(dissection.packet.bytes, message.command, i));
  }
}

// Adds the flags, sizes and IDs of a message. @param announced announcement of the message's path; null: not known
void add_message_header(const MpDissection &dissection, const MpResolvedMessage &message,
                        const MpAnnouncedPath *announced, bool has_method_name) {
  const auto flags = godot_codec::mp_command_flags(message.command.generation, message.command.command);
  const bool has_flags = message.command.is_known && !message.command.is_bare_variant && !flags.empty();
  const Range others = has_flags ? Range{message.command.range.offset, 1} : message.command.sync_ids;
  proto_tree *tree = add_header_fields(dissection, dissection.tree, others, message.fields, has_method_name);
  if (tree == nullptr) return;
  for (const godot_codec::MpFlag flag : flags) {
    if (has_flags) {
      proto_tree_add_item(tree, registered_field(flag), dissection.tvb, static_cast<int>(message.command.range.offset),
                          1, ENC_NA);
    }
  }
  add_sync_ids(dissection, tree, message);
  if (announced != nullptr) add_path_definition(dissection, tree, *announced, message.ids.receiver);
}

// Adds the lateness of a sync, and the interval since the previous sync.
void add_sync(const MpDissection &dissection, proto_item *item, proto_tree *tree, const MpResolvedObject &object) {
  if (!dissection.has_expert_items) return;
  const godot_codec::MpSyncRecord *record = object.sync_record();
  if (record == nullptr) return;
  if (record->is_late) {
    add_expert(dissection.pinfo, item, &mp_experts.late_sync);
    dissection.result->drop_reason = "a newer sync arrived before";
  }
  if (record->has_interval && tree != nullptr)
    add_duration(tree, mp_fields.sync_interval, dissection.tvb, record->interval);
}

// @param object name of the object with these values
void add_properties(const MpDissection &dissection, proto_item *item, proto_tree *tree, const MpResolvedItem &resolved,
                    const char *object) {
  if (dissection.packet.names == nullptr && !dissection.has_expert_items) return;
  report_property_mismatch(dissection, item, resolved, object);
  MpPropertyCursor properties = resolved.properties();
  add_values(dissection, tree, resolved.command.generation, resolved.variants, {"", object, &properties});
}

void add_object(const MpDissection &dissection, const MpResolvedObject &object) {
  const char *name = nullptr;
  proto_item *item = nullptr;
  if (dissection.tree != nullptr) {
    name = pool_text(dissection.pinfo, [&](TextBuffer &text) { object.append_object(text); });
    item = add_captured_text(dissection.tree, mp_fields.object, dissection.tvb, object.object.range, name);
  } else if (dissection.has_expert_items) {
    name = node_of(dissection, object);
  }
  proto_tree *tree = proto_item_add_subtree(item, mp_subtrees.object);
  const MpAnnouncedPath *path = add_path(dissection, tree, object, true);
  add_node(dissection, tree, object);
  report_missing_node(dissection, item, object);
  add_sync(dissection, item, tree, object);
  add_properties(dissection, item, tree, object, name == nullptr ? "" : name);
  proto_tree *header = add_header_fields(dissection, tree, {}, object.fields, true);
  if (header != nullptr && path != nullptr) add_path_definition(dissection, header, *path, object.ids.receiver);
  if (object.object.outcome != Outcome::ok) {
    add_mp_remaining_bytes(dissection, tree, {object.object.offset, object.object.range.end() - object.object.offset},
                           object.object.outcome);
  }
}

void add_objects(const MpDissection &dissection, const MpResolvedMessage &message) {
  std::size_t offset = message.command.objects.offset;
  for (std::uint32_t i = 0; const MpResolvedObject *object = message.object(i); ++i) {
    if (add_limit_if_full(dissection, dissection.tree, offset, message.command.objects.end())) break;
    add_object(dissection, *object);
    offset = object->object.offset;
  }
  if (message.command.objects.length > 0) check_objects(dissection, message);
}

// Adds the arguments as the receiver gets them, if the receiver cannot read all arguments.
void add_received_arguments(const MpDissection &dissection, const MpResolvedMessage &message) {
  const std::optional<godot_codec::MpUnreadableArgument> loss =
      godot_codec::find_mp_unreadable_argument(*dissection.packet.values, message.command);
  if (!loss) return;
  const char *received = pool_text(dissection.pinfo, [&](TextBuffer &text) {
    godot_codec::append_mp_received_arguments(dissection.packet, message.command, *loss, text);
  });
  add_generated_text(dissection, dissection.tree, mp_fields.received_as, {}, received);
  report_unreadable_argument(dissection, message, *loss);
}

// True if the payload embedded in an argument was decoded with certainty.
bool is_embedded_payload_certain(const MpDissection &dissection, Range range, godot_codec::Dialect dialect) {
  const godot_codec::Bytes bytes = dissection.packet.bytes.slice(range);
  const godot_codec::EmbeddedOptions options{dissection.packet.options(), dialect};
  return decodes_embedded_data() &&
         godot_codec::detect_embedded(bytes, options).format != godot_codec::EmbeddedFormat::nothing;
}

// Decodes a custom payload as one Variant, and marks this as a guess.
void add_guessed_variant(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (!dissection.has_expert_items) return;
  const godot_codec::Dialect dialect = godot_codec::mp_encoding(message.command.generation).dialect;
  const godot_codec::ReadOptions &options = dissection.packet.options();
  const Range range = godot_codec::find_mp_custom_payload(*dissection.packet.values, message.command);
  if (range.length == 0) return;
  const godot_codec::DialectDetection detection =
      godot_codec::detect_dialect(dissection.packet.bytes.slice(range), options);
  const bool is_variant = detection.fit == godot_codec::DialectFit::exact && detection.candidates.has(dialect);
  const char *root_path = message.is(MpCommand::rpc) ? "/0" : "";
  // If the argument itself is a Variant, its payload was already decoded with the argument.
  if (!is_variant && message.fields.has(MpField::data)) {
    add_embedded_items({dissection.tvb, dissection.pinfo, dissection.tree, root_path}, range, {options, dialect});
  }
  if (!is_variant || (!message.fields.has(MpField::data) && is_embedded_payload_certain(dissection, range, dialect)))
    return;
  proto_item *item = proto_tree_add_boolean(dissection.tree, mp_fields.data_guessed, dissection.tvb, 0, 0, 1);
  proto_item_set_generated(item);
  tvbuff_t *until_end = subset_of(dissection.tvb, {0, range.end()});
  add_hidden_text(dissection, dissection.tree, fields.embedded, range, "variant");
  add_variant_items({until_end, dissection.pinfo, proto_item_add_subtree(item, mp_subtrees.guess), root_path},
                    static_cast<int>(range.offset), {.dialect = dialect}, options);
}

// If the message contains only a method's index, adds the method's name and the source of the name.
// @returns false if the name is not known
bool add_method(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (dissection.tree == nullptr) return false;
  const godot_codec::MpResolvedName name = message.method_name();
  if (message.fields.has(MpField::method)) {
    add_hidden_text(dissection, dissection.tree, mp_fields.method_source, {}, dissection.printable(name.source));
    return true;
  }
  if (name.text.empty()) return false;
  add_generated_text(dissection, dissection.tree, registered_field(MpField::method), {},
                     dissection.printable(name.text));
  add_generated_text(dissection, dissection.tree, mp_fields.method_source, {}, dissection.printable(name.source));
  return true;
}

// @param hf field of the sender or of the receiver
void add_peer(const MpDissection &dissection, int hf, std::int32_t peer) {
  // The ID of a WebRTC client may become known late. Later passes then show it for all messages of the client.
  const bool may_be_late = dissection.packet.transport == Transport::webrtc;
  const PacketPosition position = may_be_late ? godot_codec::packet_position_last : dissection.packet.position;
  const std::optional<std::int32_t> id = dissection.peers().id_of(peer, position);
  if (id) proto_item_set_generated(proto_tree_add_int(dissection.tree, hf, dissection.tvb, 0, 0, *id));
}

// Adds sender and receiver. A relayed message has a different sender or receiver than the packet.
void add_known_peers(const MpDissection &dissection, const MpRoute &route) {
  const MpRoute direct = godot_codec::direct_route(dissection.packet);
  const std::int32_t sender = id_of_side(dissection, direct.sender);
  const std::int32_t receiver = id_of_side(dissection, direct.receiver);
  if (route.sender == direct.sender && sender != 0) add_peer(dissection, mp_fields.sender, sender);
  if (route.receiver == direct.receiver && receiver != 0) add_peer(dissection, mp_fields.receiver, receiver);
}

}  // namespace

void add_mp_prefix_items(const MpDissection &dissection, const MpFields &fields) {
  add_first_fields(dissection, dissection.tree, fields, true);
  add_header_fields(dissection, dissection.tree, {}, fields, true);
}

proto_item *add_mp_command_item(const MpDissection &dissection, MpCommand command, Range range) {
  return add_captured_text(dissection.tree, mp_fields.command, dissection.tvb, range,
                           godot_codec::mp_command_info(command).name);
}

void add_mp_message_items(const MpDissection &dissection, const MpResolvedMessage &message) {
  add_first_byte(dissection, message);
  const bool has_method_name = add_method(dissection, message);
  add_first_fields(dissection, dissection.tree, message.fields, has_method_name);
  const MpAnnouncedPath *announced = nullptr;
  if (!message.is(MpCommand::simplify_path)) {
    announced = add_path(dissection, dissection.tree, message,
                         !message.is(MpCommand::confirm_path) && message.command.outcome == Outcome::ok);
  }
  add_confirmed_path(dissection, message);
  if (message.is(MpCommand::spawn) || message.is(MpCommand::despawn)) {
    add_node(dissection, dissection.tree, message);
  }
  if (message.is(MpCommand::spawn)) {
    add_values(dissection, dissection.tree, message.command.generation, message.command.spawn_argument,
               {"Value for the spawn_function", nullptr, nullptr});
    const bool is_named = dissection.has_expert_items;
    add_properties(dissection, dissection.item, dissection.tree, message,
                   is_named ? dissection.printable(message.fields.text(MpField::name)) : "");
  } else {
    const bool is_doubtful = add_values(dissection, dissection.tree, message.command.generation, message.variants,
                                        {message.is(MpCommand::rpc) ? "Argument" : "Value", nullptr, nullptr,
                                         message.find_function(), message.is(MpCommand::rpc) ? &message : nullptr});
    if (is_doubtful) add_received_arguments(dissection, message);
  }
  add_objects(dissection, message);
  add_guessed_variant(dissection, message);
  dissect_custom_payloads(dissection, message);
  add_message_header(dissection, message, announced, has_method_name);
  check_message(dissection, message);
}

void add_mp_route_items(const MpDissection &dissection, const MpRoute &route) {
  dissection.result->route = route;
  if (dissection.tree == nullptr) return;
  if (!dissection.packet.has_roles()) return add_known_peers(dissection, route);
  add_peer(dissection, mp_fields.sender, route.sender);
  add_peer(dissection, mp_fields.receiver, route.receiver);
}

void add_mp_remaining_bytes(const MpDissection &dissection, proto_tree *tree, Range rest, Outcome outcome) {
  if (rest.length == 0 && outcome == Outcome::ok) return;
  proto_item *item = add_undecoded(dissection, tree, rest);
  if (item == nullptr) item = dissection.item;
  if (outcome == Outcome::truncated)
    return add_truncated_expert(dissection.pinfo, item, &mp_experts.truncated, "the message");
  add_expert(dissection.pinfo, item, rest_experts.of(outcome));
}

void add_mp_limit_item(const MpDissection &dissection, proto_tree *tree, Range range) {
  proto_item *item = add_undecoded(dissection, tree, range);
  add_expert(dissection.pinfo, item != nullptr ? item : dissection.item, &mp_experts.limit);
}

}  // namespace godot_plugin
