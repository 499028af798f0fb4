// SPDX-License-Identifier: MIT
// State of a conversation: its dialect, its protocol, and the messages before the protocol was detected.
#include <gtest/gtest.h>

#include "events.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/peer_detection.h"
#include "godot-codec/detection/release.h"
#include "godot-codec/embedded/embedded_format.h"
#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec::test {
namespace {

const Data string3or4 = u32(4) + padded("hello");
const Data dictionary4 = u32(27) + u32(1) + u32(4) + padded("id") + u32(2) + u32(7);
const Data dictionary3 = u32(18) + u32(1) + u32(4) + padded("id") + u32(2) + u32(7);

DialectDetection detect(const Data &data) { return detect_dialect(ExactBytes(data).get(), {}); }

// ---- dialects

TEST(VariantDialectHistory, DialectIsThatKnownAtThePacketPosition) {
  DialectHistory history;
  history.add({1, 0}, detect(string3or4));
  EXPECT_EQ(history.change_count(), 0U) << "a String is the same in all dialects";
  history.add({2, 0}, detect(dictionary4));
  history.add({3, 0}, detect(dictionary4));
  EXPECT_EQ(history.change_count(), 1U);
  EXPECT_TRUE(history.before({2, 0}).empty());
  EXPECT_EQ(first_dialect(history.before({2, 1})), Dialect::godot4);
  EXPECT_EQ(first_dialect(history.first()), Dialect::godot4);
}

TEST(VariantDialectHistory, NewestContradictingPacketWins) {
  DialectHistory history;
  history.add({1, 0}, detect(dictionary4));
  history.add({5, 0}, detect(dictionary3));
  EXPECT_TRUE(history.before({5, 0}).has(Dialect::godot4));
  EXPECT_FALSE(history.before({6, 0}).has(Dialect::godot4));
  EXPECT_TRUE(history.latest().has(Dialect::godot3));
}

// ---- releases

constexpr EncodingTrait all_traits[] = {EncodingTrait::wide_int,         EncodingTrait::narrow_int,
                                        EncodingTrait::typed_array,      EncodingTrait::typed_dictionary,
                                        EncodingTrait::vector4_array,    EncodingTrait::old_bytes_in_text,
                                        EncodingTrait::old_bytes_in_path};

std::string releases_after(std::initializer_list<ReleaseFact> facts) {
  ReleaseFacts known{};
  for (const ReleaseFact fact : facts) known.add(fact, {7, 0});
  char memory[120] = {};
  TextBuffer text(memory);
  append_releases(text, find_likely_releases(known));
  return memory;
}

TEST(EngineRelease, ReleaseWithTheFewestContradictionsIsLikeliest) {
  using enum ReleaseFact;
  EXPECT_EQ(releases_after({}), "");
  EXPECT_EQ(releases_after({godot3_dialect}), "3.0 to 3.2+");
  EXPECT_EQ(releases_after({godot4_dialect}), "4.0 to 4.6");
  EXPECT_EQ(releases_after({godot3_dialect, long_prefix}), "3.0 or 3.1");
  EXPECT_EQ(releases_after({godot3_dialect, long_prefix, narrow_int}), "3.1");
  EXPECT_EQ(releases_after({godot4_dialect, confirms_by_path, delta_command}), "4.1 or 4.2");
  EXPECT_EQ(releases_after({godot4_dialect, old_bytes_in_path, typed_dictionary}), "4.4 or 4.5");
  EXPECT_EQ(releases_after({godot3_dialect, godot4_dialect}), "3.0 to 3.2+, 4.0 to 4.6");
  // Old bytes in padding may be the game's own data, so stronger evidence outweighs them.
  EXPECT_EQ(releases_after({godot3_dialect, old_bytes_in_text, short_prefix}), "3.2+");
}

// Compares the traits that a check finds with those of a walk whose text buffer is full at once, as in the packet list.
WalkResult checked(const Data &packet, Dialect dialect) {
  const ExactBytes bytes(packet);
  const WalkResult result = check_variant(bytes.get(), 0, {.dialect = dialect}, {});
  char memory[4] = {};
  TextBuffer text(memory);
  const WalkResult summary = append_brief(text, bytes.get(), 0, {.dialect = dialect}, {}, TextStyle::summary);
  for (const EncodingTrait trait : all_traits) EXPECT_EQ(summary.traits.has(trait), result.traits.has(trait));
  return result;
}

std::vector<EncodingTrait> traits_of(const Data &packet, Dialect dialect) {
  const WalkResult result = checked(packet, dialect);
  EXPECT_EQ(result.outcome, Outcome::ok);
  std::vector<EncodingTrait> traits;
  for (const EncodingTrait trait : all_traits) {
    if (result.traits.has(trait)) traits.push_back(trait);
  }
  return traits;
}

TEST(EngineRelease, DecodingRecordsEachEncodingTrait) {
  using enum EncodingTrait;
  using Traits = std::vector<EncodingTrait>;
  const auto traits3 = [](const Data &packet) { return traits_of(packet, Dialect::godot3); };
  const auto traits4 = [](const Data &packet) { return traits_of(packet, Dialect::godot4); };
  EXPECT_EQ(traits3(u32(2) + u32(7)), Traits{narrow_int});
  EXPECT_EQ(traits3(u32(0x10002) + u64(7)), Traits{wide_int});
  EXPECT_EQ(traits3(u32(0x10002) + u64(std::uint64_t{1} << 31)), Traits{}) << "it has to have 64 bits";
  EXPECT_EQ(traits3(u32(0x10002) + u64(-7)), Traits{wide_int});
  EXPECT_EQ(traits3(u32(4) + u32(2) + raw("ab") + hex("0001")), Traits{old_bytes_in_text});
  EXPECT_EQ(traits3(u32(4) + u32(2) + raw("ab") + hex("0000")), Traits{});
  EXPECT_EQ(traits4(u32(22) + u32(0x80000001) + u32(0) + u32(0) + u32(2) + raw("ab") + hex("0100")),
            Traits{old_bytes_in_path});
  EXPECT_EQ(traits4(u32(0x1001c) + u32(1) + u32(0)), Traits{typed_array});
  EXPECT_EQ(traits4(u32(0x4001b) + u32(1) + u32(0)), Traits{typed_dictionary});
  EXPECT_EQ(traits4(u32(0x1001b) + u32(1) + u32(0)), Traits{typed_dictionary});
  EXPECT_EQ(traits4(u32(28) + u32(1) + u32(27) + u32(0)), Traits{});
  EXPECT_EQ(traits4(u32(38) + u32(0)), Traits{vector4_array});
  EXPECT_EQ(traits4(u32(28) + u32(2) + u32(38) + u32(0) + u32(2) + u32(7)), (Traits{narrow_int, vector4_array}));
}

TEST(EngineRelease, TruncatedIntIsNoEvidence) {
  const WalkResult result = checked(u32(0x10002) + u32(0), Dialect::godot3);
  EXPECT_NE(result.outcome, Outcome::ok);
  EXPECT_FALSE(result.traits.has(EncodingTrait::wide_int));
}

TEST(EngineRelease, IntSizeInGodot3NarrowsTheRelease) {
  const auto learned = [](const Data &packet) {
    ReleaseFacts facts{};
    record_release_facts(facts, {1, 0}, Dialect::godot3, checked(packet, Dialect::godot3).traits);
    return find_likely_releases(facts);
  };
  EXPECT_EQ(learned(u32(0x10002) + u64(7)), 1U << static_cast<unsigned>(Release::v3_0));
  EXPECT_EQ(learned(u32(2) + u32(7)),
            1U << static_cast<unsigned>(Release::v3_1) | 1U << static_cast<unsigned>(Release::v3_2));
}

// ---- raw bytes

TEST(RawBytes, LengthPrefixBeforeAVariantIsDetected) {
  const auto is_stray = [](const Data &data) { return is_length_prefixed_variant(ExactBytes(data).get(), {}); };
  EXPECT_TRUE(is_stray(u32(dictionary4.size()) + dictionary4));
  EXPECT_FALSE(is_stray(u32(dictionary4.size() + 4) + dictionary4)) << "another length";
  EXPECT_FALSE(is_stray(u32(8) + u32(99) + u32(1))) << "no Variant behind it";
}

TEST(RawBytes, CompressedContentIsDetected) {
  const auto kind_of = [](const Data &data) { return detect_signature(ExactBytes(data).get()); };
  EXPECT_EQ(kind_of(hex("1f8b0800000000000003")), EmbeddedFormat::gzip);
  EXPECT_EQ(kind_of(hex("28b52ffd2005290000aabb")), EmbeddedFormat::zstd);
  EXPECT_EQ(kind_of(hex("789c4b4c4a06000248")), EmbeddedFormat::zlib);
  EXPECT_EQ(kind_of(hex("789d4b4c4a06000248")), EmbeddedFormat::nothing) << "the check is wrong";
  EXPECT_EQ(kind_of(raw("x^2 is no zlib")), EmbeddedFormat::nothing) << "text";
  EXPECT_EQ(kind_of(hex("1f8b08")), EmbeddedFormat::nothing) << "too short";
}

// ---- messages of peers

struct Exchange {
  PeerServerFacts server;
  PeerDetection conversation{false, &server};
  std::uint32_t packets = 0;

