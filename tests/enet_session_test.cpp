// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "counting_memory.h"
#include "events.h"
#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/enet/datagram_reader.h"
#include "godot-codec/enet/session.h"

namespace godot_codec::test {
namespace {

constexpr std::int64_t millisecond = nanoseconds_per_second / 1000;
constexpr unsigned client = 0;
constexpr unsigned server = 1;
constexpr std::uint32_t client_port = 50001;
constexpr std::uint32_t server_port = 5020;

/// A capture of datagrams that are one millisecond apart.
class Exchange {
 public:
  PacketPosition send(unsigned sender, const Data &bytes, std::size_t reported = 0) {
    return send(*hosts_, sender, bytes, reported);
  }
  PacketPosition send(unsigned sender, std::string_view bytes) { return send(sender, hex(bytes)); }
  PacketPosition send(EnetHostPair &hosts, unsigned sender, const Data &bytes, std::size_t reported = 0) {
    wait(millisecond);
    const PacketPosition position{++packet_, 0};
    const ExactBytes exact(bytes, reported);
    std::pmr::monotonic_buffer_resource memory;
    const auto expected = EnetSession::expected_format(hosts, sender, position, {});
    const EnetDatagram datagram = read_enet_datagram(exact.get(), expected, memory);
    const std::uint32_t destination = sender == client ? server_port : client_port;
    session_.update(hosts, {position, now_, sender, destination, 4444, 0, wire_size_}, exact.get(), datagram);
    return position;
  }
  void wait(std::int64_t time) { now_ += time; }
  // Sets the size in packets that compressed datagrams are assumed to have had.
  void set_wire_size(std::uint32_t size) { wire_size_ = size; }

  [[nodiscard]] EnetDatagramFindings find(PacketPosition position) const { return session_.find(*hosts_, position); }
  [[nodiscard]] EnetCommandFindings find(PacketPosition position, std::size_t command) const {
    return session_.find(find(position), command);
  }
  [[nodiscard]] std::uint32_t stream(PacketPosition position) const { return find(position).connection->stream; }

  [[nodiscard]] EnetSession &session() { return session_; }
  [[nodiscard]] EnetHostPair &hosts() { return *hosts_; }
  [[nodiscard]] std::size_t used() const { return memory_.used(); }

 private:
  CountingMemory memory_;
  EnetSession session_{&memory_};
  EnetHostPair *hosts_ = &session_.add_host_pair();
  std::uint32_t packet_ = 0;
  std::uint32_t wire_size_ = 0;
  std::int64_t now_ = 1'700'000'000 * nanoseconds_per_second;
};

Data u16_be(std::size_t value) {
  return Data{{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)}};
}
Data u32_be(std::size_t value) { return u16_be(value >> 16) + u16_be(value); }

Data timed(std::size_t sent_time) { return hex("8000") + u16_be(sent_time); }
Data reliable(std::size_t channel, std::size_t seq, const Data &data = hex("98")) {
  return hex("86") + Data{{static_cast<std::uint8_t>(channel)}} + u16_be(seq) + u16_be(data.size()) + data;
}
Data unreliable(std::size_t channel, std::size_t seq, std::size_t number, const Data &data = hex("98")) {
  return hex("07") + Data{{static_cast<std::uint8_t>(channel)}} + u16_be(seq) + u16_be(number) + u16_be(data.size()) +
         data;
}
Data ack(std::size_t channel, std::size_t seq, std::size_t sent_time) {
  return hex("01") + Data{{static_cast<std::uint8_t>(channel)}} + u16_be(seq) + u16_be(seq) + u16_be(sent_time);
}
constexpr std::string_view handshake =
    "0000 ffff 00000570 00010000 00000004 00000000 00000000 00001388 00000002 00000002";
Data connect_datagram(std::size_t id, std::size_t sent_time = 100) {
  return hex("8fff") + u16_be(sent_time) + hex("82ff0001") + hex(handshake) + u32_be(id) + u32_be(77);
}
Data verify_datagram(std::size_t id, std::size_t sent_time = 200) {
  return timed(sent_time) + hex("83ff0001") + hex(handshake) + u32_be(id);
}

struct Fragment {
  std::size_t start = 5;
  std::size_t count = 1;
  std::size_t number = 0;
  std::size_t total = 0;
  std::size_t offset = 0;
  Data data;
  std::string_view header = "0c 01 0000";

