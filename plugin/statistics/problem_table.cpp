// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/problem_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

// Maximum number of rows. Without this limit, hostile packets could create any number of rows.
constexpr std::size_t max_rows = 1000;
constexpr std::size_t max_keys = 8 * max_rows;
// Maximum number of frames that a row lists. Further frames are only counted.
constexpr std::size_t max_frames = 2000;
// Maximum number of frame ranges in a row's filter.
constexpr std::size_t max_ranges = 50;
// Maximum count of subjects, of peers and of texts in one row.
constexpr std::size_t max_subjects = 1000;
constexpr std::size_t max_texts = 64;

// Texts of the row that an empty table shows. They may change while the table is visible.
struct EmptyRowTexts {
  std::array<char, 240> text;
  std::array<char, 800> advice;
};
EmptyRowTexts empty_row_texts;

// Facts about the capture for the row of an empty table. The newest pass decides whether there are problems, because
// later packets may disprove a problem of the first pass.
struct CaptureFacts {
  bool has_game_frames = false;
  bool has_multiplayer_messages = false;
  bool is_later_pass = false;
  bool has_problems_in_first_pass = false;
  bool has_problems_in_later_pass = false;
  MessageCounts counts;
  std::string undecrypted_traffic;  // text about undecrypted traffic that may be a game's; empty: no such traffic
};
CaptureState<CaptureFacts> capture_facts;
std::string folder_counts;  // the project folder and the count of its scripts; empty: no project folder

void set_empty_row_texts(const std::string &text, const std::string &advice) {
  g_strlcpy(empty_row_texts.text.data(), text.c_str(), empty_row_texts.text.size());
  g_strlcpy(empty_row_texts.advice.data(), advice.c_str(), empty_row_texts.advice.size());
}

std::string describe_checks(const MessageCounts &counts) {
  return ". " + count_text(counts.calls, "call") + ", " + count_text(counts.values, "value") + " and " +
         count_text(counts.spawns, "spawn") + " were checked against the project folder";
}

// Godot sends a node's path only once to each peer: before the first call of the node. A capture that starts later
// lacks the path.
std::string describe_unknown_nodes(const MessageCounts &counts) {
  if (counts.unknown_nodes == 0) return {};
  return "In " + count_text(counts.unknown_nodes, "reference") +
         " to nodes, a number (such as #1) replaces the path, because Godot sent the paths before the recording began. Start recording before the game connects. ";
}

void update_empty_row() {
  const CaptureFacts &known = *capture_facts;
  if (!known.has_game_frames && !known.undecrypted_traffic.empty()) {
    return set_empty_row_texts(
        "No Godot or ENet traffic was detected, and " + known.undecrypted_traffic,
        "If the game sent this traffic, record again with its keys, and start before the game connects. See " GODOT_PAGE(
            "recording.md") ".");
  }
  if (!known.has_game_frames) {
    return set_empty_row_texts(
        "No Godot or ENet traffic was detected",
        "Record on the network interface that the game uses (loopback if client and server run on one machine). If you did, set the game's port in Edit > Preferences > Protocols > Godot or ENet.");
  }
  // If a frame has a problem but the table is empty, the table's filter excludes the frame.
  if (known.is_later_pass ? known.has_problems_in_later_pass : known.has_problems_in_first_pass) {
    return set_empty_row_texts("No problems match this filter", "Clear the filter to list all problems.");
  }
  const bool has_folder = !folder_counts.empty();
  const bool lacks_folder = known.has_multiplayer_messages && !has_folder;
  set_empty_row_texts(
      "No problems found in " + count_text(known.counts.messages, "message") +
          (lacks_folder ? ". Method names and arguments were not checked" : "") +
          (has_folder ? describe_checks(known.counts) : ""),
      describe_unknown_nodes(known.counts) +
          (lacks_folder
               ? "Set the project folder (Edit > Preferences > Protocols > GodotMP) to check calls against the scripts. "
               : "") +
          "If the game still fails, read \"What a capture cannot show\" in " GODOT_PAGE("recipes.md") "." +
          (has_folder ? " The project folder is " + folder_counts + "." : ""));
}

