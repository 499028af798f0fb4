// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "godot-codec/core/lexer.h"
#include "godot-codec/core/path.h"
#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

void apply_rpc_argument(RpcConfig &config, std::string_view text) {
  if (text == "any_peer") config.mode = RpcMode::any_peer;
  if (text == "authority") config.mode = RpcMode::authority;
  if (text == "call_local") config.is_call_local = true;
  if (text == "call_remote") config.is_call_local = false;
  if (text == "unreliable") config.transfer = TransferMode::unreliable;
  if (text == "unreliable_ordered") config.transfer = TransferMode::unreliable_ordered;
  if (text == "reliable") config.transfer = TransferMode::reliable;
}

bool is_part_of_number(std::string_view text) {
  return text.find_first_not_of("0123456789_.+-eE") == std::string_view::npos;
}

// True if a constant of a type has this type itself: true for Vector2.ZERO, false for Vector2.AXIS_X.
bool is_constant_of_own_type(std::string_view type, std::string_view constant) {
  constexpr std::array<std::string_view, 12> constants = {"BACK", "DOWN", "FORWARD", "IDENTITY", "INF", "LEFT",
                                                          "MAX",  "MIN",  "ONE",     "RIGHT",    "UP",  "ZERO"};
  const bool is_upper = !constant.empty() && constant.front() >= 'A' && constant.front() <= 'Z';
  return (type == "Color" && is_upper) || std::binary_search(constants.begin(), constants.end(), constant);
}

constexpr std::string_view add_scene = "add_spawnable_scene";
constexpr std::string_view add_child = "add_child";
constexpr std::string_view spawner_class = "MultiplayerSpawner";

// Returns the token at an index. Returns a token of the kind `end` before the first token and after the last token.
const Token &token_at(Tokens tokens, std::size_t index) {
  static constexpr Token none{};
  return index < tokens.size() ? tokens[index] : none;
}

// Returns the node that a literal path leads to: `Players` for "../%Players".
std::string node_name_of(const std::string &path) {
  const std::string_view name = base_name(path);
  return std::string(name.substr(name.starts_with('%') ? 1 : 0));
}

// True if the source contains a word. Fast, because the search algorithm skips most characters.
bool contains_word(std::string_view source, std::string_view word) {
  return std::search(source.begin(), source.end(), std::boyer_moore_horspool_searcher(word.begin(), word.end())) !=
         source.end();
}

// Parses GDScript. Lines that are indented deeper than the members of a class are bodies of functions and accessors. In
// bodies, only certain calls and names are recorded.
class GDScriptReader {
 public:
  explicit GDScriptReader(std::string_view source)
      : source_(source),
        lexer_(source, Language::gdscript),
        token_(lexer_.next()),
        has_spawn_statements_(contains_word(source, "spawn_function") || contains_word(source, add_scene) ||
                              contains_word(source, add_child)),
        mentions_configs_(contains_word(source, "eplication") || contains_word(source, "root_path") ||
                          contains_word(source, "add_property") || contains_word(source, "remove_property")) {
    result_.classes.emplace_back();
    open_classes_.push_back({.index = 0, .header_indent = 0, .indent = 0, .is_indent_known = true});
  }

  ParsedScript read() {
    while (token_.kind != TokenKind::end) read_line();
    end_statement();
    if (configures_unnamed_method_) configure_quoted_methods();
    result_.classes.front().spawners = std::move(created_spawners_);
    result_.classes.front().synchronizers = config_evaluator_.take_synchronizers();
    result_.classes.front().builds_unknown_synchronizers = !config_evaluator_.are_all_known();
    result_.classes.front().changes_unknown_configs = config_evaluator_.changes_unknown_synchronizers();
    for (ScriptClass &each : result_.classes) {
      for (RpcDeclaration &method : each.methods) apply_constants(method);
    }
    return std::move(result_);
  }

 private:
  struct OpenClass {
    std::size_t index = 0;
    std::size_t header_indent = 0;
    std::size_t indent = 0;        // of its members
    bool is_indent_known = false;  // true if `indent` has been determined
    bool is_closed = false;        // true if its only member was in the line of its header
  };

  ScriptClass &current_class() { return result_.classes[open_classes_.back().index]; }
  [[nodiscard]] bool is_at_line_end() const { return token_.begins_line; }

  Token take() {
    constexpr std::size_t max_statement = 100'000;  // in tokens; limits memory, longer statements are split
    if (statement_.size() >= max_statement) end_statement();
    statement_.push_back(std::exchange(token_, lexer_.next()));
    return statement_.back();
  }

  // ---- what a statement does to nodes, in a function or outside

  // Begins the member with the name in the next token. The tokens that follow belong to this member.
  void begin_member() { member_name_ = is_at_line_end() ? std::string_view{} : token_.text.substr(0, max_word_size); }

