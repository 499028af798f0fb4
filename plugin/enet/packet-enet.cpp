// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/packet-enet.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "godot-codec/enet/compression.h"
#include "godot-codec/recognise/evidence.h"
#include "godot-codec/variant/text.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/generated.h"
#include "plugin/enet/life.h"
#include "plugin/enet/state.h"
#include "plugin/enet/stats.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetDatagram;
using godot_codec::EnetExpectation;
using godot_codec::EnetField;
using godot_codec::EnetFindings;
using godot_codec::EnetFragmentedMessage;
using godot_codec::EnetHeader;
using godot_codec::Outcome;

// What the Info column tells of a datagram: the rest is "…".
constexpr std::size_t max_told_commands = 12;
// Messages of a datagram that are handed on; ENet itself never sends more than half as many. epan counts a protocol
// layer for each, and gives up on the packet at gui.max_tree_depth (500) of them.
constexpr std::size_t max_messages = 2 * godot_codec::enet_max_commands;

int proto_enet = -1;
dissector_table_t port_table;
heur_dissector_list_t heuristics;

// ---- preferences

enum CompressionPreference { compression_auto, compression_first };

int pref_compression = compression_auto;
ws_bool pref_checksum = false;

// What the user says of datagrams.
EnetExpectation told_by_user() {
  EnetExpectation told;
  told.has_checksum = told.is_checksum_told = pref_checksum != 0;
  told.is_compression_told = pref_compression != compression_auto;
  if (told.is_compression_told) told.compression = static_cast<Compression>(pref_compression - compression_first);
  return told;
}

// ---- one datagram

// What is at hand while a datagram is dissected.
struct Datagram {
  packet_info *pinfo;
  proto_tree *root;  // of the packet
  proto_tree *tree;  // of the protocol
  const EnetDatagram *read;
  const EnetFindings *known;
  tvbuff_t *commands;      // without their compression
  wmem_strbuf_t *summary;  // for the protocol's line; null where there is no tree
};

bool has_data(const EnetCommand &command) { return command.has(EnetField::data_length); }

double milliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

const char *kind_of(const EnetCommand &command) {
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::send_reliable:
      return "Reliable";
    case EnetCommandType::send_unreliable:
      return "Unreliable";
    case EnetCommandType::send_unsequenced:
      return "Unsequenced";
    case EnetCommandType::send_fragment:
      return "Fragment";
    default:
      return "Unreliable fragment";
  }
}

// The number by which a message is told from others of its kind.
std::uint32_t number_of(const EnetCommand &command) {
  if (command.is(EnetCommandType::send_unreliable)) return command.value(EnetField::unreliable_seq);
  if (command.is(EnetCommandType::send_unsequenced)) return command.value(EnetField::unsequenced_group);
  if (command.is_fragment()) return command.value(EnetField::fragment_start_seq);
  return command.reliable_seq;
}

// "Reliable ch 0 #3", "Fragment 2/7 of ch 0 #12".
const char *describe_message(wmem_allocator_t *pool, const EnetCommand &command, bool is_repeated) {
  const char *again = is_repeated ? " again" : "";
  if (command.is_fragment()) {
    return wmem_strdup_printf(pool, "%s %u/%u of ch %u #%u%s", kind_of(command),
                              command.value(EnetField::fragment_number) + 1, command.value(EnetField::fragment_count),
                              command.channel, number_of(command), again);
  }
  return wmem_strdup_printf(pool, "%s ch %u #%u%s", kind_of(command), command.channel, number_of(command), again);
}

