// Derivatives along parameters at a fixed motion [TG]: against the pull-backs, to rounding, and against
// the complex step, for every number of p by itself, every frame turned, and everything at once.
#include <gtest/gtest.h>

#include <filesystem>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/constraints/all.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/signals/reactive_forces.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"
#include "support/system_samples.hpp"

namespace kinegrad {
namespace {

using test::kAssembly;
using test::random_sample;
using Sample = test::SystemSample;

/// The same products in another order.
constexpr double kRounding = 1e-13;

/// p = p₀ + D ρ: a parameter for every number of p that may change by itself, one for every frame, which
/// turns it about a random axis, and two that change all of them.
class Perturbation {
 public:
  Perturbation(const Model& model, const std::vector<double>& p, std::mt19937_64& rng)
      : changes_(p.size()) {
    std::vector<char> turns(p.size(), 0);
    const auto turn = [&](FrameBlock frame, std::initializer_list<int> parameters) {
      const Vec3 axis(test::uniform(rng), test::uniform(rng), test::uniform(rng));
      for (int j = 0; j < 3; ++j) {
        Vec3 column;
        for (int i = 0; i < 3; ++i) column(i) = p[std::size_t(frame.rotation() + 3 * i + j)];
        const Vec3 change = axis.cross(column);
        for (int i = 0; i < 3; ++i) {
          const auto k = std::size_t(frame.rotation() + 3 * i + j);
          turns[k] = 1;
          for (const int parameter : parameters) changes_[k].emplace_back(parameter, change(i));
        }
      }
    };
    int last = 2;
    int both = 0;
    for (const FrameBlock frame : test::frames_of(model)) turn(frame, {both++ % 2, last++});
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (turns[k]) continue;
      changes_[k] = {{0, test::uniform(rng)}, {1, test::uniform(rng)}, {last++, 1.0}};
    }
    ExpressionGraph graph;
    std::vector<NodeId> outputs;
    for (std::size_t k = 0; k < p.size(); ++k) {
      NodeId sum = graph.constant(p[k]);
      for (const auto& [parameter, d] : changes_[k]) {
        const NodeId part = graph.binary(Op::kMul, graph.constant(d), graph.input(parameter));
        sum = graph.binary(Op::kAdd, sum, part);
      }
      outputs.push_back(sum);
    }
    map_ = DesignMap(Tape(graph, outputs), {}, last);
    for (int k = 0; k < last; ++k) parameters_.push_back(k);
  }

  int size() const { return map_.parameter_count(); }
  DesignJacobian jacobian() const {
    return {map_, std::vector<double>(parameters_.size(), 0.0), parameters_};
  }
  std::vector<Complex> stepped(int k) const {
    std::vector<Complex> rho(parameters_.size(), Complex(0)), p(changes_.size());
    rho[std::size_t(k)] = Complex(0, kComplexStep);
    auto work = map_.make_workspace<Complex>();
    map_.evaluate<Complex>(rho, p, work);
    return p;
  }

