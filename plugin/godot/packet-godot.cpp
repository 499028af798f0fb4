// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/packet-godot.h"

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <utility>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/embedded/embedded_decoder.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/text_sink.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/custom_dissectors.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/peer_names.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/releases.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::Dialect;
using godot_codec::DialectFit;
using godot_codec::DialectHistory;
using godot_codec::DialectSet;
using godot_codec::Outcome;
using godot_codec::TextBuffer;
using godot_codec::WalkResult;

constexpr std::size_t max_info_size = 200;

// Encoding of Variants in custom payloads: Godot 4, unless the preferences set another dialect.
godot_codec::Encoding payload_encoding() { return {.dialect = preferred_dialect().value_or(Dialect::godot4)}; }

int proto_godot = -1;

// ---- State, written on the first pass only

ConversationState<DialectHistory> histories;
// Dialects of all conversations with a server, by the server's transport and port.
CaptureState<std::map<std::uint32_t, DialectHistory>> servers;

DialectHistory &dialects_of_server(const packet_info *pinfo) {
  const std::uint32_t key = static_cast<std::uint32_t>(pinfo->ptype) << 16 | server_port_of(pinfo);
  return (*servers)[key];
}

// ---- Decoding

struct DecodedPacket {
  godot_codec::DialectChoice dialect_choice;
  Confidence confidence = Confidence::neutral;
  bool is_variant = false;
  bool has_trailing_bytes = false;  // true if bytes follow the Variant
  bool describes_embedded = false;  // true if the summary describes data that is embedded in a custom payload
  bool is_dialect_mixed = false;    // true if other packets of the conversation have a different dialect
  bool is_summary_needed = true;
  Outcome outcome = Outcome::ok;
  godot_codec::EncodingTraitSet traits{};
  godot_codec::ScriptTextCache *texts = nullptr;  // stores texts of the summary, for the tree; null without a tree
};

bool is_exact_variant(const WalkResult &result, Bytes packet, Dialect dialect) {
  return result.outcome == Outcome::ok && result.offset == packet.reported &&
         !result.notes.intersects(godot_codec::never_sent_notes(dialect));
}

bool is_text_message(const MessageContext &context) {
  return context.message.format == godot_codec::PayloadFormat::text;
}

// Returns the dialects that the conversation permits for a packet. A packet that was captured before detection is shown
// later, so a later packet may already have decided its dialect.
DialectSet permitted_dialects(const DialectHistory &history, const MessageContext &context) {
  const DialectSet known = history.before(context.message.position);
  return known.empty() && context.is_pre_detection ? history.first() : known;
}

conversation_t *conversation_for(const MessageContext &context) {
  return context.conversation != nullptr ? context.conversation : conversation_of(context.pinfo);
}

Confidence confidence_of(DialectFit fit) {
  if (fit == DialectFit::exact) return Confidence::weak;
  return fit == DialectFit::truncated ? Confidence::neutral : Confidence::none;
}

void detect_variant(Bytes packet, const MessageContext &context, DecodedPacket &reading) {
  const godot_codec::DialectDetection detection = godot_codec::detect_dialect(packet, preferred_read_options());
  // Without a Variant header, the packet may still be a length prefix and a Variant of exactly this length.
  const auto is_raw = [&] {
    return !godot_codec::has_variant_header(packet) ||
           godot_codec::is_length_prefixed_variant(packet, preferred_read_options());
  };
  reading.is_variant = detection.fit != DialectFit::none || !is_raw();
  reading.confidence = confidence_of(detection.fit);
  if (const auto dialect = preferred_dialect()) {
    reading.dialect_choice = {*dialect, false};
    return;
  }
  DialectHistory &conversation = dialects_of(conversation_for(context));
  DialectHistory &server = dialects_of_server(context.pinfo);
  const DialectSet known = permitted_dialects(conversation, context);
  const DialectSet evidence[] = {known, permitted_dialects(server, context)};
  reading.dialect_choice = godot_codec::choose_dialect(detection, evidence);
  reading.is_dialect_mixed = !known.empty() && detection.is_decisive() && !known.intersects(detection.candidates);
  if (may_update_state(context.pinfo)) {
    conversation.add(context.message.position, detection);
    server.add(context.message.position, detection);
  }
}

WalkResult write_summary(Bytes packet, Dialect dialect, const DecodedPacket &reading, TextBuffer &text) {
  if (!reading.is_summary_needed) return check_variant(packet, 0, {.dialect = dialect}, preferred_read_options());
  return godot_codec::append_brief(text, packet, 0, {.dialect = dialect}, preferred_read_options(),
                                   godot_codec::TextStyle::summary, reading.texts);
}