  void end_statement() {
    if (statement_.empty()) return;
    const Tokens statement = statement_;
    const std::string_view variable = first_variable_of(statement);
    record_spawner(statement, variable);
    record_node_moves(statement, variable);
    for (std::size_t i = 0; i < statement.size(); ++i) {
      const bool is_assigned = i == 1 && (statement[1].is_symbol('=') || variable == statement[1].text);
      if (has_spawn_statements_ && is_assigned) part_key_ = make_part_key(variable);
      record_token(statement, i);
    }
    record_authority(statement);
    if (mentions_configs_)
      config_evaluator_.add_statement(statement, indent_, is_function_head_ ? function_name_ : std::string_view());
    is_function_head_ = false;
    part_key_.clear();
    statement_.clear();
  }

  // Returns the variable that a statement declares or begins with: `player` for `var player = …` and `player.hp = …`;
  // empty for other statements.
  static std::string_view first_variable_of(Tokens statement) {
    const auto is_name = [](const Token &token) { return token.is_word() && !token.is_word("self"); };
    const Token &first = token_at(statement, 0);
    const bool is_declaration = (first.is_word("var") || first.is_word("for")) && is_name(token_at(statement, 1));
    return is_declaration ? statement[1].text : is_name(first) ? first.text : std::string_view();
  }

  void record_token(Tokens statement, std::size_t index) {
    const Token &token = statement[index];
    if (token.is_word("set_script")) current_class().sets_scripts = true;
    if (token.is_word("clear_spawnable_scenes")) current_class().clears_spawnable = true;
    if (token.is_symbol('(') && loads_computed_scene(statement, index)) {
      current_class().loads_unknown_scenes = true;
      for_each_use([](MemberUses &uses) { uses.loads_unknown_scenes = true; });
    }
    if (token.kind == TokenKind::string) record_string(string_value_of(token));
    if (token.kind == TokenKind::word && has_spawn_statements_) record_word(std::string(token.text));
    if (token.kind != TokenKind::symbol && mentions_replication_config(token.text)) result_.mentions_configs = true;
    if (has_spawn_statements_) record_spawn_statement(statement, index);
  }

  // Returns the value of a string, or of a constant with a literal value; nullopt for any other token.
  [[nodiscard]] std::optional<std::string> literal_value_of(const Token &token) const {
    if (token.kind == TokenKind::string) return string_value_of(token);
    const auto constant = token.is_word() ? literal_constants_.find(token.text) : literal_constants_.end();
    return constant == literal_constants_.end() ? std::nullopt : std::optional(constant->second);
  }

  // Records a spawner that the script creates, and its name: `spawner = MultiplayerSpawner.new()`, `spawner.name =
  // "Spawner"`. A name that is computed is recorded as an empty name.
  void record_spawner(Tokens statement, std::string_view variable) {
    const std::string holder(variable.empty() ? variable_name_ : variable);
    for (std::size_t i = 0; i < statement.size(); ++i) {
      if (statement[i].is_word("new") && token_at(statement, i - 1).is_symbol('.') &&
          token_at(statement, i - 2).is_word(spawner_class))
        created_spawners_[holder];
    }
    const auto spawner = created_spawners_.find(holder);
    if (spawner == created_spawners_.end() || !token_at(statement, 2).is_word("name") ||
        !token_at(statement, 3).is_symbol('='))
      return;
    const bool is_string_name = token_at(statement, 4).is_symbol('&');
    const std::size_t value = is_string_name ? 5 : 4;
    const bool is_single = value + 1 == statement.size();
    spawner->second.insert(is_single ? literal_value_of(statement[value]).value_or("") : "");
  }

  // Records nodes that the script renames or reparents: `name = "Ball2"`, `$Ball.name = "Ball2"`,
  // `$Ball.reparent($Box)`. Ignores nodes that the function has just created, because they had no path before.
  void record_node_moves(Tokens statement, std::string_view variable) {
    for (std::size_t i = 0; i < statement.size(); ++i) {
      const Token &token = statement[i];
      const bool is_made = token.is_word("instantiate") || token.is_word("new") || token.is_word("duplicate");
      if (is_made) created_variables_.emplace(variable);
      if (token.is_word("reparent")) result_.classes.front().moves_other_nodes = true;
      const bool is_named = indent_ > 0 && token.is_symbol('=') && token_at(statement, i - 1).is_word("name") &&
                            !token_at(statement, i + 1).is_symbol('=');
      if (!is_named) continue;
      const bool is_own = i == 1 || (i == 3 && variable.empty());
      if (is_own) current_class().renames_itself = true;
      if (i > 3 || (i == 3 && !is_own && !created_variables_.contains(variable)))
        result_.classes.front().moves_other_nodes = true;
    }
  }

