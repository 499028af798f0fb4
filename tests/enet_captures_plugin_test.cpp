// SPDX-License-Identifier: GPL-2.0-or-later
// ENet of real engines in tshark: datagrams, bytes, messages, connections.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {

INSTANTIATE_TEST_SUITE_P(engines, EveryEnetCapture, testing::ValuesIn(captures()), name_of<Capture>);

TEST(EnetCaptures, AreAllPresent) {
  // There is one capture of each compression and of the lossy link for each of three engines. A missing file would
  // silently skip a test.
  EXPECT_EQ(captures().size(), std::size(scenarios) * 3);
}

// The datagrams of a game pass through a tunnel over IPv6, and continue over IPv4, until the other side is gone. The
// ICMP error quotes the message that does not arrive.
TEST(EnetCaptures, Ipv6ShowsTheSameAsIpv4) {
  const std::filesystem::path path = std::filesystem::path(GODOT_TESTS_DIR) / "data/enet_ipv6.pcapng";
  const auto shown = [&](const std::string &filter, const std::string &field) {
    Rows rows = read_fields(path, {"-2", "-Y", filter}, {field});
    std::ranges::sort(rows);
    return rows;
  };
  const Rows over_ipv4 = shown("ip and godot_mp", "godot_mp.summary");
  Rows over_ipv6 = shown("ipv6 and godot_mp and not icmpv6", "godot_mp.summary");
  EXPECT_EQ(over_ipv4.size(), 56U);
  const auto lost = std::ranges::find(over_ipv6, Texts{R"(RPC Main.#2(16, "hello 16"))"});
  ASSERT_NE(lost, over_ipv6.end());
  over_ipv6.erase(lost);
  EXPECT_EQ(over_ipv6, over_ipv4);
  for (const std::string network : {"ip", "ipv6"}) {
    EXPECT_EQ(shown(network + " and enet.fragment.number", "enet.fragment.number").size(), 18U) << network;
    EXPECT_EQ(shown(network + " and enet.fragments", "enet.fragment.number").size(), 6U) << network;
  }
  EXPECT_EQ(shown("icmpv6", "godot_mp.summary"), (Rows{{R"(RPC Main.#2(16, "hello 16"))"}}));
}

// --- Datagrams and compression ---------------------------------------------------------------------------------

const Texts fault_fields = {"enet.malformed",    "enet.unsupported",    "enet.undecoded",      "enet.truncated",
                            "enet.limit",        "enet.unacknowledged", "enet.checksum.bad",   "_ws.malformed",
                            "_ws.expert.failed", "enet.checksum",       "enet.checksum.status"};

void EveryEnetCapture::is_enet_without_fault() {
  ASSERT_GT(datagrams().size(), 100U);
  for (const Datagram &datagram : datagrams()) {
    for (const std::string &fault : fault_fields) {
      EXPECT_TRUE(find_all(*datagram.details, fault).empty()) << datagram.frame << ": " << fault;
    }
    EXPECT_FALSE(datagram.commands.empty()) << datagram.frame;
  }
}

void EveryEnetCapture::finds_the_compression() {
  std::size_t compressed = 0;
  std::size_t plain = 0;
  for (const Datagram &datagram : datagrams()) {
    SCOPED_TRACE(datagram.frame);
    const Item &enet = *datagram.enet;
    ++(datagram.is_compressed() ? compressed : plain);
    EXPECT_EQ(enet.child_text("enet.compression"), datagram.is_compressed() ? capture().scenario.compression : "");
    if (!datagram.is_compressed()) {
      EXPECT_EQ(enet.child("enet.decompressed_size"), nullptr);
      continue;
    }
    const std::size_t header = enet.child("enet.sent_time") == nullptr ? 2 : 4;
    EXPECT_EQ(enet.child_text("enet.payload_size"), std::to_string(datagram.udp_payload->size - header));
    ASSERT_GE(datagram.sources.size(), 2U);
    EXPECT_EQ(enet.child_text("enet.decompressed_size"), std::to_string(datagram.sources[1].bytes.size()));
  }
  EXPECT_GT(plain, 0U);
  if (capture().scenario.compression.empty()) {
    EXPECT_EQ(compressed, 0U);
  } else {
    EXPECT_GT(compressed, 20U);
  }
}

// --- Bytes -----------------------------------------------------------------------------------------------------

