// SPDX-License-Identifier: GPL-2.0-or-later
// Reports that appear only once: old bytes in the padding of some engines, and ports that are named for the wrong
// dissector.
#include <gtest/gtest.h>

#include <string>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

// Returns the frames that have a field.
Texts frames_with(const char *field, const std::filesystem::path &capture, const Texts &options) {
  Texts found;
  for (const Texts &row : read_fields(capture, options + Texts{"-Y", field}, {"frame.number"})) found.push_back(row[0]);
  return found;
}

// ---- padding

TEST(NonzeroPadding, IsReportedOncePerConversation) {
  const std::string dirty = dictionary({{u32(4) + text("a", '\1'), integer(7)}});
  const std::string clean = dictionary({{string("a"), integer(7)}});
  Pcap pcap;
  for (const std::uint16_t port : {50001, 50002}) {
    for (const std::string &packet : {clean, dirty, dirty, dirty}) pcap.frames.push_back(udp({port, 5009}, packet));
  }
  const std::filesystem::path capture = saved(pcap);
  const Texts port = {"-o", "godot.udp.port:5009"};
  EXPECT_EQ(frames_with("godot.padding_nonzero", capture, port), (Texts{"2", "6"}));
  EXPECT_EQ(frames_with("godot.padding_nonzero", capture, port + Texts{"-2"}), (Texts{"2", "6"}));
  EXPECT_EQ(frames_with("godot.padding", capture, port), (Texts{"1", "2", "3", "4", "5", "6", "7", "8"}));
}

// ---- ports

std::filesystem::path three_values() {
  TcpConversation tcp({50001, 5005});
  tcp.shake_hands();
  for (int i = 0; i < 3; ++i)
    tcp.send(in_stream(dictionary({{string("cmd"), string("move")}, {string("id"), integer(i)}})));
  return saved(tcp.pcap());
}

TEST(ConfiguredPort, VariantsOnTheDebuggerPortAreReportedOnce) {
  const std::filesystem::path capture = three_values();
  const Texts port = {"-o", "godot_debug.tcp.port:5005"};
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(frames_with("godot.on_debug_port", capture, port + passes), Texts{"4"});
    EXPECT_EQ(frames_with("godot.on_debug_port", capture, passes), Texts{});
  }
  const std::string details = tshark(capture, port + Texts{"-V", "-Y", "frame.number == 4"});
  EXPECT_NE(details.find("The Variants are not decoded, because their port is set for the remote debugger"),
            std::string::npos)
      << details;
}

}  // namespace
}  // namespace godot_codec::test
