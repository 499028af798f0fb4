// SPDX-License-Identifier: MIT
#include "godot-codec/variant/variant_value.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace godot_codec {

/// The contents of a NodePath.
struct VariantValue::PathData {
  const VariantValue *names;
  std::uint32_t name_count;
  std::uint32_t subname_count;
  bool is_absolute;
};

/// The name of a Signal and the instance ID of its Object; or the class name and the properties of an Object sent in
/// full.
struct VariantValue::NamedData {
  std::string_view name;
  const void *entries;
  std::uint64_t id;
};

// ---- accessors

bool VariantValue::is_null() const {
  if (type_ != Type::object) return type_ == Type::nil;
  return is_by_id_ ? payload_.integer == 0 : text().empty();
}

std::string_view VariantValue::text() const {
  if (type_ == Type::string || type_ == Type::string_name) return {static_cast<const char *>(payload_.pointer), size_};
  const bool is_named = type_ == Type::signal || (type_ == Type::object && !is_by_id_);
  if (!is_named || payload_.pointer == nullptr) return {};
  return static_cast<const NamedData *>(payload_.pointer)->name;
}

std::uint64_t VariantValue::object_id() const {
  if (type_ == Type::object && is_by_id_) return static_cast<std::uint64_t>(payload_.integer);
  if (type_ != Type::signal || payload_.pointer == nullptr) return 0;
  return static_cast<const NamedData *>(payload_.pointer)->id;
}

std::span<const VariantValue> VariantValue::elements() const {
  if (type_ != Type::array) return {};
  return {static_cast<const VariantValue *>(payload_.pointer), size_};
}

std::span<const ValueEntry> VariantValue::entries() const {
  if (type_ == Type::dictionary) return {static_cast<const ValueEntry *>(payload_.pointer), size_};
  if (type_ != Type::object || is_by_id_ || payload_.pointer == nullptr) return {};
  return {static_cast<const ValueEntry *>(static_cast<const NamedData *>(payload_.pointer)->entries), size_};
}

const VariantValue *VariantValue::find(std::string_view key) const {
  const std::span<const ValueEntry> all = entries();
  const auto found = std::find_if(all.rbegin(), all.rend(), [key](const ValueEntry &entry) {
    const bool is_text = entry.key.type_ == Type::string || entry.key.type_ == Type::string_name;
    return is_text && entry.key.text() == key;
  });
  return found == all.rend() ? nullptr : &found->value;
}

double VariantValue::number(std::size_t index) const {
  switch (kind_) {
    case NumberKind::uint8:
      return static_cast<const std::uint8_t *>(data())[index];
    case NumberKind::int32:
      return static_cast<const std::int32_t *>(data())[index];
    case NumberKind::int64:
      return static_cast<double>(static_cast<const std::int64_t *>(data())[index]);
    case NumberKind::float32:
      return static_cast<const float *>(data())[index];
    case NumberKind::float64:
      break;
  }
  return static_cast<const double *>(data())[index];
}

std::span<const std::string_view> VariantValue::strings() const {
  if (type_ != Type::packed_string_array) return {};
  return {static_cast<const std::string_view *>(payload_.pointer), size_};
}

std::span<const VariantValue> VariantValue::path_names() const {
  if (type_ != Type::node_path || payload_.pointer == nullptr) return {};
  const auto &path = *static_cast<const PathData *>(payload_.pointer);
  return {path.names, path.name_count};
}

std::span<const VariantValue> VariantValue::path_subnames() const {
  if (type_ != Type::node_path || payload_.pointer == nullptr) return {};
  const auto &path = *static_cast<const PathData *>(payload_.pointer);
  return {path.names + path.name_count, path.subname_count};
}

