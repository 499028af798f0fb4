// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Findings: the problems that dissectors report. A Finding produces an expert item, `godot.problem` and a row in the
/// Problems table (problem_table.h). The finding reaches the table through the tap `godot_problem`.
#pragma once

#include <cstdint>

#include "plugin/epan/field_registration.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// What has a problem.
struct FindingSubject {
  const char *name = nullptr;   ///< for example "Main/World"; null: no subject
  const char *field = nullptr;  ///< field that contains the name, for the display filter; null: no field
};

/// A problem of the game that was found in a packet. Texts are valid UTF-8. They are literals or in the packet's
/// memory.
struct Finding {
  ExpertItem *expert = nullptr;
  const char *text = nullptr;  ///< text of the expert item; null: the item's summary
  FindingSubject subject = {};
  const char *filter = nullptr;        ///< additional display filter, for example "enet.stream == 3"; null: no filter
  const char *from = nullptr;          ///< sending peer; null: source of the packet
  const char *to = nullptr;            ///< receiving peer; null: destination of the packet
  const char *detail = nullptr;        ///< sentence that a row with one subject adds to its text; null: no sentence
  const char *info_mark = nullptr;     ///< short text for the Info column, which the protocol adds; null: none
  const char *advice = nullptr;        ///< null: the advice of the expert item
  std::uint32_t count = 1;             ///< number of messages that the problem affects
  std::uint32_t disconnect_frame = 0;  ///< later frame with a disconnect that the problem caused; 0: none
  const char *protocol = nullptr;      ///< protocol in the list of expert items; null: that of the current dissector
};

/// Adds the expert item of a finding, and reports the finding.
void add_problem(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds the finding's expert item only. Use this if the finding is not a problem of the game.
void add_expert_only(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Reports a finding that already has an expert item. Adds `godot.problem` and its fields, and queues the finding for
/// the Problems table.
/// @param item parent of `godot.problem`
void report_finding(packet_info *pinfo, proto_item *item, const Finding &finding);

/// Adds an expert item, and a finding if the item is always a problem. See expert_add_info_format().
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *format, ...) G_GNUC_PRINTF(4, 5);

/// Adds an expert item with its summary as the text, and a finding if the item is always a problem.
void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert);

/// Adds an expert item with the reason why bytes are missing: not captured, or not quoted by the ICMP error.
/// @param what the incomplete data, such as "the datagram"
void add_truncated_expert(packet_info *pinfo, proto_item *item, ExpertItem *truncated, const char *what);

/// Adds `godot.problem` to an item. The filter button, the colouring rule and display filters use this field.
void mark_problem(proto_item *item);

/// Returns the tree, or null if no filter, column or table uses the protocol's fields, `godot.problem` or expert items.
/// A null tree saves time, because epan spends some hundred instructions even on an item that it does not create.
[[nodiscard]] proto_tree *tree_if_needed(proto_tree *tree, int proto);

/// Registers the tap.
void register_findings();

}  // namespace godot_plugin
