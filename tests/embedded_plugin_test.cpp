// SPDX-License-Identifier: GPL-2.0-or-later
// Custom payloads that contain a Variant, text, or compressed data, as captures' projects/godot4/own_bytes.gd packs
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path custom_payloads = captures / "own_bytes_godot4.6.pcapng";
const Texts no_decoding = {"-o", "godot.open_bytes:FALSE"};
const std::string state = "{hp: 87, inv: [\"sword\", \"bow\"], pos: (10.5, -3)}";
const std::string players = "{players: [{id: 0, name: \"Player 0\", hp: 100}, {id: 1, name: ";

std::string dictionary_with_one_entry(const std::string &key, std::int32_t value) {
  return dictionary({{string(key), integer(value)}});
}

std::string packed_bytes(const std::string &bytes) {
  return u32(29) + u32_size(bytes.size()) + bytes + std::string((4 - bytes.size() % 4) % 4, '\0');
}

// ---- several Variants in a row

const std::string hello = dictionary({{string("cmd"), string("hello")}, {string("id"), integer(7)}});

Texts infos_after_hello(const std::vector<std::string> &packets, const Texts &options = {}) {
  Pcap pcap;
  pcap.frames.push_back(udp({40000, 7777}, hello));
  for (const std::string &packet : packets) pcap.frames.push_back(udp({40000, 7777}, packet));
  const fs::path path = scratch_folder() / "in_a_row.pcap";
  pcap.save(path);
  Texts rows = infos(path, options);
  EXPECT_EQ(rows.at(0), "Dictionary(2) {cmd: \"hello\", id: 7}");
  rows.erase(rows.begin());
  return rows;
}

TEST(EmbeddedPayload, ConsecutiveVariantsAreShown) {
  const std::string first = dictionary_with_one_entry("health", 87);
  const std::string second = array({string("second"), integer(2)});
  EXPECT_EQ(infos_after_hello({first + hello, hello + first + second, integer(5) + hello, hello + boolean(true) + nil(),
                               hello + first + hex("00 01"), hello + hex("aabbccdd"), hello}),
            (Texts{"Raw {health: 87}, {cmd: \"hello\", id: 7} in 88 bytes",
                   "Raw {cmd: \"hello\", id: 7}, {health: 87}, [\"second\", 2] in 120 bytes",
                   "Raw 5, {cmd: \"hello\", id: 7} in 64 bytes", "Raw {cmd: \"hello\", id: 7}, true, null in 68 bytes",
                   "Dictionary(2) {cmd: \"hello\", id: 7} [and more bytes]",
                   "Dictionary(2) {cmd: \"hello\", id: 7} [and more bytes]", "Dictionary(2) {cmd: \"hello\", id: 7}"}));
  EXPECT_EQ(infos_after_hello({hello + first}, no_decoding),
            (Texts{"Dictionary(2) {cmd: \"hello\", id: 7} [and more bytes]"}));
}

// The bytes of var_to_bytes(1) + var_to_bytes("two") may have any other format. They are Variants only if a preference
// says so for the port.
TEST(EmbeddedPayload, SmallConsecutiveVariantsAreDecodedOnlyOnAConfiguredPort) {
  const std::vector<std::string> packets = {
      integer(1) + string("two"),
      u32(5) + f32(1) + f32(2) + dictionary_with_one_entry("id", 3) + array({integer(1), integer(2)}),
      integer(1) + nil(), integer(1) + integer(2) + hex("0102"), boolean(false) + integer(0)};
  const Texts left = {"Raw bytes(12) 02 00 00 00 01 00 00 00 00 00 00 00",
                      "Raw bytes(18) 02 00 00 00 01 00 00 00 02 00 00 00 02 00 00 00 01 02",
                      "Raw bytes(16) 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00"};
  const Texts named = {"-o", "godot.udp.port:7777"};
  EXPECT_EQ(infos_after_hello(packets, named),
            (Texts{"Raw 1, \"two\" in 20 bytes", "Raw (1, 2), {id: 3}, [1, 2] in 64 bytes"} + left));
  EXPECT_EQ(infos_after_hello(packets),
            (Texts{"Raw bytes(20) 02 00 00 00 01 00 00 00 04 00 00 00 03 00 00 00 74 77 6f 00",
                   "Raw bytes(64) 05 00 00 00 00 00 80 3f 00 00 00 40 1b 00 00 00 01 00 00 00 04 00 00 00 02 00 00 00 "
                   "69 64 00 00…"} +
             left));
  const auto rows = read_fields(scratch_folder() / "in_a_row.pcap", named + Texts{"-Y", "frame.number == 2"},
                                {"godot.path_with_value", "godot.embedded"});
  EXPECT_EQ(rows, (Rows{{std::string("/0:1") + between_occurrences + "/1:two", "variant"}}));
}

