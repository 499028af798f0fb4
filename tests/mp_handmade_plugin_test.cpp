// SPDX-License-Identifier: GPL-2.0-or-later
// The high-level multiplayer in tshark: handmade messages, most of them broken, and truncated captures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <tuple>
#include <utility>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// --- Handmade games over ENet ----------------------------------------------------------------------------------

constexpr std::uint16_t server_port = 5099;
constexpr std::int32_t ada = 1111;
constexpr std::int32_t bo = 2222;
constexpr std::int32_t cy = 3333;

const Texts ports = {"-o", "enet.udp.port:5099", "-o", "enet.compression:none"};

// Datagrams between a server and its clients. A client is identified by its peer id, which is also its port.
class Game {
 public:
  static constexpr int channels_of_godot4 = 255;
  static constexpr int channels_of_godot3 = 3;

  void connect(std::int32_t client, int channels = channels_of_godot4) {
    const std::string settings = big(std::uint16_t{0}) + "\xff\xff" + big(std::uint32_t{1392}) +
                                 big(std::uint32_t{65536}) + big(static_cast<std::uint32_t>(channels)) +
                                 std::string(20, '\0') + big(0x1000U + static_cast<std::uint32_t>(client));
    add(client, true, command(0x82, 0xff, 1, settings + big(static_cast<std::uint32_t>(client))));
  }
  // Adds a message of a client. @returns the frame number
  std::size_t from(std::int32_t client, const std::string &message, int channel = 0) {
    return add(client, true, reliable(message, channel, ++sequence_numbers_[{client, true, channel}]));
  }
  std::size_t to(std::int32_t client, const std::string &message, int channel = 0) {
    return add(client, false, reliable(message, channel, ++sequence_numbers_[{client, false, channel}]));
  }
  // Adds an unreliable message in two fragments. @returns the frame of the second fragment
  std::size_t fragments_from(std::int32_t client, const std::string &message) {
    const std::size_t half = message.size() / 2;
    add(client, true, fragment(message, 0, 0, half));
    return add(client, true, fragment(message, 1, half, message.size() - half));
  }

  [[nodiscard]] fs::path save(std::size_t snap_length = 262144) const {
    static int count = 0;
    const fs::path path = scratch_folder() / ("game_" + std::to_string(count++) + ".pcap");
    pcap_.save(path, snap_length);
    return path;
  }
  // Returns the frames with their layers.
  [[nodiscard]] std::vector<Item> read(const Texts &options = {}) const {
    std::vector<Item> frames = read_details(save(), ports + options);
    EXPECT_EQ(frames.size(), pcap_.frames.size());
    frames.resize(pcap_.frames.size());
    return frames;
  }

 private:
  template <typename Number>
  static std::string big(Number value) {
    return big_endian(value);
  }
  static std::string command(int kind, int channel, std::uint16_t number, const std::string &rest) {
    return u8(kind) + u8(channel) + big(number) + rest;
  }
  static std::string reliable(const std::string &message, int channel, std::uint16_t number) {
    return command(0x86, channel, number, big(static_cast<std::uint16_t>(message.size())) + message);
  }
  static std::string fragment(const std::string &message, std::uint32_t number, std::size_t offset,
                              std::size_t length) {
    return command(12, 1, 0,
                   big(std::uint16_t{1}) + big(static_cast<std::uint16_t>(length)) + big(std::uint32_t{2}) +
                       big(number) + big(static_cast<std::uint32_t>(message.size())) +
                       big(static_cast<std::uint32_t>(offset)) + message.substr(offset, length));
  }
  std::size_t add(std::int32_t client, bool is_to_server, const std::string &commands) {
    const Ports way{static_cast<std::uint16_t>(client), server_port};
    pcap_.frames.push_back(
        udp(is_to_server ? way : way.reversed(), big(std::uint16_t{0x8000}) + big(++time_) + commands));
    return pcap_.frames.size();
  }

  Pcap pcap_;
  // The last reliable sequence number for each client, direction and channel, because ENet numbers them separately.
  std::map<std::tuple<std::int32_t, bool, int>, std::uint16_t> sequence_numbers_;
  std::uint16_t time_ = 1000;
};

std::string relay(std::int32_t peer, const std::string &command) { return hex("0703") + i32(peer) + command; }
std::string sync_object(std::uint32_t id) { return u32(id) + u32(2) + hex("0207"); }
std::string sync(std::uint16_t time, const std::string &objects) { return hex("06") + u16(time) + objects; }

// A message that identifies the connection as multiplayer.
const std::string known_message4 = simplify_path(1, "Main/World");
const std::string known_message3 = i32(ada) + i32(1) + hex("02") + u32(1) + zero_terminated("Main/World");

// --- Output of the plugin --------------------------------------------------------------------------------------

constexpr const char *expert_names[] = {"godot_mp.malformed",      "godot_mp.truncated",     "godot_mp.unsupported",
                                        "godot_mp.limit",          "godot_mp.trailing",      "godot_mp.late_sync",
                                        "godot_mp.oversized_sync", "godot_mp.over_mtu",      "godot_mp.checksum_failed",
                                        "godot_mp.unknown_path",   "godot_mp.unknown_flags", "godot.malformed",
                                        "godot.truncated",         "godot.unsupported"};

// `summary | expert items | undecoded bytes`
std::string describe(const Item &frame) {
  const Item *const layer = frame.child("godot_mp");
  if (layer == nullptr)
    return frame.child("godot") != nullptr ? "godot" : find_item(frame, "data.data") != nullptr ? "data" : "";
  std::string text = layer->child_text("godot_mp.summary");
  for (const char *const name : expert_names) {
    for (std::size_t i = 0; i < find_all(*layer, name).size(); ++i) text += std::string(" | ") + name;
  }
  walk(*layer, [&text](const Item &item) {
    if (item.name == "godot_mp.undecoded" || item.name == "godot.undecoded") text += " | " + item.bytes;
    return true;
  });
  return text;
}

struct BrokenMessage {
  std::string bytes;
  const char *text;
};

// --- Broken messages -------------------------------------------------------------------------------------------

