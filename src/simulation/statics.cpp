#include "kinegrad/simulation/statics.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// The equations of [KP-3] with normalisations of Euler parameters among the rows.
class Equilibrium {
 public:
  Equilibrium(const Model& model, std::span<const double> p, ReferencePoint point)
      : system_(model, point),
        complex_(model, point),
        n_(model.nq()),
        m_(system_.holonomic()),
        rows_(m_ + static_cast<int>(system_.euler_sets().size())),
        zero_(VecX::Zero(n_)),
        complex_zero_(VecXT<Complex>::Zero(n_)),
        J_(rows_, n_),
        K_(n_, n_),
        M_(system_.pattern()) {
    system_.set_parameters(p);
    const std::vector<Complex> pc(p.begin(), p.end());
    complex_.set_parameters(pc);
  }

  int rows() const { return rows_; }
  int holonomic() const { return m_; }

  /// Forces, rows and potential energy at q.
  void place(const VecX& q) {
    system_.evaluate(0, in(q), in(zero_), in(zero_));
    r_ = system_.r();
    phi_.resize(rows_);
    phi_.head(m_) = system_.Phi();
    J_.setZero();
    for (int i = 0; i < m_; ++i) {
      VecX row = VecX::Zero(n_);
      system_.Phi_q().add_row(i, 1, {row.data(), static_cast<std::size_t>(n_)});
      J_.row(i) = row.transpose();
    }
    const EulerSets sets = system_.euler_sets();
    for (std::size_t e = 0; e < sets.size(); ++e) {
      const auto i = m_ + static_cast<int>(e);
      J_.row(i).segment<4>(sets[e]) = q.segment<4>(sets[e]).transpose();
      phi_(i) = 0.5 * (q.segment<4>(sets[e]).squaredNorm() - 1);
    }
    energy_ = system_.dynamics().potential_energy(0);
  }
  /// ∂(r + Jᵀλ)/∂q by the complex step, and M, at q.
  void linearize(const VecX& q, const VecX& lambda) {
    constexpr double kStep = 1e-100;
    VecXT<Complex> qc = q.cast<Complex>();
    const EulerSets sets = system_.euler_sets();
    const VecXT<Complex> lc = lambda.head(m_).cast<Complex>();
    const auto n = static_cast<std::size_t>(n_);
    for (int j = 0; j < n_; ++j) {
      qc(j) = Complex(q(j), kStep);
      const std::span<const Complex> zero(complex_zero_.data(), n);
      complex_.evaluate(0, {qc.data(), n}, zero, zero);
      VecXT<Complex> f = complex_.r();
      for (int i = 0; i < m_; ++i) complex_.Phi_q().add_row(i, lc(i), {f.data(), n});
      K_.col(j) = f.imag() / kStep;
      qc(j) = q(j);
    }
    for (std::size_t e = 0; e < sets.size(); ++e) {
      for (int c = 0; c < 4; ++c) {
        K_(sets[e] + c, sets[e] + c) += lambda(m_ + static_cast<int>(e));
      }
    }
    system_.place(0, in(q));
    system_.mass_matrix(M_);
    for (const int first : sets) {  // M is empty along p: any positive number will do
      double trace = 0;
      for (int i = first; i < first + 4; ++i) trace += M_.diagonal(i);
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i <= j; ++i) {
          M_.at(first + i, first + j) += trace * q(first + i) * q(first + j);
        }
      }
    }
  }

  /// (Δq, λ) of the step shifted by μM; false if it does not go downhill within the constraints.
  bool step(double mu, VecX& delta, VecX& lambda) const {
    MatX A = 0.5 * (K_ + K_.transpose());
    for (int j = 0; j < n_; ++j) {
      for (int k = M_.start[static_cast<std::size_t>(j)];
           k < M_.start[static_cast<std::size_t>(j) + 1]; ++k) {
        const int i = M_.row[static_cast<std::size_t>(k)];
        A(i, j) += mu * M_.value[static_cast<std::size_t>(k)];
        if (i != j) A(j, i) += mu * M_.value[static_cast<std::size_t>(k)];
      }
    }
    const MatX Z = null_space();
    const VecX particular =
        rows_ > 0 ? VecX(J_.completeOrthogonalDecomposition().solve(-phi_)) : VecX(VecX::Zero(n_));
    delta = particular;
    if (Z.cols() > 0) {
      const Eigen::LDLT<MatX> reduced(Z.transpose() * A * Z);
      if (reduced.info() != Eigen::Success || !reduced.isPositive() ||
          reduced.vectorD().minCoeff() <= 1e-12 * reduced.vectorD().cwiseAbs().maxCoeff()) {
        return false;
      }
      delta += Z * reduced.solve(-Z.transpose() * (r_ + A * particular));
    }
    if (rows_ > 0) {
      lambda = J_.transpose().completeOrthogonalDecomposition().solve(-(r_ + K_ * delta));
    }
    return delta.allFinite();
  }

  /// A direction within the constraints along which the forces lead away, of length 1.
  bool leads_away(VecX& direction) const {
    MatX Z = null_space();
    if (Z.cols() == 0) return false;
    const Eigen::HouseholderQR<MatX> qr(Z);
    Z = qr.householderQ() * MatX::Identity(n_, Z.cols());
    const MatX reduced = 0.5 * Z.transpose() * (K_ + K_.transpose()) * Z;
    const Eigen::SelfAdjointEigenSolver<MatX> modes(reduced);
    const VecX& values = modes.eigenvalues();
    if (values(0) >= -1e-9 * (1 + values.cwiseAbs().maxCoeff())) return false;
    direction = Z * modes.eigenvectors().col(0);
    return true;
  }

  double residual(const VecX& lambda) const { return (r_ + J_.transpose() * lambda).norm(); }
  double violation() const { return phi_.norm(); }
  double energy() const { return energy_; }
  double force_scale() const { return 1 + r_.norm(); }
  /// Multipliers that leave least of the forces.
  VecX best_multipliers() const {
    if (rows_ == 0) return {};
    return J_.transpose().completeOrthogonalDecomposition().solve(-r_);
  }

 private:
  /// Columns along which the rows do not change.
  MatX null_space() const {
    if (rows_ == 0) return MatX::Identity(n_, n_);
    Eigen::FullPivLU<MatX> rows(J_);
    rows.setThreshold(1e-9);
    if (rows.dimensionOfKernel() == 0) return MatX(n_, 0);
    return rows.kernel();
  }

  JointSystem<double> system_;
  JointSystem<Complex> complex_;
  int n_, m_, rows_;
  VecX zero_, r_, phi_;
  VecXT<Complex> complex_zero_;
  MatX J_, K_;
  SparseUpper<double> M_;
  double energy_ = 0;
};

}  // namespace