// Reported only if the capture contains no game traffic, because the refused protocol is unknown. TCP's dissector adds
// the expert item.
ExpertItem refused_connection{
    {"tcp.connection.rst", PI_SEQUENCE, PI_CHAT, ""},
    {.advice =
         "If the game opened this connection, start the server first, with WebSocketMultiplayerPeer.create_server() on this port. ENetMultiplayerPeer cannot accept a WebSocket, because ENet uses UDP."}};

std::string replace_first(std::string text, std::string_view what, const std::string &by) {
  const std::size_t position = text.find(what);
  return position == std::string::npos ? text : text.replace(position, what.size(), by);
}

std::string remove_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// Joins up to three names, or two names and a count: "Main/World and Main/Chat", "Main/World, Main/Chat and 2 more".
std::string join_names(const std::array<std::string, 3> &first, std::size_t count) {
  if (first[0].empty()) return "a node";
  if (count <= 1) return first[0];
  if (count == 2) return first[0] + " and " + first[1];
  return first[0] + ", " + first[1] + " and " + (count == 3 ? first[2] : std::to_string(count - 2) + " more");
}

// @param subject_filter the finding's additional filter; null: no filter
std::string filter_of(const ExpertItem &item, const char *subject_filter) {
  // Uses "and" and "or" instead of "&&" and "||", because tshark separates columns with bars.
  std::string filter = item.display().filter == nullptr ? item.filter() : item.display().filter;
  if (subject_filter != nullptr) filter.append(" and ").append(subject_filter);
  return filter;
}

class ProblemTable final : public StatTable {
 public:
  /// @param keeps_frames true if rows() lists the frames of each row
  explicit ProblemTable(bool keeps_frames)
      : StatTable(GODOT_TABLE("Problems"), "godot,problems", columns(), finding_tap), keeps_frames_(keeps_frames) {}

  void add_finding(packet_info *pinfo, const Finding &finding) {
    if (finding.expert == &refused_connection) return add_refused_connection(pinfo, finding);
    if (std::strcmp(finding.expert->filter(), "enet.disconnected") == 0 && explained_disconnects_.contains(pinfo->num))
      return;
    const RowFinding entry = row_finding_of(pinfo, finding);
    Row *row = row_of(entry, finding.filter != nullptr, pinfo->num);
    if (row == nullptr) return;  // too many rows
    row->add_finding(entry);
    if (row->filters.size() == 2) set_filter(*row, filter_of(*entry.expert, nullptr));
    add_to_ranges(*row, pinfo->num);
    row->count += finding.count;
    // The advice explains the first detail.
    if (row->detail.empty()) row->set_text(advice_column, entry.advice);
    const bool is_detailed = finding.detail != nullptr && entry.expert->display().text != nullptr;
    if (is_detailed && row->detail.empty()) row->detail = std::string(". ") + finding.detail;
    update_problem_text(*row);
    row->set_text(from_column, row->senders.describe());
    row->set_text(to_column, row->receivers.describe());
    if (finding.disconnect_frame != 0 && explained_disconnects_.size() < max_keys)
      explained_disconnects_.insert(finding.disconnect_frame);
    if (keeps_frames_ && row->frames.size() < max_frames) row->frames.push_back(pinfo->num);
    row->set_number(count_column, row->count);
    row->set_number(last_column, std::max(row->number(last_column), pinfo->num));
    update_filter_column(*row, rows_by_expert_[row->expert]);
  }

  [[nodiscard]] std::vector<ProblemRow> rows() const {
    std::vector<ProblemRow> rows;
    for (const Row *row : sorted_rows_) {
      if (row->is_shown()) rows.push_back({row->cells(), row->frames});
    }
    if (empty_table_row_.number(count_column) != 0) rows.push_back({empty_table_row_.cells(), {}});
    return rows;
  }

