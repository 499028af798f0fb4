// SPDX-License-Identifier: MIT
// libFuzzer target of the codec: arbitrary bytes, options and sink. The first two bytes select options, the rest is the
// packet. Violated guarantees cause a trap, so that they are detected in release builds, too.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "../counting_memory.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_value.h"
#include "godot-codec/variant/variant_walker.h"

namespace {

using namespace godot_codec;

void check(bool holds) {
  if (!holds) __builtin_trap();
}

/// The options, which the first bytes of the input choose.
struct Setup {
  Encoding encoding;
  ReadOptions options;
  std::size_t missing = 0;  // bytes on the wire after the captured bytes
  VisitAction action = VisitAction::proceed;
  std::uint32_t period = 1;  // the sink's answer applies to every period-th event

  // Bits 0-1: dialect, or the compact format of Godot 3; 2: double reals; 3-4: missing bytes; 5-6: the sink's answer;
  // 7: a low limit. The second byte is the period.
  Setup(std::uint8_t choice, std::uint8_t every) : period(every + 1U) {
    constexpr std::array<std::size_t, 4> missing_bytes = {0, 1, 16, std::size_t{1} << 33};
    static_assert(dialect_count == 3);
    encoding.dialect = all_dialects[(choice & 3) % dialect_count];
    encoding.is_compact = (choice & 3) == dialect_count;
    options.has_double_reals = (choice & 4) != 0;
    missing = missing_bytes[choice >> 3 & 3];
    action = static_cast<VisitAction>(choice >> 5 & 3);
    if ((choice & 0x80) != 0) options.limits.nesting = 3;
  }
};

/// Checks every event against those before it.
class CheckingSink final : public VariantSink {
 public:
  CheckingSink(Bytes packet, const Setup &setup) : packet_(packet), setup_(setup) {}

  VisitAction begin_value(const ValueHeader &value) {
    check(depth_ > 0 || !has_root_);
    const bool is_compact = setup_.encoding.is_compact && depth_ == 0 && value.range.length == 1;
    check(value.depth == depth_ && (value.range.length == 4 || is_compact) && !value.name.empty());
    check(depth_ < WalkLimits::max_nesting);
    has_root_ = true;
    starts_[depth_++] = value.range.offset;
    return take(value.range);
  }
  VisitAction end_value(const ValueHeader &value, Range whole) {
    check(depth_ > 0 && value.depth == depth_ - 1);
    check(whole.offset == starts_[--depth_] && whole.end() >= position_);
    check_range(whole);
    if (skip_depth_ > depth_) skip_depth_ = never;
    return answer(false);
  }
  VisitAction integer(const ValueHeader &value, const IntegerField &field) { return take_field(value, field.range); }
  VisitAction real(const ValueHeader &value, const RealField &field) { return take_field(value, field.range); }
  VisitAction text(const ValueHeader &value, const TextField &field) {
    const bool is_type = field.field == VariantField::element_type || field.field == VariantField::key_type ||
                         field.field == VariantField::value_type;
    if (!is_type) check_text(field.range, field.text);
    return take_field(value, field.range);
  }
  VisitAction padding(const ValueHeader &value, const PaddingField &field) {
    check_text(field.range, field.bytes);
    return take_field(value, field.range);
  }
  VisitAction components(const ValueHeader &value, const NumberSequence &numbers) {
    check(numbers.size() > 0 && numbers.size() <= shape_of(value.type).component_count);
    check_numbers(numbers);
    return take_field(value, numbers.range());
  }
  VisitAction packed_array(const ValueHeader &value, const PackedArray &array) {
    check(array.size() <= array.count && array.element == packed_element_type(value.type));
    check(array.numbers.size() <= std::size_t{array.count} * array.numbers_per_element);
    if (array.element != Type::string) {
      check_numbers(array.numbers);
      return take_field(value, array.numbers.range());
    }
    std::uint32_t index = 0;
    for (const PackedString &element : array.strings) {
      check(element.index == index++ && element.padding.offset == element.range.end());
      check(element.padding.end() <= packet_.captured);
      check_text(element.range, element.text);
      check_order(element.length);
    }
    if (array.truncated_string.has_text()) check_text(array.truncated_string.range, array.truncated_string.text);
    if (array.has_truncated_string()) check_order(array.truncated_string.length);
    return answer(true);
  }
  VisitAction note(const ValueHeader & /*value*/, const NotedBytes &oddity) {
    check(depth_ > 0 && oddity.range.offset >= starts_[depth_ - 1]);
    check_range(oddity.range);
    check(skip_depth_ > depth_);
    return answer(true);
  }

