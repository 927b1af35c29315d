// Points around a stationary one. The gradient vanishes at maxima and saddles too, and it is small where
// the scales are wrong; a point that is cheaper nearby shows that no minimum has been found [OP-11].
#pragma once

#include <vector>

#include "kinegrad/optimization/nlp.hpp"

namespace kinegrad {

/// Small steps from x in seeded directions, then one of length 1 against r, the gradient of the
/// Lagrangian; all between the bounds. Only the first `n` variables move.
std::vector<VecX> trial_points(const Nlp& nlp, const VecX& x, const VecX& r, Eigen::Index n);

}  // namespace kinegrad
