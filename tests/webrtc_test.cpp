// SPDX-License-Identifier: MIT
// SCTP and DCEP of data channels: handmade packets, and bytes from a browser.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "godot-codec/webrtc/data_channels.h"
#include "godot-codec/webrtc/ice.h"
#include "godot-codec/webrtc/sctp.h"
#include "godot-codec/webrtc/signalling.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

std::string be16(int value) { return big_endian(static_cast<std::uint16_t>(value)); }
std::string be32(std::uint32_t value) { return big_endian(value); }

std::string chunk(int type, int flags, const std::string &body) {
  const std::string head = u8(type) + u8(flags) + be16(static_cast<int>(4 + body.size()));
  return head + body + std::string((4 - body.size() % 4) % 4, '\0');
}

std::string data(int flags, int stream, int sequence, std::uint32_t payload, const std::string &content) {
  return chunk(0, flags, be32(7) + be16(stream) + be16(sequence) + be32(payload) + content);
}

// @param payload of the first fragment; otherwise the fragment number
std::string idata(int flags, int stream, std::uint32_t message, std::uint32_t payload, const std::string &content) {
  return chunk(0x40, flags, be32(7) + be16(stream) + be16(0) + be32(message) + be32(payload) + content);
}

constexpr int last = 1;
constexpr int first = 2;
constexpr int unordered = 4;

std::string packet(const std::string &chunks, int port = 5000) {
  std::string bytes = be16(port) + be16(5000) + be32(0x01020304) + be32(0) + chunks;
  bytes.replace(8, 4, be32(sctp_checksum(bytes_of(bytes))));
  return bytes;
}

std::optional<SctpDataChunk> only_data(const std::string &bytes) { return SctpReader(bytes_of(bytes)).next(); }

TEST(Sctp, ReadsADataChunk) {
  const auto read = only_data(packet(data(first | last | unordered, 3, 9, 53, "abcde")));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->range.offset, 12U);
  EXPECT_EQ(read->range.length, 21U);
  EXPECT_EQ(read->data.offset, 28U);
  EXPECT_EQ(read->data.length, 5U);
  EXPECT_FALSE(read->is_interleaved);
  EXPECT_TRUE(read->is_unordered);
  EXPECT_TRUE(read->is_whole_message());
  EXPECT_EQ(read->stream, 3);
  EXPECT_EQ(read->message_id, 9U);
  EXPECT_EQ(read->payload_type, 53U);
}

TEST(Sctp, ReadsInterleavedFragments) {
  const std::string bytes = packet(idata(first, 1, 0x10002, 51, "abcd") + idata(last, 1, 0x10002, 53, "ef"));
  SctpReader reader(bytes_of(bytes));
  const auto begin = reader.next();
  const auto end = reader.next();
  ASSERT_TRUE(begin && end);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(begin->payload_type, 51U);
  EXPECT_EQ(begin->message_id, 0x10002U);
  EXPECT_TRUE(begin->is_first && !begin->is_last);
  EXPECT_EQ(begin->data.offset, 32U);
  // In later fragments, this field is the fragment number, so the payload protocol is unknown.
  EXPECT_EQ(end->payload_type, sctp_no_payload);
  EXPECT_TRUE(end->is_last && !end->is_first);
  EXPECT_EQ(end->data.offset, 56U);
  EXPECT_EQ(end->data.length, 2U);
}

TEST(Sctp, SkipsOtherChunks) {
  const std::string bytes = packet(chunk(3, 0, std::string(12, '\1')) + data(first | last, 1, 0, 53, "x"));
  SctpReader reader(bytes_of(bytes));
  const auto read = reader.next();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->data.offset, 44U);
  EXPECT_FALSE(reader.has_init());
  const std::string init = packet(chunk(1, 0, std::string(16, '\1')));
  SctpReader of_init(bytes_of(init));
  EXPECT_FALSE(of_init.next());
  EXPECT_TRUE(of_init.ok() && of_init.has_init());
}

