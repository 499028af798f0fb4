// SPDX-License-Identifier: MIT
// Hostile datagrams: header and commands, every decompressor, recognition, the tracker. Aborts where one of their
// promises is broken.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "godot-codec/enet/compression.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/enet/reader.h"
#include "godot-codec/enet/tracker.h"

namespace {

using godot_codec::AckTracker;
using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;
using godot_codec::EnetField;
using godot_codec::Outcome;
using godot_codec::Side;

constexpr Compression all_compressions[] = {Compression::none, Compression::range_coder, Compression::fastlz,
                                            Compression::zlib, Compression::zstd};

void require(bool promise) {
  if (!promise) std::abort();
}

void track(AckTracker &tracker, const EnetCommand &command, std::uint32_t frame) {
  const Side side = frame % 2 == 0 ? Side::first : Side::second;
  const std::int64_t time = std::int64_t{frame} * godot_codec::nanoseconds_per_second;
  tracker.on_datagram(side, time);
  const auto value = [&](EnetField field) { return static_cast<std::uint16_t>(command.value(field)); };
  if (command.wants_acknowledgement()) {
    const auto &sent = tracker.on_reliable({side, command.channel, command.reliable_seq, 0, frame, time});
    require(sent.original->original == sent.original && sent.is_retransmission() == (sent.original != &sent));
    require(!tracker.is_unacknowledged(sent));
  }
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::acknowledge: {
      const auto match = tracker.on_acknowledge(
          {side, command.channel, value(EnetField::ack_seq), value(EnetField::ack_sent_time), frame, time});
      require(match.transmission == nullptr || match.transmission->command.sender != side);
      break;
    }
    case EnetCommandType::verify_connect:
      tracker.on_verify_connect(side, frame, time);
      break;
    case EnetCommandType::disconnect:
      tracker.reset();
      break;
    case EnetCommandType::send_unreliable:
      tracker.on_unreliable(side, command.channel, command.reliable_seq, value(EnetField::unreliable_seq));
      break;
    case EnetCommandType::send_unsequenced:
      tracker.on_unsequenced(side, value(EnetField::unsequenced_group));
      break;
    default:
      break;
  }
  require(tracker.missing_unreliable(side) < UINT32_MAX && tracker.missing_unsequenced(side) < UINT32_MAX);
}

void read_commands(Bytes commands) {
  AckTracker tracker;
  std::size_t offset = 0;
  for (std::uint32_t frame = 0; offset < commands.reported; ++frame) {
    const EnetCommand command = godot_codec::read_enet_command(commands, offset);
    require(command.range.offset == offset && command.range.end() <= commands.reported);
    require(command.data.end() <= commands.reported);
    require(command.offset >= offset && command.offset <= commands.reported);
    require(command.is_fragment() || godot_codec::enet_fragment_fault(command).empty());
    if (command.outcome != Outcome::ok) break;
    require(command.offset == command.range.end() && command.range.length >= godot_codec::enet_command_header_size);
    track(tracker, command, frame);
    offset = command.offset;
  }
  require(!godot_codec::looks_like_enet_commands(commands) || godot_codec::looks_like_enet_commands(commands, true));
}

// Writes into a block of exactly the size given, so that a sanitizer sees the first byte written behind it.
void decompress_into(Compression compression, std::span<const std::uint8_t> in, std::size_t capacity) {
  const std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[capacity]);  // NOLINT(modernize-avoid-c-arrays)
  const std::size_t size = godot_codec::decompress(compression, in, {out.get(), capacity});
  require(size <= capacity);
  read_commands({out.get(), size});
}

void read_datagram(Bytes datagram, bool has_checksum) {
  const godot_codec::EnetHeader header = godot_codec::read_enet_header(datagram, has_checksum);
  if (header.outcome != Outcome::ok) return;
  require(header.offset == header.size && header.size <= datagram.captured);
  const Bytes rest = datagram.slice({header.size, datagram.reported});
  read_commands(rest);
  if (has_checksum || rest.captured < rest.reported) return;

  const std::span<const std::uint8_t> in(rest.data, rest.captured);
  for (const Compression compression : all_compressions) {
    for (const std::size_t capacity : {0U, 1U, 15U, 600U}) decompress_into(compression, in, capacity);
    decompress_into(compression, in, godot_codec::enet_max_datagram);
  }
}

// Read once, as a capture's reader does.
void read_once(Bytes bytes, const godot_codec::EnetExpectation &expected) {
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
  const godot_codec::EnetCommandRun &run = datagram.run;
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
