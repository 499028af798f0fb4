// SPDX-License-Identifier: MIT
/// @file
/// The parameters of a script's function, as its source declares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/rpc.h"
#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

/// Functions that take more are left out.
constexpr std::size_t max_parameters = 64;

/// A parameter. @tparam Text owns its texts, or views ones that are kept
template <typename Text>
struct BasicParameter {
  Text name;
  Text type;                 ///< the type in the source, `Array[int]`; empty: none is declared
  ValueTypes types;          ///< types of arguments that the engine takes for it, those that it converts included
  bool is_optional = false;  ///< it has a default
};

/// A function's head in its source.
struct FunctionHead {
  std::vector<BasicParameter<std::string>> parameters;
  bool takes_more = false;  ///< `...rest`, since Godot 4.5
  bool is_exact = false;    ///< C#: see Function
  bool is_empty = false;    ///< see Function
  RemoteCallers callers = RemoteCallers::nobody;
  std::uint32_t line = 0;
};

using Parameter = BasicParameter<std::string_view>;

/// A function of a script.
struct Function {
  std::string_view name;
  std::span<const Parameter> parameters;
  bool takes_more = false;
  /// C#: the engine finds a method by its name and the number of its parameters, those with a default included, and
  /// converts whatever comes.
  bool is_exact = false;
  /// Its body does nothing. It may be a stub for the caller, and the receiver's project has the method itself.
  bool is_empty = false;
  RemoteCallers callers = RemoteCallers::nobody;
  std::uint32_t line = 0;  ///< counted from 1; 0: not known

  /// How many arguments a call needs at least.
  [[nodiscard]] std::size_t least() const {
    if (is_exact) return parameters.size();
    std::size_t count = 0;
    for (const Parameter &each : parameters) count += each.is_optional ? 0 : 1;
    return count;
  }
};

}  // namespace godot_codec::project
