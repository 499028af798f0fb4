// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Fields, expert items and subtrees of the protocol `godot`, and the mapping from the codec's fields to them.
#pragma once

#include "godot-codec/variant/variant_walker.h"
#include "plugin/epan/field_registration.h"

namespace godot_plugin {

/// Returns epan's type for a field of the codec.
constexpr ftenum epan_type(godot_codec::FieldKind kind) {
  constexpr ftenum types[] = {FT_BOOLEAN, FT_UINT8, FT_UINT16, FT_UINT32, FT_UINT64,
                              FT_INT32,   FT_INT64, FT_DOUBLE, FT_STRING, FT_BYTES};
  return types[static_cast<std::size_t>(kind)];
}

/// Fields that do not show a leaf value: entries, whole Variants. The codec lists the others (GODOT_VARIANT_FIELDS).
struct GodotTreeFields {
  HeaderField value{FT_STRING, "godot.value", "Value", "The Variant as GDScript writes it"};
  HeaderField entry{FT_NONE, "godot.entry", "Entry", "A key of a Dictionary with its value"};
  HeaderField length{FT_UINT32, "godot.length", "Length", "Length prefix of a packet in a stream, in bytes"};
  HeaderField length_big_endian{FT_BOOLEAN, "godot.length.big_endian", "Big-endian",
                                "The length prefix is big-endian (StreamPeer.big_endian is true)"};
  HeaderField text{FT_STRING, "godot.text", "Text", "Message that was sent as text, not as bytes"};
  HeaderField dialect{FT_STRING, "godot.dialect", "Engine version",
                      "Godot version that defines the Variant type numbers used for decoding"};
  HeaderField dialect_guessed{FT_BOOLEAN, "godot.dialect.guessed", "Guessed",
                              "Another engine version also decodes the same bytes, to a different value"};
  HeaderField release{FT_STRING, "godot.release", "Release", "Godot releases that match the messages of this sender"};
  HeaderField release_evidence{
      FT_STRING, "godot.release.evidence", "Evidence",
      "Features of the messages of this sender that only some releases have, each with its first frame (two-pass)"};
  HeaderField type{FT_STRING, "godot.type", "Type", "Type of the Variant, as its engine version names it"};
  HeaderField flags_wide{FT_BOOLEAN, "godot.flags.wide", "64 bits", "Each number takes 8 bytes", as_flag(32, 1U << 16)};
  HeaderField flags_object_id{FT_BOOLEAN, "godot.flags.object_id", "Object as ID",
                              "The Object is sent as its instance ID", as_flag(32, 1U << 16)};
  HeaderField key{FT_STRING, "godot.key", "Key", "Key of a Dictionary, as text without quotes"};
  HeaderField path{FT_STRING, "godot.path", "Path", "Keys and indices that lead to the value"};
  HeaderField path_with_value{FT_STRING, "godot.path_with_value", "Path with value",
                              "Keys and indices that lead to the value, a colon, and the value"};
  HeaderField more{FT_NONE, "godot.more", "More elements", "Elements that are not shown one by one"};
  HeaderField undecoded{FT_BYTES, "godot.undecoded", "Undecoded bytes", "Bytes that could not be decoded as a Variant"};
  HeaderField skipped{FT_BYTES, "godot.skipped", "Skipped bytes",
                      "Bytes of a packet without its beginning, which was not captured"};
  HeaderField skipped_length{FT_UINT32, "godot.skipped.length", "Skipped byte count",
                             "Number of bytes up to the next packet boundary"};
  HeaderField embedded{FT_STRING, "godot.embedded", "Embedded",
                       "Format found in a byte array or a custom payload: Variant, JSON, text and others"};
  HeaderField embedded_prefix{FT_BYTES, "godot.embedded.prefix", "Prefix", "Bytes before the embedded data"};
};

struct GodotSubtrees {
  Subtree packet;
  Subtree value;
  Subtree entry;
  Subtree key;
  Subtree type;
  Subtree dialect;
  Subtree release;
  Subtree embedded;
};

inline constexpr const char *advice_about_bytes =
    "Use the same Godot version on both sides, and encode values only with put_var() or var_to_bytes(). If the data has the game's own format, describe the format in Custom formats (see " GODOT_PAGE(
        "formats.md") ").";

inline constexpr const char *advice_about_big_endian =
    "Set the same StreamPeer.big_endian on both sides, before the first packet.";

struct GodotExpertItems {
  ExpertItem malformed{{"godot.malformed", PI_MALFORMED, PI_ERROR, "A Variant is longer than the rest of the packet"},
                       {.advice = advice_about_bytes}};
  ExpertItem truncated{"godot.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the packet"};
  ExpertItem unsupported{
      {"godot.unsupported", PI_UNDECODED, PI_WARN, "A value has a type number that the Godot version does not have"},
      {.advice = advice_about_bytes}};
  ExpertItem limit{"godot.limit", PI_UNDECODED, PI_NOTE, "Not all elements are shown: a display limit was reached"};
  ExpertItem not_variant{"godot.not_variant", PI_PROTOCOL, PI_CHAT, "Custom payload, not a Variant"};
  ExpertItem dialect_mixed{
      {"godot.dialect.mixed", PI_PROTOCOL, PI_WARN,
       "The two sides use different Godot versions, so neither can read all Variants of the other"},
      {.weight = 130, .advice = "Run the same Godot version on both sides."}};
  ExpertItem unexpected_length{
      "godot.unexpected_length", PI_PROTOCOL, PI_NOTE,
      "Length prefix and Variant, as StreamPeer.put_var() sends them: get_var() of a PacketPeer cannot read this"};
  ExpertItem looks_compressed{"godot.looks_compressed", PI_PROTOCOL, PI_NOTE, "The bytes look compressed"};
  ExpertItem trailing{"godot.trailing", PI_PROTOCOL, PI_NOTE, "Bytes after the value; Godot ignores them"};
  ExpertItem skipped{"godot.skipped.gap", PI_SEQUENCE, PI_NOTE, "The beginning of this packet was not captured"};
  ExpertItem big_endian_differs{
      {"godot.length.big_endian.differs", PI_PROTOCOL, PI_WARN,
       "The sender has StreamPeer.big_endian = true and the receiver has false, so neither side can read the packets of the other"},
      {.weight = 140, .advice = advice_about_big_endian}};
  ExpertItem big_endian_unanswered{
      {"godot.length.big_endian.unanswered", PI_PROTOCOL, PI_NOTE,
       "The sender has StreamPeer.big_endian = true, and the other side has sent no Variant (two-pass)"},
      {.weight = 150, .advice = advice_about_big_endian}};
  ExpertItem out_of_order{
      "godot.out_of_order", PI_SEQUENCE, PI_NOTE,
      "Bytes before this segment are missing or arrived later: the preference tcp.reassemble_out_of_order puts segments in order"};
  ExpertItem layout_error{
      {"godot.layout.error", PI_PROTOCOL, PI_WARN, "The file of custom formats contains an error"},
      {.advice = "Correct the file (layouts.txt, or Edit > Preferences > Protocols > GodotMP > Custom formats)."}};
  ExpertItem layout_mismatch{
      {"godot.layout.mismatch", PI_MALFORMED, PI_WARN, "A payload does not match its custom format"},
      {.advice =
           "Correct the sizes and types in this line of Custom formats. The packet details show the fields before the incomplete field."}};
  ExpertItem layout_trailing{"godot.layout.trailing", PI_UNDECODED, PI_NOTE,
                             "Bytes after the end of the custom format"};
  ExpertItem missing_length{
      {"godot.missing_length", PI_PROTOCOL, PI_WARN,
       "A Variant in a TCP stream has no length prefix, so the receiver cannot find its end"},
      {.weight = 160,
       .advice =
           "Send with put_var() instead of put_data(var_to_bytes()), and receive with get_var() (StreamPeerTCP or PacketPeerStream)."}};
  ExpertItem on_debug_port{
      {"godot.on_debug_port", PI_UNDECODED, PI_WARN,
       "The Variants are not decoded, because their port is set for the remote debugger"},
      {.advice = "Remove the port from the preference godot_debug.tcp.port, and set it in godot.tcp.port."}};
};

extern GodotTreeFields fields;
extern GodotSubtrees subtrees;
extern GodotExpertItems experts;

/// Returns the registered field of a leaf value.
[[nodiscard]] int registered_field(godot_codec::VariantField field);

/// Returns the expert item of a note about unusual data.
[[nodiscard]] ExpertItem *expert_item_of(godot_codec::EncodingNote note);

/// Returns the text of a note's expert item, without a full stop.
[[nodiscard]] const char *note_summary(godot_codec::EncodingNote note);

/// Returns the expert item for a decoding failure. @param outcome must not be ok
[[nodiscard]] ExpertItem *expert_item_of(godot_codec::Outcome outcome);

}  // namespace godot_plugin
