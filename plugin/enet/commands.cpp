// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/enet/connection_diagnosis.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/enet/rules.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/flow_graph.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetConnection;
using godot_codec::EnetField;
using godot_codec::Outcome;
using godot_codec::TextBuffer;

// Maximum number of messages of a datagram that are passed to other dissectors. ENet itself never sends more than half
// as many. epan adds a protocol layer for each message, and aborts the packet at gui.max_tree_depth (500) layers.
constexpr std::size_t max_messages = 2 * godot_codec::enet_max_commands;

// Maximum size of the text about a command, in bytes.
constexpr std::size_t max_command_text = 120;

// ---- the fields of commands

header_field_info describe_command_field(std::size_t index) {
  const godot_codec::EnetFieldInfo &info = godot_codec::enet_field_infos[index];
  const ftenum type = info.size == 1 ? FT_UINT8 : info.size == 2 ? FT_UINT16 : FT_UINT32;
  const int display = static_cast<EnetField>(index) == EnetField::connect_id ? BASE_HEX : BASE_DEC;
  return table_field_info(title_of(info.name), std::string("enet.") + info.name, type, display, info.description);
}

HeaderFieldTable<godot_codec::enet_field_count> command_fields(describe_command_field);

// ---- retransmitted messages

// Returns the summary of a retransmitted message; null if the message belongs to no protocol of this plugin.
const char *describe_retransmitted_message(const DatagramDissection &datagram, const EnetCommand &command,
                                           std::size_t index, const EnetCommandFindings &known) {
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  if (!is_repeated) return nullptr;
  const bool is_read = datagram.tree != nullptr || info_buffer_of(datagram, index) != nullptr;
  return is_read || PINFO_FD_VISITED(datagram.pinfo) ? message_summary(datagram, command) : nullptr;
}

// Returns why a command was retransmitted although it had arrived.
const char *describe_spurious_retransmission(const DatagramDissection &datagram,
                                             const godot_codec::Transmission &before) {
  // If the acknowledgement was captured before this retransmission, it was lost on the way or arrived too late.
  return before.acked_in < datagram.pinfo->num ? "its acknowledgement was lost or late" : "acknowledged late";
}

// Appends "RPC Main/World.hit(5) again [not lost: acknowledged late]".
void append_retransmission(const DatagramDissection &datagram, const EnetCommand &command,
                           const EnetCommandFindings &known, const char *retransmissions, TextBuffer &text) {
  text.append(retransmissions);
  text.append(" again [");
  if (known.transmission->previous->acked_in != 0 && PINFO_FD_VISITED(datagram.pinfo)) {
    text.append("not lost: ");
    text.append(describe_spurious_retransmission(datagram, *known.transmission->previous));
  } else {
    append_message_label(text, command);
  }
  text.append("]");
}

// ---- items

void add_acknowledgement_items(const DatagramDissection &datagram, const EnetCommandFindings &known, proto_tree *tree) {
  if (known.answer == nullptr || tree == nullptr) return;
  add_frame_link(tree, enet_fields.ack_to, datagram.commands, known.answer->transmission->position.packet);
  add_duration(tree, enet_fields.rtt, datagram.commands, known.answer->round_trip_time);
}

// True if the link loses packets: unreliable messages of a side are missing too, and the capture has no gaps. If more
// than 1/max_loss_ratio of them is missing, the sender's throttle has probably dropped them, so the link is not lossy.
bool is_link_lossy(const godot_codec::EnetConnection &connection) {
  constexpr std::uint64_t few = 10;
  constexpr std::uint64_t min_loss_ratio = 25;
  constexpr std::uint64_t max_loss_ratio = 2;
  if (enet_session().tracker().reliable_counts(connection.stream).missing > 0) return false;
  return std::ranges::any_of(std::array{0U, 1U}, [&](unsigned side) {
    const auto [missing, all, skipped] = enet_session().unreliable_counts(connection, side);
    return missing >= few && missing * min_loss_ratio >= all && missing * max_loss_ratio <= all;
  });
}

