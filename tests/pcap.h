// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Builds or changes captures: UDP datagrams, TCP segments and WebSocket frames in pcap files. Bytes are kept in
/// strings.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {

/// Reads an unsigned little-endian 32-bit number of a file or packet.
inline std::uint32_t read_u32(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes.at(offset + i));
  return value;
}

inline constexpr std::uint32_t linktype_ethernet = 1;
inline constexpr std::uint32_t linktype_raw_ip = 101;

/// The records of a pcap file.
struct Pcap {
  std::uint32_t linktype = linktype_raw_ip;
  std::vector<std::string> frames;
  std::map<std::size_t, std::uint32_t> pauses{};  ///< milliseconds before each frame; 1 by default

  /// Writes the file. Frames are one millisecond apart unless a pause is set.
  /// @param snap_length largest number of captured bytes per frame
  void save(const std::filesystem::path &path, std::size_t snap_length = 262144) const {
    std::ofstream file(path, std::ios::binary);
    file << little_endian(std::uint32_t{0xa1b2c3d4}) << little_endian(std::uint16_t{2})
         << little_endian(std::uint16_t{4}) << little_endian(std::uint64_t{0})
         << little_endian(static_cast<std::uint32_t>(snap_length)) << little_endian(linktype);
    std::uint32_t milliseconds = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::string &frame = frames[i];
      if (i > 0) milliseconds += pauses.contains(i) ? pauses.at(i) : 1;
      const std::string captured = frame.substr(0, snap_length);
      file << little_endian(1'700'000'000 + milliseconds / 1000) << little_endian(milliseconds % 1000 * 1000)
           << little_endian(static_cast<std::uint32_t>(captured.size()))
           << little_endian(static_cast<std::uint32_t>(frame.size())) << captured;
    }
  }
};

/// Parses the text of a pcap file (little-endian, untruncated frames).
inline Pcap parse_pcap(std::string_view text) {
  Pcap pcap;
  pcap.linktype = read_u32(text, 20);
  for (std::size_t offset = 24; offset < text.size();) {
    const std::size_t length = read_u32(text, offset + 8);
    pcap.frames.emplace_back(text.substr(offset + 16, length));
    offset += 16 + length;
  }
  return pcap;
}

/// Reads the frames of a capture file. Wireshark's editcap converts the file first.
inline Pcap pcap_of(const std::filesystem::path &capture) {
  const std::filesystem::path path = scratch_folder() / "as_pcap.pcap";
  const Output output = run(EDITCAP, {"-F", "pcap", capture.string(), path.string()});
  EXPECT_EQ(output.status, 0) << output.err;
  return parse_pcap(read_file(path));
}

/// Replaces a port by another port in UDP and TCP frames over Ethernet and IPv4.
inline Pcap at_port(Pcap pcap, std::uint16_t from, std::uint16_t to) {
  constexpr std::size_t transport = 14 + 20;
  constexpr std::size_t protocol = 14 + 9;
  constexpr char is_udp = 17;
  for (std::string &frame : pcap.frames) {
    for (const std::size_t at : {transport, transport + 2}) {
      if (frame.substr(at, 2) == big_endian(from)) frame.replace(at, 2, big_endian(to));
    }
    // Clears the UDP checksum. TCP's checksum becomes wrong, but tshark does not verify it.
    if (frame.at(protocol) == is_udp) frame.replace(transport + 6, 2, 2, '\0');
  }
  return pcap;
}

struct Ports {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;

  [[nodiscard]] Ports reversed() const { return {destination, source}; }
};

inline std::string ipv4(std::uint8_t protocol, const std::string &payload) {
  return std::string("\x45\0", 2) + big_endian(static_cast<std::uint16_t>(20 + payload.size())) +
         std::string("\0\0\0\0\x40", 5) + static_cast<char>(protocol) + std::string("\0\0", 2) +
         std::string("\x7f\0\0\1\x7f\0\0\1", 8) + payload;
}

/// Returns the frame of a datagram, for linktype_raw_ip.
inline std::string udp(Ports ports, const std::string &payload) {
  return ipv4(17, big_endian(ports.source) + big_endian(ports.destination) +
                      big_endian(static_cast<std::uint16_t>(8 + payload.size())) + std::string("\0\0", 2) + payload);
}

enum TcpFlags : std::uint8_t { tcp_syn = 0x02, tcp_push = 0x08, tcp_ack = 0x10 };

/// Returns the frame of a segment, for linktype_raw_ip.
inline std::string tcp(Ports ports, std::uint32_t sequence, std::uint32_t acknowledged, int flags,
                       const std::string &payload = {}) {
  return ipv4(6, big_endian(ports.source) + big_endian(ports.destination) + big_endian(sequence) +
                     big_endian(acknowledged) + '\x50' + static_cast<char>(flags) + std::string("\xff\xff\0\0\0\0", 6) +
                     payload);
}

