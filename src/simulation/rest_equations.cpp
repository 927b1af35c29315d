#include "simulation/rest_equations.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/markers.hpp"
#include "simulation/rest_bristles.hpp"

namespace kinegrad {

std::vector<char> state_coordinates(const Model& model) {
  std::vector<char> out(static_cast<std::size_t>(model.nq()), 0);
  for (const Joint& joint : model.joints()) {
    if (joint.cut || !carries_state(model, joint)) continue;
    for (int c = 0; c < joint.type->nq(); ++c) out[static_cast<std::size_t>(joint.q_first + c)] = 1;
  }
  return out;
}

RestEquations::RestEquations(const Model& model, std::span<const double> p, const RestStart& start,
                             std::vector<int> held)
    : system_(model, ReferencePoint::kCom),
      complex_(model, ReferencePoint::kCom),
      n_(model.nq()),
      m_(system_.holonomic()),
      rows_(m_ + static_cast<int>(system_.euler_sets().size() + held.size())),
      start_(start),
      held_(std::move(held)),
      state_(state_coordinates(model)),
      bristles_(bristle_coordinates(model)),
      zero_(VecX::Zero(n_)),
      complex_zero_(VecXT<Complex>::Zero(n_)),
      J_(rows_, n_),
      K_(n_, n_),
      by_angle_(MatX::Zero(n_, n_)),
      M_(n_, n_),
      remaining_(static_cast<std::size_t>(rows_), 1.0),
      equations_(J_.setZero(), remaining_),
      mass_(system_.pattern()) {
  system_.set_parameters(p);
  const std::vector<Complex> pc(p.begin(), p.end());
  complex_.set_parameters(pc);
}

VecX RestEquations::unknowns(const VecX& q, const VecX& states) const {
  VecX y = q;
  for (int j = 0; j < n_; ++j) {
    if (state_[static_cast<std::size_t>(j)]) y(j) = states(j);
  }
  return y;
}

void RestEquations::state(const VecX& y, VecX& q, VecX& v) const {
  q = y;
  v = zero_;
  for (int j = 0; j < n_; ++j) {
    if (!state_[static_cast<std::size_t>(j)]) continue;
    q(j) = start_.q(j);
    v(j) = y(j);
  }
}

void RestEquations::place(const VecX& y) {
  VecX q, v;
  state(y, q, v);
  const VecX bent = bristle_residuals<double>(system_, q, v);
  system_.evaluate(0, in(q), in(v), in(zero_));
  r_ = system_.r();
  for (std::size_t k = 0; k < bristles_.size(); ++k) {
    r_(bristles_[k]) = bent(static_cast<Eigen::Index>(k));
  }
  phi_.resize(rows_);
  phi_.head(m_) = system_.Phi().head(m_);
  J_.setZero();
  for (int i = 0; i < m_; ++i) {
    VecX row = VecX::Zero(n_);
    system_.Phi_q().add_row(i, 1, {row.data(), static_cast<std::size_t>(n_)});
    J_.row(i) = row.transpose();
    remaining_[static_cast<std::size_t>(i)] = system_.remaining(i);
  }
  const EulerSets sets = system_.euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    const auto i = m_ + static_cast<int>(e);
    J_.row(i).segment<4>(sets[e]) = q.segment<4>(sets[e]).transpose();
    phi_(i) = 0.5 * (q.segment<4>(sets[e]).squaredNorm() - 1);
  }
  const VecX given = start();
  for (std::size_t h = 0; h < held_.size(); ++h) {
    const auto i = first_held() + static_cast<int>(h);
    J_(i, held_[h]) = 1;
    phi_(i) = y(held_[h]) - given(held_[h]);
  }
  equations_ = IndependentEquations(J_, remaining_);
  energy_ = system_.potential_energy(0);
}

/// w − ŵ − T g(q, (q − q̂)/T, w) of the bristles [KP-19].
template <typename T>
VecXT<T> RestEquations::bristle_residuals(JointSystem<T>& system, const VecXT<T>& q,
                                          const VecXT<T>& v) const {
  VecXT<T> out(static_cast<Eigen::Index>(bristles_.size()));
  if (bristles_.empty()) return out;
  const VecXT<T> assembled = start_.q.cast<T>(), zero = zero_.cast<T>();
  const VecXT<T> speed = bending_speed<T>(state_, q, v, assembled);
  system.evaluate(T(0), in(q), in(speed), in(zero));
  for (std::size_t k = 0; k < bristles_.size(); ++k) {
    const int j = bristles_[k];
    out(static_cast<Eigen::Index>(k)) =
        v(j) - T(start_.states(j)) + system.r()(j) * kBendingTime;
  }
  return out;
}

