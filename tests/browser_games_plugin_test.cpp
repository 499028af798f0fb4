// SPDX-License-Identifier: GPL-2.0-or-later
// Games in a browser, over WebRTC and WebSocket, with the keys in the capture and nothing set
// (captures/record_browser.sh): every message that the peers got is shown, once, with its sender, its receiver, its
// node and its values.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bag.h"
#include "browser_told.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

const Texts with_names = {"-2", "-o", std::string("godot_mp.project:") + GODOT_CAPTURES_DIR + "/projects/web"};

std::string joined(const std::vector<std::string> &texts) {
  std::string text;
  for (const std::string &each : texts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// The property that a synchronizer of the project sends.
std::string property_of(const std::string &kind, const std::string &node) {
  if (node == "Main/Clock") return kind == "sync" ? "seconds" : "phase";
  return kind == "sync" ? "position" : "hp";
}

// Messages as they came to their receivers: `20002>1 sync Main/Players/20002:position=(1, 2.5)`.
Bag told_messages(const std::string &name) {
  Bag messages;
  for (const Told &told : read_told(name)) {
    if (!told.contains("from")) continue;
    const std::string route = told.at("from") + ">" + told.at("me") + " ";
    if (told.contains("arguments")) {
      const std::string arguments = joined(values_of(hex(told.at("arguments"))));
      messages.insert(route + "RPC Main/World." + told.at("got") + "(" + arguments + ")");
    }
    if (told.contains("bytes")) messages.insert(route + "bytes " + told.at("bytes"));
    for (const std::string kind : {"spawned", "despawned"}) {
      if (told.contains(kind)) messages.insert(route + kind + " " + told.at(kind));
    }
    for (const std::string kind : {"sync", "delta"}) {
      if (!told.contains(kind)) continue;
      const std::string node = told.at(kind);
      messages.insert(route + kind + " " + node + ":" + property_of(kind, node) + "=" +
                      joined(values_of(hex(told.at("values")))));
    }
  }
  return messages;
}

void add_properties(const Item &layer, const std::string &beginning, Bag &messages) {
  const std::vector<std::string> paths = find_all(layer, "godot_mp.property_full_path");
  const std::vector<std::string> values = find_all(layer, "godot.value");
  ASSERT_EQ(paths.size(), values.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string &value = values[i];
    messages.insert(beginning + paths[i] + "=" + (value.starts_with("Vector2") ? value.substr(7) : value));
  }
}

// A relayed message is shown on its way to the server, too: only what comes to its receiver counts.
void add_message(const Item &layer, Bag &messages) {
  std::string summary = layer.child_text("godot_mp.summary");
  if (summary.starts_with("To ")) return;
  if (summary.starts_with("From ")) summary = summary.substr(summary.find(": ") + 2);
  const std::string route = layer.child_text("godot_mp.sender") + ">" + layer.child_text("godot_mp.receiver") + " ";
  const std::string kind = find_all(layer, "godot_mp.command").back();
  if (kind == "rpc") messages.insert(route + summary);
  if (kind == "sync" || kind == "delta") add_properties(layer, route + kind + " ", messages);
  if (kind == "spawn" || kind == "despawn") {
    messages.insert(route + kind + "ed Main/Players/" + find_all(layer, "godot_mp.node").front());
  }
  for (std::string bytes : find_all(layer, "godot_mp.data")) {
    std::erase(bytes, ':');
    if (kind == "raw") messages.insert(route + "bytes " + bytes);
  }
}

Bag shown_messages(const std::string &name) {
  Bag messages;
  for (const Item &frame : read_details(web_data(name + ".pcapng"), with_names + Texts{"-Y", "godot_mp"})) {
    for (const Item &layer : frame.children) {
      if (layer.name == "godot_mp") add_message(layer, messages);
    }
  }
  return messages;
}

// A capture, and how many messages its peers have told of.
struct WebGame {
  std::string name;
  std::size_t count;
};

class WebGameTest : public testing::TestWithParam<WebGame> {};

TEST_P(WebGameTest, EveryMessageIsReadAsItsReceiverGotIt) {
  const Bag told = told_messages(GetParam().name);
  const Bag shown = shown_messages(GetParam().name);
  EXPECT_EQ(told.size(), GetParam().count);
  EXPECT_TRUE(without(told, shown).empty()) << some_of(without(told, shown));
  EXPECT_TRUE(without(shown, told).empty()) << some_of(without(shown, told));
}

INSTANTIATE_TEST_SUITE_P(all, WebGameTest,
                         testing::Values(WebGame{"web_star", 72}, WebGame{"web_moved", 24}, WebGame{"web_mesh", 269},
                                         WebGame{"web_nodes", 274}, WebGame{"web_log", 266},
                                         WebGame{"web_deflate", 72}),
                         [](const auto &info) { return info.param.name; });

// Both are compressed, and what the client sends is masked, too.
TEST(DeflatedWebSocketTest, TextAndBytesAreToldApart) {
  Bag told;
  for (const Told &each : read_told("web_deflate")) {
    if (!each.contains("bytes")) continue;
    const std::string size = std::to_string(each.at("bytes").size() / 2);
    told.insert(each.at("is_text") == "true" ? "text" : size + " bytes");
  }
  Bag shown;
  const Texts options = {"-2", "-Y", "websocket.opcode in {1, 2} and not godot_mp"};
  for (const Item &frame : read_details(web_data("web_deflate.pcapng"), options)) {
    std::string kind;
    for (const Item &layer : frame.children) {
      if (layer.name == "websocket" && find_all(layer, "websocket.opcode").front() == "1") kind = "text";
      if (layer.name == "godot") kind += std::to_string(layer.size) + " bytes";
    }
    shown.insert(kind);
  }
  EXPECT_EQ(told.size(), 36U);
  EXPECT_EQ(shown, told) << some_of(without(shown, told));
}

}  // namespace
}  // namespace godot_codec::test
