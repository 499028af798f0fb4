// SPDX-License-Identifier: MIT
/// @file
/// The parameters of a script's function, as the source declares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/declared_settings.h"

namespace godot_codec::project {

/// Functions with more parameters are not recorded.
constexpr std::size_t max_parameters = 64;

/// A parameter.
/// @tparam Text std::string, or a std::string_view of text that is stored elsewhere
template <typename Text>
struct BasicParameter {
  Text name;
  Text type;                 ///< as written in the source: `Array[int]`; empty if the parameter has no declared type
  ValueTypes types;          ///< the argument types that the engine accepts, including the types that it converts
  bool is_optional = false;  ///< true if the parameter has a default value
};

/// The parameters of a function, as its source declares them.
struct FunctionSignature {
  std::vector<BasicParameter<std::string>> parameters;
  bool has_rest_parameter = false;   ///< true if the function has a rest parameter (`...rest`, Godot 4.5)
  bool needs_all_arguments = false;  ///< C#: see Function::needs_all_arguments
  bool has_empty_body = false;       ///< see Function::has_empty_body
  RemoteCallers callers = RemoteCallers::none;
  std::uint32_t line = 0;
};

using Parameter = BasicParameter<std::string_view>;

struct Function {
  std::string_view name;
  std::span<const Parameter> parameters;
  bool has_rest_parameter = false;
  /// C#: the engine finds a method by its name and its number of parameters. Parameters with a default value count,
  /// too. The engine converts arguments of any type.
  bool needs_all_arguments = false;
  /// True if the body does nothing. It may be a stub for calling the method, while the receiver's project has the real
  /// body.
  bool has_empty_body = false;
  RemoteCallers callers = RemoteCallers::none;
  std::uint32_t line = 0;  ///< counted from 1; 0 if unknown

  /// Returns the minimum number of arguments of a call.
  [[nodiscard]] std::size_t min_arguments() const {
    if (needs_all_arguments) return parameters.size();
    std::size_t count = 0;
    for (const Parameter &each : parameters) count += each.is_optional ? 0 : 1;
    return count;
  }
};

}  // namespace godot_codec::project