  Message message(const ExactBytes &bytes, bool is_from_client = true) {
    Message made;
    made.bytes = bytes.get();
    made.position = {++packets, 0};
    made.sender_side = is_from_client ? 1 : 0;
    return made;
  }
};

ProtocolDecision offer(PeerDetection &conversation, const Message &message, const PeerDetectionOptions &options = {}) {
  MpPacketReader reader(message, options.read);
  return conversation.detect(reader, options);
}

ProtocolDecision find(const PeerDetection &conversation, const Message &message) {
  MpPacketReader reader(message, {});
  return conversation.find_decision(reader, {});
}

// Announces Main/World as path 1.
const Data simplify_path = hex("01") + raw(std::string(32, 'a')) + hex("00 01000000") + raw("Main/World") + hex("00");
const Data call = hex("20 01000000") + hex("02 01 0205");

TEST(PeerDetection, PathAnnouncementIsDetectedAsMultiplayer) {
  Exchange exchange;
  const ExactBytes hello(raw("hi"));
  const ExactBytes path(simplify_path);
  const Message first = exchange.message(hello);
  EXPECT_EQ(offer(exchange.conversation, first).protocol, PeerProtocol::unclaimed);
  EXPECT_EQ(exchange.conversation.pending_messages().count(), 1U);
  const ProtocolDecision decision = offer(exchange.conversation, exchange.message(path));
  EXPECT_EQ(decision.protocol, PeerProtocol::multiplayer);
  EXPECT_EQ(decision.framing, MpFraming::none);
  EXPECT_FALSE(decision.is_before_decision);
  // On later passes, the earlier messages belong to the game, too.
  const ProtocolDecision later = find(exchange.conversation, first);
  EXPECT_EQ(later.protocol, PeerProtocol::multiplayer);
  EXPECT_TRUE(later.is_before_decision);
}

TEST(PeerDetection, ConnectionToAKnownServerIsDetectedByItsFirstMessage) {
  Exchange exchange;
  const ExactBytes path(simplify_path);
  offer(exchange.conversation, exchange.message(path));
  PeerDetection second(false, &exchange.server);
  const ExactBytes hello(raw("\x03hi"));
  EXPECT_EQ(offer(second, exchange.message(hello)).protocol, PeerProtocol::multiplayer);
}

// Godot 3: source, target, and a call of the method "hit" of Main/World.
const Data call3 = hex("0a000000 00000000 00 01000000") + raw("hit") + hex("00 01 02000000 06000000");
const Data call4 = hex("20 01000000") + hex("02 01 0205");

TEST(PeerDetection, GenerationIsDetectedAnewIfTheServerHasBothGenerations) {
  Exchange exchange;
  const ExactBytes three(call3);
  const ExactBytes four(simplify_path);
  const auto say = [&](PeerDetection &conversation, const ExactBytes &bytes) {
    Message message = exchange.message(bytes);
    message.sequence.channel = 1;
    return offer(conversation, message);
  };
  say(exchange.conversation, three);
  EXPECT_EQ(mp_generation(say(exchange.conversation, three).framing), Generation::godot3);
  ASSERT_TRUE(exchange.conversation.is_game());
  PeerDetection second(false, &exchange.server);
  const ProtocolDecision decision = say(second, four);
  EXPECT_EQ(decision.protocol, PeerProtocol::multiplayer);
  EXPECT_EQ(decision.framing, MpFraming::none);
  PeerDetection third(false, &exchange.server);
  EXPECT_EQ(mp_generation(say(third, three).framing), Generation::godot3);
}

// Two messages look like a game's and the next ones do not: the detection is revoked from there on, also for other
// connections to the same server.
TEST(PeerDetection, ContradictingMessagesRevokeTheDetection) {
  Exchange exchange;
  const ExactBytes like_a_command(hex("05 01000000"));  // a despawn
  const ExactBytes other(hex("0f ff ff 07 ee"));
  const Message first = exchange.message(like_a_command);
  offer(exchange.conversation, first);
  EXPECT_EQ(offer(exchange.conversation, exchange.message(like_a_command)).protocol, PeerProtocol::multiplayer);
  PeerDetection second(false, &exchange.server);
  const ExactBytes raw_bytes(raw("\x03hi"));
  const Message of_second = exchange.message(raw_bytes);
  EXPECT_EQ(offer(second, of_second).protocol, PeerProtocol::multiplayer);
  offer(exchange.conversation, exchange.message(other));
  EXPECT_TRUE(exchange.conversation.is_game()) << "one is not enough";
  EXPECT_EQ(offer(exchange.conversation, exchange.message(other)).protocol, PeerProtocol::unclaimed);
  EXPECT_EQ(find(exchange.conversation, first).protocol, PeerProtocol::multiplayer) << "it was, when it was taken back";
  EXPECT_EQ(find(second, of_second).protocol, PeerProtocol::multiplayer);
  EXPECT_EQ(offer(second, exchange.message(raw_bytes)).protocol, PeerProtocol::unclaimed);
}

// Another connection to the server is a Godot 3 game, but no Godot engine requests a single channel.
TEST(PeerDetection, ConnectionWithASingleChannelIsNotDetected) {
  Exchange exchange;
  exchange.server.game_connections[static_cast<std::size_t>(Generation::godot3)] = 1;
  const ExactBytes bytes(hex("00000000 02000000"));  // a peer connected
  Message message = exchange.message(bytes);
  message.sequence.channel = 0;
  exchange.conversation.set_channel_count(3);
  EXPECT_EQ(offer(exchange.conversation, message).protocol, PeerProtocol::multiplayer);
  PeerDetection other(true, &exchange.server);
  other.set_channel_count(1);
  EXPECT_EQ(offer(other, message).protocol, PeerProtocol::unclaimed);
}

TEST(PeerDetection, ExactVariantIsNoMultiplayerMessage) {
  Exchange exchange;
  const ExactBytes path(simplify_path);
  const ExactBytes value(dictionary4);
  offer(exchange.conversation, exchange.message(path));
  EXPECT_EQ(offer(exchange.conversation, exchange.message(value)).protocol, PeerProtocol::variant);
  PeerDetectionOptions only_multiplayer;
  only_multiplayer.may_be_variant = false;
  EXPECT_EQ(offer(exchange.conversation, exchange.message(value), only_multiplayer).protocol, PeerProtocol::unclaimed);
}

TEST(PeerDetection, WebSocketIsDetectedByTheSecondMessage) {
  Exchange exchange;
  const ExactBytes id(u32(1234));
  const ExactBytes path(simplify_path);
  Message first_message = exchange.message(id, false);
  first_message.transport = Transport::websocket;
  first_message.format = PayloadFormat::binary;
  EXPECT_EQ(offer(exchange.conversation, first_message).protocol, PeerProtocol::unclaimed);
  Message second = exchange.message(path, false);
  second.transport = Transport::websocket;
  EXPECT_EQ(offer(exchange.conversation, second).protocol, PeerProtocol::multiplayer);
  EXPECT_EQ(find(exchange.conversation, first_message).framing, MpFraming::websocket_id);
}

TEST(PeerDetection, WebRtcMessageWithoutAPrefixIsDetectedAsGodot4) {
  Exchange exchange;
  PeerDetectionOptions godot3;
  godot3.generation = Generation::godot3;
  const ExactBytes path(simplify_path);
  Message message = exchange.message(path);
  message.transport = Transport::webrtc;
  const ProtocolDecision decision = offer(exchange.conversation, message, godot3);
  EXPECT_EQ(decision.protocol, PeerProtocol::multiplayer);
  EXPECT_EQ(decision.framing, MpFraming::none);
}

TEST(PeerDetection, DisabledProtocolsAreNotDetected) {
  Exchange exchange;
  const ExactBytes path(simplify_path);
  PeerDetectionOptions none;
  none.may_be_multiplayer = none.may_be_variant = false;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(offer(exchange.conversation, exchange.message(path), none).protocol, PeerProtocol::unclaimed);
}

TEST(PeerDetection, AfterAContradictionMostForeignMessagesAreRefused) {
  Exchange exchange;
  PeerDetection &conversation = exchange.conversation;
  const ExactBytes foreign(raw("\x99\x88\x77\x66\x55\x44"));
  const ExactBytes variant(hex("02000000 07000000"));
  Message message = exchange.message(foreign);
  message.transport = Transport::websocket;
  message.format = PayloadFormat::binary;
  EXPECT_EQ(offer(conversation, message).protocol, PeerProtocol::unclaimed);
  std::vector<int> evaluated;
  for (int number = 2; number <= 16; ++number) {
    EXPECT_FALSE(conversation.refuse(variant.get())) << number;
    if (conversation.refuse(foreign.get())) continue;
    evaluated.push_back(number);
    offer(conversation, message);
  }
  EXPECT_EQ(evaluated, (std::vector<int>{2, 4, 8, 16}));
  const ExactBytes cut_string(hex("04000000 09000000 41424344"));
  EXPECT_TRUE(conversation.refuse(cut_string.get())) << "its length contradicts its size";
}

TEST(PeerDetection, TextsOverAWebSocketAreRefusedWithoutEvidence) {
  Exchange exchange;
  const ExactBytes text(raw("{}"));
  Message message = exchange.message(text);
  message.transport = Transport::websocket;
  message.format = PayloadFormat::text;
  EXPECT_TRUE(exchange.conversation.refuse_text(message));
  EXPECT_EQ(exchange.conversation.pending_messages().count(), 0U);
  EXPECT_EQ(find(exchange.conversation, message).protocol, PeerProtocol::unclaimed);
  // A game is still detected after texts.
  const ExactBytes path(simplify_path);
  Message announcement = exchange.message(path);
  announcement.transport = Transport::websocket;
  announcement.format = PayloadFormat::binary;
  EXPECT_EQ(offer(exchange.conversation, announcement).protocol, PeerProtocol::multiplayer);
  EXPECT_FALSE(exchange.conversation.refuse_text(message)) << "the protocol is decided";
}

TEST(PeerDetection, WithoutAContradictionNoMessageIsRefused) {
  Exchange exchange;
  const ExactBytes null(hex("00000000"));
  const ExactBytes no(hex("01000000 00000000"));
  offer(exchange.conversation, exchange.message(null));
  offer(exchange.conversation, exchange.message(no));
  const ExactBytes foreign(raw("\x99\x88\x77\x66\x55\x44"));
  EXPECT_FALSE(exchange.conversation.refuse(foreign.get())) << "both messages may be Variants";
}

TEST(PendingPeerMessages, MessagesOverTheLimitAreNotKept) {
  PendingPeerMessages prefix;
  const ExactBytes small(raw("x"));
  Message message;
  message.bytes = small.get();
  for (std::size_t i = 0; i < PendingPeerMessages::max_count + 3; ++i) prefix.add(message);
  EXPECT_EQ(prefix.count(), PendingPeerMessages::max_count);
  EXPECT_EQ(prefix.message(1).bytes.data[0], 'x');
  PendingPeerMessages large;
  const ExactBytes big(raw(std::string(PendingPeerMessages::max_bytes / 2 + 1, 'y')));
  message.bytes = big.get();
  large.add(message);
  large.add(message);
  EXPECT_EQ(large.count(), 1U);
}

}  // namespace
}  // namespace godot_codec::test
