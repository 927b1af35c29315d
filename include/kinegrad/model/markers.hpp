// Markers: massless frames that keep the coordinates of joints which the tree has no place for, each welded to the body that its joint
// joins [GC-2], [BF-8].
#pragma once

#include "kinegrad/model/model.hpp"

namespace kinegrad {

inline bool has_auxiliary_body(const Model& model, const Joint& joint) {
  return model.bodies()[static_cast<std::size_t>(joint.body2)].auxiliary;
}

/// The weld of the marker that a joint carries; null if it carries none.
inline const Joint* weld_of(const Model& model, const Joint& joint) {
  if (!has_auxiliary_body(model, joint)) return nullptr;
  for (const Joint& other : model.joints()) {
    if (other.cut && other.automatic && other.body1 == joint.body2) return &other;
  }
  return nullptr;
}

/// The joint whose marker a cut joint welds; null if it welds none.
inline const Joint* joint_of_weld(const Model& model, const Joint& weld) {
  if (!weld.cut || !weld.automatic) return nullptr;
  for (const Joint& joint : model.joints()) {
    if (joint.body2 == weld.body1 && !joint.cut) return &joint;
  }
  return nullptr;
}

/// The body that a joint joins to its first one: that of its marker, where it carries one.
inline int second_body(const Model& model, const Joint& joint) {
  const Joint* weld = weld_of(model, joint);
  return weld ? weld->body2 : joint.body2;
}

/// Whether a joint is there for a state: its speed is the state, and nothing moves.
inline bool carries_state(const Model& model, const Joint& joint) {
  return has_auxiliary_body(model, joint) && !weld_of(model, joint);
}

}  // namespace kinegrad
