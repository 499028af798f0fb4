// SPDX-License-Identifier: MIT
/// @file
/// The weights of messages, in bits, by which the protocol of a conversation is decided. doc/recognition.md describes
/// how they are used, and what was measured with them.
#pragma once

#include <cstdint>

namespace godot_codec::weights {

// ---- bounds of a score

/// The score that decides for a candidate. Of ten million packets that were generated to resemble Godot's, hardly any
/// conversation reaches and keeps it (doc/recognition_measured.md).
inline constexpr int decided_at = 30;
/// A lower score revokes the decision. Two mismatches revoke a decision by weak messages alone.
inline constexpr int revoked_below = 10;
inline constexpr int most = 60;
/// The most that weak messages add up to, because the messages of one conversation resemble each other: so two
/// mismatches revoke the decision for tests/data/tls_taken_back.pcapng.
inline constexpr int most_of_weak = 36;
inline constexpr int least = -40;

// ---- messages

/// A strong message. None of the generated packets is one.
inline constexpr int strong = 40;
/// The first weak message of its kind. Of some hundred records that begin with a small number, one has the length and
/// the content that this number requires of a Variant.
inline constexpr int weak = 10;
/// Another weak message of a known kind.
inline constexpr int weak_again = 20;
/// Another message of a type that resembles many protocols. Ten of them decide for games that send nothing else
/// (tests/alternation_test.cpp).
inline constexpr int common_again = 3;
/// A message that does not match, such as most of captures/other/ws_binary.pcapng (chat.py).
inline constexpr int mismatch = -16;

// ---- priors

/// Another connection of the same server is a game. This decides unless the connection's own messages contradict it:
/// the second clients of captures/mp_enet0_godot3.1 and mp_enet1_godot4.2 are detected at their first message.
inline constexpr int server = 30;
/// An ENet connection began like those of games: the first message that matches decides
/// (captures/mp_many_godot4.6.pcapng and each mp_rpc).
inline constexpr int greeted = 20;

/// Another dissector is registered on one of the ports: one strong message outweighs it, and weak ones alone never do
/// (most_of_weak).
inline constexpr int registered_dissector = -10;

}  // namespace godot_codec::weights
