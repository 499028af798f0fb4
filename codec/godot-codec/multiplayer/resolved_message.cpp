// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/resolved_message.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "godot-codec/layout/walker.h"

namespace godot_codec {

namespace {

// Appends the path of the node that a relative path leads to.
void append_relative_path(std::string_view path, const MpRelativePath &relative, TextBuffer &text) {
  const std::string_view above = mp_ancestor_path(path, relative.levels);
  text.append(above.empty() && relative.below.empty() ? "." : above);
  if (!above.empty() && !relative.below.empty()) text.append("/");
  text.append_escaped(relative.below, false);
}

// Appends an id such as "#7"; or "?" if the message ends before the id.
void append_number(const MpFields &fields, MpField field, TextBuffer &text) {
  const MpFieldValue *value = fields.find(field);
  text.append(value == nullptr ? "?" : "#");
  if (value != nullptr) text.append_unsigned(value->integer);
}

// Maximum number of arguments that layouts can refer to.
constexpr std::size_t most_arguments = 16;

std::size_t read_arguments(const MpPacket &packet, const MpMessage &message,
                           std::array<LayoutArgumentValue, most_arguments> &arguments) {
  if (message.fields.has(MpField::data)) return 0;
  MpVariantCursor cursor(*packet.values, message.variants, message.generation);
  while (cursor.count() < arguments.size() && cursor.next() && cursor.is_readable()) {
    arguments[cursor.index()] = read_mp_argument(*packet.values, message, cursor.walk().offset).value;
  }
  return cursor.count();
}

}  // namespace

// ---- properties

void MpProperty::append_to(TextBuffer &text) const {
  if (!name.text.empty()) {
    text.append_escaped(name.text, false);
    return;
  }
  text.append(mp_command_info(list).name);
  text.append("#");
  text.append_unsigned(index);
}

MpPropertyCursor::MpPropertyCursor(const MpResolvedItem &resolved)
    : names_(resolved.packet.names), mask_(resolved.fields.integer(MpField::mask)) {
  const MpCommand command = resolved.command.command;
  synchronized_.list = command == MpCommand::despawn ? MpCommand::spawn : command;
  if (names_ == nullptr) return;
  const MpConnection *connection = resolved.packet.connection;
  if (connection != nullptr) {
    synchronized_.is_proven = connection->paths().matches_project(resolved.packet.position);
    synchronized_.announced_nodes = &connection->paths().announced_nodes();
  }
  const bool is_delta = command == MpCommand::delta;
  const MpValueTypes values = read_mp_value_types(*resolved.packet.values, resolved.command, resolved.variants,
                                                  is_delta ? mask_ : ~std::uint64_t{0});
  synchronized_.values = is_delta ? static_cast<std::uint32_t>(std::bit_width(mask_)) : values.count;
  synchronized_.types = values.types;
  if (resolved.fields.has(MpField::path_id)) {
    synchronized_.synchronizer_path = resolved.path();
    return;
  }
  const MpNetIdTarget *node = resolved.node();
  if (node == nullptr) return;
  synchronized_.spawner = connection->nodes().spawner_path_of(*node->spawn);
  synchronized_.node = node->spawn->name;
  static_cast<MpSpawnContent &>(synchronized_) = static_cast<const MpSpawnContent &>(*node->spawn);
  if (node->synchronizer_index != MpNetIdTarget::itself) synchronized_.synchronizer_index = node->synchronizer_index;
}

MpProperty MpPropertyCursor::next() {
  MpProperty property;
  property.list = synchronized_.list;
  property.index = count_++;
  if (property.list == MpCommand::delta) {
    property.index = static_cast<std::uint32_t>(std::countr_zero(mask_));
    mask_ &= mask_ - 1;
  }
  if (names_ != nullptr) property.name = names_->property(synchronized_, property.index);
  return property;
}

bool MpPropertyCursor::append_full_path(const MpProperty &property, TextBuffer &text) const {
  if (names_ == nullptr || property.name.text.empty()) return false;
  if (!synchronized_.synchronizer_path.empty()) {
    append_mp_property_path(synchronized_.synchronizer_path, property, text);
    return true;
  }
  if (synchronized_.spawner.empty()) return false;
  const MpRelativePath relative = names_->find_relative_root(synchronized_.spawner);
  if (!relative.is_known) return false;
  const bool is_in_root = relative.below.empty() && mp_ancestor_path(synchronized_.spawner, relative.levels).empty();
  if (!is_in_root) append_relative_path(synchronized_.spawner, relative, text);
  if (!is_in_root) text.append("/");
  append_mp_property_path(synchronized_.node, property, text);
  return true;
}

void append_mp_property_path(std::string_view object, const MpProperty &property, TextBuffer &text) {
  const bool is_below = property.name.text.find(':') != std::string_view::npos;
  append_relative_path(object, property.name.relative, text);
  text.append(is_below ? "/" : ":");
  property.append_to(text);
}

// ---- commands and objects

const MpAnnouncedPath *MpResolvedItem::announced_path() const {
  if (announced_path_) return *announced_path_;
  const std::optional<std::uint32_t> id = path_id();
  if (!id || packet.connection == nullptr) return announced_path_.emplace(nullptr);
  const MpPathTracker &paths = packet.connection->paths();
  announced_path_ = paths.find_announced(ids, *id, packet.position);
  if (*announced_path_ != nullptr) unannounced_path_id_.emplace();  // a receiver of the announcement knows the path
  if (*announced_path_ == nullptr) announced_path_ = paths.find(ids, *id, packet.position);
  if (*announced_path_ == nullptr && unannounced_path_id()) announced_path_ = unannounced_path_id()->name;
  return *announced_path_;
}

const std::optional<MpAnnouncement> &MpResolvedItem::unannounced_path_id() const {
  if (unannounced_path_id_) return *unannounced_path_id_;
  return unannounced_path_id_.emplace(
      packet.connection == nullptr ? std::nullopt : packet.connection->paths().find_unannounced(*this));
}

const MpNetIdTarget *MpResolvedItem::node() const {
  if (!node_) node_ = packet.connection == nullptr ? nullptr : packet.connection->nodes().find(*this);
  return *node_;
}

std::string_view MpResolvedItem::path() const {
  if (const MpFieldValue *path = fields.find(MpField::path); path != nullptr) return path->text;
  return announced_path() == nullptr ? std::string_view{} : announced_path()->text;
}

const MpPropertyCursor &MpResolvedItem::properties() const {
  return properties_ ? *properties_ : properties_.emplace(*this);
}

bool MpResolvedItem::append_path(TextBuffer &text) const {
  if (fields.has(MpField::path)) {
    text.append_escaped(fields.text(MpField::path), false);
    return true;
  }
  if (announced_path() != nullptr) text.append(announced_path()->text);
  return announced_path() != nullptr;
}

// The name of an object: a text, an id, or a text and an id.
struct MpResolvedItem::ObjectName {
  std::string_view text;
  bool is_escaped = true;                // false: the text is unescaped, as in the packet
  const MpFieldValue *number = nullptr;  // id appended after the text; null: no id

