// SPDX-License-Identifier: GPL-2.0-or-later
// Custom payloads that a text file of the game's author describes. The expected values are those that the game's script
// logged when it wrote them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path capture = captures / "own_bytes_godot4.6.pcapng";
const fs::path layouts = captures / "projects" / "godot4" / "own_bytes_layouts.txt";
const fs::path arena = fs::path(GODOT_TESTS_DIR) / "projects" / "arena.pcapng";

Texts with_layouts(const fs::path &file) { return {"-o", "godot_mp.layouts:" + file.string()}; }

const Texts port_options = {"-o", "godot.udp.port:5013", "-Y", "udp.port == 5013"};

fs::path write_layouts(const std::string &name, const std::string &text) {
  const fs::path file = scratch_folder() / name;
  std::ofstream(file) << text;
  return file;
}

// Returns the log of the script, packet by packet: "players.slot=1".
std::vector<Texts> logged_packets() {
  std::vector<Texts> packets;
  for (const std::string &line : lines_of(read_file(fs::path(capture).replace_extension(".expected")))) {
    Texts columns = split(line, '\t');
    if (columns[0] != "own") continue;
    columns.erase(columns.begin());
    packets.push_back(columns);
  }
  return packets;
}

// Returns the texts in the tree.
Texts tree_texts(const Item &frame) {
  Texts fields;
  walk(frame, [&](const Item &item) {
    constexpr std::string_view prefix = "game.";
    const std::string name = item.name.substr(0, prefix.size()) == prefix ? item.name.substr(prefix.size()) : "";
    if (item.name == "godot.path_with_value") {
      fields.push_back(item.show);
    } else if (!name.empty() && name != "players" && name != "rest") {
      const bool is_flag = name.starts_with("flags.");
      fields.push_back(name + "=" + (is_flag ? std::to_string(is_true(item.show) ? 1 : 0) : item.show));
    }
    return true;
  });
  return fields;
}

TEST(CustomFormats, PayloadsOfTheScriptAreDecoded) {
  const std::vector<Texts> packets = logged_packets();
  const std::vector<Item> frames = read_details(capture, with_layouts(layouts) + port_options);
  ASSERT_EQ(packets.size(), 8U);
  ASSERT_EQ(frames.size(), packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    Texts fields = tree_texts(frames[i]);
    // The script does not log these flags.
    std::erase_if(fields, [](const std::string &field) {
      return field.starts_with("flags.hidden=") || field.starts_with("flags.alive=");
    });
    EXPECT_EQ(fields, packets[i]) << i;
  }
}

TEST(CustomFormats, ItemsCoverTheirBytes) {
  const std::vector<Item> frames = read_details(capture, with_layouts(layouts) + port_options);
  const Item *game = frames[2].child("game");
  ASSERT_NE(game, nullptr);
  const Item *players = game->child("game.players");
  ASSERT_NE(players, nullptr);
  EXPECT_EQ(players->label, "players[0]: {slot: 1, pos: [1.5, -2, 0.25], name: \"Ann\"}");
  EXPECT_EQ(players->position, game->position + 4);
  EXPECT_EQ(players->size, 14U);
  const Item *name = players->child("game.players.name");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(name->bytes, "00000003416e6e");
  EXPECT_EQ(name->position, game->position + 11);
  EXPECT_EQ(game->child("game.rest")->size, 36U);
}

TEST(CustomFormats, FieldsWorkAsColumnsAndFilters) {
  const auto count = [](const std::string &filter) {
    return read_fields(capture, with_layouts(layouts) + Texts{"-o", "godot.udp.port:5013", "-Y", filter},
                       {"frame.number"})
        .size();
  };
  EXPECT_EQ(count("game.kind == \"command\""), 4U);
  EXPECT_EQ(count("game.players.name == \"B\xc3\xb3"
                  "b\""),
            2U);
  EXPECT_EQ(count("game.players.pos == 64"), 2U);
  EXPECT_EQ(count("game.delta < 0"), 2U);
  EXPECT_EQ(count("game.flags.running"), 4U);
  EXPECT_EQ(count("godot.path_with_value == \"/rest/round:2\""), 1U);
  const auto rows =
      read_fields(capture, with_layouts(layouts) + port_options, {"game.tick", "game.action", "_ws.col.Info"});
  EXPECT_EQ(rows[3][1], "2");
  EXPECT_EQ(
      rows[3][2],
      "Raw {kind: command, action: hit, target: \"Ann\", amount: 12.5, delta: -1, flags: running|alive} in 19 bytes");
  EXPECT_EQ(rows[0][0], "700");
  EXPECT_EQ(rows[0][2], "Raw {kind: state, tick: 700, count: 0, players: [], rest: {round: 0}} in 40 bytes");
}