std::vector<BrokenMessage> broken4() {
  return {
      // call
      {hex("00"), "RPC ?.?() [malformed] | godot_mp.malformed"},
      {hex("00 01"), "RPC Main/World.?() [malformed] | godot_mp.malformed"},
      {hex("00 01 03"), "RPC Main/World.#3() [malformed] | godot_mp.malformed"},
      {hex("30 01 03 00"), "RPC ?.?() [malformed] | godot_mp.malformed | 010300"},
      {hex("20 ff000080 05 00 4d00"), "RPC ?.#5() [malformed] | godot_mp.malformed | 4d00"},
      {hex("a0 06000080 04") + "Main", "RPC ?.#4() [malformed] | godot_mp.malformed | 4d61696e"},
      {hex("00 01 03 02 0205"), "RPC Main/World.#3(5), received as (5, null) [malformed] | godot_mp.malformed"},
      {hex("00 01 03 01 04000000 05000000 6161"),
       "RPC Main/World.#3(?), received as (null) [malformed] | godot.malformed | 6161"},
      {hex("00 01 03 01 3f"), "RPC Main/World.#3(?), received as (null) [malformed] | godot.malformed | 3f"},
      {hex("00 01 03 00 aabb"), "RPC Main/World.#3() | godot_mp.trailing | aabb"},
      {hex("40 01 03"), "RPC Main/World.?() [malformed] | godot_mp.malformed | 03"},
      // simplify path
      {hex("01") + "d41d8cd9", "Path ? is ? [malformed] | godot_mp.malformed | 6434316438636439"},
      {hex("01") + std::string("d41d8cd98f00b204e9800998ecf8427e!") + u32(1) + zero_terminated("A"),
       "Path ? is ? [malformed] | godot_mp.malformed | 010000004100"},
      {hex("01") + zero_terminated("d41d8cd98f00b204e9800998ecf8427e") + u32(2) + "Main",
       "Path 2 is ? [malformed] | godot_mp.malformed | 4d61696e"},
      {hex("09") + simplify_path(3, "Main/Flag").substr(1), "Path 3 is Main/Flag | godot_mp.unknown_flags"},
      // confirm path
      {hex("02 01 0100"), "Path ? confirmed: ? [malformed] | godot_mp.malformed | 0100"},
      {hex("02"), "Path ? confirmed: ? [malformed] | godot_mp.malformed"},
      {hex("02 01 01000000 cc"), "Path 1 confirmed: ? | godot_mp.trailing | godot_mp.unknown_path | cc"},
      // raw
      {hex("03"), "Raw bytes(0) [malformed] | godot_mp.malformed"},
      {hex("f3 01"), "Raw bytes(1) 01 | godot_mp.unknown_flags"},
      // spawn
      {hex("04 00 0100"), "Spawn ? by ? [malformed] | godot_mp.malformed | 0100"},
      {hex("04 00 01000000 02000000 ffffff7f 02000000 5000"),
       "Spawn ? by Main/World [malformed] | godot_mp.malformed | 5000"},
      {hex("04 00 01000000 02000000 00000000 00000000"), "Spawn ? by Main/World [malformed] | godot_mp.malformed"},
      {hex("04 ff 01000000 02000000 00000000 02000000 5000 ff000000 00"),
       "Spawn P by Main/World [malformed] | godot_mp.malformed | 00"},
      {hex("04 00 01000000 02000000 00000000 02000000 5000 04000000 ff000000"),
       "Spawn P by Main/World ? [malformed] | godot.malformed | "},
      {hex("04 ff 01000000 02000000 00000000 02000000 5000 00000000"),
       "Spawn P by Main/World [malformed] | godot_mp.malformed"},
      // despawn
      {hex("05 0100"), "Despawn ? [malformed] | godot_mp.malformed | 0100"},
      {hex("05 02000000 dd"), "Despawn P | godot_mp.trailing | dd"},
      {hex("15 02000000"), "Despawn P | godot_mp.unknown_flags"},
      // sync and delta
      {hex("06 01"), "Sync t=? [malformed] | godot_mp.malformed | 01"},
      {hex("06 0100 05000000 ff000000 0207"), "Sync t=1 #5 [malformed] | godot_mp.malformed | 0207"},
      {hex("06 0100 05000000"), "Sync t=1 #5 [malformed] | godot_mp.malformed"},
      {hex("06 0100 05000000 02000000 0207 060000"), "Sync t=1 #5 7, ? [malformed] | godot_mp.malformed | 060000"},
      {hex("26 0900 05000000 02000000 0207"), "Sync t=9 #5 7 | godot_mp.unknown_flags"},
      {hex("16 05000000 0300000000000000 02000000 0207"), "Delta #5 delta#0=7 [malformed] | godot_mp.malformed"},
      {hex("16 05000000 0100000000000000 04000000 0207 0207"), "Delta #5 delta#0=7 | godot_mp.trailing | 0207"},
      {hex("16 05000000 01000000"), "Delta #5 [malformed] | godot_mp.malformed | 01000000"},
      // system messages
      {hex("07"), "System message [malformed] | godot_mp.malformed"},
      {hex("07 04 01020304"), "Unknown system message 4 [unsupported] | godot_mp.unsupported | 01020304"},
      {hex("07 01 0100"), "Peer ? connected [malformed] | godot_mp.malformed | 0100"},
      {hex("07 02 05000000 ee"), "Peer 5 disconnected | godot_mp.trailing | ee"},
      {hex("07 03 05"), "To ?:  [malformed] | godot_mp.malformed | 05"},
      {hex("07 03 05000000"), "To 5:  [malformed] | godot_mp.malformed"},
      {hex("07 03 05000000 05 01"), "To 5: Despawn ? [malformed] | godot_mp.malformed | 01"},
      {hex("0f 01 05000000"), "Peer 5 connected | godot_mp.unknown_flags"},
  };
}

std::vector<BrokenMessage> broken3() {
  return {
      // The prefix, truncated at each length.
      {hex("57040000 010000"), "No command [malformed] | godot_mp.malformed | 010000"},
      {hex("57040000 01000000"), "No command [malformed] | godot_mp.malformed"},
      // call and rset
      {hex("57040000 01000000 00"), "RPC ?.?() [malformed] | godot_mp.malformed"},
      {hex("57040000 01000000 00 01000000 686974"), "RPC Main/World.?() [malformed] | godot_mp.malformed | 686974"},
      {hex("57040000 01000000 00 01000000 68697400"), "RPC Main/World.hit() [malformed] | godot_mp.malformed"},
      {hex("57040000 01000000 00 01000000 68697400 02 02000000 06000000"),
       "RPC Main/World.hit(6) [malformed] | godot_mp.malformed"},
      {hex("57040000 01000000 00 01000000 68697400 01 04000000 09000000 61"),
       "RPC Main/World.hit(?) [malformed] | godot.malformed | 61"},
      {hex("57040000 01000000 00 01000000 68697400 01 1b000000"),
       "RPC Main/World.hit(?) [unsupported] | godot.unsupported | 1b000000"},
      {hex("57040000 01000000 00 01000000 68697400 00 ff"), "RPC Main/World.hit() | godot_mp.trailing | ff"},
      {hex("57040000 01000000 00 ff000080 68697400 00"), "RPC ?.hit() [malformed] | godot_mp.malformed"},
      {hex("57040000 01000000 01 01000000 6800"), "Set Main/World.h =  [malformed] | godot_mp.malformed"},
      {hex("57040000 01000000 01 01000000 6800 02000000 06000000 ff"), "Set Main/World.h = 6 | godot_mp.trailing | ff"},
      // simplify and confirm path
      {hex("57040000 01000000 02 0100"), "Path ? is ? [malformed] | godot_mp.malformed | 0100"},
      {hex("57040000 01000000 02 02000000 4d61"), "Path 2 is ? [malformed] | godot_mp.malformed | 4d61"},
      {hex("57040000 01000000 02 02000000 4d6100 ff"), "Path 2 is Ma | godot_mp.trailing | ff"},
      {hex("57040000 01000000 03 4d61"), "Path confirmed: ? [malformed] | godot_mp.malformed | 4d61"},
      {hex("57040000 01000000 03"), "Path confirmed: ? [malformed] | godot_mp.malformed"},
      // raw
      {hex("57040000 01000000 04"), "Raw bytes(0) [malformed] | godot_mp.malformed"},
      // unknown commands
      {hex("57040000 01000000 05"), "Unknown command 5 [unsupported] | godot_mp.unsupported"},
      {hex("57040000 01000000 ff 0102"), "Unknown command 255 [unsupported] | godot_mp.unsupported | 0102"},
  };
}

std::vector<BrokenMessage> broken3_system() {
  return {
      {hex("00"), "No command [malformed] | godot_mp.malformed | 00"},
      {hex("00000000 0500"), "Peer ? connected [malformed] | godot_mp.malformed | 0500"},
      {hex("01000000 05000000 ff"), "Peer 5 disconnected | godot_mp.trailing | ff"},
      {hex("07000000 05000000"), "Unknown system message 7 [unsupported] | godot_mp.unsupported | 05000000"},
  };
}

// Expects these descriptions of broken messages. A first message identifies the connection.
void expect_broken(const std::vector<BrokenMessage> &all, const std::string &known, int channels, int channel) {
  Game game;
  game.connect(ada, channels);
  game.from(ada, known, channels == Game::channels_of_godot3 ? 1 : 0);
  std::vector<std::size_t> numbers;
  for (const BrokenMessage &each : all) numbers.push_back(game.from(ada, each.bytes, channel));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(frames[1].child("godot_mp")->child_text("godot_mp.command"), "simplify_path");
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(describe(frames[numbers[i] - 1]), all[i].text) << to_hex(all[i].bytes);
  }
}

TEST(MultiplayerMessages, BrokenGodot4MessagesAreReported) {
  expect_broken(broken4(), known_message4, Game::channels_of_godot4, 0);
}

TEST(MultiplayerMessages, BrokenGodot3MessagesAreReported) {
  expect_broken(broken3(), known_message3, Game::channels_of_godot3, 1);
}

