#include "sensitivity/neighbour_states.hpp"

#include "kinegrad/base/index.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

NeighbourStates::NeighbourStates(MechanicalSystem<double>& system)
    : system_(system),
      rows_(system_.rows() + static_cast<int>(system_.euler_sets().size())),
      identity_(std::vector<std::set<int>>(index(system_.nq()))),
      E_(rows_),
      z_(system_.nq() + rows_) {
  for (int j = 0; j < identity_.size(); ++j) identity_.diagonal(j) = 1;
}

/// One level of the constraint equations and normalisations at the state the system evaluated last.
VecX NeighbourStates::level(int k, const StepState<double>& x) const {
  VecX out = VecX::Zero(rows_);
  const VecX& values = k == 0 ? system_.Phi() : k == 1 ? system_.Phi_dot() : system_.Phi_ddot();
  const int count = k == 0 ? system_.holonomic() : system_.rows();
  out.head(count) = values.head(count);
  int row = system_.rows();
  for (const int first : system_.euler_sets()) {
    const Vec<double, 4> p = x.q.segment<4>(first), pdot = x.v.segment<4>(first),
                         pddot = x.a.segment<4>(first);
    out(row++) = k == 0   ? 0.5 * (p.dot(p) - 1)
                 : k == 1 ? p.dot(pdot)
                          : p.dot(pddot) + pdot.dot(pdot);
  }
  return out;
}

NeighbourStates::Levels NeighbourStates::levels(const StepState<double>& x) {
  if (rows_ == 0) return {};
  system_.move(x.t, in(x.q), in(x.v), in(x.a));
  return {level(0, x), level(1, x), level(2, x)};
}

/// [1 Jᵀ; J −E] at the configuration the system was placed at last; what constrains speeds alone is left
/// out of positions by an E that is large.
bool NeighbourStates::factorize(const VecX& q, Enforced enforced) {
  constexpr double kSmall = 1e-10, kLeftOut = 1e20;  // of the row's square
  const SparseRows<double>& Phi_q = system_.Phi_q();
  J_.columns = system_.nq();
  J_.start.assign(Phi_q.start.begin(), Phi_q.start.end());
  J_.column = Phi_q.column;
  J_.value = Phi_q.value;
  for (const int first : system_.euler_sets()) {
    for (int c = first; c < first + 4; ++c) {
      J_.column.push_back(c);
      J_.value.push_back(q(c));
    }
    J_.start.push_back(static_cast<int>(J_.column.size()));
  }
  for (int i = 0; i < rows_; ++i) {
    double square = 0;
    J_.each(i, [&](int, double x) { square += x * x; });
    const bool left_out =
        enforced == Enforced::kPositions && i >= system_.holonomic() && i < system_.rows();
    E_(i) = square > 0 ? (left_out ? kLeftOut : kSmall) * square : 1;
  }
  if (!analysed_) solver_.analyse(identity_, J_);
  analysed_ = true;
  return solver_.factorize(identity_, J_, E_);
}

/// The least change of x with J δx = gap.
void NeighbourStates::correct(const VecX& gap, VecX& x) {
  z_.setZero();
  z_.tail(rows_) = gap;
  solver_.solve(z_);
  x += z_.head(x.size());
}

bool NeighbourStates::bring_to(const Levels& levels, int iterations, StepState<double>& x) {
  if (rows_ == 0) return true;
  const bool speeds_alone = system_.holonomic() < system_.rows();
  const VecX a = x.a;
  for (int k = 0; k < iterations; ++k) {
    system_.place(x.t, in(x.q));
    if (k == 0 && !factorize(x.q, Enforced::kPositions)) return false;
    correct(levels[0] - level(0, x), x.q);
  }
  system_.move(x.t, in(x.q), in(x.v), in(x.a));
  if (speeds_alone && !factorize(x.q, Enforced::kAll)) return false;
  for (int k = 0; k < iterations; ++k) {
    correct(levels[1] - level(1, x), x.v);
    system_.move_on(x.t, in(x.q), in(x.v), in(x.a));
  }
  for (int k = 0; k < iterations; ++k) {
    correct(levels[2] - level(2, x), x.a);
    if (k + 1 < iterations) system_.move_on(x.t, in(x.q), in(x.v), in(x.a));
  }
  if (x.own.size() > 0) x.own += x.a - a;
  return x.q.allFinite() && x.v.allFinite() && x.a.allFinite();
}

}  // namespace kinegrad