// True if a side retransmits so much that a player notices. A few losses are normal on every link and do no harm.
bool has_many_retransmissions(const DatagramDissection &datagram) {
  constexpr std::size_t share = 50;
  if (datagram.findings->connection == nullptr) return false;
  // A side that stalls acknowledges nothing until it continues. So these retransmissions do not show losses.
  if (find_vanished_side(*datagram.findings->connection).timed_out_after > 0) return false;
  const std::uint32_t few = is_link_lossy(*datagram.findings->connection) ? 3 : 5;
  const godot_codec::EnetSideFacts &side = datagram.findings->connection->facts.sides[direction_of(datagram.pinfo)];
  // If most of the retransmitted commands were not lost, or much was not captured, the capture probably lacks the other
  // acknowledgements as well.
  const std::uint32_t lost = side.retransmissions - std::min(side.retransmissions, side.spurious_retransmissions);
  // A single acknowledgement that is missing in the capture can explain all retransmissions of one point in time. So
  // points in time are counted, not commands. Retransmissions to a side that vanished do not count, because that side
  // answers nothing.
  const bool is_often = side.retransmission_rounds >= few + side.unanswered_count && lost >= few;
  const std::uint64_t missing = enet_session().tracker().reliable_counts(datagram.findings->connection->stream).missing;
  return is_often && lost * share >= side.commands && lost > side.spurious_retransmissions && lost > missing;
}

// Adds the expert item for a retransmission. A loss is reported as a problem only if the command was acknowledged in
// the end, because a side that has vanished acknowledges nothing.
void add_retransmission_expert_item(const DatagramDissection &datagram, const godot_codec::Transmission &transmission,
                                    proto_item *item) {
  const godot_codec::Transmission &before = *transmission.previous;
  if (before.acked_in != 0 && PINFO_FD_VISITED(datagram.pinfo)) {
    add_expert(
        datagram.pinfo, item, &enet_experts.retransmission,
        before.acked_in < datagram.pinfo->num
            ? "Spurious retransmission: the command had arrived, but its acknowledgement (frame %u) was lost or late"
            : "Spurious retransmission: the command had arrived, but its acknowledgement was late (frame %u)",
        before.acked_in);
  } else if (transmission.original->is_command_acked && transmission.channel != godot_codec::enet_control_channel &&
             PINFO_FD_VISITED(datagram.pinfo) && has_many_retransmissions(datagram)) {
    add_connection_problem(datagram, item, {.expert = &enet_experts.retransmission});
  } else {
    add_expert(datagram.pinfo, item, &enet_experts.retransmission);
  }
}

void add_transmission_items(const DatagramDissection &datagram, const EnetCommandFindings &known,
                            const char *retransmissions, proto_tree *tree, proto_item *item) {
  const godot_codec::Transmission *transmission = known.transmission;
  if (transmission == nullptr) return;
  if (transmission->is_retransmission()) {
    add_flag_if_set(tree, datagram.commands, enet_fields.retransmission, true);
    add_frame_link(tree, enet_fields.retransmission_of, datagram.commands, transmission->original->position.packet);
    add_duration(tree, enet_fields.retransmitted_after, datagram.commands,
                 godot_codec::elapsed(transmission->original->time, transmission->time));
    if (retransmissions != nullptr) {
      proto_item_set_generated(
          proto_tree_add_string(tree, enet_fields.retransmission_summary, datagram.commands, 0, 0, retransmissions));
    }
    add_retransmission_expert_item(datagram, *transmission, item);
  }
  // From the second pass on, later frames are known as well.
  if (!PINFO_FD_VISITED(datagram.pinfo)) return;
  if (transmission->acked_in != 0) {
    add_frame_link(tree, enet_fields.acked_in, datagram.commands, transmission->acked_in);
    const godot_codec::AckMatch *answer = enet_session().tracker().find_acknowledgement(*transmission);
    if (answer != nullptr) add_duration(tree, enet_fields.acked_after, datagram.commands, answer->round_trip_time);
  } else if (enet_session().tracker().is_unacknowledged(*transmission)) {
    add_expert(datagram.pinfo, item, &enet_experts.unacknowledged);
  }
  const std::int64_t delay = enet_session().tracker().head_of_line_delay(*transmission);
  if (delay > 0) add_duration(tree, enet_fields.head_of_line_delay, datagram.commands, delay);
}

