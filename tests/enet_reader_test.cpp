// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>
#include <memory_resource>

#include "enet_reading.h"
#include "events.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/datagram_reader.h"

namespace godot_codec::test {
namespace {

/// A datagram and the result of reading it.
class ReadDatagram {
 public:
  explicit ReadDatagram(std::string_view bytes, const EnetExpectedFormat &expected = {}, std::size_t reported = 0)
      : bytes_(hex(bytes), reported), datagram_(read_enet_datagram(bytes_.get(), expected, memory_)) {}

  const EnetDatagram &operator*() const { return datagram_; }
  const EnetDatagram *operator->() const { return &datagram_; }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  ExactBytes bytes_;
  EnetDatagram datagram_;
};

EnetExpectedFormat with_checksum(bool is_configured = false) {
  EnetExpectedFormat expected;
  expected.has_checksum = true;
  expected.is_checksum_configured = is_configured;
  return expected;
}

TEST(EnetReader, ReadsUncompressedCommands) {
  const ReadDatagram read("8003 1234 85ff0001 01ff0002 0002 56f8");
  EXPECT_EQ(name_of(read->outcome), "ok");
  EXPECT_TRUE(read->is_plausible());
  EXPECT_TRUE(read->is_readable);
  EXPECT_EQ(read->compression, Compression::none);
  EXPECT_FALSE(read->header.has_checksum);
  EXPECT_EQ(read->header.peer_id, 3);
  EXPECT_EQ(read->payload.reported, 12U);
  EXPECT_EQ(read->commands_bytes.data, read->payload.data);
  ASSERT_EQ(read->commands.size(), 2U);
  EXPECT_TRUE(read->commands[0].is(EnetCommandType::ping));
  EXPECT_TRUE(read->commands[1].is(EnetCommandType::acknowledge));
  EXPECT_EQ(read->commands[1].range.offset, 4U);
  EXPECT_EQ(read->commands[1].range.end(), 12U);
}

TEST(EnetReader, CompressedCommandsAreRead) {
  const ReadDatagram read("c000670e8b7390abd45c3a4454d3");
  EXPECT_EQ(name_of(read->outcome), "ok");
  EXPECT_EQ(read->compression, Compression::range_coder);
  EXPECT_EQ(read->payload.reported, 10U);
  EXPECT_EQ(read->commands_bytes.reported, 12U);
  EXPECT_NE(read->commands_bytes.data, read->payload.data);
  ASSERT_EQ(read->commands.size(), 1U);
  EXPECT_TRUE(read->commands[0].is(EnetCommandType::bandwidth_limit));
  EXPECT_EQ(read->commands[0].range.length, 12U);
}

TEST(EnetReader, CompressedDatagramWithoutDataIsMalformed) {
  for (const std::string_view bytes : {"4000", "c0001234"}) {
    const ReadDatagram read(bytes);
    EXPECT_EQ(name_of(read->outcome), "malformed");
    EXPECT_EQ(name_of(read->header.outcome), "ok");
    EXPECT_FALSE(read->is_readable);
    EXPECT_EQ(read->payload.reported, 0U);
  }
}

TEST(EnetReader, DetectsTheChecksum) {
  constexpr std::string_view plain = "8003 1234 85ff0001";
  constexpr std::string_view sealed = "8003 1234 deadbeef 85ff0001";
  EXPECT_FALSE(ReadDatagram(plain)->header.has_checksum);
  EXPECT_FALSE(ReadDatagram(plain, with_checksum())->header.has_checksum) << "not what was expected";
  EXPECT_TRUE(ReadDatagram(sealed)->header.has_checksum);
  EXPECT_TRUE(ReadDatagram(sealed, with_checksum())->header.has_checksum);
  EXPECT_EQ(ReadDatagram(sealed)->header.checksum, 0xdeadbeef);
  EXPECT_EQ(ReadDatagram(sealed)->commands.size(), 1U);

  const ReadDatagram configured(plain, with_checksum(true));
  EXPECT_TRUE(configured->header.has_checksum) << "the user knows";
  EXPECT_EQ(configured->header.checksum, 0x85ff0001);
  EXPECT_EQ(configured->commands.size(), 0U);
  EXPECT_FALSE(configured->is_plausible());
}

TEST(EnetReader, DatagramTooShortForTheChecksumIsMalformed) {
  // If earlier datagrams had checksums: nothing but the flags can be read.
  for (const std::string_view bytes : {"0000 00", "0000 000000", "8000 0000 000000", "00", "0000"}) {
    SCOPED_TRACE(bytes);
    const ReadDatagram read(bytes, with_checksum());
    EXPECT_EQ(name_of(read->outcome), "malformed");
    EXPECT_EQ(name_of(read->header.outcome), "malformed");
    EXPECT_FALSE(read->is_readable);
    EXPECT_FALSE(read->is_plausible());
    EXPECT_TRUE(read->commands.empty());
    EXPECT_EQ(read->payload.reported, 0U);
    EXPECT_EQ(read->commands_bytes.reported, 0U);
  }
  EXPECT_EQ(name_of(ReadDatagram("0000 0000", with_checksum(), 20)->outcome), "truncated");
  EXPECT_EQ(name_of(ReadDatagram("8000 00", {}, 20)->outcome), "truncated");
}

TEST(EnetReader, TruncatedMalformedAndUnsupportedAreDistinguished) {
  const ReadDatagram cut("8000 1234 86 00 0001 0010 616263", {}, 30);
  EXPECT_EQ(name_of(cut->outcome), "truncated");
  ASSERT_EQ(cut->commands.size(), 1U);
  EXPECT_TRUE(cut->is_plausible());

  const ReadDatagram short_one("0000 86 00 0001 0010 616263");
  EXPECT_EQ(name_of(short_one->outcome), "malformed");
  EXPECT_EQ(short_one->commands.size(), 1U) << "its fields are there";
  EXPECT_EQ(short_one->run.undecoded.length, 0U);
  EXPECT_FALSE(short_one->is_plausible());

  const ReadDatagram unknown("8000 1234 85ff0001 0f000000 11");
  EXPECT_EQ(name_of(unknown->outcome), "unsupported");
  EXPECT_EQ(unknown->commands.size(), 1U);
  EXPECT_EQ(unknown->run.undecoded.offset, 4U);
  EXPECT_EQ(unknown->run.undecoded.length, 5U);

  const ReadDatagram compressed("4000 ffffffffffff");
  EXPECT_EQ(name_of(compressed->outcome), "unsupported");
  EXPECT_FALSE(compressed->is_readable);
  EXPECT_EQ(compressed->payload.reported, 6U);
  EXPECT_EQ(name_of(ReadDatagram("c000670e8b7390abd45c3a4454", {}, 14)->outcome), "truncated")
      << "what is cut is not decompressed";
}

TEST(EnetReader, ConfiguredCompressionIsUsed) {
  constexpr std::string_view range_coded = "c000670e8b7390abd45c3a4454d3";
  EnetExpectedFormat configured;
  configured.is_compression_configured = true;
  for (const Compression other : {Compression::none, Compression::zlib, Compression::zstd}) {
    configured.compression = other;
    EXPECT_FALSE(ReadDatagram(range_coded, configured)->is_readable);
    EXPECT_EQ(name_of(ReadDatagram(range_coded, configured)->outcome), "unsupported");
  }
  configured.compression = Compression::range_coder;
  EXPECT_EQ(ReadDatagram(range_coded, configured)->compression, Compression::range_coder);
  configured.compression = Compression::fastlz;
  const ReadDatagram malformed("4000 03 01020304", configured);
  EXPECT_TRUE(malformed->is_readable) << "whatever it is";
  EXPECT_EQ(malformed->compression, Compression::fastlz);
  EXPECT_FALSE(malformed->is_plausible());

  EnetExpectedFormat wary;
  wary.may_decompress = false;
  EXPECT_FALSE(ReadDatagram(range_coded, wary)->is_readable);
}

TEST(EnetReader, ZeroPaddingIsAcceptedForFastLzTo16BytesOnly) {
  // A ping and zeros as literals of FastLZ.
  const ReadDatagram padded("4000 0f 85ff0001 000000000000000000000000");
  EXPECT_EQ(name_of(padded->outcome), "ok");
  EXPECT_EQ(padded->compression, Compression::fastlz);
  EXPECT_EQ(padded->commands.size(), 1U);
  EXPECT_EQ(padded->run.padding.offset, 4U);
  EXPECT_EQ(padded->run.padding.length, 12U);
  EXPECT_EQ(padded->run.undecoded.length, 0U);

  EnetExpectedFormat configured;
  configured.is_compression_configured = true;
  configured.compression = Compression::fastlz;
  const ReadDatagram shorter("4000 0e 85ff0001 0000000000000000000000", configured);
  EXPECT_EQ(name_of(shorter->outcome), "unsupported");
  EXPECT_EQ(shorter->run.padding.length, 0U);
  EXPECT_EQ(shorter->run.undecoded.length, 11U);

  const ReadDatagram plain("8000 0000 85ff0001 000000000000000000000000");
  EXPECT_EQ(plain->run.padding.length, 0U);
  EXPECT_EQ(name_of(plain->outcome), "unsupported");
}

TEST(EnetReader, AThousandCommandsAreRead) {
  Data pings = hex("8000 0000");
  for (int i = 0; i < 1000; ++i) pings += hex("85ff0001");
  const ExactBytes bytes(pings);
  with_datagram(bytes.get(), {}, [](const EnetDatagram &datagram) {
    ASSERT_EQ(datagram.commands.size(), 1000U);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(datagram.commands[i].range.offset, 4 * i);
  });
}

// --- Times -----------------------------------------------------------------------------------------------------

TEST(CaptureTime, SaturatesAtTheLimits) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(to_nanoseconds(1, 5), 1'000'000'005);
  EXPECT_EQ(to_nanoseconds(-2, 5), -1'999'999'995);
  EXPECT_EQ(to_nanoseconds(9'223'372'035, 999'999'999), 9'223'372'035'999'999'999);
  EXPECT_EQ(to_nanoseconds(std::int64_t{1} << 40, 0), most);
  EXPECT_EQ(to_nanoseconds(most, most), most);
  EXPECT_EQ(to_nanoseconds(least, least), least);
  EXPECT_EQ(to_nanoseconds(9'223'372'035, most), most);
  EXPECT_EQ(to_nanoseconds(-9'223'372'035, least), least);

  EXPECT_EQ(elapsed(3, 10), 7);
  EXPECT_EQ(elapsed(10, 3), -7);
  EXPECT_EQ(elapsed(least, most), most);
  EXPECT_EQ(elapsed(most, least), least);
  EXPECT_EQ(elapsed(least, -1), most);
  EXPECT_EQ(elapsed(0, least), least);
  EXPECT_EQ(elapsed(1, least), least);
  EXPECT_EQ(elapsed(-1, most), most);
}

}  // namespace
}  // namespace godot_codec::test
