// Which names the elements of a model may have, and what a reference to one looks like.
#pragma once

#include <string>
#include <string_view>

namespace kinegrad {

/// What is being named; some words are taken for some of them.
enum class NameOf {
  kParameter,
  kSpline,
  kPoint,
  kVector,
  kBody,
  kJoint,
  kForce,
  kConstraint,
  kState,
  kController,
  kSignal,
  kObjective
};

/// "parameter", "body", …
std::string_view word_for(NameOf what);

/// A letter or '_', then letters, digits and '_': what an expression can spell.
bool is_identifier(std::string_view text);

/// One or two identifiers with a dot between: "P1", "A1.P1", "A.q".
bool is_reference(std::string_view text);

/// A coordinate or a component: "A.q", "P1.x", "A1.P1.x".
bool is_component(std::string_view text);

/// One of x y z, or one with a minus before it.
bool is_axis_word(std::string_view text);

/// A bare word that YAML readers take for a boolean: true, No, ON, …
bool is_boolean_word(std::string_view text);

/// .inf, -.INF, .nan and their spellings without the dot.
bool is_non_finite_word(std::string_view text);

/// The range that a parameter called name[k] belongs to; empty if it is not called so.
std::string_view range_of(std::string_view name);
/// name[k].
std::string element_of(std::string_view range, std::size_t k);
/// Why something must not be called that; empty if it may.
std::string name_refusal(NameOf what, std::string_view name);

}  // namespace kinegrad