// Decodes the packet with the conversation's dialect. @returns true if the conversation has one dialect, which decodes
// the packet exactly
bool decode_with_known_dialect(Bytes packet, const MessageContext &context, DecodedPacket &reading, TextBuffer &text) {
  const auto preferred = preferred_dialect();
  const DialectSet known =
      preferred ? DialectSet{*preferred} : permitted_dialects(dialects_of(conversation_for(context)), context);
  const Dialect dialect = first_dialect(known);
  if (known != DialectSet{dialect}) return false;
  const WalkResult result = write_summary(packet, dialect, reading, text);
  if (!is_exact_variant(result, packet, dialect)) {
    text.clear();
    return false;
  }
  reading.dialect_choice = {dialect, false};
  reading.confidence = Confidence::weak;
  reading.is_variant = true;
  reading.traits = result.traits;
  return true;
}

// Appends `Text "hello"`.
void append_text_summary(TextBuffer &buffer, Bytes bytes) {
  constexpr std::size_t max_shown = 120;
  buffer.append("Text ");
  buffer.append_quoted(bytes.text(), max_shown);
}

// Returns the options for detecting embedded data in a packet that is not a Variant.
godot_codec::EmbeddedOptions embedded_options(const MessageContext &context) {
  static auto *const websocket_ports = find_dissector_table("ws.port");
  godot_codec::EmbeddedOptions options = preferred_embedded_options();
  const auto is_named = [](std::uint32_t port) { return dissector_get_uint_handle(websocket_ports, port) != nullptr; };
  options.expects_variants = context.message.transport == Transport::websocket
                                 ? is_named(context.pinfo->srcport) || is_named(context.pinfo->destport)
                                 : is_dissector_chosen_by_user(context.pinfo);
  return options;
}

// Writes the summary of a custom payload, including any embedded data that was detected. @returns the mark after the
// summary
const char *summarise_raw_bytes(Bytes packet, const godot_codec::EmbeddedOptions &options, DecodedPacket &reading,
                                TextBuffer &text) {
  reading.is_variant = false;
  text.clear();
  const godot_codec::EmbeddedDecoder decoder(options);
  reading.describes_embedded = decodes_embedded_data() && godot_codec::append_raw_decoded(text, packet, &decoder);
  if (!reading.describes_embedded) godot_codec::append_raw_bytes(text, packet);
  return "";
}

// True if consecutive Variants fill the packet.
bool contains_consecutive_variants(Bytes packet, const godot_codec::EmbeddedOptions &options,
                                   const DecodedPacket &reading) {
  return reading.has_trailing_bytes && decodes_embedded_data() &&
         godot_codec::detect_embedded(packet, options).count > 1;
}

// Decodes the packet and writes its summary. @returns the mark after the summary
const char *read_packet(Bytes packet, const MessageContext &context, DecodedPacket &reading, TextBuffer &text) {
  if (is_text_message(context)) {
    append_text_summary(text, packet);
    return godot_codec::outcome_mark(packet.captured < packet.reported ? Outcome::truncated : Outcome::ok);
  }
  if (decode_with_known_dialect(packet, context, reading, text)) return "";
  detect_variant(packet, context, reading);
  const godot_codec::EmbeddedOptions embedded = embedded_options(context);
  if (!reading.is_variant) return summarise_raw_bytes(packet, embedded, reading, text);
  const WalkResult result = write_summary(packet, reading.dialect_choice.dialect, reading, text);
  if (!preferred_dialect() && godot_codec::is_probably_custom_payload(packet, reading.dialect_choice.dialect, result,
                                                                      preferred_read_options())) {
    return summarise_raw_bytes(packet, embedded, reading, text);
  }
  reading.traits = result.traits;
  reading.outcome = result.outcome;
  reading.has_trailing_bytes = result.outcome == Outcome::ok && result.offset < packet.reported;
  if (contains_consecutive_variants(packet, embedded, reading))
    return summarise_raw_bytes(packet, embedded, reading, text);
  if (reading.is_dialect_mixed) return " [other engine version]";
  if (reading.dialect_choice.is_guess) return " [guessed]";
  return reading.has_trailing_bytes ? " [and more bytes]" : godot_codec::outcome_mark(reading.outcome);
}

// ---- Tree

