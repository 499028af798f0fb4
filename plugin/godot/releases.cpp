// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/releases.h"

#include "plugin/epan/conversation.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/godot/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::TextBuffer;

constexpr std::size_t max_text_size = 120;

// The facts about both senders of a conversation, indexed by direction_of().
struct ReleaseEvidencePair {
  ReleaseEvidence senders[2];
};

ConversationState<ReleaseEvidencePair> ends_of_conversations;

const char *describe_releases(packet_info *pinfo, std::uint32_t releases) {
  return pool_text<max_text_size>(pinfo, [&](TextBuffer &text) { godot_codec::append_releases(text, releases); });
}

}  // namespace

ReleaseEvidence *release_evidence_to_update(packet_info *pinfo, conversation_t *conversation) {
  constexpr std::uint32_t always_examined = 256;
  constexpr std::uint32_t examined_later = 16;
  if (!may_update_state(pinfo)) return nullptr;
  if (conversation == nullptr) conversation = conversation_of(pinfo);
  ReleaseEvidence *sender = &ends_of_conversations.of(conversation).senders[direction_of(pinfo)];
  const std::uint32_t number = sender->packets++;
  return number < always_examined || number % examined_later == 0 ? sender : nullptr;
}

void add_release_items(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const conversation_t *conversation) {
  const bool is_read = proto_field_is_referenced(tree, fields.release) != 0 ||
                       proto_field_is_referenced(tree, fields.release_evidence) != 0;
  if (!is_read) return;
  const ReleaseEvidencePair *ends =
      ends_of_conversations.find(conversation != nullptr ? conversation : existing_conversation_of(pinfo));
  if (ends == nullptr) return;
  const godot_codec::ReleaseFacts &facts = ends->senders[direction_of(pinfo)].facts;
  const std::uint32_t releases = godot_codec::find_likely_releases(facts);
  if (releases == 0) return;
  proto_item *item = proto_tree_add_string(tree, fields.release, tvb, 0, 0, describe_releases(pinfo, releases));
  proto_item_set_generated(item);
  proto_tree *evidence = proto_item_add_subtree(item, subtrees.release);
  for (std::size_t i = 0; i < godot_codec::release_fact_count; ++i) {
    const auto fact = static_cast<godot_codec::ReleaseFact>(i);
    if (!facts.has(fact)) continue;
    const char *text = pool_text<max_text_size>(pinfo, [&](TextBuffer &buffer) {
      buffer.append(godot_codec::describe_release_fact(fact));
      buffer.append(" (frame ");
      buffer.append_unsigned(facts.first_seen[i].packet);
      buffer.append(")");
    });
    proto_item_set_generated(proto_tree_add_string(evidence, fields.release_evidence, tvb, 0, 0, text));
  }
}

const char *describe_sender_release(packet_info *pinfo) {
  const ReleaseEvidencePair *ends = ends_of_conversations.find(existing_conversation_of(pinfo));
  if (ends == nullptr) return nullptr;
  const std::uint32_t releases = godot_codec::find_likely_releases(ends->senders[direction_of(pinfo)].facts);
  return releases == 0 ? nullptr : describe_releases(pinfo, releases);
}

const char *describe_release_conflict(packet_info *pinfo) {
  const ReleaseEvidencePair *ends = ends_of_conversations.find(existing_conversation_of(pinfo));
  if (ends == nullptr) return nullptr;
  const unsigned direction = direction_of(pinfo);
  const std::uint32_t sender = godot_codec::find_likely_releases(ends->senders[direction].facts);
  const std::uint32_t receiver = godot_codec::find_likely_releases(ends->senders[1 - direction].facts);
  if (sender == 0 || receiver == 0 || (sender & receiver) != 0) return nullptr;
  return wmem_strdup_printf(pinfo->pool, "the sender is Godot %s, the receiver %s", describe_releases(pinfo, sender),
                            describe_releases(pinfo, receiver));
}

}  // namespace godot_plugin
