// SPDX-License-Identifier: MIT
/// @file
/// Are bytes Godot's traffic? Asked of packets on ports that nobody has named.
///
/// Nothing on the wire says whose it is. What a packet says for itself is counted in bits: how improbable it is that
/// bytes of another program would read so. The count is made for the worst of them, which are full of small
/// little-endian numbers, lengths and texts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/enet/datagram.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/stream/framing.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

struct EvidenceScore;

/// A shorter message of the multiplayer, or one that a game packs by itself, is never strong.
inline constexpr std::size_t least_strong_size = 16;

/// The evidence of one packet.
struct Evidence {
  Confidence confidence = Confidence::none;
  /// The kind of a weak packet: one more of a kind that was there adds more than one of a new kind. Kind 0 counts as
  /// any kind. A neutral packet has a kind if it adds something when it comes again and again.
  std::uint32_t kind = 0;
  /// A weak packet is a whole Array or Dictionary with a text: the second one leaves no doubt.
  bool is_container = false;
  /// For a packet that may be a Variant, weak or strong: its dialect, as far as the packet says.
  Detection detection{};
};

/// Judges a packet that is to be one Variant, in whatever dialect, from its first byte to its last.
///
/// strong: an Array or Dictionary whose texts, booleans and reals are such as games send; weak: any other value that
/// an engine writes so, of the kind that its type is, or of kind 0 where it has a text; neutral: null,
/// zeros, a PackedByteArray and other types that look like much else (of the kind of their type), or numbers that
/// hardly anybody sends.
/// @param options limits, and how reals are read
[[nodiscard]] Evidence variant_evidence(Bytes packet, const ReadOptions &options);

/// Judges a packet of a carrier on which a game may also send bytes of its own: like variant_evidence(), but also
/// strong if such bytes contain a Variant that leaves no doubt (options.inside).
[[nodiscard]] Evidence packet_evidence(Bytes packet, const ReadOptions &options);

/// Judges a part of a TCP stream that is to begin with a packet of framing.h: by all packets that are whole in it. If
/// some are no Variants, it is strong if another one is strong, or a Variant that leaves no doubt lies in one
/// (options.read.inside).
[[nodiscard]] Evidence stream_evidence(Bytes data, const StreamOptions &options);

/// Judges a part of a stream together with the parts before it, whose evidence is in @p sum.
/// @param prior bits that are known beforehand, for EvidenceScore::add()
/// @returns strong once @p sum is settled
Evidence stream_evidence(Bytes data, const StreamOptions &options, EvidenceScore &sum, int prior = 0);

/// True if a part of a TCP stream may begin with a packet of framing.h: by the length and the type of a Variant after
/// it, where there are so many bytes. Takes no time.
/// @param max_length a longer packet is none
[[nodiscard]] bool may_begin_packet(Bytes data, std::uint32_t max_length);

/// Judges an ENet datagram.
///
/// strong: a connect or verify connect, or commands that leave no doubt by flags, channels, sizes and the numbers that
/// must be equal; weak: any that ENet could send so, of the kind of its peer's slot and session.
/// neutral: compressed, and cut by the capture.
[[nodiscard]] Evidence enet_evidence(const EnetDatagram &datagram);

/// Judges a WebSocket's first message that may be from a server of the high-level multiplayer: a few bytes, so weak.
[[nodiscard]] Evidence mp_greeting_evidence(Generation generation);

/// Judges a packet of the high-level multiplayer that begins with its framing.
///
/// strong: a whole command with the name of a node, method or property; weak: any other that an engine sends so;
/// neutral: bytes of the game's own, and what the capture cuts.
[[nodiscard]] Evidence mp_evidence(Bytes packet, MpFraming framing, const ReadOptions &options);

/// Judges a packet that others read, too.
/// @param reader of the packet
[[nodiscard]] Evidence mp_evidence(MpReader &reader, MpFraming framing);

}  // namespace godot_codec
