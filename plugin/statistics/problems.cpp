// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/problems.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/epan/endpoints.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/problem.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

// Rows beyond so many are not added: whoever sends packets chooses how many there are.
constexpr std::size_t max_rows = 1000;
constexpr std::size_t max_keys = 8 * max_rows;
// Frames of a row beyond so many are only counted.
constexpr std::size_t max_frames = 2000;
// So are names and ends, and texts of a row.
constexpr std::size_t most_kept = 1000;
constexpr std::size_t most_texts = 64;

// Which of a cause's items have a row in common.
enum class Merge : std::uint8_t {
  subjects,  // those about the same thing, and those that differ in numbers alone and have an end in common
  peers,     // those about the same thing, and those from one peer to another
  all,
};

// Why a game does not work. %s in the words stands for what the problem is about; null: the expert item's own text says
// it best.
struct Cause {
  const char *words;
  std::array<const char *, 3> fields;  // the expert items that tell of it; the rest is null
  const char *advice;                  // tells what to do about it
  Merge merge = Merge::subjects;
  bool names_most = false;       // the words name what most items are about
  const char *plural = nullptr;  // words for several; %u stands for how many
  const char *filter = nullptr;  // finds the messages that the items tell of; null: the items' own field does
};

// A page of the documentation: installed with the plugin, and in the repository if its address is known.
#ifdef GODOT_PROJECT_URL
#define GODOT_PAGE(name) "doc/" name " at " GODOT_PROJECT_URL
#else
#define GODOT_PAGE(name) "doc/" name " of the plugin"
#endif

constexpr const char *advice_of_others =
    "Select one of its frames: the packet details show the bytes that do not match.";

// The texts of an empty table. They change with what is known, when the table stands already.
struct Verdict {
  std::array<char, 240> text;
  std::array<char, 800> advice;
};
Verdict verdict;

// Facts that an empty table tells. The newest pass says whether there were problems: the first one may have told of
// what turned out otherwise.
struct Known {
  bool is_any_frame_ours = false;
  bool are_calls_ours = false;
  bool is_later_pass = false;
  bool is_told_first = false;
  bool is_told_later = false;
  MessageCounts counts;
  std::string scripts;  // counts of the game's folder; empty: there is none
  std::string dark;     // says what cannot be read and may be a game's; empty: there is nothing
};
Known known_of_capture;

void set_verdict(const std::string &text, const std::string &advice) {
  g_strlcpy(verdict.text.data(), text.c_str(), verdict.text.size());
  g_strlcpy(verdict.advice.data(), advice.c_str(), verdict.advice.size());
}

// "2,310 messages", "1 message"
std::string counted(std::uint64_t number, const char *what) {
  constexpr std::ptrdiff_t group = 3;
  std::string text = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(text) - group; place > 0; place -= group) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text + " " + what + (number == 1 ? "" : "s");
}

std::string describe_checks(const MessageCounts &counts) {
  return counted(counts.calls, "call") + ", " + counted(counts.values, "value") + " and " +
         counted(counts.spawns, "spawn") + " were compared with the project folder.";
}

// Godot sends a node's path once, to a peer that has just connected or calls the node for the first time.
std::string describe_unknown_nodes(const MessageCounts &counts) {
  if (counts.unknown_nodes == 0) return {};
  return counted(counts.unknown_nodes, "reference") +
         " to nodes could not be resolved, because the paths are not in the recording (#1): start recording before the "
         "game connects. ";
}

void judge_capture() {
  const Known &known = known_of_capture;
  if (!known.is_any_frame_ours && !known.dark.empty()) {
    return set_verdict("No Godot or ENet traffic was detected, and " + known.dark,
                       "If this is the game: " GODOT_PAGE(
                           "recording.md") " explains how to get keys. Start recording before the game connects.");
  }
  if (!known.is_any_frame_ours) {
    return set_verdict(
        "No Godot or ENet traffic was detected",
        "Record on the interface that the game uses (loopback on one machine). If you did, set the port of the game in the preferences of Godot or ENet.");
  }
  // A frame that has a problem is in a row, unless a filter keeps it away.
  if (known.is_later_pass ? known.is_told_later : known.is_told_first) {
    return set_verdict("No problems match this filter", "Clear the filter to list all problems.");
  }
  const bool has_folder = !known.scripts.empty();
  set_verdict("No problems found in " + counted(known.counts.messages, "message") +
                  (known.are_calls_ours && !has_folder
                       ? " (without the project folder: arguments and names of calls are not checked)"
                       : ""),
              describe_unknown_nodes(known.counts) +
                  (has_folder ? describe_checks(known.counts)
                              : "With the project folder (Preferences, Protocols, GodotMP), calls are checked against "
                                "the scripts, too.") +
                  " If the game does not work: doc/recipes.md, What a capture cannot show." +
                  (has_folder ? " Project folder: " + known.scripts : ""));
}

