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

#include "plugin/epan/capture_state.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/table.h"

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
  std::string undecrypted;  // text about undecrypted traffic that may be a game's; empty: no such traffic
};
CaptureState<CaptureFacts> capture_facts;
std::string folder_counts;  // the project folder and the count of its scripts; empty: no project folder

void set_empty_row(const std::string &text, const std::string &advice) {
  g_strlcpy(empty_row_texts.text.data(), text.c_str(), empty_row_texts.text.size());
  g_strlcpy(empty_row_texts.advice.data(), advice.c_str(), empty_row_texts.advice.size());
}

// Returns text such as "2,310 messages" or "1 message".
std::string counted(std::uint64_t number, const char *what) {
  constexpr std::ptrdiff_t group = 3;
  std::string text = std::to_string(number);
  for (std::ptrdiff_t position = std::ssize(text) - group; position > 0; position -= group) {
    text.insert(static_cast<std::size_t>(position), ",");
  }
  return text + " " + what + (number == 1 ? "" : "s");
}

std::string describe_checks(const MessageCounts &counts) {
  return ". " + counted(counts.calls, "call") + ", " + counted(counts.values, "value") + " and " +
         counted(counts.spawns, "spawn") + " were checked against the project folder";
}

// Godot sends a node's path only once to each peer: before the first call of the node. A capture that starts later
// lacks the path.
std::string describe_unknown_nodes(const MessageCounts &counts) {
  if (counts.unknown_nodes == 0) return {};
  return counted(counts.unknown_nodes, "reference") +
         " to nodes have no path (shown as #1), because the paths were sent before the recording began. Start recording before the game connects. ";
}

void update_empty_row() {
  const CaptureFacts &known = *capture_facts;
  if (!known.has_game_frames && !known.undecrypted.empty()) {
    return set_empty_row("No Godot or ENet traffic was detected, and " + known.undecrypted,
                         "If this is the game: " GODOT_PAGE(
                             "recording.md") " explains how to get keys. Start recording before the game connects.");
  }
  if (!known.has_game_frames) {
    return set_empty_row(
        "No Godot or ENet traffic was detected",
        "Record on the network interface that the game uses (loopback if client and server run on one machine). If you did, set the game's port in Edit > Preferences > Protocols > Godot or ENet.");
  }
  // If a frame has a problem but the table is empty, the table's filter excludes the frame.
  if (known.is_later_pass ? known.has_problems_in_later_pass : known.has_problems_in_first_pass) {
    return set_empty_row("No problems match this filter", "Clear the filter to list all problems.");
  }
  const bool has_folder = !folder_counts.empty();
  const bool lacks_folder = known.has_multiplayer_messages && !has_folder;
  set_empty_row(
      "No problems found in " + counted(known.counts.messages, "message") +
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
         "If this is the game, start the server first, with WebSocketMultiplayerPeer.create_server() on this port. An ENet server uses UDP, not TCP."}};

std::string replaced(std::string text, std::string_view what, const std::string &by) {
  const std::size_t position = text.find(what);
  return position == std::string::npos ? text : text.replace(position, what.size(), by);
}

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// Joins up to three names, or two names and a count: "Main/World and Main/Chat", "Main/World, Main/Chat and 2 more".
std::string list_of(const std::array<std::string, 3> &first, std::size_t count) {
  if (first[0].empty()) return "a node";
  if (count <= 1) return first[0];
  if (count == 2) return first[0] + " and " + first[1];
  return first[0] + ", " + first[1] + " and " + (count == 3 ? first[2] : std::to_string(count - 2) + " more");
}

// @param subject_filter the finding's additional filter; null: no filter
std::string filter_of(const ExpertItem &item, const char *subject_filter) {
  // Uses "and" and "or" instead of "&&" and "||", because tshark separates columns with bars.
  std::string filter = item.rule().filter == nullptr ? item.filter() : item.rule().filter;
  if (subject_filter != nullptr) filter.append(" and ").append(subject_filter);
  return filter;
}

class Problems final : public StatTable {
 public:
  /// @param keeps_frames true if rows() lists the frames of each row
  explicit Problems(bool keeps_frames)
      : StatTable(GODOT_TABLE("Problems"), "godot,problems", columns(), finding_tap), keeps_frames_(keeps_frames) {}

