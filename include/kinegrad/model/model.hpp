// A resolved mechanism: bodies, joints, tree, cut joints, points, forces, signals, and the layout of
// its physical parameters. Immutable once compiled, so it may be shared between threads; every number
// is in the vector p that DesignMap computes, none is here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"
#include "kinegrad/math/expression_graph.hpp"
#include "kinegrad/model/constraint_model.hpp"
#include "kinegrad/model/design_map.hpp"
#include "kinegrad/model/force_model.hpp"
#include "kinegrad/model/joint_model.hpp"
#include "kinegrad/model/natural_basis.hpp"
#include "kinegrad/model/optimize_section.hpp"
#include "kinegrad/model/topology.hpp"

namespace kinegrad {

/// A named parameter ρ_k.
struct Parameter {
  std::string name;
  std::string unit;
  std::string description;
  double value = 0;
  double lower, upper;             ///< ∓∞ where not given
  bool derived = false;            ///< its value is an expression of others: not a ρ of its own
  int index = -1;                  ///< position in ρ, -1 if derived
  std::vector<std::string> users;  ///< the elements whose fields depend on it
  SourceLocation where;
};

/// One entry of p, for people: "A1.mass" in "kg".
struct PhysicalEntry {
  std::string name;
  std::string unit;
};

/// Offsets of a body's mass properties in p: m, c_B (3), J about the centre of mass in body axes
/// (xx, yy, zz, xy, xz, yz).
struct MassBlock {
  int mass = -1;
  int com = -1;
  int inertia = -1;
};

/// Offset of a frame in p: origin (3), then the rotation matrix row by row (9), in body axes.
struct FrameBlock {
  int first = -1;
  int origin() const { return first; }
  int rotation() const { return first + 3; }
  static constexpr int kSize = 12;
};

/// What a shape is drawn from; `numbers` are offsets into p.
struct Shape {
  std::string type;  ///< box | cylinder | sphere | capsule | mesh
  int numbers = -1;  ///< box: size 3, frame 12 · cylinder, capsule: from 3, to 3, radius ·
                     ///< sphere: centre 3, radius · mesh: frame 12, scale
  std::string file;  ///< mesh: path as found
  std::string color;
};

/// What describes where the bodies are (docs/theory/global_coordinates.md).
enum class CoordinateSet {
  kJoint,      ///< relative motion in the joints of a tree
  kCartesian,  ///< place and Euler parameters of every body
  kNatural,    ///< points and unit vectors that bodies share
};

struct Body {
  std::string name;
  MassBlock mass;  ///< ground: all -1
  std::vector<Shape> shapes;
  FrameBlock placement;    ///< body frame in the initial configuration, world axes
  bool auxiliary = false;  ///< carries a state or reads a joint, and is not matter
  SourceLocation where;
};

struct Joint {
  std::string name;
  const JointModel* type = nullptr;
  int body1 = 0, body2 = 0;
  FrameBlock F, M;  ///< F on body1, M on body2
  bool cut = false;
  bool automatic = false;  ///< free joint added for a part not joined to the ground
  int q_first = -1;        ///< first of its coordinates in q; -1 if cut
  SourceLocation where;
};

/// A point or a direction fixed on a body.
struct BodyVector {
  std::string name;
  int body = 0;
  int first = -1;  ///< offset of its three coordinates in p
  bool is_point = true;
  SourceLocation where;
  bool hidden = false;  ///< made by a constraint, not named by the file
};

struct Force {
  std::string name;
  const ForceModel* type = nullptr;
  int point1 = -1, point2 = -1;  ///< indices into vectors(); a force on one point has point2 only
  int joint = -1, coordinate = 0;
  int body = -1;               ///< of a torque
  int body1 = -1, body2 = -1;  ///< of a pair of frames: F on body1, M on body2
  FrameBlock F, M;
  bool in_body_axes = false;  ///< its effort turns with the body
  int attributes = -1;        ///< offset in p
  std::vector<int> states;  ///< joints whose speeds are its states                          [OS-4]
  /// Attributes that depend on time or signals: position among the attributes, and the output of
  /// force_tape() that gives the value.
  std::vector<std::pair<int, int>> variable;
  SourceLocation where;