void EveryEnetCapture::has_every_byte_under_an_item() {
  for (const Datagram &datagram : datagrams()) {
    SCOPED_TRACE("frame " + std::to_string(datagram.frame));
    const Item &enet = *datagram.enet;
    const std::size_t begin = datagram.udp_payload->position;
    const std::size_t end = begin + datagram.udp_payload->size;
    EXPECT_EQ(enet.position, begin);
    EXPECT_EQ(enet.size, datagram.udp_payload->size);
    for (const char *const field : {"enet.peer_id", "enet.session", "enet.compressed"}) {
      ASSERT_NE(enet.child(field), nullptr) << field;
      EXPECT_GE(enet.child(field)->position, begin);
      EXPECT_LE(enet.child(field)->position + enet.child(field)->size, begin + 2);
    }
    EXPECT_EQ(enet.child("enet.peer_id")->size, 2U);
    std::size_t header = 2;
    if (const Item *const sent_time = enet.child("enet.sent_time"); sent_time != nullptr) {
      EXPECT_EQ(sent_time->position, begin + 2);
      EXPECT_EQ(sent_time->size, 2U);
      header = 4;
    }
    if (!datagram.is_compressed()) {
      expect_commands_tiled(enet, begin + header, end);
      continue;
    }
    const Item *const compressed = enet.child("enet.compressed_bytes");
    ASSERT_NE(compressed, nullptr);
    EXPECT_EQ(compressed->position, begin + header);
    EXPECT_EQ(compressed->position + compressed->size, end);
    expect_commands_tiled(enet, 0, datagram.sources.at(1).bytes.size());
  }
}

void EveryEnetCapture::has_nothing_but_registered_fields() {
  for (const Datagram &datagram : datagrams()) {
    walk(*datagram.enet, [&datagram](const Item &item) {
      EXPECT_TRUE(item.name.starts_with("enet") || item.name.starts_with("_ws.expert") ||
                  item.name.starts_with("godot.problem"))
          << datagram.frame << item.label;
      return true;
    });
  }
}

// --- Messages --------------------------------------------------------------------------------------------------

// Returns the bytes without Godot 3's prefix; nullopt for messages of the engine itself.
std::optional<std::string> application_payload(const Capture &capture, const Message &message) {
  if (!capture.is_godot3()) return message.bytes;
  if (message.channel == 0) return {};
  EXPECT_GE(message.bytes.size(), 8U);
  return message.bytes.substr(std::min<std::size_t>(8, message.bytes.size()));
}

void EveryEnetCapture::shows_every_message_that_arrived_once() {
  const Expectations expected = read_expectations(capture().path);
  TextMultiset found;
  TextMultiset unreliable;  // may be captured without arriving in time
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      const std::optional<std::string> bytes = application_payload(capture(), message);
      if (!bytes) continue;
      const std::string line = datagram.to + "\t" + std::to_string(message.channel) + "\t" +
                               std::to_string(bytes->size()) + "\t" + md5(*bytes);
      found.insert(line);
      // 3.2.3 sends large unreliable messages as reliable fragments, but does not wait for their acknowledgements
      // before it exits.
      if (message.type != send_reliable && (message.type != send_fragment || capture().version == "3.2.3")) {
        unreliable.insert(line);
      }
    }
  }
  if (!capture().is_lossy()) {
    expect_same(found, expected.received, "messages");
    return;
  }
  // The capture was taken on the clients' side. A captured client message may be lost later; a captured server message
  // may arrive after the client has exited.
  EXPECT_TRUE(without(expected.received, found).empty()) << some_of(without(expected.received, found));
  const TextMultiset not_received = without(found, expected.received);
  EXPECT_TRUE(without(not_received, unreliable).empty()) << some_of(without(not_received, unreliable));
  EXPECT_GT(found.size(), 100U);
}

std::string content_of(const Message &message, const std::string &bytes) {
  if (!message.passed_on || !message.passed_on->is_godot) return "raw " + to_hex(bytes);
  const Texts types = find_all(*message.passed_on->item, "godot.type");
  std::string text = "var " + (types.empty() ? "without type" : types.front());
  for (const std::string &path : find_all(*message.passed_on->item, "godot.path_with_value")) text += "\n" + path;
  return text;
}

