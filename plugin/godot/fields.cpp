// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/fields.h"

#include <string>

#include "plugin/epan/labels.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

GodotTreeFields fields;
GodotSubtrees subtrees;
GodotExpertItems experts;

namespace {

using godot_codec::EncodingNote;
using godot_codec::field_count;
using godot_codec::VariantField;

header_field_info describe_field(std::size_t index) {
  const godot_codec::FieldInfo &info = godot_codec::field_infos[index];
  const ftenum type = epan_type(info.kind);
  const std::string filter = "godot." + godot_codec::field_name(static_cast<VariantField>(index));
  const std::string name(info.name);
  if (info.component_of_type.empty())
    return table_field_info(title_of(name), filter, type, default_display(type), std::string(info.description));
  const std::string of_type = info.component_of_type.starts_with('A') ? " of an " : " of a ";
  return table_field_info(name, filter, type, default_display(type),
                          "Component " + name + of_type + std::string(info.component_of_type));
}

HeaderFieldTable<field_count> variant_fields(describe_field);

// In the order of godot_codec::EncodingNote.
ExpertItem note_experts[godot_codec::note_count] = {
    {"godot.header_bits", PI_PROTOCOL, PI_NOTE, "Header bits are set that Godot ignores"},
    {"godot.bool_value", PI_PROTOCOL, PI_NOTE, "A bool that is neither 0 nor 1; Godot reads true"},
    {"godot.padding_nonzero", PI_PROTOCOL, PI_NOTE, "The padding is not zero; Godot ignores it"},
    {"godot.padding_missing", PI_PROTOCOL, PI_NOTE, "The padding is missing; Godot decodes the value anyway"},
    {{"godot.invalid_utf8", PI_MALFORMED, PI_WARN, "A text is not valid UTF-8, so Godot 4 cannot decode it"},
     {.advice = "Send text as a String, and send bytes that are not text as a PackedByteArray."}},
    {{"godot.old_node_path", PI_DEPRECATED, PI_WARN,
      "A NodePath has the format of Godot 2, so Godot 3 and 4 reject it"},
     {.advice = "Send the path as a String, or run the same Godot version on both sides."}},
    {"godot.obsolete_subname", PI_DEPRECATED, PI_NOTE, "NodePath with a separate property, an obsolete format"},
    {"godot.negative_count", PI_PROTOCOL, PI_NOTE, "A negative count; Godot reads no element"},
    {"godot.full_object", PI_SECURITY, PI_NOTE, "Object sent in full: Godot decodes it only if objects are allowed"},
    {{"godot.nesting", PI_PROTOCOL, PI_WARN, "A value is nested deeper than Godot 3.6 and 4 can decode"},
     {.advice = "Nest arrays and dictionaries less deeply, or send IDs instead of nested values."}},
};

}  // namespace

int registered_field(VariantField field) { return variant_fields[field]; }

ExpertItem *expert_item_of(EncodingNote note) { return &note_experts[static_cast<std::size_t>(note)]; }

const char *note_summary(EncodingNote note) { return note_experts[static_cast<std::size_t>(note)].summary(); }

ExpertItem *expert_item_of(godot_codec::Outcome outcome) {
  static constexpr godot_codec::OutcomeTable<ExpertItem *> rows = {nullptr, &experts.truncated, &experts.malformed,
                                                                   &experts.unsupported, &experts.limit};
  return rows.of(outcome);
}

}  // namespace godot_plugin