TEST(CustomFormats, ApplyToCallArguments) {
  const fs::path file = write_layouts("calls.txt",
                                      "call World.blob\n  kind: u8 {1: heal, 2: hit}\n"
                                      "  target: utf8_string\n  amount: float\n");
  const Texts options =
      with_layouts(file) + Texts{"-o", "godot_mp.project:" + (arena.parent_path() / "arena").string(), "-Y", "game"};
  const auto rows = read_fields(arena, options, {"game.kind", "game.target", "game.amount", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(Texts(rows[0].begin(), rows[0].end() - 1), (Texts{"2", "Ogre", "0.75"}));
  const std::string sentence = "RPC Main/World.blob({kind: hit, target: \"Ogre\", amount: 0.75} in 13 bytes)";
  EXPECT_EQ(rows[0].back().substr(0, sentence.size()), sentence);
}

// ---- on every transport

TEST(CustomFormats, ApplyToRawMessagesOnEveryTransport) {
  struct TransportCase {
    const char *capture;
    const char *port;
    std::string receiver;
    std::string info;
  };
  const fs::path data = fs::path(GODOT_TESTS_DIR) / "data";
  for (const TransportCase &carrier : {
           TransportCase{"game_godot4.6", "5009", "", ""},
           {"game_godot3.6", "5009", "", ""},
           {"ws_godot4.6", "5011", "", ""},
           {"ws_godot3.6", "5011", "", ""},
           {"mp_ws_godot4.6", "5040", "To 934651505: ", ""},
           {"mp_ws_godot3.6", "5040", "To 359854854: ", ""},
           {"sctp_by_hand", "5000", "To 934651505: ", " [Unreliable ordered ch 2]"},
       }) {
    const fs::path file = write_layouts("carriers.txt", "raw " + std::string(carrier.port) + "\n  word: string(5)\n");
    const auto rows =
        read_fields(captures / (std::string(carrier.capture) + ".pcapng"),
                    with_layouts(file) + Texts{"-2", "-Y", "game.word == \"ping!\""}, {"game.word", "_ws.col.Info"});
    ASSERT_FALSE(rows.empty()) << carrier.capture;
    EXPECT_EQ(rows[0][0], "ping!") << carrier.capture;
    EXPECT_EQ(rows[0][1], carrier.receiver + "Raw {word: \"ping!\"} in 5 bytes" + carrier.info) << carrier.capture;
  }
}

TEST(CustomFormats, ApplyToStreamPacketsThatAreNoVariants) {
  const std::string hello = dictionary({{string("cmd"), string("hello")}, {string("id"), integer(7)}});
  Pcap pcap;
  const std::string first = in_stream(hello);
  pcap.frames.push_back(tcp({40000, 5006}, 1, 1, tcp_push | tcp_ack, first));
  pcap.frames.push_back(tcp({40000, 5006}, 1 + static_cast<std::uint32_t>(first.size()), 1, tcp_push | tcp_ack,
                            in_stream("ping!") + in_stream(hello)));
  const fs::path path = scratch_folder() / "stream.pcap";
  pcap.save(path);
  const fs::path file = write_layouts("stream.txt", "raw 5006\n  word: string(5)\n");
  const Texts options = with_layouts(file) + Texts{"-o", "godot.tcp.port:5006"};
  const auto rows = read_fields(path, options + Texts{"-Y", "game.word"}, {"game.word", "_ws.col.Info"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "ping!");
  EXPECT_EQ(rows[0][1], "Raw {word: \"ping!\"} in 5 bytes | Dictionary(2) {cmd: \"hello\", id: 7}");
}

// ---- errors

Texts expert_messages(const fs::path &file, const std::string &name) {
  Texts found;
  for (const Item &frame : read_details(capture, with_layouts(file) + port_options)) {
    walk(frame, [&](const Item &item) {
      const Item *id = item.child(name);
      if (id != nullptr) found.push_back(item.child_text("_ws.expert.message"));
      return true;
    });
  }
  return found;
}

TEST(CustomFormats, ErrorsAreReportedOnce) {
  const fs::path file = write_layouts("mistakes.txt", "raw 5013\n  kind: u8\n  tick: u24\nraw 1\n a: x\n");
  const Texts found = expert_messages(file, "godot.layout.error");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].substr(0, 78), "The file of custom formats has an error in line 3: \"u24\" is neither a part nor");
  EXPECT_EQ(found[1].substr(0, 55), "The file of custom formats has an error in line 5: \"x\" ");
  EXPECT_TRUE(expert_messages(file, "godot.layout.trailing").empty()) << "the mistake is told already";
  fs::create_directories(scratch_folder() / "no_file.txt");
  const Texts unreadable = expert_messages(scratch_folder() / "no_file.txt", "godot.layout.error");
  EXPECT_EQ(unreadable, Texts{"The file of custom formats cannot be read"});
}

TEST(CustomFormats, MismatchAndTrailingBytesAreReported) {
  const fs::path file =
      write_layouts("unfit.txt", "raw 5013\n  kind: u8 = 2\n  rest: 300 * u16\nraw 5013\n  kind: u8 = 1\n");
  const Texts unfit = expert_messages(file, "godot.layout.mismatch");
  ASSERT_EQ(unfit.size(), 4U);
  EXPECT_EQ(unfit[0], "A payload does not match the custom format in line 1: the field rest is incomplete (byte 19)");
  EXPECT_EQ(expert_messages(file, "godot.layout.trailing").size(), 4U);
}

TEST(CustomFormats, AreReadFromTheProjectFolder) {
  const fs::path folder = copy_of(layouts, "with_layouts/layouts.txt").parent_path();
  std::ofstream(folder / "project.godot") << "config_version=5\n";
  const Texts options = {"-o", "godot_mp.project:" + folder.string()};
  EXPECT_EQ(read_fields(capture, options + port_options + Texts{"-Y", "game.kind"}, {"game.kind"}).size(), 8U);
}

}  // namespace
}  // namespace godot_codec::test