void EveryEnetCapture::shows_variants_as_godot_and_the_rest_as_data() {
  const Expectations expected = read_expectations(capture().path);
  TextMultiset sent;
  // In Godot 3, a target id and a source id precede the Variants, so only Variants with strong evidence are decoded.
  TextMultiset variants;
  for (const Expectations::Packet &packet : expected.packets) {
    TextMultiset &bag = packet.kind == "var" && capture().is_godot3() ? variants : sent;
    bag.insert(packet.from + " " + packet.channel + " " + packet.kind + " " + packet.content);
  }
  const std::size_t expected_variants = variants.size();
  TextMultiset found;
  TextMultiset opened;
  std::size_t messages = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      const std::optional<std::string> bytes = application_payload(capture(), message);
      if (!bytes) continue;
      ++messages;
      const std::string content =
          datagram.from + " " + std::to_string(message.channel) + " " + content_of(message, *bytes);
      found.insert(content);
      if (capture().is_godot3() && message.passed_on && message.passed_on->is_godot) opened.insert(content);
    }
  }
  EXPECT_TRUE(without(opened, variants).empty()) << some_of(without(opened, variants));
  EXPECT_EQ(opened.empty(), !capture().is_godot3());
  const TextMultiset lost = without(sent, found);
  const TextMultiset unknown = without(found, sent);
  if (capture().is_godot3()) {
    EXPECT_LE(unknown.size(), expected_variants);
  } else {
    EXPECT_TRUE(unknown.empty()) << some_of(unknown);
  }
  if (!capture().is_lossy()) {
    // ENet dropped one of them before sending (README).
    EXPECT_EQ(lost.size() + (capture().is_godot3() ? expected_variants - unknown.size() : 0),
              capture().name == "enet_range_coder_godot3.6" ? 1U : 0U)
        << some_of(lost);
  }
  EXPECT_GT(messages, 100U);
}

// --- Connections -----------------------------------------------------------------------------------------------

struct Connection {
  std::string client_port;
  const Command *connect = nullptr;
  const Command *verify = nullptr;
};

// The connections, in the order of their first connect commands, and the connection of each datagram.
struct Connections {
  std::vector<Connection> all;
  std::map<std::size_t, std::size_t> of_frame;

  explicit Connections(const std::vector<Datagram> &datagrams) {
    std::map<std::string, std::size_t> open;
    for (const Datagram &datagram : datagrams) {
      for (const Command &command : datagram.commands) {
        if (command.type == connect_) {
          const auto found = open.find(datagram.client_port);
          const bool is_again = found != open.end() && all[found->second].connect->value("enet.connect.connect_id") ==
                                                           command.value("enet.connect.connect_id");
          if (is_again) continue;
          open[datagram.client_port] = all.size();
          all.push_back({datagram.client_port, &command, nullptr});
        }
        if (command.type == verify_connect && all[open[datagram.client_port]].verify == nullptr) {
          all[open[datagram.client_port]].verify = &command;
        }
      }
      of_frame[datagram.frame] = open[datagram.client_port];
    }
  }
};

void EveryEnetCapture::has_three_connections() {
  const Connections connections(datagrams());
  ASSERT_EQ(connections.all.size(), 3U);
  Texts client_ports;
  for (const Connection &connection : connections.all) client_ports.push_back(connection.client_port);
  EXPECT_EQ(client_ports, (Texts{"50001", "50002", "50001"}));
  for (const Datagram &datagram : datagrams()) {
    EXPECT_EQ(datagram.stream(), static_cast<std::int64_t>(connections.of_frame.at(datagram.frame))) << datagram.frame;
  }
}

void EveryEnetCapture::shows_the_handshake() {
  const Connections connections(datagrams());
  std::map<std::string, std::int64_t> fixed = {
      {"enet.connect.mtu", capture().version == "3.2.3" ? 1400 : 1392},
      {"enet.connect.window_size", 65536},
      {"enet.connect.channel_count", capture().is_godot3() ? 5 : 4},
      {"enet.connect.incoming_bandwidth", 0},
      {"enet.connect.outgoing_bandwidth", 0},
      {"enet.connect.throttle_interval", 5000},
      {"enet.connect.throttle_acceleration", 2},
      {"enet.connect.throttle_deceleration", 2},
  };
  constexpr std::int64_t godot4_ids[] = {1001, 1002, 1001};
  std::set<std::int64_t> connect_ids;
  std::set<std::int64_t> data;
  for (std::size_t i = 0; i < connections.all.size(); ++i) {
    SCOPED_TRACE(i);
    const Connection &connection = connections.all[i];
    ASSERT_NE(connection.verify, nullptr);
    for (const auto &[field, value] : fixed) {
      EXPECT_EQ(connection.connect->value(field.c_str()), value) << field;
      if (i == 2 && field.find("bandwidth") != std::string::npos) continue;  // the server limits it in the answer
      if (i == 2 && field == "enet.connect.window_size") continue;           // limited as well
      EXPECT_EQ(connection.verify->value(field.c_str()), value) << field << " of the answer";
    }
    const std::int64_t id = connection.connect->value("enet.connect.connect_id");
    EXPECT_EQ(connection.verify->value("enet.connect.connect_id"), id);
    connect_ids.insert(id);
    const std::int64_t client = connection.connect->value("enet.connect.data");
    data.insert(client);
    if (capture().is_godot3()) {
      EXPECT_GT(client, 1);
    } else {
      EXPECT_EQ(client, godot4_ids[i]);
    }
    EXPECT_EQ(connection.verify->part->child("enet.connect.data"), nullptr);
    EXPECT_EQ(connection.connect->channel, 255);
    EXPECT_EQ(connection.connect->seq, 1);
    EXPECT_TRUE(connection.connect->is_reliable);
  }
  EXPECT_EQ(connect_ids.size(), 3U);
  EXPECT_EQ(data.size(), capture().is_godot3() ? 3U : 2U);
}

