// SPDX-License-Identifier: MIT
// Measures how fast packets are read: bytes per second of walking, detecting and formatting as text.
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {
namespace {

using Packet = std::vector<std::uint8_t>;

void add_u32(Packet &packet, std::uint32_t value) {
  for (std::size_t i = 0; i < sizeof value; ++i) packet.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void add_f32(Packet &packet, float value) { add_u32(packet, std::bit_cast<std::uint32_t>(value)); }

void add_string(Packet &packet, std::string_view text) {
  add_u32(packet, 4);
  add_u32(packet, static_cast<std::uint32_t>(text.size()));
  packet.insert(packet.end(), text.begin(), text.end());
  while (packet.size() % 4 != 0) packet.push_back(0);
}

void add_int(Packet &packet, std::uint32_t value) {
  add_u32(packet, 2);
  add_u32(packet, value);
}

/// {"cmd": "move", "pos": Vector2(1, 2), "id": 7}
void add_move(Packet &packet) {
  add_u32(packet, 27);
  add_u32(packet, 3);
  add_string(packet, "cmd");
  add_string(packet, "move");
  add_string(packet, "pos");
  add_u32(packet, 5);
  add_f32(packet, 1);
  add_f32(packet, 2);
  add_string(packet, "id");
  add_int(packet, 7);
}

Packet small_packet() {
  Packet packet;
  add_move(packet);
  return packet;
}

/// A game state of 48 players, as dictionaries nested four deep: about 4 KB.
Packet nested_dictionary() {
  constexpr std::uint32_t groups = 4;
  constexpr std::uint32_t players = 12;
  Packet packet;
  add_u32(packet, 27);
  add_u32(packet, 1);
  add_string(packet, "state");
  add_u32(packet, 27);
  add_u32(packet, groups);
  for (std::uint32_t group = 0; group < groups; ++group) {
    add_string(packet, "group " + std::to_string(group));
    add_u32(packet, 27);
    add_u32(packet, players);
    for (std::uint32_t player = 0; player < players; ++player) {
      add_int(packet, player);
      add_move(packet);
    }
  }
  return packet;
}

Packet packed_floats() {
  constexpr std::uint32_t count = 100000;
  Packet packet;
  add_u32(packet, 32);
  add_u32(packet, count);
  for (std::uint32_t i = 0; i < count; ++i) add_f32(packet, static_cast<float>(i) * 0.1F);
  return packet;
}

Packet array_of_ints() {
  constexpr std::uint32_t count = 10000;
  Packet packet;
  add_u32(packet, 28);
  add_u32(packet, count);
  for (std::uint32_t i = 0; i < count; ++i) add_int(packet, i);
  return packet;
}

void walk(Bytes packet, TextBuffer & /*text*/) { benchmark::DoNotOptimize(check_variant(packet, 0, {}, {}).offset); }

void detect(Bytes packet, TextBuffer & /*text*/) {
  benchmark::DoNotOptimize(choose_dialect(detect_dialect(packet, {}), {}).dialect);
}

/// Formats the summary for the Info column. The text is bounded, so most of a large packet is not read.
void summary(Bytes packet, TextBuffer & /*text*/) {
  std::array<char, 256> memory;
  TextBuffer text(memory);
  benchmark::DoNotOptimize(append_summary(text, packet, 0, {}, {}).offset);
}

void whole_text(Bytes packet, TextBuffer &text) {
  text.clear();
  benchmark::DoNotOptimize(append_variant(text, packet, 0, {}, {}, TextStyle::script).offset);
}

void run(benchmark::State &state, void (*work)(Bytes, TextBuffer &), const Packet &packet) {
  std::vector<char> memory(std::size_t{1} << 21);
  TextBuffer text(memory);
  const Bytes bytes(packet.data(), packet.size());
  for ([[maybe_unused]] auto _ : state) work(bytes, text);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(packet.size()));
}

void register_all() {
  const std::pair<const char *, Packet> packets[] = {{"small_packet", small_packet()},
                                                     {"nested_dictionary", nested_dictionary()},
                                                     {"packed_floats", packed_floats()},
                                                     {"array_of_ints", array_of_ints()}};
  const std::pair<const char *, void (*)(Bytes, TextBuffer &)> works[] = {
      {"walk", walk}, {"detect", detect}, {"append_summary", summary}, {"append_variant", whole_text}};
  for (const auto &[work_name, work] : works) {
    for (const auto &[packet_name, packet] : packets) {
      benchmark::RegisterBenchmark((std::string(work_name) + '/' + packet_name).c_str(), run, work, packet);
    }
  }
}

}  // namespace
}  // namespace godot_codec

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  godot_codec::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
