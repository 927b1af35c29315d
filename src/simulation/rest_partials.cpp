// The part of JointStartPartials that is an equilibrium [KP-6], [KP-17] (docs/theory/kinematic_problems.md).
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/equation_scale.hpp"
#include "kinegrad/simulation/start_partials.hpp"
#include "kinegrad/simulation/statics.hpp"
#include "simulation/rest_bristles.hpp"
#include "simulation/rest_choice.hpp"
#include "simulation/rest_linearization.hpp"

namespace kinegrad {

namespace {

/// The equations of bristles [KP-19] linearised where they are: at the place of the equilibrium, with the speed (q − q̂)/T.
class BristlePartials {
 public:
  BristlePartials(const Model& model, SystemPartials& system, const std::vector<char>& is_state)
      : model_(model),
        system_(system),
        is_state_(is_state),
        bristles_(bristle_coordinates(model)),
        zero_(VecX::Zero(system.nq())) {}

  const std::vector<int>& coordinates() const { return bristles_; }

  void linearize(const VecX& q, const VecX& v, const VecX& lambda, const VecX& assembled) {
    const VecX speed = bending_speed<double>(is_state_, q, v, assembled);
    system_.linearize(0, in(q), in(speed), in(zero_), in(lambda));
  }

  /// Rows of g: −dŵ − T g_p dp + g_v dq̂, `assembled` being dq̂.
  void tangent(const DesignJacobian& design, const MatX& assembled, std::vector<double>& p_bar,
               MatX& g) {
    const auto count = static_cast<int>(bristles_.size());
    MatX by_assembly = MatX::Zero(count, system_.nq()), rows(count, design.parameters());
    const auto row = [&](int k, std::span<double> bar) {
      VecX w = zero_, start = zero_;
      w(bristles_[static_cast<std::size_t>(k)]) = 1;
      pull(w, start, bar);
      by_assembly.row(k) = start.transpose();
    };
    design.pull_rows(count, p_bar, row, rows);
    rows += by_assembly * assembled;
    for (int k = 0; k < count; ++k) {
      const int j = bristles_[static_cast<std::size_t>(k)];
      design.add_row(model_.initial_v() + j, -1, rows.row(k));
      g.row(j) = rows.row(k);
    }
  }

  /// The same backwards from ḡ, other rows of which do not count.
  void adjoint(const VecX& g_bar, VecX& assembled, std::span<double> p) {
    VecX w = zero_;
    for (const int j : bristles_) {
      w(j) = g_bar(j);
      p[static_cast<std::size_t>(model_.initial_v() + j)] -= g_bar(j);
    }
    pull(w, assembled, p);
  }

 private:
  /// From rows −T g to q̂ and p.
  void pull(const VecX& w, VecX& assembled, std::span<double> p) {
    const VecX long_w = w * kBendingTime;
    VecX sink = zero_, v_bar = zero_;
    system_.pullback(in(long_w), {}, {out(sink), out(v_bar), out(sink), p});
    for (Eigen::Index j = 0; j < v_bar.size(); ++j) {
      if (!is_state_[static_cast<std::size_t>(j)]) assembled(j) -= v_bar(j) / kBendingTime;
    }
  }