void note_told(const packet_info *pinfo) {
  bool &is_told = PINFO_FD_VISITED(pinfo) ? known_of_capture.is_told_later : known_of_capture.is_told_first;
  if (is_told) return;
  is_told = true;
  judge_capture();
}

constexpr const char *advice_of_refusals =
    "Start the server before the client, with WebSocketMultiplayerPeer.create_server() at this port.";

// By weight: what keeps others from happening comes first, ends last, as every game has them.
constexpr Cause causes[] = {
    {"WebRTC that cannot be read: %s. See " GODOT_PAGE("browser.md"),
     {"godot_webrtc.undecrypted"},
     "Start the browser with SSLKEYLOGFILE set, start recording before the game connects, and open the capture in Wireshark 4.4 or later; or use the log of Chromium."},
    {"DTLS that cannot be read: %s. See " GODOT_PAGE("recording.md"),
     {"enet.undecrypted"},
     "Record again with keys, or for a test without dtls_server_setup() and dtls_client_setup()."},
    {"TLS that cannot be read: %s. See " GODOT_PAGE("recording.md"),
     {"godot_websocket.undecrypted"},
     "Record again with keys (SSLKEYLOGFILE of a browser), or for a test with ws:// on both sides."},
    {"WebSocket messages cannot be decompressed any more: %s",
     {"godot_websocket.undecodable"},
     "Record again without lost frames: with dumpcap, with a capture filter, or with a server that does not compress."},
    {nullptr,
     {"godot_mp.project_unreadable"},
     "Set the preference godot_mp.project to the folder with project.godot, or to an export without encryption."},
    {nullptr, {"enet.unanswered_connect"}, "Does the server run at that port, with the UDP port open in the firewall?"},
    {nullptr,
     {"godot_websocket.tls_mismatch"},
     "Use wss:// and TLSOptions.server(), or ws:// and no TLSOptions, on both sides."},
    {nullptr,
     {"godot_websocket.tls_refused"},
     "Call create_client(url, TLSOptions.client(certificate)) with the certificate of the server, for the host in the URL; in a test use TLSOptions.client_unsafe()."},
    {nullptr, {"godot_websocket.forbidden"}, "Allow this origin in the server or its proxy."},
    {nullptr,
     {"godot_websocket.refused"},
     "Check the path of the URL. Does the proxy of the server pass on \"Upgrade\" and \"Connection\"?"},
    {nullptr,
     {"godot_websocket.subprotocol_mismatch"},
     "Set the same supported_protocols on both sides, before the client connects."},
    {nullptr,
     {"godot_websocket.unanswered"},
     "Call WebSocketMultiplayerPeer.create_server() on the server and poll the peer. If it has TLSOptions.server(), the URL of the client must begin with wss://."},
    {"The two sides use different engine versions: neither understands the other",
     {"godot.dialect.mixed"},
     "Run the same release of the engine on both sides."},
    {"StreamPeer.big_endian is true on this side and false on the other: neither can read the packets of the other",
     {"godot.length.big_endian.differs"},
     "Set the same big_endian on both sides, before the first packet."},
    {"StreamPeer.big_endian is true on this side, and no Variant comes back: is it true on the other side, too?",
     {"godot.length.big_endian.unanswered"},
     "Set the same big_endian on both sides, before the first packet."},
    {nullptr,
     {"godot.missing_length"},
     "Send with put_var() and receive with get_var() of StreamPeerTCP or PacketPeerStream."},
    {nullptr,
     {"enet.peer_timeout"},
     "Load scenes with ResourceLoader.load_threaded_request(), or allow longer stalls with ENetPacketPeer.set_timeout()."},
    {nullptr,
     {"godot_mp.authentication"},
     "Both sides need an auth_callback; each calls send_auth(), and complete_auth() if the received data is right."},
    {nullptr,
     {"godot_mp.unresponsive"},
     "Set multiplayer.multiplayer_peer on that side, and make sure that the SceneTree polls the peer."},
    {nullptr,
     {"godot_mp.raw_text"},
     "Send it with SceneMultiplayer.send_bytes() or an RPC, or on a separate peer without a MultiplayerAPI."},
    {nullptr,
     {"godot_mp.call_flood"},
     "Call it on changes or a few times per second only, and do not let two methods call each other."},
    {"The RPC methods of %s differ between the two sides: both need the same scripts",
     {"godot_mp.checksum_failed", "godot_mp.after_checksum_failure"},
     "Export server and client from the same project: each node needs the same @rpc methods on both sides."},
    {"%s spawns a scene that is not in its Auto Spawn List in the project folder: peers with that list cannot spawn it",
     {"godot_mp.unlisted_scene"},
     "Add the scene to the Auto Spawn List, or call add_spawnable_scene() on both sides, in the same order."},
    {"The receiver had no node %s when its path arrived: what was sent with the path is lost",
     {"godot_mp.unconfirmed_path"},
     "The receiver needs a node of this path before the first call. Is the node added later there, or with another parent or name?",
     Merge::peers,
     false,
     "The receiver had no nodes %s when their paths arrived: what was sent with the paths is lost"},
    {"The synchronized values of %s do not match the project folder: one side has another version of the scene and assigns them to the wrong properties, or drops them",
     {"godot_mp.property_mismatch"},
     "Export server and client from the same project: the replication config of the synchronizer must be the same on both sides."},
    {"Two peers both act as the authority of %s: Godot ignores the updates of one of them",
     {"godot_mp.authority_conflict"},
     "Call set_multiplayer_authority() with the ID of the same peer on all peers, not with get_unique_id().",
     Merge::all,
     false,
     "Several peers act as the authority of %s: Godot ignores the updates of all except one"},
    {nullptr,
     {"godot_mp.no_sync"},
     "Call set_multiplayer_authority() with the same ID on all peers, in _enter_tree()."},
    {nullptr,
     {"godot_mp.sync_stopped"},
     "Call set_multiplayer_authority() on all peers, for example in an RPC with \"call_local\"."},
    {nullptr,
     {"godot_mp.auto_generated_name"},
     "Give the node the same name on all peers before add_child(), or call add_child(node, true).",
     Merge::peers},
    {"The receiver never got the path of %s: Godot drops messages for it",
     {"godot_mp.unannounced_path"},
     "Did the receiver connect, or get the node, later than the others? Call the node again once the receiver has it."},
    {"%s does not exist on the receiver (not spawned yet, or already despawned): Godot drops messages for it",
     {"godot_mp.unknown_node"},
     "Call the node only while the receiver has it: after its spawn, before its queue_free()."},
    {"Only the authority may call these methods of %s: Godot rejects the calls",
     {"godot_mp.refused", "godot_mp.not_allowed"},
     "Declare the method @rpc(\"any_peer\"), or call it from the authority of the node."},
    {nullptr,
     {"godot_mp.not_remote"},
     "Write \"remote\", \"master\" or \"puppet\" before the func, or call rpc_config(), on the receiver."},
    {"Arguments do not match the signature of the method (%s): Godot does not call it",
     {"godot_mp.signature_mismatch"},
     "Pass the arguments that the script of the receiver declares. Do both sides have the same script?"},
    {"Calls of %s have an argument that the receiver cannot decode: this argument and all later ones arrive as null",
     {"godot_mp.unreadable_argument"},
     "Send plain values (an ID, a path, a Dictionary) instead of an object."},
    {"Calls of %s have an object as an argument: this argument and all later ones arrive as null, unless SceneMultiplayer.allow_object_decoding is true on the receiver, too",
     {"godot_mp.arguments_refusable"},
     "Send plain values (an ID, a path, a Dictionary) instead of an object."},
    {"Calls or spawns of %s have an object as an argument: the receiver gets only its ID (EncodedObjectAsID)",
     {"godot_mp.object_id_argument"},
     "Send a reference that the receiver can resolve: get_path() of a node, an ID, a resource_path."},
    {nullptr, {"godot_mp.object_property"}, "Synchronize the resource_path of the object, or plain values."},
    {nullptr,
     {"godot_mp.nan"},
     "Find where the sender sets it: normalized() of a zero-length vector, or a division by zero; is_finite() detects it."},
    {nullptr,
     {"enet.no_channel"},
     "Give create_server() and create_client() the same number of channels, enough for the highest channel in an @rpc."},
    {nullptr,
     {"godot_mp.spawn_churn"},
     "Keep the node and hide it, and call set_visibility_for() only on changes, not every frame."},
    {nullptr,
     {"godot_mp.unsynchronized"},
     "Call set_visibility_for() with this peer and true, or set public_visibility."},
    {nullptr,
     {"enet.too_large"},
     "Keep the arguments of one call below 1,000 bytes; ping -s with a size finds the largest datagram that arrives."},
    {nullptr,
     {"enet.slow_message"},
     "Send large data in parts, by HTTPRequest, or on a separate channel (the last argument of @rpc)."},
    {nullptr, {"enet.lost_fragments"}, "Keep unreliable messages below 1,300 bytes, or send them as \"reliable\"."},
    {nullptr,
     {"enet.head_of_line_blocking"},
     "Send values that are soon replaced (positions) as \"unreliable\"; use a separate channel for messages that must not wait.",
     Merge::subjects,
     true,
     nullptr,
     "enet.head_of_line_delay > 0.05"},
    {nullptr,
     {"godot_mp.calls_lost"},
     "Use \"reliable\" for calls that must arrive. If most messages are lost, send less, or allow more bandwidth in create_server() and create_client()."},
    {nullptr,
     {"godot_mp.stall"},
     "What was the game doing at that time? ResourceLoader.load_threaded_request() loads without stopping the game."},
    {nullptr,
     {"enet.stalled"},
     "What was the game doing at that time? ResourceLoader.load_threaded_request() loads without stopping the game."},
    {"Packets were lost and retransmitted",
     {"enet.retransmitted"},
     "A few are normal. If there are many: send less at once, and use \"unreliable\" for values that are soon replaced.",
     Merge::subjects,
     false,
     nullptr,
     "enet.retransmitted and godot.problem"},
    {"Reliable messages were never acknowledged, although the receiver was still active",
     {"enet.unacknowledged"},
     "Does the receiver poll its peer every frame, or is one direction blocked in the network?"},
    {nullptr,
     {"enet.slow_frames"},
     "A side answers once per frame. What keeps it busy (Engine.max_fps, a long _process())?"},
    {nullptr,
     {"godot_websocket.aborted"},
     "Nothing if the server was stopped. Otherwise look at its log: did it crash? Raise the timeout of a proxy."},
    {nullptr,
     {"enet.peer_gone"},
     "Did it crash, or did the network fail? See its log. Call multiplayer_peer.close() before the program ends, so that the others know at once.",
     Merge::all,
     false,
     "%u connections ended without a disconnect: a side was killed, or the network failed"},
    {nullptr,
     {"enet.disconnected"},
     "Nothing if intended. Otherwise look for close() and disconnect_peer() on the server. To deliver a last message, wait a few frames before disconnecting.",
     Merge::all,
     false,
     "The server disconnected %u clients",
     "enet.disconnected and enet.to_server == 0"},
    {nullptr,
     {"godot_websocket.closed"},
     "Look for close() with this code on that side; the other side can read get_close_code() and get_close_reason().",
     Merge::all,
     false,
     "%u WebSockets were closed"},
};
constexpr std::size_t cause_count = std::size(causes);
static_assert(std::ranges::none_of(causes, [](const Cause &cause) { return cause.advice == nullptr; }));

