// SPDX-License-Identifier: MIT
// State of a high-level multiplayer session, and the summaries of its messages: packet by packet, as known at each
// packet.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "counting_memory.h"
#include "events.h"
#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/multiplayer/summary.h"
#include "mp_messages.h"

namespace godot_codec::test {
namespace {

constexpr std::uint64_t server = 7;
constexpr std::int32_t ada = 1111;
constexpr std::int32_t bo = 2222;
constexpr std::int32_t cy = 3333;
constexpr std::int64_t millisecond = 1'000'000;

// ---- a handmade capture of the games on one server

// A captured packet.
struct Sent {
  MpPacket packet;
  MpMessage message;  // the relayed message, if the packet is a relay
  MpRoute route;
  std::uint32_t frame = 0;

  [[nodiscard]] MpIdScope scope() const { return id_scope_of(packet, route, message.command); }
  [[nodiscard]] MpPacketItem item() const { return {packet, message, scope(), message}; }
  [[nodiscard]] const MpPathTracker &paths() const { return packet.connection->paths(); }
};

using Texts = std::vector<std::string>;

// The sides of a connection. If a test knows which side is the server, it is usually the first side.
constexpr std::int32_t server_end = mp_side(0);
constexpr std::int32_t client_end = mp_side(1);

std::string peer_name(std::int32_t peer) {
  if (peer == client_end) return "client";
  return peer == server_end ? "1" : std::to_string(peer);
}

// Answers of a connection's transport.
struct FakeDelivery final : DeliveryInfo {
  [[nodiscard]] bool is_delivered(std::uint32_t packet) const override { return is_arrived && !lost.contains(packet); }
  [[nodiscard]] std::int64_t receiver_last_packet_time() const override { return heard; }
  [[nodiscard]] UnreliableLosses count_unreliable_losses() const override { return losses; }
  [[nodiscard]] RoundTripRange round_trip_range() const override { return round_trips; }
  [[nodiscard]] bool has_acknowledged_uncaptured(bool by_sender, std::int64_t /*after*/,
                                                 std::int64_t /*until*/) const override {
    return has_got && by_sender == is_got_by_sender;
  }

  std::set<std::uint32_t> lost;
  std::int64_t heard = 0;  // time of the receiver's last datagram
  UnreliableLosses losses;
  RoundTripRange round_trips;
  bool is_arrived = true;
  bool has_got = false;  // something that was not captured
  bool is_got_by_sender = false;
};

class Capture {
 public:
  explicit Capture(std::pmr::memory_resource *memory = std::pmr::get_default_resource()) : session_(memory) {}

  // Adds a connection that begins in the capture, as with ENet.
  MpConnection &connect(std::int32_t client) {
    MpConnection &connection = session_.add_connection(server, true, nullptr, has_roles_);
    connection.record_client_id(client, packet_position_zero);
    return connection;
  }
  // Adds a connection that began before the capture.
  MpConnection &add_unknown() { return session_.add_connection(server, false, nullptr, has_roles_); }

  // Adds a packet from a client to the server, one millisecond after the previous packet.
  Sent from(MpConnection &client, const Data &data, MpFraming framing = MpFraming::none) {
    return add(client, true, data, framing);
  }
  Sent to(MpConnection &client, const Data &data, MpFraming framing = MpFraming::none) {
    return add(client, false, data, framing);
  }
  void wait(std::int64_t milliseconds) { time_ += milliseconds * millisecond; }
  void set_round_trip_time(std::int64_t milliseconds) {
    measured_.round_trips.max = milliseconds * millisecond;
    delivery_ = &measured_;
  }
  void set_time(std::int64_t nanoseconds) { time_ = nanoseconds; }
  void set_names(const MpGameNames *names) { names_ = names; }
  void disable_roles() { has_roles_ = false; }
  // An end shows that it is the server.
  static void record_server(MpConnection &connection, unsigned end, std::int64_t time = 0) {
    const ExactBytes bytes(add_peer(cy));
    Message message{bytes.get()};
    message.sender_side = end;
    message.time = time;
    connection.update_role(message);
  }
  void set_delivery(const DeliveryInfo *delivery) { delivery_ = delivery; }
  // Sets the sequence number of the next message in its channel. A message without a sequence number may overtake
  // others.
  void set_next_seq(std::uint16_t number) { next_sequence_ = {0, number, 1}; }
  // Removes this number of bytes from the end of the next message.
  void cut(std::size_t bytes) { cut_ = bytes; }
  void make_next_message_unordered() { next_sequence_ = {0, 0, 0, 1, true}; }

 private:
  Sent add(MpConnection &connection, bool is_from_client, const Data &data, MpFraming framing) {
    const std::size_t cut = std::exchange(cut_, 0);
    bytes_.push_back(std::make_unique<ExactBytes>(data.first(data.size() - cut), cut == 0 ? 0 : data.size()));
    if (time_ < std::numeric_limits<std::int64_t>::max() - millisecond) time_ += millisecond;
    Sent sent;
    sent.frame = ++frame_;
    MpPacket &packet = sent.packet;
    packet.bytes = bytes_.back()->get();
    packet.position = {frame_, 0};
    packet.time = time_;
    packet.sender_side = is_from_client ? 1 : 0;
    packet.role = connection.peers().role_of(packet.sender_side);
    packet.sequence = next_sequence_;
    packet.delivery = delivery_;
    packet.connection = &connection;
    packet.names = names_;
    sent.packet.values = &values_.emplace_back(sent.packet.bytes, ReadOptions{});
    Message with_size(sent.packet);
    with_size.wire_size = 100;
    connection.record_sequence(with_size);
    next_sequence_ = {};
    const MpPrefix prefix = read_mp_prefix(sent.packet.bytes, framing);
    connection.record_prefix(sent.packet, prefix);
    sent.route = framing == MpFraming::none ? direct_route(sent.packet) : prefixed_route(sent.packet, prefix);
    if (!prefix.has_command) return sent;
    sent.message = read_mp_message(sent.packet.bytes, prefix.prefix_range.end(), mp_generation(framing));
    connection.record_message(sent.packet, sent.message, sent.route, false);
    if (sent.message.relayed.length == 0) return sent;
    sent.route = relayed_route(sent.packet, sent.route, sent.message.fields.peer(MpField::peer));
    sent.message = read_mp_message(sent.packet.bytes, sent.message.relayed.offset, mp_generation(framing));
    connection.record_message(sent.packet, sent.message, sent.route, true);
    return sent;
  }

