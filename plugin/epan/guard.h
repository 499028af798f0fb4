// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Functions that epan calls must not throw: epan is C, and has open TRY blocks on its stack. Our containers throw
/// where memory runs out. Each function that epan is given is given as guarded<function>.
#pragma once

#include <exception>
#include <type_traits>

namespace godot_plugin {

/// Tells the user, once for a capture, that something could not be kept.
void tell_of_exception(const char *what) noexcept;

/// Once, when the plugin is loaded.
void register_guard();

template <auto Function>
struct Guarded;

template <typename Result, typename... Arguments, Result (*Function)(Arguments...)>
struct Guarded<Function> {
  static Result call(Arguments... arguments) {
    try {
      return Function(arguments...);
    } catch (const std::exception &exception) {
      tell_of_exception(exception.what());
    }
    if constexpr (!std::is_void_v<Result>) return Result{};
  }
};

/// The function as epan may call it. Where an exception would leave it, it returns 0, false, null or nothing: a packet
/// is then nobody's.
template <auto Function>
inline constexpr auto *guarded = &Guarded<Function>::call;

}  // namespace godot_plugin
