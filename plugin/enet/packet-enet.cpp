// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/packet-enet.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "godot-codec/enet/compression.h"
#include "godot-codec/recognise/evidence.h"
#include "godot-codec/variant/text.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/state.h"
#include "plugin/enet/stats.h"
#include "plugin/epan/decisions.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/recogniser.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/godot/draw.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;
using godot_codec::EnetDatagram;
using godot_codec::EnetExpectation;
using godot_codec::EnetField;
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
reassembly_table messages;

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
  const EnetFrame *frame;
  tvbuff_t *commands;  // without their compression
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
const char *describe_control(wmem_allocator_t *pool, const EnetCommand &command, const EnetCommandAnalysis *analysis) {
  const bool is_timed = analysis != nullptr && analysis->acknowledged != nullptr;
  const double rtt = is_timed ? milliseconds(analysis->round_trip_time) : 0;
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

// Hands a message to whoever takes it; what nobody takes is data.
bool dissect_message(const Datagram &datagram, const EnetCommand &command, tvbuff_t *message) {
  packet_info *pinfo = datagram.pinfo;
  if (tvb_reported_length(message) == 0) return false;
  tap_message(pinfo, message);
  // What the commands before this one have told stays.
  col_set_fence(pinfo->cinfo, COL_INFO);
  EnetMessage told{datagram.frame->connection, next_in_frame(proto_enet, pinfo, Decided::packet), command.channel,
                   command.is(EnetCommandType::send_unreliable_fragment)};
  if (ws_try_port(port_table, told.connection->server_port, message, pinfo, datagram.root, &told) > 0) return true;
  heur_dtbl_entry_t *entry = nullptr;
  if (dissector_try_heuristic(heuristics, message, pinfo, datagram.root, &entry, &told)) return true;
  call_data_dissector(message, pinfo, datagram.root);
  return false;
}

// The whole message that a fragment completes; null if it does not.
tvbuff_t *reassemble(const Datagram &datagram, const EnetCommand &command, const EnetCommandAnalysis *analysis,
                     proto_tree *tree) {
  const int offset = static_cast<int>(command.data.offset);
  const auto length = static_cast<std::uint32_t>(command.data.length);
  const bool is_captured = command.outcome == Outcome::ok;
  if (analysis == nullptr || analysis->message_id == 0 || !is_captured || length == 0) return nullptr;
  const std::uint32_t position = command.value(EnetField::fragment_offset);
  const bool has_more = position + length < command.value(EnetField::fragment_total_length);
  fragment_head *head = fragment_add_check(&messages, datagram.commands, offset, datagram.pinfo, analysis->message_id,
                                           nullptr, position, length, has_more);
  return process_reassembled_data(datagram.commands, offset, datagram.pinfo, "Reassembled ENet message", head,
                                  &enet_fragment_items, nullptr, tree);
}

// A command's user data. @returns whether somebody read the message, and told so in the Info column
bool dissect_data(const Datagram &datagram, const EnetCommand &command, const EnetCommandAnalysis *analysis,
                  proto_tree *tree, bool is_handed_on) {
  const int offset = static_cast<int>(command.data.offset);
  const int length = static_cast<int>(command.data.length);
  const int captured = std::max(std::min(length, tvb_captured_length_remaining(datagram.commands, offset)), 0);
  proto_tree_add_item(tree, enet_fields.data, datagram.commands, offset, captured, ENC_NA);
  if (!is_handed_on) return false;
  if (command.is_fragment()) {
    tvbuff_t *whole = reassemble(datagram, command, analysis, tree);
    return whole != nullptr && dissect_message(datagram, command, whole);
  }
  return dissect_message(datagram, command, tvb_new_subset_length_caplen(datagram.commands, offset, captured, length));
}

void draw_link(proto_tree *tree, tvbuff_t *tvb, int hf, std::uint32_t frame) {
  proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, frame));
}

