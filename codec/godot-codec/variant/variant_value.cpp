// SPDX-License-Identifier: MIT
#include "godot-codec/variant/variant_value.h"

#include <algorithm>
#include <utility>

#include "godot-codec/variant/text_sink.h"

namespace godot_codec {

// ---- accessors

bool VariantValue::is_null() const {
  if (type_ != Type::object) return type_ == Type::nil;
  return flag_ ? payload_.integer == 0 : text().empty();
}

std::string_view VariantValue::text() const {
  if (type_ == Type::string || type_ == Type::string_name) return Bytes(payload_.bytes, size_).text();
  const bool is_named = type_ == Type::signal || type_ == Type::object;
  return is_named && size_ > 0 ? children().front().text() : std::string_view();
}

std::uint64_t VariantValue::object_id() const {
  if (type_ == Type::object && flag_) return static_cast<std::uint64_t>(payload_.integer);
  return type_ == Type::signal ? static_cast<std::uint64_t>(children().back().integer()) : 0;
}

std::span<const VariantValue> VariantValue::children() const {
  return size_ == 0 ? std::span<const VariantValue>() : std::span(payload_.children, size_);
}

std::span<const VariantValue> VariantValue::elements() const {
  return type_ == Type::array ? children() : std::span<const VariantValue>();
}

std::span<const ValueEntry> VariantValue::entries() const {
  if (size_ == 0 || (type_ != Type::dictionary && type_ != Type::object)) return {};
  const void *first = payload_.children + (type_ == Type::object ? 1 : 0);
  return {static_cast<const ValueEntry *>(first), size_ / 2};
}

const VariantValue *VariantValue::find(std::string_view key) const {
  const std::span<const ValueEntry> all = entries();
  const auto found = std::find_if(all.rbegin(), all.rend(), [key](const ValueEntry &entry) {
    const bool is_text = entry.key.type_ == Type::string || entry.key.type_ == Type::string_name;
    return is_text && entry.key.text() == key;
  });
  return found == all.rend() ? nullptr : &found->value;
}

NumberSequence VariantValue::numbers() const {
  const bool has_numbers =
      shape_of(type_).component_count > 0 || (is_packed(type_) && type_ != Type::packed_string_array);
  return has_numbers ? NumberSequence(kind_, payload_.bytes, {0, size_ * number_size(kind_)}) : NumberSequence();
}

PackedStrings VariantValue::strings() const {
  return type_ == Type::packed_string_array ? PackedStrings(payload_.bytes, 0, size_) : PackedStrings();
}

std::span<const VariantValue> VariantValue::path_names() const {
  if (type_ != Type::node_path) return {};
  const auto is_name = [](const VariantValue &each) { return each.type_ == Type::string; };
  return children().first(static_cast<std::size_t>(std::ranges::count_if(children(), is_name)));
}

std::span<const VariantValue> VariantValue::path_subnames() const {
  return type_ == Type::node_path ? children().subspan(path_names().size()) : std::span<const VariantValue>();
}

// ---- building a tree

/// Pushes each value onto a stack. At the end of a container, moves its children from the stack into the arena. So
/// memory is only allocated for values that were read.
class ValueTreeBuilder final : public VariantSink {
 public:
  ValueTreeBuilder(Bytes bytes, ValueArena &arena) : bytes_(bytes), memory_(arena.memory_), stack_(arena.stack_) {
    stack_.clear();
  }

  void begin_value(const ValueHeader &value) {
    stack_.push_back(VariantValue(value.type));
    if (has_children(value.type)) {
      stack_.back().size_ = std::exchange(open_container_, static_cast<std::uint32_t>(stack_.size() - 1));
    }
  }

  void end_value(const ValueHeader &value, Range /*whole*/) {
    if (has_children(value.type)) [[unlikely]]
      close_container();
  }

  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    switch (field.field) {
      case VariantField::object_id:
        stack_.back().flag_ = true;
        [[fallthrough]];
      case VariantField::boolean:
      case VariantField::integer:
      case VariantField::rid:
        stack_.back().payload_.integer = field.value;
        break;
      case VariantField::signal_object_id:
        stack_.push_back(VariantValue(Type::integer));
        stack_.back().payload_.integer = field.value;
        break;
      case VariantField::node_path_flags:
        stack_.back().flag_ = (field.value & 1) != 0;
        break;
      default:
        break;
    }
  }

  void real(const ValueHeader & /*value*/, const RealField &field) { stack_.back().payload_.real = field.value; }

  void text(const ValueHeader & /*value*/, const TextField &field) {
    switch (field.field) {
      case VariantField::string:
      case VariantField::string_name:
        return set_bytes(field.range.offset, field.text.size());
      case VariantField::object_class:
      case VariantField::signal_name:
      case VariantField::node_path:
      case VariantField::node_path_name:
      case VariantField::object_property:
        stack_.push_back(VariantValue(Type::string));
        return set_bytes(field.range.offset, field.text.size());
      case VariantField::node_path_subname:
        stack_.push_back(VariantValue(Type::string_name));
        return set_bytes(field.range.offset, field.text.size());
      default:
        break;
    }
  }

  void components(const ValueHeader & /*value*/, const NumberSequence &numbers) { set_numbers(numbers); }

  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.element != Type::string) return set_numbers(array.numbers);
    if (array.size() > 0) set_bytes((*array.strings.begin()).length.offset, array.size());
  }

  [[nodiscard]] const VariantValue *root() { return move_to_arena(0); }

 private:
  static bool has_children(Type type) {
    return type == Type::dictionary || type == Type::array || type == Type::object || type == Type::node_path ||
           type == Type::signal;
  }

  // Sets the address and the size of the newest value's text, numbers or strings.
  void set_bytes(std::size_t offset, std::size_t size) {
    stack_.back().payload_.bytes = bytes_.data + offset;
    stack_.back().size_ = static_cast<std::uint32_t>(size);
  }

  void set_numbers(const NumberSequence &numbers) {
    stack_.back().kind_ = numbers.kind();
    set_bytes(numbers.range().offset, numbers.size());
  }

  // Moves the values from `index` on from the stack into the arena.
  const VariantValue *move_to_arena(std::size_t index) {
    const std::size_t size = (stack_.size() - index) * sizeof(VariantValue);
    auto *moved = static_cast<VariantValue *>(memory_.allocate(size, alignof(VariantValue)));
    std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(index), stack_.end(), moved);
    stack_.resize(index);
    return moved;
  }

  // Moves the children of a container, which follow it on the stack, into the arena.
  [[gnu::noinline]] void close_container() {
    const std::size_t index = open_container_ + std::size_t{1};
    const auto count = static_cast<std::uint32_t>(stack_.size() - index);
    const VariantValue *children = count == 0 ? nullptr : move_to_arena(index);
    VariantValue &container = stack_.back();
    if (count > 0) container.payload_.children = children;
    open_container_ = std::exchange(container.size_, count);
  }

  Bytes bytes_;
  std::pmr::memory_resource &memory_;
  std::pmr::vector<VariantValue> &stack_;
  // Stack index of the innermost open container. While a container is open, its size_ is the index of the container
  // around it.
  std::uint32_t open_container_ = 0;
};

ValueTree read_value(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options,
                     ValueArena &arena, ScriptTextCache *scripts) {
  ValueTreeBuilder reader(bytes, arena);
  ValueTree read;
  read.result = walk_with_scripts(bytes, offset, encoding, options, reader, scripts);
  if (read.result.outcome == Outcome::ok) read.root = reader.root();
  return read;
}

}  // namespace godot_codec
