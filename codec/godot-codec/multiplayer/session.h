// SPDX-License-Identifier: MIT
/// @file
/// Remembers what a game of the high-level multiplayer has said so far: which node a number stands for, who a client
/// is, which nodes are there, how new the synchronized values are.
///
/// A session learns on the first pass only, in the order of the capture. Every question names a moment and is answered
/// as it was known then, so that every pass says the same; the few answers that look ahead say so. All memory is the
/// session's and goes with it. It grows by what messages say, never by a number in them: a path, a spawned node or
/// synchronizer and a sync are a few entries each. All of it stays within a Budget; what does not is as if it had not
/// been said.
///
/// Rules: Godot 4's modules/multiplayer (scene_cache_interface.cpp, scene_replication_interface.cpp,
/// scene_multiplayer.cpp), Godot 3's core/io/multiplayer_api.cpp.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/budget.h"
#include "godot-codec/core/bytes.h"
#include "godot-codec/core/moment.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/told.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

class MpConnection;

/// Stands for the client of a connection wherever a peer is meant: its id may become known late, or never.
inline constexpr std::int32_t mp_client = std::numeric_limits<std::int32_t>::min();

/// After twice a round trip a path that was told should be confirmed; where none was measured, after this long.
inline constexpr std::int64_t mp_confirmation_wait = 1'000'000'000;
/// No sooner than this: Godot answers once a frame, ENet's acknowledgements may be sent without waiting for one.
inline constexpr std::int64_t mp_least_confirmation_wait = 100'000'000;

/// Who speaks to whom: ids of peers, or mp_client.
struct MpRoute {
  std::int32_t sender;
  std::int32_t receiver;  ///< mp_everyone: everyone; negative: everyone but that one
};

/// The peer whose path and net ids a message uses, and the peer that is to know them.
struct MpNumbering {
  std::int32_t owner;
  std::int32_t listener;  ///< see MpRoute::receiver
};

/// The transport's knowledge of which packets were delivered.
class MpDelivery {
 public:
  /// @param packet as in Moment
  /// @returns false where the receiver has not acknowledged all that the packet brought, as far as is known by now
  [[nodiscard]] virtual bool is_delivered(std::uint32_t packet) const = 0;
  /// When the receiver of the packet that this belongs to was last heard, as far as is known by now; in nanoseconds, as
  /// MpPacket::time.
  [[nodiscard]] virtual std::int64_t receiver_last_heard() const = 0;

 protected:
  ~MpDelivery() = default;
};

/// A packet of a connection while it is read.
struct MpPacket {
  const MpConnection *connection = nullptr;
  bool is_from_client = false;
  Moment moment;
  std::int64_t time = 0;             ///< the capture's time in nanoseconds; any number that a file says
  std::int64_t round_trip_time = 0;  ///< the newest measurement in nanoseconds; 0: not measured. Only learned from
  Bytes bytes;
  ReadOptions options;             ///< limits, and how reals are read
  const MpNames *names = nullptr;  ///< null: nobody has any
  bool has_roles = true;           ///< which end is the server is known; else client and server are names for two peers
  const MpDelivery *delivery = nullptr;  ///< null: what was sent counts as delivered
  std::uint32_t wire_size = 0;  ///< bytes of the packet that brought it; 0: those of the message. Only learned from
  const Layouts *layouts = nullptr;  ///< formats of the game's own; null: nobody has described any
  std::uint16_t server_port = 0;     ///< raw messages are described by it
};

// ---- who speaks to whom

/// From a connection's one end to the other.
[[nodiscard]] MpRoute direct_route(const MpPacket &packet);

/// The route of a command whose prefix names source and target.
[[nodiscard]] MpRoute prefixed_route(const MpPacket &packet, const MpPrefix &prefix);

/// The route of a relayed command; without roles its names stay unknown.
/// @param peer the peer in the relay: its target, or from the server its source
[[nodiscard]] MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer);