void add_dialect_items(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const DecodedPacket &reading) {
  const char *name = godot_codec::dialect_table(reading.dialect_choice.dialect).name.data();
  proto_item *item = proto_tree_add_string(tree, fields.dialect, tvb, 0, 0, name);
  proto_item_set_generated(item);
  proto_tree *guess = proto_item_add_subtree(item, subtrees.dialect);
  proto_item_set_generated(
      proto_tree_add_boolean(guess, fields.dialect_guessed, tvb, 0, 0, reading.dialect_choice.is_guess ? 1U : 0U));
  if (reading.is_dialect_mixed) add_expert(pinfo, item, &experts.dialect_mixed);
}

// Records evidence for the sender's Godot release. Ignores packets that do not match, and packets with a guessed
// dialect.
void record_sender_release(const MessageContext &context, const DecodedPacket &reading) {
  if (reading.confidence != Confidence::weak || reading.dialect_choice.is_guess || reading.is_dialect_mixed) return;
  ReleaseEvidence *sender = release_evidence_to_update(context.pinfo, context.conversation);
  if (sender == nullptr) return;
  godot_codec::record_release_facts(sender->facts, context.message.position, reading.dialect_choice.dialect,
                                    reading.traits);
}

void add_packet_items(tvbuff_t *tvb, proto_tree *tree, const MessageContext &context, const DecodedPacket &reading) {
  add_dialect_items(tvb, context.pinfo, tree, reading);
  add_release_items(tvb, context.pinfo, tree, context.conversation);
  VariantTarget target{tvb, context.pinfo, tree};
  target.is_packet = true;
  target.texts = reading.texts;
  const WalkResult result =
      add_variant_items(target, 0, {.dialect = reading.dialect_choice.dialect}, preferred_read_options());
  const godot_codec::Range rest = range_from(tvb, result.offset);
  if (result.outcome != Outcome::ok || rest.length == 0) return;
  proto_item *item = add_captured(tree, fields.undecoded, tvb, rest);
  add_expert(context.pinfo, item, &experts.trailing);
}

void add_raw_expert_items(Bytes packet, packet_info *pinfo, proto_item *item) {
  add_expert(pinfo, item, &experts.not_variant);
  if (godot_codec::is_length_prefixed_variant(packet, preferred_read_options())) {
    add_expert(pinfo, item, &experts.unexpected_length);
    return;
  }
  using enum godot_codec::EmbeddedFormat;
  const godot_codec::EmbeddedFormat format = godot_codec::detect_signature(packet);
  const char *name = format == gzip   ? "gzip"
                     : format == zlib ? "zlib, COMPRESSION_DEFLATE"
                     : format == zstd ? "Zstandard"
                                      : nullptr;
  if (name != nullptr) add_expert(pinfo, item, &experts.looks_compressed, "The bytes look compressed (%s)", name);
}

void add_text_item(Bytes packet, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  if (tree == nullptr) return;
  proto_tree_add_string(tree, fields.text, tvb, 0, static_cast<int>(packet.captured),
                        printable(pinfo->pool, packet.text()));
}

// Appends a mark to the summary if the length is big-endian: "12 [big_endian differs]".
const char *with_big_endian_mark(packet_info *pinfo, const char *summary, LengthByteOrder order) {
  if (order == LengthByteOrder::differs) return wmem_strdup_printf(pinfo->pool, "%s [big_endian differs]", summary);
  return order == LengthByteOrder::unanswered ? wmem_strdup_printf(pinfo->pool, "%s [big_endian]", summary) : summary;
}

void add_length_item(const MessageContext &context, proto_tree *tree, int header, std::size_t length) {
  const LengthByteOrder order = context.length_order();
  proto_item *item =
      proto_tree_add_uint(tree, fields.length, context.tvb, 0, header, static_cast<std::uint32_t>(length));
  if (order == LengthByteOrder::little_endian) return;
  proto_item_append_text(item, " (big-endian)");
  proto_item_set_generated(proto_tree_add_boolean(tree, fields.length_big_endian, context.tvb, 0, header, 1U));
  if (order == LengthByteOrder::differs) add_expert(context.pinfo, item, &experts.big_endian_differs);
  // On the first pass, the other side may still send a length later.
  if (order != LengthByteOrder::unanswered || may_update_state(context.pinfo)) return;
  add_problem(context.pinfo, item,
              {.expert = &experts.big_endian_unanswered,
               .text = "The sender has StreamPeer.big_endian = true, and the other side has sent no Variant"});
}

