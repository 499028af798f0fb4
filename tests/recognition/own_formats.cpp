// SPDX-License-Identifier: MIT
/// @file
/// Measures how many messages in custom formats are mistaken for a Variant, and how many Variants of both generations
/// are missed. doc/recognition_measured.md has the results. The same arguments give the same bytes.
#include <zlib.h>
#include <zstd.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "game_messages.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/embedded/decoder.h"
#include "godot-codec/variant/detect.h"
#include "random.h"

namespace {

using namespace recognition;
using namespace godot_codec;

// --- Formats

// put_u8() to put_utf8_string(), in any order.
std::string stream_peer_buffer(Random &random) {
  std::string bytes;
  for (std::uint32_t fields = random.between(1, 12); fields > 0; --fields) {
    switch (random.between(0, 5)) {
      case 0:
        put(bytes, random.between(0, 8), 1);
        break;
      case 1:
        put(bytes, random.between(0, 1000), 2);
        break;
      case 2:
        put(bytes, random.between(0, 40), 4);
        break;
      case 3:
        put(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(random.between(0, 2000)) / 8 - 100), 4);
        break;
      case 4:
        put(bytes, random.between(0, 100'000), 8);
        break;
      default: {
        const std::string text = word_of_text(random);
        put(bytes, text.size(), 4);
        bytes += text;
      }
    }
  }
  return bytes;
}

// Only put_32(), which is most similar to a Variant.
std::string words(Random &random) {
  std::string bytes;
  for (std::uint32_t count = random.between(2, 15); count > 0; --count) put(bytes, random.between(0, 40), 4);
  return bytes;
}

std::string json(Random &random) {
  std::string text = "{";
  for (std::uint32_t left = random.between(1, 8); left > 0; --left) {
    text += '"' + word_of_text(random) + "\":" + std::to_string(random.between(0, 1000)) + (left > 1 ? "," : "}");
  }
  return text;
}

std::string message_pack(Random &random) {
  const std::uint32_t pairs = random.between(1, 15);
  std::string bytes(1, static_cast<char>(0x80 | pairs));
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::string key = word_of_text(random).substr(0, 31);
    bytes += static_cast<char>(0xa0 | key.size());
    bytes += key;
    bytes += static_cast<char>(random.between(0, 127));
  }
  return bytes;
}

// The format of AESContext.
std::string encrypted(Random &random) {
  std::string bytes;
  for (std::uint32_t blocks = random.between(1, 12); blocks > 0; --blocks) {
    put(bytes, random.word(), 8);
    put(bytes, random.word(), 8);
  }
  return bytes;
}

// A message that is not a Variant.
std::string any_format(Random &random) {
  switch (random.between(0, 2)) {
    case 0:
      return stream_peer_buffer(random);
    case 1:
      return json(random);
    default:
      return message_pack(random);
  }
}

std::string deflated(const std::string &bytes, int window) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string &bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

// Literal runs only, without repetitions, which is a valid FastLZ stream, too.
std::string fastlz(const std::string &bytes) {
  constexpr std::size_t run = 32;
  std::string packed;
  for (std::size_t offset = 0; offset < bytes.size(); offset += run) {
    const std::string part = bytes.substr(offset, run);
    packed += static_cast<char>(part.size() - 1) + part;
  }
  return packed;
}

Engine any_engine(Random &random) { return random.one_in(2) ? Engine::godot3 : Engine::godot4; }

// --- Detection

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

// In a conversation of Variants whose engine is known.
bool is_called_variant(Bytes bytes, const ReadOptions &options, Dialect known) {
  const DialectDetection detection = detect_dialect(bytes, options);
  if (detection.fit == DialectFit::none && !has_variant_header(bytes)) return false;
  DialectSet set;
  set.add(known);
  const DialectSet evidence[] = {set};
  const Dialect dialect = choose_dialect(detection, evidence).dialect;
  return !is_rather_raw(bytes, dialect, check_variant(bytes, 0, {.dialect = dialect}, options), options);
}

struct Format {
  const char *name;
  std::function<std::string(Random &)> make;
};

const std::vector<Format> formats = {
    {"StreamPeerBuffer", stream_peer_buffer},
    {"words", words},
    {"JSON", json},
    {"MessagePack", message_pack},
    {"encrypted", encrypted},
    {"deflate", [](Random &random) { return deflated(any_format(random), 15); }},
    {"gzip", [](Random &random) { return deflated(any_format(random), 15 + 16); }},
    {"Zstandard", [](Random &random) { return zstd(any_format(random)); }},
    {"FastLZ", [](Random &random) { return fastlz(any_format(random)); }},
};
// Formats that are not a Variant but contain a Variant.
const std::vector<Format> openable = {
    {"prefix and container",
     [](Random &random) {
       std::string bytes;
       put(bytes, random.word(), random.between(1, 8));
       return bytes + game_container(random, any_engine(random));
     }},
    {"deflated container", [](Random &random) { return deflated(game_container(random, any_engine(random)), 15); }},
    {"FastLZ of a container", [](Random &random) { return fastlz(game_container(random, any_engine(random))); }},
    {"two containers",
     [](Random &random) {
       const Engine engine = any_engine(random);
       return game_container(random, engine) + game_container(random, engine);
     }},
};
const std::vector<Format> variants = {
    {"Godot 3: containers", [](Random &random) { return game_container(random, Engine::godot3); }},
    {"Godot 4: containers", [](Random &random) { return game_container(random, Engine::godot4); }},
    {"Godot 3: any value", [](Random &random) { return game_value(random, Engine::godot3); }},
    {"Godot 4: any value", [](Random &random) { return game_value(random, Engine::godot4); }},
};

void measure(const Format &format, std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  const EmbeddedOptions inside;
  const EmbeddedDecoder opener(inside);
  ReadOptions options;
  options.decoder = &opener;
  std::uint64_t called = 0;
  std::uint64_t recognised = 0;
  std::uint64_t opened = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string message = format.make(random);
    const Bytes bytes = bytes_of(message);
    const bool is_3 = std::string_view(format.name).starts_with("Godot 3");
    called += is_called_variant(bytes, options, is_3 ? Dialect::godot3 : Dialect::godot4) ? 1 : 0;
    recognised += packet_evidence(bytes, options).confidence == Confidence::strong ? 1 : 0;
    opened += detect_embedded_or_fastlz(bytes, inside).format == EmbeddedFormat::variant ? 1 : 0;
  }
  std::printf("%-22s %10llu %10llu %10llu %10llu\n", format.name, static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(called), static_cast<unsigned long long>(recognised),
              static_cast<unsigned long long>(opened));
}

}  // namespace

int main(int argc, char **argv) {
  std::uint64_t count = 100'000;
  std::uint64_t seed = 25;
  const auto read = [&](int place, std::uint64_t &number) {
    if (argc <= place) return true;
    const std::string_view text = argv[place];
    return std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size();
  };
  if (argc > 3 || !read(1, count) || !read(2, seed)) {
    std::fputs("usage: own_formats [MESSAGES_OF_EACH [SEED]]\n", stderr);
    return 2;
  }
  std::puts("format                   messages among     alone,     opened as");
  std::puts("                                  Variants   strong     Variants");
  for (const auto *group : {&formats, &openable, &variants}) {
    for (const Format &format : *group) measure(format, count, seed);
  }
  return 0;
}