TEST(MultiplayerMessages, BrokenGodot3SystemMessagesAreReported) {
  expect_broken(broken3_system(), known_message3, Game::channels_of_godot3, 0);
}

TEST(MultiplayerMessages, BrokenMessagesAreMarkedInInfo) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  game.from(ada, hex("05 0100"));
  const auto rows = read_fields(game.save(), ports + Texts{"-Y", "frame.number == 3"}, {"_ws.col.Info"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "Despawn ? [malformed] [Reliable ch 0 #2]");
}

TEST(MultiplayerMessages, BrokenPathMessageAnnouncesNoPath) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  game.from(ada, simplify_path(2, "Main/Two").substr(0, 45));
  const std::size_t call = game.from(ada, hex("80 02 00"));
  EXPECT_EQ(describe(game.read()[call - 1]), "RPC #2.#0() [path 2 was not announced there]");
}

// --- Detection of games ------------------------------------------------------------------------------------------

// Nothing has identified the connection as a game.
TEST(MultiplayerMessages, ConnectionsWithoutEvidenceAreNotClaimed) {
  Game game;
  const std::string bytes[] = {hex("05 0100"), hex("03 0a0b"), hex("07 09 01020304"), hex("06 01")};
  game.connect(ada);
  for (const std::string &each : bytes) game.from(ada, each);
  const std::vector<Item> frames = game.read();
  for (std::size_t i = 1; i < frames.size(); ++i) EXPECT_EQ(describe(frames[i]), "data") << i;
}

// A short message may fit by chance. It is evidence only if the connection has as many channels as Godot's connections.
TEST(MultiplayerMessages, ShortMessageIsDecodedOnlyIfTheChannelCountIsGodots) {
  constexpr int unusual = 4;
  for (const int channels : {unusual, Game::channels_of_godot4}) {
    Game game;
    game.connect(ada, channels);
    const std::size_t despawn = game.from(ada, hex("05 02000000"));
    const std::size_t broken = game.from(ada, hex("05 0200"));
    const std::size_t path = game.from(ada, known_message4);
    const std::size_t later = game.from(ada, hex("05 0200"));
    const std::vector<Item> frames = game.read();
    const std::string text = "Despawn ? [malformed] | godot_mp.malformed | 0200";
    EXPECT_EQ(describe(frames[despawn - 1]), channels == unusual ? "data" : "Despawn #2");
    EXPECT_EQ(describe(frames[broken - 1]), channels == unusual ? "data" : text);
    EXPECT_EQ(describe(frames[path - 1]), "Path 1 is Main/World");
    EXPECT_EQ(describe(frames[later - 1]), text);
  }
}

// In a known game, a valid command is a command. Otherwise a message that is exactly one Variant is a Variant. All
// other messages are broken commands.
TEST(MultiplayerMessages, VariantInAGameConnectionIsDecodedAsAVariant) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  const std::size_t text = game.from(ada, hex("04000000 02000000 68690000"));  // not a spawn
  const std::size_t dictionary = game.from(ada, hex("1b000000 00000000"));  // not raw bytes, because they have no flags
  const std::size_t real = game.from(ada, hex("03000000 0000803f"));        // raw bytes
  const std::size_t cut = game.from(ada, hex("04000000 02000000 6869"));    // neither a command nor a Variant
  const std::size_t despawn = game.from(ada, hex("05 02000000"));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(describe(frames[text - 1]), "godot");
  EXPECT_EQ(describe(frames[dictionary - 1]), "godot");
  EXPECT_EQ(describe(frames[real - 1]), "Raw bytes(7) 00 00 00 00 00 80 3f");
  EXPECT_EQ(describe(frames[cut - 1]), "Spawn ? by ? [malformed] | godot_mp.malformed | godot_mp.unknown_path");
  EXPECT_EQ(describe(frames[despawn - 1]), "Despawn #2");
}

// The official WebSocket chat demo of Godot 3 sends messages with put_packet(var2bytes(value)), without a command.
TEST(MultiplayerMessages, VariantInPlaceOfACommandIsShown) {
  WebSocketConversation chat({50001, 5099}, web_socket_frame(web_socket_binary, hex("03 01000000 00000000 f28b4b1e")));
  const std::string prefix = hex("00 f28b4b1e 01000000");
  chat.send(web_socket_binary, prefix + hex("04000000 02000000 68690000"));  // begins like raw bytes
  chat.send(web_socket_binary, prefix + hex("12000000 01000000 02000000 01000000 02000000 07000000"));  // no command
  chat.send(web_socket_binary, prefix + hex("04 6869"));
  chat.send(web_socket_binary, prefix + hex("04 00000002"));
  const fs::path capture = saved(chat.pcap());
  const Rows expected = {{R"(Variant "hi")", "/0:hi", "raw"},
                         {"Variant {1: 7}", "/0/1:7", "raw"},
                         {R"(Raw bytes(2) "hi")", "", "raw"},
                         {"Raw bytes(4) 00 00 00 02", "", "raw"}};
  Rows rows = read_fields(capture, {"-Y", "godot_mp.command == \"raw\""},
                          {"godot_mp.summary", "godot.path_with_value", "godot_mp.command"});
  EXPECT_EQ(rows, expected);
}

// A preference or Decode As selects the multiplayer for the server port of the connection.
TEST(MultiplayerMessages, PortPreferenceSelectsTheMultiplayerDissector) {
  Game game;
  game.connect(ada, 7);  // the channel count of neither generation
  const std::size_t raw = game.from(ada, hex("03 0a0b"));
  const std::size_t broken = game.from(ada, hex("07 09 01020304"));
  const std::size_t text = game.from(ada, hex("04000000 02000000 68690000"));
  const Texts expert_message[] = {{"-o", "godot_mp.enet.port:5099"}, {"-d", "enet.port==5099,godot_mp"}};
  for (const Texts &options : expert_message) {
    SCOPED_TRACE(options[1]);
    const std::vector<Item> frames = game.read(options);
    EXPECT_EQ(describe(frames[raw - 1]), "Raw bytes(2) 0a 0b");
    EXPECT_EQ(describe(frames[broken - 1]), "Unknown system message 9 [unsupported] | godot_mp.unsupported | 01020304");
    EXPECT_EQ(describe(frames[text - 1]), "godot");
  }
  for (const Texts &options : {Texts{}, Texts{"-o", "godot_mp.enet.port:5098"}}) {
    const std::vector<Item> frames = game.read(options);
    EXPECT_EQ(describe(frames[raw - 1]), "data");
    EXPECT_EQ(describe(frames[broken - 1]), "data");
    EXPECT_EQ(describe(frames[text - 1]), "data");
  }
}

// System messages of Godot 3 are short, so they are decoded only if the user configures the port.
TEST(MultiplayerMessages, SystemMessageOnAConfiguredPortIsDecoded) {
  Game game;  // its connect was not captured
  game.to(ada, u32(0) + i32(bo), 0);
  EXPECT_EQ(describe(game.read()[0]), "data");
  EXPECT_EQ(describe(game.read({"-o", "godot_mp.enet.port:5099"})[0]), "Peer 2222 connected");
}

// On a configured port, the channel count shows the generation of a broken message.
TEST(MultiplayerMessages, ChannelCountShowsTheGodotVersionOfBrokenMessages) {
  for (const int channels : {3, 7, 255}) {
    Game game;
    game.connect(ada, channels);
    game.from(ada, hex("57040000 01000000 09"), 1);
    const std::vector<Item> frames = game.read({"-o", "godot_mp.enet.port:5099"});
    EXPECT_EQ(find_item(frames[1], "godot_mp.source") != nullptr, channels == 3) << channels;
    EXPECT_NE(frames[1].child("godot_mp"), nullptr);
  }
}

