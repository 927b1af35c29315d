// Which reactions are unique where constraint equations depend on each other (docs/theory/reactive_forces.md).
//
// Multipliers of a motion are unique up to a self-stress n, which balances itself and moves nothing:
//
//   Φ_qᵀ n = 0                                                                                     [RL-7]
//
// one for every equation that depends on others [RK-3]. A component of a reaction, which is affine in λ, is unique if it
// does not change along any of them, and so is a force that reads reactions: its value, at speeds that wake it, is the same
// for λ and λ + n.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

struct SelfStress {
  int equation = 0;  ///< that depends on others; n is 1 there
  VecX lambda;       ///< n
};

/// Of a system at its current configuration, which is q; equations are taken in their order.
std::vector<SelfStress> self_stresses(const MechanicalSystem<double>& system,
                                      std::span<const double> q);

/// A joint whose reaction is not unique, or not all of it.
struct AmbiguousReaction {
  int joint = 0;
  std::array<bool, 6>
      components{};  ///< fx, fy, fz, tx, ty, tz in axes of the joint (frame F) that are not
};
/// "fz, tx, ty".
std::string names_of(const std::array<bool, 6>& components);
/// Whether the question is affordable: a dense solution for every equation that may depend on others, m³n.
bool can_judge_reactions(const Model& model);
/// Joints of the file, at a configuration q of the model with the parameters p.
std::vector<AmbiguousReaction> ambiguous_reactions(const Model& model, std::span<const double> p,
                                                   std::span<const double> q);
/// Equations whose multiplier some self-stress changes, there.
std::vector<int> ambiguous_multipliers(const Model& model, std::span<const double> p,
                                       std::span<const double> q);

/// Why a force that reads reactions cannot be taken, with the joint, the equations that depend on others and a cure;
/// empty if all can.
std::string reactive_refusal(const Model& model, std::span<const double> p,
                             std::span<const double> q);

}  // namespace kinegrad
