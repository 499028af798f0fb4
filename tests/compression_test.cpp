// SPDX-License-Identifier: MIT
#include <enet/enet.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <random>

#include "enet_reading.h"
#include "events.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/datagram_reader.h"

namespace godot_codec::test {
namespace {

constexpr Compression real_compressions[] = {Compression::range_coder, Compression::fastlz, Compression::zlib,
                                             Compression::zstd};

/// Decompresses between heap blocks of exactly these sizes. A sanitizer then notices any access outside.
Data decompressed(Compression compression, const Data &data, std::size_t capacity = enet_max_datagram) {
  const ExactBytes in(data);
  const std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[capacity]);  // NOLINT(modernize-avoid-c-arrays)
  const std::size_t size = decompress(compression, {in.get().data, data.size()}, {out.get(), capacity});
  EXPECT_LE(size, capacity);
  return {{out.get(), out.get() + size}};
}

// --- The compressors of ENet hosts -----------------------------------------------------------------------------

Data by_range_coder(const Data &data) {
  const std::unique_ptr<void, void (*)(void *)> coder(enet_range_coder_create(), enet_range_coder_destroy);
  Data input = data;
  ENetBuffer buffer = {};  // the order of its members differs on Windows
  buffer.data = input.bytes.data();
  buffer.dataLength = input.size();
  Data out{std::vector<std::uint8_t>(2 * data.size() + 64)};
  out.bytes.resize(
      enet_range_coder_compress(coder.get(), &buffer, 1, input.size(), out.bytes.data(), out.bytes.size()));
  return out;
}

Data by_zlib(const Data &data) {
  uLongf size = compressBound(data.size());
  Data out{std::vector<std::uint8_t>(size)};
  EXPECT_EQ(compress(out.bytes.data(), &size, data.bytes.data(), data.size()), Z_OK);
  return out.first(size);
}

Data by_zstd(const Data &data) {
  Data out{std::vector<std::uint8_t>(ZSTD_compressBound(data.size()))};
  return out.first(ZSTD_compress(out.bytes.data(), out.size(), data.bytes.data(), data.size(), 3));
}

/// Returns a level 1 block that consists of literal runs, which is FastLZ's worst case.
Data as_literals(const Data &data) {
  constexpr std::size_t longest_run = 32;
  Data out;
  for (std::size_t at = 0; at < data.size(); at += longest_run) {
    const std::size_t length = std::min(longest_run, data.size() - at);
    out.bytes.push_back(static_cast<std::uint8_t>(length - 1));
    out.bytes.insert(out.bytes.end(), data.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     data.bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
  }
  return out;
}

Data compressed(Compression compression, const Data &data) {
  switch (compression) {
    case Compression::range_coder:
      return by_range_coder(data);
    case Compression::fastlz:
      return as_literals(data);
    case Compression::zlib:
      return by_zlib(data);
    case Compression::zstd:
      return by_zstd(data);
    case Compression::none:
      break;
  }
  return data;
}

/// Returns a send reliable command with the given data.
Data send_reliable(const Data &data) {
  const Data length = little_endian(data.size(), 2);
  return hex("86 00 0001") + Data{{length.bytes[1], length.bytes[0]}} + data;
}

Data random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  Data data;
  for (std::size_t i = 0; i < size; ++i) data.bytes.push_back(static_cast<std::uint8_t>(generator()));
  return data;
}

TEST(Compression, EachMethodHasAName) {
  EXPECT_EQ(compression_name(Compression::none), "none");
  EXPECT_EQ(compression_name(Compression::range_coder), "range coder");
  EXPECT_EQ(compression_name(Compression::fastlz), "FastLZ");
  EXPECT_EQ(compression_name(Compression::zlib), "zlib");
  EXPECT_EQ(compression_name(Compression::zstd), "Zstandard");
}

TEST(Compression, RoundTripRestoresTheInput) {
  const Data inputs[] = {hex("00"), hex("85ff0001"), repeat(hex("86000001000161"), 32), repeat(hex("00"), 4092),
                         random_bytes(4000, 1)};
  for (const Compression compression : real_compressions) {
    for (const Data &input : inputs) {
      SCOPED_TRACE(format("%s, %zu bytes", compression_name(compression).data(), input.size()));
      EXPECT_EQ(to_hex(decompressed(compression, compressed(compression, input))), to_hex(input));
    }
  }
  EXPECT_EQ(decompressed(Compression::none, hex("010203")).size(), 0U);
}

TEST(Compression, PartialOutputEqualsTheBeginningOfTheWhole) {
  const Data data{{0x86, 0x02, 0x00, 0x07, 0x00, 0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  const auto start_of = [](Compression compression, const Data &compressed) {
    std::vector<std::uint8_t> out{9, 9};
    out.resize(decompress_first_bytes(compression, compressed.bytes, out));
    return out;
  };
  EXPECT_EQ(start_of(Compression::range_coder, by_range_coder(data)), data.first(2).bytes);
  EXPECT_EQ(start_of(Compression::fastlz, as_literals(data)), data.first(2).bytes);
  // The block is a literal run of one byte, followed by a match.
  EXPECT_EQ(start_of(Compression::fastlz, Data{{0x00, 0x86, 0x20, 0x00}}), data.first(1).bytes);
  EXPECT_EQ(start_of(Compression::zlib, by_zlib(data)), std::vector<std::uint8_t>{});
  EXPECT_EQ(start_of(Compression::zstd, by_zstd(data)), std::vector<std::uint8_t>{});
  EXPECT_EQ(start_of(Compression::range_coder, Data{}), std::vector<std::uint8_t>{});
}

TEST(Compression, OutputOverTheCapacityFails) {
  const Data input = send_reliable(repeat(hex("61626364"), 50));
  for (const Compression compression : real_compressions) {
    const Data data = compressed(compression, input);
    for (std::size_t capacity = 0; capacity < input.size(); ++capacity) {
      SCOPED_TRACE(format("%s into %zu", compression_name(compression).data(), capacity));
      EXPECT_EQ(decompressed(compression, data, capacity).size(), 0U);
    }
    EXPECT_EQ(decompressed(compression, data, input.size()).size(), input.size());
  }
}

TEST(Compression, DecompressionBombsFail) {
  const Data zeros = repeat(hex("00"), 1'000'000);
  for (const Compression compression : {Compression::range_coder, Compression::zlib, Compression::zstd}) {
    EXPECT_EQ(decompressed(compression, compressed(compression, zeros)).size(), 0U) << compression_name(compression);
  }
  EXPECT_EQ(decompressed(Compression::fastlz, hex("0061") + repeat(hex("e0ff00"), 1000)).size(), 0U);
  EXPECT_EQ(decompressed(Compression::fastlz, hex("2061e0") + repeat(hex("ff"), 1000) + hex("0000")).size(), 0U);
}

TEST(Compression, TruncatedOrChangedInputNeverYieldsTheFullOutput) {
  const Data input = send_reliable(repeat(hex("61626364"), 20) + random_bytes(40, 2));
  for (const Compression compression : real_compressions) {
    const Data data = compressed(compression, input);
    for (std::size_t length = 0; length < data.size(); ++length) {
      const Data out = decompressed(compression, data.first(length));
      // The range coder reads zeros after the end of its input, so it may succeed.
      const bool may_go_on = compression == Compression::range_coder;
      EXPECT_TRUE(may_go_on || out.size() < input.size());
      for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
        Data changed = data;
        changed.bytes[length] ^= flip;
        static_cast<void>(decompressed(compression, changed));
      }
    }
  }
}

TEST(Compression, RandomInputCausesNoMemoryError) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Data noise = random_bytes(seed, seed);
    for (const Compression compression : real_compressions) {
      static_cast<void>(decompressed(compression, noise));
      static_cast<void>(decompressed(compression, hex("28b52ffd") + noise));
      static_cast<void>(decompressed(compression, hex("789c") + noise));
    }
  }
}

