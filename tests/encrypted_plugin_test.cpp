// SPDX-License-Identifier: GPL-2.0-or-later
// What is inside of DTLS and TLS, with the keys. OpenSSL has sent what games say in other captures (data/encrypt.py):
// it is to read as it does there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const std::string protocols = "godot or godot_mp or enet or godot_debug";

fs::path encrypted(const std::string &name) { return fs::path(GODOT_TESTS_DIR) / "data" / (name + ".pcapng"); }
fs::path plain(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Values of our fields, message by message; one text for each field that a layer has.
using Messages = std::vector<Texts>;

void add_values(const Item &item, const std::vector<std::string_view> &names, Texts &values) {
  for (const std::string_view name : names) {
    for (const std::string &value : find_all(item, name)) values.push_back(std::string(name) + "=" + value);
  }
}

// @param layers of which protocols, by name
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

std::size_t count(const fs::path &capture, const std::string &filter, const Texts &options = {}) {
  return read_fields(capture, Texts{"-Y", filter} + options, {"frame.number"}).size();
}

// ---- DTLS

const std::vector<std::string_view> enet_layers = {"enet", "godot_mp", "godot"};
const std::vector<std::string_view> enet_fields = {
    "enet.command",     "enet.channel",          "enet.sequence", "godot_mp.command",    "godot_mp.path",
    "godot_mp.summary", "godot.path_with_value", "enet.stream",   "enet.unacknowledged", "godot_mp.sender"};

Messages enet_game() {
  return messages_of(plain("mp_rpc_godot4.6"), {"-Y", "enet and udp.port == 50001"}, enet_layers, enet_fields);
}

TEST(DtlsTest, EnetAndTheMultiplayerInItReadAsOverUdp) {
  const Messages found = messages_of(encrypted("dtls_enet"), {"-Y", "enet"}, enet_layers, enet_fields);
  EXPECT_GT(found.size(), 300U);
  EXPECT_EQ(found, enet_game());
}

TEST(DtlsTest, EnetReadsTheSameInTwoPassesAndWithThePort) {
  const fs::path capture = encrypted("dtls_enet");
  const Messages once = messages_of(capture, {"-Y", "enet"}, enet_layers, enet_fields);
  EXPECT_EQ(messages_of(capture, {"-2", "-Y", "enet"}, enet_layers, enet_fields), once);
  EXPECT_EQ(messages_of(capture, {"-o", "enet.dtls.port:5557", "-Y", "enet"}, enet_layers, enet_fields), once);
  EXPECT_EQ(messages_of(capture, {"-d", "dtls.port==5557,enet", "-Y", "enet"}, enet_layers, enet_fields), once);
}

TEST(DtlsTest, VariantsReadAsOverUdp) {
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

TEST(DtlsTest, IsNobodysWhereTheHeuristicsAreSwitchedOff) {
  EXPECT_EQ(count(encrypted("dtls_enet"), protocols, {"--disable-heuristic", "enet_dtls"}), 0U);
  EXPECT_EQ(count(encrypted("dtls_variants"), protocols, {"--disable-heuristic", "godot_dtls"}), 0U);
  EXPECT_GT(count(encrypted("dtls_enet"), protocols, {"--disable-heuristic", "enet_udp"}), 0U);
}

TEST(DtlsTest, WebRtcIsReadWhereTheUserSaysThatSctpIsInside) {
  const std::vector<std::string_view> layers = {"godot_mp"};
  const std::vector<std::string_view> fields = {"godot_mp.summary", "godot.path_with_value"};
  const Messages game =
      messages_of(plain("sctp_udp_by_hand"), {"-2", "-Y", "godot_mp and udp.port == 50001"}, layers, fields);
  const fs::path capture = encrypted("dtls_webrtc");
  EXPECT_GT(game.size(), 20U);
  EXPECT_EQ(messages_of(capture, {"-2", "-d", "dtls.port==5557,sctp", "-Y", "godot_mp"}, layers, fields), game);
  EXPECT_EQ(count(capture, "sctp or godot_mp"), 0U);
}

}  // namespace
}  // namespace godot_codec::test
