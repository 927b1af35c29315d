// Random small optimisation problems at the edges: unbounded, flat, badly scaled, infeasible, begun at optima, maxima and saddles; and an
// oracle that shares nothing with the optimisers: whether a point is a minimum, asked of the cost itself around it.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "kinegrad/optimization/optimize.hpp"

namespace kinegrad::test {

enum class Shape { kBowl, kValley, kQuartic, kWells, kSlope, kTail, kSaddle, kWaves };

/// C b(u) + offset with ρ_k = s_k u_k, where u and b are numbers of size 1.
struct RandomProgram {
  OptimizationProblem problem;
  Shape shape = Shape::kBowl;
  MatX H;       ///< of a bowl
  VecX centre;  ///< u
  VecX units;   ///< s
  double size = 1, offset = 0;
  bool infeasible = false;  ///< its constraints contradict each other
  std::string name;         ///< for messages

  bool unbounded() const;  ///< the cost falls without end between the bounds
  double cost(const VecX& u) const;
  VecX slope(const VecX& u) const;  ///< ∂b/∂u, by the complex step
  VecX u_of(const VecX& rho) const { return rho.cwiseQuotient(units); }
  Evaluator evaluator() const;
};

/// The same problem for the same seed.
RandomProgram random_program(std::uint64_t seed, bool constrained);

/// Why ρ is no minimum: a bound or constraint that does not hold, or a point nearby that is cheaper by far more than any tolerance allows.
/// Empty if none is found.
std::string no_minimum(const RandomProgram& program, const VecX& rho, double constraint_tolerance);

}  // namespace kinegrad::test
