// SPDX-License-Identifier: MIT
// libFuzzer target of the codec: any bytes, any options, any sink. The first two bytes choose, the rest is the packet.
// What must always hold is checked with a trap, so that it holds in any build.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace {

using namespace godot_codec;

void check(bool holds) {
  if (!holds) __builtin_trap();
}

/// What the first bytes of the input say.
struct Setup {
  WalkOptions options;
  std::size_t missing = 0;  // bytes on the wire behind the captured ones
  Verdict verdict = Verdict::proceed;
  std::uint32_t period = 1;  // the verdict answers every period-th event

  // Bits 0-1 dialect, 2 double reals, 3-4 missing bytes, 5-6 verdict, 7 a low limit; then the period.
  Setup(std::uint8_t choice, std::uint8_t every) : period(every + 1U) {
    constexpr std::array<std::size_t, 4> missing_bytes = {0, 1, 16, std::size_t{1} << 33};
    options.dialect = all_dialects[(choice & 3) % dialect_count];
    options.double_reals = (choice & 4) != 0;
    missing = missing_bytes[choice >> 3 & 3];
    verdict = static_cast<Verdict>((choice >> 5 & 3) % 3);
    if ((choice & 0x80) != 0) options.limits.nesting = 3;
  }
};

/// Checks every event against those before it.
class CheckingSink final : public VariantSink {
 public:
  CheckingSink(Bytes packet, const Setup &setup) : packet_(packet), setup_(setup) {}

  Verdict on_event(const Event &event) override {
    check(!stopped_);
    check(event.range.offset <= packet_.captured && event.range.length <= packet_.captured - event.range.offset);
    switch (event.kind) {
      case Event::Kind::begin_value:
        check(depth_ > 0 || !has_root_);
        check(event.depth == depth_ && event.range.length == 4 && !event.text.empty());
        check(is_muted_at_ > depth_);
        check(depth_ < Limits::max_nesting);
        has_root_ = true;
        starts_[depth_++] = event.range.offset;
        entries_[depth_ - 1] = false;
        break;
      case Event::Kind::end_value:
        check(depth_ > 0 && event.depth == depth_ - 1 && !entries_[depth_ - 1]);
        check(event.range.offset == starts_[--depth_] && event.range.end() >= position_);
        if (is_muted_at_ > depth_) is_muted_at_ = never;
        break;
      case Event::Kind::begin_entry:
        check(depth_ > 0 && !entries_[depth_ - 1] && event.range.length == 0);
        check(is_muted_at_ > depth_);
        entries_[depth_ - 1] = true;
        entry_starts_[depth_ - 1] = event.range.offset;
        break;
      case Event::Kind::end_entry:
        check(depth_ > 0 && entries_[depth_ - 1] && event.range.offset == entry_starts_[depth_ - 1]);
        entries_[depth_ - 1] = false;
        break;
      case Event::Kind::field:
        check(depth_ > 0 && event.range.offset >= position_ && is_muted_at_ > depth_);
        check_text(event);
        break;
      case Event::Kind::note:
        check(depth_ > 0 && is_muted_at_ > depth_);
        break;
    }
    if (event.kind != Event::Kind::end_value && event.kind != Event::Kind::end_entry) {
      position_ = std::max(position_, event.range.offset);
      check(depth_ == 0 || event.range.offset >= starts_[depth_ - 1]);
    }
    return answer(event);
  }

  void check_end(const WalkResult &result) const {
    check(result.stopped == stopped_);
    check(stopped_ || depth_ == 0);
    check(result.outcome != Outcome::ok || stopped_ || has_root_);
  }

 private:
  Verdict answer(const Event &event) {
    if (++count_ % setup_.period != 0) return Verdict::proceed;
    if (setup_.verdict == Verdict::stop) stopped_ = true;
    if (setup_.verdict == Verdict::skip && event.kind != Event::Kind::end_value) {
      is_muted_at_ = std::min(is_muted_at_, depth_);
    }
    return setup_.verdict;
  }

  /// Text is of the packet, and exactly the range's, or a type's name.
  void check_text(const Event &event) const {
    const FieldKind kind = field_info(event.field).kind;
    if (kind != FieldKind::text && kind != FieldKind::opaque_bytes) return;
    const auto *bytes = reinterpret_cast<const char *>(packet_.data) + event.range.offset;
    const bool is_type =
        event.field == Field::element_type || event.field == Field::key_type || event.field == Field::value_type;
    check(is_type || event.text.data() == bytes);
    check(is_type || event.text.size() == event.range.length);
    // All of it may be read.
    check(std::count(event.text.begin(), event.text.end(), '\0') <= static_cast<std::ptrdiff_t>(event.text.size()));
  }

