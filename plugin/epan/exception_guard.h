// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Prevents C++ exceptions from reaching epan, which is C and has open TRY blocks on its stack. Containers throw if
/// memory runs out, so each function is passed to epan as guarded<function>.
#pragma once

#include <epan/packet.h>
#include <wsutil/report_message.h>

#include <exception>
#include <type_traits>
#include <utility>

#include "plugin/epan/capture_state.h"

namespace godot_plugin {

inline CaptureState<bool> is_exception_reported;

/// Warns the user that state was lost because of an exception, once per capture.
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

/// Wraps a function for epan, which cannot catch C++ exceptions. If the function throws, the wrapper returns 0, false
/// or null, so the packet is not claimed.
template <auto Function>
inline constexpr auto *guarded = &Guarded<Function>::call;

}  // namespace godot_plugin
