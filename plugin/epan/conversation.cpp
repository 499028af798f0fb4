// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/conversation.h"

#include <array>

#include "godot-codec/core/test_counters.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

// ---- cache of recent conversations

// A conversation that was looked up. The cache is used on the first pass only, because later passes may need an earlier
// conversation with the same endpoints.
struct RecentConversation {
  port_type type;
  std::uint32_t vlan;
  conversation_t *conversation;  // null: the entry is empty

  // True if the packet is sent between these endpoints, in either direction, and if no later conversation has them.
  [[nodiscard]] bool has_endpoints_of(const packet_info *pinfo) const {
    if (conversation == nullptr || conversation->next != nullptr || type != pinfo->ptype || vlan != pinfo->vlan_id)
      return false;
    const address &first = *conversation_key_addr1(conversation->key_ptr);
    const address &second = *conversation_key_addr2(conversation->key_ptr);
    const std::uint32_t first_port = conversation_key_port1(conversation->key_ptr);
    const std::uint32_t second_port = conversation_key_port2(conversation->key_ptr);
    return (pinfo->srcport == first_port && pinfo->destport == second_port && addresses_equal(&pinfo->src, &first) &&
            addresses_equal(&pinfo->dst, &second)) ||
           (pinfo->srcport == second_port && pinfo->destport == first_port && addresses_equal(&pinfo->src, &second) &&
            addresses_equal(&pinfo->dst, &first));
  }
};

constexpr std::size_t cache_size = 256;
CaptureState<std::array<RecentConversation, cache_size>> recent_conversations;

RecentConversation &cache_entry_of(const packet_info *pinfo) {
  return (*recent_conversations)[(pinfo->srcport + pinfo->destport) % cache_size];
}

// Returns the packet's conversation, from the cache if possible. @param look_up one of epan's functions
template <typename LookUp>
conversation_t *find_with_cache(packet_info *pinfo, LookUp look_up) {
  const bool uses_cache = may_update_state(pinfo);
  const RecentConversation &entry = cache_entry_of(pinfo);
  if (uses_cache && entry.has_endpoints_of(pinfo)) return entry.conversation;
  godot_codec::count_for_test(godot_codec::TestCounter::conversation_lookups);
  conversation_t *conversation = look_up();
  // Other keys have wildcards, or do not begin with an address.
  if (uses_cache && conversation != nullptr && conversation->options == 0 && conversation->key_ptr->type == CE_ADDRESS)
    entry = {pinfo->ptype, pinfo->vlan_id, conversation};
  return conversation;
}

int states_key() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

// Returns the conversation's states, by the index of their slots; null if it has none.
void **find_states(const conversation_t *conversation) {
  return static_cast<void **>(conversation_get_proto_data(conversation, states_key()));
}

}  // namespace

conversation_t *conversation_of(packet_info *pinfo) {
  return find_with_cache(pinfo, [pinfo] { return find_or_create_conversation(pinfo); });
}

conversation_t *existing_conversation_of(packet_info *pinfo) {
  return find_with_cache(pinfo, [pinfo] { return find_conversation_pinfo(pinfo, 0); });
}

void drop_recent_conversation(const packet_info *pinfo) { cache_entry_of(pinfo).conversation = nullptr; }

void *ConversationSlot::find(const conversation_t *conversation) const {
  void **states = conversation == nullptr ? nullptr : find_states(conversation);
  return states == nullptr ? nullptr : states[index_];
}

void *&ConversationSlot::of(conversation_t *conversation) const {
  void **states = find_states(conversation);
  if (states == nullptr) {
    states = wmem_alloc0_array(wmem_file_scope(), void *, slot_count);
    conversation_add_proto_data(conversation, states_key(), static_cast<void *>(states));
  }
  return states[index_];
}

}  // namespace godot_plugin
