#include "kinegrad/math/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "expression_functions.hpp"

namespace kinegrad {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::size_t kMaxArguments = 5;

/// Recursive descent over the grammar of the header, one call per level of nesting.
class Parser {
 public:
  Parser(std::string_view text, ExpressionGraph& graph, const ExpressionScope& scope)
      : text_(text), graph_(graph), scope_(scope) {}

  NodeId parse() {
    if (text_.size() > kMaxExpressionLength) {
      throw ExpressionError(
          fmt::format("the expression has {} characters, more than the {} allowed", text_.size(),
                      kMaxExpressionLength),
          kMaxExpressionLength + 1);
    }
    if (peek() == '\0' && at_end()) fail("the expression is empty");
    const NodeId result = sum();
    if (!at_end()) fail_at_junk();
    if (graph_.is_constant(result)) return checked(result, 0, "the expression");
    return result;
  }

 private:
  // ---- text --------------------------------------------------------------------------------------

  bool at_end() const { return position_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[position_]; }

  /// The next character that is not a blank.
  char peek() {
    while (!at_end() && (here() == ' ' || (here() >= '\t' && here() <= '\r'))) ++position_;
    return here();
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const { fail(message, position_); }
  [[noreturn]] void fail(const std::string& message, std::size_t position) const {
    throw ExpressionError(message, static_cast<int>(position) + 1);
  }

  /// The character here as it can be shown in a message.
  std::string shown() const {
    const unsigned char c = static_cast<unsigned char>(here());
    if (c < 0x80) {
      return c >= 0x20 && c < 0x7F ? fmt::format("\"{}\"", here())
                                   : fmt::format("character 0x{:02X}", static_cast<unsigned>(c));
    }
    const std::size_t length = c >= 0xF0 ? 4 : (c >= 0xE0 ? 3 : 2);
    const std::string_view letter = text_.substr(position_, length);
    const bool whole =
        letter.size() == length && c >= 0xC2 && c <= 0xF4 &&
        std::all_of(letter.begin() + 1, letter.end(), [](char d) { return (d & 0xC0) == 0x80; });
    return whole ? fmt::format("\"{}\"", letter)
                 : fmt::format("character 0x{:02X}", static_cast<unsigned>(c));
  }

  [[noreturn]] void fail_at_junk() {
    const char c = peek();
    if (c == ')') fail("\")\" without \"(\"");
    if (c == ',') fail("\",\" outside the arguments of a function");
    if (c == '<' || c == '>' || c == '=' || c == '?' || c == '&' || c == '|' || c == '!') {
      fail("comparisons are not part of expressions; use smooth_if or smooth_step");
    }
    if (is_letter(c) || is_digit(c) || c == '.' || c == '(') {
      fail(fmt::format("an operator is missing before {}", shown()));
    }
    fail(fmt::format("unexpected {}", shown()));
  }

  // ---- grammar -----------------------------------------------------------------------------------

  /// Guards one level of nesting.
  struct Level {
    explicit Level(Parser& p) : parser(p) {
      if (++parser.depth_ > kMaxExpressionDepth) {
        parser.fail(
            fmt::format("the expression is nested deeper than {} levels", kMaxExpressionDepth));
      }
    }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& parser;
  };

  NodeId sum() {
    NodeId left = product();
    for (;;) {
      const char c = peek();
      if (c != '+' && c != '-') return left;
      const std::size_t at = position_++;
      const NodeId right = product();
      left = checked(graph_.binary(c == '+' ? Op::kAdd : Op::kSub, left, right), at,
                     c == '+' ? "the sum" : "the difference");
    }
  }

  NodeId product() {
    NodeId left = sign();
    for (;;) {
      const char c = peek();
      if (c != '*' && c != '/') return left;
      const std::size_t at = position_++;
      if (here() == '*' && c == '*') fail("\"**\" is not an operator; powers are written a^b", at);
      const NodeId right = sign();
      if (c == '/' && graph_.is_constant(right) && graph_.constant_value(right) == 0) {
        fail("division by zero", at);
      }
      left = checked(graph_.binary(c == '*' ? Op::kMul : Op::kDiv, left, right), at,
                     c == '*' ? "the product" : "the quotient");
    }
  }

  NodeId sign() {
    bool negative = false;
    for (;;) {
      if (take('-')) {
        negative = !negative;
      } else if (!take('+')) {
        break;
      }
    }
    const NodeId operand = power();
    return negative ? graph_.unary(Op::kNeg, operand) : operand;
  }

  NodeId power() {
    const NodeId base = primary();
    if (peek() != '^') return base;
    const std::size_t at = position_++;
    const Level level(*this);
    const NodeId exponent = sign();
    return checked(graph_.binary(Op::kPow, base, exponent), at, "the power");
  }

  NodeId primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    if (c == '(') {
      const std::size_t open = position_++;
      const Level level(*this);
      const NodeId inner = sum();
      close(open);
      return inner;
    }
    if (at_end()) fail("the expression ends where a number or a name is expected");
    fail(fmt::format("expected a number or a name, found {}", shown()));
  }

