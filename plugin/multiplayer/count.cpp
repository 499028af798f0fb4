// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/count.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/sentence.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpMessage;
using godot_codec::MpObject;
using godot_codec::MpRoute;
using godot_codec::TextBuffer;

constexpr std::size_t max_name = 256;
// Of an object: an engine's delta has no more (its mask has 64 bits), a sync hardly ever.
constexpr std::uint32_t max_properties = 1000;

// Text in the packet's memory, made by something that appends it.
template <typename Append>
const char *pool_text(packet_info *pinfo, Append append) {
  std::array<char, max_name> memory{};
  TextBuffer text(memory);
  append(text);
  return wmem_strdup(pinfo->pool, memory.data());
}

// A property that has a name is the node's, whichever of its synchronizers sends it: "Ogre" of "Ogre#5".
std::string_view without_net_id(std::string_view object) {
  const std::size_t number = object.find_last_not_of("0123456789");
  const bool has_id = number != std::string_view::npos && number > 0 && object[number] == '#';
  return has_id && number + 1 < object.size() ? object.substr(0, number) : object;
}

// The values of an object, each by its property's name or place.
void count_properties(const MpDrawing &drawing, FrameRecord &record, const MpMessage &message, std::string_view object,
                      const godot_codec::MpVariants &variants, godot_codec::MpProperties properties) {
  const char *what = message.command == MpCommand::sync    ? property_of_sync
                     : message.command == MpCommand::delta ? property_of_delta
                                                           : property_of_spawn;
  const godot_codec::Bytes values = godot_codec::mp_until(drawing.packet.bytes, variants.range.end());
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(message.generation);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < std::min(variants.count, max_properties) && offset < variants.range.end(); ++i) {
    const auto value = godot_codec::check_variant(values, offset, encoding, drawing.packet.options);
    if (value.outcome != godot_codec::Outcome::ok) return;
    const godot_codec::MpProperty property = properties.next();
    const char *name = pool_text(drawing.pinfo, [&](TextBuffer &text) {
      godot_codec::append_mp_property_path(property.name.text.empty() ? object : without_net_id(object), property,
                                           text);
    });
    count_in(drawing.pinfo, record.objects, name, what, static_cast<std::uint32_t>(value.offset - offset), true);
    offset = value.offset;
  }
}

// @returns the bytes of the values
std::size_t count_objects(const MpDrawing &drawing, FrameRecord &record, const MpMessage &message,
                          const MpRoute &route) {
  const godot_codec::MpNumbering numbering = numbering_of(drawing.packet, route, message.command);
  const char *command = godot_codec::mp_command_info(message.command).name.data();
  std::size_t values = 0;
  for (std::size_t offset = message.objects.offset; offset < message.objects.end();) {
    const MpObject object = godot_codec::read_mp_object(drawing.packet.bytes, offset, message.command);
    const char *name = pool_text(drawing.pinfo, [&](TextBuffer &text) {
      godot_codec::append_mp_object(drawing.packet, object.fields, numbering, text);
    });
    const bool is_whole = object.outcome == godot_codec::Outcome::ok;
    if (is_whole) {
      count_properties(drawing, record, message, name, object.variants,
                       {drawing.packet, message, object.fields, object.variants, numbering});
    }
    count_in(drawing.pinfo, record.objects, name, command, static_cast<std::uint32_t>(object.range.length));
    if (!is_whole) break;
    values += object.variants.range.length;
    offset = object.offset;
  }
  return values;
}

void count_node(const MpDrawing &drawing, FrameRecord &record, const MpMessage &message, const MpRoute &route) {
  const godot_codec::MpNumbering numbering = numbering_of(drawing.packet, route, message.command);
  const char *name = pool_text(drawing.pinfo, [&](TextBuffer &text) {
    godot_codec::append_mp_object(drawing.packet, message.fields, numbering, text);
  });
  count_properties(drawing, record, message, name, message.variants,
                   {drawing.packet, message, message.fields, message.variants, numbering});
  count_in(drawing.pinfo, record.objects, name, godot_codec::mp_command_info(message.command).name.data(),
           static_cast<std::uint32_t>(message.range.length));
}

void count_call(const MpDrawing &drawing, FrameRecord &record, const MpMessage &message, const MpRoute &route) {
  const char *name = pool_text(
      drawing.pinfo, [&](TextBuffer &text) { godot_codec::append_mp_member(drawing.packet, message, route, text); });
  count_in(drawing.pinfo, record.calls, name, nullptr, static_cast<std::uint32_t>(message.range.length));
}

// What a message is there for, and how much of it that is.
struct Content {
  Cost cost;
  std::size_t size;
};

Content count_content(const MpDrawing &drawing, FrameRecord &record, const MpMessage &message, const MpRoute &route) {
  const std::size_t own = message.fields.text(MpField::data).size();
  const std::size_t values = message.variants.range.length + message.custom.range.length;
  switch (message.command) {
    case MpCommand::rpc:
    case MpCommand::rset:
      count_call(drawing, record, message, route);
      return {Cost::arguments, values + own};
    case MpCommand::spawn:
    case MpCommand::despawn:
      count_node(drawing, record, message, route);
      return {Cost::state, values};
    case MpCommand::sync:
    case MpCommand::delta:
      return {Cost::state, count_objects(drawing, record, message, route)};
    case MpCommand::simplify_path:
    case MpCommand::confirm_path:
    case MpCommand::raw:
    case MpCommand::auth:
    case MpCommand::add_peer:
    case MpCommand::remove_peer:
    case MpCommand::relay:
    case MpCommand::peer_id:
      break;
  }
  return {Cost::own_bytes, values + own};
}

}  // namespace

const char *name_of_peer(const MpDrawing &drawing, std::int32_t peer) {
  const bool is_client = peer == godot_codec::mp_client;
  if (!drawing.packet.has_roles && (is_client || peer == godot_codec::mp_server)) {
    const Message &message = *drawing.message;
    const char *end = is_client == drawing.packet.is_from_client ? message.source : message.destination;
    return end == nullptr ? "peer" : end;
  }
  if (peer == godot_codec::mp_client) {
    const std::int32_t id = drawing.packet.connection->client_id();
    if (id == 0) return "client";
    peer = id;
  }
  if (peer == godot_codec::mp_everyone) return "all";
  if (peer < 0) return wmem_strdup_printf(drawing.pinfo->pool, "all but %u", 0U - static_cast<std::uint32_t>(peer));
  return wmem_strdup_printf(drawing.pinfo->pool, "%d", peer);
}

void count_mp_packet(packet_info *pinfo, const Message &message) { count_message(pinfo, message, Cost::mp_headers); }

void count_mp_message(const MpDrawing &drawing, const MpMessage &message, const MpRoute &route) {
  FrameRecord *record = counting_record(drawing.pinfo);
  if (record == nullptr) return;
  count_in(drawing.pinfo, record->peers, name_of_peer(drawing, route.sender), name_of_peer(drawing, route.receiver),
           tvb_reported_length(drawing.tvb));
  if (!message.is_known) return;
  const Content content = count_content(drawing, *record, message, route);
  if (record->messages == FrameRecord::Messages::split) return;
  const auto size = static_cast<std::int64_t>(content.size);
  record->cost(Cost::mp_headers) -= size;
  record->cost(content.cost) += size;
}

}  // namespace godot_plugin
