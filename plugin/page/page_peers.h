// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The peers on the match page: combines multiplayer ids with addresses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/statistics/match_record.h"

namespace godot_plugin {

/// A sender or receiver, or a group of receivers: "all" or "all but 3".
struct PagePeer {
  std::string id;                 ///< empty: none
  std::string endpoint;           ///< empty: unknown
  std::string release;            ///< "4.6"; empty: unknown
  std::uint32_t first_frame = 0;  ///< index of the peer's first frame
  std::uint32_t last_frame = 0;
};

class PagePeerList {
 public:
  /// Finds or adds a peer. @param frame index of the frame that shows the peer @returns the peer's index
  std::uint16_t find_or_add(const MatchPeer &peer, std::uint32_t frame);
  void set_release(std::uint16_t peer, const char *release);
  [[nodiscard]] const std::vector<PagePeer> &entries() const { return peers_; }

 private:
  std::uint16_t add(std::string_view id, std::string_view endpoint, std::uint32_t frame);

  std::vector<PagePeer> peers_;
  std::map<std::string, std::uint16_t, std::less<>> index_by_id_;        // newest peer, by ID
  std::map<std::string, std::uint16_t, std::less<>> index_by_endpoint_;  // newest peer, by endpoint
};

}  // namespace godot_plugin
