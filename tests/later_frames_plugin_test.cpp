// SPDX-License-Identifier: GPL-2.0-or-later
// Fields that depend on later frames. In one pass, for example with a display filter that is set while a capture is
// loaded, some of them are missing; their descriptions say so.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

struct LaterField {
  const char *name;
  const char *capture;
};

std::ostream &operator<<(std::ostream &stream, const LaterField &field) { return stream << field.name; }

std::size_t count_occurrences(const std::filesystem::path &path, const Texts &options, const char *name) {
  std::size_t count = 0;
  for (const Texts &row : read_fields(path, options, {name})) count += occurrences(row[0]).size();
  return count;
}

class FieldsFromLaterFrames : public testing::TestWithParam<LaterField> {};

TEST_P(FieldsFromLaterFrames, DescriptionsMentionTheSecondPass) {
  const auto [name, file] = GetParam();
  const std::filesystem::path tests = GODOT_TESTS_DIR;
  const std::filesystem::path inside = capture(file);
  const std::filesystem::path path =
      std::filesystem::exists(inside) ? inside : tests / "data" / (std::string(file) + ".pcapng");
  const std::size_t once = count_occurrences(path, {"-Y", name}, name);
  const std::size_t twice = count_occurrences(path, {"-2", "-Y", name}, name);
  EXPECT_LT(once, twice) << "told at once by now?";
  bool is_described = false;
  for (const std::string &line : lines_of(read_file(tests.parent_path() / "doc" / "fields.md"))) {
    if (!line.starts_with("| `" + std::string(name) + "` ")) continue;
    is_described = true;
    EXPECT_NE(line.find("(two-pass"), std::string::npos) << line;
  }
  EXPECT_TRUE(is_described);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, FieldsFromLaterFrames,
    testing::Values(LaterField{"enet.acked_in", "trouble_godot4.6"}, LaterField{"enet.acked_after", "trouble_godot4.6"},
                    LaterField{"enet.head_of_line_delay", "trouble_godot4.6"},
                    LaterField{"enet.end", "trouble_godot4.6"}, LaterField{"enet.longest_silence", "trouble_godot4.6"},
                    LaterField{"enet.reassembled.in", "mp_rpc_godot4.6"},
                    LaterField{"enet.after_peer_gone", "client_killed"}, LaterField{"enet.peer_gone", "client_killed"},
                    LaterField{"enet.unanswered_connect", "connect_godot4.6_godot3.6"},
                    LaterField{"godot_mp.unconfirmed_path", "trouble_godot4.6"},
                    LaterField{"godot_mp.authentication", "mp_auth_godot4.6"},
                    LaterField{"godot_mp.checksum_failed", "mp_auth_godot4.6"},
                    LaterField{"godot.release.evidence", "own_bytes_godot4.6"},
                    LaterField{"godot_mp.unsynchronized", "half_hidden"},
                    LaterField{"godot.length.big_endian.unanswered", "big_endian_godot4.6"}));

}  // namespace
}  // namespace godot_codec::test