  // True for the call of a computed path: `load("res://%s.tscn" % kind)`, `ResourceLoader.load(path)`,
  // `get_tree().change_scene_to_file(path)`. If a string in the argument has the extension of another file type, no
  // scene is loaded.
  // @param open index of the opening bracket
  [[nodiscard]] bool loads_computed_scene(Tokens statement, std::size_t open) const {
    const Token &function = token_at(statement, open - 1);
    const bool is_load = function.is_word("load") && (!token_at(statement, open - 2).is_symbol('.') ||
                                                      token_at(statement, open - 3).is_word("ResourceLoader"));
    if (!is_load && !function.is_word("load_threaded_request") && !function.is_word("change_scene_to_file"))
      return false;
    const std::size_t depth = statement[open].depth + 1;
    bool is_literal = true;
    for (const Token &token : statement.subspan(open + 1)) {
      if (token.depth < depth || (token.depth == depth && token.is_one_of(",)"))) break;
      const std::optional<std::string> text = literal_value_of(token);
      const std::string extension = extension_of(text.value_or(""));
      if (!extension.empty() && extension != "tscn" && extension != "scn") return false;
      is_literal = is_literal && text;
    }
    return !is_literal;
  }

  void record_string(const std::string &text) {
    if (has_spawn_statements_) record_word(node_name_of(text));
    if (!is_scene_path(text)) return;
    std::vector<std::string> &scenes = current_class().scenes;
    if (scenes.size() >= max_named_scenes) return;
    if (std::ranges::find(scenes, text) == scenes.end()) scenes.push_back(text);
    if (!has_spawn_statements_) return;
    for_each_use([&](MemberUses &uses) { uses.scenes.push_back(text); });
  }

  void record_word(const std::string &word) {
    if (word.size() > max_word_size) return;
    for_each_use([&](MemberUses &uses) { uses.words.insert(word); });
  }

  // Calls @p note for the current member, and for the part of this member that is being read.
  template <typename Note>
  void for_each_use(const Note &note) {
    note(current_class().uses[member_name_]);
    if (!part_key_.empty()) note(current_class().uses[part_key_]);
    if (!lambda_key_.empty()) note(current_class().uses[lambda_key_]);
  }

  // Returns the key of a part of the current member. Empty if a name is too long to be useful.
  [[nodiscard]] std::string make_part_key(std::string_view name) const {
    constexpr std::size_t longest = 64;
    return member_name_.size() <= longest && name.size() <= longest ? function_part_key(member_name_, name)
                                                                    : std::string();
  }

  // Records assignments of spawn functions, and calls that add scenes or nodes: `spawn_function = f`,
  // `$Spawner.set_spawn_function(f)`, `$Spawner.add_spawnable_scene(…)`, `$Players.add_child(…)`,
  // `$Players.call_deferred("add_child", …)`.
  void record_spawn_statement(Tokens statement, std::size_t index) {
    const Token &token = statement[index];
    const bool is_deferred = token.kind == TokenKind::string && node_name_of(string_value_of(token)) == add_child &&
                             token_at(statement, index - 1).is_symbol('(') &&
                             token_at(statement, index - 2).is_word("call_deferred");
    if (token.is_word("spawn_function") || token.is_word("set_spawn_function")) record_spawn_function(statement, index);
    if (token.is_word(add_scene)) record_added_scene(statement, index);
    if (token.is_word(add_child)) record_added_child(statement, index);
    if (is_deferred) record_added_child(statement, index - 2);
  }

  // Returns a statement about the node in the expression before a word. The target is the last word of this expression.
  // For `$"A/Spawner"` and `get_node("A/Spawner")`, the target is the last component of the path.
  SpawnStatement make_spawn_statement(SpawnStatement::Action action, Tokens statement, std::size_t index) {
    SpawnStatement made{.function = member_name_, .action = action};
    const Token &node = token_at(statement, index - 2);
    if (!token_at(statement, index - 1).is_symbol('.') || node.is_word("self")) return made;
    if (node.is_word()) {
      std::size_t start = index - 2;
      while (token_at(statement, start).is_word() || token_at(statement, start).is_symbol('/')) --start;
      made.target = node.text;
      made.is_literal = token_at(statement, start).is_one_of("$%");
      return made;
    }
    // The node that a call returns is unknown, except for a call with a literal path.
    const Token &path = node.is_one_of(")]") ? token_at(statement, index - 3) : node;
    made.is_literal = path.kind == TokenKind::string;
    made.target = made.is_literal ? node_name_of(string_value_of(path)) : ")";
    return made;
  }