// Godot 3 and 4 sent put_packet(var_to_bytes(a) + var_to_bytes(b)). Zeros after a small value may mean anything.
TEST(EmbeddedPayload, RecordedPairsOfVariantsAreDecodedOnlyOnAConfiguredPort) {
  const Texts named = {"-o", "godot.udp.port:5012"};
  const Texts wanted = {
      "Raw 1, \"fall\" in 20 bytes",  "Raw 2, (10.5, -3) in 20 bytes",   "Raw 3, (1, 2, 0.5) in 24 bytes",
      "Raw 4, -7 in 16 bytes",        "Raw 5000000000, 0.1 in 24 bytes", "Raw \"move\", 1.5 in 20 bytes",
      "Raw true, \"on\" in 20 bytes", "Raw {id: 7}, [1, 2] in 52 bytes", "Raw \"chat\", {text: \"Hello\"} in 48 bytes"};
  const Texts only_godot4 = {"Raw 6, [1, 2, 3] in 20 bytes", "Raw \"jump\", 7 in 20 bytes"};
  const Texts zeros = {"Raw bytes(12) 02 00 00 00 08 00 00 00 00 00 00 00",
                       "Raw bytes(16) 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00"};
  const std::pair<std::string, Texts> generations[] = {{"pairs_godot4.6", wanted + only_godot4 + zeros},
                                                       {"pairs_godot3.2.3", wanted + zeros}};
  for (const auto &[name, rows] : generations) {
    const fs::path path = captures / (name + ".pcapng");
    EXPECT_EQ(infos(path, named), rows);
    EXPECT_EQ(infos(path, named + Texts{"-2"}), rows);
    std::size_t pairs = 0;
    for (const Item &frame : read_details(path, named + Texts{"-Y", "godot.embedded"})) {
      SCOPED_TRACE(name + ", pair " + std::to_string(pairs++));
      const Item *inside = frame.child("godot")->child("godot.embedded");
      ASSERT_EQ(inside->children.size(), 2U);
      const Item &first = inside->children[0];
      const Item &second = inside->children[1];
      EXPECT_EQ(first.name + " " + second.name, "godot.value godot.value");
      EXPECT_EQ(second.position, first.position + first.size);
      EXPECT_EQ(first.bytes + second.bytes, inside->bytes);
    }
    EXPECT_EQ(pairs, rows.size() - zeros.size());
  }
}

