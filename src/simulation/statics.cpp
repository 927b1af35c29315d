#include "kinegrad/simulation/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/equation_scale.hpp"
#include "simulation/rest_bristles.hpp"
#include "simulation/rest_choice.hpp"
#include "simulation/rest_linearization.hpp"

namespace kinegrad {

namespace {

constexpr double kLargestMove = 0.5;  // radian or metre

/// Counts the iterations of a search, and ends it where nobody waits for it any more: of large mechanisms each takes long.
class Patience {
 public:
  explicit Patience(const std::function<bool()>& go_on) : go_on_(go_on) {}
  bool ended() {
    ended_ = ended_ || (go_on_ && !go_on_());
    return ended_;
  }
  bool has_ended() const { return ended_; }
  void count() { ++iterations_; }
  int iterations() const { return iterations_; }

 private:
  const std::function<bool()>& go_on_;
  bool ended_ = false;
  int iterations_ = 0;
};

/// Newton's method downhill from q to an equilibrium that no direction leads away from. False if it does not
/// arrive; q is then where it came to.
bool descend(RestEquations& problem, VecX& q, VecX& lambda, Patience& patience) {
  constexpr int kIterations = 300, kPushes = 5;
  constexpr double kPush = 1e-2;
  problem.place(q);
  VecX multipliers = problem.best_multipliers();
  double mu = 0;
  int pushes = 0;
  for (int k = 0; k < kIterations; ++k, patience.count()) {
    const double residual = problem.residual(multipliers), energy = problem.energy();
    const double violation = problem.violation();
    problem.linearize(q, multipliers);
    VecX delta, next;
    if (problem.balanced(multipliers)) {
      lambda = multipliers;
      if (pushes++ == kPushes || !problem.leads_away(delta)) return true;
      q += kPush * delta;  // balanced on a tip: off it
      problem.place(q);
      multipliers = problem.best_multipliers();
      continue;
    }
    bool moved = false;
    for (int attempt = 0; attempt < 60 && !moved; ++attempt) {
      if (patience.ended()) return false;
      problem.place(q);
      if (problem.newton_step(mu, delta, next)) {
        const double part = std::min(1.0, kLargestMove / std::max(delta.norm(), 1e-300));
        const VecX trial = q + part * delta;
        problem.place(trial);
        const VecX balance = problem.best_multipliers();
        const bool downhill = problem.energy() < energy - 1e-14 * std::abs(energy);
        const bool closer =
            violation > RestEquations::kClosed && problem.violation() < 0.5 * violation;
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
  const VecX balance = problem.best_multipliers();
  lambda = balance;
  return problem.nearly_balanced(balance);  // as near as rounding lets it
}

/// A step of the relaxation from q, and how long the next one may be; false if there is none.
bool relax_once(RestEquations& problem, VecX& q, double& length, Patience& patience) {
  constexpr int kAttempts = 40;
  constexpr double kWorse = 2, kGrows = 10, kShrinks = 0.25;
  const double before = problem.imbalance();
  VecX delta;
  for (int attempt = 0; attempt < kAttempts; ++attempt, length *= kShrinks) {
    if (patience.ended()) return false;
    if (!problem.relaxation_step(length, delta)) continue;
    if (delta.cwiseAbs().maxCoeff() > kLargestMove) continue;
    problem.place(q + delta);
    const double after = problem.imbalance();
    if (after <= kWorse * before) {
      q += delta;
      length *= std::clamp(before / std::max(after, 1e-300), kShrinks, kGrows);
      return true;
    }
    problem.place(q);
  }
  return false;
}

/// Pseudo-transient continuation: implicit steps of R q′ = −(r + Jᵀλ), the longer the nearer to balance the forces
/// are, at last Newton's method with the whole of K. Forces need no potential, and the way is that of a mechanism
/// in a viscous fluid: it ends where a damped motion would.                                                [KP-15]
bool relax(RestEquations& problem, RestEquations::Resistance resistance, VecX& q, VecX& lambda,
           Patience& patience) {
  constexpr int kIterations = 500;
  constexpr double kFirstMove = 0.05;
  double length = 0;
  for (int k = 0; k < kIterations; ++k, patience.count()) {
    if (patience.ended()) return false;
    problem.place(q);
    const VecX multipliers = problem.best_multipliers();
    lambda = multipliers;
    if (problem.balanced(multipliers)) return true;
    problem.linearize(q, multipliers);
    if (!problem.resist(q, resistance)) return false;
    if (k == 0) length = kFirstMove / std::max(problem.relaxation_rate(), 1e-300);
    if (!relax_once(problem, q, length, patience)) break;
  }
  problem.place(q);
  const VecX balance = problem.best_multipliers();
  lambda = balance;
  return problem.nearly_balanced(balance);
}

/// Newton's method with all of K, shortened until the forces are nearer to balance.
bool newton(RestEquations& problem, VecX& y, VecX& lambda, Patience& patience) {
  constexpr int kIterations = 60, kHalvings = 12;
  constexpr double kFalls = 1e-4;
  for (int k = 0; k < kIterations; ++k, patience.count()) {
    if (patience.ended()) return false;
    problem.place(y);
    lambda = problem.best_multipliers();
    if (problem.balanced(lambda)) return true;
    problem.linearize(y, lambda);
    VecX delta;
    if (!problem.whole_step(delta)) return false;
    const double before = problem.imbalance() + problem.violation();
    double part = 1;
    for (int h = 0;; ++h, part *= 0.5) {
      problem.place(y + part * delta);
      if (problem.imbalance() + problem.violation() < (1 - kFalls * part) * before) break;
      if (h == kHalvings) return problem.place(y), problem.nearly_balanced(lambda);
    }
    y += part * delta;
  }
  return false;
}

/// Newton's method with all of K as long as that helps: to what rounding leaves.
void polish(RestEquations& problem, VecX& y, VecX& lambda) {
  constexpr int kIterations = 4;
  constexpr double kSmall = 1e-3;  // it is near already
  problem.place(y);
  lambda = problem.best_multipliers();
  for (int k = 0; k < kIterations; ++k) {
    const double before = problem.residual(lambda) + problem.violation();
    problem.linearize(y, lambda);
    VecX delta;
    if (!problem.whole_step(delta) || delta.norm() > kSmall * (1 + y.norm())) break;
    problem.place(y + delta);
    const VecX balance = problem.best_multipliers();
    if (!(problem.residual(balance) + problem.violation() < before)) break;
    y += delta;
    lambda = balance;
  }
  problem.place(y);
  lambda = problem.best_multipliers();
  problem.linearize(y, lambda);
}

/// The search for one equilibrium: its decisions in their order [KP-17], [KP-18]. Bristles are no states here: their equations
/// [KP-19] are as regular as those of springs.
class RestSearch {
 public:
  RestSearch(const Model& model, std::span<const double> p, const VecX& q, const VecX& v,
             const std::function<bool()>& go_on)
      : model_(model),
        p_(p),
        start_{q, v},
        state_(state_coordinates(model)),
        units_(coordinate_units(model, mechanism_size(model, p, in(q)).size)),
        patience_(go_on) {
    const std::vector<int> bristles = bristle_coordinates(model);
    for (int j = 0; j < static_cast<int>(state_.size()); ++j) {
      const bool bristle = std::count(bristles.begin(), bristles.end(), j) > 0;
      if (state_[static_cast<std::size_t>(j)] && !bristle) states_.push_back(j);
    }
  }

  Equilibrium run(const std::optional<std::vector<int>>& frozen) {
    VecX y = equations({}).start();
    bool found = false;
    if (frozen) {
      held_ = *frozen;
      found = settle(held_, y);
    } else {
      found = determine_states(y) && settle(held_, y);
      if (found) found = hold_indifferent(y);
    }
    return finish(found, y);
  }

 private:
  RestEquations equations(const std::vector<int>& held) const {
    return RestEquations(model_, p_, start_, held);
  }

  /// Downhill, or else as a mechanism in a viscous fluid; from y, which changes if it arrives.
  bool search(RestEquations& problem, VecX& y) {
    if (problem.sticks()) return stick(problem, y);
    VecX there = y, lambda;
    if (descend(problem, there, lambda, patience_)) {
      y = there;
      return true;
    }
    left_ = problem.residual(problem.best_multipliers());
    return relax_any(problem, y);
  }
  /// Contacts that stick hold as springs without a potential, from where they were put down.
  bool stick(RestEquations& problem, VecX& y) {
    if (relax_any(problem, y)) return true;
    VecX there = y, lambda;
    if (!newton(problem, there, lambda, patience_)) return false;
    y = there;
    return true;
  }
  bool relax_any(RestEquations& problem, VecX& y) {
    using Resistance = RestEquations::Resistance;
    for (const Resistance resistance : {Resistance::kMass, Resistance::kDamping}) {
      VecX there = y, lambda;
      if (!relax(problem, resistance, there, lambda, patience_)) continue;
      y = there;
      return true;
    }
    left_ = problem.residual(problem.best_multipliers());
    return false;
  }

  /// With these held: first with all states as they are, then with those that are not held.
  bool settle(const std::vector<int>& held, VecX& y) {
    RestEquations problem = equations(held);
    std::vector<int> all = held;
    for (const int s : states_) {
      if (std::count(held.begin(), held.end(), s) == 0) all.push_back(s);
    }
    if (all.size() == held.size()) return search(problem, y);
    RestEquations motionless = equations(all);
    VecX there = y;
    for (const int s : states_) there(s) = start_.states(s);
    if (search(motionless, there) && relax_any(problem, there)) {
      y = there;
      return true;
    }
    if (relax_any(problem, y)) return true;
    there = y;  // loops of feedback that only a motion with inertia would settle
    VecX lambda;
    if (!newton(problem, there, lambda, patience_)) return false;
    y = there;
    return true;
  }

  NullDirections free_directions(RestEquations& problem, const VecX& y) const {
    problem.place(y);
    problem.linearize(y, problem.best_multipliers());
    return null_directions(problem.K(), problem.equations().null_space(), units_, state_);
  }

  /// The states that keep their values [KP-18], judged where the mechanism rests with all states as given, or at the
  /// start if it does not, and again where it rests with the others.
  bool determine_states(VecX& y) {
    if (states_.empty()) return true;
    VecX there = y;
    RestEquations motionless = equations(states_);
    if (!search(motionless, there)) there = y;
    if (patience_.has_ended()) return false;
    give_states(there);
    while (held_.size() < states_.size()) {
      there = y;
      if (!settle(held_, there) || !give_states(there)) break;
    }
    return true;
  }
  /// True if there was one more.
  bool give_states(const VecX& y) {
    bool any = false;
    for (;;) {
      RestEquations problem = equations(held_);
      const int state = undetermined_state(free_directions(problem, y), state_);
      if (state < 0) return any;
      held_.push_back(state);
      any = true;
    }
  }

  /// Along what the forces leave open the start counts: from there once more, with the coordinates that say so held.
  bool hold_indifferent(VecX& y) {
    RestEquations problem = equations(held_);
    const std::vector<int> more = indifferent_coordinates(free_directions(problem, y), state_);
    if (more.empty()) return true;
    held_.insert(held_.end(), more.begin(), more.end());
    VecX there = equations(held_).start();
    for (const int s : states_) there(s) = y(s);
    if (settle(held_, there)) {
      y = there;
      return true;
    }
    return settle(held_, y);
  }

  Equilibrium finish(bool found, VecX& y) {
    Equilibrium out;
    RestEquations problem = equations(held_);
    out.record.held = held_;
    out.record.assembled = start_.q;
    out.record.states = start_.states;
    out.report.iterations = patience_.iterations();
    out.stopped = patience_.has_ended();
    if (found) polish(problem, y, out.record.multipliers);
    problem.state(y, out.q, out.v);
    if (!found) {
      refuse(out, fmt::format("{:.3g} N of force are left", left_));
    } else if (const int pulled = problem.pulled(y, out.record.multipliers); pulled >= 0) {
      refuse(out, fmt::format("the forces along {} do not balance, and nothing holds it",
                              model_.coordinate_names()[static_cast<std::size_t>(pulled)]));
    } else if (const std::string over = overloaded_bristles(model_, p_, out.v); !over.empty()) {
      refuse(out, over);
    }
    return out;
  }
  void refuse(Equilibrium& out, const std::string& why) const {
    out.report.solved = false;
    out.report.message =
        fmt::format("no static equilibrium was found in {} iterations: {}",
                    patience_.iterations(), why);
  }

  const Model& model_;
  std::span<const double> p_;
  RestStart start_;
  std::vector<char> state_;
  VecX units_;
  std::vector<int> states_, held_;
  Patience patience_;
  double left_ = 0;
};

/// The rest equations on complex numbers, with multipliers for everything that is held.
class ComplexRest {
 public:
  ComplexRest(const Model& model, std::span<const Complex> p, const RestRecord& record,
              const VecXT<Complex>& q, const VecXT<Complex>& v)
      : system_(model, ReferencePoint::kCom),
        state_(state_coordinates(model)),
        bristles_(bristle_coordinates(model)),
        record_(record),
        start_q_(q),
        start_v_(v) {
    system_.set_parameters(p);
  }

  /// r + Jᵀλ and the equations at a state.
  void evaluate(const VecXT<Complex>& q, const VecXT<Complex>& v, const VecXT<Complex>& lambda,
                VecXT<Complex>& f, VecXT<Complex>& phi) {
    const VecXT<Complex> zero = VecXT<Complex>::Constant(q.size(), Complex(0));
    VecXT<Complex> bent = zero;
    if (!bristles_.empty()) {
      const VecXT<Complex> speed = bending_speed<Complex>(state_, q, v, start_q_);
      system_.evaluate(Complex(0), in(q), in(speed), in(zero));
      for (const int j : bristles_) bent(j) = v(j) - start_v_(j) + system_.r()(j) * kBendingTime;
    }
    system_.evaluate(Complex(0), in(q), in(v), in(zero));
    const int m = system_.holonomic();
    f = system_.r();
    for (const int j : bristles_) f(j) = bent(j);
    phi.resize(lambda.size());
    for (int i = 0; i < m; ++i) {
      system_.Phi_q().add_row(i, lambda(i), out(f));
      phi(i) = system_.Phi()(i);
    }
    int row = m;
    for (const int first : system_.euler_sets()) {
      const Vec<Complex, 4> p = q.segment<4>(first);
      f.segment<4>(first) += lambda(row) * p;
      phi(row++) = (la::squared_norm(p) - 1.0) * 0.5;
    }
    for (const int j : record_.held) {
      f(j) += lambda(row);
      phi(row++) = state_[static_cast<std::size_t>(j)] ? v(j) - start_v_(j) : q(j) - start_q_(j);
    }
  }
  void add(const VecXT<Complex>& change, VecXT<Complex>& q, VecXT<Complex>& v) const {
    for (Eigen::Index j = 0; j < change.size(); ++j) {
      (state_[static_cast<std::size_t>(j)] ? v : q)(j) += change(j);
    }
  }
  bool is_state(int j) const { return state_[static_cast<std::size_t>(j)] != 0; }

 private:
  JointSystem<Complex> system_;
  std::vector<char> state_;
  std::vector<int> bristles_;
  const RestRecord& record_;
  VecXT<Complex> start_q_, start_v_;
};

}  // namespace

std::string lost_balance(const Model& model, int coordinate) {
  return "nothing holds " + model.coordinate_names()[static_cast<std::size_t>(coordinate)] +
         ", and the forces along it would not stay in balance";
}

Equilibrium find_equilibrium(const Model& model, std::span<const double> p, const VecX& q,
                             const VecX& v, const std::optional<std::vector<int>>& held,
                             const std::function<bool()>& go_on) {
  return RestSearch(model, p, q, v, go_on).run(held);
}

bool follow_equilibrium(const Model& model, std::span<const Complex> p, const Equilibrium& found,
                        VecXT<Complex>& q, VecXT<Complex>& v, std::string& reason) {
  constexpr int kPasses =
      3;  // the first is exact but for rounding: the matrix is that of the real solution
  std::vector<double> real(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) real[k] = p[k].real();
  const RestRecord& record = found.record;
  RestEquations problem(model, real, {record.assembled, record.states}, record.held);
  const VecX y = problem.unknowns(found.q, found.v);
  problem.place(y);
  problem.linearize(y, record.multipliers);
  const RestLinearization linear(problem);
  ComplexRest rest(model, p, record, q, v);
  for (Eigen::Index j = 0; j < q.size(); ++j) {
    if (!rest.is_state(static_cast<int>(j))) q(j) = Complex(found.q(j), 0);
    v(j) = Complex(found.v(j), 0);
  }
  VecXT<Complex> lambda = record.multipliers.cast<Complex>(), f, phi;
  double size = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    rest.evaluate(q, v, lambda, f, phi);
    VecXT<Complex> change(q.size()), more(lambda.size());
    const auto part = [&](auto of, auto into) {
      const VecX g = of(f), b = of(phi), step = linear.solve(g, b);
      into(change, step);
      into(more, linear.multipliers(g, step));
    };
    part([](const auto& x) -> VecX { return x.real(); },
         [](auto& x, const VecX& y_part) { x.real() = y_part; });
    part([](const auto& x) -> VecX { return x.imag(); },
         [](auto& x, const VecX& y_part) { x.imag() = y_part; });
    if (pass == 0) size = linear.size_of_terms(f.imag(), change.imag());
    rest.add(change, q, v);
    lambda += more;
  }
  for (std::size_t h = 0; h < record.held.size(); ++h) {
    const double force = lambda(problem.first_held() + static_cast<int>(h)).imag();
    const double most = kStaysBalanced * size;
    if (rest.is_state(record.held[h]) || std::abs(force) <= most) continue;  // holomorphic: a size
    reason = lost_balance(model, record.held[h]);
    return false;
  }
  return true;
}

}  // namespace kinegrad
