#include "support/random_programs.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "support/analytic_problems.hpp"

namespace kinegrad::test {

namespace {

using Rng = std::mt19937_64;

double between(Rng& rng, double low, double high) {
  return low + (high - low) * std::ldexp(static_cast<double>(rng() >> 11), -53);
}

template <typename T>
T square(const T& x) {
  return x * x;
}

/// b(u).
template <typename T>
T base(const RandomProgram& program, const VecXT<T>& u) {
  using std::cos;
  using std::exp;
  using std::sqrt;
  const Eigen::Index n = u.size();
  const VecXT<T> d = u - program.centre.cast<T>();
  T sum(0);
  switch (program.shape) {
    case Shape::kBowl:
      for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < n; ++j) sum += 0.5 * d(i) * program.H(i, j) * d(j);
      }
      return sum;
    case Shape::kValley:
      for (Eigen::Index i = 0; i + 1 < n; ++i) sum += 10.0 * square(T(d(i + 1) - d(i) * d(i)));
      return sum + square(d(0));
    case Shape::kQuartic:
      for (const T& x : d) sum += square(T(x * x));
      return sum;
    case Shape::kWells:
      for (const T& x : d) sum += square(T(x * x - 1.0));
      return sum;
    case Shape::kSlope:
      for (Eigen::Index i = 0; i < n; ++i) sum += (program.H(i, i) - 1.5) * d(i);
      return sum;
    case Shape::kTail:
      for (const T& x : d) sum += sqrt(1.0 + x * x) - x;
      return sum;
    case Shape::kSaddle:
      for (Eigen::Index i = 0; i < n; ++i) sum += (i == 0 ? -1.0 : 1.0) * square(d(i));
      return sum;
    case Shape::kWaves:
      for (const T& x : d) sum += 0.1 * x * x - cos(2.0 * x);
      return sum;
  }
  return sum;
}

/// Rows of constraints: a plane and a ball in u.
template <typename T>
T row_of(int row, const VecXT<T>& u) {
  T sum(0);
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    sum += row == 1 ? T(static_cast<double>(i + 1) * u(i)) : T(u(i) * u(i));
  }
  return sum;
}

template <typename Function>
VecX slope_of(const Function& function, const VecX& u) {
  constexpr double kTiny = 1e-200;
  VecX slope(u.size());
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    VecXT<Complex> z = u.cast<Complex>();
    z(k) += Complex(0, kTiny);
    slope(k) = function(z).imag() / kTiny;
  }
  return slope;
}

constexpr const char* kNames[] = {"bowl", "valley", "quartic", "wells", "slope", "tail", "saddle", "waves"};

/// Bounds of u around the centre, some of them on it, some open.
void draw_bounds(RandomProgram& program, VecX& u, Rng& rng) {
  OptimizationProblem& problem = program.problem;
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    if (rng() % 2) continue;
    const bool leans = rng() % 3 == 0;  // the optimum without bounds lies beyond
    const double low = program.centre(k) + (leans ? between(rng, 0.1, 1) : -between(rng, 0.5, 4));
    const double high = low + between(rng, 0.5, 6);
    problem.lower(k) = rng() % 4 ? low * program.units(k) : -kInfinity;
    problem.upper(k) = rng() % 4 ? high * program.units(k) : kInfinity;
    u(k) = std::clamp(u(k), low, high);
  }
}

void draw_constraints(RandomProgram& program, Rng& rng) {
  OptimizationProblem& problem = program.problem;
  const VecX& c = program.centre;
  const double plane = row_of<double>(1, c), ball = row_of<double>(2, c);
  const double away = between(rng, -1, 1);
  switch (rng() % 4) {
    case 0: problem.constraints = {{1, -kInfinity, plane + away}}; break;
    case 1: problem.constraints = {{1, plane + away, plane + away}}; break;
    case 2: problem.constraints = {{2, -kInfinity, ball + 0.5 + std::abs(away)}}; break;
    default:  // |u|² ≤ r² and Σ k u_k beyond its reach, or just within
      const double r = between(rng, 0.5, 2), norm = std::sqrt(row_of<double>(2, [&] {
        VecX weights(c.size());
        for (Eigen::Index k = 0; k < c.size(); ++k) weights(k) = static_cast<double>(k + 1);
        return weights;
      }()));
      program.infeasible = rng() % 2;
      const double reach = r * norm * (program.infeasible ? 1.5 : 0.5);
      problem.constraints = {{1, reach, kInfinity}, {2, -kInfinity, r * r}};
  }
}

}  // namespace

double RandomProgram::cost(const VecX& u) const { return base<double>(*this, u); }

VecX RandomProgram::slope(const VecX& u) const {
  return slope_of([&](const VecXT<Complex>& z) { return base<Complex>(*this, z); }, u);
}

