#include "kinegrad/model/design_map.hpp"

#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/allocation_counter.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// Sums of products along a tape of some hundred operations.
constexpr double kTape = 1e-12;
constexpr double h = 1e-200;

constexpr const char* kWithSplines = R"(
parameters: {a: 0.3, b: {value: 1.5, unit: m}, c: 2*a + b, unused: 1}
splines:
  u: {type: cubic, nodes: [0, 1, 2, 4], values: [a, b, c, a*b]}
  w: {type: periodic, nodes: {from: 0, to: 1, count: 5}, values: [a, b, 0.2, c, a]}
  s: {type: monotone, nodes: [0, 0.5, 2], values: [a, b, 3]}
bodies:
  rod:
    shapes:
      - {type: capsule, from: [0, 0, 0], to: [b, a, 0], radius: 0.1, density: 1000}
      - {type: box, size: [a, 0.2, 0.3], center: [b, 0, 0], density: 500}
    placement: {position: [a, 0, b], orientation: {axis: z, angle: a}}
joints:
  J: {type: revolute, bodies: [ground, rod], point: [a, b, 0], axis: [cos(a), sin(a), 0]}
signals: {f: u(t) + w(t)*J.q + s(a*t)}
)";

struct Mapped {
  Model model;
  VecX rho;
  std::vector<double> p;
  DesignMap::Workspace<double> work;

  explicit Mapped(Model m)
      : model(std::move(m)),
        rho(model.default_rho()),
        p(static_cast<std::size_t>(model.design_map().physical_count()), std::nan("")),
        work(model.design_map().make_workspace<double>()) {
    model.design_map().evaluate<double>(rho_span(), p, work);
  }
  std::span<const double> rho_span() const {
    return {rho.data(), static_cast<std::size_t>(rho.size())};
  }
};

void check(Mapped m) {
  const DesignMap& map = m.model.design_map();
  std::mt19937_64 rng(5);
  std::vector<double> d_rho, d_p(m.p.size(), std::nan("")), p_bar;
  std::vector<Complex> rho_c, p_c(m.p.size());
  for (double x : m.rho_span()) {
    d_rho.push_back(test::uniform(rng));
    rho_c.emplace_back(x, h * d_rho.back());
  }
  for (std::size_t k = 0; k < m.p.size(); ++k) p_bar.push_back(test::uniform(rng));
  std::vector<double> rho_bar(d_rho.size(), 0.0);

  auto complex_work = map.make_workspace<Complex>();
  map.evaluate<Complex>(rho_c, p_c, complex_work);
  const AllocationCounter counter;
  map.evaluate<double>(m.rho_span(), m.p, m.work);
  map.forward(m.rho_span(), m.p, d_rho, d_p, m.work);
  map.reverse(m.rho_span(), m.p, p_bar, rho_bar, m.work);
  EXPECT_EQ(counter.count(), 0);

  double forward_product = 0, reverse_product = 0, scale = 0;
  for (std::size_t k = 0; k < m.p.size(); ++k) {
    EXPECT_NEAR(p_c[k].real(), m.p[k], kTape * (1 + std::abs(m.p[k])));
    EXPECT_NEAR(d_p[k], p_c[k].imag() / h, kTape * (1 + std::abs(d_p[k])))
        << m.model.physical()[k].name;
    forward_product += p_bar[k] * d_p[k];
    scale += std::abs(p_bar[k] * d_p[k]);
  }
  for (std::size_t k = 0; k < d_rho.size(); ++k) reverse_product += rho_bar[k] * d_rho[k];
  EXPECT_NEAR(forward_product, reverse_product, kTape * (1 + scale));
}

TEST(DesignMap, ForwardReverseAndComplexStepAgreeWithSplinesShapesAndPlacements) {
  check(Mapped(compile_model(parse_model_yaml(kWithSplines, "splines.yaml"))));
}

TEST(DesignMap, ForwardReverseAndComplexStepAgreeOnExamples) {
  for (const char* name : {"pendulum", "double_pendulum", "heavy_top", "free_body", "all_joints",
                           "chain", "five_bar"}) {
    SCOPED_TRACE(name);
    check(Mapped(test::example(name)));
  }
}

TEST(DesignMap, DerivedParametersAreNotIndependent) {
  const Model model = compile_model(parse_model_yaml(kWithSplines, "splines.yaml"));
  ASSERT_EQ(model.parameters().size(), 4u);
  EXPECT_EQ(model.design_map().parameter_count(), 3);
  EXPECT_TRUE(model.parameters()[2].derived);
  EXPECT_DOUBLE_EQ(model.parameters()[2].value, 2.1);
  EXPECT_TRUE(model.parameters()[3].users.empty());
}

}  // namespace
}  // namespace kinegrad
