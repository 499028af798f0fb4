// SPDX-License-Identifier: GPL-2.0-or-later
// Names that are not on the wire: real captures with their own projects and with others. The expected names are those
// that the projects' scripts logged while they ran.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path arena_capture = projects / "arena.pcapng";
const fs::path calls_capture = fs::path(GODOT_CAPTURES_DIR) / "mp_rpc_godot4.6.pcapng";
const fs::path calls_project = fs::path(GODOT_CAPTURES_DIR) / "projects" / "godot4";

const Texts with_arena = with_project(projects / "arena");

// Returns all messages of the multiplayer.
std::vector<Item> read_messages(const fs::path &capture, const Texts &options) {
  std::vector<Item> messages;
  for (const Item &frame : read_details(capture, options)) {
    walk(frame, [&](const Item &item) {
      if (item.name == "godot_mp") messages.push_back(item);
      return true;
    });
  }
  return messages;
}

std::size_t count_lines(const std::string &text) { return lines_of(text).size(); }

std::string info_of(const std::string &filter, const Texts &options) {
  return tshark(arena_capture, options + Texts{"-Y", filter, "-T", "fields", "-e", "_ws.col.Info"});
}

// ---- methods

TEST(MethodNames, MatchTheGamesCalls) {
  std::multiset<std::string> called;
  for (const std::string &line : lines_of(read_file(projects / "arena.played"))) {
    const Texts columns = split(line, '\t');
    if (columns.size() == 5) called.insert(columns[1] + " " + columns[3] + " " + columns[4]);
  }
  std::multiset<std::string> read;
  for (const Item &message : read_messages(arena_capture, with_arena)) {
    if (message.child("godot_mp.rpc.method_id") == nullptr) continue;
    EXPECT_EQ(message.child_text("godot_mp.rpc.method_source"), "project");
    read.insert(message.child_text("godot_mp.sender") + " " + message.child_text("godot_mp.path") + " " +
                message.child_text("godot_mp.rpc.method"));
  }
  EXPECT_EQ(called.size(), 23U);
  EXPECT_EQ(read, called);
}

// Returns the methods that the scripts called, by path and method id.
std::map<std::string, std::string> methods_called() {
  std::map<std::string, std::string> methods;
  for (const std::string &line : lines_of(read_file(fs::path(calls_capture).replace_extension(".expected")))) {
    const Texts columns = split(line, '\t');
    if (columns[0] == "rpc") methods[columns[3] + " " + columns[5]] = columns[4];
  }
  return methods;
}

TEST(MethodNames, EveryCallHasAMethodName) {
  const std::map<std::string, std::string> methods = methods_called();
  EXPECT_GT(methods.size(), 15U);
  std::set<std::string> seen;
  for (const Item &message : read_messages(calls_capture, with_project(calls_project))) {
    if (message.child("godot_mp.rpc.method_id") == nullptr) continue;
    const std::string call = message.child_text("godot_mp.path") + " " + message.child_text("godot_mp.rpc.method_id");
    const auto found = methods.find(call);
    ASSERT_NE(found, methods.end()) << call;
    EXPECT_EQ(message.child_text("godot_mp.rpc.method"), found->second) << call;
    seen.insert(call);
  }
  EXPECT_EQ(seen.size(), methods.size());
}

TEST(MethodNames, AreNeverFromAnotherProject) {
  constexpr const char *filter = "godot_mp.rpc.method || godot_mp.property_source";
  EXPECT_EQ(tshark(calls_capture, with_arena + Texts{"-Y", filter}), "");
  EXPECT_EQ(tshark(arena_capture, with_project(calls_project) + Texts{"-Y", filter}), "");
  EXPECT_EQ(tshark(calls_capture, with_project(projects / "nasty") + Texts{"-Y", filter}), "");
}

TEST(MethodNames, RejectedCallOfAnAuthorityOnlyMethodIsMarked) {
  EXPECT_EQ(info_of("godot_mp.refused", with_arena),
            "RPC Main/Players/P2124112936.die() [Godot rejects it] [Reliable ch 0 #24]\n");
  EXPECT_EQ(info_of("godot_mp.refused", {}), "");
}