  // Records `spawn_function = f`, `… = Callable(self, "f")`, or `… = func(data): …`.
  void record_spawn_function(Tokens statement, std::size_t index) {
    const Tokens rest = statement.subspan(index + 1);
    const auto value = std::ranges::find_if(rest, [](const Token &token) {
      return token.kind == TokenKind::string ||
             (token.is_word() && !token.is_word("Callable") && !token.is_word("self"));
    });
    if (value == rest.end()) return;
    SpawnStatement made = make_spawn_statement(SpawnStatement::Action::set_function, statement, index);
    if (value->is_word("func")) {
      lambda_key_ = make_part_key(std::to_string(value->line));
      lambda_indent_ = indent_;
      if (!lambda_key_.empty()) made.function = lambda_key_;
    } else {
      made.function = value->is_word() ? std::string(value->text) : node_name_of(string_value_of(*value));
    }
    add_spawn_statement(std::move(made));
  }

  // Unless the argument of add_spawnable_scene() is a single string, the scene is unknown.
  void record_added_scene(Tokens statement, std::size_t index) {
    SpawnStatement made = make_spawn_statement(SpawnStatement::Action::add_scene, statement, index);
    const Token &scene = token_at(statement, index + 2);
    if (scene.kind == TokenKind::string && token_at(statement, index + 3).is_symbol(')'))
      made.scene = string_value_of(scene);
    add_spawn_statement(std::move(made));
  }

  // The rest of an add_child() statement shows what is added, so the rest becomes a part of the function.
  void record_added_child(Tokens statement, std::size_t index) {
    SpawnStatement made = make_spawn_statement(SpawnStatement::Action::add_child, statement, index);
    part_key_ = make_part_key(std::to_string(statement[index].line));
    if (!part_key_.empty()) {
      current_class().uses[part_key_];
      made.function = part_key_;
    }
    add_spawn_statement(std::move(made));
  }

  void add_spawn_statement(SpawnStatement made) {
    std::vector<SpawnStatement> &statements = current_class().spawn_statements;
    const bool is_known = std::ranges::find(statements, made) != statements.end();
    if (!is_known && statements.size() < max_named_scenes) statements.push_back(std::move(made));
  }

  void record_authority(Tokens statement) {
    if (is_function_head_) {
      may_have_returned_ = false;
      body_indent_ = 0;
    } else if (body_indent_ == 0) {
      body_indent_ = indent_;
    }
    bool is_call = false;
    for (const Token &token : statement) {
      may_have_returned_ = may_have_returned_ || token.is_word("return") || token.is_word("await");
      is_call = is_call || token.is_word("set_multiplayer_authority") || token.is_word("set_network_master");
    }
    if (is_call) current_class().authority = std::max(current_class().authority, authority_rule_of(statement));
  }

  // Returns how a statement with a call of set_multiplayer_authority() changes the authority. Whether the call concerns
  // only the script's own node and the nodes below it shows the expression before the call.
  [[nodiscard]] AuthorityRule authority_rule_of(Tokens statement) const {
    constexpr std::string_view by_name[] = {
        "set_multiplayer_authority(name.to_int())", "set_multiplayer_authority(str(name).to_int())",
        "set_multiplayer_authority(String(name).to_int())", "set_multiplayer_authority(int(str(name)))",
        "set_multiplayer_authority(int(String(name)))"};
    std::string text;  // without blanks and quotes
    for (const Token &token : statement) text += token.text;
    const std::size_t call = std::min(text.find("set_multiplayer_authority("), text.find("set_network_master("));
    if (call == std::string::npos) return AuthorityRule::other;
    const std::string_view node = std::string_view(text).substr(0, call);
    const bool is_own = node.empty() || node == "self.";
    const bool is_executed = (function_name_ == "_enter_tree" || function_name_ == "_ready") && !is_function_head_ &&
                             !may_have_returned_ && indent_ == body_indent_;
    if (is_own && is_executed && std::ranges::find(by_name, text.substr(call)) != std::end(by_name))
      return AuthorityRule::by_name;
    const bool is_below = (node.starts_with('$') || node.starts_with('%')) && !node.starts_with("$/") &&
                          node.find_first_of("([=,;:") == std::string_view::npos &&
                          node.find("..") == std::string_view::npos;
    return is_own || is_below ? AuthorityRule::below : AuthorityRule::other;
  }

  void read_line() {
    const std::size_t indent = token_.indent;
    end_statement();
    indent_ = indent;
    if (indent <= lambda_indent_) lambda_key_.clear();
    while (open_classes_.size() > 1 && ends_class(open_classes_.back(), indent)) {
      open_classes_.pop_back();
      rpc_annotation_.reset();
      member_name_.clear();
    }
    OpenClass &open = open_classes_.back();
    if (!open.is_indent_known) {
      open.indent = indent;
      open.is_indent_known = true;
    }
    token_.begins_line = false;
    if (open.is_closed || indent > open.indent) {
      record_empty_body();
      skip_line(false);
    } else {
      read_members();
    }
  }

