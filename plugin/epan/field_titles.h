// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Derives the title of a field in the tree from its filter name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace godot_plugin {

inline constexpr std::size_t max_title = 40;
/// A zero-terminated title.
using Title = std::array<char, max_title>;

/// Returns a word of a filter name as titles spell it: abbreviations are spelled out or capitalised.
constexpr std::string_view spell_out(std::string_view word) {
  constexpr std::string_view spellings[][2] = {
      {"id", "ID"}, {"rid", "RID"}, {"mtu", "MTU"}, {"seq", "sequence number"}};
  for (const auto &spelling : spellings) {
    if (word == spelling[0]) return spelling[1];
  }
  return word;
}

/// Returns "String length" for string.length, and "Connect ID" for connect.connect_id.
constexpr Title title_of(std::string_view name) {
  Title title{};
  std::size_t size = 0;
  std::string_view last;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("._"), name.size());
    const std::string_view word = name.substr(0, end);
    if (size > 0 && word != last) title[size++] = ' ';
    if (word != last) {
      for (const char c : spell_out(word)) title[size++] = c;
    }
    last = word;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

/// Returns the titles of a table of infos with a `name` member.
template <std::size_t count, typename Info>
constexpr std::array<Title, count> titles_of(const Info &infos) {
  std::array<Title, count> titles{};
  for (std::size_t i = 0; i < count; ++i) titles[i] = title_of(infos[i].name);
  return titles;
}

}  // namespace godot_plugin