/// A confirmation is about its receiver's numbers, all else about its sender's. What is said is meant for who gets it
/// at the end of this connection, or further on; for everyone if that is several.
[[nodiscard]] MpNumbering numbering_of(const MpPacket &packet, const MpRoute &route, MpCommand command);

/// Who sends a packet, as far as it shows that.
enum class MpRole : std::uint8_t { unknown, client, server };

/// Only a server tells of peers that come and go, only a client wants something relayed to several.
/// @param packet of Godot 4, without a prefix
[[nodiscard]] MpRole role_of_sender(Bytes packet);

// ---- what fields mean

struct MpName;
struct MpNode;

/// Finds the path that fields name by a number, of a node or a spawner, as the listener was told it, or others were;
/// null if they name none, or it is not known.
[[nodiscard]] const MpName *find_mp_name(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering);

/// Finds the node that fields name by a net id, as the listener was told, or others were; null if there is none.
[[nodiscard]] const MpNode *find_mp_node(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering);

/// Number and types of values, which are known without names.
struct MpValueTypes {
  std::uint32_t count = 0;
  MpTypes types;
};

/// @param variants of a spawn, a sync or a delta
/// @param mask of a delta: which properties the values are of
[[nodiscard]] MpValueTypes read_mp_types(const MpPacket &packet, const MpMessage &message, const MpVariants &variants,
                                         std::uint64_t mask = ~std::uint64_t{0});

// ---- what is remembered

/// The path that a path id was said to stand for.
struct MpName {
  std::string_view text;            ///< the path; valid UTF-8, control characters escaped, a zero behind it
  std::string_view md5;             ///< Godot 4: of the node's methods; a zero behind it
  Moment defined;                   ///< when it was said
  std::int64_t time = 0;            ///< the capture's time when it was said
  std::int64_t patience = 0;        ///< after so long without a confirmation there should be one
  MpName *first = nullptr;          ///< the first definition of this name for this number; itself if it is the first
  std::optional<Moment> confirmed;  ///< only in the first one: when anybody has said that he knows it
  /// The first call with the whole path long after it was told and delivered; looks ahead: see is_never_confirmed().
  /// Packet 0: there is none.
  Moment late_call;
  /// The first message of the connection after the receiver's time to confirm it was over, likewise.
  Moment overdue;
};

/// A spawned node, as one receiver was told of it.
struct MpSpawn {
  std::string_view name;      ///< see MpName::text
  std::uint32_t spawner = 0;  ///< path id of the spawner, one of the owner's: see MpConnection::spawner_of()
  std::int32_t owner = 0;
  std::int32_t listener = 0;
  std::uint8_t scene = 0;
  std::uint32_t synchronizers = 0;  ///< that came with it
  std::uint32_t values = 0;         ///< that came with it, once someone has names for them
  std::string_view types;           ///< and theirs: MpTypes::text()
  Moment spawned;
  std::optional<Moment> despawned;
  /// When it was clear that one of its synchronizers goes to other clients and not to this one, so far; looks ahead.
  /// Packet 0: it is not so.
  Moment unsynchronized;
  std::uint32_t unsynchronized_place = 0;  ///< which synchronizer, from 0
};

/// Is a peer there, as its server has said?
struct MpWhereabouts {
  enum class State : std::uint8_t {
    here,  ///< or nobody can say
    gone   ///< the server has said that it has gone
  };
  State state = State::here;
  Moment moment;  ///< gone: when
};

/// The node that a net id stands for: a spawned node, or one of its synchronizers.
struct MpNode {
  static constexpr std::uint32_t itself = std::numeric_limits<std::uint32_t>::max();

  MpSpawn *spawn = nullptr;
  std::uint32_t place = itself;  ///< which synchronizer, from 0
};

/// Somebody was told of a path id.
struct MpTelling {
  const MpName *name = nullptr;  ///< null: nobody was
  std::int32_t receiver = 0;     ///< a peer's id, or mp_client where that is not known
};

