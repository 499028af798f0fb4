// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "godot-codec/enet/ending.h"
#include "plugin/enet/datagram.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/enet/rules.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/pool.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/flow.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetConnection;
using godot_codec::EnetField;
using godot_codec::EnetFragmentedMessage;
using godot_codec::Outcome;
using godot_codec::TextBuffer;

// Maximum number of messages of a datagram that are passed to other dissectors. ENet itself never sends more than half
// as many. epan adds a protocol layer for each message, and aborts the packet at gui.max_tree_depth (500) layers.
constexpr std::size_t max_messages = 2 * godot_codec::enet_max_commands;

// Maximum size of the text about a command, in bytes.
constexpr std::size_t max_words = 120;

int proto_enet = -1;
dissector_table_t port_table;
heur_dissector_list_t heuristics;
EnetSentence append_sentence;

// ---- messages

void count_raw_message(const Datagram &datagram, const EnetCommand &command, unsigned size) {
  packet_info *pinfo = datagram.pinfo;
  if (counting_record(pinfo) == nullptr) return;
  const char *way = wmem_strdup_printf(pinfo->pool, "%s ch %u", endpoints_text(pinfo), command.channel);
  count_in(pinfo, &FrameRecord::variants, {"Raw bytes", nullptr, nullptr, way}, size);
  MatchMessage *message = add_match_message(pinfo, "bytes", size);
  if (message == nullptr) return;
  message->what = "Raw bytes";
  message->from = {nullptr, at_source};
  message->to = {nullptr, at_destination};
}

// Returns the sequence range of a message. Only acknowledged commands are certain to be delivered in order.
godot_codec::SequenceRange sequence_of(const EnetCommand &command) {
  godot_codec::SequenceRange range{command.channel, command.reliable_seq};
  range.may_overtake = !command.wants_acknowledgement();
  if (range.may_overtake) return range;
  range.count = 1;
  if (command.is_fragment()) {
    range.number = static_cast<std::uint16_t>(command.value(EnetField::fragment_start_seq));
    range.count = command.value(EnetField::fragment_count);
  }
  return range;
}

// Returns the context that the message's dissectors need.
// @param number index among the packet's messages, equal on every pass
MessageContext context_of(const Datagram &datagram, const EnetCommand &command, tvbuff_t *tvb, std::uint32_t number) {
  packet_info *pinfo = datagram.pinfo;
  MessageContext context{pinfo, datagram.root, tvb};
  context.message = message_from(tvb, pinfo, Transport::enet, {pinfo->num, number});
  context.message.sequence = sequence_of(command);
  context.message.is_fragmented = command.is(EnetCommandType::send_unreliable_fragment);
  context.conversation = datagram.packet->conversation;
  context.enet = datagram.known->connection;
  context.is_copy = !counts(datagram);
  return context;
}

// Offers a message to the subdissectors. A message that no subdissector accepts is shown as data.
// @returns true if a subdissector accepted the message
bool dissect_message(const Datagram &datagram, const EnetCommand &command, std::size_t index, tvbuff_t *message) {
  packet_info *pinfo = datagram.pinfo;
  if (tvb_reported_length(message) == 0) return false;
  if (counts(datagram)) tap_message(pinfo, message);
  // Keeps the text of the commands before this one.
  col_set_fence(pinfo->cinfo, COL_INFO);
  const EnetConnection *connection = datagram.known->connection;
  MessageContext context = context_of(datagram, command, message, datagram.packet->state->messages++);
  context.info = info_of(datagram, index);
  // Subdissectors need a connection to store any state.
  if (connection != nullptr) {
    if (ws_try_port(port_table, connection->server_port, message, pinfo, datagram.root, &context) > 0) return true;
    heur_dtbl_entry_t *entry = nullptr;
    if (dissector_try_heuristic(heuristics, message, pinfo, datagram.root, &entry, &context)) return true;
  }
  if (counts(datagram)) count_for_problems(pinfo, {.messages = 1});
  if (counts(datagram)) count_raw_message(datagram, command, tvb_reported_length(message));
  call_data_dissector(message, pinfo, datagram.root);
  return false;
}