 private:
  std::vector<std::vector<std::pair<int, double>>> changes_;
  DesignMap map_;
  std::vector<int> parameters_;
};

struct Tangents {
  MatX f, inertia;
  LevelTangent levels;
};

Tangents tangents_of(SystemPartials& partials, const Sample& x, const DesignJacobian& design) {
  Tangents out;
  partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
  partials.tangents(design, &out.f, &out.levels);
  partials.linearize_inertia(x.a, x.lambda);
  partials.inertia_tangents(design, out.inertia);
  LevelTangent alone;
  partials.linearize_motion(x.t, x.q, x.v, x.a);
  partials.tangents(design, nullptr, &alone);
  EXPECT_EQ(alone.Phi, out.levels.Phi);
  EXPECT_EQ(alone.Phi_dot, out.levels.Phi_dot);
  EXPECT_EQ(alone.Phi_ddot, out.levels.Phi_ddot);
  return out;
}

/// The same by unit vectors of weights.
Tangents pulled_of(const Model& model, SystemPartials& partials, const Sample& x,
                   const DesignJacobian& design) {
  const int n = model.state_size(), m = partials.rows(), holonomic = partials.holonomic();
  std::vector<double> p_bar(x.p.size(), 0.0);
  Tangents out;
  const auto pull = [&](int count, MatX& result, const auto& one) {
    result.resize(count, design.parameters());
    std::vector<double> unit(std::size_t(count), 0.0);
    const auto row = [&](int i, std::span<double> bar) {
      unit[std::size_t(i)] = 1;
      one(unit, ResidualCotangent{{}, {}, {}, bar});
      unit[std::size_t(i)] = 0;
    };
    design.pull_rows(count, p_bar, row, result);
  };
  using Unit = const std::vector<double>&;
  using Bar = const ResidualCotangent&;
  partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
  pull(n, out.f, [&](Unit w, Bar bar) { partials.pullback(w, {}, bar); });
  pull(holonomic, out.levels.Phi, [&](Unit w, Bar bar) {
    partials.pullback({}, {w, {}, {}}, bar);
  });
  pull(m, out.levels.Phi_dot, [&](Unit w, Bar bar) { partials.pullback({}, {{}, w, {}}, bar); });
  pull(m, out.levels.Phi_ddot, [&](Unit w, Bar bar) { partials.pullback({}, {{}, {}, w}, bar); });
  partials.linearize_inertia(x.a, x.lambda);
  pull(n, out.inertia, [&](Unit w, Bar bar) { partials.pullback_inertia(w, bar); });
  return out;
}

Tangents stepped_of(const Model& model, ReferencePoint point, const Sample& x,
                    const Perturbation& perturbation) {
  const auto owner = make_system<Complex>(model, point);
  MechanicalSystem<Complex>& system = *owner;
  const std::vector<Complex> q(x.q.begin(), x.q.end()), v(x.v.begin(), x.v.end()),
      a(x.a.begin(), x.a.end()), lambda(x.lambda.begin(), x.lambda.end());
  const int n = model.state_size(), count = perturbation.size();
  Tangents out{MatX(n, count), MatX(n, count), {}};
  LevelTangent& levels = out.levels;
  levels.Phi.resize(model.holonomic_rows(), count);
  levels.Phi_dot.resize(int(lambda.size()), count);
  levels.Phi_ddot.resize(int(lambda.size()), count);
  ReactiveForces<Complex> reactive(model);
  for (int k = 0; k < count; ++k) {
    system.set_parameters(perturbation.stepped(k));
    reactive.set_parameters(perturbation.stepped(k));
    system.evaluate(x.t, q, v, a);
    VecXT<Complex> f = system.r(), Mu = VecXT<Complex>::Constant(n, Complex(0));
    SparseUpper<Complex> M = system.pattern();
    system.mass_matrix(M);
    M.add_product(a, {Mu.data(), a.size()});
    for (auto* sum : {&f, &Mu}) system.Phi_q().add_transposed(lambda, {sum->data(), a.size()});
    reactive.subtract(x.t, q, v, a, lambda, {f.data(), a.size()});  // [RL-1]
    out.f.col(k) = f.imag() / kComplexStep;
    out.inertia.col(k) = Mu.imag() / kComplexStep;
    levels.Phi.col(k) = system.Phi().imag() / kComplexStep;
    levels.Phi_dot.col(k) = system.Phi_dot().imag() / kComplexStep;
    levels.Phi_ddot.col(k) = system.Phi_ddot().imag() / kComplexStep;
  }
  return out;
}

void expect_equal(const Tangents& actual, const Tangents& expected, double tolerance) {
  const auto expect = [&](const MatX& a, const MatX& b, const char* name) {
    ASSERT_EQ(a.rows(), b.rows());
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      EXPECT_LE(test::relative(a.col(k), b.col(k)), tolerance) << name << " along " << k;
    }
  };
  expect(actual.f, expected.f, "f");
  expect(actual.inertia, expected.inertia, "M u");
  expect(actual.levels.Phi, expected.levels.Phi, "Phi");
  expect(actual.levels.Phi_dot, expected.levels.Phi_dot, "Phi_dot");
  expect(actual.levels.Phi_ddot, expected.levels.Phi_ddot, "Phi_ddot");
}

void expect_right(const Model& model, unsigned seed, double rounding = kRounding) {
  std::mt19937_64 rng(seed);
  for (const ReferencePoint point : test::kBothPoints) {
    const Sample x = random_sample(model, rng);
    const Perturbation perturbation(model, x.p, rng);
    const DesignJacobian design = perturbation.jacobian();
    const auto partials = make_system_partials(model, point);
    partials->set_parameters(x.p);
    const Tangents tangents = tangents_of(*partials, x, design);
    expect_equal(tangents, pulled_of(model, *partials, x, design), rounding);
    expect_equal(tangents, stepped_of(model, point, x, perturbation),
                 kAssembly * (rounding / kRounding));
  }
}

TEST(ParameterTangents, EveryTypeOfConstraint) {
  unsigned seed = 240;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    for (auto it = first; it != last; ++it) {
      SCOPED_TRACE(it->first + ": " + it->second);
      expect_right(test::model_of(test::constrained_mechanism(it->first, it->second)), seed++);
    }
  });
}

TEST(ParameterTangents, EveryJointAsCut) {
  unsigned seed = 220;
  for (const test::Closure& c : test::kClosures) {
    SCOPED_TRACE(c.type);
    expect_right(test::closed_by(c.type, c.redundant ? "redundant" : "minimal", seed % 2 == 0),
                 seed);
    ++seed;
  }
}

TEST(ParameterTangents, EveryExample) {
  unsigned seed = 260;
  for (const auto& file : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (file.path().extension() != ".yaml") continue;
    SCOPED_TRACE(file.path().stem());
    // stiffnesses of 1e5 add up beside masses of 60; a random wheel is a metre deep in its road and carries 1e5 N
    const std::string name = file.path().stem();
    const double lost = name == "engine_mounts"                              ? 20
                        : name == "rolling_wheel" || name == "bicycle_tyres" ? 1000
                                                                             : 1;
    expect_right(test::example(name), seed++, lost * kRounding);
  }
}