  void check_end(const WalkResult &result) const {
    check(result.is_stopped == stopped_);
    check(ended_ || depth_ == 0);
    check(result.outcome != Outcome::ok || stopped_ || has_root_);
  }

 private:
  void check_range(Range range) const {
    check(!ended_);
    check(range.offset <= packet_.captured && range.length <= packet_.captured - range.offset);
  }

  // Checks that ranges never go backwards.
  void check_order(Range range) {
    check_range(range);
    check(range.offset >= position_ && (depth_ == 0 || range.offset >= starts_[depth_ - 1]));
    position_ = range.offset;
  }

  VisitAction take(Range range) {
    check(skip_depth_ >= depth_);
    check_order(range);
    return answer(true);
  }

  VisitAction take_field(const ValueHeader &value, Range range) {
    check(depth_ > 0 && value.depth == depth_ - 1 && skip_depth_ > depth_);
    return take(range);
  }

  // @param may_skip whether the sink may skip at this event; a value that has ended has no more events
  VisitAction answer(bool may_skip) {
    if (++count_ % setup_.period != 0) return VisitAction::proceed;
    if (setup_.action == VisitAction::stop) stopped_ = true;
    if (setup_.action == VisitAction::stop || setup_.action == VisitAction::check_only) ended_ = true;
    if (setup_.action == VisitAction::skip && may_skip) skip_depth_ = std::min(skip_depth_, depth_);
    return setup_.action;
  }

  /// Checks that the text lies in the packet and has exactly this range. Reads all of it.
  void check_text(Range range, std::string_view text) const {
    check_range(range);
    check(text.data() == reinterpret_cast<const char *>(packet_.data) + range.offset && text.size() == range.length);
    check(std::count(text.begin(), text.end(), '\0') <= static_cast<std::ptrdiff_t>(text.size()));
  }

  /// Reads all numbers, and checks their ranges.
  void check_numbers(const NumberSequence &numbers) const {
    check_range(numbers.range());
    check(numbers.range().length % number_size(numbers.kind()) == 0);
    std::size_t count = 0;
    numbers.visit([&count](auto view) {
      for (const auto number : view) {
        if (number == number || number != number) ++count;
      }
    });
    check(count == numbers.size());
  }

  static constexpr std::uint32_t never = ~0U;

  Bytes packet_;
  const Setup &setup_;
  std::uint32_t count_ = 0;
  std::uint32_t depth_ = 0;           // values that have begun
  std::uint32_t skip_depth_ = never;  // depth_ at which only the end of a value may follow
  std::size_t position_ = 0;
  bool has_root_ = false;
  bool stopped_ = false;
  bool ended_ = false;  // no further event may follow
  std::array<std::size_t, WalkLimits::max_nesting> starts_;
};

/// The content of a value and of all below it.
struct Content {
  std::size_t values = 0;
  std::uint64_t integers = 0;
  std::uint64_t reals = 0;  // the sum of their bits
  std::size_t texts = 0;    // bytes
  std::size_t numbers = 0;

  bool operator==(const Content &) const = default;
};

/// Collects the content from the events of a walk.
class ContentSink final : public VariantSink {
 public:
  void begin_value(const ValueHeader & /*value*/) { ++content.values; }
  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    const bool is_content = field.field == VariantField::boolean || field.field == VariantField::integer ||
                            field.field == VariantField::rid || field.field == VariantField::object_id ||
                            field.field == VariantField::signal_object_id;
    if (is_content) content.integers += static_cast<std::uint64_t>(field.value);
  }
  void real(const ValueHeader & /*value*/, const RealField &field) {
    content.reals += std::bit_cast<std::uint64_t>(field.value);
  }
  void text(const ValueHeader & /*value*/, const TextField &field) {
    const bool is_type = field.field == VariantField::element_type || field.field == VariantField::key_type ||
                         field.field == VariantField::value_type;
    if (!is_type) content.texts += field.text.size();
  }
  void components(const ValueHeader & /*value*/, const NumberSequence &numbers) { content.numbers += numbers.size(); }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    content.numbers += array.numbers.size();
    for (const PackedString &element : array.strings) content.texts += element.text.size();
  }

  Content content;
};