// Finds the custom format for raw messages of a server's port.
const godot_codec::Layout *find_server_layout(tvbuff_t *tvb, std::uint32_t port) {
  const godot_codec::LayoutFile *layouts = game_layouts();
  if (layouts == nullptr) return nullptr;
  return godot_codec::find_port_layout(static_cast<std::uint16_t>(port),
                                       {*layouts, bytes_of(tvb), payload_encoding(), preferred_read_options()});
}

// Shows a payload by its custom format. The summary is "Raw {kind: heal} in 5 bytes".
CustomDissectorResult dissect_by_layout(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root,
                                        const godot_codec::Layout &layout) {
  const Bytes bytes = bytes_of(tvb);
  auto *memory = static_cast<std::array<char, max_info_size> *>(wmem_alloc(pinfo->pool, max_info_size));
  TextBuffer text(*memory);
  const godot_codec::LayoutWalkResult result = godot_codec::append_layout_text(
      text, layout, {*game_layouts(), bytes, payload_encoding(), preferred_read_options()});
  add_layout_items({tvb, pinfo, root, payload_encoding(), nullptr}, layout);
  return {true, nullptr,
          wmem_strdup_printf(pinfo->pool, "Raw %s in %zu bytes%s", memory->data(), bytes.reported,
                             godot_codec::outcome_mark(result.outcome))};
}

CustomDissectorResult decode_custom_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, std::uint32_t port) {
  dissector_handle_t handle = find_custom_dissector(port);
  const godot_codec::Layout *layout = handle == nullptr ? find_server_layout(tvb, port) : nullptr;
  if (layout != nullptr) return dissect_by_layout(tvb, pinfo, root, *layout);
  // The bytes are counted as part of this message, not as a message of the called dissector.
  const FrameRecord::MessageCounting before = set_message_counting(pinfo, FrameRecord::MessageCounting::ignored);
  const CustomDissectorResult answer = call_custom_dissector(pinfo, {handle, tvb, root});
  set_message_counting(pinfo, before);
  return answer;
}

// True if the packet is not exactly one Variant, and the user has a dissector or a custom format for the server's
// payloads.
bool is_custom_payload(tvbuff_t *tvb, const packet_info *pinfo, const DecodedPacket &reading) {
  const bool is_inexact = reading.has_trailing_bytes || reading.outcome == Outcome::malformed;
  const std::uint32_t port = server_port_of(pinfo);
  return is_inexact && (find_custom_dissector(port) != nullptr || find_server_layout(tvb, port) != nullptr);
}

// Counts a message as "Raw bytes", or with the registered dissector's name for it, such as "Raw bytes: Hit".
void count_raw_bytes(packet_info *pinfo, const CustomDissectorResult &answer, std::size_t size) {
  const char *word = first_word(pinfo, answer.info_text);
  count_non_variant(pinfo, word == nullptr ? "Raw bytes" : wmem_strdup_printf(pinfo->pool, "Raw bytes: %s", word), size,
                    endpoints_text(pinfo));
}

// Dissects a custom payload with the user's dissector or custom format, if there is one.
// @param is_shown true if embedded data is already in the tree
// @returns the text for the Info column
const char *dissect_custom_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, const char *summary,
                                   bool is_shown) {
  const CustomDissectorResult answer = decode_custom_payload(tvb, pinfo, root, server_port_of(pinfo));
  if (!answer.is_accepted && !is_shown) call_data_dissector(tvb, pinfo, root);
  count_raw_bytes(pinfo, answer, tvb_reported_length(tvb));
  return answer.info_text == nullptr ? summary : answer.info_text;
}

// Dissects a packet with an incompletely captured length prefix.
void dissect_truncated_header(const MessageContext &context) {
  const char *mark = godot_codec::outcome_mark(Outcome::truncated) + 1;
  add_summary(context, "Godot", mark);
  proto_item *item = add_protocol_item(context.tree, proto_godot, context.tvb);
  set_protocol_label(item, proto_godot, mark);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  proto_item *rest = proto_tree_add_item(tree, fields.undecoded, context.tvb, 0, -1, ENC_NA);
  add_expert(context.pinfo, rest, expert_item_of(Outcome::truncated));
}

// Shows bytes that are not a Variant, or a Variant in the game's own format.
void dissect_raw_bytes(tvbuff_t *payload, const MessageContext &context, const DecodedPacket &reading, proto_tree *tree,
                       const char *summary) {
  const Bytes bytes = bytes_of(payload);
  add_raw_expert_items(bytes, context.pinfo, proto_tree_get_parent(tree));
  const bool is_shown =
      add_embedded_items({payload, context.pinfo, tree}, {0, bytes.reported}, embedded_options(context));
  add_summary(
      context, "Godot",
      dissect_custom_payload(payload, context.pinfo, context.tree, summary, is_shown && reading.describes_embedded));
}

}  // namespace

