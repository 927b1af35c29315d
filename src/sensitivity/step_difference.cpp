#include "sensitivity/step_difference.hpp"

#include <algorithm>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/simulation/replay.hpp"
#include "sensitivity/seeded_numbers.hpp"

namespace kinegrad {

namespace {

/// factor·(a − b) as the one column of a tangent; parts that a state does not have are zero.
StateTangent difference(const StepState<double>& a, const StepState<double>& b, double factor) {
  StateTangent out;
  out.resize(static_cast<int>(a.q.size()), static_cast<int>(a.lambda.size()), 1);
  out.q.col(0) = factor * (a.q - b.q);
  out.v.col(0) = factor * (a.v - b.v);
  out.a.col(0) = factor * (a.a - b.a);
  out.lambda.col(0) = factor * (a.lambda - b.lambda);
  if (a.own.size() > 0) out.own.col(0) = factor * (a.own - b.own);
  return out;
}

double largest(const VecX& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

bool same_sets(const CoordinateSelection& a, const CoordinateSelection& b) {
  return a.pivot_row == b.pivot_row && a.dependent == b.dependent &&
         a.position_rank == b.position_rank;
}

MapDifference made_of(const StepState<double>& ahead, const StepState<double>& here,
                      const StepState<double>& behind, double epsilon) {
  MapDifference out;
  out.epsilon = epsilon;
  out.usable = true;
  const double half = 0.5 / epsilon;
  out.to = difference(ahead, behind, half);
  const StateTangent up = difference(ahead, here, half), down = difference(behind, here, half);
  out.bend = up;
  out.bend.q += down.q;
  out.bend.v += down.v;
  out.bend.a += down.a;
  out.bend.lambda += down.lambda;
  out.bend.own += down.own;
  return out;
}

}  // namespace

StepDifferences::StepDifferences(const GradientTask& task, const RunOptions& run,
                                 std::span<const double> d_rho)
    : task_(task),
      run_(options_for_derivatives(run)),
      d_rho_(d_rho.begin(), d_rho.end()),
      rho_(task.rho),
      p_(task.p.size()),
      work_(task.model.design_map().make_workspace<double>()),
      constants_(make_constants<double>(task.model, reference_point_named(run.coordinates))),
      start_(task.model, run_, constants_.get()),
      states_(start_.system()),
      formulation_(make_formulation<double>(run.formulation, task.model,
                                            reference_point_named(run.coordinates),
                                            run.constraints, constants_.get())),
      map_(make_step_map<double>(run.integrator, *formulation_, run_.details)) {}

MechanicalSystem<double>& StepDifferences::system() {
  set_parameters(task_.p);
  return start_.system();
}

void StepDifferences::set_parameters(std::span<const double> p) {
  if (constants_) constants_->set(p);
  start_.system().set_parameters(p);
  formulation_->set_parameters(p);
}

void StepDifferences::take_parameters(double distance) {
  for (std::size_t k = 0; k < rho_.size(); ++k) rho_[k] = task_.rho[k] + distance * d_rho_[k];
  task_.model.design_map().evaluate<double>(rho_, p_, work_);
  set_parameters(p_);
}

/// Numbers of the size that coordinates, speeds and accelerations have, at random.
StepState<double> StepDifferences::direction(const SampledStep& step) const {
  constexpr double kLeast = 1e-3;  // where all of them vanish
  SeededNumbers numbers(step.number + 1);
  const auto fill = [&](VecX& x, double size) {
    for (double& entry : x) entry = size * numbers.next();
  };
  StepState<double> out = step.x0;
  const double a = largest(step.x0.a), v = std::max(largest(step.x0.v), step.h * a);
  const double q = std::max({largest(step.x0.q), step.h * v, kLeast});
  fill(out.q, q);
  fill(out.v, std::max(v, kLeast * q));
  fill(out.a, std::max(a, kLeast * q));
  out.lambda.setZero();
  out.own.setZero();
  if (out.own.size() > 0) out.own = out.a;
  return out;
}

/// As the step was made: with its independent coordinates, from its guess.
const char* StepDifferences::step(const SampledStep& from, const StepState<double>& x0,
                                  StepState<double>& x1) {
  if (from.selection) {
    CoordinateSelection kept = *from.selection;
    kept.growth = 0;  // which keeps it from being chosen anew
    kept.chosen = true;
    formulation_->restore(kept);
  }
  x1 = from.x1;
  if (!map_->step(x0, from.h, x1, from.newton).usable()) return "steps beside it are not solved";
  const CoordinateSelection* now = formulation_->selection();
  const bool same = !from.selection || (now && same_sets(*now, *from.selection));
  return same ? "" : "steps beside it choose other independent coordinates";
}

std::vector<MapDifference> StepDifferences::of(std::span<const SampledStep* const> steps,
                                               double epsilon, bool again) {
  constexpr double kFar = 1e-6;  // from where one correction leaves more than rounding
  const int iterations = epsilon > kFar ? 4 : 1;
  const std::size_t n = steps.size();
  struct Side {
    StepState<double> x0, x1;
    const char* obstacle = "";
  };
  std::vector<NeighbourStates::Levels> levels(n);
  std::vector<StepState<double>> here(n);
  std::vector<const char*> obstacles(n, "");
  std::vector<StepState<double>> directions(n);
  set_parameters(task_.p);
  for (std::size_t i = 0; i < n; ++i) {
    levels[i] = states_.levels(steps[i]->x0);
    directions[i] = direction(*steps[i]);
    here[i] = steps[i]->x1;
    if (again) obstacles[i] = step(*steps[i], steps[i]->x0, here[i]);
  }
  const auto take_side = [&](double distance) {
    std::vector<Side> out(n);
    take_parameters(distance);
    for (std::size_t i = 0; i < n; ++i) {
      const SampledStep& sampled = *steps[i];
      const StepState<double>& u = directions[i];
      StepState<double>& x = out[i].x0;
      x = sampled.x0;
      x.q += distance * u.q;
      x.v += distance * u.v;
      x.a += distance * u.a;
      if (x.own.size() > 0) x.own += distance * u.own;
      out[i].obstacle = states_.bring_to(levels[i], iterations, x)
                            ? step(sampled, x, out[i].x1)
                            : "no state beside it satisfies the constraint equations";
    }
    return out;
  };
  const std::vector<Side> ahead = take_side(epsilon), behind = take_side(-epsilon);
  std::vector<MapDifference> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const char* obstacle : {obstacles[i], ahead[i].obstacle, behind[i].obstacle}) {
      if (*obstacle) out[i].obstacle = obstacle;
    }
    if (*out[i].obstacle) continue;
    out[i] = made_of(ahead[i].x1, here[i], behind[i].x1, epsilon);
    out[i].from = difference(ahead[i].x0, behind[i].x0, 0.5 / epsilon);
  }
  return out;
}

MapDifference StepDifferences::of_start(const StepState<double>& x0, double epsilon) {
  const auto at = [&](double distance, StepState<double>& x) {
    RunReport report;
    take_parameters(distance);
    x = x0;
    return start_.find(p_, x, report) && map_->start(x).usable();
  };
  StepState<double> ahead, behind;
  if (!at(epsilon, ahead) || !at(-epsilon, behind)) {
    MapDifference none;
    none.obstacle = "runs with slightly other parameters do not start";
    return none;
  }
  return made_of(ahead, x0, behind, epsilon);
}

}  // namespace kinegrad