TEST(Sctp, ContradictoryChunkIsRejected) {
  for (const std::string &chunks : {u8(0) + u8(3) + be16(3), u8(0) + u8(3) + be16(400), std::string("\0\3", 2),
                                    chunk(0, 3, std::string(11, 'x')), chunk(0x40, 3, std::string(15, 'x'))}) {
    const std::string bytes = packet(chunks);
    SctpReader reader(bytes_of(bytes));
    EXPECT_FALSE(reader.next()) << to_hex(chunks);
    EXPECT_FALSE(reader.ok()) << to_hex(chunks);
    EXPECT_FALSE(is_webrtc_sctp(bytes_of(bytes))) << to_hex(chunks);
  }
}

TEST(Sctp, HeaderOfATruncatedDataChunkIsRead) {
  const std::string bytes = packet(data(first | last, 1, 0, 53, std::string(40, 'x')));
  const Bytes cut{bytes_of(bytes).data, bytes.size() - 30, bytes.size()};
  const auto read = SctpReader(cut).next();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->data.length, 40U);
  EXPECT_FALSE(SctpReader({cut.data, 27, bytes.size()}).next());
}

// The CRC32C of 32 zeros as in RFC 3720 (B.4); the checksum field itself counts as zeros.
TEST(Sctp, ChecksumIgnoresItsOwnField) {
  std::string bytes(32, '\0');
  EXPECT_EQ(sctp_checksum(bytes_of(bytes)), 0xaa36918aU);
  bytes.replace(8, 4, "abcd");
  EXPECT_EQ(sctp_checksum(bytes_of(bytes)), 0xaa36918aU);
}

TEST(Sctp, IsDetectedByPortsAndChecksum) {
  const std::string chunks = data(first | last, 1, 0, 53, "abc");
  EXPECT_TRUE(is_webrtc_sctp(bytes_of(packet(chunks))));
  EXPECT_FALSE(is_webrtc_sctp(bytes_of(packet(chunks, 5001))));
  EXPECT_FALSE(is_webrtc_sctp(bytes_of(packet(""))));
  const std::string whole = packet(chunks);
  for (std::size_t i = 4; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(is_webrtc_sctp(bytes_of(changed))) << i;
  }
  EXPECT_FALSE(is_webrtc_sctp({bytes_of(whole).data, whole.size() - 1, whole.size()}));
}

TEST(Sctp, DataChunkOfAMessageIsFound) {
  for (const std::string &chunks :
       {data(first | last, 5, 1, 51, "hello"), idata(first | last | unordered, 5, 1, 51, "hello")}) {
    const std::string bytes = packet(chunks);
    const auto read = only_data(bytes);
    ASSERT_TRUE(read);
    const auto around = read_sctp_data_before(bytes_of(bytes), read->data);
    ASSERT_TRUE(around);
    EXPECT_EQ(around->stream, 5);
    EXPECT_EQ(around->payload_type, 51U);
    EXPECT_EQ(around->is_unordered, read->is_unordered);
    EXPECT_EQ(around->is_interleaved, read->is_interleaved);
    EXPECT_FALSE(read_sctp_data_before(bytes_of(bytes), {read->data.offset, 4}));
    EXPECT_FALSE(read_sctp_data_before(bytes_of(bytes), {8, 5}));
  }
}

// ---- channels

std::string channel_open_message(int type, const std::string &label, const std::string &protocol) {
  return u8(3) + u8(type) + be16(0) + be32(0) + be16(static_cast<int>(label.size())) +
         be16(static_cast<int>(protocol.size())) + label + protocol;
}

