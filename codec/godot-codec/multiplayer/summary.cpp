// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/path.h"
#include "godot-codec/layout/walker.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

// True if the "scene" of a node is a synchronizer that a script adds to a node without a scene, such as
// `res://main.gd::_ready/Sync`.
bool is_synchronizer_of_script(std::string_view scene) {
  const std::size_t separator = scene.find("::");
  return separator != std::string_view::npos && scene.find('/', separator) != std::string_view::npos;
}

// Writes the summary of a message. Plain data.
class SummaryWriter {
 public:
  SummaryWriter(const MpResolvedMessage &resolved, TextBuffer &text)
      : resolved_(resolved),
        packet_(resolved.packet),
        message_(resolved.command),
        fields_(resolved.fields),
        text_(text) {}

  Outcome write() {
    if (!message_.is_known) {
      write_unknown();
      return message_.outcome;
    }
    write_command();
    if (message_.outcome != Outcome::ok) return message_.outcome;
    // Also check the Variants that the text does not contain.
    if (!are_variants_checked_) write_and_check_variants(message_.variants, false);
    return outcome_;
  }

 private:
  // Writes "RPC Main/World.hit" or "Set Main/World.score".
  void write_member_path(std::string_view verb) {
    text_.append(verb);
    resolved_.append_node_path(text_);
    text_.append(".");
    resolved_.append_member_name(text_);
  }

  void write_command() {
    switch (message_.command) {
      case MpCommand::rpc:
        return write_call();
      case MpCommand::rset:
        write_member_path("Set ");
        text_.append(" = ");
        return write_variants();
      case MpCommand::simplify_path:
      case MpCommand::confirm_path:
        return write_path_message();
      case MpCommand::spawn:
        return write_spawn();
      case MpCommand::despawn:
        text_.append("Despawn ");
        return resolved_.append_object_in_summary(text_);
      case MpCommand::sync:
        write_field("Sync t=", MpField::time);
        return write_objects();
      case MpCommand::delta:
        text_.append("Delta");
        return write_objects();
      case MpCommand::auth:
        return write_auth();
      case MpCommand::add_peer:
        write_field("Peer ", MpField::peer);
        return text_.append(" connected");
      case MpCommand::remove_peer:
        write_field("Peer ", MpField::peer);
        return text_.append(" disconnected");
      case MpCommand::relay:
        return write_relay();
      case MpCommand::peer_id:
        return write_field("You are peer ", MpField::peer);
      case MpCommand::raw:
        if (!message_.is_bare_variant) return write_raw();
        text_.append("Variant ");
        return write_variants();
    }
  }

  // ---- numbers

  void write_number(std::string_view before, std::int64_t number, std::string_view after = {}) {
    text_.append(before);
    text_.append_integer(number);
    text_.append(after);
  }

  // Writes the number in a field, or "?" if the message ends before the field.
  void write_field(std::string_view before, MpField field) {
    text_.append(before);
    const MpFieldValue *value = fields_.find(field);
    if (value == nullptr) {
      text_.append("?");
    } else if (mp_field_info(field).kind == FieldKind::int32) {
      text_.append_integer(static_cast<std::int32_t>(value->integer));
    } else {
      text_.append_unsigned(value->integer);
    }
  }

  // ---- Variants

  // Writes the text before a value. Arguments are separated by commas. Properties follow their object. Properties of a
  // delta always have a name or an index.
  void write_value_prefix(std::uint32_t index, MpPropertyCursor *properties) {
    if (properties == nullptr) {
      if (index > 0) text_.append(", ");
      return;
    }
    const MpProperty property = properties->next();
    text_.append(" ");
    if (property.list != MpCommand::delta && property.name.text.empty()) return;
    property.append_to(text_);
    text_.append(property.name.source == mp_assumed ? "?=" : "=");
  }

  // Writes Variants as far as the buffer has space, and records the outcome of all Variants.
  void write_and_check_variants(const MpVariants &variants, bool is_written, MpPropertyCursor *properties = nullptr) {
    MpVariantCursor cursor(*packet_.values, variants, message_.generation);
    while (cursor.next()) {
      has_unreadable_ = has_unreadable_ || is_unreadable_variant(*packet_.values, cursor.walk());
      if (!is_written || text_.is_full()) continue;
      write_value_prefix(cursor.index(), properties);
      if (!write_argument_with_layout(cursor.index(), cursor.walk())) write_value(cursor.walk());
    }
    record_outcome(cursor.outcome());
  }

  void write_value(const MpVariantWalk &walk) {
    const std::size_t start = text_.view().size();
    const std::optional<std::string_view> known = packet_.values->brief_text_of(walk);
    if (known && text_.has_space_for(*known)) {
      text_.append(*known);
    } else {
      append_variant(text_, mp_bytes_before(packet_.bytes, walk.limit), walk.offset, mp_encoding(walk.generation),
                     packet_.options(), TextStyle::brief);
    }
    if (text_.view().size() == start) text_.append("?");
  }

