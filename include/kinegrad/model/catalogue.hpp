// The element types a model may name. The built-in one is made from the type lists; a library user
// adds types of their own to a copy.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kinegrad/model/constraint_type.hpp"
#include "kinegrad/model/force_model.hpp"
#include "kinegrad/model/joint_model.hpp"

namespace kinegrad {

class Catalogue {
 public:
  /// Adds a type the caller keeps alive as long as any model built with it. @throws InvalidArgument
  /// if the name is taken.
  void add(const JointModel& joint);
  /// A joint for our own use: found by find_carrier() alone.
  void add_carrier(const JointModel& joint);
  void add(const ForceModel& force);
  /// A force that others are made of: found by find_part() alone.
  void add_part(const ForceModel& force);
  void add(const ConstraintModel& constraint);

  /// The type of that name, or null.
  const JointModel* find_joint(std::string_view name) const;
  const JointModel* find_carrier(std::string_view name) const;
  const ForceModel* find_force(std::string_view name) const;
  const ForceModel* find_part(std::string_view name) const;
  const ConstraintModel* find_constraint(std::string_view name) const;

  const std::vector<const JointModel*>& joints() const { return joints_; }
  const std::vector<const ForceModel*>& forces() const { return forces_; }
  const std::vector<const ConstraintModel*>& constraints() const { return constraints_; }

 private:
  std::vector<const JointModel*> joints_, carriers_;
  std::vector<const ForceModel*> forces_, parts_;
  std::vector<const ConstraintModel*> constraints_;
};

/// Everything in joints/all.hpp, forces/all.hpp and constraints/all.hpp.
const Catalogue& builtin_catalogue();

}  // namespace kinegrad
