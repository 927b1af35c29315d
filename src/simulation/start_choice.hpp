// Which of the values that the file gives of the start are degrees of freedom [KP-13]
// (docs/theory/kinematic_problems.md). With Z an orthonormal basis of what the constraint equations leave
// free, in units of the coordinates, the value of c·q is worth c Z: nothing, if the constraints fix it.
// Values are taken in the order of the file; one whose worth lies in the span of those before it is no
// freedom any more.
#pragma once

#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

struct StartChoice {
  std::vector<bool> held;  ///< by value: it is a degree of freedom
  int freedom = 0;         ///< what the constraints leave
  int left = 0;            ///< and what nobody gives of it

  int surplus() const {
    int n = 0;
    for (const bool one : held) n += one ? 0 : 1;
    return n;
  }
};

/// The values are the rows of C; the first `given` of them are all asked before the others are.
StartChoice choose_freedoms(const MatX& Z, const MatX& C, int given);

}  // namespace kinegrad