/// Tells if the receiver has the node of a net id.
struct MpPresence {
  enum class State : std::uint8_t {
    present,
    gone,      ///< the receiver was told that the node is despawned
    not_told,  ///< the receiver, whose connection began in the capture, was not told of it, so far
    uncertain  ///< for several receivers, or one who may have been told before the capture began
  };
  State state = State::uncertain;
  Moment moment;  ///< gone: when; not_told: when it will be (looks ahead), packet 0 if never
};

/// One object of a sync.
struct MpSyncRecord {
  Moment moment;
  // Types of one size: on Windows, bits of others take words of their own.
  std::int64_t interval : 62;  ///< nanoseconds since the same receiver's last sync of the synchronizer
  std::uint64_t has_interval : 1;
  std::uint64_t is_late : 1;  ///< one as new had come before: Godot drops it
};

/// Texts of packets, each kept once.
class MpTexts {
 public:
  struct Text {
    std::string_view bytes;      ///< the bytes in the packet, a zero behind them
    std::string_view printable;  ///< valid UTF-8, control characters escaped, a zero behind it
  };

  explicit MpTexts(std::pmr::memory_resource *memory) : memory_(memory), texts_(memory) {}

  /// A text goes by what it says.
  struct Key {
    const Text *text = nullptr;

    auto operator<=>(const Key &other) const { return text->bytes <=> other.text->bytes; }
    bool operator==(const Key &other) const { return text->bytes == other.text->bytes; }
  };

  const Text *add(std::string_view bytes);
  /// @returns null if it was never added
  [[nodiscard]] const Text *find(std::string_view bytes) const;

 private:
  struct Nothing {};

  [[nodiscard]] std::string_view keep(std::string_view text);

  std::pmr::memory_resource *memory_;
  SortedMap<Key, Nothing> texts_;
};

/// Commands that clients have sent to be relayed, as long as a client of their server has no known id: who gets one
/// relayed, and from whom, shows who they are. The newest 1,024 of them, 1 MiB at most: a server relays at once.
class MpRelays {
 public:
  static constexpr std::size_t max_count = 1024;
  static constexpr std::size_t max_bytes = 1U << 20;
  /// Shorter ones are too likely to be sent by two clients.
  static constexpr std::size_t min_length = 8;