  [[nodiscard]] Data bytes() const {
    return hex("0000") + hex(header) + u16_be(start) + u16_be(data.size()) + u32_be(count) + u32_be(number) +
           u32_be(total) + u32_be(offset) + data;
  }
};

std::string text_of(const EnetFragmentedMessage &message) { return {message.bytes.begin(), message.bytes.end()}; }

// --- Connections -----------------------------------------------------------------------------------------------

TEST(EnetSession, ConnectBeginsAConnection) {
  Exchange exchange;
  const PacketPosition connect = exchange.send(client, connect_datagram(0x1234));
  const PacketPosition verify = exchange.send(server, verify_datagram(0x1234));
  const EnetConnection &connection = *exchange.find(connect).connection;
  EXPECT_EQ(exchange.find(verify).connection, &connection);
  EXPECT_EQ(exchange.find(packet_position_zero).connection, nullptr);
  EXPECT_EQ(connection.stream, 0U);
  EXPECT_TRUE(connection.has_connect);
  EXPECT_EQ(connection.server_port, server_port);
  EXPECT_EQ(connection.client_direction, 0U);
  EXPECT_EQ(connection.connect_data, 77U);
  EXPECT_EQ(connection.channel_count, 4U);
  EXPECT_EQ(connection.first_datagram, connect);
  EXPECT_EQ(connection.facts.connects, 1U);
  EXPECT_TRUE(connection.facts.is_connect_answered);
  ASSERT_NE(exchange.find(verify, 0).answer, nullptr);
  EXPECT_EQ(exchange.find(verify, 0).answer->transmission->position.packet, connect.packet);
}

TEST(EnetSession, RepeatedConnectContinuesAnOpenConnection) {
  Exchange exchange;
  const PacketPosition first = exchange.send(client, connect_datagram(1, 100));
  const PacketPosition again = exchange.send(client, connect_datagram(1, 600));
  const PacketPosition other = exchange.send(client, connect_datagram(2));
  const PacketPosition leaves = exchange.send(server, timed(300) + hex("84ff0002 00000009"));
  const PacketPosition after = exchange.send(client, timed(700) + hex("85ff0002"));
  const PacketPosition back = exchange.send(client, connect_datagram(2, 900));
  EXPECT_EQ(exchange.stream(first), 0U);
  EXPECT_EQ(exchange.stream(again), 0U);
  EXPECT_TRUE(exchange.find(again, 0).transmission->is_retransmission());
  EXPECT_EQ(exchange.stream(other), 1U);
  EXPECT_EQ(exchange.stream(leaves), 1U);
  EXPECT_EQ(exchange.stream(after), 1U);
  EXPECT_EQ(exchange.stream(back), 2U);
  EXPECT_FALSE(exchange.find(back, 0).transmission->is_retransmission());

  const auto &connections = exchange.session().connections();
  ASSERT_EQ(connections.size(), 3U);
  EXPECT_EQ(connections[0].facts.connects, 2U);
  EXPECT_FALSE(connections[0].facts.is_connect_answered);
  EXPECT_EQ(connections[0].facts.sides[client].retransmissions, 1U);
  EXPECT_EQ(connections[0].facts.end.kind, EnetConnectionEndKind::replaced);
  EXPECT_EQ(connections[0].facts.end.position, other);
  EXPECT_EQ(connections[1].facts.end.kind, EnetConnectionEndKind::disconnected);
  EXPECT_EQ(connections[1].facts.end.by, server);
  EXPECT_EQ(connections[1].facts.end.data, 9U);
  EXPECT_EQ(connections[1].facts.end.position, leaves);
  EXPECT_EQ(connections[2].facts.end.kind, EnetConnectionEndKind::open);
}

// --- Failed connection attempts --------------------------------------------------------------------------------

ConnectProblem problem_of(Exchange &exchange) { return find_connect_problem(exchange.session().connections().back()); }

// A connect and its answer, compressed by the range coder of Godot 3.6.
const std::string_view compressed_connect =
    "cfffad40837b88b1fdf1df576b939eeefcbd22fb8a54df98ab2be72b6931aba084ed0e71b6";
const std::string_view compressed_verify = "c000afa9847a89b0fdf41c0b3e1a08dc976abb79765a94f947efb7fc9a4c";

TEST(EnetSession, ReportsWhyAConnectIsUnanswered) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::unanswered);
  exchange.send(server, "c000 0000 ff");
  EXPECT_EQ(problem_of(exchange), ConnectProblem::unreadable_answer);
  exchange.send(server, "16 fefd 0000 000000000000 0004 010203");
  EXPECT_EQ(problem_of(exchange), ConnectProblem::unreadable_answer) << "no record ends there";
  const PacketPosition dtls = exchange.send(server, "16 fefd 0000 000000000000 0002 0102");
  EXPECT_EQ(problem_of(exchange), ConnectProblem::dtls_server);
  EXPECT_EQ(exchange.session().connections().back().facts.dtls, dtls);
  EnetSession::record_icmp_error(exchange.hosts(), server, dtls, EnetIcmpErrorReason::unreachable);
  EXPECT_EQ(problem_of(exchange), ConnectProblem::dtls_server) << "it is the client that has gone";
  EnetSession::record_icmp_error(exchange.hosts(), client, dtls, EnetIcmpErrorReason::unreachable);
  EXPECT_EQ(problem_of(exchange), ConnectProblem::unreachable);
  EnetSession::record_icmp_error(exchange.hosts(), client, {dtls.packet + 1, 0}, EnetIcmpErrorReason::prohibited);
  EXPECT_EQ(problem_of(exchange), ConnectProblem::unreachable) << "the first one counts";
  exchange.send(server, verify_datagram(1));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::none);
  Exchange other;
  other.send(client, compressed_connect);
  EXPECT_EQ(problem_of(other), ConnectProblem::compressed_connect);
  Exchange filtered;
  const PacketPosition connect = filtered.send(client, connect_datagram(1));
  EnetSession::record_icmp_error(filtered.hosts(), client, connect, EnetIcmpErrorReason::prohibited);
  EXPECT_EQ(problem_of(filtered), ConnectProblem::prohibited);
  Exchange lost;
  const PacketPosition vain = lost.send(client, connect_datagram(1));
  EnetSession::record_icmp_error(lost.hosts(), client, vain, EnetIcmpErrorReason::no_route);
  EXPECT_EQ(problem_of(lost), ConnectProblem::no_route);
}

Data ping(std::size_t seq) { return hex("85ff") + u16_be(seq); }

TEST(EnetSession, ConnectIgnoredWhileOthersAreAnsweredIsReported) {
  Exchange exchange;
  EnetHostPair &second = exchange.session().add_host_pair();
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  exchange.send(second, client, connect_datagram(2));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::silent_server) << "what it said came before";
  exchange.send(server, timed(300) + ping(1));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::answers_others);
  exchange.send(second, server, verify_datagram(2));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::none);
}

TEST(EnetSession, CompressionThatTheServerAnswersIsNotReportedAsTheReason) {
  Exchange exchange;
  EnetHostPair &second = exchange.session().add_host_pair();
  exchange.send(client, compressed_connect);
  exchange.send(server, compressed_verify);
  exchange.send(second, client, hex(compressed_connect));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::silent_server);
  exchange.send(server, timed(300) + ping(1));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::answers_others);
}

// Returns the vanished side: "server since 4 after 3", or "" if there is none.
std::string vanished_side_of(Exchange &exchange) {
  const EnetVanishedSide gone = find_vanished_side(exchange.session().connections().back());
  if (!gone.has_vanished) return "";
  return std::string(gone.side == client ? "client" : "server") + " since " + std::to_string(gone.first_sign.packet) +
         " after " + std::to_string(gone.unanswered_count);
}

TEST(EnetSession, ThreeUnansweredRetransmissionsMeanThePeerVanished) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  exchange.send(client, timed(300) + ping(1));
  exchange.send(server, timed(300) + ping(1));
  exchange.send(client, timed(400) + ping(1));
  exchange.send(client, timed(500) + ping(1));
  EXPECT_EQ(vanished_side_of(exchange), "");
  EnetSession::record_icmp_error(exchange.hosts(), client, {6, 0}, EnetIcmpErrorReason::unreachable);
  EXPECT_EQ(vanished_side_of(exchange), "server since 5 after 2") << "with ICMP's word one is enough";
  exchange.send(server, timed(600) + ping(2));
  EXPECT_EQ(vanished_side_of(exchange), "") << "it is there";
  for (std::size_t time : {650, 660}) exchange.send(client, timed(time) + ping(1));
  EXPECT_EQ(vanished_side_of(exchange), "") << "ICMP's word is taken back";
  exchange.send(server, timed(670) + ping(3));
  for (std::size_t time : {700, 800, 900}) exchange.send(server, timed(time) + ping(2));
  EXPECT_EQ(vanished_side_of(exchange), "client since 11 after 3");
  exchange.send(server, timed(1000) + hex("04ff0002 00000000"));
  EXPECT_EQ(vanished_side_of(exchange), "client since 11 after 3") << "a goodbye to nobody";
}

