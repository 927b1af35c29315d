// d/dt of g_a along a motion, at equidistant nodes, by differences of second order: central inside,
// one-sided at the ends.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

class IntegrandRates {
 public:
  /// Gives g_a of every objective at a node; false if there is no motion.
  using Evaluate = std::function<bool(int node, std::vector<VecX>& g_a)>;

  IntegrandRates(std::size_t objectives, int steps, double h);

  /// Takes a node; they come in descending order.
  bool take(int node, const Evaluate& evaluate);
  const VecX& rate(std::size_t objective) const { return rates_[objective]; }

 private:
  struct Node {
    int index = -1;
    std::vector<VecX> g_a;  // by objective
  };
  Node& of(int k) { return nodes_[static_cast<std::size_t>(k) % nodes_.size()]; }

  int steps_;
  double h_;
  std::array<Node, 3> nodes_;  // neighbours: a new one takes the place of the one three away
  std::vector<VecX> rates_;
};

}  // namespace kinegrad
