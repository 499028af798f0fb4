// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/own_layouts.h"

#include <array>
#include <span>

#include "godot-codec/layout/walker.h"
#include "godot-codec/multiplayer/arguments.h"

namespace godot_codec {
namespace {

// Maximum number of arguments that layouts can refer to.
constexpr std::size_t most_arguments = 16;

// Reads a number or a text at the root of a Variant.
class ArgumentSink final : public VariantSink {
 public:
  [[nodiscard]] const LayoutArgument &found() const { return found_; }

  VisitAction begin_value(const ValueHeader &value) {
    const bool is_plain = value.type == Type::boolean || value.type == Type::integer || value.type == Type::string ||
                          value.type == Type::string_name;
    return is_plain ? VisitAction::proceed : VisitAction::stop;
  }
  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    if (field.field == Field::integer || field.field == Field::boolean) found_.number = field.value;
  }
  void text(const ValueHeader & /*value*/, const TextField &field) { found_.text = field.text; }

 private:
  LayoutArgument found_;
};

std::size_t read_arguments(const MpPacket &packet, const MpMessage &message,
                           std::array<LayoutArgument, most_arguments> &arguments) {
  if (message.fields.has(MpField::data)) return 0;
  MpValueCursor cursor(*packet.values, message.variants, message.generation);
  while (cursor.count() < arguments.size() && cursor.next() && cursor.is_readable()) {
    const MpWalk &walk = cursor.walk();
    ArgumentSink sink;
    walk_variant(mp_until(packet.bytes, walk.limit), walk.offset, mp_encoding(walk.generation), packet.options, sink);
    arguments[cursor.index()] = sink.found();
  }
  return cursor.count();
}

}  // namespace

const Layout *find_call_layout(const MpResolvedMessage &call, std::uint32_t argument, Range bytes) {
  const Layouts *layouts = call.packet.layouts;
  if (layouts == nullptr || bytes.length == 0 || !call.is(MpCommand::rpc)) return nullptr;
  const std::string_view method = call.method_name().text;
  if (!layouts->has_method(method)) return nullptr;
  std::array<LayoutArgument, most_arguments> arguments;
  const std::size_t count = read_arguments(call.packet, call.command, arguments);
  LayoutChoice choice(layouts->fields(), call.packet.bytes.slice(bytes),
                      custom_payload_encoding(call.command.generation), call.packet.options);
  for (const Layout &layout : layouts->layouts()) {
    if (Layouts::applies_to(layout, call.path(), method, argument, std::span(arguments).first(count))) {
      choice.offer(layout);
    }
  }
  return choice.best();
}

const Layout *find_raw_layout(const MpResolvedMessage &message, Range bytes) {
  const MpPacket &packet = message.packet;
  const bool is_raw = message.is(MpCommand::raw) || message.is(MpCommand::auth);
  if (packet.layouts == nullptr || !is_raw || bytes.length == 0) return nullptr;
  return find_port_layout(*packet.layouts, packet.server_port, packet.bytes.slice(bytes),
                          custom_payload_encoding(message.command.generation), packet.options);
}

const Layout *find_port_layout(const Layouts &layouts, std::uint16_t port, Bytes bytes, const Encoding &encoding,
                               const ReadOptions &options) {
  if (!layouts.has_port(port)) return nullptr;
  LayoutChoice choice(layouts.fields(), bytes, encoding, options);
  for (const Layout &layout : layouts.layouts()) {
    if (layout.method.empty() && layout.port == port) choice.offer(layout);
  }
  return choice.best();
}

}  // namespace godot_codec
