// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of problems, `-z godot,problems`: why a game does not work, a row for each cause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A row of the table.
struct ProblemRow {
  const char *words;
  const char *from;
  const char *to;
  std::uint32_t count;
  std::uint32_t first_frame;
  std::uint32_t last_frame;
  const char *filter;
  const char *advice;                        ///< tells what to do about it
  const std::vector<std::uint32_t> *frames;  ///< the first ones; null: not known
};

/// A second table of the same rows, which is in no list: the match page counts beside whoever looks at the first one.
/// To be begun anew for each page, and fed by its packet_func from the tap of findings.
[[nodiscard]] stat_tap_table_ui &problems_of_page();
/// Its rows so far, none if nothing is wrong; their texts live until it is begun anew.
[[nodiscard]] std::vector<ProblemRow> problem_rows_of_page();

/// Registers the table.
void register_problems();

// Facts for an empty table.

/// A capture begins.
void tell_problems_of_capture();
/// A frame is Godot's or ENet's.
void tell_problems_of_frame(bool is_later_pass);
/// A frame has a finding, whether a filter of the table lets it pass or not.
void note_finding(bool is_later_pass);
/// Reports a TCP connection that a server refused, if the packet shows it: it may be a WebSocket of a game. The table
/// shows it only if the capture contains nothing else of a game.
void report_refused_connection(packet_info *pinfo);
/// Numbers that an empty table shows.
struct MessageCounts {
  std::uint64_t messages = 0;
  // Parts of messages that were compared with the project folder.
  std::uint64_t calls = 0;
  std::uint64_t values = 0;
  std::uint64_t spawns = 0;
  /// Calls, spawns and objects with values: the path or spawn of their node is not in the capture.
  std::uint64_t unknown_nodes = 0;
};
/// Adds to the numbers, if the table gets this packet in this pass.
void count_for_problems(packet_info *pinfo, const MessageCounts &more);
/// A message of the multiplayer was read.
void tell_problems_of_calls();
/// @param scripts what calls are checked against: the game's folder, and what it has; empty: nothing
void tell_problems_of_scripts(const std::string &scripts);
/// Something encrypted cannot be read, which may be a game's or not: told of where nothing of a game is recognised.
/// @param what says what it is, and why; the first one of a capture counts
void tell_problems_of_dark(const char *what);

}  // namespace godot_plugin