DialectHistory &dialects_of(conversation_t *conversation) { return histories.of(conversation); }

bool dissect_custom_message(const MessageContext &context, std::uint32_t port) {
  const CustomDissectorResult answer = decode_custom_payload(context.tvb, context.pinfo, context.tree, port);
  if (!answer.is_accepted) return false;
  add_summary(context, answer.protocol_text == nullptr ? "Godot" : answer.protocol_text,
              answer.info_text == nullptr ? "Raw bytes" : answer.info_text);
  count_raw_bytes(context.pinfo, answer, tvb_reported_length(context.tvb));
  return true;
}

// Reports a missing length prefix. get_var() needs the prefix; put_var() writes it, but put_data() does not.
static void report_missing_length(packet_info *pinfo, proto_item *item, Bytes bytes, const DecodedPacket &reading) {
  constexpr std::size_t min_length = 16;
  if (reading.confidence != Confidence::weak || bytes.reported < min_length) return;
  add_problem(
      pinfo, item,
      {.expert = &experts.missing_length,
       .text =
           "The TCP stream contains Variants without a length prefix, so get_var() reads their first bytes as a length"});
}

Confidence dissect_variant_packet(const MessageContext &context, int header) {
  if (tvb_captured_length(context.tvb) < static_cast<unsigned>(header)) {
    dissect_truncated_header(context);
    return Confidence::neutral;
  }
  tvbuff_t *payload = header == 0 ? context.tvb : subset_of(context.tvb, range_from(context.tvb, header));
  const Bytes bytes = bytes_of(payload);
  auto *memory = static_cast<std::array<char, max_info_size> *>(wmem_alloc(context.pinfo->pool, max_info_size));
  TextBuffer text(*memory);
  DecodedPacket reading;
  reading.is_summary_needed = wants_summary(context) || is_visible(context.tree) || is_collecting_match();
  if (is_visible(context.tree)) {
    reading.texts = new (wmem_alloc(context.pinfo->pool, sizeof(godot_codec::ScriptTextCache)))
        godot_codec::ScriptTextCache(preferred_read_options());
  }
  const char *mark = read_packet(bytes, context, reading, text);
  const char *summary =
      mark[0] == '\0' ? memory->data() : wmem_strdup_printf(context.pinfo->pool, "%s%s", memory->data(), mark);
  const bool is_raw =
      !is_text_message(context) && (!reading.is_variant || is_custom_payload(payload, context.pinfo, reading));
  if (is_raw && reading.is_variant) {
    text.clear();
    godot_codec::append_raw_bytes(text, bytes);
    summary = memory->data();
  }
  if (!is_raw) add_summary(context, "Godot", with_big_endian_mark(context.pinfo, summary, context.length_order()));
  if (!is_raw) record_sender_release(context, reading);
  if (FrameRecord *record = count_message(context, ByteCategory::variants); record != nullptr) {
    record->bytes_in(ByteCategory::variants) -= header;
    record->bytes_in(ByteCategory::framing) += header;
  }

  proto_item *item = add_protocol_item(context.tree, proto_godot, context.tvb);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.packet);
  set_protocol_label(item, proto_godot, summary);
  report_layout_errors(context.pinfo, item);
  if (header > 0) add_length_item(context, tree, header, bytes.reported);
  if (is_text_message(context)) {
    count_non_variant(context.pinfo, "Text", bytes.reported, endpoints_text(context.pinfo));
    add_text_item(bytes, payload, context.pinfo, tree);
  } else if (is_raw) {
    dissect_raw_bytes(payload, context, reading, tree, summary);
  } else {
    count_variant(context.pinfo, bytes, 0, {.dialect = reading.dialect_choice.dialect}, preferred_read_options());
    if (needs_expert_items(context.pinfo, context.tree)) add_packet_items(payload, tree, context, reading);
    if (header == 0 && context.message.transport == Transport::stream)
      report_missing_length(context.pinfo, item, bytes, reading);
  }
  set_match_summary(context.pinfo, summary);
  return reading.confidence;
}

void register_godot(void (*apply)()) {
  proto_godot = proto_register_protocol("Godot Engine Variant", "Godot", "godot");
  register_findings();
  register_godot_preferences(proto_godot, apply);
  register_custom_dissectors(proto_godot);
  register_layouts();
}

}  // namespace godot_plugin
