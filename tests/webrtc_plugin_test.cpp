// SPDX-License-Identifier: GPL-2.0-or-later
// Godot's multiplayer over WebRTC: handmade SCTP packets with the messages of a real game (captures/by_hand.py),
// compared with that game over a WebSocket.
#include <gtest/gtest.h>

#include <filesystem>

#include "pcap.h"
#include "tables.h"
#include "text_multiset.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

fs::path capture_named(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Returns the fields that do not depend on the transport, one text per message; a relay's own command precedes the
// relayed one.
TextMultiset messages_of(const fs::path &capture, const Texts &options) {
  static const Texts fields = {"godot_mp.command",      "godot_mp.rpc.method_id", "godot_mp.rpc.argc",
                               "godot_mp.spawn.name",   "godot_mp.property_path", "godot_mp.confirm.valid",
                               "godot.path_with_value", "godot_mp.length"};
  TextMultiset messages;
  for (const Item &frame : read_details(capture, Texts{"-Y", "godot_mp"} + options)) {
    for (const Item &layer : frame.children) {
      if (layer.name != "godot_mp") continue;
      std::string text;
      for (const std::string &field : fields) {
        for (const std::string &value : find_all(layer, field)) text += field + "=" + value + ' ';
      }
      messages.insert(text);
    }
  }
  return messages;
}

class EveryWebRtcCapture : public testing::TestWithParam<std::string> {};

TEST_P(EveryWebRtcCapture, HasTheMessagesOfTheWebSocketGame) {
  TextMultiset game = messages_of(capture_named("mp_ws_godot4.6"), {"-2"});
  // Only WebSockets have the initial peer id messages.
  for (auto entry = game.begin(); entry != game.end();) {
    entry = entry->starts_with("godot_mp.command=peer_id ") ? game.erase(entry) : std::next(entry);
  }
  const TextMultiset found = messages_of(capture_named(GetParam()), {"-2"});
  EXPECT_GT(found.size(), 20U);
  EXPECT_TRUE(without(game, found).empty()) << some_of(without(game, found));
  EXPECT_TRUE(without(found, game).empty()) << some_of(without(found, game));
}

// The server announces peers, which identifies the server's side and the peers of relayed messages.
TEST_P(EveryWebRtcCapture, SendersReceiversAndPathsMatchTheWebSocketCapture) {
  const Texts fields = {"godot_mp.sender", "godot_mp.receiver", "godot_mp.path", "godot_mp.command"};
  const auto routes_of = [&](const std::string &name) {
    TextMultiset routes;
    for (const Item &frame : read_details(capture_named(name), Texts{"-2", "-Y", "godot_mp"})) {
      for (const Item &layer : frame.children) {
        if (layer.name != "godot_mp" || layer.child_text("godot_mp.command") == "peer_id") continue;
        std::string route;
        for (const std::string &field : fields) route += layer.child_text(field) + ' ';
        routes.insert(route);
      }
    }
    return routes;
  };
  const TextMultiset game = routes_of("mp_ws_godot4.6");
  const TextMultiset found = routes_of(GetParam());
  EXPECT_GT(found.size(), 20U);
  EXPECT_TRUE(without(game, found).empty()) << some_of(without(game, found));
  EXPECT_TRUE(without(found, game).empty()) << some_of(without(found, game));
}

TEST_P(EveryWebRtcCapture, RelaysAreDecodedAsOverAWebSocket) {
  const fs::path capture = capture_named(GetParam());
  EXPECT_EQ(count(capture, "godot_mp.unknown_path or godot_mp.unknown_node or godot_mp.unannounced_path", {"-2"}), 0U);
  const Rows rows = read_fields(capture, {"-2", "-Y", "frame.number == 24"}, {"_ws.col.Info"});
  EXPECT_EQ(rows, (Rows{{"To 2071645: Path 1 confirmed: Main/World [Reliable ch 1]"}}));
}

TEST_P(EveryWebRtcCapture, KeepsAssociationsApart) {
  const Rows rows = read_fields(capture_named(GetParam()), {"-2", "-Y", "frame.number == 13 or frame.number == 38"},
                                {"_ws.col.Protocol", "_ws.col.Info"});
  // The ID of this client is not known, so its address is shown.
  const std::string client = GetParam() == std::string("sctp_by_hand") ? "10.0.0.2:5000" : "10.0.0.1:50001";
  EXPECT_EQ(
      rows,
      (Rows{
          {"GodotMP", "To " + client + R"(: RPC Main/World.#1("Welcome", 2.5, false) [Unreliable ch 3])"},
          {"GodotMP",
           R"(To 934651505: Path 2 is Main/Spawner [Reliable ch 1] | Spawn Coin by Main/Spawner from "Coin" 0.0 [Ordered ch 4])"}}));
}

TEST_P(EveryWebRtcCapture, OtherMessagesAreNotClaimed) {
  const fs::path capture = capture_named(GetParam());
  EXPECT_EQ(count(capture, "godot_mp and sctp.data_payload_proto_id == 50"), 0U);
  EXPECT_EQ(count(capture, "godot_mp and sctp.retransmission"), 0U);
  EXPECT_EQ(count(capture, "godot_mp", {"--disable-heuristic", "godot_sctp"}), 0U);
}

TEST_P(EveryWebRtcCapture, IsDecodedInOnePassOnAConfiguredPort) {
  const fs::path capture = capture_named(GetParam());
  const Texts configured = {"-o", "godot_mp.sctp.port:5000"};
  EXPECT_EQ(messages_of(capture, configured), messages_of(capture, {"-2"}));
  EXPECT_EQ(messages_of(capture, {"-d", "sctp.port==5000,godot_mp"}), messages_of(capture, {"-2"}));
}

INSTANTIATE_TEST_SUITE_P(all, EveryWebRtcCapture, testing::Values("sctp_by_hand", "sctp_udp_by_hand"),
                         [](const auto &info) { return info.param; });

// An SCTP packet with two messages of unknown content.
TEST(WebRtc, ForeignMessagesAreUnclaimed) {
  const auto chunk = [](std::uint32_t number, std::uint32_t payload, const std::string &content) {
    const auto length = static_cast<std::uint16_t>(16 + content.size());
    return std::string("\0\3", 2) + big_endian(length) + big_endian(number) + big_endian(std::uint32_t{1 << 16}) +
           big_endian(payload) + content;
  };
  const std::string head = big_endian(std::uint16_t{5000}) + big_endian(std::uint16_t{5000}) + std::string(8, '\1');
  const std::string path = std::string("\x01\x01\0\0\0", 5) + std::string(32, 'a') + std::string("\0Main/World\0", 12);
  Pcap pcap;
  for (const std::uint32_t payload : {0U, 46U, 50U, 52U}) {
    pcap.frames.push_back(ipv4(132, head + chunk(1 + payload, payload, path + std::string(3, '\0'))));
  }
  pcap.frames.push_back(ipv4(132, head + chunk(80, 53, std::string("\x7f\x7f", 2) + std::string(18, '\x7f'))));
  EXPECT_EQ(count(saved(pcap), "godot_mp or godot", {"-2"}), 0U);
}

// Link type 248 from text2pcap with Chromium's log: no addresses, equal ports, and pcapng's direction flag in each
// packet.
TEST(WebRtc, DirectionFlagsSeparateEndsWithoutAddresses) {
  const fs::path capture = fs::path(GODOT_TESTS_DIR) / "data" / "sctp_flags.pcapng";
  const Rows rows = read_fields(capture, {"-2", "-Y", "godot_mp"},
                                {"godot_mp.command", "godot_mp.sender", "godot_mp.receiver", "godot_mp.path"});
  const std::string path = "Main/Clock/Sync";
  EXPECT_EQ(rows, (Rows{{"simplify_path", "1", "", path},
                        {"confirm_path", "", "1", path},
                        {"delta", "1", "", path},
                        {"sync", "1", "", path},
                        {"sync", "1", "", path},
                        {"sync", "1", "", path},
                        {"add_peer", "1", "", ""}}));
}

}  // namespace
}  // namespace godot_codec::test
