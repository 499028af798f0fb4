// SPDX-License-Identifier: GPL-2.0-or-later
// The content of DTLS and TLS, decrypted with the keys. OpenSSL sent the messages of other captures (data/encrypt.py),
// so that they must be decoded as in those captures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "pcap.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

using namespace std::string_literals;
namespace fs = std::filesystem;

const std::string protocols = "godot or godot_mp or enet or godot_debug";

fs::path encrypted(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng"); }
fs::path plain(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Values of the plugin's fields for each message. Each layer has one text per field.
using Messages = std::vector<Texts>;

void add_values(const Item &item, const std::vector<std::string_view> &names, Texts &values) {
  for (const std::string_view name : names) {
    for (const std::string &value : find_all(item, name)) values.push_back(std::string(name) + "=" + value);
  }
}

// @param layers names of the protocols
Messages messages_of(const fs::path &capture, const Texts &options, const std::vector<std::string_view> &layers,
                     const std::vector<std::string_view> &names) {
  Messages messages;
  for (const Item &frame : read_details(capture, options)) {
    for (const Item &layer : frame.children) {
      if (std::ranges::find(layers, layer.name) == layers.end()) continue;
      add_values(layer, names, messages.emplace_back());
    }
  }
  return messages;
}

// ---- DTLS

const std::vector<std::string_view> enet_layers = {"enet", "godot_mp", "godot"};
const std::vector<std::string_view> enet_fields = {
    "enet.command",     "enet.channel",          "enet.sequence", "godot_mp.command",    "godot_mp.path",
    "godot_mp.summary", "godot.path_with_value", "enet.stream",   "enet.unacknowledged", "godot_mp.sender"};

Messages enet_game() {
  return messages_of(plain("mp_rpc_godot4.6"), {"-Y", "enet and udp.port == 50001"}, enet_layers, enet_fields);
}

TEST(Dtls, EnetAndMultiplayerAreDecodedAsOverUdp) {
  const Messages found = messages_of(encrypted("dtls_enet"), {"-Y", "enet"}, enet_layers, enet_fields);
  EXPECT_GT(found.size(), 300U);
  EXPECT_EQ(found, enet_game());
}

TEST(Dtls, EnetIsDecodedTheSameInTwoPassesAndOnAConfiguredPort) {
  const fs::path capture = encrypted("dtls_enet");
  const Messages once = messages_of(capture, {"-Y", "enet"}, enet_layers, enet_fields);
  EXPECT_EQ(messages_of(capture, {"-2", "-Y", "enet"}, enet_layers, enet_fields), once);
  EXPECT_EQ(messages_of(capture, {"-o", "enet.dtls.port:5557", "-Y", "enet"}, enet_layers, enet_fields), once);
  EXPECT_EQ(messages_of(capture, {"-d", "dtls.port==5557,enet", "-Y", "enet"}, enet_layers, enet_fields), once);
}

TEST(Dtls, VariantsAreDecodedAsOverUdp) {
  const std::vector<std::string_view> layers = {"godot"};
  const std::vector<std::string_view> fields = {"godot.path_with_value", "godot.dialect", "godot.not_variant"};
  const Texts first_client = {"-Y", "godot and udp.stream == 0"};
  const Messages game = messages_of(plain("game_godot4.6"), first_client, layers, fields);
  const fs::path capture = encrypted("dtls_variants");
  EXPECT_GT(game.size(), 10U);
  EXPECT_EQ(messages_of(capture, {"-Y", "godot"}, layers, fields), game);
  EXPECT_EQ(messages_of(capture, {"-2", "-Y", "godot"}, layers, fields), game);
  EXPECT_EQ(messages_of(capture, {"-o", "godot.dtls.port:5557", "-Y", "godot"}, layers, fields), game);
}

TEST(Dtls, IsUnclaimedWithoutTheHeuristics) {
  EXPECT_EQ(count(encrypted("dtls_enet"), protocols, {"--disable-heuristic", "godot_dtls"}), 0U);
  EXPECT_EQ(count(encrypted("dtls_variants"), protocols, {"--disable-heuristic", "godot_dtls"}), 0U);
  EXPECT_GT(count(encrypted("dtls_enet"), protocols, {"--disable-heuristic", "godot_udp"}), 0U);
}

// The first undecrypted record reports the missing keys, and the table of problems lists it first. OpenSSL's client
// counts as Godot's only if a preference configures the port.
TEST(Dtls, EnetWithoutKeysIsReportedIfThePortIsConfigured) {
  const fs::path undecrypted = without_keys(encrypted("dtls_enet"));
  const Texts named = {"-o", "enet.dtls.port:5557"};
  const std::string reason =
      "ENet over DTLS cannot be decrypted, because Wireshark has no keys for the handshake in frame 1";
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(read_fields(undecrypted, named + passes + Texts{"-Y", "enet.undecrypted"},
                          {"frame.number", "_ws.expert.message"}),
              (Rows{{"7", reason}}));
  }
  const std::vector<TableRow> problems = read_table(undecrypted, "godot,problems", named + Texts{"-2"});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].at("Problem"), reason);
  EXPECT_EQ(count(undecrypted, "enet.undecrypted", {"-2"}), 0U);
  EXPECT_EQ(count(encrypted("dtls_enet"), "enet.undecrypted", named + Texts{"-2"}), 0U);
}

