// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// ENet captures of real engines, the engines' own records of them (captures/README.md), and tshark's output with the
/// plugin: shared by the tests of several subjects.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "enet_exchange.h"
#include "tables.h"
#include "text_multiset.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test::enet {

namespace fs = std::filesystem;

// --- Texts and numbers -----------------------------------------------------------------------------------------

std::string md5(const std::string &bytes);
std::int64_t number(const std::string &text, std::int64_t otherwise = -1);
std::int64_t child_number(const Item &item, std::string_view name);
/// Seconds with nine decimals, in nanoseconds.
std::int64_t nanoseconds(std::string text);

// --- Captures --------------------------------------------------------------------------------------------------

struct Scenario {
  std::string_view name;
  int port;
  std::string_view compression;  // as the tree shows it; empty for no compression
  std::string_view preference;   // the value of enet.compression
};

inline constexpr Scenario scenarios[] = {
    {"enet_none", 5020, "", "none"},           {"enet_range_coder", 5021, "range coder", "range_coder"},
    {"enet_fastlz", 5022, "FastLZ", "fastlz"}, {"enet_zlib", 5023, "zlib", "zlib"},
    {"enet_zstd", 5024, "Zstandard", "zstd"},  {"enet_loss", 5025, "", "none"},
};

struct Capture {
  fs::path path;
  std::string name;  // <scenario>_godot<version>
  Scenario scenario;
  std::string version;

  [[nodiscard]] bool is_godot3() const { return version.starts_with('3'); }
  [[nodiscard]] bool is_lossy() const { return scenario.name == "enet_loss"; }
};

inline std::ostream &operator<<(std::ostream &stream, const Capture &capture) { return stream << capture.name; }

std::vector<Capture> captures();
Capture named_capture(std::string_view name);

inline const fs::path libenet_capture = fs::path(GODOT_CAPTURES_DIR) / "enet_libenet.pcapng";
inline const Texts with_checksum = ports + Texts{"-o", "enet.checksum:TRUE"};

// What the engine recorded.
struct Expectations {
  struct Packet {
    std::string from;
    std::string channel;
    std::string flags;
    std::string size;
    std::string kind;
    std::string content;  // for `var`: the type of its root, then path and value of each leaf; otherwise hexadecimal
  };
  struct RoundTrip {
    std::string from;
    std::string to;
    double milliseconds;
  };
  std::vector<Packet> packets;
  TextMultiset received;  // peer, channel, size, MD5
  std::vector<RoundTrip> round_trips;
};

Expectations read_expectations(fs::path path);

// --- Output of the plugin --------------------------------------------------------------------------------------

struct Command {
  const Item *part = nullptr;
  int type = 0;
  std::int64_t channel = 0;
  std::int64_t seq = 0;
  bool is_reliable = false;
  bool is_retransmission = false;

  [[nodiscard]] std::int64_t value(const char *field) const { return child_number(*part, field); }
  [[nodiscard]] std::string label() const { return part->label; }
};

// A message as it was passed to the next dissector.
struct PassedMessage {
  const Item *item = nullptr;  // the layer of godot, or the bytes that the data dissector shows
  bool is_godot = false;
};

struct Message {
  std::int64_t channel = 0;
  int type = 0;
  std::string bytes;
  std::optional<PassedMessage> passed_on;  // nullopt for an empty message
};

// A block of bytes as tshark -x prints it: the frame, or decompressed or reassembled data.
struct Source {
  std::string title;
  std::string bytes;
};

struct Datagram {
  std::size_t frame = 0;
  std::int64_t time = 0;  // in nanoseconds
  std::string from;
  std::string to;
  std::string client_port;
  const Item *details = nullptr;
  const Item *udp_payload = nullptr;
  const Item *enet = nullptr;
  std::vector<Source> sources;
  std::vector<Command> commands;
  std::vector<PassedMessage> passed_on;

  [[nodiscard]] std::int64_t stream() const { return child_number(*enet, "enet.stream"); }
  [[nodiscard]] bool is_compressed() const { return is_true(enet->child_text("enet.compressed")); }
  [[nodiscard]] bool is_from_server() const { return from == "server"; }
};

struct Reading {
  std::vector<Item> frames;
  std::vector<Datagram> datagrams;
};

/// Commands are numbered from 1. A part that is no command does not have this field.
std::vector<Command> commands_of(const Item &enet);
std::vector<PassedMessage> passed_messages_of(const Item &details);
/// Reads a capture of an engine in two passes, so that the items include links to later frames.
std::unique_ptr<Reading> read(const fs::path &capture, const Texts &options);
const Reading &reading_of(const Capture &capture);
bool carries_data(const Command &command);
bool is_fragment(const Command &command);
/// Returns the messages that a datagram completes, according to its commands, and checks that each was passed on.
std::vector<Message> messages_of(const Datagram &datagram);

/// Returns the fields of a command or header that cover bytes. Generated fields have no size.
std::vector<const Item *> fields_with_bytes(const Item &item);
/// Expects that the commands, and their fields, cover the bytes from begin to end without gaps.
void expect_commands_tiled(const Item &enet, std::size_t begin, std::size_t end);
/// Returns the mean round-trip times as ENet computes them, in milliseconds, by stream and measuring side.
std::map<std::string, double> mean_round_trips(const std::vector<Datagram> &datagrams);
void expect_round_trips(const std::vector<Datagram> &datagrams, const std::vector<Expectations::RoundTrip> &expected,
                        double tolerance, bool is_clients_side);

// --- Handmade datagrams ----------------------------------------------------------------------------------------

/// Returns the messages that a frame passes on, as bytes. For messages that godot gets, only the length is known.
Texts passed_texts(const Item &frame);
Texts all_passed_texts(const std::vector<Item> &frames);
bool has(const Item &frame, std::string_view field);
std::size_t count_of(const std::vector<Item> &frames, std::string_view field);
const Item &enet_of(const Item &frame);
/// Returns bytes that no heuristic accepts.
std::string unclaimed_bytes(std::size_t size, unsigned seed = 1);

inline constexpr Limits modest_limits = {120, std::size_t{1} << 30};

// --- Tests of one capture --------------------------------------------------------------------------------------

class EveryEnetCapture : public testing::TestWithParam<Capture> {
 protected:
  [[nodiscard]] static const Capture &capture() { return GetParam(); }
  [[nodiscard]] static const std::vector<Datagram> &datagrams() { return reading_of(GetParam()).datagrams; }

  // All checks are in one test, because they read the same details. Otherwise tshark would run for each of them.
  static Texts statistics();
  static void is_enet_without_fault();
  static void finds_the_compression();
  static void has_every_byte_under_an_item();
  static void has_nothing_but_registered_fields();
  static void shows_every_message_that_arrived_once();
  static void shows_variants_as_godot_and_the_rest_as_data();
  static void has_three_connections();
  static void shows_the_handshake();
  static void shows_sessions_and_peers_as_the_handshake_gave_them();
  static void shows_how_sessions_end();
  static void shows_godot_3s_own_messages_as_data();
  static void links_acknowledgements_and_commands();
  static void has_the_round_trip_times_that_the_engine_measured();
  static void marks_retransmissions();
  static void counts_gaps();
  static void has_a_row_for_each_client();
  static void can_be_followed();
};

/// Captures for checks that run tshark often: one for each compression, engine generation and lossy link.
class SelectedEnetCaptures : public EveryEnetCapture {};

std::vector<Capture> selected_captures();

}  // namespace godot_codec::test::enet
