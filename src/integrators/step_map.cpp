#include "kinegrad/integrators/step_map.hpp"

#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/options.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

std::string_view describe(StepStatus status) {
  switch (status) {
    case StepStatus::kDone: return "done";
    case StepStatus::kNotConverged: return "Newton's method did not converge";
    case StepStatus::kNotFinite: return "the motion is not finite any more";
    case StepStatus::kSingular: return "the mass matrix is singular";
    case StepStatus::kNotClosed: return "the constraints cannot be met";
    case StepStatus::kNotIndependent:
      return "the chosen independent coordinates cannot describe the motion there";
    case StepStatus::kBesideSingular:
      return "the mechanism cannot be led through the singular position near there";
    case StepStatus::kNotHeld:
      return "constraint equations contradict each other or hardly differ there, which leaves a "
             "part of "
             "them open";
  }
  return {};
}

template <Scalar T>
StepReport start_accelerations(Formulation<T>& formulation, StepState<T>& x) {
  x.a.resize(x.q.size());
  x.lambda.setConstant(formulation.multipliers(), T(0));
  StepReport report;
  if (!formulation.acceleration(T(x.t), in(x.q), in(x.v), out(x.a), out(x.lambda))) {
    report.status = failure(formulation, StepStatus::kSingular);
    report.where = formulation.lost_coordinate();
  }
  if (report.usable()) {
    report.where = first_not_finite(x.a);
    if (report.where >= 0) report.status = StepStatus::kNotFinite;
  }
  return report;
}

template StepReport start_accelerations<double>(Formulation<double>&, StepState<double>&);
template StepReport start_accelerations<Complex>(Formulation<Complex>&, StepState<Complex>&);

/// Hermite's cubic through q, v for positions and through v, a for speeds; accelerations linearly.
template <Scalar T>
StepReport StepMap<T>::interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                   StepState<T>& out) const {
  const double h = x1.t - x0.t, s = theta, r = 1 - theta;
  const double h00 = (1 + 2 * s) * r * r, h10 = s * r * r, h01 = s * s * (3 - 2 * s),
               h11 = -s * s * r;
  out.t = x0.t + theta * h;
  out.q = x0.q * T(h00) + x0.v * T(h * h10) + x1.q * T(h01) + x1.v * T(h * h11);
  out.v = x0.v * T(h00) + x0.a * T(h * h10) + x1.v * T(h01) + x1.a * T(h * h11);
  out.a = x0.a * T(r) + x1.a * T(s);
  out.lambda = x0.lambda * T(r) + x1.lambda * T(s);
  out.own = x1.own;
  return {};
}

template <Scalar T>
void StepMap<T>::quadrature(const StepState<T>& x0, const StepState<T>& x1,
                            std::vector<QuadratureNode<T>>& nodes) const {
  const double half = 0.5 * (x1.t - x0.t);
  nodes.clear();
  nodes.push_back({half, &x0});
  nodes.push_back({half, &x1});
}

template class StepMap<double>;
template class StepMap<Complex>;

void IntegratorOptions::validate() const {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw InvalidArgument(message);
  };
  require(tolerance > 0 && tolerance < 1, "the tolerance must be between 0 and 1");
  require(newton >= 0 && newton < 1, "the tolerance of Newton's method must be between 0 and 1");
  require(max_iterations >= 1, "at least one iteration is needed");
  require(beta > 0 && beta <= 0.5 && gamma >= 0.5 && gamma <= 1,
          "Newmark's constants must satisfy 0 < beta <= 1/2 <= gamma <= 1");
  require(spectral_radius >= 0 && spectral_radius <= 1,
          "the spectral radius must be between 0 and 1");
}

}  // namespace kinegrad
