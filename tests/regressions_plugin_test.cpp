// SPDX-License-Identifier: GPL-2.0-or-later
// Former bugs, each in the smallest form in which it was found; and expert items without a tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// True if epan aborted the dissection.
bool is_ended_by_epan(const Item &frame) {
  return std::ranges::any_of(frame.children, [](const Item &protocol) {
    return protocol.name == "_ws.malformed" || protocol.name == "_ws.short";
  });
}

// ---- captures that stopped Wireshark

TEST(Regression, ShortDatagramAfterChecksummedOnesIsMalformed) {
  EXPECT_EQ(infos(data("short_datagram_after_checksum.pcap"), {}), (Texts{"Connect", "[malformed]"}));
}

TEST(Regression, EveryFrameWithChangedLengthsIsShown) {
  EXPECT_EQ(infos(data("mutated_lengths.pcap"), {"-2"}).size(), 117U);
}

TEST(Regression, ExtremeTimesCauseNoOverflow) {
  const fs::path capture = data("absurd_times.pcapng");
  const Texts expected = {"Connect", "Verify connect", "Compressed (13 bytes)", "Compressed (12 bytes)"};
  EXPECT_EQ(infos(capture, {}), expected);
  EXPECT_EQ(infos(capture, {"-2"}), expected);
}

// epan 4.0 counts the layers of a packet in 8 bits.
TEST(Regression, ManyMessagesInASegmentHaveSeparateSummaries) {
  const auto summaries = [](const Texts &passes) {
    const Rows rows =
        read_fields(data("many_messages_in_a_segment.pcap"), passes + Texts{"-Y", "godot_mp"}, {"godot_mp.summary"});
    return rows.size() == 1 ? split(rows[0][0], between_occurrences) : Texts{};
  };
  Texts expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back("Path " + std::to_string(i + 2) + " is Main/Node" + std::to_string(i));
  }
  EXPECT_EQ(summaries({}), expected);
  // The later messages identify the protocol of the first message.
  EXPECT_EQ(summaries({"-2"}), Texts{"You are peer 305419896"} + expected);
}

TEST(Regression, InfoColumnListsTheMessagesOfASegment) {
  const Texts found = infos(data("many_messages_in_a_segment.pcap"), {"-Y", "godot_mp"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("Path 2 is Main/Node0 | Path 3 is Main/Node1 | Path 4")) << found[0];
}

// TCP counts the bytes of a direction from the SYN that was dissected last. A second SYN therefore changes all earlier
// relative sequence numbers. Reassembled messages must stay in their frames.
TEST(Regression, SecondSynKeepsReassembledMessages) {
  TcpConversation tcp_without_syn({50001, 5055});
  tcp_without_syn.send(in_stream(dictionary({{string("cmd"), string("move")}})), 20);
  Pcap pcap = tcp_without_syn.pcap();
  ASSERT_EQ(pcap.frames.size(), 2U);
  constexpr std::uint32_t another_number = 3'000'000'000;
  pcap.frames.push_back(tcp({50001, 5055}, another_number, 1, tcp_syn | tcp_ack));
  const fs::path capture = saved(pcap);
  const Texts once = infos(capture, {"-Y", "godot"});
  const Texts twice = infos(capture, {"-2", "-Y", "godot"});
  EXPECT_EQ(once, Texts{"Dictionary(1) {cmd: \"move\"}"});
  EXPECT_EQ(twice, once);
}

// A preference configures the port for Variants, and a foreign datagram precedes the game. Nevertheless, the game is
// decoded as ENet.
TEST(Regression, EnetIsDetectedOnAPortConfiguredForVariants) {
  const Pcap game = pcap_of(fs::path(GODOT_CAPTURES_DIR) / "enet_none_godot4.6.pcapng");
  const fs::path with_beacon = scratch_folder() / "beacon.pcap";
  Pcap pcap = game;
  const std::string &first = game.frames.front();
  constexpr std::size_t headers = 14 + 20 + 8;
  std::string beacon = "{\"server\": \"Ada\"}";
  beacon.resize(first.size() - headers, ' ');
  pcap.frames.insert(pcap.frames.begin(), first.substr(0, headers) + beacon);
  pcap.save(with_beacon);
  const auto server =
      read_fields(fs::path(GODOT_CAPTURES_DIR) / "enet_none_godot4.6.pcapng", {"-Y", "enet"}, {"udp.dstport"});
  const Texts options = {"-o", "godot.udp.port:" + server.at(0).at(0), "-Y", "enet"};
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(read_fields(with_beacon, passes + options, {"frame.number"}).size(), game.frames.size());
  }
}

