#include "kinegrad/math/linear_solver.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {

namespace {

template <Scalar T>
class DenseLu final : public LinearSolver<T> {
 public:
  explicit DenseLu(int size) { lu_.reserve(size); }

  bool factorize(const SparseColumns<T>& A) override {
    lu_.resize(A.size());
    for (int j = 0; j < A.size(); ++j) {
      for (auto k = static_cast<std::size_t>(A.start[static_cast<std::size_t>(j)]);
           k < static_cast<std::size_t>(A.start[static_cast<std::size_t>(j) + 1]); ++k) {
        lu_.at(A.row[k], j) = A.value[k];
      }
    }
    return lu_.factorize();
  }
  void solve(std::span<T> x) const override { lu_.solve(x); }
  void solve_transposed(std::span<T> x) const override { lu_.solve_transposed(x); }

 private:
  SmallLu<T> lu_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<LinearSolver<T>> make_dense_lu(int size) {
  return std::make_unique<DenseLu<T>>(size);
}

template std::unique_ptr<LinearSolver<double>> make_dense_lu<double>(int);
template std::unique_ptr<LinearSolver<Complex>> make_dense_lu<Complex>(int);

}  // namespace kinegrad
