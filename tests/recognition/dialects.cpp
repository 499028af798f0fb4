// SPDX-License-Identifier: MIT
/// @file
/// Measures whether the dialect of a game's message is found if the message is the only one of its conversation.
///
///     recognition_dialects [MESSAGES]                number of generated messages of each kind: the same on any
///     machine recognition_dialects godot3|godot4 [FILE ...]  messages of that generation, from lines of hex digits
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "dialect_tally.h"
#include "game_messages.h"

namespace {

using namespace recognition;
using godot_codec::Dialect;

void print_head() {
  std::printf("%-34s %10s %7s %10s %8s %13s %6s %11s %6s\n", "", "messages", "unread", "ambiguous", "guessed",
              "wrong guesses", "wrong", "least lead", "led");
}

void print(const char *name, const DialectTally &tally) {
  const std::string lead =
      tally.min_margin == std::numeric_limits<std::int64_t>::max() ? "-" : std::to_string(tally.min_margin);
  std::printf("%-34s %10" PRIu64 " %7" PRIu64 " %10" PRIu64 " %8" PRIu64 " %13" PRIu64 " %6" PRIu64 " %11s %6" PRIu64
              "\n",
              name, tally.messages, tally.undecoded, tally.ambiguous, tally.is_guess, tally.wrong_guesses, tally.wrong,
              lead.c_str(), tally.negative_margins);
}

template <typename Make>
void measure(const char *name, Engine engine, std::uint64_t seed, std::uint64_t messages, Make make) {
  Random random(seed);
  DialectTally tally;
  const Dialect right = engine == Engine::godot3 ? Dialect::godot3 : Dialect::godot4;
  for (std::uint64_t i = 0; i < messages; ++i) tally.add(make(random, engine), right);
  print(name, tally);
}

void measure_file(const char *path, Dialect right) {
  std::ifstream file(path);
  DialectTally tally;
  for (std::string line; std::getline(file, line);) tally.add(bytes_of_hex(line), right);
  print(path, tally);
}

}  // namespace

int main(int count, char **values) try {
  const std::string_view first = count > 1 ? values[1] : "10000000";
  print_head();
  if (first == "godot3" || first == "godot4") {
    for (int i = 2; i < count; ++i) measure_file(values[i], first == "godot3" ? Dialect::godot3 : Dialect::godot4);
    return 0;
  }
  std::uint64_t messages = 0;
  std::from_chars(first.data(), first.data() + first.size(), messages);
  measure("Godot 3: Dictionaries and Arrays", Engine::godot3, 1, messages, game_container);
  measure("Godot 4: Dictionaries and Arrays", Engine::godot4, 1, messages, game_container);
  measure("Godot 3: any value", Engine::godot3, 2, messages, game_value);
  measure("Godot 4: any value", Engine::godot4, 2, messages, game_value);
  measure("Godot 3: arrays of others' bytes", Engine::godot3, 3, messages, game_array_of_bytes);
  measure("Godot 4: arrays of others' bytes", Engine::godot4, 3, messages, game_array_of_bytes);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "dialects: %s\n", error.what());
  return 1;
}