void draw_acknowledged(const Datagram &datagram, const EnetCommandAnalysis &analysis, proto_tree *tree) {
  if (analysis.acknowledged == nullptr) return;
  draw_link(tree, datagram.commands, enet_fields.ack_to, analysis.acknowledged->command.frame);
  nstime_t rtt;
  rtt.secs = static_cast<time_t>(analysis.round_trip_time / godot_codec::nanoseconds_per_second);
  rtt.nsecs = static_cast<int>(analysis.round_trip_time % godot_codec::nanoseconds_per_second);
  proto_item_set_generated(proto_tree_add_time(tree, enet_fields.rtt, datagram.commands, 0, 0, &rtt));
}

void draw_transmission(const Datagram &datagram, const EnetCommandAnalysis &analysis, proto_tree *tree,
                       proto_item *item) {
  const godot_codec::Transmission *transmission = analysis.transmission;
  if (transmission == nullptr) return;
  if (transmission->is_retransmission()) {
    proto_item *again =
        proto_tree_add_boolean(tree, enet_fields.retransmission, datagram.commands, 0, 0, std::uint64_t{1});
    proto_item_set_generated(again);
    draw_link(tree, datagram.commands, enet_fields.retransmission_of, transmission->original->command.frame);
    expert_add_info(datagram.pinfo, item, &enet_experts.retransmission);
  }
  // Later frames are known from the second pass on.
  if (!PINFO_FD_VISITED(datagram.pinfo)) return;
  if (transmission->acked_in != 0) {
    draw_link(tree, datagram.commands, enet_fields.acked_in, transmission->acked_in);
  } else if (datagram.frame->connection->tracker->is_unacknowledged(*transmission)) {
    expert_add_info(datagram.pinfo, item, &enet_experts.unacknowledged);
  }
}

