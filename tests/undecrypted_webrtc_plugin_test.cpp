// SPDX-License-Identifier: GPL-2.0-or-later
// WebRTC connections that cannot be decrypted: the first such packet of each connection gives the reason, and no other
// packet does.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "browser_log.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr bool has_dtls_1_3 = WIRESHARK_RELEASE >= 44;

// Expects frame number, and what the Info column and the expert item say.
void expect_undecrypted(const fs::path &capture, const Rows &frames_and_reasons, const std::string &what = "WebRTC") {
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Rows rows = read_fields(capture, passes + Texts{"-Y", "godot_webrtc.undecrypted"},
                                  {"frame.number", "_ws.col.Info", "_ws.expert.message"});
    ASSERT_EQ(rows.size(), frames_and_reasons.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string text = what + " cannot be decrypted, because " + frames_and_reasons[i][1];
      EXPECT_EQ(rows[i][0], frames_and_reasons[i][0]);
      EXPECT_TRUE(rows[i][1].ends_with(" [" + text + "]")) << rows[i][1];
      EXPECT_EQ(rows[i][2], text);
    }
  }
}

std::string no_keys_reason(const std::string &frame) {
  return "Wireshark has no keys for the handshake in frame " + frame;
}

std::string no_hello_reason(const std::string &frame) {
  return "the capture contains its handshake (frame " + frame + "), but not the ClientHello";
}

std::string no_fragment_reason(const std::string &frame) {
  return "the capture does not contain all fragments of the ClientHello in frame " + frame;
}

const std::string needs_wireshark_4_4 = "it uses DTLS 1.3 (since frame 71)";

// The subject in captures without a game's signalling.
const std::string unknown_webrtc_subject = "WebRTC, perhaps of a game,";

// The capture has two connections.
TEST(UndecryptedWebRtc, MissingKeysAreReportedOncePerConnection) {
  expect_undecrypted(without_keys(web_data("web_star.pcapng")),
                     {{"79", no_keys_reason("75")}, {"152", no_keys_reason("148")}});
}

// The handshake uses another pair of ports than the game.
TEST(UndecryptedWebRtc, ConnectionMovedByIceNamesTheFrameOfItsHandshake) {
  expect_undecrypted(without_keys(web_data("web_moved.pcapng")), {{"80", no_keys_reason("67")}});
}

TEST(UndecryptedWebRtc, MissingHandshakeIsReported) {
  const std::string reason = "the capture does not contain its handshake";
  // The connections are detected by ICE's continuing connectivity checks.
  expect_undecrypted(without_keys(web_data("web_nodes.pcapng"), 300), {{"376", reason}, {"377", reason}},
                     unknown_webrtc_subject);
}

TEST(UndecryptedWebRtc, Dtls13NamesTheWiresharkVersionThatDecryptsIt) {
  expect_undecrypted(without_keys(web_data("web_channels13.pcapng")),
                     {{"86", has_dtls_1_3 ? no_keys_reason("71") : needs_wireshark_4_4}});
}

// ---- missing frames of the handshake

fs::path without_frames(const std::string &name, const std::vector<std::size_t> &numbers) {
  Pcapng file = pcapng_of(web_data(name + ".pcapng"));
  for (auto each = numbers.rbegin(); each != numbers.rend(); ++each) {
    file.frames.erase(file.frames.begin() + static_cast<std::ptrdiff_t>(*each) - 1);
  }
  return file.save("lost_frames.pcapng");
}

// A capture, the removed frames in ascending order, and the frame that reports the problem.
struct LostFrames {
  std::string capture;
  std::vector<std::size_t> numbers;
  std::string reported_in;
  std::string reason;
};

TEST(UndecryptedWebRtc, MissingHelloIsReported) {
  const std::string no_answer = "the capture does not contain the ServerHello that answers frame ";
  const LostFrames each[] = {
      {"web_star", {75}, "78", no_hello_reason("75")},
      {"web_star", {76}, "78", no_answer + "75"},
      {"web_star", {148}, "151", no_hello_reason("148")},
      {"web_star", {149}, "151", no_answer + "148"},
      {"web_channels13", {73, 77}, "84", has_dtls_1_3 ? no_answer + "71" : needs_wireshark_4_4},
      {"web_channels13", {71, 72}, "84", no_hello_reason("71")},
  };
  for (const LostFrames &lost : each) {
    SCOPED_TRACE(lost.capture + " without " + std::to_string(lost.numbers.front()));
    expect_undecrypted(without_frames(lost.capture, lost.numbers), {{lost.reported_in, lost.reason}});
  }
}

