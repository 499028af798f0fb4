// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Builds ENet datagrams by hand and reads what tshark shows of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {

// ENet's command numbers.
enum CommandNumber : int {
  acknowledge = 1,
  connect_ = 2,
  verify_connect = 3,
  disconnect_ = 4,
  ping = 5,
  send_reliable = 6,
  send_unreliable = 7,
  send_fragment = 8,
  send_unsequenced = 9,
  bandwidth_limit = 10,
  throttle_configure = 11,
  send_unreliable_fragment = 12,
};

inline const Texts ports = {"-o", "enet.udp.port:5020-5027"};
inline constexpr std::uint16_t server_port = 5020;
inline constexpr Ports to_server = {40000, server_port};
inline constexpr Ports to_client = {server_port, 40000};
inline constexpr std::uint32_t connect_id = 0x5eed1234;

// ENet's integers are big-endian.
inline std::string be16(int value) { return big_endian(static_cast<std::uint16_t>(value)); }
inline std::string be32(std::uint32_t value) { return big_endian(value); }

/// Returns a command: its number with the flags, channel, sequence number, and the body after the header.
inline std::string command(int number, int channel, int seq, const std::string &body = {}) {
  return u8(number) + u8(channel) + be16(seq) + body;
}
inline constexpr int wants_ack = 0x80;
inline constexpr int is_unsequenced = 0x40;

inline std::string reliable(int channel, int seq, const std::string &data) {
  return command(wants_ack | send_reliable, channel, seq, be16(static_cast<int>(data.size())) + data);
}
inline std::string unreliable(int channel, int seq, int number, const std::string &data) {
  return command(send_unreliable, channel, seq, be16(number) + be16(static_cast<int>(data.size())) + data);
}
inline std::string unsequenced(int channel, int group, const std::string &data) {
  return command(is_unsequenced | send_unsequenced, channel, 0,
                 be16(group) + be16(static_cast<int>(data.size())) + data);
}
inline std::string ping_command(int seq) { return command(wants_ack | ping, 0xff, seq); }
inline std::string ack(int channel, int seq, int sent_time) {
  return command(acknowledge, channel, seq, be16(seq) + be16(sent_time));
}

struct Fragment {
  int channel = 0;
  int start = 0;
  std::uint32_t count = 0;
  std::uint32_t number = 0;
  std::uint32_t total = 0;
  std::uint32_t offset = 0;
  std::string data;
  bool is_unreliable = false;

  [[nodiscard]] std::string bytes() const {
    const int seq = is_unreliable ? 0 : start + static_cast<int>(number);
    return command(is_unreliable ? send_unreliable_fragment : wants_ack | send_fragment, channel, seq & 0xffff,
                   be16(start) + be16(static_cast<int>(data.size())) + be32(count) + be32(number) + be32(total) +
                       be32(offset) + data);
  }
};

/// Splits a message into fragments of the given size.
inline std::vector<Fragment> fragments_of(const std::string &message, int channel, int start, std::size_t size,
                                          bool is_unreliable = false) {
  std::vector<Fragment> fragments;
  const auto count = static_cast<std::uint32_t>((message.size() + size - 1) / size);
  for (std::uint32_t i = 0; i < count; ++i) {
    fragments.push_back({channel, start, count, i, static_cast<std::uint32_t>(message.size()),
                         static_cast<std::uint32_t>(i * size), message.substr(i * size, size), is_unreliable});
  }
  return fragments;
}

inline std::string handshake(int sessions, std::uint32_t id) {
  return be16(0) + u8(sessions) + u8(sessions) + be32(1392) + be32(65536) + be32(4) + be32(0) + be32(0) + be32(5000) +
         be32(2) + be32(2) + be32(id);
}

inline constexpr int default_peer = 0;

/// Returns a datagram with a sent time.
inline std::string datagram(const std::string &commands, int sent_time = 1000, int flags = 0, int peer = default_peer,
                            int session = 0) {
  return be16(0x8000 | flags | session << 12 | peer) + be16(sent_time) + commands;
}

/// Returns the number of a frame.
inline std::string number_of(const Item &frame) {
  const Item *const general = frame.child("geninfo");
  return general == nullptr ? "none" : general->child_text("num");
}

/// The datagrams between a client and a server, beginning with the handshake in frames 1 to 3.
class Exchange {
 public:
  explicit Exchange(bool shakes_hands = true) {
    if (shakes_hands) shake_hands(0xff, connect_id);
  }
  void shake_hands(int sessions, std::uint32_t id) {
    client(datagram(command(wants_ack | connect_, 0xff, 1, handshake(sessions, id) + be32(77)), 100, 0, 0xfff));
    server(datagram(command(wants_ack | verify_connect, 0xff, 1, handshake(0, id)), 200));
    client(datagram(ack(0xff, 1, 200), 101));
  }
  Exchange &client(const std::string &payload) { return add(to_server, payload); }
  Exchange &server(const std::string &payload) { return add(to_client, payload); }
  Exchange &add(Ports udp_ports, const std::string &payload) {
    pcap.frames.push_back(udp(udp_ports, payload));
    return *this;
  }
  Exchange &wait(std::uint32_t milliseconds) {
    pcap.pauses[pcap.frames.size()] = milliseconds;
    return *this;
  }
  [[nodiscard]] std::size_t frame() const { return pcap.frames.size(); }  // the number of the last frame

  [[nodiscard]] std::filesystem::path save(std::size_t snap_length = 262144) const {
    const std::filesystem::path path = scratch_folder() / "by_hand.pcap";
    pcap.save(path, snap_length);
    return path;
  }
  [[nodiscard]] std::vector<Item> details(const Texts &options = {}) const {
    std::vector<Item> frames = read_details(save(), ports + options);
    EXPECT_EQ(frames.size(), frame());
    frames.resize(frame());  // so that tests may look at each frame, even if tshark failed
    return frames;
  }

  Pcap pcap;
};

/// Returns an ICMP "port unreachable" error that quotes the datagram: a host without a program on that port sends it.
inline std::string icmp_error(const std::string &packet) {
  return ipv4(1, std::string("\3\3\0\0\0\0\0\0", 8) + packet);
}

}  // namespace godot_codec::test
