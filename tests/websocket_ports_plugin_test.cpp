// SPDX-License-Identifier: GPL-2.0-or-later
// WebSocket traffic on ports of HTTP, which calls the WebSocket dissector, and on ports of other registered dissectors.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "pcap.h"
#include "pcapng.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t ip_at = 14;
constexpr std::size_t tcp_at = ip_at + 20;
constexpr std::size_t longest_header = 14;  // the longest frame header

std::uint16_t read_u16_be(const std::string &bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes.at(at)) << 8 |
                                    static_cast<unsigned char>(bytes.at(at + 1)));
}

bool is_tcp(const std::string &frame) { return frame.at(ip_at + 9) == 6; }

std::size_t payload_at(const std::string &frame) {
  return tcp_at + static_cast<unsigned char>(frame.at(tcp_at + 12)) / 16 * 4UL;
}

// Returns a TCP frame with only a part of its payload.
std::string segment_of(const std::string &frame, std::size_t offset, std::size_t size) {
  constexpr std::size_t seq_at = tcp_at + 4;
  const std::size_t start = payload_at(frame);
  std::string segment = frame.substr(0, start) + frame.substr(start + offset, size);
  const auto seq = static_cast<std::uint32_t>(read_u16_be(frame, seq_at)) << 16 | read_u16_be(frame, seq_at + 2);
  segment.replace(ip_at + 2, 2, big_endian(static_cast<std::uint16_t>(segment.size() - ip_at)));
  segment.replace(seq_at, 4, big_endian(seq + static_cast<std::uint32_t>(offset)));
  return segment;
}

// Adds the TCP frames of a capture as if they were between two other hosts on another port. If a segment begins with a
// WebSocket frame, its first @p cut bytes get their own segment.
void add_moved(Pcap &all, const Pcap &capture, std::uint16_t from, std::uint16_t to, std::size_t cut,
               const std::string &host) {
  for (const std::string &original : at_port(capture, from, to).frames) {
    if (!is_tcp(original)) continue;
    std::string frame = original;
    frame.replace(ip_at + 12, 8, host + host);
    const std::size_t size = read_u16_be(frame, ip_at + 2) + ip_at - payload_at(frame);
    const std::string start = frame.substr(payload_at(frame), 4);
    if (cut == 0 || size <= cut || start == "GET " || start == "HTTP") {
      all.frames.push_back(frame);
      continue;
    }
    all.frames.push_back(segment_of(frame, 0, cut));
    all.frames.push_back(segment_of(frame, cut, size - cut));
  }
}

// The fields of WebSocket frames between two hosts, as if all frames were in one packet.
using FieldsByHost = std::map<std::string, Texts>;

FieldsByHost fields_by_host(const Pcap &pcap, const Texts &options) {
  FieldsByHost by_host;
  const Texts fields = {"ip.dst", "websocket.opcode", "godot_mp.summary", "godot.value"};
  for (const Texts &row : read_fields(saved(pcap), options + Texts{"-Y", "websocket"}, fields)) {
    Texts &of_host = by_host[row[0]];
    of_host.resize(fields.size() - 1);
    for (std::size_t i = 1; i < fields.size(); ++i)
      of_host[i - 1] += row[i].empty() ? "" : row[i] + between_occurrences;
  }
  return by_host;
}

struct MovedCapture {
  std::string name;
  std::uint16_t port;
  std::vector<std::uint16_t> ports = {80, 443, 8080, 8000, 9080};
};

std::ostream &operator<<(std::ostream &stream, const MovedCapture &moved) { return stream << moved.name; }

// Writes the embedded keys of a capture into a separate file.
fs::path keys_of(const fs::path &capture) {
  constexpr std::size_t head = 8 + 8;  // the headers of the block and of the secrets
  const std::string block = pcapng_of(capture).secrets;
  fs::path path = scratch_folder() / (capture.stem().string() + ".keys");
  std::ofstream(path, std::ios::binary) << block.substr(head, read_u32(block, head - 4));
  return path;
}

class EveryWebSocketOnARegisteredPort : public testing::TestWithParam<MovedCapture> {};

TEST_P(EveryWebSocketOnARegisteredPort, ShowsTheSameAsOnAnUnclaimedPort) {
  const auto &[name, from, ports] = GetParam();
  const fs::path path = fs::path(GODOT_TESTS_DIR).parent_path() / name;
  const bool has_keys = path.extension() == ".pcapng" && !pcapng_of(path).secrets.empty();
  const Texts keys = has_keys ? Texts{"-o", "tls.keylog_file:" + keys_of(path).string()} : Texts{};
  const Pcap capture = pcap_of(has_keys ? without_keys(path) : path);
  Pcap all{.linktype = capture.linktype, .frames = {}};
  constexpr char own = 100;
  const auto host = [](char port, std::size_t cut) { return std::string{10, port, static_cast<char>(cut), 1}; };
  add_moved(all, capture, from, from, 0, host(own, 0));
  for (std::size_t i = 0; i < ports.size(); ++i) {
    for (std::size_t cut = 0; cut <= longest_header; ++cut) {
      add_moved(all, capture, from, ports[i], cut, host(static_cast<char>(i), cut));
    }
  }
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const FieldsByHost by_host = fields_by_host(all, keys + passes);
    const auto expected = by_host.find("10.100.0.1");
    ASSERT_NE(expected, by_host.end());
    for (std::size_t i = 0; i < ports.size(); ++i) {
      for (std::size_t cut = 0; cut <= longest_header; ++cut) {
        const auto found = by_host.find("10." + std::to_string(i) + "." + std::to_string(cut) + ".1");
        ASSERT_NE(found, by_host.end()) << ports[i] << ", cut behind " << cut;
        EXPECT_EQ(found->second, expected->second)
            << ports[i] << ", cut behind " << cut << ", passes " << passes.size() + 1;
      }
    }
  }
}

// Wireshark does not decode TLS on the ports of HTTP.
INSTANTIATE_TEST_SUITE_P(
    Captures, EveryWebSocketOnARegisteredPort,
    testing::Values(
        MovedCapture{"captures/ws_godot3.2.3.pcapng", 5011}, MovedCapture{"captures/ws_godot3.6.pcapng", 5011},
        MovedCapture{"captures/ws_godot4.6.pcapng", 5011}, MovedCapture{"captures/mp_ws_godot3.2.3.pcapng", 5040},
        MovedCapture{"captures/mp_ws_godot3.6.pcapng", 5040}, MovedCapture{"captures/mp_ws_godot4.6.pcapng", 5040},
        MovedCapture{"captures/mp_wss_godot4.6.pcapng", 5042, {443}},
        MovedCapture{"captures/connect_ws_godot4.6.pcapng", 5071},
        MovedCapture{"captures/other/ws_binary.pcapng", 50116}, MovedCapture{"captures/other/ws_text.pcapng", 50115},
        MovedCapture{"tests/data/web_channels.pcapng", 9080}, MovedCapture{"tests/data/web_channels13.pcapng", 9080},
        MovedCapture{"tests/data/web_deflate.pcapng", 9083}, MovedCapture{"tests/data/web_moved.pcapng", 9080},
        MovedCapture{"tests/data/web_nodes.pcapng", 9080}, MovedCapture{"tests/data/web_star.pcapng", 9080},
        MovedCapture{"tests/data/ws_killed.pcapng", 7000},
        MovedCapture{"tests/data/many_messages_in_a_segment.pcap", 8080}));

}  // namespace
}  // namespace godot_codec::test
