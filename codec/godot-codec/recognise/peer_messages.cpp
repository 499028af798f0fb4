// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/peer_messages.h"

#include "godot-codec/enet/connecting.h"
#include "godot-codec/multiplayer/plausibility.h"
#include "godot-codec/recognise/evidence.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

constexpr auto multiplayer = static_cast<std::uint8_t>(PeerProtocol::multiplayer);
constexpr auto variant = static_cast<std::uint8_t>(PeerProtocol::variant);

PeerVerdict verdict_of(Generation generation, MpFraming framing) {
  return {PeerProtocol::multiplayer, generation, framing, false};
}

bool is_websocket(const PeerMessage &message) { return message.carrier == PeerCarrier::websocket; }
bool is_webrtc(const PeerMessage &message) { return message.carrier == PeerCarrier::webrtc; }

// How Godot 3 speaks over WebRTC is not known here.
bool may_be(Generation generation, const PeerMessage &message, const PeerOptions &options) {
  if (is_webrtc(message)) return generation == Generation::godot4;
  return !options.generation || *options.generation == generation;
}

bool is_exact_variant(Bytes bytes, const ReadOptions &options) {
  return has_variant_header(bytes) && detect_dialect(bytes, options).fit == Fit::exact;
}

bool is_command(Bytes bytes, MpFraming framing, const ReadOptions &options) {
  return bytes.reported > 0 && looks_like_mp_packet(bytes, framing, options) != Likeness::none;
}

bool is_readable(Bytes bytes) { return is_plain_text({reinterpret_cast<const char *>(bytes.data), bytes.captured}); }

// Authentication comes before anything else, and is bytes of the game's own but for two.
bool is_authentication(const PeerMessage &message) {
  return message.channel_count == godot4_channel_count && message.channel == 0 &&
         read_mp_message(message.bytes, 0, Generation::godot4).command == MpCommand::auth;
}

// The generation of a game that the user speaks of, but no message has shown.
Generation likely_generation(const PeerMessage &message, const PeerOptions &options) {
  if (is_webrtc(message)) return Generation::godot4;
  if (options.generation) return *options.generation;
  return message.channel_count == godot3_channel_count ? Generation::godot3 : Generation::godot4;
}

}  // namespace

// What a message says, if it is of the likelier generation.
struct PeerConversation::Guess {
  Evidence evidence;
  Generation generation = Generation::godot4;
};

void PeerPrefix::add(const PeerMessage &message) {
  if (entries_.size() == max_count || message.bytes.captured > max_bytes - bytes_.size()) {
    ++left_out_;
    return;
  }
  entries_.push_back({message, bytes_.size()});
  bytes_.insert(bytes_.end(), message.bytes.data, message.bytes.data + message.bytes.captured);
}

PeerMessage PeerPrefix::message(std::size_t index) const {
  const Entry &entry = entries_[index];
  PeerMessage message = entry.message;
  message.bytes = {bytes_.data() + entry.offset, message.bytes.captured, message.bytes.reported};
  return message;
}

void PeerPrefix::clear() {
  entries_ = {};
  bytes_ = {};
}

// How a message of a generation is framed; nullopt where nothing says how it is to be read.
std::optional<MpFraming> PeerConversation::framing_of(Generation generation, const PeerMessage &message,
                                                      const PeerOptions &options) const {
  if (generation == Generation::godot4) return MpFraming::none;
  if (is_websocket(message)) return MpFraming::websocket3;
  if (message.channel == 0) return MpFraming::enet3_system;
  if (enet3_framing_ != MpFraming::none) return enet3_framing_;
  const MpFraming framing = choose_enet3_framing(message.bytes, options.read);
  return framing == MpFraming::none ? std::nullopt : std::optional(framing);
}

// The first packet to fit a prefix to its exact end shows what all of its game have.
void PeerConversation::learn_framing(const PeerVerdict &verdict, const PeerMessage &message,
                                     const PeerOptions &options) {
  const bool is_question = verdict.framing == MpFraming::enet3 || verdict.framing == MpFraming::enet3_flags;
  if (verdict.protocol != PeerProtocol::multiplayer || !is_question || enet3_framing_ != MpFraming::none) return;
  if (looks_like_mp_packet(message.bytes, verdict.framing, options.read) != Likeness::weak) return;
  enet3_framing_ = verdict.framing;
  server_->enet3_framing = verdict.framing;
}