TEST(MultiplayerMessages, EngineVersionPreferenceOverridesDetection) {
  Game game;  // its connect was not captured
  const std::size_t message3 = game.from(ada, known_message3, 1);
  const std::string port = "godot_mp.enet.port:5099";
  const auto expert_message = [&](const std::string &generation) {
    return describe(game.read({"-o", "godot_mp.generation:" + generation})[message3 - 1]);
  };
  EXPECT_EQ(expert_message("auto"), "Path 1 is Main/World");
  EXPECT_EQ(expert_message("3"), "Path 1 is Main/World");
  EXPECT_EQ(expert_message("4"), "data");

  Game other;
  const std::size_t message4 = other.from(ada, known_message4, 1);
  const auto other_told = [&](const std::string &generation) {
    return describe(other.read({"-o", "godot_mp.generation:" + generation})[message4 - 1]);
  };
  EXPECT_EQ(other_told("auto"), "Path 1 is Main/World");
  EXPECT_EQ(other_told("4"), "Path 1 is Main/World");
  EXPECT_EQ(other_told("3"), "data");

  // The channel count is used only if no preference sets the engine version.
  Game many;
  many.connect(ada, Game::channels_of_godot4);
  many.from(ada, known_message3, 1);
  EXPECT_EQ(describe(many.read()[1]), "data");
  EXPECT_EQ(describe(many.read({"-o", "godot_mp.generation:3"})[1]), "Path 1 is Main/World");

  // On a configured port, a broken message belongs to the generation that the user sets.
  Game broken;
  broken.connect(ada, Game::channels_of_godot4);
  broken.from(ada, hex("57040000 01000000 09"), 1);
  const std::vector<Item> frames = broken.read({"-o", port, "-o", "godot_mp.generation:3"});
  EXPECT_EQ(describe(frames[1]), "Unknown command 9 [unsupported] | godot_mp.unsupported");
}

// The preference applies to arguments and to the evidence for a game.
TEST(MultiplayerMessages, RealSizePreferenceReads64BitReals) {
  Game game;
  game.connect(ada, Game::channels_of_godot3);
  const std::string vector = hex("05000000 000000000000f03f 0000000000000040");
  const std::size_t call = game.from(ada, i32(ada) + i32(1) + hex("00 01000000 686900 01") + vector, 1);
  EXPECT_EQ(describe(game.read()[call - 1]), "data");
  EXPECT_EQ(describe(game.read({"-o", "godot.real:double"})[call - 1]),
            "RPC #1.hi((1, 2)) [path 1 was not announced there]");
}

// --- WebSocket -------------------------------------------------------------------------------------------------

// A connection on a port that a preference names.
class WebSocketGame {
 public:
  WebSocketGame() {
    connection_.shake_hands();
    connection_.send(
        "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    connection_.answer(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  }
  void from_client(const std::string &message) {
    constexpr int has_mask = 0x80;
    connection_.send(u8(0x82) + u8(has_mask | static_cast<int>(message.size())) + std::string(4, '\0') + message);
  }
  void text_from_server(const std::string &message) {
    connection_.answer(u8(0x81) + u8(static_cast<int>(message.size())) + message);
  }
  void from_server(const std::string &message) {
    connection_.answer(u8(0x82) + u8(static_cast<int>(message.size())) + message);
  }
  // Returns the summaries of the messages.
  [[nodiscard]] Texts read() const {
    const fs::path path = scratch_folder() / "websocket_game.pcap";
    connection_.pcap().save(path);
    Texts all;
    for (const Item &frame : read_details(path, {"-o", "godot_mp.ws.port:5098", "-Y", "websocket"})) {
      all.push_back(describe(frame));
    }
    return all;
  }

 private:
  TcpConversation connection_{{50123, 5098}};
};

TEST(MultiplayerMessages, BrokenWebSocketMessagesAreReported) {
  // Godot reads the text as a command and fails. Other code may send such texts with put_packet() of multiplayer_peer.
  const std::string stray_text = "Text \"a text message\" [not a multiplayer message]";
  WebSocketGame game4;
  game4.from_server(i32(ada));
  game4.from_client(known_message4);
  game4.from_client(hex("05 0100"));
  game4.from_client("a text message");
  game4.from_server(hex("07 05 00"));
  game4.from_client(hex("80 01 00"));
  EXPECT_EQ(
      game4.read(),
      (Texts{"You are peer 1111", "Path 1 is Main/World", "Despawn ? [malformed] | godot_mp.malformed | 0100",
             stray_text, "Unknown system message 5 [unsupported] | godot_mp.unsupported | 00", "RPC Main/World.#0()"}));
  WebSocketGame game3;
  const std::string known = hex("00") + i32(1) + i32(ada) + hex("02") + u32(1) + zero_terminated("Main/World");
  game3.from_server(known);
  game3.from_server(hex("00 01000000 57040000 09"));
  game3.from_server(hex("07 01000000 00000000 05000000"));
  game3.from_server(hex("01 01000000 0000"));
  game3.text_from_server("a text message");
  game3.from_server("a text message");
  EXPECT_EQ(game3.read(), (Texts{"Path 1 is Main/World", "Unknown command 9 [unsupported] | godot_mp.unsupported",
                                 "Unknown system message 7 [unsupported] | godot_mp.unsupported | 05000000",
                                 "Unknown system message 1 [malformed] | godot_mp.malformed | 0000", "data",
                                 "Unknown system message 97 [unsupported] | godot_mp.unsupported | 7373616765"}));
  // Before the connection is identified.
  WebSocketGame unknown;
  unknown.from_client("a text message");
  unknown.from_client(hex("05 0100"));
  EXPECT_EQ(unknown.read(), (Texts{stray_text, "Despawn ? [malformed] | godot_mp.malformed | 0100"}));
}

// --- Relays ----------------------------------------------------------------------------------------------------

TEST(MultiplayerMessages, RelayedMessageShowsItsReceiver) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  const std::pair<std::int32_t, const char *> targets[] = {{bo, "To 2222: Raw bytes(1) \"a\""},
                                                           {0, "To all: Raw bytes(1) \"a\""},
                                                           {-1, "To all but 1: Raw bytes(1) \"a\""},
                                                           {-bo, "To all but 2222: Raw bytes(1) \"a\""}};
  for (const auto &[target, text] : targets) game.from(ada, relay(target, hex("03 61")));
  const std::size_t unknown_peer = game.from(ada, relay(std::numeric_limits<std::int32_t>::min(), hex("03 61")));
  game.to(ada, relay(bo, hex("03 61")));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(describe(frames[unknown_peer - 1]), "To all but 2147483648: Raw bytes(1) \"a\"");
  EXPECT_EQ(frames[unknown_peer - 1].child("godot_mp")->child_text("godot_mp.receiver"), "0");
  for (std::size_t i = 0; i < std::size(targets); ++i) {
    const Item &layer = *frames[i + 2].child("godot_mp");
    EXPECT_EQ(describe(frames[i + 2]), targets[i].second);
    EXPECT_EQ(layer.child_text("godot_mp.receiver"), std::to_string(targets[i].first));
  }
  EXPECT_EQ(describe(frames.back()), "From 2222: Raw bytes(1) \"a\"");
}

// An engine accepts no system command from a relay. The plugin does not decode deeper nesting.
TEST(MultiplayerMessages, NestedRelaysAreRejectedAndLimited) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  const std::string raw = hex("03 61");
  const std::size_t peer = game.from(ada, relay(bo, hex("0701 05000000")));
  const std::size_t twice = game.from(ada, relay(bo, relay(cy, raw)));
  const std::size_t thrice = game.from(ada, relay(bo, relay(cy, relay(bo, raw))));
  std::string many = raw;
  for (int i = 0; i < 150; ++i) many = relay(bo, many);
  const std::size_t deep = game.from(ada, many);
  // A rejected message does not change the state.
  game.from(ada, relay(bo, relay(cy, simplify_path(9, "Main/Nine"))));
  const std::size_t call = game.from(ada, relay(bo, hex("80 09 00")));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(describe(frames[peer - 1]), "To 2222: Peer 5 connected [malformed] | godot_mp.malformed");
  EXPECT_EQ(describe(frames[twice - 1]), "To 2222: To 3333: Raw bytes(1) \"a\" [malformed] | godot_mp.malformed");
  EXPECT_EQ(
      describe(frames[thrice - 1]),
      "To 2222: To 3333: To 2222:  [nested too deep] | godot_mp.malformed | godot_mp.malformed | godot_mp.limit | "
      "0361");
  const Item &layer = *frames[deep - 1].child("godot_mp");
  EXPECT_EQ(layer.child("godot_mp.undecoded")->size, layer.size - 3 * 6);
  EXPECT_EQ(find_all(layer, "godot_mp.limit").size(), 1U);
  EXPECT_EQ(find_all(layer, "godot_mp.command").size(), 3U);
  EXPECT_EQ(describe(frames[call - 1]), "To 2222: RPC #9.#0() [path 9 was not announced there]");
}