  /// Takes the ")" that belongs to the "(" at `open`.
  void close(std::size_t open) {
    if (take(')')) return;
    if (at_end()) fail("\"(\" is never closed", open);
    if (here() == ',') fail("\",\" outside the arguments of a function");
    fail_at_junk();
  }

  NodeId number() {
    const std::size_t start = position_;
    const auto digits = [this] {
      const std::size_t first = position_;
      while (is_digit(here())) ++position_;
      return position_ > first;
    };
    bool any = digits();
    if (here() == '.') {
      ++position_;
      any = digits() || any;
    }
    if (!any) fail("\".\" is not a number", start);
    if (here() == 'e' || here() == 'E') {
      ++position_;
      if (here() == '+' || here() == '-') ++position_;
      if (!digits()) fail("a number ends in the middle of its exponent", start);
    }
    if (is_letter(here()) || here() == '.') {
      fail(fmt::format("an operator is missing between \"{}\" and {}",
                       text_.substr(start, position_ - start), shown()));
    }
    double value = 0;
    const char* const first = text_.data() + start;
    const auto [end, status] = std::from_chars(first, text_.data() + position_, value);
    if (status != std::errc{} || end != text_.data() + position_ || !std::isfinite(value)) {
      fail(fmt::format("the number {} is out of range", text_.substr(start, position_ - start)),
           start);
    }
    return graph_.constant(value);
  }

  NodeId name() {
    const std::size_t start = position_;
    const auto word = [this] {
      while (is_letter(here()) || is_digit(here())) ++position_;
    };
    word();
    while (here() == '.' && position_ + 1 < text_.size() &&
           (is_letter(text_[position_ + 1]) || is_digit(text_[position_ + 1]))) {
      ++position_;
      word();
    }
    element(start);
    const std::string_view id = text_.substr(start, position_ - start);
    return peek() == '(' ? call(id, start) : variable(id, start);
  }

  /// The [k] of an element of a range.
  void element(std::size_t start) {
    if (here() != '[') return;
    const std::size_t open = position_++;
    const std::size_t digits = position_;
    while (is_digit(here())) ++position_;
    if (position_ > digits && here() == ']') {
      ++position_;
      return;
    }
    fail(fmt::format("elements of a range are written {}[3]", text_.substr(start, open - start)),
         open);
  }

  NodeId variable(std::string_view id, std::size_t at) {
    if (const auto node = scope_.variable(id, graph_)) return *node;
    for (const ConstantInfo& constant : expression_constants()) {
      if (constant.name == id) return graph_.constant(constant.value);
    }
    if (const std::string reason = scope_.refusal(id); !reason.empty()) fail(reason, at);
    if (internal::function_index(id) >= 0) {
      fail(fmt::format("\"{0}\" is a function: write {0}(...)", id), at);
    }
    if (scope_.spline(id)) fail(fmt::format("\"{0}\" is a spline: write {0}(t)", id), at);
    std::vector<std::string> known = scope_.names();
    for (const ConstantInfo& constant : expression_constants()) known.emplace_back(constant.name);
    fail(fmt::format("unknown name \"{}\"{}", id, suggestion(id, known)), at);
  }

  NodeId word_call(std::string_view id, std::size_t at) {
    const std::size_t open = position_++;
    std::vector<std::string_view> words;
    do {
      peek();
      const std::size_t start = position_;
      while (is_letter(here()) || is_digit(here()) || here() == '.') ++position_;
      if (position_ == start) fail(fmt::format("{} takes names", id), start);
      words.push_back(text_.substr(start, position_ - start));
    } while (take(','));
    close(open);
    try {
      if (const auto node = scope_.word_call(id, words, graph_)) return *node;
    } catch (const ExpressionError& error) {
      fail(error.what(), at);
    }
    fail(fmt::format("{} has no meaning here", id), at);
  }

