// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

#include "godot-codec/core/lexer.h"
#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/property_types.h"

namespace godot_codec::project {
namespace {

// Keywords that may precede a member's name but are not its type.
constexpr std::array<std::string_view, 13> modifiers = {"public",   "private", "protected", "internal", "async",
                                                        "override", "virtual", "partial",   "sealed",   "unsafe",
                                                        "static",   "new",     "abstract"};

constexpr std::size_t max_constants = 10'000;  // maximum number per file
constexpr std::size_t max_arguments = 8;       // maximum number of constant arguments per attribute

class CSharpReader {
 public:
  CSharpReader(std::string_view source, std::string_view file_name)
      : lexer_(source, Language::csharp), token_(lexer_.next()), file_name_(file_name) {
    result_.classes.emplace_back();
  }

  ParsedScript read() {
    while (!is_at_end()) read_next_construct();
    return std::move(result_);
  }

 private:
  struct Block {
    bool is_class = false;
    std::size_t class_index = 0;
    std::size_t prefix_size = 0;  // length of name_prefix_ before the block
  };

  [[nodiscard]] bool is_at_end() const { return token_.kind == TokenKind::end; }

  Token take() {
    last_token_ = std::exchange(token_, lexer_.next());
    record_token();
    return last_token_;
  }

  // Records the paths of scenes in a class. Also records calls that change authority, replication configs, RPC configs
  // or spawners.
  void record_token() {
    if (last_token_.kind != TokenKind::symbol && mentions_replication_config(last_token_.text))
      result_.mentions_configs = true;
    if (enclosing_classes_.empty()) return;
    ScriptClass &owner = result_.classes[enclosing_classes_.back()];
    if (last_token_.is_word("SetMultiplayerAuthority")) owner.authority = AuthorityRule::other;
    if (last_token_.is_word("SceneReplicationConfig")) owner.builds_unknown_synchronizers = true;
    if (last_token_.is_word("ReplicationConfig")) owner.changes_unknown_configs = true;
    if (last_token_.is_word("RpcConfig") && token_.is_symbol('(')) is_in_rpc_config_call_ = true;
    if (last_token_.is_word("SpawnFunction") && token_.is_symbol('='))
      record_spawn_statement(owner, SpawnStatement::Action::set_function);
    if (last_token_.is_word("AddSpawnableScene") && token_.is_symbol('('))
      record_spawn_statement(owner, SpawnStatement::Action::add_scene);
    const bool is_text = last_token_.kind == TokenKind::string;
    if (is_text && is_scene_path(last_token_.text) && owner.scenes.size() < max_named_scenes) {
      owner.scenes.emplace_back(last_token_.text);
      owner.uses[""].scenes.emplace_back(last_token_.text);
    }
    if (is_in_rpc_config_call_ && !last_token_.is_word("RpcConfig") && !last_token_.is_symbol('('))
      record_configured_method(owner);
  }

  // Leaves the function empty, so any member may create the nodes or add the scene.
  static void record_spawn_statement(ScriptClass &owner, SpawnStatement::Action action) {
    const auto is_alike = [action](const SpawnStatement &each) { return each.action == action; };
    if (std::ranges::none_of(owner.spawn_statements, is_alike)) owner.spawn_statements.push_back({{}, {}, action, {}});
  }

  // Reads the first argument of RpcConfig(): "Honk", nameof(Horn.Honk), Horn.MethodName.Honk
  void record_configured_method(ScriptClass &owner) {
    if (last_token_.is_word("nameof") || last_token_.is_symbol('.') || token_.is_symbol('.')) return;
    is_in_rpc_config_call_ = false;
    const std::string_view name = last_token_.text;
    if (last_token_.kind == TokenKind::symbol || name.empty() ||
        owner.methods_configured_elsewhere.size() >= max_named_scenes)
      return;
    RpcDeclaration method{std::string(name), {}, last_token_.line};
    method.config.mode = RpcMode::unknown;
    // Ignores the object that the method is called on, so the method counts for any node.
    owner.methods_configured_elsewhere.insert_or_assign(std::string(name), std::move(method));
  }

  [[nodiscard]] bool is_in_class() const { return !open_blocks_.empty() && open_blocks_.back().is_class; }

  void read_next_construct() {
    if (token_.is_symbol('}')) {
      take();
      close_block();
      start_member();
    } else if (token_.is_symbol('{')) {
      add_variable();
      take();
      record_empty_body();
      open_block(false, 0, name_prefix_.size());
      start_member();
    } else if (token_.is_symbol(';')) {
      add_variable();
      take();
      start_member();
    } else if (token_.is_symbol('[') && is_member_start_) {
      read_attributes();
    } else if (token_.is_word("class") && !last_token_.is_one_of(":,")) {
      read_class();
    } else if (token_.is_word("namespace") && !is_in_class()) {
      read_namespace();
    } else if (token_.is_word("enum")) {
      read_enum();
    } else if (token_.is_word("const") && is_in_class()) {
      read_constant();
    } else if (is_in_class() && !is_past_member_name_) {
      read_declaration();
    } else {
      take();
      is_member_start_ = false;
    }
  }