TEST(DataChannel, OpenMessageIsRead) {
  DataChannel channel;
  ASSERT_TRUE(read_channel_opening(bytes_of(channel_open_message(0x81, "chat", "godot")), channel));
  EXPECT_EQ(channel.label, "chat");
  EXPECT_EQ(channel.protocol, "godot");
  EXPECT_FALSE(channel.is_ordered);
  EXPECT_FALSE(channel.is_reliable);
  ASSERT_TRUE(read_channel_opening(bytes_of(channel_open_message(0, "", "")), channel));
  EXPECT_TRUE(channel.label.empty() && channel.is_ordered && channel.is_reliable);
  const std::string cut = channel_open_message(0, "chat", "godot").substr(0, 20);
  EXPECT_FALSE(read_channel_opening(bytes_of(cut), channel));
  EXPECT_FALSE(read_channel_opening(bytes_of(u8(2)), channel));
}

TEST(DataChannel, DeliveryModeIsNamedInGodotsTerms) {
  SctpDataChunk on{};
  const auto named = [&](std::uint16_t stream, bool is_unordered, const DataChannel *channel = nullptr) {
    on.stream = stream;
    on.is_unordered = is_unordered;
    return std::string(describe_delivery(on, channel));
  };
  EXPECT_EQ(named(1, false), "Reliable");
  EXPECT_EQ(named(2, false), "Unreliable ordered");
  EXPECT_EQ(named(3, true), "Unreliable");
  // For a channel that was negotiated out of band, only the order flag shows the delivery mode.
  EXPECT_EQ(named(4, false), "Ordered");
  EXPECT_EQ(named(4, true), "Unreliable");
  DataChannel channel;
  EXPECT_EQ(named(2, false, &channel), "Reliable");
  channel.is_ordered = false;
  EXPECT_EQ(named(2, true, &channel), "Reliable unordered");
  channel.is_reliable = false;
  EXPECT_EQ(named(1, true, &channel), "Unreliable");
  channel.is_ordered = true;
  EXPECT_EQ(named(1, false, &channel), "Unreliable ordered");
}

void update(DataChannelTracker &channels, unsigned direction, const std::string &bytes, std::uint32_t frame) {
  channels.update({bytes_of(bytes), direction, {frame, 0}, frame, bytes.size()});
}

class DataChannelState : public testing::Test {
 protected:
  MemoryBudget budget_;
  std::pmr::monotonic_buffer_resource heap_;
  MemoryBudget::ChargedMemory memory_{budget_, &heap_};
};

TEST_F(DataChannelState, LaterFragmentHasThePayloadTypeOfTheFirst) {
  DataChannelTracker channels(budget_, &memory_);
  update(channels, 0, packet(idata(first, 1, 8, 51, "a") + idata(first, 2, 8, 53, "b")), 1);
  const std::string end = packet(idata(last, 1, 8, 1, "c"));
  const auto fragment = only_data(end);
  ASSERT_TRUE(fragment);
  EXPECT_EQ(channels.payload_type_of(0, *fragment), 51U);
  EXPECT_EQ(channels.payload_type_of(1, *fragment), sctp_no_payload);
  const std::string other = packet(idata(last, 1, 9, 1, "c"));
  EXPECT_EQ(channels.payload_type_of(0, *only_data(other)), sctp_no_payload);
  const std::string plain = packet(data(last, 1, 8, 53, "c"));
  EXPECT_EQ(channels.payload_type_of(0, *only_data(plain)), 53U);
}

TEST_F(DataChannelState, StreamHasTheLabelOpenedLast) {
  DataChannelTracker channels(budget_, &memory_);
  update(channels, 0, packet(data(first | last, 6, 0, 50, channel_open_message(0, "one", ""))), 5);
  update(channels, 1, packet(data(first | last, 6, 0, 50, channel_open_message(0, "two", ""))), 9);
  update(channels, 1, packet(data(first | last, 6, 0, 50, "\2")), 10);  // a DATA_CHANNEL_ACK
  EXPECT_EQ(channels.find(6, {4, 9}), nullptr);
  EXPECT_EQ(channels.find(7, {99, 0}), nullptr);
  ASSERT_NE(channels.find(6, {8, 0}), nullptr);
  EXPECT_EQ(channels.find(6, {8, 0})->label, "one");
  EXPECT_EQ(channels.find(6, {9, 0})->label, "two");
  EXPECT_EQ(channels.find(6, {99, 0})->opened_at.packet, 9U);
}

