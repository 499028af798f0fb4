// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "godot-codec/embedded/embedded_decoder.h"
#include "godot-codec/embedded/embedded_format.h"

namespace godot_codec::test {
namespace {

using namespace std::string_literals;
using Data = std::vector<std::uint8_t>;

Bytes bytes_of(const Data &data) { return {data.data(), data.size()}; }

Data data_of(const std::string &text) { return {text.begin(), text.end()}; }

Data from_hex(const std::string &hex) {
  Data data;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    data.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return data;
}

// Returns the payloads that a Godot 4.6 game sent. The keys are the names in its script.
std::map<std::string, Data> recorded_payloads() {
  std::map<std::string, Data> kinds;
  std::ifstream file(std::string(GODOT_TESTS_DIR) + "/../captures/own_bytes_godot4.6.expected");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("bytes\t")) continue;
    const std::size_t port = line.find('\t', 6);
    const std::size_t hex = line.find('\t', port + 1);
    kinds[line.substr(6, port - 6)] = from_hex(line.substr(hex + 1));
  }
  return kinds;
}

std::string embedded_summary(const Data &data) {
  std::array<char, 240> memory{};
  TextBuffer text(memory);
  const EmbeddedDecoder opener({});
  return opener.append_decoded(text, bytes_of(data)) ? std::string(text.view()) : "";
}

TEST(EmbeddedPayload, RepeatedByteIsNoText) {
  EXPECT_EQ(embedded_summary(data_of(std::string(17, '0'))), "");
  EXPECT_EQ(embedded_summary(data_of(std::string(16, '!'))), "\"!!!!!!!!!!!!!!!!\" in 16 bytes");
  EXPECT_EQ(embedded_summary(data_of(std::string(17, '0') + "1")), "\"000000000000000001\" in 18 bytes");
}

TEST(EmbeddedPayload, FormatsThatGamesSendAreDetected) {
  const std::map<std::string, Data> kinds = recorded_payloads();
  ASSERT_EQ(kinds.size(), 20U);
  const std::map<std::string, std::string> names = {{"json", "json"},
                                                    {"text", "text"},
                                                    {"encrypted", ""},
                                                    {"length", "variant"},
                                                    {"two", "variant"},
                                                    {"big_endian length", "variant"},
                                                    {"prefix", "variant"},
                                                    {"put_string", "text"},
                                                    {"prefix of 3", "variant"},
                                                    {"deflate", "zlib"},
                                                    {"fastlz", "fastlz"},
                                                    {"gzip", "gzip"},
                                                    {"zstd", "zstd"},
                                                    {"png", "png"},
                                                    {"jpeg", "jpeg"},
                                                    {"webp", "webp"},
                                                    {"variant", "variant"},
                                                    {"in a Dictionary", "variant"},
                                                    {"JSON in a Dictionary", ""},
                                                    {"compressed in a Dictionary", "variant"}};
  for (const auto &[kind, data] : kinds) {
    const auto name = names.find(kind);
    ASSERT_NE(name, names.end()) << kind;
    EXPECT_EQ(embedded_format_name(detect_embedded_or_fastlz(bytes_of(data), {}).format), name->second) << kind;
  }
}

TEST(EmbeddedPayload, IsDetectedAfterLengthsAndPrefixes) {
  std::map<std::string, Data> kinds = recorded_payloads();
  const auto look = [&](const std::string &kind) { return detect_embedded(bytes_of(kinds[kind]), {}); };
  EXPECT_EQ(look("length").content.offset, 4U);
  EXPECT_TRUE(look("length").has_length_prefix);
  EXPECT_TRUE(look("big_endian length").has_length_prefix);
  EXPECT_EQ(look("two").count, 2U);
  EXPECT_EQ(look("prefix").content.offset, 1U);
  EXPECT_EQ(look("prefix of 3").content.offset, 3U);
  EXPECT_FALSE(look("prefix of 3").has_length_prefix);
  // If a byte is missing, no payload is accepted.
  for (const char *kind : {"length", "big_endian length", "two", "prefix"}) {
    Data cut = kinds[kind];
    cut.pop_back();
    EXPECT_EQ(detect_embedded(bytes_of(cut), {}).format, EmbeddedFormat::nothing) << kind;
  }
}

