// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Findings: the problems that dissectors report. The expert item, `godot.problem` and the row of the table of problems
/// (problems.h) are all made from one Finding. It goes to the table through the tap `godot_problem`.
#pragma once

#include <cstdint>

#include "plugin/epan/fields.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A problem that a packet shows. Texts are literals or in the packet's memory, and valid UTF-8.
struct Finding {
  ExpertItem *rule = nullptr;
  const char *text = nullptr;           ///< text of the expert item; null: its summary
  const char *subject = nullptr;        ///< for example "Main/World"; null: the row names no subject
  const char *subject_field = nullptr;  ///< field whose value is the subject, for the display filter; null: none
  const char *filter = nullptr;         ///< another display filter, "enet.stream == 3"; null: none
  const char *from = nullptr;           ///< peer; null: source of the packet
  const char *to = nullptr;             ///< peer; null: destination of the packet
  const char *detail = nullptr;  ///< more about the subject, which the row adds to the text of the rule; null: none
  const char *call = nullptr;    ///< "hit(5)", with which the row begins; null: none
  const char *mark = nullptr;    ///< a few words for the Info column, which the protocol adds; null: none
  const char *advice = nullptr;  ///< null: the advice of the rule
  std::uint32_t count = 1;       ///< number of messages that the problem affects
  std::uint32_t disconnected_in = 0;  ///< later frame with a disconnect that the problem caused; 0: none
  const char *protocol = nullptr;     ///< protocol in the list of expert items; null: that of the current dissector
};

/// Adds the expert item of a finding, and reports the finding.
void add_problem(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds the expert item of a finding that is no problem of the game here.
void add_harmless(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Reports a finding that has an expert item already: adds `godot.problem` and its fields, and passes the finding to
/// the table.
/// @param item of the tree, the place of `godot.problem`
void report_finding(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds an expert item, and a finding if the item is always a problem. See expert_add_info_format().
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *format, ...) G_GNUC_PRINTF(4, 5);

/// Adds an expert item with its summary as the text, and a finding if the item is always a problem.
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert);

/// Adds an expert item that says where the rest of the bytes is: not captured, or not quoted by the ICMP error.
/// @param what "the datagram"
void add_truncated(packet_info *pinfo, proto_item *item, ExpertItem *truncated, const char *what);

/// Adds `godot.problem` to an item: one field for the button, the colour and filters.
void mark_problem(proto_item *item);

/// Returns the tree, or null if no filter or column needs a field of the protocol, nor `godot.problem`, nor expert
/// items. epan takes some hundred instructions for each item that it does not create.
[[nodiscard]] proto_tree *wanted_tree(proto_tree *tree, int proto);

/// Registers `godot.problem` and its fields for a protocol, and the tap.
void register_findings(int proto);

}  // namespace godot_plugin
