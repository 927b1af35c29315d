// Level L1 of the derivative ladder for signals: everything they may read, at states off the
// constraints, against the complex step.
#include "kinegrad/signals/signal_partials.hpp"

#include <gtest/gtest.h>

#include "kinegrad/constraints/all.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"

namespace kinegrad {
namespace {

/// L1: sums over a few bodies of products of a few dozen operations.
constexpr double kAssembly = 1e-12;

/// Spring of no length whose stiffness may depend on anything, and a field that pulls to the origin:
/// forces of the user's own, with energies.
struct Elastic {
  static constexpr std::string_view name = "elastic";
  static constexpr std::string_view summary = "spring of no length";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 1> attributes{
      {{"k", "N/m", 1, true, "stiffness", true}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Elastic, T>& in) {
    return in.x * (-in.p(0));
  }
  template <typename T>
  static T energy(const ForceInput<Elastic, T>& in) {
    return in.p(0) * la::squared_norm(in.x) * T(0.5);
  }
};
struct Well {
  static constexpr std::string_view name = "well";
  static constexpr std::string_view summary = "pull towards the origin, with drag";
  static constexpr PortKind port = PortKind::kField;
  static constexpr std::array<AttributeInfo, 2> attributes{{{"k", "1/(m s)^2"}, {"c", "1/s"}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Well, T>& in) {
    return in.x * (-in.p(0) * la::squared_norm(in.x)) - in.xdot * in.p(1);
  }
  template <typename T>
  static T energy(const ForceInput<Well, T>& in) {
    const T r2 = la::squared_norm(in.x);
    return in.p(0) * r2 * r2 * T(0.25);
  }
};

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue own = builtin_catalogue();
    own.add(force_model<Elastic>());
    own.add(force_model<Well>());
    return own;
  }();
  return all;
}

/// Whatever the names in the model allow a signal to read, each by itself and all in one.
std::vector<std::string> readable(const Model& model) {
  std::vector<std::string> names{"t", "energy", "kinetic_energy", "potential_energy"};
  for (const Parameter& p : model.parameters()) names.push_back(p.name);
  for (const Joint& joint : model.joints()) {
    for (const char* c : {"fx", "fy", "fz", "tx", "ty", "tz"}) {
      names.push_back("reaction(" + joint.name + ", " + c + ")");
    }
    const int n = joint.type->nq();
    for (int c = 0; c < n; ++c) {
      for (const char* x : {".q", ".v", ".a"}) {
        names.push_back(joint.name + x + (n > 1 ? std::to_string(c + 1) : ""));
      }
    }
  }
  for (std::size_t k = 0; k < model.vectors().size(); ++k) {
    if (model.vectors()[k].hidden) continue;
    for (const char* level : {"", "v", "a"}) {
      for (const char* axis : {"x", "y", "z"}) {
        names.push_back(model.vector_name(int(k)) + "." + level + axis);
      }
    }
  }
  return names;
}

Model with_signals(ModelDescription d) {
  std::string all = "sin(t)";
  int k = 0;
  for (const std::string& name : readable(compile_model(d, catalogue()))) {
    SignalSpec signal;
    signal.name = "signal" + std::to_string(k);
    signal.value = name;
    d.signals.push_back(signal);
    all += " + " + std::to_string(++k % 7 + 1) + "*" + name;
  }
  SignalSpec sum;
  sum.name = "sum_of_all";
  sum.value = all;
  d.signals.push_back(sum);
  return compile_model(d, catalogue());
}

Model with_signals(const std::string& text) {
  return with_signals(parse_model_yaml(text, "signals.yaml"));
}

/// Everything a signal depends on, and a direction in it.
struct Point {
  std::vector<double> q, v, a, lambda, p;
  explicit Point(const Model& model)
      : q(std::size_t(model.nq()), 0.0),
        v(q),
        a(q),
        lambda(model.constraint_rows().size(), 0.0),
        p(std::size_t(model.design_map().physical_count()), 0.0) {}
  std::vector<double>* parts[5] = {&q, &v, &a, &lambda, &p};
  Point(const Point&) = delete;
};

double product(const Point& x, const Point& y) {
  double sum = 0;
  for (int i = 0; i < 5; ++i) sum += test::map(*x.parts[i]).dot(test::map(*y.parts[i]));
  return sum;
}

/// Visits all directions: single numbers, but frames are turned, for their nine numbers cannot change
/// one by one.
template <typename Visit>
void each_direction(const Model& model, const Point& at, const Visit& visit) {
  constexpr const char* kSignals[] = {"q", "v", "a", "lambda", "p"};
  std::vector<bool> rotation(at.p.size(), false);
  Point d(model);
  for (const FrameBlock frame : test::frames_of(model)) {
    const auto first = std::size_t(frame.rotation());
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(&at.p[first]);
    for (int i = 0; i < 3; ++i) {
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&d.p[first]) =
          la::skew(Vec3(Vec3::Unit(i))) * R;
      visit(d, "turn of frame " + model.physical()[first].name);
    }
    for (std::size_t k = 0; k < 9; ++k) {
      d.p[first + k] = 0;
      rotation[first + k] = true;
    }
  }
  for (int part = 0; part < 5; ++part) {
    std::vector<double>& x = *d.parts[part];
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (part == 4 && rotation[k]) continue;
      x[k] = 1;
      visit(d, part == 4 ? model.physical()[k].name : kSignals[part] + std::to_string(k));
      x[k] = 0;
    }
  }
}

