// SPDX-License-Identifier: GPL-2.0-or-later
// Decompression bombs, and datagrams that are not ENet.
#include <enet/enet.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <random>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {
namespace {

// --- Bombs and malformed datagrams -----------------------------------------------------------------------------

std::string by_zlib(const std::string &bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef *>(out.data()), &size, reinterpret_cast<const Bytef *>(bytes.data()),
                      bytes.size(), 9),
            Z_OK);
  return out.substr(0, size);
}

std::string by_zstd(const std::string &bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
}

std::string by_range_coder(std::string bytes) {
  const std::unique_ptr<void, void (*)(void *)> coder(enet_range_coder_create(), enet_range_coder_destroy);
  std::string out(2 * bytes.size() + 64, '\0');
  ENetBuffer buffer{};
  buffer.data = bytes.data();
  buffer.dataLength = bytes.size();
  return out.substr(0, enet_range_coder_compress(coder.get(), &buffer, 1, bytes.size(),
                                                 reinterpret_cast<enet_uint8 *>(out.data()), out.size()));
}

/// FastLZ, level 1: a literal zero, then matches of 264 bytes at a distance of 1.
std::string zeros_by_fastlz(std::size_t size) {
  std::string out("\0\0", 2);
  for (std::size_t made = 1; made < size; made += 264) out += std::string("\xe0\xff\0", 3);
  return out;
}

constexpr int compressed_flag = 0x4000;

/// The values of enet.compression; no value may cause harm with any capture.
const Texts compressions = {"auto", "none", "range_coder", "fastlz", "zlib", "zstd"};

Texts compression_options(const std::string &name) {
  return ports + Texts{"-o", "enet.compression:" + (name == "auto" ? "Automatic" : name)};
}