 private:
  // Findings with the same key share a row. A key is the expert item, plus a subject, a filter, the peers, or a text
  // with one peer.
  using RowKey = std::pair<const ExpertItem *, std::string>;
  // A finding, and the properties that select its row.
  struct RowFinding {
    const ExpertItem *expert;  // expert item of the row
    std::string subject;
    std::string from;
    std::string to;
    std::string filter;
    std::string text;  // empty if the expert item has a text for its rows
    const char *advice;
  };
  // The senders, or the receivers, of a row's findings.
  struct PeerSet {
    std::set<std::string> names;
    std::string first;

    void add(const std::string &name) {
      if (first.empty()) first = name;
      if (names.size() < max_subjects) names.insert(name);
    }
    // Returns text such as "peer 5" or "peer 5 and 2 more".
    [[nodiscard]] std::string describe() const {
      return names.size() < 2 ? first : first + " and " + std::to_string(names.size() - 1) + " more";
    }
  };
  struct Row : TableRow {
    const ExpertItem *expert = nullptr;
    std::string detail;
    std::map<std::string, std::uint32_t> subject_counts;  // count of findings, by subject
    std::array<std::string, 3> first_subjects;            // the first subjects
    std::map<std::string, std::string> texts;             // newest text, by the finding's filter, subject and peers
    std::string first_text_key;                           // key of the first text
    std::set<std::string> filters;                        // filters of the row's findings
    PeerSet senders;
    PeerSet receivers;
    std::string filter;  // matches the row's frames, and perhaps frames of other rows
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        frame_ranges;  // first and last frame of each range; no other row of the expert item has frames in these ranges
    std::uint32_t count = 0;
    std::vector<std::uint32_t> frames;

    void add_finding(const RowFinding &item) {
      senders.add(item.from);
      receivers.add(item.to);
      if (filters.size() < max_subjects) filters.insert(item.filter);
      if (!item.text.empty()) {
        const std::string key = item.filter + '\n' + item.subject + '\n' + item.from + '\n' + item.to;
        if (texts.empty()) first_text_key = key;
        if (texts.size() < max_texts || key == first_text_key) texts[key] = item.text;
      }
      if (const auto known = subject_counts.find(item.subject); known != subject_counts.end()) {
        ++known->second;
        return;
      }
      if (subject_counts.size() >= max_subjects) return;
      subject_counts[item.subject] = 1;
      if (subject_counts.size() <= first_subjects.size()) first_subjects[subject_counts.size() - 1] = item.subject;
    }
    // Returns text such as " (280 of the delayed messages are RPC Main/World.#1)"; empty if no subject has at least
    // half of the findings.
    [[nodiscard]] std::string describe_majority() const {
      const auto most = std::ranges::max_element(subject_counts, {}, [](const auto &each) { return each.second; });
      if (most == subject_counts.end() || most->first.empty() || 2 * most->second < count) return {};
      return (most->second == count ? " (all delayed messages are "
                                    : " (" + std::to_string(most->second) + " of the delayed messages are ") +
             most->first + ")";
    }
    // Returns the newest text about the first finding's subject, and the count of other subjects.
    [[nodiscard]] std::string describe_texts() const {
      const auto first = texts.find(first_text_key);
      if (first == texts.end()) return {};
      const auto others = std::ranges::count_if(texts, [&](const auto &each) { return each.second != first->second; });
      return others == 0
                 ? first->second
                 : first->second + " (and " + count_text(static_cast<std::uint64_t>(others), "similar problem") + ")";
    }
  };
  // The rows that share one expert field, such as `enet.malformed`.
  struct ExpertRows {
    std::vector<Row *> rows;
    const Row *newest_row = nullptr;                          // the row with the newest finding
    std::map<std::string, std::size_t> row_counts_by_filter;  // count of rows, by display filter
  };
  using enum ProblemRow::Column;

