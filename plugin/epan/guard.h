// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Functions that epan calls must not throw C++ exceptions, because epan is C and has open TRY blocks on its stack. Our
/// containers throw if memory runs out. So each function is passed to epan as guarded<function>.
#pragma once

#include <epan/packet.h>
#include <wsutil/report_message.h>

#include <exception>
#include <type_traits>
#include <utility>

#include "plugin/epan/capture_state.h"

namespace godot_plugin {

inline CaptureState<bool> is_exception_reported;

/// Warns the user, once per capture, that some state could not be stored.
inline void report_exception(const char *what) noexcept {
  if (std::exchange(*is_exception_reported, true)) return;
  report_warning("Godot: some packets are shown without the information of earlier ones (%s).", what);
}

template <auto Function>
struct Guarded;

template <typename Result, typename... Arguments, Result (*Function)(Arguments...)>
struct Guarded<Function> {
  static Result call(Arguments... arguments) {
    try {
      return Function(arguments...);
    } catch (const std::exception &exception) {
      report_exception(exception.what());
    }
    if constexpr (!std::is_void_v<Result>) return Result{};
  }
};

/// The function as epan may call it. If the function throws, this returns 0, false, null or nothing: the packet is then
/// not claimed.
template <auto Function>
inline constexpr auto *guarded = &Guarded<Function>::call;

}  // namespace godot_plugin