  static constexpr std::uint32_t never = ~0U;

  Bytes packet_;
  const Setup &setup_;
  std::uint32_t count_ = 0;
  std::uint32_t depth_ = 0;            // values begun
  std::uint32_t is_muted_at_ = never;  // depth_ at which nothing more but an end may come
  std::size_t position_ = 0;
  bool has_root_ = false;
  bool stopped_ = false;
  std::array<std::size_t, Limits::max_nesting> starts_;
  std::array<std::size_t, Limits::max_nesting> entry_starts_;
  std::array<bool, Limits::max_nesting> entries_;
};

void check_result(const WalkResult &result, Bytes packet, std::size_t start) {
  check(result.offset >= start && result.offset <= packet.captured);
  check(result.outcome != Outcome::truncated || packet.captured < packet.reported);
}

bool is_same(const WalkResult &first, const WalkResult &second) {
  return first.outcome == second.outcome && first.offset == second.offset;
}

/// Text is valid UTF-8, terminated, and within its memory, whatever its size.
template <typename Append>
void check_text(std::size_t capacity, Append append) {
  const std::unique_ptr<char[]> memory(new char[capacity]);  // NOLINT(modernize-avoid-c-arrays)
  TextBuffer buffer({memory.get(), capacity});
  append(buffer);
  check(buffer.view().size() < capacity && memory[buffer.view().size()] == '\0');
  check(is_valid_utf8(buffer.view()));
  check(std::none_of(buffer.view().begin(), buffer.view().end(), [](char c) { return c >= 0 && c < ' '; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 2) return 0;
  const Setup setup(data[0], data[1]);
  const std::size_t length = size - 2;
  const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[length]);  // NOLINT(modernize-avoid-c-arrays)
  if (length > 0) std::memcpy(memory.get(), data + 2, length);
  const Bytes packet(memory.get(), length, length + setup.missing);

  // The sinks are too large for the stack of a fuzzer's thread.
  const auto sink = std::make_unique<CheckingSink>(packet, setup);
  const WalkResult result = walk_variant(packet, 0, setup.options, *sink);
  sink->check_end(result);
  check_result(result, packet, 0);

  // A sink that wants all of it changes nothing; one that skips does not either.
  const Setup all(data[0] & 0x9f, 0);
  const auto whole_sink = std::make_unique<CheckingSink>(packet, all);
  const WalkResult whole = walk_variant(packet, 0, setup.options, *whole_sink);
  whole_sink->check_end(whole);
  check_result(whole, packet, 0);
  check(result.stopped || is_same(result, whole));

  // A Variant that follows another one in a packet, or begins anywhere.
  const std::size_t start = std::min<std::size_t>(data[1], length);
  check_result(walk_variant(packet, start, setup.options, *std::make_unique<CheckingSink>(packet, all)), packet, start);

  for (const std::size_t capacity : {std::size_t{4}, std::size_t{5U + data[1]}, std::size_t{1} << 14}) {
    for (const TextStyle style : {TextStyle::script, TextStyle::plain, TextStyle::brief}) {
      check_text(capacity, [&](TextBuffer &buffer) {
        const WalkResult text = append_variant(buffer, packet, 0, setup.options, style);
        // The plain text of an Object is its class's name: the rest is not read.
        check(text.stopped || !buffer.is_full());
        check(!text.stopped || buffer.is_full() || style == TextStyle::plain);
        check(text.stopped || is_same(text, whole));
      });
    }
    check_text(capacity, [&](TextBuffer &buffer) { append_summary(buffer, packet, 0, setup.options); });
    check_text(capacity, [&](TextBuffer &buffer) {
      buffer.append_escaped({reinterpret_cast<const char *>(memory.get()), length}, (data[1] & 1) != 0, data[1]);
    });
  }

  const Detection detection = detect_dialect(packet, setup.options);
  check(!detection.candidates.empty());
  DialectSet evidence;
  evidence.add(setup.options.dialect);
  const std::array<DialectSet, 2> known = {DialectSet(), evidence};
  const DialectChoice choice = choose_dialect(detection, known);
  check(detection.candidates.has(choice.dialect) || detection.fit < Fit::odd);
  check(!choice.guessed || detection.fit >= Fit::odd);
  check(add_evidence(evidence, detection) == evidence || detection.is_decisive());
  return 0;
}
