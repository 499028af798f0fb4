// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/problems.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/problem.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

// Rows beyond so many are not added: whoever sends packets chooses how many there are.
constexpr std::size_t max_rows = 1000;
// Frames of a row beyond so many are only counted.
constexpr std::size_t max_frames = 2000;

// Why a game does not work. %s in the words stands for what the problem is about; null: the expert item's own text says
// it best.
struct Cause {
  const char *words;
  std::array<const char *, 3> fields;  // the expert items that tell of it; the rest is null
};

// By weight: what keeps others from happening comes first.
constexpr Cause causes[] = {
    {nullptr, {"enet.unanswered_connect"}},
    {nullptr, {"enet.peer_gone"}},
    {nullptr, {"godot_websocket.tls_mismatch"}},
    {nullptr, {"godot_websocket.forbidden"}},
    {nullptr, {"godot_websocket.refused"}},
    {nullptr, {"godot_websocket.subprotocol_mismatch"}},
    {nullptr, {"godot_websocket.unanswered"}},
    {nullptr, {"godot_websocket.aborted"}},
    {"The two games are of different engine versions: neither understands the other", {"godot.dialect.mixed"}},
    {"StreamPeer.big_endian is true at this end and false at the other one: neither can read the other's packets",
     {"godot.length.big_endian.differs"}},
    {"StreamPeer.big_endian is true at this end, and no Variant comes back: is it true at the other one, too?",
     {"godot.length.big_endian.unanswered"}},
    {nullptr, {"godot_mp.authentication"}},
    {"The RPC methods of %s differ between the two games: both sides need the same scripts",
     {"godot_mp.checksum_failed", "godot_mp.after_checksum_failure"}},
    {"%s spawns a scene that it has not in its list in the game's folder: who has that list spawns nothing",
     {"godot_mp.unlisted_scene"}},
    {"%s is missing at the receiver: its calls get lost there", {"godot_mp.unconfirmed_path"}},
    {"The receiver was never told about %s: Godot drops what is sent to it", {"godot_mp.untold_path"}},
    {"%s is not spawned at the receiver, or no longer: Godot drops what is sent to it", {"godot_mp.unknown_node"}},
    {"Calls of %s are only allowed to the node's authority: Godot refuses them",
     {"godot_mp.refused", "godot_mp.not_allowed"}},
    {"Calls of %s do not fit what the method takes: Godot does not call it", {"godot_mp.signature_mismatch"}},
    {"Calls of %s have an argument that the receiver cannot read: null for it and for all behind it",
     {"godot_mp.arguments_lost"}},
    {nullptr, {"enet.no_channel"}},
    {nullptr, {"godot_mp.unsynchronized"}},
    {nullptr, {"godot_mp.absent_peer"}},
    {nullptr, {"enet.hitch"}},
    {"Packets were lost, or acknowledged late, and sent again", {"enet.retransmitted"}},
    {"Commands were never acknowledged, though the receiver was there", {"enet.unacknowledged"}},
    {nullptr, {"enet.slow_frames"}},
    {nullptr, {"enet.disconnected"}},
    {nullptr, {"godot_websocket.closed"}},
};
constexpr std::size_t cause_count = std::size(causes);

// All that our protocols warn of has a row.
bool is_ours(std::string_view field) { return field.starts_with("godot") || field.starts_with("enet."); }

// @returns cause_count for one that is in no row of the causes
std::size_t cause_of(std::string_view field) {
  const auto *found = std::ranges::find_if(causes, [&](const Cause &cause) {
    return std::ranges::any_of(cause.fields, [&](const char *each) { return each != nullptr && each == field; });
  });
  return static_cast<std::size_t>(found - std::begin(causes));
}

std::string words_of(const Cause &cause, const char *what) {
  std::string words = cause.words;
  const std::size_t place = words.find("%s");
  if (place == std::string::npos) return words;
  return words.replace(place, 2, *what == '\0' ? "a node" : what);
}

