// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/fields.h"

#include "plugin/enet/rules.h"
#include "plugin/epan/labels.h"

namespace godot_plugin {

std::array<value_string, 16> enet_command_names{};
EnetFields enet_fields;
EnetSubtrees enet_subtrees;
EnetExpertItems enet_experts;

namespace {

using godot_codec::enet_field_count;
using godot_codec::EnetField;

HeaderFieldTable<enet_field_count> command_fields;

header_field_info describe_command_field(std::size_t index) {
  const godot_codec::EnetFieldInfo &info = godot_codec::enet_field_infos[index];
  const ftenum type = info.size == 1 ? FT_UINT8 : info.size == 2 ? FT_UINT16 : FT_UINT32;
  const int display = static_cast<EnetField>(index) == EnetField::connect_id ? BASE_HEX : BASE_DEC;
  return table_field_info(title_of(info.name), std::string("enet.") + info.name, type, display, info.description);
}

}  // namespace

int registered_field(EnetField field) { return command_fields[field]; }

void register_enet_fields(int proto) {
  // The names of commands are literals, so they are zero-terminated. An entry without a name ends the table.
  std::size_t count = 0;
  for (const godot_codec::EnetCommandLayout &layout : godot_codec::enet_command_layouts()) {
    enet_command_names[count++] = {static_cast<std::uint32_t>(layout.type), layout.name.data()};
  }
  command_fields.register_for(proto, describe_command_field);
  register_fields(proto, enet_fields);
  register_subtrees(enet_subtrees);
  register_expert_items(proto, enet_experts);
  register_enet_rules(proto);
}

}  // namespace godot_plugin