// Returns the whole message that a fragment completes; null if the fragment does not complete one.
tvbuff_t *reassemble(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree, proto_item *item) {
  const EnetFragmentedMessage *message = known.message;
  if (message == nullptr || message->completed.packet == 0) return nullptr;
  packet_info *pinfo = datagram.pinfo;
  if (message->has_hole) {
    if (known.is_last_fragment) {
      add_expert(pinfo, item, &enet_experts.malformed, "Fragment: the fragments do not cover the whole message");
    }
    return nullptr;
  }
  if (!known.is_last_fragment || datagram.known->duplicate_of.packet != 0) {
    if (message->completed.packet != pinfo->num) {
      draw_link(tree, datagram.commands, enet_fields.reassembled_in, message->completed.packet);
    }
    return nullptr;
  }
  const auto size = static_cast<unsigned>(message->bytes.size());
  tvbuff_t *whole = tvb_new_child_real_data(datagram.commands, message->bytes.data(), size, static_cast<int>(size));
  add_new_data_source(pinfo, whole, "Reassembled ENet message");
  draw_fragments(pinfo, *message, whole, tree);
  return whole;
}

// Shows a command's user data, and passes it to the subdissectors.
// @returns true if a subdissector read the message and wrote to the Info column
bool dissect_data(const Datagram &datagram, const EnetCommand &command, std::size_t index,
                  const EnetCommandFindings &known, proto_tree *tree, proto_item *item, bool is_handed_on) {
  if (tree != nullptr) add_captured(tree, enet_fields.data, datagram.commands, command.data);
  if (!is_handed_on) return false;
  if (command.is_fragment()) {
    tvbuff_t *whole = reassemble(datagram, known, tree, item);
    if (whole == nullptr) return false;
    const FrameRecord::Messages before = count_messages_as(datagram.pinfo, FrameRecord::Messages::split);
    const bool is_told = dissect_message(datagram, command, index, whole);
    count_messages_as(datagram.pinfo, before);
    return is_told;
  }
  return dissect_message(datagram, command, index, subset_of(datagram.commands, command.data));
}

// Returns the summary of a whole message; null if no protocol of this plugin has one.
const char *sentence_of(const Datagram &datagram, const EnetCommand &command) {
  const EnetConnection *connection = datagram.known->connection;
  const bool is_whole = has_data(command) && !command.is_fragment() && command.outcome == Outcome::ok;
  if (!is_whole || connection == nullptr || append_sentence == nullptr) return nullptr;
  const MessageContext context =
      context_of(datagram, command, subset_of(datagram.commands, command.data), datagram.packet->state->messages);
  constexpr std::size_t max_sentence = 240;
  bool is_told = false;
  const char *sentence =
      pool_text<max_sentence>(datagram.pinfo, [&](TextBuffer &text) { is_told = append_sentence(context, text); });
  return is_told ? sentence : nullptr;
}

// Returns the summary of a retransmitted message; null if no protocol of this plugin has one.
const char *describe_resent(const Datagram &datagram, const EnetCommand &command, std::size_t index,
                            const EnetCommandFindings &known) {
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  if (!is_repeated) return nullptr;
  const bool is_read = datagram.tree != nullptr || info_of(datagram, index) != nullptr;
  return is_read || PINFO_FD_VISITED(datagram.pinfo) ? sentence_of(datagram, command) : nullptr;
}

// Returns why a command was retransmitted although it had arrived.
const char *describe_needless(const Datagram &datagram, const godot_codec::Transmission &before) {
  // An acknowledgement that was captured before this retransmission was lost, or too late for its receiver.
  return before.acked_in < datagram.pinfo->num ? "its acknowledgement was lost or late" : "acknowledged late";
}