  /// A field: it acts on every body.
  bool attached_nowhere() const { return point2 < 0 && joint < 0 && body < 0 && body2 < 0; }
  /// Whether its energy is a potential of its own. Where something varies that the energy depends on, the
  /// force does work instead, unless the type itself knows how its energy changes.             [MO-2]
  bool has_potential() const {
    if (!type->has_energy() || type->knows_energy_rate()) return type->has_energy();
    for (const auto& [place, output] : variable) {
      if (type->stores(place)) return false;
    }
    return true;
  }
};

/// A force on a joint coordinate whose value reads reactions [RL-1].
struct ReactiveForce {
  std::string name;
  int joint = -1, coordinate = 0;
  int output = 0;  ///< index into the outputs of signal_tape()
  SourceLocation where;
};

/// What an input of the signal expressions stands for.
struct SignalInput {
  enum class Kind { kTime, kPhysical, kJoint, kVector, kReaction, kEnergy, kForce, kMultiplier };
  Kind kind = Kind::kTime;
  int element = 0;    ///< entry of p, joint, point/direction, force, or row of constraint_rows()
  int component = 0;  ///< coordinate or axis; reaction: force 0 … 2, torque 3 … 5; energy: total,
                      ///< kinetic, potential; force: which of its type's signals()
  int order = 0;      ///< 0 position, 1 velocity, 2 acceleration
};

struct Signal {
  std::string name, unit, description;
  int output = 0;  ///< index into the outputs of signal_tape()
  SourceLocation where;
};

/// ψ = terminal + ∫ integral dt; outputs of signal_tape(), -1 where absent.
struct Objective {
  std::string name, unit, description;
  int terminal = -1, integral = -1;
  SourceLocation where;
};

/// A component of a point or direction whose initial value, or rate, the file gives.
struct InitialTarget {
  std::string name;  ///< "P.x", "P.vx"
  int row = 0;       ///< index into initial_rows()
  bool rate = false;
  int value = -1;  ///< entry of p
  SourceLocation where;
};

/// One value that the file gives of the start: of a coordinate or its speed, or of a component of a
/// point or direction or its rate.
struct InitialCondition {
  int coordinate = -1;  ///< index into q; -1: a component
  int target = -1;      ///< index into initial_targets(); -1: a coordinate
  bool rate = false;
};

/// What the file wants a run to integrate: a coordinate of the tree, or a component of a point or
/// direction.
struct IndependentCoordinate {
  std::string name;     ///< "A.q", "P.x"
  int coordinate = -1;  ///< index into q; -1: a component
  int row = -1;         ///< index into independent_rows(); -1: a coordinate of the tree
  SourceLocation where;
};

/// Defaults of a run, 0 or empty where the file is silent. What the words mean is settled by the
/// layers that know the choices.
struct AnalysisDefaults {
  double step = 0, end = 0, tolerance = 0, max_step = 0, min_step = 0;
  std::string coordinates, formulation, integrator, steps, start;
};

class Model {
 public:
  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& file() const { return file_; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Body>& bodies() const { return bodies_; }  ///< 0 is the ground
  const std::vector<Joint>& joints() const { return joints_; }
  const std::vector<BodyVector>& vectors() const { return vectors_; }  ///< points, directions
  const std::vector<Force>& forces() const { return forces_; }
  /// Those that read reactions are not among forces().
  const std::vector<ReactiveForce>& reactive_forces() const { return reactive_forces_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /// Rows of all constraints, holonomic ones first.
  const std::vector<ConstraintRow>& constraint_rows() const { return constraint_rows_; }
  int holonomic_rows() const { return holonomic_rows_; }
  const std::vector<ConstraintExpression>& constraint_expressions() const {
    return constraint_expressions_;
  }
  const std::vector<Signal>& signals() const { return signals_; }
  const std::vector<Objective>& objectives() const { return objectives_; }
  const AnalysisDefaults& analysis() const { return analysis_; }
  const OptimizeSection& optimize() const { return optimize_; }

  CoordinateSet coordinate_set() const { return coordinate_set_; }
  /// The same mechanism in joint coordinates, in which starts are found; its physical parameters are
  /// the first ones of this model.
  const Model& start() const { return start_.empty() ? *this : start_.front(); }

  /// Tree and cuts. nodes[k].joint indexes joints(), automatic ones included.
  const Topology& topology() const { return topology_; }

  /// Number of coordinates of the tree, = number of speeds.
  int nq() const { return nq_; }
  /// Number of coordinates of a state: those of the tree, unless natural ones describe it.
  int state_size() const { return natural_.empty() ? nq_ : natural_.nq; }
  /// Natural coordinates; empty in other coordinate sets.
  const NaturalBasis& natural() const { return natural_; }
  /// Names "A.q", "J.q2" in the order of q, a state's.
  const std::vector<std::string>& coordinate_names() const { return coordinate_names_; }

  const DesignMap& design_map() const { return design_map_; }
  const std::vector<PhysicalEntry>& physical() const { return physical_; }
  /// Offsets in p of the initial coordinates and of the initial speeds.
  int initial_q() const { return initial_q_; }
  int initial_v() const { return initial_v_; }
  /// Coordinates whose initial value or speed the file gives (others start from a default).
  const std::vector<bool>& initial_q_given() const { return initial_q_given_; }
  const std::vector<bool>& initial_v_given() const { return initial_v_given_; }

  /// Points whose place the file gives at the start, and the rows Φ = component that measure them.
  const std::vector<InitialTarget>& initial_targets() const { return initial_targets_; }
  const std::vector<ConstraintRow>& initial_rows() const { return initial_rows_; }

  /// All values that the file gives of the start, in its order.
  const std::vector<InitialCondition>& initial_conditions() const { return initial_conditions_; }

  /// The degrees of freedom as the file names them, none where it leaves the choice open, and the
  /// rows Φ = component that measure those on points.
  const std::vector<IndependentCoordinate>& independent() const { return independent_; }
  const std::vector<ConstraintRow>& independent_rows() const { return independent_rows_; }

  const Tape& signal_tape() const { return signal_tape_; }
  const std::vector<SignalInput>& signal_inputs() const { return signal_inputs_; }
  /// The attributes of forces that depend on time or signals, with inputs as signal_tape(); only
  /// those in force_inputs() are read, none of them an acceleration.
  const Tape& force_tape() const { return force_tape_; }
  const std::vector<int>& force_inputs() const { return force_inputs_; }

  /// The expressions of constraint rows, with inputs as signal_tape(); constraint_inputs() are read.
  const Tape& constraint_tape() const { return constraint_tape_; }
  const std::vector<int>& constraint_inputs() const { return constraint_inputs_; }

  /// Values of the independent parameters, in the order of ρ.
  VecX default_rho() const;
  /// Physical parameters at those values.
  std::vector<double> default_physical() const;
  /// Index of a body, joint or point/direction; -1 if there is none. Points may be given as "P" if
  /// the name is used once, or as "body.P".
  int find_body(std::string_view name) const;
  /// Positions in ρ of what a parameter's name stands for; empty if there is none, or if its value is
  /// an expression of others. Whoever takes names of parameters asks here.
  std::vector<int> find_parameters(std::string_view name) const;
  int find_joint(std::string_view name) const;
  int find_vector(std::string_view name) const;
  /// "P", or "body.P" where P alone would be ambiguous.
  std::string vector_name(int index) const;

 private:
  friend class ModelCompiler;
  Model() = default;

  std::string name_, description_, file_;
  std::vector<Parameter> parameters_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<BodyVector> vectors_;
  std::vector<Force> forces_;
  std::vector<ReactiveForce> reactive_forces_;
  std::vector<Constraint> constraints_;
  std::vector<ConstraintRow> constraint_rows_;
  int holonomic_rows_ = 0;
  std::vector<ConstraintExpression> constraint_expressions_;
  std::vector<Signal> signals_;
  std::vector<Objective> objectives_;
  AnalysisDefaults analysis_;
  OptimizeSection optimize_;
  CoordinateSet coordinate_set_ = CoordinateSet::kJoint;
  std::vector<Model> start_;  // none: this one
  Topology topology_;
  int nq_ = 0;
  NaturalBasis natural_;
  std::vector<std::string> coordinate_names_;
  DesignMap design_map_;
  std::vector<PhysicalEntry> physical_;
  int initial_q_ = 0, initial_v_ = 0;
  std::vector<bool> initial_q_given_, initial_v_given_;
  std::vector<InitialTarget> initial_targets_;
  std::vector<ConstraintRow> initial_rows_;
  std::vector<InitialCondition> initial_conditions_;
  std::vector<IndependentCoordinate> independent_;
  std::vector<ConstraintRow> independent_rows_;
  Tape signal_tape_;
  std::vector<SignalInput> signal_inputs_;
  Tape force_tape_;
  std::vector<int> force_inputs_;
  Tape constraint_tape_;
  std::vector<int> constraint_inputs_;
};

}  // namespace kinegrad
