// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The Problems table (`-z godot,problems`): each row is a problem of the game, with advice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A row of the match page's table.
struct ProblemRow {
  /// The numeric columns come first, because in a small window a long problem text hides later columns.
  enum Column : std::uint8_t {
    rank_column,
    count_column,
    first_column,
    problem_column,
    advice_column,
    filter_column,
    from_column,
    to_column,
    last_column
  };

  const stat_tap_table_item_type *cells;  ///< by Column
  std::span<const std::uint32_t> frames;  ///< the first frames with the problem; empty: not known
};

/// Returns the match page's own Problems table, which no menu shows. The user may reset or filter the table of the
/// menu, so the page cannot use it. Initialise the page's table for each page, and pass the tap data of findings to its
/// packet_func.
[[nodiscard]] stat_tap_table_ui &page_problem_table();
/// Returns the rows of the page's table; empty if there are no problems. The texts are valid until the table is
/// initialised again.
[[nodiscard]] std::vector<ProblemRow> page_problem_rows();

// ---- facts for the row of an empty table

/// Call when a capture is opened. The row then states that no game traffic was detected.
void reset_problem_facts();
/// Records that the capture contains a frame of Godot or ENet.
void record_game_frame(bool is_later_pass);
/// Records that a frame has a finding, even if the table's filter excludes the frame.
void record_finding(bool is_later_pass);
/// Reports a TCP connection that a server refused. It may be a game's WebSocket, so the table shows it if the capture
/// contains no game traffic.
void report_refused_connection(packet_info *pinfo);
/// Counts that the row of an empty table shows.
struct MessageCounts {
  std::uint64_t messages = 0;
  // Counts of RPCs, values and spawns that were compared with the project folder.
  std::uint64_t calls = 0;
  std::uint64_t values = 0;
  std::uint64_t spawns = 0;
  /// Count of messages about nodes whose path or spawn is not in the capture: RPCs, spawns and objects with values
  std::uint64_t unknown_nodes = 0;
};
/// Adds to the counts of the empty table's row. Does nothing if no Problems table gets this packet.
void add_message_counts(packet_info *pinfo, const MessageCounts &more);
/// Records that the capture contains a message of the multiplayer.
void record_multiplayer_message();
/// Sets the project folder that calls are compared with. @param scripts the folder and a count of its contents; empty:
/// no project folder
void set_compared_project(const std::string &scripts);
/// Records undecrypted traffic that may be a game's. The table shows it only if no game traffic is detected.
/// @param what describes the traffic and the reason; only the first text of a capture is kept
void record_undecrypted_traffic(const char *what);

}  // namespace godot_plugin