TEST(EnetMalformed, DecompressionBombsAreReportedAndLimited) {
  constexpr std::size_t ten_megabytes = 10'000'000;
  const std::string zeros(ten_megabytes, '\0');
  const std::string few_zeros(1'000'000, '\0');
  std::string pings;
  for (int i = 0; i < 250'000; ++i) pings += ping_command(1);  // a bomb of valid commands
  const std::pair<const char *, std::string> bombs[] = {{"zlib", by_zlib(zeros)},
                                                        {"zstd", by_zstd(zeros)},
                                                        {"range coder", by_range_coder(few_zeros)},
                                                        {"FastLZ", zeros_by_fastlz(ten_megabytes / 2)},
                                                        {"zlib of pings", by_zlib(pings)},
                                                        {"zstd of pings", by_zstd(pings)},
                                                        {"range coder of pings", by_range_coder(pings)}};
  Exchange exchange;
  for (const auto &[name, bytes] : bombs) {
    EXPECT_GT(bytes.size(), 100U) << name;
    exchange.client(datagram(bytes.substr(0, 60000), 1000, compressed_flag));
  }
  exchange.client(datagram(reliable(1, 1, "\x98 after it")));
  for (const std::string &compression : compressions) {
    SCOPED_TRACE(compression);
    const std::vector<Item> frames = read_details(exchange.save(), compression_options(compression), modest_limits);
    ASSERT_EQ(frames.size(), exchange.frame());
    for (std::size_t i = 3; i + 1 < frames.size(); ++i) {
      EXPECT_TRUE(has(frames[i], "_ws.expert")) << bombs[i - 3].first;
      if (compression == "auto") {
        EXPECT_LE(child_number(enet_of(frames[i]), "enet.decompressed_size"), 4096) << bombs[i - 3].first;
      }
    }
    EXPECT_EQ(passed_texts(frames.back()), Texts{"\x98 after it"});
  }
}

// Commands are stored until a budget, proportional to the captured bytes, is exhausted. One expert item shows where.
TEST(EnetMalformed, CommandsOverTheBudgetAreReportedOnce) {
  Exchange exchange;
  constexpr int pings_in_datagram = 1024;
  for (int i = 0; i < 500; ++i) {
    std::string pings;
    for (int j = 0; j < pings_in_datagram; ++j) pings += ping_command(i);
    exchange.client(datagram(by_zlib(pings), i, compressed_flag));
  }
  const std::filesystem::path path = exchange.save();
  std::vector<Texts> reported;
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const std::vector<Texts> rows = read_fields(path, ports + passes + Texts{"-Y", "enet.over_memory_limit"},
                                                {"frame.number", "_ws.expert.severity"});
    ASSERT_EQ(rows.size(), 1U);
    reported.push_back(rows[0]);
  }
  EXPECT_EQ(reported[0][0], reported[1][0]);
  const int frame = std::stoi(reported[0][0]);
  EXPECT_GT(frame, 250);
  EXPECT_LT(frame, 400);
  // Commands before the budget was exhausted are still found.
  const std::vector<Texts> rows =
      read_fields(path, ports + Texts{"-Y", "frame.number == 200"}, {"enet.retransmission_of"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(split(rows[0][0], between_occurrences), Texts(pings_in_datagram - 1, "200"));
}

TEST(EnetMalformed, FalseCompressionFlagIsReported) {
  Exchange exchange;
  std::mt19937 generator(7);
  for (std::size_t size = 1; size < 150; ++size) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>(generator());
    if (size % 4 == 1) bytes = "\x78\x9c" + bytes;
    if (size % 4 == 2) bytes = "\x28\xb5\x2f\xfd" + bytes;
    exchange.client(datagram(bytes, 1000, compressed_flag));
  }
  exchange.client(datagram(reliable(1, 1, "\x98 after it")));
  for (const std::string &compression : compressions) {
    SCOPED_TRACE(compression);
    const std::vector<Item> frames = read_details(exchange.save(), compression_options(compression), modest_limits);
    ASSERT_EQ(frames.size(), exchange.frame());
    for (std::size_t i = 3; i + 1 < frames.size(); ++i) {
      if (compression == "auto") {
        EXPECT_TRUE(has(frames[i], "enet.unsupported") || has(frames[i], "enet.malformed")) << i + 1;
        EXPECT_TRUE(passed_messages_of(frames[i]).empty()) << i + 1;
      }
      ASSERT_NE(enet_of(frames[i]).child("enet.compressed_bytes"), nullptr) << i + 1;
    }
    EXPECT_EQ(passed_texts(frames.back()), Texts{"\x98 after it"});
  }
}

TEST(EnetMalformed, ModifiedCapturesCauseNoDissectorBug) {
  for (const char *const name : {"enet_none_godot4.6", "enet_range_coder_godot3.6", "enet_loss_godot3.2.3"}) {
    SCOPED_TRACE(name);
    Pcap pcap = pcap_of(named_capture(name).path);
    std::mt19937 generator(3);
    for (std::string &frame : pcap.frames) {
      constexpr std::size_t payload = 42;
      for (int i = 0; i < 3 && frame.size() > payload; ++i) {
        frame[payload + generator() % std::min<std::size_t>(frame.size() - payload, 40)] =
            static_cast<char>(generator());
      }
    }
    const fs::path path = scratch_folder() / "mutated.pcap";
    pcap.save(path);
    EXPECT_FALSE(tshark(path, ports + Texts{"-2", "-V"}, modest_limits).empty());
    EXPECT_FALSE(
        tshark(path, ports + Texts{"-q", "-z", "conv,enet", "-z", "follow,enet,hex,0"}, modest_limits).empty());
  }
}

TEST(EnetMalformed, ControlCharactersDoNotReachTheTerminal) {
  const std::string evil = "\x1b]0;owned\x07\x1b[31m\xe2\x80\xae red";
  const std::string padded = evil + std::string((4 - evil.size() % 4) % 4, '\0');
  const std::string variant =
      std::string("\x04\0\0\0", 4) + little_endian(static_cast<std::uint32_t>(evil.size())) + padded;
  // put_var(["game", "game"]), from which Variants are detected
  const std::string game("\x04\0\0\0\x04\0\0\0game", 12);
  const std::string plain = std::string("\x1c\0\0\0\x02\0\0\0", 8) + game + game;
  Exchange exchange;
  exchange.client(datagram(reliable(1, 1, plain) + reliable(1, 2, variant) + reliable(1, 3, evil)));
  for (const Texts &options : {Texts{}, Texts{"-V"}, Texts{"-V", "-x"}, Texts{"-T", "json"}, Texts{"-P", "-2"},
                               Texts{"-q", "-z", "follow,enet,ascii,0"}}) {
    tshark(exchange.save(), ports + options);  // tshark() expects no control characters
  }
  const std::string text = tshark(exchange.save(), ports + Texts{"-O", "godot"});
  EXPECT_NE(text.find("owned"), std::string::npos) << "but it can be read";
}

}  // namespace
}  // namespace godot_codec::test::enet
