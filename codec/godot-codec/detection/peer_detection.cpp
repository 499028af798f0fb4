// SPDX-License-Identifier: MIT
#include "godot-codec/detection/peer_detection.h"

#include <algorithm>
#include <bit>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

bool is_websocket(const Message &message) { return message.transport == Transport::websocket; }
bool is_webrtc(const Message &message) { return message.transport == Transport::webrtc; }
bool is_text(const Message &message) { return message.format == PayloadFormat::text; }

bool is_exact_variant(Bytes bytes, const ReadOptions &options) {
  return has_variant_header(bytes) && !contradicts_its_type(bytes) &&
         detect_dialect(bytes, options).fit == DialectFit::exact;
}

bool is_command(MpPacketReader &reader, MpFraming framing) {
  return reader.message().bytes.reported > 0 && evaluate_mp_packet(reader, framing) != Confidence::none;
}

}  // namespace

void PendingPeerMessages::add(const Message &message) {
  if (entries_.size() == max_count || message.bytes.captured > max_bytes - bytes_.size()) return;
  if (entries_.empty()) {
    entries_.reserve(usual_count);
    bytes_.reserve(usual_bytes);
  }
  // The bytes are added before the entry. So if memory runs out in between, no entry lacks its bytes.
  const std::size_t offset = bytes_.size();
  bytes_.insert(bytes_.end(), message.bytes.data, message.bytes.data + message.bytes.captured);
  entries_.push_back({message, offset});
  // The pointer must not be stored, because it is only valid while the packet is dissected.
  entries_.back().message.delivery = &unknown_delivery;
}

Message PendingPeerMessages::message(std::size_t index) const {
  const Entry &entry = entries_[index];
  Message message = entry.message;
  message.bytes = {bytes_.data() + entry.offset, message.bytes.captured, message.bytes.reported};
  return message;
}

void PendingPeerMessages::clear() {
  entries_ = {};
  bytes_ = {};
}

// True if a message may belong to a game of a generation. Over WebRTC only Godot 4 is supported.
bool PeerDetection::may_be_generation(Generation generation, const Message &message,
                                      const PeerDetectionOptions &options) const {
  if (is_webrtc(message)) return generation == Generation::godot4;
  // No engine requests fewer than three channels.
  const bool has_too_few_channels = channel_count_ > 0 && channel_count_ < godot3_channel_count;
  if (has_too_few_channels && !options.is_multiplayer_configured) return false;
  return !options.generation || *options.generation == generation;
}

// Returns the likely generation if a preference names the multiplayer, but no message has shown the generation yet.
Generation PeerDetection::guess_generation(const Message &message, const PeerDetectionOptions &options) const {
  if (is_webrtc(message)) return Generation::godot4;
  if (options.generation) return *options.generation;
  return channel_count_ == godot3_channel_count ? Generation::godot3 : Generation::godot4;
}

// True if a message is an authentication: the first message of a connection. After its first two bytes, an
// authentication is custom payload (captures/mp_auth_godot4.6.pcapng).
bool PeerDetection::is_authentication(MpPacketReader &reader) const {
  return channel_count_ == godot4_channel_count && reader.message().sequence.channel == 0 &&
         reader.read(MpFraming::none).commands[0].command == MpCommand::auth;
}

// Returns the framing of a message of a generation; nullopt if it is not known.
std::optional<MpFraming> PeerDetection::find_framing(Generation generation, MpPacketReader &reader) const {
  const Message &message = reader.message();
  if (generation == Generation::godot4) return MpFraming::none;
  if (is_websocket(message)) return MpFraming::websocket3;
  if (message.sequence.channel == 0) return MpFraming::enet3_system;
  if (enet3_framing_ != MpFraming::none) return enet3_framing_;
  const MpFraming framing = choose_enet3_framing(reader);
  return framing == MpFraming::none ? std::nullopt : std::optional(framing);
}

// Records the prefix of Godot 3's packets. The first packet that fits a prefix exactly shows that all packets of the
// game have this prefix.
void PeerDetection::record_framing(const ProtocolDecision &decision, MpPacketReader &reader) {
  const bool is_question = decision.framing == MpFraming::enet3 || decision.framing == MpFraming::enet3_flags;
  if (decision.protocol != PeerProtocol::multiplayer || !is_question || enet3_framing_ != MpFraming::none) return;
  if (evaluate_mp_packet(reader, decision.framing) != Confidence::weak) return;
  enet3_framing_ = decision.framing;
}

