// Loops with more rows than they need: half of a planar loop's rows say nothing, and what stands in
// them is zero in the plane xy and rounding in every other plane. Neither may be seen in the motion.
#include <gtest/gtest.h>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using test::Method;

/// A four-bar mechanism in the plane that is z of a frame fixed to the ground; gravity is along the
/// frame's −y in every case.
struct Plane {
  const char *x, *z, *down;
};
constexpr Plane kPlane{"x", "z", "[0, -9.81, 0]"};
constexpr Plane kSlanted[] = {
    {"[0.8, 0, -0.6]", "[0.6, 0, 0.8]", "[0, -9.81, 0]"},
    {"[1/sqrt(2), 0, -1/sqrt(2)]", "[2/3, -1/3, 2/3]",  // y = z×x = [1, 4, 1]/√18
     "[-9.81/sqrt(18), -9.81*4/sqrt(18), -9.81/sqrt(18)]"}};

Model four_bar(const Plane& plane, const std::string& closure) {
  return test::model_of(R"(
bodies:
  frame:
    mass: 1
    com: [0, 0, 0]
    inertia: [1, 1, 1]
    placement: {position: [0, 0, 0], orientation: {x: )" +
                        std::string(plane.x) + ", z: " + plane.z + R"(}}
    points: {D: [2.5, -1, 0]}
  A: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PA: [1, 0, 0]}}
  B: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [2, 0, 0]}}
  C: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PC: [2, 0, 0]}}
joints:
  base: {type: fixed, bodies: [ground, frame], point: [0, 0, 0]}
  J1: {type: revolute, bodies: [frame, A], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [[0.8, -0.6, 0], x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [[0.6, -0.8, 0], x]}
  J4: {type: revolute, bodies: [C, frame], points: [PC, D], axes: [z, z], cut: true, closure: )" +
                        closure + R"(}
forces:
  weight: {type: gravity, acceleration: )" +
                        plane.down + R"(}
initial: {J1.q: 0.5, J1.v: 0}
)");
}

VecX end_of(const Model& model, const Method& method) {
  return test::joined(model, test::run<double>(model, model.default_physical(), method, 0.5, 250));
}

TEST(RedundantRows, ASlantedPlaneMovesLikeThePlaneXY) {
  const Model flat = four_bar(kPlane, "minimal");
  IntegratorOptions tight;
  tight.tolerance = 1e-13;
  for (const Plane& plane : kSlanted) {
    for (const char* closure : {"minimal", "redundant"}) {
      const Model model = four_bar(plane, closure);
      for (const Method& method : test::methods_for(model, ReferencePoint::kCom, tight)) {
        const VecX expected = end_of(flat, method);
        // rounding, times the conditioning of a border with a penalty of 1e10
        EXPECT_LE((end_of(model, method) - expected).norm(), 1e-8 * expected.norm())
            << plane.z << ", " << closure << ": " << method.name();
      }
    }
  }
}

TEST(RedundantRows, MultipliersOfRowsThatSayNothingStaySmall) {
  for (const Plane& plane : kSlanted) {
    const Model model = four_bar(plane, "minimal");
    for (const char* formulation : {"ali3p", "index1", "penalty", "matrix-r", "fully-recursive"}) {
      const StepState<double> x = test::run<double>(model, model.default_physical(),
                                                    {formulation, "trapezoidal"}, 0.5, 250);
      // the reaction that closes the loop is some twenty newtons
      EXPECT_LE(x.lambda.norm(), 100) << formulation;
      EXPECT_GE(x.lambda.norm(), 1) << formulation;
    }
  }
}

TEST(RedundantRows, MobilityCountsThem) {
  for (const Plane& plane : {kPlane, kSlanted[0], kSlanted[1]}) {
    const Model minimal = four_bar(plane, "minimal"), redundant = four_bar(plane, "redundant");
    for (const auto& [model, rows] : {std::pair{&minimal, 5}, {&redundant, 6}}) {
      const Mobility m = mobility_of(*model, model->default_physical());
      EXPECT_TRUE(m.assembled) << m.message;
      EXPECT_EQ(m.rows, rows);
      EXPECT_EQ(m.rank, 2) << plane.z;
      EXPECT_EQ(m.freedom, 1) << plane.z;
      ASSERT_EQ(m.redundant.size(), 1u);
      EXPECT_EQ(m.redundant[0].rows, rows - 2);
    }
  }
}

/// The distance says what the closure of the last joint says already, as long as the loop is closed; index1 drifts, by 1e-5 here,
/// and the two contradict each other by that. Newton's method pushed in every correction of the run: differences were
/// 1e-3 away from the adjoint, and the complex step a tenth. E is a number to derivatives, not to differences.
TEST(RedundantRows, ADoubledEquationHasTheGradientOfItsRun) {
  const Model model = test::model_of(R"(
parameters:
  L_a: 1
points: {D: [3.8025, -1.7321, 0]}
bodies:
  A: {mass: 10, com: [L_a/2, 0, 0], inertia: [0, 0.8333, 0.8333], points: {PA: [L_a, 0, 0]}}
  B: {mass: 20, com: [1, 0, 0], inertia: [0, 6.6667, 6.6667], points: {PB: [2, 0, 0]}}
  C: {mass: 20, com: [1, 0, 0], inertia: [0, 6.6667, 6.6667], points: {PC: [2, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [[0.7135, -0.7007, 0], x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [[0.7006, -0.7136, 0], x]}
  J4: {type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], references: [x, [0.5, -0.866, 0]], cut: true}
constraints:
  again: {type: distance, points: [PB, D], length: 2}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
initial: {J1.q: pi/6, J1.v: 0}
objectives:
  q1_end: {terminal: J1.q}
)");
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.formulation = "index1";
  options.run.step = 1e-3;
  options.run.end = 1;
  const auto by = [&](const char* method) {
    options.method = method;
    return gradient(model, in(rho), options);
  };
  const GradientReport adjoint = by("adjoint");
  ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
  EXPECT_LE(test::gradient_distance(model, adjoint, by("forward")), 1e-9);
  EXPECT_LE(test::gradient_distance(model, adjoint, by("complex-step")), 1e-7);
  EXPECT_LE(test::gradient_distance(model, adjoint, by("finite-difference")), 2e-6);
}

}  // namespace
}  // namespace kinegrad
