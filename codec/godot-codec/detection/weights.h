// SPDX-License-Identifier: MIT
/// @file
/// The weights of messages, in bits, by which the protocol of a conversation is chosen. doc/recognition.md says
/// how they are used, and what was measured with them.
#pragma once

#include <cstdint>

namespace godot_codec::weights {

// ---- bounds of a sum

/// A conversation is a candidate's from so many bits on: in ten million packets made to look like Godot's, structured
/// as other programs' are, hardly a conversation gets there and stays (doc/recognition_measured.md).
inline constexpr int decided_at = 30;
/// Below it is open again. Two misfits are enough for what is settled by weak messages alone.
inline constexpr int revoked_below = 10;
inline constexpr int most = 60;
/// Weak messages of one conversation repeat themselves, and are one measurement rather than many: so two misfits take
/// back tests/data/tls_taken_back.pcapng.
inline constexpr int most_of_weak = 36;
inline constexpr int least = -40;

// ---- messages

/// A strong message: not one of the generated packets is one (evidence.cpp counts what makes one).
inline constexpr int strong = 40;
/// The first weak message of its kind: one in some hundreds of records that begin with a small number has the length
/// and the content that the number asks for.
inline constexpr int weak = 10;
/// One more of a kind that was there.
inline constexpr int weak_again = 20;
/// A type that many a protocol looks like, once more. Ten of them are enough for games that send nothing but such, by
/// turns or alone (tests/alternation_test.cpp).
inline constexpr int common_again = 3;
/// Bytes that are something else, as most messages of captures/other/ws_binary.pcapng (chat.py).
inline constexpr int mismatch = -16;

// ---- what is known beforehand

/// Another connection of the same server is a game: enough, unless the connection itself says otherwise. So the second
/// clients of Godot 3.1 and 4.2 are known from their first message on (captures/mp_enet0_godot3.1, mp_enet1_godot4.2).
inline constexpr int server = 30;
/// An ENet connection began as those of games do: the first message that fits settles it ("Peer 1416647956 has come" of
/// captures/mp_many_godot4.6.pcapng and of each mp_rpc).
inline constexpr int greeted = 20;

/// Another dissector is registered on one of the ports: one strong message outweighs it, and weak ones alone never do
/// (most_of_weak).
inline constexpr int registered_dissector = -10;

}  // namespace godot_codec::weights