// Appends "RPC Main/World.hit(5) again [not lost: acknowledged late]".
void append_resent(const Datagram &datagram, const EnetCommand &command, const EnetCommandFindings &known,
                   const char *resent, TextBuffer &text) {
  text.append(resent);
  text.append(" again [");
  if (known.transmission->previous->acked_in != 0 && PINFO_FD_VISITED(datagram.pinfo)) {
    text.append("not lost: ");
    text.append(describe_needless(datagram, *known.transmission->previous));
  } else {
    append_message(text, command);
  }
  text.append("]");
}

// ---- items

godot_codec::Side sender_of(const Datagram &datagram) {
  return direction_of(datagram.pinfo) == 0 ? godot_codec::Side::first : godot_codec::Side::second;
}

void draw_acknowledged(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree) {
  if (known.answer == nullptr || tree == nullptr) return;
  draw_link(tree, datagram.commands, enet_fields.ack_to, known.answer->transmission->place.packet);
  draw_time(tree, datagram.commands, enet_fields.rtt, known.answer->round_trip_time);
}

// Adds a problem with a display filter for the connection.
void add_connection_problem(const Datagram &datagram, proto_item *item, Finding finding) {
  finding.filter = wmem_strdup_printf(datagram.pinfo->pool, "enet.stream == %u", datagram.known->connection->stream);
  add_problem(datagram.pinfo, item, finding);
}

// True if the link loses packets: unreliable messages of a side are missing too, and the capture has no gaps. If more
// than a certain share is missing, the sender's throttle has probably dropped them.
bool is_line_lossy(const godot_codec::EnetConnection &connection) {
  constexpr std::uint64_t few = 10;
  constexpr std::uint64_t least_share = 25;
  constexpr std::uint64_t most_share = 2;
  if (enet_session().captured(connection).missing > 0) return false;
  return std::ranges::any_of(std::array{godot_codec::Side::first, godot_codec::Side::second},
                             [&](godot_codec::Side side) {
                               const auto [missing, all, skipped] = enet_session().unreliable(connection, side);
                               return missing >= few && missing * least_share >= all && missing * most_share <= all;
                             });
}

// True if a side retransmits so much that a player notices. A few losses are normal on every link and do no harm.
bool is_much_resent(const Datagram &datagram) {
  constexpr std::size_t share = 50;
  if (datagram.known->connection == nullptr) return false;
  // A side that stalled answers nothing until it continues.
  if (gone_side(*datagram.known->connection).given_up_after > 0) return false;
  const std::uint32_t few = is_line_lossy(*datagram.known->connection) ? 3 : 5;
  const godot_codec::EnetSideFacts &side = datagram.known->connection->facts.sides[direction_of(datagram.pinfo)];
  // If most of the retransmitted commands were not lost, or much was not captured, the capture probably lacks the other
  // acknowledgements as well.
  const std::uint32_t lost = side.resent - std::min(side.resent, side.needless);
  // A single acknowledgement that is missing in the capture can explain all retransmissions of one point in time. So
  // points in time are counted, not commands. Retransmissions to a side that vanished do not count, because that side
  // answers nothing.
  const bool is_often = side.resendings >= few + side.unanswered && lost >= few;
  const std::uint64_t missing = enet_session().captured(*datagram.known->connection).missing;
  return is_often && lost * share >= side.commands && lost > side.needless && lost > missing;
}

// Adds the expert item for a retransmission. A loss is reported as a problem only if the command arrived in the end: if
// the other side has vanished, nothing is answered.
void note_retransmission(const Datagram &datagram, const godot_codec::Transmission &transmission, const char *resent,
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
             PINFO_FD_VISITED(datagram.pinfo) && is_much_resent(datagram)) {
    add_connection_problem(
        datagram, item,
        {.rule = &enet_experts.retransmission,
         .detail = resent == nullptr ? nullptr : wmem_strdup_printf(datagram.pinfo->pool, "the first: %s", resent)});
  } else {
    add_expert(datagram.pinfo, item, &enet_experts.retransmission);
  }
}

