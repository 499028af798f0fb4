// SPDX-License-Identifier: GPL-2.0-or-later
// Detections that are revoked; detection on ports of other protocols; and detection in captures that begin late.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "pcap.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t unclaimed_port = 50100;
constexpr std::uint16_t dns = 53;
constexpr std::uint16_t rx = 7000;

std::string vector2(float x, float y) { return u32(5) + f32(x) + f32(y); }

Texts frames(const fs::path &capture, const std::string &filter, const Texts &options = {}) {
  Texts found;
  for (const Texts &row : read_fields(capture, Texts{"-Y", filter} + options, {"frame.number"}))
    found.push_back(row[0]);
  return found;
}

Texts numbers(int first, int last) {
  Texts texts;
  for (int i = first; i <= last; ++i) texts.push_back(std::to_string(i));
  return texts;
}

// Returns a stream with three small Variants, enough for detection, and two foreign messages.
TcpConversation ambiguous_conversation() {
  TcpConversation conversation({50001, unclaimed_port});
  conversation.shake_hands();
  for (const float x : {1.0F, 2.0F, 3.0F}) conversation.send(in_stream(vector2(x, 4)));
  for (int i = 0; i < 2; ++i) conversation.send(in_stream("\xff none of Godot's"));
  return conversation;
}

TEST(RevokedDetection, StreamIsUnclaimedAfterAContradiction) {
  TcpConversation conversation = ambiguous_conversation();
  conversation.send(in_stream(vector2(5, 4)));
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(frames(path, "godot"), numbers(5, 8));
  EXPECT_EQ(frames(path, "godot", {"-2"}), numbers(4, 8));
}

// The same kind of stream, encrypted.
TEST(RevokedDetection, TlsStreamIsUnclaimedAfterAContradiction) {
  const fs::path path = fs::path(GODOT_TESTS_DIR) / "data" / "tls_taken_back.pcapng";
  EXPECT_EQ(frames(path, "godot"), (Texts{"13", "15", "16", "18"}));
  EXPECT_EQ(frames(path, "godot", {"-2"}), (Texts{"12", "13", "15", "16", "18"}));
}

TEST(RevokedDetection, StreamCanBeDetectedAgain) {
  TcpConversation conversation = ambiguous_conversation();
  for (int i = 0; i < 5; ++i) conversation.send(in_stream(vector2(static_cast<float>(i), 4)));
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(frames(path, "godot"), numbers(5, 8) + numbers(10, 13));
  EXPECT_EQ(frames(path, "godot", {"-2"}), numbers(4, 13));
  EXPECT_EQ(frames(path, "godot.type == \"Vector2\"", {"-2"}), numbers(4, 6) + numbers(9, 13));
}

TEST(RevokedDetection, StreamWithAStrongMessageIsNotRevoked) {
  TcpConversation conversation({50001, unclaimed_port});
  conversation.shake_hands();
  conversation.send(in_stream(dictionary({{string("cmd"), string("move")}, {string("id"), integer(3)}})));
  for (int i = 0; i < 6; ++i) conversation.send(in_stream("\xff none of Godot's"));
  const fs::path path = saved(conversation.pcap());
  EXPECT_EQ(frames(path, "godot"), numbers(4, 10));
  EXPECT_EQ(frames(path, "godot", {"-2"}), numbers(4, 10));
}

// Two small Variants alternate with two foreign datagrams. The second pass shows what the first pass shows, and also
// the datagrams before the deciding datagrams.
TEST(RevokedDetection, DatagramConversationIsUnclaimedAfterAContradiction) {
  Pcap pcap;
  const auto add = [&](const std::string &bytes) { pcap.frames.push_back(udp({50001, unclaimed_port}, bytes)); };
  for (const float x : {1.0F, 2.0F}) add(vector2(x, 4));
  for (int i = 0; i < 3; ++i) add("\xff none of Godot's");
  add(vector2(5, 4));
  EXPECT_EQ(frames(saved(pcap), "godot"), numbers(2, 4));
  EXPECT_EQ(frames(saved(pcap), "godot", {"-2"}), numbers(1, 4));
  for (int i = 0; i < 6; ++i) add(vector2(static_cast<float>(i), 4));
  EXPECT_EQ(frames(saved(pcap), "godot"), numbers(2, 4) + numbers(8, 12));
  EXPECT_EQ(frames(saved(pcap), "godot", {"-2"}), numbers(1, 12));
}