bool VariantValue::is_absolute() const {
  return type_ == Type::node_path && payload_.pointer != nullptr &&
         static_cast<const PathData *>(payload_.pointer)->is_absolute;
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
    if (has_children(value.type)) open_containers_[value.depth] = static_cast<std::uint32_t>(stack_.size());
    stack_.push_back(VariantValue(value.type));
  }

  void end_value(const ValueHeader &value, Range /*whole*/) {
    if (has_children(value.type)) [[unlikely]]
      close_container(value);
  }

  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    VariantValue &own = stack_.back();
    switch (field.field) {
      case VariantField::boolean:
      case VariantField::integer:
      case VariantField::rid:
        own.payload_.integer = field.value;
        break;
      case VariantField::object_id:
        own.is_by_id_ = true;
        own.payload_.integer = field.value;
        break;
      case VariantField::signal_object_id:
        named_data_of(own)->id = static_cast<std::uint64_t>(field.value);
        break;
      case VariantField::node_path_name_count:
        path_name_count_ = static_cast<std::uint32_t>(field.value);
        break;
      case VariantField::node_path_flags:
        is_absolute_ = (field.value & 1) != 0;
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
        return set_text(stack_.back(), field.text);
      case VariantField::object_class:
      case VariantField::signal_name:
        return set_name(stack_.back(), field.text);
      case VariantField::node_path:
        path_name_count_ = 1;
        return push_text(field.text);
      case VariantField::node_path_name:
      case VariantField::node_path_subname:
      case VariantField::object_property:
        return push_text(field.text);
      default:
        break;
    }
  }

  void components(const ValueHeader &value, const ComponentsField &components) {
    const TypeShape &shape = shape_of(value.type);
    const NumberSequence &numbers = components.numbers;
    if (!shape.is_sent_by_rows) {
      set_numbers(stack_.back(), numbers);
      return;
    }
    std::array<double, 16> all{};
    for (std::size_t i = 0; i < numbers.size(); ++i) all[script_index(shape, i)] = numbers.real(i);
    set_real_numbers(stack_.back(), numbers.kind(), {all.data(), numbers.size()});
  }

  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.element != Type::string) {
      set_numbers(stack_.back(), array.numbers);
      return;
    }
    const std::size_t count = array.strings.size();
    if (count == 0) return;
    auto *strings = allocate<std::string_view>(count);
    stack_.back().payload_.pointer = strings;
    stack_.back().size_ = static_cast<std::uint32_t>(count);
    for (const PackedString &element : array.strings) *strings++ = {copy_text(element.text), element.text.size()};
  }

  [[nodiscard]] const VariantValue *root() {
    auto *root = allocate<VariantValue>(1);
    *root = stack_.front();
    return root;
  }

 private:
  static bool has_children(Type type) {
    return type == Type::dictionary || type == Type::array || type == Type::object || type == Type::node_path;
  }

  template <typename T>
  T *allocate(std::size_t count) {
    return static_cast<T *>(memory_.allocate(count * sizeof(T), alignof(T)));
  }

  const char *copy_text(std::string_view text) {
    if (text.empty()) return nullptr;
    auto *bytes = allocate<char>(text.size());
    std::memcpy(bytes, text.data(), text.size());
    return bytes;
  }

  void set_text(VariantValue &value, std::string_view text) {
    value.payload_.pointer = copy_text(text);
    value.size_ = static_cast<std::uint32_t>(text.size());
  }

  void push_text(std::string_view text) {
    stack_.push_back(VariantValue(Type::string));
    set_text(stack_.back(), text);
  }

  void set_name(VariantValue &value, std::string_view text) {
    auto *made = allocate<VariantValue::NamedData>(1);
    *made = {{copy_text(text), text.size()}, nullptr, 0};
    value.payload_.pointer = made;
  }

  static VariantValue::NamedData *named_data_of(const VariantValue &value) {
    return const_cast<VariantValue::NamedData *>(static_cast<const VariantValue::NamedData *>(value.payload_.pointer));
  }

  // Returns the memory for a value's numbers, which is in the VariantValue itself or in the arena.
  void *allocate_numbers(VariantValue &value, NumberKind kind, std::size_t count) {
    value.kind_ = kind;
    value.size_ = static_cast<std::uint32_t>(count);
    const std::size_t size = count * number_size(kind);
    if (size <= VariantValue::inline_size) return &value.payload_;
    void *memory = memory_.allocate(size, alignof(double));
    value.payload_.pointer = memory;
    return memory;
  }

  void set_numbers(VariantValue &value, const NumberSequence &numbers) {
    const std::size_t count = numbers.size();
    void *memory = allocate_numbers(value, numbers.kind(), count);
    if constexpr (std::endian::native == std::endian::little) {
      if (count > 0) std::memcpy(memory, bytes_.data + numbers.range().offset, numbers.range().length);
    } else {
      numbers.visit([memory](auto view) {
        auto *target = static_cast<decltype(view[0]) *>(memory);
        for (const auto number : view) *target++ = number;
      });
    }
  }

  void set_real_numbers(VariantValue &value, NumberKind kind, std::span<const double> numbers) {
    void *memory = allocate_numbers(value, kind, numbers.size());
    if (kind == NumberKind::float64) {
      std::copy(numbers.begin(), numbers.end(), static_cast<double *>(memory));
    } else {
      std::transform(numbers.begin(), numbers.end(), static_cast<float *>(memory),
                     [](double number) { return static_cast<float>(number); });
    }
  }

  // Moves the children of a container, which follow it on the stack, into the arena.
  [[gnu::noinline]] void close_container(const ValueHeader &header) {
    const std::size_t index = open_containers_[header.depth];
    const std::size_t count = stack_.size() - index - 1;
    VariantValue *children = nullptr;
    if (count > 0) {
      children = allocate<VariantValue>(count);
      std::copy_n(&stack_[index + 1], count, children);
      stack_.resize(index + 1);
    }
    VariantValue &value = stack_.back();
    if (value.type_ == Type::node_path) {
      auto *path = allocate<VariantValue::PathData>(1);
      const auto names = static_cast<std::uint32_t>(std::min<std::size_t>(path_name_count_, count));
      *path = {children, names, static_cast<std::uint32_t>(count) - names, is_absolute_};
      value.payload_.pointer = path;
      path_name_count_ = 0;
      is_absolute_ = false;
    } else if (value.type_ == Type::object) {
      if (value.is_by_id_ || value.payload_.pointer == nullptr) return;
      named_data_of(value)->entries = children;
      value.size_ = static_cast<std::uint32_t>(count / 2);
    } else {
      value.payload_.pointer = children;
      value.size_ = static_cast<std::uint32_t>(value.type_ == Type::dictionary ? count / 2 : count);
    }
  }

  Bytes bytes_;
  std::pmr::memory_resource &memory_;
  std::pmr::vector<VariantValue> &stack_;
  std::uint32_t path_name_count_ = 0;  // number of names in the NodePath that is being read
  bool is_absolute_ = false;
  // Stack index of each open container, by depth. Not initialised.
  std::array<std::uint32_t, WalkLimits::max_nesting> open_containers_;
};

ValueTree read_value(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options,
                     ValueArena &arena) {
  ValueTreeBuilder reader(bytes, arena);
  ValueTree read;
  read.result = walk_variant(bytes, offset, encoding, options, reader);
  if (read.result.outcome == Outcome::ok) read.root = reader.root();
  return read;
}

}  // namespace godot_codec
