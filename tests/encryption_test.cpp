// SPDX-License-Identifier: MIT
// DTLS, handmade according to RFC 6347 and RFC 5246: which client is Godot's, and why data cannot be decrypted.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "godot-codec/encryption/dtls.h"
#include "godot-codec/encryption/encrypted_flow.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

using ExtensionTypes = std::vector<int>;

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

std::string be16(std::size_t value) { return big_endian(static_cast<std::uint16_t>(value)); }

std::string with_length(const std::string &text) { return be16(text.size()) + text; }

// Each extension has two bytes of content.
std::string extensions(const ExtensionTypes &kinds) {
  std::string all;
  for (const int kind : kinds) all += be16(static_cast<std::size_t>(kind)) + with_length("ab");
  return with_length(all);
}

std::string record(const std::string &body, char number = 5) {
  return hex("16 fefd 0000 0000000000") + number + with_length(body);
}

std::string hello(const ExtensionTypes &kinds, int message_number = 0, const std::string &cookie = {}) {
  const std::string body = hex("fefd") + std::string(32, 'r') + '\0' + static_cast<char>(cookie.size()) + cookie +
                           with_length(hex("c030 00ff")) + hex("01 00") + extensions(kinds);
  const std::string size = '\0' + be16(body.size());
  return '\1' + size + be16(static_cast<std::size_t>(message_number)) + hex("000000") + size + body;
}

ClientHello read(const std::string &datagram) { return read_client_hello(bytes_of(datagram)); }

const ExtensionTypes mbed_tls2 = {0, 13, 10, 11, 22, 23, 35};
const ExtensionTypes mbed_tls3 = {10, 13, 11, 22, 23, 35};

TEST(DtlsClientHello, IsReadFromTheFirstRecord) {
  const ClientHello found = read(record(hello(mbed_tls2)));
  EXPECT_TRUE(found.is_client_hello);
  EXPECT_EQ(found.record_number, 5U);
  std::string numbered = record(hello(mbed_tls2));
  numbered.replace(5, 6, hex("0102 03040506"));
  EXPECT_EQ(read(numbered).record_number, 0x010203040506U);
}

TEST(DtlsClientHello, MbedTlsExtensionsAreRecognized) {
  EXPECT_TRUE(read(record(hello(mbed_tls2))).is_from_mbed_tls);
  EXPECT_TRUE(read(record(hello(mbed_tls3))).is_from_mbed_tls);
  EXPECT_TRUE(read(record(hello({10, 13, 11, 22, 23}))).is_from_mbed_tls) << "without tickets";
  const std::vector<ExtensionTypes> others = {{},
                                              {0},
                                              {11, 10, 35, 22, 23, 13},         // OpenSSL
                                              {10, 13, 11, 22, 23, 14},         // with use_srtp
                                              {10, 13, 11, 22, 23, 35, 16},     // one more extension
                                              {0, 10, 13, 11, 22, 23, 35, 16},  // more extensions than possible
                                              {0, 0, 10, 13, 11, 22, 23},       // two server names
                                              {13, 10, 11, 22}};                // too few extensions
  for (const ExtensionTypes &kinds : others) {
    const ClientHello found = read(record(hello(kinds)));
    EXPECT_TRUE(found.is_client_hello);
    EXPECT_FALSE(found.is_from_mbed_tls) << testing::PrintToString(kinds);
  }
}

TEST(DtlsClientHello, OtherMessagesAreNotReadAsAFirstHello) {
  EXPECT_FALSE(read(record(hello(mbed_tls2, 1))).is_client_hello) << "the second message";
  EXPECT_FALSE(read(record(hello(mbed_tls2, 0, "cookie"))).is_client_hello);
  std::string server = hello(mbed_tls2);
  server[0] = '\2';
  EXPECT_FALSE(read(record(server)).is_client_hello);
  std::string alert = record(hello(mbed_tls2));
  alert[0] = '\x15';
  EXPECT_TRUE(is_dtls(bytes_of(alert)));
  EXPECT_FALSE(read(alert).is_client_hello);
  EXPECT_FALSE(is_dtls(bytes_of(hex("16 0303 0000 000000000000 0001 00")))) << "no version of DTLS";
  EXPECT_FALSE(is_dtls(bytes_of(hex("16 fefd 0000 000000000000 0002 00")))) << "longer than the datagram";
}

