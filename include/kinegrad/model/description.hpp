// A model as it is written: names, expressions, places in the file, nothing resolved yet.
// The YAML reader and ModelBuilder both fill a ModelDescription; compile_model() turns it into a
// Model or says, element by element, why it cannot.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"

namespace kinegrad {

/// A number: a literal or an expression of parameters (of time and signals where a field allows).
struct NumberSpec {
  std::string text;
  SourceLocation where;

  NumberSpec() = default;
  NumberSpec(int value) : NumberSpec(static_cast<double>(value)) {}  // NOLINT: so is 0
  NumberSpec(double value);                                          // NOLINT: 2.5 is a number
  NumberSpec(const char* expression) : text(expression) {}           // NOLINT: "L/2" is a number
  NumberSpec(std::string expression, SourceLocation at = {})         // NOLINT
      : text(std::move(expression)), where(std::move(at)) {}
};

/// Three numbers, or a word: an axis ("x", "-z") or the name of a point or vector.
struct VectorSpec {
  std::array<NumberSpec, 3> entries;
  std::string name;  ///< not empty: the word, and the entries do not count
  SourceLocation where;

  VectorSpec() = default;
  VectorSpec(NumberSpec x, NumberSpec y, NumberSpec z)
      : entries{std::move(x), std::move(y), std::move(z)} {}
  VectorSpec(const char* word) : name(word) {}          // NOLINT: "z" is a vector
  VectorSpec(std::string word, SourceLocation at = {})  // NOLINT
      : name(std::move(word)), where(std::move(at)) {}
};

struct ParameterSpec {
  std::string name;
  NumberSpec value;
  std::string unit;
  std::string description;
  std::optional<NumberSpec> lower, upper;
  SourceLocation where;
};

/// A function of one variable through nodes whose values may be parameters.
struct SplineSpec {
  std::string name;
  std::string type = "cubic";      ///< cubic | linear | monotone | periodic
  std::vector<NumberSpec> nodes;   ///< abscissas: constants, increasing
  std::vector<NumberSpec> values;  ///< one per node; periodic: last equals first
  std::string unit;
  std::string description;
  std::vector<std::string> files;  ///< that nodes or values were read from
  SourceLocation where;
};

struct NamedVectorSpec {
  std::string name;
  VectorSpec value;
  SourceLocation where;
};

/// Exactly one way of giving a rotation; all empty means the identity.
struct OrientationSpec {
  std::optional<VectorSpec> axis;  ///< with angle
  std::optional<NumberSpec> angle;
  std::optional<VectorSpec> x, z;            ///< directions of the axes x and z
  std::vector<NumberSpec> euler_parameters;  ///< four numbers, normalised by the reader
  SourceLocation where;
};

/// Pose of the body frame in the initial configuration, in world axes.
struct PlacementSpec {
  std::optional<VectorSpec> position;
  OrientationSpec orientation;
  SourceLocation where;
};

struct InertiaSpec {
  NumberSpec xx, yy, zz, xy = 0.0, xz = 0.0, yz = 0.0;  ///< tensor entries: xy = −∫xy dm
  std::string about = "com";                            ///< com | origin
  OrientationSpec axes;                                 ///< axes of the entries, in the body frame
  SourceLocation where;
};

/// A solid for viewing; with a density it also supplies mass properties.
struct ShapeSpec {
  std::string type;                    ///< box | cylinder | sphere | capsule | mesh
  std::optional<VectorSpec> size;      ///< box: edges
  std::optional<VectorSpec> center;    ///< box, sphere, mesh: where; default the body origin
  OrientationSpec orientation;         ///< box, mesh
  std::optional<VectorSpec> from, to;  ///< cylinder, capsule: ends of the axis
  std::optional<NumberSpec> radius;    ///< cylinder, sphere, capsule
  std::optional<NumberSpec> density;   ///< not for meshes
  std::string file;                    ///< mesh: path relative to the model file
  std::optional<NumberSpec> scale;     ///< mesh
  std::string color;                   ///< any; for the page
  SourceLocation where;
};

struct BodySpec {
  std::string name;
  std::optional<NumberSpec> mass;
  std::optional<VectorSpec> com;
  std::optional<InertiaSpec> inertia;
  PlacementSpec placement;
  std::vector<NamedVectorSpec> points, vectors;
  std::vector<ShapeSpec> shapes;
  bool auxiliary = false;  ///< not matter, but the coordinate of a state (docs/theory/states.md)
  SourceLocation where;
};

/// A name used in the file, with its place.
struct NameSpec {
  std::string name;
  SourceLocation where;

