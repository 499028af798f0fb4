// SPDX-License-Identifier: MIT
#include <algorithm>

#include "godot-codec/core/utf8.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/packet_reader.h"

namespace godot_codec {
namespace {

using enum MpField;
using enum MpCommand;

constexpr std::uint64_t max_enet3_flags = 2;

Confidence weaker(Confidence first, Confidence second) { return std::min(first, second); }

// Checks Variants that must fill their range exactly.
Confidence evaluate_variants(MpVariantCache &values, const MpVariants &variants, Generation generation) {
  // Godot 3.0 leaves old bytes in the padding of its texts; Godot 4 does not.
  EncodingNoteSet never_sent = never_sent_notes(mp_encoding(generation).dialect);
  if (generation == Generation::godot4) never_sent.add(EncodingNote::padding);
  MpVariantCursor cursor(values, variants, generation);
  while (cursor.next()) {
    if (cursor.walk().notes.intersects(never_sent)) return Confidence::none;
    if (cursor.is_readable()) continue;
    const bool is_cut = cursor.walk().outcome == Outcome::truncated || cursor.walk().outcome == Outcome::over_limit;
    return is_cut ? Confidence::neutral : Confidence::none;
  }
  return cursor.lacks_variants() || cursor.offset() != variants.range.end() ? Confidence::none : Confidence::weak;
}

// True for a name that an engine would send: valid UTF-8 without control characters, which have one or two bytes in
// UTF-8.
bool is_printable(std::string_view text) {
  constexpr std::uint8_t rubout = 0x7f;
  constexpr std::uint8_t lead_of_controls = 0xc2;
  constexpr std::uint8_t end_of_controls = 0xa0;
  std::uint8_t before = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < first_printable || byte == rubout) return false;
    if (before == lead_of_controls && byte < end_of_controls) return false;
    before = byte;
  }
  return !text.empty() && is_valid_utf8(text);
}

// True if a text may be the name of a method: an identifier, in any script.
bool is_identifier(std::string_view text) {
  constexpr std::uint8_t first_beyond_ascii = 0x80;
  const auto is_part = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || static_cast<std::uint8_t>(c) >= first_beyond_ascii;
  };
  return is_printable(text) && std::ranges::all_of(text, is_part);
}

bool is_md5(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// True for ids of paths and nodes, which count from 1. Bit 31 is a flag.
bool is_id(std::uint64_t number) { return number > 0 && number < mp_flag_other; }

bool is_plausible(const MpFieldValue &value) {
  switch (value.field) {
    case path:
    case property:
    case name:
      return is_printable(value.text);
    case method:
      return is_identifier(value.text);
    case md5:
      return is_md5(value.text);
    case path_id:
    case net_id:
    case spawner:
    case sync_id:
      return is_id(value.integer);
    case source:
      return value.signed_integer() > 0;
    case flags:
      return value.integer <= max_enet3_flags;
    case mask:
    case size:
      return value.integer != 0;
    default:
      return true;  // any number is possible
  }
}

bool is_plausible(const MpFields &fields) {
  return std::ranges::all_of(fields, [](const MpFieldValue &value) { return is_plausible(value); });
}

// True if the ids have the smallest size, as engines send them. Unconfirmed paths are not checked: their ids have four
// bytes.
bool has_shortest_ids(const MpMessage &message) {
  const MpFieldValue *node = message.fields.find(path_id);
  const bool is_short_node = node == nullptr || node->range.length != 2 || node->integer > UINT8_MAX;
  const MpFieldValue *function = message.fields.find(method_id);
  return is_short_node && (function == nullptr || function->range.length == 1 || function->integer > UINT8_MAX);
}

Confidence evaluate_call(MpVariantCache &values, const MpMessage &message) {
  if (message.fields.has(data)) return Confidence::neutral;
  // For a call without arguments, Godot 4 sets a flag instead of sending a count of 0. Godot 3 has no flags.
  const bool has_idle_count =
      message.generation == Generation::godot4 && message.fields.has(argc) && message.fields.integer(argc) == 0;
  const bool is_as_sent = has_shortest_ids(message) && !has_idle_count;
  return weaker(is_as_sent ? Confidence::weak : Confidence::neutral,
                evaluate_variants(values, message.variants, message.generation));
}

Confidence evaluate_spawn(MpVariantCache &values, const MpMessage &message) {
  const std::size_t count = message.sync_ids.length / mp_sync_id_size;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_plausible(read_mp_sync_id(values.bytes(), message, i))) return Confidence::none;
  }
  if (message.fields.text(name).size() + 1 != message.fields.integer(name_length)) return Confidence::none;
  return weaker(evaluate_variants(values, message.spawn_argument, message.generation),
                evaluate_variants(values, message.variants, message.generation));
}

Confidence evaluate_objects(MpVariantCache &values, const MpMessage &message) {
  if (message.objects.length == 0) return Confidence::none;
  Confidence confidence = Confidence::weak;
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpItem object = read_mp_object(values.bytes(), offset, message.command);
    if (!is_plausible(object.fields)) return Confidence::none;
    if (object.outcome == Outcome::truncated) return Confidence::neutral;
    if (object.outcome != Outcome::ok) return Confidence::none;
    confidence = weaker(confidence, evaluate_variants(values, object.variants, message.generation));
    if (confidence == Confidence::none) break;
    offset = object.range.end();
  }
  return confidence;
}

