// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger of other engine releases in tshark. Handmade messages are marked as such.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "pcap.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

fs::path capture_named(const std::string &name) { return fs::path(GODOT_CAPTURES_DIR) / (name + ".pcapng"); }

// ---- Godot 3.1, recorded

TEST(DebuggerOfGodot31, OutputTextsWithoutKindsAreDecoded) {
  const Rows rows = read_fields(capture_named("debug_godot3.1"), {"-Y", "godot_debug.message == \"output\""},
                                {"frame.number", "_ws.col.Info", "godot_debug.label"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][1], "Output: hello from 3.1 | second 42");
  EXPECT_EQ(rows[0][2], "text\x1ftext");
}

TEST(DebuggerOfGodot31, EveryMessageIsDecoded) {
  EXPECT_EQ(read_fields(capture_named("debug_godot3.1"),
                        {"-Y", "godot_debug.malformed or godot_debug.unsupported or godot_debug.undecoded or data"},
                        {"frame.number"}),
            Rows{});
  Texts own;
  for (const Texts &row :
       read_fields(capture_named("debug_godot3.1"), {"-Y", "godot_debug.message == \"error\""}, {"_ws.col.Info"})) {
    if (row[0].ends_with("of its own")) own.push_back(row[0]);
  }
  EXPECT_EQ(own, (Texts{"Error at res://main.gd:4 in _ready(): an error of its own",
                        "Warning at res://main.gd:4 in _ready(): a warning of its own"}));
}

// ---- release detection from the differences between releases

Texts releases_of(const std::string &capture, const std::string &filter) {
  Texts releases;
  for (const Texts &row : read_fields(capture_named(capture), {"-2", "-Y", filter}, {"godot.release"})) {
    for (const std::string &each : split(row[0], between_occurrences)) {
      if (std::ranges::find(releases, each) == releases.end()) releases.push_back(each);
    }
  }
  return releases;
}

TEST(EngineRelease, RangeOfReleasesIsAsNarrowAsTheEvidence) {
  EXPECT_EQ(releases_of("udp_alike_godot3.0", "godot"), Texts{"3.0"});
  EXPECT_EQ(releases_of("udp_paths_godot4.3", "godot"), Texts{"4.0 to 4.5"});
  // One side sends evidence of its release, the other does not.
  EXPECT_EQ(releases_of("mp_enet0_godot3.1", "godot_mp && udp.srcport == 9890"), Texts{"3.0 or 3.1"});
  EXPECT_EQ(releases_of("mp_enet0_godot3.1", "godot_mp && udp.dstport == 9890 && enet.stream == 1"), Texts{"3.1"});
  EXPECT_EQ(releases_of("debug_godot3.1", "godot_debug.message == \"output\""), Texts{"3.0 or 3.1"});
  EXPECT_EQ(releases_of("mp_enet1_godot4.2", "godot_mp && udp.dstport == 9895"), Texts{"4.0 to 4.2"});
  EXPECT_EQ(releases_of("mp_enet1_godot4.2", "godot_mp && udp.srcport == 9895"), Texts{"4.1 or 4.2"});
  EXPECT_EQ(releases_of("mp_rpc_godot3.6", "godot_mp && udp.srcport == 5030 && enet.channel > 0"), Texts{"3.2+"});
  EXPECT_EQ(releases_of("typed_godot4.6", "godot && udp.dstport == 5008"), Texts{"4.4 to 4.6"});
}

TEST(EngineRelease, EvidenceFieldNamesTheFrames) {
  const Rows rows =
      read_fields(capture_named("udp_alike_godot3.0"), {"-2", "-Y", "godot", "-c", "1"}, {"godot.release.evidence"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NE(rows[0][0].find("old bytes in a text's padding (frame "), std::string::npos) << rows[0][0];
  EXPECT_NE(rows[0][0].find("a small int in 64 bits (frame "), std::string::npos) << rows[0][0];
}

// ---- Godot 4, handmade: which numbers of a frame are custom monitors

std::string list(std::uint32_t count, const std::string &elements) { return u32(28) + u32(count) + elements; }
std::string message(const std::string &name, std::uint32_t count, const std::string &arguments) {
  return in_stream(list(3, string(name) + integer(1) + list(count, arguments)));
}
std::string performance_message(std::uint32_t numbers) {
  std::string arguments;
  for (std::uint32_t i = 0; i < numbers; ++i) arguments += u32(3) + u32(0);
  return message("performance:profile_frame", numbers, arguments);
}

Texts labels_of_messages(const Texts &messages, const Texts &options) {
  TcpConversation conversation({50001, 6007});
  conversation.shake_hands();
  for (const std::string &bytes : messages) conversation.send(bytes, 65000);
  Texts labels;
  const Texts filter = {"-Y", "godot_debug.message == \"performance:profile_frame\""};
  for (const Texts &row : read_fields(saved(conversation.pcap()), filter + options, {"godot_debug.label"})) {
    labels.push_back(row[0]);
  }
  return labels;
}

std::size_t count_of(const std::string &labels, const std::string &wanted) {
  std::size_t count = 0;
  for (const std::string &label : split(labels, between_occurrences)) count += label == wanted ? 1 : 0;
  return count;
}

TEST(CustomMonitors, ProfileNamesMessageIdentifiesCustomMonitors) {
  const Texts messages = {performance_message(59),
                          message("performance:profile_names", 20,
                                  [] {
                                    std::string names;
                                    for (int i = 0; i < 20; ++i) names += string("game/" + std::to_string(i));
                                    return names;
                                  }()),
                          performance_message(59),
                          message("performance:profile_names", 2, list(1, string("own")) + u32(30) + u32(0)),
                          performance_message(60)};
  for (const Texts &options : {Texts{}, Texts{"-2"}}) {
    const Texts labels = labels_of_messages(messages, options);
    ASSERT_EQ(labels.size(), 3U);
    EXPECT_EQ(count_of(labels[0], "custom monitor"), 0U) << "nothing has said so yet";
    EXPECT_EQ(count_of(labels[0], "3D navigation obstacles"), 1U);
    EXPECT_EQ(count_of(labels[1], "custom monitor"), 20U);
    EXPECT_EQ(count_of(labels[1], "specialized pipelines"), 1U);
    EXPECT_EQ(count_of(labels[1], "2D navigation maps"), 0U);
    EXPECT_EQ(count_of(labels[2], "custom monitor"), 1U);
    EXPECT_EQ(count_of(labels[2], "3D navigation obstacles"), 1U);
  }
}

// ---- X11

// tshark without the plugin shows the same.
TEST(X11OnDebuggerPorts, RecordedCapturesAreDissectedAsX11) {
  const fs::path captures = fs::path(GODOT_CAPTURES_DIR) / "other";
  const auto protocols = [&](const char *name, const Texts &options) {
    Texts rows;
    for (const Texts &row : read_fields(captures / name, options, {"frame.protocols"})) rows.push_back(row[0]);
    return rows;
  };
  for (const Texts &options : {Texts{}, Texts{"-2"}}) {
    // Port 6007 is also the debugger's; port 6001 is only X11's.
    EXPECT_EQ(protocols("x11.pcapng", options), protocols("x11.pcapng", options + Texts{"-d", "tcp.port==6007,x11"}));
    for (const char *const name : {"x11.pcapng", "x11_display1.pcapng"}) {
      for (const std::string &row : protocols(name, options)) EXPECT_EQ(row.find("godot"), std::string::npos) << row;
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
