// Starts of random loops of 1 mm to 10 km (docs/theory/kinematic_problems.md): the file gives as many values as
// there are degrees of freedom, more, fewer or none; of coordinates and of points; with speeds; consistent or
// not. A start is found with all equations at rounding of their own scale and with derivatives that all methods
// agree on, or refused with a reason. Contradictions are never accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "kinegrad/math/euler_parameters.hpp"
#include "kinegrad/simulation/equation_scale.hpp"
#include "kinegrad/simulation/start_partials.hpp"
#include "support/closed_loops.hpp"
#include "support/random_loops.hpp"

namespace kinegrad {
namespace {

/// What a file says of the start.
enum class Says { kExactly, kMore, kFewer, kNothing, kContradiction, kContradictorySpeeds };
constexpr const char* kSays[] = {"exactly", "more", "fewer", "nothing", "contradiction", "speeds"};

struct Asked {
  Says says = Says::kExactly;
  std::string initial;    // the section
  bool by_point = false;  // which may be no freedom beside the coordinates that are given
};

std::string number(double x) { return fmt::format("{:.17g}", x); }

/// Indices 0 … n − 1 in random order.
std::vector<std::size_t> shuffled(test::RandomLoops& random, std::size_t n) {
  std::vector<std::size_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = i;
  for (std::size_t i = n; i > 1; --i) {
    std::swap(out[i - 1], out[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  }
  return out;
}

/// A state that a file gives whole, speeds included: that of the start found for another file.
struct State {
  VecX q, v;
};

Asked ask(test::RandomLoops& random, const test::RandomLoop& loop, const State* whole) {
  Asked out;
  const std::size_t n = loop.q.size();
  const auto f = static_cast<std::size_t>(loop.freedom);
  out.says = static_cast<Says>(random.index(6));
  std::size_t count = f;
  if (out.says == Says::kMore || out.says == Says::kContradiction) {
    count = f + 1 + static_cast<std::size_t>(random.index(static_cast<int>(n - f)));
  }
  if (out.says == Says::kFewer) count = f > 1 ? f - 1 : 0;
  if (out.says == Says::kNothing) count = 0;
  const std::vector<std::size_t> order = shuffled(random, n);
  std::string initial, guess;
  const auto add = [](std::string& to, const std::string& name, double value) {
    to += (to.empty() ? "" : ", ") + name + ": " + number(value);
  };
  // a point may say the same as a coordinate, and the wrong value be a freedom then
  const bool by_point = out.by_point =
      count > 0 && out.says != Says::kContradiction && random.index(4) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = order[i];
    const double unit = loop.lengths[k] ? loop.size : 1;
    if (i < count && !(by_point && i == 0)) {
      const bool wrong = out.says == Says::kContradiction && i + 1 == count;
      // far above the digits typed, and not the other way to assemble the loop
      const double off = wrong ? unit * random.uniform(0.02, 0.1) : 0;
      add(initial, loop.joints[k] + ".q",
          (whole ? whole->q(static_cast<Eigen::Index>(k)) : loop.q[k]) + off);
    } else {
      add(guess, loop.joints[k] + ".q", loop.q[k] + 0.05 * unit * random.uniform(-1, 1));
    }
  }
  if (by_point) {
    const auto k = static_cast<std::size_t>(random.index(static_cast<int>(loop.points.size())));
    add(initial, loop.points[k], loop.places[k]);
  }
  const bool moves = random.index(2) == 0;
  if (out.says == Says::kContradictorySpeeds) {
    for (const std::string& joint : loop.joints) add(initial, joint + ".v", random.uniform(1, 3));
  } else if (whole && out.says == Says::kMore) {
    for (std::size_t k = 0; k < n; ++k)
      add(initial, loop.joints[k] + ".v", whole->v(static_cast<Eigen::Index>(k)));
  } else if (moves && count >= f) {
    const std::string& joint = loop.joints[order[by_point ? n - 1 : 0]];
    initial += (initial.empty() ? "" : ", ") + joint + ".v: w";
  }
  out.initial = "initial: {" + initial + "}\nguess: {" + guess + "}\n";
  return out;
}

std::vector<double> physical(const Model& model, const VecX& rho) {
  const DesignMap& map = model.design_map();
  std::vector<double> p(static_cast<std::size_t>(map.physical_count()));
  auto work = map.make_workspace<double>();
  map.evaluate<double>({rho.data(), static_cast<std::size_t>(rho.size())}, p, work);
  return p;
}

/// Starts of one model and their derivatives by all means there are.
class Starts {
 public:
  explicit Starts(const Model& model) : model_(model), rho_(model.default_rho()) {
    options_.formulation = "index1";
    p_ = physical(model, rho_);
    size_ = mechanism_size(model, p_,
                           {p_.data() + model.initial_q(), static_cast<std::size_t>(model.nq())})
                .size;
    units_ = coordinate_units(model, size_);
  }

  bool find() {
    start_.emplace(model_, options_);
    return start_->find(p_, x_, report_);
  }
  const RunReport& report() const { return report_; }
  const StepState<double>& x() const { return x_; }

  /// Φ and Φ̇ as parts of their scales, the latter of the speeds.
  double open() {
    JointSystem<double> system(model_, ReferencePoint::kCom);
    system.set_parameters(p_);
    const VecX zero = VecX::Zero(model_.nq());
    system.evaluate(0, test::view(x_.q), test::view(x_.v), test::view(zero));
    const EquationScale scale(model_, p_, 0, test::view(x_.q), size_);
    const double speed = x_.v.cwiseQuotient(units_).cwiseAbs().maxCoeff() + 1e-12;
    double most = 0;
    for (int i = 0; i < system.rows(); ++i) {
      const double s = scale.of(model_.constraint_rows()[static_cast<std::size_t>(i)]);
      most = std::max(
          {most, std::abs(system.Phi()(i)) / s, std::abs(system.Phi_dot()(i)) / s / speed});
    }
    return most;
  }

  /// d(q, v)/dρ in units, a column for each parameter.
  MatX forward() {
    const auto partials = linearized();
    const std::vector<int> all = every_parameter();
    const DesignJacobian design(model_.design_map(), test::view(rho_), all);
    StateTangent x;
    partials->tangent(design, x);
    return in_units(x.q, x.v);
  }
  /// One row of it for each weight.
  MatX adjoint(const MatX& weights) {
    const auto partials = linearized();
    const std::vector<int> all = every_parameter();
    const DesignJacobian design(model_.design_map(), test::view(rho_), all);
    MatX out(weights.rows(), rho_.size());
    for (Eigen::Index i = 0; i < weights.rows(); ++i) {
      StateCotangent x;
      x.set_zero(model_.nq(), static_cast<int>(model_.constraint_rows().size()));
      x.q = weights.row(i).head(model_.nq()).transpose().cwiseQuotient(units_);
      x.v = weights.row(i).tail(model_.nq()).transpose().cwiseQuotient(units_);
      std::vector<double> p_bar(p_.size(), 0.0), rho_bar(static_cast<std::size_t>(rho_.size()));
      partials->adjoint(x, p_bar);
      design.pull(p_bar, rho_bar);
      out.row(i) = Eigen::Map<const VecX>(rho_bar.data(), rho_.size()).transpose();
    }
    return out;
  }
  /// Units of the coordinates per share of a parameter: large next to dead points.
  double steepness(const MatX& derivative) const {
    return (derivative.topRows(model_.nq()) * rho_.asDiagonal()).cwiseAbs().maxCoeff();
  }
  MatX complex_step() {
    constexpr double kImaginary = 1e-40;
    MatX q(model_.nq(), rho_.size()), v(model_.nq(), rho_.size());
    RunStart<Complex> start(model_, beside());
    const DesignMap& map = model_.design_map();
    auto work = map.make_workspace<Complex>();
    for (Eigen::Index k = 0; k < rho_.size(); ++k) {
      std::vector<Complex> rho(rho_.begin(), rho_.end()), p(p_.size());
      rho[static_cast<std::size_t>(k)] += Complex(0, kImaginary);
      map.evaluate<Complex>(rho, p, work);
      StepState<Complex> x;
      RunReport report;
      if (!start.find(p, x, report)) throw std::runtime_error("complex step: " + report.message);
      q.col(k) = x.q.imag() / kImaginary;
      v.col(k) = x.v.imag() / kImaginary;
    }
    return in_units(q, v);
  }
  MatX differences(double relative) {
    MatX q(model_.nq(), rho_.size()), v(model_.nq(), rho_.size());
    RunStart<double> start(model_, beside());
    for (Eigen::Index k = 0; k < rho_.size(); ++k) {
      const double h = relative * std::abs(rho_(k));
      StepState<double> side[2];
      for (int s = 0; s < 2; ++s) {
        VecX rho = rho_;
        rho(k) += s == 0 ? h : -h;
        RunReport report;
        if (!start.find(physical(model_, rho), side[s], report)) {
          throw std::runtime_error("differences: " + report.message);
        }
      }
      q.col(k) = (side[0].q - side[1].q) / (2 * h);
      v.col(k) = (side[0].v - side[1].v) / (2 * h);
    }
    return in_units(q, v);
  }

 private:
  RunOptions beside() const {
    RunOptions options = options_;
    options.beside = true;
    return options;
  }
  std::vector<int> every_parameter() const {
    std::vector<int> all(static_cast<std::size_t>(rho_.size()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    return all;
  }
  std::unique_ptr<StartPartials> linearized() {
    auto partials = make_start_partials(model_, options_, p_, {});
    if (!partials->linearize(x_, start_->sets(), false)) throw std::runtime_error(kNoNearestStart);
    return partials;
  }
  /// Coordinates in their units by parameters in their own.
  MatX in_units(const MatX& q, const MatX& v) const {
    MatX out(2 * q.rows(), q.cols());
    out << units_.cwiseInverse().asDiagonal() * q, units_.cwiseInverse().asDiagonal() * v;
    return out;
  }

  const Model& model_;
  VecX rho_;
  RunOptions options_;
  std::vector<double> p_;
  double size_ = 1;
  VecX units_;
  std::optional<RunStart<double>> start_;
  StepState<double> x_;
  RunReport report_;
};

double distance(const MatX& a, const MatX& b) {
  double most = 0;
  for (Eigen::Index k = 0; k < a.cols(); ++k) {
    const double size = std::max(b.col(k).norm(), 1e-300);
    most = std::max(most, (a.col(k) - b.col(k)).norm() / size);
  }
  return most;
}

struct Tally {
  int started = 0, refused = 0, steep = 0;
  double open = 0, adjoint = 0, complex = 0, differences = 0;
};

void compare(Starts& starts, test::RandomLoops& random, Tally& tally, const std::string& text) {
  constexpr double kSteep =
      300;  // units per share of a parameter: differences would leave the branch
  constexpr double kAgreed = 1e-8;  // next to dead points the conditioning takes some of 1e-15
  const double open = starts.open();
  const MatX forward = starts.forward(), complex = starts.complex_step();
  MatX weights(2, forward.rows());
  for (double& w : weights.reshaped()) w = random.uniform(-1, 1);
  const MatX pulled = weights * forward, adjoint = starts.adjoint(weights);
  tally.open = std::max(tally.open, open);
  EXPECT_LE(open, 1e-11) << text;
  EXPECT_LE(distance(forward, complex), kAgreed) << text;
  EXPECT_LE(distance(adjoint, pulled), kAgreed) << text;
  tally.complex = std::max(tally.complex, distance(forward, complex));
  tally.adjoint = std::max(tally.adjoint, distance(adjoint, pulled));
  if (starts.steepness(forward) > kSteep) {
    ++tally.steep;
    return;
  }
  // truncation as two steps show it, rounding of a difference of 1e-6
  const MatX fine = starts.differences(1e-6), coarse = starts.differences(2e-6);
  const double error = distance(coarse, fine) + 1e-7;
  EXPECT_LE(distance(fine, forward), 10 * error) << text;
  tally.differences = std::max(tally.differences, distance(fine, forward) / error);
}

/// The start of a file that gives one value for each degree of freedom, and a speed: what others publish.
std::optional<State> whole_state(const test::RandomLoop& loop, test::RandomLoops& random) {
  std::string initial;
  for (int k = 0; k < loop.freedom; ++k) {
    const std::string& joint = loop.joints[static_cast<std::size_t>(k)];
    initial += fmt::format("{}{}.q: {:.17g}, {}.v: {:.17g}", k ? ", " : "", joint,
                           loop.q[static_cast<std::size_t>(k)], joint, random.uniform(-2, 2));
  }
  std::string guess;
  for (std::size_t k = static_cast<std::size_t>(loop.freedom); k < loop.q.size(); ++k) {
    guess += fmt::format("{}{}.q: {:.17g}", guess.empty() ? "" : ", ", loop.joints[k], loop.q[k]);
  }
  const Model model =
      test::model_of(loop.text + "initial: {" + initial + "}\nguess: {" + guess + "}\n");
  Starts starts(model);
  if (!starts.find()) return {};
  return State{starts.x().q, starts.x().v};
}

void run(unsigned seed, int count, std::map<Says, Tally>& tallies) {
  test::RandomLoops random(seed);
  for (int k = 0; k < count; ++k) {
    const test::RandomLoop loop = random.next();
    const std::optional<State> whole = random.index(2) ? whole_state(loop, random) : std::nullopt;
    const Asked asked = ask(random, loop, whole ? &*whole : nullptr);
    const std::string text = loop.text + asked.initial;
    SCOPED_TRACE(fmt::format("seed {} case {} {}", seed, k, kSays[static_cast<int>(asked.says)]));
    const Model model = test::model_of(text);
    Starts starts(model);
    Tally& tally = tallies[asked.says];
    const bool contradicts =
        asked.says == Says::kContradiction || asked.says == Says::kContradictorySpeeds;
    if (!starts.find()) {
      ++tally.refused;
      EXPECT_FALSE(starts.report().message.empty()) << text;
      const bool misplaced =
          asked.by_point && starts.report().message.find("does not give") != std::string::npos;
      EXPECT_TRUE(contradicts || misplaced) << starts.report().message << "\n" << text;
      continue;
    }
    ++tally.started;
    EXPECT_FALSE(contradicts) << text;
    if (!contradicts) compare(starts, random, tally, text);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomStarts, AreRightOrRefused) {
  // more, once: KINEGRAD_RANDOM_STARTS=5000
  const char* more = std::getenv("KINEGRAD_RANDOM_STARTS");
  const int count = more ? std::atoi(more) : 300;
  std::map<Says, Tally> tallies;
  run(1, count, tallies);
  for (const auto& [says, t] : tallies) {
    fmt::print(
        "{:14} started {:5} ({} next to dead points) refused {:5}  Φ {:.1e}  complex {:.1e}  "
        "adjoint {:.1e}  differences "
        "{:.1e} of their error\n",
        kSays[static_cast<int>(says)], t.started, t.steep, t.refused, t.open, t.complex, t.adjoint,
        t.differences);
  }
}

/// Two bodies on balls and a rod from the second one to the ground, somewhere in the world; Euler
/// parameters of both, of one or of none are given, those of the second one wrong in every fourth file.
TEST(RandomStarts, OnBalls) {
  test::RandomLoops random(7);
  const char* more = std::getenv("KINEGRAD_RANDOM_STARTS");
  const int count = more ? std::atoi(more) / 10 : 60;
  Tally tally;
  for (int k = 0; k < count; ++k) {
    const double size = std::pow(10.0, random.uniform(-3, 4));
    const Vec3 O =
        size * 10 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    Vec<double, 4> e[2];
    for (auto& p : e) {
      for (double& x : p) x = random.uniform(-1, 1);
      p.normalize();
    }
    const double l = size * random.uniform(0.5, 1.5), h = size * random.uniform(0.5, 1.5);
    const Mat3 A = euler_rotation<double>(e[0]), B = A * euler_rotation<double>(e[1]);
    const Vec3 tip = O + A * Vec3(l, 0, 0), end = tip + B * Vec3(0, h, 0);
    const Vec3 D = O + size * Vec3(random.uniform(1, 2), random.uniform(-1, 1), 0.5);
    const bool wrong = k % 4 == 3;
    const auto list = [](const auto& x) {
      std::string out;
      for (const double value : x) out += (out.empty() ? "[" : ", ") + number(value);
      return out + "]";
    };
    Vec<double, 4> said = e[1];
    if (wrong) said = (said + Vec<double, 4>(0.1, -0.1, 0.1, 0.1)).normalized();
    const int given = wrong ? 2 : k % 3;
    std::string initial = given > 0 ? "S.q: " + list(e[0]) : "", guess;
    if (given > 1) initial += ", T.q: " + list(said);
    if (given == 1) guess = "T.q: " + list(e[1]);
    if (given == 0) guess = "S.q: " + list(e[0]);
    if (k % 2) initial += std::string(given ? ", " : "") + "S.w: [w, 0.3, 0.1]";
    const std::string text = fmt::format(
        "parameters: {{w: 0.7, l: {0:.17g}, h: {1:.17g}, R: {2:.17g}}}\n"
        "bodies:\n  A: {{mass: 1, inertia: [1, 1, 1], points: {{PA: [l, 0, 0]}}}}\n"
        "  B: {{mass: 1, inertia: [1, 1, 1], points: {{PB: [0, h, 0]}}}}\n"
        "joints:\n  S: {{type: spherical, bodies: [ground, A], points: [{3}, [0, 0, 0]]}}\n"
        "  T: {{type: spherical, bodies: [A, B], points: [PA, [0, 0, 0]]}}\n"
        "constraints: {{rod: {{type: distance, points: [PB, {4}], length: R}}}}\n"
        "initial: {{{5}}}\nguess: {{{6}}}\n",
        l, h, (end - D).norm(), list(O), list(D), initial, guess);
    SCOPED_TRACE(fmt::format("case {}\n{}", k, text));
    const Model model = test::model_of(text);
    Starts starts(model);
    const bool found = starts.find();
    ++(found ? tally.started : tally.refused);
    ASSERT_EQ(found, !wrong) << starts.report().message;
    if (found) compare(starts, random, tally, text);
    if (testing::Test::HasFailure()) return;
  }
  fmt::print("on balls started {} refused {}  Φ {:.1e}  complex {:.1e}  adjoint {:.1e}\n",
             tally.started, tally.refused, tally.open, tally.complex, tally.adjoint);
}

}  // namespace
}  // namespace kinegrad
