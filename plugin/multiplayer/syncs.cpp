// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/syncs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "plugin/epan/guard.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

constexpr const char *tap_of_syncs = "godot_mp_syncs";
// Whoever sends packets chooses how many synchronizers there are.
constexpr std::size_t max_rows = 1000;
constexpr double nanoseconds_per_millisecond = 1e6;

int tap = -1;

enum Column : std::uint8_t {
  object,
  from,
  to,
  count,
  meant,
  mean,
  most,
  jitter,
  lost,
  lost_share,
  late,
  filter,
  column_count
};

// A synchronizer's values on their way to one receiver. Times are in milliseconds.
class SyncPace {
 public:
  void add(const CountedSync &sync) {
    ++count_;
    if (sync.is_late) {
      ++late_;
      // It was taken for lost.
      if (lost_ > 0) --lost_;
      return;
    }
    if (count_ > 1 && sync.has_interval) {
      add_interval(static_cast<double>(sync.interval) / nanoseconds_per_millisecond,
                   static_cast<std::uint16_t>(sync.number - last_number_));
    }
    last_number_ = sync.number;
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t late() const { return late_; }
  [[nodiscard]] std::uint32_t lost() const { return lost_; }
  [[nodiscard]] double lost_share() const {
    const double all = static_cast<double>(count_) + lost_;
    return all == 0 ? 0 : 100 * lost_ / all;
  }
  /// Between two that the sender has sent one after the other.
  [[nodiscard]] double meant() const { return whole_count_ == 0 ? 0 : whole_time_ / whole_count_; }
  [[nodiscard]] double mean() const { return interval_count_ == 0 ? 0 : time_ / interval_count_; }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] double jitter() const { return jitter_; }

 private:
  // A synchronizer is in each round, or in each n-th: the shortest way between two is one step.
  void add_interval(double interval, std::uint16_t rounds) {
    constexpr double rtp_share = 16;  // RFC 3550, 6.4.1
    ++interval_count_;
    time_ += interval;
    most_ = std::max(most_, interval);
    if (rounds == 0 || rounds > max_rounds) return;
    if (step_ == 0 || rounds < step_) {
      step_ = rounds;
      whole_time_ = whole_count_ = 0;
    }
    const auto steps = std::max(1L, std::lround(static_cast<double>(rounds) / step_));
    lost_ += static_cast<std::uint32_t>(steps - 1);
    if (whole_count_ > 0) jitter_ += (std::abs(interval - meant() * static_cast<double>(steps)) - jitter_) / rtp_share;
    // A frame that took long was not meant.
    constexpr double known_well = 8;
    if (steps > 1 || (whole_count_ >= known_well && interval > 2 * meant())) return;
    whole_time_ += interval;
    ++whole_count_;
  }

  // More is a pause, or a sender that has begun anew.
  static constexpr std::uint16_t max_rounds = 1000;

  std::uint32_t count_ = 0;
  std::uint32_t late_ = 0;
  std::uint32_t lost_ = 0;
  std::uint32_t interval_count_ = 0;
  std::uint16_t last_number_ = 0;
  std::uint16_t step_ = 0;
  double time_ = 0;
  double whole_time_ = 0;
  double whole_count_ = 0;
  double most_ = 0;
  double jitter_ = 0;
};

class Syncs final : public StatTable {
 public:
  explicit Syncs(tap_packet_cb on_sync)
      : StatTable(GODOT_TABLE("syncs: interval, jitter, lost"), "godot_mp,syncs", columns(), on_sync) {
    tap_name = tap_of_syncs;
  }

  void add(const CountedSync &sync) {
    const Key key{sync.stream, sync.from, sync.to, sync.object};
    auto known = rows_.find(key);
    if (known == rows_.end()) {
      if (rows_.size() >= max_rows) return;
      known = rows_.try_emplace(key).first;
      begin_row(known->first, known->second, sync);
    }
    Row &row = known->second;
    row.pace.add(sync);
    Cell *cells = row.cells;
    cells[count].value.uint_value = row.pace.count();
    row.meant.show(cells[meant], row.pace.meant(), 8, 1);
    row.mean.show(cells[mean], row.pace.mean(), 8, 1);
    row.most.show(cells[most], row.pace.most(), 8, 1);
    row.jitter.show(cells[jitter], row.pace.jitter(), 8, 2);
    cells[lost].value.uint_value = row.pace.lost();
    row.lost_share.show(cells[lost_share], row.pace.lost_share(), 6, 1);
    cells[late].value.uint_value = row.pace.late();
  }

 private:
  // stream, from, to, object
  using Key = std::tuple<std::uint32_t, std::string, std::string, std::string>;
  struct Row {
    Cell *cells = nullptr;
    std::string filter;
    SyncPace pace;
    ShownReal meant;
    ShownReal mean;
    ShownReal most;
    ShownReal jitter;
    ShownReal lost_share;
  };

  static Columns columns() {
    return {{TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Synchronizer", "%-40s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "From", "%-10s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "To", "%-10s"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%7u"},
            {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Interval meant (ms)", "%8s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "mean (ms)", "%8s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "max (ms)", "%8s"},
            {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Jitter (ms)", "%8s"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Lost", "%6u"},
            {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Lost (%)", "%6s"},
            {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Late", "%6u"},
            {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Display filter", "%-40s"}};
  }

  void forget() override { rows_.clear(); }

  void begin_row(const Key &key, Row &row, const CountedSync &sync) {
    std::string quoted;
    for (const char c : std::get<3>(key)) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    row.filter = "godot_mp.stream == " + std::to_string(sync.stream) + " and godot_mp.object == \"" + quoted + "\"";
    row.cells =
        add_row({text_cell(std::get<3>(key).c_str()), text_cell(std::get<1>(key).c_str()),
                 text_cell(std::get<2>(key).c_str()), number_cell(0), text_cell(""), text_cell(""), text_cell(""),
                 text_cell(""), number_cell(0), text_cell(""), number_cell(0), text_cell(row.filter.c_str())});
  }

  std::map<Key, Row> rows_;
};

tap_packet_status on_sync(void *tap_data, packet_info * /*pinfo*/, epan_dissect_t * /*edt*/, const void *data,
                          tap_flags_t /*flags*/) {
  static_cast<Syncs &>(StatTable::of(tap_data)).add(*static_cast<const CountedSync *>(data));
  return TAP_PACKET_REDRAW;
}

}  // namespace

void register_sync_tap() { tap = register_tap(tap_of_syncs); }

void register_syncs() {
  static Syncs syncs(guarded<on_sync>);
  syncs.register_table();
}

bool has_sync_listener(packet_info *pinfo) { return is_tapped(tap, pinfo); }

void tap_sync(packet_info *pinfo, const CountedSync &sync) {
  auto *kept = wmem_new(pinfo->pool, CountedSync);
  *kept = sync;
  tap_queue_packet(tap, pinfo, kept);
}

}  // namespace godot_plugin
