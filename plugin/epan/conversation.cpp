// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/conversation.h"

#include <array>

#include "godot-codec/core/test_counters.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

// ---- cache of recent conversations

struct Endpoint {
  address host;  // the conversation owns its bytes
  std::uint32_t port;

  [[nodiscard]] bool is_equal(const address &other, std::uint32_t other_port) const {
    return port == other_port && compare_addresses(host, other) == 0;
  }
};

// A conversation that was looked up. The cache is used on the first pass only, because later passes may need an earlier
// conversation with the same endpoints.
struct RecentConversation {
  std::array<Endpoint, 2> endpoints;
  port_type type;
  std::uint32_t vlan;
  conversation_t *conversation;  // null: the entry is empty

  // True if the packet is sent between these endpoints, in either direction, and if no later conversation has them.
  [[nodiscard]] bool has_endpoints_of(const packet_info *pinfo) const {
    return conversation != nullptr && conversation->next == nullptr && type == pinfo->ptype && vlan == pinfo->vlan_id &&
           (is_sent_from(0, pinfo) || is_sent_from(1, pinfo));
  }
  [[nodiscard]] bool is_sent_from(unsigned end, const packet_info *pinfo) const {
    return endpoints[end].is_equal(pinfo->src, pinfo->srcport) &&
           endpoints[1 - end].is_equal(pinfo->dst, pinfo->destport);
  }
};

constexpr std::size_t cache_size = 256;
CaptureState<std::array<RecentConversation, cache_size>> recent_conversations;

RecentConversation &cache_entry_of(const packet_info *pinfo) {
  return (*recent_conversations)[(pinfo->srcport + pinfo->destport) % cache_size];
}

// Adds a conversation to the cache, unless it applies to several endpoints.
void store(conversation_t *conversation, const packet_info *pinfo) {
  if (conversation == nullptr || conversation->options != 0) return;
  const conversation_element_t *key = conversation->key_ptr;
  const address *first = conversation_key_addr1(key);
  const address *second = conversation_key_addr2(key);
  if (first == nullptr || second == nullptr) return;
  cache_entry_of(pinfo) = {{{{*first, conversation_key_port1(key)}, {*second, conversation_key_port2(key)}}},
                           pinfo->ptype,
                           pinfo->vlan_id,
                           conversation};
}

// Returns the packet's conversation, from the cache if possible. @param look_up one of epan's functions
template <typename LookUp>
conversation_t *find_with_cache(packet_info *pinfo, LookUp look_up) {
  const bool uses_cache = may_update_state(pinfo);
  const RecentConversation &entry = cache_entry_of(pinfo);
  if (uses_cache && entry.has_endpoints_of(pinfo)) return entry.conversation;
  godot_codec::count_for_test(godot_codec::TestCounter::conversation_lookups);
  conversation_t *conversation = look_up();
  if (uses_cache) store(conversation, pinfo);
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
