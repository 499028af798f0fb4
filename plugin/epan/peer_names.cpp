// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/peer_names.h"

#include "plugin/epan/field_registration.h"
#include "plugin/epan/packet_data.h"

namespace godot_plugin {
namespace {

struct {
  HeaderField from{FT_STRING, "godot.from", "From",
                   "Sender: server or the peer ID; address and port if no peer is known"};
  HeaderField to{FT_STRING, "godot.to", "To", "Receiver: server or the peer ID; address and port if no peer is known"};
} fields;

bool is_field_used(int field) {
  return proto_registrar_get_nth(static_cast<unsigned>(field))->ref_type != HF_REF_TYPE_NONE;
}

void add_peer_name(proto_tree *tree, int field, tvbuff_t *tvb, packet_info *pinfo, const char *name,
                   std::uint32_t port) {
  if (name == nullptr) name = wmem_strdup_printf(pinfo->pool, "%u", port);
  proto_item *item = proto_tree_add_string(tree, field, tvb, 0, 0, name);
  proto_item_set_generated(item);
  proto_item_set_hidden(item);
}

}  // namespace

bool wants_peer_names(proto_tree *tree) {
  const bool is_from_wanted = tree != nullptr && proto_field_is_referenced(tree, fields.from) != 0;
  return is_from_wanted || (tree != nullptr && proto_field_is_referenced(tree, fields.to) != 0);
}

bool is_any_peer_name_shown() { return is_field_used(fields.from) || is_field_used(fields.to); }

PeerNames &peer_names_of(packet_info *pinfo) { return packet_data<PeerNames>(pinfo); }

void add_peer_names(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, std::uint32_t source_port,
                    std::uint32_t destination_port) {
  const PeerNames &names = peer_names_of(pinfo);
  add_peer_name(tree, fields.from, tvb, pinfo, names.from, source_port);
  add_peer_name(tree, fields.to, tvb, pinfo, names.to, destination_port);
}

}  // namespace godot_plugin
