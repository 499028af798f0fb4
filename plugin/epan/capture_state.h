// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores one state per capture.
#pragma once

#include <memory>

namespace godot_plugin {

/// The T of the current capture, created when it is first used. If there is not enough memory, the access throws, and
/// the next packet's access tries again. For static variables; register forget() as a cleanup routine.
template <typename T>
class CaptureState {
 public:
  T &operator*() {
    if (state_ == nullptr) state_ = std::make_unique<T>();
    return *state_;
  }
  T *operator->() { return &**this; }
  /// Returns null if the state was not used yet.
  [[nodiscard]] const T *find() const { return state_.get(); }
  void forget() { state_.reset(); }

 private:
  std::unique_ptr<T> state_;
};

}  // namespace godot_plugin
