// A model written in C++ instead of YAML: the same elements, the same expressions, the same checks.
//
//   ModelBuilder builder;
//   builder.parameter("L", 1.0, "m")
//       .body({.name = "rod", .mass = 1.0, .com = VectorSpec("L", 0, 0)})
//       .revolute("hinge", "ground", "rod", {0, 0, 0}, "z")
//       .gravity("weight", {0, -9.81, 0});
//   const Model model = builder.build();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/description.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// Collects a ModelDescription. Nothing is checked before build(), so elements may be given in any
/// order.
class ModelBuilder {
 public:
  /// The caller keeps the catalogue alive.
  explicit ModelBuilder(const Catalogue& catalogue = builtin_catalogue());

  ModelBuilder& name(std::string text);
  ModelBuilder& describe(std::string text);
  /// Whether initial angles, angular speeds and orientation angles are in degrees.
  ModelBuilder& degrees(bool on = true);

  ModelBuilder& parameter(std::string name, NumberSpec value, std::string unit = {},
                          std::optional<NumberSpec> lower = {},
                          std::optional<NumberSpec> upper = {}, std::string description = {});
  ModelBuilder& parameter(ParameterSpec spec);
  ModelBuilder& spline(std::string name, std::vector<NumberSpec> nodes,
                       std::vector<NumberSpec> values, std::string type = "cubic");
  ModelBuilder& spline(SplineSpec spec);

  /// Points and directions fixed on the ground, in world axes.
  ModelBuilder& ground_point(std::string name, VectorSpec position);
  ModelBuilder& ground_vector(std::string name, VectorSpec direction);

  ModelBuilder& body(BodySpec spec);

  ModelBuilder& joint(JointSpec spec);
  /// A joint of any type given once, in world axes in the initial configuration.
  ModelBuilder& joint(std::string name, NameSpec type, NameSpec body1, NameSpec body2,
                      VectorSpec point, std::optional<VectorSpec> axis = {},
                      std::optional<VectorSpec> axis2 = {});
  ModelBuilder& revolute(std::string name, NameSpec body1, NameSpec body2, VectorSpec point,
                         VectorSpec axis);
  ModelBuilder& prismatic(std::string name, NameSpec body1, NameSpec body2, VectorSpec point,
                          VectorSpec axis);
  ModelBuilder& spherical(std::string name, NameSpec body1, NameSpec body2, VectorSpec point);

  ModelBuilder& force(ForceSpec spec);
  ModelBuilder& gravity(std::string name, VectorSpec acceleration);

  ModelBuilder& constraint(ConstraintSpec spec);
  /// Two points stay a length apart.
  ModelBuilder& distance(std::string name, VectorSpec point1, VectorSpec point2, NumberSpec length);
  /// A coordinate such as "J.q" or "P.x" follows a function of time.
  ModelBuilder& prescribed(std::string name, std::string coordinate, NumberSpec value);

  /// `key` is "joint.q", "joint.q2", "joint.v", …; a list gives all of them.
  ModelBuilder& initial(std::string key, NumberSpec value);
  ModelBuilder& initial(std::string key, std::vector<NumberSpec> values);
  /// Where the search for the start begins, of a coordinate or speed that `initial` leaves free.
  ModelBuilder& guess(std::string key, NumberSpec value);
  ModelBuilder& guess(std::string key, std::vector<NumberSpec> values);

  ModelBuilder& signal(std::string name, NumberSpec value, std::string unit = {},
                       std::string description = {});
  ModelBuilder& objective(ObjectiveSpec spec);
  /// ψ = ∫ integrand dt.
  ModelBuilder& integral_objective(std::string name, NumberSpec integrand);
  /// ψ = value at the end.
  ModelBuilder& terminal_objective(std::string name, NumberSpec value);
  /// Defaults of a run.
  ModelBuilder& analysis(AnalysisSpec spec);
  /// What is to be minimised, and how.
  ModelBuilder& optimize(OptimizeSpec spec);

  const ModelDescription& description() const { return description_; }

  /// @throws InvalidModel with everything that is wrong.
  Model build() const;

 private:
  const Catalogue* catalogue_;
  ModelDescription description_;
};

}  // namespace kinegrad
