// What a constraint struct must offer, and the adapter that makes it a ConstraintModel.
//
// A constraint is a stateless struct: a table of fields, and one function that writes its rows. Its
// time derivatives and partials are formed by the compiler.
#pragma once

#include <concepts>

#include "kinegrad/model/constraint_type.hpp"

namespace kinegrad {

/// name, summary, fields, write(ConstraintWriter&).
template <typename C>
concept ConstraintStruct = requires(ConstraintWriter& writer) {
  { C::name } -> std::convertible_to<std::string_view>;
  { C::summary } -> std::convertible_to<std::string_view>;
  {std::span<const ConstraintField>(C::fields)};
  { C::write(writer) } -> std::same_as<void>;
};

template <ConstraintStruct C>
class ConstraintAdapter final : public ConstraintModel {
 public:
  std::string_view name() const override { return C::name; }
  std::string_view summary() const override { return C::summary; }
  std::span<const ConstraintField> fields() const override { return C::fields; }
  void write(ConstraintWriter& writer) const override { C::write(writer); }
};

/// The one instance of the model of constraint struct C.
template <ConstraintStruct C>
const ConstraintModel& constraint_model() {
  static const ConstraintAdapter<C> model;
  return model;
}

}  // namespace kinegrad