  static bool ends_class(const OpenClass &open, std::size_t indent) {
    return indent <= open.header_indent || (open.is_indent_known && indent < open.indent);
  }

  // Records whether the body of a function does anything. Strings, `pass` and `return` do nothing.
  void record_empty_body() {
    if (current_function_ == nullptr || is_at_line_end()) return;
    const bool is_idle = token_.is_word("pass") || token_.is_word("return") || token_.kind == TokenKind::string;
    if (is_idle) take();
    if (!is_idle || !is_at_line_end()) current_function_->has_empty_body = false;
  }

  void read_members() {
    variable_name_.clear();
    current_function_ = nullptr;
    while (!is_at_line_end()) {
      if (token_.is_symbol('@')) {
        read_annotation();
      } else if (token_.is_symbol(';') || token_.is_word("static")) {
        take();
      } else if (token_.is_word("class_name")) {
        take();
        const std::string name = take_name();
        if (open_classes_.size() == 1) current_class().name = name;
      } else if (token_.is_word("extends")) {
        take();
        ClassReference base = take_reference();
        current_class().base = std::move(base);
      } else if (token_.is_word("func")) {
        read_function();
      } else if (is_godot3_rpc_keyword(token_)) {
        const RemoteCallers callers = remote_callers_of(take().text);
        if (token_.is_word("func") || token_.is_word("var")) next_callers_ = callers;
      } else if (token_.is_word("class")) {
        read_class();
      } else if (token_.is_word("const")) {
        read_constant();
      } else if (token_.is_word("var")) {
        read_variable();
      } else {
        rpc_annotation_.reset();
        skip_line(true);
      }
    }
  }

  std::string take_name() {
    return token_.kind == TokenKind::word && !is_at_line_end() ? std::string(take().text) : std::string();
  }

  ClassReference take_reference() {
    ClassReference reference;
    if (is_at_line_end()) return reference;
    if (token_.kind == TokenKind::string) {
      reference.path = string_value_of(take());
    } else if (token_.kind == TokenKind::word) {
      reference.names.push_back(take_name());
    }
    take_names(reference);
    return reference;
  }

  void take_names(ClassReference &reference) {
    while (!is_at_line_end() && token_.is_symbol('.') && !reference.empty()) {
      take();
      if (std::string name = take_name(); !name.empty()) reference.names.push_back(std::move(name));
    }
  }

  void read_annotation() {
    take();
    const bool is_rpc = token_.is_word("rpc");
    take_name();
    RpcDeclaration method;
    if (!is_at_line_end() && token_.is_symbol('(')) read_arguments(method);
    if (is_rpc) rpc_annotation_ = std::move(method);
  }

