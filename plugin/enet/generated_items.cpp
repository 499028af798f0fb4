// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/fields.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetFragment;
using godot_codec::EnetFragmentedMessage;

// Maximum number of fragments that a message's tree lists.
constexpr unsigned max_listed_fragments = 500;

// Adds a fragment of a complete message. @param tvb the reassembled message
void add_fragment_item(const EnetFragmentedMessage &message, const EnetFragment &fragment, tvbuff_t *tvb,
                       proto_tree *tree) {
  const bool is_other_end =
      fragment.offset + fragment.length == message.total_length && fragment.number + 1 != message.fragment_count;
  const int hf = fragment.is_conflicting || is_other_end ? enet_fields.fragment_error : enet_fields.fragment;
  proto_item *item = proto_tree_add_uint_format(
      tree, hf, tvb, static_cast<int>(fragment.offset), fragment.length, fragment.packet,
      "Frame: %u, payload: %u-%u (%u byte%s)", fragment.packet, fragment.offset, fragment.offset + fragment.length - 1U,
      static_cast<unsigned>(fragment.length), fragment.length == 1 ? "" : "s");
  proto_item_set_generated(item);
  if (!fragment.is_overlapping && !is_other_end) return;
  proto_tree *flags = proto_item_add_subtree(item, enet_subtrees.fragment);
  add_flag_if_set(flags, tvb, enet_fields.fragment_overlap, fragment.is_overlapping);
  add_flag_if_set(flags, tvb, enet_fields.fragment_overlap_conflict, fragment.is_conflicting);
  add_flag_if_set(flags, tvb, enet_fields.fragment_multiple_tails, is_other_end);
}

}  // namespace

void add_flag_if_set(proto_tree *tree, tvbuff_t *tvb, int hf, bool is_set) {
  if (is_set) proto_item_set_generated(proto_tree_add_boolean(tree, hf, tvb, 0, 0, std::uint64_t{1}));
}

void add_connection_problem(const DatagramDissection &datagram, proto_item *item, Finding finding) {
  finding.filter = wmem_strdup_printf(datagram.pinfo->pool, "enet.stream == %u", datagram.findings->connection->stream);
  add_problem(datagram.pinfo, item, finding);
}

void add_fragment_items(packet_info *pinfo, const EnetFragmentedMessage &message, tvbuff_t *tvb, proto_tree *tree) {
  const auto count = static_cast<unsigned>(message.fragments.size());
  const unsigned listed = std::min(count, max_listed_fragments);
  for (const EnetFragment &fragment : message.fragments) ws_mark_frame_as_depended_upon(pinfo, fragment.packet);
  proto_item *item = proto_tree_add_item(tree, enet_fields.fragments, tvb, 0, -1, ENC_NA);
  proto_item_set_generated(item);
  if (item == nullptr) return;
  proto_tree *fragments = proto_item_add_subtree(item, enet_subtrees.fragments);
  proto_item_set_text(item, "%u Fragments (%u byte%s): ", count, message.total_length,
                      message.total_length == 1 ? "" : "s");
  for (unsigned i = 0; i < listed; ++i) {
    const EnetFragment &fragment = message.fragments[i];
    proto_item_append_text(item, i == 0 ? "#%u(%u)" : ", #%u(%u)", fragment.packet,
                           static_cast<unsigned>(fragment.length));
    add_fragment_item(message, fragment, tvb, fragments);
  }
  if (listed < count) proto_item_append_text(item, ", %u more", count - listed);
  proto_item_set_generated(proto_tree_add_uint(fragments, enet_fields.fragment_total, tvb, 0, 0, count));
  proto_item_set_generated(
      proto_tree_add_uint(fragments, enet_fields.reassembled_length, tvb, 0, 0, message.total_length));
  proto_item_set_generated(proto_tree_add_item(fragments, enet_fields.reassembled_data, tvb, 0, -1, ENC_NA));
}

}  // namespace godot_plugin
