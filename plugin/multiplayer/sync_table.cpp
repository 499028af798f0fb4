// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "plugin/epan/labels.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/taps.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

constexpr const char *tap_of_syncs = "godot_mp_syncs";
// Maximum number of rows. Without this limit, hostile packets could create any number of rows.
constexpr std::size_t max_rows = 1000;
constexpr double nanoseconds_per_millisecond = 1e6;

int tap = -1;

// One object of a sync. Texts are in the packet's memory.
struct CountedSync {
  std::uint32_t stream;
  const char *from;
  const char *to;
  const char *object;
  std::uint16_t sequence_number;  // sequence number of the sync, which the sender increments with each round
  const godot_codec::MpSyncRecord *record;
};

enum SyncColumn : std::uint8_t {
  object,
  from,
  to,
  count,
  sender_interval,
  mean_interval,
  longest_interval,
  jitter,
  lost,
  lost_share,
  late,
  filter
};

std::vector<TableColumn> columns() {
  return {{"Synchronizer", "%-40s"},
          {"From", "%-10s"},
          {"To", "%-10s"},
          {"Count", "%7u"},
          {"Sender interval (ms)", "%8.1f"},
          {"mean (ms)", "%8.1f"},
          {"max (ms)", "%8.1f"},
          {"Jitter (ms)", "%8.2f"},
          {"Lost", "%6u"},
          {"Lost (%)", "%6.1f"},
          {"Late", "%6u"},
          {"Display filter", "%-40s"}};
}

// Intervals and losses of a synchronizer's syncs at one receiver. Times are in milliseconds.
class SyncStatistics {
 public:
  void add(const CountedSync &sync) {
    ++sync_count_;
    if (sync.record->is_late) {
      ++late_count_;
      // The late sync was already counted as lost.
      if (lost_count_ > 0) --lost_count_;
      return;
    }
    if (sync_count_ > 1 && sync.record->has_interval) {
      add_interval(static_cast<double>(sync.record->interval) / nanoseconds_per_millisecond,
                   static_cast<std::uint16_t>(sync.sequence_number - last_sequence_number_));
    }
    last_sequence_number_ = sync.sequence_number;
  }

  void show_in(TableRow &row) const {
    const double all = static_cast<double>(sync_count_) + lost_count_;
    row.set_number(count, sync_count_);
    row.set_real(sender_interval, usual_interval());
    row.set_real(mean_interval, interval_count_ == 0 ? 0 : interval_sum_ / interval_count_);
    row.set_real(longest_interval, longest_interval_);
    row.set_real(jitter, jitter_);
    row.set_number(lost, lost_count_);
    row.set_real(lost_share, all == 0 ? 0 : 100 * lost_count_ / all);
    row.set_number(late, late_count_);
  }

 private:
  // Returns the mean interval between consecutive syncs of the sender.
  [[nodiscard]] double usual_interval() const {
    return step_interval_count_ == 0 ? 0 : step_interval_sum_ / step_interval_count_;
  }

  // Adds the time since the previous sync. A synchronizer sends in every n-th round of its sender. So the smallest
  // difference between two syncs, in rounds, is one step.
  void add_interval(double interval, std::uint16_t rounds) {
    constexpr double rtp_share = 16;  // RFC 3550, 6.4.1
    ++interval_count_;
    interval_sum_ += interval;
    longest_interval_ = std::max(longest_interval_, interval);
    if (rounds == 0 || rounds > max_rounds) return;
    if (rounds_per_step_ == 0 || rounds < rounds_per_step_) {
      rounds_per_step_ = rounds;
      step_interval_sum_ = step_interval_count_ = 0;
    }
    const auto steps = std::max(1L, std::lround(static_cast<double>(rounds) / rounds_per_step_));
    lost_count_ += static_cast<std::uint32_t>(steps - 1);
    if (step_interval_count_ > 0)
      jitter_ += (std::abs(interval - usual_interval() * static_cast<double>(steps)) - jitter_) / rtp_share;
    // A much longer interval is due to a long game frame, so it does not count for the sender's usual interval.
    constexpr double min_known = 8;
    if (steps > 1 || (step_interval_count_ >= min_known && interval > 2 * usual_interval())) return;
    step_interval_sum_ += interval;
    ++step_interval_count_;
  }

  // Maximum plausible difference between two syncs, in rounds. A larger difference means that the sender paused or
  // restarted.
  static constexpr std::uint16_t max_rounds = 1000;

  std::uint32_t sync_count_ = 0;
  std::uint32_t late_count_ = 0;
  std::uint32_t lost_count_ = 0;
  std::uint32_t interval_count_ = 0;
  std::uint16_t last_sequence_number_ = 0;
  std::uint16_t rounds_per_step_ = 0;
  double interval_sum_ = 0;
  double step_interval_sum_ = 0;
  double step_interval_count_ = 0;
  double longest_interval_ = 0;
  double jitter_ = 0;
};

class SyncTable final : public StatTable {
 public:
  SyncTable() : StatTable(GODOT_TABLE("syncs: interval, jitter, loss"), "godot_mp,syncs", columns(), tap_of_syncs) {}

 private:
  // stream, from, to, object
  using Key = std::tuple<std::uint32_t, std::string, std::string, std::string>;
  struct Row : TableRow {
    SyncStatistics statistics;
  };

  void process(packet_info * /*pinfo*/, const void *data) override {
    const auto &sync = *static_cast<const CountedSync *>(data);
    const Key key{sync.stream, sync.from, sync.to, sync.object};
    if (rows_.size() < max_rows || rows_.contains(key)) add(rows_[key], sync);
  }

  void add(Row &row, const CountedSync &sync) {
    if (!row.is_shown()) begin_row(row, sync);
    row.statistics.add(sync);
    row.statistics.show_in(row);
  }

  void discard_rows() override { rows_.clear(); }

  void begin_row(Row &row, const CountedSync &sync) {
    show(row);
    row.set_text(object, sync.object);
    row.set_text(from, sync.from);
    row.set_text(to, sync.to);
    row.set_text(
        filter, "godot_mp.stream == " + std::to_string(sync.stream) + " and godot_mp.object == " + quoted(sync.object));
  }

  std::map<Key, Row> rows_;
};
SyncTable sync_table;

}  // namespace

void register_sync_tap() { tap = register_tap(tap_of_syncs); }

void tap_syncs(const MpDissection &dissection, const MpResolvedMessage &message) {
  constexpr std::size_t max_name_size = 256;
  packet_info *pinfo = dissection.pinfo;
  if (!message.is(MpCommand::sync) || !message.command.is_known || !is_tapped(tap, pinfo)) return;
  for (std::uint32_t i = 0; const MpResolvedObject *sent = message.object(i); ++i) {
    const godot_codec::MpSyncRecord *record = sent->sync_record();
    if (sent->object.outcome != Outcome::ok || record == nullptr) return;
    auto *sync = wmem_new(pinfo->pool, CountedSync);
    *sync = {mp_stream_index(*dissection.packet.connection),
             name_of_peer(dissection, message.route.sender),
             name_of_peer(dissection, message.route.receiver),
             pool_text<max_name_size>(pinfo, [&](TextBuffer &text) { sent->append_object(text); }),
             static_cast<std::uint16_t>(message.fields.integer(MpField::time)),
             record};
    tap_queue_packet(tap, pinfo, sync);
  }
}

}  // namespace godot_plugin
