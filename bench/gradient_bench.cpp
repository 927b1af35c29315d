// A whole gradient, simulation included, as a ratio to the simulation alone: five parameters, a
// thousand values of a spline, a thousand physical parameters of two hundred links.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::bench {
namespace {

Model example(const std::string& name) {
  return compile_model(read_model_yaml(KINEGRAD_SOURCE_DIR "/examples/" + name + ".yaml"));
}

/// The five-bar with a torque on A over time, a spline of 1000 values that are parameters.
Model driven_five_bar() {
  ModelDescription d = read_model_yaml(KINEGRAD_SOURCE_DIR "/examples/five_bar.yaml");
  SplineSpec torque;
  torque.name = "torque";
  for (int k = 0; k < 1000; ++k) {
    const std::string name = fmt::format("u{}", k);
    ParameterSpec u;
    u.name = name;
    u.value = 0.0;
    d.parameters.push_back(u);
    torque.nodes.push_back(5.0 * k / 999);
    torque.values.push_back(name);
  }
  d.splines.push_back(torque);
  ForceSpec drive;
  drive.name = "drive";
  drive.type = "joint-force";
  drive.joint = NameSpec("A");
  drive.numbers["value"] = "torque(t)";
  d.forces.push_back(drive);
  return compile_model(d);
}

/// The bicycle on tyres with so many values of each of its two torques, which are its first parameters.
Model bicycle(int nodes) {
  std::ifstream file(KINEGRAD_SOURCE_DIR "/examples/bicycle_tyres.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string count = "count: 16";
  const std::string other = fmt::format("count: {}", nodes);
  for (std::size_t at = text.find(count); at != std::string::npos;
       at = text.find(count, at + other.size())) {
    text.replace(at, count.size(), other);
  }
  return compile_model(parse_model_yaml(text, "bicycle_tyres.yaml"));
}

/// 200 links between two points of the ground, each with mass, centre of mass, length, stiffness and
/// damping of its own: 1000 parameters.
Model hanging_links() {
  ModelDescription d;
  d.name = "hanging links";
  constexpr int kLinks = 200;
  const auto parameter = [&](const std::string& name, double value) {
    ParameterSpec p;
    p.name = name;
    p.value = value;
    d.parameters.push_back(p);
  };
  for (int k = 0; k < kLinks; ++k) {
    parameter(fmt::format("m{}", k), 0.1);
    parameter(fmt::format("c{}", k), 0.05);
    parameter(fmt::format("L{}", k), 0.1);
    parameter(fmt::format("k{}", k), 0.5);
    parameter(fmt::format("d{}", k), 0.01);
    BodySpec link;
    link.name = fmt::format("link{}", k);
    link.mass = fmt::format("m{}", k);
    link.com = VectorSpec(fmt::format("c{}", k), 0.0, 0.0);
    InertiaSpec J;
    J.xx = 1e-6;
    J.yy = J.zz = 1e-4;
    link.inertia = J;
    link.points = {{"tip", VectorSpec(fmt::format("L{}", k), 0.0, 0.0), {}}};
    d.bodies.push_back(link);
    JointSpec pin;
    pin.name = fmt::format("pin{}", k);
    pin.type = "revolute";
    pin.bodies = {NameSpec(k ? fmt::format("link{}", k - 1) : "ground"), NameSpec(link.name)};
    pin.points = {k ? VectorSpec(fmt::format("L{}", k - 1), 0.0, 0.0) : VectorSpec(0.0, 0.0, 0.0),
                  VectorSpec(0.0, 0.0, 0.0)};
    pin.axes = {"z", "z"};
    pin.references = {"x", "x"};
    d.joints.push_back(pin);
    ForceSpec coil;
    coil.name = fmt::format("coil{}", k);
    coil.type = "torsional-spring-damper";
    coil.joint = NameSpec(pin.name);
    coil.numbers["stiffness"] = fmt::format("k{}", k);
    coil.numbers["damping"] = fmt::format("d{}", k);
    coil.numbers["angle"] = 0.0;
    d.forces.push_back(coil);
  }
  ConstraintSpec rail;  // the last tip stays on a line
  rail.name = "rail";
  rail.type = NameSpec("prescribed");
  rail.numbers["coordinate"] = {fmt::format("link{}.tip.y", kLinks - 1)};
  rail.numbers["value"] = {0.0};
  d.constraints.push_back(rail);
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.0, -9.81, 0.0);
  d.forces.push_back(weight);
  ObjectiveSpec sag;
  sag.name = "sag";
  sag.integral = "link100.tip.y^2";
  d.objectives.push_back(sag);
  return compile_model(d);
}

struct Case {
  std::string name;
  Model model;
  double step, end;
  int objective;
  int parameters = 0;  // the first so many, 0: all
};

/// `ratio`: seconds of the whole gradient over those of the simulation alone, both here.
void gradient_ratio(benchmark::State& state, const Case& c, const std::string& formulation,
                    const std::string& method) {
  GradientOptions options;
  options.method = method;
  options.objectives = {c.objective};
  for (int k = 0; k < c.parameters; ++k) options.parameters.push_back(k);
  options.run.formulation = formulation;
  options.run.step = c.step;
  options.run.end = c.end;
  const VecX defaults = c.model.default_rho();
  const std::span<const double> rho{defaults.data(), std::size_t(defaults.size())};
  const std::vector<double> p = c.model.default_physical();
  Simulator simulator(c.model, options.run);
  double alone = 0, whole = 0;
  const auto seconds = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  long steps = 0;
  for (auto _ : state) {
    alone += seconds(
        [&] { steps = simulator.run(p, [](const StepState<double>&) { return true; }).steps; });
    whole += seconds([&] {
      const GradientReport report = gradient(c.model, rho, options);
      if (report.status != RunStatus::kDone) state.SkipWithError(report.message.c_str());
    });
  }
  state.counters["parameters"] = c.parameters > 0 ? c.parameters : double(rho.size());
  state.counters["ratio"] = whole / alone;
  state.counters["simulation_per_step"] =
      benchmark::Counter(alone / double(state.iterations()) / double(steps));
}

void add_case(const Case& c, const char* formulation, const char* method) {
  const std::string name = "gradient/" + c.name + "/" + formulation + "/" + method;
  benchmark::RegisterBenchmark(name.c_str(), [&c, formulation, method](benchmark::State& s) {
    gradient_ratio(s, c, formulation, method);
  })->Unit(benchmark::kMillisecond);
}

void register_all() {
  static const Case cases[] = {{"five_bar", example("five_bar"), 1e-3, 1, 0},
                               {"five_bar_spline", driven_five_bar(), 1e-3, 1, 0},
                               {"links", hanging_links(), 1e-3, 1, 0},
                               {"links_five", hanging_links(), 1e-3, 1, 0, 5}};
  for (const Case& c : cases) {
    for (const char* formulation : {"ali3p", "matrix-r"}) {
      for (const char* method : {"forward", "adjoint"}) {
        const bool many = c.model.design_map().parameter_count() > 100;
        if (many && std::string(method) == "forward") continue;
        add_case(c, formulation, method);
      }
    }
  }
  static const Case tracking{"tracking", example("double_pendulum_tracking"), 2e-3, 2, 0};
  add_case(tracking, "semi-recursive", "adjoint");
  static const auto bicycles = [] {
    std::vector<Case> out;
    for (const int n : {32, 100, 200, 500, 1000}) {
      out.push_back({fmt::format("bicycle_{}", n), bicycle(n / 2), 5e-3, 10, 0, n});
    }
    return out;
  }();
  for (const Case& c : bicycles) add_case(c, "ali3p", "adjoint");
}

[[maybe_unused]] const int registered = (register_all(), 0);

}  // namespace
}  // namespace kinegrad::bench