// Compares ENet over DTLS of Godot 4.6 with the log of the game (captures/record_dtls.sh). captures/godot_keys.c
// exported the keys.
TEST(Dtls, EveryEngineCallIsDecoded) {
  Texts configured;
  for (const std::string &line : lines_of(read_file(encrypted("dtls_engine").replace_extension(".txt")))) {
    configured.push_back(line.substr(0, line.find(" [")));
  }
  EXPECT_EQ(configured.size(), 74U);
  const std::string project = (fs::path(GODOT_CAPTURES_DIR) / "projects" / "dtls").string();
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    Texts shown;
    for (const Texts &row : read_fields(
             encrypted("dtls_engine"), passes + Texts{"-Y", "godot_mp.rpc.method", "-o", "godot_mp.project:" + project},
             {"udp.dstport", "godot_mp.rpc.method"})) {
      for (const std::string &method : split(row[1], between_occurrences)) {
        shown.push_back((row[0] == "6000" ? "server " : "client ") + method);
      }
    }
    std::ranges::sort(configured);
    std::ranges::sort(shown);
    EXPECT_EQ(shown, configured);
  }
}

TEST(Dtls, WebRtcIsDecodedWithoutSettings) {
  const std::vector<std::string_view> layers = {"godot_mp"};
  const std::vector<std::string_view> fields = {"godot_mp.summary", "godot.path_with_value"};
  const Messages game =
      messages_of(plain("sctp_udp_by_hand"), {"-2", "-Y", "godot_mp and udp.port == 50001"}, layers, fields);
  const fs::path capture = encrypted("dtls_webrtc");
  EXPECT_GT(game.size(), 20U);
  EXPECT_EQ(messages_of(capture, {"-2", "-Y", "godot_mp"}, layers, fields), game);
  for (const std::string dissector : {"sctp", "godot_webrtc"}) {
    EXPECT_EQ(messages_of(capture, {"-2", "-d", "dtls.port==5557," + dissector, "-Y", "godot_mp"}, layers, fields),
              game)
        << dissector;
  }
  EXPECT_EQ(count(capture, "sctp or godot_mp", {"--disable-heuristic", "sctp_dtls"}), 0U);
}

// ---- TLS

// Messages of a stream. The transport determines how they are split into records or segments.
struct StreamCapture {
  std::string name;
  std::string plain;
  std::string layer;
  std::string port;       // name of the preference
  std::string heuristic;  // name of the heuristic
};

const std::vector<StreamCapture> streams = {
    {"tls_variants", "tcp_types_godot4.6", "godot", "godot.tls.port", "godot_tls"},
    {"tls_debug", "debug_script_godot4.6", "godot_debug", "godot_debug.tls.port", "godot_tls"},
};

std::ostream &operator<<(std::ostream &out, const StreamCapture &stream) { return out << stream.name; }

class EveryTlsStream : public testing::TestWithParam<StreamCapture> {};

// Returns the messages of both sides, the server's messages first. Records of the two directions may have another order
// than segments.
Messages stream_messages(const fs::path &capture, const std::string &layer, const Texts &options = {}) {
  const std::vector<std::string_view> fields = {"godot.path_with_value", "godot.type", "godot_debug.message",
                                                "godot.length"};
  const std::string from_server = "tcp.srcport in {5557, 5006, 6007}";
  Messages messages;
  for (const std::string &side : {from_server, "not " + from_server}) {
    for (Texts &values : messages_of(capture, Texts{"-Y", layer + " and " + side} + options, {layer}, fields)) {
      // A layer without values is a fragment of a message, so it is skipped.
      if (!values.empty()) messages.push_back(std::move(values));
    }
  }
  return messages;
}

void expect_same(const Messages &found, const Messages &wanted, const char *how) {
  ASSERT_EQ(found.size(), wanted.size()) << how;
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(found[i], wanted[i]) << how << ", message " << i;
}

TEST_P(EveryTlsStream, IsDecodedAsOverTcp) {
  const StreamCapture &stream = GetParam();
  const Messages game = stream_messages(plain(stream.plain), stream.layer);
  EXPECT_GT(game.size(), 100U);
  const fs::path capture = encrypted(stream.name);
  expect_same(stream_messages(capture, stream.layer), game, "once");
  expect_same(stream_messages(capture, stream.layer, {"-2"}), game, "twice");
  expect_same(stream_messages(capture, stream.layer, {"-o", stream.port + ":5557"}), game, "told");
}

