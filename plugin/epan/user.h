// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Asks what the user has decided, which is then not recognised: ports, Decode As, the switches of heuristics.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if Decode As or a preference names a dissector for one of the packet's ports. Then we do not pin its
/// conversation by heuristics, because that would replace the user's choice.
[[nodiscard]] bool is_decided_by_user(const packet_info *pinfo);

/// A heuristic that epan lists, and the user may switch off.
class Switch {
 public:
  explicit constexpr Switch(const char *name) : name_(name) {}
  /// @param list "udp"; @param description what the list of heuristics shows
  void register_with(const char *list, heur_dissector_t dissector, const char *description, int proto);
  /// True if both the heuristic and its protocol are switched on.
  [[nodiscard]] bool is_on() const;
  /// epan does not ask a heuristic that is muted: it takes 570 instructions for it, whatever the answer is. Between
  /// packets, none is.
  void mute(bool is_muted) {
    if (is_muted == is_muted_ || (is_muted && !entry_->enabled)) return;
    is_muted_ = is_muted;
    entry_->enabled = !is_muted;
  }

 private:
  const char *name_;
  heur_dtbl_entry_t *entry_ = nullptr;
  bool is_muted_ = false;  // though the user has it on
};

}  // namespace godot_plugin
