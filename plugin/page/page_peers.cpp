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
  const auto find_in = [](const auto &index, std::string_view key) {
    const auto entry = index.find(key);
    return entry == index.end() ? nullptr : &entry->second;
  };
  const std::uint16_t *found = find_in(index_by_endpoint_, endpoint);
  if (found == nullptr) found = find_in(index_by_id_, id);
  if (found == nullptr) {
    return add(id.empty() && peer.id != nullptr && endpoint.empty() ? peer.id : id, endpoint, frame);
  }
  const std::uint16_t number = *found;
  PagePeer &known = peers_[number];
  const auto may_be = [](std::string_view one, std::string_view other) {
    return one.empty() || other.empty() || one == other;
  };
  // A different ID at the same address is a new peer.
  if (!may_be(known.id, id) || !may_be(known.endpoint, endpoint)) return add(id, endpoint, frame);
  known.last_frame = frame;
  if (known.id.empty() && !id.empty()) index_by_id_.insert_or_assign(known.id = id, number);
  if (known.endpoint.empty() && !endpoint.empty())
    index_by_endpoint_.insert_or_assign(known.endpoint = endpoint, number);
  return number;
}

void PagePeerList::set_release(std::uint16_t peer, const char *release) { peers_[peer].release = release; }

}  // namespace godot_plugin