// --- Synchronized objects --------------------------------------------------------------------------------------

// Returns the ids of the late objects in each frame.
std::vector<std::string> late_object_ids(const std::vector<Item> &frames) {
  std::vector<std::string> all;
  for (const Item &frame : frames) {
    std::string late;
    walk(frame, [&late](const Item &item) {
      if (item.name != "godot_mp.object" || find_item(item, "godot_mp.late_sync") == nullptr) return true;
      late += item.child_text("godot_mp.net_id") + item.child_text("godot_mp.path_id") + " ";
      return true;
    });
    all.push_back(late);
  }
  return all;
}

TEST(MultiplayerMessages, SyncOlderThanAnEarlierOneOfItsObjectIsLate) {
  Game game;
  game.connect(ada);
  game.connect(bo);
  std::vector<std::string> expected(2);
  const auto from_ada = [&](const std::string &message, const char *late) {
    game.from(ada, message);
    expected.emplace_back(late);
  };
  constexpr std::uint32_t path_flag = 1U << 31;
  from_ada(known_message4, "");
  from_ada(sync(5, sync_object(1) + sync_object(2)), "");
  from_ada(sync(4, sync_object(1) + sync_object(3)), "1 ");  // object 3 is new
  from_ada(sync(5, sync_object(2) + sync_object(3)), "2 ");  // an equal time is late as well
  from_ada(sync(6, sync_object(1)), "");
  from_ada(sync(5, sync_object(1)), "1 ");            // the time of a late sync is ignored
  from_ada(sync(6, sync_object(2)), "");              // each object has its own time
  from_ada(sync(1, sync_object(1 | path_flag)), "");  // a path id is not a net id
  from_ada(hex("16") + u32(1) + little_endian(std::uint64_t{1}) + u32(2) + hex("0207"), "");  // a delta has no time
  // Syncs for another receiver have separate times, even if the server relays them.
  from_ada(relay(bo, sync(2, sync_object(1))), "");
  from_ada(relay(bo, sync(1, sync_object(1))), "1 ");
  from_ada(relay(cy, sync(1, sync_object(1))), "");
  game.to(bo, relay(ada, sync(2, sync_object(1))));
  expected.emplace_back("");
  game.to(bo, relay(ada, sync(1, sync_object(1))));
  expected.emplace_back("1 ");
  game.to(bo, relay(cy, sync(1, sync_object(1))));
  expected.emplace_back("");
  game.to(ada, sync(1, sync_object(1)));
  expected.emplace_back("");
  // A respawned node has new synchronizers, but their ids may be the old ids.
  from_ada(hex("04 00 01000000 08000000 01000000 02000000") + u32(1) + zero_terminated("P"), "");
  from_ada(sync(1, sync_object(1)), "");
  from_ada(sync(1, sync_object(2)), "2 ");
  EXPECT_EQ(late_object_ids(game.read()), expected);
  EXPECT_EQ(late_object_ids(game.read({"-2"})), expected);
}

// MultiplayerSynchronizer::update_inbound_sync_time(): a time that is 32767 or more behind counts as ahead, so it is
// not late.
TEST(MultiplayerMessages, SyncIsNotLateAfterTheTimeWraps) {
  const std::pair<std::uint16_t, bool> times[] = {{40000, false}, {7234, true}, {7233, false},  {40001, false},
                                                  {65535, false}, {0, false},   {65535, false}, {32768, false},
                                                  {32769, false}, {2, false},   {1, true}};
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  std::vector<std::string> expected(2);
  for (const auto &[time, is_late] : times) {
    game.from(ada, sync(time, sync_object(1)));
    expected.emplace_back(is_late ? "1 " : "");
  }
  EXPECT_EQ(late_object_ids(game.read()), expected);
}

TEST(MultiplayerMessages, OversizedSyncIsReported) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  const auto sync_of = [](std::size_t size) {
    const std::size_t values = size - 3 - 8 - 8;  // in a String, after its header and length
    return sync(1, u32(1) + u32(static_cast<std::uint32_t>(values + 8)) + u32(4) +
                       u32(static_cast<std::uint32_t>(values)) + std::string(values, 'x'));
  };
  // The engine's size limit applies to each sync object, at any position in the message. Deltas have no limit.
  const std::size_t most = game.from(ada, sync_of(1347) + hex("000000"));
  const std::size_t more = game.from(ada, sync_of(1351));
  const std::size_t relayed = game.from(ada, relay(bo, sync_of(1347)));
  const std::size_t more_relayed = game.from(ada, relay(bo, sync_of(1355)));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(frames[most - 1].child("godot_mp")->size, 1350U);
  const auto count = [&](std::size_t frame) { return find_all(frames[frame - 1], "godot_mp.oversized_sync").size(); };
  EXPECT_EQ(count(most), 0U);
  EXPECT_EQ(count(more), 1U);
  EXPECT_EQ(count(relayed), 0U);
  EXPECT_EQ(count(more_relayed), 1U);
}

TEST(MultiplayerMessages, FragmentedUnreliableMessageIsReportedOnce) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  const std::size_t fragments = game.fragments_from(ada, relay(bo, hex("03") + std::string(2000, 'x')));
  const std::size_t whole = game.from(ada, relay(bo, hex("03") + std::string(2000, 'x')));
  const std::vector<Item> frames = game.read();
  const std::string many = "Raw bytes(2000) \"" + std::string(32, 'x') + "\u2026\"";
  EXPECT_EQ(describe(frames[fragments - 1]), "To 2222: " + many + " | godot_mp.over_mtu");
  EXPECT_EQ(describe(frames[fragments - 2]), "");
  EXPECT_EQ(describe(frames[whole - 1]), "To 2222: " + many);
}

// --- Custom payloads -------------------------------------------------------------------------------------------

// Returns the values below items that are marked as guessed, as `/path:text`.
Texts guessed_values(const Item &frame) {
  Texts values;
  const Item *const guess = find_item(frame, "godot_mp.data.guessed");
  if (guess == nullptr) return {"none"};
  EXPECT_TRUE(is_true(guess->show));
  for (const std::string &value : find_all(*guess, "godot.path_with_value")) values.push_back(value);
  // The root has no path.
  if (values.empty() && !guess->children.empty()) values.push_back(guess->children.front().label);
  return values;
}