  MpSession session_;
  std::vector<std::unique_ptr<ExactBytes>> bytes_;
  std::deque<MpVariantCache> values_;
  std::uint32_t frame_ = 0;
  std::int64_t time_ = 0;
  FakeDelivery measured_;
  const MpGameNames *names_ = nullptr;
  bool has_roles_ = true;
  const DeliveryInfo *delivery_ = &unknown_delivery;
  SequenceRange next_sequence_;
  std::size_t cut_ = 0;
};

// A game with one client.
class MpGame : public testing::Test {
 protected:
  Capture capture;
  MpConnection &client = capture.connect(ada);
};

// ---- queries

std::string route_of(const Sent &sent) { return peer_name(sent.route.sender) + ">" + peer_name(sent.route.receiver); }

// Describes a path: "Main/World defined in 3, confirmed", "?".
std::string path_of(const Sent &sent) {
  const MpAnnouncedPath *name =
      sent.paths().find(sent.scope(), sent.message.fields.number(MpField::path_id), sent.packet.position);
  if (name == nullptr) return "?";
  const bool is_confirmed = sent.paths().is_confirmed(*name, sent.scope().receiver, sent.packet.position);
  return std::string(name->text) + " in " + std::to_string(name->position.packet) + (is_confirmed ? ", confirmed" : "");
}

// Describes where an unannounced id is announced: "2222 got Main/World in 3, later in 5", "never announced", "".
std::string known_elsewhere(const Sent &sent) {
  const std::optional<MpAnnouncement> other = sent.paths().find_unannounced(sent.item());
  if (!other) return "";
  const auto later = other->later == nullptr ? "" : ", later in " + std::to_string(other->later->position.packet);
  if (other->name == nullptr) return "never announced" + later;
  return peer_name(other->name->receiver_id) + " got " + std::string(other->name->text) + " in " +
         std::to_string(other->name->position.packet) + later;
}

std::string unconfirmed(const Sent &sent) {
  const MpAnnouncedPath *name = sent.paths().find_unconfirmed_path(sent.item());
  return name == nullptr ? "" : std::string(name->text) + " in " + std::to_string(name->position.packet);
}

bool is_never_confirmed(const Sent &sent) {
  const MpAnnouncedPath *name =
      sent.paths().find(sent.scope(), sent.message.fields.number(MpField::path_id), sent.packet.position);
  return name != nullptr && sent.paths().is_never_confirmed(sent.packet, *name, sent.scope());
}

std::uint32_t checksum_failure_of(const Sent &sent) {
  const MpAnnouncedPath *name = MpResolvedMessage(sent.packet, sent.message, sent.route).announced_path();
  if (sent.message.fields.has(MpField::path)) {
    name = sent.paths().find(sent.scope(), sent.message.fields.text(MpField::path), sent.packet.position);
  }
  if (name == nullptr) return 0;
  const std::optional<PacketPosition> failed =
      sent.paths().find_checksum_failure(*name, sent.scope().receiver, sent.packet.position);
  return failed ? failed->packet : 0;
}

// Describes the presence of a node: "present since 2", "gone since 5", "not announced", "not announced until 9".
std::string presence_of(const Sent &sent, std::uint32_t net_id) {
  using State = MpNodePresence::State;
  const MpNodePresence presence = sent.packet.connection->nodes().find_presence(sent.packet, sent.scope(), net_id);
  const std::string at = std::to_string(presence.position.packet);
  switch (presence.state) {
    case State::present:
      return "present since " + at;
    case State::despawned:
      return "gone since " + at;
    case State::not_announced:
      return presence.position.packet == 0 ? "not announced" : "not announced until " + at;
    default:
      return "uncertain";
  }
}

// Describes the sync of each object: "late 5 ms", "-" if there is no earlier sync.
std::string syncs_of(const Sent &sent) {
  std::string text;
  for (std::size_t i = 0;; ++i) {
    const MpSyncRecord *record = sent.packet.connection->syncs().find(sent.packet.position, i);
    if (record == nullptr) return text;
    if (i > 0) text += ", ";
    if (record->is_late) text += "late ";
    text += record->has_interval ? std::to_string(record->interval / millisecond) + " ms" : "-";
  }
}

std::string summary_of(const Sent &sent, std::size_t capacity = 200) {
  std::vector<char> memory(capacity);
  TextBuffer text(memory);
  const Outcome outcome = append_mp_summary({sent.packet, sent.message, sent.route}, text);
  return std::string(text.view()) + outcome_mark(outcome);
}

// ---- identification of peers

TEST_F(MpGame, UnidentifiedClientIsNamedByItsConnection) {
  EXPECT_EQ(route_of(capture.from(client, call(1))), "client>1");
  EXPECT_EQ(route_of(capture.to(client, call(1))), "1>client");
  EXPECT_EQ(route_of(capture.from(client, relay(bo, call(1)))), "client>2222");
  EXPECT_EQ(route_of(capture.from(client, relay(0, call(1)))), "client>0");
  EXPECT_EQ(route_of(capture.from(client, relay(-bo, call(1)))), "client>-2222");
  EXPECT_EQ(route_of(capture.to(client, relay(bo, call(1)))), "2222>client");
  EXPECT_EQ(route_of(capture.to(client, relay(std::numeric_limits<std::int32_t>::min(), call(1)))), "0>client");
  EXPECT_EQ(client.peers().client_id(), ada);
  client.record_client_id(bo, {9, 0});
  EXPECT_EQ(client.peers().client_id(), ada);
}

TEST(MpSession, ClientIdIsKnownFromTheIdentifyingMessageOn) {
  Capture capture;
  MpConnection &client = capture.add_unknown();
  const Sent first = capture.to(client, prefixed(1, 0, call3(1)), MpFraming::enet3);
  const Sent shown = capture.from(client, prefixed(ada, 1, call3(1)), MpFraming::enet3);
  EXPECT_EQ(route_of(first), "1>0");
  EXPECT_EQ(route_of(shown), "client>1");
  EXPECT_FALSE(client.peers().is_client_id_known(first.packet.position));
  EXPECT_TRUE(client.peers().is_client_id_known(shown.packet.position));
  EXPECT_EQ(client.peers().peer_of(ada, first.packet.position), ada);
  EXPECT_EQ(client.peers().peer_of(ada, shown.packet.position), client_end);
  // The server's id, the broadcast id and negative ids belong to no client.
  for (const std::int32_t id : {1, 0, -5}) {
    MpConnection &other = capture.add_unknown();
    capture.to(other, prefixed(1, id, call3(1)), MpFraming::enet3);
    EXPECT_EQ(other.peers().client_id(), 0) << id;
  }
}

TEST(MpSession, InitialWebSocketMessageShowsClientIdAndConnectionStart) {
  Capture capture;
  MpConnection &client = capture.add_unknown();
  EXPECT_FALSE(client.peers().is_from_start());
  capture.to(client, u32(ada), MpFraming::websocket_id);
  EXPECT_EQ(client.peers().client_id(), ada);
  EXPECT_TRUE(client.peers().is_from_start());
  MpConnection &other = capture.add_unknown();
  capture.from(other, u32(bo), MpFraming::websocket_id);  // only servers send this
  EXPECT_EQ(other.peers().client_id(), 0);
}

TEST(MpSession, RelayIdentifiesSenderAndReceiver) {
  Capture capture;
  MpConnection &first = capture.add_unknown();
  MpConnection &second = capture.add_unknown();
  const Data command = simplify(3, "Main/Players/Ada");
  capture.from(first, relay(bo, command));
  EXPECT_EQ(first.peers().server_state().peers.relays.count(), 1U);
  const Sent relayed = capture.to(second, relay(ada, command));
  EXPECT_EQ(first.peers().client_id(), ada);
  EXPECT_EQ(second.peers().client_id(), bo);
  EXPECT_FALSE(first.peers().is_client_id_known({relayed.frame - 1, 0}));
  EXPECT_TRUE(first.peers().is_client_id_known(relayed.packet.position));
  // Both clients are identified, so the session no longer keeps relays.
  EXPECT_EQ(first.peers().server_state().peers.relays.count(), 0U);
  capture.from(first, relay(bo, command));
  EXPECT_EQ(first.peers().server_state().peers.relays.count(), 0U);
}

TEST(MpSession, AmbiguousRelayIdentifiesNoPeer) {
  Capture capture;
  MpConnection &first = capture.add_unknown();
  MpConnection &second = capture.add_unknown();
  MpConnection &third = capture.add_unknown();
  const Data command = simplify(3, "Main/Players/Ada");
  capture.from(first, relay(bo, command));
  capture.from(third, relay(bo, command));
  capture.to(second, relay(ada, command));
  capture.from(first, relay(bo, call(3)));  // too short
  capture.to(second, relay(ada, call(3)));
  for (const MpConnection *each : {&first, &second, &third}) EXPECT_EQ(each->peers().client_id(), 0);
  // One message for two peers identifies neither receiver.
  const Data other = simplify(4, "Main/Players/Cy");
  capture.from(first, relay(bo, other));
  capture.from(first, relay(cy, other));
  capture.to(second, relay(ada, other));
  EXPECT_EQ(first.peers().client_id(), ada);
  EXPECT_EQ(second.peers().client_id(), 0);
}

TEST(MpRelayCache, OldestRelaysOverTheLimitAreDropped) {
  MpRelayCache relays;
  const auto command = [](std::size_t i, std::size_t length) {
    std::string text = std::to_string(i);
    text.resize(length, '.');
    return text;
  };
  for (std::size_t i = 0; i < MpRelayCache::max_count + 5; ++i) relays.add(command(i, 8), nullptr, 1);
  EXPECT_EQ(relays.count(), MpRelayCache::max_count);
  EXPECT_EQ(relays.bytes(), MpRelayCache::max_count * 8);
  EXPECT_EQ(relays.find(command(4, 8)), nullptr);
  EXPECT_NE(relays.find(command(5, 8)), nullptr);
  for (std::size_t i = 0; i < 20; ++i) relays.add(command(i, MpRelayCache::max_bytes / 10), nullptr, 1);
  EXPECT_EQ(relays.count(), 10U);
  EXPECT_LE(relays.bytes(), MpRelayCache::max_bytes);
  relays.add(std::string(MpRelayCache::max_bytes + 1, 'a'), nullptr, 1);
  relays.add(std::string(MpRelayCache::min_length - 1, 'a'), nullptr, 1);
  EXPECT_EQ(relays.count(), 10U);
  relays.clear();
  EXPECT_EQ(relays.count() + relays.bytes(), 0U);
}

TEST(MpSession, PeerListOfANewcomerIdentifiesTheOthers) {
  Capture capture;
  MpConnection &stranger = capture.add_unknown();
  MpConnection &newcomer = capture.connect(bo);
  capture.to(stranger, add_peer(bo));
  capture.to(newcomer, add_peer(ada));
  EXPECT_EQ(stranger.peers().client_id(), 0);  // the list may be incomplete
  const Sent first = capture.to(newcomer, call(1));
  EXPECT_EQ(stranger.peers().client_id(), ada);
  EXPECT_TRUE(stranger.peers().is_client_id_known(first.packet.position));
  EXPECT_FALSE(stranger.peers().is_client_id_known({first.frame - 1, 0}));
}

// If a capture begins later, it may lack the beginning of the list.
TEST(MpPeerTracker, IncompletePeerListIdentifiesNoPeer) {
  Capture capture;
  MpConnection &stranger = capture.add_unknown();
  MpConnection &newcomer = capture.add_unknown();
  capture.to(newcomer, add_peer(ada));
  newcomer.record_client_id(bo, {1, 0});
  capture.to(stranger, add_peer(bo));
  capture.to(newcomer, add_peer(ada));
  capture.to(newcomer, call(1));
  EXPECT_EQ(stranger.peers().client_id(), 0);
}

TEST(MpSession, PeerListDoesNotIdentifyTwoUnknownClients) {
  Capture capture;
  MpConnection &one = capture.add_unknown();
  MpConnection &two = capture.add_unknown();
  MpConnection &newcomer = capture.connect(bo);
  for (MpConnection *each : {&one, &two}) capture.to(*each, add_peer(bo));
  for (const std::int32_t each : {ada, cy}) capture.to(newcomer, add_peer(each));
  capture.to(newcomer, call(1));
  EXPECT_EQ(one.peers().client_id() + two.peers().client_id(), 0);
  // After one of the two is identified, the list of the next newcomer identifies the other.
  two.record_client_id(cy, {50, 0});
  MpConnection &next = capture.connect(4444);
  capture.to(one, add_peer(4444));
  for (const std::int32_t each : {ada, cy, bo}) capture.to(next, add_peer(each));
  capture.to(next, call(1));
  EXPECT_EQ(one.peers().client_id(), ada);
  // A client that does not get the announcement of the newcomer is not on the newcomer's list.
  Capture other;
  MpConnection &untold_one = other.add_unknown();
  MpConnection &late = other.connect(bo);
  other.to(late, add_peer(ada));
  other.to(late, call(1));
  EXPECT_EQ(untold_one.peers().client_id(), 0);
}

// ---- paths

TEST_F(MpGame, PathIdRefersToItsLatestAnnouncementToTheReceiver) {
  const Sent before = capture.to(client, call(3));
  capture.to(client, simplify(3, "Main/World"));
  const Sent call_1 = capture.to(client, call(3));
  capture.from(client, confirm(3));
  const Sent call_2 = capture.to(client, call(3));
  capture.to(client, simplify(3, "Main/Other"));
  const Sent call_3 = capture.to(client, call(3));
  // The result depends neither on the order of queries nor on later messages.
  EXPECT_EQ(path_of(call_3), "Main/Other in 6");
  EXPECT_EQ(path_of(call_2), "Main/World in 2, confirmed");
  EXPECT_EQ(path_of(call_1), "Main/World in 2");
  EXPECT_EQ(path_of(before), "Main/World in 2") << "it was lost before";
  // The client has its own id scope.
  EXPECT_EQ(path_of(capture.from(client, call(3))), "?");
  EXPECT_EQ(path_of(capture.from(client, call(9))), "?");
}

TEST_F(MpGame, PathIdIsLookedUpAsOfTheMessageInThePacket) {
  Sent announced = capture.to(client, simplify(3, "Main/World"));
  const MpIdScope scope = announced.scope();
  EXPECT_EQ(client.paths().find(scope, 3, {announced.frame, 0})->text, "Main/World");
  EXPECT_EQ(client.paths().find(scope, "Main/World", {announced.frame - 1, 99}), nullptr);
  announced.packet.position = {announced.frame, 5};
  const ExactBytes bytes(simplify(3, "Main/Late"));
  announced.packet.bytes = bytes.get();
  const MpMessage message = read_mp_message(announced.packet.bytes, 0, Generation::godot4);
  client.record_message(announced.packet, message, announced.route, false);
  EXPECT_EQ(client.paths().find(scope, 3, {announced.frame, 4})->text, "Main/World");
  EXPECT_EQ(client.paths().find(scope, 3, {announced.frame, 5})->text, "Main/Late");
}

TEST_F(MpGame, PathAnnouncedAgainStaysConfirmed) {
  capture.from(client, simplify(3, "Main/World"));
  capture.to(client, confirm(3));
  capture.from(client, relay(bo, simplify(3, "Main/World")));
  EXPECT_EQ(path_of(capture.from(client, call(3))), "Main/World in 1, confirmed");
  EXPECT_EQ(path_of(capture.from(client, relay(bo, call(3)))), "Main/World in 3");
  capture.to(client, relay(bo, confirm(3)));
  EXPECT_EQ(path_of(capture.from(client, relay(bo, call(3)))), "Main/World in 3, confirmed");
  // For a broadcast, or a peer that got no announcement: the newest announcement, confirmed by any peer.
  EXPECT_EQ(path_of(capture.from(client, relay(0, call(3)))), "Main/World in 3, confirmed");
  EXPECT_EQ(path_of(capture.from(client, relay(-bo, call(3)))), "Main/World in 3, confirmed");
  EXPECT_EQ(path_of(capture.from(client, relay(cy, call(3)))), "Main/World in 3");
}

TEST_F(MpGame, Godot3ConfirmationConfirmsItsPath) {
  const auto to = [&](const Data &command) { return capture.to(client, prefixed(1, ada, command), MpFraming::enet3); };
  to(simplify3(1, "Main/World"));
  EXPECT_EQ(path_of(to(call3(1))), "Main/World in 1");
  capture.from(client, prefixed(ada, 1, confirm3("Main/Wor")), MpFraming::enet3);
  EXPECT_EQ(path_of(to(call3(1))), "Main/World in 1");
  capture.from(client, prefixed(ada, 1, confirm3("Main/World")), MpFraming::enet3);
  EXPECT_EQ(path_of(to(call3(1))), "Main/World in 1, confirmed");
}

TEST_F(MpGame, Godot42ConfirmationWithAPathIsMatched) {
  capture.to(client, simplify(1, "Main/World"));
  capture.from(client, hex("02 01") + zero_terminated("Main/World"));
  EXPECT_EQ(path_of(capture.to(client, call(1))), "Main/World in 1, confirmed");
}

TEST_F(MpGame, PathTextIsEscapedAndStoredOnce) {
  const Sent announced = capture.to(client, simplify(3, "a\x1b[0m\xff\xe2\x80\xaetxt"));
  const MpAnnouncedPath *name = client.paths().find(announced.scope(), 3, announced.packet.position);
  EXPECT_EQ(name->text, "a\\u001b[0m\\xff\\u202etxt");
  EXPECT_EQ(name->text.data()[name->text.size()], '\0');
  EXPECT_EQ(name->md5, no_methods);
  const Sent again = capture.to(client, simplify(4, "a\x1b[0m\xff\xe2\x80\xaetxt"));
  EXPECT_EQ(client.paths().find(again.scope(), 4, again.packet.position)->text.data(), name->text.data());
  EXPECT_EQ(client.paths().find(announced.scope(), "a\x1b[0m\xff\xe2\x80\xaetxt", again.packet.position)->text,
            name->text);
}

// ---- problems with paths

TEST(MpSession, CallWithAPathIdAnnouncedOnlyToOthersIsLost) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  MpConnection &before = capture.add_unknown();
  EXPECT_EQ(known_elsewhere(capture.to(second, call(3))), "never announced");
  capture.to(first, simplify(3, "Main/World"));
  capture.to(second, simplify(4, "Main/Lobby"));
  EXPECT_EQ(known_elsewhere(capture.to(first, call(3))), "");
  EXPECT_EQ(known_elsewhere(capture.to(second, call(3))), "1111 got Main/World in 2");
  EXPECT_EQ(known_elsewhere(capture.to(first, call(4))), "2222 got Main/Lobby in 3");
  EXPECT_EQ(known_elsewhere(capture.to(second, call(5))), "never announced");
  // Announcements before the capture are unknown.
  EXPECT_EQ(known_elsewhere(capture.to(before, call(3))), "");
  // A relay to everyone is not diagnosed.
  capture.from(first, simplify(1, "Main/Mine"));
  EXPECT_EQ(known_elsewhere(capture.from(first, relay(bo, call(1)))), "1 got Main/Mine in 9");
  EXPECT_EQ(known_elsewhere(capture.from(first, relay(0, call(1)))), "");
  EXPECT_EQ(known_elsewhere(capture.to(second, relay(ada, call(1)))), "1 got Main/Mine in 9");
  capture.to(second, relay(ada, simplify(1, "Main/Mine")));
  EXPECT_EQ(known_elsewhere(capture.to(second, relay(ada, call(1)))), "");
}

TEST(MpSession, LaterAnnouncementsOfAPathIdAreReportedAsLater) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  const Sent early = capture.to(second, call(3));
  capture.to(first, simplify(3, "Main/World"));
  const Sent late = capture.to(second, call(3));
  capture.to(second, simplify(3, "Main/World"));
  EXPECT_EQ(known_elsewhere(late), "1111 got Main/World in 2, later in 4");
  EXPECT_EQ(known_elsewhere(early), "never announced, later in 4");
  // The announcement may be missing only in the capture, so no problem is reported.
  Capture lossy;
  MpConnection &sender = lossy.connect(ada);
  MpConnection &receiver = lossy.connect(bo);
  lossy.from(sender, relay(bo, simplify(1, "Main/Mine")));
  EXPECT_EQ(known_elsewhere(lossy.to(receiver, relay(ada, call(1)))), "");
}

