// SPDX-License-Identifier: MIT
/// @file
/// Decodes a game over ENet from its UDP datagrams, which may come from a socket or a capture. Returns calls, spawns,
/// syncs and custom messages, with node names, arguments and (if available) method names.
///
/// Call it once per datagram. It decompresses, skips retransmissions, reassembles fragments and identifies peers. It
/// also detects whether a connection uses the multiplayer of Godot 4 or 3, or sends only Variants.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/memory_budget.h"
#include "godot-codec/detection/game_connection.h"
#include "godot-codec/detection/peer_detection.h"
#include "godot-codec/embedded/embedded_decoder.h"
#include "godot-codec/enet/session.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/packet_reader.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/variant_value.h"

namespace godot_codec {

/// One endpoint of a conversation.
struct GameEndpoint {
  std::uint64_t host_id = 0;  ///< identifies the address; the caller chooses the number
  std::uint16_t port = 0;

  auto operator<=>(const GameEndpoint &) const = default;  // NOLINT(modernize-use-nullptr): not ours
};

/// A UDP datagram. On a server, also pass the datagrams that the server sends, because they announce half of the IDs.
struct GameDatagram {
  GameEndpoint from;
  GameEndpoint to;
  Bytes bytes;            ///< UDP payload
  std::int64_t time = 0;  ///< in nanoseconds, from any monotonic clock
};

/// A complete message that a datagram delivered.
struct GameMessage {
  /// A command of the multiplayer, a single Variant, or `unclaimed` for a custom payload.
  PeerProtocol protocol = PeerProtocol::unclaimed;
  Outcome outcome = Outcome::ok;  ///< how reading the message ended
  GameEndpoint from;              ///< the datagram's sender
  GameEndpoint to;
  std::uint8_t channel = 0;  ///< ENet's channel number
  Bytes bytes;               ///< the whole message, decompressed and reassembled
  /// The summary of the message: `RPC Main/World.take_damage(5, "fall")`, `Dictionary(2) {cmd: "join", name: "Ada"}`,
  /// `Raw bytes(5)`. Valid UTF-8 with escaped control characters, at most 1,000 bytes.
  std::string_view text;

  // Set for the multiplayer only:
  /// ID of the original sender; 0: not known. If a server relays the message, this peer is not at the address `from`.
  std::int32_t sender = 0;
  std::int32_t receiver = 0;  ///< ID of the receiver; 0: everyone, or not known; negative: everyone except the peer
                              ///< with the negated ID
  MpMessage message;          ///< for a relay, the relayed command; its ranges are offsets in `bytes`
  std::string_view path;      ///< path of the node that the message is about; empty: none or not known
  std::string_view method;    ///< name of the called method; empty: not known (message.fields has the method's number)

  /// The arguments of a call, the value of an rset, the state of a spawn, or the single Variant. Ends before the first
  /// unreadable value.
  std::span<const VariantValue> values;
};

/// Decodes the games of one or several servers.
///
/// Keeps state: about 60 bytes per reliable command, the bytes of fragmented messages, and the names of paths and
/// nodes. If the state exceeds memory_limit, the reader drops all of it. It then starts again, as if it had joined in
/// the middle of the games. Not thread-safe. Only memory allocation throws, whatever the input.
class GameReader {
 public:
  struct Options {
    ReadOptions read;                                   ///< limits, and whether reals have 64 bits
    const MpGameNames *names = nullptr;                 ///< must outlive the reader; see project/project.h
    std::size_t memory_limit = std::size_t{256} << 20;  ///< in bytes
  };

  GameReader();
  explicit GameReader(const Options &options);
  GameReader(const GameReader &) = delete;
  GameReader &operator=(const GameReader &) = delete;

  /// Reads the next datagram. Between two endpoints that have not used ENet yet, a foreign datagram changes nothing.
  /// @returns the messages that the datagram completed, in order. They are valid until the next call, and only as long
  /// as the datagram's bytes
  std::span<const GameMessage> read(const GameDatagram &datagram);

  /// True if the last datagram was an ENet datagram.
  [[nodiscard]] bool is_enet_datagram() const { return is_enet_datagram_; }
  /// The commands of the last datagram, including ENet's control commands. Valid as long as its messages.
  [[nodiscard]] const EnetDatagram &enet_datagram() const { return enet_datagram_; }
  /// Size of the reader's state, in bytes.
  [[nodiscard]] std::size_t state_size() const;
  /// Number of times that the state was dropped because of memory_limit.
  [[nodiscard]] std::size_t restart_count() const { return restart_count_; }

 private:
  static constexpr std::size_t max_text_size = 1000;

  struct ReaderConnection : GameConnection {
    DialectHistory dialects{};
    bool is_decided = false;  // true once a protocol was decided
  };
  struct KnownServer {
    std::uint64_t number;
    PeerServerFacts facts;
  };
  // The state of two endpoints; the key has the lower endpoint first.
  struct HostPairState {
    HostPairState(EnetHostPair *hosts, std::pmr::memory_resource *memory) : enet(hosts), connections(memory) {}

    EnetHostPair *enet;
    std::pmr::map<std::uint32_t, ReaderConnection> connections;  // by connection
  };
  // The whole state.
  struct ReaderState {
    explicit ReaderState(std::pmr::memory_resource *memory)
        : enet(memory), games(memory), hosts(memory), servers(memory) {}

    EnetSession enet;
    MpSession games;
    std::pmr::map<std::pair<GameEndpoint, GameEndpoint>, HostPairState> hosts;
    std::pmr::map<GameEndpoint, KnownServer> servers;
  };

  void restart();
  HostPairState *read_enet(const GameDatagram &datagram, PacketPosition position);
  ReaderConnection &find_or_add_connection(HostPairState &hosts, const EnetConnection &connection,
                                           const GameDatagram &datagram);
  void read_message(const GameDatagram &datagram, HostPairState &hosts, const EnetConnection &connection,
                    std::uint8_t channel, Bytes bytes);
  ProtocolDecision detect_protocol(ReaderConnection &link, MpPacketReader &reader);
  void read_multiplayer(GameMessage &out, const ReaderConnection &link, MpPacketReader &reader,
                        const ProtocolDecision &decision, TextBuffer &text);
  void read_variant(GameMessage &out, ReaderConnection &link, const Message &incoming, TextBuffer &text);
  void read_values(GameMessage &out, Range range, std::uint32_t count, const Encoding &encoding);
  std::string_view escape_for_display(std::string_view text);

  [[nodiscard]] GameContext game_context() const { return {options_.names}; }

  Options options_;
  std::unique_ptr<const EmbeddedDecoder> decoder_;  // decodes byte arrays for the texts
  MemoryBudget memory_budget_;                      // counts the memory of the state
  MemoryBudget::ChargedMemory memory_{memory_budget_, std::pmr::new_delete_resource()};
  std::unique_ptr<ReaderState> state_;
  std::size_t undecided_connections_ =
      0;  // number of connections without a decided protocol; their first messages are stored
  std::uint32_t datagram_count_ = 0;  // number of datagrams since the last restart
  std::size_t restart_count_ = 0;
  bool is_enet_datagram_ = false;
  EnetDatagram enet_datagram_;
  std::pmr::monotonic_buffer_resource scratch_;  // memory for the current datagram
  std::vector<GameMessage> messages_;
  std::vector<VariantValue> found_values_;
  ValueArena arena_;
};

}  // namespace godot_codec
