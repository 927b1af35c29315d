// A tape's Jacobian five ways, for comparison: forward, reverse, complex step, dual numbers, and the
// symbolic derivative compiled to a tape of its own.
#pragma once

#include <limits>
#include <vector>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/tape.hpp"

namespace kinegrad::testing {

inline constexpr double kPoison = std::numeric_limits<double>::quiet_NaN();

/// The outputs of the tape, with poisoned registers and outputs.
template <typename T>
VecXT<T> run_tape(const Tape& tape, const VecXT<T>& x) {
  std::vector<T> registers(static_cast<std::size_t>(tape.register_count()), T(kPoison));
  VecXT<T> y = VecXT<T>::Constant(tape.output_count(), T(kPoison));
  tape.evaluate<T>({x.data(), static_cast<std::size_t>(x.size())}, registers,
                   {y.data(), static_cast<std::size_t>(y.size())});
  return y;
}

/// Rows by reverse sweeps or columns by forward sweeps.
inline MatX sweep_jacobian(const Tape& tape, const VecX& x, bool forward) {
  const std::size_t n = static_cast<std::size_t>(x.size());
  const std::size_t m = static_cast<std::size_t>(tape.output_count());
  std::vector<double> r(static_cast<std::size_t>(tape.register_count()), kPoison), y(m, kPoison);
  const std::span<const double> in(x.data(), n);
  tape.evaluate<double>(in, r, y);
  MatX jacobian(m, n);
  const std::size_t seeds = forward ? n : m;
  for (std::size_t k = 0; k < seeds; ++k) {
    std::vector<double> seed(seeds, 0.0), scratch(r.size(), kPoison);
    seed[k] = 1;
    if (forward) {
      std::vector<double> column(m, kPoison);
      tape.forward(in, r, seed, scratch, column);
      for (std::size_t i = 0; i < m; ++i) jacobian(Eigen::Index(i), Eigen::Index(k)) = column[i];
    } else {
      std::vector<double> row(n, 0.0);
      tape.reverse(in, r, seed, scratch, row);
      for (std::size_t j = 0; j < n; ++j) jacobian(Eigen::Index(k), Eigen::Index(j)) = row[j];
    }
  }
  return jacobian;
}

inline MatX complex_jacobian(const Tape& tape, const VecX& x) {
  return complex_step_jacobian([&](const VecXT<Complex>& z) { return run_tape(tape, z); }, x);
}

inline MatX dual_jacobian_of(const Tape& tape, const VecX& x) {
  return dual_jacobian([&](const VecXT<Dual>& z) { return run_tape(tape, z); }, x);
}

/// By derivative() of every output with respect to every input.
inline MatX symbolic_jacobian(ExpressionGraph& graph, const std::vector<NodeId>& outputs,
                              const VecX& x) {
  std::vector<NodeId> entries;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    for (const NodeId id : outputs) entries.push_back(graph.derivative(id, static_cast<int>(j)));
  }
  const VecX values = run_tape(Tape(graph, entries), x);
  return Eigen::Map<const MatX>(values.data(), Eigen::Index(outputs.size()), x.size());
}

/// |A − B| ≤ tolerance · max(|B|, floor), NaN never equal.
inline bool agree(const MatX& A, const MatX& B, double tolerance, double floor = 0) {
  const double scale = std::max(B.norm(), floor);
  return A.rows() == B.rows() && A.cols() == B.cols() && (A - B).norm() <= tolerance * scale;
}

}  // namespace kinegrad::testing
