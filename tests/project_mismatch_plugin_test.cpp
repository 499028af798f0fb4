// SPDX-License-Identifier: GPL-2.0-or-later
// Mismatches between a capture and a project, or between two games in one capture: types of values, method lists, and
// authority.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "enet_exchange.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

void replace_in(const fs::path &file, const std::string &pattern, const std::string &text) {
  const std::string changed = std::regex_replace(read_file(file), std::regex(pattern), text);
  std::ofstream(file) << changed;
}

// Returns the distinct texts of expert items.
std::set<std::string> experts_of(const fs::path &capture, const Texts &options, const std::string &item) {
  std::set<std::string> texts;
  for (const Texts &row : read_fields(capture, options + Texts{"-Y", item}, {"_ws.expert.message"})) {
    for (const std::string &text : split(row[0], between_occurrences)) texts.insert(text);
  }
  return texts;
}

// ---- types of values

std::set<std::string> properties_named(const Texts &options) {
  std::set<std::string> names;
  for (const Texts &row : read_fields(projects / "arena.pcapng", options + Texts{"-Y", "godot_mp.property_source"},
                                      {"godot_mp.property"})) {
    for (const std::string &name : split(row[0], between_occurrences)) {
      if (name.find('#') == std::string::npos) names.insert(name);
    }
  }
  return names;
}

TEST(PropertyTypes, MismatchHidesTheNames) {
  const fs::path other = copy_of(projects / "arena", "arena_with_texts");
  replace_in(other / "players" / "player.gd", "var hp := 100", "var hp := \"100 %\"");
  const Texts options = with_project(other);
  EXPECT_EQ(
      experts_of(projects / "arena.pcapng", options, "godot_mp.property_mismatch"),
      (std::set<std::string>{
          "The values that Ogre synchronizes have other types than the properties of its replication config in the project folder",
          "The values that P2124112936 synchronizes have other types than the properties of its replication config in the project folder"}));
  // If a spawn has a mismatch, none of its values has a name.
  EXPECT_EQ(properties_named(options),
            (std::set<std::string>{"Input:direction", "Input:firing", "seconds", "weather"}));
}

TEST(PropertyTypes, PropertiesOfEngineClassesAreChecked) {
  const fs::path other = copy_of(projects / "arena", "arena_in_3d");
  replace_in(other / "players" / "player.tscn", "Node2D", "Node3D");
  EXPECT_EQ(experts_of(projects / "arena.pcapng", with_project(other), "godot_mp.property_mismatch").size(), 2U);
  // If a script may override the property, the engine's class does not determine its type.
  std::ofstream(other / "players" / "player.gd", std::ios::app) << "\n\nfunc _get(_property):\n\treturn null\n";
  replace_in(other / "players" / "player.tscn", "\"Gun\" type=\"Node3D\"", "\"Gun\" type=\"Node2D\"");
  EXPECT_EQ(experts_of(projects / "arena.pcapng", with_project(other), "godot_mp.property_mismatch").size(), 0U);
}

TEST(PropertyTypes, MatchingProjectsHaveNoMismatch) {
  EXPECT_TRUE(
      experts_of(projects / "arena.pcapng", with_project(projects / "arena"), "godot_mp.property_mismatch").empty());
  EXPECT_EQ(properties_named(with_project(projects / "arena")).size(), 9U);
  for (const char *name : {"mp_auth_godot4.6", "mp_rpc_godot4.6", "mp_spawn_godot4.6"}) {
    const fs::path capture = captures / (std::string(name) + ".pcapng");
    const Texts options = with_project(captures / "projects" / "godot4");
    EXPECT_TRUE(experts_of(capture, options, "godot_mp.property_mismatch").empty()) << name;
  }
}

// ---- method lists that differ

// The server's World has an additional method, roar(), which also exists in a script of the client: boss.gd.
const fs::path two_versions_capture = projects / "arena_versions.pcapng";
const std::string checksum_failed = "godot_mp.checksum_failed && godot_mp.sender == 1";

