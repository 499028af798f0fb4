// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Who is who on the match page: ids of the multiplayer and addresses, put together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/statistics/match.h"

namespace godot_plugin {

/// Somebody in the match: "all" and "all but 3", who receive as well, are such, too.
struct PagePeer {
  std::string id;           ///< empty: it has none
  std::string endpoint;     ///< empty: not known
  std::string release;      ///< "4.6"; empty: not known
  std::uint32_t first = 0;  ///< index of its first frame
  std::uint32_t last = 0;
};

class PagePeers {
 public:
  /// @param frame index of the frame that shows the peer @returns the peer's number
  std::uint16_t find(const MatchPeer &peer, std::uint32_t frame);
  void set_release(std::uint16_t peer, const char *release);
  [[nodiscard]] const std::vector<PagePeer> &all() const { return peers_; }

 private:
  std::uint16_t add(std::string_view id, std::string_view endpoint, std::uint32_t frame);

  std::vector<PagePeer> peers_;
  std::map<std::string, std::uint16_t, std::less<>> by_id_;        // the newest of each id
  std::map<std::string, std::uint16_t, std::less<>> by_endpoint_;  // the newest of each
};

}  // namespace godot_plugin
