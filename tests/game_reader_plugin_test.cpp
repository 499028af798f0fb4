// SPDX-License-Identifier: GPL-2.0-or-later
// Compares GameReader with the plugin: the same captures must have the same summaries and peers. Also tests hostile
// datagrams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "enet_exchange.h"
#include "godot-codec/core/bytes.h"
#include "godot-codec/core/utf8.h"
#include "godot-codec/game/game_reader.h"
#include "godot-codec/multiplayer/summary.h"
#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

// A datagram of a recorded frame (Ethernet, IPv4), in a memory block of exactly its size.
struct RecordedDatagram {
  explicit RecordedDatagram(const std::string &frame) {
    constexpr std::size_t payload = 14 + 20 + 8;
    if (frame.size() < payload || frame[14 + 9] != 17) return;
    const auto byte = [&frame](std::size_t at) { return static_cast<std::uint8_t>(frame[at]); };
    set(frame.substr(payload));
    datagram.from = {1, static_cast<std::uint16_t>(byte(34) << 8 | byte(35))};
    datagram.to = {1, static_cast<std::uint16_t>(byte(36) << 8 | byte(37))};
  }
  RecordedDatagram(GameEndpoint from, GameEndpoint to, const std::string &bytes) {
    set(bytes);
    datagram.from = from;
    datagram.to = to;
  }

  GameDatagram datagram;

 private:
  void set(const std::string &bytes) {
    memory_ = std::make_unique<std::uint8_t[]>(bytes.size());  // NOLINT(modernize-avoid-c-arrays)
    std::memcpy(memory_.get(), bytes.data(), bytes.size());
    datagram.bytes = {memory_.get(), bytes.size()};
  }

  std::unique_ptr<std::uint8_t[]> memory_;  // NOLINT(modernize-avoid-c-arrays)
};

// The summary and the peers of a message, from the reader or the plugin.
struct MessageTexts {
  std::string text;
  std::string sender;
  std::string receiver;
};

using ByFrame = std::map<std::size_t, std::vector<MessageTexts>>;

ByFrame read_capture(const std::string &name, PeerProtocol protocol) {
  ByFrame all;
  GameReader reader;
  std::size_t number = 0;
  for (const std::string &frame : pcap_of(capture(name)).frames) {
    ++number;
    RecordedDatagram recorded(frame);
    recorded.datagram.time = static_cast<std::int64_t>(number) * 1'000'000;
    for (const GameMessage &message : reader.read(recorded.datagram)) {
      if (message.protocol != protocol) continue;
      all[number].push_back({std::string(message.text) + outcome_mark(message.outcome), std::to_string(message.sender),
                             std::to_string(message.receiver)});
    }
  }
  EXPECT_EQ(reader.restart_count(), 0U);
  return all;
}

// Compares summaries. The plugin's are shorter, and end with marks: "RPC Main/Lobby.#1() [Main/Lobby is missing
// there]".
bool is_same_text(const std::string &shown, const std::string &read) {
  const std::size_t cut = shown.find("…");
  if (cut != std::string::npos) return read.starts_with(shown.substr(0, cut));
  return shown == read || (shown.starts_with(read + " [") && shown.ends_with(']'));
}

class EveryGameReaderCapture : public testing::TestWithParam<const char *> {};