TEST(MethodNames, MostSimilarMethodListIsReported) {
  const fs::path other = copy_of(projects / "arena", "newer_arena");
  std::ofstream(other / "world" / "world.gd", std::ios::app) << "\n\n@rpc\nfunc extra() -> void:\n\tpass\n";
  const Rows rows = read_fields(arena_capture, with_project(other) + Texts{"-Y", "godot_mp.unknown_methods"},
                                {"godot_mp.path", "_ws.expert.message"});
  ASSERT_EQ(rows.size(), 2U);
  for (const Texts &row : rows) {
    EXPECT_EQ(row[0], "Main/World");
    EXPECT_EQ(
        row[1],
        "Methods of Main/World: no script of the project has these methods: the captured game lacks extra() of res://world/world.gd");
  }
}

// The class of eleven remote methods is in four files. A game with the same methods in GDScript was recorded.
TEST(MethodNames, CSharpClassInSeveralFilesIsRead) {
  std::map<std::string, std::size_t> calls;
  for (const Texts &row :
       read_fields(projects / "session.pcapng", with_project(projects / "session") + Texts{"-Y", "godot_mp.rpc.method"},
                   {"godot_mp.rpc.method"})) {
    for (const std::string &method : occurrences(row[0])) ++calls[method];
  }
  EXPECT_EQ(calls, (std::map<std::string, std::size_t>{{"ClientUpdateGridWorker", 19},
                                                       {"ClientUpdatePeerIdToPlayerName", 19},
                                                       {"ServerRequestSeatForCallingPeer", 14}}));
}

// ---- names in the preference table

TEST(NamesPreference, TableWrittenByTheCommandGivesTheSameNames) {
  copy_of(projects / "arena.names", ".config/wireshark/profiles/arena/godot_mp_names");
  const Texts filter = {"-Y", "godot_mp.rpc.method_id", "-T", "fields", "-e", "_ws.col.Info"};
  const std::string by_table = tshark(arena_capture, Texts{"-C", "arena"} + filter);
  // The table does not contain the authority of nodes.
  std::string by_folder = tshark(arena_capture, with_arena + filter);
  const std::string refused = " [Godot rejects it]";
  ASSERT_NE(by_folder.find(refused), std::string::npos);
  EXPECT_EQ(by_table, by_folder.erase(by_folder.find(refused), refused.size()));
  EXPECT_EQ(count_lines(by_table), 23U);
  EXPECT_EQ(tshark(arena_capture,
                   {"-C", "arena", "-Y", "godot_mp.rpc.method_id && !(godot_mp.rpc.method_source == \"table\")"}),
            "");
}

TEST(NamesPreference, NodePathInTheTableNamesItsMethods) {
  EXPECT_EQ(info_of("godot_mp.rpc.method", {"-o", "uat:godot_mp_names:\"Main/World\",\"1\",\"shout\""}),
            "RPC Main/World.shout(\"Welcome\") [Reliable ch 0 #8]\n");
}

// ---- properties

// In arena_play.gd, the values of each property have their own range, except the initial values.
const std::map<std::string, std::regex> &values_of_properties() {
  static const std::map<std::string, std::regex> values = {
      {"hp", std::regex("1\\d\\d|200")},
      {"title", std::regex("|Sir Ogre")},
      {"position", std::regex("Vector2\\((0, 0|[0-3]\\.5, -3)\\)")},
      {"Gun:rotation", std::regex("0\\.0|1\\.0|1\\.\\d+")},
      {"modulate", std::regex("Color\\((1, 1, 1, 1|0\\.5, 0\\.25, [0-9.]+, 1)\\)")},
      {"seconds", std::regex("0\\.0|100[0-3]\\.0")},
      {"weather", std::regex("sun|sky [0-3]")},
      {"Input:direction", std::regex("Vector2\\((0, 0|[0-3], 77)\\)")},
      {"Input:firing", std::regex("true|false")},
  };
  return values;
}

