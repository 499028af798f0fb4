// SPDX-License-Identifier: MIT
// Prints the messages of a game over ENet from a capture file of Wireshark (pcapng with Ethernet or loopback frames,
// IPv4). Each line has the packet number, the IDs of sender and receiver, and the message.
//
// A server gets the datagrams from its socket instead. Pass each datagram to GameReader::read(), including the
// datagrams that the server sends.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/game/game_reader.h"

namespace {

using godot_codec::Cursor;
using godot_codec::GameDatagram;
using Bytes = std::vector<std::uint8_t>;

// Returns the UDP datagram in a frame; nullopt if the frame has no datagram, or an incomplete one.
std::optional<GameDatagram> udp_of(const std::uint8_t *frame, std::size_t size) {
  constexpr std::size_t ethernet = 14;
  constexpr std::size_t least_ip = 20;
  constexpr std::size_t udp_header = 8;
  if (size < ethernet + least_ip || Cursor::load_be<std::uint16_t>(frame + 12) != 0x0800) return std::nullopt;
  const std::uint8_t *ip = frame + ethernet;
  size -= ethernet;
  const std::size_t header = std::size_t{ip[0] & 15U} * 4;
  const bool is_fragment = (Cursor::load_be<std::uint16_t>(ip + 6) & 0x3fff) != 0;
  if (ip[0] >> 4 != 4 || ip[9] != 17 || header < least_ip || size < header + udp_header || is_fragment)
    return std::nullopt;
  const std::uint8_t *udp = ip + header;
  const std::size_t length = Cursor::load_be<std::uint16_t>(udp + 4);
  if (length < udp_header || length > size - header) return std::nullopt;
  GameDatagram datagram;
  datagram.from = {Cursor::load_be<std::uint32_t>(ip + 12), Cursor::load_be<std::uint16_t>(udp)};
  datagram.to = {Cursor::load_be<std::uint32_t>(ip + 16), Cursor::load_be<std::uint16_t>(udp + 2)};
  datagram.bytes = {udp + udp_header, length - udp_header};
  return datagram;
}

void print(std::size_t packet, const godot_codec::GameMessage &message) {
  std::printf("%zu\t%d\t%d\t%.*s%s\n", packet, message.sender, message.receiver, static_cast<int>(message.text.size()),
              message.text.data(), message.outcome == godot_codec::Outcome::ok ? "" : " [incomplete]");
}

// Calls @p use for each packet in a little-endian pcapng file.
template <typename Use>
void for_each_packet(const Bytes &file, Use use) {
  constexpr std::uint32_t enhanced_packet = 6;
  constexpr std::size_t block_header = 8;
  constexpr std::size_t packet_header = block_header + 20;
  constexpr std::size_t least_block = 12;
  for (std::size_t offset = 0; file.size() - offset >= least_block;) {
    const std::uint8_t *block = file.data() + offset;
    const std::size_t length = Cursor::load_le<std::uint32_t>(block + 4);
    if (length < least_block || length > file.size() - offset) return;
    if (Cursor::load_le<std::uint32_t>(block) == enhanced_packet && length >= packet_header) {
      const std::size_t captured = Cursor::load_le<std::uint32_t>(block + 20);
      const std::uint64_t time =
          std::uint64_t{Cursor::load_le<std::uint32_t>(block + 12)} << 32 | Cursor::load_le<std::uint32_t>(block + 16);
      if (captured <= length - packet_header) use(block + packet_header, captured, time);
    }
    offset += length;
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: read-game CAPTURE.pcapng\n", stderr);
    return 2;
  }
  std::ifstream stream(argv[1], std::ios::binary);
  const Bytes file{std::istreambuf_iterator<char>(stream), {}};
  godot_codec::GameReader reader;
  std::size_t packet = 0;
  for_each_packet(file, [&](const std::uint8_t *frame, std::size_t size, std::uint64_t microseconds) {
    ++packet;
    std::optional<GameDatagram> datagram = udp_of(frame, size);
    if (!datagram) return;
    datagram->time = static_cast<std::int64_t>(microseconds) * 1000;
    for (const godot_codec::GameMessage &message : reader.read(*datagram)) print(packet, message);
  });
  return packet == 0 ? 1 : 0;
}