void draw_analysis(const Datagram &datagram, const EnetCommandAnalysis &analysis, proto_tree *tree, proto_item *item) {
  draw_acknowledged(datagram, analysis, tree);
  draw_transmission(datagram, analysis, tree, item);
  if (analysis.missing == 0) return;
  tvbuff_t *tvb = datagram.commands;
  proto_item_set_generated(proto_tree_add_uint(tree, enet_fields.missing, tvb, 0, 0, analysis.missing));
  proto_item_set_generated(proto_tree_add_uint64(tree, enet_fields.all_missing, tvb, 0, 0, analysis.all_missing));
  expert_add_info_format(datagram.pinfo, item, &enet_experts.missing, "%u before this one missing or late",
                         analysis.missing);
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

void dissect_command(const Datagram &datagram, const EnetCommand &command, const EnetCommandAnalysis *analysis,
                     std::size_t index) {
  packet_info *pinfo = datagram.pinfo;
  proto_item *item = nullptr;
  proto_tree *tree = draw_command(datagram, command, &item);
  const bool is_repeated =
      analysis != nullptr && analysis->transmission != nullptr && analysis->transmission->is_retransmission();
  const char *text = has_data(command) ? describe_message(pinfo->pool, command, is_repeated)
                                       : describe_control(pinfo->pool, command, analysis);
  if (has_data(command)) {
    text = wmem_strdup_printf(pinfo->pool, "%s (%u bytes)", text, command.value(EnetField::data_length));
  }
  if (is_repeated && !has_data(command)) text = wmem_strdup_printf(pinfo->pool, "%s again", text);
  proto_item_set_text(item, "%s", text);
  if (analysis != nullptr) draw_analysis(datagram, *analysis, tree, item);
  if (const std::string_view fault = godot_codec::enet_fragment_fault(command); !fault.empty()) {
    // Phrases of the codec are literals: terminated.
    expert_add_info_format(pinfo, item, &enet_experts.malformed, "Fragment: %s", fault.data());
  }
  if (command.outcome != Outcome::ok) add_failure(pinfo, item, command.outcome, command.range.offset);
  if (index > 0) tell(pinfo, index, ", ");
  // What runs inside has seen a repeated message before, and would never see one that is cut.
  const bool is_whole = command.outcome == Outcome::ok || command.outcome == Outcome::truncated;
  const bool is_handed_on = has_data(command) && is_whole && !is_repeated && index < max_messages;
  if (index >= max_told_commands) col_set_writable(pinfo->cinfo, COL_INFO, false);
  const bool is_told = has_data(command) && dissect_data(datagram, command, analysis, tree, is_handed_on);
  col_set_writable(pinfo->cinfo, COL_INFO, true);
  if (!is_told) {
    tell(pinfo, index, text);
  } else {
    tell(pinfo, index, wmem_strdup_printf(pinfo->pool, " [%s]", describe_message(pinfo->pool, command, false)));
  }
}

void dissect_commands(const Datagram &datagram) {
  const godot_codec::EnetCommandRun &run = datagram.read->run;
  std::size_t index = 0;
  for (const EnetCommand &command : datagram.read->commands) {
    dissect_command(datagram, command,
                    index < datagram.frame->command_count ? &datagram.frame->commands[index] : nullptr, index);
    ++index;
  }
  if (run.padding.length > 0) {
    proto_tree_add_item(datagram.tree, enet_fields.padding, datagram.commands, static_cast<int>(run.padding.offset), -1,
                        ENC_NA);
  }
  if (run.undecoded.length > 0) {
    draw_failure(datagram, static_cast<int>(run.undecoded.offset), run.outcome);
    tell(datagram.pinfo, index, index > 0 ? ", [undecoded]" : "[undecoded]");
  }
  if (datagram.read->commands_bytes.reported == 0) tell(datagram.pinfo, 0, "No command");
  if (index > max_told_commands) {
    const auto more = static_cast<unsigned>(index - max_told_commands);
    col_append_fstr(datagram.pinfo->cinfo, COL_INFO, ", %u more", more);
  }
  if (index > godot_codec::enet_max_commands) {
    expert_add_info(datagram.pinfo, proto_tree_get_parent(datagram.tree), &enet_experts.limit);
  }
}

// CRC-32 of the header, with the connect id in the checksum's place, and the commands without compression.
std::uint32_t compute_checksum(const Datagram &datagram, Bytes whole) {
  const std::size_t plain = datagram.read->header.size - sizeof datagram.read->header.checksum;
  const std::uint32_t key = datagram.frame->checksum_key;
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
  const bool can_verify =
      datagram.frame->has_checksum_key && whole.captured == whole.reported && datagram.read->is_readable;
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

// Compressed commands that nobody can read.
void draw_unreadable(tvbuff_t *tvb, const Datagram &datagram) {
  const EnetDatagram &read = *datagram.read;
  proto_item *item = proto_tree_add_item(datagram.tree, enet_fields.compressed_bytes, tvb,
                                         static_cast<int>(read.header.size), -1, ENC_NA);
  const bool is_cut = read.outcome == Outcome::truncated;
  expert_add_info_format(datagram.pinfo, item, is_cut ? &enet_experts.truncated : &enet_experts.unsupported,
                         is_cut ? "The capture holds only the beginning of the compressed commands"
                                : "Compressed in a way that was not recognised; see the preference enet.compression");
  col_append_fstr(datagram.pinfo->cinfo, COL_INFO, "Compressed (%u bytes)", tvb_reported_length(tvb));
}

// The commands as a data source of their own.
tvbuff_t *draw_decompressed(tvbuff_t *tvb, const Datagram &datagram) {
  const EnetDatagram &read = *datagram.read;
  const auto size = static_cast<unsigned>(read.commands_bytes.captured);
  proto_item_set_generated(proto_tree_add_uint(datagram.tree, enet_fields.decompressed_size, tvb, 0, 0, size));
  proto_item_set_generated(proto_tree_add_string(datagram.tree, enet_fields.compression, tvb, 0, 0,
                                                 godot_codec::compression_name(read.compression).data()));
  proto_tree_add_item(datagram.tree, enet_fields.compressed_bytes, tvb, static_cast<int>(read.header.size), -1, ENC_NA);
  tvbuff_t *result = tvb_new_child_real_data(tvb, read.commands_bytes.data, size, static_cast<int>(size));
  add_new_data_source(datagram.pinfo, result, "Decompressed ENet");
  return result;
}

// @returns the commands without compression; null if they cannot be read
tvbuff_t *uncompressed_commands(tvbuff_t *tvb, const Datagram &datagram) {
  const EnetDatagram &read = *datagram.read;
  if (!read.header.is_compressed) return tvb_new_subset_remaining(tvb, static_cast<int>(read.header.size));
  proto_item_set_generated(proto_tree_add_uint(datagram.tree, enet_fields.payload_size, tvb, 0, 0,
                                               static_cast<std::uint32_t>(read.payload.reported)));
  if (read.is_readable) return draw_decompressed(tvb, datagram);
  draw_unreadable(tvb, datagram);
  return nullptr;
}

void dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, const EnetDatagram &read) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
  col_clear(pinfo->cinfo, COL_INFO);
  proto_item *item = proto_tree_add_item(root, proto_enet, tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, enet_subtrees.packet);
  if (read.header.outcome != Outcome::ok) {
    const bool is_cut = read.header.outcome == Outcome::truncated;
    expert_add_info(pinfo, item, is_cut ? &enet_experts.truncated : &enet_experts.malformed);
    col_set_str(pinfo->cinfo, COL_INFO, is_cut ? "[truncated]" : "[malformed]");
    return;
  }
  const EnetFrame *frame = analyse_enet(proto_enet, pinfo, read);
  Datagram datagram{pinfo, root, tree, &read, frame, nullptr};
  tap_datagram(pinfo, frame->connection->stream);
  draw_header(tvb, tree, read.header);
  proto_item_set_generated(proto_tree_add_uint(tree, enet_fields.stream, tvb, 0, 0, frame->connection->stream));
  datagram.commands = uncompressed_commands(tvb, datagram);
  if (read.header.has_checksum) draw_checksum(tvb, datagram, bytes_of(tvb));
  if (datagram.commands != nullptr) dissect_commands(datagram);
}