  void append_to(TextBuffer &out) const {
    if (is_escaped) {
      out.append(text);
    } else {
      out.append_escaped(text, false);
    }
    if (number == nullptr) return;
    out.append("#");
    out.append_unsigned(number->integer);
  }
};

MpResolvedItem::ObjectName MpResolvedItem::object_name() const {
  if (fields.has(MpField::name)) return {fields.text(MpField::name), false};
  if (const MpFieldValue *id = fields.find(MpField::path_id); id != nullptr) {
    return announced_path() == nullptr ? ObjectName{{}, true, id} : ObjectName{announced_path()->text};
  }
  const MpFieldValue *id = fields.find(MpField::net_id);
  if (node() == nullptr) return {id == nullptr ? "?" : std::string_view{}, true, id};
  // The first synchronizer has the same name as the node.
  const bool is_alone = node()->synchronizer_index == 0 || node()->synchronizer_index == MpNetIdTarget::itself;
  return {node()->spawn->name, true, is_alone ? nullptr : id};
}

void MpResolvedItem::append_object(TextBuffer &text) const { object_name().append_to(text); }

void MpResolvedItem::append_object_in_summary(TextBuffer &text) const {
  const ObjectName name = object_name();
  const bool is_number =
      !name.text.empty() && std::ranges::all_of(name.text, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) text.append("node ");
  name.append_to(text);
}

const MpSyncRecord *MpResolvedObject::sync_record() const {
  const bool may_be_known = command.command == MpCommand::sync && packet.connection != nullptr;
  return may_be_known ? packet.connection->syncs().find(packet.position, index_) : nullptr;
}

// ---- commands

MpMethod resolve_mp_method(const MpResolvedItem &call) {
  MpMethod method;
  method.path = call.fields.text(MpField::path);
  method.id = static_cast<std::uint16_t>(call.fields.number(MpField::method_id));
  const MpAnnouncedPath *name = call.announced_path();
  if (call.fields.has(MpField::path) && call.packet.connection != nullptr) {
    const MpPathTracker &paths = call.packet.connection->paths();
    name = paths.find(call);
    if (name == nullptr) name = paths.find_later(call.ids, method.path, call.packet.position);
  }
  if (name != nullptr) {
    method.md5 = name->md5;
    method.path = name->text;
  }
  return method;
}

MpResolvedName MpResolvedMessage::method_name() const {
  if (const MpFieldValue *name = fields.find(MpField::method); name != nullptr) return {name->text, "wire"};
  if (packet.names == nullptr || !fields.has(MpField::method_id)) return {};
  return packet.names->method(method());
}

const project::Function *MpResolvedMessage::find_function() const {
  if (packet.names == nullptr || !is(MpCommand::rpc) || !fields.has(MpField::method_id)) return nullptr;
  return packet.names->find_function(method());
}

const MpResolvedObject *MpResolvedMessage::object(std::uint32_t index) const {
  constexpr std::uint32_t last = max_cached_objects - 1;
  if (index < last && index < objects_.size()) return &objects_[index];
  std::size_t offset = command.objects.offset;
  if (index > 0) {
    const MpItem &before = objects_[std::min(index - 1, last)].object;
    if (before.outcome != Outcome::ok) return nullptr;
    offset = before.offset;
  }
  if (offset >= command.objects.end()) return nullptr;
  const MpItem object = read_mp_object(packet.bytes, offset, command.command);
  if (objects_.is_full()) return &objects_.replace_last(*this, object, index);
  return &objects_.add_result([&] { return MpResolvedObject(*this, object, index); });
}

void MpResolvedMessage::append_node_path(TextBuffer &text) const {
  if (!append_path(text)) append_number(fields, MpField::path_id, text);
}

void MpResolvedMessage::append_member_name(TextBuffer &text) const {
  const MpFieldValue *name = fields.find(is(MpCommand::rset) ? MpField::property : MpField::method);
  const MpResolvedName given = name == nullptr ? method_name() : MpResolvedName{};
  if (name == nullptr && given.text.empty()) return append_number(fields, MpField::method_id, text);
  text.append_escaped(name == nullptr ? given.text : name->text, false);
}

const Layout *find_call_layout(const MpResolvedMessage &call, std::uint32_t argument, Range bytes) {
  const LayoutFile *layouts = call.packet.layouts;
  if (layouts == nullptr || bytes.length == 0 || !call.is(MpCommand::rpc)) return nullptr;
  const std::string_view method = call.method_name().text;
  if (!layouts->has_layout_for_method(method)) return nullptr;
  std::array<LayoutArgumentValue, most_arguments> arguments;
  const std::size_t count = read_arguments(call.packet, call.command, arguments);
  const LayoutData data{*layouts, call.packet.bytes.slice(bytes), custom_payload_encoding(call.command.generation),
                        call.packet.options()};
  return choose_layout(data, [&](const Layout &layout) {
    return LayoutFile::applies_to(layout, call.path(), method, argument, std::span(arguments).first(count));
  });
}

const Layout *find_raw_layout(const MpResolvedMessage &message, Range bytes) {
  const MpPacket &packet = message.packet;
  const bool is_raw = message.is(MpCommand::raw) || message.is(MpCommand::auth);
  if (packet.layouts == nullptr || !is_raw || bytes.length == 0) return nullptr;
  return find_port_layout(packet.server_port, {*packet.layouts, packet.bytes.slice(bytes),
                                               custom_payload_encoding(message.command.generation), packet.options()});
}

}  // namespace godot_codec