const char *advice_for(std::size_t cause, const ProblemSubject *subject) {
  if (subject != nullptr && subject->advice != nullptr) return subject->advice;
  return cause < cause_count ? causes[cause].advice : advice_of_others;
}

// All that our protocols warn of has a row.
bool is_ours(std::string_view field) { return field.starts_with("godot") || field.starts_with("enet."); }

// @returns cause_count for one that is in no row of the causes
std::size_t cause_of(std::string_view field) {
  const auto *found = std::ranges::find_if(causes, [&](const Cause &cause) {
    return std::ranges::any_of(cause.fields, [&](const char *each) { return each != nullptr && each == field; });
  });
  return static_cast<std::size_t>(found - std::begin(causes));
}

std::string replaced(std::string words, std::string_view what, const std::string &by) {
  const std::size_t place = words.find(what);
  return place == std::string::npos ? words : words.replace(place, what.size(), by);
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// "Main/World", "Main/World and Main/Chat", all of three, "Main/World, Main/Chat and 2 more".
std::string list_of(const std::array<std::string, 3> &first, std::size_t count) {
  if (first[0].empty()) return "a node";
  if (count <= 1) return first[0];
  if (count == 2) return first[0] + " and " + first[1];
  return first[0] + ", " + first[1] + " and " + (count == 3 ? first[2] : std::to_string(count - 2) + " more");
}

// Words for operators: a bar would look like tshark's border between columns.
std::string filter_of(std::size_t cause, const char *field, const ProblemSubject *subject) {
  std::string filter = field;
  if (cause < cause_count && causes[cause].filter != nullptr) filter = causes[cause].filter;
  if (cause < cause_count && causes[cause].fields[1] != nullptr) {
    filter = "(";
    for (const char *each : causes[cause].fields) {
      if (each != nullptr) filter.append(filter.size() > 1 ? " or " : "").append(each);
    }
    filter += ")";
  }
  if (subject != nullptr && subject->filter != nullptr) filter.append(" and ").append(subject->filter);
  return filter;
}

class Problems final : public StatTable {
 public:
  /// @param keeps_frames rows() tells the frames of each
  explicit Problems(bool keeps_frames)
      : StatTable(GODOT_TABLE("Problems"), "godot,problems", columns(), "expert"), keeps_frames_(keeps_frames) {}

  void add(packet_info *pinfo, const expert_info_t &item) {
    const char *field = item.hf_index > 0 ? proto_registrar_get_abbrev(item.hf_index) : nullptr;
    if (field == nullptr) return;
    if (std::strcmp(field, "tcp.connection.rst") == 0) add_refusal(pinfo);
    if (!is_ours(field)) return;
    const std::size_t cause = cause_of(field);
    const ProblemSubject *subject = find_problem_subject(pinfo, item);
    const bool is_told =
        cause < cause_count ? subject != nullptr || item.severity >= PI_WARN : item.severity >= PI_WARN;
    if (!is_told) return;
    if (std::strcmp(field, "enet.disconnected") == 0 && explained_.contains(pinfo->num)) return;
    // The capture may have cut off what is missing.
    if (cause == cause_count && pinfo->fd->cap_len < pinfo->fd->pkt_len) return;
    const bool has_words = cause < cause_count && causes[cause].words != nullptr;
    const char *what = subject == nullptr ? "" : subject->what;
    const std::string filter = filter_of(cause, field, subject);
    const std::string from = end_of(subject == nullptr ? nullptr : subject->from, pinfo->src, pinfo->srcport);
    const std::string to = end_of(subject == nullptr ? nullptr : subject->to, pinfo->dst, pinfo->destport);
    const char *text = subject == nullptr ? item.summary : subject->text;
    const Item told{cause, what, from, to, filter, has_words ? "" : text, advice_for(cause, subject)};
    Row *row = row_of(told, subject != nullptr && subject->filter != nullptr, pinfo->num);
    if (row == nullptr) return;  // there are too many
    row->add(told);
    if (row->filters.size() == 2) set_filter(*row, filter_of(cause, field, nullptr));
    const bool has_news = has_words && subject != nullptr && subject->detail != nullptr && row->detail.empty();
    row->count += subject == nullptr ? 1 : subject->count;
    if (subject != nullptr && subject->lead != nullptr && row->lead.empty()) row->lead = subject->lead;
    if (has_news) row->detail = std::string(" (") + subject->detail + ")";
    set_words(*row);
    row->set_text(from_column, row->froms.text());
    row->set_text(to_column, row->tos.text());
    if (subject != nullptr && subject->disconnected_in != 0 && explained_.size() < max_keys) {
      explained_.insert(subject->disconnected_in);
    }
    if (keeps_frames_ && row->frames.size() < max_frames) row->frames.push_back(pinfo->num);
    row->set_text(advice_column, told.advice);
    row->set_number(count_column, row->count);
    row->set_number(last_column, std::max(row->number(last_column), pinfo->num));
    if (by_filter_[row->filter].size() > 1) show_filter(*row);
  }

  [[nodiscard]] std::vector<ProblemRow> rows() const {
    std::map<const Cell *, const std::vector<std::uint32_t> *> frames;
    for (const Row &row : rows_) frames[row.cells()] = &row.frames;
    std::vector<ProblemRow> rows;
    for (const Cell *cells : all_rows()) {
      if (cells == empty_.cells() && cells[count_column].value.uint_value == 0) continue;
      const auto known = frames.find(cells);
      rows.push_back({cells[problem_column].value.string_value, cells[from_column].value.string_value,
                      cells[to_column].value.string_value, cells[count_column].value.uint_value,
                      cells[first_column].value.uint_value, cells[last_column].value.uint_value,
                      cells[filter_column].value.string_value, cells[advice_column].value.string_value,
                      known == frames.end() ? nullptr : known->second});
    }
    return rows;
  }

 private:
  // A part of an item that makes its row: cause, and a name, a filter, the ends, or words with an end.
  using Key = std::pair<std::size_t, std::string>;
  struct Item {
    std::size_t cause;
    std::string what;
    std::string from;
    std::string to;
    std::string filter;
    std::string text;  // empty where the cause has words of its own
    const char *advice;
  };
  // The ends of a row's items.
  struct Ends {
    std::set<std::string> names;
    std::string first;

    void add(const std::string &name) {
      if (first.empty()) first = name;
      if (names.size() < most_kept) names.insert(name);
    }
    // "peer 5", "peer 5 and 2 more".
    [[nodiscard]] std::string text() const {
      return names.size() < 2 ? first : first + " and " + std::to_string(names.size() - 1) + " more";
    }
  };
  struct Row : TableRow {
    std::size_t cause = 0;
    std::string lead;
    std::string detail;
    std::map<std::string, std::uint32_t> names;  // subjects of its items, and how many are about each
    std::array<std::string, 3> first_names;      // the first ones
    std::map<std::string, std::string> texts;    // the newest one, by the item's filter, subject and ends
    std::string first_text;                      // the key of the first one
    std::set<std::string> filters;               // those that its items have
    Ends froms;
    Ends tos;
    std::string filter;  // the text where no other row has the same one
    std::uint32_t count = 0;
    std::vector<std::uint32_t> frames;

    void add(const Item &item) {
      froms.add(item.from);
      tos.add(item.to);
      if (filters.size() < most_kept) filters.insert(item.filter);
      if (!item.text.empty()) {
        const std::string key = item.filter + '\n' + item.what + '\n' + item.from + '\n' + item.to;
        if (texts.empty()) first_text = key;
        if (texts.size() < most_texts || key == first_text) texts[key] = item.text;
      }
      if (const auto known = names.find(item.what); known != names.end()) {
        ++known->second;
        return;
      }
      if (names.size() >= most_kept) return;
      names[item.what] = 1;
      if (names.size() <= first_names.size()) first_names[names.size() - 1] = item.what;
    }
    // " (280 of them: RPC Main/World.#1)"; empty if no name stands out.
    [[nodiscard]] std::string most() const {
      const auto most = std::ranges::max_element(names, {}, [](const auto &each) { return each.second; });
      if (most == names.end() || most->first.empty() || 2 * most->second < count) return {};
      return " (" + (most->second == count ? "all" : std::to_string(most->second)) + " of them: " + most->first + ")";
    }
    // The newest text about what its first item was about, and how many others there are.
    [[nodiscard]] std::string text() const {
      const auto first = texts.find(first_text);
      if (first == texts.end()) return {};
      const auto others = std::ranges::count_if(texts, [&](const auto &each) { return each.second != first->second; });
      return others == 0 ? first->second : first->second + " (and " + std::to_string(others) + " more of this kind)";
    }
  };
  // The columns of numbers are first because a long problem hides the columns after it in a small window.
  enum Column : std::uint8_t {
    rank_column,
    count_column,
    first_column,
    problem_column,
    advice_column,
    filter_column,
    from_column,
    to_column,
    last_column
  };

  static std::vector<TableColumn> columns() {
    return {column_of_ranks,      {"Count", "%7u"},         {"First frame", "%11u"},
            {"Problem", "%-80s"}, {"What to do", "%-140s"}, {"Display filter", "%-60s"},
            {"From", "%-21s"},    {"To", "%-21s"},          {"Last frame", "%9u"}};
  }

  static std::string end_of(const char *peer, const address &address, std::uint32_t port) {
    return peer != nullptr && *peer != '\0' ? peer : endpoint_text(address, port);
  }

  static void set_words(Row &row) {
    const Cause *cause = row.cause < cause_count ? &causes[row.cause] : nullptr;
    const char *plural = cause == nullptr ? nullptr : cause->plural;
    if (cause != nullptr && cause->words != nullptr) {
      const bool is_plural = row.names.size() > 1 && plural != nullptr;
      const std::string words =
          replaced(is_plural ? plural : cause->words, "%s", list_of(row.first_names, row.names.size()));
      row.set_text(problem_column, behind(row.lead, words) + row.detail);
    } else if (row.filters.size() > 1 && plural != nullptr) {
      row.set_text(problem_column, replaced(plural, "%u", std::to_string(row.filters.size())));
    } else {
      row.set_text(problem_column, row.text() + (cause != nullptr && cause->names_most ? row.most() : ""));
    }
  }

  // "hit(5): calls of Main/World do not fit" of "Calls of Main/World do not fit".
  static std::string behind(const std::string &lead, std::string words) {
    if (lead.empty()) return words;
    words[0] = g_ascii_tolower(words[0]);
    return lead + ": " + words;
  }

  // Whatever of an item makes it one of a row's.
  static std::vector<Key> keys_of(const Item &item, bool has_subject) {
    const Merge merge = item.cause < cause_count ? causes[item.cause].merge : Merge::subjects;
    // Something else to do is another problem, of the same connection, too.
    if (merge == Merge::all) return {{item.cause, item.advice}};
    const std::string ends = item.from + '\n' + item.to;
    if (merge == Merge::peers && item.what.empty()) return {{item.cause, ends}};
    if (merge == Merge::peers) return {{item.cause, ends}, {item.cause, item.what}};
    const std::string about = item.filter + '\n' + item.advice;
    std::vector<Key> keys = {{item.cause, has_subject ? about : about + '\n' + ends}};
    const std::string pattern = without_digits(item.text.empty() ? item.what : item.text);
    keys.push_back({item.cause, "from " + item.from + '\n' + pattern});
    keys.push_back({item.cause, "to " + item.to + '\n' + pattern});
    return keys;
  }

  void take(packet_info *pinfo, const void *data) override { add(pinfo, *static_cast<const expert_info_t *>(data)); }

  void forget() override {
    by_key_.clear();
    by_filter_.clear();
    explained_.clear();
    rows_.clear();
    order_.clear();
    empty_ = {};
  }

  void set_filter(Row &row, const std::string &filter) {
    std::erase(by_filter_[row.filter], &row);
    row.filter = filter;
    std::vector<Row *> &alike = by_filter_[filter];
    alike.push_back(&row);
    show_filter(row);
    if (alike.size() == 2) show_filter(*alike.front());
  }

  // A row's first and last frame are the first and the last one that its filter finds: where several rows have the same
  // filter, each is for its part of the capture.
  void show_filter(Row &row) {
    std::string text = row.filter;
    if (by_filter_[row.filter].size() > 1) {
      const std::string first = std::to_string(row.number(first_column));
      const std::string last = std::to_string(std::max(row.number(first_column), row.number(last_column)));
      text += first == last ? " and frame.number == " + first : " and frame.number in {" + first + ".." + last + "}";
    }
    row.set_text(filter_column, text);
  }

  // Nothing shows whose connection was refused. So it is told only where there is nothing else of a game.
  void add_refusal(packet_info *pinfo) {
    if (!empty_.is_shown() || is_any_frame_ours() || !is_refusal_of_tcp(pinfo)) return;
    const std::string server = endpoint_text(pinfo->src, pinfo->srcport);
    const bool is_first = empty_.number(count_column) == 0;
    if (!is_first && server != refusing_) return;
    refusing_ = server;
    empty_.set_number(count_column, empty_.number(count_column) + 1);
    empty_.set_number(last_column, pinfo->num);
    if (!is_first) return;
    empty_.set_text(
        problem_column,
        pinfo->src.type == AT_IPv6
            ? "The TCP connection was refused: if this is the WebSocket of a game, no server uses that port, the server listens on IPv4 only (create_server(port, \"*\") listens on both), or it uses ENet (UDP)"
            : "The TCP connection was refused: if this is the WebSocket of a game, no server uses that port, or the server uses ENet (UDP)");
    empty_.set_text(from_column, endpoint_text(pinfo->dst, pinfo->destport));
    empty_.set_text(to_column, refusing_);
    empty_.set_number(first_column, pinfo->num);
    empty_.set_text(filter_column, "tcp.connection.rst and tcp.srcport == " + std::to_string(pinfo->srcport));
    empty_.set_text(advice_column, advice_of_refusals);
  }

  void begin() override {
    known_of_capture.is_told_later = known_of_capture.is_later_pass = false;
    known_of_capture.counts = {};
    judge_capture();
    show(empty_);
    empty_.set_number(rank_column, 1);
    empty_.point_to(problem_column, verdict.text.data());
    empty_.point_to(advice_column, verdict.advice.data());
  }

  Row *row_of(const Item &item, bool has_subject, std::uint32_t frame) {
    const std::vector<Key> keys = keys_of(item, has_subject);
    Row *row = nullptr;
    for (const Key &key : keys) {
      const auto known = by_key_.find(key);
      if (known != by_key_.end() && row == nullptr) row = known->second;
    }
    if (row == nullptr && rows_.size() < max_rows) row = add_row(item, frame);
    for (const Key &key : keys) {
      if (row != nullptr && by_key_.size() < max_keys) by_key_.try_emplace(key, row);
    }
    return row;
  }

  Row *add_row(const Item &item, std::uint32_t frame) {
    Row &row = rows_.emplace_back();
    row.cause = item.cause;
    // The heaviest cause first; rows of one cause in the order of the capture.
    const auto lighter = std::ranges::count_if(rows_, [&](const Row &other) { return other.cause > item.cause; });
    const auto place = order_.end() - std::min<std::ptrdiff_t>(lighter, std::ssize(order_));
    const auto number = static_cast<std::size_t>(place - order_.begin());
    order_.insert(place, &row);
    if (empty_.is_shown()) {
      show_instead(row, empty_);
    } else {
      show(row);
    }
    reorder(order_);
    for (std::size_t i = number; i < order_.size(); ++i) order_[i]->set_number(rank_column, i + 1);
    row.set_number(first_column, frame);
    set_filter(row, item.filter);
    return &row;
  }

  bool keeps_frames_;
  std::vector<TableRow *> order_;  // all rows, from the first to the last that is shown
  std::deque<Row> rows_;
  std::map<Key, Row *> by_key_;
  std::map<std::string, std::vector<Row *>> by_filter_;
  std::set<std::uint32_t> explained_;  // frames with a disconnect that another row tells of
  TableRow empty_;                     // the row of an empty table
  std::string refusing_;               // who refuses first, of those that it tells
};

Problems &second_table() {
  static Problems problems(true);
  return problems;
}

}  // namespace