  void open_block(bool is_class, std::size_t index, std::size_t prefix_size) {
    open_blocks_.push_back({is_class, index, prefix_size});
    if (is_class) enclosing_classes_.push_back(index);
  }

  void close_block() {
    if (open_blocks_.empty()) return;
    if (open_blocks_.back().is_class) enclosing_classes_.pop_back();
    name_prefix_.resize(std::min(name_prefix_.size(), open_blocks_.back().prefix_size));
    open_blocks_.pop_back();
  }

  // Reads `namespace Game.Players;` or `namespace Game.Players { … }`.
  void read_namespace() {
    take();
    const std::size_t prefix_size = name_prefix_.size();
    while (!is_at_end() && !token_.is_one_of("{;")) {
      const Token token = take();
      if (token.is_word() && name_prefix_.size() <= max_node_path_size) name_prefix_.append(token.text).append(".");
    }
    if (token_.is_symbol('{')) {
      take();
      open_block(false, 0, prefix_size);
    }
    start_member();
  }

  void add_constant(std::string_view owner, std::string_view name, std::string_view value) {
    if (name.empty() || value.empty() || result_.constants.size() >= max_constants) return;
    result_.constants.insert_or_assign(std::string(owner) + "." + std::string(name), value);
  }

  // Reads `const MultiplayerApi.RpcMode Anyone = MultiplayerApi.RpcMode.AnyPeer;`.
  void read_constant() {
    std::string_view name;
    std::string_view value;
    bool is_value = false;
    while (!is_at_end() && !token_.is_one_of(";{}")) {
      const Token token = take();
      is_value = is_value || token.is_symbol('=');
      if (token.is_word()) (is_value ? value : name) = token.text;
    }
    add_constant(result_.classes[open_blocks_.back().class_index].name, name, value);
  }

  // Reads `enum Channel { Chat = 1, Move }`.
  void read_enum() {
    take();
    const std::string_view owner = token_.text;
    while (!is_at_end() && !token_.is_one_of("{;")) take();
    std::int64_t next = 0;
    std::string_view name;
    while (!is_at_end() && !token_.is_symbol('}')) {
      const Token token = take();
      const bool is_number = token.is_word() && token.text.front() >= '0' && token.text.front() <= '9';
      if (is_number) {
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), next);
      } else if (token.is_word()) {
        name = token.text;
      }
      if (token_.is_one_of(",}") && !name.empty()) {
        add_constant(owner, name, std::to_string(next++));
        name = {};
      }
    }
    if (!is_at_end()) take();
    start_member();
  }

  // Reads a token of a member's declaration, up to the parameters or the initial value.
  void read_declaration() {
    is_member_start_ = false;
    if (token_.is_symbol('<') || (token_.is_symbol('(') && name_token_.text.empty())) {
      // Type arguments, or a tuple as the return type: (int, int) Both()
      skip_brackets();
    } else if (token_.is_symbol('(')) {
      add_method();
      read_parameters();
      is_past_member_name_ = true;
    } else {
      if (token_.is_symbol('=')) add_variable();
      const Token before = last_token_;
      const Token token = take();
      if (token.is_word()) read_type(before);
      is_static_ = is_static_ || token.is_word("static");
      is_past_member_name_ = token.is_symbol('=');
      const bool is_modifier = std::ranges::find(modifiers, token.text) != modifiers.end();
      if (token.is_word()) name_token_ = is_modifier ? Token{} : token;
    }
  }

  // Records the word before a possible member name, because this word may be the member's type.
  // @param before the token before this word
  void read_type(const Token &before) {
    type_name_ = before.is_word() && !is_type_qualified_ ? before.text : "";
    is_type_qualified_ = before.is_symbol('.');
  }

  // Records a field or a property, if the tokens so far end with a type and a name.
  void add_variable() {
    const bool is_named =
        is_in_class() && !is_past_member_name_ && !name_token_.text.empty() && last_token_.text == name_token_.text;
    if (!is_named || is_static_) return;
    const ValueTypes types = types_of_csharp(type_name_);
    if (types.is_any()) return;
    const std::string name(name_token_.text);
    result_.classes[open_blocks_.back().class_index].variables.insert_or_assign(name, Variable{name, types});
  }

  void add_method() {
    ScriptClass &owner = result_.classes[open_blocks_.back().class_index];
    owner.functions.emplace_back(name_token_.text);
    if (rpc_attribute_ && !is_static_) {
      owner.methods.push_back(
          {std::string(name_token_.text), *rpc_attribute_, name_token_.line, std::move(constant_arguments_)});
    }
  }

