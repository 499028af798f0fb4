// SPDX-License-Identifier: MIT
/// @file
/// Detects the protocol of messages between two peers over ENet, a WebSocket or WebRTC: the high-level multiplayer, or
/// Variants alone. Only the messages of a connection show the protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "godot-codec/core/message.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/packet_reader.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// The candidate protocols, in the order of evaluation.
enum class PeerProtocol : std::uint8_t { multiplayer, variant, unclaimed };

/// Settings of the user.
struct PeerDetectionOptions {
  ReadOptions read;                        ///< limits, and how reals are read
  std::optional<Generation> generation{};  ///< the generation of the multiplayer, if a preference sets it
  bool may_be_multiplayer = true;          ///< false: the multiplayer is not a candidate
  bool may_be_variant = true;
  bool is_multiplayer_configured = false;  ///< true: a preference names the multiplayer; only the generation is unknown
  bool is_variant_configured = false;      ///< true for a data channel that the game has opened: all messages are shown
};

/// The protocol of a message.
struct ProtocolDecision {
  PeerProtocol protocol = PeerProtocol::unclaimed;
  MpFraming framing = MpFraming::none;  ///< of the multiplayer; unused for other protocols
  bool is_before_decision = false;      ///< true if a later message decided the protocol
};

/// The facts about one server. The decision of one connection is only a prior for the server's next connection.
struct PeerServerFacts {
  /// By generation: number of connections with messages that prove that they belong to a game.
  std::array<std::uint32_t, 2> game_connections{};
  /// By generation: the position at which game_connections fell back to zero.
  std::array<PacketPosition, 2> no_games_since{};
};

/// Stores the first messages of a conversation until the protocol is decided, so that the session can then be updated
/// from them. Stores at most max_count messages and max_bytes bytes, and ignores further messages.
class PendingPeerMessages {
 public:
  static constexpr std::size_t max_count = 64;
  static constexpr std::size_t max_bytes = std::size_t{16} << 10;

  void add(const Message &message);
  [[nodiscard]] std::size_t count() const { return entries_.size(); }
  /// Returns a stored message. Its bytes are valid until the next call of add() or clear().
  [[nodiscard]] Message message(std::size_t index) const;
  void clear();

 private:
  struct Entry {
    Message message;  // its bytes are stored in bytes_
    std::size_t offset;
  };
  // Enough for most conversations, so that the lists rarely grow.
  static constexpr std::size_t usual_count = 16;
  static constexpr std::size_t usual_bytes = 512;

  std::vector<Entry> entries_;
  std::vector<std::uint8_t> bytes_;
};

class PeerDetection {
 public:
  /// @param is_godot_connect true if the conversation began like a game's conversation
  /// @param server outlives the conversation
  PeerDetection(bool is_godot_connect, PeerServerFacts *server)
      : is_godot_connect_(is_godot_connect), server_(server) {}

  /// Sets the number of channels that the client of an ENet connection has requested.
  void set_channel_count(std::uint32_t count) { channel_count_ = count; }
  /// Quick check of the next message, before detect(). If the messages so far contradict all candidates, refuses most
  /// messages that cannot be Variants. The others are evaluated, because other messages may precede a game.
  /// @returns true if the message was refused; detect() must then not be called
  bool refuse(Bytes message);
  /// Like refuse(), for a text over a WebSocket. Such a text is no evidence, and does not change a game's state.
  bool refuse_text(const Message &message);
  /// Evaluates the next message. Must be called once per message, in capture order.
  ProtocolDecision detect(MpPacketReader &reader, const PeerDetectionOptions &options);
  /// Returns the protocol of a message, given all messages that were evaluated. For later passes.
  [[nodiscard]] ProtocolDecision find_decision(MpPacketReader &reader, const PeerDetectionOptions &options) const;

  /// The messages before the protocol was decided. Must be cleared after the session was updated from them.
  [[nodiscard]] PendingPeerMessages &pending_messages() { return pending_messages_; }
  [[nodiscard]] bool is_game() const { return detection_.is_decided_as(game3) || detection_.is_decided_as(game4); }
  [[nodiscard]] Generation generation() const { return generation_of(detection_.decided_candidate); }
  /// True if this conversation's own messages have decided for a game, not only the server's other connections.
  [[nodiscard]] bool has_proven_game() const { return reported_generation_.has_value(); }

 private:
  /// The candidates, in the order of evaluation.
  enum Candidate : std::uint8_t { game3, game4, variant, candidate_count };

  [[nodiscard]] static Generation generation_of(std::uint8_t candidate) {
    return candidate == game3 ? Generation::godot3 : Generation::godot4;
  }
  [[nodiscard]] bool may_be_generation(Generation generation, const Message &message,
                                       const PeerDetectionOptions &options) const;
  [[nodiscard]] Generation guess_generation(const Message &message, const PeerDetectionOptions &options) const;
  [[nodiscard]] bool is_authentication(MpPacketReader &reader) const;
  [[nodiscard]] ProtocolDecision decide_for_candidate(MpPacketReader &reader,
                                                      const PeerDetectionOptions &options) const;
  [[nodiscard]] ProtocolDecision decide_in_game(MpPacketReader &reader, Generation generation,
                                                const PeerDetectionOptions &options) const;
  [[nodiscard]] std::optional<ProtocolDecision> read_initial_message(MpPacketReader &reader,
                                                                     const PeerDetectionOptions &options) const;
  [[nodiscard]] Evidence evidence_of_game(Generation generation, MpPacketReader &reader,
                                          const PeerDetectionOptions &options) const;
  [[nodiscard]] Evidence evidence_for(Candidate candidate, MpPacketReader &reader,
                                      const PeerDetectionOptions &options) const;
  [[nodiscard]] int prior_of(Candidate candidate, const Message &message, const PeerDetectionOptions &options) const;
  [[nodiscard]] bool is_still_decided(const Message &message, const PeerDetectionOptions &options) const;
  [[nodiscard]] bool is_possible(Candidate candidate, const Message &message,
                                 const PeerDetectionOptions &options) const;
  void update_scores(MpPacketReader &reader, const PeerDetectionOptions &options);
  void choose_candidate(const Message &message, const PeerDetectionOptions &options);
  void report_to_server(PacketPosition position);
  [[nodiscard]] std::optional<MpFraming> find_framing(Generation generation, MpPacketReader &reader) const;
  void record_framing(const ProtocolDecision &decision, MpPacketReader &reader);

  ProtocolDetection<candidate_count> detection_{};
  PendingPeerMessages pending_messages_;
  bool is_godot_connect_;
  bool has_server_prior_ = true;
  std::uint32_t channel_count_ = 0;                // number of channels that ENet's client requested; 0: not known
  std::uint32_t message_count_ = 0;                // number of messages since the decision, or since its revocation
  std::optional<Generation> reported_generation_;  // the generation that this conversation has reported to its server
  MpFraming enet3_framing_ = MpFraming::none;  // the prefix of Godot 3's packets; none: no packet has shown it so far
  PeerServerFacts *server_;
};

}  // namespace godot_codec
