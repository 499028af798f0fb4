// SPDX-License-Identifier: GPL-2.0-or-later
// ENet commands in tshark, in handmade datagrams.
#include <gtest/gtest.h>

#include <algorithm>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {
namespace {

// --- Commands --------------------------------------------------------------------------------------------------

using FieldValues = std::vector<std::pair<std::string, std::int64_t>>;

struct CommandCase {
  const char *name;
  std::string bytes;
  FieldValues values;  // after the command header
};

std::vector<CommandCase> command_cases() {
  const std::string settings = be16(0x102) + u8(3) + u8(4) + be32(0x570) + be32(0x10002) + be32(0xfe) +
                               be32(0x01020304) + be32(0x05060708) + be32(5001) + be32(6) + be32(7) + be32(0x80000001);
  const FieldValues values = {{"enet.connect.outgoing_peer_id", 0x102},
                              {"enet.connect.incoming_session", 3},
                              {"enet.connect.outgoing_session", 4},
                              {"enet.connect.mtu", 0x570},
                              {"enet.connect.window_size", 0x10002},
                              {"enet.connect.channel_count", 0xfe},
                              {"enet.connect.incoming_bandwidth", 0x01020304},
                              {"enet.connect.outgoing_bandwidth", 0x05060708},
                              {"enet.connect.throttle_interval", 5001},
                              {"enet.connect.throttle_acceleration", 6},
                              {"enet.connect.throttle_deceleration", 7},
                              {"enet.connect.connect_id", 0x80000001}};
  FieldValues with_data = values;
  with_data.emplace_back("enet.connect.data", 0xfffefdfc);
  return {
      {"acknowledge",
       command(1, 5, 0x1234, be16(0x1234) + be16(0xabcd)),
       {{"enet.ack.seq", 0x1234}, {"enet.ack.sent_time", 0xabcd}}},
      {"connect", command(0x82, 0xff, 1, settings + be32(0xfffefdfc)), with_data},
      {"verify connect", command(0x83, 0xff, 2, settings), values},
      {"disconnect", command(0x44, 0xff, 3, be32(0xcafe0001)), {{"enet.disconnect.data", 0xcafe0001}}},
      {"ping", command(0x85, 0xff, 65535), {}},
      {"send reliable", command(0x86, 1, 9, be16(5) + "\x81\x82\x83\x84\x85"), {{"enet.data_length", 5}}},
      {"send unreliable",
       command(0x07, 2, 9, be16(0xfff0) + be16(2) + "\x91\x92"),
       {{"enet.unreliable_seq", 0xfff0}, {"enet.data_length", 2}}},
      {"send fragment",
       command(0x88, 3, 21, be16(20) + be16(3) + be32(7) + be32(1) + be32(21) + be32(3) + "\xa1\xa2\xa3"),
       {{"enet.fragment.start_seq", 20},
        {"enet.data_length", 3},
        {"enet.fragment.fragment_count", 7},
        {"enet.fragment.number", 1},
        {"enet.fragment.total_length", 21},
        {"enet.fragment.offset", 3}}},
      {"send unsequenced",
       command(0x49, 4, 0, be16(0x8001) + be16(1) + "\xb1"),
       {{"enet.unsequenced_group", 0x8001}, {"enet.data_length", 1}}},
      {"bandwidth limit",
       command(0x8a, 0xff, 4, be32(0x0a000001) + be32(0x0b000002)),
       {{"enet.bandwidth.incoming", 0x0a000001}, {"enet.bandwidth.outgoing", 0x0b000002}}},
      {"throttle configure",
       command(0x8b, 0xff, 5, be32(4000) + be32(3) + be32(0x7fffffff)),
       {{"enet.throttle.interval", 4000},
        {"enet.throttle.acceleration", 3},
        {"enet.throttle.deceleration", 0x7fffffff}}},
      {"send unreliable fragment",
       command(0x0c, 5, 6, be16(0xffff) + be16(2) + be32(9) + be32(8) + be32(18) + be32(16) + "\xc1\xc2"),
       {{"enet.fragment.start_seq", 0xffff},
        {"enet.data_length", 2},
        {"enet.fragment.fragment_count", 9},
        {"enet.fragment.number", 8},
        {"enet.fragment.total_length", 18},
        {"enet.fragment.offset", 16}}},
  };
}

FieldValues values_of(const Item &part) {
  FieldValues values;
  for (const Item *field : fields_with_bytes(part)) {
    if (field->name == "enet.data") continue;
    values.emplace_back(field->name, is_true(field->show) ? 1 : field->show == "False" ? 0 : number(field->show));
  }
  return values;
}

TEST(EnetCommands, ShowEveryField) {
  const std::vector<CommandCase> cases = command_cases();
  std::string all;
  for (const CommandCase &each : cases) all += each.bytes;
  Exchange exchange(false);
  exchange.client(be16(0xb123) + be16(0xfedc) + all);  // session 3, a sent time
  for (const CommandCase &each : cases) exchange.client(be16(0x1fff) + each.bytes);
  const std::vector<Item> frames = exchange.details();
  ASSERT_EQ(frames.size(), cases.size() + 1);
  const Item &enet = enet_of(frames[0]);
  EXPECT_EQ(child_number(enet, "enet.peer_id"), 0x123);
  EXPECT_EQ(child_number(enet, "enet.session"), 3);
  EXPECT_EQ(child_number(enet, "enet.sent_time"), 0xfedc);
  EXPECT_FALSE(is_true(enet.child_text("enet.compressed")));
  EXPECT_EQ(enet_of(frames[1]).child("enet.sent_time"), nullptr);
  EXPECT_EQ(child_number(enet_of(frames[1]), "enet.session"), 1);
  EXPECT_EQ(child_number(enet_of(frames[1]), "enet.peer_id"), 0xfff);
  const std::vector<Command> together = commands_of(enet);
  ASSERT_EQ(together.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<Command> alone = commands_of(enet_of(frames[i + 1]));
    ASSERT_EQ(alone.size(), 1U) << cases[i].name;
    const auto byte = [&cases, i](std::size_t at) { return static_cast<unsigned char>(cases[i].bytes[at]); };
    FieldValues expected = {{"enet.flags.acknowledge", byte(0) >> 7},
                            {"enet.flags.unsequenced", byte(0) >> 6 & 1},
                            {"enet.command", byte(0) & 15},
                            {"enet.channel", byte(1)},
                            {"enet.reliable_seq", byte(2) << 8 | byte(3)}};
    expected.insert(expected.end(), cases[i].values.begin(), cases[i].values.end());
    for (const Command &each : {together[i], alone[0]}) {
      EXPECT_EQ(values_of(*each.part), expected) << cases[i].name;
      EXPECT_NE(each.part->child("enet.command")->label.find(cases[i].name), std::string::npos) << each.label();
      EXPECT_EQ(each.part->size, cases[i].bytes.size());
    }
  }
  constexpr std::size_t payload = 28;
  expect_commands_tiled(enet, payload + 4, payload + 4 + all.size());
  EXPECT_EQ(passed_texts(frames[0]), (Texts{"\x81\x82\x83\x84\x85", "\x91\x92", "\xb1"}));
  EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
}

TEST(EnetCommands, InfoColumnListsTheCommands) {
  Exchange exchange;
  exchange.server(datagram(command(0x86, 0, 2, be16(4) + unclaimed_bytes(4)), 777));
  exchange.client(datagram(reliable(0, 3, unclaimed_bytes(49)) + ack(0, 2, 777), 778));
  const std::vector<Texts> rows = read_fields(exchange.save(), ports, {"_ws.col.Protocol", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[4], (Texts{"ENet", "Reliable ch 0 #3 (49 bytes), Ack #2 (1.0 ms)"}));
}

TEST(EnetCommands, CommandsBeforeACommandPastTheEndAreShown) {
  const std::string good = reliable(0, 3, unclaimed_bytes(5)) + ping_command(4);
  Exchange exchange;
  std::vector<std::pair<std::string, std::size_t>> cuts;
  for (const CommandCase &each : command_cases()) {
    for (std::size_t size = 1; size < each.bytes.size(); ++size) {
      cuts.emplace_back(each.name, size);
      exchange.client(datagram(good + each.bytes.substr(0, size)));
    }
  }
  // The length exceeds the data.
  cuts.emplace_back("length of a reliable", 0);
  exchange.client(datagram(good + command(0x86, 0, 9, be16(1000) + "abc")));
  const std::vector<Item> frames = exchange.details();
  ASSERT_EQ(frames.size(), cuts.size() + 3);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    SCOPED_TRACE(std::string(cuts[i].first) + " cut to " + std::to_string(cuts[i].second));
    const Item &frame = frames[i + 3];
    EXPECT_TRUE(has(frame, "enet.malformed"));
    EXPECT_FALSE(has(frame, "enet.truncated"));
    const std::vector<Command> commands = commands_of(enet_of(frame));
    ASSERT_GE(commands.size(), 2U);
    EXPECT_EQ(commands[0].type, send_reliable);
    EXPECT_EQ(commands[1].type, ping);
    // The first frame is shown as data, the second as a retransmission.
    EXPECT_EQ(passed_texts(frame), i == 0 ? Texts{unclaimed_bytes(5)} : Texts{});
    std::size_t end = 0;  // and the remaining bytes are shown
    for (const Item &item : enet_of(frame).children) end = std::max(end, item.position + item.size);
    EXPECT_EQ(end, enet_of(frame).position + enet_of(frame).size);
  }
  EXPECT_EQ(read_fields(exchange.save(), ports + Texts{"-Y", "enet.unsupported"}, {"frame.number"}).size(), 0U);
}

TEST(EnetCommands, CommandSentAgainAfterACutOneIsNoRetransmission) {
  Exchange exchange;
  exchange.client(datagram(command(0x86, 1, 5, be16(100) + "\x98 cut")));  // the receiver does not read it
  exchange.client(datagram(reliable(1, 5, "\x98 whole"), 1500));
  EXPECT_EQ(all_passed_texts(exchange.details()), Texts{"\x98 whole"});
}

TEST(EnetCommands, UnknownCommandsAreUnsupported) {
  constexpr int unknown[] = {0, 13, 14, 15};
  Exchange exchange;
  for (const int each : unknown)
    exchange.client(datagram(unreliable(1, 0, each + 1, "\x99good") + command(each, 0, 1, unclaimed_bytes(20))));
  const std::vector<Item> frames = exchange.details();
  for (std::size_t i = 3; i < frames.size(); ++i) {
    SCOPED_TRACE(unknown[i - 3]);
    EXPECT_TRUE(has(frames[i], "enet.unsupported"));
    EXPECT_FALSE(has(frames[i], "enet.malformed"));
    EXPECT_EQ(passed_texts(frames[i]), Texts{"\x99good"});
    const Item *const rest = find_item(frames[i], "enet.undecoded");
    ASSERT_NE(rest, nullptr);
    EXPECT_EQ(rest->position + rest->size, enet_of(frames[i]).position + enet_of(frames[i]).size);
    EXPECT_EQ(rest->size, 24U);
  }
}

TEST(EnetCommands, DatagramTooShortForAHeaderIsMalformed) {
  Exchange exchange(false);
  for (const std::string &bytes : {std::string("\x80", 1), std::string("\x80\0\1", 3), std::string("\0\0", 2)}) {
    exchange.client(bytes);
  }
  const std::vector<Item> frames = exchange.details();
  EXPECT_TRUE(has(frames[0], "enet.malformed"));
  EXPECT_TRUE(has(frames[1], "enet.malformed"));
  for (const Item &frame : frames) EXPECT_NE(frame.child("enet"), nullptr);
}

TEST(EnetCommands, DatagramTooShortForItsChecksumIsMalformed) {
  // The first two datagrams show that this sender uses checksums.
  Exchange exchange(false);
  const std::string sealed = be16(0x8000) + be16(100) + be32(0xdeadbeef) + ping_command(1);
  exchange.client(sealed).client(sealed);
  const std::string rest("\0\0\0\0\0\0\0", 7);
  for (std::size_t size = 1; size < 8; ++size) exchange.client(("\x80" + rest).substr(0, size));
  for (std::size_t size = 1; size < 6; ++size) exchange.client(rest.substr(0, size));
  exchange.client(sealed);
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = exchange.details(passes);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(i + 1);
      const bool is_whole = i < 2 || i + 1 == frames.size();
      EXPECT_EQ(has(frames[i], "enet.malformed"), !is_whole);
      EXPECT_EQ(has(frames[i], "enet.checksum"), is_whole);
      EXPECT_EQ(commands_of(enet_of(frames[i])).size(), is_whole ? 1U : 0U);
    }
  }
}

