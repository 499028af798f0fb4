// SPDX-License-Identifier: MIT
// Session state by key and position: compared with std::map, and measured in bytes.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "counting_memory.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/multiplayer/announcement_history.h"

namespace godot_codec::test {
namespace {

using Keys = std::vector<std::uint32_t>;

// ---- sorted map

void expect_same(const SortedMap<std::uint32_t, std::uint32_t> &map,
                 const std::map<std::uint32_t, std::uint32_t> &expected, std::uint32_t key) {
  const auto above = expected.upper_bound(key);
  const auto *first_above = map.find_first_above(key);
  ASSERT_EQ(first_above != nullptr, above != expected.end()) << key;
  if (first_above != nullptr) {
    EXPECT_EQ(first_above->key, above->first);
    EXPECT_EQ(first_above->value, above->second);
  }
  const auto *last_until = map.find_last_until(key);
  ASSERT_EQ(last_until != nullptr, above != expected.begin()) << key;
  if (last_until != nullptr) {
    EXPECT_EQ(last_until->key, std::prev(above)->first);
    EXPECT_EQ(last_until->value, std::prev(above)->second);
  }
  EXPECT_EQ(map.find(key) != nullptr, expected.contains(key)) << key;
}

Keys from(std::uint32_t first, std::uint32_t count, std::uint32_t step) {
  Keys numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(first + i * step);
  return numbers;
}

Keys concatenated(Keys first, const Keys &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Keys random_keys(std::uint32_t count, std::uint32_t end) {
  std::mt19937 random(1);
  Keys numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(random() % end);
  return numbers;
}

TEST(SortedMap, FindsWhatStdMapFinds) {
  const Keys orders[] = {
      {},
      {7},
      from(0, 3000, 2),
      from(6000, 3000, static_cast<std::uint32_t>(-2)),
      random_keys(3000, 6000),
      random_keys(6000, 50),
      concatenated(from(4000, 1000, 1), from(0, 1000, 2)),
      concatenated(from(0, 17, 1000), from(8001, 900, 1)),
      concatenated(from(0, 17, 1000), from(8999, 900, static_cast<std::uint32_t>(-1))),
  };
  for (const Keys &order : orders) {
    SCOPED_TRACE(&order - orders);
    std::pmr::monotonic_buffer_resource memory;
    SortedMap<std::uint32_t, std::uint32_t> map(&memory);
    std::map<std::uint32_t, std::uint32_t> expected;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      map[order[i]] = i;
      expected[order[i]] = i;
      if (i % 64 == 0) expect_same(map, expected, order[i]);
    }
    for (std::uint32_t key = 0; key < 6100; ++key) expect_same(map, expected, key);
  }
}

TEST(SortedMap, NewKeyHasTheValueZero) {
  std::pmr::monotonic_buffer_resource memory;
  SortedMap<std::uint32_t, std::uint32_t> map(&memory);
  EXPECT_EQ(map[5], 0U);
  map[5] += 3;
  map.find(5)->value += 4;
  EXPECT_EQ(map[5], 7U);
  EXPECT_EQ(map.find(6), nullptr);
}

// Rising keys leave little unused space. Even keys chosen to waste space leave at most three quarters unused.
TEST(SortedMap, UsesLittleMoreMemoryThanItsEntries) {
  const struct {
    const char *name;
    Keys keys;
    double most;  // largest number of bytes per entry; an entry has 8
  } rows[] = {
      {"rising", from(0, 100'000, 1), 11},
      {"rising before others", concatenated(from(1'000'000, 1000, 1), from(0, 100'000, 1)), 12},
      {"rising between others", concatenated(from(0, 100, 1'000'000), from(50'000'001, 100'000, 1)), 15},
      {"falling", from(100'000, 100'000, static_cast<std::uint32_t>(-1)), 23},
      {"any", random_keys(100'000, UINT32_MAX), 17},
  };
  for (const auto &row : rows) {
    std::pmr::monotonic_buffer_resource kept;  // frees the memory at the end; CountingMemory never frees
    CountingMemory memory(&kept);
    SortedMap<std::uint32_t, std::uint32_t> map(&memory);
    EXPECT_EQ(memory.bytes(), 0U);
    for (const std::uint32_t key : row.keys) map[key] = key;
    EXPECT_LT(static_cast<double>(memory.bytes()) / static_cast<double>(row.keys.size()), row.most) << row.name;
  }
}

// ---- announcements

using IntAnnouncements = AnnouncementHistory<std::uint32_t, const int>;
using LookupResult = std::optional<int>;

LookupResult to_lookup_result(const int *value) { return value != nullptr ? LookupResult(*value) : std::nullopt; }

// Finds the answers by searching everything that was announced.
struct Model {
  struct Row {
    std::int32_t sender;
    std::int32_t receiver;
    std::uint32_t what;
    PacketPosition position;
    int value;
  };
  std::vector<Row> rows;

  template <typename Wanted>
  [[nodiscard]] LookupResult newest(PacketPosition position, Wanted wanted) const {
    LookupResult found;
    for (const Row &row : rows) {
      if (wanted(row) && row.position <= position) found = row.value;
    }
    return found;
  }
  template <typename Wanted>
  [[nodiscard]] LookupResult next(PacketPosition position, Wanted wanted) const {
    for (const Row &row : rows) {
      if (wanted(row) && row.position > position) return row.value;
    }
    return std::nullopt;
  }
};

void expect_lookups(const IntAnnouncements &announcements, const Model &model, std::int32_t sender, std::uint32_t what,
                    PacketPosition position) {
  const auto to_anybody = [&](const Model::Row &row) { return row.sender == sender && row.what == what; };
  const MpIdScope any{sender, mp_everyone};
  EXPECT_EQ(to_lookup_result(announcements.find_newest(any, what, position)), model.newest(position, to_anybody));
  EXPECT_EQ(to_lookup_result(announcements.find_next(any, what, position)), model.next(position, to_anybody));
  for (std::int32_t receiver = 1; receiver <= 3; ++receiver) {
    const auto to_him = [&](const Model::Row &row) { return to_anybody(row) && row.receiver == receiver; };
    const MpIdScope one{sender, receiver};
    EXPECT_EQ(to_lookup_result(announcements.find_newest(one, what, position)), model.newest(position, to_him));
    EXPECT_EQ(to_lookup_result(announcements.find_next(one, what, position)), model.next(position, to_him));
  }
}

TEST(AnnouncementHistory, LookupEqualsALinearSearch) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    std::pmr::monotonic_buffer_resource memory;
    IntAnnouncements announcements(&memory);
    Model model;
    std::array<int, 60> values{};
    std::iota(values.begin(), values.end(), 0);
    // At first, all announcements have the same receiver, or several receivers. Later announcements have any receiver.
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const bool is_early = i < static_cast<std::uint32_t>(round);
      const Model::Row row{static_cast<std::int32_t>(random() % 2),
                           is_early ? round % 4 : static_cast<std::int32_t>(random() % 4),
                           static_cast<std::uint32_t>(random() % 3),
                           {1 + i / 3, i % 3},
                           static_cast<int>(i)};
      model.rows.push_back(row);
      announcements.add({row.sender, row.receiver}, row.what, row.position, &values[i]);
    }
    for (std::uint32_t i = 0; i < 3 * values.size(); ++i) {
      expect_lookups(announcements, model, static_cast<std::int32_t>(i % 2), i % 3, {i / 6, i % 4});
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
