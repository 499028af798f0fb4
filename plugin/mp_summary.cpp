// SPDX-License-Identifier: GPL-2.0-or-later
#include "mp_summary.h"

#include <algorithm>

namespace godot_plugin {
namespace {

using godot::Bytes;
using godot::MpCommand;
using godot::MpField;
using godot::MpFields;
using godot::MpMessage;
using godot::MpObject;
using godot::Outcome;
using godot::TextBuffer;

void append_numbered(TextBuffer &text, std::string_view before, std::int64_t number, std::string_view after = {}) {
  text.append(before);
  text.append_integer(number);
  text.append(after);
}

// "#7", or "?" where a message ends before its number.
void append_number(TextBuffer &text, const MpFields &fields, MpField field) {
  if (fields.has(field)) {
    append_numbered(text, "#", number_of(fields, field));
  } else {
    text.append("?");
  }
}

void append_node(TextBuffer &text, const char *name, const MpFields &fields) {
  if (name != nullptr) {
    text.append(name);
  } else {
    append_number(text, fields, fields.has(MpField::net_id) ? MpField::net_id : MpField::path_id);
  }
}

Outcome append_arguments(const MpPacket &packet, const MpMessage &message, TextBuffer &text) {
  const godot::WalkOptions options = mp_options(message.generation);
  const Bytes bytes = godot::mp_until(packet.bytes, message.variants.range.end());
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count; ++i) {
    if (offset >= message.variants.range.end()) return Outcome::malformed;
    if (i > 0) text.append(", ");
    const godot::WalkResult result = godot::append_variant(text, bytes, offset, options, godot::TextStyle::brief);
    if (result.stopped) return Outcome::ok;
    if (result.outcome != Outcome::ok) return result.outcome;
    offset = result.offset;
  }
  return Outcome::ok;
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

Outcome append_call(const MpPacket &packet, const MpMessage &message, const char *path, TextBuffer &text) {
  append_member("RPC ", path, message.fields, text);
  text.append("(");
  if (message.fields.has(MpField::data)) {
    text.append_unsigned(message.fields.text(MpField::data).size());
    text.append(" bytes");
  }
  const Outcome outcome = append_arguments(packet, message, text);
  text.append(")");
  return outcome;
}

Outcome append_set(const MpPacket &packet, const MpMessage &message, const char *path, TextBuffer &text) {
  append_member("Set ", path, message.fields, text);
  text.append(" = ");
  return append_arguments(packet, message, text);
}

Outcome append_objects(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering,
                       TextBuffer &text) {
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpObject object = godot::read_mp_object(packet.bytes, offset, message.command);
    if (offset > message.objects.offset) text.append(", ");
    append_node(text, node_of(packet, object.fields, numbering), object.fields);
    if (object.outcome != Outcome::ok) return object.outcome;
    offset = object.offset;
  }
  return Outcome::ok;
}

// "Path 3 is Main/World", "Path 3 confirmed: Main/World". Godot 3 confirms the path itself.
void append_path_message(const MpMessage &message, const char *path, TextBuffer &text) {
  const bool is_confirm = message.command == MpCommand::confirm_path;
  text.append("Path");
  if (message.fields.has(MpField::path_id)) append_numbered(text, " ", number_of(message.fields, MpField::path_id));
  // The path is confirmed all the same: both sides use the number from now on.
  const bool is_failed = message.fields.has(MpField::valid) && message.fields.integer(MpField::valid) == 0;
  text.append(!is_confirm ? " is " : is_failed ? " confirmed, checksum failed: " : " confirmed: ");
  text.append(path == nullptr ? "?" : path);
}

// "From 3: ", "To 3: ", "To all: ", "To all but 3: ".
void append_relay(bool is_to_server, std::int64_t peer, TextBuffer &text) {
  if (!is_to_server || peer > 0) {
    append_numbered(text, is_to_server ? "To " : "From ", peer, ": ");
  } else if (peer == godot::mp_everyone) {
    text.append("To all: ");
  } else {
    append_numbered(text, "To all but ", -peer, ": ");
  }
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
  } else if (message.generation == godot::Generation::godot3) {
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
      outcome = append_call(packet, message, path, text);
      break;
    case MpCommand::rset:
      outcome = append_set(packet, message, path, text);
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
      append_node(text, node_of(packet, fields, numbering), fields);
      break;
    case MpCommand::sync:
      append_numbered(text, "Sync t=", number_of(fields, MpField::time), ": ");
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
      append_numbered(text, "Peer ", peer_in(fields, MpField::peer), " has come");
      break;
    case MpCommand::remove_peer:
      append_numbered(text, "Peer ", peer_in(fields, MpField::peer), " has gone");
      break;
    case MpCommand::relay:
      append_relay(is_from_client(packet.pinfo, *packet.game), peer_in(fields, MpField::peer), text);
      break;
    case MpCommand::peer_id:
      append_numbered(text, "You are peer ", peer_in(fields, MpField::peer));
      break;
    case MpCommand::raw:
      append_numbered(text, "Raw bytes(", own_size(message, 1), ")");
      break;
  }
  return message.outcome == Outcome::ok ? outcome : message.outcome;
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
