// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/packet-enet.h"

#include <zlib.h>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/enet/datagram_reader.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/rules.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/icmp.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/tvb.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::Confidence;
using godot_codec::EnetDatagram;
using godot_codec::EnetDatagramFindings;
using godot_codec::EnetExpectedFormat;
using godot_codec::EnetHeader;
using godot_codec::Outcome;

int proto_enet = -1;

// ---- preferences

enum CompressionPreference { compression_auto, compression_first };

int pref_compression = compression_auto;
ws_bool pref_checksum = false;

// Returns the user's preferences for reading datagrams.
EnetExpectedFormat configured_expectation() {
  EnetExpectedFormat configured;
  configured.has_checksum = configured.is_checksum_configured = pref_checksum != 0;
  configured.is_compression_configured = pref_compression != compression_auto;
  if (configured.is_compression_configured)
    configured.compression = static_cast<Compression>(pref_compression - compression_first);
  return configured;
}

// ---- datagrams

// Computes the CRC-32 of the header, with the connect ID in place of the checksum, and of the decompressed commands.
// ENet uses 0 as the connect ID while the peer has no slot yet.
std::uint32_t compute_checksum(const DatagramDissection &datagram, Bytes whole) {
  const std::size_t plain = datagram.contents->header.offset - sizeof datagram.contents->header.checksum;
  const std::uint32_t key =
      datagram.contents->header.peer_id == godot_codec::enet_no_peer ? 0 : datagram.findings->connect_id;
  const std::uint8_t key_bytes[] = {static_cast<std::uint8_t>(key >> 24), static_cast<std::uint8_t>(key >> 16),
                                    static_cast<std::uint8_t>(key >> 8), static_cast<std::uint8_t>(key)};
  const Bytes commands = datagram.contents->commands_bytes;
  uLong sum = crc32(0, whole.data, static_cast<uInt>(plain));
  sum = crc32(sum, key_bytes, sizeof key_bytes);
  if (commands.captured > 0) sum = crc32(sum, commands.data, static_cast<uInt>(commands.captured));
  return static_cast<std::uint32_t>(sum);
}