// That game's high-level multiplayer has all that goes over its connection, and so a message that does not fit is a
// broken one. What fits something else exactly is rather that: over ENet a Variant, over a WebSocket a text message.
PeerVerdict PeerConversation::decide_in_game(const PeerMessage &message, Generation generation,
                                             const PeerOptions &options) const {
  const std::optional<MpFraming> known = framing_of(generation, message, options);
  if (!known && !options.is_told_multiplayer) return {};
  const MpFraming framing = known.value_or(MpFraming::enet3);
  // The multiplayer's commands are bytes, and none of them reads as text.
  if (is_webrtc(message) && message.is_text && is_readable(message.bytes)) {
    return {options.may_be_variant ? PeerProtocol::variant : PeerProtocol::nobody};
  }
  const bool may_be_other = is_websocket(message) ? message.is_text : has_variant_header(message.bytes);
  if (may_be_other && !is_command(message.bytes, framing, options.read)) {
    if (is_websocket(message)) return {};
    if (is_exact_variant(message.bytes, options.read)) {
      return {options.may_be_variant ? PeerProtocol::variant : PeerProtocol::nobody};
    }
  }
  return verdict_of(generation, framing);
}

// The first message of a WebSocket is the server's: Godot 4 sends the client's id alone, Godot 3 with a prefix.
std::optional<PeerVerdict> PeerConversation::read_greeting(const PeerMessage &message,
                                                           const PeerOptions &options) const {
  constexpr std::size_t id_size = 4;
  if (!is_websocket(message) || message.is_from_client || message.is_text) return std::nullopt;
  const MpPrefix id = read_mp_prefix(message.bytes, MpFraming::websocket_id);
  const bool is_id = message.bytes.reported == id_size && id.fields.peer(MpField::peer) > mp_server;
  if (is_id && may_be(Generation::godot4, message, options) && (options.is_told_multiplayer || message.is_binary)) {
    return verdict_of(Generation::godot4, MpFraming::websocket_id);
  }
  const MpPrefix prefix = read_mp_prefix(message.bytes, MpFraming::websocket3);
  const bool is_greeting = prefix.is_known && prefix.command == MpCommand::peer_id &&
                           looks_like_mp_packet(message.bytes, MpFraming::websocket3, options.read) == Likeness::weak;
  if (!is_greeting || !may_be(Generation::godot3, message, options)) return std::nullopt;
  return verdict_of(Generation::godot3, MpFraming::websocket3);
}

// @returns what the message says, as one of a game that is not known yet
PeerConversation::Guess PeerConversation::read_as_unknown(const PeerMessage &message,
                                                          const PeerOptions &options) const {
  const bool is_asked_for = options.generation.has_value() || options.is_told_multiplayer;
  const auto read_as = [&](Generation generation) {
    const std::optional<MpFraming> framing = framing_of(generation, message, options);
    return framing ? mp_evidence(message.bytes, *framing, options.read, is_greeted_) : Evidence{};
  };
  // 4.x games may ask for three channels, too, and 3.x games for many: that a generation is known says more.
  const bool is_many = !is_asked_for && message.channel_count == godot4_channel_count;
  // A system message is short: there must be more that speaks for Godot 3.
  const bool is_system = !options.is_told_multiplayer && !is_websocket(message) && message.channel == 0 &&
                         message.channel_count != godot3_channel_count;
  Evidence godot3;
  if (may_be(Generation::godot3, message, options) && !is_many && !is_system) godot3 = read_as(Generation::godot3);
  Evidence godot4;
  if (may_be(Generation::godot4, message, options)) {
    godot4 = is_greeted_ && is_authentication(message) ? Evidence{Likeness::strong} : read_as(Generation::godot4);
  }
  const bool is_3 = godot3.likeness >= godot4.likeness && godot3.likeness != Likeness::none;
  return is_3 ? Guess{godot3, Generation::godot3} : Guess{godot4, Generation::godot4};
}