TEST_P(EveryGameReaderCapture, MultiplayerSummariesEqualThoseOfThePlugin) {
  const ByFrame read = read_capture(GetParam(), PeerProtocol::multiplayer);
  std::size_t messages = 0;
  std::size_t frames = 0;
  const auto rows = read_fields(capture(GetParam()), {"-Y", "godot_mp"},
                                {"frame.number", "godot_mp.summary", "godot_mp.sender", "godot_mp.receiver"});
  for (const Texts &row : rows) {
    SCOPED_TRACE("frame " + row[0]);
    const Texts shown = split(row[1], between_occurrences);
    const auto found = read.find(std::stoul(row[0]));
    ASSERT_NE(found, read.end()) << row[1];
    const std::vector<MessageTexts> &texts = found->second;
    ASSERT_EQ(texts.size(), shown.size()) << row[1];
    const Texts senders = split(row[2], between_occurrences);
    const Texts receivers = split(row[3], between_occurrences);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(is_same_text(shown[i], texts[i].text)) << shown[i] << "\n" << texts[i].text;
      if (senders.size() == texts.size() && !senders[i].empty()) {
        EXPECT_EQ(texts[i].sender, senders[i]);
      }
      if (receivers.size() == texts.size() && !receivers[i].empty()) {
        EXPECT_EQ(texts[i].receiver, receivers[i]);
      }
    }
    messages += texts.size();
    ++frames;
  }
  EXPECT_GT(messages, 5U);
  EXPECT_EQ(frames, read.size());
}

INSTANTIATE_TEST_SUITE_P(captures, EveryGameReaderCapture,
                         testing::Values("mp_rpc_godot4.6", "mp_rpc_godot3.6", "mp_rpc_godot3.2.3", "mp_spawn_godot4.6",
                                         "mp_auth_godot4.6", "mp_many_godot4.6", "mp_enet0_godot3.1",
                                         "mp_enet1_godot4.2", "mp_enet3_godot3.1", "trouble_godot4.6",
                                         "lost_arguments_godot4.6"));

class EveryGameReaderVariantCapture : public testing::TestWithParam<const char *> {};

TEST_P(EveryGameReaderVariantCapture, VariantSummariesEqualThoseOfThePlugin) {
  const ByFrame read = read_capture(GetParam(), PeerProtocol::variant);
  constexpr std::size_t most_in_info = 12;
  std::size_t shown = 0;
  std::size_t texts = 0;
  for (const Texts &row :
       read_fields(capture(GetParam()), {"-Y", "godot.dialect"}, {"frame.number", "godot.dialect", "_ws.col.Info"})) {
    const std::size_t count = split(row[1], between_occurrences).size();
    shown += count;
    const auto found = read.find(std::stoul(row[0]));
    ASSERT_NE(found, read.end()) << "frame " << row[0];
    ASSERT_EQ(found->second.size(), count) << "frame " << row[0];
    for (std::size_t i = 0; i < std::min(count, most_in_info); ++i) {
      constexpr std::size_t enough = 60;
      EXPECT_NE(row[2].find(found->second[i].text.substr(0, enough)), std::string::npos) << row[2] << "\n"
                                                                                         << found->second[i].text;
    }
  }
  for (const auto &[frame, messages] : read) texts += messages.size();
  EXPECT_EQ(texts, shown);
  EXPECT_GT(texts, 50U);
}

INSTANTIATE_TEST_SUITE_P(captures, EveryGameReaderVariantCapture,
                         testing::Values("enet_none_godot4.6", "enet_range_coder_godot4.6", "enet_fastlz_godot4.6",
                                         "enet_zlib_godot4.6", "enet_zstd_godot4.6", "enet_loss_godot4.6"));

TEST(GameReaderCall, HasNodeMethodAndArguments) {
  const std::array<MpNameTableRow, 1> table = {{{"Main/Players/Ada", 4, "take_damage"}}};
  MpGameNames names;
  names.set_name_table(table);
  GameReader::Options options;
  options.names = &names;
  GameReader reader(options);
  std::size_t calls = 0;
  for (const std::string &frame : pcap_of(capture("mp_rpc_godot4.6")).frames) {
    const RecordedDatagram recorded(frame);
    for (const GameMessage &message : reader.read(recorded.datagram)) {
      if (message.method != "take_damage") continue;
      ++calls;
      EXPECT_EQ(message.message.command, MpCommand::rpc);
      EXPECT_EQ(message.path, "Main/Players/Ada");
      EXPECT_EQ(message.sender, mp_server);
      ASSERT_EQ(message.values.size(), 2U);
      const bool is_fall = message.values[0].integer() == 5;
      EXPECT_EQ(message.values[0].integer(), is_fall ? 5 : 300);
      EXPECT_EQ(message.values[1].text(), is_fall ? "fall" : "dragon");
      EXPECT_EQ(message.text, is_fall ? "RPC Main/Players/Ada.take_damage(5, \"fall\")"
                                      : "RPC Main/Players/Ada.take_damage(300, \"dragon\")");
    }
  }
  EXPECT_EQ(calls, 3U);  // one call for one peer, one for two
}

