// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/signature.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "godot-codec/variant/types.h"

namespace godot_codec {
namespace {

using project::Function;
using project::Parameter;

std::string_view name_of_type(Type type) {
  return type_table[static_cast<std::size_t>(type)].names.names[static_cast<std::size_t>(Dialect::godot4)];
}

// The first argument that its parameter does not take.
std::optional<std::size_t> find_other_type(const Function &function, const MpArguments &arguments) {
  const std::size_t count = std::min({function.parameters.size(), std::size_t{arguments.count}, MpTypes::max_count});
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Type> type = arguments.types.at(i);
    if (type && !function.parameters[i].types.allow(*type)) return i;
  }
  return std::nullopt;
}

}  // namespace

void append_mp_signature(const Function &function, TextBuffer &text) {
  text.append(function.name);
  text.append("(");
  bool is_first = true;
  for (const Parameter &each : function.parameters) {
    if (!is_first) text.append(", ");
    is_first = false;
    text.append(each.name);
    if (!each.type.empty()) {
      text.append(": ");
      text.append(each.type);
    }
    if (each.is_optional) text.append(" = …");
  }
  if (function.takes_more) text.append(is_first ? "..." : ", ...");
  text.append(")");
}

bool is_mp_call_accepted(const Function &function, const MpArguments &arguments) {
  const bool is_enough = arguments.count >= function.least();
  const bool is_too_many = arguments.count > function.parameters.size() && !function.takes_more;
  return is_enough && !is_too_many && !find_other_type(function, arguments);
}

void append_mp_refusal(const Function &function, const MpArguments &arguments, TextBuffer &text) {
  const std::size_t least = function.least();
  const bool is_too_many = arguments.count > function.parameters.size() && !function.takes_more;
  if (is_too_many || arguments.count < least) {
    text.append("Method expected ");
    text.append_unsigned(is_too_many ? function.parameters.size() : least);
    text.append(" argument(s), but called with ");
    text.append_unsigned(arguments.count);
    return;
  }
  const std::optional<std::size_t> other = find_other_type(function, arguments);
  if (!other) return;
  text.append("Cannot convert argument ");
  text.append_unsigned(*other + 1);
  text.append(" from ");
  text.append(name_of_type(*arguments.types.at(*other)));
  text.append(" to ");
  text.append(function.parameters[*other].type);
}

}  // namespace godot_codec