TEST(MethodListMismatch, IsReportedForEachSide) {
  EXPECT_EQ(
      experts_of(two_versions_capture, with_project(projects / "arena"), checksum_failed),
      (std::set<std::string>{
          "The server reports that its RPC methods of Main/World differ from those of peer 1614630006 (frame 277)",
          "Peer 1614630006 has the methods of res://world/world.gd; the server has other methods: the captured game has roar(), which res://world/world.gd lacks (frame 106)"}));
  EXPECT_EQ(
      experts_of(two_versions_capture, {}, checksum_failed),
      (std::set<std::string>{
          "The server reports that its RPC methods of Main/World differ from those of peer 1614630006 (frame 277)",
          "Peer 1614630006 has methods with the MD5 3f9f838f849d808dbe055ee3eaa41817; the server has methods with the MD5 5e0667dbfc640203331bbeb08cdee497 (frame 106)"}));
}

// In the first pass, the client's list is not known yet.
TEST(MethodListMismatch, SecondPassReportsBothSides) {
  const Texts client = with_project(projects / "arena");
  const std::string failed = "godot_mp.checksum_failed && godot_mp.receiver == 1";
  EXPECT_TRUE(
      experts_of(two_versions_capture, client, failed)
          .contains("The server has other methods: the captured game has roar(), which res://world/world.gd lacks"));
  EXPECT_TRUE(
      experts_of(two_versions_capture, client + Texts{"-2"}, failed)
          .contains(
              "The server has other methods: the captured game has roar(), which res://world/world.gd lacks; peer 1614630006 has the methods of res://world/world.gd (frame 277)"));
}

TEST(MethodListMismatch, UnannotatedMethodIsNamed) {
  const fs::path client = copy_of(projects / "arena", "arena_not_marked");
  std::ofstream(client / "world" / "world.gd", std::ios::app) << "\n\nfunc roar() -> void:\n\tpass\n";
  EXPECT_TRUE(
      experts_of(two_versions_capture, with_project(client), checksum_failed)
          .contains(
              "Peer 1614630006 has the methods of res://world/world.gd; the server has other methods: the captured game has roar(), which res://world/world.gd has without @rpc (frame 106)"));
}

TEST(MethodListMismatch, ProjectOfTheServerShowsTheMethodsThatTheClientLacks) {
  const fs::path server = copy_of(projects / "arena", "arena_of_the_server");
  std::ofstream(server / "world" / "world.gd", std::ios::app) << "\n\n@rpc\nfunc roar() -> void:\n\tpass\n";
  EXPECT_TRUE(
      experts_of(two_versions_capture, with_project(server), checksum_failed)
          .contains(
              "Peer 1614630006 has other methods: the captured game lacks roar() of res://world/world.gd; the server has the methods of res://world/world.gd (frame 106)"));
}

TEST(MethodListMismatch, CallsOfThePeerWithOtherMethodsHaveNoName) {
  const Texts options = with_project(projects / "arena");
  const std::string calls = "godot_mp.path == \"Main/World\" && godot_mp.rpc.method_id";
  const auto count = [&](const std::string &filter) {
    return read_fields(two_versions_capture, options + Texts{"-Y", calls + filter}, {"frame.number"}).size();
  };
  EXPECT_EQ(count(" && godot_mp.sender == 1 && godot_mp.rpc.method"), 0U);
  EXPECT_EQ(count(" && godot_mp.sender == 1"), 4U);
  EXPECT_EQ(count(" && godot_mp.after_unknown_methods"), 4U);
  EXPECT_EQ(count(" && godot_mp.sender == 1 && godot_mp.after_unknown_methods"), 4U);
  EXPECT_EQ(count(" && godot_mp.receiver == 1 && !godot_mp.rpc.method"), 0U);
  EXPECT_EQ(count(" && godot_mp.receiver == 1"), 10U);
}

TEST(MethodListMismatch, Godot3SendsMethodNames) {
  const fs::path capture = captures / "mp_rpc_godot3.6.pcapng";
  EXPECT_GT(read_fields(capture, {"-Y", "godot_mp.rpc.method_source == \"wire\""}, {"frame.number"}).size(), 5U);
  EXPECT_EQ(tshark(capture, {"-Y", "godot_mp.rpc.method && !godot_mp.rpc.method_source"}), "");
}

// ---- authority

constexpr std::string_view methods_of_player = "07bf07eedf89f0016f198c64ab6b6ba0";  // die, jump
constexpr std::uint32_t by_path = std::uint32_t{1} << 31;

// Returns a sync of a player's position; only the authority of its synchronizer sends it.
std::string sync_of_position(std::uint32_t id) {
  const std::string position = u32(5) + f32(1) + f32(2);
  return hex("06") + u16(1) + u32(id) + u32_size(position.size()) + position;
}

