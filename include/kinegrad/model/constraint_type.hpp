// What the model compiler knows of a type of constraint, and what a type may ask of the compiler.
//
// A type turns the fields of the file into rows (constraint_model.hpp, docs/theory/constraints.md):
//
//   holonomic      Φ = Σ s A⊙B + E(t, q, points; p) = 0                                       [C-1]
//   nonholonomic   E(t, q, v, points, velocities; p) = 0, linear in the rates                 [C-3]
//
// It writes E once, as a Symbol; the compiler forms Ė, Ë and the slopes. A type is needed only while
// a model is compiled: what runs later are rows.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/math/symbolic.hpp"
#include "kinegrad/model/constraint_model.hpp"

namespace kinegrad {

/// A field of a constraint in the model file.
struct ConstraintField {
  enum class Kind {
    kPoint,        ///< a named point, or three numbers: a point of the ground
    kPoints,       ///< two of them
    kDirection,    ///< a named vector; an axis word or three numbers: a direction of the ground
    kDirections,   ///< two of them
    kCoordinate,   ///< a coordinate of a joint, or a component of a point or vector: "J.q", "P.x"
    kCoordinates,  ///< a list of them
    kNumber,       ///< may vary with time, not with the motion
    kNumbers,      ///< a list of them
    kExpression,   ///< may depend on the motion, too
  };
  std::string_view name;
  Kind kind = Kind::kNumber;
  std::string_view description = {};
  std::string_view unit = {};
  bool required = true;
  bool positive = false;  ///< a number: refused if it is not, as far as it does not vary
};

/// The fields of one constraint of the file, and the rows its type makes of them. Fields are named
/// as in the type's table; `i` counts the entries of a list. Vectors are indices into
/// Model::vectors().
class ConstraintWriter {
 public:
  virtual ~ConstraintWriter() = default;

  // Fields. Asking for one that the file leaves out is an error of the type.
  virtual bool has(std::string_view field) const = 0;
  virtual int count(std::string_view field) const = 0;
  virtual int point(std::string_view field, int i = 0) = 0;
  /// As long as the file gives it.
  virtual int direction(std::string_view field, int i = 0) = 0;
  /// The same, of length 1.
  virtual int unit_direction(std::string_view field, int i = 0) = 0;
  virtual Symbol number(std::string_view field, int i = 0) = 0;
  /// A number that measures an angle: in degrees if the file says so.
  virtual Symbol angle(std::string_view field, int i = 0) = 0;
  virtual Symbol coordinate(std::string_view field, int i = 0) = 0;
  /// Whether that coordinate is an angle.
  virtual bool is_angle(std::string_view field, int i = 0) = 0;
  virtual Symbol expression(std::string_view field) = 0;

  // Vectors.
  /// The body a vector is fixed on.
  virtual int body(int vector) const = 0;
  /// Its components in the axes of that body, as expressions of the parameters: to make other
  /// vectors of, never part of a row.
  virtual Vec3T<Symbol> in_body(int vector) const = 0;
  /// A direction fixed on a body, with these components in its axes.
  virtual int fixed_direction(int body, const Vec3T<Symbol>& e, const std::string& name) = 0;
  /// A point of the ground.
  virtual int ground_point(const Vec3T<Symbol>& r, const std::string& name) = 0;
  /// Two unit directions on the body of a unit direction, which make a right-handed frame with it
  /// as the third.
  virtual std::array<int, 2> perpendicular(int direction, const std::string& name) = 0;
  /// Its components in world axes (order 0) and their rates (order 1), to be used in a row.
  virtual Vec3T<Symbol> motion(int vector, int order) = 0;

  // Rows.
  virtual void holonomic(std::vector<ConstraintTerm> terms, const Symbol& E = Symbol(0)) = 0;
  virtual void nonholonomic(const Symbol& E) = 0;

  /// Refuses the constraint; the message follows its name.
  [[noreturn]] virtual void refuse(const std::string& message) const = 0;
};

/// A type of constraint. Stateless.
class ConstraintModel {
 public:
  virtual ~ConstraintModel() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::span<const ConstraintField> fields() const = 0;
  virtual void write(ConstraintWriter& writer) const = 0;

  /// The field of that name, or null.
  const ConstraintField* find(std::string_view field) const {
    for (const ConstraintField& f : fields()) {
      if (f.name == field) return &f;
    }
    return nullptr;
  }
};

}  // namespace kinegrad