// Reads all parts of a message and checks them.
void expect_valid_message(const GameMessage &message) {
  EXPECT_TRUE(is_valid_utf8(message.text));
  EXPECT_TRUE(is_valid_utf8(message.path));
  EXPECT_TRUE(is_valid_utf8(message.method));
  std::size_t size = 0;
  for (const VariantValue &value : message.values) size += value.text().size() + value.entries().size();
  EXPECT_LE(size, message.bytes.reported);
}

TEST(GameReaderHostile, CorruptedDatagramsAreReadOrSkipped) {
  for (const char *name : {"mp_rpc_godot4.6", "mp_rpc_godot3.6", "enet_zlib_godot4.6", "enet_fastlz_godot4.6"}) {
    std::uint32_t random = 1;
    const auto next = [&random] { return (random = random * 1664525 + 1013904223) >> 8; };
    GameReader reader;
    std::size_t messages = 0;
    for (const std::string &frame : pcap_of(capture(name)).frames) {
      const RecordedDatagram whole(frame);
      if (whole.datagram.bytes.reported == 0) continue;
      for (int i = 0; i < 8; ++i) {
        std::string bytes(reinterpret_cast<const char *>(whole.datagram.bytes.data), whole.datagram.bytes.captured);
        for (std::uint32_t flips = next() % 4; flips > 0; --flips) {
          bytes[next() % bytes.size()] = static_cast<char>(next());
        }
        if (next() % 4 == 0) bytes.resize(next() % (bytes.size() + 1));
        const RecordedDatagram changed(whole.datagram.from, whole.datagram.to, bytes);
        for (const GameMessage &message : reader.read(changed.datagram)) {
          expect_valid_message(message);
          ++messages;
        }
      }
    }
    EXPECT_GT(messages, 100U) << name;
  }
}

TEST(GameReaderHostile, MemoryStaysWithinTheLimit) {
  GameReader::Options options;
  options.memory_limit = std::size_t{1} << 20;
  GameReader reader(options);
  const std::string data(1000, 'x');
  // Fragments of new messages and datagrams of new hosts without end.
  for (int i = 0; i < 20000; ++i) {
    const Fragment fragment{0, i % 60000, 2, 0, 2000, 0, data, false};
    const GameEndpoint client{2, static_cast<std::uint16_t>(1024 + i % 50000)};
    reader.read(RecordedDatagram(client, {1, 5020}, datagram(fragment.bytes(), i & 0xffff)).datagram);
    EXPECT_LE(reader.state_size(), 2 * options.memory_limit);
  }
  EXPECT_GT(reader.restart_count(), 0U);
  // The reader still works after it has started anew.
  std::size_t messages = 0;
  for (const std::string &frame : pcap_of(capture("mp_rpc_godot4.6")).frames) {
    messages += reader.read(RecordedDatagram(frame).datagram).size();
  }
  EXPECT_GT(messages, 100U);
}

TEST(GameReaderHostile, ForeignDatagramsAreIgnored) {
  GameReader reader;
  const std::size_t before = reader.state_size();
  for (const std::string &bytes : {std::string(), std::string("\0", 1), std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string(1400, '\xff'), std::string(1400, '\0')}) {
    EXPECT_TRUE(reader.read(RecordedDatagram({2, 4000}, {1, 5020}, bytes).datagram).empty());
    EXPECT_FALSE(reader.is_enet_datagram());
    EXPECT_EQ(reader.state_size(), before);
  }
}

}  // namespace
}  // namespace godot_codec::test
