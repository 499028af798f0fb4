// SPDX-License-Identifier: GPL-2.0-or-later
// Nothing that was learned in one capture is left in the next one of the same process: sessions that are reset, and the
// files of a ring buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "pcap.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

fs::path recorded(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Captures of the same length, of engines of both generations: many use the same ports.
std::vector<Pcap> beginnings(const Texts &names, std::size_t frames) {
  std::vector<Pcap> result;
  for (const std::string &name : names) {
    result.push_back(pcap_of(recorded(name)));
    EXPECT_GE(result.back().frames.size(), frames) << name;
    result.back().frames.resize(frames);
  }
  return result;
}

Pcap one_after_another(const std::vector<Pcap> &pcaps) {
  Pcap all;
  for (const Pcap &pcap : pcaps) {
    all.linktype = pcap.linktype;
    all.frames.insert(all.frames.end(), pcap.frames.begin(), pcap.frames.end());
  }
  return all;
}

// The first line that differs says enough.
void expect_same(const Texts &lines, const Texts &wanted) {
  EXPECT_EQ(lines.size(), wanted.size());
  const auto [line, other] = std::ranges::mismatch(lines, wanted);
  EXPECT_TRUE(line == lines.end() || other == wanted.end())
      << "line " << line - lines.begin() << ": " << *line << "\n  instead of " << *other;
}

Texts without_blank(Texts lines) {
  std::erase(lines, "");
  return lines;
}

TEST(StateTest, EndsWithTheCapture) {
  constexpr std::size_t frames = 100;
  const std::vector<Pcap> pcaps =
      beginnings({"mp_rpc_godot4.6", "mp_rpc_godot3.6", "mp_rpc_godot4.6", "enet_zlib_godot3.6", "enet_zstd_godot4.6",
                  "debug_script_godot4.6", "debug_script_godot3.6", "tcp_types_godot4.6", "tcp_types_godot3.6"},
                 frames);
  // Not the time, which goes on.
  const Texts rows = {"-T", "fields", "-e", "frame.number", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"};
  const Texts trees = {"-O", "godot,godot_mp,godot_debug,enet"};
  for (const Texts &options : {rows, trees}) {
    Texts wanted;
    for (const Pcap &pcap : pcaps) wanted = wanted + lines_of(tshark(saved(pcap), options));
    const Output output = run(
        TSHARK, Texts{"-n", "-M", std::to_string(frames), "-r", saved(one_after_another(pcaps)).string()} + options);
    EXPECT_EQ(output.status, 0) << output.err;
    expect_same(without_blank(lines_of(output.out)), without_blank(wanted));
  }
}

TEST(StateTest, EndsWithEachFileOfARingBuffer) {
  constexpr const char *packets_of_file = "100";
  const fs::path capture =
      saved(one_after_another({pcap_of(recorded("mp_rpc_godot4.6")), pcap_of(recorded("mp_rpc_godot3.6")),
                               pcap_of(recorded("mp_rpc_godot4.6"))}));
  const fs::path ring = scratch_folder() / "ring.pcapng";
  const std::string command = std::string(TSHARK) + " -n -i - -b packets:" + packets_of_file + " -P -w " +
                              ring.string() + " < " + capture.string();
  // dumpcap reads what comes through a pipe, which nobody needs a permission for.
  const Output live = run("/bin/sh", {"-c", command});
  ASSERT_EQ(live.status, 0) << live.err;

  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(scratch_folder())) {
    if (entry.path().filename().string().starts_with("ring_")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  ASSERT_GT(files.size(), 8U);
  Texts wanted;
  for (const fs::path &file : files) wanted = wanted + lines_of(tshark(file, {}));
  expect_same(lines_of(live.out), wanted);
}

}  // namespace
}  // namespace godot_codec::test