// A recorded match that a client joins late. One of eight datagrams is damaged; the other datagrams contain calls of a
// game.
TEST(RevokedDetection, DamagedDatagramsDoNotRevokeAGame) {
  const fs::path path = fs::path(GODOT_TESTS_DIR) / "data" / "damaged_pong.pcapng";
  EXPECT_EQ(frames(path, "enet"), numbers(2, 4) + numbers(9, 200));
  EXPECT_EQ(frames(path, "enet", {"-2"}), numbers(1, 200));
  EXPECT_EQ(frames(path, "godot_mp").size(), 150U);
  EXPECT_EQ(frames(path, "godot_mp", {"-2"}).size(), 153U);
}

// ---- ports that other protocols own

// DNS accepts the datagrams. RX rejects them, so the heuristic gets them; two datagrams are then enough.
TEST(DatagramsOnRegisteredPorts, WeakDatagramsCountOnlyIfTheDissectorRejects) {
  Pcap pcap;
  for (int i = 0; i < 20; ++i) pcap.frames.push_back(udp({50001, dns}, vector2(static_cast<float>(i), 4)));
  EXPECT_EQ(frames(saved(pcap), "godot", {"-2"}), Texts{});
  EXPECT_EQ(frames(saved(pcap), "dns", {"-2"}), numbers(1, 20));
  pcap.frames.clear();
  for (int i = 0; i < 10; ++i) pcap.frames.push_back(udp({50001, rx}, vector2(static_cast<float>(i), 4)));
  EXPECT_EQ(frames(saved(pcap), "godot.type == \"Vector2\""), numbers(2, 10));
  EXPECT_EQ(frames(saved(pcap), "godot.type == \"Vector2\"", {"-2"}), numbers(1, 10));
}

TEST(SegmentsOnRegisteredPorts, WebSocketHandshakeIsDissectedByHttp) {
  for (const std::uint16_t port : {22, 445, 3306, 6009, 9009}) {
    WebSocketConversation socket({50001, port});
    for (int i = 0; i < 4; ++i) socket.send(web_socket_binary, vector2(static_cast<float>(i), 4));
    const fs::path path = saved(socket.pcap());
    EXPECT_EQ(frames(path, "http"), numbers(4, 5)) << port;
    EXPECT_EQ(frames(path, "godot.type == \"Vector2\"", {"-2"}), numbers(6, 9)) << port;
  }
}

// ---- captures that begin late

// Returns six WebSocket messages without the handshake.
Pcap web_socket_without_handshake(std::uint16_t port) {
  WebSocketConversation socket({50001, port});
  for (int i = 0; i < 3; ++i) {
    socket.send(web_socket_binary, vector2(static_cast<float>(i), 4));
    socket.answer(web_socket_binary, string("It is now " + std::to_string(i)));
  }
  Pcap late = socket.pcap();
  late.frames.erase(late.frames.begin(), late.frames.begin() + 5);
  return late;
}

TEST(CaptureOfARunningGame, WebSocketIsDetectedByItsFrames) {
  const fs::path path = saved(web_socket_without_handshake(unclaimed_port));
  EXPECT_EQ(frames(path, "websocket && godot", {"-2"}), numbers(1, 6));
  EXPECT_EQ(frames(path, "godot.type == \"Vector2\"", {"-2"}), (Texts{"1", "3", "5"}));
  EXPECT_EQ(read_fields(path, {"-2", "-Y", "frame.number == 4"}, {"_ws.col.Info"}), (Rows{{"String \"It is now 1\""}}));
}

// TCP must have seen the stream first.
TEST(CaptureOfARunningGame, WebSocketIsDetectedOnRegisteredPorts) {
  const std::map<std::uint16_t, int> first_shown = {{22, 2}, {80, 2}, {445, 2}, {8080, 2}, {9009, 2}};
  for (const auto &[port, first] : first_shown) {
    const fs::path path = saved(web_socket_without_handshake(port));
    EXPECT_EQ(frames(path, "websocket && godot"), numbers(4, 6)) << port;
    EXPECT_EQ(frames(path, "websocket && godot", {"-2"}), numbers(first, 6)) << port;
  }
}

// TLS reads the server's first frame as the beginning of a long record. MySQL does the same with the first frame of
// each side.
TEST(CaptureOfARunningGame, ReassemblyOfTheRegisteredDissectorIsNotInterrupted) {
  EXPECT_EQ(frames(saved(web_socket_without_handshake(443)), "websocket && godot", {"-2"}), (Texts{"3", "5"}));
  EXPECT_EQ(frames(saved(web_socket_without_handshake(3306)), "websocket && godot", {"-2"}), Texts{});
}