// A datagram with the path was lost. Its retransmission is captured after the messages that wait for the path.
TEST(MpSession, RetransmittedPathAppliesToTheMessagesThatWaitForIt) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  capture.to(first, simplify(3, "Main/World"));
  capture.set_next_seq(2);
  const Sent waiting = capture.to(second, call(3));
  EXPECT_EQ(known_elsewhere(waiting), "") << "nobody knows what number 1 says";
  capture.set_next_seq(1);
  capture.to(second, simplify(3, "Main/World"));
  EXPECT_EQ(known_elsewhere(waiting), "");
  capture.set_next_seq(3);
  EXPECT_EQ(known_elsewhere(capture.to(second, call(3))), "");
  capture.to(first, simplify(4, "Main/Lobby"));
  capture.set_next_seq(4);
  const Sent lost = capture.to(second, call(4));
  EXPECT_EQ(known_elsewhere(lost), "1111 got Main/Lobby in 5");
  capture.set_next_seq(6);
  capture.to(second, call(3));
  EXPECT_EQ(known_elsewhere(capture.to(second, call(4))), "") << "number 5 may have told it";
  EXPECT_EQ(known_elsewhere(lost), "1111 got Main/Lobby in 5") << "it was sent before";
}

// Without an order of messages, they are delivered in capture order: Godot drops the call, although the path arrives
// later.
TEST(MpPathTracker, CallThatArrivesBeforeItsPathIsLost) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  capture.to(first, simplify(3, "Main/World"));
  capture.make_next_message_unordered();
  const Sent early = capture.to(second, call(3));
  EXPECT_EQ(known_elsewhere(early), "1111 got Main/World in 1") << "as far as is known by now";
  capture.to(second, simplify(3, "Main/World"));
  EXPECT_EQ(known_elsewhere(early), "1111 got Main/World in 1, later in 3");
  EXPECT_EQ(known_elsewhere(capture.to(second, call(3))), "");
}

TEST(MpSession, Godot3BroadcastToAPeerWithoutThePathIsReported) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  capture.to(first, prefixed(1, ada, simplify3(1, "Main/World")), MpFraming::enet3);
  EXPECT_EQ(known_elsewhere(capture.to(first, prefixed(1, 0, call3(1)), MpFraming::enet3)), "");
  EXPECT_EQ(known_elsewhere(capture.to(second, prefixed(1, 0, call3(1)), MpFraming::enet3)),
            "1111 got Main/World in 1");
}

TEST_F(MpGame, PathUnconfirmedAfterASecondIsReported) {
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  capture.wait(998);
  const Sent early = capture.to(client, call_by_path("Main/Lobby"));
  capture.wait(1);
  const Sent late = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(unconfirmed(early), "");
  EXPECT_EQ(unconfirmed(late), "Main/Lobby in 1");
  EXPECT_TRUE(is_never_confirmed(announced));
  // Calls to other nodes and calls by id do not count.
  EXPECT_EQ(unconfirmed(capture.to(client, call_by_path("Main/Lobby2"))), "");
  EXPECT_EQ(unconfirmed(capture.to(client, call(3))), "");
  EXPECT_EQ(unconfirmed(capture.from(client, call_by_path("Main/Lobby"))), "");
  // A late confirmation proves that the node exists.
  capture.from(client, confirm(3));
  EXPECT_EQ(unconfirmed(capture.to(client, call_by_path("Main/Lobby"))), "");
  EXPECT_EQ(unconfirmed(late), "");
  EXPECT_FALSE(is_never_confirmed(announced));
}

// The confirmation was not captured, and arrived later than the round-trip time at the capture point suggests.
TEST_F(MpGame, LaterUseOfAPathIdConfirmsThePath) {
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  capture.wait(2000);
  const Sent late = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(unconfirmed(late), "Main/Lobby in 1");
  EXPECT_TRUE(is_never_confirmed(announced));
  capture.to(client, call(3));
  EXPECT_EQ(unconfirmed(late), "");
  EXPECT_FALSE(is_never_confirmed(announced));
}

TEST_F(MpGame, ConfirmationOfAnUncapturedAnnouncementCounts) {
  capture.from(client, confirm(3));
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  const Sent other = capture.to(client, simplify(4, "Main/World"));
  capture.wait(2000);
  capture.to(client, call(9));
  EXPECT_FALSE(is_never_confirmed(announced));
  EXPECT_TRUE(is_never_confirmed(other));
}

TEST_F(MpGame, ConfirmationInACaptureGapIsNotReportedMissing) {
  capture.set_next_seq(1);
  capture.from(client, confirm(9));
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  capture.wait(2000);
  capture.to(client, call(9));
  EXPECT_TRUE(is_never_confirmed(announced));
  capture.set_next_seq(3);
  capture.from(client, confirm(9));
  EXPECT_FALSE(is_never_confirmed(announced)) << "number 2 may confirm it";
  capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_TRUE(is_never_confirmed(announced)) << "the sender has got no confirmation";
}

TEST_F(MpGame, MessageWithPathIdProvesThatThePathWasConfirmed) {
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  const Sent synchronizer = capture.to(client, simplify(4, "Main/Clock/Sync"));
  const Sent other = capture.to(client, simplify(5, "Main/Other"));
  capture.to(client, call(3));
  capture.to(client, sync(1, {0x80000004}));
  capture.wait(2000);
  capture.to(client, call(3));
  EXPECT_FALSE(is_never_confirmed(announced));
  EXPECT_FALSE(is_never_confirmed(synchronizer));
  EXPECT_TRUE(is_never_confirmed(other));
}

TEST_F(MpGame, AnnouncementByAPeerProvesThatItHasTheNode) {
  capture.to(client, simplify(3, "Main/Lobby"));
  capture.wait(2000);
  const Sent before = capture.to(client, call_by_path("Main/Lobby"));
  capture.from(client, simplify(1, "Main/Lobby"));
  const Sent after = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(unconfirmed(before), "Main/Lobby in 1");
  EXPECT_EQ(unconfirmed(after), "");
}

std::string lost(const Sent &sent) {
  const MpAnnouncedPath *name = sent.paths().find_missing_node(sent.item());
  return name == nullptr ? "" : std::string(name->text) + " in " + std::to_string(name->position.packet);
}

// The engine looks up the node for each call that contains the whole path, so later calls may find the node.
TEST(MpPathTracker, OnlyTheCallSentWithAnUnconfirmedPathIsCertainlyLost) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(3, "Main/Lobby"));
  const Sent with_path = capture.to(client, call_by_path("Main/Lobby"));  // one millisecond later
  const Sent later = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(lost(with_path), "") << "it may still be confirmed";
  capture.wait(2000);
  const Sent late = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(lost(with_path), "Main/Lobby in 1");
  EXPECT_EQ(lost(later), "");
  EXPECT_EQ(lost(late), "");
  EXPECT_EQ(unconfirmed(late), "Main/Lobby in 1");
  capture.from(client, confirm(3));
  EXPECT_EQ(lost(with_path), "");
}

// A spawn names its spawner by an id that the receiver never confirms.
TEST(MpPathTracker, EachSpawnOfAnUnconfirmedSpawnerIsLost) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.wait(2000);
  const Sent late = capture.to(client, spawn(5, {}, "Ada"));
  EXPECT_EQ(lost(late), "Main/Spawner in 1");
  capture.from(client, simplify(1, "Main/Spawner"));
  EXPECT_EQ(lost(late), "Main/Spawner in 1");
}

TEST(MpPathTracker, EvidenceOfTheNodeConfirmsThePath) {
  // Returns whether the receiver is known to have Main/Lobby after it sends or receives a message.
  const auto has_node = [](const Data &data, bool is_from_client) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.to(client, simplify(3, "Main/Lobby"));
    capture.wait(2000);
    capture.to(client, simplify(4, "Main/Lobby/Door"));
    const Sent before = capture.to(client, call_by_path("Main/Lobby"));
    const Sent evidence = is_from_client ? capture.from(client, data) : capture.to(client, data);
    const Sent after = capture.to(client, call_by_path("Main/Lobby"));
    EXPECT_EQ(unconfirmed(before), "Main/Lobby in 1");
    const MpAnnouncedPath *name = evidence.paths().find({server_end, client_end}, 3, after.packet.position);
    EXPECT_EQ(name->present_at, unconfirmed(after).empty() ? evidence.packet.position : packet_position_zero);
    return unconfirmed(after).empty();
  };
  EXPECT_TRUE(has_node(simplify(1, "Main/Lobby"), true));
  EXPECT_TRUE(has_node(simplify(1, "Main/Lobby/Window"), true)) << "what is below it";
  EXPECT_TRUE(has_node(confirm(4), true)) << "a confirmed path below it";
  EXPECT_TRUE(has_node(spawn(5, {}, "Lobby"), false)) << "a spawn of it";
  EXPECT_TRUE(has_node(call(4), false)) << "a number that only a confirmation allows";
  EXPECT_FALSE(has_node(simplify(1, "Main/Lobby2"), true));
  EXPECT_FALSE(has_node(simplify(1, "Main"), true));
  EXPECT_FALSE(has_node(spawn(5, {}, "Lobby2"), false));
  EXPECT_FALSE(has_node(call(3), true)) << "a number of the client's";
}

// A client calls a node while the server frees it, as in the capture h27_dying_race.
TEST(MpPathTracker, PathSentBeforeTheDespawnArrivesIsNoProblem) {
  for (const std::int64_t pause : {-50, 50, 150}) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.set_round_trip_time(60);
    capture.to(client, simplify(1, "Main/Spawner"));
    capture.from(client, confirm(1));
    capture.to(client, spawn(5, {}, "Mob"));
    if (pause < 0) capture.to(client, despawn(5));
    capture.wait(std::abs(pause));
    const Sent path = capture.from(client, simplify(1, "Main/Mobs/Mob/Head"));
    const Sent called = capture.from(client, call_by_path("Main/Mobs/Mob/Head"));
    capture.wait(std::abs(pause));
    if (pause > 0) capture.to(client, despawn(5));
    capture.wait(2000);
    capture.from(client, sync(1, {5}));
    const bool is_crossing = pause < 120;  // twice the round-trip time
    EXPECT_EQ(is_never_confirmed(path), !is_crossing) << pause;
    EXPECT_EQ(lost(called).empty(), is_crossing) << pause;
    const MpAnnouncedPath *crossed = called.paths().find_crossed_path(called.item());
    EXPECT_EQ(crossed != nullptr, is_crossing) << pause;
  }
}

TEST(MpPathTracker, CallAfterTheCallersOwnDespawnIsAProblem) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.from(client, confirm(1));
  capture.to(client, spawn(5, {}, "Mob"));
  capture.to(client, despawn(5));
  const Sent path = capture.to(client, simplify(2, "Main/Mobs/Mob"));
  capture.wait(2000);
  capture.to(client, sync(1, {5}));
  EXPECT_TRUE(is_never_confirmed(path));
}

TEST_F(MpGame, PathThatTheReceiverNeverConfirmsIsReported) {
  FakeDelivery delivery;
  capture.set_delivery(&delivery);
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  delivery.heard = announced.packet.time + mp_confirmation_wait;
  EXPECT_FALSE(is_never_confirmed(announced));
  delivery.heard += 1;
  EXPECT_TRUE(is_never_confirmed(announced));
  delivery.lost = {announced.packet.position.packet};
  EXPECT_FALSE(is_never_confirmed(announced));
  delivery.lost.clear();
  capture.from(client, simplify(1, "Main/Lobby"));  // the sender of an announcement has the node
  EXPECT_FALSE(is_never_confirmed(announced));
}

TEST(MpSession, PathIsNotReportedIfTheReceiverHasLeft) {
  for (const bool has_left : {false, true}) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.to(client, add_peer(bo));
    const Sent announced = capture.from(client, relay(bo, simplify(3, "Main/Lobby")));
    if (has_left) capture.to(client, hex("0702") + u32(static_cast<std::uint32_t>(bo)));
    capture.wait(5000);
    capture.from(client, relay(bo, call_by_path("Main/Lobby")));
    EXPECT_EQ(is_never_confirmed(announced), !has_left);
  }
}

TEST_F(MpGame, UndeliveredPathIsNotReportedAsUnconfirmed) {
  FakeDelivery delivery;
  capture.set_delivery(&delivery);
  delivery.lost = {1};
  const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
  capture.wait(5000);
  const Sent lost = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(unconfirmed(lost), "");
  EXPECT_FALSE(is_never_confirmed(announced));
  delivery.lost.clear();
  const Sent late = capture.to(client, call_by_path("Main/Lobby"));
  EXPECT_EQ(unconfirmed(late), "Main/Lobby in 1");
  EXPECT_EQ(unconfirmed(lost), "");
  EXPECT_TRUE(is_never_confirmed(announced));
}

TEST(MpSession, ConfirmationTimeoutIsTwoMeasuredRoundTrips) {
  // In milliseconds. Even a receiver that answers immediately needs a game frame to confirm.
  const std::pair<std::int64_t, std::int64_t> waits[] = {{100, 200}, {2000, 4000}, {1, 100}};
  for (const auto &[round_trip, patience] : waits) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.set_round_trip_time(round_trip);
    const Sent announced = capture.to(client, simplify(3, "Main/Lobby"));
    capture.set_round_trip_time(10 * round_trip);  // the round-trip time at the announcement counts
    capture.wait(patience - 1);
    EXPECT_EQ(unconfirmed(capture.to(client, call_by_path("Main/Lobby"))), "");
    EXPECT_FALSE(is_never_confirmed(announced));
    EXPECT_EQ(unconfirmed(capture.to(client, call_by_path("Main/Lobby"))), "Main/Lobby in 1");
    EXPECT_TRUE(is_never_confirmed(announced));
  }
}

