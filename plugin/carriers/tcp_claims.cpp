// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/tcp_claims.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "plugin/carriers/streams.h"
#include "plugin/carriers/tcp_owner.h"
#include "plugin/carriers/tcp_streams.h"
#include "plugin/epan/by_conversation.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/preferences.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::PacketPosition;

// Directions of which Stream::before_tcp keeps bytes, in the whole capture; written on the first pass only.
std::size_t followed = 0;

// Some conversation of the capture is HTTP's from an upgrade on: others need not be looked up.
bool has_any_upgraded = false;

void end_capture() {
  followed = 0;
  has_any_upgraded = false;
}

// @returns whether the stream has an owner now
bool offer_before_tcp(Stream &stream, unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes payload) {
  godot_codec::StreamChooser &chooser = *stream.before_tcp;
  followed -= chooser.is_followed(direction) ? 1 : 0;
  if (!chooser.add(direction, moment, seq, payload, tcp_candidates(), preferred_read_options())) {
    followed += chooser.is_followed(direction) ? 1 : 0;
    return false;
  }
  followed -= chooser.is_followed(1 - direction) ? 1 : 0;
  stream.chooser = std::move(chooser);
  stream.before_tcp.reset();
  return true;
}

constexpr std::string_view upgrade_request = "GET ";
constexpr std::string_view upgrade_answer = "HTTP/1.1 101 ";

// The upgrade to a WebSocket, from which on the conversation is HTTP's own. Zeros at first.
struct Upgraded {
  bool is_asked;
  bool is_answered;
};
ByConversation<Upgraded> upgraded_conversations;

const Upgraded *find_upgraded(packet_info *pinfo) {
  if (!has_any_upgraded) return nullptr;
  const conversation_t *conversation = known_conversation_of(pinfo);
  return conversation == nullptr ? nullptr : upgraded_conversations.find(conversation);
}

std::string_view text_of(Bytes payload) { return {reinterpret_cast<const char *>(payload.data), payload.captured}; }

// A WebSocket begins with a request of HTTP's and its answer, which the owner of the port would make nothing of.
bool is_upgrade(Bytes payload) {
  constexpr std::string_view header = "upgrade: websocket\r\n";
  const std::string_view text = text_of(payload);
  if (!text.starts_with(upgrade_request) && !text.starts_with(upgrade_answer)) return false;
  const auto is_alike = [](char one, char other) { return g_ascii_tolower(one) == other; };
  return std::search(text.begin(), text.end(), header.begin(), header.end(), is_alike) != text.end();
}

}  // namespace

// HTTP's own heuristic does so where no other protocol owns the port.
bool claim_upgrade(tvbuff_t *payload, packet_info *pinfo, bool is_owned) {
  static auto *const http = find_dissector("http-over-tcp");
  static auto *const tcp_ports = find_dissector_table("tcp.port");
  const auto is_https = [](std::uint32_t port) {
    dissector_handle_t owner = dissector_get_uint_handle(tcp_ports, port);
    return owner != nullptr && dissector_handle_get_protocol_index(owner) == dissector_handle_get_protocol_index(http);
  };
  if (http == nullptr || !is_upgrade(bytes_of(payload))) return false;
  conversation_t *conversation = conversation_of(pinfo);
  Upgraded &upgraded = upgraded_conversations.of(conversation);
  (text_of(bytes_of(payload)).starts_with(upgrade_request) ? upgraded.is_asked : upgraded.is_answered) = true;
  has_any_upgraded = true;
  if (!is_owned || is_https(pinfo->srcport) || is_https(pinfo->destport)) return true;
  conversation_set_dissector_from_frame_number(conversation, pinfo->num, http);
  return true;
}

bool is_upgraded(packet_info *pinfo) { return find_upgraded(pinfo) != nullptr; }

bool may_be_upgraded(Bytes payload) { return has_any_upgraded || is_upgrade(payload); }

bool is_half_upgraded(packet_info *pinfo) {
  const Upgraded *upgraded = find_upgraded(pinfo);
  return upgraded != nullptr && upgraded->is_asked != upgraded->is_answered;
}

bool may_claim_segment(Bytes payload) { return followed > 0 || may_begin_tcp(payload) || is_upgrade(payload); }

void claim_segment(tvbuff_t *payload, packet_info *pinfo, std::uint32_t seq) {
  const Bytes bytes = bytes_of(payload);
  const bool is_begun = may_begin_tcp(bytes);
  // A conversation is TCP's to make, but where there is no doubt.
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr && !tcp_owner_alone(bytes)) return;
  Stream &stream = conversation == nullptr ? tcp_stream_of(pinfo) : tcp_stream_of(conversation);
  if (stream.chooser.owner()) return;
  const unsigned direction = direction_of(pinfo);
  // TCP waits for the rest of a message of the port's owner, if that did not begin as ours may.
  const bool is_followed = stream.before_tcp && stream.before_tcp->is_followed(direction);
  if (!is_followed && (!is_begun || is_message_of_tcp(pinfo, seq))) return;
  if (!stream.before_tcp) stream.before_tcp.emplace(stream_rules(), tcp_memory(), true);
  if (!offer_before_tcp(stream, direction, {pinfo->num, 0}, seq, bytes)) return;
  end_message_of_tcp(pinfo, seq);
  pin_tcp(stream, pinfo, *stream.chooser.owner(), seq);
}

void register_tcp_claims() {
  upgraded_conversations.register_state();
  register_cleanup_routine(guarded<end_capture>);
}

}  // namespace godot_plugin