TEST(MultiplayerMessages, PayloadThatIsOneVariantIsDecoded) {
  const std::string four = hex("02000000 07000000");
  const std::string text4 = hex("15000000 02000000 68690000");  // a StringName, which Godot 3 does not have
  const auto call3 = [](const std::string &name, const std::string &arguments) {
    return i32(ada) + i32(1) + hex("00 01000000") + zero_terminated(name) + arguments;
  };
  const auto bytes3 = [](const std::string &bytes) {
    return hex("14000000") + u32(static_cast<std::uint32_t>(bytes.size())) + bytes;
  };
  Game game4;
  game4.connect(ada);
  game4.from(ada, known_message4);
  Game game3;
  game3.connect(ada, Game::channels_of_godot3);
  game3.from(ada, known_message3, 1);
  struct GuessedVariant {
    std::size_t frame;
    Texts values;
  };
  const std::vector<GuessedVariant> guesses4 = {{game4.from(ada, hex("03") + four), {"Value: 7"}},
                                                {game4.from(ada, hex("0700") + four), {"Value: 7"}},
                                                {game4.from(ada, hex("80 01 00") + four), {"/0:7"}},
                                                {game4.from(ada, hex("80 01 00") + text4), {"/0:hi"}},
                                                {game4.from(ada, hex("80 01 00") + four + hex("00")), {"none"}},
                                                {game4.from(ada, hex("80 01 00") + four.substr(1)), {"none"}},
                                                {game4.from(ada, relay(bo, hex("80 01 00") + four)), {"/0:7"}},
                                                {game4.from(ada, hex("00 01 00 01 0207")), {"none"}}};
  const std::vector<GuessedVariant> guesses3 = {
      {game3.from(ada, call3("blob", hex("01") + bytes3(four)), 1), {"/0:7"}},
      {game3.from(ada, call3("blob", hex("02") + bytes3(four) + four), 1), {"none"}},
      {game3.from(ada, call3("blob", hex("01") + bytes3(text4)), 1), {"none"}},
      {game3.from(ada, call3("blob", hex("01") + bytes3(hex("01020304"))), 1), {"none"}},
      {game3.from(ada, i32(ada) + i32(1) + hex("04") + four, 1), {"Value: 7"}}};
  const std::vector<Item> frames4 = game4.read();
  const std::vector<Item> frames3 = game3.read();
  for (const GuessedVariant &guess : guesses4)
    EXPECT_EQ(guessed_values(frames4[guess.frame - 1]), guess.values) << guess.frame;
  for (const GuessedVariant &guess : guesses3)
    EXPECT_EQ(guessed_values(frames3[guess.frame - 1]), guess.values) << guess.frame;
}

// --- Identification of peers -----------------------------------------------------------------------------------

// Returns `sender>receiver` of each frame, "?" if unknown.
Texts routes(const std::vector<Item> &frames) {
  Texts all;
  for (const Item &frame : frames) {
    const Item *const layer = frame.child("godot_mp");
    if (layer == nullptr) continue;
    const std::string sender = layer->child_text("godot_mp.sender");
    const std::string receiver = layer->child_text("godot_mp.receiver");
    all.push_back((sender.empty() ? "?" : sender) + ">" + (receiver.empty() ? "?" : receiver));
  }
  return all;
}

void expect_routes(const Game &game, const Texts &expected) {
  EXPECT_EQ(routes(game.read()), expected);
  EXPECT_EQ(routes(game.read({"-2"})), expected);
}

TEST(MultiplayerMessages, CapturedConnectIdentifiesTheClient) {
  Game game;
  game.connect(ada);
  game.from(ada, known_message4);
  game.to(ada, known_message4);
  expect_routes(game, {"1111>1", "1>1111"});
}

// A relayed message identifies its sender and its receiver.
TEST(MultiplayerMessages, RelayIdentifiesItsEndpoints) {
  Game game;
  const std::string call = simplify_path(3, "Main/Players/Ada");
  game.from(ada, known_message4);
  game.to(bo, known_message4);
  game.from(ada, relay(bo, call));
  game.to(bo, relay(ada, call));
  game.from(ada, hex("80 01 00"));
  game.to(bo, hex("80 01 00"));
  // Earlier messages are attributed to them as well.
  game.from(bo, relay(ada, hex("02 01") + u32(3)));
  const std::vector<Item> frames = game.read();
  expect_routes(game, {"?>1", "1>?", "?>2222", "1111>2222", "1111>1", "1>2222", "2222>1111"});
  EXPECT_EQ(describe(frames[4]), "RPC Main/World.#0()");
  EXPECT_EQ(describe(frames[5]), "RPC Main/World.#0()");
  EXPECT_EQ(describe(frames[6]), "To 1111: Path 3 confirmed: Main/Players/Ada");
}

// If two clients send equal bytes, either may be the sender. For short messages this is likely.
TEST(MultiplayerMessages, AmbiguousRelayIdentifiesNoPeer) {
  Game game;
  const std::string call = simplify_path(3, "Main/Players/Ada");
  game.from(ada, known_message4);
  game.from(cy, known_message4);
  game.to(bo, known_message4);
  game.from(cy, relay(bo, call));
  game.from(ada, relay(bo, call));
  game.to(bo, relay(ada, call));
  game.from(ada, relay(bo, hex("80 01 00")));
  game.to(bo, relay(ada, hex("80 01 00")));
  game.from(ada, hex("80 01 00"));
  expect_routes(game, {"?>1", "?>1", "1>?", "?>2222", "?>2222", "1111>?", "?>2222", "1111>?", "?>1"});
}

// A broadcast to all peers except one identifies its sender, but no receiver.
TEST(MultiplayerMessages, BroadcastIdentifiesItsSender) {
  Game game;
  const std::string call = hex("03") + "hello, all of you";
  game.from(ada, known_message4);
  game.to(bo, known_message4);
  game.from(ada, relay(-cy, call));
  game.to(bo, relay(ada, call));
  game.from(ada, known_message4);
  expect_routes(game, {"?>1", "1>?", "?>-3333", "1111>?", "1111>1"});
}

// The server announces the present peers to a newcomer, and the newcomer to them.
TEST(MultiplayerMessages, PeerListOfANewcomerIdentifiesTheOthers) {
  Game game;
  game.from(ada, known_message4);
  game.connect(bo);
  game.to(ada, hex("0701") + i32(bo));
  game.to(bo, hex("0701") + i32(ada));
  game.from(ada, hex("80 01 00"));  // the list may be incomplete
  game.to(bo, known_message4);
  game.from(ada, hex("80 01 00"));
  expect_routes(game, {"?>1", "1>?", "1>2222", "?>1", "1>2222", "1111>1"});

  // Two unidentified clients cannot be distinguished. A peer that does not get the announcement of the newcomer is not
  // on the newcomer's list.
  Game two;
  two.from(ada, known_message4);
  two.from(cy, known_message4);
  two.connect(bo);
  for (const std::int32_t each : {ada, cy}) {
    two.to(each, hex("0701") + i32(bo));
    two.to(bo, hex("0701") + i32(each));
  }
  two.to(bo, known_message4);
  two.from(ada, hex("80 01 00"));
  EXPECT_EQ(routes(two.read()).back(), "?>1");
  Game unannounced;
  unannounced.from(ada, known_message4);
  unannounced.connect(bo);
  unannounced.to(bo, hex("0701") + i32(cy));
  unannounced.to(bo, known_message4);
  unannounced.from(ada, hex("80 01 00"));
  EXPECT_EQ(routes(unannounced.read()).back(), "?>1");
}

// In Godot 3 the prefix contains the sender. The server sends a message for one peer only to that peer.
TEST(MultiplayerMessages, Godot3PrefixesIdentifyThePeers) {
  const std::string call = hex("00 01000000 686900 00");
  const std::string add = u32(0) + i32(cy);
  Game client;
  client.to(ada, i32(1) + i32(0) + call, 1);
  client.to(ada, add, 0);
  client.from(ada, i32(ada) + i32(0) + call, 1);
  client.to(ada, i32(1) + i32(-bo) + call, 1);
  client.to(ada, add, 0);
  expect_routes(client, {"1>0", "1>?", "1111>0", "1>-2222", "1>1111"});
  Game server;
  server.to(ada, i32(bo) + i32(0) + call, 1);
  server.to(ada, add, 0);
  server.to(ada, i32(bo) + i32(ada) + call, 1);
  server.to(ada, add, 0);
  expect_routes(server, {"2222>0", "1>?", "2222>1111", "1>1111"});
}

// --- Reported problems -----------------------------------------------------------------------------------------

// Returns the text of a frame's expert item.
std::string expert_message(const Item &frame, std::string_view name) {
  const Item *const item = find_item(frame, name);
  return item == nullptr ? "" : item->label;
}

