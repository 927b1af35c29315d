// Bristles: states of a force that stand still at rest, wherever they are, and that are bent by the motion of a contact which
// sticks. An equilibrium is found with them bent by what the contact moves on the way there [KP-19].
#pragma once

#include "kinegrad/model/force_model.hpp"

namespace kinegrad {

/// What a force model with bristles also is.
class Bristles {
 public:
  virtual ~Bristles() = default;
  /// How many of its states are bristles: the first ones.
  virtual int bristles() const = 0;
  /// What they carry at rest as a part of what they can carry: above 1 a contact would slide; 0 without a limit, or where the
  /// force itself is limited.
  virtual double carried(const ForceStates<double>& z,
                         const AttributeVector<double>& attributes) const = 0;
};

/// The bristles of a force, null: it has none.
inline const Bristles* bristles_of(const ForceModel& force) {
  return dynamic_cast<const Bristles*>(&force);
}

}  // namespace kinegrad
