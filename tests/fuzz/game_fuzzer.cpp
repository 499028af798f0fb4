// SPDX-License-Identifier: MIT
// Feeds hostile datagrams between a server and two clients to the game reader. Aborts if a message points outside of
// its bytes, if a text cannot be displayed, or if more memory is used than the limit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/core/utf8.h"
#include "godot-codec/game/game_reader.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::GameDatagram;
using godot_codec::GameEndpoint;
using godot_codec::GameMessage;
using godot_codec::GameReader;

void require_shown(std::string_view text) {
  require(godot_codec::is_valid_utf8(text));
  for (const char c : text) require(static_cast<unsigned char>(c) >= godot_codec::first_printable);
}

void check(const GameMessage &message) {
  constexpr std::size_t longest_text = 1000;
  require(message.text.size() <= longest_text);
  require_shown(message.text);
  require_shown(message.path);
  require_shown(message.method);
  // Reads every byte, so that the address sanitizer reports bytes that are already freed.
  const std::span<const std::uint8_t> bytes(message.bytes.data, message.bytes.captured);
  std::size_t read = std::ranges::count(bytes, 0);
  for (const godot_codec::VariantValue &value : message.values) read += value.text().size() + value.elements().size();
  require(read <= 2 * bytes.size() + message.values.size());
}

}  // namespace

// Each datagram: a byte with client (bit 0) and direction (bit 1), two bytes of length, and that many bytes. The first
// byte of the input sets the memory limit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr GameEndpoint server{1, 5035};
  constexpr std::size_t header = 3;
  if (size == 0) return 0;
  GameReader::Options options;
  options.memory_limit = std::size_t{data[0]} << 14;
  GameReader reader(options);
  std::int64_t time = 0;
  for (std::size_t offset = 1; offset + header <= size;) {
    const std::uint8_t kind = data[offset];
    const std::size_t wanted = data[offset + 1] | std::size_t{data[offset + 2]} << 8;
    offset += header;
    const std::size_t length = std::min(wanted, size - offset);
    const GameEndpoint client{2, static_cast<std::uint16_t>(50001 + (kind & 1))};
    const bool is_from_server = (kind & 2) != 0;
    const GameDatagram datagram{is_from_server ? server : client, is_from_server ? client : server,
                                Bytes{data + offset, length, length}, time += 1'000'000};
    for (const GameMessage &message : reader.read(datagram)) check(message);
    offset += length;
  }
  return 0;
}