// HTTP passes the stream on only if it has seen both the request and the response.
TEST(CaptureOfARunningGame, WebSocketIsDetectedWithoutTheRequestOrItsAnswer) {
  for (const std::uint16_t port : {unclaimed_port, std::uint16_t{8080}, std::uint16_t{3306}}) {
    for (const int missing : {3, 4}) {
      WebSocketConversation socket({50001, port});
      for (int i = 0; i < 3; ++i) {
        socket.send(web_socket_binary, vector2(static_cast<float>(i), 4));
        socket.answer(web_socket_binary, string("It is now " + std::to_string(i)));
      }
      Pcap pcap = socket.pcap();
      pcap.frames.erase(pcap.frames.begin() + missing);
      EXPECT_EQ(frames(saved(pcap), "websocket && godot", {"-2"}), numbers(5, 10)) << port << ", " << missing;
    }
  }
}

// A game from which every 20th frame is missing, including the request. After a gap, a segment may begin within a
// WebSocket frame.
TEST(CaptureOfARunningGame, MiddleOfAWebSocketFrameIsNotDecoded) {
  Pcap pcap = pcap_of(fs::path(GODOT_TESTS_DIR) / "data" / "ws_killed.pcapng");
  std::size_t number = 0;
  std::erase_if(pcap.frames, [&](const std::string &) { return ++number % 20 == 4; });
  const fs::path path = saved(pcap);
  // Wireshark 4.4 also shows the two earlier frames, because it needs only the response.
  EXPECT_EQ(frames(path, "godot_mp and frame.number > 13", {"-2"}).size(), 109U);
  EXPECT_EQ(frames(path, "godot_mp.summary matches \"malformed|unsupported|null\"", {"-2"}), Texts{});
}

TEST(CaptureOfARunningGame, ForeignWebSocketIsLeftAlone) {
  WebSocketConversation socket({50001, unclaimed_port});
  for (int i = 0; i < 20; ++i) {
    socket.send(web_socket_binary, "\x91\x92\x93 of another program's");
    socket.answer(web_socket_text, "{\"answer\": 1}");
  }
  Pcap late = socket.pcap();
  late.frames.erase(late.frames.begin(), late.frames.begin() + 5);
  EXPECT_EQ(frames(saved(late), "websocket or godot or godot_mp", {"-2"}), Texts{});
}

// ---- notes about detected games

// One engine calls a method by the list of another release: the checksum fails, and the report names the two releases.
TEST(EngineReleases, AreNamedIfTheChecksumOfMethodsFails) {
  const auto confirm = [](bool is_valid, const std::string &what) {
    return std::string("\2", 1) + static_cast<char>(is_valid ? 1 : 0) + what;
  };
  WebSocketConversation socket({50001, unclaimed_port}, web_socket_frame(web_socket_binary, u32(7654321)));
  socket.answer(web_socket_binary, simplify_path(1, "Main/World"));
  socket.send(web_socket_binary, confirm(true, u32(1)));
  socket.send(web_socket_binary, simplify_path(1, "Main/Player"));
  socket.answer(web_socket_binary, confirm(false, zero_terminated("Main/Player")));
  EXPECT_EQ(
      read_fields(saved(socket.pcap()), {"-2", "-Y", "godot_mp.checksum_failed"},
                  {"frame.number", "_ws.expert.message"}),
      (Rows{
          {"9",
           "The server reports that its RPC methods of Main/Player differ from those of peer 7654321; the sender is Godot 4.0 to 4.2, the receiver 4.3 to 4.6"}}));
}

// A Godot 3 PoolByteArray that contains three reals has the same bytes as a Color with red 1.7e-44. No game sends such
// a Color.
TEST(ImplausibleValues, ColorThatNoGameSendsIsReadAsAByteArray) {
  const std::string bytes = u32(20) + u32(12) + f32(1) + f32(1) + f32(1);
  Pcap pcap;
  for (int i = 0; i < 5; ++i) pcap.frames.push_back(udp({50001, unclaimed_port}, bytes));
  const fs::path path = saved(pcap);
  EXPECT_EQ(frames(path, "godot", {"-2"}), Texts{});
  const Texts row = {"PoolByteArray(12) [0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63] [guessed]"};
  const Texts configured = {"-2", "-o", "godot.udp.port:50100"};
  EXPECT_EQ(read_fields(path, configured, {"_ws.col.Info"}), Rows(5, row));
}

}  // namespace
}  // namespace godot_codec::test