  // Writes the content by its layout, such as "{kind: heal} in 5 bytes".
  void write_layout(const Layout &layout, Range bytes) {
    append_layout_text(text_, layout,
                       {*packet_.layouts, packet_.bytes.slice(bytes), custom_payload_encoding(message_.generation),
                        packet_.options()});
    write_number(" in ", static_cast<std::int64_t>(bytes.length), " bytes");
  }

  // Writes an argument with a layout.
  // @returns false if no layout describes the argument
  bool write_argument_with_layout(std::uint32_t index, const MpVariantWalk &walk) {
    if (packet_.layouts == nullptr || message_.command != MpCommand::rpc || walk.outcome != Outcome::ok) return false;
    if (!packet_.layouts->has_layout_for_method(resolved_.method_name().text)) return false;
    const MpArgument argument = read_mp_argument(*packet_.values, message_, walk.offset);
    const Layout *layout = find_call_layout(resolved_, index, argument.bytes);
    if (layout == nullptr) return false;
    write_layout(*layout, argument.bytes);
    return true;
  }

  void record_outcome(Outcome outcome) {
    if (outcome_ == Outcome::ok) outcome_ = outcome;
  }

  void write_variants() {
    if (message_.variants.count != MpVariants::all) write_and_check_variants(message_.variants, true);
    are_variants_checked_ = true;
  }

  // ---- commands

  void write_call() {
    write_member_path("RPC ");
    text_.append("(");
    if (const MpFieldValue *data = fields_.find(MpField::data); data != nullptr) write_call_data(*data);
    write_variants();
    text_.append(")");
    if (has_unreadable_ || outcome_ == Outcome::malformed) write_received_arguments();
  }

  // Writes the decoded content of bytes.
  // @returns false if the bytes cannot be decoded
  bool write_decoded(Range range) {
    const BytesDecoder *inside = packet_.options().decoder;
    return inside != nullptr && range.length > 0 && inside->append_decoded(text_, packet_.bytes.slice(range));
  }

  // Writes the only argument of a call, which is a PackedByteArray without a header.
  void write_call_data(const MpFieldValue &data) {
    const Layout *layout = find_call_layout(resolved_, 0, data.range);
    if (layout != nullptr) return write_layout(*layout, data.range);
    if (write_decoded(data.range)) return;
    write_number("", static_cast<std::int64_t>(data.text.size()), " bytes");
  }

  // If Godot cannot read all arguments, writes the arguments that the method gets.
  void write_received_arguments() {
    const std::optional<MpUnreadableArgument> loss = find_mp_unreadable_argument(*packet_.values, message_);
    if (!loss) return;
    // The condition is written first, because the buffer may not have space for the last part of the text.
    text_.append(loss->is_readable_with_objects ? ", unless objects are allowed received as " : ", received as ");
    append_mp_received_arguments(packet_, message_, *loss, text_);
  }

  // Writes "Path 3 is Main/World" or "Path 3 confirmed: Main/World".
  void write_path_message() {
    const bool is_confirm = message_.command == MpCommand::confirm_path;
    text_.append("Path");
    // A confirmation may contain the path instead of the path id.
    const bool is_by_path = is_confirm && (fields_.has(MpField::path) || !message_.is_godot4());
    if (!is_by_path) write_field(" ", MpField::path_id);
    // Even if the checksum is wrong, the path is confirmed: both sides use the path id from now on.
    const bool is_failed = fields_.has(MpField::valid) && fields_.integer(MpField::valid) == 0;
    text_.append(!is_confirm ? " is " : is_failed ? " confirmed, checksum failed: " : " confirmed: ");
    if (!is_path_known() || !resolved_.append_path(text_)) text_.append("?");
  }

  // True if the path is known. For an announcement, only the path in the message counts, because a previous path of the
  // same path id would be wrong.
  [[nodiscard]] bool is_path_known() const {
    return message_.command == MpCommand::confirm_path || fields_.has(MpField::path);
  }

  // Writes "From 3: ", "To 3: ", "To all: " or "To all but 3: "; or "Relay 3: " if the server is not known.
  void write_relay() {
    const std::int32_t peer = fields_.peer(MpField::peer);
    const bool is_to_many = !packet_.is_from_server() && fields_.has(MpField::peer) && peer <= mp_everyone;
    if (!is_to_many) {
      write_field(!packet_.has_roles() ? "Relay " : packet_.is_from_client() ? "To " : "From ", MpField::peer);
    } else if (peer == mp_everyone) {
      text_.append("To all");
    } else {
      write_number("To all but ", -std::int64_t{peer});
    }
    text_.append(": ");
  }

