// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include "godot-codec/variant/walker.h"
#include "plugin/epan/fields.h"

namespace godot_plugin {

/// Fields that are not a leaf of a Variant.
struct TreeFields {
  HeaderField value{FT_STRING, "godot.value", "Value", "A Variant as a script writes it"};
  HeaderField entry{FT_NONE, "godot.entry", "Entry", "A key of a Dictionary with its value"};
  HeaderField length{FT_UINT32, "godot.length", "Length", "Bytes of the packet that follows in a stream"};
  HeaderField length_big_endian{FT_BOOLEAN, "godot.length.big_endian", "Big-endian",
                                "The high byte of the length comes first, as StreamPeer.big_endian has it"};
  HeaderField text{FT_STRING, "godot.text", "Text", "Message that was sent as text, not as bytes"};
  HeaderField dialect{FT_STRING, "godot.dialect", "Engine version",
                      "Version of Godot whose numbering of the types the packet was read by"};
  HeaderField dialect_guessed{FT_BOOLEAN, "godot.dialect.guessed", "Guessed",
                              "Another engine version reads the same bytes exactly, and differently"};
  HeaderField release{FT_STRING, "godot.release", "Release",
                      "Releases of Godot that send what this sender has sent, as narrow as the evidence"};
  HeaderField release_evidence{FT_STRING, "godot.release.evidence", "Evidence",
                               "What the sender has done that only some releases do, and in which frame first; some of "
                               "it later frames tell, so a display filter finds all of it once the capture is loaded"};
  HeaderField type{FT_STRING, "godot.type", "Type", "Type of a Variant in its engine version's own words"};
  HeaderField flags_wide{FT_BOOLEAN, "godot.flags.wide", "64 bits", "The number or numbers take 8 bytes each",
                         flag_of(32, 1U << 16)};
  HeaderField flags_object_id{FT_BOOLEAN, "godot.flags.object_id", "Object as ID",
                              "The Object is sent as its instance id", flag_of(32, 1U << 16)};
  HeaderField key{FT_STRING, "godot.key", "Key", "A key of a Dictionary, as text without quotes"};
  HeaderField path{FT_STRING, "godot.path", "Path", "Keys and indices that lead to a value"};
  HeaderField path_with_value{FT_STRING, "godot.path_with_value", "Path with value",
                              "Keys and indices that lead to a value, a colon, and the value"};
  HeaderField more{FT_NONE, "godot.more", "More elements", "Elements that are not shown one by one"};
  HeaderField undecoded{FT_BYTES, "godot.undecoded", "Undecoded bytes", "What could not be read as a Variant"};
  HeaderField skipped{FT_BYTES, "godot.skipped", "Bytes passed over",
                      "Part of a stream's packet whose beginning was not captured"};
  HeaderField skipped_length{FT_UINT32, "godot.skipped.length", "Number of bytes passed over",
                             "How far it was to the next packet boundary"};
  HeaderField embedded{FT_STRING, "godot.embedded", "Inside", "What bytes of the game's own hold"};
  HeaderField inside_prefix{FT_BYTES, "godot.embedded.prefix", "Prefix",
                            "Bytes of the game's own in front of what bytes hold"};
};

struct Subtrees {
  int packet = -1;
  int value = -1;
  int entry = -1;
  int key = -1;
  int type = -1;
  int dialect = -1;
  int release = -1;
  int embedded = -1;
};

struct Experts {
  ExpertItem malformed{"godot.malformed", PI_MALFORMED, PI_ERROR, "A length or count runs past the end of the packet"};
  ExpertItem truncated{"godot.truncated", PI_UNDECODED, PI_NOTE, "The capture holds only the beginning of the packet"};
  ExpertItem unsupported{"godot.unsupported", PI_UNDECODED, PI_WARN,
                         "A type number that the engine version does not have"};
  ExpertItem limit{"godot.limit", PI_UNDECODED, PI_NOTE, "More than is shown"};
  ExpertItem not_variant{"godot.not_variant", PI_PROTOCOL, PI_CHAT, "Bytes of the game's own, no Variant"};
  ExpertItem dialect_mixed{
      "godot.dialect.mixed", PI_PROTOCOL, PI_WARN,
      "The conversation's other packets are another engine's: both ends must be of one engine version"};
  ExpertItem unexpected_length{
      "godot.unexpected_length", PI_PROTOCOL, PI_NOTE,
      "A length and a Variant, as a stream has them (StreamPeer.put_var): get_var() of a PacketPeer cannot read it"};
  ExpertItem looks_compressed{"godot.looks_compressed", PI_PROTOCOL, PI_NOTE, "The bytes look compressed"};
  ExpertItem trailing{"godot.trailing", PI_PROTOCOL, PI_NOTE, "Bytes behind the value; Godot ignores them"};
  ExpertItem skipped{"godot.skipped.gap", PI_SEQUENCE, PI_NOTE, "The beginning of this packet was not captured"};
  ExpertItem big_endian_differs{
      "godot.length.big_endian.differs", PI_PROTOCOL, PI_WARN,
      "StreamPeer.big_endian is true at this end and false at the other one: neither can read the other's packets"};
  ExpertItem big_endian_unanswered{
      "godot.length.big_endian.unanswered", PI_PROTOCOL, PI_NOTE,
      "StreamPeer.big_endian is true at this end: the other one can read the packet only if it is true there, too; "
      "later frames tell, so a display filter finds it once the capture is loaded"};
  ExpertItem out_of_order{"godot.out_of_order", PI_SEQUENCE, PI_NOTE,
                          "Bytes in front of this segment are missing or came later: the preference "
                          "tcp.reassemble_out_of_order puts those in order"};
  ExpertItem layout_error{"godot.layout.error", PI_PROTOCOL, PI_WARN, "A mistake in the file of the game's formats"};
  ExpertItem layout_mismatch{"godot.layout.mismatch", PI_MALFORMED, PI_WARN,
                             "The bytes do not fit what the game's formats say of them"};
  ExpertItem layout_trailing{"godot.layout.trailing", PI_UNDECODED, PI_NOTE,
                             "Bytes that the game's formats say nothing of"};
  ExpertItem missing_length{
      "godot.missing_length", PI_PROTOCOL, PI_WARN,
      "A Variant in a TCP stream without a length in front: the receiver cannot tell where it ends"};
  ExpertItem on_debug_port{
      "godot.on_debug_port", PI_UNDECODED, PI_WARN,
      "Variants, on a port that the preference godot_debug.tcp.port names for the remote debugger"};
};

extern TreeFields fields;
extern Subtrees subtrees;
extern Experts experts;

/// The registered field of a leaf of a Variant.
[[nodiscard]] int registered(godot_codec::Field field);

/// The expert item of an oddity.
[[nodiscard]] ExpertItem *expert_of(godot_codec::Note note);

/// The expert item's sentence, without a full stop.
[[nodiscard]] const char *summary_of(godot_codec::Note note);

/// The expert item of a failure to read on. @param outcome not ok
[[nodiscard]] ExpertItem *expert_of(godot_codec::Outcome outcome);

/// Registers all of the above for the protocol `godot`.
void register_godot_fields(int proto);

}  // namespace godot_plugin
