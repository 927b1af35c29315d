// Where the loops of a mechanism close (docs/theory/kinematic_problems.md): with the values that the file
// gives, from the drawing [KP-1], and if that fails from other guesses [KP-14]. Values beyond the degrees of
// freedom must agree with the others and follow them [KP-13].
#pragma once

#include <optional>
#include <random>

#include "simulation/start_problem.hpp"

namespace kinegrad {

/// Where one guess led to.
struct StartAttempt {
  VecX q;
  StartChoice choice;
  bool closed = false;     ///< with the values of the choice, which is the one to make there
  double open = HUGE_VAL;  ///< |Φ/s|
  double off = 0;          ///< how far the worst surplus value is from what the file says, in units
  int worst = -1;          ///< which one it is
  int iterations = 0;
  bool upside_down = false;  ///< closed, but with the marker of a joint half a turn away
};

class PositionSearch {
 public:
  /// A run beside another one lets surplus values follow. The problem must outlive the object.
  PositionSearch(StartProblem& problem, bool beside);

  /// True if the start was found.
  bool run();
  /// The start; or the attempt that came nearest to one.
  const StartAttempt& found() const { return found_; }
  const StartValues& values() const { return values_; }
  int guesses() const { return guesses_; }  ///< that were tried beside the drawing

 private:
  StartAttempt attempt(const VecX& guess);
  void compare(StartAttempt& a);
  bool good(const StartAttempt& a) const;
  bool nearer_to_success(const StartAttempt& a) const;
  VecX other_guess(int k);
  double distance(const VecX& q) const;

  StartProblem& problem_;
  Closing<double> closing_;
  StartValues values_;
  double agreed_;
  std::mt19937_64 rng_;
  StartAttempt found_;
  int guesses_ = 0;
};

}  // namespace kinegrad
