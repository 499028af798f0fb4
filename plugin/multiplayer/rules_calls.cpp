// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/signature_check.h"
#include "godot-codec/multiplayer/summary.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/rules.h"

namespace godot_plugin {
namespace {

using godot_codec::MpNodeAuthority;
using godot_codec::project::RpcMode;

ExpertItem refused{
    {"godot_mp.refused", PI_SECURITY, PI_WARN,
     "Only the authority of the node may call this method, and no script makes the sender the authority"},
    {.weight = 320,
     .advice = "Declare the method with @rpc(\"any_peer\"), or call it only from the authority of the node.",
     .filter = "(godot_mp.refused or godot_mp.not_allowed)"}};

ExpertItem not_allowed{
    {"godot_mp.not_allowed", PI_SECURITY, PI_NOTE, "Only the authority of the node may call this method"},
    {.counted_as = &refused}};

// Returns `Main/World.take_damage("five", "fall")`, from the summary of a call.
std::string_view describe_call(const MpDissection &dissection, const MpResolvedMessage &message) {
  constexpr std::string_view verb = "RPC ";
  const std::string_view sentence = pool_text(
      dissection.pinfo, [&](TextBuffer &text) { static_cast<void>(godot_codec::append_mp_summary(message, text)); });
  const std::size_t begin = sentence.find(verb);
  return begin == std::string_view::npos ? "The call" : sentence.substr(begin + verb.size());
}

// Returns "Main/World.take_damage()".
const char *describe_method(const MpDissection &dissection, const MpResolvedMessage &message) {
  const std::string_view call = describe_call(dissection, message);
  const std::string_view method = call.substr(0, call.find('('));
  return dissection.format("%.*s()", static_cast<int>(method.size()), method.data());
}

// The peer that may make a call instead of the caller, because it is the authority. 0: the caller may make the call, or
// the authority is not known.
struct CallRefusal {
  std::int32_t authority = 0;
  bool is_proven = false;   // only scripts can change the authority, and their effect is known
  bool is_certain = false;  // is_proven, or the peers' own messages prove the authority
};

CallRefusal find_refusal(const MpDissection &dissection, const MpRoute &route, const godot_codec::MpMethod &method) {
  const MpGameNames &names = *dissection.packet.names;
  const std::optional<std::int32_t> id = dissection.peers().id_of(route.sender, dissection.packet.position);
  const std::int32_t proven = names.authority_of_method(method);
  const godot_codec::MpAuthorityTracker &authority = dissection.packet.connection->authority();
  if (proven != 0 && id) {
    const bool is_authority = *id == proven || authority.is_against_project(route.sender, method.path);
    return is_authority ? CallRefusal{} : CallRefusal{proven, true, true};
  }
  const bool may_be_server =
      dissection.packet.role_of(route.sender) == godot_codec::MpRole::server || !dissection.packet.has_roles();
  if (may_be_server || authority.is_only_authority(route.sender, method.path)) return {};
  if (!names.project().sets_authority()) return {godot_codec::mp_server, true, true};
  const MpNodeAuthority holder = authority.find_authority(route.sender, method.path, dissection.packet.position);
  if (holder == MpNodeAuthority::peer) return {};
  return {godot_codec::mp_server, false, holder == MpNodeAuthority::another};
}

// Reports a call that Godot rejects because of the authority. Without this report, only the receiver's log shows the
// rejection.
void check_authority(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames *names = dissection.packet.names;
  if (names == nullptr || !message.fields.has(MpField::method_id)) return;
  const godot_codec::MpMethod method = message.method();
  if (names->has_mode(method, RpcMode::disabled)) {
    set_drop_reason(dissection, "its mode is \"disabled\"");
    return report_problem(
        dissection, message.ids,
        {.expert = &refused,
         .text = dissection.format("%s has RPC_MODE_DISABLED, so Godot rejects calls from all peers",
                                   describe_method(dissection, message)),
         .subject = {path_of(dissection, message), path_field},
         .info_mark = "Godot rejects it",
         .advice = "Set another rpc_mode in rpc_config(), or declare the method with @rpc, on both sides."});
  }
  if (!names->has_mode(method, RpcMode::authority)) return;
  const CallRefusal refusal = find_refusal(dissection, message.route, method);
  if (refusal.authority == 0) return;
  const char *caller = describe_peer(dissection, message.route.sender, true);
  const bool is_server = refusal.authority == godot_codec::mp_server;
  const char *authority = is_server ? "the server" : dissection.format("peer %d", refusal.authority);
  const char *text =
      dissection.format("%s called %s%s, but only the authority (%s) may call it, so Godot rejects the call%s", caller,
                        describe_method(dissection, message),
                        describe_source_line(dissection, names->find_method_line(method), " (%s:%u)"), authority,
                        refusal.is_certain ? "" : " unless a script has changed the authority");
  ExpertItem *field = refusal.is_proven ? &refused : &not_allowed;
  // If the finding is not certain, add only the expert item.
  if (!refusal.is_certain) return add_expert(dissection.pinfo, dissection.item, field, "%s", text);
  set_drop_reason(dissection, "only the authority may call it");
  report_problem(dissection, message.ids,
                 {.expert = field,
                  .text = text,
                  .subject = {path_of(dissection, message), path_field},
                  .info_mark = refusal.is_proven ? "Godot rejects it" : nullptr});
}

ExpertItem signature_mismatch{
    {"godot_mp.signature_mismatch", PI_PROTOCOL, PI_WARN,
     "The arguments do not match the signature of the method in the project folder: Godot does not call it"},
    {.weight = 340,
     .advice =
         "Pass the arguments that the method declares in the receiver's script, and use the same version of the script on both sides."}};

constexpr const char *advice_about_types =
    "Pass a value of the declared type in the call (int(x), str(x)), or change the type of the parameter.";

// Reports a call that fails because of its arguments. @param reason such as: "Method expected 2 argument(s), but …"
void report_argument_mismatch(const MpDissection &dissection, const MpResolvedMessage &message, const char *reason,
                              const godot_codec::MpSourceLine &source, bool is_count) {
  set_drop_reason(dissection, "its arguments do not match");
  report_problem(
      dissection, message.ids,
      {.expert = &signature_mismatch,
       .text = dissection.format("%s fails on %s: \"%s\"%s", describe_call(dissection, message).data(),
                                 describe_peer(dissection, message.ids.receiver, false), dissection.printable(reason),
                                 describe_source_line(dissection, source, " (%s:%u)")),
       .subject = {path_of(dissection, message), path_field},
       .info_mark = "its arguments do not match",
       .advice = is_count ? nullptr : advice_about_types});
}

// Reports a call with arguments that do not match the method's signature.
void check_signature(const MpDissection &dissection, const MpResolvedMessage &message) {
  const godot_codec::project::Function *function = message.find_function();
  if (function == nullptr || message.command.outcome != Outcome::ok) return;
  const godot_codec::MpArgumentTypes arguments =
      godot_codec::read_mp_argument_types(*dissection.packet.values, message.command);
  if (godot_codec::is_mp_call_accepted(*function, arguments)) return;
  const char *refusal = pool_text(
      dissection.pinfo, [&](TextBuffer &text) { godot_codec::append_mp_call_error(*function, arguments, text); });
  const bool is_count = arguments.count < function->min_arguments() ||
                        (arguments.count > function->parameters.size() && !function->has_rest_parameter);
  report_argument_mismatch(dissection, message, refusal, dissection.packet.names->find_method_line(message.method()),
                           is_count);
}

ExpertItem object_id_argument{
    {"godot_mp.object_id_argument", PI_PROTOCOL, PI_WARN,
     "An argument is an Object: the receiver gets only its ID (EncodedObjectAsID)"},
    {.weight = 370,
     .advice =
         "Pass a value that the receiver can resolve instead: get_path() of a node, your own ID, or a resource_path."}};

// Reports a call with a node or resource as an argument. Godot encodes the instance ID, which is valid only on the
// sender.
void check_object_arguments(const MpDissection &dissection, const MpResolvedMessage &message) {
  const bool is_spawn = message.is(MpCommand::spawn);
  const bool is_godot4 = message.command.is_godot4();
  if (!is_godot4 || message.command.outcome != Outcome::ok) return;
  godot_codec::MpVariantCursor values(*dissection.packet.values,
                                      is_spawn ? message.command.spawn_argument : message.variants,
                                      message.command.generation);
  while (values.next()) {
    const std::uint64_t id = godot_codec::find_mp_object_id(dissection.packet.bytes, values.walk().offset,
                                                            values.walk().end, message.command.generation);
    if (id == 0) continue;
    const char *what = is_spawn ? dissection.format("The data of %s.spawn()", path_of(dissection, message))
                                : describe_argument(dissection, message, values.index());
    return report_problem(
        dissection, message.ids,
        {.expert = &object_id_argument,
         .text = dissection.format(
             "%s contains an Object, but the receiver gets only its instance ID (EncodedObjectAsID)", what),
         .subject = {path_of(dissection, message), path_field},
         .info_mark = is_spawn ? "Object in the spawn data" : "Object as an argument"});
  }
}

ExpertItem not_remote{
    {"godot_mp.not_remote", PI_SECURITY, PI_WARN,
     "Godot 3: no script in the project folder allows other peers to call a method of this name"},
    {.weight = 330,
     .advice = "Write \"remote\", \"master\" or \"puppet\" before the func, or call rpc_config(), on the receiver."}};

constexpr const char *advice_about_variables =
    "Write \"remote\", \"master\" or \"puppet\" before the var, or call rset_config(), on the receiver.";

constexpr const char *advice_about_masters =
    "Declare it \"remote\" or \"master\", or use it only on the network master of the node.";

constexpr const char *advice_about_spelling =
    "Check the spelling of the name, and that the project folder and the captured game have the same version.";

// Reports a call or a value that Godot 3 rejects.
void report_rejected_member(const MpDissection &dissection, const MpResolvedMessage &message, const char *text,
                            const char *advice) {
  set_drop_reason(dissection, "that peer may not call its method");
  report_problem(dissection, message.ids,
                 {.expert = &not_remote,
                  .text = text,
                  .subject = {path_of(dissection, message), path_field},
                  .info_mark = "Godot rejects it",
                  .advice = advice});
}

// True if a node's name is a number, which may be a peer ID.
bool has_numeric_name(std::string_view path) {
  const std::string_view name = godot_codec::base_name(path);
  return name.find_first_not_of("0123456789") == std::string_view::npos && !name.empty();
}

// Returns why Godot 3 rejects a call or a value, from the keywords of the functions or variables with this name; null
// if Godot 3 accepts it. @param what "calls Main/World.heal() (res://world.gd:4)" @param word "func" or "var"
const char *describe_refused_member(const MpDissection &dissection, const godot_codec::MpRemoteMember &member,
                                    const MpRoute &route, const char *path, const char *what, const char *word) {
  using Callers = godot_codec::project::RemoteCallers;
  const char *sender = describe_peer(dissection, route.sender, true);
  if (member.callers == Callers::none) {
    return dissection.format("%s %s, but no script declares this %s \"remote\", so Godot rejects it", sender, what,
                             word);
  }
  const std::optional<std::int32_t> id = dissection.peers().id_of(route.sender, dissection.packet.position);
  const bool has_alternating_callers = member.callers == Callers::master && path != nullptr && *word == 'f' &&
                                       dissection.packet.connection->authority().has_alternating_callers(path);
  // The node's name is another peer's ID, so the node belongs to that peer.
  if (has_alternating_callers && PINFO_FD_VISITED(dissection.pinfo) && id && !has_peer_id_as_name(path, *id) &&
      has_numeric_name(path)) {
    return dissection.format(
        "%s %s, a puppet %s, but the node is named after another peer, which is probably its network master, so Godot rejects the call",
        sender, what, word);
  }
  const bool is_by_master =
      dissection.packet.role_of(route.sender) == godot_codec::MpRole::server || !dissection.packet.has_roles();
  if (member.callers != Callers::master || is_by_master || dissection.packet.names->project().sets_authority())
    return nullptr;
  return dissection.format(
      "%s %s, a puppet %s, but only the network master (the server) may use it, so Godot rejects it", sender, what,
      word);
}

// Returns "Method expected 2 argument(s), but called with 3"; null: the arguments match.
const char *describe_argument_mismatch(const MpDissection &dissection, const MpResolvedMessage &message,
                                       const godot_codec::MpRemoteMember &member) {
  const std::size_t count = message.variants.count;
  if (count < member.min_arguments || count > member.max_arguments) {
    return dissection.format("Method expected %zu argument(s), but called with %zu",
                             count < member.min_arguments ? member.min_arguments : member.max_arguments, count);
  }
  if (member.function == nullptr) return nullptr;
  const godot_codec::MpArgumentTypes arguments =
      godot_codec::read_mp_argument_types(*dissection.packet.values, message.command);
  if (godot_codec::is_mp_call_accepted(*member.function, arguments)) return nullptr;
  return pool_text(dissection.pinfo,
                   [&](TextBuffer &text) { godot_codec::append_mp_call_error(*member.function, arguments, text); });
}

// Compares a call or value of Godot 3, which contains the name, with the functions or variables of this name in the
// project folder. Checks the allowed peers and the arguments.
void check_godot3_call(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames *names = dissection.packet.names;
  const bool is_variable = message.is(MpCommand::rset);
  const bool is_read = message.command.outcome == Outcome::ok && !message.command.is_godot4();
  if (names == nullptr || !is_read) return;
  const std::string_view name = message.fields.text(is_variable ? MpField::property : MpField::method);
  const godot_codec::MpRemoteMember member = names->find_remote_member(name, is_variable);
  if (!member.is_known && !member.is_missing) return;
  const char *path = path_of(dissection, message);
  const char *node = path == nullptr ? "a node" : path;
  if (member.is_missing) {
    const char *text = dissection.format(
        "%s calls %s.%s(), but no script of the project folder has this function, so Godot rejects the call",
        describe_peer(dissection, message.route.sender, true), node, dissection.printable(name));
    return report_rejected_member(dissection, message, text, advice_about_spelling);
  }
  const char *what =
      dissection.format(is_variable ? "sets %s.%s%s" : "calls %s.%s()%s", node, dissection.printable(name),
                        describe_source_line(dissection, member.source, " (%s:%u)"));
  const char *refusal =
      describe_refused_member(dissection, member, message.route, path, what, is_variable ? "var" : "func");
  if (refusal != nullptr) {
    const bool is_undeclared = member.callers == godot_codec::project::RemoteCallers::none;
    const char *advice = !is_undeclared ? advice_about_masters : is_variable ? advice_about_variables : nullptr;
    return report_rejected_member(dissection, message, refusal, advice);
  }
  const char *unfit = is_variable ? nullptr : describe_argument_mismatch(dissection, message, member);
  if (unfit == nullptr) return;
  const bool is_count = message.variants.count < member.min_arguments || message.variants.count > member.max_arguments;
  report_argument_mismatch(dissection, message, unfit, member.source, is_count);
}

ExpertItem unknown_methods{"godot_mp.unknown_methods", PI_PROTOCOL, PI_NOTE,
                           "No script in the project folder has these methods"};

// Reports a checksum of RPC methods that no script in the project folder has.
void check_unknown_methods(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames *names = dissection.packet.names;
  if (names == nullptr || !message.fields.has(MpField::md5)) return;
  const std::string_view text =
      names->describe_method_mismatch(message.fields.text(MpField::md5), message.fields.text(MpField::path));
  if (text.empty()) return;
  add_expert(dissection.pinfo, dissection.item, &unknown_methods, "Methods of %s: %s",
             dissection.printable(message.fields.text(MpField::path)), dissection.printable(text));
}

ExpertItem after_unknown_methods{"godot_mp.after_unknown_methods", PI_PROTOCOL, PI_NOTE,
                                 "No script in the project folder has the methods of the called node"};

// Reports a call of a node with a checksum of RPC methods that no script in the project folder has.
void check_call_of_unknown_methods(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames *names = dissection.packet.names;
  if (names == nullptr || !message.fields.has(MpField::method_id)) return;
  const godot_codec::MpMethod method = message.method();
  if (!names->is_foreign_method_list(method.md5) || !names->method(method).text.empty()) return;
  add_expert(dissection.pinfo, dissection.item, &after_unknown_methods,
             "No script of the project folder has the methods of %s: the name of this method is unknown",
             dissection.printable(method.path));
}

ExpertItem unreadable_argument{
    {"godot_mp.unreadable_argument", PI_PROTOCOL, PI_WARN,
     "The receiver cannot read an argument: the method gets null for this argument and all later ones"},
    {.weight = 350,
     .advice =
         "Pass plain values (an ID, a path, a Dictionary) instead of an object. An object that was freed before the call cannot be decoded."}};

// Only a Note, because a sender of full Objects allows objects itself, and mostly both sides have the same script.
ExpertItem arguments_refusable{
    {"godot_mp.arguments_refusable", PI_SECURITY, PI_NOTE,
     "The receiver can read an argument only if it allows objects, as the sender does"},
    {.weight = 360,
     .advice =
         "Pass plain values (an ID, a path, a Dictionary), or set SceneMultiplayer.allow_object_decoding on the receiver, too."}};

constexpr MpRule rules[] = {
    {{MpCommand::rpc}, check_authority},
    {{MpCommand::simplify_path}, check_unknown_methods},
    {{MpCommand::rpc}, check_call_of_unknown_methods},
    {{MpCommand::rpc}, check_signature},
    {{MpCommand::rpc, MpCommand::spawn}, check_object_arguments},
    {{MpCommand::rpc, MpCommand::rset}, check_godot3_call},
};

}  // namespace

MpRules call_rules() { return rules; }

const char *describe_argument(const MpDissection &dissection, const MpResolvedMessage &message, std::uint32_t index) {
  return dissection.format("Argument %u of %s", index + 1, describe_method(dissection, message));
}

void report_unreadable_argument(const MpDissection &dissection, const MpResolvedMessage &message,
                                const godot_codec::MpUnreadableArgument &loss) {
  const char *format =
      loss.is_readable_with_objects
          ? "Argument %u of %s is an object, so this argument and all later ones arrive as null unless the receiver allows objects"
          : "The receiver cannot decode argument %u of %s, so this argument and all later ones arrive as null";
  report_problem(dissection, message.ids,
                 {.expert = loss.is_readable_with_objects ? &arguments_refusable : &unreadable_argument,
                  .text = dissection.format(format, loss.first + 1, describe_method(dissection, message)),
                  .subject = {path_of(dissection, message), path_field}});
}

}  // namespace godot_plugin