  // Applies arguments that are constants. The value of a constant from another file is unknown. It may be the RPC mode,
  // so the mode becomes unknown.
  void apply_constants(RpcDeclaration &method) const {
    for (const auto &[argument, name] : method.constant_arguments) {
      const auto found = literal_constants_.find(name);
      if (found == literal_constants_.end()) {
        method.config.mode = RpcMode::unknown;
      } else {
        apply_rpc_argument(method.config, found->second);
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), method.config.channel);
      }
    }
  }

  // Reads the arguments of an annotation: strings, which may be concatenated with +, and the channel.
  void read_arguments(RpcDeclaration &method) {
    RpcConfig &config = method.config;
    const std::size_t depth = take().depth;
    std::string text;
    while (!is_at_line_end() && token_.depth > depth) {
      const Token token = take();
      if (token.kind == TokenKind::string) {
        text += string_value_of(token);
      } else if (token.kind == TokenKind::word) {
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), config.channel);
        if (token.text.front() > '9') method.constant_arguments.emplace_back("", token.text);
      } else if (!token.is_symbol('+')) {
        apply_rpc_argument(config, text);
        text.clear();
      }
    }
  }

  // True for the keywords of Godot 3 that precede `func` or `var` and let other peers use the member (GDScriptParser).
  static bool is_godot3_rpc_keyword(const Token &token) {
    static constexpr std::string_view words[] = {"remote", "sync",       "master",     "slave",
                                                 "puppet", "remotesync", "mastersync", "puppetsync"};
    return std::ranges::any_of(words, [&](std::string_view word) { return token.is_word(word); });
  }

  static RemoteCallers remote_callers_of(std::string_view word) {
    return word.starts_with("puppet") || word == "slave" ? RemoteCallers::master : RemoteCallers::anyone;
  }

  void read_function() {
    const std::uint32_t line = take().line;
    const RemoteCallers callers = std::exchange(next_callers_, RemoteCallers::none);
    if (rpc_annotation_) rpc_annotation_->line = token_.line;
    begin_member();
    if (const std::string name = take_name(); !name.empty()) {
      function_name_ = name;
      is_function_head_ = true;
      created_variables_.clear();
      current_class().functions.push_back(name);
      if (rpc_annotation_) rpc_annotation_->name = name;
      if (rpc_annotation_) current_class().methods.push_back(std::move(*rpc_annotation_));
      if (std::optional<Function> function = read_parameters(name)) {
        function->callers = callers;
        function->line = line;
        function->has_empty_body = true;
        current_function_ = &current_class().signatures.insert_or_assign(name, std::move(*function)).first->second;
      }
    }
    rpc_annotation_.reset();
    while (!is_at_line_end() && !token_.is_symbol(':')) take();
    if (!is_at_line_end()) take();
    record_empty_body();
    skip_line(false);
  }

  // Reads the parameters of a function, such as `(amount: int, by := "nobody", ...others)`.
  std::optional<Function> read_parameters(const std::string &name) {
    if (is_at_line_end() || !token_.is_symbol('(')) return std::nullopt;
    enum class ParameterPart : std::uint8_t { name, type, value };
    const std::size_t depth = take().depth + 1;
    Function head{.name = name};
    Parameter parameter;
    ParameterPart part = ParameterPart::name;
    while (token_.kind != TokenKind::end && token_.depth >= depth) {
      const Token token = take();
      const bool is_outer = token.depth == depth;
      if (is_outer && token.is_one_of(",)")) {
        parameter.types = accepted_argument_types(parameter.type);
        if (!head.has_rest_parameter && !parameter.name.empty()) head.parameters.push_back(std::move(parameter));
        parameter = {};
        part = ParameterPart::name;
      } else if (is_outer && token.is_symbol('=')) {
        parameter.is_optional = true;
        part = ParameterPart::value;
      } else if (part == ParameterPart::name && token.is_symbol(':')) {
        part = ParameterPart::type;
      } else if (part == ParameterPart::name && token.is_symbol('.')) {
        head.has_rest_parameter = true;
      } else if (part != ParameterPart::value) {
        (part == ParameterPart::name ? parameter.name : parameter.type) += token.text;
      }
    }
    if (head.parameters.size() > max_parameters) return std::nullopt;
    return head;
  }

  void read_class() {
    OpenClass open{.index = open_classes_.back().index, .header_indent = open_classes_.back().indent};
    take();
    rpc_annotation_.reset();
    member_name_.clear();
    ScriptClass added;
    added.name = take_name();
    added.outer_class = open.index;
    if (!is_at_line_end() && token_.is_word("extends")) {
      take();
      added.base = take_reference();
    }
    if (!is_at_line_end() && token_.is_symbol(':')) take();
    // As in the engine, an annotation in the line of a class's header ends this class and belongs to the next member.
    const bool is_over = !is_at_line_end() && token_.is_symbol('@');
    const bool is_too_deep = open_classes_.size() > max_class_depth;
    open.is_closed = !is_at_line_end() || is_too_deep;
    end_statement();  // the head of the class belongs to the outer class
    if (!is_too_deep) {
      open.index = result_.classes.size();
      current_class().inner_classes.emplace(added.name, open.index);
      result_.classes.push_back(std::move(added));
    }
    if (!is_over) open_classes_.push_back(open);
  }

  // Reads a constant that refers to a class, with or without a type: `const Base = preload("base.gd").Inner`, `const
  // Alias = Other`.
  void read_constant() {
    take();
    rpc_annotation_.reset();
    begin_member();
    const std::string name = take_name();
    while (!is_at_line_end() && !token_.is_one_of("=;")) take();
    if (is_at_line_end() || token_.is_symbol(';')) return;
    take();
    ClassReference value;
    std::string literal(token_.text);
    if (token_.is_word("preload")) {
      take();
      if (token_.is_symbol('(')) take();
      if (token_.kind == TokenKind::string) value.path = string_value_of(take());
      if (token_.is_symbol(')')) take();
      take_names(value);
    } else if (token_.kind == TokenKind::word) {
      value = take_reference();
    } else if (token_.kind == TokenKind::string) {
      literal = string_value_of(take());
    }
    const bool is_whole = is_at_line_end() || token_.is_symbol(';');
    if (is_whole) literal_constants_.emplace(name, std::move(literal));
    if (is_whole && !value.empty()) current_class().constants.emplace(name, std::move(value));
    if (!is_whole) skip_line(true);
  }

  // Reads a variable with or without accessors: `var hp: int = 3`, `var hp := 3`.
  void read_variable() {
    Variable declared{{}, {}, std::exchange(next_callers_, RemoteCallers::none), take().line};
    rpc_annotation_.reset();
    begin_member();
    variable_name_ = take_name();
    if (!variable_name_.empty() && !is_at_line_end() && token_.is_symbol(':')) {
      take();
      declared.types = read_type();
    }
    declared.name = variable_name_;
    if (!variable_name_.empty()) current_class().variables.insert_or_assign(variable_name_, std::move(declared));
    skip_line(true);
  }

  // Reads the type after the colon of a variable.
  ValueTypes read_type() {
    if (is_at_line_end()) return {};
    if (token_.is_symbol('=')) {
      take();
      const ValueTypes types = read_literal();
      return is_at_literal_end() ? types : ValueTypes{};
    }
    // This is an accessor, not a type: `var hp: set = set_hp`.
    if (token_.kind != TokenKind::word || token_.is_word("get") || token_.is_word("set")) return {};
    const std::string_view name = take().text;
    // The type may be a class or an enum: `Outer.Inner`, `Node.ProcessMode`.
    return types_of_gdscript(!is_at_line_end() && token_.is_symbol('.') ? "" : name);
  }

  [[nodiscard]] bool is_at_literal_end() const { return is_at_line_end() || token_.is_one_of(";:"); }

  // Returns the type of a literal, which is known without the game's classes.
  ValueTypes read_literal() {
    if (is_at_line_end()) return {};
    if (token_.kind == TokenKind::string) return take_literal(Type::string);
    if (token_.is_word("true") || token_.is_word("false")) return take_literal(Type::boolean);
    if (token_.is_symbol('[')) return skip_bracketed_value({Type::array});
    if (token_.is_symbol('{')) return skip_bracketed_value({Type::dictionary});
    if (token_.is_one_of("&^")) {
      const Type type = take().is_symbol('&') ? Type::string_name : Type::node_path;
      return token_.kind == TokenKind::string ? take_literal(type) : ValueTypes{};
    }
    if (token_.kind == TokenKind::word && is_variant_type(token_.text)) return read_value_of_type();
    return read_number();
  }

  // Reads a value that begins with its type: `Vector2(1, 2)`, `Vector2.ZERO`.
  ValueTypes read_value_of_type() {
    const std::string_view type = take().text;
    if (is_at_line_end()) return {};
    if (token_.is_symbol('(')) return skip_bracketed_value(types_of_gdscript(type));
    if (!token_.is_symbol('.')) return {};
    take();
    return is_constant_of_own_type(type, take_name()) ? types_of_gdscript(type) : ValueTypes{};
  }

  // Reads numbers, with + and - before them and between them.
  ValueTypes read_number() {
    Type type = Type::integer;
    bool has_digits = false;
    for (; !is_at_literal_end(); take_body_token()) {
      const bool is_word = token_.kind == TokenKind::word;
      const bool is_digits = is_word && token_.text.front() >= '0' && token_.text.front() <= '9';
      const bool is_hexadecimal = is_digits && (token_.text.starts_with("0x") || token_.text.starts_with("0b"));
      if (is_hexadecimal) {
        has_digits = true;
        continue;
      }
      if (!is_part_of_number(token_.text) || (is_word && !is_digits) || token_.kind == TokenKind::string) return {};
      if (token_.text.find_first_of(".eE") != std::string_view::npos) type = Type::real;
      has_digits = has_digits || is_digits;
    }
    return has_digits ? ValueTypes{type} : ValueTypes{};
  }

  ValueTypes take_literal(Type type) {
    take_body_token();
    return {type};
  }

  ValueTypes skip_bracketed_value(const ValueTypes &types) {
    const std::size_t depth = token_.depth;
    do {
      take_body_token();
    } while (token_.kind != TokenKind::end && token_.depth > depth);
    return types;
  }

  // Takes a token of a value or of a function's body.
  void take_body_token() {
    const bool is_of_other_node = is_member_of_other(statement_, statement_.size());
    const Token token = take();
    if (token.is_word("rpc_config") || token.is_word("rset_config")) read_rpc_config(is_of_other_node);
    // The getter is a function, so its result may have any type.
    if (token.is_word("get") && token_.is_symbol('=')) current_class().variables[variable_name_].types = {};
  }

  // Skips to the end of the line.
  // @param is_member a semicolon outside of brackets also ends the line
  void skip_line(bool is_member) {
    while (!is_at_line_end() && !(is_member && token_.depth == 0 && token_.is_symbol(';'))) take_body_token();
  }

  // Handles an rpc_config() call with a name from a variable. The call may mean any method of the script with a name
  // that the source contains in quotes. The MD5 decides which of them.
  void configure_quoted_methods() {
    for (ScriptClass &each : result_.classes) {
      for (const std::string &function : each.functions) {
        if (!contains_word(source_, '"' + function + '"') ||
            each.methods_configured_elsewhere.size() >= max_named_scenes)
          continue;
        RpcDeclaration method{function, {}, 0};
        method.config.mode = RpcMode::unknown;
        each.methods_configured_elsewhere.emplace(function, std::move(method));
      }
      for (const auto &[name, method] : each.configured_methods) {
        if (method) each.methods_configured_elsewhere.emplace(name, *method);
      }
    }
  }

  // Reads the arguments of rpc_config(): `("name", {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER, …})`, `(&"name",
  // null)`.
  void read_rpc_config(bool is_of_other_node) {
    if (!token_.is_symbol('(')) return;
    const std::size_t depth = take().depth;
    if (token_.is_symbol('&')) take();
    if (token_.kind != TokenKind::string) {
      configures_unnamed_method_ = true;
      return;
    }
    RpcDeclaration method{string_value_of(token_), {}, token_.line};
    take();
    if (!token_.is_symbol(',')) return;
    method.config.mode = RpcMode::unknown;
    std::size_t nulls = 0;
    std::size_t others = 0;
    while (token_.kind != TokenKind::end && token_.depth > depth) {
      const Token token = take();
      if (token.is_word("RPC_MODE_ANY_PEER")) method.config.mode = RpcMode::any_peer;
      if (token.is_word("RPC_MODE_AUTHORITY")) method.config.mode = RpcMode::authority;
      if (token.is_word("RPC_MODE_DISABLED")) method.config.mode = RpcMode::disabled;
      if (token.kind != TokenKind::symbol) ++(token.is_word("null") ? nulls : others);
    }
    // The last call for a name counts. A call with null removes the method from the list.
    const std::string name = method.name;
    if (is_of_other_node) {
      if (current_class().methods_configured_elsewhere.size() < max_named_scenes) {
        current_class().methods_configured_elsewhere.insert_or_assign(name, std::move(method));
      }
      return;
    }
    current_class().configured_methods[name] =
        nulls == 1 && others == 0 ? std::nullopt : std::optional<RpcDeclaration>(std::move(method));
  }

  std::string_view source_;
  Lexer lexer_;
  Token token_;
  std::vector<Token> statement_;  // the tokens before token_, from the beginning of the statement
  ParsedScript result_;
  ReplicationConfigEvaluator config_evaluator_;
  std::vector<OpenClass> open_classes_;
  std::optional<RpcDeclaration> rpc_annotation_;                       // the @rpc annotation before the next member
  std::map<std::string, std::string, std::less<>> literal_constants_;  // values of constants that are strings or
                                                                       // numbers, by name
  std::string variable_name_;                         // the variable that the accessors may belong to; empty:
                                                      // none
  Function *current_function_ = nullptr;              // the function with the body that is being read; null: none
  bool configures_unnamed_method_ = false;            // true if a call of rpc_config() takes the method's name from a
                                                      // variable
  RemoteCallers next_callers_ = RemoteCallers::none;  // Godot 3: the keyword for the next member
  const bool has_spawn_statements_;
  const bool mentions_configs_;  // true if the source mentions SceneReplicationConfig or its members
  std::string member_name_;      // the member that is being read; empty: none
  std::string part_key_;         // key of the part of the member that is being read; empty: none
  std::string lambda_key_;       // key of the lambda that is being read; empty: none
  std::size_t lambda_indent_ = 0;
  std::size_t indent_ = 0;          // of the current line
  std::string function_name_;       // the last function; empty before the first function
  bool is_function_head_ = false;   // true if the statement contains the head of the function
  bool may_have_returned_ = false;  // true if the function contains a return or an await so far
  std::size_t body_indent_ = 0;     // of the first statement in the function's body; 0 before this statement
  std::map<std::string, std::set<std::string>, std::less<>>
      created_spawners_;                                  // names given to each spawner, by variable
  std::set<std::string, std::less<>> created_variables_;  // local variables that hold a node which the function has
                                                          // created
};

}  // namespace

bool is_scene_path(std::string_view text) {
  if (text.size() > max_node_path_size) return false;
  if (text.starts_with("uid://")) return true;
  const std::string_view name = base_name(text);
  // In "res://" + name + ".tscn", the part ".tscn" has no name before the dot, so it is not a path.
  return name.rfind('.') > 0 && (name.ends_with(".tscn") || name.ends_with(".scn"));
}

bool mentions_replication_config(std::string_view text) {
  constexpr std::array<std::string_view, 4> methods = {"add_property", "remove_property", "AddProperty",
                                                       "RemoveProperty"};
  constexpr std::array<std::string_view, 3> starts = {"property_set_", "PropertySet", "properties/"};
  return text.find("replication_config") != std::string_view::npos ||
         text.find("ReplicationConfig") != std::string_view::npos ||
         std::ranges::find(methods, text) != methods.end() ||
         std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

ParsedScript read_gdscript(std::string_view source) { return GDScriptReader(source).read(); }

}  // namespace godot_codec::project
