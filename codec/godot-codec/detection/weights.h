// SPDX-License-Identifier: MIT
/// @file
/// The weights of messages, in bits. They decide the protocol of a conversation. doc/recognition.md describes how the
/// weights are used, and what was measured with them.
#pragma once

namespace godot_codec::weights {

// ---- bounds of a score

/// A candidate with this score is decided. Of ten million packets that were generated to resemble Godot's packets,
/// hardly any conversation reaches and keeps this score (doc/recognition_measured.md).
inline constexpr int decided_at = 30;
/// A score below this revokes the decision. If only weak messages decided, two mismatches are enough for that.
inline constexpr int revoked_below = 10;
inline constexpr int most = 60;
/// Maximum sum of weak messages, because the messages of one conversation resemble each other. So two mismatches revoke
/// the decision for tests/data/tls_taken_back.pcapng.
inline constexpr int most_of_weak = 36;
inline constexpr int least = -40;

// ---- messages

/// A strong message. None of the generated packets is strong.
inline constexpr int strong = 40;
/// The first weak message of its kind. Of some hundred records that begin with a small number, one has by chance the
/// length and content of a Variant with this type number.
inline constexpr int weak = 10;
/// Another weak message of a kind that has occurred before.
inline constexpr int weak_again = 20;
/// Another message of a type that resembles many protocols. If a game sends nothing else, ten such messages decide for
/// it (tests/alternation_test.cpp).
inline constexpr int common_again = 3;
/// A message that does not match, like most messages of captures/other/ws_binary.pcapng (chat.py).
inline constexpr int mismatch = -16;

// ---- priors

/// Prior if another connection of the same server belongs to a game. It decides, unless the connection's own messages
/// contradict it. For example, the second clients of captures/mp_enet0_godot3.1 and mp_enet1_godot4.2 are detected at
/// their first message.
inline constexpr int server = 30;
/// Prior if an ENet connection began like a game's connection. With it, the first matching message decides
/// (captures/mp_many_godot4.6.pcapng and each mp_rpc).
inline constexpr int greeted = 20;

/// Prior if another dissector is registered for one of the ports. One strong message outweighs it, but weak messages
/// alone never do (most_of_weak).
inline constexpr int registered_dissector = -10;

}  // namespace godot_codec::weights
