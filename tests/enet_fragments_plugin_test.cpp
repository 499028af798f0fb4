// SPDX-License-Identifier: GPL-2.0-or-later
// Fragmented messages, and the analysis of a conversation, in handmade datagrams.
#include <gtest/gtest.h>

#include <algorithm>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {
namespace {

// --- Fragments -------------------------------------------------------------------------------------------------

TEST(FragmentedEnetMessages, AreReassembledInAnyOrder) {
  struct Order {
    std::vector<std::size_t> fragments;
    bool is_whole;
  };
  const Order orders[] = {
      {{0, 1, 2}, true},       {{2, 1, 0}, true},          {{1, 2, 0}, true}, {{0, 0, 1, 1, 2, 2}, true},
      {{2, 2, 0, 1, 0}, true}, {{0, 1, 2, 0, 1, 2}, true}, {{0, 2}, false},   {{1}, false},
      {{2, 2, 2, 1}, false}};
  for (const bool is_unreliable : {false, true}) {
    Exchange exchange;
    Texts expected;
    int start = 10;
    for (const Order &order : orders) {
      // Unreliable messages are not retransmitted, so a repetition of the whole message is not a valid order.
      if (is_unreliable && order.fragments.size() == 6 && order.fragments[1] == 1) continue;
      const std::string message = unclaimed_bytes(250, static_cast<unsigned>(start));
      const std::vector<Fragment> fragments = fragments_of(message, 1, start, 100, is_unreliable);
      for (const std::size_t each : order.fragments) exchange.client(datagram(fragments[each].bytes()));
      if (order.is_whole) expected.push_back(message);
      start += 10;
    }
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = exchange.details(passes);
      EXPECT_EQ(all_passed_texts(frames) == expected, true)
          << all_passed_texts(frames).size() << " messages, unreliable " << is_unreliable;
      EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
      for (const Item &frame : frames) EXPECT_FALSE(commands_of(enet_of(frame)).empty());
    }
  }
}

TEST(FragmentedEnetMessages, FragmentsInOneFrameAreReassembled) {
  std::string commands;
  for (const Fragment &each : fragments_of(unclaimed_bytes(250), 1, 5, 100)) commands += each.bytes();
  commands += reliable(1, 8, "\x98 after it");
  Exchange exchange;
  exchange.client(datagram(commands));
  // On the second pass, the message is shown once, in the frame in which the first pass completed it.
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Item frame = exchange.details(passes)[3];
    EXPECT_EQ(passed_texts(frame), (Texts{unclaimed_bytes(250), "\x98 after it"}));
    const std::vector<Command> parts = commands_of(enet_of(frame));
    ASSERT_EQ(parts.size(), 4U);
    EXPECT_FALSE(has(*parts[0].part, "enet.fragments"));
    EXPECT_FALSE(has(*parts[1].part, "enet.fragments"));
    EXPECT_TRUE(has(*parts[2].part, "enet.fragments"));
  }
}

TEST(FragmentedEnetMessages, OverlapsAreReported) {
  const std::string message = unclaimed_bytes(200);
  struct Overlap {
    const char *name;
    Fragment second;
    bool is_same;
  };
  const Overlap overlaps[] = {
      {"the same bytes", {1, 5, 2, 1, 200, 60, message.substr(60), false}, true},
      {"other bytes", {1, 5, 2, 1, 200, 60, unclaimed_bytes(140, 9), false}, false},
  };
  for (const Overlap &overlap : overlaps) {
    SCOPED_TRACE(overlap.name);
    Exchange exchange;
    exchange.client(datagram(Fragment{1, 5, 2, 0, 200, 0, message.substr(0, 100), false}.bytes()));
    exchange.client(datagram(overlap.second.bytes()));
    exchange.client(datagram(reliable(2, 1, "\x98")));
    const std::vector<Item> frames = exchange.details();
    EXPECT_TRUE(has(frames[4], "enet.fragment.overlap") || has(frames[4], "_ws.expert"));
    const Texts passed_on = all_passed_texts(frames);
    ASSERT_FALSE(passed_on.empty());
    EXPECT_EQ(passed_on.back(), "\x98");
    EXPECT_LE(passed_on.size(), 2U);
    if (overlap.is_same && passed_on.size() == 2) {
      EXPECT_EQ(passed_on[0] == message, true);
    }
  }
}