// --- FastLZ ----------------------------------------------------------------------------------------------------

TEST(FastLz, ReadsBothLevels) {
  struct Row {
    const char *block;
    const char *text;
  };
  const Row rows[] = {
      {"00 61", "61"},
      {"02 616263", "616263"},
      {"02 616263 00 64", "61626364"},
      {"02 616263 20 02", "616263616263"},         // the shortest match, from the start of the text
      {"02 616263 40 01", "61626362636263"},       // a match that overlaps itself
      {"00 61 20 00", "61616161"},                 // a match that repeats one byte
      {"00 61 c0 00", "616161616161616161"},       // the longest match in the short form
      {"00 61 e0 00 00", "61616161616161616161"},  // the shortest match in the long form
      {"00 61 e0 02 00 00 62", "61616161616161616161616162"},
      {"22 616263 20 02", "616263616263"},  // level 2: only the first byte has the level
      {"20 61 e0 00 00", "61616161616161616161"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(to_hex(decompressed(Compression::fastlz, hex(row.block))), row.text) << row.block;
}

TEST(FastLz, OnlyLevel2HasLengthsOfSeveralBytes) {
  EXPECT_EQ(decompressed(Compression::fastlz, hex("00 61 e0 ff 00")).size(), 1U + 9 + 255);
  EXPECT_EQ(decompressed(Compression::fastlz, hex("20 61 e0 ff 00 00")).size(), 1U + 9 + 255);
  EXPECT_EQ(decompressed(Compression::fastlz, hex("20 61 e0 ff ff 10 00")).size(), 1U + 9 + 255 + 255 + 16);
}

TEST(FastLz, OnlyLevel2HasDistancesOver8192Bytes) {
  // Level 1 reaches back at most 8192 bytes. In level 2, this distance means that two more distance bytes follow.
  const Data text = random_bytes(9000, 3);
  const std::size_t capacity = 10000;
  Data level1 = as_literals(text);
  Data level2 = level1;
  level2.bytes[0] |= 0x20;
  const Data in_level1 = decompressed(Compression::fastlz, level1 + hex("3f ff"), capacity);
  const Data in_level2 = decompressed(Compression::fastlz, level2 + hex("3f ff 0102"), capacity);
  const auto copied = [&text](std::size_t distance) {
    const auto start = text.bytes.end() - static_cast<std::ptrdiff_t>(distance);
    return to_hex(text + Data{{start, start + 3}});
  };
  EXPECT_EQ(to_hex(in_level1), copied(8192));
  EXPECT_EQ(to_hex(in_level2), copied(8192 + 0x102));
  EXPECT_EQ(decompressed(Compression::fastlz, level2 + hex("3f ff 0329"), capacity).size(), 0U) << "before the start";
  EXPECT_EQ(to_hex(decompressed(Compression::fastlz, level2 + hex("3f ff 0327"), capacity)), copied(9000 - 1));
}

TEST(FastLz, ReadsTheReferenceCompressorsOutput) {
  Data text = repeat(raw("abc"), 11);
  for (std::uint8_t i = 0; i < 40; ++i) text.bytes.push_back(i);
  text += repeat(raw("abc"), 3) + repeat(raw("z"), 600);
  const char *const level1 =
      "02616263e015021f000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f072021222324252627e00045007a"
      "e0fd00e0fd00e03d00047a7a7a7a7a";
  const char *const level2 =
      "22616263e015021f000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f072021222324252627e00045007a"
      "e0ffff4b00047a7a7a7a7a";
  EXPECT_EQ(to_hex(decompressed(Compression::fastlz, hex(level1))), to_hex(text));
  EXPECT_EQ(to_hex(decompressed(Compression::fastlz, hex(level2))), to_hex(text));
}

TEST(FastLz, RejectsBytesThatAreNotFastLz) {
  for (const char *block : {
           "", "00", "01 61",                                                       // missing literals
           "40 61", "60 61", "e0 61",                                               // unknown level
           "00 61 20", "00 61 e0", "00 61 e0 00", "20 61 e0 ff", "20 61 e0 ff 00",  // truncated match
           "00 61 20 01", "00 61 21 00",                         // match before the start of the text
           "20 61 3f ff", "20 61 3f ff 00", "20 61 3f ff 0000",  // long distance
       }) {
    EXPECT_EQ(decompressed(Compression::fastlz, hex(block)).size(), 0U) << block;
  }
}

// --- Datagrams of real engines ---------------------------------------------------------------------------------

struct Capture {
  const char *datagram;
  Compression compression;
  const char *commands;
};

// Datagrams from Godot 4.6.3 (the second from 3.6), and the commands into which zlib, Zstandard, FastLZ and ENet's own
// code decompress them.
constexpr Capture captured[] = {
    {"c00070610483ff0001006000010570a0090004600e60000d13880000000200000002d63b1fd3", Compression::fastlz,
     "83ff0001000000000000057000010000000000040000000000000000000013880000000200000002d63b1fd3"},
    {"40000c490200000005005c0066e42201200a001220030003200300042003400702636d64e0000b0261696d600b0005201b04616e676c65"
     "20074023030000803e402f05020000006279803b0b06000000636c69656e740000",
     Compression::fastlz,
     "490200000005005c0066e4220100000012000000030000000400000003000000636d6400040000000300000061696d0004000000050000006"
     "16e676c65000000030000000000803e0400000002000000627900000400000006000000636c69656e740000"},
    {"c0007c9c789c6bfecfc0c80006ac0550160b031c0877000926104e70d21507005c100383", Compression::zlib,
     "83ff000100000000000005700001000000000004000000000000000000001388000000020000000260422d17"},
    {"c00089e728b52ffd202c0d0100b883ff000100057004001388000000020000000294d10a610300b8825b12b7400b", Compression::zstd,
     "83ff000100000000000005700001000000000004000000000000000000001388000000020000000294d10a61"},
    {"c000670e8b7390abd45c3a4454d3", Compression::range_coder, "8aff00030000000000000000"},
};

Bytes commands_of(const ExactBytes &datagram) {
  return datagram.get().slice({read_enet_header(datagram.get()).offset, datagram.get().reported});
}

TEST(CompressionDetection, CompressionOfEngineDatagramsIsIdentified) {
  for (const Capture &capture : captured) {
    SCOPED_TRACE(capture.datagram);
    const ExactBytes datagram(hex(capture.datagram));
    ASSERT_TRUE(read_enet_header(datagram.get()).is_compressed);
    const Bytes rest = commands_of(datagram);
    EXPECT_EQ(recognise_compression(rest), capture.compression);
    std::array<std::uint8_t, enet_max_datagram> out{};
    const std::size_t size = decompress(capture.compression, {rest.data, rest.captured}, out);
    EXPECT_EQ(to_hex(Data{{out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size)}}), capture.commands);
  }
}

TEST(CompressionDetection, DoesNotDependOnEarlierDatagrams) {
  std::mt19937 generator(4);
  for (unsigned i = 0; i < 200; ++i) {
    const Data input = send_reliable(random_bytes(generator() % 50, i)) + hex("07 01 0003 0001 0002 6162") +
                       repeat(hex("01ff0002000256f8"), generator() % 5);
    for (const Compression compression : real_compressions) {
      const Data data = compressed(compression, input);
      const Bytes bytes(data.bytes.data(), data.size());
      EXPECT_EQ(recognise_compression(bytes), compression);
      for (const Compression before : real_compressions) EXPECT_EQ(recognise_compression(bytes, before), compression);
      EXPECT_EQ(recognise_compression(bytes, Compression::none), compression);
    }
  }
}

TEST(CompressionDetection, OutputOtherThanWholeEnetCommandsIsRejected) {
  const Data good = send_reliable(raw("hello"));
  for (const Compression compression : real_compressions) {
    const auto recognised = [&](const Data &input) {
      const Data data = compressed(compression, input);
      return recognise_compression({data.bytes.data(), data.size()}, compression);
    };
    EXPECT_EQ(recognised(good), compression);
    EXPECT_EQ(recognised(good + hex("00")), std::nullopt);
    EXPECT_EQ(recognised(good + hex("0d000000")), std::nullopt);
    EXPECT_EQ(recognised(good.first(good.size() - 1)), std::nullopt);
    EXPECT_EQ(recognised(random_bytes(60, 5)), std::nullopt);
    // Only the input of FastLZ is padded to 16 bytes.
    const bool may_be_padded = compression == Compression::fastlz;
    EXPECT_EQ(recognised(good + repeat(hex("00"), 16 - good.size())).has_value(), may_be_padded);
  }
}

TEST(CompressionDetection, TruncatedOrUncompressedDatagramHasNoCompression) {
  EXPECT_EQ(recognise_compression({}), std::nullopt);
  const Data data = by_zlib(send_reliable(raw("hello")));
  for (std::size_t length = 0; length < data.size(); ++length) {
    const ExactBytes bytes(data.first(length), data.size());
    EXPECT_EQ(recognise_compression(bytes.get()), std::nullopt) << "not all of it was captured";
  }
  const ExactBytes part(as_literals(hex("85ff0001")), 20);
  EXPECT_EQ(recognise_compression(part.get()), std::nullopt) << "what was captured ends with a command";
  const Data plain = repeat(hex("85ff0001"), 3);
  EXPECT_EQ(recognise_compression({plain.bytes.data(), plain.size()}, Compression::none), std::nullopt);
}

}  // namespace
}  // namespace godot_codec::test
