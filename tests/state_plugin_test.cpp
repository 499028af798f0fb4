// SPDX-License-Identifier: GPL-2.0-or-later
// State of one capture must not affect the next one in the same process: reset sessions, and the files of a ring
// buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pcap.h"
#include "pcapng.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

fs::path recorded(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// Returns a capture as Ethernet frames, without keys that it may contain.
Pcap without_keys_of(const fs::path &path) {
  const Pcapng file = path.extension() == ".pcapng" ? pcapng_of(path) : Pcapng{};
  if (file.frames.empty()) return pcap_of(path);
  Pcap pcap{file.linktypes.at(0), {}};
  for (const PcapngFrame &frame : file.frames) pcap.frames.push_back(frame.bytes);
  return pcap;
}

Pcap concatenated(const std::vector<Pcap> &pcaps) {
  Pcap all;
  for (const Pcap &pcap : pcaps) {
    all.linktype = pcap.linktype;
    all.frames.insert(all.frames.end(), pcap.frames.begin(), pcap.frames.end());
  }
  return all;
}

// Reports only the first line that differs.
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

TEST(SessionState, IsResetForEachFileOfARingBuffer) {
  constexpr const char *packets_of_file = "100";
  const fs::path capture =
      saved(concatenated({pcap_of(recorded("mp_rpc_godot4.6")), pcap_of(recorded("mp_rpc_godot3.6")),
                          pcap_of(recorded("mp_rpc_godot4.6"))}));
  const fs::path ring = scratch_folder() / "ring.pcapng";
  const std::string command = std::string(TSHARK) + " -n -i - -b packets:" + packets_of_file + " -P -w " +
                              ring.string() + " < " + capture.string();
  // dumpcap reads from a pipe, which requires no permission to capture.
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

// ---- captures of all kinds, one after another

// Adds Ethernet headers to frames of linktype_raw_ip, and appends foreign frames.
Pcap with_foreign_frames(Pcap pcap, std::size_t frames) {
  const std::string ethernet = std::string(12, '\0') + std::string("\x08\0", 2);
  for (std::string &frame : pcap.frames) {
    if (pcap.linktype == linktype_raw_ip) frame.insert(0, ethernet);
  }
  pcap.linktype = linktype_ethernet;
  pcap.frames.resize(frames, std::string(12, '\0') + std::string("\x88\xb5 nobody's", 12));
  return pcap;
}

// TLS data. The ClientHello is missing.
Pcap tls_without_hello(std::size_t records) {
  TcpConversation conversation({50001, 443});
  for (std::size_t i = 0; i < records; ++i) conversation.send(std::string("\x17\3\3\0\x20", 5) + std::string(32, 'x'));
  return conversation.pcap();
}

// Returns Variants on a port of another protocol. There are too few of them for detection.
Pcap small_variants(std::size_t count) {
  Pcap pcap;
  for (std::size_t i = 0; i < count; ++i)
    pcap.frames.push_back(udp({50001, 7000}, integer(static_cast<std::int32_t>(i))));
  return pcap;
}

// Returns a client's HTTP request for a game. The server's answer is in the next capture.
Pcap web_socket_of_two_captures(bool is_begun) {
  WebSocketConversation conversation({50001, 5055});
  conversation.send(web_socket_binary, integer(1));
  for (int i = 0; i < 6; ++i) conversation.send(web_socket_binary, dictionary({{string("id"), integer(i)}}));
  Pcap pcap = conversation.pcap();
  if (!is_begun) pcap.frames.erase(pcap.frames.begin(), pcap.frames.begin() + 5);
  return pcap;
}

struct NamedCapture {
  std::string name;
  Pcap pcap;
};

// Each capture that leaves state is followed by a capture that would show this state. `git grep -E
// '(Capture|Conversation)State<' plugin` lists all state of the plugin. For new state, add a capture that leaves it,
// and after it a capture with output that would change.
std::vector<NamedCapture> captures_that_leave_state() {
  const fs::path data = fs::path(GODOT_TESTS_DIR) / "data";
  std::vector<NamedCapture> all = {{"tls_without_hello", tls_without_hello(2)},
                                   {"tls_without_hello", tls_without_hello(3)},
                                   {"small_variants", small_variants(2)},
                                   {"small_variants", small_variants(3)},
                                   {"web_socket", web_socket_of_two_captures(true)},
                                   {"late_web_socket", web_socket_of_two_captures(false)},
                                   {"web_socket", web_socket_of_two_captures(true)}};
  for (const char *name :
       {"mp_rpc_godot4.6",    "mp_rpc_godot3.6",       "mp_rpc_godot4.6",           "enet_zlib_godot3.6",
        "enet_zstd_godot4.6", "debug_script_godot4.6", "debug_script_godot3.6",     "tcp_types_godot4.6",
        "mp_ws_godot4.6",     "mp_wss_godot4.6",       "mp_wss_godot4.6",           "sctp_by_hand",
        "sctp_by_hand",       "sctp_udp_by_hand",      "mp_auth_godot4.6",          "own_streams_godot4.6",
        "typed_godot4.6",     "big_endian_godot4.6",   "connect_godot4.6_godot3.6", "connect_ws_godot4.6",
        "udp_types_godot3.6", "udp_types_godot4.6"}) {
    all.push_back({name, without_keys_of(recorded(name))});
  }
  for (const char *name : {"dtls_clients.pcapng", "dtls_webrtc.pcapng", "dtls_webrtc.pcapng", "web_channels.pcapng",
                           "web_turn.pcapng", "web_turn.pcapng", "web_deflate.pcapng", "web_http2.pcapng",
                           "web_http2.pcapng", "waits.pcap", "own_nobody.pcapng"}) {
    all.push_back({name, without_keys_of(data / name)});
  }
  return all;
}

TEST(SessionState, IsResetForEachCapture) {
  constexpr std::size_t frames = 60;
  const std::vector<NamedCapture> all = captures_that_leave_state();
  std::vector<Pcap> pcaps;
  for (const NamedCapture &each : all) pcaps.push_back(with_foreign_frames(each.pcap, frames));
  for (const Texts &options :
       {Texts{"-T", "fields", "-e", "frame.number", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"},
        Texts{"-O", "godot,godot_mp,godot_debug,enet"}}) {
    Texts wanted;
    for (const Pcap &pcap : pcaps) wanted = wanted + lines_of(tshark(saved(pcap), options));
    const Output output =
        run(TSHARK, Texts{"-n", "-M", std::to_string(frames), "-r", saved(concatenated(pcaps)).string()} + options);
    EXPECT_EQ(output.status, 0) << output.err;
    expect_same(without_blank(lines_of(output.out)), without_blank(wanted));
  }
}

// Returns all tables of captures that one sharkd loads one after another, as Wireshark's window does.
Texts tables_of(const std::vector<fs::path> &captures) {
  const fs::path requests = scratch_folder() / "requests";
  std::ofstream file(requests);
  int id = 0;
  const auto request = [&](const std::string &method, const std::string &parameters) {
    file << R"({"jsonrpc":"2.0","id":)" << ++id << R"(,"method":")" << method << R"(","params":{)" << parameters
         << "}}\n";
  };
  for (const fs::path &path : captures) {
    request("load", R"("file":")" + path.string() + '"');
    std::string taps;
    int count = 0;
    for (const std::string &table : all_tables()) {
      taps += (count == 0 ? "\"tap" : ",\"tap") + std::to_string(count) + R"(":"nstat:)" + table + '"';
      ++count;
    }
    request("tap", taps);
  }
  file.close();
  const Output output = run("/bin/sh", {"-c", "sharkd - < " + requests.string()});
  Texts tables;
  for (const std::string &line : lines_of(output.out)) {
    if (line.find("\"taps\"") != std::string::npos) tables.push_back(line.substr(line.find("\"taps\"")));
  }
  EXPECT_EQ(tables.size(), captures.size()) << output.out << output.err;
  tables.resize(captures.size());
  return tables;
}

// The client's password is rejected in a frame. In the next capture, the frame with the same number has the disconnect
// of a client.
std::vector<NamedCapture> captures_with_disconnects() {
  const fs::path data = fs::path(GODOT_TESTS_DIR) / "data";
  const Pcap kicked = pcap_of(data / "kicked_late.pcapng");
  Pcap refused = pcap_of(data / "auth_refused.pcap");
  const auto disconnected_in = [](const fs::path &path) {
    return std::stoul(read_fields(path, {"-2", "-Y", "enet.disconnected"}, {"frame.number"}).at(0)[0]);
  };
  const std::size_t more = disconnected_in(data / "kicked_late.pcapng") - disconnected_in(data / "auth_refused.pcap");
  refused.frames.insert(refused.frames.begin(), more, std::string(12, '\0') + std::string("\x88\xb5 nobody's", 12));
  return {{"refused", refused}, {"kicked", kicked}};
}

TEST(SessionState, TablesCoverOnlyTheCurrentCapture) {
  std::vector<fs::path> paths;
  for (const NamedCapture &each : captures_that_leave_state())
    paths.push_back(saved(with_foreign_frames(each.pcap, each.pcap.frames.size())));
  for (const NamedCapture &each : captures_with_disconnects()) paths.push_back(saved(each.pcap));
  const Texts forwards = tables_of(paths);
  std::ranges::reverse(paths);
  Texts backwards = tables_of(paths);
  std::ranges::reverse(backwards);
  expect_same(backwards, forwards);
  std::ranges::reverse(paths);
  // Reads one capture alone for each capture that follows another of its kind.
  for (const std::size_t i : {std::size_t{1}, std::size_t{3}, paths.size() - 1}) {
    EXPECT_EQ(tables_of({paths[i]}), Texts{forwards[i]}) << paths[i];
  }
}

}  // namespace
}  // namespace godot_codec::test
