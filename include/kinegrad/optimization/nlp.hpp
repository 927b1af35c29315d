// A nonlinear program as an optimiser sees it, in scaled variables x (docs/theory/optimization.md):
//
//   min f(x)   with   l ≤ x ≤ u,   c_l ≤ c(x) ≤ c_u                                             [OP-2]
//
// A row of c is an equation where c_l = c_u. A point at which f has no value (a simulation that
// fails) is answered as failed, and the optimiser takes a shorter step [OP-6].
#pragma once

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

/// f, c and their derivatives at a point. Always all of them: a gradient costs little more than the
/// simulation under it, and most points that are asked for a value are asked for a gradient next.
struct NlpPoint {
  bool failed = false;  ///< nothing else counts then
  double f = 0;
  VecX f_x, c;
  MatX c_x;  ///< a row per constraint
};

class Nlp {
 public:
  virtual ~Nlp() = default;

  int variables() const { return static_cast<int>(start_.size()); }
  int constraints() const { return static_cast<int>(c_lower_.size()); }
  const VecX& start() const { return start_; }
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  const VecX& c_lower() const { return c_lower_; }
  const VecX& c_upper() const { return c_upper_; }

  /// Valid until the next call. A point that was seen before costs nothing.
  virtual const NlpPoint& at(const VecX& x) = 0;
  /// Whether it is over: converged, out of evaluations or time, or interrupted. From then on at() fails
  /// without computing anything, and the optimiser returns as soon as it can.
  virtual bool finished() const = 0;

 protected:
  VecX start_, lower_, upper_, c_lower_, c_upper_;
};

}  // namespace kinegrad
