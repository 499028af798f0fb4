// SPDX-License-Identifier: MIT
/// @file
/// A script's functions and variables, as the source declares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "godot-codec/project/declared_settings.h"

namespace godot_codec::project {

/// Functions with more parameters are not recorded.
constexpr std::size_t max_parameters = 64;

struct Variable {
  std::string name;
  ValueTypes types;                             ///< `int` for both `var hp: int` and `var hp := 3`
  RemoteCallers callers = RemoteCallers::none;  ///< Godot 3: which peers may set it
  std::uint32_t line = 0;                       ///< counted from 1; 0 if unknown
};

struct Parameter {
  std::string name;
  std::string type;          ///< as written in the source: `Array[int]`; empty if the parameter has no declared type
  ValueTypes types;          ///< the argument types that the engine accepts, including the types that it converts
  bool is_optional = false;  ///< true if the parameter has a default value
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters = {};
  bool has_rest_parameter = false;  ///< true if the function has a rest parameter (`...rest`, Godot 4.5)
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