// Detection needs several records for the first message. The message is shown in the record that contains its last
// byte.
TEST_P(EveryTlsStream, MessagesSplitIntoRecordsAreDecoded) {
  const StreamCapture &stream = GetParam();
  const Messages game = stream_messages(plain(stream.plain), stream.layer);
  const fs::path capture = encrypted(stream.name + "_cut");
  const Messages configured = stream_messages(capture, stream.layer, {"-o", stream.port + ":5557"});
  EXPECT_GE(configured.size(), 15U);
  for (const Texts &message : configured) EXPECT_NE(std::ranges::find(game, message), game.end());
  expect_same(stream_messages(capture, stream.layer), configured, "once");
  expect_same(stream_messages(capture, stream.layer, {"-2"}), configured, "twice");
}

TEST_P(EveryTlsStream, IsUnclaimedWithoutTheHeuristics) {
  const Texts off = {"--disable-heuristic", "godot_tls"};
  EXPECT_EQ(count(encrypted(GetParam().name), protocols, off), 0U);
}

INSTANTIATE_TEST_SUITE_P(all, EveryTlsStream, testing::ValuesIn(streams),
                         [](const auto &info) { return info.param.name; });

// ---- WSS: a game of a real engine (captures/godot_keys.c exported the keys)

TEST(Wss, GameIsDecodedWithoutSettings) {
  const fs::path capture = plain("mp_wss_godot4.6");
  const Texts fields = {"frame.number", "godot_mp.summary", "godot_mp.sender", "godot.path_with_value"};
  const Rows configured = read_fields(capture, {"-Y", "godot_mp", "-o", "godot_mp.ws.port:5042"}, fields);
  EXPECT_GT(configured.size(), 40U);
  EXPECT_EQ(read_fields(capture, {"-2", "-Y", "godot_mp"}, fields), configured);
}

TEST(Wss, NoGameIsShownWithoutTheKeys) {
  const fs::path bare = without_keys(plain("mp_wss_godot4.6"));
  EXPECT_EQ(count(bare, protocols), 0U);
  EXPECT_GT(count(bare, "tls.app_data"), 50U);
}

TEST(Wss, MissingKeysAreReportedOnlyAfterTheHandshake) {
  const fs::path bare = without_keys(plain("mp_wss_godot4.6"));
  const fs::path refused = fs::path(GODOT_TESTS_DIR) / "data" / "tls_refused.pcap";
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Texts unread = passes + Texts{"-Y", "godot_websocket.undecrypted"};
    EXPECT_EQ(read_fields(bare, unread, {"frame.number"}), (Rows{{"20"}, {"46"}}));
    EXPECT_EQ(read_fields(refused, unread, {"frame.number"}), Rows{}) << "its certificate is the one cause";
  }
}

std::string tls_record(char kind, const std::string &content) {
  return kind + "\x03\x03"s + big_endian(static_cast<std::uint16_t>(content.size())) + content;
}

// Returns a ClientHello as mbed TLS 3 writes it.
std::string godots_hello() {
  std::string extensions;
  for (const std::uint16_t kind : {10, 13, 11, 22, 23, 35}) extensions += big_endian(kind) + "\0\0"s;
  const std::string hello = "\x03\x03"s + std::string(32, 'r') + "\0\0\x02\xc0\x2b\x01\0"s +
                            big_endian(static_cast<std::uint16_t>(extensions.size())) + extensions;
  return tls_record(22, "\x01\0"s + big_endian(static_cast<std::uint16_t>(hello.size())) + hello);
}

TEST(Wss, MissingKeysOfAClosedConnectionAreReportedInBothPasses) {
  constexpr int fin = 0x01;
  const Ports ports{50001, 443};
  const std::string data = tls_record(23, std::string(40, 'd'));
  TcpConversation conversation(ports);
  conversation.send(godots_hello());
  conversation.answer(tls_record(22, "\x02\0\0\0"s));
  for (int i = 0; i < 2; ++i) conversation.send(data);
  Pcap pcap = conversation.pcap();
  const auto client = static_cast<std::uint32_t>(1001 + godots_hello().size() + 2 * data.size());
  pcap.frames.push_back(tcp(ports, client, 5010, fin | tcp_ack));
  pcap.frames.push_back(tcp(ports.reversed(), 5010, client + 1, fin | tcp_ack));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(read_fields(saved(pcap), passes + Texts{"-Y", "godot_websocket.undecrypted"}, {"frame.number"}),
              (Rows{{"4"}}));
  }
}

}  // namespace
}  // namespace godot_codec::test