TEST(PropertyNames, EveryValueHasAPropertyName) {
  std::map<std::string, std::set<std::string>> read;
  for (const Item &message : read_messages(arena_capture, with_arena + Texts{"-Y", "godot_mp.property_with_value"})) {
    const std::vector<std::string> properties = find_all(message, "godot_mp.property");
    const std::vector<std::string> values = find_all(message, "godot_mp.property_with_value");
    ASSERT_EQ(properties.size(), values.size());
    EXPECT_EQ(find_all(message, "godot_mp.property_source").size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string value = values[i].substr(values[i].find('=') + 1);
      const auto found = values_of_properties().find(properties[i]);
      ASSERT_NE(found, values_of_properties().end()) << properties[i];
      EXPECT_TRUE(std::regex_match(value, found->second)) << values[i];
      EXPECT_EQ(values[i].substr(values[i].find('=') - properties[i].size(), properties[i].size()), properties[i]);
      read[properties[i]].insert(value);
    }
  }
  EXPECT_EQ(read.size(), values_of_properties().size());
  for (const auto &[property, values] : read) EXPECT_GT(values.size(), 1U) << property;
}

TEST(PropertyNames, AreUnverifiedUntilAMethodListOfTheProjectAppears) {
  const Rows unverified =
      read_fields(arena_capture, with_arena + Texts{"-Y", "godot_mp.property_source == unverified"}, {"frame.number"});
  const Rows verified =
      read_fields(arena_capture, with_arena + Texts{"-Y", "godot_mp.property_source == project"}, {"frame.number"});
  const Rows list =
      read_fields(arena_capture, {"-Y", "godot_mp.rpc.md5 == \"3f9f838f849d808dbe055ee3eaa41817\""}, {"frame.number"});
  ASSERT_FALSE(unverified.empty());
  ASSERT_FALSE(verified.empty());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_LT(std::stoi(unverified.back()[0]), std::stoi(list[0][0]));
  EXPECT_GT(std::stoi(verified.front()[0]), std::stoi(list[0][0]));
}

// In `changing`, the thousands digit of a value identifies the property that was sent.
std::string property_sent(const std::string &value) {
  static const Texts names = {"hp", "mana", "armor", "luck"};
  const std::size_t thousands = std::stoul(value) / 1000;
  return thousands < names.size() ? names[thousands] : "";
}

TEST(PropertyNames, AreCorrectOrMarkedAssumedIfScriptsChangeThem) {
  std::map<std::string, std::set<std::string>> named;  // by node path
  std::size_t unnamed = 0;
  std::size_t assumed = 0;
  for (const Item &message :
       read_messages(projects / "changing.pcapng", Texts{"-2"} + with_project(projects / "changing"))) {
    const Texts values = find_all(message, "godot_mp.property_with_value");
    const Texts properties = find_all(message, "godot_mp.property");
    const Texts paths = find_all(message, "godot_mp.property_full_path");
    const Texts sources = find_all(message, "godot_mp.property_source");
    ASSERT_EQ(values.size(), properties.size());
    std::size_t next = 0;  // only named values have a source
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (properties[i].find('#') != std::string::npos) {
        ++unnamed;
        continue;
      }
      ASSERT_LT(next, sources.size());
      const bool is_assumed = sources[next] == "assumed";
      const std::string path = paths[next++];
      assumed += is_assumed ? 1 : 0;
      if (is_assumed) continue;
      EXPECT_EQ(properties[i], property_sent(values[i].substr(values[i].find('=') + 1))) << path;
      named[path.substr(0, path.find(':'))].insert(properties[i]);
    }
  }
  EXPECT_GT(unnamed, 0U);
  EXPECT_GT(assumed, 0U);
  EXPECT_EQ(named, (std::map<std::string, std::set<std::string>>{{"Main/ClearedSet", {"armor", "luck"}},
                                                                 {"Main/ClearedSetter", {"armor", "hp"}},
                                                                 {"Main/Copies/Template", {"armor", "hp"}},
                                                                 {"Main/Level", {"hp", "mana"}},
                                                                 {"Main/OwnFunction", {"luck", "mana"}},
                                                                 {"Main/OwnInherited", {"armor", "luck"}},
                                                                 {"Main/OwnInit", {"armor", "mana"}},
                                                                 {"Main/OwnReady", {"armor", "luck"}},
                                                                 {"Main/OwnSet", {"hp", "luck"}},
                                                                 {"Main/OwnSetter", {"hp", "mana"}},
                                                                 {"Main/RootOwn/Inner", {"hp", "mana"}},
                                                                 {"Main/RootProperty/Inner", {"hp", "mana"}},
                                                                 {"Main/RootScene/Inner", {"hp", "mana"}},
                                                                 {"Main/RootSet/Inner", {"hp", "mana"}},
                                                                 {"Main/World/Deep/Holder/Guest", {"armor", "mana"}}}));
}