// A host that stalled may have been timed out. If its port is closed, it was not.
TEST(EnetSession, StalledSideIsReportedTimedOutUnlessAPortIsClosed) {
  for (const std::int64_t stall : {990, 2000}) {
    Exchange exchange;
    exchange.send(client, connect_datagram(1));
    exchange.send(server, verify_datagram(1));
    exchange.send(client, timed(300) + ping(1));
    exchange.send(server, timed(300) + ping(1));
    exchange.wait(stall * millisecond);
    for (std::size_t time : {3000, 3100, 3200, 3300}) exchange.send(client, timed(time) + ping(2));
    const EnetConnection &connection = exchange.session().connections().back();
    EXPECT_EQ(find_vanished_side(connection).timed_out_after, stall < 1000 ? 0 : (stall + 2) * millisecond);
    EnetSession::record_icmp_error(exchange.hosts(), client, {9, 0}, EnetIcmpErrorReason::unreachable);
    EXPECT_TRUE(find_vanished_side(connection).has_vanished);
    EXPECT_EQ(find_vanished_side(connection).timed_out_after, 0);
  }
}

TEST(EnetSession, RetransmissionsOfADatagramCountOnce) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  for (std::size_t time : {300, 400, 500}) exchange.send(client, timed(time) + ping(2) + ping(3));
  exchange.send(server, timed(300) + reliable(0, 1));
  for (std::size_t time : {600, 700}) exchange.send(client, timed(time) + ping(2) + ping(3));
  EXPECT_EQ(vanished_side_of(exchange), "");
  exchange.send(client, timed(800) + ping(2) + ping(3));
  EXPECT_EQ(vanished_side_of(exchange), "server since 7 after 3");
}

TEST(EnetSession, UnansweredDisconnectIsNoVanishedPeer) {
  for (const bool is_before : {false, true}) {
    Exchange exchange;
    exchange.send(client, connect_datagram(1));
    exchange.send(server, verify_datagram(1));
    exchange.send(server, timed(300) + reliable(0, 1));
    exchange.send(client, timed(300) + ping(2));
    if (is_before) exchange.send(client, timed(350) + ping(2));
    const Data leaves = hex("84ff0003 00000000");
    for (std::size_t time : {400, 500, 600, 700}) exchange.send(client, timed(time) + leaves);
    EXPECT_EQ(vanished_side_of(exchange), is_before ? "server since 5 after 4" : "")
        << "what it sent before is unanswered";
  }
}

TEST(EnetSession, DisconnectedPeerIsNotReportedAsVanished) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  exchange.send(server, timed(300) + ping(1));
  exchange.send(client, timed(400) + hex("04ff0002 00000000"));
  for (std::size_t time : {700, 800, 900}) exchange.send(server, timed(time) + ping(1));
  EXPECT_EQ(vanished_side_of(exchange), "");
}

TEST(EnetSession, RefusalAndKickAreDistinguished) {
  const Data ping = timed(100) + hex("85ff0002");  // the answer before it was not captured
  for (const Data &first : {verify_datagram(1), ping}) {
    for (const std::int64_t wait : {0, 2}) {
      Exchange exchange;
      exchange.send(client, connect_datagram(1));
      exchange.send(server, first);
      exchange.wait(wait * 1'000'000'000);
      exchange.send(server, timed(300) + hex("84ff0003 00000000"));
      EXPECT_EQ(is_rejected(exchange.session().connections().back()), wait == 0);
    }
  }
}

TEST(EnetSession, MessageBeforeTheDisconnectShowsThatTheClientWasAccepted) {
  for (const bool is_before : {false, true}) {
    Exchange exchange;
    exchange.send(client, connect_datagram(1));
    exchange.send(server, verify_datagram(1));
    if (is_before) exchange.send(client, timed(1) + reliable(0, 1));
    exchange.send(server, timed(300) + hex("84ff0003 00000000"));
    exchange.send(client, timed(2) + reliable(0, 2));
    EXPECT_EQ(is_rejected(exchange.session().connections().back()), !is_before);
  }
}

TEST(EnetSession, ReportsWhyAnAnswerIsIgnored) {
  for (const bool is_compressed : {false, true}) {
    Exchange exchange;
    exchange.send(client, connect_datagram(1, 100));
    if (is_compressed) {
      exchange.send(server, compressed_verify);
    } else {
      exchange.send(server, verify_datagram(1));
    }
    exchange.send(client, connect_datagram(1, 600));
    EXPECT_EQ(problem_of(exchange), ConnectProblem::none) << "the answer may be on its way";
    exchange.send(client, connect_datagram(1, 1600));
    EXPECT_EQ(problem_of(exchange), is_compressed ? ConnectProblem::compressed_answer : ConnectProblem::lost_answer);
    exchange.send(client, timed(1) + ack(0xff, 1, 200));
    exchange.send(server, timed(300) + hex("85ff0002"));
    EXPECT_EQ(problem_of(exchange), ConnectProblem::none);
  }
}

// A client repeats its connect while it waits for the answer. A firewall may also answer with ICMP errors.
ConnectProblem connect_problem_after_answers(std::size_t answers, bool repeats_connect, EnetIcmpErrorReason refusal) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  for (std::size_t i = 1; i <= answers; ++i) {
    const PacketPosition answer = exchange.send(server, verify_datagram(1, 200 * i));
    EnetSession::record_icmp_error(exchange.hosts(), server, answer, refusal);
    if (repeats_connect) exchange.send(client, connect_datagram(1, 100 + 500 * i));
  }
  return problem_of(exchange);
}

TEST(EnetConnectAttempt, ClientWithoutRetransmissionsHasClosedItsSocket) {
  EXPECT_EQ(connect_problem_after_answers(2, false, EnetIcmpErrorReason::unreachable), ConnectProblem::none);
  EXPECT_EQ(connect_problem_after_answers(3, false, EnetIcmpErrorReason::unreachable), ConnectProblem::client_closed);
  EXPECT_EQ(connect_problem_after_answers(4, false, EnetIcmpErrorReason::unreachable), ConnectProblem::client_closed);
  EXPECT_EQ(connect_problem_after_answers(4, false, EnetIcmpErrorReason::prohibited), ConnectProblem::lost_answer);
  EXPECT_EQ(connect_problem_after_answers(4, true, EnetIcmpErrorReason::unreachable), ConnectProblem::lost_answer);
}