TEST(EnetCommands, AThousandCommandsInADatagramAreDecoded) {
  std::string pings;
  std::string messages;
  for (int i = 0; i < 1000; ++i) {
    pings += ping_command(i + 2);
    messages += unreliable(0, 0, i + 1, "\x9d");
  }
  for (const std::string &thousand : {pings, messages}) {
    SCOPED_TRACE(thousand.size());
    Exchange exchange;
    exchange.client(datagram(thousand));
    exchange.client(datagram(reliable(1, 1, "\x98 after it")));
    const std::vector<Item> frames = exchange.details();
    const Item &enet = enet_of(frames[3]);
    const std::vector<Command> commands = commands_of(enet);
    EXPECT_GE(commands.size(), 32U) << "as many as ENet sends";
    EXPECT_TRUE(has(enet, "_ws.expert"));
    EXPECT_EQ(passed_messages_of(frames[3]).size(), thousand == pings ? 0U : 64U);
    std::size_t position = enet.position + 4;
    for (const Command &each : commands) position += each.part->size;
    for (const Item &item : enet.children) position += item.name == "enet.undecoded" ? item.size : 0;
    EXPECT_EQ(position, enet.position + enet.size) << "every byte is shown";
    EXPECT_EQ(passed_texts(frames[4]), Texts{"\x98 after it"});
    const std::vector<Texts> rows = read_fields(exchange.save(), ports, {"_ws.col.Info"});
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_LT(rows[3][0].size(), 1000U);
  }
}