TEST_F(MpGame, ExtremeTimesDoNotOverflow) {
  capture.set_time(std::numeric_limits<std::int64_t>::min() + 1);
  capture.to(client, simplify(3, "Main/Lobby"));
  capture.to(client, sync(1, {5}));
  capture.set_time(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(unconfirmed(capture.to(client, call_by_path("Main/Lobby"))), "Main/Lobby in 1");
  EXPECT_EQ(client.syncs().find(capture.to(client, sync(2, {5})).packet.position, 0)->interval,
            (std::int64_t{1} << 61) - 1);
  capture.set_time(std::numeric_limits<std::int64_t>::min() + 1);
  EXPECT_EQ(client.syncs().find(capture.to(client, sync(3, {5})).packet.position, 0)->interval,
            -((std::int64_t{1} << 61) - 1));
}

TEST_F(MpGame, CallsAfterAFailedMethodChecksumAreMarked) {
  capture.to(client, simplify(3, "Main/Shop"));
  capture.to(client, simplify(4, "Main/World"));
  const Sent before = capture.to(client, call(3));
  capture.from(client, confirm(3, false));
  capture.from(client, confirm(3, false));
  capture.from(client, confirm(4));
  EXPECT_EQ(checksum_failure_of(before), 0U);
  EXPECT_EQ(checksum_failure_of(capture.to(client, call(3))), 4U);
  EXPECT_EQ(checksum_failure_of(capture.to(client, call_by_path("Main/Shop"))), 4U);
  EXPECT_EQ(checksum_failure_of(capture.to(client, call(4))), 0U);
  EXPECT_EQ(checksum_failure_of(capture.from(client, call(3))), 0U);
  // The path still counts as confirmed, and a later valid confirmation ends the mismatch.
  EXPECT_EQ(path_of(capture.to(client, call(3))), "Main/Shop in 1, confirmed");
  capture.from(client, confirm(3, true));
  EXPECT_EQ(checksum_failure_of(capture.to(client, call(3))), 0U);
}

// ---- nodes

TEST_F(MpGame, PresenceOfANodeIsKnownForEachPacketPosition) {
  capture.to(client, simplify(1, "Main/Spawner"));
  const Sent early = capture.to(client, sync(1, {6}));
  const Sent spawned = capture.to(client, spawn(5, {6, 7}, "P1"));
  const Sent there = capture.to(client, sync(2, {6}));
  capture.to(client, despawn(5));
  const Sent gone = capture.to(client, sync(3, {6}));
  capture.to(client, spawn(5, {6, 7}, "P1"));  // respawned with the same ids
  const Sent again = capture.to(client, sync(4, {7}));
  EXPECT_EQ(presence_of(early, 6), "not announced until 3");
  EXPECT_EQ(presence_of(spawned, 5), "present since 3");
  EXPECT_EQ(presence_of(there, 6), "present since 3");
  EXPECT_EQ(presence_of(gone, 6), "gone since 5");
  EXPECT_EQ(presence_of(gone, 5), "gone since 5");
  EXPECT_EQ(presence_of(again, 7), "present since 7");
  EXPECT_EQ(presence_of(again, 8), "not announced");
  EXPECT_EQ(presence_of(capture.from(client, relay(0, sync(1, {6}))), 6), "uncertain");
  const MpNetIdTarget *node = client.nodes().find(again.scope(), 7, again.packet.position);
  EXPECT_EQ(node->spawn->name, "P1");
  EXPECT_EQ(client.nodes().spawner_path_of(*node->spawn), "Main/Spawner");
  EXPECT_EQ(node->synchronizer_index, 1U);
  EXPECT_EQ(client.nodes().find(again.scope(), 5, again.packet.position)->synchronizer_index, MpNetIdTarget::itself);
}

// The first announcement was lost; ENet delivers its retransmission before the messages captured in between.
TEST_F(MpGame, RetransmittedAnnouncementNamesEarlierMessages) {
  const Sent spawned = capture.to(client, spawn(5, {6}, "P1", 1));
  EXPECT_EQ(path_of(spawned), "?");
  const MpNetIdTarget *node = client.nodes().find(spawned.scope(), 6, spawned.packet.position);
  EXPECT_EQ(client.nodes().spawner_path_of(*node->spawn), "");
  const Sent announced = capture.to(client, simplify(1, "Main/Spawner"));
  capture.to(client, simplify(1, "Other"));
  EXPECT_EQ(client.nodes().spawner_path_of(*node->spawn), "Main/Spawner");
  EXPECT_EQ(MpResolvedMessage(spawned.packet, spawned.message, spawned.route).announced_path()->position,
            announced.packet.position);
}

TEST(MpSession, NodeWithAnUncapturedSpawnIsNotMissing) {
  Capture capture;
  MpConnection &client = capture.add_unknown();
  const Sent early = capture.to(client, sync(1, {6}));
  capture.to(client, simplify(1, "Main/Spawner"));
  const Sent spawned = capture.to(client, spawn(5, {6}, "P1"));  // respawned
  EXPECT_EQ(presence_of(early, 6), "uncertain");
  EXPECT_EQ(presence_of(spawned, 6), "present since 3");
  capture.to(client, despawn(5));
  EXPECT_EQ(presence_of(capture.to(client, sync(2, {6})), 6), "gone since 4");
}

TEST_F(MpGame, DespawnWithAnotherIdOrByAnotherPeerChangesNothing) {
  capture.to(client, spawn(5, {6}, "P1"));
  capture.to(client, despawn(6));
  capture.to(client, despawn(99));
  capture.from(client, despawn(5));  // the client has its own id scope
  EXPECT_EQ(presence_of(capture.to(client, sync(1, {6})), 6), "present since 1");
}

// ---- syncs

TEST(MpSession, SyncAsOldAsAnEarlierOneIsLate) {
  struct Step {
    std::uint16_t time;
    const char *text;
  };
  const Step steps[] = {{100, "-"},     {101, "1 ms"},   {101, "late 1 ms"},  {100, "late 1 ms"},
                        {102, "1 ms"},  {40000, "1 ms"}, {7235, "late 1 ms"}, {7234, "late 1 ms"},
                        {7233, "1 ms"}, {65535, "1 ms"}, {0, "1 ms"}};
  Capture capture;
  MpConnection &client = capture.connect(ada);
  for (const Step &step : steps) EXPECT_EQ(syncs_of(capture.to(client, sync(step.time, {5}))), step.text) << step.time;
}

TEST_F(MpGame, SyncTimesArePerSynchronizerAndReceiver) {
  const Sent first = capture.to(client, sync(5, {6, 0x80000006}));
  capture.wait(4);
  const Sent second = capture.to(client, sync(5, {7, 6}));
  const Sent mine = capture.from(client, sync(5, {6}));
  const Sent relayed = capture.from(client, relay(bo, sync(5, {6})));
  const Sent twice = capture.to(client, sync(6, {6, 6}));
  EXPECT_EQ(syncs_of(first), "-, -");
  EXPECT_EQ(syncs_of(second), "-, late 5 ms");
  EXPECT_EQ(syncs_of(mine), "-");
  EXPECT_EQ(syncs_of(relayed), "-");
  EXPECT_EQ(syncs_of(twice), "3 ms, late 0 ms");
  EXPECT_EQ(client.syncs().find({first.frame, 1}, 0), nullptr);
}

TEST_F(MpGame, SpawnRestartsTheSyncTimeOfItsSynchronizers) {
  capture.to(client, sync(500, {6}));
  capture.to(client, spawn(5, {6}, "P1"));
  EXPECT_EQ(syncs_of(capture.to(client, sync(3, {6}))), "-");
  EXPECT_EQ(syncs_of(capture.to(client, sync(3, {6}))), "late 1 ms");
}

TEST_F(MpGame, MalformedSyncUpdatesOnlyItsCompleteObjects) {
  const Sent broken = capture.to(client, sync(1, {6}) + u32(7) + u32(99));
  EXPECT_EQ(syncs_of(broken), "-");
}

// ---- a packet without a known connection

TEST(MpSummary, MessagesAreDescribedWithoutAConnection) {
  struct Row {
    const char *bytes;
    const char *text;
  };
  const Row rows[] = {
      {"20 15000080 05 02 0205 0400000004000000 66616c6c 4d61696e2f576f726c6400", "RPC Main/World.#5(5, \"fall\")"},
      {"00 01 05 01 0205", "RPC #1.#5(5)"},
      {"02 01 01000000", "Path 1 confirmed: ?"},
      {"04 00 01000000 02000000 00000000 02000000 4100", "Spawn A by ?"},
      {"05 02000000", "Despawn #2"},
      {"06 0100 05000000 04000000 0202024d", "Sync t=1 #5 2 77"},
      {"0703 03000000 00 01 00 00", "From 3: "},
  };
  const std::array<MpNameTableRow, 1> table = {{{"Main/World", 5, "take_damage"}}};
  MpGameNames names;
  names.set_name_table(table);
  for (const Row &row : rows) {
    const ExactBytes bytes(hex(row.bytes));
    MpPacket packet;
    packet.bytes = bytes.get();
    MpVariantCache values(packet.bytes, {});
    packet.values = &values;
    Sent sent{packet, read_mp_message(packet.bytes, 0, Generation::godot4), direct_route(packet), 1};
    EXPECT_EQ(summary_of(sent), row.text);
    sent.packet.names = &names;
    const std::string named =
        row.text[0] == 'R' && row.text[4] == 'M' ? "RPC Main/World.take_damage(5, \"fall\")" : row.text;
    EXPECT_EQ(summary_of(sent), named);
    const MpRoute relayed = relayed_route(packet, sent.route, 3);
    EXPECT_EQ(relayed.sender, 3);
  }
  const ExactBytes bytes(hex("430f9456 62612b69 00 01000000 68697400 00"));
  MpPacket packet;
  packet.bytes = bytes.get();
  const MpRoute route = prefixed_route(packet, read_mp_prefix(packet.bytes, MpFraming::enet3));
  EXPECT_EQ(route.sender, 0x56940f43);
  EXPECT_EQ(route.receiver, 0x692b6162);
}

// ---- summaries

TEST(MpSummary, DescribesEachMessage) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  EXPECT_EQ(summary_of(capture.to(client, simplify(1, "Main/Spawner"))), "Path 1 is Main/Spawner");
  EXPECT_EQ(summary_of(capture.from(client, confirm(1))), "Path 1 confirmed: Main/Spawner");
  EXPECT_EQ(summary_of(capture.from(client, confirm(1, false))), "Path 1 confirmed, checksum failed: Main/Spawner");
  EXPECT_EQ(summary_of(capture.to(client, spawn(5, {6, 7}, "P1"))), "Spawn P1 by Main/Spawner");
  EXPECT_EQ(summary_of(capture.to(client, hex("00 01 05 02 0205 0400000004000000 66616c6c"))),
            "RPC Main/Spawner.#5(5, \"fall\")");
  EXPECT_EQ(summary_of(capture.to(client, call(2))), "RPC #2.#4()");
  EXPECT_EQ(summary_of(capture.to(client, despawn(5))), "Despawn P1");
  EXPECT_EQ(summary_of(capture.to(client, despawn(9))), "Despawn #9");
  EXPECT_EQ(
      summary_of(capture.from(client, prefixed(ada, 0, hex("01 01000000 687000 02000000 4d000000")), MpFraming::enet3)),
      "Set #1.hp = 77");
}

TEST(MpSummary, ObjectIsShownBeforeItsValues) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Door/Sync"));
  capture.to(client, spawn(5, {6, 7}, "P1"));
  const Data vector = hex("05000000 00004040 00008040");
  EXPECT_EQ(summary_of(capture.to(client, hex("06 0c00") + u32(6) + u32(12) + vector + u32(7) + u32(4) +
                                              hex("0263 0264") + u32(0x80000001) + u32(2) + hex("0201"))),
            "Sync t=12 P1 (3, 4), P1#7 99 100, Main/Door/Sync 1");
  EXPECT_EQ(summary_of(capture.to(client, hex("16") + u32(6) + u64(4) + u32(2) + hex("0263"))), "Delta P1 delta#2=99");
  EXPECT_EQ(summary_of(capture.to(client, hex("16") + u32(7) + u64((1ULL << 63) | 1) + u32(4) + hex("0263 0264"))),
            "Delta P1#7 delta#0=99 delta#63=100");
  EXPECT_EQ(summary_of(capture.to(client, hex("16") + u32(8) + u64(3) + u32(2) + hex("0263"))),
            "Delta #8 delta#0=99 [malformed]");
}

// Even without space for more text, the end of the message is reported.
TEST(MpSummary, TruncatedSummaryStillReportsAMalformedEnd) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  const Data many = repeat(hex("0263"), 200);
  const Sent good = capture.to(client, hex("00 01 05 c8") + many);
  EXPECT_EQ(summary_of(good, 24), "RPC #1.#5(99, 99, 99…");
  const Sent bad = capture.to(client, hex("00 01 05 c9") + many + hex("3f"));
  EXPECT_EQ(summary_of(bad, 24), "RPC #1.#5(99, 99, 99… [malformed]");
  const Sent one = capture.to(client, hex("00 01 05 01 1c000000") + u32(100) + repeat(hex("02000000 63000000"), 99));
  EXPECT_EQ(summary_of(one, 24), "RPC #1.#5([99, 99, 9… [malformed]");
}