TEST(EnetSession, ServerThatAcceptsAndFallsSilentIsReported) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  for (const std::size_t time : {300, 800, 1800}) {
    exchange.send(client, timed(time) + hex("85ff0002") + hex("85ff0003"));
    EXPECT_EQ(problem_of(exchange), ConnectProblem::none);
  }
  exchange.send(client, timed(3800) + hex("85ff0002"));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::ignored);
  exchange.send(server, hex("0000") + ack(0xff, 2, 3800));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::none);
}

TEST(EnetSession, ServerThatRetransmitsItsAnswerHasNotVanished) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  exchange.send(client, timed(300) + hex("85ff0002"));
  exchange.send(server, verify_datagram(1));
  for (const std::size_t time : {800, 1800}) exchange.send(client, timed(time) + hex("85ff0002"));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::none) << "datagrams of both are lost";
  exchange.wait(2 * duplicate_window);
  exchange.send(server, verify_datagram(1));
  for (const std::size_t time : {3800, 7800, 15800}) exchange.send(client, timed(time) + hex("85ff0002"));
  EXPECT_EQ(problem_of(exchange), ConnectProblem::none) << "it still waits for the client, too";
}

// If the first answer comes from another address, that address is reported.
TEST(EnetConnectAttempt, FirstAnswerFromElsewhereIsKept) {
  Exchange exchange;
  const PacketPosition connect = exchange.send(client, connect_datagram(1));
  const PacketPosition first = exchange.send(exchange.session().add_host_pair(), server, verify_datagram(1));
  exchange.send(exchange.session().add_host_pair(), server, verify_datagram(1));
  EXPECT_EQ(exchange.find(connect).connection->facts.answer_from_elsewhere, first);
  EXPECT_EQ(find_connect_problem(*exchange.find(connect).connection), ConnectProblem::answered_elsewhere);
}

Data handshake_datagram(bool is_connect, std::size_t channels) {
  const Data bytes = is_connect ? connect_datagram(1) : verify_datagram(1);
  Data changed = bytes;
  for (std::size_t i = 0; i < 4; ++i) changed.bytes[20 + i] = static_cast<std::uint8_t>(channels >> (24 - 8 * i));
  return changed;
}

TEST(EnetSession, Godot3PeerConnectedToAGodot4PeerIsReported) {
  struct Case {
    std::size_t asked;
    std::size_t allowed;
    Data of_client;
    Data of_server;
    GenerationMismatch mix;
  };
  const Data godot3 = hex("4d000000 01000000 00");  // from the client to the server
  const Data godot4 = hex("0701 02000000");
  const Case cases[] = {
      {255, 3, {}, {}, {true, 4, 3}},
      {255, 3, reliable(0, 1, godot4), {}, {true, 4, 3}},
      {255, 3, {}, reliable(0, 1, godot4), {}},  // a Godot 4 server that limits the channels
      {255, 3, reliable(1, 1, godot3), {}, {}},
      {255, 255, {}, reliable(0, 1, godot4), {}},
      {3, 3, {}, {}, {}},
      {3, 3, reliable(1, 1, godot3), reliable(0, 1, godot4), {true, 3, 4}},
      {3, 3, reliable(1, 1, godot3), reliable(0, 1, hex("00000000 4d000000")), {}},
      {3, 3, reliable(1, 1, hex("4e000000 01000000 00")), reliable(0, 1, godot4), {}},
      {3, 3, reliable(0, 1, godot4), reliable(0, 1, godot4), {}},
  };
  for (const Case &each : cases) {
    SCOPED_TRACE(&each - cases);
    Exchange exchange;
    exchange.send(client, handshake_datagram(true, each.asked));
    EXPECT_FALSE(find_generation_mismatch(exchange.session().connections().back()).is_mismatch);
    exchange.send(server, handshake_datagram(false, each.allowed));
    if (!each.of_client.bytes.empty()) exchange.send(client, timed(1) + each.of_client);
    if (!each.of_server.bytes.empty()) exchange.send(server, timed(1) + each.of_server);
    const GenerationMismatch found = find_generation_mismatch(exchange.session().connections().back());
    EXPECT_EQ(found.is_mismatch, each.mix.is_mismatch);
    EXPECT_EQ(found.client_generation, each.mix.client_generation);
    EXPECT_EQ(found.server_generation, each.mix.server_generation);
  }
}

TEST(EnetSession, GivenServerPortIsUsedWithoutACapturedConnect) {
  Exchange exchange;
  EXPECT_EQ(exchange.find({1, 0}).connection, nullptr) << "nothing was learned";
  const PacketPosition first = exchange.send(server, timed(1) + hex("85ff0009"));
  EXPECT_EQ(exchange.find(first).connection->server_port, 4444U);
  EXPECT_FALSE(exchange.find(first).connection->has_connect);
  EXPECT_FALSE(exchange.find(first).is_connect_id_known);
  EXPECT_EQ(exchange.find({0, 7}).connection, exchange.find(first).connection) << "it had begun before";
}

TEST(EnetSession, ConnectIdIsKnownFromTheVerifyConnectOn) {
  Exchange exchange;
  const PacketPosition before = exchange.send(client, timed(1) + hex("85ff0009"));
  const PacketPosition verify = exchange.send(server, verify_datagram(0xcafe));
  EXPECT_FALSE(exchange.find(before).is_connect_id_known);
  EXPECT_TRUE(exchange.find(verify).is_connect_id_known);
  EXPECT_EQ(exchange.find(verify).connect_id, 0xcafeU);
}

TEST(EnetSession, CommandPastTheEndIsIgnored) {
  Exchange exchange;
  const PacketPosition cut = exchange.send(client, timed(1) + hex("86 01 0005 0064 98"));
  const PacketPosition whole = exchange.send(client, timed(9) + reliable(1, 5));
  EXPECT_EQ(exchange.find(cut, 0).transmission, nullptr);
  EXPECT_FALSE(exchange.find(whole, 0).transmission->is_retransmission());
  EXPECT_EQ(exchange.find(whole).connection->facts.sides[client].datagrams, 1U);
}

