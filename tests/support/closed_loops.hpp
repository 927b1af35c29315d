// Mechanisms with constraints: starts that are assembled, runs of any choice of methods, sizes of the
// constraints along them.
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/simulation/initial_state.hpp"
#include "support/constraint_oracles.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad::test {

/// The examples with constraints.
inline constexpr const char* kLoopExamples[] = {"bricard",
                                                "driven_four_bar",
                                                "five_bar",
                                                "four_bar",
                                                "rolling_disc",
                                                "slider_crank",
                                                "slider_crank_planar",
                                                "two_mass_nonholonomic"};

/// One choice on each axis.
struct Method {
  std::string formulation, integrator;
  ReferencePoint point = ReferencePoint::kCom;
  IntegratorOptions details = {};
  FormulationOptions constraints = {};

  std::string name() const {
    return std::string(coordinate_set_name(point)) + " × " + formulation + " × " + integrator;
  }
};

/// Whether the formulation takes the model.
inline bool takes(std::string_view formulation, const Model& model) {
  try {
    make_formulation<double>(formulation, model, ReferencePoint::kCom);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

/// Whether the formulation takes the model and the integrator.
inline bool go_together(const Model& model, const Method& method) {
  try {
    const auto solver = make_formulation<double>(method.formulation, model, method.point);
    make_step_map<double>(method.integrator, *solver, method.details);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

/// All pairs that go together, of one reference point.
inline std::vector<Method> methods_for(const Model& model, ReferencePoint point,
                                       const IntegratorOptions& details = {}) {
  std::vector<Method> methods;
  for (const NamedChoice& formulation : formulations()) {
    for (const NamedChoice& integrator : integrators()) {
      Method method{
          std::string(formulation.name), std::string(integrator.name), point, details, {}};
      if (go_together(model, method)) methods.push_back(method);
    }
  }
  return methods;
}

/// The physical parameters with some named ones changed.
template <Scalar T = double>
std::vector<T> physical_with(const Model& model,
                             const std::vector<std::pair<std::string, T>>& values) {
  const VecX defaults = model.default_rho();
  std::vector<T> rho(defaults.begin(), defaults.end());
  for (const auto& [name, value] : values) {
    const auto it = std::find_if(model.parameters().begin(), model.parameters().end(),
                                 [&](const Parameter& p) { return p.name == name; });
    if (it == model.parameters().end() || it->index < 0) throw std::runtime_error(name);
    rho[static_cast<std::size_t>(it->index)] = value;
  }
  const DesignMap& map = model.design_map();
  std::vector<T> p(static_cast<std::size_t>(map.physical_count()));
  auto work = map.make_workspace<T>();
  map.evaluate<T>(rho, p, work);
  return p;
}

/// The start of the file at p, completed so that the constraints hold.
template <Scalar T>
StepState<T> assembled(const Model& model, const std::vector<T>& p) {
  JointSystem<T> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  StepState<T> x;
  x.q = Eigen::Map<const VecXT<T>>(p.data() + model.initial_q(), model.nq());
  x.v = Eigen::Map<const VecXT<T>>(p.data() + model.initial_v(), model.nq());
  const KinematicReport report = assemble_start<T>(model, system, 0, x.q, x.v);
  if (!report.solved) throw std::runtime_error(report.message);
  return x;
}

template <Scalar T>
using StepObserver = std::function<void(const StepState<T>&)>;

/// The state after n equal steps from a start to `end`; iterations are added up.
template <Scalar T>
StepState<T> run_from(const StepState<T>& start, Formulation<T>& solver, const Method& method,
                      double end, int n, const StepObserver<T>& observer = {},
                      long* iterations = nullptr) {
  const auto map = make_step_map<T>(method.integrator, solver, method.details);
  StepState<T> x0 = start, x1;
  if (!map->start(x0).usable()) throw std::runtime_error(method.name() + " does not start");
  if (observer) observer(x0);
  for (int k = 0; k < n; ++k) {
    const StepReport report = map->step(x0, end / n, x1);
    if (!report.usable()) {
      throw std::runtime_error(method.name() + " at t = " + std::to_string(x0.t) + ": " +
                               std::string(describe(report.status)));
    }
    if (iterations) *iterations += report.iterations;
    std::swap(x0, x1);
    if (observer) observer(x0);
  }
  return x0;
}

template <Scalar T>
StepState<T> run(const Model& model, const std::vector<T>& p, const Method& method, double end,
                 int n, const StepObserver<T>& observer = {}, long* iterations = nullptr) {
  const auto solver =
      make_formulation<T>(method.formulation, model, method.point, method.constraints);
  solver->set_parameters(p);
  return run_from<T>(assembled<T>(model, p), *solver, method, end, n, observer, iterations);
}

/// (q, v) with Euler parameters of length one: explicit methods let it drift, which moves nothing.
inline VecX joined(const Model& model, const StepState<double>& x) {
  VecX q = x.q, v = x.v;
  for (const int first : euler_sets_of(model)) {
    auto p = q.segment<4>(first);
    auto pdot = v.segment<4>(first);
    const double length = p.norm();
    pdot -= p * (p.dot(pdot) / p.squaredNorm());
    p /= length;
    pdot /= length;
  }
  VecX out(2 * q.size());
  out << q, v;
  return out;
}

/// How far a state is from its constraints.
class ConstraintSizes {
 public:
  ConstraintSizes(const Model& model, const std::vector<double>& p)
      : system_(model, ReferencePoint::kCom) {
    system_.set_parameters(p);
  }

  void take(const StepState<double>& x) {
    system_.evaluate(x.t, view(x.q), view(x.v), view(x.a));
    positions = std::max(positions, norm(system_.Phi()));
    speeds = std::max(speeds, norm(system_.Phi_dot()));
    accelerations = std::max(accelerations, norm(system_.Phi_ddot()));
  }

  double positions = 0, speeds = 0, accelerations = 0;  ///< the largest so far

 private:
  static double norm(const VecX& x) { return x.size() ? x.norm() : 0; }
  JointSystem<double> system_;
};

}  // namespace kinegrad::test
