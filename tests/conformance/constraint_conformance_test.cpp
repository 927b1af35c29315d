// What every constraint of constraints/all.hpp must satisfy (docs/theory/constraints.md). A new one is
// tested because it is listed; its samples are in tests/support/constraint_samples.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "kinegrad/constraints/all.hpp"
#include "kinegrad/io/model_info.hpp"
#include "support/constraint_oracles.hpp"
#include "support/constraint_samples.hpp"
#include "support/sample_models.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

struct Case {
  std::string type, fields;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.type << ": " << c.fields;
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    for (auto it = first; it != last; ++it) cases.push_back({it->first, it->second});
    if (first == last) cases.push_back({std::string(C::name), ""});
  });
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.type + "_" + std::to_string(info.index);
  std::replace(name.begin(), name.end(), '-', '_');  // '-' means "not" in a test filter
  return name;
}

class ConstraintConformance : public testing::TestWithParam<Case> {
 protected:
  static constexpr int kStates = 5;

  Model model() const {
    const Case& c = GetParam();
    return test::model_of(test::constraint_mechanism() + "constraints:\n  c: {type: " + c.type +
                          ", " + c.fields + "}\n");
  }

  static test::TimedState<double> random_state(const Model& model, std::mt19937_64& rng) {
    const test::SampleState x = test::random_state(model, rng);
    return {1 + 0.8 * test::uniform(rng), x.q, x.v, x.a};
  }

  static void expect_close(double actual, double expected, const std::string& what) {
    EXPECT_NEAR(actual, expected, tolerance::kComposed * std::max(1.0, std::abs(expected))) << what;
  }
};

TEST_P(ConstraintConformance, HasASample) {
  EXPECT_NE(GetParam().fields, "")
      << "give " << GetParam().type << " a line in tests/support/constraint_samples.hpp";
}

TEST_P(ConstraintConformance, HasWordsForPeople) {
  const ConstraintModel* type = builtin_catalogue().find_constraint(GetParam().type);
  ASSERT_NE(type, nullptr);
  EXPECT_NE(type->summary(), "");
  for (const ConstraintField& field : type->fields()) {
    EXPECT_NE(field.description, "") << field.name;
    EXPECT_EQ(type->find(field.name), &field);
  }
  EXPECT_EQ(type->find("no such field"), nullptr);
}

TEST_P(ConstraintConformance, RatesAreTimeDerivatives) {
  const Model model = this->model();
  const std::vector<double> p = model.default_physical();
  test::RowEvaluator<double> rows(model);
  test::RowEvaluator<Complex> stepped(model);
  std::mt19937_64 rng(11);
  for (int s = 0; s < kStates; ++s) {
    const test::TimedState<double> x = random_state(model, rng);
    rows.evaluate(p, x);
    stepped.evaluate(p, test::stepped_in_time(x));
    for (int k = 0; k < static_cast<int>(model.constraint_rows().size()); ++k) {
      const bool holonomic = model.constraint_rows()[static_cast<std::size_t>(k)].holonomic;
      for (int order = holonomic ? 0 : 1; order < 2; ++order) {
        expect_close(rows.value(k, order + 1), stepped.value(k, order).imag() / kComplexStep,
                     "row " + std::to_string(k) + ", order " + std::to_string(order + 1));
      }
    }
  }
}

/// The slope that the row gives for an input, 0 if it gives none.
double slope_along(const ConstraintExpression& expression, const SignalInput& in,
                   const std::vector<double>& outputs) {
  for (const ConstraintSlope& slope : expression.slopes) {
    const bool joint = in.kind == SignalInput::Kind::kJoint;
    if (slope.coordinate == joint && slope.element == in.element &&
        slope.component == in.component) {
      return outputs[static_cast<std::size_t>(slope.output)];
    }
  }
  return 0;
}

TEST_P(ConstraintConformance, SlopesAreThePartials) {
  const Model model = this->model();
  test::RowEvaluator<double> rows(model);
  const test::RowEvaluator<Complex> complex(model);
  std::mt19937_64 rng(12);
  const test::TimedState<double> x = random_state(model, rng);
  rows.evaluate(model.default_physical(), x);
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.expression < 0) continue;
    const auto& expression =
        model.constraint_expressions()[static_cast<std::size_t>(row.expression)];
    const int order = row.holonomic ? 0 : 1;
    const auto value = static_cast<std::size_t>(expression.value[static_cast<std::size_t>(order)]);
    for (const int k : model.constraint_inputs()) {
      const SignalInput& in = model.signal_inputs()[static_cast<std::size_t>(k)];
      const bool moves = in.kind == SignalInput::Kind::kJoint ||
                         (in.kind == SignalInput::Kind::kVector &&
                          model.vectors()[static_cast<std::size_t>(in.element)].body != 0);
      if (!moves || in.order != order) continue;
      std::vector<Complex> inputs(rows.inputs().begin(), rows.inputs().end());
      inputs[static_cast<std::size_t>(k)] += Complex(0, kComplexStep);
      expect_close(slope_along(expression, in, rows.outputs()),
                   complex.run(inputs)[value].imag() / kComplexStep, "input " + std::to_string(k));
    }
  }
}

TEST_P(ConstraintConformance, NonholonomicRowsAreLinearInTheRates) {
  const Model model = this->model();
  const std::vector<double> p = model.default_physical();
  test::RowEvaluator<double> rows(model);
  std::mt19937_64 rng(13);
  const test::TimedState<double> x = random_state(model, rng);
  const auto at_speed = [&](double factor, int row) {
    test::TimedState<double> scaled = x;
    for (double& v : scaled.v) v *= factor;
    rows.evaluate(p, scaled);
    return rows.value(row, 1);
  };
  for (int k = model.holonomic_rows(); k < static_cast<int>(model.constraint_rows().size()); ++k) {
    const double rest = at_speed(0, k);
    expect_close(at_speed(3, k) - rest, 3 * (at_speed(1, k) - rest), "row " + std::to_string(k));
  }
}

TEST_P(ConstraintConformance, InfoSaysHowManyRows) {
  const Model model = this->model();
  ASSERT_EQ(model.constraints().size(), 1u);
  EXPECT_EQ(model.constraints()[0].type, GetParam().type);
  const std::vector<RowCount> counts = count_rows(model);
  EXPECT_EQ(counts[0].holonomic, model.holonomic_rows());
  EXPECT_EQ(counts[0].holonomic + counts[0].nonholonomic, count_coordinates(model).constraint_rows);
  EXPECT_NE(model_info_text(model).find(GetParam().type), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Constraints, ConstraintConformance, testing::ValuesIn(all_cases()),
                         case_name);

}  // namespace
}  // namespace kinegrad