TEST(EnetSession, HostPairsAreIndependent) {
  Exchange exchange;
  EnetHostPair &others = exchange.session().add_host_pair();
  const PacketPosition first = exchange.send(client, timed(1) + reliable(1, 5));
  const PacketPosition second = exchange.send(others, client, timed(1) + reliable(1, 5));
  EXPECT_EQ(exchange.session().find(others, second).connection->stream, 1U);
  EXPECT_EQ(exchange.session().find(others, second).duplicate_of.packet, 0U);
  EXPECT_EQ(exchange.stream(first), 0U);
}

// --- How datagrams are read ------------------------------------------------------------------------------------

TEST(EnetSession, RecordsCompressionAndChecksumForLaterDatagrams) {
  Exchange exchange;
  const Data ping = hex("85ff0001");
  const auto expected = [&](unsigned sender, std::uint32_t packet) {
    return EnetSession::expected_format(exchange.hosts(), sender, {packet, 0}, {});
  };
  exchange.send(client, hex("8003 0001 deadbeef") + ping);
  exchange.send(client, hex("c000670e8b7390abd45c3a4454d3"));
  exchange.send(client, hex("8003 0002") + ping);
  EXPECT_FALSE(expected(client, 1).has_checksum);
  EXPECT_TRUE(expected(client, 2).has_checksum);
  EXPECT_TRUE(expected(server, 2).has_checksum) << "both sides have it";
  EXPECT_EQ(expected(client, 2).compression, std::nullopt);
  EXPECT_EQ(expected(client, 3).compression, Compression::range_coder);
  EXPECT_EQ(expected(server, 3).compression, std::nullopt) << "each side has its own";
  EXPECT_FALSE(expected(client, 3).has_checksum);
  EXPECT_EQ(expected(client, 100).compression, Compression::range_coder);

  EnetExpectedFormat configured;
  configured.is_checksum_configured = configured.is_compression_configured = true;
  EXPECT_FALSE(EnetSession::expected_format(exchange.hosts(), client, {2, 0}, configured).has_checksum)
      << "the user knows better";
  EXPECT_EQ(EnetSession::expected_format(exchange.hosts(), client, {9, 0}, configured).compression, std::nullopt);
}

// --- State as of a position ------------------------------------------------------------------------------------

TEST(EnetSession, FindingsAreQueriedByCommand) {
  Exchange exchange;
  const PacketPosition sent = exchange.send(client, timed(100) + reliable(1, 1) + unreliable(2, 0, 1) + reliable(1, 2));
  exchange.wait(20 * millisecond);
  const PacketPosition answer = exchange.send(server, hex("0000") + ack(1, 2, 100) + ack(1, 9, 100) + ack(1, 1, 100));
  const PacketPosition again = exchange.send(client, timed(150) + reliable(1, 2) + unreliable(2, 2, 4));

  EXPECT_EQ(exchange.find(sent, 0).transmission->seq, 1);
  EXPECT_EQ(exchange.find(sent, 1).transmission, nullptr);
  EXPECT_EQ(exchange.find(sent, 2).transmission->seq, 2);
  EXPECT_EQ(exchange.find(sent, 3).transmission, nullptr) << "there is no fourth";
  EXPECT_EQ(exchange.find(sent, 0).transmission->acked_in, answer.packet);
  EXPECT_EQ(exchange.find(answer, 0).answer->transmission, exchange.find(sent, 2).transmission);
  EXPECT_EQ(exchange.find(answer, 0).answer->round_trip_time, 21 * millisecond);
  EXPECT_EQ(exchange.find(answer, 1).answer, nullptr);
  EXPECT_EQ(exchange.find(answer, 2).answer->transmission, exchange.find(sent, 0).transmission);
  EXPECT_EQ(exchange.find(again, 0).transmission->original, exchange.find(sent, 2).transmission);
  ASSERT_NE(exchange.find(again, 1).gap, nullptr);
  EXPECT_EQ(exchange.find(again, 1).gap->missing, 3U);
  EXPECT_EQ(exchange.find(again, 1).gap->missing_so_far, 3U);
  EXPECT_EQ(exchange.find(sent, 1).gap, nullptr);
  EXPECT_EQ(exchange.find({answer.packet, 1}, 0).answer, nullptr) << "of another datagram of the packet";
}

TEST(EnetSession, StatisticsOfAConnectionAreCollected) {
  Exchange exchange;
  exchange.send(client, connect_datagram(1));
  exchange.send(server, verify_datagram(1));
  for (std::size_t i = 1; i <= 100; ++i) {
    exchange.send(client, timed(i) + reliable(0, i));
    exchange.wait(static_cast<std::int64_t>(i) * millisecond);
    exchange.send(server, hex("0000") + ack(0, i, i));
  }
  exchange.wait(3 * nanoseconds_per_second);
  const PacketPosition last = exchange.send(client, timed(200) + reliable(0, 100) + unreliable(0, 101, 3));
  const EnetConnection &connection = *exchange.find(last).connection;
  const EnetSideFacts &facts = connection.facts.sides[client];
  EXPECT_EQ(facts.datagrams, 102U);
  EXPECT_EQ(facts.bytes, 52U + 100 * 11 + 4 + 7 + 9);
  EXPECT_EQ(facts.retransmissions, 1U);
  EXPECT_EQ(facts.longest_silence, 3 * nanoseconds_per_second + 102 * millisecond);
  EXPECT_EQ(facts.last_heard - facts.first_heard, 3 * nanoseconds_per_second + (202 + 5050) * millisecond);
  EXPECT_EQ(exchange.session().unreliable_counts(connection, client).missing, 2U);
  EXPECT_EQ(exchange.session().unreliable_counts(connection, server).missing, 0U);
  ASSERT_NE(facts.round_trips, nullptr);
  EXPECT_EQ(facts.round_trips->count(), 100U);
  EXPECT_EQ(facts.round_trips->least(), 2 * millisecond);
  EXPECT_EQ(facts.round_trips->most(), 101 * millisecond);
  EXPECT_EQ(facts.round_trips->mean(), 51'500'000);
  EXPECT_EQ(connection.facts.sides[server].round_trips, nullptr);
}

