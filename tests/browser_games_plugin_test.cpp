// SPDX-License-Identifier: GPL-2.0-or-later
// Browser games over WebRTC and WebSocket, with keys in the capture and default preferences
// (captures/record_browser.sh): every message that a peer received is shown once, with its sender, receiver, node and
// values.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "browser_log.h"
#include "pcapng.h"
#include "tables.h"
#include "text_multiset.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

const Texts with_names = {"-2", "-o", std::string("godot_mp.project:") + GODOT_CAPTURES_DIR + "/projects/web"};

std::string joined(const std::vector<std::string> &texts) {
  std::string text;
  for (const std::string &each : texts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// Returns the property that a synchronizer of the project sends.
std::string sent_property(const std::string &kind, const std::string &node) {
  if (node == "Main/Clock") return kind == "sync" ? "seconds" : "phase";
  return kind == "sync" ? "position" : "hp";
}

// Returns the messages that the receivers logged: `20002>1 sync Main/Players/20002:position=(1, 2.5)`.
TextMultiset logged_messages(const std::string &name) {
  TextMultiset messages;
  for (const LoggedEvent &logged : read_logged_events(name)) {
    if (!logged.contains("from")) continue;
    const std::string route = logged.at("from") + ">" + logged.at("me") + " ";
    if (logged.contains("arguments")) {
      const std::string arguments = joined(values_of(hex(logged.at("arguments"))));
      messages.insert(route + "RPC Main/World." + logged.at("got") + "(" + arguments + ")");
    }
    if (logged.contains("bytes")) messages.insert(route + "bytes " + logged.at("bytes"));
    for (const std::string kind : {"spawned", "despawned"}) {
      if (logged.contains(kind)) messages.insert(route + kind + " " + logged.at(kind));
    }
    for (const std::string kind : {"sync", "delta"}) {
      if (!logged.contains(kind)) continue;
      const std::string node = logged.at(kind);
      messages.insert(route + kind + " " + node + ":" + sent_property(kind, node) + "=" +
                      joined(values_of(hex(logged.at("values")))));
    }
  }
  return messages;
}

void add_properties(const Item &layer, const std::string &beginning, TextMultiset &messages) {
  const std::vector<std::string> paths = find_all(layer, "godot_mp.property_full_path");
  const std::vector<std::string> values = find_all(layer, "godot.value");
  ASSERT_EQ(paths.size(), values.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string &value = values[i];
    messages.insert(beginning + paths[i] + "=" + (value.starts_with("Vector2") ? value.substr(7) : value));
  }
}

// Returns values that arrived in the same game frame as the despawn of their node. The receiver could not log these
// values.
TextMultiset unlogged_messages(const std::string &name) {
  return name == "web_turn" || name == "web_turn_log" ? TextMultiset{"1>20002 sync Main/Players/1:position=(25, 14.5)"}
                                                      : TextMultiset{};
}

// A relayed message is also shown on its way to the server. Only the message that reaches its receiver counts.
void add_message(const Item &layer, TextMultiset &messages) {
  std::string summary = layer.child_text("godot_mp.summary");
  if (summary.starts_with("To ")) return;
  if (summary.starts_with("From ")) summary = summary.substr(summary.find(": ") + 2);
  const std::string route = layer.child_text("godot_mp.sender") + ">" + layer.child_text("godot_mp.receiver") + " ";
  const std::string kind = find_all(layer, "godot_mp.command").back();
  if (kind == "rpc") messages.insert(route + summary);
  if (kind == "sync" || kind == "delta") add_properties(layer, route + kind + " ", messages);
  if (kind == "spawn" || kind == "despawn") {
    messages.insert(route + kind + "ed Main/Players/" + find_all(layer, "godot_mp.node").front());
  }
  for (std::string bytes : find_all(layer, "godot_mp.data")) {
    std::erase(bytes, ':');
    if (kind == "raw") messages.insert(route + "bytes " + bytes);
  }
}

TextMultiset shown_messages(const std::filesystem::path &capture, const Texts &options = {}) {
  TextMultiset messages;
  for (const Item &frame : read_details(capture, with_names + Texts{"-Y", "godot_mp"} + options)) {
    // Wireshark's own heuristic for DTLS in STUN adds its items inside the STUN tree.
    walk(frame, [&](const Item &item) {
      if (item.name != "godot_mp") return true;
      add_message(item, messages);
      return false;
    });
  }
  return messages;
}

// A capture, and the number of messages that its peers logged.
struct WebGame {
  std::string name;
  std::size_t count;
};

class EveryWebGame : public testing::TestWithParam<WebGame> {};

TEST_P(EveryWebGame, DecodedMessagesMatchTheGamesLog) {
  const TextMultiset logged = logged_messages(GetParam().name);
  const TextMultiset shown = shown_messages(web_data(GetParam().name + ".pcapng"));
  EXPECT_EQ(logged.size(), GetParam().count);
  EXPECT_TRUE(without(logged, shown).empty()) << some_of(without(logged, shown));
  EXPECT_EQ(without(shown, logged), unlogged_messages(GetParam().name)) << some_of(without(shown, logged));
}

INSTANTIATE_TEST_SUITE_P(all, EveryWebGame,
                         testing::Values(WebGame{"web_star", 72}, WebGame{"web_moved", 24}, WebGame{"web_mesh", 269},
                                         WebGame{"web_nodes", 274}, WebGame{"web_log", 266}, WebGame{"web_turn", 105},
                                         WebGame{"web_turn_tcp", 115}, WebGame{"web_turns", 118},
                                         WebGame{"web_turn_log", 95}, WebGame{"web_deflate", 72}),
                         [](const auto &info) { return info.param.name; });

// ---- over a TURN relay

// Capture points. The value is the UDP port of the client, of the server, or between the two relays.
enum CapturePoint : std::uint16_t { at_client = 47219, at_server = 38582, at_relay = 20088 };

// Reads the IP protocol of a frame: Ethernet, then an IPv4 header without options.
bool is_tcp(const PcapngFrame &frame) { return frame.bytes.at(23) == 6; }

bool is_at_capture_point(const PcapngFrame &frame, const std::vector<CapturePoint> &views) {
  return std::ranges::any_of(views, [&](CapturePoint view) {
    const std::string port = big_endian(static_cast<std::uint16_t>(view));
    return frame.bytes.substr(34, 2) == port || frame.bytes.substr(36, 2) == port;
  });
}

// Returns the capture reduced to the signalling and some of the three capture points.
Pcapng capture_at_points(const std::vector<CapturePoint> &views) {
  Pcapng file = pcapng_of(web_data("web_turn.pcapng"));
  std::erase_if(file.frames,
                [&](const PcapngFrame &frame) { return !is_tcp(frame) && !is_at_capture_point(frame, views); });
  return file;
}

class EveryTurnCapture : public testing::TestWithParam<std::vector<CapturePoint>> {};

TEST_P(EveryTurnCapture, EachRelayedMessageIsShownOnce) {
  const std::filesystem::path capture = capture_at_points(GetParam()).save("views.pcapng");
  const TextMultiset logged = logged_messages("web_turn");
  // The result must not depend on whether Wireshark's own heuristic is enabled.
  for (const Texts &options : {Texts{}, Texts{"--enable-heuristic", "dtls_stun"}}) {
    const TextMultiset shown = shown_messages(capture, options);
    EXPECT_TRUE(without(logged, shown).empty()) << some_of(without(logged, shown));
    EXPECT_EQ(without(shown, logged), unlogged_messages("web_turn")) << some_of(without(shown, logged));
    const std::string accused = "godot_mp.unconfirmed_path or godot_mp.unannounced_path or godot_mp.unknown_node";
    EXPECT_EQ(read_fields(capture, with_names + options + Texts{"-Y", accused}, {"frame.number"}), Rows{});
  }
}

INSTANTIATE_TEST_SUITE_P(all, EveryTurnCapture,
                         testing::Values(std::vector{at_client}, std::vector{at_server}, std::vector{at_relay},
                                         std::vector{at_client, at_server}, std::vector{at_server, at_relay}));

// In a relay's indications, STUN has the peer's address after the data.
TEST(TurnRelayedMessage, InfoOmitsTheStunAddress) {
  const std::filesystem::path capture = capture_at_points({at_client}).save("view.pcapng");
  const Rows rows = read_fields(capture, with_names + Texts{"-Y", "godot_mp.rpc.method and udp.dstport == 47219"},
                                {"_ws.col.Info", "godot_mp.summary"});
  ASSERT_FALSE(rows.empty());
  for (const Texts &row : rows) EXPECT_TRUE(row[0].starts_with(row[1] + " [") && row[0].ends_with("]")) << row[0];
}

// Returns an ICMP frame that reports a closed port and quotes the whole frame.
std::string icmp_quote_of(const std::string &frame) {
  const std::string ip = frame.substr(14);
  const std::string head = ip.substr(0, 2) + big_endian(static_cast<std::uint16_t>(28 + ip.size())) + ip.substr(4, 5);
  return frame.substr(0, 14) + head + '\1' + std::string(2, '\0') + ip.substr(16, 4) + ip.substr(12, 4) +
         std::string("\3\3\0\0\0\0\0\0", 8) + ip;
}

TEST(IcmpQuoteOfATurnPacket, IsNotDecoded) {
  Pcapng file = capture_at_points({at_client});
  const std::size_t messages = shown_messages(file.save("view.pcapng")).size();
  const std::vector<PcapngFrame> frames = std::exchange(file.frames, {});
  for (const PcapngFrame &frame : frames) {
    file.frames.push_back(frame);
    if (is_tcp(frame)) continue;
    file.frames.push_back(frame);
    file.frames.back().set(icmp_quote_of(frame.bytes));
  }
  const std::filesystem::path quoted = file.save("quoted.pcapng");
  for (const Texts &options : {Texts{}, Texts{"--enable-heuristic", "dtls_stun"}}) {
    EXPECT_EQ(shown_messages(quoted, options).size(), messages);
    EXPECT_EQ(read_fields(quoted, with_names + options + Texts{"-Y", "icmp and (godot_mp or sctp)"}, {"frame.number"}),
              Rows{});
  }
}

// ---- WebSockets over HTTP/2

// The capture has two WebSocket connections. The game's connection is compressed.
const std::string http2_game = "web_http2";

constexpr bool has_websocket_over_http2 = WIRESHARK_RELEASE >= 46;

TEST(Http2, WebSocketIsReportedIfWiresharkCannotDecodeIt) {
  const std::string begin = "This Wireshark does not decode WebSocket over HTTP/2";
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Rows rows = read_fields(web_data(http2_game + ".pcapng"), passes + Texts{"-Y", "godot_websocket.undecrypted"},
                                  {"frame.number", "_ws.expert.message"});
    if (has_websocket_over_http2) {
      EXPECT_EQ(rows, Rows{});
      continue;
    }
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ((Texts{rows[0][0], rows[1][0]}), (Texts{"45", "46"}));
    EXPECT_TRUE(rows[0][1].starts_with(begin)) << rows[0][1];
  }
}

// Wireshark 4.6 and later decode HTTP/2 WebSockets. They do not reassemble WebSocket frames that span two DATA frames,
// and the server's frames do so after the proxy.
TEST(Http2, EveryClientCallIsDecoded) {
  const auto calls_of_client = [](const TextMultiset &messages) {
    TextMultiset calls;
    for (const std::string &message : messages) {
      if (message.find(">1 RPC ") != std::string::npos) calls.insert(message);
    }
    return calls;
  };
  const TextMultiset logged = logged_messages(http2_game);
  const TextMultiset shown = shown_messages(web_data(http2_game + ".pcapng"));
  EXPECT_EQ(calls_of_client(logged).size(), 12U);
  EXPECT_EQ(calls_of_client(shown), has_websocket_over_http2 ? calls_of_client(logged) : TextMultiset{});
  // Fragments of the server's frames are no messages.
  EXPECT_TRUE(without(shown, logged).empty()) << some_of(without(shown, logged));
  EXPECT_EQ(read_fields(web_data(http2_game + ".pcapng"),
                        {"-2", "-Y", "godot.problem and not godot_websocket.undecrypted"}, {"frame.number"}),
            Rows{});
  // Compressed bytes are not claimed.
  EXPECT_EQ(
      read_fields(web_data(http2_game + ".pcapng"), {"-Y", "http2.streamid == 13 and godot_mp"}, {"frame.number"}),
      Rows{});
}

// ---- compressed WebSockets

// Both directions are compressed, and the client's messages are masked as well.
TEST(DeflatedWebSocket, TextAndBinaryAreDistinguished) {
  TextMultiset logged;
  for (const LoggedEvent &each : read_logged_events("web_deflate")) {
    if (!each.contains("bytes")) continue;
    const std::string size = std::to_string(each.at("bytes").size() / 2);
    logged.insert(each.at("is_text") == "true" ? "text" : size + " bytes");
  }
  TextMultiset shown;
  const Texts options = {"-2", "-Y", "websocket.opcode in {1, 2} and not godot_mp"};
  for (const Item &frame : read_details(web_data("web_deflate.pcapng"), options)) {
    std::string kind;
    for (const Item &layer : frame.children) {
      if (layer.name == "websocket" && find_all(layer, "websocket.opcode").front() == "1") kind = "text";
      if (layer.name == "godot") kind += std::to_string(layer.size) + " bytes";
    }
    shown.insert(kind);
  }
  EXPECT_EQ(logged.size(), 36U);
  EXPECT_EQ(shown, logged) << some_of(without(shown, logged));
}

// Compressed messages refer to earlier messages. If the capture lacks some of the earlier messages, decompression
// yields wrong bytes.
TEST(DeflatedWebSocket, MessagesThatNeedLostFramesAreReportedNotShown) {
  const TextMultiset logged = logged_messages("web_deflate");
  for (const std::size_t first : {9U, 10U, 14U, 18U, 23U, 45U}) {
    Pcapng file = pcapng_of(web_data("web_deflate.pcapng"));
    std::size_t number = 0;
    std::erase_if(file.frames, [&](const PcapngFrame &) { return ++number % 50 == first; });
    const std::filesystem::path rest = file.save("rest.pcapng");
    const TextMultiset shown = shown_messages(rest, {"-2"});
    EXPECT_FALSE(shown.empty());
    EXPECT_TRUE(without(shown, logged).empty()) << first << ": " << some_of(without(shown, logged));
    for (const TableRow &row : read_table(rest, "godot,problems", {"-2"})) {
      EXPECT_TRUE(row.at("Problem").starts_with("WebSocket messages from frame ")) << first;
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