/// Collects the content from a tree. Reads each of its texts and numbers.
void add_content(const VariantValue &value, Content &content) {
  ++content.values;
  content.integers += static_cast<std::uint64_t>(value.integer()) + (value.boolean() ? 1U : 0U) + value.object_id();
  if (value.type() == Type::real) content.reals += std::bit_cast<std::uint64_t>(value.real());
  const auto add_text = [&content](std::string_view text) {
    content.texts += text.size();
    check(std::count(text.begin(), text.end(), '\0') <= static_cast<std::ptrdiff_t>(text.size()));
  };
  add_text(value.text());
  for (const PackedString &element : value.strings()) add_text(element.text);
  for (const VariantValue &name : value.path_names()) add_text(name.text());
  for (const VariantValue &name : value.path_subnames()) add_text(name.text());
  content.numbers += value.numbers().size();
  for (std::size_t i = 0; i < value.numbers().size(); ++i) {
    const double number = value.number(i);
    check(number == number || number != number);
  }
  for (const VariantValue &element : value.elements()) add_content(element, content);
  for (const ValueEntry &entry : value.entries()) {
    if (value.type() == Type::object) {
      add_text(entry.key.text());
    } else {
      add_content(entry.key, content);
    }
    add_content(entry.value, content);
  }
}

/// Checks that a tree has the same content as the events, and that its memory is limited by the captured bytes.
void check_tree(Bytes packet, const Encoding &encoding, const ReadOptions &options, const WalkResult &walked) {
  test::CountingMemory memory;
  ValueArena arena(&memory);
  for (int i = 0; i < 2; ++i) {
    arena.clear();
    const ValueTree read = read_value(packet, 0, encoding, options, arena);
    check(read.result.outcome == walked.outcome && read.result.offset == walked.offset);
    check((read.root != nullptr) == (walked.outcome == Outcome::ok));
    check(memory.used() <= 8192 + 32 * packet.captured);
    if (read.root == nullptr) return;
    ContentSink sink;
    walk_variant(packet, 0, encoding, options, sink);
    Content content;
    add_content(*read.root, content);
    check(content == sink.content);
  }
}

void check_result(const WalkResult &result, Bytes packet, std::size_t start) {
  check(result.offset >= start && result.offset <= packet.captured);
  check(result.outcome != Outcome::truncated || packet.captured < packet.reported);
}

bool is_same(const WalkResult &first, const WalkResult &second) {
  return first.outcome == second.outcome && first.offset == second.offset;
}

/// Checks that text is valid UTF-8, terminated, and within its memory, for any capacity.
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
  const WalkResult result = walk_variant(packet, 0, setup.encoding, setup.options, *sink);
  sink->check_end(result);
  check_result(result, packet, 0);

  // A sink that continues at every event gets the same result, and so does a sink that skips.
  const Setup all(data[0] & 0x9f, 0);
  const auto whole_sink = std::make_unique<CheckingSink>(packet, all);
  const WalkResult whole = walk_variant(packet, 0, setup.encoding, setup.options, *whole_sink);
  whole_sink->check_end(whole);
  check_result(whole, packet, 0);
  check(result.is_stopped || is_same(result, whole));

  check_tree(packet, setup.encoding, setup.options, whole);

  // Reads Variants that follow another Variant in a packet, or begin at any offset.
  const std::size_t start = std::min<std::size_t>(data[1], length);
  check_result(walk_variant(packet, start, setup.encoding, setup.options, *std::make_unique<CheckingSink>(packet, all)),
               packet, start);

  for (const std::size_t capacity : {std::size_t{4}, std::size_t{5U + data[1]}, std::size_t{1} << 14}) {
    for (const TextStyle style : {TextStyle::script, TextStyle::plain, TextStyle::brief}) {
      check_text(capacity, [&](TextBuffer &buffer) {
        const WalkResult text = append_variant(buffer, packet, 0, setup.encoding, setup.options, style);
        // The plain text of an Object is its class name, so the rest of the Object is not read.
        check(text.is_stopped || !buffer.is_full());
        check(!text.is_stopped || buffer.is_full() || style == TextStyle::plain);
        check(text.is_stopped || is_same(text, whole));
      });
    }
    check_text(capacity, [&](TextBuffer &buffer) {
      const WalkResult text = append_brief(buffer, packet, 0, setup.encoding, setup.options, TextStyle::summary);
      check(!text.is_stopped && is_same(text, whole));
    });
    check_text(capacity, [&](TextBuffer &buffer) {
      buffer.append_escaped({reinterpret_cast<const char *>(memory.get()), length}, (data[1] & 1) != 0, data[1]);
    });
  }

  const DialectDetection detection = detect_dialect(packet, setup.options);
  check(!detection.candidates.empty());
  DialectSet evidence;
  evidence.add(setup.encoding.dialect);
  const std::array<DialectSet, 2> known = {DialectSet(), evidence};
  const DialectChoice choice = choose_dialect(detection, known);
  check(detection.candidates.has(choice.dialect) || detection.fit < DialectFit::with_notes);
  check(!choice.is_guess || detection.fit >= DialectFit::with_notes);
  check(narrow_dialects(evidence, detection) == evidence || detection.is_decisive());
  return 0;
}
