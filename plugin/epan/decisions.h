// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What the first pass decides of a packet, kept for the passes after it, so that all of them show the same.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// What is counted in a frame, and decided on.
enum class Decided : std::uint32_t { packet, stream, recognition };
inline constexpr std::uint32_t decided_count = 3;

/// How many of a kind this frame has had so far, in this pass: with it, a decision is found again.
inline std::uint32_t next_in_frame(int proto, packet_info *pinfo, Decided kind) {
  struct Counts {
    std::uint32_t next[decided_count];
  };
  constexpr std::uint32_t key = 0;
  auto *counts = static_cast<Counts *>(p_get_proto_data(pinfo->pool, pinfo, proto, key));
  if (counts == nullptr) {
    counts = wmem_new0(pinfo->pool, Counts);
    p_add_proto_data(pinfo->pool, pinfo, proto, key, counts);
  }
  return counts->next[static_cast<std::uint32_t>(kind)]++;
}

/// A number for a message of a WebSocket, of which a frame may have many. Heuristics cannot count them: epan changes
/// the order in which it asks, and does not ask those behind the one that answers.
inline std::uint32_t layer_of(const packet_info *pinfo) { return static_cast<std::uint32_t>(pinfo->curr_layer_num); }

/// What was decided of the number-th of a kind in this frame.
/// @param decide called if nothing was; its argument is whether this is the first pass, which alone may be remembered
template <typename Decision, typename Decide>
const Decision *decide_once(int proto, packet_info *pinfo, Decided kind, std::uint32_t number, Decide decide) {
  const std::uint32_t key = number * decided_count + static_cast<std::uint32_t>(kind);
  auto *decision = static_cast<Decision *>(p_get_proto_data(wmem_file_scope(), pinfo, proto, key));
  if (decision != nullptr) return decision;
  const bool is_first_pass = !PINFO_FD_VISITED(pinfo);
  decision = wmem_new(is_first_pass ? wmem_file_scope() : pinfo->pool, Decision);
  *decision = decide(is_first_pass);
  if (is_first_pass) p_add_proto_data(wmem_file_scope(), pinfo, proto, key, decision);
  return decision;
}

}  // namespace godot_plugin
