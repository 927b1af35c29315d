// Fully recursive: accelerations in O(n) by articulated bodies, no matrix of the tree formed
// (docs/theory/open_chain.md). In implicit integrators Newton's matrix is the mass matrix alone, so
// that each iteration is O(n) too; it converges like h² times the stiffness over the mass.
//
// Constraints stand at acceleration level, stabilised (docs/theory/constrained.md):           [FR-1]
//
//   a = a_free − M⁻¹Φ_qᵀλ,     (Φ_q M⁻¹Φ_qᵀ) λ = Φ̈(a_free) + 2ξΩΦ̇ + Ω²Φ
//
// one O(n) solution per constraint equation: meant for few of them, such as those on the base of a long
// chain.
#pragma once

#include <vector>

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/options.hpp"
#include "kinegrad/formulations/recursive_saddle.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/ports/shared_tree.hpp"
#include "kinegrad/tree/momenta.hpp"

namespace kinegrad {

template <Scalar T>
class FullyRecursive final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "fully-recursive";

  FullyRecursive(const Model& model, ReferencePoint point, const FormulationOptions& options)
      : FullyRecursive(SharedTree<T>(model, point), options) {}
  FullyRecursive(SharedTree<T> constants, const FormulationOptions& options);

  std::string_view name() const override { return kName; }
  int nq() const override { return tree_.nq(); }
  int multipliers() const override { return constraints_.rows(); }
  EulerSets euler_sets() const override { return euler_; }
  StageRule stage_rule() const override {
    return {.stabilisation = stabilisation_, .recursive = true};
  }
  void set_parameters(std::span<const T> p) override;
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  bool begin_step(T, std::span<const T>, std::span<const T>) override {
    open_ = 0;
    return true;
  }
  double open() const override { return open_; }
  T kinetic_energy() const override {
    return kinegrad::kinetic_energy(tree_.bodies, state_.motion);
  }

 private:
  bool impose(std::span<const T> q, std::span<T> a, std::span<T> lambda);
  double left_open(std::span<const T> lambda) const;

  SharedTree<T> constants_;
  const LoadedTree<T>& tree_;
  TreeState<T> state_;
  ArticulatedBodies<T> articulated_;
  TreeConstraints<T> constraints_;
  border::Stabilisation stabilisation_;
  std::vector<int> euler_;
  std::vector<T> phi_, no_phi_;
  RecursiveSaddle<T> saddle_;
  VecXT<T> right_, g_;
  double open_ = 0;  // [LO-1]
};

}  // namespace kinegrad