TEST(MultiplayerMessages, CallWithAPathIdAnnouncedOnlyToOthersIsReported) {
  Game game;
  game.connect(ada);
  game.connect(bo);
  game.to(ada, simplify_path(3, "Main/World"));
  game.to(bo, known_message4);
  const std::size_t call = game.to(bo, hex("80 03 00"));
  game.to(cy, known_message4);
  const std::size_t before = game.to(cy, hex("80 03 00"));
  const std::vector<Item> frames = game.read();
  EXPECT_NE(expert_message(frames[call - 1], "godot_mp.unannounced_path")
                .find("Peer 2222 has not got path 3 (Main/World), but peer 1111 has (frame 3)"),
            std::string::npos);
  EXPECT_EQ(frames[call - 1].child("godot_mp")->child_text("godot_mp.path"), "Main/World");
  EXPECT_EQ(expert_message(frames[call - 1], "godot_mp.unknown_path"), "");
  EXPECT_EQ(expert_message(frames[before - 1], "godot_mp.unannounced_path"), "");
  EXPECT_NE(expert_message(frames[before - 1], "godot_mp.unknown_path"), "");
}

TEST(MultiplayerMessages, SyncOfANodeMissingAtTheReceiverIsReported) {
  Game game;
  game.connect(ada);
  game.to(ada, known_message4);
  const std::size_t early = game.to(ada, sync(1, sync_object(6)));
  game.to(ada, hex("04 00 01000000 05000000 01000000 03000000 06000000 503100"));
  const std::size_t there = game.to(ada, sync(2, sync_object(6)));
  const std::size_t despawn = game.to(ada, hex("05 05000000"));
  const std::size_t late = game.to(ada, sync(3, sync_object(6)));
  const std::vector<Item> frames = game.read();
  EXPECT_NE(expert_message(frames[early - 1], "godot_mp.unknown_node"), "");
  EXPECT_EQ(expert_message(frames[there - 1], "godot_mp.unknown_node"), "");
  EXPECT_EQ(expert_message(frames[despawn - 1], "godot_mp.unknown_node"), "");
  EXPECT_NE(expert_message(frames[late - 1], "godot_mp.unknown_node")
                .find("Peer 1111 has already got the node's despawn (frame " + std::to_string(despawn) + ")"),
            std::string::npos);
  // A later pass knows later frames.
  const std::vector<Item> again = game.read({"-2"});
  EXPECT_NE(expert_message(again[early - 1], "godot_mp.unknown_node").find("gets the node's spawn later (frame 4)"),
            std::string::npos);
  EXPECT_EQ(find_item(frames[early - 1], "godot_mp.sync.interval"), nullptr);
}

TEST(MultiplayerMessages, CallAfterAFailedMethodChecksumIsReported) {
  Game game;
  game.connect(ada);
  game.to(ada, known_message4);
  const std::size_t before = game.to(ada, hex("80 01 00"));
  game.from(ada, hex("02 00 01000000"));
  const std::size_t after = game.to(ada, hex("80 01 00"));
  const std::vector<Item> frames = game.read();
  EXPECT_EQ(expert_message(frames[before - 1], "godot_mp.after_checksum_failure"), "");
  EXPECT_NE(expert_message(frames[after - 1], "godot_mp.after_checksum_failure").find("Main/World differ"),
            std::string::npos);
}

TEST(MultiplayerMessages, ValuesAreFilteredByNodeAndIndex) {
  Game game;
  game.connect(ada);
  game.to(ada, known_message4);
  game.to(ada, hex("04 00 01000000 05000000 02000000 03000000 06000000 07000000 503100 0207"));
  game.to(ada, hex("16 06000000 0400000000000000 02000000 0263"));
  game.to(ada, sync(2, sync_object(7)));
  const fs::path path = game.save();
  const auto frames_with = [&](const std::string &filter) {
    std::string found;
    for (const Texts &row : read_fields(path, ports + Texts{"-Y", filter}, {"frame.number"})) found += row[0] + " ";
    return found;
  };
  EXPECT_EQ(frames_with("godot_mp.property_with_value == \"P1:spawn#0=7\""), "3 ");
  EXPECT_EQ(frames_with("godot_mp.property_with_value == \"P1:delta#2=99\""), "4 ");
  EXPECT_EQ(frames_with("godot_mp.property_path == \"P1#7:sync#0\""), "5 ");
  EXPECT_EQ(frames_with("godot_mp.property == \"delta#2\""), "4 ");
  EXPECT_EQ(frames_with("godot_mp.object == \"P1\""), "4 ");
  EXPECT_EQ(frames_with("godot_mp.object == \"P1#7\""), "5 ");
  EXPECT_EQ(frames_with("godot.path_with_value == \"/P1:delta#2:99\""), "4 ");
}

// --- Truncated captures ----------------------------------------------------------------------------------------

struct MpCapture {
  fs::path path;
  std::string name;

  [[nodiscard]] Texts options() const {
    if (name.starts_with("mp_ws")) return {"-o", "godot_mp.ws.port:5040,5042"};
    const bool is_from_source = name.ends_with("godot3.1") || name.ends_with("godot4.2");
    return {"-o", is_from_source ? "enet.udp.port:9890-9899" : "enet.udp.port:5030-5039"};
  }
  // Returns a part of the capture, made by editcap.
  [[nodiscard]] fs::path edited(const Texts &options, const Texts &frames = {}) const {
    fs::path result = scratch_folder() / ("cut_" + name + ".pcapng");
    Texts all = options;
    all.insert(all.end(), {path.string(), result.string()});
    all.insert(all.end(), frames.begin(), frames.end());
    EXPECT_EQ(run(EDITCAP, all).status, 0);
    return result;
  }
};

std::vector<MpCapture> mp_captures() {
  std::vector<MpCapture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    const std::string name = entry.path().filename().replace_extension().string();
    if (entry.path().extension() == ".pcapng" && name.starts_with("mp_")) found.push_back({entry.path(), name});
  }
  std::ranges::sort(found, {}, &MpCapture::name);
  return found;
}

// A message truncated by the snapshot length is reported only as truncated, not as malformed.
TEST(TruncatedMultiplayer, MessageCutBySnapLengthIsTruncatedNotMalformed) {
  const Texts bad = {"godot_mp.malformed", "godot_mp.unsupported", "godot_mp.trailing", "godot_mp.unknown_flags",
                     "godot.malformed",    "godot.unsupported",    "enet.malformed",    "enet.unsupported"};
  const Texts truncated = {"godot_mp.truncated", "godot.truncated", "enet.truncated"};
  for (const MpCapture &capture : mp_captures()) {
    if (capture.name.starts_with("mp_ws")) continue;  // TCP passes no truncated data on
    for (const char *const length : {"51", "60", "75", "100"}) {
      SCOPED_TRACE(capture.name + " " + length);
      bool is_truncated = false;
      for (const Texts &row : read_fields(capture.edited({"-s", length}), capture.options(), truncated + bad)) {
        const auto first_bad = row.begin() + static_cast<std::ptrdiff_t>(truncated.size());
        EXPECT_EQ(Texts(first_bad, row.end()), Texts(bad.size()));
        is_truncated |= std::any_of(row.begin(), first_bad, [](const std::string &text) { return !text.empty(); });
      }
      EXPECT_TRUE(is_truncated);
    }
  }
}

TEST(MultiplayerCaptures, HaveOnlyTheExpectedExpertItems) {
  const std::map<std::string, std::string> expected = {
      {"mp_rpc_godot3.6", "83 over_mtu, 100 over_mtu, "},
      {"mp_rpc_godot4.6", "88 over_mtu, 116 over_mtu, "},
      {"mp_spawn_godot4.6", "424 oversized_sync, 424 over_mtu, "},
  };
  const Texts notes = {"oversized_sync", "over_mtu", "late_sync", "trailing", "unknown_flags", "limit"};
  Texts fields = {"frame.number"};
  for (const std::string &note : notes) fields.push_back("godot_mp." + note);
  for (const MpCapture &capture : mp_captures()) {
    std::string found;
    for (const auto &row : read_fields(capture.path, capture.options() + Texts{"-Y", "godot_mp"}, fields)) {
      for (std::size_t i = 0; i < notes.size(); ++i) {
        if (!row[i + 1].empty()) found += row[0] + " " + notes[i] + ", ";
      }
    }
    EXPECT_EQ(found, expected.contains(capture.name) ? expected.at(capture.name) : "") << capture.name;
  }
}

