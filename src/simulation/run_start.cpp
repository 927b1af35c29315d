#include "kinegrad/simulation/run_start.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/equation_scale.hpp"
#include "kinegrad/simulation/independent_choice.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/statics.hpp"
#include "kinegrad/simulation/unique_reactions.hpp"
#include "simulation/rest_equations.hpp"

namespace kinegrad {

namespace {

RunOptions in_joint_coordinates(RunOptions options) {
  options.coordinates = coordinate_set_name(ReferencePoint::kCom);
  return options;
}

}  // namespace

template <Scalar T>
RunStart<T>::RunStart(const Model& model, const RunOptions& options,
                      const LoadedTree<T>* constants)
    : model_(model), options_(options), point_(reference_point_named(options.coordinates)) {
  system_ = make_system<T>(model, point_, constants);
  if (&model.start() != &model) {
    joints_ = std::make_unique<RunStart>(model.start(), in_joint_coordinates(options));
    change_ = std::make_unique<FromJointCoordinates<T>>(model);
    return;
  }
  if (!model.reactive_forces().empty() && options.starts_at_rest()) {
    throw InvalidArgument("an equilibrium cannot be found with the force \"" +
                          model.reactive_forces().front().name +
                          "\", which reads reactions: what rests may rest anywhere");
  }
}

/// Points and vectors that were chosen for the model's own parameters may lie in a plane at others.
template <Scalar T>
bool RunStart<T>::describes(const NaturalMap<T>& natural, RunReport& report) const {
  constexpr double kFlat = 1e-3;  // of a right angle: some digits of six are left
  for (const NaturalBody& body : natural.basis().bodies) {
    const auto e = [&](int k) {
      const Vec3T<T> x = natural.local(body, k);
      return Vec3(real_part(x(0)), real_part(x(1)), real_part(x(2)));
    };
    const Vec3 a = e(1), b = e(2), c = e(3);
    const double sizes = a.norm() * b.norm() * c.norm();        // holomorphic: a size
    if (std::abs(a.dot(b.cross(c))) > kFlat * sizes) continue;  // holomorphic: a size
    const auto k = static_cast<std::size_t>(body.body);
    report.status = RunStatus::kFailed;
    report.message = "the points and unit vectors that describe body \"" + model_.bodies()[k].name +
                     "\" in natural coordinates lie in a plane at these parameters; "
                     "cartesian and joint coordinates do not mind";
    return false;
  }
  return true;
}

template <Scalar T>
bool RunStart<T>::find(std::span<const T> p, StepState<T>& x, RunReport& report) {
  system_->set_parameters(p);
  if (!joints_) {
    if (!assemble(p, x, report)) return false;
    found_ = x;
    return prescribed(p, report) && choice_describes(x, report) &&
           reactions_are_unique(p, x, report);
  }
  if (!joints_->find(parameters_of_start(model_, p), found_, report)) return false;
  change_->convert(p, in(found_.q), in(found_.v), x.q, x.v);
  if (const NaturalMap<T>* natural = change_->natural(); natural && !describes(*natural, report)) {
    return false;
  }
  x.t = found_.t;
  return choice_describes(x, report);
}

template <Scalar T>
bool RunStart<T>::assemble(std::span<const T> p, StepState<T>& x, RunReport& report) {
  x.t = 0;
  x.q = Eigen::Map<const VecXT<T>>(p.data() + model_.initial_q(), model_.nq());
  x.v = Eigen::Map<const VecXT<T>>(p.data() + model_.initial_v(), model_.nq());
  const KinematicReport start = assemble_start<T>(model_, *system_, 0, x.q, x.v, options_.beside);
  if (!start.solved) {
    report.status = RunStatus::kFailed;
    report.message = "the start cannot be assembled: " + start.message;
    report.input_wrong = start.input_wrong;
    return false;
  }
  sets_ = start.sets;
  if (!std::is_same_v<T, double> && !sets_.nearest) {
    report.status = RunStatus::kFailed;
    report.message = kNoNearestStart;
    return false;
  }
  return rest(p, x, report);
}

namespace {

template <Scalar T>
std::vector<double> real_parts(std::span<const T> p) {
  std::vector<double> out(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) out[k] = real_part(p[k]);
  return out;
}

VecX real_of(const VecX& x) { return x; }
VecX real_of(const VecXT<Complex>& x) { return x.real(); }  // holomorphic: decisions

}  // namespace

/// From the assembled start to an equilibrium, where that is asked for; from there with the speeds of the file.
template <Scalar T>
bool RunStart<T>::rest(std::span<const T> p, StepState<T>& x, RunReport& report) {
  if (!options_.starts_at_rest()) return true;
  const auto fail = [&](std::string message) {
    report.status = RunStatus::kFailed;
    report.message = std::move(message);
    return false;
  };
  const std::vector<double> real = real_parts(p);
  std::function<bool()> go_on;
  if (options_.go_on) go_on = [&] { return options_.go_on(0); };
  const Equilibrium found =
      find_equilibrium(model_, real, real_of(x.q), real_of(x.v), options_.held, go_on);
  report.iterations += found.report.iterations;
  if (found.stopped) {
    fail("stopped in the search for the equilibrium");
    report.status = RunStatus::kStopped;
    return false;
  }
  if (!found.report.solved) return fail(found.report.message);
  sets_.rest = found.record;
  if constexpr (std::is_same_v<T, double>) {
    x.q = found.q;
    x.v = found.v;
  } else {
    std::string reason;
    if (!follow_equilibrium(model_, p, found, x.q, x.v, reason)) {
      return fail("the static equilibrium has no derivative: " + reason);
    }
  }
  x.lambda = found.record.multipliers.head(system_->holonomic()).template cast<T>();
  return options_.only_start || release(p, x, report);
}

/// The speeds of the file at the equilibrium; states are as it found them.
template <Scalar T>
bool RunStart<T>::release(std::span<const T> p, StepState<T>& x, RunReport& report) {
  const VecXT<T> states = x.v;
  x.v = Eigen::Map<const VecXT<T>>(p.data() + model_.initial_v(), model_.nq());
  const std::vector<char> is_state = state_coordinates(model_);
  for (Eigen::Index j = 0; j < x.v.size(); ++j) {
    if (is_state[static_cast<std::size_t>(j)]) x.v(j) = states(j);
  }
  const KinematicReport speeds = assemble_speeds<T>(model_, *system_, 0, x.q, x.v, options_.beside);
  if (!speeds.solved) {
    report.status = RunStatus::kFailed;
    report.message = "the speeds of the start cannot be assembled: " + speeds.message;
    report.input_wrong = speeds.input_wrong;
    return false;
  }
  sets_.velocity_columns = speeds.sets.velocity_columns;
  sets_.velocity_rows = speeds.sets.velocity_rows;
  sets_.velocity_multipliers = speeds.sets.velocity_multipliers;
  sets_.speed_scales = speeds.sets.speed_scales;
  sets_.rest.released = true;
  return true;
}

/// Kinematics alone needs a motion that is prescribed altogether.
template <Scalar T>
bool RunStart<T>::prescribed(std::span<const T> p, RunReport& report) const {
  if constexpr (std::is_same_v<T, double>) {
    const FormulationEntry* entry = find_choice(formulations(), options_.formulation);
    if (!entry || entry->takes.freedom) return true;
    const Mobility mobility = mobility_of(model_, p);
    if (mobility.freedom <= 0) return true;
    report.status = RunStatus::kFailed;
    report.input_wrong = true;
    report.message = fmt::format(
        "the formulation {} needs a mechanism whose motion is prescribed altogether, and "
        "this one has {} degree{} of freedom left",
        options_.formulation, mobility.freedom, mobility.freedom == 1 ? "" : "s");
    return false;
  }
  return true;
}

/// The coordinates that the file wants integrated must be the degrees of freedom of the start.
template <Scalar T>
bool RunStart<T>::choice_describes(const StepState<T>& x, RunReport& report) {
  if constexpr (std::is_same_v<T, double>) {
    if (model_.independent().empty()) return true;
    const std::string refusal = independent_refusal(model_, *system_, x.t, x.q);
    if (refusal.empty()) return true;
    report.status = RunStatus::kFailed;
    report.input_wrong = true;
    report.message = refusal;
    return false;
  }
  return true;
}

/// A force that reads reactions needs unique ones [RL-7]; they are, or are not, whatever the coordinates.
template <Scalar T>
bool RunStart<T>::reactions_are_unique(std::span<const T> p, const StepState<T>& x,
                                       RunReport& report) const {
  if constexpr (std::is_same_v<T, double>) {
    const std::string refusal = reactive_refusal(model_, p, in(x.q));
    if (refusal.empty()) return true;
    report.status = RunStatus::kFailed;
    report.input_wrong = true;
    report.message = refusal;
    return false;
  }
  return true;
}

template <Scalar T>
std::vector<double> RunStart<T>::physical() const {
  std::vector<double> p(model_.physical().size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = real_part(system_->parameter(static_cast<int>(k)));
  }
  return p;
}

template <Scalar T>
double RunStart<T>::size() const {
  const std::vector<double> p = physical();
  std::vector<double> q;
  for (const T& x : found().q) q.push_back(real_part(x));
  return mechanism_size(model_.start(), parameters_of_start(model_, std::span<const double>(p)), q)
      .size;
}

/// Equations of natural coordinates between themselves have no scale but 1.
template <Scalar T>
typename RunStart<T>::MostOpen RunStart<T>::most_open(const StepState<T>& x) {
  MostOpen out;
  if constexpr (std::is_same_v<T, double>) {
    const std::vector<double> p = physical();
    const EquationScale scale(model_, p, x.t, in(x.q), size());
    system_->place(x.t, in(x.q));
    int worst = -1;
    double most = 0;
    for (int i = 0; i < system_->holonomic(); ++i) {
      const ConstraintRow& row = model_.constraint_rows()[static_cast<std::size_t>(i)];
      const double phi = std::abs(system_->Phi()(i));  // holomorphic: double only
      const double s = row.rigid >= 0 ? 1 : scale.of(row);
      const double share = std::isfinite(phi) ? phi / s : HUGE_VAL;
      if (share <= out.share) continue;
      out.share = share;
      worst = i;
      most = phi;
    }
    if (worst < 0) return out;
    const ConstraintRow& row = model_.constraint_rows()[static_cast<std::size_t>(worst)];
    VecX only = VecX::Zero(system_->holonomic());
    only(worst) = 1;
    const std::string open =
        row.rigid >= 0 ? fmt::format("{:.3g}", most) : scale.opening(row, most);
    out.text = worst_constraint(only) + " is open by " + open;
  }
  return out;
}

template <Scalar T>
std::string RunStart<T>::worst_constraint(const VecXT<T>& level) const {
  int worst = 0;
  double most = -1;
  for (Eigen::Index i = 0; i < level.size(); ++i) {
    const double value = real_part(level(i));
    const double size = std::isfinite(value) ? std::abs(value) : HUGE_VAL;
    if (size > most) {
      most = size;
      worst = static_cast<int>(i);
    }
  }
  const int c = model_.constraint_rows()[static_cast<std::size_t>(worst)].constraint;
  const Constraint& constraint = model_.constraints()[static_cast<std::size_t>(c)];
  return (constraint.joint >= 0 ? "the loop at joint \"" : "constraint \"") + constraint.name +
         "\"";
}

template class RunStart<double>;
template class RunStart<Complex>;

}  // namespace kinegrad
