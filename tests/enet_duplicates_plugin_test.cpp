// SPDX-License-Identifier: GPL-2.0-or-later
// Datagrams that were captured twice, or quoted in ICMP errors; expert items; Decode As.
#include <gtest/gtest.h>

#include <algorithm>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {
namespace {

// --- Duplicates and quotes -------------------------------------------------------------------------------------

TEST(EnetDuplicates, DuplicateIsMarkedAndNotCountedAgain) {
  Exchange exchange;
  const std::string first = datagram(unreliable(1, 0, 1, "\x98 one") + reliable(2, 1, "\x98 two"), 500);
  exchange.client(first);
  const std::size_t original = exchange.frame();
  exchange.client(first);                                      // captured again
  exchange.client(datagram(reliable(2, 1, "\x98 two"), 600));  // retransmitted
  const std::string answer = be16(0) + ack(2, 1, 600);
  exchange.server(answer).server(answer);
  exchange.client(be16(0) + unreliable(1, 0, 2, "\x98 three"));
  exchange.client(be16(0) + unreliable(1, 0, 2, "\x98 three"));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = exchange.details(passes);
    const std::map<std::size_t, std::string> duplicates = {{original, "4"}, {original + 3, "7"}, {original + 5, "9"}};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(i + 1);
      const bool is_duplicate = duplicates.contains(i);
      EXPECT_EQ(enet_of(frames[i]).child_text("enet.duplicate_of"), is_duplicate ? duplicates.at(i) : "");
      EXPECT_EQ(has(frames[i], "enet.duplicate"), is_duplicate);
      EXPECT_EQ(enet_of(frames[i]).child_text("enet.stream"), "0");
    }
    EXPECT_EQ(passed_texts(frames[original]), (Texts{"\x98 one", "\x98 two"})) << "shown all the same";
    EXPECT_EQ(find_all(frames[original], "enet.retransmission_of"), Texts{});
    EXPECT_EQ(find_all(frames[original + 1], "enet.retransmission_of"), Texts{std::to_string(original)});
    EXPECT_EQ(count_of(frames, "enet.sequence_gap"), 0U);
    EXPECT_EQ(find_all(frames[original + 3], "enet.ack_to"), Texts{std::to_string(original + 2)});
  }
  const std::string table = tshark(exchange.save(), ports + Texts{"-q", "-z", "conv,enet", "-z", "follow,enet,raw,0"});
  std::size_t passed_on = 0;
  for (const std::string &line : lines_of(table)) passed_on += line == to_hex("\x98 one") ? 1 : 0;
  EXPECT_EQ(passed_on, 1U) << table;
  std::istringstream row(table.substr(table.find("<->") + 3));
  std::string word;
  std::set<std::string> words;
  for (int i = 0; i < 12 && row >> word; ++i) words.insert(word);
  EXPECT_TRUE(words.contains("7")) << "frames: " << table;
}

TEST(EnetDuplicates, TwoInterfacesCountEachDatagramOnce) {
  const fs::path path = fs::path(GODOT_CAPTURES_DIR) / "enet_twice_godot3.6.pcapng";
  const std::unique_ptr<Reading> reading = read(path, ports);
  ASSERT_EQ(reading->datagrams.size(), 538U);
  TextMultiset received;
  std::map<std::string, std::size_t> copies;  // number of copies by datagram bytes
  std::size_t duplicates = 0;
  for (const Datagram &datagram : reading->datagrams) {
    const std::string &bytes = datagram.udp_payload->bytes;
    const auto [first, is_new] = copies.emplace(datagram.from + datagram.client_port + bytes, datagram.frame);
    EXPECT_EQ(datagram.enet->child_text("enet.duplicate_of"), is_new ? "" : std::to_string(first->second));
    EXPECT_EQ(has(*datagram.details, "enet.duplicate"), !is_new) << datagram.frame;
    if (!is_new) {
      ++duplicates;
      continue;
    }
    EXPECT_EQ(count_of({*datagram.details}, "enet.sequence_gap"), 0U) << datagram.frame;
    for (const Message &message : messages_of(datagram)) {
      if (message.channel == 0) continue;  // messages of the engine itself
      const std::string users = message.bytes.substr(8);
      received.insert(datagram.to + "\t" + std::to_string(message.channel) + "\t" + std::to_string(users.size()) +
                      "\t" + md5(users));
    }
  }
  EXPECT_EQ(duplicates, 269U);
  expect_same(received, read_expectations(path).received, "messages");
}