TEST(FragmentedEnetMessages, ContradictoryFragmentsAreMalformed) {
  const Fragment bad[] = {
      {1, 5, 3, 1, 250, 200, unclaimed_bytes(100), false},          // beyond the total length
      {1, 5, 3, 1, 250, 0xffffffff, unclaimed_bytes(100), false},   // the sum of offset and length wraps
      {1, 5, 3, 3, 250, 100, unclaimed_bytes(100), false},          // the fragment number is too large
      {1, 5, 0, 0, 250, 0, unclaimed_bytes(100), false},            // a fragment count of zero
      {1, 5, 300, 0, 250, 0, unclaimed_bytes(1), false},            // more fragments than bytes
      {1, 5, 1048577, 0, 4000000, 0, unclaimed_bytes(100), false},  // more fragments than ENet allows
      {1, 5, 2, 0, 0, 0, unclaimed_bytes(100), false},
      {1, 5, 0xffffffff, 0xfffffffe, 0xffffffff, 0xfffffff0, unclaimed_bytes(20), false},
      {1, 5, 3, 1, 250, 200, unclaimed_bytes(100), true},
  };
  for (const Fragment &each : bad) {
    SCOPED_TRACE(std::to_string(&each - bad));
    Exchange exchange;
    exchange.client(datagram(reliable(2, 1, "\x98 before") + each.bytes()));
    exchange.client(datagram(reliable(2, 2, "\x98 after")));
    const std::vector<Item> frames = exchange.details();
    EXPECT_TRUE(has(frames[3], "enet.malformed") || has(frames[3], "enet.limit"));
    EXPECT_EQ(all_passed_texts(frames), (Texts{"\x98 before", "\x98 after"}));
    EXPECT_FALSE(has(frames[3], "enet.reassembled.length"));
  }
}

TEST(FragmentedEnetMessages, ClaimedSizeAllocatesNoMemory) {
  Exchange exchange;
  // ENet's own rules allow such counts and totals.
  for (int start = 1; start < 200; ++start) {
    for (std::uint32_t number : {1048575U, 0U, 77U}) {
      exchange.client(datagram(Fragment{start % 4, start * 10, 1048576, number, 0xffffffff, number * 4096 - number,
                                        unclaimed_bytes(40), false}
                                   .bytes()));
      exchange.server(
          datagram(Fragment{start % 4, start * 10, 1048576, number, 0x02000000, number * 32, unclaimed_bytes(32), true}
                       .bytes()));
    }
  }
  const std::vector<Item> frames = read_details(exchange.save(), ports + Texts{"-2"}, modest_limits);
  ASSERT_EQ(frames.size(), exchange.frame());
  EXPECT_TRUE(all_passed_texts(frames).empty());
  EXPECT_GT(count_of(frames, "_ws.expert"), 100U);
  EXPECT_EQ(count_of(frames, "enet.fragment.number"), frames.size() - 3) << "they are shown";
}

TEST(FragmentedEnetMessages, AreSeparatedByDirectionChannelAndConnection) {
  // The same start number everywhere: both directions, two channels, both kinds, two clients, two server ports.
  struct FragmentStream {
    Ports udp_ports;
    int channel;
    bool is_unreliable;
  };
  const FragmentStream places[] = {{to_server, 1, false},     {to_client, 1, false},     {to_server, 2, false},
                                   {to_client, 2, false},     {to_server, 1, true},      {to_client, 1, true},
                                   {{40001, 5020}, 1, false}, {{40000, 5021}, 1, false}, {{5021, 40000}, 1, false}};
  Exchange exchange;
  Texts expected;
  std::vector<std::vector<Fragment>> messages;
  for (std::size_t i = 0; i < std::size(places); ++i) {
    expected.push_back(unclaimed_bytes(250 + i, static_cast<unsigned>(i)));
    messages.push_back(fragments_of(expected.back(), places[i].channel, 7, 100, places[i].is_unreliable));
  }
  for (std::size_t number = 0; number < 3; ++number) {
    for (std::size_t i = 0; i < std::size(places); ++i) {
      exchange.add(places[i].udp_ports, datagram(messages[i][number].bytes()));
    }
  }
  const std::vector<Item> frames = exchange.details();
  EXPECT_EQ(all_passed_texts(frames) == expected, true) << all_passed_texts(frames).size();
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
}

TEST(FragmentedEnetMessages, SequenceNumberReusedAfterAWrapIsANewMessage) {
  for (const bool is_first_whole : {true, false}) {
    SCOPED_TRACE(is_first_whole);
    Exchange exchange;
    const std::string first = unclaimed_bytes(150, 1);
    const std::string second = unclaimed_bytes(270, 2);
    const std::vector<Fragment> early = fragments_of(first, 1, 5, 100);
    exchange.client(datagram(early[0].bytes()));
    exchange.server(datagram(ack(1, 5, 1000)));
    if (is_first_whole) {
      exchange.client(datagram(early[1].bytes()));
      exchange.server(datagram(ack(1, 6, 1000)));
    }
    // The capture contains only a few of the sequence numbers.
    for (int seq = 1000; seq < 65536; seq += 1000) {
      exchange.client(datagram(reliable(1, seq, "\x98"), seq));
      exchange.server(datagram(ack(1, seq, seq)));
    }
    const std::size_t before = exchange.frame();
    for (const Fragment &each : fragments_of(second, 1, 5, 100)) exchange.client(datagram(each.bytes(), 3000));
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = exchange.details(passes);
      Texts passed_on = all_passed_texts(frames);
      std::erase(passed_on, "\x98");
      EXPECT_EQ(passed_on == (is_first_whole ? Texts{first, second} : Texts{second}), true) << passed_on.size();
      for (std::size_t i = before; i < frames.size(); ++i) EXPECT_FALSE(has(frames[i], "enet.retransmission_of")) << i;
    }
  }
}