// Returns the protocol of a message in a game's connection. All messages are the high-level multiplayer's, so a message
// that does not fit is malformed. Exceptions: over ENet, a message that is exactly one Variant; over a WebSocket, a
// text message.
ProtocolDecision PeerDetection::decide_in_game(MpPacketReader &reader, Generation generation,
                                               const PeerDetectionOptions &options) const {
  const Message &message = reader.message();
  const std::optional<MpFraming> known = find_framing(generation, reader);
  if (!known && !options.is_multiplayer_configured) return {};
  const MpFraming framing = known.value_or(MpFraming::enet3);
  // The commands of the multiplayer are binary, so readable text is not a command.
  if (is_webrtc(message) && is_text(message) && is_plain_text(message.bytes.text())) {
    return {options.may_be_variant ? PeerProtocol::variant : PeerProtocol::unclaimed};
  }
  const bool may_be_other = is_websocket(message) ? is_text(message) : is_exact_variant(message.bytes, options.read);
  if (may_be_other && !is_command(reader, framing)) {
    const bool is_shown = options.may_be_variant && !is_websocket(message);
    return {is_shown ? PeerProtocol::variant : PeerProtocol::unclaimed};
  }
  return {PeerProtocol::multiplayer, framing};
}

// Reads the first message of a WebSocket, which the server sends. Godot 4 sends only the client's ID
// (captures/mp_ws_godot4.6.pcapng); Godot 3 sends it with a prefix (mp_ws_godot3.6, mp_ws_godot3.2.3).
std::optional<ProtocolDecision> PeerDetection::read_initial_message(MpPacketReader &reader,
                                                                    const PeerDetectionOptions &options) const {
  const Message &message = reader.message();
  constexpr std::size_t id_size = 4;
  if (!is_websocket(message) || message.sender_side == 1 || is_text(message)) return std::nullopt;
  const MpPrefix id = read_mp_prefix(message.bytes, MpFraming::websocket_id);
  const bool is_id = message.bytes.reported == id_size && id.fields.peer(MpField::peer) > mp_server;
  if (is_id && may_be_generation(Generation::godot4, message, options) &&
      (options.is_multiplayer_configured || message.format == PayloadFormat::binary)) {
    return ProtocolDecision{PeerProtocol::multiplayer, MpFraming::websocket_id};
  }
  const MpPrefix prefix = read_mp_prefix(message.bytes, MpFraming::websocket3);
  const bool is_greeting = prefix.is_known && prefix.command == MpCommand::peer_id &&
                           evaluate_mp_packet(reader, MpFraming::websocket3) == Confidence::weak;
  if (!is_greeting || !may_be_generation(Generation::godot3, message, options)) return std::nullopt;
  return ProtocolDecision{PeerProtocol::multiplayer, MpFraming::websocket3};
}

// Evaluates a message as a message of a game of a generation.
Evidence PeerDetection::evidence_of_game(Generation generation, MpPacketReader &reader,
                                         const PeerDetectionOptions &options) const {
  const Message &message = reader.message();
  const bool is_first = detection_.first_offered == message.position;
  const auto greeting = is_first ? read_initial_message(reader, options) : std::nullopt;
  if (greeting && mp_generation(greeting->framing) == generation) {
    // The four bytes of Godot 4 may be anything, so later messages must confirm them. The prefix of Godot 3 is
    // unambiguous.
    return generation == Generation::godot3 ? Evidence{Confidence::strong} : mp_initial_message_evidence(generation);
  }
  if (is_text(message)) return {Confidence::neutral};
  if (generation == Generation::godot4 && is_godot_connect_ && is_authentication(reader)) return {Confidence::strong};
  const std::optional<MpFraming> framing = find_framing(generation, reader);
  const Evidence evidence = framing ? mp_evidence(reader, *framing) : Evidence{};
  // Over ENet, a game may also send Variants, so a Variant is no mismatch.
  const bool is_misfit = evidence.confidence == Confidence::none &&
                         detection_.is_decided_as(generation == Generation::godot3 ? game3 : game4);
  if (is_misfit && !is_websocket(message) && is_exact_variant(message.bytes, options.read))
    return {Confidence::neutral};
  return evidence;
}