  static std::vector<TableColumn> columns() {
    return {column_of_ranks,      {"Count", "%7u"},         {"First frame", "%11u"},
            {"Problem", "%-80s"}, {"What to do", "%-140s"}, {"Display filter", "%-60s"},
            {"From", "%-21s"},    {"To", "%-21s"},          {"Last frame", "%9u"}};
  }

  static std::string peer_or_endpoint(const char *peer, const address &address, std::uint32_t port) {
    return peer != nullptr && *peer != '\0' ? peer : endpoint_text(address, port);
  }

  static RowFinding row_finding_of(packet_info *pinfo, const Finding &finding) {
    const ExpertItem *shared = finding.expert->display().counted_as;
    const ExpertItem *item = shared == nullptr ? finding.expert : shared;
    const char *text = finding.text == nullptr ? finding.expert->summary() : finding.text;
    return {item,
            finding.subject.name == nullptr ? "" : finding.subject.name,
            peer_or_endpoint(finding.from, pinfo->src, pinfo->srcport),
            peer_or_endpoint(finding.to, pinfo->dst, pinfo->destport),
            filter_of(*item, finding.filter),
            item->display().text == nullptr ? text : "",
            finding.advice == nullptr ? item->display().advice : finding.advice};
  }

  static void update_problem_text(Row &row) {
    const FindingDisplay &rule = row.expert->display();
    if (rule.text != nullptr) {
      const bool is_plural = row.subject_counts.size() > 1 && rule.plural_text != nullptr;
      std::string text = is_plural ? rule.plural_text : rule.text;
      text = replace_first(replace_first(text, "%f", row.senders.describe()), "%r", row.receivers.describe());
      text[0] = g_ascii_toupper(text[0]);
      row.set_text(problem_column,
                   replace_first(text, "%s", join_names(row.first_subjects, row.subject_counts.size())) +
                       (is_plural ? "" : row.detail));
    } else if (row.filters.size() > 1 && rule.plural_text != nullptr) {
      row.set_text(problem_column, replace_first(rule.plural_text, "%u", std::to_string(row.filters.size())));
    } else {
      row.set_text(problem_column, row.describe_texts() + (rule.names_most_frequent ? row.describe_majority() : ""));
    }
  }

  static std::vector<RowKey> row_keys_of(const RowFinding &entry, bool has_filter) {
    const RowMerge merge = entry.expert->display().merge;
    // Findings of one connection with different advice are different problems.
    if (merge == RowMerge::all) return {{entry.expert, entry.advice}};
    const std::string ends = entry.from + '\n' + entry.to;
    if (merge == RowMerge::same_peers && entry.subject.empty()) return {{entry.expert, ends}};
    if (merge == RowMerge::same_peers) return {{entry.expert, ends}, {entry.expert, entry.subject}};
    const std::string about = entry.filter + '\n' + entry.advice;
    std::vector<RowKey> keys = {{entry.expert, has_filter ? about : about + '\n' + ends}};
    const std::string pattern = remove_digits(entry.subject.empty() ? entry.text : entry.subject);
    keys.push_back({entry.expert, "from " + entry.from + '\n' + pattern});
    keys.push_back({entry.expert, "to " + entry.to + '\n' + pattern});
    return keys;
  }

  void process(packet_info *pinfo, const void *data) override {
    add_finding(pinfo, *static_cast<const Finding *>(data));
  }

  void discard_rows() override {
    rows_by_key_.clear();
    rows_by_expert_.clear();
    explained_disconnects_.clear();
    rows_.clear();
    sorted_rows_.clear();
    empty_table_row_ = {};
  }

  void set_filter(Row &row, const std::string &filter) {
    ExpertRows &siblings = rows_by_expert_[row.expert];
    if (!row.filter.empty()) --siblings.row_counts_by_filter[row.filter];
    row.filter = filter;
    ++siblings.row_counts_by_filter[filter];
    for (Row *each : siblings.rows) update_filter_column(*each, siblings);
  }

