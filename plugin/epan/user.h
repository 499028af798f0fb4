// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Asks what the user has decided, which is then not recognised: ports, Decode As, the switches of heuristics.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if Decode As or a preference names a dissector for one of the packet's ports. Then we do not pin its
/// conversation by heuristics, because that would replace the user's choice.
[[nodiscard]] bool is_decided_by_user(const packet_info *pinfo);

/// A heuristic of ours in epan's list, which the user may switch off.
class Switch {
 public:
  explicit constexpr Switch(const char *name) : name_(name) {}
  /// @param list "udp"; @param description what the list of heuristics shows
  void register_with(const char *list, heur_dissector_t dissector, const char *description, int proto);
  /// True if both the heuristic and its protocol are switched on.
  [[nodiscard]] bool is_on() const;

 private:
  const char *name_;
  const heur_dtbl_entry_t *entry_ = nullptr;
};

}  // namespace godot_plugin
