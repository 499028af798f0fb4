// SPDX-License-Identifier: MIT
#include "godot-codec/enet/reader.h"

#include <algorithm>
#include <array>

#include "godot-codec/enet/compression.h"

namespace godot_codec {
namespace {

// A growing list of commands. Its memory is not released.
class CommandList {
 public:
  explicit CommandList(std::pmr::memory_resource &memory) : memory_(memory) {}

  void clear() { size_ = 0; }
  void add(const EnetCommand &command) {
    if (size_ == capacity_) grow();
    commands_[size_++] = command;
  }
  [[nodiscard]] std::span<const EnetCommand> get() const { return {commands_, size_}; }

 private:
  void grow() {
    constexpr std::size_t usual = 8;
    const std::size_t capacity = capacity_ == 0 ? usual : 2 * capacity_;
    auto *larger = static_cast<EnetCommand *>(memory_.allocate(capacity * sizeof(EnetCommand), alignof(EnetCommand)));
    std::uninitialized_default_construct_n(larger, capacity);
    std::copy_n(commands_, size_, larger);
    commands_ = larger;
    capacity_ = capacity;
  }

  std::pmr::memory_resource &memory_;
  EnetCommand *commands_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class Reader {
 public:
  Reader(Bytes datagram, const EnetExpectation &expected, std::pmr::memory_resource &memory)
      : whole_(datagram), expected_(expected), memory_(memory), commands_(memory) {}

  EnetDatagram read(bool has_checksum) {
    EnetDatagram datagram;
    datagram.header = read_enet_header(whole_, has_checksum);
    datagram.outcome = datagram.header.outcome;
    if (datagram.outcome != Outcome::ok) return datagram;
    datagram.payload = whole_.slice({datagram.header.offset, whole_.reported});
    if (!datagram.header.is_compressed) {
      read_commands(datagram, Compression::none, datagram.payload);
    } else if (datagram.payload.captured < datagram.payload.reported) {
      datagram.outcome = Outcome::truncated;
    } else if (datagram.payload.reported == 0) {
      datagram.outcome = Outcome::malformed;
    } else {
      decompress_commands(datagram);
    }
    return datagram;
  }

 private:
  void read_commands(EnetDatagram &datagram, Compression compression, Bytes commands) {
    commands_.clear();
    datagram.is_readable = true;
    datagram.compression = compression;
    datagram.commands_bytes = commands;
    datagram.run = read_enet_commands(commands, compression == Compression::fastlz,
                                      [this](const EnetCommand &command) { commands_.add(command); });
    datagram.outcome = datagram.run.outcome;
    datagram.commands = commands_.get();
  }

  // Tries one compression. @returns true if the commands were decompressed
  bool read_compressed(EnetDatagram &datagram, Compression compression) {
    if (room_ == nullptr) room_ = static_cast<std::uint8_t *>(memory_.allocate(enet_max_datagram, 1));
    const std::span<const std::uint8_t> in(datagram.payload.data, datagram.payload.captured);
    const std::size_t size = decompress(compression, in, {room_, enet_max_datagram});
    if (size == 0) return false;
    read_commands(datagram, compression, {room_, size});
    return true;
  }

  // False if the first bytes cannot be a command, because decompressing foreign data takes time.
  [[nodiscard]] bool is_worthwhile(Compression compression, std::span<const std::uint8_t> in) const {
    if (expected_.is_compression_configured || compression == expected_.compression) return true;
    std::array<std::uint8_t, 2> start{};
    return may_begin_enet_command({start.data(), decompress_start(compression, in, start)});
  }

  void decompress_commands(EnetDatagram &datagram) {
    const EnetDatagram header_only = datagram;
    const auto is_found = [&](Compression compression) {
      datagram = header_only;
      if (!is_worthwhile(compression, {datagram.payload.data, datagram.payload.captured})) return false;
      return read_compressed(datagram, compression) &&
             (expected_.is_compression_configured || datagram.run.is_plausible);
    };
    if (expected_.is_compression_configured) {
      const Compression preferences = expected_.compression.value_or(Compression::none);
      if (preferences != Compression::none && is_found(preferences)) return;
    } else if (expected_.may_decompress) {
      const std::span<const std::uint8_t> in(datagram.payload.data, datagram.payload.captured);
      const PossibleCompressions possible = possible_compressions(in, expected_.compression);
      if (std::ranges::any_of(possible.get(), is_found)) return;
    }
    datagram = header_only;
    datagram.outcome = Outcome::unsupported;
  }

  Bytes whole_;
  const EnetExpectation &expected_;
  std::pmr::memory_resource &memory_;
  CommandList commands_;
  std::uint8_t *room_ = nullptr;  // buffer for decompressed bytes
};

}  // namespace

EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectation &expected, std::pmr::memory_resource &memory) {
  const EnetDatagram usual = Reader(datagram, expected, memory).read(expected.has_checksum);
  if (usual.is_plausible() || expected.is_checksum_configured) return usual;
  // If the guess about the checksum is wrong, the commands are not plausible. Then the other guess is tried.
  const EnetDatagram other = Reader(datagram, expected, memory).read(!expected.has_checksum);
  return other.is_plausible() ? other : usual;
}

}  // namespace godot_codec
