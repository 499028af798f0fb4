// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/fields.h"

#include "plugin/godot/fields.h"

namespace godot_plugin {

MpTreeFields mp_fields;
MpSubtrees mp_subtrees;
MpExpertItems mp_experts;

namespace {

using godot_codec::MpField;
using godot_codec::MpFlag;

header_field_info describe_field(std::size_t index) {
  const godot_codec::MpFieldInfo &info = godot_codec::mp_field_infos[index];
  const ftenum type = epan_type(info.kind);
  const int display = static_cast<MpField>(index) == MpField::mask ? BASE_HEX : default_display(type);
  return {info.title, info.filter, type, display, nullptr, 0, info.description, HFILL};
}

constexpr value_string id_sizes[] = {{0, "u8"}, {1, "u16"}, {2, "u32"}, {0, nullptr}};

header_field_info describe_flag(std::size_t index) {
  const auto flag = static_cast<MpFlag>(index);
  const godot_codec::MpFlagInfo &info = godot_codec::mp_flag_info(flag);
  const bool is_size = flag == MpFlag::node_id_size || flag == MpFlag::method_id_size;
  if (!is_size) return {info.title, info.filter, FT_BOOLEAN, 8, nullptr, info.mask, info.description, HFILL};
  return {info.title, info.filter, FT_UINT8, BASE_DEC, VALS(id_sizes), info.mask, info.description, HFILL};
}

HeaderFieldTable<godot_codec::mp_field_count> message_fields(describe_field);
HeaderFieldTable<godot_codec::mp_flag_count> flag_fields(describe_flag);

}  // namespace

int registered_field(MpField field) { return message_fields[field]; }

int registered_field(MpFlag flag) { return flag_fields[flag]; }

}  // namespace godot_plugin
