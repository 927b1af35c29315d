// Applied forces on a tree as plain values: what ports add up and the equations of motion read.
#pragma once

#include <vector>

#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

template <Scalar T>
struct TreeLoads {
  explicit TreeLoads(const TreeParameters<T>& tree) : F(tree.nodes.size()), tau(tree.model.nq()) {}

  void clear() {
    for (Twist<T>& f : F) f.setConstant(T(0));
    tau.setConstant(T(0));
  }
  void add_torque(int node, const Vec3T<T>& n) {
    if (node >= 0) F[static_cast<std::size_t>(node)].template head<3>() -= n;
  }
  /// The force f on the body at the place r.
  void add_force(const TreeMotion<T>& motion, int node, const Vec3T<T>& r, const Vec3T<T>& f) {
    if (node < 0) return;
    Twist<T>& sum = F[static_cast<std::size_t>(node)];
    sum.template head<3>() -= la::cross((r - motion.body(node).o).eval(), f);
    sum.template tail<3>() -= f;
  }

  std::vector<Twist<T>> F;  ///< by node: −(applied forces) at its reference point
  VecXT<T> tau;             ///< on coordinates
};

}  // namespace kinegrad
