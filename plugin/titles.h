// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What a field is called in the tree, made of its filter name.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace godot_plugin {

inline constexpr std::size_t max_title = 40;
/// Terminated by a zero.
using Title = std::array<char, max_title>;

/// "String length" of string.length.
constexpr Title title_of(std::string_view name) {
  Title title{};
  for (std::size_t i = 0; i < name.size(); ++i) title[i] = name[i] == '.' || name[i] == '_' ? ' ' : name[i];
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

/// The titles of a table of infos, each with a name.
template <std::size_t count, typename Info>
constexpr std::array<Title, count> titles_of(const Info &infos) {
  std::array<Title, count> titles{};
  for (std::size_t i = 0; i < count; ++i) titles[i] = title_of(infos[i].name);
  return titles;
}

}  // namespace godot_plugin
