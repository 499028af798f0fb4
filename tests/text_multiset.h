// SPDX-License-Identifier: MIT
/// @file
/// Multisets of texts: the order does not matter, the number of occurrences does.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

namespace godot_codec::test {

using TextMultiset = std::multiset<std::string>;

inline TextMultiset without(const TextMultiset &all, const TextMultiset &some) {
  TextMultiset rest;
  std::ranges::set_difference(all, some, std::inserter(rest, rest.end()));
  return rest;
}

/// Returns the number of texts and the first few of them, for a failure message.
inline std::string some_of(const TextMultiset &bag) {
  std::string text = std::to_string(bag.size()) + ":";
  std::size_t count = 0;
  for (const std::string &each : bag) {
    if (++count <= 5) text += "\n  " + each.substr(0, 200);
  }
  return text;
}

inline void expect_contains(const TextMultiset &found, const TextMultiset &expected, const char *what) {
  EXPECT_TRUE(without(expected, found).empty()) << what << " missing: " << some_of(without(expected, found));
}

inline void expect_same(const TextMultiset &found, const TextMultiset &expected, const char *what) {
  expect_contains(found, expected, what);
  EXPECT_TRUE(without(found, expected).empty()) << what << " too many: " << some_of(without(found, expected));
}

}  // namespace godot_codec::test