/// A column of ∂(r + Φ_qᵀλ): along a coordinate, or along the state in its place.
VecX RestEquations::derivative_along(int coordinate, bool angle, const VecX& q, const VecX& v,
                                     const VecX& lambda) {
  constexpr double kStep = 1e-100;
  VecXT<Complex> qc = q.cast<Complex>(), vc = v.cast<Complex>();
  const bool state = state_[static_cast<std::size_t>(coordinate)] && !angle;
  (state ? vc : qc)(coordinate) += Complex(0, kStep);
  const auto n = static_cast<std::size_t>(n_);
  const VecXT<Complex> bent = bristle_residuals<Complex>(complex_, qc, vc);
  complex_.evaluate(0, {qc.data(), n}, {vc.data(), n}, {complex_zero_.data(), n});
  VecXT<Complex> f = complex_.r();
  for (int i = 0; i < m_; ++i) complex_.Phi_q().add_row(i, Complex(lambda(i)), {f.data(), n});
  for (std::size_t k = 0; k < bristles_.size(); ++k) {
    f(bristles_[k]) = bent(static_cast<Eigen::Index>(k));
  }
  return f.imag() / kStep;
}

void RestEquations::linearize(const VecX& y, const VecX& lambda) {
  VecX q, v;
  state(y, q, v);
  for (int j = 0; j < n_; ++j) {
    K_.col(j) = derivative_along(j, false, q, v, lambda);
    if (state_[static_cast<std::size_t>(j)]) {
      by_angle_.col(j) = derivative_along(j, true, q, v, lambda);
    }
  }
  const EulerSets sets = system_.euler_sets();
  for (std::size_t e = 0; e < sets.size(); ++e) {
    for (int c = 0; c < 4; ++c) {
      K_(sets[e] + c, sets[e] + c) += lambda(m_ + static_cast<int>(e));
    }
  }
  complete_mass(q);
}

int RestEquations::pulled(const VecX& y, const VecX& lambda) const {
  constexpr double kRounding = 1e-10;  // of the terms that forces are made of
  const double terms = force_scale() + (K_.cwiseAbs() * y.cwiseAbs()).maxCoeff();
  const double most = std::max(kRounding * terms, residual(lambda));
  for (std::size_t h = 0; h < held_.size(); ++h) {
    if (state_[static_cast<std::size_t>(held_[h])]) continue;
    const double force = lambda(first_held() + static_cast<int>(h));
    if (!(std::abs(force) <= most)) return held_[h];
  }
  return -1;
}

/// M, completed along Euler parameters, where it is empty: any positive number will do.
void RestEquations::complete_mass(const VecX& q) {
  system_.place(0, in(q));
  system_.mass_matrix(mass_);
  M_.setZero();
  for (int j = 0; j < n_; ++j) {
    for (int k = mass_.start[static_cast<std::size_t>(j)];
         k < mass_.start[static_cast<std::size_t>(j) + 1]; ++k) {
      const int i = mass_.row[static_cast<std::size_t>(k)];
      M_(i, j) = M_(j, i) = mass_.value[static_cast<std::size_t>(k)];
    }
  }
  for (const int first : system_.euler_sets()) {
    const auto p = q.segment<4>(first);
    M_.block<4, 4>(first, first) += M_.block<4, 4>(first, first).trace() * p * p.transpose();
  }
}

bool RestEquations::newton_step(double mu, VecX& delta, VecX& lambda) const {
  const MatX A = 0.5 * (K_ + K_.transpose()) + mu * M_;
  const MatX& Z = equations_.null_space();
  const VecX particular = equations_.correction(phi_);
  delta = particular;
  if (Z.cols() > 0) {
    const Eigen::LDLT<MatX> reduced(Z.transpose() * A * Z);
    if (reduced.info() != Eigen::Success || !reduced.isPositive() ||
        reduced.vectorD().minCoeff() <= 1e-12 * reduced.vectorD().cwiseAbs().maxCoeff()) {
      return false;
    }
    delta += Z * reduced.solve(-Z.transpose() * (r_ + A * particular));
  }
  lambda = equations_.multipliers(r_ + K_ * delta);
  return delta.allFinite();
}