std::string spawn_of_player(const std::string &name, const std::vector<std::uint32_t> &synchronizers,
                            const std::string &state) {
  std::string bytes = hex("04 00") + u32(9) + u32(5) + u32_size(synchronizers.size()) + u32_size(name.size() + 1);
  for (const std::uint32_t id : synchronizers) bytes += u32(id);
  return bytes + zero_terminated(name) + state;
}

// A match of arena in which client 77 calls die() of its player, a method for the authority. The tests check the mark
// on the call, and whether the table of problems reports the call.
class InferredAuthority : public testing::Test {
 protected:
  void client(const std::string &message) { exchange.client(datagram(reliable(0, ++client_seq, message))); }
  void server(const std::string &message) { exchange.server(datagram(reliable(0, ++server_seq, message))); }
  void server_calls() {
    server(simplify_path(1, node, methods_of_player));
    server(hex("80 01 00"));
  }
  void server_spawns() {
    server(simplify_path(9, "Main/Spawner", "d41d8cd98f00b204e9800998ecf8427e"));
    const std::string state = u32(4) + text("Sir") + u32(5) + f32(1) + f32(2) + hex("0263");
    server(spawn_of_player("P77", {6}, state));
  }
  // Returns a project with a script that may make any peer the authority of any node.
  static fs::path project_that_changes_authorities() {
    const fs::path project = copy_of(projects / "arena", "moved_authority");
    std::ofstream(project / "moves.gd")
        << "extends Node\n\nfunc give(node, to):\n\tnode.set_multiplayer_authority(to)\n";
    return project;
  }
  std::string authority_report(const fs::path &project = project_that_changes_authorities()) {
    client(simplify_path(1, node, methods_of_player));
    client(hex("80 01 00"));
    const fs::path capture = exchange.save();
    const Texts options = Texts{"-2"} + ports + with_project(project);
    const Rows rows =
        read_fields(capture, options + Texts{"-Y", "godot_mp.rpc.method == \"die\" && enet.to_server == 1"},
                    {"_ws.expert.message"});
    EXPECT_EQ(rows.size(), 1U);
    return (rows.empty() ? "no call" : rows[0][0]) + (is_reported(capture, options) ? " (a problem)" : "");
  }
  bool is_reported(const fs::path &capture, const Texts &options) const {
    const std::vector<TableRow> problems = read_table(capture, "godot,problems", options);
    return std::ranges::any_of(problems, [&](const TableRow &row) {
      return row.at("Problem").starts_with("Peer 77 called " + node + ".die()");
    });
  }

  // Returns the text of a rejected call.
  [[nodiscard]] std::string rejected_call(const std::string &authority) const {
    return "Peer 77 called " + node + ".die() (res://players/player.gd:10), but only the authority (" + authority +
           ") may call it, so Godot rejects the call";
  }
  [[nodiscard]] std::string uncertain_call() const {
    return rejected_call("the server") + " unless a script has changed the authority";
  }

  std::string node = "Main/Players/P77";  // the node whose die() is called

  Exchange exchange;
  int client_seq = 0;
  int server_seq = 0;
};

TEST_F(InferredAuthority, OnlyPeerThatCallsIsTheAuthority) { EXPECT_EQ(authority_report(), ""); }

TEST_F(InferredAuthority, IsUncertainIfTheServerCallsToo) {
  server_calls();
  EXPECT_EQ(authority_report(), uncertain_call());
}

// Games do not hand over a node so often, so the alternation is no handover.
TEST_F(InferredAuthority, ServerIsTheAuthorityIfBothAlternate) {
  server_calls();
  client(simplify_path(1, node, methods_of_player));
  for (int i = 0; i < 5; ++i) {
    client(hex("80 01 00"));
    server(hex("80 01 00"));
  }
  const Texts options = Texts{"-2"} + ports + with_project(project_that_changes_authorities());
  const fs::path capture = exchange.save();
  const Rows rows = read_fields(capture, options + Texts{"-Y", "godot_mp.not_allowed"}, {"_ws.expert.message"});
  EXPECT_EQ(rows, Rows(5, {rejected_call("the server")}));
  EXPECT_TRUE(is_reported(capture, options));
}

