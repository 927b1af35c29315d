// Points around a stationary one. The gradient vanishes at maxima and saddles too, and it is small where
// the scales are wrong; a point that is cheaper nearby shows that no minimum has been found [OP-11].
#pragma once

#include <vector>

#include "kinegrad/optimization/nlp.hpp"

namespace kinegrad {

/// Small steps from x in seeded directions, then one of length 1 against r, the gradient of the
/// Lagrangian; all between the bounds. Only the first `n` variables move.
std::vector<VecX> trial_points(const Nlp& nlp, const VecX& x, const VecX& r, Eigen::Index n);

/// Small steps from x in seeded directions of its first `n` variables along which none of the `known` points lies: a search that begins
/// on a line of symmetry stays on it, and ends at its lowest point, which may be a saddle. Variables with a z, which a bound holds,
/// stay. None where the known points span everything.
std::vector<VecX> unexplored_points(const Nlp& nlp, const VecX& x, const std::vector<VecX>& known,
                                    const VecX& z, Eigen::Index n);

/// What the slopes at points near a stationary one say of the curvature there: the step to each of them, and what it changed of the slope.
struct Curvature {
  MatX steps, changes;  ///< by columns
  void add(const VecX& step, const VecX& change);
};

/// Small steps from x, to either side, along the combination of the steps in which the cost curves down most; none if it does not.
std::vector<VecX> descending_points(const Nlp& nlp, const VecX& x, const Curvature& curvature);

}  // namespace kinegrad