TEST(RoundTripTimes, PercentileIsAtMostAnEighthTooHigh) {
  RoundTripStatistics times;
  EXPECT_EQ(times.percentile(95), 0);
  EXPECT_EQ(times.mean(), 0);
  for (int i = 1; i <= 1000; ++i) times.add(i * millisecond);
  for (const unsigned percent : {1U, 5U, 50U, 95U, 99U}) {
    const std::int64_t exact = percent * 10 * millisecond;
    EXPECT_GE(times.percentile(percent), exact) << percent;
    EXPECT_LE(times.percentile(percent), exact + exact / 8 + 1) << percent;
  }
  EXPECT_EQ(times.percentile(100), 1000 * millisecond);
  EXPECT_EQ(times.percentile(0), std::int64_t{1} << 20) << "the end of the first one's bucket";

  RoundTripStatistics odd;
  odd.add(-5);
  odd.add(INT64_MAX);
  EXPECT_EQ(odd.least(), -5);
  EXPECT_EQ(odd.percentile(100), std::int64_t{1} << 36) << "longer ones are not told apart";
}

// --- Duplicates ------------------------------------------------------------------------------------------------

TEST(EnetSession, RepeatedDatagramIsADuplicate) {
  Exchange exchange;
  const PacketPosition first = exchange.send(client, timed(100) + reliable(1, 1) + unreliable(2, 1, 3));
  const PacketPosition copy = exchange.send(client, timed(100) + reliable(1, 1) + unreliable(2, 1, 3));
  const PacketPosition again = exchange.send(client, timed(101) + reliable(1, 1));
  const PacketPosition third = exchange.send(client, timed(100) + reliable(1, 1) + unreliable(2, 1, 3));
  EXPECT_EQ(exchange.find(first).duplicate_of.packet, 0U);
  EXPECT_EQ(exchange.find(copy).duplicate_of, first);
  EXPECT_EQ(exchange.find(third).duplicate_of, first);
  EXPECT_EQ(exchange.find(again).duplicate_of.packet, 0U) << "sent again, later";
  EXPECT_EQ(exchange.find(again, 0).transmission->original, exchange.find(first, 0).transmission);
  EXPECT_EQ(exchange.find(copy, 0).transmission, exchange.find(first, 0).transmission) << "it is the first";
  EXPECT_EQ(exchange.find(first).connection->facts.sides[client].datagrams, 2U);
  EXPECT_EQ(exchange.find(first).connection->facts.sides[client].retransmissions, 1U);
}

TEST(EnetSession, EqualBytesElsewhereOrMuchLaterAreNoDuplicate) {
  Exchange exchange;
  const Data bytes = hex("0000") + unreliable(1, 0, 1);
  exchange.send(client, bytes);
  EXPECT_EQ(exchange.find(exchange.send(server, bytes)).duplicate_of.packet, 0U);
  exchange.wait(duplicate_window - 2 * millisecond);
  EXPECT_EQ(exchange.find(exchange.send(client, bytes)).duplicate_of.packet, 1U);
  exchange.wait(millisecond);
  EXPECT_EQ(exchange.find(exchange.send(client, bytes)).duplicate_of.packet, 0U) << "numbers come around";
  exchange.wait(-millisecond * 900);
  EXPECT_EQ(exchange.find(exchange.send(client, bytes)).duplicate_of.packet, 4U) << "merged files need not be in order";
  EXPECT_EQ(exchange.find(exchange.send(client, bytes, bytes.size() + 1)).duplicate_of.packet, 0U)
      << "longer on the wire";
  exchange.wait(-2 * duplicate_window);
  EXPECT_EQ(exchange.find(exchange.send(client, bytes)).duplicate_of.packet, 0U)
      << "of a file that was merged, from before";
}

TEST(EnetSession, DuplicateFragmentCompletesNoMessage) {
  Exchange exchange;
  const Fragment first{5, 2, 0, 6, 0, raw("abc")};
  const Fragment second{5, 2, 1, 6, 3, raw("def")};
  exchange.send(client, first.bytes());
  const PacketPosition last = exchange.send(client, second.bytes());
  const PacketPosition copy = exchange.send(client, second.bytes());
  EXPECT_TRUE(exchange.find(last, 0).is_last_fragment);
  EXPECT_EQ(exchange.find(copy).duplicate_of, last);
  EXPECT_EQ(exchange.find(copy, 0).message, exchange.find(last, 0).message);
}

// 100 reliable messages arrive. For the last messages, the round-trip time rises.
EnetSideFacts reliable_messages(RoundTripStatistics &times) {
  for (int i = 1; i <= 100; ++i) times.add((i <= 90 ? 1 : 6) * millisecond);
  EnetSideFacts side;
  side.round_trips = &times;
  return side;
}

TEST(EnetThrottle, IsNotAssumedIfReliableMessagesAreLost) {
  RoundTripStatistics times;
  EnetSideFacts side = reliable_messages(times);
  const EnetUnreliableCounts skipped{.missing = 80, .total = 1000, .skipped = 80};
  EXPECT_TRUE(is_throttled(side, skipped, 0));
  EXPECT_TRUE(is_throttled(side, skipped, 1));
  EXPECT_FALSE(is_throttled(side, skipped, 2)) << "a link that loses 8 % loses about 8 of 100";
  side.retransmissions = 3;
  EXPECT_FALSE(is_throttled(side, skipped, 0));
  side.spurious_retransmissions = 2;
  EXPECT_TRUE(is_throttled(side, skipped, 0)) << "their first sending arrived";
  EXPECT_FALSE(is_throttled(side, {.missing = 79, .total = 1000, .skipped = 79}, 0)) << "too few to know";
  EXPECT_FALSE(is_throttled(side, {.missing = 81, .total = 1000, .skipped = 80}, 0)) << "it drops all or no fragments";
  EXPECT_FALSE(is_throttled(side, {}, 0));
}

TEST(EnetThrottle, IsAssumedOnlyIfTheRoundTripTimeRises) {
  const EnetUnreliableCounts skipped{.missing = 500, .total = 1000, .skipped = 500};
  for (const std::int64_t rise : {4 * millisecond, 5 * millisecond}) {
    RoundTripStatistics times;
    for (int i = 0; i < 100; ++i) times.add(millisecond + (i == 99 ? rise : 0));
    EnetSideFacts side;
    side.round_trips = &times;
    EXPECT_EQ(is_throttled(side, skipped, 0), rise == 5 * millisecond);
  }
  EXPECT_FALSE(is_throttled(EnetSideFacts{}, skipped, 0)) << "nothing was measured";
}

