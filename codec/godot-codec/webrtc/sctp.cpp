// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/sctp.h"

#include <array>

namespace godot_codec {
namespace {

constexpr std::size_t chunk_header_size = 4;
constexpr std::size_t data_header_size = 16;
constexpr std::size_t interleaved_header_size = 20;
constexpr std::size_t tag_at = 4;
constexpr std::size_t checksum_at = 8;
// Offsets in a chunk.
constexpr std::size_t tsn_at = 4;
constexpr std::size_t first_number_at = 16;
constexpr std::size_t stream_at = 8;
constexpr std::size_t sequence_at = 10;
constexpr std::size_t message_at = 12;
constexpr std::size_t chunk_alignment = 4;

enum ChunkType : std::uint8_t {
  data_chunk = 0,
  init_chunk = 1,
  init_ack_chunk = 2,
  sack_chunk = 3,
  interleaved_chunk = 0x40,
  forward_chunk = 0xc0,  // FORWARD-TSN, RFC 3758; for I-DATA: RFC 8260
  interleaved_forward_chunk = 0xc2
};
enum ChunkFlag : std::uint8_t { last_flag = 1, first_flag = 2, unordered_flag = 4, known_flags = 0x0f };

std::size_t header_size_of(std::uint8_t type) {
  return type == interleaved_chunk ? interleaved_header_size : data_header_size;
}

bool is_data(std::uint8_t type) { return type == data_chunk || type == interleaved_chunk; }

// @param chunk a data chunk; its first byte must be captured
std::optional<SctpDataChunk> read_data(Bytes packet, Range chunk) {
  const std::uint8_t *data = packet.data + chunk.offset;
  const std::uint8_t type = data[0];
  const std::size_t header = header_size_of(type);
  if (chunk.length < header || packet.captured < chunk.offset + header) return std::nullopt;
  SctpDataChunk read{};
  read.range = chunk;
  read.data = {chunk.offset + header, chunk.length - header};
  read.is_interleaved = type == interleaved_chunk;
  read.is_unordered = (data[1] & unordered_flag) != 0;
  read.is_first = (data[1] & first_flag) != 0;
  read.is_last = (data[1] & last_flag) != 0;
  read.tsn = Cursor::load_be<std::uint32_t>(data + tsn_at);
  read.stream = Cursor::load_be<std::uint16_t>(data + stream_at);
  read.message_id = read.is_interleaved ? Cursor::load_be<std::uint32_t>(data + message_at)
                                        : Cursor::load_be<std::uint16_t>(data + sequence_at);
  const bool has_payload = read.is_first || !read.is_interleaved;
  const std::size_t payload_at = header - sizeof(std::uint32_t);
  read.payload_type = has_payload ? Cursor::load_be<std::uint32_t>(data + payload_at) : sctp_no_payload;
  return read;
}

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t polynomial = 0x82f63b78;  // Castagnoli polynomial, bit-reversed
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? polynomial : 0);
    table[i] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> crc_table = make_crc_table();

std::uint32_t update_crc(std::uint32_t crc, Bytes bytes) {
  for (std::size_t i = 0; i < bytes.captured; ++i) crc = crc >> 8 ^ crc_table[(crc ^ bytes.data[i]) & 0xff];
  return crc;
}

}  // namespace

std::optional<SctpHeader> read_sctp_header(Bytes packet) {
  if (packet.captured < sctp_header_size) return std::nullopt;
  return SctpHeader{
      Cursor::load_be<std::uint16_t>(packet.data), Cursor::load_be<std::uint16_t>(packet.data + sizeof(std::uint16_t)),
      Cursor::load_be<std::uint32_t>(packet.data + tag_at), Cursor::load_be<std::uint32_t>(packet.data + checksum_at)};
}

std::optional<SctpDataChunk> SctpReader::next() {
  while (is_ok_ && offset_ < packet_.reported) {
    Cursor cursor(packet_, offset_);
    const auto type = cursor.read_be<std::uint8_t>();
    cursor.read_be<std::uint8_t>();
    const std::size_t length = cursor.read_be<std::uint16_t>();
    const Range chunk{offset_, length};
    is_ok_ = cursor.ok() && length >= chunk_header_size && chunk.end() <= packet_.reported;
    if (!is_ok_) break;
    // The sender may omit the padding of the last chunk.
    offset_ += (length + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
    if (!is_data(type)) {
      record_control_chunk(type, chunk);
      continue;
    }
    const std::optional<SctpDataChunk> data = read_data(packet_, chunk);
    is_ok_ = data.has_value();
    if (is_ok_) return data;
  }
  return std::nullopt;
}

void SctpReader::record_control_chunk(std::uint8_t type, Range chunk) {
  has_init_ = has_init_ || type == init_chunk;
  const bool is_first = type == init_chunk || type == init_ack_chunk;
  const std::size_t at = is_first ? first_number_at : tsn_at;
  const Bytes bytes = packet_.slice(chunk);
  if (bytes.captured < at + sizeof(std::uint32_t)) return;
  const auto number = Cursor::load_be<std::uint32_t>(bytes.data + at);
  if (is_first) control_tsns_.first_tsn = number;
  if (type == sack_chunk) control_tsns_.acknowledged_tsn = number;
  if (type == forward_chunk || type == interleaved_forward_chunk) control_tsns_.given_up_tsn = number;
}

std::optional<SctpDataChunk> read_sctp_data_before(Bytes bytes, Range data) {
  for (const std::uint8_t type : {std::uint8_t{interleaved_chunk}, std::uint8_t{data_chunk}}) {
    const std::size_t header = header_size_of(type);
    if (data.offset < header || data.offset > bytes.captured) continue;
    const std::uint8_t *chunk = bytes.data + data.offset - header;
    const std::size_t length = Cursor::load_be<std::uint16_t>(chunk + sizeof(std::uint16_t));
    if (chunk[0] != type || (chunk[1] & ~known_flags) != 0 || length != header + data.length) continue;
    return read_data(bytes, {data.offset - header, length});
  }
  return std::nullopt;
}

std::uint32_t sctp_checksum(Bytes packet) {
  constexpr std::uint8_t zeros[sizeof(std::uint32_t)] = {};
  std::uint32_t crc = update_crc(~std::uint32_t{0}, packet.slice({0, checksum_at}));
  crc = update_crc(crc, {zeros, sizeof zeros});
  crc = ~update_crc(crc, packet.slice({sctp_header_size, packet.reported}));
  // The checksum is sent least significant byte first.
  return crc >> 24 | (crc >> 8 & 0xff00) | (crc << 8 & 0xff0000) | crc << 24;
}

bool is_webrtc_sctp(Bytes packet) {
  const std::optional<SctpHeader> header = read_sctp_header(packet);
  if (!header || packet.captured < packet.reported || packet.reported == sctp_header_size) return false;
  if (header->source_port != sctp_webrtc_port || header->destination_port != sctp_webrtc_port) return false;
  SctpReader reader(packet);
  while (reader.next()) {
  }
  return reader.ok() && header->checksum == sctp_checksum(packet);
}

}  // namespace godot_codec
