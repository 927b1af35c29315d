// d/dt of g_a along a motion, at equidistant nodes, by differences of second order: central inside,
// one-sided at the ends.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

class IntegrandRates {
 public:
  /// Gives g_a of every objective at a node; false if there is no motion.
  using Evaluate = std::function<bool(int node, std::vector<VecX>& g_a)>;

  IntegrandRates(std::size_t objectives, int steps, double h)
      : objectives_(objectives), steps_(steps), h_(h) {}

  /// Takes a node; they come in descending order.
  bool take(int node, const Evaluate& evaluate);
  const VecX& rate(std::size_t objective) const { return rates_[objective]; }

 private:
  std::size_t objectives_;
  int steps_;
  double h_;
  std::map<int, std::vector<VecX>> known_;
  std::vector<VecX> rates_;
};

}  // namespace kinegrad