  NameSpec() = default;
  NameSpec(const char* text) : name(text) {}          // NOLINT
  NameSpec(std::string text, SourceLocation at = {})  // NOLINT
      : name(std::move(text)), where(std::move(at)) {}
};

/// A joint between two bodies. Geometry either once, in world axes in the initial configuration
/// (`point`, `axis`, `axis2`, `reference`), or per body in body axes (`points`, `axes`,
/// `references`, two entries each).
struct JointSpec {
  std::string name;
  NameSpec type;
  std::vector<NameSpec> bodies;  ///< two: the second moves relative to the first
  std::optional<VectorSpec> point, axis, axis2, reference;
  std::vector<VectorSpec> points, axes, references;
  std::optional<bool> cut;
  std::string closure = "minimal";  ///< minimal | redundant: the equations if it is cut
  SourceLocation where;
};

/// A force element. `points`, `point`, `body`, `joint` or `frames` attach it; the rest are attributes of
/// its type.
struct ForceSpec {
  std::string name;
  NameSpec type;
  std::vector<NameSpec> points;
  std::optional<NameSpec> point, body, joint;
  JointSpec frames;            ///< two bodies and a frame on each, given as those of a joint
  std::string axes = "world";  ///< world | body: of a force on a point or a torque on a body
  std::map<std::string, NumberSpec> numbers;
  std::map<std::string, VectorSpec> vectors;
  std::map<std::string, std::vector<NumberSpec>> matrices;  ///< six numbers (the diagonal) or 36
  SourceLocation where;
};

/// A constraint. Which fields it has is a matter of its type; one that takes a single value has a
/// list of one.
struct ConstraintSpec {
  std::string name;
  NameSpec type;
  std::map<std::string, std::vector<VectorSpec>, std::less<>> vectors;  ///< points, directions
  /// Numbers, expressions, and coordinates such as "J.q".
  std::map<std::string, std::vector<NumberSpec>, std::less<>> numbers;
  SourceLocation where;
};

/// Values of chosen coordinates or speeds: key "joint.q", "joint.q2", "joint.v", …
struct InitialSpec {
  NameSpec key;
  std::vector<NumberSpec> values;
};

/// A state of its own, ṡ = rate(t, motion, states): of a filter, an actuator, a controller. Its name is a
/// signal.
struct StateSpec {
  std::string name;
  NumberSpec rate;
  NumberSpec initial = 0.0;
  std::string unit;
  std::string description;
  SourceLocation where;
};

/// u = P e + I ∫e dt + D ė, a signal with the name of the controller; gains not given are not there.
struct ControllerSpec {
  std::string name;
  NumberSpec error;
  std::optional<NumberSpec> rate;     ///< ė, for D
  std::optional<NumberSpec> P, I, D;  ///< gains
  NumberSpec initial = 0.0;           ///< of ∫e dt, the signal name_integral
  std::optional<NumberSpec> limit;    ///< |u| stays below it: limit·tanh(u/limit)
  std::string unit;
  std::string description;
  SourceLocation where;
};

struct SignalSpec {
  std::string name;
  NumberSpec value;
  std::string unit;
  std::string description;
  SourceLocation where;
};

/// ψ = terminal (at the end) + ∫ integral dt; at least one of them.
struct ObjectiveSpec {
  std::string name;
  std::optional<NumberSpec> terminal, integral;
  std::string unit;
  std::string description;
  SourceLocation where;
};

/// Defaults of a run; the command line overrides them. The words are those of `kinegrad list`.
struct AnalysisSpec {
  std::optional<NameSpec> coordinates, formulation, integrator, steps, start;
  std::optional<NumberSpec> step, end, tolerance, max_step, min_step;
  std::vector<NameSpec> independent;  ///< "J.q", "P.x", "body.P.x": what a run is to integrate
  SourceLocation where;
};

/// A name and the number that goes with it: a weight of an objective, a scale of a parameter.
struct NamedNumberSpec {
  NameSpec name;
  NumberSpec number;
};

/// Bounds of an objective: at least one of them, and `equals` alone.
struct ObjectiveRangeSpec {
  NameSpec objective;
  std::optional<NumberSpec> at_least, at_most, equals;
};

/// What `kinegrad optimize` is to do; the command line overrides it.
struct OptimizeSpec {
  bool given = false;
  std::vector<NamedNumberSpec> minimize;  ///< objectives with their weights
  bool minimax = false;                   ///< the largest of them, not their sum
  std::vector<NameSpec> parameters;       ///< empty: all that have bounds
  std::vector<ObjectiveRangeSpec> constraints;
  std::optional<NameSpec> optimizer, method;
  std::optional<NumberSpec> tolerance, objective_tolerance, parameter_tolerance;
  std::optional<NumberSpec> constraint_tolerance, seconds, evaluations, starts, seed;
  std::vector<NamedNumberSpec> scale;  ///< empty: automatic
  std::vector<NumberSpec> horizons;
  SourceLocation where;
};

struct ModelDescription {
  std::string file;  ///< where it was read from; empty when built in C++
  std::string name;
  std::string description;
  bool degrees = false;  ///< angular fields are in degrees; expressions' functions stay radians
  std::vector<ParameterSpec> parameters;
  std::vector<SplineSpec> splines;
  std::vector<NamedVectorSpec> points, vectors;  ///< fixed on the ground
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<ForceSpec> forces;
  std::vector<ConstraintSpec> constraints;
  std::vector<InitialSpec> initial;
  std::vector<InitialSpec> guess;  ///< where the search for the start begins; nothing is held there
  std::vector<StateSpec> states;
  std::vector<ControllerSpec> controllers;
  std::vector<SignalSpec> signals;
  std::vector<ObjectiveSpec> objectives;
  AnalysisSpec analysis;
  OptimizeSpec optimize;
  /// Elements that stand for others of the file, by name: u → state "u".
  std::map<std::string, std::string, std::less<>> stands_for;
};

}  // namespace kinegrad