TEST(PropertyNames, HaveThePathOfTheirNode) {
  std::set<std::string> paths;
  for (const Item &message : read_messages(arena_capture, with_arena + Texts{"-Y", "godot_mp.property_path"})) {
    for (const std::string &path : find_all(message, "godot_mp.property_path")) paths.insert(path);
  }
  EXPECT_EQ(paths, (std::set<std::string>{
                       "Main/Clock:seconds", "Main/Clock:weather", "Main/Players/P2124112936/Input:direction",
                       "Main/Players/P2124112936/Input:firing", "Ogre#5:modulate", "Ogre/Gun:rotation", "Ogre:hp",
                       "Ogre:modulate", "Ogre:position", "Ogre:title", "P2124112936/Gun:rotation", "P2124112936:hp",
                       "P2124112936:position", "P2124112936:title"}));
}

TEST(PropertyNames, AreOmittedIfTheValueCountDiffers) {
  const fs::path other = copy_of(projects / "arena", "other_arena");
  const std::string state = read_file(other / "players" / "state.tres");
  std::ofstream(other / "players" / "state.tres") << state << "properties/4/path = NodePath(\".:rotation\")\n"
                                                  << "properties/4/spawn = true\n"
                                                  << "properties/4/replication_mode = 1\n"
                                                  << "properties/5/path = NodePath(\".:scale\")\n"
                                                  << "properties/5/spawn = true\n"
                                                  << "properties/5/replication_mode = 1\n";
  const Texts options = with_project(other);
  EXPECT_EQ(info_of("godot_mp.property == \"position\" || godot_mp.property == \"title\"", options), "");
  EXPECT_EQ(count_lines(info_of("godot_mp.spawn.name && godot_mp.property_mismatch", options)), 2U);
  EXPECT_NE(info_of("godot_mp.property == \"seconds\"", options), "");
}

// ---- folders without a project

TEST(ProjectFolder, MissingFolderIsReportedOnce) {
  const Texts options = {"-o", "godot_mp.project:/nowhere/at all"};
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    const Rows rows = read_fields(arena_capture, options + passes + Texts{"-Y", "godot_mp.project_unreadable"},
                                  {"_ws.expert.message"});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0][0], "No names were read: /nowhere/at all is not a folder");
  }
  EXPECT_EQ(info_of("godot_mp.rpc.method", options), "");
  EXPECT_EQ(info_of("godot_mp.project_unreadable", with_arena), "");
}

TEST(ProjectFolder, InaccessibleFolderIsNotReportedAsMissing) {
  const fs::path folder = scratch_folder() / "secret";
  fs::create_directories(folder);
  std::ofstream(folder / "project.godot") << "config_version=5\n";
  fs::permissions(folder, fs::perms::none);
  const Texts options = {"-o", "godot_mp.project:" + folder.string(), "-Y", "godot_mp.project_unreadable"};
  const Rows rows = read_fields(arena_capture, options, {"_ws.expert.message"});
  fs::permissions(folder, fs::perms::owner_all);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "No names were read: " + folder.string() + " cannot be read: permission denied");
}

TEST(ProjectFolder, ReadOnlyFolderWithAUnicodeNameIsRead) {
  const fs::path folder = copy_of(projects / "arena", u8"Spiel \u00fc \u732b 'a; b'");
  for (const auto &each : fs::recursive_directory_iterator(folder)) {
    fs::permissions(each, fs::perms::owner_write | fs::perms::group_write, fs::perm_options::remove);
  }
  fs::permissions(folder, fs::perms::owner_write | fs::perms::group_write, fs::perm_options::remove);
  const Texts options = with_project(folder);
  EXPECT_EQ(info_of("godot_mp.property == \"seconds\"", options),
            info_of("godot_mp.property == \"seconds\"", with_arena));
  EXPECT_EQ(info_of("godot_mp.project_unreadable || godot_mp.project_incomplete", options), "");
  fs::permissions(folder, fs::perms::owner_all);
}

TEST(ProjectFolder, WarningAboutAWrongFolderSuggestsAFolder) {
  const Rows rows = read_fields(arena_capture, with_project("/") + Texts{"-Y", "godot_mp.project_unreadable"},
                                {"_ws.expert.message"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0][0].starts_with("No names were read: / has no project.godot")) << rows[0][0];
  EXPECT_NE(rows[0][0].find(": choose "), std::string::npos) << rows[0][0];
}

