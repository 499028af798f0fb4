// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Findings: the problems that dissectors report. One Finding produces the expert item, `godot.problem` and the row in
/// the table of problems (problems.h). The finding reaches the table through the tap `godot_problem`.
#pragma once

#include <cstdint>

#include "plugin/epan/fields.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A problem that a packet shows. Texts are valid UTF-8, and either literals or in the packet's memory.
struct Finding {
  ExpertItem *rule = nullptr;
  const char *text = nullptr;           ///< text of the expert item; null: the item's summary
  const char *subject = nullptr;        ///< for example "Main/World"; null: the row names no subject
  const char *subject_field = nullptr;  ///< field whose value is the subject, for the display filter; null: none
  const char *filter = nullptr;         ///< another display filter, "enet.stream == 3"; null: none
  const char *from = nullptr;           ///< sending peer; null: source of the packet
  const char *to = nullptr;             ///< receiving peer; null: destination of the packet
  const char *detail = nullptr;       ///< sentence that the row of one subject adds to the text of the rule; null: none
  const char *mark = nullptr;         ///< short text for the Info column, which the protocol adds; null: none
  const char *advice = nullptr;       ///< null: the advice of the rule
  std::uint32_t count = 1;            ///< number of messages that the problem affects
  std::uint32_t disconnected_in = 0;  ///< later frame with a disconnect that the problem caused; 0: none
  const char *protocol = nullptr;     ///< protocol in the list of expert items; null: that of the current dissector
};

/// Adds the expert item of a finding, and reports the finding.
void add_problem(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds the expert item of a finding that is no problem of the game. Does not report the finding.
void add_harmless(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Reports a finding that already has an expert item: adds `godot.problem` and its fields, and passes the finding to
/// the table.
/// @param item parent of `godot.problem`
void report_finding(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds an expert item, and a finding if the item is always a problem. See expert_add_info_format().
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *format, ...) G_GNUC_PRINTF(4, 5);

/// Adds an expert item with its summary as the text, and a finding if the item is always a problem.
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert);

/// Adds an expert item that says why bytes are missing: they were not captured, or the ICMP error does not quote them.
/// @param what such as "the datagram"
void add_truncated(packet_info *pinfo, proto_item *item, ExpertItem *truncated, const char *what);

/// Adds `godot.problem` to an item: one field for the button, the colour and filters.
void mark_problem(proto_item *item);

/// Returns the tree. Returns null if nothing needs it: no filter or column uses a field of the protocol or
/// `godot.problem`, and nothing uses expert items. epan needs some hundred instructions for each item, even if it does
/// not create the item.
[[nodiscard]] proto_tree *tree_if_needed(proto_tree *tree, int proto);

/// Registers `godot.problem` and its fields for a protocol, and the tap.
void register_findings(int proto);

}  // namespace godot_plugin