int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  const Bytes whole = bytes_of(tvb);
  if (whole.reported == 0) return 0;
  dissect_datagram(tvb, pinfo, tree, read_enet(proto_enet, pinfo, whole, told_by_user()));
  return static_cast<int>(whole.captured);
}

Recogniser recogniser;
dissector_handle_t enet_handle;

ws_bool recognise_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  const Bytes whole = bytes_of(tvb);
  std::optional<EnetDatagram> read;
  const auto judge = [&](const godot_codec::Recognition &known) {
    EnetExpectation told = told_by_user();
    told.may_decompress = !known.has_misfit;
    read = read_enet(proto_enet, pinfo, whole, told);
    godot_codec::Evidence evidence = godot_codec::enet_evidence(*read);
    // Each side has a slot of its own for the other.
    evidence.side = static_cast<std::uint8_t>(direction_of(pinfo));
    return evidence;
  };
  if (!recogniser.recognise(pinfo, enet_handle, judge) || whole.reported == 0) return false;
  dissect_datagram(tvb, pinfo, tree, read ? *read : read_enet(proto_enet, pinfo, whole, told_by_user()));
  return true;
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
void label_port(packet_info *pinfo, char *text) {
  constexpr std::size_t label_size = MAX_DECODE_AS_PROMPT_LEN;
  const EnetFrame *frame = find_enet_frame(proto_enet, pinfo);
  const std::uint32_t port = frame == nullptr ? 0 : frame->connection->server_port;
  g_snprintf(text, label_size, "ENet server port %u as", port);
}

void *value_of_port(packet_info *pinfo) {
  const EnetFrame *frame = find_enet_frame(proto_enet, pinfo);
  return GUINT_TO_POINTER(frame == nullptr ? 0 : frame->connection->server_port);
}

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

void register_enet() {
  proto_enet = proto_register_protocol("ENet Protocol", "ENet", "enet");
  register_enet_fields(proto_enet);
  register_preferences();
  register_enet_state();
  reassembly_table_register(&messages, &addresses_ports_reassembly_table_functions);
  port_table = register_dissector_table("enet.port", "ENet server port", proto_enet, FT_UINT16, BASE_DEC);
  heuristics = register_heur_dissector_list("enet", proto_enet);
  register_decode_as_port();
  register_enet_stats(proto_enet);
  recogniser.register_state();
  enet_handle = register_dissector("enet", dissect_enet, proto_enet);
}

void handoff_enet() {
  dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
  heur_dissector_add("udp", recognise_enet, "ENet over UDP", "enet_udp", proto_enet, HEURISTIC_ENABLE);
}

}  // namespace godot_plugin
