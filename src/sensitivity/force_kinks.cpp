#include "kinegrad/sensitivity/force_kinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kinegrad/model/model.hpp"
#include "sensitivity/state_between.hpp"

namespace kinegrad {

namespace {

std::string how_often(long count) { return count == 1 ? "once" : fmt::format("{} times", count); }

std::string jump_text(const Force& force, const SwitchInfo& at, long count, double jump) {
  return fmt::format(
      "force \"{}\" jumps by {:.3g} where {} ({}): the instant of a jump moves with the "
      "parameters, "
      "and no derivative of the recorded steps contains that, so the gradient may be wrong "
      "altogether; {}",
      force.name, jump, at.where, how_often(count), at.cure);
}

std::string kink_text(const Force& force, const SwitchInfo& at, long count) {
  return fmt::format(
      "force \"{}\" passes a kink where {} ({}): the derivative of the recorded steps is right, "
      "but "
      "beside that of the motion it has an error of first order in the step; halve the step to see "
      "how large it is, or {}",
      force.name, at.where, how_often(count), at.cure);
}

std::string met_text(const Force& force, const SwitchInfo& at, long count) {
  return fmt::format(
      "force \"{}\" is evaluated exactly where {}, at a kink ({}): the derivative of one side is "
      "taken, and that of the other side is another one; move the start off the kink, or {}",
      force.name, at.where, how_often(count), at.cure);
}

}  // namespace

ForceKinks::ForceKinks(const Model& model, std::span<const double> p) {
  for (const Force& force : model.forces()) {
    const std::size_t n = force.type->switches().size();
    if (n == 0 || force.attached_nowhere()) continue;
    Watched& watched = watched_.emplace_back();
    watched.force = &force;
    watched.seen.resize(n);
  }
  if (!watched_.empty()) line_.emplace(model, p);
}

bool ForceKinks::passes_over() {
  if (passed_over_ == 0) return false;
  --passed_over_;
  return true;
}

void ForceKinks::see_step(const StepRecord& record) {
  // the end of the step before may be the one after, or this step's own
  const bool adjacent = known_ && t_ == record.x1->t;
  next_known_ = known_ && (!adjacent || end_t_ > t_);
  next_t_ = adjacent ? end_t_ : t_;
  for (Watched& watched : watched_) {
    watched.next_value = adjacent ? watched.end_value : watched.value;
    for (Seen& seen : watched.seen) seen.passed = false;
  }
  if (!adjacent) look(*record.x1);
  end_t_ = record.x1->t;
  for (Watched& watched : watched_) watched.end_value = watched.value;
  for (std::size_t k = record.stages.size(); k-- > 0;) look(record.stages[k]);
  look(*record.x0);
  if (next_known_) look_between(record);
  plan(record.x1->t - record.x0->t);
}

ForceKinks::Parabola ForceKinks::parabola(const Watched& watched, int which, double h) const {
  const double here = watched.value(which), end = watched.end_value(which);
  const double slope = (end - here) / h;
  const double further = (watched.next_value(which) - end) / (next_t_ - end_t_);
  const double curvature = 2 * (further - slope) / (next_t_ - end_t_ + h);
  return {here, slope - 0.5 * h * curvature, curvature};
}

/// Where inside the step, as a part of it, a switch turns round near zero; 0: none does.         [KN-10]
double ForceKinks::turning(double h) const {
  constexpr double kNear = 0.3;  // of what it is at the ends: the parabola is not exact
  for (const Watched& watched : watched_) {
    for (int k = 0; k < watched.value.size(); ++k) {
      const double here = watched.value(k);
      if (!(here * watched.end_value(k) > 0) || watched.seen[static_cast<std::size_t>(k)].passed) {
        continue;
      }
      const Parabola sigma = parabola(watched, k, h);
      const double at = -sigma.slope / sigma.curvature;
      if (at > 0 && at < h && sigma.at(at) * here < kNear * here * here) return at / h;
    }
  }
  return 0;
}

/// The state between the ends of a step, which the run did not pass, but the motion does.
void ForceKinks::look_between(const StepRecord& record) {
  const double part = turning(record.x1->t - record.x0->t);
  if (part == 0) return;
  state_between(*record.x0, *record.x1, part, between_);
  look(between_);
  look(*record.x0);
}

void ForceKinks::look(const StepState<double>& x) {
  line_->move(x);
  t_ = x.t;
  for (Watched& watched : watched_) {
    std::swap(watched.now, watched.later);
    std::swap(watched.value, watched.later_value);
    line_->read(*watched.force, watched.now);
    watched.value = watched.force->type->switch_values(watched.now.port, watched.now.attributes);
    for (int k = 0; k < watched.value.size(); ++k) judge(watched, k);
  }
  known_ = true;
}

void ForceKinks::judge(Watched& watched, int which) {
  if (watched.value(which) == 0) count_met(watched, which);
  if (!known_) return;
  const double one = watched.value(which), other = watched.later_value(which);
  if ((one < 0 && other > 0) || (one > 0 && other < 0)) count_passed(watched, which);
}

void ForceKinks::count_met(Watched& watched, int which) {
  Seen& seen = watched.seen[static_cast<std::size_t>(which)];
  line_->take(*watched.force, watched.now, watched.now);
  const ForceBreak found = line_->around_start(which);
  if (found.kind == ForceBreak::Kind::kSmooth) return;
  if (found.kind == ForceBreak::Kind::kJump) {
    ++seen.jumps;
    seen.t_jump = watched.now.t;
    if (found.kind > seen.worst.kind || found.jump > seen.worst.jump) seen.worst = found;
    return;
  }
  ++seen.met;
  seen.t_met = watched.now.t;
}

void ForceKinks::count_passed(Watched& watched, int which) {
  constexpr long kMostMeasured = 64;
  Seen& seen = watched.seen[static_cast<std::size_t>(which)];
  if (seen.passed) return;
  ForceBreak found = seen.worst;
  if (seen.measured < kMostMeasured) {
    ++seen.measured;
    line_->take(*watched.force, watched.now, watched.later);
    const bool positive = watched.value(which) > 0;
    found = line_->find([&] {
      const double value = line_->switch_values()(which);
      return std::isnan(value) || (value > 0) == positive;
    });
  } else {
    found.part = 0;
  }
  if (found.kind == ForceBreak::Kind::kSmooth) return;
  seen.passed = true;
  if (found.kind > seen.worst.kind || found.jump > seen.worst.jump) seen.worst = found;
  const double t = watched.now.t + found.part * (watched.later.t - watched.now.t);
  if (found.kind == ForceBreak::Kind::kJump) {
    ++seen.jumps;
    seen.t_jump = t;
  } else {
    ++seen.kinks;
    seen.t_kink = t;
  }
}

/// [KN-7].
void ForceKinks::plan(double h) {
  constexpr double kMost = 16, kPart = 0.1;
  double room = next_known_ ? kMost : 0;
  for (const Watched& watched : watched_) {
    for (int k = 0; k < watched.value.size() && room > 0; ++k) {
      const double now = watched.value(k), end = watched.end_value(k);
      if (std::isnan(now) && std::isnan(end)) continue;
      if (!(now * end > 0)) room = 0;
      const double first = std::abs(end - now),
                   half = 0.5 * h * h * std::abs(parabola(watched, k, h).curvature);
      const double reach = kPart * std::abs(now);
      const double root = std::sqrt(first * first + 4 * half * reach);
      const double steps = 2 * reach / std::max(first + root, 1e-300);
      room = steps < room ? steps : std::isnan(steps) ? 0 : room;
    }
  }
  passed_over_ = static_cast<long>(room);
}

void ForceKinks::report(Warnings& warnings) const {
  for (const Watched& watched : watched_) {
    const auto switches = watched.force->type->switches();
    for (std::size_t k = 0; k < switches.size(); ++k) {
      const Seen& seen = watched.seen[k];
      const Force& force = *watched.force;
      const auto add = [&](const std::string& text, double t) {
        warnings.push_back({"kink", text, force.name, t});
      };
      if (seen.jumps > 0) {
        add(jump_text(force, switches[k], seen.jumps, seen.worst.jump), seen.t_jump);
      } else if (seen.met > 0) {
        add(met_text(force, switches[k], seen.met), seen.t_met);
      } else if (seen.kinks > 0) {
        add(kink_text(force, switches[k], seen.kinks), seen.t_kink);
      }
    }
  }
}

}  // namespace kinegrad
