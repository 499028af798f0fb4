// SPDX-License-Identifier: GPL-2.0-or-later
// Browser games over WebRTC, with keys in the capture and default preferences (captures/record_browser.sh): the plugin
// shows what the peers sent.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "browser_log.h"
#include "pcap.h"
#include "tables.h"
#include "text_multiset.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr bool has_dtls_1_3 = WIRESHARK_RELEASE >= 44;

fs::path capture_named(const std::string &name) { return web_data(name + ".pcapng"); }

// ---- multiplayer

TEST(BrowserGame, EveryPacketIsDecrypted) {
  for (const std::string name : {"web_star", "web_moved", "web_channels"}) {
    EXPECT_EQ(count(capture_named(name), "godot_webrtc.undecrypted", {"-2"}), 0U) << name;
  }
}

// Each payload is a run of one byte, so that a wrong fragment would show.
TEST(BrowserGame, LongMessagesAreReassembled) {
  TextMultiset sizes;
  const Texts options = {"-2", "-Y", "godot_mp.data and godot_mp.sender == 1"};
  for (const Item &frame : read_details(capture_named("web_star"), options)) {
    for (const std::string &value : find_all(frame, "godot_mp.data")) {
      std::string bytes = value;
      std::erase(bytes, ':');
      const std::string size = std::to_string(bytes.size() / 2);
      const auto fill = static_cast<char>(std::stoi(size) & 0x7f);
      EXPECT_EQ(bytes.find_first_not_of(to_hex(std::string(1, fill))), std::string::npos) << size;
      sizes.insert(size);
    }
  }
  EXPECT_EQ(sizes, (TextMultiset{"1200", "1200", "20000", "20000", "5000", "5000"}));
}

TEST(BrowserGame, InfoShowsTheDeliveryMode) {
  const fs::path capture = capture_named("web_star");
  for (const auto &[method, delivery, label] : {std::tuple("say", "[Reliable ch 1]", "reliable"),
                                                {"move", "[Unreliable ordered ch 2]", "ordered"},
                                                {"look", "[Unreliable ch 3]", "unreliable"}}) {
    const Texts options = {"-2", "-o", std::string("godot_mp.project:") + GODOT_CAPTURES_DIR + "/projects/web", "-Y",
                           std::string("godot_mp.rpc.method == \"") + method + "\""};
    const Rows rows = read_fields(capture, options, {"_ws.col.Info", "godot_webrtc.label"});
    EXPECT_GE(rows.size(), 6U) << method;
    for (const auto &row : rows) {
      EXPECT_EQ(row[1], label) << row[0];
      EXPECT_TRUE(row[0].ends_with(delivery)) << row[0];
      EXPECT_FALSE(row[0].starts_with("SACK")) << row[0];
    }
  }
}

// The DTLS handshake is on one pair of ports, and all game messages are on another.
TEST(BrowserGame, ConnectionMovedByIceIsStillDecoded) {
  const fs::path capture = capture_named("web_moved");
  EXPECT_GT(count(capture, "dtls.handshake.type == 1 and ip", {"-2"}), 0U);
  EXPECT_EQ(count(capture, "dtls.handshake.type == 1 and ipv6", {"-2"}), 0U);
  EXPECT_GT(count(capture, "godot_mp and ipv6", {"-2"}), 20U);
  // The frame has its own ports and addresses, not those of the handshake.
  EXPECT_EQ(read_fields(capture, {"-2", "-Y", "godot_mp"}, {"_ws.col.Source"}).front()[0], "fd00::2");
}

// Both ends may be the server: signalling identifies them, or else their addresses distinguish them.
TEST(BrowserGame, FollowStreamNamesThePeersAndSeparatesTheSides) {
  const Texts follow = {"-q", "-z", "follow,godot_mp,ascii,0"};
  const std::string named = tshark(capture_named("web_moved"), follow);
  EXPECT_NE(named.find("\nserver: Path 1 is Main/World"), std::string::npos) << named;
  EXPECT_NE(named.find("\n\t36\n20002: Path 1 confirmed: Main/World"), std::string::npos) << named;
  const std::string text = tshark(capture_named("web_moved"), follow + Texts{"--disable-protocol", "http"});
  EXPECT_NE(text.find("\n192.0.2.2:60462: Path 1 is Main/World"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\t46\n192.0.2.2:57482: Path 1 confirmed: Main/World"), std::string::npos) << text;
}

// ---- application-defined data channels

// If this Wireshark cannot decrypt DTLS 1.3, one packet reports it.
void expect_undecrypted(const fs::path &capture) { EXPECT_EQ(count(capture, "godot_webrtc.undecrypted", {"-2"}), 1U); }

class CustomDataChannels : public testing::TestWithParam<std::string> {};

TEST_P(CustomDataChannels, ShowTheMessagesThatWereSent) {
  const fs::path capture = capture_named(GetParam());
  if (GetParam().ends_with("13") && !has_dtls_1_3) return expect_undecrypted(capture);
  TextMultiset sent;
  for (const LoggedEvent &logged : read_logged_events(GetParam())) {
    if (!logged.contains("sent")) continue;
    const std::string bytes = hex(logged.at("bytes"));
    const bool is_text = logged.at("is_text") == "true";
    sent.insert(logged.at("sent") + " " + std::to_string(bytes.size()) + (is_text ? " " + bytes : ""));
  }
  TextMultiset shown;
  for (const Item &frame : read_details(capture, {"-2", "-Y", "godot_webrtc"})) {
    const Item *channel = nullptr;
    for (const Item &layer : frame.children) {
      if (layer.name == "godot_webrtc") channel = &layer;
      if (layer.name != "godot" || channel == nullptr) continue;
      const std::string label = channel->child_text("godot_webrtc.label");
      const Item *text = layer.child("godot.text");
      shown.insert((label.empty() ? "chat" : label) + " " + std::to_string(layer.size) +
                   (text != nullptr ? " " + text->show : ""));
    }
  }
  EXPECT_GT(sent.size(), 20U);
  EXPECT_TRUE(without(sent, shown).empty()) << some_of(without(sent, shown));
  EXPECT_TRUE(without(shown, sent).empty()) << some_of(without(shown, sent));
  EXPECT_EQ(count(capture, "godot.path_with_value == \"/name:Ada\"", {"-2"}), 4U);
  EXPECT_EQ(count(capture, "godot.vector3.y == 2.5", {"-2"}), 4U);
}

TEST_P(CustomDataChannels, InfoShowsLabelAndProtocol) {
  const fs::path capture = capture_named(GetParam());
  if (GetParam().ends_with("13") && !has_dtls_1_3) return expect_undecrypted(capture);
  const Rows rows = read_fields(capture, {"-2", "-Y", "godot.text == \"hello as text\""}, {"_ws.col.Info"});
  TextMultiset infos;
  for (const auto &row : rows) infos.insert(row[0]);
  const std::string agreed = R"(Text "hello as text" [Ordered ch 7])";
  const std::string opened = R"(Text "hello as text" [Unreliable ch 0 "state", protocol "moves"])";
  EXPECT_EQ(infos, (TextMultiset{agreed, agreed, opened, opened}));
}

INSTANTIATE_TEST_SUITE_P(all, CustomDataChannels, testing::Values("web_channels", "web_channels13"),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace godot_codec::test