// The project tests/projects/players: its main scene has the nodes World, Paddle and Ball, and a spawner of players and
// chests.
struct PlayersNames : MpGameNames {
  PlayersNames() { EXPECT_TRUE(read(std::string(GODOT_TESTS_DIR) + "/projects/players")); }
};

// MD5 of the methods of world.gd. Method 4 is take_damage(), and only the authority may call it.
constexpr std::string_view world_methods = "1a5fead373c7358ab6b0f836acfe9f08";

class ValueAuthority : public MpGame {
 protected:
  ValueAuthority() { capture.set_names(&names); }

  const PlayersNames names;
  static constexpr auto path_flag = std::uint32_t{1} << 31;
};

TEST_F(ValueAuthority, BelongsToTheSenderOfSyncs) {
  capture.from(client, simplify(3, "Main/Players/P1/Sync"));
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players/P1"));
  capture.from(client, sync(1, {3 | path_flag}));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1/Sync"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1/Gun/Barrel"));
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players"));
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players/P12"));
  EXPECT_FALSE(client.authority().is_only_authority(server_end, "Main/Players/P1"));
  EXPECT_FALSE(client.authority().is_only_authority(bo, "Main/Players/P1"));
}

TEST_F(ValueAuthority, BelongsToTheSenderOfDeltas) {
  capture.from(client, simplify(3, "Main/Players/P1/Inputs/Sync"));
  capture.from(client, hex("16") + u32(3 | path_flag) + u64(1) + u32(2) + hex("0263"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1/Inputs"));
}

// If the server also sends a player's values, the player's peer does not have the authority. A spawn with a
// synchronizer is no evidence.
TEST_F(ValueAuthority, IsSharedIfTheServerAlsoSendsValues) {
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.to(client, spawn(5, {6}, "P1"));
  capture.to(client, spawn(7, {8}, "P2"));
  capture.to(client, sync(1, {6}));
  for (const std::string_view player : {"P1", "P2"}) {
    const std::uint32_t id = player == "P1" ? 3 : 4;
    capture.from(client, simplify(id, "Main/Players/" + std::string(player) + "/Sync"));
    capture.from(client, sync(1, {id | path_flag}));
  }
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players/P1"));
  EXPECT_FALSE(client.authority().is_only_authority(server_end, "Main/Players/P1"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P1/Sync"));
  EXPECT_TRUE(client.authority().is_only_authority(client_end, "Main/Players/P2"));
}

TEST_F(ValueAuthority, RelayedMessageCountsForItsOriginalSender) {
  capture.to(client, relay(bo, simplify(3, "Main/Players/P2/Sync")));
  capture.to(client, relay(bo, sync(1, {3 | path_flag})));
  EXPECT_TRUE(client.authority().is_only_authority(bo, "Main/Players/P2"));
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players/P2"));
}

TEST_F(ValueAuthority, IsUnknownWithoutNames) {
  capture.set_names(nullptr);
  capture.from(client, simplify(3, "Main/Players/P1/Sync"));
  capture.from(client, sync(1, {3 | path_flag}));
  EXPECT_FALSE(client.authority().is_only_authority(client_end, "Main/Players/P1/Sync"));
}

// In the scripts, only players named by a peer id belong to that peer. A peer that sends values for a long time
// overrules the scripts.
TEST(ScriptAuthorityConflict, PersistentSenderOverrulesTheScripts) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  MpConnection &client = capture.connect(ada);
  constexpr auto path_flag = std::uint32_t{1} << 31;
  capture.from(client, simplify(1, "Main/Paddle/Sync"));
  capture.from(client, simplify(2, "Main/Players/1111/Sync"));
  capture.from(client, simplify(3, "Main/Ball/Sync"));
  capture.to(client, simplify(3, "Main/Ball/Sync"));
  const auto send = [&](std::uint32_t time) {
    for (const std::uint32_t id : {1U, 2U, 3U}) capture.from(client, sync(time, {id | path_flag}));
    capture.to(client, sync(time, {3 | path_flag}));
  };
  for (std::uint32_t i = 1; i <= 15; ++i) send(i);
  EXPECT_FALSE(client.authority().is_against_project(client_end, "Main/Paddle"));
  send(16);
  EXPECT_TRUE(client.authority().is_against_project(client_end, "Main/Paddle"));
  EXPECT_TRUE(client.authority().is_against_project(client_end, "Main/Paddle/Sync"));
  EXPECT_TRUE(client.authority().is_against_project(client_end, "Main/Paddle/Gun"));
  EXPECT_FALSE(client.authority().is_against_project(server_end, "Main/Paddle"));
  EXPECT_FALSE(client.authority().is_against_project(client_end, "Main"));
  EXPECT_FALSE(client.authority().is_against_project(client_end, "Main/Players/1111")) << "the scripts say so, too";
  EXPECT_FALSE(client.authority().is_against_project(client_end, "Main/Ball")) << "the server sends its values, too";
}

TEST(MpSummary, PropertiesHaveNamesOnlyIfAllTypesFit) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Spawner"));
  const auto spawn_chest = [&](std::uint32_t net_id, const Data &state) {
    capture.to(client,
               hex("04 01") + u32(1) + u32(net_id) + u32(1) + u32(3) + u32(net_id + 1) + zero_terminated("C1") + state);
  };
  // The types of a delta belong to bits 1 and 3 of its mask: hp, an int, and is_open, a bool.
  const auto delta_of = [&](std::uint32_t id, const Data &values) {
    return summary_of(capture.to(client, hex("16") + u32(id) + u64(0b1010) + u32(3) + values));
  };
  spawn_chest(5, hex("0263 0263 0263 81"));
  EXPECT_EQ(delta_of(6, hex("0263 81")), "Delta C1 hp=99 is_open=true");
  EXPECT_EQ(delta_of(6, hex("81 0263")), "Delta C1 delta#1=true delta#3=99");
  spawn_chest(7, hex("0263 81 0263 0263"));
  EXPECT_EQ(delta_of(8, hex("0263 81")), "Delta C1 delta#1=99 delta#3=true") << "another scene was spawned";
  spawn_chest(9, hex("0263 0263 0263"));
  EXPECT_EQ(delta_of(10, hex("0263 81")), "Delta C1 delta#1=99 delta#3=true") << "another scene was spawned";
}

TEST(MpSummary, UsesTheProjectsNames) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/World", world_methods));
  capture.to(client, simplify(2, "Main/Spawner"));
  capture.to(client, spawn(5, {6, 7}, "P1", 2));
  EXPECT_EQ(summary_of(capture.to(client, call(1))), "RPC Main/World.take_damage()");
  EXPECT_EQ(summary_of(capture.to(client, call_by_path("Main/World"))), "RPC Main/World.take_damage()");
  EXPECT_EQ(summary_of(capture.to(client, call(3))), "RPC #3.#4()");
  EXPECT_EQ(summary_of(capture.to(client, sync(12, {6}))), "Sync t=12 P1 points=99");
  const Sent delta = capture.to(client, hex("16") + u32(7) + u64(4) + u32(2) + hex("0263"));
  EXPECT_EQ(summary_of(delta), "Delta P1#7 Gun:ammo=99");
  const MpResolvedMessage resolved(delta.packet, delta.message, delta.route);
  ASSERT_NE(resolved.object(0), nullptr);
  EXPECT_EQ(resolved.object(1), nullptr);
  MpPropertyCursor properties = resolved.object(0)->properties();
  std::array<char, 64> memory{};
  TextBuffer text(memory);
  append_mp_property_path("P1#7", properties.next(), text);
  EXPECT_EQ(text.view(), "P1#7/Gun:ammo");
  text.clear();
  MpProperty other = {MpCommand::sync, 0, {"scale", "project", {true, 1, "Body"}}};
  append_mp_property_path("Main/P1/Sync", other, text);
  EXPECT_EQ(text.view(), "Main/P1/Body:scale");
  // The root of the multiplayer may be a node of the scene.
  text.clear();
  append_mp_property_path("Sync", other, text);
  EXPECT_EQ(text.view(), "Body:scale");
  text.clear();
  other.name.relative.below = {};
  append_mp_property_path("Sync", other, text);
  EXPECT_EQ(text.view(), ".:scale");
  text.clear();
  append_mp_property_path("P1", {MpCommand::spawn, 3, {}}, text);
  EXPECT_EQ(text.view(), "P1:spawn#3");
}

// Objects beyond the stored number are read again for each output.
TEST(MpResolvedMessage, ObjectsOverTheStoredNumberAreReadAgain) {
  constexpr std::uint32_t count = 40;
  Capture capture;
  MpConnection &client = capture.connect(ada);
  Data bytes = hex("06 0c00");
  for (std::uint32_t i = 0; i < count; ++i) bytes = bytes + u32(i + 1) + u32(2) + hex("0263");
  const Sent sync = capture.to(client, bytes);
  const MpResolvedMessage resolved(sync.packet, sync.message, sync.route);
  for (int output = 0; output < 3; ++output) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const MpResolvedObject *object = resolved.object(i);
      ASSERT_NE(object, nullptr) << i;
      EXPECT_EQ(object->fields.number(MpField::net_id), i + 1);
      EXPECT_EQ(object->object.range.offset, 3 + std::size_t{10} * i);
      EXPECT_EQ(object->variants.range.length, 2U);
    }
    EXPECT_EQ(resolved.object(count), nullptr);
  }
}

TEST(MpResolvedMessage, NoObjectFollowsAnUnreadableObject) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  const Sent sync = capture.to(client, hex("06 0c00") + u32(5) + u32(2) + hex("0263") + u32(6) + u32(99) + hex("0263"));
  const MpResolvedMessage resolved(sync.packet, sync.message, sync.route);
  ASSERT_NE(resolved.object(0), nullptr);
  EXPECT_EQ(resolved.object(0)->object.outcome, Outcome::ok);
  ASSERT_NE(resolved.object(1), nullptr);
  EXPECT_EQ(resolved.object(1)->object.outcome, Outcome::malformed);
  EXPECT_EQ(resolved.object(2), nullptr);
}

TEST(MpResolvedMessage, AnnouncedPathsAndSpawnsAreResolved) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  const Sent told = capture.to(client, simplify(1, "Main/World"));
  const Sent spawned = capture.to(client, spawn(5, {6}, "P1"));
  const Sent called = capture.to(client, call(1));
  const MpResolvedMessage call_of_world(called.packet, called.message, called.route);
  EXPECT_EQ(call_of_world.path_id(), 1U);
  ASSERT_NE(call_of_world.announced_path(), nullptr);
  EXPECT_EQ(call_of_world.announced_path()->position, told.packet.position);
  EXPECT_EQ(call_of_world.path(), "Main/World");
  EXPECT_EQ(call_of_world.method_name().text, "");
  EXPECT_EQ(call_of_world.find_function(), nullptr);
  EXPECT_EQ(call_of_world.node(), nullptr);
  const Sent sync = capture.to(client, hex("06 0c00") + u32(6) + u32(2) + hex("0263"));
  const MpResolvedMessage values(sync.packet, sync.message, sync.route);
  ASSERT_NE(values.object(0), nullptr);
  ASSERT_NE(values.object(0)->node(), nullptr);
  EXPECT_EQ(values.object(0)->node()->spawn->spawned_at, spawned.packet.position);
  EXPECT_EQ(values.object(0)->announced_path(), nullptr);
  EXPECT_EQ(values.announced_path(), nullptr);
}

// A call on another channel overtakes the announcement of the node's methods. On later passes the call has its name.
TEST(MpSummary, CallThatPrecedesItsPathHasANameOnLaterPasses) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  MpConnection &client = capture.connect(ada);
  const Sent early = capture.to(client, call_by_path("Main/World"));
  EXPECT_EQ(summary_of(early), "RPC Main/World.#4()");
  capture.to(client, simplify(1, "Main/World", world_methods));
  EXPECT_EQ(summary_of(early), "RPC Main/World.take_damage()");
}

TEST(MpSummary, FirstKnownMethodListConfirmsTheProjectFolder) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  MpConnection &client = capture.connect(ada);
  const PacketPosition before = capture.to(client, call(1)).packet.position;
  const PacketPosition announced = capture.to(client, simplify(1, "Main/World", world_methods)).packet.position;
  const PacketPosition after = capture.to(client, call(1)).packet.position;
  EXPECT_FALSE(client.paths().matches_project(before));
  EXPECT_TRUE(client.paths().matches_project(announced));
  EXPECT_TRUE(client.paths().matches_project(after));
}

// ---- large sessions: the tests measure memory; quadratic work would exceed the time limit of a test

// Updates the session without keeping the packets.
void update(MpConnection &connection, bool is_from_client, const Data &data, PacketPosition position) {
  const ExactBytes bytes(data);
  MpPacket packet;
  packet.connection = &connection;
  packet.sender_side = is_from_client ? 1 : 0;
  packet.role = connection.peers().role_of(packet.sender_side);
  packet.position = position;
  packet.bytes = bytes.get();
  MpVariantCache values(packet.bytes, {});
  packet.values = &values;
  connection.record_message(packet, read_mp_message(packet.bytes, 0, Generation::godot4), direct_route(packet), false);
}