void draw_transmission(const Datagram &datagram, const EnetCommandFindings &known, const char *resent, proto_tree *tree,
                       proto_item *item) {
  const godot_codec::Transmission *transmission = known.transmission;
  if (transmission == nullptr) return;
  if (transmission->is_retransmission()) {
    draw_flag(tree, datagram.commands, enet_fields.retransmission, true);
    draw_link(tree, datagram.commands, enet_fields.retransmission_of, transmission->original->place.packet);
    draw_time(tree, datagram.commands, enet_fields.retransmitted_after,
              godot_codec::elapsed(transmission->original->time, transmission->time));
    if (resent != nullptr) {
      proto_item_set_generated(
          proto_tree_add_string(tree, enet_fields.retransmission_summary, datagram.commands, 0, 0, resent));
    }
    note_retransmission(datagram, *transmission, resent, item);
  }
  // From the second pass on, later frames are known as well.
  if (!PINFO_FD_VISITED(datagram.pinfo)) return;
  if (transmission->acked_in != 0) {
    draw_link(tree, datagram.commands, enet_fields.acked_in, transmission->acked_in);
    const godot_codec::AckMatch *answer = enet_session().find_answer(*transmission);
    if (answer != nullptr) draw_time(tree, datagram.commands, enet_fields.acked_after, answer->round_trip_time);
  } else if (enet_session().is_unacknowledged(*transmission)) {
    add_expert(datagram.pinfo, item, &enet_experts.unacknowledged);
  }
  const std::int64_t waited = enet_session().waited(*transmission);
  if (waited > 0) draw_time(tree, datagram.commands, enet_fields.head_of_line_delay, waited);
}

// Adds a stall: the sender answers commands that arrived long before.
void draw_hitch(const Datagram &datagram, const godot_codec::EnetHitch &hitch, proto_tree *tree, proto_item *item) {
  draw_time(tree, datagram.commands, enet_fields.stall, hitch.length);
  draw_link(tree, datagram.commands, enet_fields.stall_since, hitch.since.packet);
  if (!counts(datagram) || datagram.known->connection == nullptr) return;
  const EnetConnection &connection = *datagram.known->connection;
  // The finding about the end of the connection includes the stall.
  if (is_given_up_standstill(connection, sender_of(datagram), hitch)) return mark_problem(item);
  add_connection_problem(datagram, item, find_stall(datagram.pinfo, connection, hitch));
}

void draw_findings(const Datagram &datagram, const EnetCommandFindings &known, const char *resent, proto_tree *tree,
                   proto_item *item) {
  draw_acknowledged(datagram, known, tree);
  draw_transmission(datagram, known, resent, tree, item);
  if (known.hitch != nullptr) draw_hitch(datagram, *known.hitch, tree, item);
  if (known.gap == nullptr) return;
  tvbuff_t *tvb = datagram.commands;
  proto_item_set_generated(proto_tree_add_uint(tree, enet_fields.sequence_gap, tvb, 0, 0, known.gap->missing));
  proto_item_set_generated(
      proto_tree_add_uint64(tree, enet_fields.sequence_gap_total, tvb, 0, 0, known.gap->all_missing));
  add_expert(datagram.pinfo, item, &enet_experts.sequence_gap_found, "%u earlier messages missing or late",
             known.gap->missing);
}

// Adds the command's own fields that could be read.
// @returns the command's tree, for further items
proto_tree *draw_command(const Datagram &datagram, const EnetCommand &command, proto_item **item) {
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
  for (std::size_t i = 0; i < command.value_count; ++i) {
    const EnetField field = command.layout->fields[i];
    const int size = godot_codec::enet_field_info(field).size;
    proto_tree_add_uint(tree, registered(field), tvb, offset, size, command.values[i]);
    offset += size;
  }
  return tree;
}

