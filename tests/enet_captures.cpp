// SPDX-License-Identifier: GPL-2.0-or-later
#include "enet_captures.h"

#include <glib.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>

namespace godot_codec::test::enet {

std::string md5(const std::string &bytes) {
  const std::unique_ptr<gchar, void (*)(gpointer)> text(
      g_compute_checksum_for_data(G_CHECKSUM_MD5, reinterpret_cast<const guchar *>(bytes.data()), bytes.size()),
      g_free);
  return text.get();
}

std::int64_t number(const std::string &text, std::int64_t otherwise) {
  return text.empty() ? otherwise : std::stoll(text, nullptr, 0);
}

std::int64_t child_number(const Item &item, std::string_view name) { return number(item.child_text(name)); }

std::int64_t nanoseconds(std::string text) {
  std::erase(text, '.');
  return text.empty() ? -1 : std::stoll(text);
}

std::vector<Capture> captures() {
  std::vector<Capture> found;
  for (const fs::directory_entry &entry : fs::directory_iterator(GODOT_CAPTURES_DIR)) {
    if (entry.path().extension() != ".pcapng") continue;
    const std::string name = entry.path().filename().replace_extension().string();
    const std::size_t engine = name.find("_godot");
    const auto *const known = std::ranges::find(scenarios, name.substr(0, engine), &Scenario::name);
    if (known == std::end(scenarios)) continue;
    found.push_back({entry.path(), name, *known, name.substr(engine + 6)});
  }
  std::ranges::sort(found, {}, &Capture::name);
  return found;
}

Capture named_capture(std::string_view name) {
  for (const Capture &capture : captures()) {
    if (capture.name == name) return capture;
  }
  ADD_FAILURE() << name;
  return {};
}

Expectations read_expectations(fs::path path) {
  Expectations all;
  for (const std::string &line : lines_of(read_file(path.replace_extension(".expected")))) {
    Texts columns = split(line, '\t');
    columns.resize(5);
    if (columns[0] == "enet") {
      all.packets.push_back({columns[1], columns[2], columns[3], columns[4], "", ""});
    } else if (columns[0] == "packet") {
      EXPECT_EQ(all.packets.back().from, columns[1]);
      all.packets.back().kind = columns[2];
      all.packets.back().content = columns[3];
    } else if (columns[0] == "value") {
      if (!columns[1].empty()) all.packets.back().content += "\n" + columns[1] + ":" + columns[3];
    } else if (columns[0] == "received") {
      all.received.insert(line.substr(9));
    } else if (columns[0] == "rtt") {
      all.round_trips.push_back({columns[1], columns[3], std::stod(columns[2])});
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_GT(all.packets.size(), 5U);
  EXPECT_GT(all.received.size(), 5U);
  return all;
}

std::vector<Command> commands_of(const Item &enet) {
  std::vector<Command> commands;
  for (const Item &part : enet.children) {
    if (part.child("enet.command") == nullptr) continue;
    Command command;
    command.part = &part;
    command.type = static_cast<int>(child_number(part, "enet.command"));
    command.channel = child_number(part, "enet.channel");
    command.seq = child_number(part, "enet.reliable_seq");
    command.is_reliable = is_true(part.child_text("enet.flags.acknowledge"));
    command.is_retransmission = is_true(part.child_text("enet.retransmission"));
    commands.push_back(command);
  }
  return commands;
}

std::vector<PassedMessage> passed_messages_of(const Item &details) {
  std::vector<PassedMessage> passed_on;
  bool is_inside = false;
  for (const Item &layer : details.children) {
    if (layer.name == "enet") {
      is_inside = true;
    } else if (is_inside && layer.name == "godot") {
      passed_on.push_back({&layer, true});
    } else if (is_inside) {
      walk(layer, [&passed_on](const Item &item) {
        if (item.name == "data.data") passed_on.push_back({&item, false});
        return true;
      });
    }
  }
  return passed_on;
}

namespace {

// Parses tshark -x: bytes in hexadecimal, an empty line after each frame, and a title for each block if a frame has
// several.
std::vector<std::vector<Source>> read_sources(const fs::path &capture, const Texts &options) {
  std::vector<std::vector<Source>> frames(1);
  for (const std::string &line : lines_of(tshark(capture, options + Texts{"-x"}))) {
    const bool is_bytes = line.size() > 6 && line.find_first_not_of("0123456789abcdef") >= 4 && line.find("  ") >= 4 &&
                          line.find("  ") == line.find(' ');
    if (line.empty()) {
      frames.emplace_back();
    } else if (!is_bytes) {
      frames.back().push_back({line, ""});
    } else {
      if (frames.back().empty()) frames.back().push_back({"Frame", ""});
      std::istringstream words(line.substr(line.find("  ") + 2, 3UL * 16));
      for (std::string word; words >> word;) frames.back().back().bytes += hex(word);
    }
  }
  if (frames.back().empty()) frames.pop_back();
  return frames;
}

std::string endpoint(const std::string &port) {
  if (port == "50001") return "client";
  return port == "50002" ? "client2" : "server";
}

}  // namespace

std::unique_ptr<Reading> read(const fs::path &capture, const Texts &options) {
  auto reading = std::make_unique<Reading>();
  reading->frames = read_details(capture, options + Texts{"-2"});
  const std::vector<std::vector<Source>> sources = read_sources(capture, options);
  EXPECT_EQ(sources.size(), reading->frames.size());
  for (std::size_t i = 0; i < reading->frames.size(); ++i) {
    const Item &frame = reading->frames[i];
    const Item *const udp = frame.child("udp");
    EXPECT_NE(udp, nullptr) << i + 1;
    EXPECT_NE(frame.child("enet"), nullptr) << i + 1;
    if (udp == nullptr || frame.child("enet") == nullptr) continue;
    Datagram datagram;
    datagram.frame = i + 1;
    datagram.time = nanoseconds(frame.child("geninfo")->child("timestamp")->bytes);
    datagram.from = endpoint(udp->child_text("udp.srcport"));
    datagram.to = endpoint(udp->child_text("udp.dstport"));
    datagram.client_port = udp->child_text(datagram.is_from_server() ? "udp.dstport" : "udp.srcport");
    datagram.details = &frame;
    datagram.udp_payload = udp->child("udp.payload");
    datagram.enet = frame.child("enet");
    if (i < sources.size()) datagram.sources = sources[i];
    datagram.commands = commands_of(*datagram.enet);
    datagram.passed_on = passed_messages_of(frame);
    reading->datagrams.push_back(datagram);
  }
  return reading;
}

const Reading &reading_of(const Capture &capture) {
  static std::map<std::string, std::unique_ptr<Reading>> readings;
  std::unique_ptr<Reading> &reading = readings[capture.name];
  if (reading == nullptr) reading = read(capture.path, ports);
  return *reading;
}

bool carries_data(const Command &command) {
  return command.type == send_reliable || command.type == send_unreliable || command.type == send_unsequenced;
}

bool is_fragment(const Command &command) {
  return command.type == send_fragment || command.type == send_unreliable_fragment;
}

std::vector<Message> messages_of(const Datagram &datagram) {
  SCOPED_TRACE("frame " + std::to_string(datagram.frame));
  std::vector<Message> messages;
  std::size_t next = 0;
  for (const Command &command : datagram.commands) {
    Message message{command.channel, command.type, "", {}};
    const Item *place = nullptr;  // the item that covers the message in its source
    if (carries_data(command) && !command.is_retransmission) {
      const std::size_t source = datagram.is_compressed() ? 1 : 0;
      const Item *const data = command.part->child("enet.data");
      EXPECT_EQ(data == nullptr || data->size == 0, command.value("enet.data_length") == 0) << command.label();
      if (data != nullptr && source < datagram.sources.size()) {
        EXPECT_EQ(static_cast<std::int64_t>(data->size), command.value("enet.data_length"));
        message.bytes = datagram.sources[source].bytes.substr(data->position, data->size);
        place = data;
      }
    } else if (is_fragment(command) && find_item(*command.part, "enet.reassembled.length") != nullptr) {
      const Item *const data = find_item(*command.part, "enet.reassembled.data");
      EXPECT_NE(data, nullptr) << command.label();
      if (data != nullptr) message.bytes = hex(data->bytes);
      EXPECT_EQ(find_item(*command.part, "enet.reassembled.length")->show, std::to_string(message.bytes.size()));
      EXPECT_EQ(command.value("enet.fragment.total_length"), static_cast<std::int64_t>(message.bytes.size()));
    } else {
      continue;
    }
    if (!message.bytes.empty()) {
      EXPECT_LT(next, datagram.passed_on.size()) << command.label() << " was not handed on";
      if (next < datagram.passed_on.size()) {
        message.passed_on = datagram.passed_on[next++];
        const Item &item = *message.passed_on->item;
        EXPECT_EQ(item.size, message.bytes.size()) << command.label();
        if (place != nullptr) {
          EXPECT_EQ(item.position, place->position) << command.label();
        }
        if (!message.passed_on->is_godot) {
          EXPECT_EQ(item.bytes, to_hex(message.bytes));
        }
      }
    }
    messages.push_back(message);
  }
  EXPECT_EQ(next, datagram.passed_on.size()) << "handed on more than arrived";
  return messages;
}

std::vector<const Item *> fields_with_bytes(const Item &item) {
  std::vector<const Item *> fields;
  for (const Item &child : item.children) {
    if (child.size > 0 && child.name.starts_with("enet.") && child.name != "enet.fragments") fields.push_back(&child);
  }
  return fields;
}

void expect_commands_tiled(const Item &enet, std::size_t begin, std::size_t end) {
  std::size_t position = begin;
  for (const Item &part : enet.children) {
    if (part.name == "enet.padding" || part.name == "enet.undecoded") position += part.size;
    if (part.child("enet.command") == nullptr) continue;
    const std::size_t start = position;
    std::size_t last = start;  // start of the bit fields
    for (const Item *field : fields_with_bytes(part)) {
      const bool is_bits = field->name.starts_with("enet.flags.") || field->name == "enet.command";
      if (is_bits && last == start && field->position == start) {
        position = start + field->size;
        continue;
      }
      EXPECT_EQ(field->position, position) << field->name << " of " << part.label;
      position = field->position + field->size;
      last = field->position;
    }
    EXPECT_EQ(part.size, position - start) << part.label;
  }
  EXPECT_EQ(position, end);
}

std::map<std::string, double> mean_round_trips(const std::vector<Datagram> &datagrams) {
  std::map<std::string, double> means;
  for (const Datagram &datagram : datagrams) {
    for (const Command &command : datagram.commands) {
      if (command.type != acknowledge || command.part->child("enet.rtt") == nullptr) continue;
      const double sample = static_cast<double>(nanoseconds(command.part->child_text("enet.rtt"))) / 1e6;
      const std::string key =
          std::to_string(datagram.stream()) + " " + (datagram.is_from_server() ? "client" : "server");
      const auto [mean, is_first] = means.emplace(key, sample);
      if (!is_first) mean->second += (sample - mean->second) / 8;
    }
  }
  return means;
}

void expect_round_trips(const std::vector<Datagram> &datagrams, const std::vector<Expectations::RoundTrip> &expected,
                        double tolerance, bool is_clients_side) {
  const std::map<std::string, double> means = mean_round_trips(datagrams);
  std::map<std::string, int> next = {{"client", 0}, {"client2", 1}};  // stream numbers
  std::map<std::string, int> count;
  for (const Expectations::RoundTrip &each : expected) {
    const std::string client = each.from == "server" ? each.to : each.from;
    const int stream = next.at(client) + count[each.from + each.to]++ * 2;
    const std::string side = each.from == "server" ? "server" : "client";
    // A capture on the clients' side does not show how long the server waits.
    if (is_clients_side && side == "server") continue;
    const auto mean = means.find(std::to_string(stream) + " " + side);
    ASSERT_NE(mean, means.end()) << stream << side;
    EXPECT_NEAR(mean->second, each.milliseconds, tolerance) << "stream " << stream << " by the " << side;
  }
}

Texts passed_texts(const Item &frame) {
  Texts texts;
  for (const PassedMessage &passed_on : passed_messages_of(frame)) {
    texts.push_back(passed_on.is_godot ? "godot " + std::to_string(passed_on.item->size) : hex(passed_on.item->bytes));
  }
  return texts;
}

Texts all_passed_texts(const std::vector<Item> &frames) {
  Texts texts;
  for (const Item &frame : frames) texts = texts + passed_texts(frame);
  return texts;
}

bool has(const Item &frame, std::string_view field) { return find_item(frame, field) != nullptr; }

std::size_t count_of(const std::vector<Item> &frames, std::string_view field) {
  std::size_t count = 0;
  for (const Item &frame : frames) count += find_all(frame, field).size();
  return count;
}

const Item &enet_of(const Item &frame) {
  static const Item none;
  const Item *const enet = frame.child("enet");
  EXPECT_NE(enet, nullptr);
  return enet == nullptr ? none : *enet;
}

std::string unclaimed_bytes(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(0x80 | (generator() & 0x7f));
  return bytes;
}

std::vector<Capture> selected_captures() {
  std::vector<Capture> found = captures();
  std::erase_if(found, [](const Capture &capture) {
    const bool is_default_of_godot_3 = capture.name == "enet_range_coder_godot3.6";
    return capture.version != "4.6" && !capture.is_lossy() && !is_default_of_godot_3;
  });
  return found;
}

}  // namespace godot_codec::test::enet