TEST(MpSession, NewPeerWithTwoMessagesUsesLessThan3000Bytes) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &stranger = session.add_connection(server, false);
  constexpr std::uint32_t count = 200'000;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::int32_t>(10 + i);
    MpConnection &newcomer = session.add_connection(server, i % 2 == 0);
    if (i % 2 == 0) newcomer.record_client_id(id, packet_position_zero);
    update(stranger, false, add_peer(id), {3 * i + 1, 0});
    update(newcomer, false, add_peer(5), {3 * i + 2, 0});
    update(newcomer, false, call(1), {3 * i + 3, 0});
  }
  EXPECT_EQ(stranger.peers().client_id(), 5);
  EXPECT_LT(memory.bytes() / count, 3000U);
}

TEST(MpSession, ManyPathsAndNodesAreFound) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &client = session.add_connection(server, true);
  client.record_client_id(ada, packet_position_zero);
  constexpr std::uint32_t count = 200'000;
  for (std::uint32_t i = 1; i <= count; ++i) {
    update(client, false, simplify(i, "Main/" + std::to_string(i)), {i, 0});
    update(client, false, simplify(0, "Main/" + std::to_string(i % 2)), {i, 1});
    update(client, true, confirm(0, i % 3 == 0), {i, 2});
  }
  const MpIdScope scope{server_end, client_end};
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::string path = "Main/" + std::to_string(i);
    ASSERT_EQ(client.paths().find(scope, i, {count + 1, 0})->text, path);
    ASSERT_EQ(client.paths().find(scope, 0, {i, 9})->text, "Main/" + std::to_string(i % 2));
    ASSERT_TRUE(client.paths().is_confirmed(*client.paths().find(scope, 0, {i, 9}), mp_everyone, {i, 9}));
  }
  EXPECT_LT(memory.bytes() / count, 2500U);
}

// Each memory block is 1.5 times as large as the previous one, so up to a third of the total is unused.
TEST(MpSession, PathIdUsesLessThan256BytesPlusItsText) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &client = session.add_connection(server, true);
  client.record_client_id(ada, packet_position_zero);
  constexpr std::uint32_t count = 200'000;
  std::size_t texts = 0;
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::string path = "Main/" + std::to_string(i);
    texts += path.size() + 1;
    update(client, false, simplify(i, path), {i, 0});
  }
  EXPECT_LT(memory.bytes(), (std::size_t{count} * 256 + texts) * 3 / 2);
}

TEST(MpSession, SyncUsesLessThan32BytesPerObject) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &client = session.add_connection(server, true);
  constexpr std::uint32_t count = 100'000;
  for (std::uint32_t i = 1; i <= count; ++i) {
    update(client, false, sync(static_cast<std::uint16_t>(i), {6, 7, 8}), {i, 0});
  }
  EXPECT_LT(memory.bytes() / count, 3 * 32U);
  EXPECT_NE(client.syncs().find({count, 0}, 2), nullptr);
}

// The packet of 99 bytes contained a compressed path of 4,000 bytes.
TEST(MpSession, MemoryStaysWithinTheBudget) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &bomb = session.add_connection(server, true);
  MpConnection &player = session.add_connection(server, true);
  const auto announce = [](MpConnection &connection, std::uint32_t number, const std::string &path) {
    const ExactBytes bytes(simplify(number, path));
    MpPacket packet;
    packet.connection = &connection;
    packet.position = {number, 0};
    packet.bytes = bytes.get();
    packet.wire_size = 99;
    connection.record_message(packet, read_mp_message(packet.bytes, 0, Generation::godot4), direct_route(packet),
                              false);
  };
  constexpr std::uint32_t count = 20'000;
  for (std::uint32_t i = 1; i <= count; ++i) announce(bomb, i, std::string(4000, 'a') + std::to_string(i));
  // Each memory block is 1.5 times as large as the previous one.
  const std::size_t budget = MemoryBudget::base_grant + std::size_t{count} * 99 * MemoryBudget::grant_per_wire_byte;
  EXPECT_GT(memory.bytes(), budget * 3 / 4);
  EXPECT_LT(memory.bytes(), budget * 2);
  const MpIdScope scope{server_end, client_end};
  const PacketPosition end{2 * count, 0};
  EXPECT_NE(bomb.paths().find(scope, 1, end), nullptr);
  const std::uint32_t left_out = session.first_over_memory_limit().packet;
  EXPECT_GT(left_out, 4000U);
  EXPECT_NE(bomb.paths().find(scope, left_out - 1, end), nullptr);
  EXPECT_EQ(bomb.paths().find(scope, left_out, end), nullptr);

  announce(player, count + 1, "Main/World");
  ASSERT_NE(player.paths().find(scope, count + 1, end), nullptr);
  EXPECT_EQ(player.paths().find(scope, count + 1, end)->text, "Main/World");
}

// A count in a packet allocates no memory for elements that the packet lacks.
TEST(MpSession, ClaimedCountsAllocateNoMemory) {
  CountingMemory memory;
  MpSession session(&memory);
  MpConnection &client = session.add_connection(server, true);
  const std::size_t before = memory.bytes();
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    update(client, false, hex("04 00") + u32(1) + u32(5) + u32(0x3fffffff) + u32(0x7fffffff) + hex("00"), {i, 0});
    update(client, false, hex("06 0100") + u32(5) + u32(0xffffffff), {i, 1});
    update(client, false, hex("05 01"), {i, 2});
  }
  EXPECT_EQ(memory.bytes(), before);
}

// ---- two peers of which neither is known to be the server (WebRTC)

TEST(MpSessionWithoutRoles, EachConnectionEndHasSeparatePathIds) {
  Capture capture;
  capture.disable_roles();
  MpConnection &pair = capture.add_unknown();
  capture.from(pair, simplify(1, "Main/A"));
  capture.to(pair, simplify(1, "Main/B"));
  EXPECT_EQ(path_of(capture.from(pair, call(1))), "Main/A in 1");
  EXPECT_EQ(path_of(capture.to(pair, call(1))), "Main/B in 2");
}

// Connections over WebRTC do not show which server they belong to.
TEST(MpSessionWithoutRoles, PauseOfAMinuteBeginsAnotherGame) {
  constexpr std::int64_t minute = 60 * nanoseconds_per_second;
  Capture capture;
  capture.disable_roles();
  std::vector<const MpServerState *> servers;
  for (const std::int64_t time : {minute, 2 * minute, 3 * minute + 1}) {
    MpConnection &connection = capture.add_unknown();
    Capture::record_server(connection, 0, time);
    servers.push_back(&connection.peers().server_state());
  }
  EXPECT_EQ(servers[0], servers[1]);
  EXPECT_NE(servers[1], servers[2]);
}

TEST(MpSessionWithoutRoles, RelayIdentifiesNoPeer) {
  Capture capture;
  capture.disable_roles();
  MpConnection &pair = capture.add_unknown();
  capture.from(pair, relay(7, simplify(1, "Main/A")));
  EXPECT_EQ(path_of(capture.from(pair, call(1))), "?");
  capture.from(pair, simplify(1, "Main/C"));
  EXPECT_EQ(path_of(capture.from(pair, relay(7, call(1)))), "?") << "whose number it is nobody knows";
  EXPECT_EQ(path_of(capture.to(pair, relay(7, confirm(1)))), "?");
  capture.to(pair, add_peer(7));
  EXPECT_EQ(pair.peers().client_id(), 0) << "nor who is who";
}

TEST(MpSessionWithoutRoles, StateIsKeptWhenASideBecomesTheServer) {
  for (const bool is_turned : {false, true}) {
    Capture capture;
    capture.disable_roles();
    MpConnection &pair = capture.add_unknown();
    capture.from(pair, simplify(1, "Main/A"));
    capture.to(pair, simplify(1, "Main/B"));
    capture.to(pair, confirm(1));
    capture.from(pair, spawn(5, {}, "Ogre"));
    capture.from(pair, sync(9, {1}));
    capture.from(pair, simplify(2, "Main/C"));
    Capture::record_server(pair, is_turned ? 1 : 0);
    const auto of_first = [&](const Data &data) { return capture.from(pair, data); };
    const auto of_second = [&](const Data &data) { return capture.to(pair, data); };
    const Sent sent = of_first(call(1));
    EXPECT_EQ(path_of(sent), "Main/A in 1, confirmed");
    EXPECT_EQ(path_of(of_second(call(1))), "Main/B in 2");
    const MpAnnouncedPath *name = pair.paths().find(sent.scope(), 1U, sent.packet.position);
    ASSERT_NE(name, nullptr);
    EXPECT_TRUE(pair.paths().is_confirmed(*name, sent.scope().receiver, sent.packet.position));
    EXPECT_FALSE(pair.paths().is_confirmed(*name, sent.scope().sender, sent.packet.position));
    const MpNetIdTarget *node = pair.nodes().find(sent.scope(), 5, sent.packet.position);
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->spawn->name, "Ogre");
    EXPECT_EQ(pair.nodes().spawner_path_of(*node->spawn), "Main/A");
    EXPECT_EQ(pair.nodes().find_spawned(sent.scope(), "Ogre", sent.packet.position), node->spawn);
    capture.wait(2000);
    const Sent later = of_second(call(1));
    EXPECT_EQ(pair.paths().find(sent.scope(), 2U, later.packet.position)->overdue_at, later.packet.position);
    EXPECT_EQ(name->overdue_at, packet_position_zero) << "that one was confirmed";
    const Sent late = of_first(sync(9, {1}));
    const MpSyncRecord *record = pair.syncs().find(late.packet.position, 0);
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(record->is_late);
  }
}

TEST(MpSessionWithoutRoles, RelaysAreReadOnceTheServerIsKnown) {
  Capture capture;
  capture.disable_roles();
  MpConnection &first = capture.add_unknown();
  MpConnection &second = capture.add_unknown();
  Capture::record_server(first, 1);
  Capture::record_server(second, 0);
  capture.to(first, relay(bo, simplify(1, "Main/World")));
  capture.to(second, relay(ada, simplify(1, "Main/World")));
  EXPECT_EQ(first.peers().client_id(), ada);
  EXPECT_EQ(second.peers().client_id(), bo);
  const Sent sent = capture.from(second, relay(ada, confirm(1)));
  EXPECT_EQ(route_of(sent), "client>" + std::to_string(ada));
  EXPECT_EQ(path_of(sent), "Main/World in 2, confirmed");
}

TEST(MpSessionWithoutRoles, MessageThatOnlyOneRoleSendsIdentifiesTheServer) {
  Capture capture;
  capture.disable_roles();
  for (const unsigned end : {0U, 1U}) {
    MpConnection &pair = capture.add_unknown();
    EXPECT_EQ(pair.peers().role_of(end), MpRole::unknown);
    EXPECT_EQ(pair.peers().id_of(mp_side(end), packet_position_last), std::nullopt);
    const ExactBytes bytes(relay(0, call(1)));  // only a client has something relayed to everyone
    Message message{bytes.get()};
    message.sender_side = end;
    pair.update_role(message);
    EXPECT_EQ(pair.peers().role_of(end), MpRole::client);
    EXPECT_EQ(pair.peers().role_of(1 - end), MpRole::server);
    EXPECT_EQ(pair.peers().id_of(mp_side(1 - end), packet_position_last), mp_server);
    EXPECT_EQ(pair.peers().peer_of(mp_server, packet_position_last), mp_side(1 - end));
    Capture::record_server(pair, end);
    EXPECT_EQ(pair.peers().role_of(end), MpRole::client) << "the first message decides";
  }
}

TEST(MpRole, AddPeerIdentifiesAServerAndBroadcastRelayAClient) {
  const auto role_of = [](const Data &data) {
    const ExactBytes bytes(data);
    return role_of_sender(bytes.get());
  };
  EXPECT_EQ(role_of(add_peer(ada)), MpRole::server);
  EXPECT_EQ(role_of(hex("0702") + u32(ada)), MpRole::server);
  EXPECT_EQ(role_of(relay(0, call(1))), MpRole::client);
  EXPECT_EQ(role_of(relay(-ada, call(1))), MpRole::client);
  EXPECT_EQ(role_of(relay(ada, call(1))), MpRole::unknown);
  EXPECT_EQ(role_of(call(1)), MpRole::unknown);
  EXPECT_EQ(role_of(hex("0701 0100")), MpRole::unknown);
}

// ---- problems that last longer than one message

// Describes the problems of a message, separated by "; ": kind, subject and peers, as in
// "two_senders Main/P1/Sync 1111 1".
std::string problems_of(const Sent &sent) {
  static constexpr const char *names[] = {"two_senders",  "values_end",   "owner_ends", "short_lives",
                                          "flood",        "stood_still",  "calls_lost", "values_lost",
                                          "two_spawners", "nobody_sends", "mute"};
  std::string text;
  const MpProblemTracker &problems = sent.packet.connection->problems();
  for (const MpProblem *problem = problems.find(sent.packet, nullptr); problem != nullptr;
       problem = problems.find(sent.packet, problem)) {
    if (!text.empty()) text += "; ";
    text += names[static_cast<std::size_t>(problem->kind)];
    if (!problem->node.empty()) text += " " + std::string(problem->node);
    text += " " + peer_name(problem->peers.sender) + " " + peer_name(problem->peers.receiver);
  }
  return text;
}