// The first message is complete, the second message lacks its first fragment, and the sequence number of the third
// message is skipped.
TEST(EnetUnreliableMessages, MessageWithAMissingFragmentIsMissing) {
  Exchange exchange;
  const PacketPosition first = exchange.send(client, Fragment{1, 2, 0, 6, 0, raw("abc")}.bytes());
  exchange.send(client, Fragment{1, 2, 1, 6, 3, raw("def")}.bytes());
  const EnetConnection &connection = *exchange.find(first).connection;
  const EnetUnreliableCounts whole = exchange.session().unreliable_counts(connection, client);
  EXPECT_EQ(whole.missing, 0U);
  EXPECT_EQ(whole.total, 1U);
  exchange.send(client, Fragment{2, 2, 1, 6, 3, raw("def")}.bytes());
  const PacketPosition last = exchange.send(client, Fragment{4, 1, 0, 3, 0, raw("abc")}.bytes());
  const EnetUnreliableCounts messages = exchange.session().unreliable_counts(connection, client);
  EXPECT_EQ(messages.missing, 2U);
  EXPECT_EQ(messages.skipped, 1U);
  EXPECT_EQ(messages.total, 4U);
  EXPECT_EQ(exchange.find(last, 0).gap->missing_so_far, 1U) << "numbers only";
  EXPECT_EQ(exchange.session().unreliable_counts(connection, server).total, 0U);
}

// --- Fragments -------------------------------------------------------------------------------------------------

TEST(EnetSession, ReassemblesMessagesInAnyOrder) {
  const char *const orders[] = {"012", "021", "102", "120", "201", "210"};
  for (const std::string_view order : orders) {
    SCOPED_TRACE(order);
    Exchange exchange;
    PacketPosition last;
    for (const char number : order) {
      const auto n = static_cast<std::size_t>(number - '0');
      EXPECT_EQ(last.packet == 0 || !exchange.find(last, 0).message->is_whole(), true);
      last = exchange.send(client, Fragment{5, 3, n, 8, 3 * n, raw(n == 2 ? "gh" : n == 1 ? "def" : "abc")}.bytes());
    }
    const EnetCommandFindings known = exchange.find(last, 0);
    ASSERT_TRUE(known.message->is_whole());
    EXPECT_TRUE(known.is_last_fragment);
    EXPECT_FALSE(exchange.find({1, 0}, 0).is_last_fragment);
    EXPECT_EQ(exchange.find({1, 0}, 0).message, known.message);
    EXPECT_EQ(known.message->completed.packet, 3U);
    EXPECT_EQ(text_of(*known.message), "abcdefgh");
    ASSERT_EQ(known.message->fragments.size(), 3U);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const EnetFragment &fragment = known.message->fragments[i];
      EXPECT_EQ(fragment.number, i);
      EXPECT_EQ(fragment.offset, 3 * i);
      EXPECT_EQ(fragment.length, i == 2 ? 2 : 3);
      EXPECT_EQ(order[fragment.packet - 1], '0' + static_cast<char>(i));
      EXPECT_FALSE(fragment.is_overlapping);
    }
  }
}

TEST(EnetSession, LaterOverlappingFragmentsWinAndAreReported) {
  Exchange exchange;
  exchange.send(client, Fragment{5, 2, 0, 6, 0, raw("abcd")}.bytes());
  const PacketPosition last = exchange.send(client, Fragment{5, 2, 1, 6, 2, raw("cXYZ")}.bytes());
  const EnetFragmentedMessage &message = *exchange.find(last, 0).message;
  ASSERT_TRUE(message.is_whole());
  EXPECT_EQ(text_of(message), "abcXYZ");
  EXPECT_FALSE(message.fragments[0].is_overlapping);
  EXPECT_TRUE(message.fragments[1].is_overlapping);
  EXPECT_TRUE(message.fragments[1].is_conflicting);
}

TEST(EnetSession, MessageWithAGapBetweenFragmentsIsIncomplete) {
  Exchange exchange;
  exchange.send(client, Fragment{5, 2, 0, 6, 0, raw("ab")}.bytes());
  const PacketPosition short_of_bytes = exchange.send(client, Fragment{5, 2, 1, 6, 4, raw("ef")}.bytes());
  exchange.send(client, Fragment{6, 2, 0, 6, 0, raw("abc")}.bytes());
  const PacketPosition enough_elsewhere = exchange.send(client, Fragment{6, 2, 1, 6, 1, raw("bcd")}.bytes());
  for (const PacketPosition last : {short_of_bytes, enough_elsewhere}) {
    const EnetCommandFindings known = exchange.find(last, 0);
    EXPECT_TRUE(known.is_last_fragment);
    EXPECT_TRUE(known.message->has_gap);
    EXPECT_FALSE(known.message->is_whole());
  }
}

TEST(EnetSession, FragmentsOfDifferentMessagesAreNotMixed) {
  Exchange exchange;
  const auto message_of = [&](const Fragment &fragment, unsigned sender = client) {
    return exchange.find(exchange.send(sender, fragment.bytes()), 0).message;
  };
  const Fragment base{5, 3, 0, 9, 0, raw("abc")};
  const EnetFragmentedMessage *first = message_of(base);
  Fragment other = base;
  other.number = 1;
  other.offset = 3;
  EXPECT_EQ(message_of(other), first);
  EXPECT_NE(message_of(base, server), first) << "the other side's";
  other.start = 6;
  EXPECT_NE(message_of(other), first) << "another number";
  other = base;
  other.header = "0c 02 0000";
  EXPECT_NE(message_of(other), first) << "another channel";
  other = base;
  other.header = "88 01 0005";
  EXPECT_NE(message_of(other), first) << "a reliable one";
  other = base;
  other.total = 10;
  const EnetFragmentedMessage *longer = message_of(other);
  EXPECT_NE(longer, first) << "another length";
  other.number = 1;
  other.offset = 3;
  EXPECT_EQ(message_of(other), longer);
  exchange.wait(max_wait - millisecond);
  EXPECT_EQ(message_of(other), longer) << "the second one again";
  exchange.wait(max_wait - millisecond);
  other.number = 2;
  other.offset = 6;
  EXPECT_EQ(message_of(other), longer) << "the newest fragment counts";
  exchange.wait(max_wait);
  EXPECT_NE(message_of(other), longer) << "long ago";
  exchange.send(client, connect_datagram(1));
  EXPECT_NE(message_of(base), first) << "another connection";
}