TEST(DtlsClientHello, TruncatedHelloIsNotRecognizedAsGodots) {
  const std::string whole = record(hello(mbed_tls2));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(bytes_of(whole).data, size, whole.size());
    EXPECT_FALSE(read_client_hello(cut).is_from_mbed_tls) << size;
    EXPECT_FALSE(read(whole.substr(0, size)).is_client_hello) << size;
  }
  // Inner lengths that exceed the record, or leave bytes over.
  for (const int change : {-1, 1}) {
    std::string wrong = hello(mbed_tls2);
    const std::size_t low_byte = 12 + 2 + 32 + 1 + 1 + 2 + 4 + 2 + 1;
    wrong.at(low_byte) = static_cast<char>(wrong.at(low_byte) + change);
    EXPECT_FALSE(read(record(wrong)).is_from_mbed_tls);
  }
}

TEST(DtlsClientHello, OnlyTheFirstRecordIsRead) {
  EXPECT_TRUE(read(record(hello(mbed_tls2)) + record("more")).is_from_mbed_tls);
}

// ---- records

std::string extension(int kind, const std::string &content) {
  return be16(static_cast<std::size_t>(kind)) + with_length(content);
}

std::string record(int kind, int epoch, const std::string &content) {
  return u8(kind) + hex("fefd") + be16(epoch) + std::string(6, '\1') + with_length(content);
}

std::string server_hello(int cipher, const std::string &extensions) {
  const std::string body = hex("fefd") + std::string(32, 'r') + u8(0) + be16(cipher) + u8(0) + with_length(extensions);
  return record(22, 0, u8(2) + std::string(11, '\0') + body);
}

TEST(DtlsDatagram, VersionAndCipherOfTheServerHelloAreRead) {
  const std::string hello = server_hello(0x1301, extension(23, "") + extension(43, hex("fefc")));
  const DtlsFirstRecord start = read_dtls_first_record(bytes_of(hello), false);
  EXPECT_EQ(start.kind, DtlsRecordKind::server_hello);
  EXPECT_TRUE(start.is_dtls_1_3);
  EXPECT_EQ(start.cipher_suite, 0x1301);
  EXPECT_FALSE(start.is_chacha20());
  for (const int cipher : {0x1303, 0xcca8, 0xcca9}) {
    const std::string other = server_hello(cipher, "");
    const DtlsFirstRecord read = read_dtls_first_record(bytes_of(other), false);
    EXPECT_FALSE(read.is_dtls_1_3);
    EXPECT_TRUE(read.is_chacha20()) << cipher;
  }
}

TEST(DtlsDatagram, RecordTypesAreDistinguished) {
  const auto kind = [](const std::string &datagram, bool may_be_unified = true) {
    return read_dtls_first_record(bytes_of(datagram), may_be_unified).kind;
  };
  EXPECT_EQ(kind(record(22, 0, u8(1) + std::string(20, 'x'))), DtlsRecordKind::client_hello);
  EXPECT_EQ(kind(record(22, 0, u8(11) + std::string(20, 'x'))), DtlsRecordKind::handshake);
  EXPECT_EQ(kind(record(22, 1, u8(1) + std::string(20, 'x'))), DtlsRecordKind::handshake) << "encrypted";
  EXPECT_EQ(kind(record(22, 0, u8(2))), DtlsRecordKind::handshake) << "cut";
  EXPECT_EQ(kind(record(21, 0, "ab")), DtlsRecordKind::handshake);
  EXPECT_EQ(kind(record(23, 1, "data")), DtlsRecordKind::data);
  EXPECT_EQ(kind(hex("2f0001")), DtlsRecordKind::data);
  EXPECT_EQ(kind(hex("2f0001"), false), DtlsRecordKind::none);
  EXPECT_EQ(kind(hex("00010000")), DtlsRecordKind::none);
  EXPECT_EQ(kind(""), DtlsRecordKind::none);
}

