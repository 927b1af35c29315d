// What a user chooses by a word: its name, a sentence about it, the options that it reads. Formulations, integrators,
// coordinate sets, gradient methods and optimisers say this about themselves, each in its own file; their lists are
// read by the command line, the schema and the messages.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinegrad {

struct NamedChoice {
  std::string_view name, summary;
  /// Options of a run that it reads and others need not, as in the JSON of a run: spectral_radius.
  std::span<const std::string_view> options = {};

  bool reads(std::string_view option) const {
    return std::find(options.begin(), options.end(), option) != options.end();
  }
};

/// The names of a list of choices.
template <typename Choices>
std::vector<std::string> names_of(const Choices& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.name);
  return names;
}

/// "matrix-r", "index1 and penalty", "index1, penalty and ali3p".
std::string enumerate(const std::vector<std::string>& names);

/// @throws InvalidArgument: unknown WHAT "NAME", with the name that may be meant or all of them.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name,
                                 const std::vector<std::string>& known);

/// Null if there is none of that name.
template <typename Entry>
const Entry* find_choice(std::span<const Entry> choices, std::string_view name) {
  const auto called = [&](const Entry& choice) { return choice.name == name; };
  const auto found = std::find_if(choices.begin(), choices.end(), called);
  return found == choices.end() ? nullptr : &*found;
}

/// @throws InvalidArgument
template <typename Entry>
const Entry& choice_named(std::string_view what, std::span<const Entry> choices,
                          std::string_view name) {
  const Entry* found = find_choice(choices, name);
  if (!found) refuse_unknown(what, name, names_of(choices));
  return *found;
}

/// The options that a type of choice states, none if it states none.
template <typename Choice>
constexpr std::span<const std::string_view> options_of() {
  if constexpr (requires { Choice::options; }) return Choice::options;
  return {};
}

}  // namespace kinegrad