TEST(EnetSession, SlowestReliableMessageIsKept) {
  const std::string_view headers[] = {"88 01 0005", "88 01 0006", "88 01 0007", "88 01 0008"};
  Exchange exchange;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t start = 5 + 2 * i;
    const std::size_t half = 4 - i;
    exchange.send(client, Fragment{start, 2, 0, 2 * half, 0, repeat(raw("a"), half), headers[2 * i]}.bytes());
    exchange.wait((i == 0 ? 99 : 29) * millisecond);
    exchange.send(client, Fragment{start, 2, 1, 2 * half, half, repeat(raw("b"), half), headers[2 * i + 1]}.bytes());
  }
  const EnetFragmentCounts count = exchange.session().fragment_counts(*exchange.find({1, 0}).connection, client);
  EXPECT_EQ(count.slowest_time, 100 * millisecond);
  EXPECT_EQ(count.slowest_size, 8U);
}

TEST(EnetSession, ContradictoryOrTruncatedFragmentsAreNotReassembled) {
  Exchange exchange;
  EXPECT_EQ(exchange.find(exchange.send(client, Fragment{5, 2, 2, 6, 0, raw("abc")}.bytes()), 0).message, nullptr);
  const Data whole = Fragment{5, 2, 0, 6, 0, raw("abc")}.bytes();
  EXPECT_EQ(exchange.find(exchange.send(client, whole.first(whole.size() - 1), whole.size()), 0).message, nullptr);
}

// --- Memory and time -------------------------------------------------------------------------------------------

TEST(EnetSessionMemory, UnreliableDatagramInOrderCostsNothing) {
  Exchange exchange;
  const Data payload = repeat(hex("98"), 1350);
  std::size_t before = 0;
  for (std::size_t i = 1; i <= 60'000; ++i) {
    exchange.send(client, hex("0000") + unreliable(1, 0, i, payload));
    exchange.send(server, hex("0000") + hex("49 00 0000") + u16_be(i) + u16_be(3) + raw("abc"));
    if (i == 10) before = exchange.used();
  }
  EXPECT_EQ(exchange.used(), before);
}

TEST(EnetSessionMemory, ReliableCommandAndAcknowledgementCostAtMost64BytesEach) {
  Exchange exchange;
  constexpr std::size_t count = 50'000;
  const std::size_t before = exchange.used();
  for (std::size_t i = 1; i <= count; ++i) exchange.send(client, timed(i) + reliable(i % 4, i / 4));
  const std::size_t with_commands = exchange.used();
  EXPECT_LE(with_commands - before, 64 * count + 100'000) << "and a fixed table";
  EXPECT_GE(with_commands - before, 48 * count);
  for (std::size_t i = count - 20'000; i <= count; ++i) exchange.send(server, hex("0000") + ack(i % 4, i / 4, i));
  EXPECT_LE(exchange.used() - with_commands, 64 * 20'000U);
  EXPECT_GE(exchange.used() - with_commands, 24 * 20'000U);
}

TEST(EnetSessionMemory, ConnectUsesAtMost920Bytes) {
  Exchange exchange;
  const std::size_t before = exchange.used();
  for (std::size_t i = 0; i < 10'000; ++i) exchange.send(client, connect_datagram(i));
  EXPECT_EQ(exchange.session().connections().size(), 10'000U);
  EXPECT_LE((exchange.used() - before) / 10'000, 920U);
}

TEST(EnetSessionMemory, FragmentsCostOnlyCapturedBytes) {
  Exchange exchange;
  const std::size_t before = exchange.used();
  exchange.send(client, Fragment{1, 1'048'576, 1'048'575, 0xffffffff, 0xfffffff0, raw("abcdefgh")}.bytes());
  EXPECT_LE(exchange.used() - before, 102'000U) << "the fixed table above all";
}

TEST(EnetSessionMemory, MessageOf50000FragmentsIsReassembled) {
  for (const bool is_backwards : {false, true}) {
    Exchange exchange;
    constexpr std::size_t count = 50'000;
    PacketPosition last;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = is_backwards ? count - 1 - i : i;
      last = exchange.send(
          client,
          Fragment{1, count, number, count, number, Data{{static_cast<std::uint8_t>('a' + number % 26)}}}.bytes());
    }
    const EnetFragmentedMessage &message = *exchange.find(last, 0).message;
    ASSERT_TRUE(message.is_whole());
    ASSERT_EQ(message.bytes.size(), count);
    EXPECT_EQ(text_of(message).substr(0, 27), "abcdefghijklmnopqrstuvwxyza");
  }
}

// A compressed datagram of 57 bytes contains 1,024 pings. Each ping requests an acknowledgement.
TEST(EnetSessionMemory, DecompressedCommandsStayWithinTheBudget) {
  Exchange exchange;
  EnetHostPair &others = exchange.session().add_host_pair();
  constexpr std::uint32_t wire_size = 99;
  constexpr std::size_t count = 2000;
  exchange.set_wire_size(wire_size);
  PacketPosition first;
  PacketPosition last;
  for (std::size_t i = 0; i < count; ++i) {
    Data pings = timed(i);
    for (int j = 0; j < 1024; ++j) pings += hex("85ff") + u16_be(i);
    last = exchange.send(client, pings);
    if (i == 0) first = last;
  }
  // The last command was still within the budget, and the command index doubles when it grows. Therefore the budget is
  // exceeded by less than a quarter.
  const std::size_t budget = MemoryBudget::base_grant + count * wire_size * MemoryBudget::grant_per_wire_byte;
  EXPECT_GT(exchange.used(), budget * 3 / 4);
  EXPECT_LT(exchange.used(), budget * 5 / 4);
  EXPECT_NE(exchange.find(first, 1023).transmission, nullptr);
  EXPECT_EQ(exchange.find(last, 1023).transmission, nullptr);
  const PacketPosition left_out = exchange.session().first_over_memory_limit();
  EXPECT_GT(left_out.packet, 200U);
  EXPECT_LT(left_out.packet, 500U);

  const PacketPosition asked = exchange.send(others, client, timed(7) + reliable(0, 1));
  const PacketPosition answered = exchange.send(others, server, timed(8) + ack(0, 1, 7));
  const EnetDatagramFindings findings = exchange.session().find(others, answered);
  const AckMatch *answer = exchange.session().find(findings, 0).answer;
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->transmission->position, EnetCommandPosition::of(asked));
  EXPECT_EQ(exchange.session().first_over_memory_limit(), left_out);
}

TEST(EnetSessionMemory, EverythingIsFreed) {
  CountingMemory memory;
  {
    EnetSession session(&memory);
    EXPECT_GT(memory.used(), 0U);
  }
  EXPECT_EQ(memory.used(), 0U);
}

}  // namespace
}  // namespace godot_codec::test