  // Reads the parameters of a method, such as `(int amount, Godot.Collections.Array<int> cells, string by = "all")`.
  void read_parameters() {
    ScriptClass &owner = result_.classes[open_blocks_.back().class_index];
    const std::string name(name_token_.text);
    Function head{.name = name, .needs_all_arguments = true};
    Parameter parameter;
    std::size_t depth = 0;
    do {
      const Token token = take();
      const bool is_opening = token.is_one_of("(<[{");
      const bool is_closing = token.is_one_of(")>]}");
      if (is_closing) --depth;
      if (depth == 0 || (depth == 1 && token.is_symbol(','))) {
        if (!parameter.name.empty()) head.parameters.push_back(std::move(parameter));
        parameter = {};
      } else if (depth == 1 && token.is_symbol('=')) {
        parameter.is_optional = true;
      } else if (!parameter.is_optional && !token.is_word("params") && !token.is_word("in")) {
        // The last word is the name. All words before it are the type.
        if (token.is_word()) parameter.type += std::exchange(parameter.name, std::string(token.text));
        if (!token.is_word()) parameter.type += std::exchange(parameter.name, "") + std::string(token.text);
      }
      if (is_opening) ++depth;
    } while (depth > 0 && !is_at_end() && head.parameters.size() <= max_parameters);
    while (depth > 0 && !is_at_end()) {
      const Token token = take();
      if (token.is_symbol('(')) ++depth;
      if (token.is_symbol(')')) --depth;
    }
    // Overloads are distinguished by their number of arguments. So if several methods have the same name, their
    // parameters count as unknown.
    const bool is_only_one = std::ranges::count(owner.functions, name) == 1;
    if (is_only_one && head.parameters.size() <= max_parameters) {
      signature_ = &owner.signatures.insert_or_assign(name, std::move(head)).first->second;
    } else {
      owner.signatures.erase(name);
    }
  }

  // Records whether the body of a method does nothing, as in `{}` or `{ return; }`.
  void record_empty_body() {
    if (signature_ == nullptr) return;
    if (token_.is_word("return")) take();
    if (token_.is_symbol(';')) take();
    signature_->has_empty_body = token_.is_symbol('}');
  }

  // Skips the bracket in the next token, and everything up to the bracket that closes it.
  // @returns the number of commas directly within these brackets
  std::size_t skip_brackets() {
    std::size_t commas = 0;
    std::size_t depth = 0;
    do {
      const Token token = take();
      if (token.is_one_of("<(")) ++depth;
      if (token.is_one_of(">)")) --depth;
      if (token.is_symbol(',') && depth == 1) ++commas;
    } while (depth > 0 && !is_at_end());
    return commas;
  }

  void start_member() {
    is_member_start_ = true;
    is_static_ = is_past_member_name_ = false;
    name_token_ = {};
    type_name_ = {};
    is_type_qualified_ = false;
    rpc_attribute_.reset();
    constant_arguments_.clear();
    signature_ = nullptr;
  }

  // Reads `[Export, Rpc(MultiplayerApi.RpcMode.AnyPeer, CallLocal = true)]`.
  void read_attributes() {
    std::size_t depth = 0;
    bool is_name = true;  // true if the token may be an attribute's name, not an argument
    do {
      const Token token = take();
      if (token.is_one_of("[(")) ++depth;
      if (token.is_one_of("])")) --depth;
      if (depth == 1 && (token.is_word("Rpc") || token.is_word("RpcAttribute")) && is_name && !token_.is_symbol('.')) {
        rpc_attribute_.emplace().transfer = TransferMode::reliable;  // C#'s default, unlike the default of GDScript
        if (token_.is_symbol('(')) read_arguments(*rpc_attribute_);
      }
      is_name = depth == 1 && !token.is_word();
    } while (depth > 0 && !is_at_end());
  }

  // Records the names of constants but not their values. The values may be in other files: see apply_constants().
  void read_arguments(RpcConfig &config) {
    std::size_t depth = 0;
    std::string_view name;
    std::string_view owner;  // the name before a dot
    do {
      const Token before = last_token_;
      const Token token = take();
      if (token.is_symbol('(')) ++depth;
      if (token.is_symbol(')')) --depth;
      if (token.is_symbol(',') && depth == 1) name = {};
      if (!token.is_word() || token_.is_symbol('.')) {
        if (token.is_word()) owner = token.text;
        continue;
      }
      if (token_.is_one_of("=:")) {
        name = token.text;
      } else if (!apply_csharp_argument(config, name, token.text) && constant_arguments_.size() < max_arguments) {
        std::string constant(before.is_symbol('.') ? owner : std::string_view(current_class_name()));
        constant_arguments_.emplace_back(name, constant.append(".").append(token.text));
      }
    } while (depth > 0 && !is_at_end());
  }