std::string data_with_tsn(std::uint32_t number) {
  return chunk(0, first | last, be32(number) + be16(1) + be16(0) + be32(53) + "a");
}

// Queries whether a packet before the given position was sent but never captured.
TEST_F(DataChannelState, MissingTsnsAreCaptureGaps) {
  DataChannelTracker channels(budget_, &memory_);
  const auto lacks = [&](std::uint32_t frame) { return channels.transmissions()[0].has_gap(PacketPosition{frame, 0}); };
  update(channels, 0, packet(chunk(2, 0, be32(9) + be32(9) + be32(9) + be32(0xfffffffe))), 1);  // an INIT ACK
  update(channels, 0, packet(data_with_tsn(0xfffffffe)), 2);
  EXPECT_FALSE(lacks(99));
  update(channels, 0, packet(data_with_tsn(1)), 3);
  update(channels, 0, packet(data_with_tsn(5)), 4);
  EXPECT_TRUE(!lacks(2) && lacks(3) && lacks(99));
  EXPECT_FALSE(channels.transmissions()[1].has_gap({99, 0}));
  EXPECT_TRUE(channels.transmissions()[0].has_gap({2, 0}, 2) && !channels.transmissions()[0].has_gap({2, 0}, 1));
  EXPECT_TRUE(channels.transmissions()[0].has_gap({3, 0}, 3) && !channels.transmissions()[0].has_gap({4, 0}, 99));
  update(channels, 0, packet(data_with_tsn(0) + data_with_tsn(0)), 5);  // retransmitted
  EXPECT_TRUE(lacks(3)) << "0xffffffff";
  update(channels, 0, packet(data_with_tsn(0xffffffff)), 6);
  EXPECT_TRUE(!lacks(3) && lacks(4));
  update(channels, 1, packet(chunk(3, 0, be32(2) + be32(9) + be32(0))), 7);  // acknowledges 2, lacks 3 and 4
  update(channels, 0, packet(chunk(0xc0, 0, be32(6))), 8);
  EXPECT_TRUE(lacks(4)) << "2 was delivered";
  update(channels, 0, packet(data_with_tsn(2) + data_with_tsn(7)), 9);
  EXPECT_FALSE(lacks(99)) << "3, 4 and 6 are given up";
  update(channels, 0, packet(data_with_tsn(500000)), 10);
  EXPECT_FALSE(lacks(99)) << "another association";
}

// No data of this direction is captured, but the other side acknowledges it.
TEST_F(DataChannelState, AcknowledgementsRevealCaptureGaps) {
  DataChannelTracker channels(budget_, &memory_);
  const SequenceTracker<std::uint32_t> &sent = channels.transmissions()[0];
  const auto acknowledge = [&](std::uint32_t number, std::uint32_t frame) {
    update(channels, 1, packet(chunk(3, 0, be32(number) + be32(9) + be32(0))), frame);
  };
  update(channels, 0, packet(chunk(1, 0, be32(9) + be32(9) + be32(9) + be32(20))), 1);  // an INIT
  update(channels, 0, packet(data_with_tsn(20)), 2);
  acknowledge(20, 3);
  EXPECT_FALSE(sent.has_gap({99, 0}));
  acknowledge(21, 4);
  acknowledge(23, 9);
  EXPECT_TRUE(!sent.has_gap({3, 0}) && sent.has_gap({4, 0}));
  EXPECT_TRUE(sent.has_gap({5, 0}, 2) && !sent.has_gap({5, 0}, 1)) << "22 was sent after 20 at the soonest";
  EXPECT_FALSE(sent.has_gap({9, 0}, 99));
  update(channels, 0, packet(data_with_tsn(22) + data_with_tsn(23)), 10);
  EXPECT_TRUE(sent.has_gap({4, 0}) && !sent.has_gap({5, 0}, 99)) << "21";
  update(channels, 0, packet(data_with_tsn(21)), 11);
  EXPECT_FALSE(sent.has_gap({99, 0})) << "the capture's order is another";
  // No packet of that side was captured, not even its beginning.
  DataChannelTracker late(budget_, &memory_);
  update(late, 1, packet(chunk(3, 0, be32(7) + be32(9) + be32(0))), 5);
  EXPECT_TRUE(!late.transmissions()[0].has_gap({4, 0}) && late.transmissions()[0].has_gap({5, 0}));
  EXPECT_TRUE(late.transmissions()[0].has_gap({4, 0}, 0));
  update(late, 0, packet(data_with_tsn(7) + data_with_tsn(8)), 6);
  EXPECT_FALSE(late.transmissions()[0].has_gap({99, 0}));
}

