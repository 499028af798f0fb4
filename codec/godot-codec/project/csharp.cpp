// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

#include "godot-codec/core/lexer.h"
#include "godot-codec/project/limits.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/script.h"

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

  ScriptSource read() {
    while (!is_end()) read_next();
    return std::move(result_);
  }

 private:
  struct Block {
    bool is_class = false;
    std::size_t index = 0;
    std::size_t scope_size = 0;  // length of scope_ before the block
  };

  [[nodiscard]] bool is_end() const { return token_.kind == TokenKind::end; }

  Token take() {
    last_ = std::exchange(token_, lexer_.next());
    record_use();
    return last_;
  }

  // Records the paths of scenes in a class. Also records calls that change authority, replication configs, RPC configs
  // or spawners.
  void record_use() {
    if (classes_.empty()) return;
    ScriptClass &owner = result_.classes[classes_.back()];
    if (last_.is_word("SetMultiplayerAuthority")) owner.authority = AuthorityRule::other;
    if (last_.is_word("SceneReplicationConfig")) owner.builds_configs = true;
    if (last_.is_word("ReplicationConfig")) owner.changes_configs = true;
    if (last_.is_word("RpcConfig") && token_.is_symbol('(')) is_configuring_ = true;
    if (last_.is_word("SpawnFunction") && token_.is_symbol('='))
      record_spawn_statement(owner, SpawnStatement::Action::set_function);
    if (last_.is_word("AddSpawnableScene") && token_.is_symbol('('))
      record_spawn_statement(owner, SpawnStatement::Action::add_scene);
    const bool is_text = last_.kind == TokenKind::string;
    if (is_text && is_scene_path(last_.text) && owner.scenes.size() < max_named_scenes) {
      owner.scenes.emplace_back(last_.text);
      owner.uses[""].scenes.emplace_back(last_.text);
    }
    if (is_configuring_ && !last_.is_word("RpcConfig") && !last_.is_symbol('(')) record_configured(owner);
  }

  // Does not record which member creates the nodes or adds the scene, so any member may.
  static void record_spawn_statement(ScriptClass &owner, SpawnStatement::Action action) {
    const auto is_alike = [action](const SpawnStatement &each) { return each.action == action; };
    if (std::ranges::none_of(owner.spawn_statements, is_alike)) owner.spawn_statements.push_back({{}, {}, action, {}});
  }

  // Reads the first argument of RpcConfig(): "Honk", nameof(Horn.Honk), Horn.MethodName.Honk
  void record_configured(ScriptClass &owner) {
    if (last_.is_word("nameof") || last_.is_symbol('.') || token_.is_symbol('.')) return;
    is_configuring_ = false;
    const std::string_view name = last_.text;
    if (last_.kind == TokenKind::symbol || name.empty() || owner.configured_elsewhere.size() >= max_named_scenes)
      return;
    RpcDeclaration method{std::string(name), {}, last_.line};
    method.config.mode = RpcMode::unknown;
    // Ignores the object that the method is called on, so the method counts for any node.
    owner.configured_elsewhere.insert_or_assign(std::string(name), std::move(method));
  }

  [[nodiscard]] bool is_in_class() const { return !blocks_.empty() && blocks_.back().is_class; }

  void read_next() {
    if (token_.is_symbol('}')) {
      take();
      close_block();
      start_member();
    } else if (token_.is_symbol('{')) {
      add_variable();
      take();
      record_body();
      open_block(false, 0, scope_.size());
      start_member();
    } else if (token_.is_symbol(';')) {
      add_variable();
      take();
      start_member();
    } else if (token_.is_symbol('[') && is_member_start_) {
      read_attributes();
    } else if (token_.is_word("class") && !last_.is_one_of(":,")) {
      read_class();
    } else if (token_.is_word("namespace") && !is_in_class()) {
      read_namespace();
    } else if (token_.is_word("enum")) {
      read_enum();
    } else if (token_.is_word("const") && is_in_class()) {
      read_constant();
    } else if (is_in_class() && !is_declared_) {
      read_declaration();
    } else {
      take();
      is_member_start_ = false;
    }
  }

  void open_block(bool is_class, std::size_t index, std::size_t scope_size) {
    blocks_.push_back({is_class, index, scope_size});
    if (is_class) classes_.push_back(index);
  }

  void close_block() {
    if (blocks_.empty()) return;
    if (blocks_.back().is_class) classes_.pop_back();
    scope_.resize(std::min(scope_.size(), blocks_.back().scope_size));
    blocks_.pop_back();
  }

  // Reads `namespace Game.Players;` or `namespace Game.Players { … }`.
  void read_namespace() {
    take();
    const std::size_t scope_size = scope_.size();
    while (!is_end() && !token_.is_one_of("{;")) {
      const Token token = take();
      if (token.is_word() && scope_.size() <= max_node_path_size) scope_.append(token.text).append(".");
    }
    if (token_.is_symbol('{')) {
      take();
      open_block(false, 0, scope_size);
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
    while (!is_end() && !token_.is_one_of(";{}")) {
      const Token token = take();
      is_value = is_value || token.is_symbol('=');
      if (token.is_word()) (is_value ? value : name) = token.text;
    }
    add_constant(result_.classes[blocks_.back().index].name, name, value);
  }

  // Reads `enum Channel { Chat = 1, Move }`.
  void read_enum() {
    take();
    const std::string_view owner = token_.text;
    while (!is_end() && !token_.is_one_of("{;")) take();
    std::int64_t next = 0;
    std::string_view name;
    while (!is_end() && !token_.is_symbol('}')) {
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
    if (!is_end()) take();
    start_member();
  }

  // Reads a token of a member's declaration, up to the parameters or the initial value.
  void read_declaration() {
    is_member_start_ = false;
    if (token_.is_symbol('<') || (token_.is_symbol('(') && name_.text.empty())) {
      // Type arguments, or a tuple as the return type: (int, int) Both()
      skip_brackets();
    } else if (token_.is_symbol('(')) {
      add_method();
      read_head();
      is_declared_ = true;
    } else {
      if (token_.is_symbol('=')) add_variable();
      const Token before = last_;
      const Token token = take();
      if (token.is_word()) read_type(before);
      is_static_ = is_static_ || token.is_word("static");
      is_declared_ = token.is_symbol('=');
      const bool is_modifier = std::ranges::find(modifiers, token.text) != modifiers.end();
      if (token.is_word()) name_ = is_modifier ? Token{} : token;
    }
  }

  // Records the word before a possible member name, which may be its type.
  // @param before the token before this word
  void read_type(const Token &before) {
    type_ = before.is_word() && !is_type_qualified_ ? before.text : "";
    is_type_qualified_ = before.is_symbol('.');
  }

  // Records a field or a property, if the tokens so far end with a type and a name.
  void add_variable() {
    const bool is_named = is_in_class() && !is_declared_ && !name_.text.empty() && last_.text == name_.text;
    if (!is_named || is_static_) return;
    const ValueTypes types = types_of_csharp(type_);
    if (types.is_any()) return;
    result_.classes[blocks_.back().index].variables.insert_or_assign(std::string(name_.text), DeclaredVariable{types});
  }

  void add_method() {
    ScriptClass &owner = result_.classes[blocks_.back().index];
    owner.functions.emplace_back(name_.text);
    if (annotation_ && !is_static_) {
      owner.methods.push_back({std::string(name_.text), *annotation_, name_.line, std::move(constants_)});
    }
  }

  // Reads the parameters of a method, such as `(int amount, Godot.Collections.Array<int> cells, string by = "all")`.
  void read_head() {
    ScriptClass &owner = result_.classes[blocks_.back().index];
    const std::string name(name_.text);
    FunctionHead head;
    head.is_exact = true;
    BasicParameter<std::string> parameter;
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
    } while (depth > 0 && !is_end() && head.parameters.size() <= max_parameters);
    while (depth > 0 && !is_end()) {
      const Token token = take();
      if (token.is_symbol('(')) ++depth;
      if (token.is_symbol(')')) --depth;
    }
    // Overloads are distinguished by their number of arguments. So if several methods have the same name, their
    // parameters count as unknown.
    const bool is_only_one = std::ranges::count(owner.functions, name) == 1;
    if (is_only_one && head.parameters.size() <= max_parameters) {
      head_ = &owner.heads.insert_or_assign(name, std::move(head)).first->second;
    } else {
      owner.heads.erase(name);
    }
  }

  // Records whether the body of a method does nothing, as in `{}` or `{ return; }`.
  void record_body() {
    if (head_ == nullptr) return;
    if (token_.is_word("return")) take();
    if (token_.is_symbol(';')) take();
    head_->is_empty = token_.is_symbol('}');
  }

  // Skips to the bracket that closes the next bracket.
  // @returns the number of commas directly within these brackets
  std::size_t skip_brackets() {
    std::size_t commas = 0;
    std::size_t depth = 0;
    do {
      const Token token = take();
      if (token.is_one_of("<(")) ++depth;
      if (token.is_one_of(">)")) --depth;
      if (token.is_symbol(',') && depth == 1) ++commas;
    } while (depth > 0 && !is_end());
    return commas;
  }

  void start_member() {
    is_member_start_ = true;
    is_static_ = is_declared_ = false;
    name_ = {};
    type_ = {};
    is_type_qualified_ = false;
    annotation_.reset();
    constants_.clear();
    head_ = nullptr;
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
        annotation_.emplace().transfer = TransferMode::reliable;  // C#'s default, unlike the default of GDScript
        if (token_.is_symbol('(')) read_arguments(*annotation_);
      }
      is_name = depth == 1 && !token.is_word();
    } while (depth > 0 && !is_end());
  }

  // Records the names of constants but not their values. The values may be in other files: see set_constants().
  void read_arguments(RpcConfig &config) {
    std::size_t depth = 0;
    std::string_view name;
    std::string_view owner;  // the name before a dot
    do {
      const Token before = last_;
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
      } else if (!apply_csharp_argument(config, name, token.text) && constants_.size() < max_arguments) {
        std::string constant(before.is_symbol('.') ? owner : std::string_view(current_class_name()));
        constants_.emplace_back(name, constant.append(".").append(token.text));
      }
    } while (depth > 0 && !is_end());
  }

  [[nodiscard]] std::string_view current_class_name() const {
    return classes_.empty() ? std::string_view{} : std::string_view(result_.classes[classes_.back()].name);
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
    while (!is_end() && !token_.is_one_of("{;")) {
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
    const std::size_t scope_size = scope_.size();
    if (scope_size <= max_node_path_size) scope_.append(name);
    if (type_count > 0) scope_.append("`").append(std::to_string(type_count));
    result_.classes[index].full_name = scope_;
    scope_.append(".");
    if (token_.is_symbol('{')) {
      take();
      open_block(true, index, scope_size);
    } else {
      scope_.resize(scope_size);
    }
    start_member();
  }

  // Finds or adds a class. A partial class can have several declarations, and only one of them names the base class.
  std::size_t add_class(const std::string &name, ClassReference base) {
    const std::size_t outer = is_in_class() ? blocks_.back().index : 0;
    std::size_t index = 0;
    if (const auto found = result_.classes[outer].inner.find(name); found != result_.classes[outer].inner.end()) {
      index = found->second;
    } else if (name != file_name_ || is_in_class()) {
      index = result_.classes.size();
      result_.classes[outer].inner.emplace(name, index);
      result_.classes.emplace_back();
    }
    ScriptClass &added = result_.classes[index];
    added.name = name;
    added.outer = outer;
    if (added.base.empty()) added.base = std::move(base);
    return index;
  }

  Lexer lexer_;
  Token token_, last_, name_;
  std::string_view file_name_;
  std::string_view type_;           // the word before name_, which may be the type; empty if it cannot be
  bool is_type_qualified_ = false;  // true if the last word has a qualifier
  ScriptSource result_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> classes_;  // enclosing classes
  std::string scope_;                 // enclosing namespaces and classes, each followed by a dot
  std::optional<RpcConfig> annotation_;
  FunctionHead *head_ = nullptr;                                // head of the last method before its body; else null
  std::vector<std::pair<std::string, std::string>> constants_;  // constants in the arguments of annotation_
  bool is_configuring_ = false;                                 // true within the parentheses of RpcConfig(
  bool is_member_start_ = true;
  bool is_static_ = false;
  bool is_declared_ = false;  // true if the member's name was read, so its body or value follows
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

ScriptSource read_csharp(std::string_view source, std::string_view file_name) {
  return CSharpReader(source, file_name).read();
}

}  // namespace godot_codec::project
