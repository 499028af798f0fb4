// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tells what is wrong with a packet in all places where a user may look: an expert item, the Info column, and the
/// table of problems (statistics/problems.h).
#pragma once

#include <cstdint>

#include "plugin/epan/fields.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The subject of a problem. Texts are in the packet's memory, or literals; valid UTF-8.
struct ProblemSubject {
  const char *what = "";              ///< "Main/World"; empty if nothing has to be named
  const char *from = nullptr;         ///< a peer; null: the packet's source
  const char *to = nullptr;           ///< a peer; null: the packet's destination
  const char *filter = nullptr;       ///< a display filter for this subject, "enet.stream == 3"; null: none
  const char *detail = nullptr;       ///< more of what is known of it, in a few words; null: nothing
  bool is_trouble = true;             ///< false for ends of connections, which happen to every game
  std::uint32_t count = 1;            ///< how often it happened: one item may tell of many messages
  const char *advice = nullptr;       ///< tells what to do about it; null: what the table has for the item's cause
  const char *lead = nullptr;         ///< the call that it is about, "hit(5)"; null: the words say enough
  std::uint32_t disconnected_in = 0;  ///< a later frame whose disconnect follows from it; 0: none
  const char *text = nullptr;         ///< all that the item says; add_problem() sets it
};

/// A comparison for a display filter: `field == "text"`, with what has to be escaped.
[[nodiscard]] const char *filter_for(packet_info *pinfo, const char *field, const char *text);

/// A text that begins in upper case, as those of a table's rows do.
[[nodiscard]] const char *as_sentence(packet_info *pinfo, const char *text);

/// Marks an item with `godot.problem`: one word for the button, the colour and filters, beside the item that tells
/// more.
void mark_trouble(proto_item *item);

/// The tree for a protocol's fields. @returns null where nobody asks for one of them, nor for what is wrong with
/// packets: epan takes some hundred instructions for each item that it does not make.
[[nodiscard]] proto_tree *wanted_tree(proto_tree *tree, int proto);

/// Adds an expert item and `godot.problem`, as expert_add_info_format() does, and keeps what it is about for the table
/// of problems.
void add_problem(packet_info *pinfo, proto_item *item, ExpertItem *field, const ProblemSubject &subject,
                 const char *format, ...) G_GNUC_PRINTF(5, 6);

/// The subject of a packet's expert item, if it is the next one that add_problem() has added; null if it is not. Items
/// are to be asked for in epan's order; each may be asked for by several.
[[nodiscard]] const ProblemSubject *find_problem_subject(packet_info *pinfo, const expert_info_t &item);

/// Calls a function for each item that tells of a problem, whoever listens to items.
void listen_to_problems(void (*listener)(const packet_info *pinfo));
/// An item was added. @param is_problem the table has a row for it, be it a warning or less
void tell_problem_listener(const packet_info *pinfo, const ExpertItem &field, bool is_problem);

/// Registers the field `godot.problem` for a protocol.
void register_trouble(int proto);

}  // namespace godot_plugin
