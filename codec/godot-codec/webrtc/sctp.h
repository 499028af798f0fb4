// SPDX-License-Identifier: MIT
/// @file
/// SCTP as WebRTC's data channels use it: a packet's chunks of data, and whether bytes are such a packet. Numbers are
/// big-endian. After RFC 9260 (packets, DATA), RFC 8260 (I-DATA), RFC 8831 and 8841 (the port 5000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// The port that browsers use at both ends.
inline constexpr std::uint16_t sctp_webrtc_port = 5000;

/// Payload protocol identifiers of data channels (RFC 8831, section 8).
enum SctpPayload : std::uint32_t {
  sctp_no_payload = 0,  ///< not known: a later fragment of I-DATA has none
  sctp_channel = 50,    ///< DCEP: opens a channel
  sctp_text = 51,
  sctp_binary = 53,
  sctp_empty_text = 56,  ///< one byte that stands for none
  sctp_empty_binary = 57,
};

/// A chunk that carries a message or a fragment of one.
struct SctpData {
  Range range;          ///< the chunk, without its padding
  Range data;           ///< the chunk's payload
  bool is_interleaved;  ///< I-DATA, else DATA
  bool is_unordered;
  bool is_first;  ///< the message begins here
  bool is_last;   ///< it ends here
  std::uint16_t stream;
  std::uint32_t number;   ///< the transmission's (TSN), which counts all chunks with data that an end sends
  std::uint32_t message;  ///< I-DATA: the message's number in its stream; DATA: the stream sequence number
  std::uint32_t payload;  ///< SctpPayload; sctp_no_payload for a later fragment of I-DATA

  [[nodiscard]] bool is_whole() const { return is_first && is_last; }
};

/// The common header, which precedes the chunks.
struct SctpHeader {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  std::uint32_t tag = 0;       ///< the tag of this direction of the association; 0 with an INIT
  std::uint32_t checksum = 0;  ///< not checked here
};

inline constexpr std::size_t sctp_header_size = 12;

/// Reads the header; nullopt where the capture has not all of it.
[[nodiscard]] std::optional<SctpHeader> read_sctp_header(Bytes packet);

/// Numbers of transmissions that the chunks without data tell.
struct SctpNumbers {
  std::optional<std::uint32_t> first;         ///< an INIT, or its answer: the sender begins with it
  std::optional<std::uint32_t> acknowledged;  ///< the sender has got all of the other end's up to it
  std::optional<std::uint32_t> given_up;      ///< the sender does not send again what was lost, up to it
};

/// Walks over a packet's chunks of data, and notes what others say. Stops at the first that contradicts itself or is
/// cut.
class SctpReader {
 public:
  explicit SctpReader(Bytes packet) : packet_(packet) {}

  /// @returns the next chunk of data; nullopt at the end
  std::optional<SctpData> next();
  /// True if the chunks so far end where they should; at the end, if the packet is whole.
  [[nodiscard]] bool ok() const { return is_ok_; }
  /// True if an INIT was passed: an association begins.
  [[nodiscard]] bool has_init() const { return has_init_; }
  /// Those of the chunks that were passed.
  [[nodiscard]] const SctpNumbers &numbers() const { return numbers_; }

 private:
  void note(std::uint8_t type, Range chunk);

  Bytes packet_;
  std::size_t offset_ = sctp_header_size;
  bool is_ok_ = true;
  bool has_init_ = false;
  SctpNumbers numbers_;
};

/// Reads the header of the chunk whose data begins at an offset and is so long: what a reader of messages can look back
/// to. @returns nullopt where there is none
[[nodiscard]] std::optional<SctpData> read_sctp_data_before(Bytes bytes, Range data);

/// SCTP's checksum of a packet (CRC32C, the field itself as zeros), as the header has it.
[[nodiscard]] std::uint32_t sctp_checksum(Bytes packet);

/// True if bytes are one packet of SCTP, whole, as browsers send it inside of DTLS: WebRTC's ports, chunks up to the
/// end, and the checksum. (RFC 9653 allows zero for it, which browsers do not send unless both have agreed: then the
/// caller has to accept a tag that was seen before.)
[[nodiscard]] bool is_webrtc_sctp(Bytes packet);

}  // namespace godot_codec