TEST(UndecryptedWebRtc, MissingHelloFragmentIsReported) {
  for (const std::size_t part : {71U, 72U}) {
    expect_undecrypted(without_frames("web_channels13", {part}),
                       {{"85", has_dtls_1_3 ? no_fragment_reason("71") : needs_wireshark_4_4}});
  }
  expect_undecrypted(without_frames("web_moved", {68, 75}), {{"78", no_fragment_reason("67")}});
}

TEST(UndecryptedWebRtc, OutOfOrderHelloFragmentsAreReported) {
  // The second fragment is in frame 68. The first fragment is in frame 74, on another pair of ports.
  expect_undecrypted(without_frames("web_moved", {67}),
                     {{"79", "the fragments of the ClientHello in frame 67 arrived out of order"}});
}

// Each of these frames has the ChangeCipherSpec of one side. That side encrypts all later records.
TEST(UndecryptedWebRtc, MissingEndOfTheDtls12HandshakeIsReported) {
  const std::string reason = "the capture does not contain the end (ChangeCipherSpec) of the handshake in frame 75";
  expect_undecrypted(without_frames("web_star", {77}), {{"79", reason}});
  expect_undecrypted(without_frames("web_star", {78}), {{"78", reason}});
  expect_undecrypted(without_frames("web_star", {77, 78}), {{"77", reason}});
}

// A relay over TLS (turns:) is detected by its port and by the signalling of a game.
TEST(UndecryptedWebRtc, TlsToARelayNamesTheMissingHandshakeMessages) {
  const std::string relay = "TLS to a relay (turns:)";
  const LostFrames each[] = {
      {"web_turns", {41}, "65", no_hello_reason("42")},
      {"web_turns", {43}, "77", "the capture does not contain the ServerHello that answers frame 41"},
      {"web_turns", {41, 43}, "64", "the capture does not contain its handshake"},
      {"web_turns", {45, 65}, "100", "the capture does not contain all bytes before frame 67"},
  };
  for (const LostFrames &lost : each) {
    SCOPED_TRACE(lost.reported_in + lost.reason);
    expect_undecrypted(without_frames(lost.capture, lost.numbers), {{lost.reported_in, lost.reason}}, relay);
  }
  expect_undecrypted(without_keys(web_data("web_turns.pcapng")), {{"78", no_keys_reason("41")}}, relay);
}

// The capture lacks the first request to the relay, but has the response.
TEST(UndecryptedWebRtc, RelayIsDetectedByItsFirstAnswer) {
  const fs::path rest = without_frames("web_turns", {48});
  EXPECT_FALSE(read_fields(rest, {"-2", "-Y", "tls and stun"}, {"frame.number"}).empty());
  expect_undecrypted(rest, {{"74", no_hello_reason("69")}});
}

// A DTLS connection of OpenSSL; two ICE checks make it a WebRTC connection. The capture contains the keys.
TEST(UndecryptedWebRtc, UnsupportedCipherIsReported) {
  expect_undecrypted(web_data("dtls_chacha20.pcapng"),
                     {{"15", "it uses ChaCha20-Poly1305, which Wireshark cannot decrypt in DTLS"}},
                     unknown_webrtc_subject);
}

// ---- encrypted traffic that may or may not be a game's

std::string only_problem(const fs::path &capture) {
  const std::vector<TableRow> rows = problems_of(capture);
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0).at("Problem");
}

const std::string no_traffic_detected_and = "No Godot or ENet traffic was detected, and ";

// The content of a browser's encrypted traffic is unknown.
TEST(UndecryptedTraffic, TlsIsReportedIfNoGameIsDecoded) {
  EXPECT_EQ(
      only_problem(without_keys(web_data("web_http2.pcapng"))),
      no_traffic_detected_and + "the TLS traffic of frame 25 cannot be decrypted, because " + no_keys_reason("4"));
  EXPECT_EQ(
      only_problem(without_frames("web_http2", {4})),
      no_traffic_detected_and + "the TLS traffic of frame 16 cannot be decrypted, because " + no_hello_reason("4"));
  EXPECT_EQ(
      only_problem(without_frames("web_http2", {5})),
      no_traffic_detected_and +
          "the TLS traffic of frame 24 cannot be decrypted, because the capture does not contain the ServerHello that answers frame 4");
}

TEST(UndecryptedTraffic, DtlsIsReportedIfNoGameIsDecoded) {
  const fs::path variants = fs::path(GODOT_TESTS_DIR) / "data" / "dtls_variants.pcapng";
  EXPECT_EQ(
      only_problem(without_keys(variants)),
      no_traffic_detected_and + "the DTLS traffic of frame 7 cannot be decrypted, because " + no_keys_reason("1"));
}

}  // namespace
}  // namespace godot_codec::test
