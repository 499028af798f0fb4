// SPDX-License-Identifier: MIT
// Feeds hostile datagrams to header and command parser, every decompressor and detection. Aborts if one of their
// guarantees is violated.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/datagram_reader.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::EnetCommand;
using godot_codec::Outcome;

constexpr Compression all_compressions[] = {Compression::none, Compression::range_coder, Compression::fastlz,
                                            Compression::zlib, Compression::zstd};

void read_commands(Bytes commands) {
  std::size_t offset = 0;
  while (offset < commands.reported) {
    const EnetCommand command = godot_codec::read_enet_command(commands, offset);
    require(command.range.offset == offset && command.range.end() <= commands.reported);
    require(command.data.end() <= commands.reported);
    require(command.is_fragment() || godot_codec::find_enet_fragment_error(command).empty());
    if (command.outcome != Outcome::ok) break;
    require(command.range.length >= godot_codec::enet_command_header_size);
    offset = command.range.end();
  }
  require(!godot_codec::looks_like_enet_commands(commands) || godot_codec::looks_like_enet_commands(commands, true));
}

// Decompresses into a heap block of exactly the given size, so that a sanitizer detects a write after its end.
void decompress_into(Compression compression, std::span<const std::uint8_t> in, std::size_t capacity) {
  const std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[capacity]);  // NOLINT(modernize-avoid-c-arrays)
  const std::size_t size = godot_codec::decompress(compression, in, {out.get(), capacity});
  require(size <= capacity);
  read_commands({out.get(), size});
}

void read_datagram(Bytes datagram, bool has_checksum) {
  const godot_codec::EnetHeader header = godot_codec::read_enet_header(datagram, has_checksum);
  if (header.outcome != Outcome::ok) return;
  require(header.offset <= datagram.captured);
  const Bytes rest = datagram.slice({header.offset, datagram.reported});
  read_commands(rest);
  if (has_checksum || rest.captured < rest.reported) return;

  const std::span<const std::uint8_t> in(rest.data, rest.captured);
  for (const Compression compression : all_compressions) {
    for (const std::size_t capacity : {0U, 1U, 15U, 600U}) decompress_into(compression, in, capacity);
    decompress_into(compression, in, godot_codec::enet_max_datagram);
  }
}

// Reads the datagram once, like a program that reads captures.
void read_once(Bytes bytes, const godot_codec::EnetExpectedFormat &expected) {
  std::pmr::monotonic_buffer_resource memory;
  const godot_codec::EnetDatagram datagram = godot_codec::read_enet_datagram(bytes, expected, memory);
  require(datagram.header.outcome == Outcome::ok || datagram.outcome == datagram.header.outcome);
  require(datagram.is_readable || (datagram.commands.empty() && datagram.commands_bytes.reported == 0));
  require(datagram.outcome != Outcome::truncated || bytes.captured < bytes.reported);
  std::size_t offset = 0;
  for (const EnetCommand &command : datagram.commands) {
    require(command.range.offset == offset && command.has_all_fields());
    offset = command.range.end();
  }
  const godot_codec::EnetCommandsResult &run = datagram.run;
  if (datagram.outcome == Outcome::ok) {
    require(offset + run.padding.length == datagram.commands_bytes.reported && run.undecoded.length == 0);
  }
  require(run.undecoded.length == 0 || run.undecoded.end() == datagram.commands_bytes.reported);
  if (datagram.is_readable) {
    const bool may_be_padded = datagram.compression == Compression::fastlz;
    require(run.is_plausible == godot_codec::looks_like_enet_commands(datagram.commands_bytes, may_be_padded));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t cut = 7;
  read_datagram({data, size}, false);
  read_datagram({data, size}, true);
  read_datagram({data, size, size + cut}, false);
  for (const bool has_checksum : {false, true}) {
    read_once({data, size}, {has_checksum});
    read_once({data, size, size + cut}, {has_checksum, true});
  }
  for (const Compression compression : all_compressions) read_once({data, size}, {false, false, compression, true});
  return 0;
}