KinematicReport find_equilibrium(const Model& model, std::span<const double> p,
                                 ReferencePoint point, VecX& q, VecX& lambda) {
  constexpr int kIterations = 300;
  constexpr double kBalanced = 1e-10, kClosed = 1e-10;
  KinematicReport report;
  Equilibrium problem(model, p, point);
  problem.place(q);
  VecX multipliers = problem.best_multipliers();
  double mu = 0;
  constexpr int kPushes = 5;
  constexpr double kPush = 1e-2;
  int pushes = 0;
  for (report.iterations = 0; report.iterations < kIterations; ++report.iterations) {
    const double residual = problem.residual(multipliers), energy = problem.energy();
    const double violation = problem.violation();
    problem.linearize(q, multipliers);
    VecX delta, next;
    if (residual <= kBalanced * problem.force_scale() && problem.violation() <= kClosed) {
      lambda = multipliers.head(problem.holonomic());
      if (pushes++ == kPushes || !problem.leads_away(delta)) return report;
      q += kPush * delta;  // balanced on a tip: off it
      problem.place(q);
      multipliers = problem.best_multipliers();
      continue;
    }
    bool moved = false;
    for (int attempt = 0; attempt < 60 && !moved; ++attempt) {
      problem.place(q);
      if (problem.step(mu, delta, next)) {
        constexpr double kLargest = 0.5;  // radian or metre
        const double part = std::min(1.0, kLargest / std::max(delta.norm(), 1e-300));
        const VecX trial = q + part * delta;
        problem.place(trial);
        const VecX balance = problem.best_multipliers();
        const bool downhill = problem.energy() < energy - 1e-14 * std::abs(energy);
        const bool closer = violation > kClosed && problem.violation() < 0.5 * violation;
        if (downhill || closer || problem.residual(balance) < 0.5 * residual ||
            (mu == 0 && problem.residual(balance) < residual)) {
          q = trial;
          multipliers = balance;
          moved = true;
          mu = mu < 1e-6 ? 0 : mu / 10;
          break;
        }
      }
      mu = mu == 0 ? 1e-2 : mu * 4;
    }
    if (!moved) break;
  }
  problem.place(q);
  const double left = problem.residual(problem.best_multipliers());
  if (left <= 1e-6 * problem.force_scale() &&
      problem.violation() <= 10 * kClosed) {  // as near as round-off lets it
    lambda = problem.best_multipliers().head(problem.holonomic());
    return report;
  }
  report.solved = false;
  report.message =
      fmt::format("no static equilibrium was found in {} iterations: {:.3g} N of force are left",
                  report.iterations, left);
  return report;
}

}  // namespace kinegrad