  // Writes "Spawn P1 by Main/Spawner as player.tscn from 7: hp=99".
  void write_spawn() {
    text_.append("Spawn ");
    if (fields_.has(MpField::name)) {
      resolved_.append_object_in_summary(text_);
    } else {
      text_.append("?");
    }
    text_.append(" by ");
    if (!resolved_.append_path(text_)) text_.append("?");
    if (message_.outcome != Outcome::ok) return;
    MpPropertyCursor properties = resolved_.properties();
    const std::string_view scene = properties.scene();
    if (!scene.empty() && !is_synchronizer_of_script(scene)) {
      text_.append(" as ");
      text_.append_escaped(base_name(scene), false);
    }
    if (message_.spawn_argument.range.length > 0) text_.append(" from ");
    write_and_check_variants(message_.spawn_argument, true);
    write_and_check_variants(message_.variants, true, &properties);
    are_variants_checked_ = true;
  }

  void write_objects() {
    for (std::uint32_t i = 0; const MpResolvedObject *object = resolved_.object(i); ++i) {
      text_.append(i > 0 ? ", " : " ");
      object->append_object_in_summary(text_);
      if (object->object.outcome != Outcome::ok) {
        outcome_ = object->object.outcome;
        return;
      }
      MpPropertyCursor properties = object->properties();
      if (outcome_ == Outcome::ok) write_and_check_variants(object->variants, true, &properties);
    }
  }

  // Writes "Unknown system message 7" or "Unknown command 9".
  void write_unknown() {
    for (const MpField kind : {MpField::kind, MpField::enet_kind}) {
      if (!fields_.has(kind)) continue;
      write_field("Unknown system message ", kind);
      return;
    }
    if (message_.range.length == 0) {
      text_.append("No command");
    } else if (!message_.is_godot4()) {
      write_number("Unknown command ", message_.first_byte);
    } else {
      // All eight commands of Godot 4 are known. Only the kind of a system command may be unknown.
      text_.append("System message");
    }
  }

  void write_raw() {
    const MpFieldValue *value = fields_.find(MpField::data);
    if (value == nullptr) return append_raw_bytes(text_, {});
    if (const Layout *layout = find_raw_layout(resolved_, value->range); layout != nullptr) {
      text_.append("Raw ");
      return write_layout(*layout, value->range);
    }
    write_raw_bytes(packet_.bytes.slice(value->range));
  }

  // Writes the decoded content of bytes. Writes the raw bytes if they cannot be decoded, or are plain text.
  void write_raw_bytes(Bytes bytes) {
    if (!append_raw_decoded(text_, bytes, packet_.options().decoder)) append_raw_bytes(text_, bytes);
  }

  void write_auth() {
    constexpr std::size_t header_size = 2;
    // The size includes bytes that were not captured.
    const std::size_t size = message_.range.length - std::min(message_.range.length, header_size);
    if (size == 0) return text_.append("Authentication done");
    write_number("Authentication, ", static_cast<std::int64_t>(size), " bytes");
  }

  const MpResolvedMessage &resolved_;
  const MpPacket &packet_;
  const MpMessage &message_;
  const MpFields &fields_;
  TextBuffer &text_;
  Outcome outcome_ = Outcome::ok;
  bool has_unreadable_ = false;  // true if Godot 4 cannot read at least one Variant
  bool are_variants_checked_ = false;
};

}  // namespace

Outcome append_mp_summary(const MpResolvedMessage &resolved, TextBuffer &text) {
  return SummaryWriter(resolved, text).write();
}

Outcome check_mp_message(const MpResolvedMessage &resolved) {
  const MpMessage &message = resolved.command;
  if (!message.is_known || message.outcome != Outcome::ok) return message.outcome;
  const auto check = [&](const MpVariants &variants) {
    return check_mp_variants(*resolved.packet.values, variants, message.generation);
  };
  Outcome outcome = check(message.spawn_argument);
  if (outcome == Outcome::ok) outcome = check(message.variants);
  for (std::uint32_t i = 0; const MpResolvedObject *object = resolved.object(i); ++i) {
    if (object->object.outcome != Outcome::ok) return object->object.outcome;
    if (outcome == Outcome::ok) outcome = check(object->variants);
  }
  return outcome;
}

void append_mp_received_arguments(const MpPacket &packet, const MpMessage &message, const MpUnreadableArgument &loss,
                                  TextBuffer &text) {
  const Bytes bytes = mp_bytes_before(packet.bytes, message.variants.range.end());
  const Encoding encoding = mp_encoding(message.generation);
  std::size_t offset = message.variants.range.offset;
  text.append("(");
  for (std::uint32_t i = 0; i < loss.count && !text.is_full(); ++i) {
    if (i > 0) text.append(", ");
    if (i >= loss.first) {
      text.append("null");
    } else {
      offset = append_variant(text, bytes, offset, encoding, packet.options(), TextStyle::brief).offset;
    }
  }
  text.append(")");
}

}  // namespace godot_codec