TEST(EmbeddedPayload, IsDetectedAfterA16BitLength) {
  const EmbeddedPayload little = detect_embedded(bytes_of(data_of("\x0c\0{\"hp\": 87}\r\n"s)), {});
  EXPECT_EQ(little.format, EmbeddedFormat::json);
  EXPECT_EQ(little.content.offset, 2U);
  EXPECT_TRUE(little.has_length_prefix);
  const EmbeddedPayload big = detect_embedded(bytes_of(data_of("\0\x05hello"s)), {});
  EXPECT_EQ(big.format, EmbeddedFormat::text);
  EXPECT_TRUE(big.has_length_prefix);
  EXPECT_EQ(detect_embedded(bytes_of(data_of("\0\x06hello"s)), {}).format, EmbeddedFormat::nothing);
  EXPECT_EQ(embedded_summary(data_of("\0\x05hello"s)), "\"hello\" in 7 bytes");
}

TEST(EmbeddedPayload, CompressedBytesAfterAPrefixAreNoEvidence) {
  Data data = recorded_payloads()["zstd"];
  EXPECT_EQ(EmbeddedDecoder({}).confidence(bytes_of(data)), Confidence::strong);
  data.insert(data.begin(), 7);
  EXPECT_EQ(EmbeddedDecoder({}).confidence(bytes_of(data)), Confidence::none);
}

TEST(EmbeddedPayload, UndecompressableBytesAreNotShown) {
  EXPECT_EQ(embedded_summary(data_of("{\"h\":8\x28\xb5\x2f\xfd:87,\"\xcf\xcf\xcf")), "");
}

TEST(EmbeddedPayload, IsDecompressedAfterSizesAndPrefixes) {
  std::map<std::string, Data> kinds = recorded_payloads();
  const auto behind = [&](const std::string &front, const std::string &kind) {
    Data data = data_of(front);
    data.insert(data.end(), kinds[kind].begin(), kinds[kind].end());
    return data;
  };
  const auto found = [](const Data &data) {
    return std::string(embedded_format_name(detect_embedded_or_fastlz(bytes_of(data), {}).format));
  };
  const std::string begin = "{players: [{id: 0, name: \"Player 0\", hp: 100}, ";
  for (const char *kind : {"gzip", "zstd"}) {
    EXPECT_EQ(embedded_summary(behind("\x07", kind)).substr(0, 20), "07 " + begin.substr(0, 17)) << kind;
    EXPECT_EQ(found(behind("\x07\x01\x02\x03\x04\x05\x06\xff", kind)), kind);
    EXPECT_EQ(found(behind("\x07\x01\x02\x03\x04\x05\x06\x07\xff", kind)), "");
  }
  EXPECT_EQ(found(behind("\xff\x01\0\0"s, "deflate")), "zlib");
  EXPECT_EQ(found(behind("\xff\x01\0"s, "deflate")), "") << "two bytes say little";
  // FastLZ data is identified only by its size.
  std::vector<std::uint8_t> out(max_decompressed_size(kinds["fastlz"].size()));
  const std::size_t size = decompress_embedded(EmbeddedFormat::fastlz, kinds["fastlz"], out);
  ASSERT_GT(size, 0U);
  const auto low = static_cast<char>(size & 0xff);
  const auto high = static_cast<char>(size >> 8);
  EXPECT_EQ(found(behind({low, high, 0, 0}, "fastlz")), "fastlz");
  EXPECT_EQ(found(behind({0, 0, high, low}, "fastlz")), "fastlz");
  EXPECT_EQ(found(behind({static_cast<char>(low + 1), high, 0, 0}, "fastlz")), "");
}

