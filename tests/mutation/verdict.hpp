// What the command promises about any input, judged from outside [issue of robustness]: it ends, it says why,
// and what it calls done is finite.
#pragma once

#include <string>
#include <vector>

#include "mutation/run_apart.hpp"

namespace kinegrad::test {

struct Expectation {
  std::string file;            ///< the damaged file, as the command was told
  std::vector<std::string> others;  ///< that it names: a place in one of them is a place as well
  std::string result;          ///< the JSON that exit 0 has written; empty: none
  bool interruptible = false;  ///< it may take as long as the file asks for, and answers to Ctrl-C
};

/// Which promise is broken; empty if none is.
std::string broken_promise(const Outcome& outcome, const Expectation& expected);

/// A message without its numbers and names, so that alike ones can be counted.
std::string outline(const std::string& output);

}  // namespace kinegrad::test
