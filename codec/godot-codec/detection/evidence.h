// SPDX-License-Identifier: MIT
/// @file
/// The evidence of single packets for a protocol. Used on ports that no preference names.
///
/// No byte on the wire names the protocol. Evidence is counted in bits: n bits mean that one in 2^n packets of other
/// programs can be read as this protocol. The count assumes the most similar programs, which send many small
/// little-endian numbers, lengths and texts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/packet_reader.h"
#include "godot-codec/stream/stream_reader.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

struct EvidenceScore;

/// Minimum size in bytes: shorter messages of the multiplayer, and shorter custom payloads, are never strong evidence.
inline constexpr std::size_t least_strong_size = 16;

/// The evidence of one packet.
struct Evidence {
  Confidence confidence = Confidence::none;
  /// The kind of a weak packet. Another packet of a known kind adds more bits than a packet of a new kind. Kind 0
  /// equals every kind. A neutral packet has a kind if a repetition adds bits.
  std::uint32_t kind = 0;
  /// True if a weak packet is a whole Array or Dictionary with a string. The second such packet counts as strong.
  bool is_container = false;
  /// The possible dialects of a weak or strong Variant.
  DialectDetection detection{};
};

/// Evaluates a packet as one Variant of any dialect, from its first byte to its last.
///
/// - strong: an Array or Dictionary with strings, booleans and reals that are plausible for a game
/// - weak: any other value that an engine may write. Its kind is its type, or 0 if it contains a string
/// - neutral: null, zeros, a PackedByteArray, and other types that resemble many protocols (their kind is their type).
/// Also numbers that games rarely send
/// @param options limits, and how reals are read
[[nodiscard]] Evidence variant_evidence(Bytes packet, const ReadOptions &options);

/// Evaluates a packet of a transport on which a game may also send custom payload. Like variant_evidence(), but custom
/// payload that contains a strong Variant is also strong (options.decoder).
[[nodiscard]] Evidence packet_evidence(Bytes packet, const ReadOptions &options);

/// Evaluates all complete packets in a part of a TCP stream that begins with a length prefix (framing.h). If some
/// packets are not Variants, the part is strong if another packet is strong or contains a strong Variant
/// (options.read.decoder).
/// @param sum includes the earlier parts of the stream
/// @param prior bits that are known before the first message, for EvidenceScore::add()
/// @returns strong if @p sum is decided
Evidence stream_evidence(Bytes data, const StreamOptions &options, EvidenceScore &sum, int prior = 0);

/// A quick check: true if a part of a TCP stream may begin with a length prefix and a Variant's type. Checks only the
/// available bytes.
/// @param max_length maximum length of a packet
[[nodiscard]] bool may_begin_variant_packet(Bytes data, std::uint32_t max_length);

/// Evaluates an ENet datagram.
///
/// - strong: a connect or verify connect, or commands with unambiguous flags, channels, sizes and repeated numbers
/// - weak: any other valid datagram. Its kind consists of the peer's slot and the session
/// - neutral: a compressed datagram that was not captured completely
[[nodiscard]] Evidence enet_evidence(const EnetDatagram &datagram);

/// Returns the evidence of a WebSocket's first message if it may be from a server of the multiplayer. It is weak,
/// because the message has only a few bytes.
[[nodiscard]] Evidence mp_initial_message_evidence(Generation generation);

/// Evaluates a packet of the high-level multiplayer that begins with its framing.
///
/// - strong: a whole command with the name of a node, method or property
/// - weak: any other valid command
/// - neutral: custom payload, and commands that were not captured completely
[[nodiscard]] Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options);

/// Like the function above, with a reader that the caller also uses for other purposes.
[[nodiscard]] Evidence mp_evidence(MpPacketReader &reader, MpFraming framing);

/// Checks a packet with one framing. Reads all Variants.
/// @returns weak if the packet is exactly one command as an engine sends it; neutral if it is a custom payload, or
/// incomplete in the capture; none otherwise
[[nodiscard]] Confidence evaluate_mp_packet(MpPacketReader &reader, MpFraming framing);

/// Chooses the prefix of Godot 3's packets over ENet, on channels from 1 up, by trying both prefixes. The first packet
/// that is read exactly to its end (Confidence::weak) decides for the connection.
/// @returns enet3 or enet3_flags; `none` if neither prefix fits, so that the packet must not be read
[[nodiscard]] MpFraming choose_enet3_framing(MpPacketReader &reader);

/// True if a packet that no dialect can read consists of a length and exactly one Variant of this length. Such a packet
/// was written as if for a stream (StreamPeer.put_var()).
/// @param options limits, and how reals are read
[[nodiscard]] bool is_length_prefixed_variant(Bytes packet, const ReadOptions &options);

/// True if a packet that begins like a Variant is probably custom payload. The reasons are:
/// - bytes follow the Variant, or the Variant is unreadable, and its readable part is no strong evidence
/// - no engine writes such a value
/// - hardly any game sends such reals (measure_surprise())
///
/// False for a packet that was not captured completely, and for an Array or Dictionary that is unambiguous
/// (variant_evidence()).
/// @param result of the walk from the packet's first byte on, in this dialect
[[nodiscard]] bool is_probably_custom_payload(Bytes packet, Dialect dialect, const WalkResult &result,
                                              const ReadOptions &options);

}  // namespace godot_codec
