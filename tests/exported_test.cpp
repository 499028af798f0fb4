// SPDX-License-Identifier: MIT
// Exported games: tests/projects/arena as exported by Godot 4.6.3, intact and damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "godot-codec/project/decompressor.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/project.h"
#include "wire.h"

namespace godot_codec::project::test {
namespace {

using godot_codec::test::hex;
using godot_codec::test::u16;
using godot_codec::test::u32;
using godot_codec::test::u64;
namespace fs = std::filesystem;

const fs::path projects = fs::path(GODOT_TESTS_DIR) / "projects";

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string list_of(std::span<const Property> properties) {
  std::string text;
  for (const Property &property : properties) text += " " + std::string(property.label);
  return text;
}

// Describes everything that is used for captures; for methods also the line.
std::string describe_project(const Project &project) {
  std::string text =
      std::string(project.facts().name) + " begins with " + std::string(project.facts().main_scene) + "\n";
  for (const Autoload &autoload : project.autoloads()) text += std::string(autoload.path) + "\n";
  for (const Script &script : project.scripts()) {
    text += std::string(script.path) + " " + std::string(script.class_name) + "\n";
    for (const RpcList &list : script.lists) {
      text += std::string(list.md5) + "\n";
      for (const RpcMethod &method : list.methods) {
        text += std::to_string(method.id) + " " + std::string(method.name) + " " +
                std::to_string(static_cast<int>(method.config.mode)) + " " + std::to_string(method.config.channel) +
                " line " + std::to_string(method.line) + "\n";
      }
    }
    for (const Variable &variable : script.variables) text += "var " + std::string(variable.name) + "\n";
  }
  for (const Scene &scene : project.scenes()) {
    text += std::string(scene.path) + "\n";
    for (const Node &node : scene.nodes) {
      text += std::string(node.path) + " " + std::string(node.type) + " " + std::string(node.script_path) + " " +
              std::string(node.instance) + "\n";
    }
    for (const Synchronizer &each : scene.synchronizers) {
      text += std::string(each.node) + " of " + std::string(each.root) + ":" + list_of(each.spawn) + ";" +
              list_of(each.always) + ";" + list_of(each.on_change) + "\n";
    }
    for (const Spawner &each : scene.spawners) {
      text += std::string(each.node) + " under " + std::string(each.root);
      for (const std::string_view path : each.scenes) text += " " + std::string(path);
      text += "\n";
    }
  }
  return text;
}

std::string describe_project(const fs::path &path) {
  Project project;
  EXPECT_TRUE(project.read(path.string(), {}, &library_decompressor)) << project.message();
  EXPECT_TRUE(project.notes().empty());
  return describe_project(project);
}

// Reads an exported game from a file.
bool read_export(Project &project, const std::string &bytes, const Limits &limits = {},
                 const Decompressor *decompressor = &library_decompressor) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path file = fs::path(testing::TempDir()) / ("export_" + test + ".pck");
  std::ofstream(file, std::ios::binary) << bytes;
  const bool is_read = project.read(file.string(), limits, decompressor);
  fs::remove(file);
  return is_read;
}

std::string describe_export(const std::string &bytes) {
  Project project;
  EXPECT_TRUE(read_export(project, bytes)) << project.message();
  return describe_project(project);
}

// Returns the message about an export that cannot be read, without the path of the file.
std::string export_error(const std::string &bytes) {
  Project project;
  EXPECT_FALSE(read_export(project, bytes));
  const std::string_view end = ".pck ";
  return std::string(project.message().substr(project.message().find(end) + end.size()));
}

const std::string &arena_description() {
  static const std::string text = describe_project(projects / "arena");
  return text;
}

// ---- exports of the engine

class EveryProjectExport : public testing::TestWithParam<const char *> {};

TEST_P(EveryProjectExport, IsReadLikeTheFolder) {
  EXPECT_GT(arena_description().size(), 1500U);
  EXPECT_EQ(describe_project(projects / GetParam()), arena_description());
}

INSTANTIATE_TEST_SUITE_P(exports, EveryProjectExport,
                         testing::Values("arena.pck", "arena_uncompressed.pck", "arena.zip"), [](const auto &info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(ProjectExport, PackEmbeddedInAnExecutableIsRead) {
  const std::string pack = read_file(projects / "arena.pck");
  const std::string code =
      "\x7f"
      "ELF" +
      std::string(5000, 'x') + "GDPC" + std::string(70, '\0');
  const std::string program = code + pack + u64(pack.size()) + "GDPC";
  EXPECT_EQ(describe_export(program), arena_description());
  EXPECT_EQ(describe_export(program + std::string(3000, 's')), arena_description()) << "a signature stands behind it";
  EXPECT_EQ(describe_export(std::string(1'048'576 - 2, 'x') + pack), arena_description())
      << "over the edge of what is read at once";
}

// Builds a zip file with the layout of APPNOTE.TXT, without compression.
std::string zip(const std::vector<std::pair<std::string, std::string>> &files) {
  std::string bytes;
  std::string list;
  for (const auto &[name, content] : files) {
    const auto size = static_cast<std::uint32_t>(content.size());
    const std::string common = u16(0) + u16(0) + u32(0) + u32(0) + u32(size) + u32(size) +
                               u16(static_cast<std::uint16_t>(name.size())) + u16(0);
    list += "PK\1\2" + u16(20) + u16(20) + common + u16(0) + u16(0) + u16(0) + u32(0) +
            u32(static_cast<std::uint32_t>(bytes.size())) + name;
    bytes += "PK\3\4" + u16(20) + common + name + content;
  }
  const auto count = static_cast<std::uint16_t>(files.size());
  return bytes + list + "PK\5\6" + u16(0) + u16(0) + u16(count) + u16(count) +
         u32(static_cast<std::uint32_t>(list.size())) + u32(static_cast<std::uint32_t>(bytes.size())) + u16(0);
}

// Builds a project.binary that contains only `config/name`.
std::string project_binary(const std::string &name) {
  const std::string key = "application/config/name";
  const std::string padded = name + std::string((4 - name.size() % 4) % 4, '\0');
  const std::string value = u32(4) + u32(static_cast<std::uint32_t>(name.size())) + padded;
  return "ECFG" + u32(1) + u32(static_cast<std::uint32_t>(key.size())) + key +
         u32(static_cast<std::uint32_t>(value.size())) + value;
}

TEST(ProjectExport, AndroidExportIsReadFromTheAssetsFolder) {
  Project project;
  ASSERT_TRUE(read_export(project, zip({{"classes.dex", "x"},
                                        {"assets/project.binary", project_binary("Droid")},
                                        {"assets/a.gd", "@rpc func hit(): pass"},
                                        {"library/b.gd", "@rpc func other(): pass"}})));
  EXPECT_EQ(project.facts().name, "Droid");
  ASSERT_EQ(project.scripts().size(), 1U);
  EXPECT_EQ(project.scripts()[0].path, "res://a.gd");
  EXPECT_EQ(project.scripts()[0].lists[0].methods[0].name, "hit");
}

TEST(ProjectExport, FilesOverTheLimitAreNotRead) {
  for (const char *const name : {"arena_uncompressed.pck", "arena.zip"}) {
    const auto scripts_of = [&, bytes = read_file(projects / name)](std::size_t most) {
      Limits limits;
      limits.max_entries = most;
      Project project;
      read_export(project, bytes, limits);
      return project.scripts().size();
    };
    const std::size_t all = scripts_of(10'000);
    EXPECT_GT(all, 3U);
    EXPECT_LE(scripts_of(2), 2U) << name;
  }
}

TEST(ProjectExport, EncryptedFilesAreReported) {
  std::string pack = read_file(projects / "arena.pck");
  const std::size_t entry = pack.rfind("world/world.gdc");
  ASSERT_NE(entry, std::string::npos);
  pack[entry + 16 + 8 + 8 + 16] = 1;  // the flags after the padded path, offset, size and MD5
  Project project;
  ASSERT_TRUE(read_export(project, pack));
  ASSERT_EQ(project.notes().size(), 1U);
  EXPECT_EQ(project.notes()[0], "res://world/world.gd: not read, it is encrypted");
  EXPECT_EQ(project.find_script("res://world/world.gd"), nullptr);
  EXPECT_NE(project.find_script("res://chat.gd"), nullptr);
  pack[20] = 3;
  EXPECT_EQ(export_error(pack), "is encrypted: not even the list of its files can be read");
}

TEST(ProjectExport, RemovedFilesAreOmitted) {
  std::string pack = read_file(projects / "arena.pck");
  const std::size_t entry = pack.rfind("world/world.gdc");
  pack[entry + 16 + 8 + 8 + 16] = 2;
  Project project;
  ASSERT_TRUE(read_export(project, pack));
  EXPECT_EQ(project.find_script("res://world/world.gd"), nullptr);
  EXPECT_NE(project.find_script("res://chat.gd"), nullptr);
}

TEST(ProjectExport, ExplainsWhyItCannotBeRead) {
  std::string pack = read_file(projects / "arena.pck");
  pack[4] = 1;
  EXPECT_EQ(export_error(pack), "is a pack of an engine before Godot 4");
  pack[4] = 4;
  EXPECT_EQ(export_error(pack), "is a pack of a newer engine");
  EXPECT_EQ(export_error("hello"), "is neither a pack nor a zip, and has none in it");
  EXPECT_EQ(export_error(""), "is neither a pack nor a zip, and has none in it");
  EXPECT_EQ(export_error(zip({{"a.txt", "x"}})), "has no project.binary");
  Project project;
  EXPECT_TRUE(read_export(project, read_file(projects / "arena.pck"), {}, nullptr)) << "without libraries";
  EXPECT_EQ(project.notes()[0], "res://chat.gd: not read, it is compressed");
  EXPECT_FALSE(project.read((projects / "none.pck").string()));
  EXPECT_EQ(project.message(), (projects / "none.pck").string() + " is not a folder");
}

TEST(ProjectExport, ExportWithoutReadableFilesIsRejectedWithAReason) {
  const std::string newer = "GDSC" + u32(102) + u32(0);
  EXPECT_EQ(export_error(zip({{"project.binary", project_binary("New")}, {"a.gdc", newer}, {"b.gdc", newer}})),
            "has no script or scene that can be read: res://a.gd: not read, its tokens are of a newer engine; "
            "and 1 more");
  Project project;
  EXPECT_TRUE(read_export(
      project, zip({{"project.binary", project_binary("New")}, {"a.gdc", newer}, {"b.gd", "extends Node"}})));
}

TEST(ProjectExport, ChangeOfTheFileIsDetected) {
  const fs::path copy = fs::path(testing::TempDir()) / "changing.pck";
  fs::copy_file(projects / "arena.pck", copy, fs::copy_options::overwrite_existing);
  Project project;
  ASSERT_TRUE(project.read(copy.string(), {}, &library_decompressor));
  EXPECT_FALSE(project.has_changed());
  std::ofstream(copy, std::ios::app) << "x";
  EXPECT_TRUE(project.has_changed());
  fs::remove(copy);
}

TEST(ProjectExport, PathOfProjectGodotMeansItsFolder) {
  Project project;
  ASSERT_TRUE(project.read((projects / "arena" / "project.godot").string()));
  EXPECT_EQ(describe_project(project), arena_description());
}

// ---- single files

TEST(BinaryResource, CompressedFilesAreRead) {
  // ResourceSaver.save(main.tscn, FLAG_COMPRESS) of Godot 4.6.3.
  const std::string file = read_file(projects / "arena_main.scn");
  ASSERT_TRUE(file.starts_with("RSCC"));
  const ConvertedText rewritten = convert_binary_resource(file, &library_decompressor, 1U << 20);
  EXPECT_EQ(rewritten.problem, "");
  EXPECT_NE(rewritten.text.find("[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n"),
            std::string::npos)
      << rewritten.text;
  EXPECT_NE(rewritten.text.find("\"properties/0/path\" = NodePath(\".:seconds\")\n"), std::string::npos)
      << rewritten.text;
  EXPECT_NE(rewritten.text.find("[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\"Clock\"]\n"),
            std::string::npos)
      << rewritten.text;
  EXPECT_EQ(convert_binary_resource(file, nullptr, 1U << 20).problem, "it is compressed");
  EXPECT_EQ(convert_binary_resource(file, &library_decompressor, 1000).problem, "it cannot be decompressed");
}

// A resource with the property "p", a NodePath of the string p, as often as given.
std::string resource_with_path(const std::string &p, std::uint16_t count) {
  const std::string begin = "RSRC" + u32(0) + u32(0) + u32(4) + u32(6) + u32(6) + u32(9) + std::string("Resource") +
                            '\0' + std::string(8 + 4 + 8 + 11 * 4, '\0') + u32(1) +
                            u32(static_cast<std::uint32_t>(p.size() + 1)) + p + '\0' + u32(0) + u32(1) + u32(2) +
                            std::string("1") + '\0';
  std::string indexes;
  for (std::uint16_t i = 0; i < count; ++i) indexes += u32(0);
  const std::uint32_t node_path = 22;
  return begin + u32(static_cast<std::uint32_t>(begin.size() + 8)) + u32(0) + u32(9) + std::string("Resource") + '\0' +
         u32(1) + u32(0) + u32(node_path) + u32(count) + indexes;
}

TEST(BinaryResource, NamesOfAPathAreLimitedTogether) {
  EXPECT_EQ(convert_binary_resource(resource_with_path("p", 3), nullptr, 1000).text,
            "[gd_resource type=\"Resource\"]\n[resource]\n\"p\" = NodePath(\"p/p/p\")\n");
  const std::string large(900, 'p');
  EXPECT_EQ(convert_binary_resource(resource_with_path(large, 65535), nullptr, 1'000'000).problem, "it cannot be read");
}

TEST(BinaryResource, ExplainsWhyAFileCannotBeRead) {
  EXPECT_EQ(convert_binary_resource("RSRC", nullptr, 1000).problem, "it is cut off");
  EXPECT_EQ(convert_binary_resource("RSRC" + u32(1), nullptr, 1000).problem, "it is big-endian");
  EXPECT_EQ(convert_binary_resource("RSRC" + u32(0) + u32(0) + u32(3) + u32(2) + u32(3), nullptr, 1000).problem,
            "it is of an engine before Godot 4");
  EXPECT_EQ(convert_binary_resource("RSRC" + u32(0) + u32(0) + u32(4) + u32(9) + u32(7), nullptr, 1000).problem,
            "it is of a newer engine");
}

TEST(BinaryResource, UidsAreWrittenAsText) {
  EXPECT_EQ(format_uid(0), "uid://a");
  EXPECT_EQ(format_uid(33), "uid://8");
  EXPECT_EQ(format_uid(34), "uid://ba");
}

std::string encoded_name(const std::string &name) {
  std::string bytes = u32(static_cast<std::uint32_t>(name.size()));
  for (const char c : name) bytes += u32(static_cast<std::uint8_t>(c) ^ 0xb6b6b6b6U);
  return bytes;
}

// `@rpc func hit(): pass` in the format of 4.3: its header has unused bytes, and there is no token `...`.
TEST(GdScriptTokens, Godot43TokensAreRead) {
  const auto token = [](std::uint32_t type, std::uint32_t line) { return u32(type | 0x80) + u32(line); };
  const std::string contents = u32(2) + u32(0) + u32(1) + u32(0) + u32(7) + encoded_name("@rpc") + encoded_name("hit") +
                               u32(1) + u32(4) + u32(1) + u32(5) + token(1, 1) + token(60, 4) + token(2 | 1 << 8, 4) +
                               token(77, 4) + token(78, 4) + token(83, 4) + token(47, 4);
  const std::string file = "GDSC" + u32(100) + u32(0) + contents;
  const ConvertedText rewritten = convert_binary_script(file, nullptr, 1000);
  EXPECT_EQ(rewritten.problem, "");
  EXPECT_EQ(rewritten.text, "@rpc\n\n\n    func hit():pass");
  for (std::size_t size = 4; size < file.size(); ++size) {
    EXPECT_NE(convert_binary_script(file.substr(0, size), nullptr, 1000).problem, "") << size;
  }
  EXPECT_EQ(convert_binary_script("GDSC" + u32(13) + u32(0), nullptr, 1000).problem,
            "its tokens are of an engine before Godot 4.3");
  EXPECT_EQ(convert_binary_script("GDSC" + u32(102) + u32(0), nullptr, 1000).problem,
            "its tokens are of a newer engine");
}

// ---- hostile exports

TEST(ProjectExport, TruncatedFileIsRejected) {
  for (const char *name : {"arena.pck", "arena.zip"}) {
    const std::string whole = read_file(projects / name);
    for (std::size_t size = 0; size < whole.size(); size += 37) {
      Project project;
      EXPECT_FALSE(read_export(project, whole.substr(0, size))) << name << " " << size;
    }
  }
}

TEST(ProjectExport, CorruptedFileIsRejectedOrRead) {
  std::minstd_rand random(7);  // NOLINT: the same each time
  std::size_t read = 0;
  for (const char *name : {"arena.pck", "arena_uncompressed.pck", "arena.zip"}) {
    const std::string whole = read_file(projects / name);
    for (int i = 0; i < 400; ++i) {
      std::string changed = whole;
      for (int j = 0; j < 3; ++j) changed[random() % changed.size()] = static_cast<char>(random());
      Project project;
      read += read_export(project, changed) ? 1 : 0;
    }
  }
  EXPECT_GT(read, 200U);
}

}  // namespace
}  // namespace godot_codec::project::test