  [[nodiscard]] std::string_view current_class_name() const {
    return enclosing_classes_.empty() ? std::string_view{}
                                      : std::string_view(result_.classes[enclosing_classes_.back()].name);
  }

  // Reads the head of a class: `partial class Player<T> : Base<T>, IThing where T : class {`
  void read_class() {
    take();
    const std::string name(token_.text);
    take();
    const std::size_t type_count = token_.is_symbol('<') ? skip_brackets() + 1 : 0;  // <T, U>
    ClassReference base;
    bool is_base = false;
    std::size_t depth = 0;
    while (!is_at_end() && !token_.is_one_of("{;")) {
      const Token token = take();
      if (token.is_one_of("<(")) ++depth;
      if (token.is_one_of(">)") && depth > 0) --depth;
      if (depth > 0) continue;
      if (token.is_word("where") || token.is_symbol(',')) is_base = false;
      if (is_base && token.is_word() && !token.is_word("global") && base.names.size() < max_class_depth)
        base.names.emplace_back(token.text);
      if (token.is_symbol(':') && base.empty() && !token_.is_word("class")) is_base = true;
    }
    const std::size_t index = add_class(name, std::move(base));
    const std::size_t prefix_size = name_prefix_.size();
    if (prefix_size <= max_node_path_size) name_prefix_.append(name);
    if (type_count > 0) name_prefix_.append("`").append(std::to_string(type_count));
    result_.classes[index].full_name = name_prefix_;
    name_prefix_.append(".");
    if (token_.is_symbol('{')) {
      take();
      open_block(true, index, prefix_size);
    } else {
      name_prefix_.resize(prefix_size);
    }
    start_member();
  }

  // Finds or adds a class. A partial class can have several declarations, and only one of them names the base class.
  std::size_t add_class(const std::string &name, ClassReference base) {
    const std::size_t outer = is_in_class() ? open_blocks_.back().class_index : 0;
    std::size_t index = 0;
    if (const auto found = result_.classes[outer].inner_classes.find(name);
        found != result_.classes[outer].inner_classes.end()) {
      index = found->second;
    } else if (name != file_name_ || is_in_class()) {
      index = result_.classes.size();
      result_.classes[outer].inner_classes.emplace(name, index);
      result_.classes.emplace_back();
    }
    ScriptClass &added = result_.classes[index];
    added.name = name;
    added.outer_class = outer;
    if (added.base.empty()) added.base = std::move(base);
    return index;
  }

  Lexer lexer_;
  Token token_, last_token_, name_token_;
  std::string_view file_name_;
  std::string_view type_name_;      // the word before name_token_ if it may be the type; otherwise empty
  bool is_type_qualified_ = false;  // true if the last word has a qualifier
  ParsedScript result_;
  std::vector<Block> open_blocks_;
  std::vector<std::size_t> enclosing_classes_;  // enclosing classes
  std::string name_prefix_;                     // enclosing namespaces and classes, each followed by a dot
  std::optional<RpcConfig> rpc_attribute_;
  Function *signature_ = nullptr;  // signature of the last method, until its body is read; otherwise null
  std::vector<std::pair<std::string, std::string>> constant_arguments_;  // constants in the arguments of rpc_attribute_
  bool is_in_rpc_config_call_ = false;                                   // true within the parentheses of RpcConfig(
  bool is_member_start_ = true;
  bool is_static_ = false;
  bool is_past_member_name_ = false;  // true if the member's name was read, so its body or value follows
};

}  // namespace

bool apply_csharp_argument(RpcConfig &config, std::string_view name, std::string_view value) {
  if (name == "CallLocal") {
    if (value == "true" || value == "false") config.is_call_local = value == "true";
    return value == "true" || value == "false";
  }
  if (name == "TransferChannel") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), config.channel);
    return error == std::errc() && end == value.data() + value.size();
  }
  constexpr std::array<std::pair<std::string_view, std::variant<RpcMode, TransferMode>>, 6> words = {
      {{"AnyPeer", RpcMode::any_peer},
       {"Authority", RpcMode::authority},
       {"Disabled", RpcMode::disabled},
       {"Reliable", TransferMode::reliable},
       {"Unreliable", TransferMode::unreliable},
       {"UnreliableOrdered", TransferMode::unreliable_ordered}}};
  const auto *word = std::ranges::find(words, value, [](const auto &each) { return each.first; });
  if (word == words.end()) return false;
  if (const auto *mode = std::get_if<RpcMode>(&word->second)) config.mode = *mode;
  if (const auto *transfer = std::get_if<TransferMode>(&word->second)) config.transfer = *transfer;
  return true;
}

ParsedScript read_csharp(std::string_view source, std::string_view file_name) {
  return CSharpReader(source, file_name).read();
}

}  // namespace godot_codec::project