void tell_problems_of_capture() {
  const std::string scripts = std::move(known_of_capture.scripts);
  known_of_capture = {};
  known_of_capture.scripts = scripts;
  judge_capture();
}

void tell_problems_of_frame(bool is_later_pass) {
  if (known_of_capture.is_any_frame_ours && (!is_later_pass || known_of_capture.is_later_pass)) return;
  known_of_capture.is_any_frame_ours = true;
  known_of_capture.is_later_pass = is_later_pass;
  judge_capture();
}

void count_for_problems(packet_info *pinfo, const MessageCounts &more) {
  static const int tap = find_tap_id("expert");
  if (!is_tapped(tap, pinfo)) return;
  MessageCounts &counts = known_of_capture.counts;
  counts.messages += more.messages;
  counts.calls += more.calls;
  counts.values += more.values;
  counts.spawns += more.spawns;
  counts.unknown_nodes += more.unknown_nodes;
  judge_capture();
}

void tell_problems_of_calls() {
  if (known_of_capture.are_calls_ours) return;
  known_of_capture.are_calls_ours = true;
  judge_capture();
}

void tell_problems_of_scripts(const std::string &scripts) {
  known_of_capture.scripts = scripts;
  judge_capture();
}

void tell_problems_of_dark(const char *what) {
  if (!known_of_capture.dark.empty()) return;
  known_of_capture.dark = what;
  judge_capture();
}

stat_tap_table_ui &problems_of_page() { return second_table(); }

std::vector<ProblemRow> problem_rows_of_page() { return second_table().rows(); }

void register_problems() {
  static Problems problems(false);
  problems.register_table();
  listen_to_problems(note_told);
}

}  // namespace godot_plugin