void add_checksum_items(tvbuff_t *tvb, const DatagramDissection &datagram, Bytes whole, proto_item *item) {
  const EnetHeader &header = datagram.contents->header;
  const bool has_key = header.peer_id == godot_codec::enet_no_peer || datagram.findings->is_connect_id_known;
  const bool can_verify = has_key && whole.captured == whole.reported && datagram.contents->is_readable;
  const std::uint32_t computed = can_verify ? compute_checksum(datagram, whole) : std::uint32_t{0};
  proto_tree_add_checksum(datagram.tree, tvb, static_cast<unsigned>(header.offset - sizeof header.checksum),
                          enet_fields.checksum, enet_fields.checksum_status, &enet_experts.checksum, datagram.pinfo,
                          computed, ENC_BIG_ENDIAN, can_verify ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
  // proto_tree_add_checksum() has already added the expert item.
  if (can_verify && computed != header.checksum)
    report_finding(datagram.pinfo, item, {.expert = &enet_experts.checksum});
}

void add_header_items(tvbuff_t *tvb, proto_tree *tree, const EnetHeader &header) {
  if (tree == nullptr) return;
  proto_tree_add_item(tree, enet_fields.has_sent_time, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.compressed, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.session, tvb, 0, 1, ENC_NA);
  proto_tree_add_item(tree, enet_fields.peer_id, tvb, 0, 2, ENC_BIG_ENDIAN);
  if (header.has_sent_time) proto_tree_add_uint(tree, enet_fields.sent_time, tvb, 2, 2, header.sent_time);
}

// Adds the captured compressed bytes after the header. @returns their item; @p otherwise if no byte was captured
proto_item *add_compressed_item(tvbuff_t *tvb, const DatagramDissection &datagram, proto_item *otherwise) {
  const EnetDatagram &read = *datagram.contents;
  if (read.payload.captured == 0) return otherwise;
  return add_captured(datagram.tree, enet_fields.compressed_bytes, tvb, range_from(tvb, read.header.offset));
}

// Shows compressed commands that cannot be decompressed. @param size the item with their size in bytes
void add_undecompressed_items(tvbuff_t *tvb, const DatagramDissection &datagram, proto_item *size) {
  proto_item *item = add_compressed_item(tvb, datagram, size);
  if (datagram.contents->outcome == Outcome::truncated) {
    add_truncated_expert(datagram.pinfo, item, &enet_experts.truncated, "the compressed commands");
  } else if (datagram.contents->outcome == Outcome::malformed) {
    add_expert(datagram.pinfo, item, &enet_experts.malformed, "A datagram is compressed, but contains no data");
  } else {
    add_problem(
        datagram.pinfo, item,
        {.expert = &enet_experts.unsupported,
         .text = "The datagrams use an unknown compression",
         .advice =
             "Set Edit > Preferences > Protocols > ENet > Compression to the mode that the game passes to ENetConnection.compress()."});
  }
  const char *text = wmem_strdup_printf(datagram.pinfo->pool, "Compressed (%u bytes)", tvb_reported_length(tvb));
  add_info_text(datagram, 0, text);
  add_to_summary(datagram, 0, text);
}

// Adds the decompressed commands as a new data source. @returns its tvb
tvbuff_t *add_decompressed_items(tvbuff_t *tvb, const DatagramDissection &datagram) {
  const EnetDatagram &read = *datagram.contents;
  const auto size = static_cast<unsigned>(read.commands_bytes.captured);
  if (datagram.tree != nullptr) {
    proto_item_set_generated(proto_tree_add_uint(datagram.tree, enet_fields.decompressed_size, tvb, 0, 0, size));
    proto_item_set_generated(proto_tree_add_string(datagram.tree, enet_fields.compression, tvb, 0, 0,
                                                   godot_codec::compression_name(read.compression).data()));
    add_compressed_item(tvb, datagram, nullptr);
  }
  tvbuff_t *result = tvb_new_child_real_data(tvb, read.commands_bytes.data, size, static_cast<int>(size));
  add_new_data_source(datagram.pinfo, result, "Decompressed ENet");
  return result;
}

// Returns the commands without compression, and adds their items. @returns null if they cannot be decompressed
tvbuff_t *add_uncompressed_commands(tvbuff_t *tvb, const DatagramDissection &datagram) {
  const EnetDatagram &read = *datagram.contents;
  if (!read.header.is_compressed) return subset_of(tvb, range_from(tvb, read.header.offset));
  proto_item *size = proto_tree_add_uint(datagram.tree, enet_fields.payload_size, tvb, 0, 0,
                                         static_cast<std::uint32_t>(read.payload.reported));
  proto_item_set_generated(size);
  if (read.is_readable) return add_decompressed_items(tvb, datagram);
  add_undecompressed_items(tvb, datagram, size);
  return nullptr;
}

void add_header_problem(packet_info *pinfo, proto_item *item, Outcome outcome) {
  const bool is_cut = outcome == Outcome::truncated;
  const char *mark = is_cut ? "[truncated]" : "[malformed]";
  if (is_cut) {
    add_truncated_expert(pinfo, item, &enet_experts.truncated, "the datagram");
  } else {
    add_expert(pinfo, item, &enet_experts.malformed);
  }
  col_set_str(pinfo->cinfo, COL_INFO, mark);
  set_protocol_label(item, proto_enet, mark);
}

// Reports a vanished side once: on the datagram where the other side begins to retransmit without an answer. Later
// datagrams get a link to the first unanswered retransmission or ICMP error.
void add_peer_gone_items(tvbuff_t *tvb, const DatagramDissection &datagram, const EnetConnection &connection,
                         proto_item *item) {
  const godot_codec::EnetVanishedSide gone = godot_codec::find_vanished_side(connection);
  if (!gone.has_vanished || datagram.findings->position < gone.first_sign) return;
  // If the connection was never established, the missing answers do not mean that the other side vanished.
  if (godot_codec::find_connect_problem(connection) != godot_codec::ConnectProblem::none) return;
  if (datagram.findings->position == gone.first_repeated && is_outside_icmp_error(datagram.pinfo)) {
    add_connection_problem(datagram, item, find_peer_gone(datagram.pinfo, connection));
  } else {
    add_frame_link(datagram.tree, enet_fields.after_peer_gone, tvb, gone.first_sign.packet);
  }
}

// Reports losses and delays of a connection's messages, when the connection ends.
void report_losses(const DatagramDissection &datagram, const EnetConnection &connection, proto_item *item) {
  packet_info *pinfo = datagram.pinfo;
  if (!is_counted(datagram)) return;
  for (const unsigned sender : {0U, 1U}) {
    const bool is_forward = sender == direction_of(pinfo);
    const char *source = endpoint_text(pinfo->pool, pinfo->src, pinfo->srcport);
    const char *destination = endpoint_text(pinfo->pool, pinfo->dst, pinfo->destport);
    for (const EnetEndRule rule : enet_end_rules()) {
      Finding finding = rule(pinfo, connection, sender);
      if (finding.expert == nullptr) continue;
      finding.from = is_forward ? source : destination;
      finding.to = is_forward ? destination : source;
      add_connection_problem(datagram, item, finding);
    }
  }
}

// Adds a link to the frame of the disconnect, if an ICMP error quotes a datagram that was sent after the disconnect.
// The side that disconnected had already closed its socket.
void add_after_disconnect_link(tvbuff_t *tvb, const DatagramDissection &datagram, const EnetConnection &connection) {
  const godot_codec::EnetConnectionEnd &end = connection.facts.end;
  const bool is_quote = !is_outside_icmp_error(datagram.pinfo);
  if (!is_quote || end.kind != godot_codec::EnetConnectionEndKind::disconnected) return;
  if (end.position.packet < datagram.pinfo->num) {
    add_frame_link(datagram.tree, enet_fields.after_disconnect, tvb, end.position.packet);
  }
}

// Adds the connection and the direction of the datagram. On the connection's last datagram, also adds how the
// connection ended.
void add_connection_state_items(tvbuff_t *tvb, const DatagramDissection &datagram, const EnetConnection &connection,
                                proto_item *item) {
  packet_info *pinfo = datagram.pinfo;
  if (datagram.tree != nullptr) {
    proto_item_set_generated(proto_tree_add_uint(datagram.tree, enet_fields.stream, tvb, 0, 0, connection.stream));
    proto_item_set_generated(proto_tree_add_boolean(datagram.tree, enet_fields.to_server, tvb, 0, 0,
                                                    is_to_server(pinfo, connection) ? 1 : 0));
  }
  add_after_disconnect_link(tvb, datagram, connection);
  if (!PINFO_FD_VISITED(pinfo)) return;
  add_peer_gone_items(tvb, datagram, connection, item);
  if (datagram.findings->position != connection.facts.last_datagram) return;
  proto_item_set_generated(
      proto_tree_add_string(datagram.tree, enet_fields.end, tvb, 0, 0, describe_connection_end(pinfo, connection)));
  add_duration(datagram.tree, enet_fields.longest_silence, tvb, longest_silence(connection));
  report_losses(datagram, connection, item);
}

// Adds the sender's frame interval, if the datagram shows it.
void add_frame_time_items(tvbuff_t *tvb, const DatagramDissection &datagram, const EnetConnection &connection,
                          proto_item *item) {
  const std::int64_t time = datagram.findings->frame_time;
  if (time == 0) return;
  add_duration(datagram.tree, enet_fields.frame_time, tvb, time);
  const Finding finding = is_counted(datagram) ? find_slow_frames(datagram.pinfo, connection, time) : Finding{};
  if (finding.expert != nullptr) add_connection_problem(datagram, item, finding);
}

// Adds the connection of the datagram, and marks a duplicate.
void add_connection_items(tvbuff_t *tvb, const DatagramDissection &datagram, proto_item *item) {
  const EnetDatagramFindings &known = *datagram.findings;
  if (known.connection != nullptr) {
    add_connection_state_items(tvb, datagram, *known.connection, item);
    add_frame_time_items(tvb, datagram, *known.connection, item);
  }
  const bool is_over_limit = known.position.packet != 0 && known.position == enet_session().first_over_memory_limit();
  if (is_over_limit) add_expert(datagram.pinfo, item, &enet_experts.over_memory_limit);
  if (known.duplicate_of.packet == 0) return;
  add_frame_link(datagram.tree, enet_fields.duplicate_of, tvb, known.duplicate_of.packet);
  add_expert(datagram.pinfo, item, &enet_experts.duplicate);
}

void dissect_datagram(tvbuff_t *tvb, Bytes whole, EnetPacket &packet, proto_tree *root, const EnetDatagram &read) {
  packet_info *pinfo = packet.pinfo;
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
  col_clear(pinfo->cinfo, COL_INFO);
  proto_item *item = add_protocol_item(root, proto_enet, tvb);
  proto_tree *tree = tree_if_needed(proto_item_add_subtree(item, enet_subtrees.packet), proto_enet);
  if (read.header.outcome != Outcome::ok) {
    count_enet_datagram(pinfo, whole.reported, read, {});
    add_header_problem(pinfo, item, read.header.outcome);
    return;
  }
  const EnetDatagramFindings known = process_enet_datagram(packet, whole, read);
  char memory[COL_MAX_INFO_LEN];
  godot_codec::TextBuffer info(memory);
  DatagramDissection datagram{
      pinfo, root, tree, &packet, &read, &known, nullptr, nullptr, is_info_column_shown(pinfo) ? &info : nullptr};
  if (is_visible(tree)) datagram.summary = wmem_strbuf_new(pinfo->pool, "");
  if (is_counted(datagram)) tap_datagram(pinfo);
  count_enet_datagram(pinfo, whole.reported, read, known);
  add_header_items(tvb, tree, read.header);
  add_connection_items(tvb, datagram, item);
  datagram.commands = add_uncompressed_commands(tvb, datagram);
  if (read.header.has_checksum) add_checksum_items(tvb, datagram, whole, item);
  if (datagram.commands != nullptr) dissect_commands(datagram, item);
  write_info(datagram);
  if (datagram.summary != nullptr) set_protocol_label(item, proto_enet, wmem_strbuf_get_str(datagram.summary));
}

// Shows a datagram of another program between the ports of the connection, because it may explain a missing answer.
void dissect_foreign_datagram(tvbuff_t *tvb, Bytes whole, EnetPacket &packet, proto_tree *root,
                              const EnetDatagram &read) {
  packet_info *pinfo = packet.pinfo;
  if (read.header.outcome == Outcome::ok) static_cast<void>(process_enet_datagram(packet, whole, read));
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "ENet");
  const unsigned size = tvb_reported_length(tvb);
  const char *text = wmem_strdup_printf(pinfo->pool, "Not ENet (%u byte%s)", size, size == 1 ? "" : "s");
  col_set_str(pinfo->cinfo, COL_INFO, text);
  proto_item *item = add_protocol_item(root, proto_enet, tvb);
  proto_item_append_text(item, ": %s", text);
  add_expert(pinfo, item, &enet_experts.not_enet);
  call_data_dissector(tvb, pinfo, root);
}

}  // namespace