// What a command without data does, for the Info column.
const char *describe_control(wmem_allocator_t *pool, const EnetCommand &command, const EnetCommandFindings &known) {
  const bool is_timed = known.answer != nullptr;
  const double rtt = is_timed ? milliseconds(known.answer->round_trip_time) : 0;
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::acknowledge: {
      const std::uint32_t seq = command.value(EnetField::ack_seq);
      return is_timed ? wmem_strdup_printf(pool, "Ack #%u (%.1f ms)", seq, rtt)
                      : wmem_strdup_printf(pool, "Ack #%u", seq);
    }
    case EnetCommandType::connect:
      return "Connect";
    case EnetCommandType::verify_connect:
      return is_timed ? wmem_strdup_printf(pool, "Verify connect (%.1f ms)", rtt) : "Verify connect";
    case EnetCommandType::disconnect:
      return "Disconnect";
    case EnetCommandType::ping:
      return "Ping";
    case EnetCommandType::bandwidth_limit:
      return "Bandwidth limit";
    default:
      return "Throttle configure";
  }
}

// What is captured a second time, or only quoted, counts for nothing.
bool counts(const Datagram &datagram) {
  return datagram.known->connection != nullptr && datagram.known->duplicate_of.packet == 0 &&
         is_in_conversation(datagram.pinfo);
}

// Hands a message to whoever takes it; what nobody takes is data.
bool dissect_message(const Datagram &datagram, const EnetCommand &command, tvbuff_t *message) {
  packet_info *pinfo = datagram.pinfo;
  if (tvb_reported_length(message) == 0) return false;
  if (counts(datagram)) tap_message(pinfo, message);
  // What the commands before this one have told stays.
  col_set_fence(pinfo->cinfo, COL_INFO);
  const EnetConnection *connection = datagram.known->connection;
  EnetMessage told{connection, next_enet_message(proto_enet, pinfo), command.channel,
                   command.is(EnetCommandType::send_unreliable_fragment), counts(datagram)};
  // Of a connection that is not known, nothing is known inside.
  if (connection != nullptr) {
    if (ws_try_port(port_table, connection->server_port, message, pinfo, datagram.root, &told) > 0) return true;
    heur_dtbl_entry_t *entry = nullptr;
    if (dissector_try_heuristic(heuristics, message, pinfo, datagram.root, &entry, &told)) return true;
  }
  call_data_dissector(message, pinfo, datagram.root);
  return false;
}

