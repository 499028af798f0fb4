// SPDX-License-Identifier: MIT
/// @file
/// SCTP as WebRTC's data channels use it: reads the data chunks of a packet, and detects SCTP packets. Integers are
/// big-endian. Sources: RFC 9260 (packets, DATA), RFC 8260 (I-DATA), RFC 8831 and 8841 (port 5000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// The SCTP port that browsers use on both sides.
inline constexpr std::uint16_t sctp_webrtc_port = 5000;

/// Payload protocol identifiers of data channels (RFC 8831, section 8).
enum SctpPayloadType : std::uint32_t {
  sctp_no_payload = 0,  ///< unknown, because later fragments of I-DATA do not contain it
  sctp_channel = 50,    ///< DCEP: opens a channel
  sctp_text = 51,
  sctp_binary = 53,
  sctp_empty_text = 56,  ///< an empty message, sent as one byte
  sctp_empty_binary = 57,
};

/// A chunk with a message or a fragment of a message.
struct SctpDataChunk {
  Range range;          ///< the chunk, without its padding
  Range data;           ///< the chunk's payload
  bool is_interleaved;  ///< true: I-DATA, false: DATA
  bool is_unordered;
  bool is_first;  ///< true if the message begins here
  bool is_last;   ///< true if the message ends here
  std::uint16_t stream;
  std::uint32_t tsn;           ///< transmission sequence number (TSN), which counts all data chunks of a sender
  std::uint32_t message_id;    ///< I-DATA: identifier of the message in its stream; DATA: stream sequence number
  std::uint32_t payload_type;  ///< SctpPayloadType; sctp_no_payload for later fragments of I-DATA

  [[nodiscard]] bool is_whole_message() const { return is_first && is_last; }
};

struct SctpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t verification_tag = 0;  ///< of this direction of the association; 0 in a packet with an INIT
  std::uint32_t checksum = 0;          ///< not checked here
};

inline constexpr std::size_t sctp_header_size = 12;

/// Reads the common header; nullopt if it was not captured completely.
[[nodiscard]] std::optional<SctpHeader> read_sctp_header(Bytes packet);

/// The transmission sequence numbers (TSN) in a packet's control chunks.
struct SctpControlTsns {
  std::optional<std::uint32_t> first_tsn;  ///< from INIT or INIT ACK: the sender's first TSN
  /// From SACK: the sender of this packet has received all TSNs of the other side up to this TSN.
  std::optional<std::uint32_t> acknowledged_tsn;
  /// From FORWARD-TSN: the sender has given up lost chunks up to this TSN.
  std::optional<std::uint32_t> given_up_tsn;
};

/// Reads a packet's data chunks, and records the TSNs in its control chunks. Stops at the first malformed or truncated
/// chunk.
class SctpReader {
 public:
  explicit SctpReader(Bytes packet) : packet_(packet) {}

  /// @returns the next data chunk; nullopt after the last chunk
  std::optional<SctpDataChunk> next();
  /// True if all chunks read so far are valid. After the last chunk, true if the packet is complete.
  [[nodiscard]] bool ok() const { return is_ok_; }
  /// True if an INIT was read, so an association begins.
  [[nodiscard]] bool has_init() const { return has_init_; }
  /// The TSNs of the control chunks that were read.
  [[nodiscard]] const SctpControlTsns &control_tsns() const { return control_tsns_; }

 private:
  void record_control_chunk(std::uint8_t type, Range chunk);

  Bytes packet_;
  std::size_t offset_ = sctp_header_size;
  bool is_ok_ = true;
  bool has_init_ = false;
  SctpControlTsns control_tsns_;
};

/// Reads the header of the chunk that has the payload @p data. For a dissector that gets only the payload and finds the
/// header before it.
/// @returns nullopt if there is no such header
[[nodiscard]] std::optional<SctpDataChunk> read_sctp_data_before(Bytes bytes, Range data);

/// Returns the checksum that a packet's header should contain: CRC32C of the packet with zeros in the checksum field.
[[nodiscard]] std::uint32_t sctp_checksum(Bytes packet);

/// True if the bytes are one complete SCTP packet as browsers send it inside DTLS. It must have port 5000 on both
/// sides, valid chunks up to its end, and the correct checksum. RFC 9653 also allows a checksum of zero, but browsers
/// send it only after both sides have agreed. Callers must accept such packets by a known verification tag.
[[nodiscard]] bool is_webrtc_sctp(Bytes packet);

}  // namespace godot_codec