// True if a message can belong to a candidate at all.
bool PeerDetection::is_possible(Candidate candidate, const Message &message,
                                const PeerDetectionOptions &options) const {
  if (candidate == variant) return options.may_be_variant && !is_text(message) && message.bytes.reported > 0;
  const bool may_be_game = options.may_be_multiplayer || options.is_multiplayer_configured;
  if (!may_be_game || !may_be_generation(generation_of(candidate), message, options)) return false;
  if (candidate == game4 || detection_.is_decided_as(game3)) return true;
  // Games of 4.x may also request three channels, and games of 3.x many. So a preference of the user has priority over
  // the number of channels.
  const bool is_asked_for = options.generation.has_value() || options.is_multiplayer_configured;
  const bool is_many = !is_asked_for && channel_count_ == godot4_channel_count;
  // A system message is too short as evidence for Godot 3, so the number of channels must confirm it.
  const bool is_system = !options.is_multiplayer_configured && !is_websocket(message) &&
                         message.sequence.channel == 0 && channel_count_ != godot3_channel_count;
  return !is_many && !is_system;
}

Evidence PeerDetection::evidence_for(Candidate candidate, MpPacketReader &reader,
                                     const PeerDetectionOptions &options) const {
  if (!is_possible(candidate, reader.message(), options)) return {Confidence::neutral};
  if (candidate == variant) return packet_evidence(reader.message().bytes, options.read);
  return evidence_of_game(generation_of(candidate), reader, options);
}

// Returns the bits of evidence for a candidate that do not come from the conversation's own messages.
int PeerDetection::prior_of(Candidate candidate, const Message &message, const PeerDetectionOptions &options) const {
  if (candidate == variant) return 0;
  const Generation generation = generation_of(candidate);
  if (!may_be_generation(generation, message, options)) return weights::least;
  if (options.is_multiplayer_configured) return weights::decided_at;
  if (!options.may_be_multiplayer) return weights::least;
  const std::uint32_t own = reported_generation_ == generation ? 1 : 0;
  const auto index = static_cast<std::size_t>(generation);
  const bool is_server_known =
      server_->game_connections[index] > own || message.position < server_->no_games_since[index];
  if (has_server_prior_ && is_server_known) return weights::server;
  return is_godot_connect_ ? weights::greeted : 0;
}

// False if the protocol was decided by the prior alone, and the prior was withdrawn later.
bool PeerDetection::is_still_decided(const Message &message, const PeerDetectionOptions &options) const {
  if (!detection_.is_decided || !is_game() || reported_generation_) return detection_.applies_at(message.position);
  const auto candidate = static_cast<Candidate>(detection_.decided_candidate);
  return detection_.scores[candidate].bits + prior_of(candidate, message, options) >= weights::revoked_below;
}

// Counts this conversation among the games of its server while its own messages show a game.
void PeerDetection::report_to_server(PacketPosition position) {
  const bool has_shown = is_game() && detection_.scores[detection_.decided_candidate].bits >= weights::decided_at;
  std::optional<Generation> wanted = reported_generation_;
  if (has_shown) wanted = generation();
  if (!is_game()) wanted.reset();
  if (wanted == reported_generation_) return;
  if (reported_generation_ && --server_->game_connections[static_cast<std::size_t>(*reported_generation_)] == 0) {
    server_->no_games_since[static_cast<std::size_t>(*reported_generation_)] = position;
  }
  if (wanted) ++server_->game_connections[static_cast<std::size_t>(*wanted)];
  reported_generation_ = wanted;
}

// Decides for the candidate with the highest score. If several candidates have this score, the current candidate stays.
void PeerDetection::choose_candidate(const Message &message, const PeerDetectionOptions &options) {
  const auto sum_of = [&](std::uint8_t each) {
    return detection_.scores[each].bits + prior_of(static_cast<Candidate>(each), message, options);
  };
  std::uint8_t best = detection_.decided_candidate;
  bool is_found = detection_.is_decided && detection_.scores[best].is_decided;
  for (std::uint8_t each = 0; each < candidate_count; ++each) {
    if (!detection_.scores[each].is_decided || (is_found && sum_of(each) <= sum_of(best))) continue;
    best = each;
    is_found = true;
  }
  if (!is_found) return detection_.revoke(message.position);
  detection_.decide(best, message.position);
}

