// SPDX-License-Identifier: GPL-2.0-or-later
// The preferences of ENet, and the checksums that only libenet uses.
#include <gtest/gtest.h>

#include "enet_captures.h"
#include "pcap.h"

namespace godot_codec::test::enet {
namespace {

// --- Preferences -----------------------------------------------------------------------------------------------

std::string details_of(const fs::path &capture, const Texts &options) {
  return tshark(capture, options + Texts{"-P", "-O", "enet,godot,data"});
}

TEST_P(SelectedEnetCaptures, ConfiguredCompressionReplacesDetection) {
  const std::string automatic = details_of(capture().path, ports);
  for (const Scenario &scenario : scenarios) {
    if (scenario.name == "enet_loss") continue;
    if (capture().is_lossy() && scenario.name != "enet_none") continue;  // one lossy capture is enough
    SCOPED_TRACE(scenario.preference);
    const Texts options = ports + Texts{"-o", "enet.compression:" + std::string(scenario.preference)};
    if (scenario.preference == capture().scenario.preference || capture().scenario.compression.empty()) {
      EXPECT_EQ(details_of(capture().path, options) == automatic, true);
      continue;
    }
    if (scenario.name == "enet_none" || capture().version != "4.6") continue;  // tested below; one engine is enough
    std::size_t compressed = 0;
    std::size_t reported = 0;
    for (const Texts &row :
         read_fields(capture().path, options, {"enet.compressed", "enet.unsupported", "enet.malformed"})) {
      const bool is_faulty = !row[1].empty() || !row[2].empty();
      EXPECT_FALSE(is_faulty && !is_true(row[0]));
      if (is_true(row[0])) ++compressed;
      if (is_faulty) ++reported;
    }
    // The range coder decodes any bytes, which may form a command by chance.
    EXPECT_GE(reported, compressed * 95 / 100);
    EXPECT_GT(compressed, 20U);
  }
}

TEST(EnetPreferences, CompressionNoneFailsOnCompressedDatagrams) {
  const Texts options = ports + Texts{"-o", "enet.compression:none"};
  std::size_t compressed = 0;
  for (const Item &frame : read_details(named_capture("enet_zlib_godot4.6").path, options)) {
    const Item &enet = *frame.child("enet");
    if (!is_true(enet.child_text("enet.compressed"))) continue;
    ++compressed;
    ASSERT_NE(enet.child("enet.compressed_bytes"), nullptr);
    EXPECT_NE(find_item(enet, "_ws.expert"), nullptr) << number_of(frame);
  }
  EXPECT_GT(compressed, 20U);
}

TEST(EnetPreferences, DecodeAsSelectsEnetForAPort) {
  const Capture capture = named_capture("enet_range_coder_godot4.6");
  EXPECT_EQ(tshark(capture.path, {"--disable-heuristic", "godot_udp"}).find("ENet"), std::string::npos)
      << "without being told";
  EXPECT_EQ(details_of(capture.path, {"-d", "udp.port==5021,enet"}), details_of(capture.path, ports));
}

// --- libenet ---------------------------------------------------------------------------------------------------

constexpr const char *checksum_is_good = "1";
constexpr const char *checksum_is_bad = "0";
constexpr const char *checksum_is_unverified = "2";

const Reading &libenet_reading() {
  static const std::unique_ptr<Reading> reading = read(libenet_capture, with_checksum);
  return *reading;
}

TEST(LibEnet, ChecksumsAreGood) {
  ASSERT_EQ(libenet_reading().datagrams.size(), 40U);
  std::size_t compressed = 0;
  for (const Datagram &datagram : libenet_reading().datagrams) {
    SCOPED_TRACE(datagram.frame);
    EXPECT_EQ(datagram.enet->child_text("enet.checksum.status"), checksum_is_good);
    const Item *const checksum = datagram.enet->child("enet.checksum");
    ASSERT_NE(checksum, nullptr);
    EXPECT_EQ(checksum->size, 4U);
    EXPECT_EQ(checksum->position,
              datagram.udp_payload->position + (datagram.enet->child("enet.sent_time") == nullptr ? 2 : 4));
    for (const char *const fault : {"enet.malformed", "enet.unsupported", "enet.undecoded", "enet.checksum.bad"}) {
      EXPECT_TRUE(find_all(*datagram.details, fault).empty()) << fault;
    }
    if (datagram.is_compressed()) {
      ++compressed;
      EXPECT_EQ(datagram.enet->child_text("enet.compression"), "range coder");
      expect_commands_tiled(*datagram.enet, 0, datagram.sources.at(1).bytes.size());
    } else {
      expect_commands_tiled(*datagram.enet, checksum->position + 4,
                            datagram.udp_payload->position + datagram.udp_payload->size);
    }
  }
  EXPECT_GT(compressed, 5U);
}

TEST(LibEnet, MessagesAreShownAsData) {
  const Expectations expected = read_expectations(libenet_capture);
  TextMultiset found;
  for (const Datagram &datagram : libenet_reading().datagrams) {
    EXPECT_EQ(datagram.details->child("godot"), nullptr) << datagram.frame;
    for (const Message &message : messages_of(datagram)) {
      found.insert(datagram.to + "\t" + std::to_string(message.channel) + "\t" + std::to_string(message.bytes.size()) +
                   "\t" + md5(message.bytes));
    }
  }
  expect_same(found, expected.received, "messages");
  // One event loop alternates between both sides, with waits of a millisecond, and the last sample has a weight of 1/8.
  expect_round_trips(libenet_reading().datagrams, expected.round_trips, 2, false);
}

TEST(LibEnet, FlippedBitIsReportedAsABadChecksum) {
  const Pcap good = pcap_of(libenet_capture);
  // Flips any byte of an uncompressed datagram. In a compressed one only the checksum is changed, because a range coder
  // may leave bits of its last byte unused.
  Pcap pcap = good;
  std::size_t flipped = 0;
  for (std::string &frame : pcap.frames) {
    constexpr std::size_t payload = 14 + 20 + 8;
    const auto flags = static_cast<unsigned char>(frame[payload]);
    const bool is_compressed = (flags & 0x40) != 0;
    const std::size_t checksum = payload + ((flags & 0x80) != 0 ? 4 : 2);
    // Neither the command types nor the lengths change: only the last byte of an acknowledgement or of data, or the
    // checksum.
    const std::size_t at = is_compressed || flipped % 2 == 0 ? checksum + flipped % 4 : frame.size() - 1;
    frame[at] = static_cast<char>(frame[at] ^ (1 << flipped % 8));
    ++flipped;
  }
  const fs::path path = scratch_folder() / "flipped.pcap";
  pcap.save(path);
  std::size_t bad = 0;
  std::size_t undecoded = 0;
  for (const Item &frame : read_details(path, with_checksum)) {
    const Item &enet = *frame.child("enet");
    const std::string number = number_of(frame);
    if (number == "1" || number == "2") continue;  // these frames carry the connect id
    EXPECT_NE(enet.child_text("enet.checksum.status"), checksum_is_good) << number;
    EXPECT_EQ(find_all(enet, "enet.checksum.bad").size(), 1U) << number;
    ++(enet.child_text("enet.checksum.status") == checksum_is_bad ? bad : undecoded);
  }
  EXPECT_EQ(undecoded, 0U);
  EXPECT_EQ(bad, 38U);
}

TEST(LibEnet, ChecksumsAreUnverifiedWithoutTheHandshake) {
  Pcap pcap = pcap_of(libenet_capture);
  pcap.frames.erase(pcap.frames.begin(), pcap.frames.begin() + 2);
  const fs::path path = scratch_folder() / "joined_late.pcap";
  pcap.save(path);
  for (const Item &frame : read_details(path, with_checksum)) {
    const Item &enet = *frame.child("enet");
    EXPECT_EQ(enet.child_text("enet.checksum.status"), checksum_is_unverified);
    EXPECT_TRUE(find_all(enet, "enet.checksum.bad").empty());
    EXPECT_FALSE(commands_of(enet).empty()) << "but it can be read";
  }
}

}  // namespace
}  // namespace godot_codec::test::enet