EnetDatagram read_undetected_enet(Bytes datagram, packet_info *pinfo, bool may_decompress) {
  EnetExpectedFormat configured = configured_expectation();
  configured.may_decompress = may_decompress;
  PacketMemory memory(pinfo);
  return godot_codec::read_enet_datagram(datagram, configured, memory);
}

int dissect_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  dissect_detected_enet(tvb, pinfo, tree, nullptr);
  return static_cast<int>(tvb_captured_length(tvb));
}

Confidence dissect_detected_enet(tvbuff_t *datagram, packet_info *pinfo, proto_tree *tree,
                                 conversation_t *conversation) {
  tvbuff_t *tvb = with_original_length(datagram, pinfo);
  const Bytes whole = bytes_of(tvb);
  EnetPacket packet = find_enet_packet(pinfo, conversation);
  const EnetDatagram read = read_enet(packet, whole, configured_expectation());
  if (packet.hosts != nullptr && godot_codec::EnetSession::is_foreign(*packet.hosts, packet.sender, whole, read)) {
    dissect_foreign_datagram(tvb, whole, packet, tree, read);
    return Confidence::none;
  }
  dissect_datagram(tvb, whole, packet, tree, read);
  // A game's calls outweigh damaged datagrams between them (tests/data/damaged_pong.pcapng).
  return packet.state->has_proven_game ? Confidence::strong : godot_codec::enet_evidence(read).confidence;
}

