#include "kinegrad/simulation/initial_state.hpp"

#include "kinegrad/assembly/joint_system.hpp"
#include "simulation/nearest_place.hpp"
#include "simulation/speed_search.hpp"
#include "simulation/start_reasons.hpp"

namespace kinegrad {

namespace {

/// A start on real numbers, with the units and scales that it was found with.
struct RealStart {
  KinematicReport report;
  StartUnits units;
};

void refuse(KinematicReport& report, std::string message, bool input_wrong) {
  report.solved = false;
  report.input_wrong = input_wrong;
  report.message = std::move(message);
}

/// Up to the rounding of a drawing that closes.
bool is_drawn(const StartUnits& units, const VecX& drawn, const VecX& q) {
  constexpr double kDrawn = 1e-13;
  const VecX away = (q - drawn).cwiseQuotient(units.d);
  return largest(away) <= kDrawn * (1 + largest(q.cwiseQuotient(units.d)));
}

/// [KP-7].
void go_nearest(StartProblem& problem, Selection& free, VecX& q, StartSets& sets) {
  NearestPlace<double> place(problem.rows(), problem.units(), free);
  sets.nearest = place.go(problem.drawn(), q);
  if (!sets.nearest) return;
  sets.position_rows = place.rows();
  for (std::size_t i = 0; i < place.rows().size(); ++i) {
    sets.position_multipliers.push_back(place.multipliers()(static_cast<Eigen::Index>(i)) /
                                        problem.rows().scale(place.rows()[i]));
  }
}

bool find_positions(StartProblem& problem, bool beside, VecX& q, KinematicReport& report) {
  PositionSearch search(problem, beside);
  const bool closed = search.run();
  const StartAttempt& found = search.found();
  report.iterations = found.iterations;
  if (!closed) {
    if (found.closed) {
      refuse(report, reason_contradiction(problem, search), true);
    } else {
      refuse(report, reason_open(problem, search), false);
    }
    return false;
  }
  q = found.q;
  report.freedom = problem.freedom(q);
  if (found.choice.surplus() > 0 && found.choice.left > 0) {
    refuse(report, reason_misplaced(problem, search), true);
    return false;
  }
  Selection free = problem.select(search.values(), found.choice.held, StartLevel::kPosition);
  report.sets.position_columns = free.columns;
  report.sets.position_rows = free.rows;
  if (found.choice.left > 0 && !is_drawn(problem.units(), problem.drawn(), q)) {
    go_nearest(problem, free, q, report.sets);
  }
  return true;
}

/// The parameters of a system; their real parts.
template <Scalar T>
std::vector<double> parameters_of(const Model& model, const MechanicalSystem<T>& system) {
  std::vector<double> p(model.physical().size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = real_part(system.parameter(static_cast<int>(k)));
  }
  return p;
}

RealStart real_start(const Model& model, MechanicalSystem<double>& system, double t, VecX& q,
                     VecX& v, bool beside) {
  RealStart out;
  const std::vector<double> p = parameters_of(model, system);
  const VecX drawn = q;
  StartProblem problem(model, system, p, t, drawn);
  out.units = problem.units();
  KinematicReport& report = out.report;
  report.sets.scales = report.sets.speed_scales = problem.scales();
  if (!find_positions(problem, beside, q, report)) return out;
  SpeedSearch speeds(problem, beside);
  if (!speeds.run(q, v, report.sets)) refuse(report, speeds.message(), true);
  return out;
}

/// [KP-2], [KP-8] at q.
RealStart real_speeds(const Model& model, MechanicalSystem<double>& system, double t, const VecX& q,
                      VecX& v, bool beside) {
  RealStart out;
  const std::vector<double> p = parameters_of(model, system);
  StartProblem problem(model, system, p, t, q);
  out.units = problem.units();
  out.report.sets.speed_scales = problem.scales();
  SpeedSearch speeds(problem, beside);
  if (!speeds.run(q, v, out.report.sets)) refuse(out.report, speeds.message(), true);
  return out;
}

/// The derivative of a start that was found on real numbers: the same steps from where it is.
class ComplexStart {
 public:
  ComplexStart(const Model& model, MechanicalSystem<Complex>& system, double t,
               const RealStart& real)
      : system_(system),
        t_(t),
        sets_(real.report.sets),
        rows_(model, system, t),
        units_(real.units),
        closing_(rows_, units_) {
    rows_.set_scale(read(sets_.speed_scales));
    for (std::size_t k = 0; k < model.physical().size(); ++k) {
      const Complex p = system.parameter(static_cast<int>(k));
      const double size = std::max(1.0, std::abs(p.real()));  // holomorphic: a size
      const double part = std::abs(p.imag()) / size;          // holomorphic: a size
      units_.derivative = std::max(units_.derivative, part);  // holomorphic: a size
    }
  }