// Adds a stall of the sender, which now acknowledges commands that arrived long before.
void add_stall_items(const DatagramDissection &datagram, const godot_codec::EnetStall &stall, proto_tree *tree,
                     proto_item *item) {
  add_duration(tree, enet_fields.stall, datagram.commands, stall.duration);
  add_frame_link(tree, enet_fields.stall_since, datagram.commands, stall.since.packet);
  if (!is_counted(datagram) || datagram.findings->connection == nullptr) return;
  const EnetConnection &connection = *datagram.findings->connection;
  // The finding about how the connection ended already includes the stall.
  if (has_stall_caused_timeout(connection, direction_of(datagram.pinfo), stall)) return mark_problem(item);
  add_connection_problem(datagram, item, describe_stall(datagram.pinfo, connection, stall));
}

void add_finding_items(const DatagramDissection &datagram, const EnetCommandFindings &known,
                       const char *retransmissions, proto_tree *tree, proto_item *item) {
  add_acknowledgement_items(datagram, known, tree);
  add_transmission_items(datagram, known, retransmissions, tree, item);
  if (known.stall != nullptr) add_stall_items(datagram, *known.stall, tree, item);
  if (known.gap == nullptr) return;
  tvbuff_t *tvb = datagram.commands;
  proto_item_set_generated(proto_tree_add_uint(tree, enet_fields.sequence_gap, tvb, 0, 0, known.gap->missing));
  proto_item_set_generated(
      proto_tree_add_uint64(tree, enet_fields.sequence_gap_total, tvb, 0, 0, known.gap->missing_so_far));
  add_expert(datagram.pinfo, item, &enet_experts.sequence_gap_found, "%u earlier messages missing or late",
             known.gap->missing);
}

// Adds the fields of the command, as far as they could be read.
// @returns the command's tree, for further items
proto_tree *add_command_items(const DatagramDissection &datagram, const EnetCommand &command, proto_item **item) {
  if (datagram.tree == nullptr) return nullptr;
  tvbuff_t *tvb = datagram.commands;
  int offset = static_cast<int>(command.range.offset);
  *item = add_captured(datagram.tree, enet_fields.part, tvb, command.range);
  proto_tree *tree = proto_item_add_subtree(*item, enet_subtrees.part);
  proto_tree_add_item(tree, enet_fields.flags_acknowledge, tvb, offset, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.flags_unsequenced, tvb, offset, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.command, tvb, offset, 1, ENC_NA);
  proto_tree_add_uint(tree, enet_fields.channel, tvb, offset + 1, 1, command.channel);
  proto_tree_add_uint(tree, enet_fields.reliable_seq, tvb, offset + 2, 2, command.reliable_seq);
  offset += static_cast<int>(godot_codec::enet_command_header_size);
  for (const EnetField field : command.layout->fields) {
    const int size = godot_codec::enet_field_info(field).size;
    proto_tree_add_uint(tree, command_fields[field], tvb, offset, size, command.value(field));
    offset += size;
  }
  return tree;
}

void add_decoding_failure(packet_info *pinfo, proto_item *item, Outcome outcome, std::size_t offset) {
  const auto byte = static_cast<unsigned>(offset);
  if (outcome == Outcome::truncated) {
    add_truncated_expert(pinfo, item, &enet_experts.truncated, "the datagram");
  } else if (outcome == Outcome::unsupported) {
    add_expert(pinfo, item, &enet_experts.unsupported, "A datagram contains an unknown ENet command (byte %u)", byte);
  } else {
    add_expert(pinfo, item, &enet_experts.malformed,
               "An ENet command is longer than the rest of its datagram (byte %u)", byte);
  }
}