  void add_to_ranges(Row &row, std::uint32_t frame) {
    const bool is_next =
        std::exchange(rows_by_expert_[row.expert].newest_row, &row) == &row || row.frame_ranges.size() == max_ranges;
    const bool is_in_range = !row.frame_ranges.empty() && (is_next || row.frame_ranges.back().second == frame);
    if (!is_in_range) row.frame_ranges.emplace_back(frame, frame);
    row.frame_ranges.back().second = frame;
  }

  // Sets the filter column. If another row has the same filter, lists frame ranges, so that the filter matches only
  // this row's frames.
  static void update_filter_column(Row &row, ExpertRows &siblings) {
    const bool has_several_filters = row.filters.size() > 1 && siblings.rows.size() > 1;
    std::string text;
    if (has_several_filters || siblings.row_counts_by_filter[row.filter] > 1) {
      for (const auto &[first, last] : row.frame_ranges) {
        text += (text.empty() ? " and frame.number in {" : ", ") + std::to_string(first);
        if (first != last) text += ".." + std::to_string(last);
      }
    }
    row.set_text(filter_column, row.filter + (text.empty() ? "" : text + "}"));
  }

  // Shows the first server that refused a connection, in the row of an empty table.
  void add_refused_connection(packet_info *pinfo, const Finding &finding) {
    if (!empty_table_row_.is_shown()) return;
    const std::string server = endpoint_text(pinfo->src, pinfo->srcport);
    const bool is_first = empty_table_row_.number(count_column) == 0;
    if (!is_first && server != refusing_server_) return;
    refusing_server_ = server;
    empty_table_row_.set_number(count_column, empty_table_row_.number(count_column) + 1);
    empty_table_row_.set_number(last_column, pinfo->num);
    if (!is_first) return;
    empty_table_row_.set_text(problem_column, finding.text);
    empty_table_row_.set_text(from_column, endpoint_text(pinfo->dst, pinfo->destport));
    empty_table_row_.set_text(to_column, refusing_server_);
    empty_table_row_.set_number(first_column, pinfo->num);
    empty_table_row_.set_text(filter_column, filter_of(refused_connection, finding.filter));
    empty_table_row_.set_text(advice_column,
                              finding.advice == nullptr ? refused_connection.display().advice : finding.advice);
  }

  void add_initial_rows() override {
    capture_facts->has_problems_in_later_pass = capture_facts->is_later_pass = false;
    capture_facts->counts = {};
    update_empty_row();
    show(empty_table_row_);
    empty_table_row_.set_number(rank_column, 1);
    empty_table_row_.set_borrowed_text(problem_column, empty_row_texts.text.data());
    empty_table_row_.set_borrowed_text(advice_column, empty_row_texts.advice.data());
  }

  Row *row_of(const RowFinding &item, bool has_filter, std::uint32_t frame) {
    const std::vector<RowKey> keys = row_keys_of(item, has_filter);
    Row *row = nullptr;
    for (const RowKey &key : keys) {
      const auto known = rows_by_key_.find(key);
      if (known != rows_by_key_.end() && row == nullptr) row = known->second;
    }
    if (row == nullptr && rows_.size() < max_rows) row = add_row(item, frame);
    for (const RowKey &key : keys) {
      if (row != nullptr && rows_by_key_.size() < max_keys) rows_by_key_.try_emplace(key, row);
    }
    return row;
  }

  Row *add_row(const RowFinding &item, std::uint32_t frame) {
    Row &row = rows_.emplace_back();
    row.expert = item.expert;
    // Rows are sorted by weight. Rows of equal weight stay in capture order.
    const auto later = std::ranges::count_if(
        rows_, [&](const Row &other) { return other.expert->display().weight > item.expert->display().weight; });
    const auto position = sorted_rows_.end() - std::min<std::ptrdiff_t>(later, std::ssize(sorted_rows_));
    const auto number = static_cast<std::size_t>(position - sorted_rows_.begin());
    sorted_rows_.insert(position, &row);
    if (empty_table_row_.is_shown()) {
      replace_shown_row(row, empty_table_row_);
    } else {
      show(row);
    }
    reorder({sorted_rows_.begin(), sorted_rows_.end()});
    for (std::size_t i = number; i < sorted_rows_.size(); ++i) sorted_rows_[i]->set_number(rank_column, i + 1);
    row.set_number(first_column, frame);
    rows_by_expert_[row.expert].rows.push_back(&row);
    set_filter(row, item.filter);
    return &row;
  }