void add_failure(packet_info *pinfo, proto_item *item, Outcome outcome, std::size_t offset) {
  const auto byte = static_cast<unsigned>(offset);
  switch (outcome) {
    case Outcome::truncated:
      add_truncated(pinfo, item, &enet_experts.truncated, "the datagram");
      break;
    case Outcome::unsupported:
      add_expert(pinfo, item, &enet_experts.unsupported, "Unknown ENet command (byte %u)", byte);
      break;
    case Outcome::ok:
    case Outcome::malformed:
    case Outcome::over_limit:
      add_expert(pinfo, item, &enet_experts.malformed, "A command runs past the end of the datagram (byte %u)", byte);
      break;
  }
}

void draw_failure(const Datagram &datagram, std::size_t offset, Outcome outcome) {
  proto_item *item =
      add_captured(datagram.tree, enet_fields.undecoded, datagram.commands, range_from(datagram.commands, offset));
  add_failure(datagram.pinfo, item, outcome, offset);
}

// Finds why a connection attempt fails, or how the connection ends, and adds the expert item.
Finding draw_connect_trouble(const Datagram &datagram, const EnetCommand &command, bool is_repeated, proto_item *item) {
  if (!counts(datagram)) return {};
  const Finding trouble = find_failed_connect(datagram.pinfo, *datagram.known, command, is_repeated);
  if (trouble.mark != nullptr) {
    add_connection_problem(datagram, item, trouble);
  } else if (trouble.rule != nullptr) {
    add_harmless(datagram.pinfo, item, trouble);
  }
  if (!command.is(EnetCommandType::disconnect) || datagram.known->connection == nullptr) return trouble;
  const Finding end = find_disconnect(datagram.pinfo, *datagram.known);
  if (end.rule == nullptr) return trouble;
  // A client that disconnects is no problem. A server that disconnects a client may be one.
  if (is_to_server(datagram.pinfo, *datagram.known->connection)) {
    add_harmless(datagram.pinfo, item, end);
  } else {
    add_connection_problem(datagram, item, end);
  }
  return end;
}

const char *command_text(const Datagram &datagram, const EnetCommand &command, const EnetCommandFindings &known,
                         bool is_repeated) {
  return pool_text<max_words>(datagram.pinfo,
                              [&](TextBuffer &text) { append_command(text, command, known, is_repeated); });
}

void draw_connection_arrow(const Datagram &datagram, const EnetCommand &command, const EnetCommandFindings &known,
                           bool is_repeated, const char *trouble) {
  const bool is_drawn = command.is(EnetCommandType::connect) || command.is(EnetCommandType::verify_connect) ||
                        command.is(EnetCommandType::disconnect);
  packet_info *pinfo = datagram.pinfo;
  if (!is_drawn || !counts(datagram) || !wants_arrows(pinfo)) return;
  const char *text = command_text(datagram, command, known, is_repeated);
  add_arrow(pinfo, text, trouble == nullptr ? text : wmem_strdup_printf(pinfo->pool, "%s: %s", text, trouble));
  deliver_arrow(pinfo, "ENet");
}

// Returns "channel 5 of 3" if the connection does not have the command's channel; else null.
const char *describe_no_channel(const Datagram &datagram, const EnetCommand &command) {
  constexpr std::uint8_t of_enet = 0xff;
  const EnetConnection *connection = datagram.known->connection;
  const std::uint32_t channels = connection == nullptr ? 0 : connection->facts.allowed_channels;
  if (channels == 0 || command.channel == of_enet || command.channel < channels || !counts(datagram)) return nullptr;
  return wmem_strdup_printf(datagram.pinfo->pool, "channel %u of %u", command.channel, channels);
}