// Returns the problems of all messages that a step sends when it is repeated.
template <typename Step>
std::string problems_of(int times, Step step) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    for (const Sent &sent : {step(i)}) {
      if (std::string found = problems_of(sent); !found.empty()) text += (text.empty() ? "" : "; ") + found;
    }
  }
  return text;
}

constexpr std::uint32_t path_flag = 0x80000000;

TEST(MpSession, AuthorityConflictIsReported) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  capture.from(first, simplify(1, "Main/P1/Sync"));
  capture.from(second, simplify(4, "Main/P1/Sync"));
  const auto in_turns = [&](int i) {
    return i % 2 == 0 ? capture.from(first, sync(1, {path_flag | 1})) : capture.from(second, sync(1, {path_flag | 4}));
  };
  EXPECT_EQ(problems_of(60, in_turns), "two_senders Main/P1/Sync 1111 2222");
  // The authority over the node was handed over, so the second peer sends after the first.
  Capture healthy;
  MpConnection &before = healthy.connect(ada);
  MpConnection &after = healthy.connect(bo);
  healthy.from(before, simplify(1, "Main/P1/Sync"));
  healthy.from(after, simplify(4, "Main/P1/Sync"));
  EXPECT_EQ(problems_of(60, [&](int) { return healthy.from(before, sync(1, {path_flag | 1})); }), "");
  EXPECT_EQ(problems_of(60, [&](int) { return healthy.from(after, sync(1, {path_flag | 4})); }), "");
}

TEST_F(MpGame, SyncsThatStopWithoutADespawnAreReported) {
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.from(client, confirm(1));
  capture.to(client, spawn(5, {6}, "P1"));
  EXPECT_EQ(problems_of(40, [&](int) { return capture.to(client, sync(1, {6})); }), "");
  capture.wait(2000);
  EXPECT_EQ(problems_of(40, [&](int) { return capture.to(client, call(1)); }), "values_end P1 1 client");
  // The capture gap between sequence numbers 2 and 4 may contain the despawn.
  Capture lossy;
  MpConnection &last = lossy.connect(ada);
  lossy.set_next_seq(1);
  lossy.to(last, simplify(1, "Main/Spawner"));
  lossy.set_next_seq(2);
  lossy.to(last, spawn(5, {6}, "P1"));
  EXPECT_EQ(problems_of(40, [&](int) { return lossy.to(last, sync(1, {6})); }), "");
  lossy.wait(50);
  lossy.set_next_seq(4);
  lossy.to(last, call(1));
  lossy.wait(2000);
  EXPECT_EQ(problems_of(40, [&](int) { return lossy.to(last, call(1)); }), "");
  // Only the client sends the values from now on, so the authority was handed over.
  Capture healthy;
  MpConnection &other = healthy.connect(ada);
  healthy.to(other, simplify(1, "Main/Spawner"));
  healthy.to(other, spawn(5, {6}, "P1"));
  EXPECT_EQ(problems_of(40, [&](int) { return healthy.to(other, sync(1, {6})); }), "");
  healthy.from(other, simplify(1, "Main/Players/P1/Sync"));
  healthy.from(other, sync(1, {path_flag | 1}));
  healthy.wait(2000);
  EXPECT_EQ(problems_of(40, [&](int) { return healthy.to(other, call(1)); }), "");
}

TEST_F(MpGame, NodesDespawnedRightAfterTheirSpawnAreReported) {
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.from(client, confirm(1));
  const auto live = [&](int) {
    capture.to(client, spawn(5, {}, "Flash"));
    return capture.to(client, despawn(5));
  };
  EXPECT_EQ(problems_of(30, live), "short_lives Flash 1 client");
  const auto live_long = [&](int) {
    capture.to(client, spawn(7, {}, "Bullet"));
    capture.wait(500);
    return capture.to(client, despawn(7));
  };
  EXPECT_EQ(problems_of(30, live_long), "");
}

TEST_F(MpGame, FloodOfCallsIsReported) {
  capture.from(client, simplify(1, "Main/World"));
  capture.to(client, confirm(1));
  EXPECT_EQ(problems_of(3000, [&](int) { return capture.from(client, call(1)); }), "flood Main/World client 1");
  const auto seldom = [&](int) {
    capture.wait(3);
    return capture.to(client, call(1));
  };
  EXPECT_EQ(problems_of(3000, seldom), "");
}

TEST(MpSession, SideThatNeverAnswersIsReported) {
  Capture capture;
  MpConnection &client = capture.connect(0);
  capture.to(client, simplify(1, "Main/World"));
  EXPECT_EQ(problems_of(100, [&](int) { return capture.to(client, call_by_path("Main/World")); }), "");
  capture.wait(2000);
  const Sent late = capture.to(client, call_by_path("Main/World"));
  EXPECT_EQ(problems_of(late), "mute client 1");
  EXPECT_TRUE(client.problems().is_unresponsive(true));
  EXPECT_FALSE(client.problems().is_unresponsive(false));
  capture.from(client, confirm(1));
  EXPECT_EQ(problems_of(late), "") << "it speaks after all";
  EXPECT_FALSE(client.problems().is_unresponsive(true));
  EXPECT_FALSE(client.problems().is_silent(true));
  // A client of create_client() most likely lacks all nodes.
  Capture other;
  MpConnection &named = other.connect(ada);
  other.to(named, simplify(1, "Main/World"));
  other.wait(2000);
  EXPECT_EQ(problems_of(other.to(named, call_by_path("Main/World"))), "");
  EXPECT_TRUE(named.problems().is_silent(true));
}

TEST_F(MpGame, StalledSideOfAStreamIsReported) {
  const auto talk = [&](int) {
    capture.wait(50);
    capture.to(client, call(1));
    return capture.from(client, call(1));
  };
  EXPECT_EQ(problems_of(20, talk), "");
  EXPECT_EQ(problems_of(30,
                        [&](int) {
                          capture.wait(100);
                          return capture.to(client, call(1));
                        }),
            "");
  EXPECT_EQ(problems_of(capture.from(client, call(1))), "stood_still client 1");
}

// ---- problems just below and at each threshold, and exceptions

TEST(MpRules, TwelveQuickAlternationsOfSyncsShowAnAuthorityConflict) {
  for (const auto &[turns, pause, found] : {std::tuple(12, 1, ""),
                                            {13, 1, "two_senders Main/P1/Sync 1111 2222"},
                                            {13, 998, "two_senders Main/P1/Sync 1111 2222"},
                                            {13, 1001, ""}}) {
    Capture capture;
    MpConnection &first = capture.connect(ada);
    MpConnection &second = capture.connect(bo);
    capture.from(first, simplify(1, "Main/P1/Sync"));
    capture.from(second, simplify(4, "Main/P1/Sync"));
    EXPECT_EQ(problems_of(turns,
                          [&, wait = pause](int i) {
                            capture.wait(wait);
                            return i % 2 == 0 ? capture.from(first, sync(1, {path_flag | 1}))
                                              : capture.from(second, sync(1, {path_flag | 4}));
                          }),
              found)
        << turns << " " << pause;
  }
}

TEST(MpRules, TwoAlternationsOfSpawnsShowASpawnConflict) {
  Capture capture;
  MpConnection &first = capture.connect(ada);
  MpConnection &second = capture.connect(bo);
  for (MpConnection *each : {&first, &second}) capture.from(*each, simplify(1, "Main/Spawner"));
  const auto spawns = [&](MpConnection &by, std::uint32_t id) {
    return problems_of(capture.from(by, spawn(id, {}, "P")));
  };
  EXPECT_EQ(spawns(first, 1), "");
  EXPECT_EQ(spawns(first, 2), "");
  EXPECT_EQ(spawns(second, 1), "") << "one turn";
  EXPECT_EQ(spawns(first, 3), "two_spawners Main/Spawner 1111 2222");
}

TEST(MpRules, TwentyNodesPresentForLessThan200MsAreSpawnChurn) {
  for (const auto &[lives, length, found] :
       {std::tuple(19, 1, ""), {20, 199, "short_lives Flash 1 client"}, {20, 200, ""}}) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.to(client, simplify(1, "Main/Spawner"));
    capture.from(client, confirm(1));
    EXPECT_EQ(problems_of(lives,
                          [&, wait = length](int) {
                            capture.to(client, spawn(5, {}, "Flash"));
                            capture.wait(wait);
                            return capture.to(client, despawn(5));
                          }),
              found)
        << lives << " " << length;
  }
}

TEST(MpRules, SixHundredCallsOfAMethodInEachOfTwoSecondsAreAFlood) {
  // Numbers of calls in two seconds, and milliseconds between these.
  for (const auto &[before, pause, after, found] : {std::tuple(600, 0, 600, "flood Main/World client 1"),
                                                    {599, 0, 600, ""},
                                                    {600, 0, 599, ""},
                                                    {0, 0, 900, ""},
                                                    {600, 990, 600, "flood Main/World client 1"},
                                                    {600, 1000, 600, ""}}) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    capture.from(client, simplify(1, "Main/World"));
    const auto calls = [&](int count, std::uint8_t method = 1) {
      return problems_of(count, [&](int) { return capture.from(client, call(method)); });
    };
    std::string text = calls(before);
    capture.wait(1000 - before + pause);
    text += calls(after);
    EXPECT_EQ(text, found) << before << " " << pause << " " << after;
    // If the same number of calls is spread over two methods, it is no flood.
    capture.wait(5000);
    for (int i = 0; i < 2500; ++i) text += problems_of(capture.from(client, call(i % 2 == 0 ? 2 : 3)));
    EXPECT_EQ(text, found);
  }
}

TEST(MpRules, ThirtySyncsThenAPauseOfTwentyIntervalsAreReported) {
  FakeDelivery test_delivery;
  const auto found_after = [&test_delivery](int syncs, int interval, int pause, bool has_gone = false) {
    Capture capture;
    capture.set_delivery(&test_delivery);
    MpConnection &client = capture.connect(ada);
    capture.to(client, simplify(1, "Main/Spawner"));
    capture.to(client, spawn(5, {6}, "P1"));
    for (int i = 0; i < syncs; ++i) {
      capture.wait(interval);
      capture.to(client, sync(static_cast<std::uint16_t>(i), {6}));
    }
    if (has_gone) capture.to(client, despawn(5));
    capture.wait(pause);
    return problems_of(16, [&](int) { return capture.to(client, call(1)); });
  };
  EXPECT_EQ(found_after(30, 1, 2000), "values_end P1 1 client");
  EXPECT_EQ(found_after(29, 1, 2000), "");
  EXPECT_EQ(found_after(30, 1, 1900), "");
  EXPECT_EQ(found_after(30, 200, 3000), "") << "seldom sent";
  EXPECT_EQ(found_after(30, 200, 4500), "values_end P1 1 client");
  EXPECT_EQ(found_after(30, 1, 2000, true), "") << "the node has gone, too";
  test_delivery.has_got = true;
  EXPECT_EQ(found_after(30, 1, 2000), "") << "the receiver may have got its despawn";
  test_delivery.is_got_by_sender = true;
  EXPECT_EQ(found_after(30, 1, 2000), "values_end P1 1 client") << "what the sender has got is no despawn";
}

// The server spawns a node, and the client is the authority of its synchronizer.
MpConnection &spawn_player(Capture &capture) {
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.to(client, spawn(5, {6}, "P1"));
  capture.from(client, simplify(1, "Main/Players/P1/Sync"));
  return client;
}

TEST(MpRules, StoppedSyncsAreNotReportedAfterATakeoverOrInACaptureGap) {
  FakeDelivery test_delivery;
  // @param taken_over milliseconds before the last values when the server begins to send them; negative: never
  const auto found_after = [&](int syncs, int taken_over) {
    Capture capture;
    capture.set_delivery(&test_delivery);
    MpConnection &client = spawn_player(capture);
    for (int i = 0; i < syncs; ++i) {
      if (i + 1 == syncs && taken_over >= 0) {
        capture.to(client, sync(1, {6}));
        capture.wait(taken_over);
      }
      capture.from(client, sync(1, {path_flag | 1}));
    }
    capture.wait(2000);
    return problems_of(16, [&](int) { return capture.from(client, call(1)); });
  };
  const std::string found = "owner_ends Main/Players/P1/Sync client 1";
  EXPECT_EQ(found_after(30, -1), found);
  EXPECT_EQ(found_after(29, -1), "");
  EXPECT_EQ(found_after(30, 0), "");
  EXPECT_EQ(found_after(30, 998), "");
  EXPECT_EQ(found_after(30, 1000), found) << "that was before";
  test_delivery.has_got = true;
  for (const bool is_by_sender : {false, true}) {
    test_delivery.is_got_by_sender = is_by_sender;
    EXPECT_EQ(found_after(30, -1), "");
  }
}

TEST(MpRules, EqualNonzeroValuesOfTwoSidesAreAConflict) {
  const auto values = [](std::uint32_t id, std::string_view value) {
    return hex("06 0100") + u32(id) + u32(2) + hex("02") + hex(value);
  };
  for (const auto &[times, value, found] :
       {std::tuple(30, "63", "two_senders Main/Players/P1/Sync client 1"), {29, "63", ""}, {60, "00", ""}}) {
    Capture capture;
    MpConnection &client = spawn_player(capture);
    std::vector<Sent> sent;
    const std::string text = problems_of(times, [&](int) {
      sent.push_back(capture.to(client, values(6, value)));
      return capture.from(client, values(path_flag | 1, value));
    });
    EXPECT_EQ(text, found) << times << value;
    sent.push_back(capture.to(client, values(6, value)));
    const auto has_conflict = [&](const Sent &each) {
      const MpItem object = read_mp_object(each.packet.bytes, 3, MpCommand::sync);
      return client.problems().find_authority_conflict({each.packet, each.message, each.scope(), object}) != nullptr;
    };
    EXPECT_EQ(has_conflict(sent[times / 2]), !text.empty());
    EXPECT_FALSE(has_conflict(sent.back())) << "the client has stopped";
  }
}