TEST(ProjectFolder, UnreadableFolderIsInTheProblemsTable) {
  const std::vector<TableRow> problems = read_table(arena_capture, "godot,problems", with_project("/nowhere"));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].at("Problem"), "No names were read: /nowhere is not a folder");
  EXPECT_EQ(problems[0].at("Display filter"), "godot_mp.project_unreadable");
  EXPECT_EQ(info_of("godot.problem", with_project("/nowhere")), "");
}

// ---- what the folder gave

std::vector<Texts> names_table(const Texts &options) {
  std::vector<Texts> rows;
  for (const TableRow &row : read_table(arena_capture, "godot_mp,names", Texts{"-2"} + options)) {
    rows.push_back({row.at("Node"), row.at("Calls"), row.at("Calls without a name"), row.at("Values"),
                    row.at("Values without a name")});
  }
  return rows;
}

TEST(NamesTable, ShowsNamesFromTheFolder) {
  EXPECT_EQ(names_table(with_arena),
            (std::vector<Texts>{{"7 scripts, 4 scenes, 10 RPC methods", "23", "0", "797", "0"}}));
  for (const Texts &passes : {Texts{}, Texts{"-2"}}) {
    EXPECT_EQ(read_fields(arena_capture, with_arena + passes + Texts{"-Y", "godot_mp.project_read"},
                          {"godot_mp.project_read"}),
              (Rows{{"7 scripts, 4 scenes, 10 RPC methods"}}));
  }
}

TEST(NamesTable, RecommendsASecondPass) {
  const std::vector<TableRow> rows = read_table(arena_capture, "godot_mp,names", with_arena);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("Node"),
            "7 scripts, 4 scenes, 10 RPC methods (first pass only; a second pass, tshark -2, may find more names)");
}

TEST(NamesTable, ShowsOmittedFilesAndUnnamedNodes) {
  const fs::path other = copy_of(projects / "arena", "arena_with_less");
  std::ofstream(other / "a.scn") << "RSRC";
  std::ofstream(other / "chat.gd") << "extends Node\n";
  fs::remove(other / "players" / "player.tscn");
  EXPECT_EQ(names_table(with_project(other)),
            (std::vector<Texts>{{"7 scripts, 3 scenes, 9 RPC methods", "23", "2", "797", "585"},
                                {"res://a.scn: not read, it is cut off", "0", "0", "0", "0"},
                                {"P2124112936", "0", "0", "222", "222"},
                                {"Main/Players/P2124112936/Input", "0", "0", "215", "215"},
                                {"Ogre", "0", "0", "143", "143"},
                                {"Ogre#5", "0", "0", "5", "5"},
                                {"Chat", "2", "2", "0", "0"}}));
}

TEST(NamesTable, ShowsThatNoFolderIsSet) {
  const std::vector<Texts> rows = names_table({});
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0], (Texts{"No project folder is set (Edit > Preferences > Protocols > GodotMP > Project folder)",
                            "23", "23", "797", "797"}));
  EXPECT_EQ(rows[4], (Texts{"Main/World", "14", "14", "0", "0"}));
}

// ---- no false reports

TEST(ProjectNames, BytesOnlyCallIsNoSignatureMismatch) {
  EXPECT_EQ(
      tshark(arena_capture, with_arena + Texts{"-Y", "godot_mp.rpc.method == \"blob\" && godot_mp.signature_mismatch"}),
      "");
}

// ---- an exported game

TEST(ProjectNames, ExportGivesTheSameNamesAsTheFolder) {
  const std::string expected = tshark(arena_capture, with_arena);
  ASSERT_NE(expected.find("Main/World.take_damage("), std::string::npos);
  for (const char *name : {"arena.pck", "arena.zip"}) {
    const fs::path game = fs::path(GODOT_TESTS_DIR) / "projects" / name;
    EXPECT_EQ(tshark(arena_capture, with_project(game)), expected) << name;
  }
}

// ---- custom payloads

