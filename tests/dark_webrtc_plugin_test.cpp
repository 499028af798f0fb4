// SPDX-License-Identifier: GPL-2.0-or-later
// Connections of WebRTC that cannot be read: the first such packet of each says why, and nothing else does.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "browser_told.h"
#include "pcapng.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr bool has_dtls_1_3 = WIRESHARK_RELEASE >= 44;

// Frame, what the Info column ends with, the expert item.
void expect_dark(const fs::path &capture, const Rows &frames_and_reasons) {
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Rows rows = read_fields(capture, passes + Texts{"-Y", "godot_webrtc.unread"},
                                  {"frame.number", "_ws.col.Info", "_ws.expert.message"});
    ASSERT_EQ(rows.size(), frames_and_reasons.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string &reason = frames_and_reasons[i][1];
      EXPECT_EQ(rows[i][0], frames_and_reasons[i][0]);
      EXPECT_TRUE(rows[i][1].ends_with(" [WebRTC, not readable: " + reason + "]")) << rows[i][1];
      EXPECT_EQ(rows[i][2], "This WebRTC connection is not readable: " + reason);
    }
  }
}

std::string lacks_keys(const std::string &frame) {
  return "no keys for the handshake in frame " + frame +
         ": Firefox writes them to SSLKEYLOGFILE, Chromium writes none, but a log of its SCTP packets";
}

// Two connections.
TEST(DarkWebRtcTest, KeysThatAreMissingAreNamedOnceAConnection) {
  expect_dark(without_keys(web_data("web_star.pcapng")), {{"79", lacks_keys("75")}, {"152", lacks_keys("148")}});
}

// The handshake is on another pair of ports than the game.
TEST(DarkWebRtcTest, AConnectionThatIceMovedNamesItsHandshake) {
  expect_dark(without_keys(web_data("web_moved.pcapng")), {{"80", lacks_keys("67")}});
}

TEST(DarkWebRtcTest, AHandshakeThatIsNotInTheCaptureIsNamed) {
  const std::string reason = "the handshake of DTLS is not in the capture: begin to record before the game connects";
  // Known are the connections by the checks that ICE goes on with.
  expect_dark(without_keys(web_data("web_nodes.pcapng"), 300), {{"376", reason}, {"377", reason}});
}

TEST(DarkWebRtcTest, Dtls13NamesTheWiresharkThatReadsIt) {
  const std::string reason = has_dtls_1_3
                                 ? lacks_keys("71")
                                 : "DTLS 1.3 (since frame 71), which Wireshark 4.0 does not decrypt; 4.4 does, with "
                                   "the keys";
  expect_dark(without_keys(web_data("web_channels13.pcapng")), {{"86", reason}});
}

// OpenSSL's, of which two checks of ICE make a connection of WebRTC; the keys are in it.
TEST(DarkWebRtcTest, ACipherThatWiresharkDoesNotKnowIsNamed) {
  expect_dark(web_data("dtls_chacha20.pcapng"),
              {{"15", "encrypted with ChaCha20-Poly1305, which Wireshark does not decrypt in DTLS"}});
}

}  // namespace
}  // namespace godot_codec::test
