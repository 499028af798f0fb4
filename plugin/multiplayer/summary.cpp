// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/summary.h"

#include <algorithm>

#include "plugin/godot/packet-godot.h"
namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Generation;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpObject;
using godot_codec::MpVariants;
using godot_codec::Outcome;
using godot_codec::TextBuffer;

void append_numbered(TextBuffer &text, std::string_view before, std::int64_t number, std::string_view after = {}) {
  text.append(before);
  text.append_integer(number);
  text.append(after);
}

// A field's number, or "?" where the message ends before it.
void append_field(TextBuffer &text, std::string_view before, const MpFields &fields, MpField field) {
  const bool is_signed = godot_codec::mp_field_info(field).kind == godot_codec::MpKind::int32;
  if (!fields.has(field)) {
    text.append(before);
    text.append("?");
  } else if (is_signed) {
    append_numbered(text, before, peer_in(fields, field));
  } else {
    append_numbered(text, before, number_of(fields, field));
  }
}

// "#7", or "?".
void append_number(TextBuffer &text, const MpFields &fields, MpField field) {
  append_field(text, fields.has(field) ? "#" : "", fields, field);
}

void append_node(TextBuffer &text, const char *name, const MpFields &fields) {
  if (name != nullptr) {
    text.append(name);
  } else {
    append_number(text, fields, fields.has(MpField::net_id) ? MpField::net_id : MpField::path_id);
  }
}

void append_arguments(const MpPacket &packet, const MpMessage &message, TextBuffer &text) {
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(message.generation);
  const Bytes bytes = godot_codec::mp_until(packet.bytes, message.variants.range.end());
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count && offset < message.variants.range.end(); ++i) {
    if (i > 0) text.append(", ");
    const godot_codec::WalkResult result = godot_codec::append_variant(
        text, bytes, offset, encoding, preferred_read_options(), godot_codec::TextStyle::brief);
    if (result.outcome != Outcome::ok || result.stopped) return;
    offset = result.offset;
  }
}

// "RPC Main/World.hit" or "Set Main/World.score".
void append_member(const char *verb, const char *path, const MpFields &fields, TextBuffer &text) {
  text.append(verb);
  append_node(text, path, fields);
  text.append(".");
  for (const MpField name : {MpField::method, MpField::property}) {
    if (!fields.has(name)) continue;
    text.append_escaped(fields.text(name), false);
    return;
  }
  append_number(text, fields, MpField::method_id);
}

void append_call(const MpPacket &packet, const MpMessage &message, const char *path, TextBuffer &text) {
  append_member("RPC ", path, message.fields, text);
  text.append("(");
  if (message.fields.has(MpField::data)) {
    text.append_unsigned(message.fields.text(MpField::data).size());
    text.append(" bytes");
  }
  append_arguments(packet, message, text);
  text.append(")");
}

void append_set(const MpPacket &packet, const MpMessage &message, const char *path, TextBuffer &text) {
  append_member("Set ", path, message.fields, text);
  text.append(" = ");
  append_arguments(packet, message, text);
}

// @returns how reading them ended
Outcome append_objects(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering,
                       TextBuffer &text) {
  Outcome outcome = Outcome::ok;
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpObject object = godot_codec::read_mp_object(packet.bytes, offset, message.command);
    if (offset > message.objects.offset) text.append(", ");
    append_node(text, node_of(packet, object.fields, numbering), object.fields);
    if (object.outcome != Outcome::ok) return object.outcome;
    if (outcome == Outcome::ok) {
      outcome =
          godot_codec::check_mp_variants(packet.bytes, object.variants, message.generation, preferred_read_options());
    }
    offset = object.offset;
  }
  return outcome;
}

// "Path 3 is Main/World", "Path 3 confirmed: Main/World".
void append_path_message(const MpMessage &message, const char *path, TextBuffer &text) {
  const bool is_confirm = message.command == MpCommand::confirm_path;
  text.append("Path");
  // What is confirmed may be the path itself.
  const bool is_by_path = is_confirm && (message.fields.has(MpField::path) || message.generation != Generation::godot4);
  if (!is_by_path) append_field(text, " ", message.fields, MpField::path_id);
  // The path is confirmed all the same: both sides use the number from now on.
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  text.append(!is_confirm ? " is " : is_failed ? " confirmed, checksum failed: " : " confirmed: ");
  text.append(path == nullptr ? "?" : path);
}