TEST(EmbeddedPayload, ConsecutiveVariantsEachHaveAPath) {
  const auto rows = read_fields(custom_payloads, {"-Y", "godot.path_with_value && udp.port == 5020"},
                                {"godot.path_with_value", "godot.embedded", "godot.trailing"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(split(rows[0][0], between_occurrences),
            (Texts{"/0/hp:87", "/0/inv/0:sword", "/0/inv/1:bow", "/0/pos:Vector2(10.5, -3)", "/1/0:second", "/1/1:2"}));
  EXPECT_EQ(rows[0][1], "variant");
  EXPECT_EQ(rows[0][2], "") << "nothing is left over";
}

// ---- one kind per port

// Returns the rows of the ports on each of which one kind is sent alone, three times.
std::map<std::string, Texts> info_by_port(const Texts &options) {
  std::map<std::string, Texts> rows;
  const Texts all = options + Texts{"-Y", "udp.dstport >= 5015 && udp.dstport <= 5033"};
  for (const Texts &row : read_fields(custom_payloads, all, {"udp.dstport", "_ws.col.Protocol", "_ws.col.Info"})) {
    rows[row[0]].push_back(row[1] == "UDP" ? "" : row[2]);
  }
  return rows;
}

const std::map<std::string, std::string> embedded_summaries = {
    {"5018", "Raw " + state + " in 104 bytes"},
    {"5019", "Raw " + state + " in 104 bytes"},
    {"5020", "Raw " + state + ", [\"second\", 2] in 132 bytes"},
    {"5021", "Raw 07 " + state + " in 101 bytes"},
    {"5022", "Raw 01 ff 07 " + state + " in 103 bytes"},
    {"5024", "Raw " + players},
    {"5025", "Raw " + players},
    {"5026", "Raw " + players},
    {"5027", "Raw " + players},
    {"5031", "Dictionary(2) {blob: " + state + " in 100 bytes, seq: 7}"},
    {"5032", "Dictionary(2) {blob: " + players},
    {"5033", "Dictionary(1) {blob: {\"hp\":87,\"inv\":[\"sword\",\"bow\"],\"pos\":\"(10.5, -3.0)\"} in 52 bytes}"},
};

TEST(EmbeddedPayload, ConversationWithEmbeddedVariantsIsDetected) {
  const auto rows = info_by_port({"-2"});
  ASSERT_EQ(rows.size(), 19U);
  for (const auto &[port, texts] : rows) {
    ASSERT_EQ(texts.size(), 3U) << port;
    const auto expected = embedded_summaries.find(port);
    for (const std::string &text : texts) {
      // JSON, text, encrypted data and images are not specific to Godot, so they are not detected.
      const std::string sentence = expected == embedded_summaries.end() ? "" : expected->second;
      EXPECT_EQ(text.substr(0, sentence.empty() ? std::string::npos : sentence.size()), sentence) << port;
    }
  }
}

TEST(EmbeddedPayload, ConversationIsDetectedFromTheFirstPacket) {
  for (const auto &[port, texts] : info_by_port({})) {
    // A Dictionary that contains only bytes is weak evidence, so two Dictionaries are needed.
    const std::size_t first = port == "5033" ? 1 : 0;
    if (!embedded_summaries.contains(port)) continue;
    EXPECT_EQ(texts.at(first).substr(0, 10), embedded_summaries.at(port).substr(0, 10)) << port;
  }
}

// Packets of a PacketPeerStream. Each kind has a separate connection.
const fs::path custom_payload_streams = captures / "own_bytes_tcp_godot4.6.pcapng";

TEST(EmbeddedPayload, StreamsWithEmbeddedPayloadsAreDetected) {
  constexpr int first_port = 50100;
  constexpr int first_udp_port = 5015;  // sends the same kinds over UDP
  const Texts options = {"-2", "-Y", "tcp.len > 0 && tcp.dstport in {50100..50118}"};
  const auto rows = read_fields(custom_payload_streams, options, {"tcp.dstport", "_ws.col.Protocol", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 19U * 3U);
  for (const Texts &row : rows) {
    const auto expected = embedded_summaries.find(std::to_string(std::stoi(row[0]) - first_port + first_udp_port));
    EXPECT_EQ(row[1], expected == embedded_summaries.end() ? "TCP" : "Godot") << row[0];
    if (expected == embedded_summaries.end()) continue;
    EXPECT_EQ(row[2].substr(0, expected->second.size()), expected->second) << row[0];
  }
}

TEST(EmbeddedPayload, StreamIsDetectedIfTheFirstSegmentIsIncomplete) {
  const auto rows =
      read_fields(custom_payload_streams, {"-Y", "godot && tcp.dstport == 50119"}, {"frame.number", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 3U);
  const std::string large = "Raw {players: [{id: 0, seed: 720020139, name: \"Player 0\"}, ";
  EXPECT_EQ(rows[0][0], "236");
  EXPECT_EQ(rows[0][1].substr(0, large.size()), large);
  EXPECT_EQ(rows[1][1].substr(0, players.size() + 4), "Raw " + players);
  EXPECT_EQ(rows[2][1].substr(0, large.size()), large);
}

TEST(EmbeddedPayload, EveryPacketOfADetectedStreamIsShown) {
  const Texts rows = infos(custom_payload_streams, {"-Y", "godot && tcp.port == 50120"});
  ASSERT_EQ(rows.size(), 4U);
  for (const std::size_t i : {0U, 1U}) EXPECT_EQ(rows[i].substr(0, players.size() + 4), "Raw " + players);
  EXPECT_EQ(rows[2], "Raw {\"hp\":87,\"inv\":[\"sword\",\"bow\"],\"pos\":\"(10.5, -3.0)\"} in 52 bytes");
  EXPECT_EQ(rows[3], "Raw bytes(24) \"The match begins in 10 s\"");
}

TEST(EmbeddedPayload, IsHiddenInStreamsByThePreference) {
  const auto rows = read_fields(custom_payload_streams, no_decoding + Texts{"-2", "-Y", "godot"}, {"tcp.dstport"});
  // A length-prefixed Variant after another length, and the Dictionaries.
  EXPECT_TRUE(std::ranges::all_of(rows, [](const Texts &row) { return row[0] >= "50116" && row[0] <= "50118"; }));
}

TEST(EmbeddedPayload, IsShownOnAConfiguredPort) {
  auto rows = info_by_port({"-o", "godot.udp.port:5015-5033"});
  EXPECT_EQ(rows["5015"].at(0), "Raw {\"hp\":87,\"inv\":[\"sword\",\"bow\"],\"pos\":\"(10.5, -3.0)\"} in 52 bytes");
  EXPECT_EQ(rows["5016"].at(0), "Raw bytes(24) \"The match begins in 10 s\"");
  EXPECT_EQ(rows["5017"].at(0).substr(0, 30), "Raw bytes(112) 5e d9 3d 0b b0 ");
  EXPECT_EQ(rows["5023"].at(0), "Raw \"hello there\" in 15 bytes");
  EXPECT_EQ(rows["5028"].at(0), "Raw png in 91 bytes");
  EXPECT_EQ(rows["5029"].at(0), "Raw jpeg in 632 bytes");
  EXPECT_EQ(rows["5030"].at(0), "Raw webp in 38 bytes");
  for (const auto &[port, sentence] : embedded_summaries)
    EXPECT_EQ(rows[port].at(0).substr(0, sentence.size()), sentence);
}

TEST(EmbeddedPayload, IsHiddenByThePreference) {
  auto rows = info_by_port(no_decoding + Texts{"-2"});
  EXPECT_EQ(rows["5018"].at(0), "");
  EXPECT_EQ(rows["5024"].at(0), "");
  EXPECT_EQ(rows["5031"].at(0), "Dictionary(2) {blob: PackedByteArray[100 bytes], seq: 7}");
  auto configured = info_by_port(no_decoding + Texts{"-o", "godot.udp.port:5015-5033"});
  EXPECT_EQ(configured["5015"].at(0).substr(0, 33), "Raw bytes(52) \"{\\\"hp\\\":87,\\\"inv\\\"");
  EXPECT_EQ(configured["5021"].at(0).substr(0, 24), "Raw bytes(101) 07 1b 00 ");
  EXPECT_TRUE(infos(custom_payloads, no_decoding + Texts{"-Y", "godot.embedded"}).empty());
}

// ---- in the tree

// Returns the plugin's protocol of the first frame on a port.
Item first_packet_on_port(const std::string &port) {
  const std::vector<Item> frames =
      read_details(custom_payloads, {"-o", "godot.udp.port:5013-5033", "-Y", "udp.dstport == " + port});
  EXPECT_EQ(frames.size(), 3U) << port;
  const Item *godot = frames.empty() ? nullptr : frames[0].child("godot");
  return godot == nullptr ? Item{} : *godot;
}

const Item *find_item(const Item &root, const std::string &name, const std::string &show) {
  const Item *found = nullptr;
  walk(root, [&](const Item &item) {
    if (item.name == name && item.show == show && found == nullptr) found = &item;
    return true;
  });
  return found;
}

TEST(EmbeddedPayload, ItemsCoverTheirBytes) {
  constexpr std::size_t start = 42;  // after Ethernet, IP and UDP
  const Item length = first_packet_on_port("5018");
  const Item *inside = length.child("godot.embedded");
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->position, start);
  EXPECT_EQ(inside->size, 104U);
  ASSERT_NE(inside->child("godot.length"), nullptr);
  EXPECT_EQ(inside->child("godot.length")->bytes, "64000000");
  const Item *hp = find_item(length, "godot.int", "87");
  ASSERT_NE(hp, nullptr);
  EXPECT_EQ(hp->position, start + 4 + 8 + 12 + 4);
  EXPECT_EQ(hp->bytes, "57000000");
  EXPECT_EQ(find_all(length, "godot.path_with_value").front(), "/hp:87");

  const Item prefix = first_packet_on_port("5022");
  const Item *front = find_item(prefix, "godot.embedded.prefix", "01:ff:07");
  ASSERT_NE(front, nullptr);
  EXPECT_EQ(front->position, start);
  EXPECT_EQ(front->size, 3U);
  EXPECT_EQ(find_item(prefix, "godot.int", "87")->position, start + 3 + 8 + 12 + 4);

  const Item text = first_packet_on_port("5023");
  EXPECT_EQ(text.child_text("godot.embedded"), "text");
  const Item *hello_there = find_item(text, "godot.string", "hello there");
  ASSERT_NE(hello_there, nullptr);
  EXPECT_EQ(hello_there->position, start + 4);
  EXPECT_EQ(hello_there->size, 11U);
}

TEST(EmbeddedPayload, DecompressedContentIsADataSource) {
  for (const auto &[port, kind] :
       std::map<std::string, std::string>{{"5024", "zlib"}, {"5025", "fastlz"}, {"5026", "gzip"}, {"5027", "zstd"}}) {
    const Item godot = first_packet_on_port(port);
    EXPECT_EQ(find_all(godot, "godot.embedded"), (Texts{kind, "variant"})) << port;
    const Item *variant = find_item(godot, "godot.embedded", "variant");
    ASSERT_NE(variant, nullptr) << port;
    EXPECT_EQ(variant->size, 952U) << port;
    const Texts paths = find_all(godot, "godot.path_with_value");
    ASSERT_EQ(paths.size(), 36U) << port;
    EXPECT_EQ(paths[3], "/players/1/id:1") << port;
  }
}

TEST(EmbeddedPayload, KnownFormatsAreDissectedByWireshark) {
  EXPECT_NE(first_packet_on_port("5015").child("godot.embedded"), nullptr);
  for (const auto &[port, protocol] :
       std::map<std::string, std::string>{{"5015", "json"}, {"5028", "png"}, {"5029", "image-jfif"}}) {
    const auto rows =
        read_fields(custom_payloads, {"-o", "godot.udp.port:5013-5033", "-Y", protocol + " && udp.dstport == " + port},
                    {"frame.number"});
    EXPECT_EQ(rows.size(), 3U) << protocol;
  }
}

// ---- in calls, values and messages

TEST(EmbeddedPayload, IsShownInArgumentsPropertiesAndMessages) {
  const std::string blob = packed_bytes(hello);
  Exchange exchange;
  exchange.client(datagram(reliable(0, 1, simplify_path(1, "Main/World"))));
  exchange.client(datagram(reliable(0, 2, hex("00 01 03 02 0205") + blob)));
  exchange.client(datagram(reliable(0, 3, hex("06") + u16(3) + u32(9) + u32_size(blob.size()) + blob)));
  exchange.client(datagram(reliable(0, 4, hex("03") + hello)));
  std::vector<Item> frames = exchange.details();
  const auto label = [&](std::size_t frame) {
    const Item *packet = frames.at(frame).child("godot_mp");
    return packet == nullptr ? "" : packet->label.substr(packet->label.find(": ") + 2);
  };
  EXPECT_EQ(label(4), "RPC Main/World.#3(5, {cmd: \"hello\", id: 7} in 56 bytes)");
  EXPECT_EQ(label(5), "Sync t=3 #9 {cmd: \"hello\", id: 7} in 56 bytes");
  EXPECT_EQ(label(6), "Raw {cmd: \"hello\", id: 7} in 56 bytes");
  // Values can be filtered by their path.
  const auto has_path = [&](std::size_t frame, const std::string &path) {
    return std::ranges::count(find_all(frames.at(frame), "godot.path_with_value"), path) == 1;
  };
  EXPECT_TRUE(has_path(4, "/1/id:7"));
  EXPECT_TRUE(has_path(5, "/#9:sync#0/id:7"));
  EXPECT_TRUE(has_path(6, "/id:7"));
  frames = exchange.details(no_decoding);
  EXPECT_EQ(label(4), "RPC Main/World.#3(5, PackedByteArray[56 bytes])");
  EXPECT_EQ(label(6).substr(0, 14), "Raw bytes(56) ");
}

TEST(EmbeddedPayload, Godot3PayloadsAreShown) {
  for (const char *release : {"3.2.3", "3.6"}) {
    const fs::path calls = captures / ("mp_rpc_godot" + std::string(release) + ".pcapng");
    const Texts rows = infos(calls, {"-Y", "godot.embedded == \"variant\" && godot_mp.rpc.method == \"blob\""});
    ASSERT_FALSE(rows.empty()) << release;
    EXPECT_EQ(rows[0].substr(0, 54), "RPC Main/World.blob({hp: 87, name: \"Ada\"} in 52 bytes)") << release;
    const auto paths = read_fields(calls, {"-Y", "godot.embedded == \"variant\" && godot_mp.rpc.method == \"blob\""},
                                   {"godot.path_with_value", "godot.type"});
    EXPECT_NE(paths.at(0)[0].find("/hp:87"), std::string::npos) << release;
    // Packets with target and source ids before the content. Godot 3 adds these ids to packets that the multiplayer
    // does not read.
    const Texts packets = infos(captures / ("enet_none_godot" + std::string(release) + ".pcapng"),
                                {"-Y", "godot.embedded && frame.number < 20"});
    ASSERT_EQ(packets.size(), 4U) << release;
    EXPECT_NE(packets[0].find("01 00 00 00 {cmd: \"join\", name: \"Ada\", version: 3} in 88 bytes"), std::string::npos)
        << packets[0];
  }
}

TEST(EmbeddedPayload, ElementsAreLimitedByThePreference) {
  const std::string ints = u32(30) + u32(5) + i32(0) + i32(1) + i32(2) + i32(3) + i32(4);
  for (const auto &[preference, shown] : {std::pair("godot.max_elements:2", 2), {"godot.max_elements:0", 5}}) {
    const fs::path path = saved({linktype_raw_ip, {udp({40000, 7777}, hello), udp({40000, 7777}, hello + ints)}});
    const Rows rows = read_fields(path, {"-o", preference, "-Y", "frame.number == 2"}, {"godot.int"});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(split(rows[0][0], between_occurrences).size(), 1U + static_cast<std::size_t>(shown));
  }
}

}  // namespace
}  // namespace godot_codec::test
