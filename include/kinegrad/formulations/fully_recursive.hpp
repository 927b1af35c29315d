// Fully recursive: accelerations in O(n) by articulated bodies, no matrix formed
// (docs/theory/open_chain.md). In implicit integrators Newton's matrix is the mass matrix alone, so
// that each iteration is O(n) too; it converges like h² times the stiffness over the mass.
#pragma once

#include <vector>

#include "kinegrad/assembly/tree_dynamics.hpp"
#include "kinegrad/formulations/formulation.hpp"

namespace kinegrad {

template <Scalar T>
class FullyRecursive final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "fully-recursive";

  FullyRecursive(const Model& model, ReferencePoint point);

  std::string_view name() const override { return kName; }
  int nq() const override { return dynamics_.nq(); }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const T> p) override { dynamics_.set_parameters(p); }
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a) override;
  void residual(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                std::span<T> r) override;
  bool prepare(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a, double c_v,
               double c_q, bool exact) override;
  void solve(std::span<const T> q, std::span<const T> r, std::span<const T> phi,
             std::span<T> x) override;
  T kinetic_energy() const override { return dynamics_.kinetic_energy(); }

 private:
  TreeDynamics<T> dynamics_;
  std::vector<int> euler_;
  VecXT<T> right_;
};

}  // namespace kinegrad