void EveryEnetCapture::shows_sessions_and_peers_as_the_handshake_gave_them() {
  const Connections connections(datagrams());
  for (const Datagram &datagram : datagrams()) {
    const Connection &connection = connections.all[connections.of_frame.at(datagram.frame)];
    const std::int64_t peer = child_number(*datagram.enet, "enet.peer_id");
    const std::int64_t session = child_number(*datagram.enet, "enet.session");
    if (datagram.commands.front().type == connect_) {
      EXPECT_EQ(peer, 0xfff) << datagram.frame;
      continue;
    }
    // The tree names sessions from the client's point of view, as the handshake does.
    EXPECT_EQ(session, connection.verify->value(datagram.is_from_server() ? "enet.connect.incoming_session"
                                                                          : "enet.connect.outgoing_session"))
        << datagram.frame;
    EXPECT_EQ(session, connections.of_frame.at(datagram.frame) == 2 ? 1 : 0) << datagram.frame;
    const Command &slot_giver = datagram.is_from_server() ? *connection.connect : *connection.verify;
    EXPECT_EQ(peer, slot_giver.value("enet.connect.outgoing_peer_id")) << datagram.frame;
  }
}

void EveryEnetCapture::shows_how_sessions_end() {
  Texts found;
  for (const Datagram &datagram : datagrams()) {
    for (const Command &command : datagram.commands) {
      if (command.type != disconnect_ || command.is_retransmission) continue;
      found.push_back(datagram.from + (command.is_reliable ? " asks " : " leaves ") +
                      (capture().is_godot3() ? "" : std::to_string(command.value("enet.disconnect.data"))));
    }
  }
  if (capture().is_godot3()) {
    EXPECT_EQ(found, (Texts{"client leaves ", "server asks ", "server asks "}));
  } else {
    EXPECT_EQ(found, (Texts{"client asks 7", "server asks 8", "client leaves 9"}));
  }
}

void EveryEnetCapture::shows_godot_3s_own_messages_as_data() {
  std::set<std::string> clients;
  for (const Connection &connection : Connections(datagrams()).all) {
    clients.insert(little_endian(static_cast<std::uint32_t>(connection.connect->value("enet.connect.data"))));
  }
  std::size_t found = 0;
  for (const Datagram &datagram : datagrams()) {
    for (const Message &message : messages_of(datagram)) {
      if (!capture().is_godot3() || message.channel != 0) continue;
      ++found;
      EXPECT_TRUE(datagram.is_from_server()) << datagram.frame;
      ASSERT_EQ(message.bytes.size(), 8U) << datagram.frame;
      EXPECT_LE(read_u32(message.bytes, 0), 1U) << datagram.frame;
      EXPECT_TRUE(clients.contains(message.bytes.substr(4))) << datagram.frame;
    }
  }
  EXPECT_EQ(found, capture().is_godot3() ? 3U : 0U);
}

TEST_P(EveryEnetCapture, IsDecodedAsTheEngineWroteIt) {
  constexpr std::pair<const char *, void (*)()> checks[] = {
      {"is enet without fault", is_enet_without_fault},
      {"finds the compression", finds_the_compression},
      {"has every byte under an item", has_every_byte_under_an_item},
      {"has nothing but registered fields", has_nothing_but_registered_fields},
      {"shows every message that arrived once", shows_every_message_that_arrived_once},
      {"shows variants as godot and the rest as data", shows_variants_as_godot_and_the_rest_as_data},
      {"has three connections", has_three_connections},
      {"shows the handshake", shows_the_handshake},
      {"shows sessions and peers as the handshake gave them", shows_sessions_and_peers_as_the_handshake_gave_them},
      {"shows how sessions end", shows_how_sessions_end},
      {"shows Godot 3's own messages as data", shows_godot_3s_own_messages_as_data},
      {"links acknowledgements and commands", links_acknowledgements_and_commands},
      {"has the round trip times that the engine measured", has_the_round_trip_times_that_the_engine_measured},
      {"marks retransmissions", marks_retransmissions},
      {"counts gaps", counts_gaps},
      {"has a row for each client", has_a_row_for_each_client},
      {"can be followed", can_be_followed},
  };
  for (const auto &[what, check] : checks) {
    SCOPED_TRACE(what);
    check();
  }
}

}  // namespace godot_codec::test::enet
