// Judges a random case: the motion against half the step, against its twin without redundant equations and
// against another formulation in other coordinates; the gradients against each other and against differences
// of the same recorded steps. What ends with a reason is legal, what is wrong in silence is a defect.
#pragma once

#include <string>
#include <vector>

#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

enum class Outcome {
  kAgrees,
  kRefused,  ///< the choices do not go together, or the model cannot start: said before the first step
  kFailed,  ///< the run or one of its gradients ended with a reason
  kWarned,  ///< numbers are wrong, and a warning says so
  kSlow,    ///< not judged to the end within its time
  kWrong    ///< everything ended well, and numbers are wrong
};

struct Verdict {
  Outcome outcome = Outcome::kAgrees;
  std::string reason;              ///< the first word is the class, for counting
  std::vector<std::string> wrong;  ///< everything that was found, not the first alone
};

Verdict judge(const RandomCase& random);

}  // namespace kinegrad::test