void fill(const Model& model, std::mt19937_64& rng, Point& x) {
  const test::SampleState s = test::random_state(model, rng);
  x.q = s.q;
  x.v = s.v;
  x.a = s.a;
  x.p = s.p;
  for (double& l : x.lambda) l = test::uniform(rng);
}

/// Derivatives of all signals along a direction.
class Oracle {
 public:
  Oracle(const Model& model, double t, const Point& at)
      : model_(model), values_(model), t_(t), at_(at) {}

  VecX along(const Point& d) {
    for (int i = 0; i < 5; ++i) {
      const std::vector<double>&x = *at_.parts[i], &y = *d.parts[i];
      x_[i].resize(x.size());
      for (std::size_t k = 0; k < x.size(); ++k) x_[i][k] = Complex(x[k], kComplexStep * y[k]);
    }
    values_.evaluate(x_[4], t_, x_[0], x_[1], x_[2], x_[3]);
    VecX out(Eigen::Index(model_.signals().size()));
    for (Eigen::Index k = 0; k < out.size(); ++k) {
      out(k) = values_.signal(int(k)).imag() / kComplexStep;
    }
    return out;
  }

 private:
  const Model& model_;
  SignalEvaluator<Complex> values_;
  double t_;
  const Point& at_;
  std::vector<Complex> x_[5];
};

void expect_right(const Model& model, unsigned seed) {
  std::mt19937_64 rng(seed);
  Point at(model);
  fill(model, rng, at);
  const double t = 1 + 0.8 * test::uniform(rng);
  SignalPartials partials(model);
  partials.set_parameters(at.p);
  partials.linearize(t, at.q, at.v, at.a, at.lambda);
  const std::size_t n = model.signals().size();
  std::vector<std::unique_ptr<Point>> bars;
  for (std::size_t k = 0; k < n; ++k) {
    bars.push_back(std::make_unique<Point>(model));
    Point& bar = *bars.back();
    partials.pullback(model.signals()[k].output, 1, {bar.q, bar.v, bar.a, bar.lambda, bar.p});
  }
  Oracle oracle(model, t, at);
  std::vector<double> size(n, 1.0), error(n, 0.0);
  std::vector<std::string> where(n);
  each_direction(model, at, [&](const Point& d, const std::string& name) {
    const VecX expected = oracle.along(d);
    for (std::size_t k = 0; k < n; ++k) {
      const double right = expected(Eigen::Index(k));
      const double off = std::abs(product(*bars[k], d) - right);
      size[k] = std::max(size[k], std::abs(right));
      if (off <= error[k]) continue;  // not so if it is NaN
      error[k] = std::isnan(off) ? HUGE_VAL : off;
      where[k] = name;
    }
  });
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_LE(error[k], kAssembly * size[k])
        << (k + 1 < n ? readable(model)[k] : "all together") << " along " << where[k];
  }
}

TEST(SignalPartials, EveryTypeOfConstraint) {
  unsigned seed = 340;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    for (auto it = first; it != last; ++it) {
      SCOPED_TRACE(it->first + ": " + it->second);
      expect_right(with_signals(test::constrained_mechanism(it->first, it->second)), seed++);
    }
  });
}