  const Model& model_;
  SystemPartials& system_;
  const std::vector<char>& is_state_;
  std::vector<int> bristles_;
  VecX zero_;
};

}  // namespace

/// Whether the equilibrium depends on the assembled start: a coordinate of the mechanism is held there, or a contact sticks.
bool JointStartPartials::holds_coordinates() const {
  if (!bristle_coordinates(model_).empty()) return true;
  for (const int j : record_.held) {
    if (!state_[static_cast<std::size_t>(j)]) return true;
  }
  return false;
}

/// False if directions are left along which neither forces nor held coordinates determine anything.
bool JointStartPartials::linearize_rest(const StepState<double>& x0, const StartSets& sets) {
  KINEGRAD_DEMAND(!p_.empty());
  RestEquations equations(model_, p_, {sets.rest.assembled, sets.rest.states}, sets.rest.held);
  const VecX y = equations.unknowns(x0.q, x0.v);
  equations.state(y, rest_q_, rest_v_);
  rest_lambda_ = VecX::Zero(system_.rows());
  rest_lambda_.head(system_.holonomic()) = sets.rest.multipliers.head(system_.holonomic());
  equations.place(y);
  equations.linearize(y, sets.rest.multipliers);
  by_angle_ = equations.by_angle();
  rest_ = std::make_unique<RestLinearization>(equations);
  const VecX units = coordinate_units(model_, mechanism_size(model_, p_, in(rest_q_)).size);
  return null_directions(equations.K(), equations.equations().null_space(), units, state_)
             .count() == 0;
}

void JointStartPartials::at_rest() {
  system_.linearize(0, in(rest_q_), in(rest_v_), in(zero_), in(rest_lambda_));
}

JointStartPartials::RestChange JointStartPartials::rest_change(const DesignJacobian& design) {
  const int n = system_.nq(), holonomic = system_.holonomic(), columns = design.parameters();
  const auto held = static_cast<Eigen::Index>(record_.held.size());
  const auto sets = static_cast<Eigen::Index>(system_.euler_sets().size());
  RestChange out;
  MatX start = MatX::Zero(n, columns);
  if (holds_coordinates()) position_tangent(design, start);
  at_rest();
  out.g.resize(n, columns);
  const auto equation = [&](int i, std::span<double> p_bar) {
    const VecX unit = VecX::Unit(n, i);
    system_.pullback(in(unit), {}, {{}, {}, {}, p_bar});
  };
  design.pull_rows(n, p_bar_, equation, out.g);
  BristlePartials bristles(model_, system_, state_);
  if (!bristles.coordinates().empty()) {
    bristles.linearize(rest_q_, rest_v_, rest_lambda_, record_.assembled);
    bristles.tangent(design, start, p_bar_, out.g);
    at_rest();
  }
  MatX Phi_p(holonomic, columns);
  const auto row = [&](int i, std::span<double> p_bar) {
    const VecX unit = VecX::Unit(holonomic, i);
    system_.pullback({}, {in(unit), {}, {}}, {{}, {}, {}, p_bar});
  };
  design.pull_rows(holonomic, p_bar_, row, Phi_p);
  out.angles = MatX::Zero(n, columns);
  for (int j = 0; j < n; ++j) {
    if (state_[static_cast<std::size_t>(j)]) {
      design.add_row(model_.initial_q() + j, 1, out.angles.row(j));
    }
  }
  out.g += by_angle_ * out.angles;
  out.b = MatX::Zero(holonomic + sets + held, columns);
  out.b.topRows(holonomic) = Phi_p;
  for (Eigen::Index h = 0; h < held; ++h) {
    const int j = record_.held[static_cast<std::size_t>(h)];
    const Eigen::Index at = holonomic + sets + h;
    if (state_[static_cast<std::size_t>(j)]) {
      design.add_row(model_.initial_v() + j, -1, out.b.row(at));
    } else {
      out.b.row(at) = -start.row(j);
    }
  }
  return out;
}

StartPartials::LostBalance JointStartPartials::lost_balance(const DesignJacobian& design) {
  if (!rests_ || !holds_coordinates()) return {};
  const RestChange change = rest_change(design);
  const Eigen::Index first = change.b.rows() - static_cast<Eigen::Index>(record_.held.size());
  for (int c = 0; c < design.parameters(); ++c) {
    const VecX g = change.g.col(c), y = rest_->solve(g, change.b.col(c));
    const double size = rest_->size_of_terms(g, y);
    const VecX lambda = rest_->multipliers(g, y);
    for (std::size_t h = 0; h < record_.held.size(); ++h) {
      if (state_[static_cast<std::size_t>(record_.held[h])]) continue;
      const double force = lambda(first + static_cast<Eigen::Index>(h));
      if (!(std::abs(force) <= kStaysBalanced * size)) return {c, record_.held[h]};
    }
  }
  return {};
}

void JointStartPartials::rest_tangent(const DesignJacobian& design, StateTangent& x) {
  const RestChange change = rest_change(design);
  if (record_.released) {
    for (int i = 0; i < system_.nq(); ++i) design.add_row(model_.initial_v() + i, 1, x.v.row(i));
  }
  for (Eigen::Index c = 0; c < x.q.cols(); ++c) {
    const VecX y = rest_->solve(change.g.col(c), change.b.col(c));
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      const bool state = state_[static_cast<std::size_t>(j)];
      x.q(j, c) = state ? change.angles(j, c) : y(j);
      if (state) x.v(j, c) = y(j);
    }
  }
  if (record_.released) velocity_tangent(design, x.q, x.v);
}

void JointStartPartials::rest_adjoint(const StateCotangent& x, std::span<double> p) {
  const int n = system_.nq(), holonomic = system_.holonomic();
  VecX q = x.q, v = x.v;
  if (record_.released) velocity_adjoint(q, v, p);
  VecX y = q;
  for (int j = 0; j < n; ++j) {
    const auto given = static_cast<std::size_t>(model_.initial_v() + j);
    if (state_[static_cast<std::size_t>(j)]) {
      y(j) = v(j);
    } else if (record_.released) {
      p[given] += v(j);
    }
  }
  const RestLinearization::Cotangent bar = rest_->solve_transposed(y);
  at_rest();
  VecX sink = zero_, start = zero_, g = bar.g;
  BristlePartials bristles(model_, system_, state_);
  for (const int j : bristles.coordinates()) g(j) = 0;  // they are elsewhere
  const VecX phi = bar.b.head(holonomic);
  system_.pullback(in(g), {in(phi), {}, {}}, {out(sink), out(sink), out(sink), p});
  if (!bristles.coordinates().empty()) {
    bristles.linearize(rest_q_, rest_v_, rest_lambda_, record_.assembled);
    bristles.adjoint(bar.g, start, p);
  }
  const VecX angles = by_angle_.transpose() * bar.g;
  for (int j = 0; j < n; ++j) {
    if (!state_[static_cast<std::size_t>(j)]) continue;
    p[static_cast<std::size_t>(model_.initial_q() + j)] += q(j) + angles(j);
  }
  const Eigen::Index first = bar.b.size() - static_cast<Eigen::Index>(record_.held.size());
  for (std::size_t h = 0; h < record_.held.size(); ++h) {
    const int j = record_.held[h];
    const double value = -bar.b(first + static_cast<Eigen::Index>(h));
    if (state_[static_cast<std::size_t>(j)]) {
      p[static_cast<std::size_t>(model_.initial_v() + j)] += value;
    } else {
      start(j) = value;
    }
  }
  if (holds_coordinates()) position_adjoint(start, p);
}

}  // namespace kinegrad