/// ∂r/∂v at rest, by the complex step; of a state, which is no speed here, nothing.
MatX RestEquations::damping_matrix(const VecX& y) {
  constexpr double kStep = 1e-100;
  VecX q, v;
  state(y, q, v);
  const VecXT<Complex> qc = q.cast<Complex>();
  MatX C = MatX::Zero(n_, n_);
  const auto n = static_cast<std::size_t>(n_);
  for (int j = 0; j < n_; ++j) {
    if (state_[static_cast<std::size_t>(j)]) continue;
    VecXT<Complex> vc = v.cast<Complex>();
    vc(j) = Complex(0, kStep);
    complex_.evaluate(0, {qc.data(), n}, {vc.data(), n}, {complex_zero_.data(), n});
    C.col(j) = complex_.r().imag() / kStep;
  }
  return C;
}

/// The share of M keeps coordinates that no damper knows from being thrown about.
bool RestEquations::resist(const VecX& y, Resistance kind) {
  constexpr double kShare = 1e-3;
  constexpr double kNone = 1e-9;  // bristles follow what bends them
  R_ = M_;
  for (const int j : bristles_) R_(j, j) = kNone;
  if (kind == Resistance::kMass) return true;
  const MatX C = damping_matrix(y);
  if (C.isZero(0) || !C.allFinite()) return false;
  R_ = 0.5 * (C + C.transpose()) + kShare * C.norm() / M_.norm() * M_;
  for (int j = 0; j < n_; ++j) {  // states change by their own rates
    if (!state_[static_cast<std::size_t>(j)]) continue;
    R_.row(j) = M_.row(j);
    R_.col(j) = M_.col(j);
  }
  for (const int j : bristles_) R_(j, j) = kNone;
  return true;
}

bool RestEquations::implicit_step(const MatX& A, VecX& delta) const {
  const MatX& Z = equations_.null_space();
  delta = equations_.correction(phi_);
  if (Z.cols() > 0) {
    const MatX reduced = Z.transpose() * A * Z;
    delta += Z * reduced.partialPivLu().solve(-Z.transpose() * (r_ + A * delta));
  }
  return delta.allFinite();
}

double RestEquations::imbalance() const {
  const MatX& Z = equations_.null_space();
  if (Z.cols() == 0) return 0;
  const VecX f = Z.transpose() * r_;
  return std::sqrt(std::max(0.0, f.dot((Z.transpose() * M_ * Z).ldlt().solve(f))));
}

double RestEquations::relaxation_rate() const {
  const MatX& Z = equations_.null_space();
  if (Z.cols() == 0) return 0;
  return (Z * (Z.transpose() * R_ * Z).ldlt().solve(Z.transpose() * r_)).cwiseAbs().maxCoeff();
}

/// Forces with a potential by the eigenvalues of K, which are real; others by those of the motion M q′ = −K q,
/// which grow without oscillation where they are real and negative.
bool RestEquations::leads_away(VecX& direction) const {
  constexpr double kRounding = 1e-9;
  const MatX& Z = equations_.null_space();
  if (Z.cols() == 0) return false;
  const MatX K = Z.transpose() * K_ * Z;
  const double size = K.cwiseAbs().maxCoeff();
  if ((K - K.transpose()).cwiseAbs().maxCoeff() <= kRounding * (1 + size)) {
    const Eigen::SelfAdjointEigenSolver<MatX> modes(0.5 * (K + K.transpose()));
    const VecX& values = modes.eigenvalues();
    if (values(0) >= -kRounding * (1 + values.cwiseAbs().maxCoeff())) return false;
    direction = Z * modes.eigenvectors().col(0);
    return true;
  }
  const Eigen::EigenSolver<MatX> modes((Z.transpose() * M_ * Z).ldlt().solve(K));
  const double largest = modes.eigenvalues().cwiseAbs().maxCoeff();
  Eigen::Index worst = 0;
  modes.eigenvalues().real().minCoeff(&worst);
  const auto value = modes.eigenvalues()(worst);
  if (value.real() >= -kRounding * largest || value.imag() != 0) return false;
  direction = Z * modes.eigenvectors().col(worst).real();
  direction.normalize();
  return true;
}

}  // namespace kinegrad