void add_undecoded_items(const DatagramDissection &datagram, std::size_t offset, Outcome outcome) {
  proto_item *item =
      add_captured(datagram.tree, enet_fields.undecoded, datagram.commands, range_from(datagram.commands, offset));
  add_decoding_failure(datagram.pinfo, item, outcome, offset);
}

// Finds why a connection attempt fails, or how the connection ends, and adds the expert item.
Finding add_connect_problem(const DatagramDissection &datagram, const EnetCommand &command, bool is_repeated,
                            proto_item *item) {
  if (!is_counted(datagram)) return {};
  const Finding problem = find_failed_connect(datagram.pinfo, *datagram.findings, command, is_repeated);
  if (problem.info_mark != nullptr) {
    add_connection_problem(datagram, item, problem);
  } else if (problem.expert != nullptr) {
    add_expert_only(datagram.pinfo, item, problem);
  }
  if (!command.is(EnetCommandType::disconnect) || datagram.findings->connection == nullptr) return problem;
  const Finding end = find_disconnect(datagram.pinfo, *datagram.findings);
  if (end.expert == nullptr) return problem;
  // A client that disconnects is not a problem. A server that disconnects a client may be a problem.
  if (is_to_server(datagram.pinfo, *datagram.findings->connection)) {
    add_expert_only(datagram.pinfo, item, end);
  } else {
    add_connection_problem(datagram, item, end);
  }
  return end;
}

const char *command_text(const DatagramDissection &datagram, const EnetCommand &command,
                         const EnetCommandFindings &known, bool is_repeated) {
  return pool_text<max_command_text>(datagram.pinfo,
                                     [&](TextBuffer &text) { append_command_text(text, command, known, is_repeated); });
}

void add_flow_graph_arrow(const DatagramDissection &datagram, const EnetCommand &command,
                          const EnetCommandFindings &known, bool is_repeated, const char *problem) {
  const bool has_arrow = command.is(EnetCommandType::connect) || command.is(EnetCommandType::verify_connect) ||
                         command.is(EnetCommandType::disconnect);
  packet_info *pinfo = datagram.pinfo;
  if (!has_arrow || !is_counted(datagram) || !wants_arrows(pinfo)) return;
  const char *text = command_text(datagram, command, known, is_repeated);
  add_arrow(pinfo, text, problem == nullptr ? text : wmem_strdup_printf(pinfo->pool, "%s: %s", text, problem));
  set_arrow_delivery(pinfo, "ENet");
}

// Returns "channel 5 of 3" if the connection does not have the command's channel; else null.
const char *describe_missing_channel(const DatagramDissection &datagram, const EnetCommand &command) {
  constexpr std::uint8_t of_enet = 0xff;
  const EnetConnection *connection = datagram.findings->connection;
  const std::uint32_t channels = connection == nullptr ? 0 : connection->facts.allowed_channels;
  if (channels == 0 || command.channel == of_enet || command.channel < channels || !is_counted(datagram))
    return nullptr;
  return wmem_strdup_printf(datagram.pinfo->pool, "channel %u of %u", command.channel, channels);
}