void draw_faults(const Datagram &datagram, const EnetCommand &command, proto_tree *tree, proto_item *item) {
  const std::string_view fault = godot_codec::enet_fragment_fault(command);
  if (!fault.empty()) {
    // The codec's phrases are literals, so they are zero-terminated.
    add_expert(datagram.pinfo, item, &enet_experts.malformed, "Fragment: %s", fault.data());
    const std::uint64_t end =
        std::uint64_t{command.value(EnetField::fragment_offset)} + command.value(EnetField::data_length);
    draw_flag(tree, datagram.commands, enet_fields.fragment_too_long,
              end > command.value(EnetField::fragment_total_length));
  }
  if (command.outcome != Outcome::ok) {
    add_failure(datagram.pinfo, item, command.outcome, command.range.offset);
  }
  if (describe_no_channel(datagram, command) == nullptr) return;
  add_connection_problem(
      datagram, item,
      {.rule = &enet_experts.no_channel,
       .text = wmem_strdup_printf(
           datagram.pinfo->pool,
           "Channel %u does not exist, the connection has %u: the receiver drops the command and the rest of the datagram",
           command.channel, datagram.known->connection->facts.allowed_channels)});
}

// Adds how a message was delivered, after the summary from the message's protocol.
void tell_delivery(const Datagram &datagram, const EnetCommand &command, std::size_t index,
                   const EnetCommandFindings &known) {
  if (TextBuffer *info = info_of(datagram, index); info != nullptr) {
    info->append(" [");
    append_message(*info, command);
    info->append("]");
  }
  packet_info *pinfo = datagram.pinfo;
  if (!wants_arrows(pinfo)) return;
  const char *delivery = pool_text<max_words>(pinfo, [&](TextBuffer &text) { append_message(text, command); });
  deliver_arrow(pinfo, delivery);
  if (!is_match_wanted()) return;
  const std::int64_t waited = known.transmission == nullptr ? 0 : enet_session().waited(*known.transmission);
  deliver_match_message(pinfo, delivery, waited, command.reliable_seq);
}

// Reports head-of-line blocking that a player notices, if it happens often on this connection.
void tell_wait(const Datagram &datagram, const EnetCommand &command, std::size_t index,
               const EnetCommandFindings &known, proto_item *item) {
  if (known.transmission == nullptr || !PINFO_FD_VISITED(datagram.pinfo) || !counts(datagram)) return;
  const std::int64_t waited = enet_session().waited(*known.transmission);
  if (waited <= godot_codec::noticeable_wait) return;
  packet_info *pinfo = datagram.pinfo;
  const EnetConnection &connection = *datagram.known->connection;
  Finding finding = find_head_of_line_blocking(pinfo, connection, sender_of(datagram));
  if (finding.rule == nullptr) return;
  if (info_of(datagram, index) != nullptr) {
    tell_mark(datagram, index, wmem_strdup_printf(pinfo->pool, "head-of-line blocking %.0f ms", milliseconds(waited)));
  }
  const char *sentence = wants_experts(pinfo, nullptr) ? sentence_of(datagram, command) : nullptr;
  if (sentence != nullptr) finding.subject = wmem_strndup(pinfo->pool, sentence, std::strcspn(sentence, "("));
  finding.filter = wmem_strdup_printf(pinfo->pool, "enet.stream == %u and enet.to_server == %d", connection.stream,
                                      is_to_server(pinfo, connection) ? 1 : 0);
  add_problem(pinfo, item, finding);
}

// Adds the problems of a command to the Info column, as marks in brackets.
void tell_marks(const Datagram &datagram, const EnetCommand &command, std::size_t index,
                const EnetCommandFindings &known, const Finding &trouble) {
  if (info_of(datagram, index) == nullptr) return;
  // Later frames show more of the cause. So the mark is set only once all of them are known.
  if (trouble.mark != nullptr && !may_learn(datagram.pinfo)) tell_mark(datagram, index, trouble.mark);
  const char *no_channel = describe_no_channel(datagram, command);
  if (no_channel != nullptr) tell_mark(datagram, index, no_channel);
  if (known.hitch == nullptr || datagram.known->connection == nullptr) return;
  tell_mark(datagram, index, find_stall(datagram.pinfo, *datagram.known->connection, *known.hitch).mark);
}

