// SPDX-License-Identifier: MIT
#include "godot-codec/core/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "events.h"

namespace godot_codec::test {
namespace {

TEST(Bytes, ReportedLengthIsAtLeastTheCapturedLength) {
  const std::array<std::uint8_t, 4> memory{};
  EXPECT_EQ(Bytes(memory.data(), 4).reported, 4U);
  EXPECT_EQ(Bytes(memory.data(), 4, 0).reported, 4U);
  EXPECT_EQ(Bytes(memory.data(), 4, 9).reported, 9U);
  EXPECT_EQ(Bytes(memory.data(), 4, 9).captured, 4U);
  EXPECT_EQ(Bytes().captured, 0U);
  EXPECT_EQ(Bytes().reported, 0U);
}

TEST(Bytes, SliceIsLimitedToTheBytes) {
  struct Row {
    Range range;
    std::size_t captured;
    std::size_t reported;
  };
  const std::array<std::uint8_t, 8> memory{};
  const Bytes bytes(memory.data(), 8, 12);
  const Row rows[] = {
      {{0, 12}, 8, 12}, {{0, 8}, 8, 8},   {{2, 3}, 3, 3},         {{6, 4}, 2, 4},
      {{8, 4}, 0, 4},   {{10, 9}, 0, 2},  {{12, 1}, 0, 0},        {{99, 1}, 0, 0},
      {{3, 0}, 0, 0},   {{1, 99}, 7, 11}, {{1, SIZE_MAX}, 7, 11}, {{SIZE_MAX, SIZE_MAX}, 0, 0},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(format("%zu+%zu", row.range.offset, row.range.length));
    const Bytes slice = bytes.slice(row.range);
    EXPECT_EQ(slice.captured, row.captured);
    EXPECT_EQ(slice.reported, row.reported);
    if (row.captured > 0) {
      EXPECT_EQ(slice.data, memory.data() + row.range.offset);
    }
  }
  EXPECT_EQ(Bytes().slice({0, 1}).reported, 0U);
}

TEST(Bytes, RangeEndsAfterItsLastByte) { EXPECT_EQ((Range{3, 4}).end(), 7U); }

TEST(ByteCursor, ReadsLittleEndian) {
  const Data data = hex("01 ff 0201 feff 04030201 ffffffff 0807060504030201 0000c0bf 000000000000f83f");
  const ExactBytes bytes(data);
  Cursor cursor(bytes.get());
  EXPECT_EQ(cursor.remaining(), data.size());
  EXPECT_EQ(cursor.read<std::uint8_t>(), 1U);
  EXPECT_EQ(cursor.read<std::int8_t>(), -1);
  EXPECT_EQ(cursor.read<std::uint16_t>(), 0x102U);
  EXPECT_EQ(cursor.read<std::int16_t>(), -2);
  EXPECT_EQ(cursor.read<std::uint32_t>(), 0x1020304U);
  EXPECT_EQ(cursor.read<std::int32_t>(), -1);
  EXPECT_EQ(cursor.read<std::uint64_t>(), 0x102030405060708U);
  EXPECT_EQ(cursor.read<float>(), -1.5F);
  EXPECT_EQ(cursor.read<double>(), 1.5);
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(cursor.offset(), data.size());
  EXPECT_EQ(cursor.remaining(), 0U);
}

TEST(ByteCursor, UnalignedAddressesAreRead) {
  const Data data = hex("80 000000000080 ffffffffffffff7f 0000807f 000000000000f0ff");
  EXPECT_EQ(Cursor::load_le<std::uint8_t>(data.bytes.data()), 0x80U);
  EXPECT_EQ(Cursor::load_le<std::int32_t>(data.bytes.data() + 3), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Cursor::load_le<std::int64_t>(data.bytes.data() + 7), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Cursor::load_le<float>(data.bytes.data() + 15), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Cursor::load_le<double>(data.bytes.data() + 19), -std::numeric_limits<double>::infinity());
}

TEST(ByteCursor, ReadPastThePacketIsMalformedAndPastTheCaptureTruncated) {
  struct Row {
    std::size_t captured;
    std::size_t reported;
    Outcome outcome;
  };
  const Row rows[] = {
      {4, 4, Outcome::ok},        {4, 8, Outcome::ok},        {3, 3, Outcome::malformed}, {3, 4, Outcome::truncated},
      {0, 4, Outcome::truncated}, {0, 0, Outcome::malformed}, {0, 3, Outcome::malformed}, {1, 3, Outcome::malformed},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(format("%zu of %zu", row.captured, row.reported));
    const ExactBytes bytes(repeat(hex("01"), row.captured), row.reported);
    Cursor cursor(bytes.get());
    EXPECT_EQ(cursor.read<std::uint32_t>(), row.outcome == Outcome::ok ? 0x1010101U : 0U);
    EXPECT_EQ(name_of(cursor.outcome()), name_of(row.outcome));
    EXPECT_EQ(cursor.offset(), row.outcome == Outcome::ok ? 4U : 0U);
  }
}

TEST(ByteCursor, KeepsTheFirstFailure) {
  const ExactBytes bytes(hex("010203040506"), 12);
  Cursor cursor(bytes.get());
  EXPECT_EQ(cursor.read<std::uint32_t>(), 0x4030201U);
  EXPECT_EQ(cursor.read<std::uint32_t>(), 0U);
  EXPECT_EQ(cursor.outcome(), Outcome::truncated);
  EXPECT_EQ(cursor.offset(), 4U);
  EXPECT_EQ(cursor.remaining(), 8U);
  // After a failure nothing more is read, even if bytes are left, and the outcome stays the same.
  EXPECT_EQ(cursor.read<std::uint8_t>(), 0U);
  EXPECT_EQ(cursor.read<double>(), 0.0);
  EXPECT_EQ(cursor.take(0), nullptr);
  EXPECT_EQ(cursor.take(100), nullptr);
  cursor.fail(Outcome::unsupported);
  EXPECT_EQ(cursor.outcome(), Outcome::truncated);
  EXPECT_EQ(cursor.offset(), 4U);
}

TEST(ByteCursor, FailKeepsTheCurrentOffset) {
  const ExactBytes bytes(hex("01020304"));
  Cursor cursor(bytes.get());
  cursor.read<std::uint16_t>();
  cursor.fail(Outcome::over_limit);
  EXPECT_FALSE(cursor.ok());
  EXPECT_EQ(cursor.outcome(), Outcome::over_limit);
  EXPECT_EQ(cursor.offset(), 2U);
}

TEST(ByteCursor, TakeAdvancesOverTheBytes) {
  const ExactBytes bytes(hex("01020304"));
  Cursor cursor(bytes.get());
  EXPECT_EQ(cursor.take(3), bytes.get().data);
  EXPECT_EQ(cursor.offset(), 3U);
  EXPECT_EQ(cursor.take(0), bytes.get().data + 3);
  EXPECT_EQ(cursor.take(SIZE_MAX), nullptr);
  EXPECT_EQ(cursor.outcome(), Outcome::malformed);
  EXPECT_EQ(cursor.offset(), 3U);
}

TEST(ByteCursor, StartsAtAnyOffset) {
  const ExactBytes bytes(hex("01020304"), 8);
  EXPECT_EQ(Cursor(bytes.get(), 3).read<std::uint8_t>(), 4U);
  for (const std::size_t offset : {4U, 5U, 7U}) {
    Cursor cursor(bytes.get(), offset);
    EXPECT_EQ(cursor.remaining(), 8 - offset);
    EXPECT_EQ(cursor.read<std::uint8_t>(), 0U);
    EXPECT_EQ(cursor.outcome(), Outcome::truncated);
  }
  for (const std::size_t offset : {std::size_t{8}, std::size_t{9}, SIZE_MAX}) {
    Cursor cursor(bytes.get(), offset);
    EXPECT_EQ(cursor.remaining(), 0U);
    EXPECT_EQ(cursor.read<std::uint8_t>(), 0U);
    EXPECT_EQ(cursor.outcome(), Outcome::malformed);
    EXPECT_EQ(cursor.offset(), offset);
  }
}

}  // namespace
}  // namespace godot_codec::test