  bool keeps_frames_;
  std::vector<Row *> sorted_rows_;  // all rows, in the order in which they are shown
  std::deque<Row> rows_;
  std::map<RowKey, Row *> rows_by_key_;
  std::map<const ExpertItem *, ExpertRows> rows_by_expert_;
  std::set<std::uint32_t> explained_disconnects_;  // disconnects that another row explains, by frame
  TableRow empty_table_row_;                       // the row of a table without problems
  std::string refusing_server_;                    // the server whose refused connections are shown
};

ProblemTable shown_table(false);

// The table of the match page. It is not registered, because it is created after the registration.
ProblemTable &page_table() {
  static ProblemTable problems(true);
  return problems;
}

}  // namespace

void reset_problem_facts() { update_empty_row(); }

void record_game_frame(bool is_later_pass) {
  if (capture_facts->has_game_frames && (!is_later_pass || capture_facts->is_later_pass)) return;
  capture_facts->has_game_frames = true;
  capture_facts->is_later_pass = is_later_pass;
  update_empty_row();
}

void add_message_counts(packet_info *pinfo, const MessageCounts &more) {
  static const int tap = find_tap_id(finding_tap);
  if (!is_tapped(tap, pinfo)) return;
  MessageCounts &counts = capture_facts->counts;
  counts.messages += more.messages;
  counts.calls += more.calls;
  counts.values += more.values;
  counts.spawns += more.spawns;
  counts.unknown_nodes += more.unknown_nodes;
  update_empty_row();
}

void record_finding(bool is_later_pass) {
  bool &has_problems =
      is_later_pass ? capture_facts->has_problems_in_later_pass : capture_facts->has_problems_in_first_pass;
  if (has_problems) return;
  has_problems = true;
  update_empty_row();
}

void report_refused_connection(packet_info *pinfo) {
  static const int tap = find_tap_id(finding_tap);
  if (!is_tapped(tap, pinfo) || last_game_frame() != 0 || !is_tcp_connection_refused(pinfo)) return;
  auto *finding = wmem_new(pinfo->pool, Finding);
  *finding = {
      .expert = &refused_connection,
      .text = wmem_strdup_printf(
          pinfo->pool, "The TCP connection to port %u was refused, so no WebSocket server listens on that port",
          pinfo->srcport),
      .filter = wmem_strdup_printf(pinfo->pool, "tcp.srcport == %u", pinfo->srcport),
      .advice =
          pinfo->src.type == AT_IPv6
              ? "If the game opened this connection, start the server first, with WebSocketMultiplayerPeer.create_server() on this port. The default bind address \"*\" listens on IPv4 and IPv6. ENetMultiplayerPeer cannot accept a WebSocket, because ENet uses UDP."
              : nullptr};
  tap_queue_packet(tap, pinfo, finding);
}

void record_multiplayer_message() {
  if (capture_facts->has_multiplayer_messages) return;
  capture_facts->has_multiplayer_messages = true;
  update_empty_row();
}

void set_compared_project(const std::string &scripts) {
  folder_counts = scripts;
  update_empty_row();
}

void record_undecrypted_traffic(const char *what) {
  if (!capture_facts->undecrypted_traffic.empty()) return;
  capture_facts->undecrypted_traffic = what;
  update_empty_row();
}

stat_tap_table_ui &page_problem_table() { return page_table(); }

std::vector<ProblemRow> page_problem_rows() { return page_table().rows(); }

}  // namespace godot_plugin