void PeerConversation::begin_game(Generation generation, Moment moment) {
  generation_ = generation;
  choice_.settle(multiplayer, moment);
  server_->is_game = true;
  server_->generation = generation;
  if (enet3_framing_ == MpFraming::none) enet3_framing_ = server_->enet3_framing;
}

PeerVerdict PeerConversation::ask_multiplayer(const PeerMessage &message, const PeerOptions &options) {
  const bool is_first = choice_.first == message.moment;
  const auto greeting = is_first ? read_greeting(message, options) : std::nullopt;
  if (greeting) {
    // Four bytes alone may be anything: what comes next is to agree. Godot 3's prefix leaves no doubt.
    choice_.add(multiplayer, mp_greeting_evidence(greeting->generation), message.moment);
    if (!options.is_told_multiplayer && greeting->framing == MpFraming::websocket_id) return {};
    begin_game(greeting->generation, message.moment);
    return *greeting;
  }
  if (message.is_text) return {};
  const Guess reading = read_as_unknown(message, options);
  const bool is_possible = options.is_told_multiplayer && reading.evidence.likeness != Likeness::none;
  if (choice_.add(multiplayer, reading.evidence, message.moment) || is_possible) {
    begin_game(reading.generation, message.moment);
    return decide_in_game(message, reading.generation, options);
  }
  if (!options.is_told_multiplayer) return {};
  return decide_in_game(message, likely_generation(message, options), options);
}

PeerVerdict PeerConversation::ask_variant(const PeerMessage &message, const PeerOptions &options) {
  if (message.is_text || message.bytes.reported == 0) return {};
  const Evidence evidence = variant_evidence(message.bytes, options.read);
  if (!choice_.add(variant, evidence, message.moment)) return {};
  return {PeerProtocol::variant};
}

PeerVerdict PeerConversation::decide_settled(const PeerMessage &message, const PeerOptions &options) const {
  if (is_game()) {
    if (choice_.first == message.moment) {
      if (const auto greeting = read_greeting(message, options)) return *greeting;
    }
    return decide_in_game(message, generation_, options);
  }
  // Bytes and text beside Variants: the game's own, too.
  if (is_webrtc(message)) return {PeerProtocol::variant};
  // Over ENet a game may send much besides.
  const bool is_packet = is_websocket(message) || is_exact_variant(message.bytes, options.read);
  return {is_packet && !message.is_text ? PeerProtocol::variant : PeerProtocol::nobody};
}

PeerVerdict PeerConversation::offer(const PeerMessage &message, const PeerOptions &options) {
  const bool is_first = !choice_.was_asked;
  choice_.begin(message.moment);
  // A server may have WebSockets for other things, too: there a game begins as one.
  const bool may_be_game = options.may_be_multiplayer && (!is_websocket(message) || read_greeting(message, options));
  if (is_first && server_->is_game && may_be_game) begin_game(server_->generation, message.moment);
  PeerVerdict verdict;
  if (choice_.is_settled && (is_game() || !options.is_told_multiplayer)) {
    verdict = decide_settled(message, options);
    learn_framing(verdict, message, options);
    return verdict;
  }
  if (options.may_be_multiplayer || options.is_told_multiplayer) verdict = ask_multiplayer(message, options);
  if (verdict.protocol == PeerProtocol::nobody && options.may_be_variant) verdict = ask_variant(message, options);
  if (options.is_told_variant) verdict = {PeerProtocol::variant};
  learn_framing(verdict, message, options);
  if (!choice_.is_settled) prefix_.add(message);
  return verdict;
}

PeerVerdict PeerConversation::find(const PeerMessage &message, const PeerOptions &options) const {
  if (!choice_.is_settled) {
    if (options.is_told_variant) return {PeerProtocol::variant};
    if (!options.is_told_multiplayer) return {};
    return decide_in_game(message, likely_generation(message, options), options);
  }
  PeerVerdict verdict = decide_settled(message, options);
  verdict.is_early = message.moment < choice_.since;
  return verdict;
}

}  // namespace godot_codec
