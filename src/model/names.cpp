#include "model/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "kinegrad/math/expression_parser.hpp"

namespace kinegrad {

namespace {

// The C library's classification depends on the locale; names must not.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Lower case if the word is written abc, Abc or ABC, as YAML allows; else unchanged.
std::string folded(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

/// In quotes, shortened, and without what a terminal would act on.
std::string quoted(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  std::string out = "\"";
  for (const char c : name.substr(0, kLongest)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return out + (name.size() > kLongest ? "…\"" : "\"");
}

bool is_constant(std::string_view name) {
  const auto constants = expression_constants();
  return std::any_of(constants.begin(), constants.end(),
                     [&](const ConstantInfo& info) { return info.name == name; });
}

}  // namespace

std::string_view word_for(NameOf what) {
  switch (what) {
    case NameOf::kParameter: return "parameter";
    case NameOf::kSpline: return "spline";
    case NameOf::kPoint: return "point";
    case NameOf::kVector: return "vector";
    case NameOf::kBody: return "body";
    case NameOf::kJoint: return "joint";
    case NameOf::kForce: return "force";
    case NameOf::kConstraint: return "constraint";
    case NameOf::kState: return "state";
    case NameOf::kController: return "controller";
    case NameOf::kSignal: return "signal";
    case NameOf::kObjective: break;
  }
  return "objective";
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reference(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return is_identifier(text);
  return is_identifier(text.substr(0, dot)) && is_identifier(text.substr(dot + 1));
}

bool is_component(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  return dot != std::string_view::npos && is_reference(text.substr(0, dot)) &&
         is_identifier(text.substr(dot + 1));
}

bool is_axis_word(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kAxes = {"x", "y", "z", "-x", "-y", "-z"};
  return among(kAxes, text);
}

bool is_boolean_word(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kWords = {"true", "false", "yes",
                                                             "no",   "on",    "off"};
  return text.size() <= 5 && among(kWords, folded(text));
}

bool is_non_finite_word(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kWords = {"nan", "inf", "infinity"};
  if (text.empty() || text.size() > 10) return false;
  if (text.front() == '+' || text.front() == '-') text.remove_prefix(1);
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  return among(kWords, folded(text));
}

std::string_view range_of(std::string_view name) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos || name.back() != ']') return {};
  const std::string_view index = name.substr(open + 1, name.size() - open - 2);
  const bool number = !index.empty() && std::all_of(index.begin(), index.end(), is_digit);
  return number && (index == "0" || index.front() != '0') ? name.substr(0, open)
                                                          : std::string_view{};
}

std::string element_of(std::string_view range, std::size_t k) {
  return fmt::format("{}[{}]", range, k);
}

std::string name_refusal(NameOf what, std::string_view name) {
  if (what == NameOf::kParameter && !range_of(name).empty()) name = range_of(name);
  if (!is_identifier(name)) {
    return fmt::format(
        "{} is not a name: use letters, digits and underscores, beginning with a letter",
        quoted(name));
  }
  const bool frame_word = what == NameOf::kPoint || what == NameOf::kVector;
  std::string_view taken;
  if (is_boolean_word(name) || folded(name) == "null") {
    taken = "a word of YAML";
  } else if (is_non_finite_word(name)) {
    taken = "not a finite number";
  } else if (name == "t") {
    taken = "the time";
  } else if (is_constant(name)) {
    taken = "a constant";
  } else if (is_expression_function(name)) {
    taken = "a function";
  } else if (name == "ground" && (frame_word || what == NameOf::kBody || what == NameOf::kJoint)) {
    taken = "the fixed body";
  } else if (frame_word && is_axis_word(name)) {
    taken = "an axis";
  }
  if (taken.empty()) return {};
  return fmt::format("a {} cannot be called {}, which is {}", word_for(what), quoted(name), taken);
}

}  // namespace kinegrad