TEST(SignalPartials, EveryJointAsCutInBothDirections) {
  unsigned seed = 320;
  for (const test::Closure& c : test::kClosures) {
    for (const char* closure : {"minimal", "redundant"}) {
      if (std::string(closure) == "redundant" && c.redundant == 0) continue;
      for (const bool reversed : {false, true}) {
        SCOPED_TRACE(std::string(c.type) + ", " + closure + (reversed ? ", reversed" : ""));
        expect_right(with_signals(test::closure_description(c.type, closure, reversed)), seed++);
      }
    }
  }
}

/// The second body of a cut joint may be the ground, the first as well.
TEST(SignalPartials, CutJointsOnTheGround) {
  for (const char* bodies : {"[ground, b]", "[b, ground]"}) {
    SCOPED_TRACE(bodies);
    const std::string model =
        R"(
bodies:
  a: {mass: 1.2, com: [0.1, 0.3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
  b: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.2, 0.3, 0.25]}
joints:
  J: {type: universal, bodies: [a, ground], points: [[0, 0.1, 0], [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  S: {type: spherical, bodies: [a, b], points: [[1, 0, 0], [0, 0, 0.2]]}
  C: {type: cylindrical, bodies: )" +
        std::string(bodies) +
        R"(, points: [[0.3, 0.4, 0], [0.1, 0, 0.5]], axes: [z, [0.6, 0, 0.8]], cut: true}
forces:
  weight: {type: gravity, acceleration: [1, -9, 2]}
)";
    expect_right(with_signals(model), 7);
  }
}

TEST(SignalPartials, RandomTreesUnderLoads) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    ModelDescription d = test::loaded_tree(seed, 6);
    ForceSpec well;
    well.name = "well";
    well.type = "well";
    well.numbers = {{"k", "a*b"}, {"c", "0.3"}};
    if (seed % 2 == 0) d.forces.push_back(well);
    expect_right(with_signals(d), 20 + seed);
  }
}

/// Attributes that depend on the motion, efforts in axes of bodies, torques, forces on coordinates.
TEST(SignalPartials, ForcesThatReadTheMotion) {
  const std::string model = R"yaml(
parameters: {k: 3, L: 0.8}
points: {O: [0.2, L, -0.1]}
bodies:
  a: {mass: 1.2, com: [0.1, L/3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], points: {P: [L, 0.1, 0]}}
  b: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.2, 0.3, 0.25], points: {Q: [0.3, L/2, 0.2]}, vectors: {n: [0, 0.6, 0.8]}}
joints:
  J: {type: revolute, bodies: [ground, a], points: [O, [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  U: {type: universal, bodies: [b, a], points: [[0.1, 0, 0], P], axes: [z, x]}
forces:
  motor: {type: joint-force, joint: J, value: "t*k - J.v + sin(U.q1)*Q.vx + n.vy*n.z"}
  push: {type: point-force, point: Q, force: [k*P.x, "Q.z*J.q", "-L*P.vy + t"]}
  jet: {type: point-force, point: P, force: [1.5, "k*t + Q.x", L], axes: body}
  spin: {type: body-torque, body: a, torque: ["-k*U.v2", "L", "Q.x"]}
  gyro: {type: body-torque, body: b, torque: [L, "J.q^2", "cos(t)"], axes: body}
)yaml";
  ModelDescription d = parse_model_yaml(model, "signals.yaml");
  ForceSpec elastic;
  elastic.name = "band";
  elastic.type = "elastic";
  elastic.points = {"O", "Q"};
  elastic.numbers["k"] = "k + J.q*n.x + P.y^2 + 0.1*Q.vx";
  d.forces.push_back(elastic);
  expect_right(with_signals(d), 31);
}

TEST(SignalPartials, EveryExample) {
  unsigned seed = 360;
  for (const char* name : test::kLoopExamples) {
    SCOPED_TRACE(name);
    const std::string path = test::source_path("examples/" + std::string(name) + ".yaml");
    ModelDescription d = read_model_yaml(path);
    d.signals.clear();
    d.objectives.clear();
    expect_right(with_signals(d), seed++);
  }
}

TEST(SignalPartials, NothingIsAllocatedAfterTheFirstCall) {
  std::mt19937_64 rng(10);
  const Model model = with_signals(test::closure_description("universal", "minimal", false));
  Point at(model), bar(model);
  fill(model, rng, at);
  SignalPartials partials(model);
  partials.set_parameters(at.p);
  const auto all = [&] {
    partials.linearize(0.3, at.q, at.v, at.a, at.lambda);
    partials.pullback(model.signals().back().output, 1, {bar.q, bar.v, bar.a, bar.lambda, bar.p});
  };
  all();
  const AllocationCounter counter;
  all();
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace kinegrad
