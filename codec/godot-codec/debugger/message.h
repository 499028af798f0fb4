// SPDX-License-Identifier: MIT
/// @file
/// The messages of the remote debugger. The editor and a running game exchange them over TCP, port 6007.
///
/// The stream consists of packets as in stream/stream_reader.h; each packet contains one Variant. Nothing is allocated
/// or copied. Rules: Godot 4's core/debugger/remote_debugger.cpp and remote_debugger_peer.cpp, Godot 3's
/// core/script_debugger_remote.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/stream_reader.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_value.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// How a message is encoded.
enum class DebugMessageForm : std::uint8_t {
  godot4,          ///< an Array of the name, the thread ID (since about 4.2), and an Array of the arguments
  godot3_command,  ///< Godot 3, from the editor: an Array of the name and the arguments
  godot3_packets,  ///< Godot 3, from the game: name, number of arguments, and each argument in separate packets
  other,           ///< a Variant in none of these forms
};

/// A Variant in a message. A member is 0 or empty if it does not apply to the Variant's type.
struct DebugValue {
  Outcome outcome = Outcome::ok;
  Range range;  ///< the whole Variant, without the packet's length prefix; after a failure, the readable bytes
  Type type = Type::nil;
  std::int64_t integer = 0;  ///< for a bool or an int
  std::string_view text;     ///< of a String or StringName; for a typed Array, the name of its elements' type
  Range text_range;          ///< the bytes of the text, without padding
  std::uint32_t count = 0;   ///< for an Array: number of elements
  const VariantValue *tree =
      nullptr;  ///< the whole value, if it was requested; then only outcome and range are set, too
};

/// One message. Trivially destructible, so that longjmp may skip the destructor.
struct DebugMessage {
  /// Outcome of reading the bytes before the arguments; for DebugMessageForm::other, of the whole message.
  Outcome outcome = Outcome::ok;
  DebugMessageForm form = DebugMessageForm::other;
  Dialect dialect = Dialect::godot4;
  DebugValue root;  ///< the Array that contains everything, up to its first element; not in godot3_packets
  DebugValue name;
  bool has_thread_id = false;
  DebugValue thread_id;
  std::uint32_t argument_count = 0;
  DebugValue list;  ///< the Array of arguments, up to its first element (godot4); the number of arguments
                    ///< (godot3_packets)
  std::size_t arguments_offset = 0;  ///< offset of the first argument; for godot3_packets, of its length prefix
};
static_assert(std::is_trivially_destructible_v<DebugMessage>);

/// What a stream on the debugger's port contains. Other programs, for example X11, use the same port.
enum class DebugStreamKind : std::uint8_t {
  unknown,   ///< not decided yet
  debugger,  ///< a message was found
  other,     ///< the stream began with something else
};

/// The kind of a stream, and since when it is decided.
class DebugStreamDetection : public History<DebugStreamKind> {
 public:
  /// Updates the kind from the next part of the stream, in either direction, until the kind is decided.
  /// @param is_boundary true if a message must begin at the start of the part
  void update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options);
};

/// MeasureMessage for debugger messages.
[[nodiscard]] MessageExtent measure_debug_message(Bytes data, std::size_t offset, const StreamOptions &options);

/// True if a message could begin at the start of @p data: there is a length, and the header of a String or an Array.
[[nodiscard]] bool may_be_debug_message(Bytes data, std::uint32_t max_length);

/// Reads a complete message, except for its arguments.
[[nodiscard]] DebugMessage read_debug_message(Bytes message);

/// Reads the arguments of a message in order.
class DebugArgumentReader {
 public:
  /// @param scripts receives the script texts of all arguments that next() reads; null if not needed
  DebugArgumentReader(Bytes message, const DebugMessage &read, const ReadOptions &options = {},
                      ScriptTextCache *scripts = nullptr)
      : bytes_(message),
        message_(read),
        options_(options),
        scripts_(scripts),
        offset_(read.arguments_offset),
        remaining_arguments_(read.argument_count) {}

  /// @param arena receives the argument as a tree; null: DebugValue::tree is not set. Throws what its upstream throws
  /// @returns false after the last argument, and after an unreadable argument
  bool next(DebugValue &value, ValueArena *arena = nullptr);

 private:
  Bytes bytes_;
  const DebugMessage &message_;
  const ReadOptions options_;
  ScriptTextCache *scripts_;
  std::size_t offset_;
  std::uint32_t remaining_arguments_;
};

/// Returns the number of the game's custom monitors if the message contains their names (performance:profile_names of
/// Godot 4); otherwise nullopt. Only this message shows where the engine's monitors in performance:profile_frame end,
/// because the number of engine monitors depends on the release. (Performance, EngineDebugger's PerformanceProfiler)
[[nodiscard]] std::optional<std::uint32_t> count_custom_monitors(Bytes bytes, const DebugMessage &message);

/// Labels a message's arguments in order.
class DebugArgumentLabels {
 public:
  /// @param custom_monitors number of the game's custom monitors, if it is known (count_custom_monitors())
  DebugArgumentLabels(Bytes bytes, const DebugMessage &message, std::optional<std::uint32_t> custom_monitors = {});

  /// Returns the label of the next argument ("file"); empty if the argument has no label.
  [[nodiscard]] std::string_view next();
  /// Records the argument that next() has labelled, because it may be the count of a following group.
  void record_argument(const DebugValue &value);

 private:
  // A group of arguments that repeats, and the remaining repetitions.
  struct RepeatedGroup {
    std::size_t start = 0;
    std::int64_t remaining_repeats = 0;
  };

  void find_custom_monitors(std::uint32_t count, std::optional<std::uint32_t> own);
  void enter_group();
  void leave_group();

  std::string_view layout_;
  std::uint32_t remaining_named_ = UINT32_MAX;  // number of further arguments with a label in layout_
  std::string_view rest_label_;                 // label of all later arguments
  std::size_t layout_offset_ = 0;
  RepeatedGroup groups_[2];
  std::size_t group_depth_ = 0;
  std::int64_t last_number_ = 0;
  std::int64_t previous_number_ = 0;
};

/// True if the engine has a message of this name. Also true if the name has the prefix of one of its EngineDebugger
/// captures, such as "scene:".
[[nodiscard]] bool is_debug_message_name(std::string_view name);

/// Reads the type and the start of an argument for DebugArgumentLabels; of a bool or an int, also the number. Does not
/// walk the value.
/// @param offset end of the previous argument
/// @returns the argument; its range is empty if the packet's length prefix is not captured
[[nodiscard]] DebugValue peek_argument(Bytes message, const DebugMessage &read, std::size_t offset);

/// Appends the summary of a message, such as `Error at res://game.gd:46 …` or `Output "Hello"`. The summary of most
/// messages is `name(arguments)`. Reads each argument once, even if the text does not fit.
/// @param scripts receives the arguments' script texts from the same walks; null if not needed
/// @returns the outcome of the first unreadable value, or ok
Outcome append_debug_summary(TextBuffer &buffer, Bytes message, const DebugMessage &read,
                             const ReadOptions &options = {}, ScriptTextCache *scripts = nullptr);

/// Returns the evidence that a part of a TCP stream begins with a debugger message. Strong if the data contain a
/// complete message in one of the forms above, and the engine has a message of this name.
[[nodiscard]] Confidence evaluate_debug_message(Bytes data, std::uint32_t max_length);

}  // namespace godot_codec