/// A TCP connection from a client port to a server port.
class TcpConversation {
 public:
  explicit TcpConversation(Ports client_to_server) : ports_(client_to_server) {}

  void shake_hands() {
    pcap_.frames.push_back(tcp(ports_, client_ - 1, 0, tcp_syn));
    pcap_.frames.push_back(tcp(ports_.reversed(), server_ - 1, client_, tcp_syn | tcp_ack));
    pcap_.frames.push_back(tcp(ports_, client_, server_, tcp_ack));
  }

  /// Adds segments of up to @p segment_size bytes.
  void send(const std::string &bytes, std::size_t segment_size = 1400) {
    for (std::size_t offset = 0; offset < bytes.size(); offset += segment_size) {
      segment(client_, server_, ports_, bytes.substr(offset, segment_size));
    }
  }
  void answer(const std::string &bytes) { segment(server_, client_, ports_.reversed(), bytes); }

  /// Skips this number of bytes, which the client sent but the capture lacks.
  void lose(std::size_t count) { client_ += static_cast<std::uint32_t>(count); }

  [[nodiscard]] const Pcap &pcap() const { return pcap_; }

 private:
  void segment(std::uint32_t &sequence, std::uint32_t acknowledged, Ports ports, const std::string &bytes) {
    pcap_.frames.push_back(tcp(ports, sequence, acknowledged, tcp_push | tcp_ack, bytes));
    sequence += static_cast<std::uint32_t>(bytes.size());
  }

  Ports ports_;
  std::uint32_t client_ = 1001;  // the next sequence number of each side
  std::uint32_t server_ = 5001;
  Pcap pcap_;
};

/// Saves a capture where tshark can read it, and returns its path.
inline std::filesystem::path saved(const Pcap &pcap, std::size_t snap_length = 262144) {
  static int count = 0;
  std::filesystem::path path = scratch_folder() / ("made_by_hand_" + std::to_string(count++) + ".pcap");
  pcap.save(path, snap_length);
  return path;
}

enum WebSocketOpcode : std::uint8_t { web_socket_continue = 0, web_socket_text = 1, web_socket_binary = 2 };

/// Returns a WebSocket frame: a whole message, unless more fragments follow.
/// @param mask four bytes for a client's frame; empty for a server's
inline std::string web_socket_frame(WebSocketOpcode opcode, const std::string &message, const std::string &mask = {},
                                    bool is_last = true) {
  constexpr std::size_t longest_short = 125;
  const int mask_bit = mask.empty() ? 0 : 0x80;
  std::string frame(1, static_cast<char>((is_last ? 0x80 : 0) | opcode));
  if (message.size() <= longest_short) {
    frame += static_cast<char>(mask_bit | static_cast<int>(message.size()));
  } else {
    frame += static_cast<char>(mask_bit | (static_cast<int>(longest_short) + 1));
    frame += big_endian(static_cast<std::uint16_t>(message.size()));
  }
  frame += mask;
  for (std::size_t i = 0; i < message.size(); ++i) {
    frame += static_cast<char>(mask.empty() ? message[i] : message[i] ^ mask[i % mask.size()]);
  }
  return frame;
}

/// A WebSocket connection: a TCP conversation that begins with the HTTP upgrade. Every message has its own segment.
class WebSocketConversation {
 public:
  /// @param greeting frames of the server, or the beginning of a frame, in the same segment as the HTTP response
  explicit WebSocketConversation(Ports client_to_server, const std::string &greeting = {}) : tcp_(client_to_server) {
    tcp_.shake_hands();
    tcp_.send(
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    tcp_.answer(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: BACScCJPNqyz+UBoqMH89VmURoA=\r\n\r\n" +
        greeting);
  }

  void send(WebSocketOpcode opcode, const std::string &message) { tcp_.send(web_socket_frame(opcode, message, mask)); }
  void answer(WebSocketOpcode opcode, const std::string &message) { tcp_.answer(web_socket_frame(opcode, message)); }
  /// Sends a segment of the server with exactly these bytes.
  void answer_bytes(const std::string &bytes) { tcp_.answer(bytes); }
  /// Sends a message in two fragments, each in a separate segment. The first fragment has @p size bytes.
  void send_in_two(WebSocketOpcode opcode, const std::string &message, std::size_t size) {
    tcp_.send(web_socket_frame(opcode, message.substr(0, size), mask, false));
    tcp_.send(web_socket_frame(web_socket_continue, message.substr(size), mask));
  }
  void answer_in_two(WebSocketOpcode opcode, const std::string &message, std::size_t size) {
    tcp_.answer(web_socket_frame(opcode, message.substr(0, size), {}, false));
    tcp_.answer(web_socket_frame(web_socket_continue, message.substr(size)));
  }

  [[nodiscard]] const Pcap &pcap() const { return tcp_.pcap(); }

 private:
  static constexpr const char *mask = "\x12\x34\x56\x78";

  TcpConversation tcp_;
};

}  // namespace godot_codec::test
