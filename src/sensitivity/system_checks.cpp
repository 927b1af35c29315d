// The assembled system and the objectives of a model at one state, against their complex step.
#include <algorithm>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_forces.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "kinegrad/signals/signal_partials.hpp"
#include "sensitivity/complex_point.hpp"

namespace kinegrad {

namespace {

/// f = r + Φ_qᵀλ, less forces that read reactions [RL-1], and the levels, with a step in one number.
struct Slopes {
  MatX f, Phi, Phi_dot, Phi_ddot;
};

Slopes slopes(MechanicalSystem<Complex>& system, ReactiveForces<Complex>& reactive, ComplexPoint& x,
              Part part) {
  const Eigen::Index n = (x.*part).size();
  Slopes out;
  for (Eigen::Index k = 0; k < n; ++k) {
    x.step(part, k, [&] {
      system.set_parameters(in(x.p));
      system.evaluate(x.t, in(x.q), in(x.v), in(x.a));
      VecXT<Complex> f = system.r();
      system.Phi_q().add_transposed(in(x.lambda), kinegrad::out(f));
      reactive.set_parameters(in(x.p));
      reactive.subtract(x.t, in(x.q), in(x.v), in(x.a), in(x.lambda), kinegrad::out(f));
      const auto put = [&](MatX& J, const VecXT<Complex>& y) {
        if (k == 0) J.resize(y.size(), n);
        J.col(k) = slope(y);
      };
      put(out.f, f);
      put(out.Phi, system.Phi());
      put(out.Phi_dot, system.Phi_dot());
      put(out.Phi_ddot, system.Phi_ddot());
    });
  }
  return out;
}

/// The rows of one constraint.
MatX rows_of(const Model& model, std::size_t constraint, const MatX& J, Eigen::Index rows) {
  MatX out(0, J.cols());
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto& row = model.constraint_rows()[static_cast<std::size_t>(i)];
    if (row.constraint != static_cast<int>(constraint)) continue;
    out.conservativeResize(out.rows() + 1, Eigen::NoChange);
    out.bottomRows(1) = J.row(i);
  }
  return out;
}

}  // namespace

void check_system(const CheckPoint& at, ReferencePoint point, std::vector<DerivativeCheck>& out) {
  const Model& model = at.model;
  const auto owner = make_system_partials(model, point);
  SystemPartials& partials = *owner;
  partials.set_parameters(at.p);
  partials.linearize(at.x.t, in(at.x.q), in(at.x.v), in(at.x.a), in(at.x.lambda));
  MatX f_q, f_v, f_a;
  partials.matrices(f_q, f_v, f_a);
  RowJacobians J;
  partials.jacobians(J, RowLevels::kAll);
  const auto complex_owner = make_system<Complex>(model, point);
  MechanicalSystem<Complex>& system = *complex_owner;
  ReactiveForces<Complex> reactive(model);
  ComplexPoint x(at);
  const auto along = [&](Part part) { return slopes(system, reactive, x, part); };
  const Slopes q = along(&ComplexPoint::q), v = along(&ComplexPoint::v),
               a = along(&ComplexPoint::a), rho = along(&ComplexPoint::rho);
  const Eigen::Index m = partials.rows(), holonomic = partials.holonomic();
  for (std::size_t c = 0; c < model.constraints().size(); ++c) {
    const std::string what = "constraint \"" + model.constraints()[c].name + "\", ";
    const auto add = [&](const char* name, const MatX& actual, const MatX& expected,
                         Eigen::Index rows, Part part) {
      out.push_back(compare(what + name, kComplex, kExact, rows_of(model, c, actual, rows),
                            rows_of(model, c, expected, rows), by(model, part, "row")));
    };
    if (model.state_size() == 0) continue;
    add("Phi_q", J.Phi_q, q.Phi, holonomic, &ComplexPoint::q);
    add("Phi_q of rates", J.Phi_q, v.Phi_dot, m, &ComplexPoint::v);
    add("Phidot_q", J.Phidot_q, q.Phi_dot, m, &ComplexPoint::q);
    add("Phiddot_q", J.Phiddot_q, q.Phi_ddot, m, &ComplexPoint::q);
    add("Phiddot_v", J.Phiddot_v, v.Phi_ddot, m, &ComplexPoint::v);
  }
  const auto add = [&](const char* name, const MatX& actual, const MatX& expected, Part part) {
    out.push_back(compare(std::string("equations of motion, ") + name, kComplex, kExact, actual,
                          expected, by(model, part, "equation")));
  };
  if (model.state_size() == 0) return;
  add("f_q", f_q, q.f, &ComplexPoint::q);
  add("f_v", f_v, v.f, &ComplexPoint::v);
  add("f_a", f_a, a.f, &ComplexPoint::a);
  if (m > 0 && partials.reads_reactions()) {
    MatX f_lambda = J.Phi_q.transpose();
    partials.add_reactive_columns(
        [&](int coordinate, int i, double value) { f_lambda(coordinate, i) += value; });
    add("f_lambda", f_lambda, along(&ComplexPoint::lambda).f, &ComplexPoint::lambda);
  }
  if (at.rho.empty()) return;
  MatX by_rho(model.state_size(), static_cast<Eigen::Index>(at.rho.size()));
  const auto n = static_cast<std::size_t>(model.state_size());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> w(n, 0.0), q_bar(n), v_bar(n), a_bar(n), p_bar(at.p.size(), 0.0);
    w[i] = 1;
    partials.pullback(w, {}, {q_bar, v_bar, a_bar, p_bar});
    by_rho.row(static_cast<Eigen::Index>(i)) = read(pulled_to_rho(at, p_bar)).transpose();
  }
  add("by parameters", by_rho, rho.f, &ComplexPoint::rho);
}

void check_objectives(const CheckPoint& at, std::vector<DerivativeCheck>& out) {
  const Model& model = at.model;
  SignalPartials partials(model);
  partials.set_parameters(at.p);
  partials.linearize(at.x.t, in(at.x.q), in(at.x.v), in(at.x.a), in(at.x.lambda));
  SignalEvaluator<Complex> values(model);
  ComplexPoint x(at);
  const auto n = static_cast<std::size_t>(model.state_size());
  for (const Objective& objective : model.objectives()) {
    for (const int output : {objective.terminal, objective.integral}) {
      if (output < 0) continue;
      std::vector<double> q(n, 0.0), v(n, 0.0), a(n, 0.0),
          lambda(static_cast<std::size_t>(at.x.lambda.size()), 0.0), p(at.p.size(), 0.0);
      partials.pullback(output, 1, {q, v, a, lambda, p});
      const std::vector<double> rho = pulled_to_rho(at, p);
      const auto add = [&](const char* name, const std::vector<double>& actual, Part part) {
        if (actual.empty()) return;
        MatX expected(1, (x.*part).size());
        for (Eigen::Index k = 0; k < expected.cols(); ++k) {
          x.step(part, k, [&] {
            values.evaluate(in(x.p), x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
            expected(0, k) = values.output(output).imag() / kComplexStep;
          });
        }
        out.push_back(
            compare("objective \"" + objective.name + "\" at a state, by " + name, kComplex, kExact,
                    read(actual).transpose(), expected,
                    [&](Eigen::Index, Eigen::Index k) { return "by " + name_of(model, part, k); }));
      };
      add("q", q, &ComplexPoint::q);
      add("v", v, &ComplexPoint::v);
      add("a", a, &ComplexPoint::a);
      add("multipliers", lambda, &ComplexPoint::lambda);
      add("parameters", rho, &ComplexPoint::rho);
    }
  }
}

}  // namespace kinegrad