  /// q and v hold the values of the file, then the start; false where it has no derivative.
  bool solve(const VecX& found, VecXT<Complex>& q, VecXT<Complex>& v) {
    const VecXT<Complex> drawn = q;
    Selection free{sets_.position_columns, sets_.position_rows, {}};
    for (const int c : free.columns) q(c) = Complex(found(c), q(c).imag());
    if (!closing_.close(free, q)) return false;
    if (!sets_.position_multipliers.empty()) {
      if (!NearestPlace<Complex>(rows_, units_, free).go(drawn, q)) return false;
    }
    speeds(q, v);
    return true;
  }

  /// The Jacobian of the first pass is real; what its derivative does to the speeds is left over. Of the
  /// nearest speeds the derivative of J⁺ is part.
  void speeds(const VecXT<Complex>& q, VecXT<Complex>& v) {
    Selection free{sets_.velocity_columns, sets_.velocity_rows, {}};
    if (!sets_.velocity_multipliers.empty()) {
      Nearest<Complex> nearest;
      const VecXT<Complex> b = -rates(q, v, free);
      if (nearest.take(free.exact(rows_, q))) {
        const auto n = static_cast<Eigen::Index>(free.columns.size());
        nearest.solve(VecXT<Complex>::Zero(n), b);
        free.add(nearest.change(), v);
        return;
      }
    }
    for (int pass = 0; pass < 3; ++pass) {
      const VecXT<Complex> b = -rates(q, v, free);
      free.add(closing_.least_change(free, q, b), v);
    }
  }

 private:
  VecXT<Complex> rates(const VecXT<Complex>& q, const VecXT<Complex>& v, const Selection& some) {
    const VecXT<Complex> zero = VecXT<Complex>::Zero(v.size());
    system_.evaluate(Complex(t_), in(q), in(v), in(zero));
    system_.measure_targets(Complex(t_), in(q), in(v));
    VecXT<Complex> all;
    rows_.velocities(in(q), in(v), all);
    return Selection::pick(all, some.rows);
  }

  MechanicalSystem<Complex>& system_;
  double t_;
  const StartSets& sets_;
  StartRows<Complex> rows_;
  StartUnits units_;
  Closing<Complex> closing_;
};

}  // namespace

template <>
KinematicReport assemble_start<double>(const Model& model, MechanicalSystem<double>& system,
                                       double t, VecX& q, VecX& v, bool beside) {
  if (system.rows() == 0 && model.initial_targets().empty()) return {};
  return real_start(model, system, t, q, v, beside).report;
}

/// Every decision is that of the real parts.
template <>
KinematicReport assemble_start<Complex>(const Model& model, MechanicalSystem<Complex>& system,
                                        double t, VecXT<Complex>& q, VecXT<Complex>& v,
                                        bool beside) {
  if (system.rows() == 0 && model.initial_targets().empty()) return {};
  JointSystem<double> real(model, ReferencePoint::kCom);
  real.set_parameters(parameters_of(model, system));
  VecX found = q.real(), speeds = v.real();
  RealStart start = real_start(model, real, t, found, speeds, beside);
  if (!start.report.solved || !start.report.sets.nearest) return start.report;
  start.report.sets.nearest = ComplexStart(model, system, t, start).solve(found, q, v);
  return start.report;
}

template <>
KinematicReport assemble_speeds<double>(const Model& model, MechanicalSystem<double>& system,
                                        double t, const VecX& q, VecX& v, bool beside) {
  if (system.rows() == 0 && model.initial_targets().empty()) return {};
  return real_speeds(model, system, t, q, v, beside).report;
}

template <>
KinematicReport assemble_speeds<Complex>(const Model& model, MechanicalSystem<Complex>& system,
                                         double t, const VecXT<Complex>& q, VecXT<Complex>& v,
                                         bool beside) {
  if (system.rows() == 0 && model.initial_targets().empty()) return {};
  JointSystem<double> real(model, ReferencePoint::kCom);
  real.set_parameters(parameters_of(model, system));
  VecX speeds = v.real();
  const RealStart start = real_speeds(model, real, t, q.real(), speeds, beside);
  if (start.report.solved) ComplexStart(model, system, t, start).speeds(q, v);
  return start.report;
}

}  // namespace kinegrad
