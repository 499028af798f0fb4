// SPDX-License-Identifier: MIT
/// @file
/// The remote debugger's messages: what the editor and a running game tell each other over TCP, port 6007.
///
/// A stream of packets as in stream.h, each one Variant. Nothing is allocated or copied. Rules: Godot 4's
/// core/debugger/remote_debugger.cpp and remote_debugger_peer.cpp, Godot 3's core/script_debugger_remote.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/stream/framing.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How a message is put together.
enum class DebugForm : std::uint8_t {
  godot4,   ///< an Array: the name, the thread's id (since 4.2 or so), an Array of the arguments
  command,  ///< Godot 3, from the editor: an Array: the name, the arguments
  parts,    ///< Godot 3, from the game: the name, the number of arguments, each argument, every one a packet of its own
  other,    ///< a Variant, but none of these
};

/// A Variant that a message is made of. Members that its type does not have are 0 or empty.
struct DebugValue {
  Outcome outcome = Outcome::ok;
  Range range;  ///< the whole Variant, without a packet's length; after a failure, what could be read of it
  Type type = Type::nil;
  std::int64_t integer = 0;  ///< for a bool or an int
  double real = 0;           ///< for a float
  std::string_view text;     ///< for a String or StringName
  Range text_range;          ///< where that is, without padding
  std::uint32_t count = 0;   ///< for an Array
  std::size_t elements = 0;  ///< where an Array's first element is
};

/// One message. Plain data: it may be copied, and jumped over by longjmp.
struct DebugMessage {
  Outcome outcome = Outcome::ok;  ///< outcome up to the arguments; with the form other, up to the end
  DebugForm form = DebugForm::other;
  Dialect dialect = Dialect::godot4;
  Range range;  ///< all its packets, their lengths included
  DebugValue name;
  bool has_thread = false;
  DebugValue thread;
  std::uint32_t argument_count = 0;
  Range list;  ///< header and count of the Array of arguments (godot4), or the packet of the number (parts)
  std::size_t arguments = 0;  ///< where the first argument is; in parts: its packet's length
};
static_assert(std::is_trivially_destructible_v<DebugMessage>);

/// The extent of the message whose first packet's length stands at @p offset of a part of a stream.
/// @param max_length a longer packet is none
[[nodiscard]] StreamExtent measure_debug_message(Bytes data, std::size_t offset, std::uint32_t max_length);

/// True if a message could begin where a part of a stream begins: a length, and the header of a String or Array.
[[nodiscard]] bool may_be_debug_message(Bytes data, std::uint32_t max_length);

/// Reads a complete message, all but its arguments.
[[nodiscard]] DebugMessage read_debug_message(Bytes message);

/// The first elements of an Array.
struct DebugValues {
  static constexpr std::size_t most = 16;

  std::array<DebugValue, most> values;
  std::size_t count = 0;

  [[nodiscard]] std::string_view text(std::size_t index) const { return values[index].text; }
  [[nodiscard]] std::int64_t integer(std::size_t index) const { return values[index].integer; }
};

/// Reads the arguments of a message one after the other.
class DebugArguments {
 public:
  /// @param scripts gets the texts for a script of all that next() reads; null: nobody wants them
  DebugArguments(Bytes message, const DebugMessage &read, const ReadOptions &options = {},
                 ValueTexts *scripts = nullptr)
      : bytes_(message),
        message_(read),
        options_(options),
        scripts_(scripts),
        offset_(read.arguments),
        remaining_(read.argument_count) {}

  /// @param elements takes the elements of an Array, each as if it were an argument; may be null
  /// @returns false after the last one, and after one that could not be read
  bool next(DebugValue &value, DebugValues *elements = nullptr);

 private:
  Bytes bytes_;
  const DebugMessage &message_;
  const ReadOptions options_;
  ValueTexts *scripts_;
  std::size_t offset_;
  std::uint32_t remaining_;
};

/// Says what a message's arguments are, one after the other.
class DebugLabels {
 public:
  /// @param own_monitors how many monitors of its own the game has, if it has said so (DebugMonitors)
  DebugLabels(Bytes bytes, const DebugMessage &message, std::optional<std::uint32_t> own_monitors = {});

  /// The label of the next argument ("file"); empty if there is none.
  [[nodiscard]] std::string_view next();
  /// Takes the argument that next() has named: it may be the number of those that follow.
  void saw(const DebugValue &value);

 private:
  // A group of arguments that comes again.
  struct Loop {
    std::size_t start = 0;
    std::int64_t remaining = 0;
  };

  void split_monitors(std::uint32_t count, std::optional<std::uint32_t> own);
  void enter_group();
  void leave_group();

  std::string_view layout_;
  std::uint32_t named_ = UINT32_MAX;  // so many arguments have a label in the layout,
  std::string_view rest_;             // all behind them this one
  std::size_t at_ = 0;
  Loop loops_[2];
  std::size_t depth_ = 0;
  std::int64_t number_ = 0;
  std::int64_t number_before_ = 0;
};

/// True if the engine has a message with this name, or the name begins like one of the engine's captures, such as
/// "scene:".
[[nodiscard]] bool is_debug_name(std::string_view name);

/// An argument without a walk through it, for DebugLabels: its type, its number if it is a bool or an int, and where it
/// begins. @param offset behind the argument before; the range has no length where a packet's length is missing
[[nodiscard]] DebugValue glance_at_argument(Bytes message, const DebugMessage &read, std::size_t offset);

/// Appends what a message says, as a sentence: `Error at res://game.gd:46 …`, `Output "Hello"`; for messages without
/// one of their own `name(arguments)`. Reads every argument, once; what the text has no room for, too.
/// @param scripts gets the arguments' texts for a script, of the same reading; null: nobody wants them
/// @returns the outcome of the first value that could not be read, or ok
Outcome append_debug_summary(TextBuffer &buffer, Bytes message, const DebugMessage &read,
                             const ReadOptions &options = {}, ValueTexts *scripts = nullptr);

/// Judges a part of a TCP stream that is to begin with a message: strong if it has one of the forms above to its end,
/// and the engine has a message with that name.
[[nodiscard]] Confidence debug_confidence(Bytes data, std::uint32_t max_length);

}  // namespace godot_codec
