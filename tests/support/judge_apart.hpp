// A verdict from a process of its own with a bound on its time: a case that does not end, or that crashes, is
// wrong, and the next one goes on.
#pragma once

#include "support/gradient_judge.hpp"

namespace kinegrad::test {

Verdict judge_apart(const RandomCase& random);

}  // namespace kinegrad::test
