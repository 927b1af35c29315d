#include "kinegrad/assembly/acceleration_partials.hpp"

#include <algorithm>

#include "kinegrad/math/views.hpp"
#include "kinegrad/tree/halves.hpp"

namespace kinegrad {

namespace {

enum Block { kByPosition, kBySpeed, kByForce, kBlocks };

/// Rows of a 6 × m matrix from one column on.
struct Rows {
  double* row[6];
  template <typename Matrix>
  Rows(Matrix& matrix, int first) {
    for (int r = 0; r < 6; ++r) row[r] = matrix.data() + r * matrix.cols() + first;
  }
  double dot(const double* x, int j) const {
    return x[0] * row[0][j] + x[1] * row[1][j] + x[2] * row[2][j] + x[3] * row[3][j] +
           x[4] * row[4][j] + x[5] * row[5][j];
  }
  void add(const double* x, double factor, int j) const {
    for (int r = 0; r < 6; ++r) row[r][j] += x[r] * factor;
  }
};

}  // namespace

AccelerationPartials::AccelerationPartials(LinearizedTree& tree, LinearizedForces& forces,
                                           ArticulatedBodies<double>& articulated)
    : tree_(tree),
      applied_(forces),
      articulated_(articulated),
      bodies_(tree.tree),
      n_(tree.tree.model.nq()),
      sets_(euler_sets_of(bodies_.model)),
      mu_(static_cast<std::size_t>(n_)),
      phi_(sets_.size(), 0.0),
      unit_(static_cast<std::size_t>(n_), 0.0),
      ignored_(static_cast<std::size_t>(n_), 0.0),
      tau_(n_) {
  for (std::size_t i = 0; i < bodies_.model.forces().size(); ++i) {
    const Force& force = bodies_.model.forces()[i];
    const bool constant = force.type->uniform() && force.variable.empty();
    forces_ = forces_ || !constant;
    coupled_ = coupled_ || !(constant || (forces.ports[i]->diagonal() && force.variable.empty()));
  }
}

/// Matrices are large, and who pulls back alone does without.
void AccelerationPartials::make_room() {
  if (a_x_.size() > 0) return;
  end_.assign(bodies_.nodes.size(), 0);
  beyond_.resize(bodies_.nodes.size());
  forks_.resize(bodies_.nodes.size());
  for (auto* x : {&U_, &Y_, &UD_, &c_q_, &c_v_}) x->setZero(6, n_);
  motion_.setZero(6, 2 * n_);
  P_.setZero(6, kBlocks * n_);
  A_.setZero(6, kBlocks * n_);
  a_x_.setZero(n_, kBlocks * n_);
  for (std::size_t k = bodies_.nodes.size(); k-- > 0;) {
    const auto& node = bodies_.nodes[k];
    if (node.q + node.nq > end_[k]) end_[k] = node.q + node.nq;
    if (node.fork) forks_[k].setZero(6, kBlocks * n_);
    if (node.parent < 0) continue;
    int& above = end_[static_cast<std::size_t>(node.parent)];
    if (end_[k] > above) above = end_[k];
  }
  if (!forces_) return;
  K_.setZero(n_, n_);
  C_.setZero(n_, n_);
}

void AccelerationPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                                     std::span<const double> a) {
  q_ = q;
  v_ = v;
  a_ = a;
  kinegrad::linearize(t, q, v, a, tree_, applied_);
  tau_.setZero();
  add_joint_forces(applied_, tau_);
}

const AccelerationPartials::RowMatrix& AccelerationPartials::matrices() {
  make_room();
  for (std::size_t k = 0; k < beyond_.size(); ++k) {
    const auto& body = tree_.at.bodies[k];
    beyond_[k] = {body.I.matrix(), Gyroscopic(body.I, Halves<double>(body.V)).matrix(), body.f};
  }
  motion_.leftCols(n_) = tree_.at.Sdot;
  motion_.rightCols(n_) = tree_.at.S;
  for (std::size_t k = beyond_.size(); k-- > 0;) {
    articulate(k);
    start_columns(k);
    climb(k);
  }
  for (std::size_t k = 0; k < beyond_.size(); ++k) descend(k);
  if (forces_) add_forces();
  return a_x_;
}

/// U, U D⁻¹ and Y of a joint; what is left of I_A, B_A and f goes to the parent [DA-1]. The elimination
/// itself is that of the accelerations.
void AccelerationPartials::articulate(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  const Beyond& own = beyond_[k];
  const Triple<double> d = Triple<double>(tree_.motion.bodies[k].o) - Triple<double>(tree_.at.x0);
  for (int i = node.q; i < node.q + node.nq; ++i) {
    Halves<double> U(articulated_.U.col(i));
    U.shift_back(d);
    U.store(U_.col(i));
    Y_.col(i).noalias() = own.B.transpose() * tree_.at.S.col(i);
  }
  for (int c = 0; c < node.nq; ++c) {
    UD_.col(node.q + c).setZero();
    for (int b = 0; b < node.nq; ++b) {
      UD_.col(node.q + c) += U_.col(node.q + b) * articulated_.D_inverse(node.q + b, c);
    }
  }
  if (node.parent < 0) return;
  Beyond& parent = beyond_[static_cast<std::size_t>(node.parent)];
  parent.I += own.I;
  parent.B += own.B;
  parent.f += own.f;
  for (int i = node.q; i < node.q + node.nq; ++i) {
    parent.I.noalias() -= UD_.col(i) * U_.col(i).transpose();
    parent.B.noalias() -= UD_.col(i) * Y_.col(i).transpose();
  }
}

