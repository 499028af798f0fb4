// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/page/page_peers.h"

namespace godot_plugin {
namespace {

// Maximum number of peers, because hostile packets could name any number. The last peer represents all further peers.
constexpr std::size_t max_peers = 10'000;

// True if the text is a placeholder for an unknown ID.
bool is_placeholder_id(std::string_view id) { return id.empty() || id == "client" || id == "peer"; }

}  // namespace

std::uint16_t PagePeerList::add(std::string_view id, std::string_view endpoint, std::uint32_t frame) {
  if (peers_.size() >= max_peers) {
    id = "(all others)";
    endpoint = "";
    if (const auto others = index_by_id_.find(id); others != index_by_id_.end()) return others->second;
  }
  const auto number = static_cast<std::uint16_t>(peers_.size());
  peers_.push_back({std::string(id), std::string(endpoint), "", frame, frame});
  if (!is_placeholder_id(id)) index_by_id_.insert_or_assign(std::string(id), number);
  if (!endpoint.empty()) index_by_endpoint_.insert_or_assign(std::string(endpoint), number);
  return number;
}

std::uint16_t PagePeerList::find_or_add(const MatchPeer &peer, std::uint32_t frame) {
  const std::string_view id = peer.id == nullptr || is_placeholder_id(peer.id) ? "" : peer.id;
  const std::string_view endpoint = peer.endpoint == nullptr ? "" : peer.endpoint;
  const auto with_endpoint = index_by_endpoint_.find(endpoint);
  if (!endpoint.empty() && with_endpoint != index_by_endpoint_.end()) {
    PagePeer &known = peers_[with_endpoint->second];
    // A different ID at the same address is a new peer.
    if (id.empty() || known.id.empty() || known.id == id) {
      known.last_frame = frame;
      if (!id.empty() && known.id.empty()) {
        known.id = id;
        index_by_id_.insert_or_assign(known.id, with_endpoint->second);
      }
      return with_endpoint->second;
    }
    return add(id, endpoint, frame);
  }
  const auto with_id = index_by_id_.find(id);
  if (!id.empty() && with_id != index_by_id_.end()) {
    PagePeer &known = peers_[with_id->second];
    if (endpoint.empty() || known.endpoint.empty()) {
      known.last_frame = frame;
      if (!endpoint.empty()) {
        known.endpoint = endpoint;
        index_by_endpoint_.insert_or_assign(known.endpoint, with_id->second);
      }
      return with_id->second;
    }
  }
  return add(id.empty() && peer.id != nullptr && endpoint.empty() ? peer.id : id, endpoint, frame);
}

void PagePeerList::set_release(std::uint16_t peer, const char *release) { peers_[peer].release = release; }

}  // namespace godot_plugin