void add_command_problems(const DatagramDissection &datagram, const EnetCommand &command, proto_tree *tree,
                          proto_item *item) {
  const std::string_view fault = godot_codec::find_enet_fragment_error(command);
  if (!fault.empty()) {
    // The codec's phrases are literals, so they are zero-terminated.
    add_expert(datagram.pinfo, item, &enet_experts.malformed, "An ENet fragment is malformed: %s", fault.data());
    const std::uint64_t end =
        std::uint64_t{command.value(EnetField::fragment_offset)} + command.value(EnetField::data_length);
    add_flag_if_set(tree, datagram.commands, enet_fields.fragment_too_long,
                    end > command.value(EnetField::fragment_total_length));
  }
  if (command.outcome != Outcome::ok) {
    add_decoding_failure(datagram.pinfo, item, command.outcome, command.range.offset);
  }
  if (describe_missing_channel(datagram, command) == nullptr) return;
  add_connection_problem(
      datagram, item,
      {.expert = &enet_experts.no_channel,
       .text = wmem_strdup_printf(
           datagram.pinfo->pool,
           "A command uses channel %u, but the connection has only channels 0 to %u. The receiver drops the command and the rest of the datagram",
           command.channel, datagram.findings->connection->facts.allowed_channels - 1)});
}

// Appends the channel and number of a message, such as "[Reliable ch 0 #3]", after the summary of its protocol.
void add_delivery_text(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index,
                       const EnetCommandFindings &known) {
  if (TextBuffer *info = info_buffer_of(datagram, index); info != nullptr) {
    info->append(" [");
    append_message_label(*info, command);
    info->append("]");
  }
  packet_info *pinfo = datagram.pinfo;
  if (!wants_arrows(pinfo)) return;
  const char *delivery =
      pool_text<max_command_text>(pinfo, [&](TextBuffer &text) { append_message_label(text, command); });
  set_arrow_delivery(pinfo, delivery);
  if (!is_collecting_match()) return;
  const std::int64_t delay =
      known.transmission == nullptr ? 0 : enet_session().tracker().head_of_line_delay(*known.transmission);
  set_match_delivery(pinfo, delivery, delay, command.reliable_seq);
}

// Reports head-of-line blocking that a player notices, if it happens often on this connection.
void report_head_of_line_blocking(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index,
                                  const EnetCommandFindings &known, proto_item *item) {
  if (known.transmission == nullptr || !PINFO_FD_VISITED(datagram.pinfo) || !is_counted(datagram)) return;
  const std::int64_t delay = enet_session().tracker().head_of_line_delay(*known.transmission);
  if (delay <= godot_codec::noticeable_delay) return;
  packet_info *pinfo = datagram.pinfo;
  const EnetConnection &connection = *datagram.findings->connection;
  Finding finding = find_head_of_line_blocking(pinfo, connection, direction_of(pinfo));
  if (finding.expert == nullptr) return;
  if (info_buffer_of(datagram, index) != nullptr) {
    add_info_mark(datagram, index,
                  wmem_strdup_printf(pinfo->pool, "head-of-line blocking %.0f ms", to_milliseconds(delay)));
  }
  const char *summary = needs_expert_items(pinfo, nullptr) ? message_summary(datagram, command) : nullptr;
  if (summary != nullptr) finding.subject.name = wmem_strndup(pinfo->pool, summary, std::strcspn(summary, "("));
  finding.filter = wmem_strdup_printf(pinfo->pool, "enet.stream == %u and enet.to_server == %d", connection.stream,
                                      is_to_server(pinfo, connection) ? 1 : 0);
  add_problem(pinfo, item, finding);
}

// Adds the problems of a command to the Info column, as marks in brackets.
void add_problem_marks(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index,
                       const EnetCommandFindings &known, const Finding &problem) {
  if (info_buffer_of(datagram, index) == nullptr) return;
  // The cause is certain only after later frames. So the first pass does not add the mark.
  if (problem.info_mark != nullptr && !may_update_state(datagram.pinfo))
    add_info_mark(datagram, index, problem.info_mark);
  const char *no_channel = describe_missing_channel(datagram, command);
  if (no_channel != nullptr) add_info_mark(datagram, index, no_channel);
  if (known.stall == nullptr || datagram.findings->connection == nullptr) return;
  add_info_mark(datagram, index,
                describe_stall(datagram.pinfo, *datagram.findings->connection, *known.stall).info_mark);
}