/// [DA-2] of the joint's own columns, up to the body that carries it.
void AccelerationPartials::start_columns(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  const Beyond& own = beyond_[k];
  const auto& S = tree_.at.S;
  const auto& Sdot = tree_.at.Sdot;
  for (int c = 0; c < node.nq; ++c) {
    const int j = node.q + c;
    Twist<double> p_q = own.B * Sdot.col(j), p_v = own.B * S.col(j);
    p_q += force_cross<double>(S.col(j), own.f);
    c_q_.col(j) = tree_.at.Sddot.col(j);
    c_v_.col(j) = 2.0 * Sdot.col(j);
    JointVector<double> gradients = JointVector<double>::Zero(node.nq);
    if (node.nq > 1) gradients = column_gradients(tree_, k, c, own.f);
    for (int b = 0; b < node.nq; ++b) {
      const int i = node.q + b;
      const double u = -S.col(i).dot(p_q) - gradients(b);
      a_x_(i, j) = u;
      a_x_(i, n_ + j) = -S.col(i).dot(p_v);
      a_x_(i, 2 * n_ + j) = b == c ? 1 : 0;
    }
    P_.col(j) = p_q + own.I * c_q_.col(j);
    P_.col(n_ + j) = p_v + own.I * c_v_.col(j);
    P_.col(2 * n_ + j).setZero();
  }
  if (node.euler >= 0) complete_euler(k);
  for (int j = node.q; j < node.q + node.nq; ++j) {
    for (int i = node.q; i < node.q + node.nq; ++i) {
      a_x_(i, j) -= U_.col(i).dot(c_q_.col(j));
      a_x_(i, n_ + j) -= U_.col(i).dot(c_v_.col(j));
      for (int block = 0; block < kBlocks; ++block) {
        const int column = block * n_ + j;
        P_.col(column) += UD_.col(i) * a_x_(i, column);
      }
    }
  }
}

/// Along a set of Euler parameters the normalisation rules instead [D-9]: pᵀδa = −(aᵀδp + 2ṗᵀδṗ).
void AccelerationPartials::complete_euler(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  const int e = node.q + node.euler;
  const Vec<double, 4> p = read(q_).segment<4>(e);
  for (int j = node.q; j < node.q + node.nq; ++j) {
    const bool in_set = j >= e && j < e + 4;
    const auto J = static_cast<std::size_t>(j);
    const double phi[kBlocks] = {in_set ? a_[J] : 0.0, in_set ? 2 * v_[J] : 0.0, 0.0};
    for (int block = 0; block < kBlocks; ++block) {
      auto u = a_x_.block<4, 1>(e, block * n_ + j);
      const double along = p.dot(u) / p.squaredNorm();
      u -= p * (along + articulated_.kappa(e) * phi[block]);
    }
  }
}

/// Columns of joints beyond pass this one on their way up: u = −SᵀP, P += U D⁻¹u.
void AccelerationPartials::climb(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  const int first = node.q + node.nq, count = end_[k] - first;
  if (count == 0) return;
  for (int block = 0; block < kBlocks; ++block) {
    const int column = block * n_ + first;
    const Rows P(P_, column);
    if (node.nq == 1) {
      const Twist<double> S = -tree_.at.S.col(node.q), UD = UD_.col(node.q);
      double* __restrict u = &a_x_(node.q, column);
#pragma GCC ivdep
      for (int j = 0; j < count; ++j) {
        u[j] = P.dot(S.data(), j);
        P.add(UD.data(), u[j], j);
      }
      continue;
    }
    auto u = a_x_.block(node.q, column, node.nq, count);
    u.noalias() = -tree_.at.S.middleCols(node.q, node.nq)
                       .transpose()
                       .lazyProduct(P_.middleCols(column, count));
    P_.middleCols(column, count).noalias() += UD_.middleCols(node.q, node.nq).lazyProduct(u);
  }
}

/// Right sides of columns that are not beyond this joint: −Y Ṡ and −Y S of those before it, else 0.
void AccelerationPartials::before(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  for (int i = node.q; i < node.q + node.nq; ++i) {
    for (int block = 0; block < kBlocks; ++block) {
      a_x_.row(i).segment(block * n_, node.q).setZero();
      a_x_.row(i).segment(block * n_ + end_[k], n_ - end_[k]).setZero();
    }
    const Twist<double> Y = -Y_.col(i);
    for (int up = node.parent; up >= 0;) {
      const auto& last = bodies_.nodes[static_cast<std::size_t>(up)];
      const auto& start =
          bodies_.nodes[static_cast<std::size_t>(bodies_.run_start[static_cast<std::size_t>(up)])];
      const int length = last.q + last.nq - start.q;
      for (int block = kByPosition; block <= kBySpeed; ++block) {
        const int column = block * n_ + start.q;
        const Rows motion(motion_, column);
        double* __restrict u = &a_x_(i, column);
#pragma GCC ivdep
        for (int j = 0; j < length; ++j) u[j] = motion.dot(Y.data(), j);
      }
      up = start.parent;
    }
  }
}