Confidence evaluate_message(MpVariantCache &values, const MpMessage &message) {
  const bool is_cut = message.outcome == Outcome::truncated;
  if (message.outcome != Outcome::ok && !is_cut) return Confidence::none;
  if (!message.is_known) return Confidence::neutral;
  // A single Variant counts only if it begins like a raw command, as a String does. Other single Variants are not
  // evidence for a game.
  constexpr std::uint8_t raw3 = 4;
  if (message.is_bare_variant && message.first_byte != raw3) return Confidence::none;
  if (mp_unknown_flags(message) != 0 || !is_plausible(message.fields)) return Confidence::none;
  if (is_cut) return Confidence::neutral;
  if (message.rest_bytes.length > 0) return Confidence::none;

  switch (message.command) {
    case rpc:
    case rset:
      return evaluate_call(values, message);
    case raw:
      return Confidence::neutral;
    case confirm_path: {
      const MpFieldValue *value = message.fields.find(valid);
      const bool is_boolean = value == nullptr || values.bytes().data[value->range.offset] <= 1;
      return is_boolean ? Confidence::weak : Confidence::none;
    }
    case spawn:
      return evaluate_spawn(values, message);
    case sync:
    case delta:
      return evaluate_objects(values, message);
    case auth:
      return message.fields.has(data) ? Confidence::neutral : Confidence::weak;
    case add_peer:
    case remove_peer: {
      const MpFieldValue *value = message.fields.find(peer);
      return value->signed_integer() > 0 ? Confidence::weak : Confidence::none;
    }
    case relay: {
      // Engines reject a system command in a relay (SceneMultiplayer::_process_packet).
      const bool is_captured = message.relayed.offset < values.bytes().captured;
      if (!is_captured) return Confidence::neutral;
      return is_mp_system_command(values.bytes().data[message.relayed.offset]) ? Confidence::none : Confidence::weak;
    }
    default:
      return evaluate_variants(values, message.variants, message.generation);
  }
}

// Checks the command and the relayed command. If the relay is plausible, the relayed command decides.
Confidence evaluate_commands(MpVariantCache &values, const MpParsedPacket &reading) {
  const Confidence confidence = evaluate_message(values, reading.commands[0]);
  const bool is_relay = reading.commands.size() > 1 && confidence == Confidence::weak;
  return is_relay ? evaluate_message(values, reading.commands[1]) : confidence;
}

Confidence evaluate_reading(MpVariantCache &values, const MpParsedPacket &reading, MpFraming framing) {
  if (!reading.has_prefix) return evaluate_commands(values, reading);
  const MpPrefix &prefix = reading.prefix;
  const bool is_cut = prefix.outcome == Outcome::truncated;
  if (prefix.outcome != Outcome::ok && !is_cut) return Confidence::none;
  if (!is_plausible(prefix.fields)) return Confidence::none;
  if (is_cut) return Confidence::neutral;
  if (prefix.has_command) return evaluate_commands(values, reading);
  // Only the server announces peers, with itself as the source and target 0 (WebSocketMultiplayerPeer::_send_sys).
  const bool is_of_server = prefix.fields.integer(source) == mp_server && prefix.fields.integer(target) == 0;
  if (framing == MpFraming::websocket3 && !is_of_server) return Confidence::none;
  if (prefix.rest_bytes.length > 0 || prefix.fields.find(peer)->signed_integer() <= 0) return Confidence::none;
  return framing == MpFraming::websocket_id ? Confidence::neutral : Confidence::weak;
}

// If the beginning of the connection is not captured, only calls and paths that contain a name are evidence, as in
// captures/mp_enet1_godot4.2 and lost_arguments_godot4.6. Shorter commands may be chance:
// tests/data/custom_spawn_cut.pcapng.
bool has_mp_name(const MpParsedPacket &reading) {
  if (reading.commands.size() == 0) return false;
  const MpFields &fields = reading.commands[0].fields;
  return fields.has(path) || fields.has(method) || fields.has(property) || fields.has(name);
}

}  // namespace

Confidence evaluate_mp_packet(MpPacketReader &reader, MpFraming framing) {
  return evaluate_reading(reader.values(), reader.read(framing), framing);
}

MpFraming choose_enet3_framing(MpPacketReader &reader) {
  const Confidence without = evaluate_mp_packet(reader, MpFraming::enet3);
  const Confidence with = evaluate_mp_packet(reader, MpFraming::enet3_flags);
  if (with > without) return MpFraming::enet3_flags;
  return without == Confidence::none ? MpFraming::none : MpFraming::enet3;
}

Evidence mp_initial_message_evidence(Generation generation) {
  // Each generation has its own kind, because all messages of a connection have the same generation.
  return {Confidence::weak, static_cast<std::uint32_t>(generation) + 1};
}

Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options) {
  MpPacketReader reader({packet}, options);
  return mp_evidence(reader, framing);
}

Evidence mp_evidence(MpPacketReader &reader, MpFraming framing) {
  const std::size_t size = reader.values().bytes().reported;
  if (size == 0) return {Confidence::neutral};
  const Confidence confidence = evaluate_mp_packet(reader, framing);
  if (confidence != Confidence::weak) return {confidence};
  if (size >= least_strong_size && has_mp_name(reader.read(framing))) return {Confidence::strong};
  return mp_initial_message_evidence(mp_generation(framing));
}

}  // namespace godot_codec