void dissect_command(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index) {
  packet_info *pinfo = datagram.pinfo;
  const EnetCommandFindings known = enet_session().find(*datagram.findings, index);
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  proto_item *item = nullptr;
  proto_tree *tree = add_command_items(datagram, command, &item);
  if (datagram.summary != nullptr) {
    const char *text = command_text(datagram, command, known, is_repeated);
    set_label(item, {text});
    add_to_summary(datagram, index, text);
  }
  const char *retransmissions = describe_retransmitted_message(datagram, command, index, known);
  add_finding_items(datagram, known, retransmissions, tree, item);
  add_command_problems(datagram, command, tree, item);
  const Finding problem = add_connect_problem(datagram, command, is_repeated, item);
  add_flow_graph_arrow(datagram, command, known, is_repeated, problem.text);
  if (index > 0) add_info_text(datagram, index, ", ");
  // A retransmitted message was already dissected at its first transmission. A malformed command contains no whole
  // message.
  const bool is_whole = command.outcome == Outcome::ok || command.outcome == Outcome::truncated;
  const bool is_passed_on = has_data(command) && is_whole && !is_repeated && index < max_messages;
  // Write the text so far first, because a subdissector may append to the column.
  if (is_passed_on) write_info(datagram);
  const ColumnLock info(pinfo->cinfo, COL_INFO, index >= max_listed_commands);
  const bool is_accepted = has_data(command) && dissect_data(datagram, command, index, known, tree, item, is_passed_on);
  info.restore();
  if (is_accepted) {
    add_delivery_text(datagram, command, index, known);
  } else if (TextBuffer *buffer = info_buffer_of(datagram, index); buffer != nullptr) {
    if (retransmissions == nullptr) append_command_text(*buffer, command, known, is_repeated);
    if (retransmissions != nullptr) append_retransmission(datagram, command, known, retransmissions, *buffer);
  }
  add_problem_marks(datagram, command, index, known, problem);
  report_head_of_line_blocking(datagram, command, index, known, item);
}

}  // namespace

void add_flag_if_set(proto_tree *tree, tvbuff_t *tvb, int hf, bool is_set) {
  if (is_set) proto_item_set_generated(proto_tree_add_boolean(tree, hf, tvb, 0, 0, std::uint64_t{1}));
}

void add_connection_problem(const DatagramDissection &datagram, proto_item *item, Finding finding) {
  finding.filter = wmem_strdup_printf(datagram.pinfo->pool, "enet.stream == %u", datagram.findings->connection->stream);
  add_problem(datagram.pinfo, item, finding);
}

void dissect_commands(const DatagramDissection &datagram, proto_item *item) {
  const godot_codec::EnetCommandsResult &run = datagram.contents->run;
  packet_info *pinfo = datagram.pinfo;
  std::size_t index = 0;
  for (const EnetCommand &command : datagram.contents->commands) dissect_command(datagram, command, index++);
  if (run.padding.length > 0) {
    add_captured(datagram.tree, enet_fields.padding, datagram.commands,
                 range_from(datagram.commands, run.padding.offset));
  }
  if (run.undecoded.length > 0) {
    add_undecoded_items(datagram, run.undecoded.offset, run.outcome);
    add_info_text(datagram, index, index > 0 ? ", [undecoded]" : "[undecoded]");
    add_to_summary(datagram, index, "[undecoded]");
  }
  if (datagram.contents->commands_bytes.reported == 0) {
    add_info_text(datagram, 0, "No command");
    add_to_summary(datagram, 0, "No command");
  }
  if (index > max_listed_commands) {
    const char *more = wmem_strdup_printf(pinfo->pool, ", %u more", static_cast<unsigned>(index - max_listed_commands));
    add_info_text(datagram, 0, more);
    if (datagram.summary != nullptr) wmem_strbuf_append(datagram.summary, more);
  }
  if (index > godot_codec::enet_max_commands) add_expert(pinfo, item, &enet_experts.limit);
}

}  // namespace godot_plugin