// "From 3: ", "To 3: ", "To all: ", "To all but 3: ".
void append_relay(bool is_to_server, const MpFields &fields, TextBuffer &text) {
  const std::int64_t peer = peer_in(fields, MpField::peer);
  const bool is_to_many = is_to_server && fields.has(MpField::peer) && peer <= 0;
  if (!is_to_many) {
    append_field(text, is_to_server ? "To " : "From ", fields, MpField::peer);
  } else if (peer == godot_codec::mp_everyone) {
    text.append("To all");
  } else {
    append_numbered(text, "To all but ", -peer);
  }
  text.append(": ");
}

void append_spawn(const MpFields &fields, const char *spawner, TextBuffer &text) {
  text.append("Spawn ");
  text.append_escaped(fields.has(MpField::name) ? fields.text(MpField::name) : "?", false);
  text.append(" by ");
  text.append(spawner == nullptr ? "?" : spawner);
}

void append_peer(const MpFields &fields, std::string_view after, TextBuffer &text) {
  append_field(text, "Peer ", fields, MpField::peer);
  text.append(after);
}

// "Unknown system message 7", "Unknown command 9".
void append_unknown(const MpMessage &message, TextBuffer &text) {
  for (const MpField kind : {MpField::kind, MpField::enet_kind}) {
    if (!message.fields.has(kind)) continue;
    append_numbered(text, "Unknown system message ", number_of(message.fields, kind));
    return;
  }
  if (message.range.length == 0) {
    text.append("No command");
  } else if (message.generation == Generation::godot3) {
    append_numbered(text, "Unknown command ", message.first);
  } else {
    // All of Godot 4's eight commands have a meaning; the last one has kinds.
    text.append("System message");
  }
}

// Bytes of the game's own behind a message's first ones, captured or not.
std::int64_t own_size(const MpMessage &message, std::size_t first) {
  return static_cast<std::int64_t>(std::max(message.range.length, first) - first);
}

void append_auth(const MpMessage &message, TextBuffer &text) {
  constexpr std::size_t header_size = 2;
  const std::int64_t size = own_size(message, header_size);
  if (size == 0) {
    text.append("Authentication done");
  } else {
    append_numbered(text, "Authentication, ", size, " bytes");
  }
}

}  // namespace

Outcome append_mp_summary(const MpPacket &packet, const MpMessage &message, const MpRoute &route, TextBuffer &text) {
  const MpFields &fields = message.fields;
  const MpNumbering numbering = numbering_of(packet, route, message.command);
  const char *path = path_of(packet, fields, numbering);
  Outcome outcome = Outcome::ok;
  if (!message.is_known) {
    append_unknown(message, text);
    return message.outcome;
  }
  switch (message.command) {
    case MpCommand::rpc:
      append_call(packet, message, path, text);
      break;
    case MpCommand::rset:
      append_set(packet, message, path, text);
      break;
    case MpCommand::simplify_path:
    case MpCommand::confirm_path:
      append_path_message(message, path, text);
      break;
    case MpCommand::spawn:
      append_spawn(fields, path, text);
      break;
    case MpCommand::despawn:
      text.append("Despawn ");
      append_node(text, node_of(packet, fields, numbering), fields);
      break;
    case MpCommand::sync:
      append_field(text, "Sync t=", fields, MpField::time);
      text.append(": ");
      outcome = append_objects(packet, message, numbering, text);
      break;
    case MpCommand::delta:
      text.append("Delta ");
      outcome = append_objects(packet, message, numbering, text);
      break;
    case MpCommand::auth:
      append_auth(message, text);
      break;
    case MpCommand::add_peer:
      append_peer(fields, " has come", text);
      break;
    case MpCommand::remove_peer:
      append_peer(fields, " has gone", text);
      break;
    case MpCommand::relay:
      append_relay(is_from_client(packet.pinfo, *packet.game), fields, text);
      break;
    case MpCommand::peer_id:
      append_field(text, "You are peer ", fields, MpField::peer);
      break;
    case MpCommand::raw:
      append_numbered(text, "Raw bytes(", own_size(message, 1), ")");
      break;
  }
  if (message.outcome != Outcome::ok) return message.outcome;
  for (const MpVariants &variants : {message.custom, message.variants}) {
    if (outcome != Outcome::ok) break;
    outcome = godot_codec::check_mp_variants(packet.bytes, variants, message.generation, preferred_read_options());
  }
  return outcome;
}

const char *mp_outcome_mark(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "";
    case Outcome::truncated:
      return " [truncated]";
    case Outcome::unsupported:
      return " [unsupported]";
    case Outcome::over_limit:
      return " [nested too deep]";
    default:
      return " [malformed]";
  }
}

}  // namespace godot_plugin