TEST_F(InferredAuthority, PeerThatSendsSynchronizedValuesIsTheAuthority) {
  client(simplify_path(2, "Main/Players/P77/State", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  EXPECT_EQ(authority_report(), "");
}

TEST_F(InferredAuthority, ServerIsTheAuthorityIfNoScriptChangesIt) {
  const fs::path project = copy_of(projects / "arena", "fixed_authority");
  for (const fs::directory_entry &each : fs::recursive_directory_iterator(project)) {
    if (each.path().extension() == ".gd") replace_in(each.path(), "set_multiplayer_authority", "print");
  }
  EXPECT_EQ(authority_report(project), rejected_call("the server") + " (a problem)");
}

// Code outside the project folder changed the authority.
TEST_F(InferredAuthority, PersistentSenderOverrulesTheScripts) {
  const fs::path project = copy_of(projects / "arena", "outside_authority");
  for (const fs::directory_entry &each : fs::recursive_directory_iterator(project)) {
    if (each.path().extension() == ".gd") replace_in(each.path(), "set_multiplayer_authority", "print");
  }
  client(simplify_path(2, "Main/Players/P77/State", "d41d8cd98f00b204e9800998ecf8427e"));
  for (int i = 0; i < 16; ++i) client(sync_of_position(2 | by_path));
  EXPECT_EQ(authority_report(project), "");
}

// A player sets its authority to the peer id in its name.
TEST_F(InferredAuthority, PeerInTheNodeNameIsTheAuthority) {
  const fs::path project = copy_of(projects / "arena", "named_authority");
  for (const fs::directory_entry &each : fs::recursive_directory_iterator(project)) {
    if (each.path().extension() == ".gd") replace_in(each.path(), "set_multiplayer_authority", "print");
  }
  std::ofstream(project / "players" / "player.gd", std::ios::app)
      << "\n\nfunc _enter_tree() -> void:\n\tset_multiplayer_authority(str(name).to_int())\n";
  node = "Main/Players/77";
  EXPECT_EQ(authority_report(project), "");
  exchange = Exchange();
  client_seq = 0;
  node = "Main/Players/78";
  EXPECT_EQ(authority_report(project), rejected_call("peer 78") + " (a problem)");
}

TEST_F(InferredAuthority, ValuesOfOtherNodesDoNotCount) {
  client(simplify_path(2, "Main/Players/P7/State", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  server_calls();
  EXPECT_EQ(authority_report(), uncertain_call());
}

TEST_F(InferredAuthority, SenderOfTheParentsValuesIsTheAuthority) {
  node = "Main/Players/P77/Ship/Gun";
  client(simplify_path(2, "Main/Players/P77/State", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  server_calls();
  EXPECT_EQ(authority_report(), "");
}

// A script may make another peer the authority of a child of the server's node.
TEST_F(InferredAuthority, IsUncertainForAChildOfANodeOfAnotherPeer) {
  node = "Main/Players/P77/Ship/Gun";
  server_spawns();
  server(sync_of_position(6));
  EXPECT_EQ(authority_report(), uncertain_call());
}

// The server has authority over the synchronizer until a script changes the authority, right after the spawn.
TEST_F(InferredAuthority, SpawnAloneDoesNotMakeTheServerTheAuthority) {
  server_spawns();
  EXPECT_EQ(authority_report(), "");
}

TEST_F(InferredAuthority, SenderOfASpawnedNodesValuesIsTheAuthority) {
  server_spawns();
  client(simplify_path(2, "Main/Players/P77/State", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  server_calls();
  EXPECT_EQ(authority_report(), "");
}

// The client has authority over the inputs only.
TEST_F(InferredAuthority, ServerIsTheAuthorityIfItSendsTheNodesValues) {
  server_spawns();
  server(sync_of_position(6));
  client(simplify_path(2, "Main/Players/P77/Input", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  EXPECT_EQ(authority_report(), rejected_call("the server") + " (a problem)");
}

TEST_F(InferredAuthority, IsUncertainIfBothHaveSentTheNodesValues) {
  server_spawns();
  server(sync_of_position(6));
  client(simplify_path(2, "Main/Players/P77/State", "d41d8cd98f00b204e9800998ecf8427e"));
  client(sync_of_position(2 | by_path));
  server_calls();
  EXPECT_EQ(authority_report(), uncertain_call());
}

}  // namespace
}  // namespace godot_codec::test