  explicit MpRelays(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : newest_(memory), by_command_(memory) {}

  struct Relay {
    std::pmr::string command;
    MpConnection *connection = nullptr;
    std::int32_t target = 0;
    bool is_ambiguous = false;  ///< several clients have sent it
  };

  void add(std::string_view command, MpConnection *connection, std::int32_t target);
  /// @returns null if none is known
  [[nodiscard]] const Relay *find(std::string_view command) const;
  void clear();
  [[nodiscard]] std::size_t count() const { return newest_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::pmr::list<Relay> newest_;
  std::pmr::map<std::string_view, Relay *> by_command_;
  std::size_t bytes_ = 0;
};

/// Knowledge that the connections of one server's clients share.
class MpServer final : public MpToldNodes {
 public:
  /// @param relay_memory takes back what is given back
  MpServer(std::pmr::memory_resource *memory, std::pmr::memory_resource *relay_memory)
      : relays_(relay_memory),
        clients_(memory),
        introductions_(memory),
        tellings_(memory),
        callers_(memory),
        told_nodes_(memory),
        comings_(memory),
        synced_(memory) {}

  [[nodiscard]] const MpRelays &relays() const { return relays_; }

  [[nodiscard]] std::string_view md5_of(std::string_view path) const override;
  std::size_t below(std::string_view path, std::span<MpToldNode> nodes) const override;
  [[nodiscard]] std::uint64_t version() const override { return told_version_; }

 private:
  friend class MpConnection;
  friend class MpSession;

  // Clients of unknown id that were told of this peer. If the count is 1, the sum of their indices is the one's index.
  struct Introduction {
    std::uint64_t count = 0;
    std::uint64_t sum_of_indices = 0;
  };
  struct TellingKey {
    std::int32_t sender;
    std::uint32_t number;
    Moment moment;

    auto operator<=>(const TellingKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };

  MpRelays relays_;
  std::pmr::map<std::int32_t, MpConnection *> clients_;      // by id
  std::pmr::map<std::int32_t, Introduction> introductions_;  // by the peer told of
  SortedMap<TellingKey, MpTelling> tellings_;                // tellings of numbers, on all connections
  std::size_t strangers_ = 0;                                // clients without a known id
  struct Caller {
    std::int64_t who = 0;
    bool is_only_one = true;
  };
  SortedMap<MpTexts::Key, Caller> callers_;               // callers of methods for the authority, by the node's path
  SortedMap<MpTexts::Key, std::string_view> told_nodes_;  // the newest MD5 by the node's path
  std::uint64_t told_version_ = 0;
  struct ComingKey {
    std::int32_t peer;
    Moment moment;

    auto operator<=>(const ComingKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  SortedMap<ComingKey, bool> comings_;              // is the peer there from then on? Only changes
  SortedMap<std::uint32_t, std::uint32_t> synced_;  // by net id: syncs and deltas of the server to its clients
};

/// The part of one side in an authentication (SceneMultiplayer::auth_callback). Packet 0: it has not come to that.
/// A side that asks drops all that is no authentication until it has called complete_auth() itself.
struct MpAuthentication {
  Moment asked;      ///< its first authentication command, bytes of the game's own or complete_auth()
  Moment completed;  ///< complete_auth()
  Moment others;     ///< its first command that is about something else
};

/// A client's connection to its server. Made by MpSession::add_connection().
class MpConnection {
 public:
  struct Parts {
    Budget *budget;
    std::pmr::memory_resource *memory;
    MpTexts *texts;
    std::pmr::deque<MpConnection> *all;
    MpServer *server;
    std::size_t index;
    bool is_from_start;
  };
  explicit MpConnection(const Parts &parts);

  // ---- learning, on the first pass

  /// Says that from a moment on the client's id is known. The first id stays.
  void learn_client(std::int32_t id, Moment moment);

  /// Learns from the bytes before a packet's command, or in its place.
  void learn_prefix(const MpPacket &packet, const MpPrefix &prefix);

  /// Learns from a command. To be called once for a packet's own command, and once for one inside of a relay.
  /// @param is_relayed the command is inside of a relay
  void learn_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route, bool is_relayed);

  // ---- who the client is

  [[nodiscard]] bool is_client_known(Moment moment) const;
  /// 0 where it is not known, ever.
  [[nodiscard]] std::int32_t client_id() const { return client_id_; }
  /// True if the connection of the server's client of that id is in the capture, too.
  [[nodiscard]] bool has_fellow(std::int32_t id) const;
  /// Tells if the server has a peer, as it has said by a moment.
  [[nodiscard]] MpWhereabouts whereabouts(std::int32_t peer, Moment moment) const;
  /// A peer as routes have it: mp_client if it is that.
  [[nodiscard]] std::int32_t peer_of(std::int32_t id, Moment moment) const;
  /// True if the capture has all that was sent on the connection.
  [[nodiscard]] bool is_from_start() const { return is_from_start_; }
  /// True if that was already known at a moment.
  [[nodiscard]] bool is_from_start(Moment moment) const { return is_from_start_ && from_start_since_ <= moment; }

  /// The part of the client, or of the server, in the connection's authentication, by now: looks ahead.
  [[nodiscard]] const MpAuthentication &authentication(bool of_client) const {
    return authentications_[of_client ? 1 : 0];
  }

  /// The id of an end, where neither is known to be the server: only a node's authority sends its values and spawns,
  /// and the game's scripts may prove who that is. Looks ahead. 0: not known
  [[nodiscard]] std::int32_t id_of_end(bool is_client) const { return end_ids_[is_client ? 1 : 0]; }

  // ---- paths

  /// All nodes that the server's clients and the server have told of, by now: looks ahead.
  [[nodiscard]] const MpToldNodes &told_nodes() const { return *server_; }

  /// Finds the path that a path id stands for, as the listener was told or, if he is not known to have been, anybody on
  /// this connection; null if nobody was.
  [[nodiscard]] const MpName *find_path(const MpNumbering &numbering, std::uint32_t number, Moment moment) const;
  /// The path of a spawned node's spawner; empty: not known.
  [[nodiscard]] std::string_view spawner_of(const MpSpawn &spawn) const;
  /// The newest definition of a path, likewise. @param path as the packet has it
  [[nodiscard]] const MpName *find_path(const MpNumbering &numbering, std::string_view path, Moment moment) const;

  /// The earliest definition of a path that comes after a moment: calls on another channel may overtake it. Looks
  /// ahead. @returns null if there is none
  [[nodiscard]] const MpName *find_later_path(const MpNumbering &numbering, std::string_view path, Moment moment) const;
  /// True if a list of methods that is in the game of the names had been said by a moment.
  [[nodiscard]] bool is_named_game(Moment moment) const { return named_since_ && *named_since_ <= moment; }

  /// True if the listener himself was told on this connection what a path id stands for.
  [[nodiscard]] bool was_told(const MpNumbering &numbering, std::uint32_t number, Moment moment) const;
  /// Where the listener was never told, though the connection began in the capture, and others were: whom, and what. Of
  /// no name where that is not so.
  [[nodiscard]] MpTelling told_to_others(const MpNumbering &numbering, std::uint32_t number, Moment moment) const;

  /// True if a peer has said that he knows a name; for everyone and everyone but one: if anybody has.
  [[nodiscard]] bool is_confirmed(const MpName &name, std::int32_t peer, Moment moment) const;
  /// When a peer was first to say so, if he has by that moment.
  [[nodiscard]] std::optional<Moment> confirmation(const MpName &name, std::int32_t peer, Moment moment) const;
  /// When a peer has said that the node's methods differ, if that is the last he has said of it by that moment.
  [[nodiscard]] std::optional<Moment> checksum_failure(const MpName &name, std::int32_t peer, Moment moment) const;
  /// A call of Godot 4 with the whole path: the path that the listener was told of so long ago that he should have
  /// confirmed it, and has not; null if all is well. Looks ahead: who confirms it at last does not lack the node;
  /// who tells the same path himself has it from then on.
  [[nodiscard]] const MpName *find_unconfirmed(const MpPacket &packet, const MpMessage &message,
                                               const MpNumbering &numbering) const;
  /// True if a name was told in vain: its listener has not confirmed it in the whole capture, though it was delivered
  /// long before messages that came later, or long before the transport heard the listener last. Looks ahead.
  /// @param packet the one that told the name
  [[nodiscard]] bool is_never_confirmed(const MpPacket &packet, const MpName &name, const MpNumbering &numbering) const;

  // ---- nodes

  /// Finds the node that a net id stands for, like find_path(); also one that is gone; null if nobody was told.
  [[nodiscard]] const MpNode *find_node(const MpNumbering &numbering, std::uint32_t net_id, Moment moment) const;
  /// Finds a spawned node of a name, of which the listener was told and that is not despawned; null if there is none.
  [[nodiscard]] const MpSpawn *find_spawned(const MpNumbering &numbering, std::string_view name, Moment moment) const;
  [[nodiscard]] MpPresence presence(const MpNumbering &numbering, std::uint32_t net_id, Moment moment) const;

  /// True if a peer is the only one known with authority over a node. A peer that sends a synchronizer's values has
  /// authority over the synchronizer and the nodes below; and over its root, if nobody else sends values for that. Only
  /// with names, which say where roots are. Looks ahead.
  /// @param path the node's path in the packet
  [[nodiscard]] bool is_only_authority(std::int32_t peer, std::string_view path) const;
  /// True if another peer is known to have authority, or several are.
  [[nodiscard]] bool has_other_authority(std::int32_t peer, std::string_view path) const;
  /// True if nobody but this peer has called a node's methods that are for its authority. Only with names; looks ahead.
  [[nodiscard]] bool is_only_caller(std::int32_t peer, std::string_view path, Moment moment) const;

  // ---- syncs

  /// The index-th object of the sync at a moment; null if that was not learned.
  [[nodiscard]] const MpSyncRecord *find_sync(Moment moment, std::size_t index) const;

 private:
  friend class MpSession;

  struct ConfirmationKey {
    const MpName *name;
    std::int32_t peer;
    Moment moment;

    auto operator<=>(const ConfirmationKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct SyncKey {
    std::int32_t owner;
    std::int32_t listener;
    std::uint32_t id;  // the number on the wire: bit 31 says that it is a path id

    auto operator<=>(const SyncKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  // Peers that act as a node's authority.
  struct Authority {
    std::int32_t peer;
    bool is_only_one;
  };
  struct SynchronizerKey {
    const MpName *name;
    std::int32_t owner;

    auto operator<=>(const SynchronizerKey &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  struct Nothing {};
  struct LastSync {
    bool is_new = true;  // any time is newer than none
    std::uint16_t number = 0;
    bool has_time = false;
    std::int64_t time = 0;
  };

  // Somebody who was told of a name, and has time to confirm it.
  struct Awaited {
    MpName *name;
    std::int32_t listener;
    std::int32_t owner;
  };

  /// The end that was called the client is the server, and the other way round.
  void turn();
  void move_to(MpServer &server);
  void learn_direct(const MpPacket &packet, const MpMessage &message);
  void learn_peer(std::int32_t id);
  void learn_coming(std::int32_t id, bool is_here, Moment moment);
  void learn_synchronized(std::uint32_t net_id, const MpNumbering &numbering);
  void learn_unsynchronized(Moment moment);
  void learn_all_peers(Moment moment);
  [[nodiscard]] std::int32_t only_stranger() const;
  void learn_relay_to_server(std::int32_t target, std::string_view command);
  void learn_relay_from_server(std::int32_t source, std::string_view command, Moment moment);
  void learn_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_node(const MpTexts::Text *path, std::string_view md5);
  void learn_telling(const MpName &name, const MpNumbering &numbering, std::uint32_t number);
  void learn_confirmation(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_despawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_sync(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_delta(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_synchronizer(const MpPacket &packet, const MpFields &object, const MpNumbering &numbering);
  void learn_spawner(const MpNames &names, const MpSpawn &spawn, std::int32_t peer);
  void learn_authentication(const MpPacket &packet, const MpMessage &message);
  void learn_authority(std::string_view path, std::int32_t peer);
  void learn_end(const MpPacket &packet, std::string_view path);
  void learn_caller(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);
  void learn_overdue(const MpPacket &packet);
  [[nodiscard]] std::int64_t caller_of(std::int32_t peer, Moment moment) const;
  [[nodiscard]] const Authority *find_authority(std::string_view path) const;
  [[nodiscard]] MpName *find_told(const MpNumbering &numbering, std::string_view path, Moment moment) const;
  /// The path of a call that nobody has confirmed, by all that is known.
  [[nodiscard]] MpName *find_awaited(const MpPacket &packet, const MpMessage &message,
                                     const MpNumbering &numbering) const;
  [[nodiscard]] bool is_ever_confirmed(const MpName &name, std::int32_t peer) const;
  [[nodiscard]] bool is_told_in_vain(const MpName &name, std::int32_t peer) const;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::int32_t peer, Moment moment) const;

  Budget *budget_;
  Budget::Account account_;
  std::pmr::memory_resource *memory_;
  MpTexts *texts_;
  std::pmr::deque<MpConnection> *all_;
  MpServer *server_;
  std::size_t index_;
  bool is_from_start_;
  Moment from_start_since_;  ///< when that was known
  std::int32_t client_id_ = 0;
  Moment client_known_since_;
  std::int32_t end_ids_[2] = {};           // id_of_end(): the server's, the client's, which are mere names there
  bool has_all_peers_ = false;             // that were there when the client came
  std::pmr::set<std::int32_t> peers_;      // that the server has told a client of, as long as that may show who he is
  std::optional<Moment> named_since_;      // MpNames::has_list() of what was said
  MpTold<std::uint32_t, MpName *> paths_;  // by number
  Moment last_path_told_;                  // on this connection, to whomever
  MpTold<const MpTexts::Text *, MpName *> paths_by_text_;  // by the text in the packet
  MpTold<std::uint32_t, const MpNode *> nodes_;            // by net id
  SortedMap<ConfirmationKey, bool> confirmations_;         // if the checksum was right; only changes
  SortedMap<SynchronizerKey, Nothing> synchronizers_;      // the synchronizers whose authority is in authorities_
  struct SpawnName {
    const MpTexts::Text *name;
    std::int32_t owner;
    std::int32_t listener;

    auto operator<=>(const SpawnName &) const = default;  // NOLINT(modernize-use-nullptr): not ours
  };
  SortedMap<SpawnName, const MpSpawn *> spawns_by_name_;     // the newest
  MpAuthentication authentications_[2];                      // the server's, the client's
  SortedMap<const MpTexts::Text *, Authority> authorities_;  // by the node's path
  SortedMap<SyncKey, LastSync> last_syncs_;
  std::list<Awaited> awaited_;           // told, and not known to be confirmed; the newest at the end
  std::pmr::deque<MpSyncRecord> syncs_;  // in the order of the capture
  // A synchronizer that came with a node, and whose values have not come to the client.
  struct Unsynchronized {
    std::uint32_t net_id;
    std::uint32_t place;
    std::uint32_t count_before;  // MpServer::synced_ when the node was spawned
    MpSpawn *spawn;
  };
  std::pmr::vector<Unsynchronized> unsynchronized_;
  std::uint32_t heard_of_server_ = 0;  // messages
};

/// All games of a capture.
class MpSession {
 public:
  /// @param upstream where its memory comes from
  explicit MpSession(std::pmr::memory_resource *upstream = std::pmr::get_default_resource());
  MpSession(const MpSession &) = delete;
  MpSession &operator=(const MpSession &) = delete;

  /// Where a client connects to a server. Its address stays.
  /// @param server a number for the server's address and port, whatever the caller makes of it
  /// @param is_from_start the connection began in the capture
  MpConnection &add_connection(std::uint64_t server, bool is_from_start);

  /// Says of two peers, for whom client and server were mere names, that one is the server. Nothing was relayed so far.
  /// @param server as in add_connection(): the others are its clients, too
  /// @param is_turned the end that was called the client is the server
  void learn_roles(MpConnection &connection, std::uint64_t server, bool is_turned);

  /// The knowledge about a server's clients; null if it has none.
  [[nodiscard]] const MpServer *find_server(std::uint64_t server) const;

  /// The first message of which something was left out, as the budget was spent; packet 0: there is none.
  [[nodiscard]] Moment first_left_out() const { return budget_.spent(); }

 private:
  Budget budget_;
  std::pmr::monotonic_buffer_resource arena_;
  Budget::Memory memory_;  ///< never given back
  Budget::Memory relay_memory_;
  MpTexts texts_;
  std::pmr::map<std::uint64_t, MpServer> servers_;
  std::pmr::deque<MpConnection> connections_;
};

}  // namespace godot_codec
