// The one file that knows SuiteSparse.
#include <klu.h>

#include <cmath>

#include "kinegrad/math/linear_solver.hpp"

namespace kinegrad {

namespace {

/// KLU's functions for one scalar; complex numbers are pairs of doubles to it.
template <typename T>
struct Klu;

template <>
struct Klu<double> {
  static double* data(double* x) { return x; }
  static constexpr auto factor = &klu_factor;
  static constexpr auto refactor = &klu_refactor;
  static constexpr auto growth = &klu_rgrowth;
  static constexpr auto free_numeric = &klu_free_numeric;
  static int solve(klu_symbolic* s, klu_numeric* f, int n, double* x, klu_common* c) {
    return klu_solve(s, f, n, 1, x, c);
  }
  static int transposed(klu_symbolic* s, klu_numeric* f, int n, double* x, klu_common* c) {
    return klu_tsolve(s, f, n, 1, x, c);
  }
};

template <>
struct Klu<Complex> {
  static double* data(Complex* x) { return reinterpret_cast<double*>(x); }
  static constexpr auto factor = &klu_z_factor;
  static constexpr auto refactor = &klu_z_refactor;
  static constexpr auto growth = &klu_z_rgrowth;
  static constexpr auto free_numeric = &klu_z_free_numeric;
  static int solve(klu_symbolic* s, klu_numeric* f, int n, double* x, klu_common* c) {
    return klu_z_solve(s, f, n, 1, x, c);
  }
  static int transposed(klu_symbolic* s, klu_numeric* f, int n, double* x, klu_common* c) {
    return klu_z_tsolve(s, f, n, 1, x, 0, c);  // 0: not conjugated
  }
};

template <Scalar T>
class SparseLu final : public LinearSolver<T> {
 public:
  SparseLu() {
    klu_defaults(&common_);
    // borders have next to nothing on their diagonal, so pivots are sought elsewhere: an order for any
    // choice of them (COLAMD) keeps the factors sparse where one for diagonal pivots does not
    common_.ordering = 1;
    common_.tol = 0.1;  // KLU's own 0.001 trades digits for a diagonal that borders do not have
  }
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;
  ~SparseLu() override {
    if (numeric_) Klu<T>::free_numeric(&numeric_, &common_);
    if (symbolic_) klu_free_symbolic(&symbolic_, &common_);
  }

  bool factorize(const SparseColumns<T>& A) override {
    auto* start = const_cast<int*>(A.start.data());
    auto* row = const_cast<int*>(A.row.data());
    double* value = Klu<T>::data(const_cast<T*>(A.value.data()));
    n_ = A.size();
    if (!symbolic_) symbolic_ = klu_analyze(n_, start, row, &common_);
    if (!symbolic_) return false;
    // a pivot order that has become bad shows in factors larger than the matrix
    constexpr double kLost = 1e-2;  // of the digits, two
    if (numeric_ && Klu<T>::refactor(start, row, value, symbolic_, numeric_, &common_) &&
        Klu<T>::growth(start, row, value, symbolic_, numeric_, &common_) &&
        common_.rgrowth > kLost) {
      return true;
    }
    if (numeric_) Klu<T>::free_numeric(&numeric_, &common_);
    numeric_ = Klu<T>::factor(start, row, value, symbolic_, &common_);
    return numeric_ != nullptr && common_.status == KLU_OK;
  }
  void solve(std::span<T> x) const override {
    Klu<T>::solve(symbolic_, numeric_, n_, Klu<T>::data(x.data()), &common_);
  }
  void solve_transposed(std::span<T> x) const override {
    Klu<T>::transposed(symbolic_, numeric_, n_, Klu<T>::data(x.data()), &common_);
  }

 private:
  int n_ = 0;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  mutable klu_common common_{};
};

}  // namespace

template <Scalar T>
std::unique_ptr<LinearSolver<T>> make_sparse_lu() {
  return std::make_unique<SparseLu<T>>();
}

template std::unique_ptr<LinearSolver<double>> make_sparse_lu<double>();
template std::unique_ptr<LinearSolver<Complex>> make_sparse_lu<Complex>();

}  // namespace kinegrad