TEST(ParameterTangents, GlobalCoordinates) {
  unsigned seed = 290;
  for (const CoordinateSet set : {CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    for (const char* name : {"five_bar", "slider_crank", "rolling_disc", "two_mass_nonholonomic",
                             "all_joints", "cart_pole_pid", "heavy_top"}) {
      SCOPED_TRACE(name);
      // natural coordinates come through one more matrix on each side
      expect_right(test::example(name, set), seed++, 10 * kRounding);
    }
  }
}

TEST(ParameterTangents, RandomTrees) {
  for (unsigned tree = 600; tree < 620; ++tree) {
    SCOPED_TRACE(tree);
    const Model model = compile_model(test::loaded_tree(tree, 2 + int(tree % 7)));
    if (model.nq() > 0) expect_right(model, tree);
  }
}

/// Expressions, axes of bodies, splines: everything that a port may be.
TEST(ParameterTangents, ForcesThatVary) {
  expect_right(compile_model(parse_model_yaml(R"yaml(
parameters: {k: 3, L: 0.8, u1: 0.4}
splines: {drive: {nodes: [0, 0.5, 1, 2], values: [0.1, u1, k/4, 0.3]}}
points: {O: [0.2, L, -0.1]}
bodies:
  a: {mass: 1.2, com: [0.1, L/3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], points: {P: [L, 0.1, 0]}}
  b: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.2, 0.3, 0.25], points: {Q: [0.3, L/2, 0.2]}, vectors: {n: [0, 0.6, 0.8]}}
  c: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1], points: {T: [0.1, 0.2, k/10]}}
joints:
  J: {type: revolute, bodies: [ground, a], points: [O, [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  U: {type: universal, bodies: [a, b], points: [P, [0.1, 0, 0]], axes: [z, x]}
  S: {type: spherical, bodies: [c, b], points: [[0, 0, 0.1], Q]}
forces:
  motor: {type: joint-force, joint: J, value: "drive(t)*k - u1*J.v + sin(U.q1)*Q.vx + n.vy*n.z + O.y"}
  push: {type: point-force, point: T, force: [k*T.x, "Q.z*J.q", "-u1*T.vy + t"]}
  jet: {type: point-force, point: Q, force: [1.5, "k*t + P.x", u1], axes: body}
  spin: {type: body-torque, body: c, torque: ["-k*U.v2", "L", "T.x"]}
  gyro: {type: body-torque, body: b, torque: [u1, "J.q^2", "cos(t)"], axes: body}
  weight: {type: gravity, acceleration: [0.1, -9.81, k]}
)yaml",
                                              "varying.yaml")),
               281);
}

/// Pull towards the world origin that grows with the distance, and drag.
struct Hollow {
  static constexpr std::string_view name = "hollow";
  static constexpr std::string_view summary = "pull towards the origin, with drag";
  static constexpr PortKind port = PortKind::kField;
  static constexpr std::array<AttributeInfo, 2> attributes{{{"k", "1/(m s)^2"}, {"c", "1/s"}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Hollow, T>& in) {
    const T r2 = in.x(0) * in.x(0) + in.x(1) * in.x(1) + in.x(2) * in.x(2);
    return in.x * (-in.p(0) * r2) - in.xdot * in.p(1);
  }
};

TEST(ParameterTangents, FieldThatVaries) {
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(force_model<Hollow>());
  ModelDescription d = test::random_tree(42, 6);
  ForceSpec hollow;
  hollow.name = "hollow";
  hollow.type = "hollow";
  hollow.numbers = {{"k", "a*b"}, {"c", "0.3*c"}};
  d.forces.push_back(hollow);
  expect_right(compile_model(d, catalogue), 282);
}

/// Directions are sorted anew when the design or the parameters are others, and only then.
TEST(ParameterTangents, OtherDesignsAndParameters) {
  std::mt19937_64 rng(283);
  const Model model = test::example("bricard");
  const Sample x = random_sample(model, rng);
  JointPartials partials(model, ReferencePoint::kCom);
  partials.set_parameters(x.p);
  for (int k = 0; k < 2; ++k) {
    const DesignJacobian design = Perturbation(model, x.p, rng).jacobian();
    const Tangents tangents = tangents_of(partials, x, design);
    expect_equal(tangents, pulled_of(model, partials, x, design), kRounding);
    const AllocationCounter counter;
    Tangents again = tangents;
    const auto copies = counter.count();
    partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
    partials.tangents(design, &again.f, &again.levels);
    partials.linearize_inertia(x.a, x.lambda);
    partials.inertia_tangents(design, again.inertia);
    EXPECT_EQ(counter.count(), copies) << "allocated";
    EXPECT_EQ(again.f, tangents.f);
    partials.set_parameters(x.p);
  }
}

}  // namespace
}  // namespace kinegrad
