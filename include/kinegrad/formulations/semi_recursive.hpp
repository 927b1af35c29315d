// Semi-recursive: the mass matrix is accumulated recursively and factorised densely
// (docs/theory/open_chain.md). Cost O(n·depth) + n³/3; best for short trees.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <memory>
#include <vector>

#include "kinegrad/assembly/real_tree.hpp"
#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/ports/linearized_forces.hpp"
#include "kinegrad/ports/shared_tree.hpp"
#include "kinegrad/tree/mass_matrix.hpp"
#include "kinegrad/tree/momenta.hpp"

namespace kinegrad {

template <Scalar T>
class SemiRecursive final : public Formulation<T> {
 public:
  static constexpr std::string_view kName = "semi-recursive";

  SemiRecursive(const Model& model, ReferencePoint point)
      : SemiRecursive(SharedTree<T>(model, point)) {}
  explicit SemiRecursive(SharedTree<T> constants);

  std::string_view name() const override { return kName; }
  int nq() const override { return tree_.nq(); }
  EulerSets euler_sets() const override { return euler_; }
  void set_parameters(std::span<const T> p) override;
  bool acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                    std::span<T> lambda) override;
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               std::span<T> lambda, const NewtonCoefficients& coefficients,
               std::span<T> delta) override;
  T kinetic_energy() const override {
    return kinegrad::kinetic_energy(tree_.bodies, state_.motion);
  }

 private:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Factor = std::conditional_t<std::is_same_v<T, double>,
                                    Eigen::LLT<MatX, Eigen::Upper>,  // holomorphic: for double only
                                    Eigen::PartialPivLU<Matrix>>;

  /// Newton's matrix at the state of the last residual.
  bool prepare(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               const NewtonCoefficients& coefficients);

  SharedTree<T> constants_;
  const LoadedTree<T>& tree_;
  TreeState<T> state_;
  MassMatrixWorkspace<T> mass_;
  RealTree<T> real_;  // Newton's matrix is taken at the real parts
  RealState<T> real_state_;
  MassMatrixWorkspace<double> real_mass_;
  LinearizedTree linearized_;
  LinearizedForces forces_;
  CompositeBodies beyond_;
  std::vector<int> euler_;
  std::vector<T> kappa_;
  Matrix M_;
  Factor factor_;
  MatX N_, r_q_, r_v_;
  Eigen::PartialPivLU<MatX> newton_;
  VecXT<T> right_, zero_;
  VecX part_;
};

}  // namespace kinegrad
