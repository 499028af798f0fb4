// SPDX-License-Identifier: MIT
// Recognizes DTLS clients of Godot by their first message, handmade according to RFC 6347 and RFC 5246.
#include "godot-codec/enet/dtls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "wire.h"

namespace godot_codec::test {
namespace {

using Kinds = std::vector<int>;

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

std::string be16(std::size_t value) { return big_endian(static_cast<std::uint16_t>(value)); }

std::string counted(const std::string &text) { return be16(text.size()) + text; }

// Each extension has two bytes of content.
std::string extensions(const Kinds &kinds) {
  std::string all;
  for (const int kind : kinds) all += be16(static_cast<std::size_t>(kind)) + counted("ab");
  return counted(all);
}

std::string record(const std::string &body, char number = 5) {
  return hex("16 fefd 0000 0000000000") + number + counted(body);
}

std::string hello(const Kinds &kinds, int message_number = 0, const std::string &cookie = {}) {
  const std::string body = hex("fefd") + std::string(32, 'r') + '\0' + static_cast<char>(cookie.size()) + cookie +
                           counted(hex("c030 00ff")) + hex("01 00") + extensions(kinds);
  const std::string size = '\0' + be16(body.size());
  return '\1' + size + be16(static_cast<std::size_t>(message_number)) + hex("000000") + size + body;
}

ClientHello read(const std::string &datagram) { return read_client_hello(bytes_of(datagram)); }

const Kinds mbed_tls2 = {0, 13, 10, 11, 22, 23, 35};
const Kinds mbed_tls3 = {10, 13, 11, 22, 23, 35};

TEST(ClientHello, IsReadFromTheFirstRecord) {
  const ClientHello found = read(record(hello(mbed_tls2)));
  EXPECT_TRUE(found.is_hello);
  EXPECT_EQ(found.number, 5U);
  std::string numbered = record(hello(mbed_tls2));
  numbered.replace(5, 6, hex("0102 03040506"));
  EXPECT_EQ(read(numbered).number, 0x010203040506U);
}

TEST(ClientHello, MbedTlsExtensionsAreRecognized) {
  EXPECT_TRUE(read(record(hello(mbed_tls2))).is_like_godots);
  EXPECT_TRUE(read(record(hello(mbed_tls3))).is_like_godots);
  EXPECT_TRUE(read(record(hello({10, 13, 11, 22, 23}))).is_like_godots) << "without tickets";
  const std::vector<Kinds> others = {{},
                                     {0},
                                     {11, 10, 35, 22, 23, 13},         // OpenSSL
                                     {10, 13, 11, 22, 23, 14},         // with use_srtp
                                     {10, 13, 11, 22, 23, 35, 16},     // one more extension
                                     {0, 10, 13, 11, 22, 23, 35, 16},  // more extensions than possible
                                     {0, 0, 10, 13, 11, 22, 23},       // two server names
                                     {13, 10, 11, 22}};                // too few extensions
  for (const Kinds &kinds : others) {
    const ClientHello found = read(record(hello(kinds)));
    EXPECT_TRUE(found.is_hello);
    EXPECT_FALSE(found.is_like_godots) << testing::PrintToString(kinds);
  }
}

TEST(ClientHello, OtherMessagesAreNoFirstHello) {
  EXPECT_FALSE(read(record(hello(mbed_tls2, 1))).is_hello) << "the second message";
  EXPECT_FALSE(read(record(hello(mbed_tls2, 0, "cookie"))).is_hello);
  std::string server = hello(mbed_tls2);
  server[0] = '\2';
  EXPECT_FALSE(read(record(server)).is_hello);
  std::string alert = record(hello(mbed_tls2));
  alert[0] = '\x15';
  EXPECT_TRUE(is_dtls(bytes_of(alert)));
  EXPECT_FALSE(read(alert).is_hello);
  EXPECT_FALSE(is_dtls(bytes_of(hex("16 0303 0000 000000000000 0001 00")))) << "no version of DTLS";
  EXPECT_FALSE(is_dtls(bytes_of(hex("16 fefd 0000 000000000000 0002 00")))) << "longer than the datagram";
}

TEST(ClientHello, TruncatedPacketsAreNotClaimed) {
  const std::string whole = record(hello(mbed_tls2));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(bytes_of(whole).data, size, whole.size());
    EXPECT_FALSE(read_client_hello(cut).is_like_godots) << size;
    EXPECT_FALSE(read(whole.substr(0, size)).is_hello) << size;
  }
  // Inner lengths that exceed the record, or leave bytes over.
  for (const int change : {-1, 1}) {
    std::string wrong = hello(mbed_tls2);
    const std::size_t low_byte = 12 + 2 + 32 + 1 + 1 + 2 + 4 + 2 + 1;
    wrong.at(low_byte) = static_cast<char>(wrong.at(low_byte) + change);
    EXPECT_FALSE(read(record(wrong)).is_like_godots);
  }
}

TEST(ClientHello, OnlyTheFirstRecordIsRead) {
  EXPECT_TRUE(read(record(hello(mbed_tls2)) + record("more")).is_like_godots);
}

}  // namespace
}  // namespace godot_codec::test
