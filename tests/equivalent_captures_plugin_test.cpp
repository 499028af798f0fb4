// SPDX-License-Identifier: GPL-2.0-or-later
// Changes to a capture that must not change the output: sequence numbers that start elsewhere and therefore wrap in the
// middle, and fields that a capture on the sending host leaves empty.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pcapng.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t ip = 14;
constexpr std::size_t transport = ip + 20;

bool is_ip4(const std::string &frame, char protocol) {
  return frame.size() >= transport + 8 && frame.substr(12, 3) == std::string("\x08\x00\x45", 3) &&
         frame[ip + 9] == protocol;
}

std::uint32_t read_be(const std::string &bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

void add_be(std::string &bytes, std::size_t at, std::size_t size, std::uint32_t delta) {
  const std::uint32_t value = read_be(bytes, at, size) + delta;
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> 8 * (size - 1 - i));
}

// Returns the packet list and all tables, without displayed sequence numbers and times.
Texts output_of(const fs::path &capture) {
  static const std::regex numbers(R"(#\d+|\bt=\d+)");
  Texts output;
  for (const Texts &row : read_fields(capture, {"-2"}, {"_ws.col.Protocol", "_ws.col.Info", "_ws.expert.message"})) {
    const bool is_tcps = row[0] == "TCP";
    if (!is_tcps) output.push_back(std::regex_replace(row[0] + " " + row[1] + " " + row[2], numbers, "#"));
  }
  Texts arguments = {"-2", "-q"};
  for (const std::string &each : all_tables()) arguments = arguments + Texts{"-z", each};
  return output + lines_of(tshark(capture, arguments));
}

void expect_same(const Texts &output, const Texts &wanted) {
  ASSERT_EQ(output.size(), wanted.size());
  const auto [one, other] = std::ranges::mismatch(output, wanted);
  EXPECT_TRUE(one == output.end()) << *one << "\n  instead of " << *other;
}

class TcpDecoding : public testing::TestWithParam<const char *> {};