void PeerDetection::update_scores(MpPacketReader &reader, const PeerDetectionOptions &options) {
  const Message &message = reader.message();
  // Evaluates the decided candidate first, and the other candidates only after a mismatch. After the first messages,
  // evaluates only every eighth message.
  constexpr std::uint32_t asked_always = 32;
  constexpr std::uint32_t asked_later = 8;
  const bool was_decided = detection_.is_decided;
  const std::uint32_t number = ++message_count_;
  if (was_decided && number > asked_always && (number + 1) % asked_later != 0) return;
  const auto settled = static_cast<Candidate>(detection_.decided_candidate);
  if (was_decided) {
    const Evidence evidence = evidence_for(settled, reader, options);
    detection_.scores[settled].add(evidence, prior_of(settled, message, options));
    if (evidence.confidence != Confidence::none) return;
  }
  for (const Candidate each : {game3, game4, variant}) {
    if (was_decided && each == settled) continue;
    detection_.scores[each].add(evidence_for(each, reader, options), prior_of(each, message, options));
  }
  choose_candidate(message, options);
  if (detection_.is_decided != was_decided) message_count_ = 0;
}

ProtocolDecision PeerDetection::decide_for_candidate(MpPacketReader &reader,
                                                     const PeerDetectionOptions &options) const {
  const Message &message = reader.message();
  if (detection_.decided_candidate != variant) {
    if (detection_.first_offered == message.position) {
      if (const auto greeting = read_initial_message(reader, options)) return *greeting;
    }
    return decide_in_game(reader, generation(), options);
  }
  // Over WebRTC, bytes and text next to Variants are custom payload of the game: tests/data/web_channels.pcapng.
  if (is_webrtc(message)) return {PeerProtocol::variant};
  // Over ENet, a game may also send other messages. Godot 3 sends 8 bytes before each Variant
  // (captures/enet_none_godot3.6).
  const bool is_packet = is_websocket(message) || is_exact_variant(message.bytes, options.read) ||
                         packet_evidence(message.bytes, options.read).confidence == Confidence::strong;
  return {is_packet && !is_text(message) ? PeerProtocol::variant : PeerProtocol::unclaimed};
}

bool PeerDetection::refuse(Bytes message) {
  const bool is_foreign = !detection_.is_decided && std::ranges::all_of(detection_.scores, [](const auto &score) {
    return score.bits <= weights::mismatch;
  });
  const bool may_be_variant = has_variant_header(message) && !contradicts_its_type(message);
  if (!is_foreign || may_be_variant || std::has_single_bit(message_count_ + 1)) return false;
  ++message_count_;
  return true;
}

bool PeerDetection::refuse_text(const Message &message) {
  if (detection_.is_decided) return false;
  // Games begin with a binary message, so the games on the server's other connections do not count.
  if (!detection_.was_offered) has_server_prior_ = false;
  detection_.offer(message.position);
  ++message_count_;
  return true;
}

ProtocolDecision PeerDetection::detect(MpPacketReader &reader, const PeerDetectionOptions &options) {
  const Message &message = reader.message();
  // A server may also use WebSockets for other purposes. So the games on its other connections count only if this
  // connection begins like a game.
  if (!detection_.was_offered)
    has_server_prior_ = !is_websocket(message) || read_initial_message(reader, options).has_value();
  detection_.offer(message.position);
  update_scores(reader, options);
  report_to_server(message.position);
  const ProtocolDecision decision = find_decision(reader, options);
  record_framing(decision, reader);
  if (!detection_.is_decided) pending_messages_.add(message);
  return decision;
}

ProtocolDecision PeerDetection::find_decision(MpPacketReader &reader, const PeerDetectionOptions &options) const {
  const Message &message = reader.message();
  if (!is_still_decided(message, options) || (options.is_multiplayer_configured && !is_game())) {
    if (options.is_variant_configured) return {PeerProtocol::variant};
    if (!options.is_multiplayer_configured || (is_websocket(message) && is_text(message))) return {};
    return decide_in_game(reader, guess_generation(message, options), options);
  }
  ProtocolDecision decision = decide_for_candidate(reader, options);
  decision.is_before_decision = message.position < detection_.decided_since;
  return decision;
}

}  // namespace godot_codec
