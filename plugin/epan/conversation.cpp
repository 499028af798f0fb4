// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/conversation.h"

#include <cstring>

namespace godot_plugin {
namespace {

// ---- cache of recent conversations

class End {
 public:
  End() = default;
  End(const address &host, std::uint32_t port) : port_(port), type_(host.type), size_(host.len) {
    std::memcpy(host_.data(), host.data, static_cast<std::size_t>(size_));
  }
  static bool has_space_for(const address &host) { return host.len > 0 && host.len <= 16; }
  [[nodiscard]] bool is(const address &host, std::uint32_t port) const {
    return port_ == port && type_ == host.type && size_ == host.len &&
           std::memcmp(host_.data(), host.data, static_cast<std::size_t>(size_)) == 0;
  }

 private:
  std::uint32_t port_ = 0;
  int type_ = 0;
  int size_ = 0;
  std::array<std::uint8_t, 16> host_{};  // the size of an IPv6 address
};

struct RecentConversation {
  std::array<End, 2> ends;
  port_type type;
  std::uint32_t vlan;
  conversation_t *conversation;  // null: the entry is empty

  // True if the packet is sent between these endpoints, in either direction.
  [[nodiscard]] bool is_of(const packet_info *pinfo) const {
    return conversation != nullptr && type == pinfo->ptype && vlan == pinfo->vlan_id &&
           (goes_from(0, pinfo) || goes_from(1, pinfo));
  }
  [[nodiscard]] bool goes_from(unsigned end, const packet_info *pinfo) const {
    return ends[end].is(pinfo->src, pinfo->srcport) && ends[1 - end].is(pinfo->dst, pinfo->destport);
  }
};

constexpr std::size_t cache_size = 256;
CaptureState<std::array<RecentConversation, cache_size>> recent_conversations;

RecentConversation &entry_of(const packet_info *pinfo) {
  return (*recent_conversations)[(pinfo->srcport + pinfo->destport) % cache_size];
}

int slots_key() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

}  // namespace

conversation_t *find_recent_conversation(const packet_info *pinfo) {
  const RecentConversation &entry = entry_of(pinfo);
  return entry.is_of(pinfo) ? entry.conversation : nullptr;
}

void add_recent_conversation(const packet_info *pinfo, conversation_t *conversation) {
  if (!End::has_space_for(pinfo->src) || !End::has_space_for(pinfo->dst)) return;
  entry_of(pinfo) = {
      {End(pinfo->src, pinfo->srcport), End(pinfo->dst, pinfo->destport)}, pinfo->ptype, pinfo->vlan_id, conversation};
}

void drop_recent_conversation(const packet_info *pinfo) { entry_of(pinfo).conversation = nullptr; }

ConversationSlots *find_slots(const conversation_t *conversation) {
  if (conversation == nullptr) return nullptr;
  return static_cast<ConversationSlots *>(conversation_get_proto_data(conversation, slots_key()));
}

ConversationSlots &slots_of(conversation_t *conversation) {
  ConversationSlots *slots = find_slots(conversation);
  if (slots == nullptr) {
    slots = wmem_new0(wmem_file_scope(), ConversationSlots);
    conversation_add_proto_data(conversation, slots_key(), slots);
  }
  return *slots;
}

}  // namespace godot_plugin