/// a = D⁻¹(u − UᵀA), A += S a for all columns; those of this joint bring their own acceleration.
void AccelerationPartials::descend(std::size_t k) {
  const auto& node = bodies_.nodes[k];
  if (node.parent < 0) {
    A_.setZero();
  } else if (node.parent != static_cast<int>(k) - 1) {
    A_ = forks_[static_cast<std::size_t>(node.parent)];
  }
  before(k);
  const int columns = kBlocks * n_;
  if (node.nq == 1) {
    const int i = node.q;
    const double D_inverse = articulated_.D_inverse(i, 0);
    const Twist<double> S = tree_.at.S.col(i), UD = -UD_.col(i);
    const Rows A(A_, 0);
    double* __restrict a = &a_x_(i, 0);
#pragma GCC ivdep
    for (int j = 0; j < columns; ++j) {
      a[j] = D_inverse * a[j] + A.dot(UD.data(), j);
      A.add(S.data(), a[j], j);
    }
  } else if (node.nq > 1) {
    auto rows = a_x_.middleRows(node.q, node.nq);
    rest_ = rows;
    rest_.noalias() -= U_.middleCols(node.q, node.nq).transpose().lazyProduct(A_);
    rows.noalias() = articulated_.D_inverse.block(node.q, 0, node.nq, node.nq).lazyProduct(rest_);
    A_.noalias() += tree_.at.S.middleCols(node.q, node.nq).lazyProduct(rows);
  }
  for (int j = node.q; j < node.q + node.nq; ++j) {
    A_.col(j) += c_q_.col(j);
    A_.col(n_ + j) += c_v_.col(j);
  }
  if (node.fork) forks_[k] = A_;
}

/// Forces that depend on coordinates or speeds: −a_τ r_q and −a_τ r_v of them.
void AccelerationPartials::add_forces() {
  K_.setZero();
  C_.setZero();
  add_force_matrices(tree_, applied_, true, K_, C_);
  for (const int e : sets_) {
    const double eta = stray_force(e);
    for (int c = e; c < e + 4; ++c) K_(c, c) += eta;
  }
  const auto a_tau = a_x_.rightCols(n_);
  auto a_q = a_x_.leftCols(n_);
  auto a_v = a_x_.middleCols(n_, n_);
  if (coupled_) {
    a_q.noalias() -= a_tau * K_;
    a_v.noalias() -= a_tau * C_;
    return;
  }
  for (int i = 0; i < n_; ++i) {
    a_q.row(i).array() -= a_tau.row(i).array() * K_.diagonal().transpose().array();
    a_v.row(i).array() -= a_tau.row(i).array() * C_.diagonal().transpose().array();
  }
}

double AccelerationPartials::stray_force(int e) const {
  const Vec<double, 4> tau = tau_.segment<4>(e);
  const Vec<double, 4> p = read(q_).segment<4>(e);
  return p.dot(tau) / p.squaredNorm();
}

void AccelerationPartials::pullback(std::span<const double> a_bar,
                                    const AccelerationCotangent& out) {
  solve_mass<double>(bodies_, tree_.motion, q_, a_bar, phi_, articulated_, mu_);
  for (std::size_t i = 0; i < mu_.size(); ++i) {
    if (!out.tau.empty()) out.tau[i] += mu_[i];
    mu_[i] = -mu_[i];
  }
  residual_pullback(tree_, applied_, mu_, {out.q, out.v, ignored_, out.p});
  if (out.q.empty()) return;
  for (const int e : sets_) {
    const Vec<double, 4> p = read(q_).segment<4>(e);
    const double eta = stray_force(e);
    const double phi = -la::dot(p, read(a_bar).segment<4>(e)) / la::squared_norm(p);
    for (auto c = static_cast<std::size_t>(e); c < static_cast<std::size_t>(e) + 4; ++c) {
      out.q[c] += phi * a_[c] + eta * mu_[c];
      out.v[c] += 2 * phi * v_[c];
    }
  }
}

void AccelerationPartials::parameter_matrix(RowMatrix& a_p) {
  const auto count = static_cast<Eigen::Index>(bodies_.model.design_map().physical_count());
  a_p.setZero(n_, count);
  for (int i = 0; i < n_; ++i) {
    unit_[static_cast<std::size_t>(i)] = 1;
    pullback(unit_, {{}, {}, {}, {&a_p(i, 0), static_cast<std::size_t>(count)}});
    unit_[static_cast<std::size_t>(i)] = 0;
  }
}

}  // namespace kinegrad