void register_enet() {
  proto_enet = proto_register_protocol("ENet Protocol", "ENet", "enet");
  begin_port_preferences(prefs_register_protocol(proto_enet, nullptr));
  register_enet_messages(proto_enet);
  register_enet_taps(proto_enet);
  register_dissector("enet", guarded<dissect_enet>, proto_enet);
}

void register_advanced_enet_preferences() {
  static const enum_val_t compressions[] = {
      {"auto", "Automatic", compression_auto},
      {"none", "None", compression_first + static_cast<int>(Compression::none)},
      {"range_coder", "Range coder", compression_first + static_cast<int>(Compression::range_coder)},
      {"fastlz", "FastLZ", compression_first + static_cast<int>(Compression::fastlz)},
      {"zlib", "zlib", compression_first + static_cast<int>(Compression::zlib)},
      {"zstd", "Zstandard", compression_first + static_cast<int>(Compression::zstd)},
      {nullptr, nullptr, 0}};
  module_t *module = begin_advanced_preferences("enet");
  prefs_register_enum_preference(
      module, "compression", "Compression",
      "Compression of the datagrams, which they do not contain. Set it if datagrams are not decoded. Automatic: detected from the datagrams.",
      &pref_compression, compressions, false);
  prefs_register_bool_preference(module, "checksum", "Datagrams contain a checksum",
                                 "The hosts use checksums, which Godot never enables. Set it if this is not detected.",
                                 &pref_checksum);
}

}  // namespace godot_plugin