// Splits details into the multiplayer items of each message, keyed by the first line of its frame.
std::map<std::string, std::string> messages_of(const std::string &details) {
  std::map<std::string, std::string> messages;
  std::string frame;
  bool is_message = false;
  for (const std::string &line : lines_of(details)) {
    if (line.starts_with("Frame ")) frame = line.substr(0, line.find(':'));
    if (!line.starts_with(' ')) is_message = line.starts_with("Godot ");
    if (is_message) messages[frame] += line + "\n";
  }
  return messages;
}

// Removes what later frames add: the sender's release, marks for events that never happen in the whole capture, and
// expert items that mention a later frame, with their subtrees.
std::string without_later_frames(const std::string &frame, const std::string &text) {
  static const std::regex never(R"( \[(never completed|refused|missing at the receiver)\])");
  const long frame_number = std::stol(frame.substr(frame.find(' ')));
  std::string left;
  std::size_t depth = std::string::npos;  // depth of the removed item
  for (const std::string &line : lines_of(text)) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent > depth) continue;
    const std::size_t link = line.rfind("(frame ");
    const bool is_link = line.substr(indent).starts_with("[Expert Info") && link != std::string::npos;
    const bool is_forward = is_link && std::stol(line.substr(link + std::string("(frame ").size())) > frame_number;
    const bool is_never = line.find("The authentication never completed") != std::string::npos ||
                          line.find(" within the authentication: ") != std::string::npos ||
                          line.find("though it is heard until long after") != std::string::npos;
    const std::string item = line.substr(indent);
    const bool is_left_out = is_forward || is_never || item.starts_with("[Release: ") ||
                             item.starts_with("[Problem: ") || item.starts_with("[Rule: ") ||
                             item.starts_with("[Severity: ") || item.starts_with("[Delivery: ");
    depth = is_left_out ? indent : std::string::npos;
    if (is_left_out) continue;
    left += std::regex_replace(line, never, "") + "\n";
  }
  return left;
}

// One pass shows everything that two passes show, except links to later frames (see without_later_frames()).
// scripts/attack/two_passes.py checks the same for complete captures.
TEST(TruncatedMultiplayer, IsDecodedTheSameInOneAndTwoPasses) {
  const Texts details = {"-V", "-O", "godot_mp,godot"};
  std::size_t frames = 0;
  for (const MpCapture &capture : mp_captures()) {
    // editcap 4.0 does not write the embedded keys, so an encrypted capture would have no messages.
    if (capture.name.starts_with("mp_wss")) continue;
    SCOPED_TRACE(capture.name);
    const fs::path cut = capture.edited({"-s", "80"});
    const std::map<std::string, std::string> once = messages_of(tshark(cut, capture.options() + details));
    std::map<std::string, std::string> twice = messages_of(tshark(cut, capture.options() + Texts{"-2"} + details));
    frames += once.size();
    for (const auto &[frame, text] : once) {
      EXPECT_EQ(without_later_frames(frame, twice[frame]), without_later_frames(frame, text)) << frame;
    }
  }
  EXPECT_GT(frames, 2500U);
}

// The capture lacks the spawns of nodes that were spawned before it began. These nodes must cause no problem.
TEST(TruncatedMultiplayer, MissingBeginningCausesNoProblem) {
  const MpCapture capture{fs::path(GODOT_CAPTURES_DIR) / "mp_spawn_godot4.6.pcapng", "mp_spawn_godot4.6"};
  const fs::path cut = capture.edited({}, {"1-60"});
  const std::string output =
      tshark(cut, {"-2", "-o", "enet.udp.port:5033", "-V", "-Y", "godot_mp.command == \"sync\""});
  EXPECT_NE(output.find("Net ID"), std::string::npos);
  const Texts filter = {"-2", "-o", "enet.udp.port:5033", "-Y", "godot_mp.unknown_node || godot_mp.unannounced_path"};
  EXPECT_EQ(read_fields(cut, filter, {"frame.number"}), std::vector<Texts>{});
}

TEST(TruncatedMultiplayer, ClientsAreIdentifiedWithoutTheBeginning) {
  const MpCapture capture{fs::path(GODOT_CAPTURES_DIR) / "mp_rpc_godot4.6.pcapng", "mp_rpc_godot4.6"};
  constexpr std::size_t left_out = 110;
  const fs::path cut = capture.edited({}, {"1-" + std::to_string(left_out)});
  const Texts options = {"-o", "enet.udp.port:5030", "-Y", "godot_mp"};
  const Texts fields = {"frame.number", "godot_mp.sender", "godot_mp.receiver"};
  const auto rest = read_fields(cut, options, fields);
  const auto whole = read_fields(capture.path, options, fields);
  std::map<std::size_t, std::vector<std::string>> expected;
  for (const auto &row : whole) expected[std::stoul(row[0])] = row;
  std::size_t last_unknown = 0;
  for (const auto &row : rest) {
    const std::size_t frame = std::stoul(row[0]) + left_out;
    for (const std::size_t i : {1, 2}) {
      if (row[i].empty()) {
        last_unknown = frame;
      } else {
        EXPECT_EQ(row[i], expected[frame][i]) << frame;
      }
    }
  }
  // Frame 121 is sent to the server, which relays it in frame 124. From then on, both clients are identified.
  EXPECT_EQ(last_unknown, 122U);
}

// --- Labels ----------------------------------------------------------------------------------------------------

TEST(MultiplayerLabels, FilterFieldsHaveReadableNames) {
  std::map<std::string, std::string> labels;
  for (const std::string &line : lines_of(run(TSHARK, {"-G", "fields"}).out)) {
    const Texts columns = split(line, '\t');
    if (columns.size() > 2 && columns[0] == "F" && columns[2].starts_with("godot_mp.")) labels[columns[2]] = columns[1];
  }
  EXPECT_GT(labels.size(), 40U);
  for (const auto &[name, label] : labels) {
    for (const char *const ugly : {"Rpc", "rpc", "Rset", "argc", "md5", " id", "Enet", "_", "sync count"}) {
      EXPECT_EQ(label.find(ugly), std::string::npos) << name << ": " << label;
    }
  }
  EXPECT_EQ(labels["godot_mp.rpc.md5"], "MD5 of the methods");
  EXPECT_EQ(labels["godot_mp.spawn.spawner_id"], "Spawner path ID");
  EXPECT_EQ(labels["godot_mp.rpc.argc"], "Argument count");
}

// The id was announced to no peer. This is the game's fault only if the connection was captured from its beginning.
TEST(MultiplayerMessages, CallWithAnUnannouncedPathIdIsReported) {
  for (const bool is_whole : {true, false}) {
    Game game;
    if (is_whole) game.connect(ada);
    game.from(ada, known_message4);
    const std::size_t call = game.from(ada, hex("80 07 00"));
    const std::vector<Item> frames = game.read({"-2"});
    const std::string text = expert_message(frames[call - 1], "godot_mp.unannounced_path");
    const bool is_reported =
        text.find("has not got path 7, and no other peer has, so Godot drops the message") != std::string::npos;
    EXPECT_EQ(is_reported, is_whole) << text;
    EXPECT_EQ(expert_message(frames[call - 1], "godot_mp.unknown_path").empty(), is_whole);
  }
}

// Auto-generated names of any nodes are a single problem.
TEST(MultiplayerProblems, AutoGeneratedNamesOfTwoPeersAreOneRow) {
  Game game;
  game.connect(ada);
  game.to(ada, known_message4);
  game.from(ada, hex("0201") + u32(1));
  for (const std::uint32_t id : {2U, 3U}) {
    game.to(ada, simplify_path(id, id == 2 ? "Main/@Timer@2" : "Main/@Node2D@7/Gun"));
    game.from(ada, hex("0200") + u32(id));
  }
  const std::vector<TableRow> rows = problems_of(game.save(), ports);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Count"), "2");
  EXPECT_EQ(rows[0].at("First frame"), "5");
  EXPECT_EQ(rows[0].at("Last frame"), "7");
}

}  // namespace
}  // namespace godot_codec::test