// The sequence numbers of both sides wrap in the middle of the capture.
TEST_P(TcpDecoding, DoesNotDependOnTheInitialSequenceNumber) {
  const fs::path path = std::string(GetParam()).starts_with("data/") ? fs::path(GODOT_TESTS_DIR) / GetParam()
                                                                     : fs::path(GODOT_CAPTURES_DIR) / GetParam();
  const Pcapng original = pcapng_of(path);
  const Texts wanted = output_of(path);
  for (const bool is_upwards : {true, false}) {
    Pcapng file = original;
    std::vector<std::uint32_t> numbers;
    for (const PcapngFrame &frame : file.frames) {
      const bool is_of_side = is_ip4(frame.bytes, 6) && (read_be(frame.bytes, transport, 2) <
                                                         read_be(frame.bytes, transport + 2, 2)) == is_upwards;
      if (is_of_side) numbers.push_back(read_be(frame.bytes, transport + 4, 4));
    }
    ASSERT_GT(numbers.size(), 4U);
    for (PcapngFrame &frame : file.frames) {
      if (!is_ip4(frame.bytes, 6)) continue;
      add_be(frame.bytes, transport + 4, 4, 2 - numbers[numbers.size() / 2]);
      if ((frame.bytes[transport + 13] & tcp_ack) != 0)
        add_be(frame.bytes, transport + 8, 4, 2 - numbers[numbers.size() / 2]);
    }
    expect_same(output_of(file.save("shifted.pcapng")), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, TcpDecoding,
                         testing::Values("mp_ws_godot4.6.pcapng", "tcp_types_godot4.6.pcapng",
                                         "debug_script_godot3.6.pcapng", "connect_ws_godot4.6.pcapng",
                                         "data/web_deflate.pcapng"));

// A sequence number of ENet or a sync time, and its place in a frame.
struct NumberPosition {
  std::size_t frame;
  std::size_t position;
  bool is_time;
};

// Returns the reliable sequence numbers and sent times of a connection that began before the capture.
std::vector<NumberPosition> number_positions(const fs::path &path) {
  std::vector<NumberPosition> numbers;
  const std::vector<Item> frames = read_details(path, {"-Y", "enet"});
  for (const Item &frame : frames) {
    const std::size_t index = std::stoul(frame.child("geninfo")->child_text("num")) - 1;
    const Item &enet = *frame.child("enet");
    if (const Item *time = enet.child("enet.sent_time")) numbers.push_back({index, time->position, true});
    walk(enet, [&](const Item &item) {
      if (item.name != "enet.part") return true;
      const std::vector<std::string> command = find_all(item, "enet.command");
      walk(item, [&](const Item &field) {
        const bool is_reliable = field.name == "enet.ack.seq" ||
                                 (field.name == "enet.reliable_seq" && command.at(0) != "9") ||
                                 (field.name == "enet.fragment.start_seq" && command.at(0) == "8");
        if (is_reliable || field.name == "enet.ack.sent_time") numbers.push_back({index, field.position, !is_reliable});
        return true;
      });
      return false;
    });
  }
  return numbers;
}

TEST(EnetDecoding, DoesNotDependOnInitialSequenceNumbersAndTimes) {
  for (const char *name : {"mp_spawn_godot4.6", "mp_rpc_godot4.6"}) {
    SCOPED_TRACE(name);
    Pcap pcap = pcap_of(capture(name));
    // Keeps one client, without its first datagrams.
    const std::string port = pcap.frames.at(0).substr(transport, 2);
    std::erase_if(pcap.frames, [&](const std::string &frame) {
      return frame.substr(transport, 2) != port && frame.substr(transport + 2, 2) != port;
    });
    pcap.frames.erase(pcap.frames.begin(), pcap.frames.begin() + 40);
    const fs::path original = saved(pcap);
    const std::vector<NumberPosition> numbers = number_positions(original);
    ASSERT_GT(numbers.size(), 100U);
    const NumberPosition &middle =
        *std::ranges::find_if(numbers.begin() + std::ssize(numbers) / 2, numbers.end(), &NumberPosition::is_time);
    const std::uint32_t time = read_be(pcap.frames.at(middle.frame), middle.position, 2);
    for (const NumberPosition &each : numbers) {
      // The wrap is in the middle of the numbers in use.
      add_be(pcap.frames.at(each.frame), each.position, 2, 0x10000 - (each.is_time ? time : 20));
    }
    expect_same(output_of(saved(pcap)), output_of(original));
  }
}

TEST(SyncDecoding, DoesNotDependOnTheInitialSyncTime) {
  Pcap pcap = pcap_of(capture("mp_spawn_godot4.6"));
  const fs::path original = saved(pcap);
  std::size_t count = 0;
  for (const Item &frame : read_details(original, {"-Y", "godot_mp.sync.time"})) {
    const std::size_t index = std::stoul(frame.child("geninfo")->child_text("num")) - 1;
    walk(frame, [&](const Item &item) {
      if (item.name != "godot_mp.sync.time") return true;
      std::string &bytes = pcap.frames.at(index);
      std::swap(bytes.at(item.position), bytes.at(item.position + 1));
      add_be(bytes, item.position, 2, 0x10000 - 40);
      std::swap(bytes[item.position], bytes[item.position + 1]);
      ++count;
      return true;
    });
  }
  EXPECT_GT(count, 100U);
  expect_same(output_of(saved(pcap)), output_of(original));
}

// With segmentation offload the network card splits the packets, so the IP length is 0 in a capture on the host.
TEST(Ipv4Decoding, IpLengthOfZeroChangesNothing) {
  for (const char *name : {"mp_ws_godot4.6", "mp_spawn_godot4.6", "game_godot4.6"}) {
    SCOPED_TRACE(name);
    Pcapng file = pcapng_of(capture(name));
    for (PcapngFrame &frame : file.frames) {
      if (is_ip4(frame.bytes, 6) || is_ip4(frame.bytes, 17)) frame.bytes.replace(ip + 2, 2, 2, '\0');
    }
    EXPECT_EQ(read_table(file.save("offloaded.pcapng"), "godot,overhead", {"-2"}),
              read_table(capture(name), "godot,overhead", {"-2"}));
  }
}

TEST(Ipv4Decoding, IpOptionsAreSkippedAndCountedAsOverhead) {
  Pcapng file = pcapng_of(capture("game_godot4.6"));
  for (PcapngFrame &frame : file.frames) {
    if (!is_ip4(frame.bytes, 17) && !is_ip4(frame.bytes, 6)) continue;
    std::string bytes = frame.bytes;
    bytes[ip] = '\x46';
    add_be(bytes, ip + 2, 2, 4);
    frame.set(bytes.insert(transport, "\1\1\1\0", 4));
  }
  std::map<std::string, double> wanted =
      by_name(read_table(capture("game_godot4.6"), "godot,overhead", {"-2"}), "Bytes of", "Bytes");
  const std::vector<TableRow> rows = read_table(file.save("options.pcapng"), "godot,overhead", {"-2"});
  wanted.at("IP") *= 24.0 / 20;
  EXPECT_EQ(by_name(rows, "Bytes of", "Bytes"), wanted);
}

}  // namespace
}  // namespace godot_codec::test