// Words for operators: a bar would look like tshark's border between columns.
std::string filter_of(std::size_t cause, const char *field, const ProblemSubject *subject) {
  std::string filter = field;
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
  Problems(tap_packet_cb on_item, bool keeps_frames)
      : StatTable(GODOT_TABLE("Problems"), "godot,problems", columns(), on_item), keeps_frames_(keeps_frames) {
    tap_name = "expert";
  }

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
    const bool has_words = cause < cause_count && causes[cause].words != nullptr;
    const char *what = subject == nullptr ? "" : subject->what;
    const std::string filter = filter_of(cause, field, subject);
    const std::string peer = subject == nullptr || subject->from == nullptr ? "" : subject->from;
    const std::string other = subject == nullptr || subject->to == nullptr ? "" : subject->to;
    const std::string from = peer.empty() ? endpoint_text(pinfo->src, pinfo->srcport) : peer;
    const std::string to = other.empty() ? endpoint_text(pinfo->dst, pinfo->destport) : other;
    Row *row = row_of({cause, filter, from, to}, pinfo->num);
    if (row == nullptr || row->cells == nullptr) return;  // there are too many, or was no memory for them
    if (!has_words) row->words = item.summary;
    const bool has_news = has_words && subject != nullptr && subject->detail != nullptr && !row->has_detail;
    if (has_words && (row->words.empty() || has_news)) row->words = words_of(causes[cause], what);
    if (has_news) row->words.append(" (").append(subject->detail).append(")");
    row->has_detail = row->has_detail || has_news;
    ++row->count;
    if (keeps_frames_ && row->frames.size() < max_frames) row->frames.push_back(pinfo->num);
    Cell *cells = row->cells;
    cells[problem_column].value.string_value = row->words.c_str();
    cells[count_column].value.uint_value = row->count;
    cells[last_column].value.uint_value = std::max(cells[last_column].value.uint_value, pinfo->num);
  }

  [[nodiscard]] std::vector<ProblemRow> rows() const {
    std::map<const Cell *, const std::vector<std::uint32_t> *> frames;
    for (const auto &[key, row] : rows_) frames[row.cells] = &row.frames;
    std::vector<ProblemRow> rows;
    for (const Cell *cells : all_rows()) {
      if (cells == empty_ && cells[count_column].value.uint_value == 0) continue;
      const auto known = frames.find(cells);
      rows.push_back({cells[problem_column].value.string_value, cells[from_column].value.string_value,
                      cells[to_column].value.string_value, cells[count_column].value.uint_value,
                      cells[first_column].value.uint_value, cells[last_column].value.uint_value,
                      cells[filter_column].value.string_value, known == frames.end() ? nullptr : known->second});
    }
    return rows;
  }

 private:
  // cause, filter, from, to
  using Key = std::tuple<std::size_t, std::string, std::string, std::string>;
  struct Row {
    Cell *cells = nullptr;
    std::string words;
    bool has_detail = false;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> frames;
  };
  enum Column : std::uint8_t {
    problem_column,
    from_column,
    to_column,
    count_column,
    first_column,
    last_column,
    filter_column
  };

  static Columns columns() {
    return {{TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Problem", "%-80s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "From", "%-21s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "To", "%-21s"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%7u"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%9u"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Last frame", "%9u"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Display filter", "%-60s"}};
  }

  void forget() override {
    rows_.clear();
    empty_ = nullptr;
  }

  // Nothing shows whose connection was refused. So it is told only where there is nothing else of a game.
  void add_refusal(packet_info *pinfo) {
    if (empty_ == nullptr || is_any_frame_ours() || !is_refusal_of_tcp(pinfo)) return;
    const std::string server = endpoint_text(pinfo->src, pinfo->srcport);
    const bool is_first = empty_[count_column].value.uint_value == 0;
    if (!is_first && server != refusing_) return;
    refusing_ = server;
    empty_[count_column].value.uint_value += 1;
    empty_[last_column].value.uint_value = pinfo->num;
    if (!is_first) return;
    refused_ = endpoint_text(pinfo->dst, pinfo->destport);
    refusals_ = "tcp.connection.rst and tcp.srcport == " + std::to_string(pinfo->srcport);
    empty_[problem_column].value.string_value =
        "TCP is refused: if that is a game's WebSocket, no server is at that port, or it speaks ENet (UDP)";
    empty_[from_column].value.string_value = refused_.c_str();
    empty_[to_column].value.string_value = refusing_.c_str();
    empty_[first_column].value.uint_value = pinfo->num;
    empty_[filter_column].value.string_value = refusals_.c_str();
  }

  void begin() override {
    empty_ = add_row({text_cell("Nothing found in what is recognised as Godot's or ENet's"), text_cell(""),
                      text_cell(""), number_cell(0), number_cell(0), number_cell(0), text_cell("")});
  }

  Row *row_of(const Key &key, std::uint32_t frame) {
    const auto known = rows_.find(key);
    if (known != rows_.end()) return &known->second;
    if (rows_.size() >= max_rows) return nullptr;
    const bool is_first = rows_.empty();
    const auto added = rows_.try_emplace(key).first;
    Row &row = added->second;
    const std::vector<Cell> cells = {text_cell(""),
                                     text_cell(std::get<2>(added->first).c_str()),
                                     text_cell(std::get<3>(added->first).c_str()),
                                     number_cell(0),
                                     number_cell(frame),
                                     number_cell(frame),
                                     text_cell(std::get<1>(added->first).c_str())};
    if (is_first) remove_last_row();
    empty_ = nullptr;
    row.cells = add_row(cells);
    // The heaviest cause first; rows of one cause in the order of the capture.
    const auto is_lighter = [&](const auto &other) { return std::get<0>(other.first) > std::get<0>(key); };
    move_last_row_up(static_cast<std::size_t>(std::ranges::count_if(rows_, is_lighter)));
    return &row;
  }

  bool keeps_frames_;
  std::map<Key, Row> rows_;
  Cell *empty_ = nullptr;  // the row of an empty table
  // Its texts: who is refused, by whom first, and the filter.
  std::string refused_;
  std::string refusing_;
  std::string refusals_;
};

tap_packet_status on_item(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                          tap_flags_t /*flags*/) {
  static_cast<Problems &>(StatTable::of(tap_data)).add(pinfo, *static_cast<const expert_info_t *>(data));
  return TAP_PACKET_REDRAW;
}

Problems &second_table() {
  static Problems problems(guarded<on_item>, true);
  return problems;
}

}  // namespace

stat_tap_table_ui &problems_of_page() { return second_table(); }

std::vector<ProblemRow> problem_rows_of_page() { return second_table().rows(); }

void register_problems() {
  static Problems problems(guarded<on_item>, false);
  problems.register_table();
}

}  // namespace godot_plugin