TEST(DtlsDatagram, HelloRetryRequestIsNoServerHello) {
  std::string retry = server_hello(0x1301, extension(43, hex("fefc")));
  retry.replace(27, 8, hex("cf21ad74e59a6111"));
  const DtlsFirstRecord start = read_dtls_first_record(bytes_of(retry), false);
  EXPECT_EQ(start.kind, DtlsRecordKind::handshake);
  EXPECT_FALSE(start.is_dtls_1_3);
}

TEST(DtlsDatagram, RangeOfAHandshakeFragmentIsRead) {
  const std::string fragment = record(22, 0,
                                      hex("01000102"
                                          "0003"
                                          "000040"
                                          "000005") +
                                          "abcde");
  const DtlsFirstRecord start = read_dtls_first_record(bytes_of(fragment), false);
  EXPECT_EQ(start.message_size, 0x102U);
  EXPECT_EQ(start.message_number, 3U);
  EXPECT_EQ(start.fragment_offset, 0x40U);
  EXPECT_EQ(start.fragment_size, 5U);
}

TEST(DtlsDatagram, ChangeCipherSpecIsFoundInAnyRecord) {
  const std::string change = record(20, 0, u8(1));
  const std::string key_exchange = record(22, 0, u8(16) + std::string(20, 'x'));
  const auto changes = [](const std::string &datagram) {
    return read_dtls_first_record(bytes_of(datagram), false).has_change_cipher_spec;
  };
  EXPECT_EQ(read_dtls_first_record(bytes_of(key_exchange + change), false).kind, DtlsRecordKind::handshake);
  EXPECT_TRUE(changes(key_exchange + change));
  EXPECT_TRUE(changes(change + record(22, 1, "encrypted")));
  EXPECT_FALSE(changes(key_exchange));
  EXPECT_FALSE(changes(record(22, 0, u8(16) + change))) << "within a record";
}

// ---- undecrypted data

constexpr std::uint32_t data_frame = 100;  // of the first packet with data

EncryptedFlow flow_of(EncryptedKind kind) {
  EncryptedFlow flow{};
  flow.kind = kind;
  return flow;
}

// Adds undecrypted packets until one of them is the report. @returns their number; 0: no report
unsigned packets_until_report(EncryptedFlow flow, unsigned sender = 0) {
  for (unsigned i = 0; i < 50; ++i) {
    flow.add_data_packet(data_frame + i, sender, false, true);
    if (flow.is_reported_by(data_frame + i, sender)) return i + 1;
    EXPECT_EQ(flow.report_frame, 0U);
  }
  return 0;
}

TEST(EncryptedFlow, IsReportedAtThePacketThresholdOfItsKind) {
  const std::vector<std::pair<EncryptedKind, unsigned>> thresholds = {
      {EncryptedKind::other_tls, 2},  {EncryptedKind::godot_tls, 2},   {EncryptedKind::relay_tls, 12},
      {EncryptedKind::other_dtls, 1}, {EncryptedKind::enet, 1},        {EncryptedKind::godot_dtls, 1},
      {EncryptedKind::webrtc, 1},     {EncryptedKind::other_webrtc, 1}};
  EXPECT_EQ(thresholds.size(), static_cast<std::size_t>(EncryptedKind::count));
  for (const auto &[kind, packets] : thresholds) {
    EXPECT_EQ(packets_until_report(flow_of(kind)), packets) << static_cast<int>(kind);
  }
  EncryptedFlow dtls_1_3 = flow_of(EncryptedKind::webrtc);
  dtls_1_3.is_dtls_1_3 = true;
  EXPECT_EQ(packets_until_report(dtls_1_3), 12U) << "the end of the handshake looks like data";
}

