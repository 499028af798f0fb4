// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/fields.h"

#include <array>
#include <string_view>

#include "godot-codec/core/outcome.h"
#include "plugin/epan/problem.h"
#include "plugin/epan/titles.h"

namespace godot_plugin {

TreeFields fields;
Subtrees subtrees;
Experts experts;

namespace {

using godot_codec::Field;
using godot_codec::field_count;
using godot_codec::FieldKind;
using godot_codec::Note;
using godot_codec::note_count;

// A component goes by what stands behind its type: "position.x".
constexpr Title component_title(std::string_view name) {
  Title title{};
  name.remove_prefix(name.find('.') + 1);
  for (std::size_t i = 0; i < name.size(); ++i) title[i] = name[i];
  return title;
}

constexpr std::array<Title, field_count> make_titles() {
  std::array<Title, field_count> titles{};
  for (std::size_t i = 0; i < field_count; ++i) {
    const std::string_view name = godot_codec::field_infos[i].name;
    titles[i] = godot_codec::is_component(static_cast<Field>(i)) ? component_title(name) : title_of(name);
  }
  return titles;
}

constexpr std::array<Title, field_count> titles = make_titles();

constexpr const char *filter_names[] = {
#define GODOT_FIELD(id, name, kind, description) "godot." name,
    GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

ftenum epan_type(FieldKind kind) {
  switch (kind) {
    case FieldKind::boolean:
      return FT_BOOLEAN;
    case FieldKind::int32:
      return FT_INT32;
    case FieldKind::int64:
      return FT_INT64;
    case FieldKind::uint32:
      return FT_UINT32;
    case FieldKind::uint64:
      return FT_UINT64;
    case FieldKind::real:
      return FT_DOUBLE;
    case FieldKind::text:
      return FT_STRING;
    case FieldKind::opaque_bytes:
      return FT_BYTES;
  }
  return FT_NONE;
}

int epan_display(FieldKind kind) {
  switch (kind) {
    case FieldKind::int32:
    case FieldKind::int64:
    case FieldKind::uint32:
    case FieldKind::uint64:
      return BASE_DEC;
    case FieldKind::boolean:
    case FieldKind::real:
    case FieldKind::text:
    case FieldKind::opaque_bytes:
      break;
  }
  return BASE_NONE;
}

std::array<int, field_count> variant_fields;
std::array<hf_register_info, field_count> variant_registrations;

std::array<expert_field, note_count> note_experts;

// In the order of Note.
constexpr struct {
  const char *name;
  int group;
  int severity;
  const char *summary;
} note_infos[note_count] = {
    {"godot.header_bits", PI_PROTOCOL, PI_NOTE, "Header bits are set that Godot ignores"},
    {"godot.bool_value", PI_PROTOCOL, PI_NOTE, "A bool that is neither 0 nor 1; Godot reads true"},
    {"godot.padding_nonzero", PI_PROTOCOL, PI_NOTE, "The padding is not zero; Godot never looks at it"},
    {"godot.padding_missing", PI_PROTOCOL, PI_NOTE, "The padding is missing; Godot reads the value all the same"},
    {"godot.invalid_utf8", PI_MALFORMED, PI_WARN, "Not valid UTF-8; Godot 4 cannot read it"},
    {"godot.old_node_path", PI_DEPRECATED, PI_WARN, "NodePath in the format of Godot 2; engines of today refuse it"},
    {"godot.obsolete_subname", PI_DEPRECATED, PI_NOTE, "NodePath with a property apart from its sub-names"},
    {"godot.negative_count", PI_PROTOCOL, PI_NOTE, "A negative count; Godot reads no element"},
    {"godot.full_object", PI_SECURITY, PI_NOTE,
     "An Object sent in full: Godot reads it only where objects are allowed"},
    {"godot.nesting", PI_PROTOCOL, PI_WARN, "Nested deeper than Godot 3.6 and 4 can read"},
};

void register_variant_fields(int proto) {
  variant_fields.fill(-1);
  for (std::size_t i = 0; i < field_count; ++i) {
    const godot_codec::FieldInfo &info = godot_codec::field_infos[i];
    variant_registrations[i] = {&variant_fields[i],
                                {titles[i].data(), filter_names[i], epan_type(info.kind), epan_display(info.kind),
                                 nullptr, 0, info.description, HFILL}};
  }
  proto_register_field_array(proto, variant_registrations.data(), static_cast<int>(variant_registrations.size()));
}

void register_tree_fields(int proto) {
  static hf_register_info registrations[] = {
      {&fields.value,
       {"Value", "godot.value", FT_STRING, BASE_NONE, nullptr, 0, "A Variant as a script writes it", HFILL}},
      {&fields.entry,
       {"Entry", "godot.entry", FT_NONE, BASE_NONE, nullptr, 0, "A key of a Dictionary with its value", HFILL}},
      {&fields.length,
       {"Length", "godot.length", FT_UINT32, BASE_DEC, nullptr, 0, "Bytes of the packet that follows in a stream",
        HFILL}},
      {&fields.length_big_endian,
       {"Big-endian", "godot.length.big_endian", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "The high byte of the length comes first, as StreamPeer.big_endian has it", HFILL}},
      {&fields.text,
       {"Text", "godot.text", FT_STRING, BASE_NONE, nullptr, 0, "Message that was sent as text, not as bytes", HFILL}},
      {&fields.dialect,
       {"Engine version", "godot.dialect", FT_STRING, BASE_NONE, nullptr, 0,
        "Version of Godot whose numbering of the types the packet was read by", HFILL}},
      {&fields.dialect_guessed,
       {"Guessed", "godot.dialect.guessed", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "Another engine version reads the same bytes exactly, and differently", HFILL}},
      {&fields.release,
       {"Release", "godot.release", FT_STRING, BASE_NONE, nullptr, 0,
        "Releases of Godot that send what this sender has sent, as narrow as the evidence", HFILL}},
      {&fields.release_evidence,
       {"Evidence", "godot.release.evidence", FT_STRING, BASE_NONE, nullptr, 0,
        "What the sender has done that only some releases do, and in which frame first; some of it later frames tell, "
        "so a display filter finds all of it once the capture is loaded",
        HFILL}},
      {&fields.type,
       {"Type", "godot.type", FT_STRING, BASE_NONE, nullptr, 0, "Type of a Variant in its engine version's own words",
        HFILL}},
      {&fields.flags_wide,
       {"64 bits", "godot.flags.wide", FT_BOOLEAN, 32, nullptr, 1U << 16, "The number or numbers take 8 bytes each",
        HFILL}},
      {&fields.flags_object_id,
       {"Object as ID", "godot.flags.object_id", FT_BOOLEAN, 32, nullptr, 1U << 16,
        "The Object is sent as its instance id", HFILL}},
      {&fields.key,
       {"Key", "godot.key", FT_STRING, BASE_NONE, nullptr, 0, "A key of a Dictionary, as text without quotes", HFILL}},
      {&fields.path,
       {"Path", "godot.path", FT_STRING, BASE_NONE, nullptr, 0, "Keys and indices that lead to a value", HFILL}},
      {&fields.path_with_value,
       {"Path with value", "godot.path_with_value", FT_STRING, BASE_NONE, nullptr, 0,
        "Keys and indices that lead to a value, a colon, and the value", HFILL}},
      {&fields.more,
       {"More elements", "godot.more", FT_NONE, BASE_NONE, nullptr, 0, "Elements that are not shown one by one",
        HFILL}},
      {&fields.undecoded,
       {"Undecoded bytes", "godot.undecoded", FT_BYTES, BASE_NONE, nullptr, 0, "What could not be read as a Variant",
        HFILL}},
      {&fields.skipped,
       {"Bytes passed over", "godot.skipped", FT_BYTES, BASE_NONE, nullptr, 0,
        "Part of a stream's packet whose beginning was not captured", HFILL}},
      {&fields.skipped_length,
       {"Number of bytes passed over", "godot.skipped.length", FT_UINT32, BASE_DEC, nullptr, 0,
        "How far it was to the next packet boundary", HFILL}},
      {&fields.inside,
       {"Inside", "godot.inside", FT_STRING, BASE_NONE, nullptr, 0, "What bytes of the game's own hold", HFILL}},
      {&fields.inside_prefix,
       {"Prefix", "godot.inside.prefix", FT_BYTES, BASE_NONE, nullptr, 0,
        "Bytes of the game's own in front of what bytes hold", HFILL}},
  };
  static_assert(array_length(registrations) == sizeof(TreeFields) / sizeof(int), "a row for each field");
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
}

void register_subtrees() {
  static int *const registrations[] = {&subtrees.packet, &subtrees.value,   &subtrees.entry,   &subtrees.key,
                                       &subtrees.type,   &subtrees.dialect, &subtrees.release, &subtrees.inside};
  proto_register_subtree_array(registrations, static_cast<int>(array_length(registrations)));
}

void register_experts(int proto) {
  static ei_register_info registrations[] = {
      {&experts.malformed,
       {"godot.malformed", PI_MALFORMED, PI_ERROR, "A length or count runs past the end of the packet", EXPFILL}},
      {&experts.truncated,
       {"godot.truncated", PI_UNDECODED, PI_NOTE, "The capture holds only the beginning of the packet", EXPFILL}},
      {&experts.unsupported,
       {"godot.unsupported", PI_UNDECODED, PI_WARN, "A type number that the engine version does not have", EXPFILL}},
      {&experts.limit, {"godot.limit", PI_UNDECODED, PI_NOTE, "More than is shown", EXPFILL}},
      {&experts.not_variant,
       {"godot.not_variant", PI_PROTOCOL, PI_CHAT, "Bytes of the game's own, no Variant", EXPFILL}},
      {&experts.dialect_mixed,
       {"godot.dialect.mixed", PI_PROTOCOL, PI_WARN,
        "The conversation's other packets are another engine's: both ends must be of one engine version", EXPFILL}},
      {&experts.stray_length,
       {"godot.stray_length", PI_PROTOCOL, PI_NOTE,
        "A length and a Variant, as a stream has them (StreamPeer.put_var): get_var() of a PacketPeer cannot read it",
        EXPFILL}},
      {&experts.packed, {"godot.packed", PI_PROTOCOL, PI_NOTE, "The bytes look compressed", EXPFILL}},
      {&experts.trailing,
       {"godot.trailing", PI_PROTOCOL, PI_NOTE, "Bytes behind the value; Godot ignores them", EXPFILL}},
      {&experts.skipped,
       {"godot.skipped.gap", PI_SEQUENCE, PI_NOTE, "The beginning of this packet was not captured", EXPFILL}},
      {&experts.big_endian_differs,
       {"godot.length.big_endian.differs", PI_PROTOCOL, PI_WARN,
        "StreamPeer.big_endian is true at this end and false at the other one: neither can read the other's packets",
        EXPFILL}},
      {&experts.big_endian_unanswered,
       {"godot.length.big_endian.unanswered", PI_PROTOCOL, PI_NOTE,
        "StreamPeer.big_endian is true at this end: the other one can read the packet only if it is true there, too; "
        "later frames tell, so a display filter finds it once the capture is loaded",
        EXPFILL}},
      {&experts.out_of_order,
       {"godot.out_of_order", PI_SEQUENCE, PI_NOTE,
        "Bytes in front of this segment are missing or came later: the preference tcp.reassemble_out_of_order puts "
        "those in order",
        EXPFILL}},
      {&experts.layout_mistake,
       {"godot.layout.mistake", PI_PROTOCOL, PI_WARN, "A mistake in the file of the game's formats", EXPFILL}},
      {&experts.layout_unfit,
       {"godot.layout.unfit", PI_MALFORMED, PI_WARN, "The bytes do not fit what the game's formats say of them",
        EXPFILL}},
      {&experts.layout_rest,
       {"godot.layout.rest", PI_UNDECODED, PI_NOTE, "Bytes that the game's formats say nothing of", EXPFILL}},
      {&experts.no_length,
       {"godot.no_length", PI_PROTOCOL, PI_WARN,
        "A Variant in a TCP stream without a length in front: the receiver cannot tell where it ends", EXPFILL}},
      {&experts.on_debug_port,
       {"godot.on_debug_port", PI_UNDECODED, PI_WARN,
        "Variants, on a port that the preference godot_debug.tcp.port names for the remote debugger", EXPFILL}},
  };
  static std::array<ei_register_info, note_count> note_registrations;
  for (std::size_t i = 0; i < note_count; ++i) {
    note_registrations[i] = {
        &note_experts[i],
        {note_infos[i].name, note_infos[i].group, note_infos[i].severity, note_infos[i].summary, EXPFILL}};
  }
  expert_module_t *module = expert_register_protocol(proto);
  static_assert(array_length(registrations) == sizeof(Experts) / sizeof(expert_field), "a row for each expert item");
  expert_register_field_array(module, registrations, static_cast<int>(array_length(registrations)));
  expert_register_field_array(module, note_registrations.data(), static_cast<int>(note_registrations.size()));
}

}  // namespace

int registered(Field field) { return variant_fields[static_cast<std::size_t>(field)]; }

expert_field *expert_of(Note note) { return &note_experts[static_cast<std::size_t>(note)]; }

const char *summary_of(Note note) { return note_infos[static_cast<std::size_t>(note)].summary; }

expert_field *expert_of(godot_codec::Outcome outcome) {
  static constexpr godot_codec::ByOutcome<expert_field *> rows = {nullptr, &experts.truncated, &experts.malformed,
                                                                  &experts.unsupported, &experts.limit};
  return rows.of(outcome);
}

void register_fields(int proto) {
  register_variant_fields(proto);
  register_tree_fields(proto);
  register_subtrees();
  register_trouble(proto);
  register_experts(proto);
}

}  // namespace godot_plugin