TEST(FragmentedEnetMessages, AreDiscardedWithTheirConnection) {
  Exchange exchange;
  exchange.client(datagram(fragments_of(unclaimed_bytes(250, 1), 1, 5, 100)[0].bytes()));
  exchange.shake_hands(0xff, connect_id + 1);
  const std::string second = unclaimed_bytes(250, 2);  // the same length and the same numbers
  const std::vector<Fragment> fragments = fragments_of(second, 1, 5, 100);
  exchange.client(datagram(fragments[1].bytes()));
  exchange.client(datagram(fragments[2].bytes()));
  EXPECT_TRUE(all_passed_texts(exchange.details()).empty()) << "one is missing";
  exchange.client(datagram(fragments[0].bytes()));
  const std::vector<Item> frames = exchange.details();
  EXPECT_EQ(all_passed_texts(frames) == Texts{second}, true);
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
  EXPECT_EQ(child_number(enet_of(frames.front()), "enet.stream"), 0);
  EXPECT_EQ(child_number(enet_of(frames.back()), "enet.stream"), 1);
}

// --- Analysis --------------------------------------------------------------------------------------------------

TEST(EnetAnalysis, RetransmissionIsDeliveredOnce) {
  Exchange exchange;
  exchange.client(datagram(reliable(1, 5, "\x98 once"), 500));
  const std::size_t first = exchange.frame();
  exchange.client(datagram(reliable(1, 5, "\x98 once"), 600));
  exchange.client(datagram(reliable(2, 5, "\x98 elsewhere"), 600));
  exchange.server(datagram(reliable(1, 5, "\x98 back"), 600));
  const std::vector<Item> frames = exchange.details();
  EXPECT_EQ(all_passed_texts(frames), (Texts{"\x98 once", "\x98 elsewhere", "\x98 back"}));
  EXPECT_EQ(find_all(frames[first], "enet.retransmission_of"), Texts{std::to_string(first)});
  EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 1U);
}

TEST(EnetAnalysis, SequenceGapsAreCounted) {
  Exchange exchange;
  struct Step {
    std::string bytes;
    const char *missing;
  };
  const Step steps[] = {
      {unsequenced(1, 3, "\x98"), "2"},  // the first two groups of a connection with a captured handshake
      {unsequenced(1, 4, "\x98"), ""},    {unsequenced(1, 8, "\x98"), "3"},   {unsequenced(1, 6, "\x98"), ""},
      {unreliable(2, 0, 2, "\x98"), "1"}, {unreliable(2, 0, 3, "\x98"), ""},  {unreliable(2, 0, 6, "\x98"), "2"},
      {unreliable(2, 1, 1, "\x98"), ""},  {unreliable(2, 2, 3, "\x98"), "2"}, {unreliable(3, 0, 1, "\x98"), ""},
  };
  for (const Step &step : steps) exchange.client(datagram(step.bytes));
  const std::vector<Item> frames = exchange.details();
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    const Texts found = find_all(frames[i + 3], "enet.sequence_gap");
    EXPECT_EQ(found.empty() ? "" : found[0], steps[i].missing) << i;
  }
}

TEST(EnetAnalysis, UnacknowledgedCommandsAreReportedInTheSecondPass) {
  struct Case {
    const char *name;
    std::uint32_t received_after;  // milliseconds; 0: never
    bool is_acked;
    bool is_reported;
  };
  constexpr Case cases[] = {{"heard later", 6000, false, true},
                            {"heard too soon to know", 1000, false, false},
                            {"the capture ends", 0, false, false},
                            {"acknowledged", 6000, true, false}};
  for (const Case &each : cases) {
    SCOPED_TRACE(each.name);
    Exchange exchange;
    for (const std::uint16_t time : {500, 1500}) {
      exchange.client(datagram(reliable(1, 1, "\x98 lost"), time)).wait(time);
    }
    exchange.client(datagram(reliable(1, 1, "\x98 lost"), 3000));
    const std::size_t sent = exchange.frame();
    if (each.is_acked) exchange.server(datagram(ack(1, 1, 3000)));
    if (each.received_after > 0) exchange.wait(each.received_after).server(datagram(unsequenced(0, 1, "\x98"), 7000));
    for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
      const std::vector<Item> frames = exchange.details(passes);
      Texts reported;
      for (const Item &frame : frames) {
        if (has(frame, "enet.unacknowledged")) reported.push_back(number_of(frame));
      }
      EXPECT_EQ(reported, each.is_reported && !passes.empty() ? Texts{std::to_string(sent)} : Texts{}) << passes.size();
    }
  }
}

}  // namespace
}  // namespace godot_codec::test::enet