bool RandomProgram::unbounded() const {
  for (const RowRange& range : problem.constraints) {
    if (range.row == 2) return false;
  }
  const auto open = [&](Eigen::Index k, double way) {
    return std::isinf(way > 0 ? problem.upper(k) : problem.lower(k));
  };
  if (shape == Shape::kSaddle) return open(0, 1) || open(0, -1);
  if (shape != Shape::kSlope || !problem.constraints.empty()) return false;
  for (Eigen::Index k = 0; k < centre.size(); ++k) {
    if (open(k, -(H(k, k) - 1.5))) return true;
  }
  return false;
}

Evaluator RandomProgram::evaluator() const {
  return [this](const EvaluationRequest& request) {
    const VecX u = u_of(request.rho);
    Evaluation out;
    out.rho = request.rho;
    const auto rows = static_cast<Eigen::Index>(problem.rows.size());
    out.psi.resize(rows);
    out.psi_rho.resize(rows, u.size());
    out.psi(0) = size * cost(u) + offset;
    out.psi_rho.row(0) = size * slope(u).cwiseQuotient(units).transpose();
    for (int row = 1; row < rows; ++row) {
      out.psi(row) = row_of<double>(row, u);
      out.psi_rho.row(row) =
          slope_of([&](const VecXT<Complex>& z) { return row_of<Complex>(row, z); }, u)
              .cwiseQuotient(units)
              .transpose();
    }
    return out;
  };
}

RandomProgram random_program(std::uint64_t seed, bool constrained) {
  Rng rng(seed);
  RandomProgram out;
  const auto n = static_cast<Eigen::Index>(1 + rng() % 4);
  out.shape = static_cast<Shape>(rng() % 8);
  out.units.setOnes(n);
  const bool scaled = rng() % 2;
  for (double& s : out.units) s = scaled ? std::pow(10, between(rng, -8, 8)) : 1;
  out.size = rng() % 2 ? std::pow(10, between(rng, -8, 8)) : 1;
  out.offset = rng() % 4 ? 0 : out.size * between(rng, -10, 10);
  out.centre = VecX::NullaryExpr(n, [&](Eigen::Index) { return rng() % 3 ? between(rng, -3, 3) : 0; });
  MatX A = MatX::NullaryExpr(n, n, [&](Eigen::Index, Eigen::Index) { return between(rng, -1, 1); });
  out.H = A * A.transpose();
  for (Eigen::Index k = 0; k < n; ++k) out.H(k, k) += std::pow(10, between(rng, -3, 1));
  VecX u = out.centre;  // begun at an optimum, a maximum or a saddle
  for (double& x : u) {
    if (rng() % 4) x += between(rng, -2, 2);
  }
  out.problem = plain_problem(VecX::Zero(n), 3);
  draw_bounds(out, u, rng);
  if (constrained) draw_constraints(out, rng);
  out.problem.start = u.cwiseProduct(out.units);
  out.problem.start = out.problem.start.cwiseMax(out.problem.lower).cwiseMin(out.problem.upper);
  // a user who scales the parameters says so, now and then wrongly
  for (Eigen::Index k = 0; k < n; ++k) {
    if (scaled) out.problem.scale(k) = out.units(k);
    if (rng() % 8 == 0) out.problem.scale(k) = out.units(k) * std::pow(10, between(rng, -1, 1));
  }
  out.name = kNames[static_cast<int>(out.shape)] + std::string(" of ") + std::to_string(n);
  return out;
}

std::string no_minimum(const RandomProgram& program, const VecX& rho, double constraint_tolerance) {
  const OptimizationProblem& problem = program.problem;
  if ((rho.array() < problem.lower.array()).any() || (rho.array() > problem.upper.array()).any()) {
    return "a bound does not hold";
  }
  const auto missed = [&](const VecX& u) {
    double most = 0;
    for (const RowRange& range : problem.constraints) {
      const double psi = row_of<double>(range.row, u);
      most = std::max({most, range.lower - psi, psi - range.upper});
    }
    return most;
  };
  const VecX u = program.u_of(rho);
  // rounding of ρ = s u: the constraint is asked of u here
  if (missed(u) > 2 * constraint_tolerance) return "a constraint does not hold";
  const VecX begin = program.u_of(problem.start);
  const double here = program.cost(u);
  const double fallen = missed(begin) > 0 ? 0 : program.cost(begin) - here;
  const double noise = 1e-9 * (std::abs(here) + std::abs(program.offset / program.size));
  // a gradient of 1e-7 of the start's, two digits more where a library stops, in the bend of a valley or on a quartic
  const double allowed = 1e-4 * std::abs(fallen) + 1e-6 + noise;
  Rng rng(1);
  double best = here;
  for (int k = 0; k < 4000; ++k) {
    const double radius = std::pow(10, between(rng, -4, -1));
    VecX trial = u;
    for (double& x : trial) x += radius * between(rng, -1, 1);
    trial = trial.cwiseProduct(program.units).cwiseMax(problem.lower).cwiseMin(problem.upper)
                .cwiseQuotient(program.units);
    if (missed(trial) <= missed(u)) best = std::min(best, program.cost(trial));
  }
  if (best < here - allowed) {
    return "a point nearby is cheaper by " + std::to_string((here - best) / allowed) +
           " times what may be";
  }
  return {};
}

}  // namespace kinegrad::test