TEST(CustomPayload, LuaDissectorReadsTheBytesOfACall) {
  const Texts script = {"-X", "lua_script:" + (fs::path(GODOT_DOC_DIR) / "arena.lua").string()};
  const Rows rows = read_fields(arena_capture, with_arena + script + Texts{"-Y", "arena"},
                                {"arena.kind", "arena.target", "arena.amount", "_ws.col.Protocol"});
  ASSERT_EQ(rows.size(), 3U);
  for (const Texts &row : rows) EXPECT_EQ(row, (Texts{"2", "Ogre", "0.75", "GodotMP"}));
  EXPECT_EQ(tshark(arena_capture, script + Texts{"-Y", "arena"}), "");  // the name of the method is unknown
}

std::string lua(const std::string &name, const std::string &registration) {
  const fs::path path = scratch_folder() / (name + ".lua");
  std::ofstream(path) << "local own = Proto(\"own\", \"Own\")\n"
                         "local bytes = ProtoField.bytes(\"own.bytes\", \"Bytes\")\n"
                         "own.fields = { bytes }\n"
                         "function own.dissector(buffer, pinfo, root)\n"
                         "  pinfo.cols.info = \"own\"\n"
                         "  root:add(own, buffer()):add(bytes, buffer())\n"
                         "  return buffer:len()\n"
                         "end\n"
                      << registration;
  return "lua_script:" + path.string();
}

TEST(CustomPayload, CallDissectorRegisteredByMethodGetsTheBytes) {
  const std::string script = lua("by_method", "DissectorTable.get(\"godot_mp.call\"):add(\"voice\", own)\n");
  const Rows rows = read_fields(calls_capture, with_project(calls_project) + Texts{"-X", script, "-Y", "own"},
                                {"godot_mp.rpc.method", "godot_mp.data", "own.bytes"});
  EXPECT_GT(rows.size(), 5U);
  for (const Texts &row : rows) {
    EXPECT_EQ(row[0], "voice");
    EXPECT_EQ(row[1], row[2]);
  }
}

TEST(CustomPayload, RawMessagesGoToTheDissectorOfTheServerPort) {
  const std::string script = lua("by_port", "DissectorTable.get(\"godot_mp.raw\"):add(5030, own)\n");
  const Rows rows = read_fields(calls_capture, {"-X", script, "-Y", "own"}, {"godot_mp.data", "own.bytes"});
  EXPECT_GT(rows.size(), 10U);
  for (const Texts &row : rows) EXPECT_EQ(row[0], row[1]);
  EXPECT_EQ(tshark(calls_capture, {"-X", script, "-Y", "godot_mp.command == \"raw\" && !own"}), "");
  const std::string packets = lua("packets", "DissectorTable.get(\"godot.raw\"):add(5009, own)\n");
  const fs::path game = fs::path(GODOT_CAPTURES_DIR) / "game_godot4.6.pcapng";
  EXPECT_EQ(count_lines(tshark(game, {"-X", packets, "-Y", "own && godot"})), 2U);
}

TEST(CustomPayload, RawMessagesAndAuthenticationAreOfferedToHeuristics) {
  const std::string script = lua("heuristic",
                                 "own:register_heuristic(\"godot.raw\", function(buffer, pinfo, root)\n"
                                 "  own.dissector(buffer, pinfo, root)\n"
                                 "  return true\n"
                                 "end)\n");
  const Texts options = {"-X", script, "-Y", "own", "-T", "fields", "-e", "_ws.col.Info"};
  const fs::path captures = GODOT_CAPTURES_DIR;
  const std::string authentication = tshark(captures / "mp_auth_godot4.6.pcapng", options);
  EXPECT_NE(authentication.find("Authentication, 11 bytes: own"), std::string::npos);
  const std::string packets = tshark(captures / "game_godot4.6.pcapng", options);
  EXPECT_EQ(packets, "own\nown\n");
}

// An error in a Lua script is reported as the script's own, and the rest of the datagram is still decoded.
TEST(CustomPayload, LuaErrorsDoNotStopTheDissection) {
  const std::string script = lua("failing",
                                 "function own.dissector(buffer) return buffer(0, buffer:len() + 9):len() end\n"
                                 "DissectorTable.get(\"godot_mp.raw\"):add(5030, own)\n");
  const Output output =
      run(TSHARK, {"-n", "-r", calls_capture.string(), "-X", script, "-T", "fields", "-e", "_ws.col.Info"});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, tshark(calls_capture, {"-T", "fields", "-e", "_ws.col.Info"}));
}

}  // namespace
}  // namespace godot_codec::test