  void add(packet_info *pinfo, const Finding &finding) {
    if (finding.rule == &refused_connection) return add_refusal(pinfo, finding);
    if (std::strcmp(finding.rule->filter(), "enet.disconnected") == 0 && explained_.contains(pinfo->num)) return;
    const Entry entry = entry_of(pinfo, finding);
    Row *row = row_of(entry, finding.filter != nullptr, pinfo->num);
    if (row == nullptr) return;  // too many rows
    row->add(entry);
    if (row->filters.size() == 2) set_filter(*row, filter_of(*entry.item, nullptr));
    add_to_ranges(*row, pinfo->num);
    row->count += finding.count;
    // The advice explains the first detail.
    if (row->detail.empty()) row->set_text(advice_column, entry.advice);
    const bool is_detailed = finding.detail != nullptr && entry.item->rule().text != nullptr;
    if (is_detailed && row->detail.empty()) row->detail = std::string(". ") + finding.detail;
    set_text(*row);
    row->set_text(from_column, row->froms.text());
    row->set_text(to_column, row->tos.text());
    if (finding.disconnected_in != 0 && explained_.size() < max_keys) explained_.insert(finding.disconnected_in);
    if (keeps_frames_ && row->frames.size() < max_frames) row->frames.push_back(pinfo->num);
    row->set_number(count_column, row->count);
    row->set_number(last_column, std::max(row->number(last_column), pinfo->num));
    show_filter(*row, siblings_[row->item]);
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
  // Findings with the same key share a row. A key is the expert item, plus a subject, a filter, the peers, or a text
  // with one peer.
  using Key = std::pair<const ExpertItem *, std::string>;
  // A finding, and the properties that select its row.
  struct Entry {
    const ExpertItem *item;  // expert item of the row
    std::string subject;
    std::string from;
    std::string to;
    std::string filter;
    std::string text;  // empty if the rule has a text
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
    [[nodiscard]] std::string text() const {
      return names.size() < 2 ? first : first + " and " + std::to_string(names.size() - 1) + " more";
    }
  };
  struct Row : TableRow {
    const ExpertItem *item = nullptr;
    std::string detail;
    std::map<std::string, std::uint32_t> names;  // count of findings, by subject
    std::array<std::string, 3> first_names;      // the first subjects
    std::map<std::string, std::string> texts;    // newest text, by the finding's filter, subject and peers
    std::string first_text;                      // key of the first text
    std::set<std::string> filters;               // filters of the row's findings
    PeerSet froms;
    PeerSet tos;
    std::string filter;  // matches the row's frames, and perhaps frames of siblings
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        ranges;  // first and last frame of each range; siblings have no frames in these ranges
    std::uint32_t count = 0;
    std::vector<std::uint32_t> frames;

    void add(const Entry &item) {
      froms.add(item.from);
      tos.add(item.to);
      if (filters.size() < max_subjects) filters.insert(item.filter);
      if (!item.text.empty()) {
        const std::string key = item.filter + '\n' + item.subject + '\n' + item.from + '\n' + item.to;
        if (texts.empty()) first_text = key;
        if (texts.size() < max_texts || key == first_text) texts[key] = item.text;
      }
      if (const auto known = names.find(item.subject); known != names.end()) {
        ++known->second;
        return;
      }
      if (names.size() >= max_subjects) return;
      names[item.subject] = 1;
      if (names.size() <= first_names.size()) first_names[names.size() - 1] = item.subject;
    }
    // Returns text such as " (280 are RPC Main/World.#1)"; empty if no subject has at least half of the findings.
    [[nodiscard]] std::string most() const {
      const auto most = std::ranges::max_element(names, {}, [](const auto &each) { return each.second; });
      if (most == names.end() || most->first.empty() || 2 * most->second < count) return {};
      return " (" + (most->second == count ? "all" : std::to_string(most->second)) + " are " + most->first + ")";
    }
    // Returns the newest text about the first finding's subject, and the count of other subjects.
    [[nodiscard]] std::string text() const {
      const auto first = texts.find(first_text);
      if (first == texts.end()) return {};
      const auto others = std::ranges::count_if(texts, [&](const auto &each) { return each.second != first->second; });
      return others == 0 ? first->second : first->second + " (and " + std::to_string(others) + " more of this kind)";
    }
  };
  // The rows that share one expert field, such as `enet.malformed`.
  struct Siblings {
    std::vector<Row *> rows;
    const Row *newest = nullptr;                 // the row with the newest finding
    std::map<std::string, std::size_t> filters;  // count of rows, by display filter
  };
  // The numeric columns come first, because in a small window a long problem text hides later columns.
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

  static Entry entry_of(packet_info *pinfo, const Finding &finding) {
    const ExpertItem *shared = finding.rule->rule().row;
    const ExpertItem *item = shared == nullptr ? finding.rule : shared;
    const char *text = finding.text == nullptr ? finding.rule->summary() : finding.text;
    return {item,
            finding.subject == nullptr ? "" : finding.subject,
            end_of(finding.from, pinfo->src, pinfo->srcport),
            end_of(finding.to, pinfo->dst, pinfo->destport),
            filter_of(*item, finding.filter),
            item->rule().text == nullptr ? text : "",
            finding.advice == nullptr ? item->rule().advice : finding.advice};
  }

  static void set_text(Row &row) {
    const Rule &rule = row.item->rule();
    if (rule.text != nullptr) {
      const bool is_plural = row.names.size() > 1 && rule.plural != nullptr;
      std::string text = is_plural ? rule.plural : rule.text;
      text = replaced(replaced(text, "%f", row.froms.text()), "%r", row.tos.text());
      text[0] = g_ascii_toupper(text[0]);
      row.set_text(problem_column,
                   replaced(text, "%s", list_of(row.first_names, row.names.size())) + (is_plural ? "" : row.detail));
    } else if (row.filters.size() > 1 && rule.plural != nullptr) {
      row.set_text(problem_column, replaced(rule.plural, "%u", std::to_string(row.filters.size())));
    } else {
      row.set_text(problem_column, row.text() + (rule.names_most ? row.most() : ""));
    }
  }

  static std::vector<Key> keys_of(const Entry &entry, bool has_filter) {
    const Merge merge = entry.item->rule().merge;
    // Findings of one connection with different advice are different problems.
    if (merge == Merge::all) return {{entry.item, entry.advice}};
    const std::string ends = entry.from + '\n' + entry.to;
    if (merge == Merge::peers && entry.subject.empty()) return {{entry.item, ends}};
    if (merge == Merge::peers) return {{entry.item, ends}, {entry.item, entry.subject}};
    const std::string about = entry.filter + '\n' + entry.advice;
    std::vector<Key> keys = {{entry.item, has_filter ? about : about + '\n' + ends}};
    const std::string pattern = without_digits(entry.subject.empty() ? entry.text : entry.subject);
    keys.push_back({entry.item, "from " + entry.from + '\n' + pattern});
    keys.push_back({entry.item, "to " + entry.to + '\n' + pattern});
    return keys;
  }

  void process(packet_info *pinfo, const void *data) override { add(pinfo, *static_cast<const Finding *>(data)); }

  void discard_rows() override {
    by_key_.clear();
    siblings_.clear();
    explained_.clear();
    rows_.clear();
    order_.clear();
    empty_ = {};
  }

  void set_filter(Row &row, const std::string &filter) {
    Siblings &siblings = siblings_[row.item];
    if (!row.filter.empty()) --siblings.filters[row.filter];
    row.filter = filter;
    ++siblings.filters[filter];
    for (Row *each : siblings.rows) show_filter(*each, siblings);
  }

  void add_to_ranges(Row &row, std::uint32_t frame) {
    const bool is_next = std::exchange(siblings_[row.item].newest, &row) == &row || row.ranges.size() == max_ranges;
    const bool is_in_range = !row.ranges.empty() && (is_next || row.ranges.back().second == frame);
    if (!is_in_range) row.ranges.emplace_back(frame, frame);
    row.ranges.back().second = frame;
  }

  // Sets the filter column. If another row has the same filter, lists frame ranges, so that the filter matches only
  // this row's frames.
  static void show_filter(Row &row, Siblings &siblings) {
    const bool has_several_filters = row.filters.size() > 1 && siblings.rows.size() > 1;
    std::string text;
    if (has_several_filters || siblings.filters[row.filter] > 1) {
      for (const auto &[first, last] : row.ranges) {
        text += (text.empty() ? " and frame.number in {" : ", ") + std::to_string(first);
        if (first != last) text += ".." + std::to_string(last);
      }
    }
    row.set_text(filter_column, row.filter + (text.empty() ? "" : text + "}"));
  }

  // Shows the first server that refused a connection, in the row of an empty table.
  void add_refusal(packet_info *pinfo, const Finding &finding) {
    if (!empty_.is_shown()) return;
    const std::string server = endpoint_text(pinfo->src, pinfo->srcport);
    const bool is_first = empty_.number(count_column) == 0;
    if (!is_first && server != refusing_) return;
    refusing_ = server;
    empty_.set_number(count_column, empty_.number(count_column) + 1);
    empty_.set_number(last_column, pinfo->num);
    if (!is_first) return;
    empty_.set_text(problem_column, finding.text);
    empty_.set_text(from_column, endpoint_text(pinfo->dst, pinfo->destport));
    empty_.set_text(to_column, refusing_);
    empty_.set_number(first_column, pinfo->num);
    empty_.set_text(filter_column, filter_of(refused_connection, finding.filter));
    empty_.set_text(advice_column, finding.advice == nullptr ? refused_connection.rule().advice : finding.advice);
  }

  void add_initial_rows() override {
    capture_facts->has_problems_in_later_pass = capture_facts->is_later_pass = false;
    capture_facts->counts = {};
    update_empty_row();
    show(empty_);
    empty_.set_number(rank_column, 1);
    empty_.point_to(problem_column, empty_row_texts.text.data());
    empty_.point_to(advice_column, empty_row_texts.advice.data());
  }

  Row *row_of(const Entry &item, bool has_filter, std::uint32_t frame) {
    const std::vector<Key> keys = keys_of(item, has_filter);
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

  Row *add_row(const Entry &item, std::uint32_t frame) {
    Row &row = rows_.emplace_back();
    row.item = item.item;
    // Rows are sorted by weight. Rows of equal weight stay in capture order.
    const auto later = std::ranges::count_if(
        rows_, [&](const Row &other) { return other.item->rule().weight > item.item->rule().weight; });
    const auto position = order_.end() - std::min<std::ptrdiff_t>(later, std::ssize(order_));
    const auto number = static_cast<std::size_t>(position - order_.begin());
    order_.insert(position, &row);
    if (empty_.is_shown()) {
      show_instead(row, empty_);
    } else {
      show(row);
    }
    reorder(order_);
    for (std::size_t i = number; i < order_.size(); ++i) order_[i]->set_number(rank_column, i + 1);
    row.set_number(first_column, frame);
    siblings_[row.item].rows.push_back(&row);
    set_filter(row, item.filter);
    return &row;
  }

  bool keeps_frames_;
  std::vector<TableRow *> order_;  // all rows, in the order in which they are shown
  std::deque<Row> rows_;
  std::map<Key, Row *> by_key_;
  std::map<const ExpertItem *, Siblings> siblings_;
  std::set<std::uint32_t> explained_;  // disconnects that another row explains, by frame
  TableRow empty_;                     // the row of a table without problems
  std::string refusing_;               // the server whose refused connections are shown
};

Problems shown_table(false);

// The table of the match page. It is not registered, because it is created after the registration.
Problems &page_table() {
  static Problems problems(true);
  return problems;
}

}  // namespace

void begin_problems() { update_empty_row(); }

void record_game_frame(bool is_later_pass) {
  if (capture_facts->has_game_frames && (!is_later_pass || capture_facts->is_later_pass)) return;
  capture_facts->has_game_frames = true;
  capture_facts->is_later_pass = is_later_pass;
  update_empty_row();
}

void count_for_problems(packet_info *pinfo, const MessageCounts &more) {
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
  if (!is_tapped(find_tap_id(finding_tap), pinfo) || has_game_frames() || !is_refusal_of_tcp(pinfo)) return;
  auto *finding = wmem_new(pinfo->pool, Finding);
  *finding = {
      .rule = &refused_connection,
      .text = wmem_strdup_printf(
          pinfo->pool, "The TCP connection to port %u was refused, so no WebSocket server listens on that port",
          pinfo->srcport),
      .filter = wmem_strdup_printf(pinfo->pool, "tcp.srcport == %u", pinfo->srcport),
      .advice =
          pinfo->src.type == AT_IPv6
              ? "If this is the game, start the server first, with WebSocketMultiplayerPeer.create_server(port, \"*\"), which listens on IPv4 and IPv6. An ENet server uses UDP, not TCP."
              : nullptr};
  tap_queue_packet(find_tap_id(finding_tap), pinfo, finding);
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
  if (!capture_facts->undecrypted.empty()) return;
  capture_facts->undecrypted = what;
  update_empty_row();
}

stat_tap_table_ui &problems_of_page() { return page_table(); }

std::vector<ProblemRow> problem_rows_of_page() { return page_table().rows(); }

}  // namespace godot_plugin