// A filter for an empty text must not match a text whose content was not captured.
TEST(Regression, TextTruncatedAtItsBeginningIsNotEmpty) {
  constexpr std::size_t headers = 20 + 8;
  const Pcap pcap = {.frames = {udp({50001, 5009}, array({integer(7), string("")})),
                                udp({50001, 5009}, array({integer(7), string("gone")}))}};
  constexpr std::size_t up_to_the_text = headers + 8 + 8 + 8;
  const Texts port = {"-o", "godot.udp.port:5009"};
  const Texts field = {"godot.path_with_value"};
  const auto both = [](const std::string &text) { return std::string("/0:7") + between_occurrences + "/1:" + text; };
  EXPECT_EQ(read_fields(saved(pcap), port, field), (Rows{{both("")}, {both("gone")}}));
  EXPECT_EQ(read_fields(saved(pcap, up_to_the_text), port, field), (Rows{{both("")}, {"/0:7"}}));
}

// A dissector for custom payloads must not write after ENet has closed the column.
TEST(Regression, InfoColumnEndsAfterTheTwelfthCommand) {
  const Texts found = infos(data("many_raw_messages.pcap"), {});
  ASSERT_EQ(found.size(), 6U);
  EXPECT_TRUE(found[4].ends_with(" [Reliable ch 0 #14], 4 more")) << found[4];
}

// ---- truncated by the capture

TEST(Regression, LengthCutBySnapLengthIsTruncated) {
  TcpConversation tcp({50001, 5005});
  tcp.shake_hands();
  tcp.send(in_stream(integer(7)));
  constexpr std::size_t headers = 40;
  for (const std::size_t size : {1, 2, 3}) {
    SCOPED_TRACE(size);
    const fs::path capture = saved(tcp.pcap(), headers + size);
    const Texts options = {"-o", "godot.tcp.port:5005"};
    EXPECT_EQ(infos(capture, options).back(), "[truncated]");
    const Item frame = read_details(capture, options).back();
    EXPECT_FALSE(is_ended_by_epan(frame));
    ASSERT_NE(frame.child("godot"), nullptr);
    ASSERT_NE(frame.child("godot")->child("godot.undecoded"), nullptr);
    EXPECT_EQ(frame.child("godot")->child("godot.undecoded")->bytes, std::string("080000").substr(0, 2 * size));
    EXPECT_EQ(find_all(frame, "godot.truncated").size(), 1U);
  }
}

TEST(Regression, CompressedDatagramWithoutDataIsMalformed) {
  for (const std::string &header : {std::string("\x40\0", 2), std::string("\xc0\0\x12\x34", 4)}) {
    const fs::path capture = saved({.frames = {udp({50001, 5020}, header)}});
    const Item frame = read_details(capture, {"-o", "enet.udp.port:5020"}).back();
    EXPECT_FALSE(is_ended_by_epan(frame));
    ASSERT_NE(frame.child("enet"), nullptr);
    EXPECT_EQ(frame.child("enet")->child_text("enet.payload_size"), "0");
    EXPECT_EQ(find_all(frame, "enet.malformed").size(), 1U);
    EXPECT_EQ(find_all(frame, "enet.compressed_bytes").size(), 0U);
  }
}

TEST(Regression, CompressedDatagramWithOnlyItsHeaderIsTruncated) {
  const std::string datagram = std::string("\xc0\0\x12\x34", 4) + std::string(90, 'a');
  constexpr std::size_t headers = 28;
  const fs::path capture = saved({.frames = {udp({50001, 5020}, datagram)}}, headers + 4);
  const Item frame = read_details(capture, {"-o", "enet.udp.port:5020"}).back();
  EXPECT_FALSE(is_ended_by_epan(frame));
  ASSERT_NE(frame.child("enet"), nullptr);
  EXPECT_EQ(frame.child("enet")->child_text("enet.payload_size"), "90");
  EXPECT_EQ(find_all(frame, "enet.truncated").size(), 1U);
}

// ---- without a tree

// Counts the plugin's expert items as tshark lists them.
std::map<std::string, int> reports(const fs::path &capture, const Texts &options) {
  std::map<std::string, int> counts;
  static const std::regex row(R"(\s*(\d+)\s+(\S+\s+(?:Godot|GodotMP|GodotDebug|ENet)\s.*\S)\s*)");
  for (const std::string &line : lines_of(tshark(capture, options + Texts{"-q", "-z", "expert"}))) {
    std::smatch match;
    if (std::regex_match(line, match, row)) counts[match[2]] += std::stoi(match[1]);
  }
  return counts;
}

TEST(Regression, ExpertItemsAreAddedWithoutATree) {
  std::size_t all = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    SCOPED_TRACE(entry.path().filename());
    // With a display filter, epan builds a tree.
    const std::map<std::string, int> with_tree = reports(entry.path(), {"-Y", "frame"});
    EXPECT_EQ(reports(entry.path(), {}), with_tree);
    all += with_tree.size();
  }
  EXPECT_GT(all, 20U);
}

TEST(Regression, ExpertItemsOfVariantsAreAddedWithoutATree) {
  // An array with trailing bytes.
  const std::string more = array({integer(7)}) + "abcd";
  const fs::path capture = saved({.frames = {udp({50001, 5005}, more)}});
  const std::map<std::string, int> found = reports(capture, {"-o", "godot.udp.port:5005"});
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found, reports(capture, {"-o", "godot.udp.port:5005", "-Y", "frame"}));
}

}  // namespace
}  // namespace godot_codec::test