TEST(EncryptedFlow, IsReportedOnce) {
  EncryptedFlow flow = flow_of(EncryptedKind::webrtc);
  flow.add_data_packet(100, 0, false, true);
  flow.add_data_packet(101, 1, false, true);
  EXPECT_TRUE(flow.is_reported_by(100, 0));
  EXPECT_FALSE(flow.is_reported_by(101, 1));
  EXPECT_EQ(flow.report_frame, 100U);
}

TEST(EncryptedFlow, OnlyTheClientsTlsDataCounts) {
  EncryptedFlow flow = flow_of(EncryptedKind::godot_tls);
  flow.add(TlsRecordKind::client_hello, 4, 1);
  EXPECT_EQ(packets_until_report(flow, 0), 0U) << "the server's data may be its handshake";
  EXPECT_EQ(packets_until_report(flow, 1), 2U);
}

void change_cipher(EncryptedFlow &flow, unsigned sender) {
  DtlsFirstRecord start;
  start.kind = DtlsRecordKind::handshake;
  start.has_change_cipher_spec = true;
  flow.add(start, 9, sender);
}

TEST(EncryptedFlow, IsNotReportedIfDataIsDecrypted) {
  EncryptedFlow flow = flow_of(EncryptedKind::webrtc);
  change_cipher(flow, 0);
  change_cipher(flow, 1);
  flow.add_data_packet(20, 0, true, true);
  EXPECT_TRUE(flow.is_decrypted_or_reported());
  EXPECT_EQ(packets_until_report(flow, 0), 0U);
  EXPECT_EQ(packets_until_report(flow, 1), 0U);
  EncryptedFlow cut = flow_of(EncryptedKind::webrtc);
  change_cipher(cut, 0);
  cut.add_data_packet(20, 0, true, true);
  EXPECT_EQ(packets_until_report(cut, 0), 0U);
  EXPECT_EQ(packets_until_report(cut, 1), 1U) << "its ChangeCipherSpec is missing";
  EncryptedFlow tls = flow_of(EncryptedKind::godot_tls);
  tls.add_data_packet(20, 0, true, true);
  EXPECT_EQ(packets_until_report(tls, 1), 0U);
  tls.gap_frame = 19;
  EXPECT_EQ(packets_until_report(tls, 1), 2U) << "a part of the stream is missing";
}

TEST(EncryptedFlow, ReportIsWithdrawnIfTheDataIsDecryptedLater) {
  EncryptedFlow flow = flow_of(EncryptedKind::webrtc);
  change_cipher(flow, 0);
  change_cipher(flow, 1);
  flow.add_data_packet(20, 0, false, true);
  EXPECT_TRUE(flow.is_reported_by(20, 0));
  flow.add_data_packet(21, 1, true, true);
  EXPECT_FALSE(flow.is_reported_by(20, 0));
}

// ---- reasons

DtlsFirstRecord hello_fragment(std::uint32_t offset, std::uint32_t size, std::uint16_t number = 0) {
  DtlsFirstRecord start;
  start.kind = DtlsRecordKind::client_hello;
  start.message_number = number;
  start.message_size = 100;
  start.fragment_offset = offset;
  start.fragment_size = size;
  return start;
}

DtlsFirstRecord server_hello_with(std::uint16_t cipher, bool is_dtls_1_3 = false) {
  DtlsFirstRecord start;
  start.kind = DtlsRecordKind::server_hello;
  start.cipher_suite = cipher;
  start.is_dtls_1_3 = is_dtls_1_3;
  return start;
}

constexpr std::uint16_t aes = 0x1301;
constexpr std::uint16_t chacha20 = 0xcca9;

// Adds packets from frame 10 on. The client is sender 1.
EncryptedFlow handshake_of(const std::vector<DtlsFirstRecord> &packets) {
  EncryptedFlow flow = flow_of(EncryptedKind::webrtc);
  std::uint32_t frame = 10;
  for (const DtlsFirstRecord &start : packets)
    flow.add(start, frame++, start.kind == DtlsRecordKind::client_hello ? 1 : 0);
  return flow;
}

using ReasonAndFrame = std::pair<UndecryptedReason, std::uint32_t>;

