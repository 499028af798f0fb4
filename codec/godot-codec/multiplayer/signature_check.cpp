// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/signature_check.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "godot-codec/project/property_types.h"
#include "godot-codec/variant/variant_types.h"

namespace godot_codec {
namespace {

using project::Function;

std::string_view type_name(Type type) {
  return type_table[static_cast<std::size_t>(type)].names.names[static_cast<std::size_t>(Dialect::godot4)];
}

// True if a container with a declared element type may accept a container with the sent element type.
bool is_element_accepted(std::string_view declared, const MpElementType &element) {
  if (declared == "Variant") return true;
  if (!project::is_variant_type(declared) || declared == type_name(Type::object)) {
    // The declared type is a class, or an enum that is sent as an int.
    return element.kind != ElementTypeKind::any;
  }
  return element.kind == ElementTypeKind::built_in && type_name(element.type) == declared;
}

// True if a declared type such as `Array[int]` or `Dictionary[String, int]` accepts a container. Declared types without
// element types accept any container.
bool are_elements_accepted(std::string_view declared, const MpContainerTypes &containers) {
  const std::size_t begin = declared.find('[');
  if (begin == std::string_view::npos || !declared.ends_with(']')) return true;
  const std::string_view inner = declared.substr(begin + 1, declared.size() - begin - 2);
  if (declared.substr(0, begin) == "Array") return is_element_accepted(inner, containers.value);
  const std::size_t comma = inner.find(',');
  if (comma == std::string_view::npos) return true;
  std::string_view value = inner.substr(comma + 1);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return is_element_accepted(inner.substr(0, comma), containers.key) && is_element_accepted(value, containers.value);
}

bool is_argument_accepted(const project::Parameter &parameter, Type type, const MpContainerTypes &containers) {
  if (!parameter.types.allow(type)) return false;
  if (type == Type::object && containers.is_object_id) {
    constexpr std::string_view bases[] = {"", "Variant", "Object", "RefCounted", "EncodedObjectAsID"};
    return std::ranges::find(bases, parameter.type) != std::end(bases);
  }
  const bool is_container = type == Type::array || type == Type::dictionary;
  return !is_container || are_elements_accepted(parameter.type, containers);
}

// Reads the element types that follow the header of a container.
MpContainerTypes read_container_types(Bytes argument, Type type) {
  Cursor cursor(argument);
  ValueHeader header;
  header.header = cursor.read<std::uint32_t>();
  const auto read = [&](VariantField field) {
    MpElementType element{element_type_kind(header, field)};
    if (element.kind == ElementTypeKind::any || !cursor.ok()) return element;
    const auto word = cursor.read<std::uint32_t>();
    if (element.kind == ElementTypeKind::built_in) {
      if (word < type_count) element.type = static_cast<Type>(word);
    } else {
      constexpr std::size_t alignment = 4;
      cursor.take((std::size_t{word} + alignment - 1) / alignment * alignment);
    }
    return element;
  };
  MpContainerTypes types;
  if (type == Type::object) {
    types.is_object_id = cursor.ok() && (header.header & header_flag_object_id) != 0;
  } else if (type == Type::array) {
    types.value = read(VariantField::element_type);
  } else {
    types.key = read(VariantField::key_type);
    types.value = read(VariantField::value_type);
  }
  return types;
}

// Returns the index of the first argument that has a type which its parameter does not accept.
std::optional<std::size_t> find_type_mismatch(const Function &function, const MpArgumentTypes &arguments) {
  const std::size_t count = std::min({function.parameters.size(), std::size_t{arguments.count}, MpTypeList::max_count});
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Type> type = arguments.types.at(i);
    if (type && !is_argument_accepted(function.parameters[i], *type, arguments.containers[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

MpArgumentTypes read_mp_argument_types(MpVariantCache &values, const MpMessage &message) {
  MpArgumentTypes arguments;
  if (!message.fields.text(MpField::data).empty()) {
    // A single PackedByteArray is sent without a header.
    arguments.count = 1;
    arguments.types.set(0, Type::packed_byte_array);
    return arguments;
  }
  MpVariantCursor cursor(values, message.variants, message.generation);
  while (cursor.next() && cursor.is_readable()) {
    const Type type = cursor.type();
    arguments.types.set(cursor.index(), type);
    const bool has_more = type == Type::array || type == Type::dictionary || type == Type::object;
    if (has_more && cursor.index() < arguments.containers.size()) {
      const Range range{cursor.walk().offset, cursor.walk().end - cursor.walk().offset};
      arguments.containers[cursor.index()] = read_container_types(values.bytes().slice(range), type);
    }
  }
  arguments.count = cursor.count();
  return arguments;
}

bool is_mp_call_accepted(const Function &function, const MpArgumentTypes &arguments) {
  const bool is_enough = arguments.count >= function.min_arguments();
  const bool is_too_many = arguments.count > function.parameters.size() && !function.has_rest_parameter;
  return is_enough && !is_too_many && !find_type_mismatch(function, arguments);
}

void append_mp_call_error(const Function &function, const MpArgumentTypes &arguments, TextBuffer &text) {
  const std::size_t least = function.min_arguments();
  const bool is_too_many = arguments.count > function.parameters.size() && !function.has_rest_parameter;
  if (function.needs_all_arguments) return text.append("Method not found");
  if (is_too_many || arguments.count < least) {
    text.append("Method expected ");
    text.append_unsigned(is_too_many ? function.parameters.size() : least);
    text.append(" argument(s), but called with ");
    text.append_unsigned(arguments.count);
    return;
  }
  const std::optional<std::size_t> other = find_type_mismatch(function, arguments);
  if (!other) return;
  text.append("Cannot convert argument ");
  text.append_unsigned(*other + 1);
  text.append(" from ");
  text.append(type_name(*arguments.types.at(*other)));
  text.append(" to ");
  const bool is_object = arguments.types.at(*other) == Type::object && arguments.containers[*other].is_object_id;
  const std::string_view declared = is_object && !project::is_variant_type(function.parameters[*other].type)
                                        ? type_name(Type::object)
                                        : function.parameters[*other].type;
  text.append(declared.substr(0, declared.find('[')));
}

}  // namespace godot_codec