TEST(EnetCommands, DatagramCutBySnapLengthIsTruncated) {
  Exchange exchange;
  std::string all;
  for (const CommandCase &each : command_cases()) {
    all += each.bytes;
    exchange.client(datagram(unreliable(0, 0, 1, unclaimed_bytes(60)) + each.bytes));
  }
  exchange.client(datagram(all));
  for (const Fragment &each : fragments_of(unclaimed_bytes(300), 1, 1, 100)) exchange.client(datagram(each.bytes()));
  exchange.client(datagram(unclaimed_bytes(90), 1000, 0x4000));  // compressed in an unknown way
  for (std::size_t snap : {60U, 61U, 40U, 33U, 31U, 30U, 29U, 28U}) {
    SCOPED_TRACE(snap);
    const std::vector<Item> frames = read_details(exchange.save(snap), ports);
    ASSERT_EQ(frames.size(), exchange.frame());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].child("enet") == nullptr) continue;  // none of its bytes were captured
      EXPECT_FALSE(has(frames[i], "enet.malformed")) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.unsupported")) << i + 1;
      EXPECT_EQ(has(frames[i], "enet.truncated"), exchange.pcap.frames[i].size() > snap) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.reassembled.length")) << i + 1;
    }
  }
}

TEST(EnetCommands, RecordedDatagramsCutBySnapLengthAreTruncated) {
  for (const char *const name : {"enet_none_godot4.6", "enet_range_coder_godot3.6", "enet_fastlz_godot4.6"}) {
    SCOPED_TRACE(name);
    const Pcap pcap = pcap_of(named_capture(name).path);
    const fs::path path = scratch_folder() / "snapped.pcap";
    pcap.save(path, 60);
    const std::vector<Item> frames = read_details(path, ports);
    ASSERT_EQ(frames.size(), pcap.frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_FALSE(has(frames[i], "enet.malformed")) << i + 1;
      EXPECT_FALSE(has(frames[i], "enet.unsupported")) << i + 1;
      EXPECT_EQ(has(frames[i], "enet.truncated"), pcap.frames[i].size() > 60) << i + 1;
    }
  }
}

}  // namespace
}  // namespace godot_codec::test::enet