TEST(EmbeddedPayload, SummaryShowsTheContent) {
  std::map<std::string, Data> kinds = recorded_payloads();
  const std::string state = "{hp: 87, inv: [\"sword\", \"bow\"], pos: (10.5, -3)}";
  EXPECT_EQ(embedded_summary(kinds["variant"]).substr(0, 12), "{cmd: \"move\"");
  EXPECT_EQ(embedded_summary(kinds["length"]), state + " in 104 bytes");
  EXPECT_EQ(embedded_summary(kinds["prefix"]), "07 " + state + " in 101 bytes");
  EXPECT_EQ(embedded_summary(kinds["two"]), state + ", [\"second\", 2] in 132 bytes");
  EXPECT_EQ(embedded_summary(kinds["put_string"]), "\"hello there\" in 15 bytes");
  EXPECT_EQ(embedded_summary(kinds["json"]),
            "{\"hp\":87,\"inv\":[\"sword\",\"bow\"],\"pos\":\"(10.5, -3.0)\"} in 52 bytes");
  EXPECT_EQ(embedded_summary(kinds["png"]), "png in " + std::to_string(kinds["png"].size()) + " bytes");
  for (const char *kind : {"deflate", "fastlz", "gzip", "zstd"}) {
    const std::string text = embedded_summary(kinds[kind]);
    EXPECT_EQ(text.substr(0, 50), "{players: [{id: 0, name: \"Player 0\", hp: 100}, {id") << kind;
  }
  EXPECT_EQ(embedded_summary(kinds["in a Dictionary"]), "{blob: " + state + " in 100 bytes, seq: 7} in 148 bytes");
  EXPECT_EQ(embedded_summary(kinds["encrypted"]), "");
}