  NodeId call(std::string_view id, std::size_t at) {
    if (is_word_function(id)) return word_call(id, at);
    const int function = internal::function_index(id);
    const std::optional<int> spline = function < 0 ? scope_.spline(id) : std::nullopt;
    if (function < 0 && !spline) fail_at_function(id, at);
    const std::size_t open = position_++;
    const Level level(*this);
    std::array<NodeId, kMaxArguments> arguments{};
    const std::size_t count = this->arguments(arguments, open);
    const int arity = spline ? 1 : expression_functions()[static_cast<std::size_t>(function)].arity;
    if (static_cast<int>(count) != arity) {
      fail(fmt::format("{} takes {} argument{}, not {}", id, arity, arity == 1 ? "" : "s", count),
           at);
    }
    if (spline) return graph_.spline(*spline, 0, arguments[0]);
    try {
      const auto given = std::span<const NodeId>(arguments).first(count);
      return checked(internal::apply_function(function, graph_, given), at, id);
    } catch (const ExpressionError& error) {
      if (error.column() > 0) throw;
      fail(fmt::format("{}: {}", id, error.what()), at);
    }
  }

  [[noreturn]] void fail_at_function(std::string_view id, std::size_t at) {
    if (const std::string reason = scope_.refusal(id); !reason.empty()) fail(reason, at);
    if (scope_.variable(id, graph_)) fail(fmt::format("\"{}\" is not a function", id), at);
    std::vector<std::string> known = scope_.names();
    for (const FunctionInfo& info : expression_functions()) known.emplace_back(info.name);
    fail(fmt::format("unknown function \"{}\"{}", id, suggestion(id, known)), at);
  }

  /// Reads the arguments up to ")" and returns how many; those past kMaxArguments only count.
  std::size_t arguments(std::array<NodeId, kMaxArguments>& list, std::size_t open) {
    if (take(')')) return 0;
    for (std::size_t count = 0;;) {
      const NodeId argument = sum();
      if (count < list.size()) list[count] = argument;
      ++count;
      if (take(',')) continue;
      close(open);
      return count;
    }
  }

  /// The node, unless it is a constant that is not a finite number.
  NodeId checked(NodeId node, std::size_t at, std::string_view what) const {
    if (graph_.is_constant(node)) {
      const double value = graph_.constant_value(node);
      if (std::isnan(value)) fail(fmt::format("{} is not a real number here", what), at);
      if (std::isinf(value)) fail(fmt::format("{} is infinite here", what), at);
    }
    return node;
  }

  std::string_view text_;
  ExpressionGraph& graph_;
  const ExpressionScope& scope_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

/// Every name is an input and every function a spline; both are written down in order.
class RecordingScope : public ExpressionScope {
 public:
  explicit RecordingScope(ExpressionGraph& graph)
      : spline_(graph.add_spline({SplineType::kCubic, {0, 1}}, 0)) {}

  std::optional<NodeId> variable(std::string_view name, ExpressionGraph& graph) const override {
    constexpr int kSplineInputs = 4;  // inputs 0 … 3 belong to the stand-in spline
    return graph.input(variables_.place(name) + kSplineInputs);
  }
  std::optional<int> spline(std::string_view name) const override {
    splines_.place(name);
    return spline_;
  }
  /// Names of elements, not of variables; what it gives varies like a spline of the time.
  std::optional<NodeId> word_call(std::string_view name, std::span<const std::string_view>,
                                  ExpressionGraph& graph) const override {
    return graph.spline(*spline(name), 0, graph.constant(0));
  }
  std::vector<std::string> names() const override { return {}; }

  const std::vector<std::string>& variables() const { return variables_.names; }
  const std::vector<std::string>& splines() const { return splines_.names; }

 private:
  /// Names in order of appearance, each once.
  struct Record {
    std::vector<std::string> names;
    std::unordered_map<std::string, int> places;

    int place(std::string_view name) {
      const auto [entry, is_new] =
          places.try_emplace(std::string(name), static_cast<int>(names.size()));
      if (is_new) names.emplace_back(name);
      return entry->second;
    }
  };

  mutable Record variables_;
  mutable Record splines_;
  int spline_;
};

}  // namespace

NodeId parse_expression(std::string_view text, ExpressionGraph& graph,
                        const ExpressionScope& scope) {
  return Parser(text, graph, scope).parse();
}

std::vector<std::string> referenced_names(std::string_view text) {
  ExpressionGraph graph;
  const RecordingScope scope(graph);
  parse_expression(text, graph, scope);
  return scope.variables();
}

std::vector<std::string> referenced_splines(std::string_view text) {
  ExpressionGraph graph;
  const RecordingScope scope(graph);
  parse_expression(text, graph, scope);
  return scope.splines();
}

}  // namespace kinegrad
