// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of problems, `-z godot,problems`: why a game does not work, with a row for each cause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A row of the table.
struct ProblemRow {
  const char *text;
  const char *from;
  const char *to;
  std::uint32_t count;
  std::uint32_t first_frame;
  std::uint32_t last_frame;
  const char *filter;
  const char *advice;                        ///< what to do
  const std::vector<std::uint32_t> *frames;  ///< the first frames; null: not known
};

/// Returns a second table with the same rows, which is in no menu. The match page needs its own table, because the user
/// may reset or filter the first one. Initialise it for each page, and feed it through its packet_func from the tap of
/// findings.
[[nodiscard]] stat_tap_table_ui &problems_of_page();
/// Returns the rows of that table so far; empty if there are no problems. The texts live until the table is initialised
/// again.
[[nodiscard]] std::vector<ProblemRow> problem_rows_of_page();

// ---- facts for an empty table

/// Call when a capture is opened: the row of an empty table then shows that nothing was detected yet.
void begin_problems();
/// Records that the capture contains a frame of Godot or ENet.
void record_game_frame(bool is_later_pass);
/// Records that a frame has a finding, even if a filter of the table excludes the frame.
void record_finding(bool is_later_pass);
/// Reports a TCP connection that a server refused, because it may be a game's WebSocket. The table shows the report
/// only if the capture contains no other traffic of a game.
void report_refused_connection(packet_info *pinfo);
/// Numbers that the row of an empty table shows.
struct MessageCounts {
  std::uint64_t messages = 0;
  // Numbers of RPCs, values and spawns that were compared with the project folder.
  std::uint64_t calls = 0;
  std::uint64_t values = 0;
  std::uint64_t spawns = 0;
  /// Number of RPCs, spawns and objects with values that refer to a node whose path or spawn is not in the capture
  std::uint64_t unknown_nodes = 0;
};
/// Adds to the numbers, if the table gets this packet in this pass.
void count_for_problems(packet_info *pinfo, const MessageCounts &more);
/// Records that the capture contains a message of the multiplayer.
void record_multiplayer_message();
/// Sets the project folder that calls are compared with. @param scripts the folder and a count of its contents; empty:
/// none
void set_compared_project(const std::string &scripts);
/// Records undecrypted traffic that may be a game. It is shown only if the capture contains no detected traffic of a
/// game.
/// @param what describes the traffic and the reason; only the first text of a capture is kept
void record_undecrypted_traffic(const char *what);

}  // namespace godot_plugin