// A real SCTP packet is never so small for its content. Another session may have exhausted the budget.
TEST_F(DataChannelState, NothingIsKeptBeyondTheBudget) {
  MemoryBudget::Share other;
  const MemoryBudget::ChargeScope charge(budget_, other, {1, 0}, 100);
  ASSERT_NE(memory_.allocate(MemoryBudget::base_grant + 2 * 32 * 1000), nullptr);
  DataChannelTracker channels(budget_, &memory_);
  std::size_t kept = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string one = packet(idata(first, 1, i, 51, "a"));
    channels.update({bytes_of(one), 0, {2, 0}, 0, 64});  // all chunks are in one packet of the minimum size
    const std::string end = packet(idata(last, 1, i, 1, "c"));
    kept += channels.payload_type_of(0, *only_data(end)) == 51U ? 1 : 0;
  }
  EXPECT_GT(kept, 10U);
  EXPECT_LT(kept, 100U);
  EXPECT_EQ(budget_.exhausted_at().packet, 2U);
}

// ---- ICE and DTLS

// Returns a STUN attribute.
std::string attribute(int kind, const std::string &value) {
  return be16(kind) + be16(static_cast<int>(value.size())) + value + std::string((4 - value.size() % 4) % 4, '\0');
}

std::string stun(int kind, const std::string &attributes, std::uint32_t cookie = 0x2112a442) {
  return be16(kind) + be16(static_cast<int>(attributes.size())) + be32(cookie) + std::string(12, 't') + attributes;
}

TEST(Ice, ConnectivityCheckNamesBothEnds) {
  const std::string check = stun(1, attribute(0x24, "abcd") + attribute(6, "to:from") + attribute(8, "x"));
  const IceCheck read = read_ice_check(bytes_of(check));
  ASSERT_TRUE(read.is_ice_check());
  EXPECT_EQ(read.sender_fragment, "from");
  EXPECT_EQ(read.receiver_fragment, "to");
  for (const std::string &other : {stun(0x101, attribute(6, "to:from")), stun(1, attribute(6, "nobody")), stun(1, ""),
                                   stun(1, attribute(6, "to:from"), 7), check.substr(0, 30), std::string("\0\1", 2)}) {
    EXPECT_FALSE(read_ice_check(bytes_of(other)).is_ice_check()) << to_hex(other);
  }
}

TEST(Turn, AllocationRequestIsRecognized) {
  EXPECT_TRUE(is_turn_allocation(bytes_of(stun(3, attribute(0x19, hex("11000000"))))));
  EXPECT_TRUE(is_turn_allocation(bytes_of(stun(0x103, "")))) << "its answer";
  EXPECT_TRUE(is_turn_allocation(bytes_of(stun(0x113, "")))) << "401: by whom?";
  EXPECT_FALSE(is_turn_allocation(bytes_of(stun(1, ""))));
  EXPECT_FALSE(is_turn_allocation(bytes_of(stun(0x101, ""))));
  EXPECT_FALSE(is_turn_allocation(bytes_of(stun(3, "", 7))));
  EXPECT_FALSE(is_turn_allocation(bytes_of(stun(3, "").substr(0, 7))));
}

