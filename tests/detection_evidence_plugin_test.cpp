// SPDX-License-Identifier: GPL-2.0-or-later
// Captures that once misled the detection: two games on one port, alternating values, foreign datagrams, and the
// debugger of another engine release. Handmade captures are marked as such.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// A Godot 3 game is followed by a Godot 4 game on the same port.
TEST(DetectionEvidence, TwoGenerationsOnOnePortAreDecodedSeparately) {
  constexpr std::ptrdiff_t first_of_second = 98;
  const fs::path both = data("two_generations_one_port.pcap");
  const Pcap pcap = pcap_of(both);
  ASSERT_EQ(pcap.frames.size(), 398U);
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    Texts alone;
    for (const bool is_second : {false, true}) {
      Pcap one;
      one.linktype = pcap.linktype;
      const auto middle = pcap.frames.begin() + first_of_second;
      one.frames.assign(is_second ? middle : pcap.frames.begin(), is_second ? pcap.frames.end() : middle);
      for (const std::string &info : infos(saved(one), passes)) alone.push_back(info);
    }
    Texts found = infos(both, passes);
    ASSERT_EQ(found.size(), alone.size());
    // Handmade frames have other times and round-trip times than the game, so they are removed. The receiver is shown
    // if the server has had two clients, and both games have the same server.
    const auto without_times = [](std::string text) {
      text = std::regex_replace(text, std::regex("To [0-9]+: "), "");
      for (std::size_t at = text.find(" ms)"); at != std::string::npos; at = text.find(" ms)")) {
        text.erase(text.rfind(" (", at), at + 4 - text.rfind(" (", at));
      }
      return text;
    };
    Texts others;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (without_times(found[i]) != without_times(alone[i])) others.push_back(std::to_string(i + 1));
    }
    // In one pass, the plugin assumes the server's earlier game until a message contradicts it. Here, the first message
    // does.
    EXPECT_EQ(others, passes.empty() ? Texts{"101"} : Texts{});
  }
  EXPECT_EQ(count(both, "godot_mp", {"-2"}), 333U);
}

// The game calls put_var(position), put_var(rotation) and so on, 400 times. The length is sent in its own segment.
TEST(DetectionEvidence, AlternatingValuesAreDetected) {
  const fs::path capture = data("alternating_values_tcp.pcapng");
  EXPECT_EQ(count(capture, "godot"), 398U);
  EXPECT_EQ(count(capture, "godot", {"-2"}), 400U);
  EXPECT_EQ(count(capture, "godot.dialect.guessed == 1 or godot.malformed", {"-2"}), 0U);
  const Rows rows = read_fields(capture, {"-2", "-Y", "godot"}, {"frame.number", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 400U);
  EXPECT_EQ(rows[0], (Texts{"6", "Vector3 (101.5, 49.3, 2.2)"}));
  EXPECT_EQ(rows[1], (Texts{"10", "Quaternion (0.1, 0.2, 0.3, 0.9)"}));
}

// The game sends clock values with put_var().
TEST(DetectionEvidence, IntsThatNeed64BitsAreDetected) {
  Pcap over_udp;
  TcpConversation over_tcp({50001, 50100});
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::string clock = u32(0x10002) + u64(5'000'000'000 + i);
    over_udp.frames.push_back(udp({50001, 50100}, clock));
    over_tcp.send(in_stream(clock));
  }
  for (const fs::path &capture : {saved(over_udp), saved(over_tcp.pcap())}) {
    EXPECT_EQ(count(capture, "godot.type == \"int\""), 29U);
    EXPECT_EQ(count(capture, "godot.type == \"int\"", {"-2"}), 30U);
  }
}

// StreamPeerTCP.put_var() of 4.6.3 sends the length in one segment and the Variant in another. Wireshark's LBMSRS takes
// a negative int for the beginning of a message of 32 MiB, and TCP offers no segment to other dissectors until that
// message is complete.
TEST(DetectionEvidence, PendingReassemblyOfAnotherDissectorIsNotInterrupted) {
  TcpConversation client({50001, 50100});
  client.shake_hands();
  for (int i = 1; i <= 30; ++i) {
    client.send(u32(8));
    client.send(integer(-i));
  }
  const fs::path capture = saved(client.pcap());
  EXPECT_EQ(count(capture, "godot"), 0U);
  EXPECT_EQ(count(capture, "godot", {"-2"}), 0U);
}

// A packet of five bytes follows each Dictionary.
TEST(DetectionEvidence, DictionariesAmongCustomPayloadsAreDetected) {
  Pcap pcap;
  for (int i = 0; i < 30; i += 2) {
    pcap.frames.push_back(udp({50001, 50100}, dictionary({{string("id"), integer(i)}})));
    pcap.frames.push_back(udp({50001, 50100}, hex("01") + std::string(1, static_cast<char>(i)) + hex("030405")));
  }
  const fs::path capture = saved(pcap);
  EXPECT_EQ(count(capture, "godot.type == \"Dictionary\""), 14U);
  EXPECT_EQ(count(capture, "godot.type == \"Dictionary\"", {"-2"}), 15U);
  EXPECT_EQ(count(capture, "godot", {"-2"}), 30U);
}

// A recorded game of 4.1.1 with its debugger.
TEST(DetectionEvidence, DebuggerOfGodot41IsDecodedAndNamed) {
  const fs::path capture = data("debug_godot4.1.pcapng");
  EXPECT_EQ(count(capture, "godot_debug", {"-2"}), 207U);
  EXPECT_EQ(count(capture, "godot_debug.malformed or godot_debug.unsupported or godot_debug.undecoded or data"), 0U);
  EXPECT_EQ(count(capture, "godot_debug and not godot.release == \"4.0 or 4.1\"", {"-2"}), 0U);
}

}  // namespace
}  // namespace godot_codec::test
