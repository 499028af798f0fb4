// SPDX-License-Identifier: GPL-2.0-or-later
// Variants inside TLS and DTLS, one or two messages: OpenSSL sent these bytes, and the captures in data/ contain the
// keys.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tshark.h"

namespace godot_codec::test {
namespace {

Rows read(const std::string &name, const std::string &preference) {
  return read_fields(std::string(GODOT_TESTS_DIR) + "/data/" + name, {"-o", preference, "-Y", "godot"},
                     {"frame.number", "godot.length", "godot.path_with_value", "godot.int"});
}

TEST(Tls, StreamPacketsAreDecoded) {
  const std::string both_lengths = std::string("36") + between_occurrences + "8";
  EXPECT_EQ(read("tls.pcapng", "godot.tls.port:5555"), (Rows{{"9", both_lengths, "/cmd:hello", "7"}}));
}

TEST(Tls, PacketsAreDetectedWithoutThePort) {
  EXPECT_EQ(read("tls.pcapng", "godot.tls.port:"), read("tls.pcapng", "godot.tls.port:5555"));
}

TEST(Dtls, DatagramIsDecodedAsAPacket) {
  EXPECT_EQ(read("dtls.pcapng", "godot.dtls.port:5556"), (Rows{{"13", "", "/cmd:hello", ""}}));
}

}  // namespace
}  // namespace godot_codec::test