TEST(EmbeddedPayload, FileAccessFormatIsDecompressed) {
  // Two zlib blocks of 4096 and 904 bytes.
  const std::string content = "The match begins. " + std::string(5000 - 18, 'a');
  std::string file = "GCPF\1\0\0\0\0\x10\0\0\x88\x13\0\0"s;
  std::string blocks;
  for (const std::string &block : {content.substr(0, 4096), content.substr(4096)}) {
    Data packed(compressBound(block.size()));
    uLongf size = packed.size();
    compress(packed.data(), &size, reinterpret_cast<const Bytef *>(block.data()), block.size());
    file += std::string{static_cast<char>(size & 0xff), static_cast<char>(size >> 8), '\0', '\0'};
    blocks.append(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
  }
  file += blocks + "GCPF";
  const Data data = data_of(file);
  EXPECT_EQ(detect_embedded(bytes_of(data), {}).format, EmbeddedFormat::fileaccess);
  Data out(max_decompressed_size(data.size()));
  ASSERT_EQ(decompress_embedded(EmbeddedFormat::fileaccess, data, out), content.size());
  EXPECT_EQ(std::string(out.begin(), out.begin() + 5000), content);
  // Every payload, truncated at every length.
  for (std::size_t size = 0; size + 5 < data.size(); ++size) {
    const Data cut(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(decompress_embedded(EmbeddedFormat::fileaccess, cut, out), 0U) << size;
  }
}

Data zlib_of(const std::string &text) {
  Data packed(compressBound(text.size()));
  uLongf size = packed.size();
  compress2(packed.data(), &size, reinterpret_cast<const Bytef *>(text.data()), text.size(), 9);
  packed.resize(size);
  return packed;
}

// The embedded payload is the PackedByteArray of a Dictionary.
TEST(EmbeddedPayload, CompressionWithinCompressionIsNotDecompressed) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  const Data inner = zlib_of(text);
  EXPECT_NE(embedded_summary(inner).find("quick brown fox"), std::string::npos);
  std::string outer = "\x1b\0\0\0\1\0\0\0\4\0\0\0\3\0\0\0box\0\x1d\0\0\0"s;
  outer += std::string(1, static_cast<char>(inner.size())) + "\0\0\0"s + std::string(inner.begin(), inner.end());
  outer += std::string((4 - inner.size() % 4) % 4, '\0');
  EXPECT_EQ(embedded_summary(zlib_of(outer)).find("quick brown fox"), std::string::npos);
  EXPECT_NE(embedded_summary(zlib_of(outer)).find("box: "), std::string::npos) << embedded_summary(zlib_of(outer));
}

TEST(EmbeddedPayload, DecompressionBombIsNotShown) {
  const Data packed = zlib_of(std::string(std::size_t{8} << 20, '\0'));
  EXPECT_LE(max_decompressed_size(packed.size()), std::size_t{1} << 20);
  EXPECT_EQ(embedded_summary(packed), "");
  EXPECT_EQ(max_decompressed_size(20), 5120U);
  EXPECT_EQ(max_decompressed_size(0), 4096U);
}

TEST(JsonDetection, OnlyObjectsAndArraysAreAccepted) {
  for (const char *json :
       {"{}", "[]", " [1, -2.5e3, \"a\\\"b\", true, false, null, {\"a\": [{}]}] ", "{\"a\":1,\"b\":[]}"}) {
    EXPECT_TRUE(is_json(json)) << json;
  }
  for (const char *other :
       {"", "{", "1", "\"a\"", "[1,]", "{a: 1}", "{\"a\"}", "[1] 2", "[\"a]", "[}", "{\"a\":1,}", "[--]"}) {
    EXPECT_FALSE(is_json(other)) << other;
  }
  EXPECT_TRUE(is_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(is_json(std::string(65, '[') + std::string(65, ']')));
}

// ---- application-defined formats

class CustomFormatGenerator {
 public:
  // Small numbers, floats and texts as StreamPeerBuffer writes them.
  Data stream_peer() {
    Data data;
    const unsigned fields = 1 + roll(12);
    for (unsigned i = 0; i < fields; ++i) {
      switch (roll(6)) {
        case 0:
          put(data, roll(8), 1);
          break;
        case 1:
          put(data, roll(1000), 2);
          break;
        case 2:
          put(data, roll(40), 4);
          break;
        case 3:
          put(data, std::bit_cast<std::uint32_t>(static_cast<float>(roll(2000)) / 8 - 100), 4);
          break;
        case 4:
          put(data, roll(100000), 8);
          break;
        default: {
          const unsigned length = 1 + roll(12);
          put(data, length, 4);
          for (unsigned k = 0; k < length; ++k) data.push_back(static_cast<std::uint8_t>('a' + roll(26)));
        }
      }
    }
    return data;
  }
  // 32-bit words only; they look most like Variants.
  Data words() {
    Data data;
    for (unsigned i = 2 + roll(14); i > 0; --i) put(data, roll(40), 4);
    return data;
  }
  Data encrypted() {
    Data data(16 * (1 + roll(8)));
    for (std::uint8_t &byte : data) byte = static_cast<std::uint8_t>(random_());
    return data;
  }
  // A MessagePack map of texts and small numbers.
  Data message_pack() {
    const unsigned pairs = 1 + roll(8);
    Data data = {static_cast<std::uint8_t>(0x80 | pairs)};
    for (unsigned i = 0; i < pairs; ++i) {
      const unsigned length = 1 + roll(8);
      data.push_back(static_cast<std::uint8_t>(0xa0 | length));
      for (unsigned k = 0; k < length; ++k) data.push_back(static_cast<std::uint8_t>('a' + roll(26)));
      data.push_back(static_cast<std::uint8_t>(roll(128)));
    }
    return data;
  }

 private:
  unsigned roll(unsigned sides) { return static_cast<unsigned>(random_() % sides); }
  static void put(Data &data, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) data.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }
  std::mt19937 random_{25};
};

TEST(EmbeddedPayload, CustomFormatsAreRarelyTakenForVariants) {
  constexpr unsigned count = 20'000;
  constexpr unsigned most = count / 10'000;
  CustomFormatGenerator formats;
  const auto wrong = [&](auto make) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i) {
      const Data data = make();
      found += detect_embedded_or_fastlz(bytes_of(data), {}).format == EmbeddedFormat::variant ? 1 : 0;
    }
    return found;
  };
  EXPECT_LE(wrong([&] { return formats.stream_peer(); }), most);
  EXPECT_LE(wrong([&] { return formats.words(); }), most);
  EXPECT_LE(wrong([&] { return formats.encrypted(); }), most);
  EXPECT_LE(wrong([&] { return formats.message_pack(); }), most);
}

}  // namespace
}  // namespace godot_codec::test