TEST(IcmpQuotedEnet, IsShownButChangesNoState) {
  Exchange exchange(false);
  const std::string connect = command(wants_ack | connect_, 0xff, 1, handshake(0xff, connect_id + 1) + be32(77));
  exchange.pcap.frames.push_back(icmp_error(udp(to_server, datagram(connect, 100, 0, 0xfff))));
  exchange.shake_hands(0xff, connect_id);
  exchange.pcap.frames.push_back(icmp_error(udp(to_server, datagram(connect, 300, 0, 0xfff))));
  exchange.pcap.frames.push_back(icmp_error(udp(to_server, be16(0) + unreliable(1, 0, 9, "\x98 quoted"))));
  exchange.client(be16(0) + unreliable(1, 0, 1, "\x98 first"));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = exchange.details(passes);
    const Item *const unknown = find_item(frames[0], "enet");
    ASSERT_NE(unknown, nullptr);
    EXPECT_EQ(unknown->child("enet.stream"), nullptr) << "of no connection that was captured";
    EXPECT_EQ(commands_of(*unknown).size(), 1U);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const Item *const enet = find_item(frames[i], "enet");
      ASSERT_NE(enet, nullptr) << i + 1;
      EXPECT_EQ(enet->child_text("enet.stream"), "0") << i + 1;
    }
    EXPECT_EQ(count_of(frames, "enet.sequence_gap"), 0U);
    EXPECT_EQ(count_of(frames, "enet.retransmission_of"), 0U);
    EXPECT_EQ(passed_texts(frames.back()), Texts{"\x98 first"});
  }
}

// An ICMP error quotes a few hundred bytes, and epan takes these for the whole datagram.
TEST(IcmpQuotedEnet, PartialQuoteIsTruncated) {
  Exchange exchange(false);
  exchange.shake_hands(0xff, connect_id);
  const std::string sent = udp(to_server, be16(0) + reliable(1, 7, std::string(200, 'a')));
  constexpr std::size_t headers = 20 + 8 + 2 + 6;
  for (const std::size_t data : {0U, 100U, 199U})
    exchange.pcap.frames.push_back(icmp_error(sent.substr(0, headers + data)));
  exchange.pcap.frames.push_back(icmp_error(sent));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Item> frames = exchange.details(passes);
    EXPECT_EQ(count_of(frames, "enet.malformed"), 0U);
    EXPECT_EQ(count_of(frames, "enet.truncated"), 3U);
    for (std::size_t i = frames.size() - 4; i + 1 < frames.size(); ++i) {
      EXPECT_EQ(find_all(frames[i], "enet.data_length"), Texts{"200"});
      const Texts notes = find_all(frames[i], "_ws.expert.message");
      EXPECT_EQ(std::ranges::count(notes, "The ICMP error quotes only the beginning"), 1);
    }
  }
  std::size_t bytes = 0;
  for (std::size_t i = exchange.pcap.frames.size() - 4; i < exchange.pcap.frames.size(); ++i) {
    bytes += exchange.pcap.frames[i].size();
  }
  const auto costs = by_name(read_table(saved(exchange.pcap), "godot,overhead"), "Bytes of", "Bytes");
  EXPECT_EQ(costs.at("ICMP errors"), static_cast<double>(bytes));
  EXPECT_FALSE(costs.contains("Other"));
}

// --- Expert items ----------------------------------------------------------------------------------------------

TEST(EnetExpertItems, AreListedWithoutATree) {
  Exchange exchange;
  exchange.client(datagram(reliable(1, 1, "\x98"), 500)).client(datagram(reliable(1, 1, "\x98"), 600));
  exchange.client(be16(0) + unreliable(1, 1, 4, "\x98") + command(0x0f, 0, 1));
  exchange.client(be16(0) + command(0x86, 1, 5, be16(100) + "\x98 cut")).client("\x80");
  exchange.client(be16(0x8000) + be16(1) + be32(0xdeadbeef) + ping_command(1));
  const std::string list = tshark(exchange.save(), ports + Texts{"-q", "-z", "expert"});
  for (const char *const summary : {"Retransmission of the command", "3 earlier messages missing or late",
                                    "A datagram contains an unknown ENet command (byte 9)",
                                    "An ENet command is longer than the rest of its datagram",
                                    "The ENet checksum is wrong, so the receiver drops the datagram"}) {
    EXPECT_NE(list.find(summary), std::string::npos) << summary << list;
  }
}

// --- Decode As -------------------------------------------------------------------------------------------------

TEST(EnetDecodeAs, SelectsThePayloadDissector) {
  const std::string raw = unclaimed_bytes(20);
  // put_var(["hello", "hello"]), as the dissector godot reads it
  const std::string hello("\x04\0\0\0\x05\0\0\0hello\0\0\0", 16);
  const std::string text = std::string("\x1c\0\0\0\x02\0\0\0", 8) + hello + hello;
  Exchange exchange(false);
  for (const std::uint16_t port : {std::uint16_t{5020}, std::uint16_t{5021}}) {
    exchange.add({40000, port}, datagram(reliable(1, 1, raw)));
    exchange.add({port, 40000}, datagram(reliable(1, 1, raw)));
    exchange.add({40000, port}, datagram(reliable(1, 2, text)));
  }
  const std::vector<Item> plain = exchange.details();
  EXPECT_EQ(all_passed_texts(plain), (Texts{raw, raw, "godot 40", raw, raw, "godot 40"}));
  const std::vector<Item> as_godot = exchange.details({"-d", "enet.port==5020,godot"});
  for (std::size_t i = 0; i < as_godot.size(); ++i) {
    EXPECT_EQ(as_godot[i].child("godot") != nullptr, i < 3 || i == 5) << i + 1;
  }
  EXPECT_EQ(all_passed_texts(exchange.details({"-d", "enet.port==5020,data"})),
            (Texts{raw, raw, text, raw, raw, "godot 40"}));
}

}  // namespace
}  // namespace godot_codec::test::enet