// The whole message that a fragment completes; null if it does not.
tvbuff_t *reassemble(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree, proto_item *item) {
  const EnetFragmentedMessage *message = known.message;
  if (message == nullptr || message->completed.packet == 0) return nullptr;
  packet_info *pinfo = datagram.pinfo;
  if (message->has_hole) {
    if (known.is_last_fragment) {
      expert_add_info_format(pinfo, item, &enet_experts.malformed,
                             "Fragment: all of them leave bytes of the message out");
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

// A command's user data. @returns whether somebody read the message, and told so in the Info column
bool dissect_data(const Datagram &datagram, const EnetCommand &command, const EnetCommandFindings &known,
                  proto_tree *tree, proto_item *item, bool is_handed_on) {
  const int offset = static_cast<int>(command.data.offset);
  const int length = static_cast<int>(command.data.length);
  const int captured = std::max(std::min(length, tvb_captured_length_remaining(datagram.commands, offset)), 0);
  proto_tree_add_item(tree, enet_fields.data, datagram.commands, offset, captured, ENC_NA);
  if (!is_handed_on) return false;
  if (command.is_fragment()) {
    tvbuff_t *whole = reassemble(datagram, known, tree, item);
    if (whole == nullptr) return false;
    count_messages_as(datagram.pinfo, FrameRecord::Messages::split);
    const bool is_told = dissect_message(datagram, command, whole);
    count_messages_as(datagram.pinfo, FrameRecord::Messages::whole);
    return is_told;
  }
  return dissect_message(datagram, command, tvb_new_subset_length_caplen(datagram.commands, offset, captured, length));
}

void draw_acknowledged(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree) {
  if (known.answer == nullptr) return;
  draw_link(tree, datagram.commands, enet_fields.ack_to, known.answer->transmission->place.packet);
  draw_time(tree, datagram.commands, enet_fields.rtt, known.answer->round_trip_time);
}

void draw_transmission(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree, proto_item *item) {
  const godot_codec::Transmission *transmission = known.transmission;
  if (transmission == nullptr) return;
  if (transmission->is_retransmission()) {
    draw_flag(tree, datagram.commands, enet_fields.retransmission, true);
    draw_link(tree, datagram.commands, enet_fields.retransmission_of, transmission->original->place.packet);
    draw_time(tree, datagram.commands, enet_fields.first_sent,
              godot_codec::elapsed(transmission->original->time, transmission->time));
    expert_add_info(datagram.pinfo, item, &enet_experts.retransmission);
  }
  // Later frames are known from the second pass on.
  if (!PINFO_FD_VISITED(datagram.pinfo)) return;
  if (transmission->acked_in != 0) {
    draw_link(tree, datagram.commands, enet_fields.acked_in, transmission->acked_in);
  } else if (enet_session().is_unacknowledged(*transmission)) {
    expert_add_info(datagram.pinfo, item, &enet_experts.unacknowledged);
  }
  const std::int64_t waited = enet_session().waited(*transmission);
  if (waited > 0) draw_time(tree, datagram.commands, enet_fields.waited, waited);
}

void draw_findings(const Datagram &datagram, const EnetCommandFindings &known, proto_tree *tree, proto_item *item) {
  draw_acknowledged(datagram, known, tree);
  draw_transmission(datagram, known, tree, item);
  if (known.gap == nullptr) return;
  tvbuff_t *tvb = datagram.commands;
  proto_item_set_generated(proto_tree_add_uint(tree, enet_fields.missing, tvb, 0, 0, known.gap->missing));
  proto_item_set_generated(proto_tree_add_uint64(tree, enet_fields.all_missing, tvb, 0, 0, known.gap->all_missing));
  expert_add_info_format(datagram.pinfo, item, &enet_experts.missing, "%u before this one missing or late",
                         known.gap->missing);
}

// The command's own fields, as far as they could be read. @returns the tree for what belongs to it
proto_tree *draw_command(const Datagram &datagram, const EnetCommand &command, proto_item **item) {
  tvbuff_t *tvb = datagram.commands;
  int offset = static_cast<int>(command.range.offset);
  const int length = std::min(static_cast<int>(command.range.length), tvb_captured_length_remaining(tvb, offset));
  *item = proto_tree_add_item(datagram.tree, enet_fields.part, tvb, offset, length, ENC_NA);
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
      expert_add_info(pinfo, item, &enet_experts.truncated);
      break;
    case Outcome::unsupported:
      expert_add_info_format(pinfo, item, &enet_experts.unsupported, "No command of ENet's (byte %u)", byte);
      break;
    default:
      expert_add_info_format(pinfo, item, &enet_experts.malformed,
                             "A command runs past the end of the datagram (byte %u)", byte);
      break;
  }
}

void draw_failure(const Datagram &datagram, int offset, Outcome outcome) {
  proto_item *item = proto_tree_add_item(datagram.tree, enet_fields.undecoded, datagram.commands, offset,
                                         tvb_captured_length_remaining(datagram.commands, offset), ENC_NA);
  add_failure(datagram.pinfo, item, outcome, static_cast<std::size_t>(offset));
}

void tell(packet_info *pinfo, std::size_t index, const char *text) {
  if (index < max_told_commands) col_append_str(pinfo->cinfo, COL_INFO, text);
}

// For the protocol's line: what the datagram's commands are, whatever runs inside of them.
void sum_up(const Datagram &datagram, std::size_t index, const char *text) {
  if (datagram.summary == nullptr || index >= max_told_commands) return;
  wmem_strbuf_append(datagram.summary, index == 0 ? ": " : ", ");
  wmem_strbuf_append(datagram.summary, text);
}

// "Reliable ch 0 #3 again (20 bytes)", "Ack #4 (0.3 ms)".
const char *describe(const Datagram &datagram, const EnetCommand &command, const EnetCommandFindings &known,
                     bool is_repeated) {
  wmem_allocator_t *pool = datagram.pinfo->pool;
  if (has_data(command)) {
    return wmem_strdup_printf(pool, "%s (%u bytes)", describe_message(pool, command, is_repeated),
                              command.value(EnetField::data_length));
  }
  const char *text = describe_control(pool, command, known);
  return is_repeated ? wmem_strdup_printf(pool, "%s again", text) : text;
}

// A connection that does not come about.
void draw_connect_trouble(const Datagram &datagram, const EnetCommand &command, bool is_repeated, proto_item *item) {
  if (!counts(datagram)) return;
  const char *trouble = describe_connect_trouble(datagram.pinfo, *datagram.known, command, is_repeated);
  if (trouble != nullptr) {
    expert_add_info_format(datagram.pinfo, item, &enet_experts.unanswered_connect, "%s", trouble);
  }
}

void draw_faults(const Datagram &datagram, const EnetCommand &command, proto_tree *tree, proto_item *item) {
  const std::string_view fault = godot_codec::enet_fragment_fault(command);
  if (!fault.empty()) {
    // Phrases of the codec are literals: terminated.
    expert_add_info_format(datagram.pinfo, item, &enet_experts.malformed, "Fragment: %s", fault.data());
    const std::uint64_t end =
        std::uint64_t{command.value(EnetField::fragment_offset)} + command.value(EnetField::data_length);
    draw_flag(tree, datagram.commands, enet_fields.fragment_too_long,
              end > command.value(EnetField::fragment_total_length));
  }
  if (command.outcome != Outcome::ok) {
    add_failure(datagram.pinfo, item, command.outcome, command.range.offset);
  }
}

void dissect_command(const Datagram &datagram, const EnetCommand &command, std::size_t index) {
  packet_info *pinfo = datagram.pinfo;
  const EnetCommandFindings known = enet_session().find(*datagram.known, index);
  const bool is_repeated = known.transmission != nullptr && known.transmission->is_retransmission();
  proto_item *item = nullptr;
  proto_tree *tree = draw_command(datagram, command, &item);
  const char *text = describe(datagram, command, known, is_repeated);
  proto_item_set_text(item, "%s", text);
  sum_up(datagram, index, text);
  draw_findings(datagram, known, tree, item);
  draw_faults(datagram, command, tree, item);
  draw_connect_trouble(datagram, command, is_repeated, item);
  if (index > 0) tell(pinfo, index, ", ");
  // What runs inside has seen a repeated message before, and would never see one that is cut.
  const bool is_whole = command.outcome == Outcome::ok || command.outcome == Outcome::truncated;
  const bool is_handed_on = has_data(command) && is_whole && !is_repeated && index < max_messages;
  if (index >= max_told_commands) col_set_writable(pinfo->cinfo, COL_INFO, false);
  const bool is_told = has_data(command) && dissect_data(datagram, command, known, tree, item, is_handed_on);
  col_set_writable(pinfo->cinfo, COL_INFO, true);
  if (!is_told) {
    tell(pinfo, index, text);
  } else {
    tell(pinfo, index, wmem_strdup_printf(pinfo->pool, " [%s]", describe_message(pinfo->pool, command, false)));
  }
}

void dissect_commands(const Datagram &datagram, proto_item *item) {
  const godot_codec::EnetCommandRun &run = datagram.read->run;
  packet_info *pinfo = datagram.pinfo;
  std::size_t index = 0;
  for (const EnetCommand &command : datagram.read->commands) dissect_command(datagram, command, index++);
  if (run.padding.length > 0) {
    proto_tree_add_item(datagram.tree, enet_fields.padding, datagram.commands, static_cast<int>(run.padding.offset), -1,
                        ENC_NA);
  }
  if (run.undecoded.length > 0) {
    draw_failure(datagram, static_cast<int>(run.undecoded.offset), run.outcome);
    tell(pinfo, index, index > 0 ? ", [undecoded]" : "[undecoded]");
    sum_up(datagram, index, "[undecoded]");
  }
  if (datagram.read->commands_bytes.reported == 0) {
    tell(pinfo, 0, "No command");
    sum_up(datagram, 0, "No command");
  }
  if (index > max_told_commands) {
    const auto more = static_cast<unsigned>(index - max_told_commands);
    col_append_fstr(pinfo->cinfo, COL_INFO, ", %u more", more);
    if (datagram.summary != nullptr) wmem_strbuf_append_printf(datagram.summary, ", %u more", more);
  }
  if (index > godot_codec::enet_max_commands) expert_add_info(pinfo, item, &enet_experts.limit);
}

// CRC-32 of the header, with the connect id in the checksum's place, and the commands without compression. ENet's host
// writes 0 there while its peer has no slot yet.
std::uint32_t compute_checksum(const Datagram &datagram, Bytes whole) {
  const std::size_t plain = datagram.read->header.size - sizeof datagram.read->header.checksum;
  const std::uint32_t key = datagram.read->header.peer_id == godot_codec::enet_no_peer ? 0 : datagram.known->connect_id;
  const std::uint8_t key_bytes[] = {static_cast<std::uint8_t>(key >> 24), static_cast<std::uint8_t>(key >> 16),
                                    static_cast<std::uint8_t>(key >> 8), static_cast<std::uint8_t>(key)};
  const Bytes commands = datagram.read->commands_bytes;
  uLong sum = crc32(0, whole.data, static_cast<uInt>(plain));
  sum = crc32(sum, key_bytes, sizeof key_bytes);
  if (commands.captured > 0) sum = crc32(sum, commands.data, static_cast<uInt>(commands.captured));
  return static_cast<std::uint32_t>(sum);
}

void draw_checksum(tvbuff_t *tvb, const Datagram &datagram, Bytes whole) {
  const EnetHeader &header = datagram.read->header;
  const bool has_key = header.peer_id == godot_codec::enet_no_peer || datagram.known->is_connect_id_known;
  const bool can_verify = has_key && whole.captured == whole.reported && datagram.read->is_readable;
  const std::uint32_t computed = can_verify ? compute_checksum(datagram, whole) : std::uint32_t{0};
  proto_tree_add_checksum(datagram.tree, tvb, static_cast<unsigned>(header.size - sizeof header.checksum),
                          enet_fields.checksum, enet_fields.checksum_status, &enet_experts.checksum, datagram.pinfo,
                          computed, ENC_BIG_ENDIAN, can_verify ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
}

void draw_header(tvbuff_t *tvb, proto_tree *tree, const EnetHeader &header) {
  proto_tree_add_item(tree, enet_fields.has_sent_time, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.compressed, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.session, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.peer_id, tvb, 0, 2, ENC_BIG_ENDIAN);
  if (header.has_sent_time) proto_tree_add_uint(tree, enet_fields.sent_time, tvb, 2, 2, header.sent_time);
}

// The captured bytes behind the header, if there are any.
proto_item *draw_compressed(tvbuff_t *tvb, const Datagram &datagram, proto_item *otherwise) {
  const EnetDatagram &read = *datagram.read;
  if (read.payload.captured == 0) return otherwise;
  return proto_tree_add_item(datagram.tree, enet_fields.compressed_bytes, tvb, static_cast<int>(read.header.size),
                             static_cast<int>(read.payload.captured), ENC_NA);
}

// Compressed commands that nobody can read. @param size the item that says how many bytes they are
void draw_unreadable(tvbuff_t *tvb, const Datagram &datagram, proto_item *size) {
  proto_item *item = draw_compressed(tvb, datagram, size);
  switch (datagram.read->outcome) {
    case Outcome::truncated:
      expert_add_info_format(datagram.pinfo, item, &enet_experts.truncated,
                             "The capture holds only the beginning of the compressed commands");
      break;
    case Outcome::malformed:
      expert_add_info_format(datagram.pinfo, item, &enet_experts.malformed, "Compressed commands, but no byte of them");
      break;
    default:
      expert_add_info_format(datagram.pinfo, item, &enet_experts.unsupported,
                             "Compressed in a way that was not recognised; see the preference enet.compression");
      break;
  }
  const char *text = wmem_strdup_printf(datagram.pinfo->pool, "Compressed (%u bytes)", tvb_reported_length(tvb));
  tell(datagram.pinfo, 0, text);
  sum_up(datagram, 0, text);
}

// The commands as a data source of their own.
tvbuff_t *draw_decompressed(tvbuff_t *tvb, const Datagram &datagram) {
  const EnetDatagram &read = *datagram.read;
  const auto size = static_cast<unsigned>(read.commands_bytes.captured);
  proto_item_set_generated(proto_tree_add_uint(datagram.tree, enet_fields.decompressed_size, tvb, 0, 0, size));
  proto_item_set_generated(proto_tree_add_string(datagram.tree, enet_fields.compression, tvb, 0, 0,
                                                 godot_codec::compression_name(read.compression).data()));
  draw_compressed(tvb, datagram, nullptr);
  tvbuff_t *result = tvb_new_child_real_data(tvb, read.commands_bytes.data, size, static_cast<int>(size));
  add_new_data_source(datagram.pinfo, result, "Decompressed ENet");
  return result;
}

// @returns the commands without compression; null if they cannot be read
tvbuff_t *uncompressed_commands(tvbuff_t *tvb, const Datagram &datagram) {
  const EnetDatagram &read = *datagram.read;
  if (!read.header.is_compressed) return tvb_new_subset_remaining(tvb, static_cast<int>(read.header.size));
  proto_item *size = proto_tree_add_uint(datagram.tree, enet_fields.payload_size, tvb, 0, 0,
                                         static_cast<std::uint32_t>(read.payload.reported));
  proto_item_set_generated(size);
  if (read.is_readable) return draw_decompressed(tvb, datagram);
  draw_unreadable(tvb, datagram, size);
  return nullptr;
}

void draw_header_failure(packet_info *pinfo, proto_item *item, Outcome outcome) {
  const bool is_cut = outcome == Outcome::truncated;
  const char *mark = is_cut ? "[truncated]" : "[malformed]";
  expert_add_info(pinfo, item, is_cut ? &enet_experts.truncated : &enet_experts.malformed);
  col_set_str(pinfo->cinfo, COL_INFO, mark);
  proto_item_append_text(item, ": %s", mark);
}

// Where the datagram goes; of the last one, how the connection fared.
void draw_life(tvbuff_t *tvb, const Datagram &datagram, const EnetConnection &connection) {
  packet_info *pinfo = datagram.pinfo;
  proto_item_set_generated(
      proto_tree_add_boolean(datagram.tree, enet_fields.to_server, tvb, 0, 0, is_to_server(pinfo, connection) ? 1 : 0));
  if (!PINFO_FD_VISITED(pinfo) || datagram.known->moment != connection.facts.last) return;
  proto_item_set_generated(
      proto_tree_add_string(datagram.tree, enet_fields.end, tvb, 0, 0, describe_end(pinfo, connection)));
  draw_time(datagram.tree, tvb, enet_fields.longest_silence, longest_silence(connection));
}

// Which connection the datagram belongs to, and whether it was seen before.
void draw_connection(tvbuff_t *tvb, const Datagram &datagram, proto_item *item) {
  const EnetFindings &known = *datagram.known;
  if (known.connection != nullptr) {
    proto_item_set_generated(
        proto_tree_add_uint(datagram.tree, enet_fields.stream, tvb, 0, 0, known.connection->stream));
  }
  if (known.connection != nullptr) draw_life(tvb, datagram, *known.connection);
  if (known.duplicate_of.packet == 0) return;
  draw_link(datagram.tree, tvb, enet_fields.duplicate_of, known.duplicate_of.packet);
  expert_add_info(datagram.pinfo, item, &enet_experts.duplicate);
}

void dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, const EnetDatagram &read) {
  const Bytes whole = bytes_of(tvb);
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
  col_clear(pinfo->cinfo, COL_INFO);
  proto_item *item = proto_tree_add_item(root, proto_enet, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, enet_subtrees.packet);
  if (read.header.outcome != Outcome::ok) {
    count_enet_datagram(pinfo, whole.reported, read, {});
    draw_header_failure(pinfo, item, read.header.outcome);
    return;
  }
  const EnetFindings known = take_enet(proto_enet, pinfo, whole, read);
  Datagram datagram{pinfo, root, tree, &read, &known, nullptr, nullptr};
  if (item != nullptr) datagram.summary = wmem_strbuf_new(pinfo->pool, "");
  if (counts(datagram)) tap_datagram(pinfo);
  count_enet_datagram(pinfo, whole.reported, read, known);
  draw_header(tvb, tree, read.header);
  draw_connection(tvb, datagram, item);
  datagram.commands = uncompressed_commands(tvb, datagram);
  if (read.header.has_checksum) draw_checksum(tvb, datagram, whole);
  if (datagram.commands != nullptr) dissect_commands(datagram, item);
  if (item != nullptr) proto_item_append_text(item, "%s", wmem_strbuf_get_str(datagram.summary));
}

// ---- registration

void register_preferences() {
  static const enum_val_t compressions[] = {
      {"auto", "Automatic", compression_auto},
      {"none", "None", compression_first + static_cast<int>(Compression::none)},
      {"range_coder", "Range coder", compression_first + static_cast<int>(Compression::range_coder)},
      {"fastlz", "FastLZ", compression_first + static_cast<int>(Compression::fastlz)},
      {"zlib", "zlib", compression_first + static_cast<int>(Compression::zlib)},
      {"zstd", "Zstandard", compression_first + static_cast<int>(Compression::zstd)},
      {nullptr, nullptr, 0}};
  module_t *module = prefs_register_protocol(proto_enet, nullptr);
  prefs_register_enum_preference(module, "compression", "Compression",
                                 "How compressed datagrams are compressed, which the wire does not say. Automatic "
                                 "tries what fits.",
                                 &pref_compression, compressions, false);
  prefs_register_bool_preference(module, "checksum", "Datagrams have a checksum",
                                 "The game's hosts were told to use checksums. Without this, it is recognised. Godot "
                                 "never does.",
                                 &pref_checksum);
}

// Decode As: by the port of the connection's server.
std::uint32_t server_port_of_connection(packet_info *pinfo) {
  const EnetConnection *connection = enet_connection(proto_enet, pinfo);
  return connection == nullptr ? 0 : connection->server_port;
}

void label_port(packet_info *pinfo, char *text) {
  constexpr std::size_t label_size = MAX_DECODE_AS_PROMPT_LEN;
  g_snprintf(text, label_size, "ENet server port %u as", server_port_of_connection(pinfo));
}

void *value_of_port(packet_info *pinfo) { return GUINT_TO_POINTER(server_port_of_connection(pinfo)); }

void register_decode_as_port() {
  static build_valid_func build_values[] = {value_of_port};
  static decode_as_value_t values = {label_port, 1, build_values};
  static decode_as_t by_port = {"enet",
                                "enet.port",
                                1,
                                0,
                                &values,
                                nullptr,
                                nullptr,
                                decode_as_default_populate_list,
                                decode_as_default_reset,
                                decode_as_default_change,
                                nullptr};
  register_decode_as(&by_port);
}

}  // namespace

EnetDatagram read_stranger(tvbuff_t *tvb, packet_info *pinfo, bool may_decompress) {
  EnetExpectation told = told_by_user();
  told.may_decompress = may_decompress;
  return read_enet(proto_enet, pinfo, bytes_of(tvb), told);
}

int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  const Bytes whole = bytes_of(tvb);
  if (whole.reported == 0) return 0;
  dissect_datagram(tvb, pinfo, tree, read_enet(proto_enet, pinfo, whole, told_by_user()));
  return static_cast<int>(whole.captured);
}

void register_enet() {
  proto_enet = proto_register_protocol("ENet Protocol", "ENet", "enet");
  register_enet_fields(proto_enet);
  register_preferences();
  register_enet_state();
  port_table = register_dissector_table("enet.port", "ENet server port", proto_enet, FT_UINT16, BASE_DEC);
  heuristics = register_heur_dissector_list("enet", proto_enet);
  register_decode_as_port();
  register_enet_stats(proto_enet);
  register_dissector("enet", dissect_enet, proto_enet);
}

}  // namespace godot_plugin