TEST(MpRules, SyncsAreMissingFromThreeSecondsOnUntilTheyArrive) {
  const PlayersNames names;
  for (const auto &[pause, found] : {std::pair(2900, ""), {3000, "nobody_sends P1 1 client"}}) {
    Capture capture;
    capture.set_names(&names);
    MpConnection &client = spawn_player(capture);
    capture.wait(pause);
    std::vector<Sent> sent;
    const auto all = [&] {
      std::string text;
      for (const Sent &each : sent) text += problems_of(each);
      return text;
    };
    for (int i = 0; i < 16; ++i) sent.push_back(capture.to(client, call(1)));
    EXPECT_EQ(all(), found);
    capture.wait(3000);
    capture.from(client, sync(1, {path_flag | 1}));
    for (int i = 0; i < 16; ++i) sent.push_back(capture.to(client, call(1)));
    EXPECT_EQ(all(), "") << "they arrived late";
  }
}

TEST(MpRules, SideIsUnresponsiveTwoSecondsAfterAPathArrived) {
  for (const bool is_arrived : {true, false}) {
    Capture capture;
    FakeDelivery test_delivery;
    test_delivery.is_arrived = is_arrived;
    capture.set_delivery(&test_delivery);
    MpConnection &client = capture.connect(0);
    capture.to(client, simplify(1, "Main/World"));
    capture.wait(1997);
    EXPECT_EQ(problems_of(capture.to(client, call(1))), "");
    capture.wait(1);
    EXPECT_EQ(problems_of(capture.to(client, call(1))), is_arrived ? "mute client 1" : "");
  }
  Capture late;
  MpConnection &other = late.add_unknown();
  late.to(other, simplify(1, "Main/World"));
  late.wait(3000);
  EXPECT_EQ(problems_of(late.to(other, call(1))), "") << "the capture begins later";
}

TEST(MpRules, LossIsReportedAtAMinimumCountAndShare) {
  // missing, all, ordered, missing ordered, late
  EXPECT_TRUE(MpProblemTracker::are_calls_lost({10, 120, 0, 0, 0}));
  EXPECT_FALSE(MpProblemTracker::are_calls_lost({9, 20, 0, 0, 0}));
  EXPECT_FALSE(MpProblemTracker::are_calls_lost({10, 121, 0, 0, 0}));
  EXPECT_TRUE(MpProblemTracker::are_calls_lost({0, 1000, 50, 6, 4}));
  EXPECT_FALSE(MpProblemTracker::are_calls_lost({0, 1000, 51, 6, 4})) << "a fifth of those in order";
  EXPECT_FALSE(MpProblemTracker::are_calls_lost({0, 1000, 20, 6, 3}));
  EXPECT_TRUE(MpProblemTracker::are_values_lost({50, 200, 0, 0, 0, true}));
  EXPECT_FALSE(MpProblemTracker::are_values_lost({50, 200, 0, 0, 0, false})) << "nothing reliable got lost";
  EXPECT_FALSE(MpProblemTracker::are_values_lost({49, 100, 0, 0, 0, true}));
  EXPECT_FALSE(MpProblemTracker::are_values_lost({50, 201, 0, 0, 0, true}));
}

TEST(MpRules, LostCallsAreReportedOnlyForUnreliableMethods) {
  for (const bool may_overtake : {true, false}) {
    Capture capture;
    FakeDelivery test_delivery;
    test_delivery.losses = {20, 40, 0, 0, 0};
    capture.set_delivery(&test_delivery);
    MpConnection &client = capture.connect(ada);
    capture.from(client, simplify(1, "Main/World"));
    capture.to(client, confirm(1));
    if (may_overtake) capture.make_next_message_unordered();
    EXPECT_EQ(problems_of(capture.from(client, call(1))), may_overtake ? "calls_lost Main/World client 1" : "");
  }
}

TEST(MpRules, PauseOverTwoSecondsAndEightIntervalsIsAStall) {
  const auto found_after = [](int messages, int usual, int pause, int others) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    for (int i = 0; i < messages; ++i) {
      capture.wait(usual);
      capture.from(client, call(1));
    }
    for (int i = 0; i < others; ++i) {
      capture.wait(pause / others);
      capture.to(client, call(1));
    }
    return problems_of(capture.from(client, call(1)));
  };
  EXPECT_EQ(found_after(16, 50, 2400, 20), "stood_still client 1");
  EXPECT_EQ(found_after(15, 50, 2400, 20), "");
  EXPECT_EQ(found_after(16, 50, 1960, 20), "");
  EXPECT_EQ(found_after(16, 50, 2400, 19), "") << "the other side may have stood still, too";
  EXPECT_EQ(found_after(16, 400, 2400, 20), "");
}

TEST(MpRules, EightQuickAlternationsShowCompetingCallers) {
  for (const auto &[calls, pause, is_found] :
       {std::tuple(9, 1, true), {8, 1, false}, {9, 998, true}, {30, 1000, false}}) {
    const PlayersNames names;
    Capture capture;
    capture.set_names(&names);
    MpConnection &first = capture.connect(ada);
    MpConnection &second = capture.connect(bo);
    for (MpConnection *each : {&first, &second}) capture.from(*each, simplify(1, "Main/World", world_methods));
    for (int i = 0; i < calls; ++i) {
      capture.wait(pause);
      capture.from(i % 2 == 0 ? first : second, call(1));
    }
    EXPECT_EQ(first.authority().has_alternating_callers("Main/World"), is_found) << calls << " " << pause;
  }
}

// ---- repeated, returning and forgotten state

TEST(MpPeerHistory, NodeIsAbsentFromItsFirstDespawnToTheNextSpawn) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  capture.to(client, simplify(1, "Main/Spawner"));
  capture.to(client, spawn(5, {}, "P1"));
  capture.to(client, despawn(5));
  capture.to(client, despawn(5));
  EXPECT_EQ(presence_of(capture.to(client, call(1)), 5), "gone since 3");
  capture.to(client, spawn(5, {}, "P1"));
  EXPECT_EQ(presence_of(capture.to(client, call(1)), 5), "present since 6");
}

TEST(MpPeerHistory, PeerThatReconnectsIsNotDisconnected) {
  Capture capture;
  MpConnection &client = capture.connect(ada);
  const auto is_disconnected_after = [&](const Data &command) {
    return client.peers().find_disconnect(bo, capture.to(client, command).packet.position).has_value();
  };
  const Data remove = hex("0702") + u32(static_cast<std::uint32_t>(bo));
  EXPECT_FALSE(is_disconnected_after(add_peer(bo)));
  EXPECT_TRUE(is_disconnected_after(remove));
  EXPECT_TRUE(is_disconnected_after(remove));
  EXPECT_FALSE(is_disconnected_after(add_peer(bo)));
}

TEST(MpPeerHistory, OldestOf1025UnconfirmedPathsIsDropped) {
  constexpr std::uint32_t most = 1024;
  Capture capture;
  capture.set_round_trip_time(1000);
  MpConnection &client = capture.connect(ada);
  for (std::uint32_t id = 0; id <= most; ++id) capture.to(client, simplify(id, "Main/N" + std::to_string(id)));
  capture.wait(5000);
  Sent last = capture.to(client, call(1));
  for (std::uint32_t i = 0; i < most; ++i) last = capture.to(client, call(1));
  const auto is_overdue = [&](std::uint32_t id) {
    return client.paths().find(last.scope(), id, last.packet.position)->overdue_at.packet != 0;
  };
  EXPECT_FALSE(is_overdue(0));
  EXPECT_TRUE(is_overdue(1));
  EXPECT_TRUE(is_overdue(most));
}

TEST(MpPeerHistory, MessageCutBySnapLengthIsACaptureGap) {
  for (const bool is_cut : {true, false}) {
    Capture capture;
    MpConnection &client = capture.connect(ada);
    if (is_cut) capture.cut(4);
    capture.to(client, simplify(1, "Main/World"));
    EXPECT_EQ(client.deliveries().has_capture_gap(capture.to(client, call(1)).packet.position), is_cut);
  }
}

// ---- roles that become known only after some messages

struct Step {
  bool is_servers = false;
  Data data;
  std::int64_t wait = 0;
  std::uint16_t number = 0;  // sequence number in its channel
};

std::string describe_state(const Sent &sent) {
  std::string text = path_of(sent) + "|" + unconfirmed(sent) + "|" + presence_of(sent, 5) + "|" + syncs_of(sent) + "|" +
                     problems_of(sent) + "|" + (is_never_confirmed(sent) ? "lacking" : "");
  const MpDeliveryState arrival = sent.packet.connection->deliveries().arrival(sent.packet);
  text += "|" + std::to_string(arrival.delivered_at.packet) + (arrival.is_waiting ? " waits" : "");
  const MpNetIdTarget *node = sent.packet.connection->nodes().find(sent.scope(), 5, sent.packet.position);
  if (node != nullptr) text += "|" + peer_name(node->spawn->sender) + ">" + peer_name(node->spawn->receiver);
  return text + (sent.packet.connection->nodes().find_spawned(sent.scope(), "P1", sent.packet.position) ? "|P1" : "");
}

// Returns the final state of each message if the roles become known at message @p known_from.
Texts states_with_roles_known_from(const std::vector<Step> &steps, std::size_t known_from, unsigned server_number = 0) {
  const PlayersNames names;
  Capture capture;
  capture.set_names(&names);
  capture.disable_roles();
  MpConnection &pair = capture.connect(0);
  std::vector<Sent> sent;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == known_from) Capture::record_server(pair, server_number);
    capture.wait(steps[i].wait);
    if (steps[i].number > 0) capture.set_next_seq(steps[i].number);
    sent.push_back(steps[i].is_servers == (server_number == 1) ? capture.from(pair, steps[i].data)
                                                               : capture.to(pair, steps[i].data));
  }
  if (known_from >= steps.size()) Capture::record_server(pair, server_number);
  Texts known;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sent[i].packet.role = pair.peers().role_of(sent[i].packet.sender_side);
    known.push_back(std::to_string(i) + ": " + describe_state(sent[i]));
  }
  std::string sides;
  for (const unsigned end : {0U, 1U}) {
    sides += pair.problems().is_silent(end) ? "silent " : "heard ";
    sides += pair.problems().is_unresponsive(end) ? "mute " : "";
    sides += pair.deliveries().has_capture_gap(end, packet_position_zero, std::numeric_limits<std::int64_t>::max())
                 ? "lacks "
                 : "";
  }
  for (const std::int32_t peer : {client_end, server_end}) {
    sides += pair.authority().is_only_authority(peer, "Main/Ball/Sync") ? peer_name(peer) + " has Ball" : "";
  }
  known.push_back(sides);
  return known;
}

void expect_roles_change_nothing(const std::vector<Step> &steps, std::size_t last) {
  for (const unsigned server_number : {0U, 1U}) {
    const Texts known = states_with_roles_known_from(steps, 0, server_number);
    for (std::size_t from = 1; from <= last; ++from) {
      EXPECT_EQ(states_with_roles_known_from(steps, from, server_number), known) << "known from " << from;
    }
  }
}

TEST(MpRoles, RolesIdentifiedLaterChangeNoMessage) {
  std::vector<Step> steps = {{true, simplify(1, "Main/Spawner")},
                             {false, confirm(1)},
                             {true, spawn(5, {6}, "P1")},
                             {true, simplify(2, "Main/World")},
                             {false, simplify(2, "Main/Ball/Sync")},
                             {false, sync(7, {path_flag | 2})},
                             {true, call(3), 0, 1},
                             {false, call(2), 0, 1},
                             {true, call(3), 0, 3},
                             {false, call(2), 0, 4}};
  for (std::uint16_t i = 0; i < 32; ++i) steps.push_back({true, sync(i, {6}), 20});
  steps.push_back({true, sync(9, {6})});
  steps.push_back({true, call(3), 0, 2});
  for (int i = 0; i < 20; ++i) steps.push_back({false, call(2), 50});
  steps.push_back({false, sync(7, {path_flag | 2})});
  steps.push_back({true, call_by_path("Main/World"), 2000});
  for (int i = 0; i < 24; ++i) steps.push_back({true, call(3), 100});
  steps.push_back({false, call(2)});
  steps.push_back({true, despawn(5)});
  steps.push_back({true, spawn(5, {6}, "P1")});
  expect_roles_change_nothing(steps, steps.size());
}

TEST(MpRoles, RolesIdentifiedLaterDoNotChangeTheUnresponsiveSide) {
  const std::vector<Step> mute = {{true, simplify(1, "Main/World")}, {true, call(1), 3000}, {true, call(1)}};
  EXPECT_EQ(states_with_roles_known_from(mute, 1)[1], "1: Main/World in 1||not announced||mute client 1||2");
  expect_roles_change_nothing(mute, 1);
  expect_roles_change_nothing({{false, simplify(1, "Main/World")}, {true, confirm(1)}, {false, call(1), 3000}}, 3);
}

}  // namespace
}  // namespace godot_codec::test