TEST(Ice, OnlyBindingRequestsAreConnectivityChecks) {
  for (const std::string &bytes : {stun(1, ""), hex("000100")}) EXPECT_TRUE(may_be_ice_check(bytes_of(bytes)));
  for (const std::string &bytes : {stun(0x101, ""), stun(0x16, ""), hex("40000000"), hex("0001"), hex("")}) {
    EXPECT_FALSE(may_be_ice_check(bytes_of(bytes))) << to_hex(bytes);
    EXPECT_FALSE(read_ice_check(bytes_of(bytes)).is_ice_check()) << to_hex(bytes);
  }
}

TEST(Turn, StunIsRecognizedByItsCookie) {
  for (const int kind : {1, 3, 0x16, 0x101}) EXPECT_TRUE(is_stun(bytes_of(stun(kind, "")))) << kind;
  EXPECT_FALSE(is_stun(bytes_of(stun(1, "").substr(0, 19))));
  EXPECT_FALSE(is_stun(bytes_of(stun(0x4001, ""))));
  EXPECT_FALSE(is_stun(bytes_of(hex("00010000"
                                    "2112a443") +
                                std::string(12, 'x'))));
}

// ---- signalling

TEST(WebRtcSignalling, PeerIdOfAConnectionEndIsRead) {
  const std::string sdp = R"("sdp":"v=0\r\na=ice-pwd:x\r\na=ice-ufrag:Ab+/9\r\na=mid:0\r\n","to":7})";
  const std::string own = "{\"from\":20002.0," + sdp;
  const SignalledPeer named = read_signalling(own, false);
  EXPECT_EQ(named.user_fragment, "Ab+/9");
  EXPECT_EQ(named.peer_id, 20002);
  // In Godot's demo, a message from the server contains its sender, and a message from a client contains its receiver.
  const std::string demo = "{\"type\": 4, \"id\": 1300000003, \"data\"" + sdp.substr(5);
  EXPECT_EQ(read_signalling(demo, true).peer_id, 1300000003);
  EXPECT_EQ(read_signalling(demo, false).peer_id, 0);
  EXPECT_EQ(read_signalling("{\"from\":99999999999," + sdp, false).peer_id, 0);
  EXPECT_EQ(read_signalling("{\"from\":4000000000," + sdp, false).peer_id, 0);
  EXPECT_EQ(read_signalling("{\"from\":", false).peer_id, 0);
  EXPECT_TRUE(read_signalling("{\"from\":1,\"met\":true}", false).user_fragment.empty());
  EXPECT_TRUE(read_signalling("a=ice-ufrag:abc", false).user_fragment.empty());
  EXPECT_TRUE(read_signalling("", false).user_fragment.empty());
}

TEST(WebRtcSignalling, AddressOfARelayIsRead) {
  const std::string host = "candidate:1 1 udp 2122260223 10.0.0.7 50000 typ host generation 0";
  const std::string relay = "candidate:3 1 udp 41885439 192.0.2.2 49160 typ relay raddr 10.0.0.7 rport 50000";
  EXPECT_EQ(find_relay_address("{\"candidate\":\"" + relay + "\"}"), "192.0.2.2");
  EXPECT_EQ(find_relay_address("{\"sdp\":\"a=" + host + "\\r\\na=" + relay + "\"}"), "192.0.2.2");
  EXPECT_EQ(find_relay_address("{\"candidate\":\"" + host + "\"}"), "");
  EXPECT_EQ(find_relay_address(relay), "") << "no JSON";
  EXPECT_EQ(find_relay_address("{49160 typ relay"), "");
  EXPECT_EQ(find_relay_address("{ " + std::string(70, '1') + " 49160 typ relay"), "") << "no address is that long";
}

}  // namespace
}  // namespace godot_codec::test
