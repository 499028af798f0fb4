// SPDX-License-Identifier: GPL-2.0-or-later
// Captures truncated by snap lengths: truncated data is reported as truncated, and no dissector of the plugin reads
// beyond it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <vector>

#include "pcapng.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t first_snap_length = 60;
constexpr std::size_t last_snap_length = 160;
// Shorter frames are acknowledgements of ENet and TCP; no snap length here truncates them within a message.
constexpr std::size_t longest_header = 66;

// Returns the offset of the IP header after the link-layer header.
std::size_t ip_offset(std::uint16_t linktype) {
  const std::map<std::uint16_t, std::size_t> offsets = {{linktype_ethernet, 14}, {linktype_raw_ip, 0}, {113, 16}};
  return offsets.at(linktype);
}

// Gives each copy its own addresses, so that copies share no conversation.
void change_addresses(std::string &frame, std::size_t ip, unsigned number) {
  const bool is_ip6 = (frame.at(ip) >> 4 & 0xf) == 6;
  for (const std::size_t address : {ip + (is_ip6 ? 8 : 12), ip + (is_ip6 ? 24 : 16)}) {
    const std::size_t middle = address + (is_ip6 ? 12 : 1);
    frame[middle] = static_cast<char>(frame[middle] ^ static_cast<char>(number >> 8));
    frame[middle + 1] = static_cast<char>(frame[middle + 1] ^ static_cast<char>(number & 0xff));
  }
}

// A file that contains a copy of every capture for some of the snap lengths.
class Copies {
 public:
  void add(const Pcapng &capture, std::size_t from, std::size_t to, std::size_t step) {
    head_ += capture.interfaces + capture.secrets;
    for (std::size_t snap = from; snap <= to; snap += step) add_copy(capture, snap);
    interfaces_ += capture.linktypes.size();
  }

  [[nodiscard]] std::size_t cut() const { return cut_; }

  [[nodiscard]] fs::path save(const std::string &name) const {
    fs::path path = scratch_folder() / name;
    std::ofstream(path, std::ios::binary) << head_ << frames_;
    return path;
  }

 private:
  void add_copy(const Pcapng &capture, std::size_t snap) {
    ++number_;
    const auto is_cut = [snap](const PcapngFrame &frame) { return frame.bytes.size() > snap; };
    const auto behind_last = std::find_if(capture.frames.rbegin(), capture.frames.rend(), is_cut).base();
    for (auto frame = capture.frames.begin(); frame != behind_last; ++frame) {
      if (frame->bytes.size() <= longest_header) continue;
      cut_ += is_cut(*frame) ? 1 : 0;
      PcapngFrame copy = *frame;
      copy.bytes.resize(std::min(copy.bytes.size(), snap));
      change_addresses(copy.bytes, ip_offset(capture.linktypes.at(frame->interface)), number_);
      frames_ += copy.block(interfaces_);
    }
  }

  std::string head_ = Pcapng::section();
  std::string frames_;
  std::size_t interfaces_ = 0;
  unsigned number_ = 0;
  std::size_t cut_ = 0;
};

// ---- forbidden output

// Counts epan's messages about aborted dissectors of the plugin, in a displayed tree.
std::map<std::string, int> ended_by_epan(const fs::path &capture) {
  static const std::regex ours(
      R"(\[(Malformed Packet|Packet size limited during capture|Dissector bug).*(Godot|ENet).*)");
  std::map<std::string, int> counts;
  const std::string shown = tshark(capture, {"-V", "-Y", "_ws.malformed || _ws.short"}, {.seconds = 600});
  for (const std::string &line : lines_of(shown)) {
    if (line.starts_with('[') && std::regex_match(line, ours)) ++counts[line];
  }
  return counts;
}

// Each capture with every fifth length, and the next capture with other lengths: together they cover all lengths.
TEST(SnapLength, NothingIsReadBeyondTheCapturedBytes) {
  constexpr std::size_t step = 5;
  Copies copies;
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() == ".pcapng") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    copies.add(pcapng_of(paths[i]), first_snap_length + i % step, last_snap_length, step);
  }
  ASSERT_GT(copies.cut(), 40'000U);
  EXPECT_EQ(ended_by_epan(copies.save("cut.pcapng")), (std::map<std::string, int>{}));
}

// A custom spawn is truncated within its value, so the later values are unknown.
TEST(SnapLength, CustomSpawnCutWithinItsValueIsTruncated) {
  const fs::path capture = fs::path(GODOT_TESTS_DIR) / "data" / "custom_spawn_cut.pcapng";
  EXPECT_EQ(ended_by_epan(capture), (std::map<std::string, int>{}));
  // Three messages, one of them broken, are too few for detection.
  const Rows rows = read_fields(
      capture, {"-d", "enet.port==40002,godot_mp", "-Y", "godot_mp.command == \"spawn\" && godot.truncated"},
      {"frame.number", "godot_mp.node", "godot.undecoded"});
  EXPECT_EQ(rows, (Rows{{"3", "Main/Clock/Sync", "596cf7b435"}}));
}

}  // namespace
}  // namespace godot_codec::test
