// What a result says of itself where a number may be less certain than it looks. A warning changes no
// number and no exit code; docs/howto/trust.md explains every kind.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace kinegrad {

struct Warning {
  std::string kind;     ///< one word for programs: "energy", "kink", "self-check" …
  std::string text;     ///< a sentence for people, which names what it is about
  std::string element;  ///< of the model; empty where it is about the run as a whole
  double t = std::numeric_limits<double>::quiet_NaN();  ///< s; NaN where no instant is meant
};

using Warnings = std::vector<Warning>;

}  // namespace kinegrad