void dissect_command(const Datagram &datagram, const EnetCommand &command, std::size_t index) {
  packet_info *pinfo = datagram.pinfo;
  const EnetCommandFindings known = enet_session().find(*datagram.known, index);
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  proto_item *item = nullptr;
  proto_tree *tree = draw_command(datagram, command, &item);
  if (datagram.summary != nullptr) {
    const char *text = command_text(datagram, command, known, is_repeated);
    set_label(item, {text});
    sum_up(datagram, index, text);
  }
  const char *resent = describe_resent(datagram, command, index, known);
  draw_findings(datagram, known, resent, tree, item);
  draw_faults(datagram, command, tree, item);
  const Finding trouble = draw_connect_trouble(datagram, command, is_repeated, item);
  draw_connection_arrow(datagram, command, known, is_repeated, trouble.text);
  if (index > 0) tell(datagram, index, ", ");
  // A retransmitted message was already dissected at its first transmission. A message that was cut could not be
  // reassembled.
  const bool is_whole = command.outcome == Outcome::ok || command.outcome == Outcome::truncated;
  const bool is_handed_on = has_data(command) && is_whole && !is_repeated && index < max_messages;
  // A subdissector may write to the column, after the text so far.
  if (is_handed_on) write_info(datagram);
  const LockedColumn info(pinfo->cinfo, COL_INFO);
  if (index < max_told_commands) info.restore();
  const bool is_told = has_data(command) && dissect_data(datagram, command, index, known, tree, item, is_handed_on);
  info.restore();
  if (is_told) {
    tell_delivery(datagram, command, index, known);
  } else if (TextBuffer *words = info_of(datagram, index); words != nullptr) {
    if (resent == nullptr) append_command(*words, command, known, is_repeated);
    if (resent != nullptr) append_resent(datagram, command, known, resent, *words);
  }
  tell_marks(datagram, command, index, known, trouble);
  tell_wait(datagram, command, index, known, item);
}

}  // namespace

void dissect_commands(const Datagram &datagram, proto_item *item) {
  const godot_codec::EnetCommandRun &run = datagram.read->run;
  packet_info *pinfo = datagram.pinfo;
  std::size_t index = 0;
  for (const EnetCommand &command : datagram.read->commands) dissect_command(datagram, command, index++);
  if (run.padding.length > 0) {
    add_captured(datagram.tree, enet_fields.padding, datagram.commands,
                 range_from(datagram.commands, run.padding.offset));
  }
  if (run.undecoded.length > 0) {
    draw_failure(datagram, run.undecoded.offset, run.outcome);
    tell(datagram, index, index > 0 ? ", [undecoded]" : "[undecoded]");
    sum_up(datagram, index, "[undecoded]");
  }
  if (datagram.read->commands_bytes.reported == 0) {
    tell(datagram, 0, "No command");
    sum_up(datagram, 0, "No command");
  }
  if (index > max_told_commands) {
    const char *more = wmem_strdup_printf(pinfo->pool, ", %u more", static_cast<unsigned>(index - max_told_commands));
    tell(datagram, 0, more);
    if (datagram.summary != nullptr) wmem_strbuf_append(datagram.summary, more);
  }
  if (index > godot_codec::enet_max_commands) add_expert(pinfo, item, &enet_experts.limit);
}

void set_enet_sentence(EnetSentence sentence) { append_sentence = sentence; }

void register_enet_messages(int proto) {
  proto_enet = proto;
  port_table = register_dissector_table("enet.port", "ENet server port", proto, FT_UINT16, BASE_DEC);
  heuristics = register_heur_dissector_list("enet", proto);
}

}  // namespace godot_plugin
