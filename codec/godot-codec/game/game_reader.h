// SPDX-License-Identifier: MIT
/// @file
/// A game over ENet, read from its datagrams: in goes what a socket or a capture has, out come calls with the names of
/// nodes and, where somebody has them, of methods, their arguments, spawns, syncs, and the game's own messages.
///
/// One call a datagram: decompressed, what was resent left out, fragments put together, peers told apart, recognised as
/// Godot 4's or Godot 3's multiplayer or as Variants alone.
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
#include "godot-codec/detection/dialect_history.h"
#include "godot-codec/detection/game_link.h"
#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/embedded/opener.h"
#include "godot-codec/enet/session.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/value.h"

namespace godot_codec {

/// One end of a conversation.
struct GameEndpoint {
  std::uint64_t host = 0;  ///< a number for its address, whatever the caller makes of it
  std::uint16_t port = 0;

  auto operator<=>(const GameEndpoint &) const = default;  // NOLINT(modernize-use-nullptr): not ours
};

/// A UDP datagram. A server gives its own endpoint for what it sends, too: half of what is known of numbers is said
/// there.
struct GameDatagram {
  GameEndpoint from;
  GameEndpoint to;
  Bytes bytes;            ///< UDP's payload
  std::int64_t time = 0;  ///< in nanoseconds, of any clock that does not go back
};

/// A message that a datagram has brought whole.
struct GameMessage {
  /// A command of the multiplayer, a Variant alone, or neither: the game's own bytes.
  PeerProtocol protocol = PeerProtocol::nobody;
  Outcome outcome = Outcome::ok;  ///< how reading it ended
  GameEndpoint from;              ///< who has sent the datagram
  GameEndpoint to;
  std::uint8_t channel = 0;  ///< ENet's number
  Bytes bytes;               ///< all of it, decompressed and put together
  /// The message as a sentence: `RPC Main/World.take_damage(5, "fall")`, `Dictionary(2) {cmd: "join", name: "Ada"}`,
  /// `Raw bytes(5)`. Valid UTF-8, control characters escaped, of 1,000 bytes at most.
  std::string_view text;

  // These are set for the multiplayer only.
  std::int32_t sender = 0;    ///< the peer that says it, who may be further away than `from`; 0: not known
  std::int32_t receiver = 0;  ///< the peer that it is for; 0: everyone, or not known; negative: everyone but that one
  MpMessage message;          ///< for a relay, the command inside; its fields are offsets in `bytes`
  std::string_view path;      ///< path of the node that is called, spawned by, confirmed …; empty: not known, or none
  std::string_view method;    ///< that is called; empty: nobody knows its name (message.fields has its number)

  /// The arguments of a call, the value of an rset, the state of a spawn; or the one Variant. Those in front of the
  /// first that cannot be read.
  std::span<const Value> values;
};

/// Reads the games of one or several servers.
///
/// It remembers what was said: some 60 bytes for each reliable command, the bytes of each message in fragments, for
/// each path and node what it is called. It takes up to memory_limit of that, and then forgets all of it and begins
/// anew, as one that came in the middle. Not to be used by several threads at once. Whatever bytes come, it throws
/// nothing but what its memory does.
class GameReader {
 public:
  struct Options {
    ReadOptions read;                                   ///< limits, and how reals are read
    const MpNames *names = nullptr;                     ///< lives as long as the reader. See project/project.h
    std::size_t memory_limit = std::size_t{256} << 20;  ///< in bytes
  };

  GameReader();
  explicit GameReader(const Options &options);
  GameReader(const GameReader &) = delete;
  GameReader &operator=(const GameReader &) = delete;

  /// Takes the next datagram. Between ends that have not spoken ENet yet, one that is not ENet's changes nothing.
  /// @returns the messages that it has completed, in order; they, and what they point at, live until the next call, and
  /// no longer than the datagram's bytes
  std::span<const GameMessage> read(const GameDatagram &datagram);

  /// True if the last datagram was one of ENet's.
  [[nodiscard]] bool is_enet() const { return is_enet_; }
  /// Its commands, the transport's own among them. They live as long as the messages do.
  [[nodiscard]] const EnetDatagram &enet() const { return enet_; }
  /// Bytes that are remembered.
  [[nodiscard]] std::size_t memory() const;
  /// How often it has forgotten everything for want of memory.
  [[nodiscard]] std::size_t restarts() const { return restarts_; }

 private:
  static constexpr std::size_t max_text = 1000;

  // Counts the memory of the sessions.
  struct CountedMemory final : std::pmr::memory_resource {
    std::size_t used = 0;

   private:
    void *do_allocate(std::size_t size, std::size_t alignment) override;
    void do_deallocate(void *memory, std::size_t size, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
  };

  struct Link : GameLink {
    DialectHistory dialects{};
    bool is_decided = false;  // it has been somebody's
  };
  struct Server {
    std::uint64_t number;
    PeerServer known;
  };
  // Two ends: the lower endpoint first.
  struct Hosts {
    Hosts(EnetHosts *hosts, std::pmr::memory_resource *memory) : enet(hosts), links(memory) {}

    EnetHosts *enet;
    std::pmr::map<std::uint32_t, Link> links;  // by connection
  };
  // All that is remembered.
  struct Memories {
    explicit Memories(std::pmr::memory_resource *memory)
        : enet(memory), games(memory), hosts(memory), servers(memory) {}

    EnetSession enet;
    MpSession games;
    std::pmr::map<std::pair<GameEndpoint, GameEndpoint>, Hosts> hosts;
    std::pmr::map<GameEndpoint, Server> servers;
  };

  void begin_anew();
  Hosts *read_enet(const GameDatagram &datagram, PacketPosition moment);
  Link &link_of(Hosts &hosts, const EnetConnection &connection, const GameDatagram &datagram);
  void take_message(const GameDatagram &datagram, Hosts &hosts, const EnetConnection &connection, std::uint8_t channel,
                    Bytes bytes);
  PeerVerdict ask(Link &link, MpReader &reader);
  void read_multiplayer(GameMessage &out, const Link &link, MpReader &reader, const PeerVerdict &verdict,
                        TextBuffer &text);
  void read_variant(GameMessage &out, Link &link, const Message &carried, TextBuffer &text);
  void read_values(GameMessage &out, Range range, std::uint32_t count, const Encoding &encoding);
  std::string_view printable(std::string_view text);

  [[nodiscard]] GameSources sources() const { return {options_.read, options_.names}; }

  Options options_;
  std::unique_ptr<const Opener> opener_;  // texts ask it for what bytes hold
  CountedMemory memory_;
  std::unique_ptr<Memories> memories_;
  std::size_t undecided_ = 0;    // connections that keep their first messages
  std::uint32_t datagrams_ = 0;  // since it began anew
  std::size_t restarts_ = 0;
  bool is_enet_ = false;
  EnetDatagram enet_;
  std::pmr::monotonic_buffer_resource scratch_;  // for one datagram
  std::vector<GameMessage> messages_;
  std::vector<Value> found_;
  ValueArena arena_;
};

}  // namespace godot_codec