ReasonAndFrame reason_of(EncryptedFlow flow, bool supports_dtls_1_3 = true) {
  for (unsigned i = 0; flow.report_frame == 0 && i < 50; ++i)
    flow.add_data_packet(data_frame, flow.client_side, false, supports_dtls_1_3);
  EXPECT_NE(flow.report_frame, 0U);
  return {flow.reason, flow.reason_frame};
}

TEST(UndecryptedReason, NamesTheMissingPartOfADtlsHandshake) {
  EXPECT_EQ(reason_of(handshake_of({})), ReasonAndFrame(UndecryptedReason::no_handshake, 0));
  EXPECT_EQ(reason_of(handshake_of({server_hello_with(aes)})), ReasonAndFrame(UndecryptedReason::no_client_hello, 10));
  EncryptedFlow end = handshake_of({});
  change_cipher(end, 0);
  EXPECT_EQ(reason_of(end), ReasonAndFrame(UndecryptedReason::no_client_hello, 9));
  EXPECT_EQ(reason_of(handshake_of({hello_fragment(0, 99), server_hello_with(aes)})),
            ReasonAndFrame(UndecryptedReason::client_hello_incomplete, 10));
  EXPECT_EQ(reason_of(handshake_of({hello_fragment(60, 40), hello_fragment(0, 60), server_hello_with(aes)})),
            ReasonAndFrame(UndecryptedReason::client_hello_reordered, 10));
  EXPECT_EQ(reason_of(handshake_of({hello_fragment(0, 100)})), ReasonAndFrame(UndecryptedReason::no_server_hello, 10));
  EncryptedFlow flow = handshake_of({hello_fragment(0, 60), hello_fragment(60, 40), server_hello_with(aes)});
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_change_cipher_spec, 10));
  change_cipher(flow, 1);
  change_cipher(flow, 1);
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_change_cipher_spec, 10)) << "of the other end";
  change_cipher(flow, 0);
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_keys, 10));
}

TEST(UndecryptedReason, UnsupportedCipherOrVersionPrecedesMissingParts) {
  EXPECT_EQ(reason_of(handshake_of({hello_fragment(0, 99), server_hello_with(chacha20)})),
            ReasonAndFrame(UndecryptedReason::unsupported_cipher, 10));
  const EncryptedFlow newer = handshake_of({hello_fragment(0, 99), server_hello_with(aes, true)});
  EXPECT_EQ(reason_of(newer, false), ReasonAndFrame(UndecryptedReason::unsupported_version, 10));
  EXPECT_EQ(reason_of(newer, true), ReasonAndFrame(UndecryptedReason::client_hello_incomplete, 10));
  EXPECT_EQ(reason_of(handshake_of({hello_fragment(0, 100), server_hello_with(aes, true)})),
            ReasonAndFrame(UndecryptedReason::no_keys, 10))
      << "DTLS 1.3 needs no ChangeCipherSpec";
}

// A client repeats its hello with a cookie, which is another message.
TEST(UndecryptedReason, OnlyTheNewestClientHelloMustBeComplete) {
  const EncryptedFlow flow = handshake_of({hello_fragment(0, 60), hello_fragment(70, 30), hello_fragment(0, 60, 1),
                                           hello_fragment(60, 40, 1), server_hello_with(aes, true)});
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_keys, 10));
}

TEST(UndecryptedReason, NamesTheMissingPartOfTls) {
  EncryptedFlow flow = flow_of(EncryptedKind::relay_tls);
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_handshake, 0));
  EncryptedFlow cut = flow;
  cut.add(TlsRecordKind::server_hello, 6, 0);
  EXPECT_EQ(reason_of(cut), ReasonAndFrame(UndecryptedReason::no_client_hello, 6));
  flow.add(TlsRecordKind::client_hello, 5, 1);
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_server_hello, 5));
  flow.add(TlsRecordKind::server_hello, 6, 0);
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::no_keys, 5));
  flow.gap_frame = 7;
  EXPECT_EQ(reason_of(flow), ReasonAndFrame(UndecryptedReason::capture_gap, 7));
}

}  // namespace
}  // namespace godot_codec::test
