#include "kinegrad/sensitivity/pair_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/model.hpp"
#include "sensitivity/state_between.hpp"

namespace kinegrad {

namespace {

std::string times_met(long count) { return count == 1 ? "once" : fmt::format("{} times", count); }

std::string met_force_text(const std::string& name, long count, double jump) {
  return fmt::format(
      "the direction of force \"{}\" turns by more than 90° within a step ({}), as if its points "
      "met: its force jumps by {:.3g} N there, the instant of the jump moves with the parameters, "
      "and no derivative of the recorded steps contains that, so the gradient may be wrong "
      "altogether; keep its points apart, or give it a natural length of zero",
      name, times_met(count), jump);
}

std::string met_jump_text(const std::string& objective, const std::string& force, long count) {
  return fmt::format(
      "objective \"{}\" jumps where the points of force \"{}\" meet ({}): the instant of a jump "
      "moves with the parameters, and no derivative of the recorded steps contains that, so the "
      "gradient may be wrong altogether; keep the points apart, or read the components of what is "
      "between them",
      objective, force, times_met(count));
}

std::string met_kink_text(const std::string& objective, const std::string& force, long count) {
  return fmt::format(
      "objective \"{}\" has a kink where the points of force \"{}\" meet ({}): the derivative of "
      "the recorded steps is right, but beside that of the motion it has an error of first order "
      "in the step; halve the step to see how large it is, or keep the points apart",
      objective, force, times_met(count));
}

/// Parts of the way between two samples, before and behind the place where the points meet.      [KN-9]
constexpr double kWideOfWay = 0.1, kCloseOfWay = 0.03;
/// What vanishes with the distance falls by 0.3 from one to the other; what counts is a part of the integrand.
constexpr double kPartThatStays = 0.7, kPartThatCounts = 1e-6;

/// The jump of an integrand over ±w and the change of its slope there, from its values at −2w, −w, w, 2w.
struct IntegrandBreak {
  double jump, kink;
};
IntegrandBreak integrand_break(const double (&f)[4], double w) {
  return {f[2] - f[1], ((f[3] - f[2]) - (f[1] - f[0])) / w};
}

bool break_stays(double near, double far, double size) {
  return std::abs(near) > kPartThatCounts * size && std::abs(near) > kPartThatStays * std::abs(far);
}

}  // namespace

PairWatch::PairWatch(const Model& model, std::span<const double> p, std::span<const int> objectives)
    : model_(model), p_(p.begin(), p.end()), signals_(model) {
  std::vector<Integrand> integrands;
  for (const int k : objectives) {
    const int output = model.objectives()[static_cast<std::size_t>(k)].integral;
    if (output >= 0) integrands.push_back({k, output});
  }
  for (std::size_t k = 0; k < model.forces().size(); ++k) {
    const Force& force = model.forces()[k];
    if (force.point1 < 0) continue;
    // what varies is known during the run
    const bool jumps = !force.variable.empty() || force_at_zero(force, Vec3::UnitX(), 0) > 0;
    if (!jumps && integrands.empty()) continue;
    Pair& pair = pairs_.emplace_back();
    pair.force = static_cast<int>(k);
    pair.integrands = integrands;
  }
  registers_.resize(static_cast<std::size_t>(model.signal_tape().register_count()));
}

/// |e| as the two points meet along a direction: what the force jumps by is twice that.          [KN-2]
double PairWatch::force_at_zero(const Force& force, const Vec3& direction, double t) const {
  constexpr double kClose = 1e-9;
  AttributeVector<double> attributes =
      Eigen::Map<const VecX>(p_.data() + force.attributes, force.type->attribute_count());
  for (const auto& [place, output] : force.variable) {
    if (!force_outputs_.empty())
      attributes(place) = force_outputs_[static_cast<std::size_t>(output)];
  }
  const auto at = [&](double part) {
    const PortState<double> state{(part * direction).eval(), Vec3::Zero().eval(), t};
    return force.type->effort(state, attributes).norm();  // holomorphic: double only
  };
  const double near = at(kClose), far = at(0.5 * kClose);
  // a force that vanishes with the distance halves with it
  return std::abs(near - far) < 0.1 * near ? near : 0;
}

/// The attributes of forces that vary.
void PairWatch::read_forces(const StepState<double>& x) {
  const Tape& tape = model_.force_tape();
  signals_.evaluate(p_, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
  force_registers_.resize(static_cast<std::size_t>(tape.register_count()));
  force_outputs_.resize(static_cast<std::size_t>(tape.output_count()));
  tape.evaluate<double>(signals_.all_inputs(), force_registers_, force_outputs_);
}

/// From one point to the other, where the signals are.
Vec3 PairWatch::distance(const Pair& pair) const {
  const Force& force = model_.forces()[static_cast<std::size_t>(pair.force)];
  return signals_.point_motion(force.point2).r - signals_.point_motion(force.point1).r;
}

/// Points that are far from each other beside their speed need not be looked at for some samples.
void PairWatch::see(const StepState<double>& x) {
  if (skipped_ > 0) {
    --skipped_;
    known_ = false;
    return;
  }
  constexpr double kMostSkipped = 16, kPart = 0.1;
  double room = kMostSkipped;  // samples until the points could meet, with a margin
  signals_.move(p_, in(x.q), in(x.v), in(x.a));
  for (Pair& pair : pairs_) {
    const Force& force = model_.forces()[static_cast<std::size_t>(pair.force)];
    const Vec3 d = distance(pair);
    const Vec3 speed =
        signals_.point_motion(force.point2).rdot - signals_.point_motion(force.point1).rdot;
    if (known_ && d.dot(pair.before) <= 0) {
      see_passage(pair, x);
      signals_.move(p_, in(x.q), in(x.v), in(x.a));
    }
    pair.before = d;
    const double reach = speed.norm() * (x.t - t_);
    room = std::min(room, started_ ? kPart * d.norm() / std::max(reach, 1e-300) : 0);
  }
  // two samples after each other are compared, so the one before is looked at, too
  skipped_ = known_ && room > 2 ? static_cast<long>(room) - 1 : 0;
  known_ = started_ = true;
  t_ = x.t;
  before_ = x;
}

void PairWatch::see_passage(Pair& pair, const StepState<double>& x) {
  const Force& force = model_.forces()[static_cast<std::size_t>(pair.force)];
  if (!force.variable.empty()) read_forces(x);
  const double jump = 2 * force_at_zero(force, pair.before, x.t);
  if (jump > 0 && pair.turned++ == 0) {
    pair.t = x.t;
    pair.jump = jump;
  }
  measure(pair, before_, x);
}

/// θ where the direction from one point to the other turns round.
double PairWatch::meeting(const Pair& pair, const StepState<double>& x0,
                          const StepState<double>& x1) {
  constexpr int kHalvings = 40;
  double low = 0, high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    state_between(x0, x1, middle, between_);
    signals_.move(p_, in(between_.q), in(between_.v), in(between_.a));
    (distance(pair).dot(pair.before) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<double> PairWatch::outputs_at(const StepState<double>& x0, const StepState<double>& x1,
                                          double theta) {
  state_between(x0, x1, theta, between_);
  signals_.evaluate(p_, between_.t, in(between_.q), in(between_.v), in(between_.a),
                    in(between_.lambda));
  std::vector<double> outputs(static_cast<std::size_t>(model_.signal_tape().output_count()));
  model_.signal_tape().evaluate<double>(signals_.all_inputs(), registers_, outputs);
  return outputs;
}

/// [KN-9].
void PairWatch::measure(Pair& pair, const StepState<double>& x0, const StepState<double>& x1) {
  if (pair.integrands.empty()) return;
  const double middle = meeting(pair, x0, x1);
  std::vector<double> near[4], far[4];
  for (int i = 0; i < 4; ++i) {
    const double side[] = {-2, -1, 1, 2};
    near[i] = outputs_at(x0, x1, middle + side[i] * kCloseOfWay);
    far[i] = outputs_at(x0, x1, middle + side[i] * kWideOfWay);
  }
  for (Integrand& integrand : pair.integrands) {
    double one[4], other[4], size = 0;
    for (int i = 0; i < 4; ++i) {
      one[i] = near[i][static_cast<std::size_t>(integrand.output)];
      other[i] = far[i][static_cast<std::size_t>(integrand.output)];
      size = std::max({size, std::abs(one[i]), std::abs(other[i])});
    }
    const IntegrandBreak close = integrand_break(one, kCloseOfWay),
                         wide = integrand_break(other, kWideOfWay);
    const bool jumps = break_stays(close.jump, wide.jump, size);
    if (!jumps && !break_stays(close.kink, wide.kink, size)) continue;
    if (integrand.jumps + integrand.kinks == 0) integrand.t = x0.t + middle * (x1.t - x0.t);
    ++(jumps ? integrand.jumps : integrand.kinks);
  }
}

void PairWatch::report(Warnings& warnings) const {
  for (const Pair& pair : pairs_) {
    const std::string& force = model_.forces()[static_cast<std::size_t>(pair.force)].name;
    if (pair.turned > 0) {
      warnings.push_back({"kink", met_force_text(force, pair.turned, pair.jump), force, pair.t});
    }
    for (const Integrand& integrand : pair.integrands) {
      const long count = integrand.jumps + integrand.kinks;
      if (count == 0) continue;
      const std::string& name =
          model_.objectives()[static_cast<std::size_t>(integrand.objective)].name;
      warnings.push_back({"kink",
                          integrand.jumps > 0 ? met_jump_text(name, force, count)
                                              : met_kink_text(name, force, count),
                          name, integrand.t});
    }
  }
}

}  // namespace kinegrad
