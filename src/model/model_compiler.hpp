// The compiler of a model description, split by what it compiles: one .cpp each.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/expression_parser.hpp"
#include "kinegrad/math/symbolic.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/mass_properties.hpp"
#include "model/dependency_order.hpp"

namespace kinegrad {

using Sym3 = Vec3T<Symbol>;
using SymMat3 = Mat3T<Symbol>;

/// "x" … "-z" as a unit vector.
std::optional<Sym3> axis_word(const std::string& word);

/// Thrown where something depends on an element that was found wrong before: nothing new to say.
struct AlreadyReported {};

/// Names that mean something in one expression alone.
using LocalNames = std::map<std::string, NodeId, std::less<>>;

enum class FrictionKind { kBrownMcPhee, kAmbrosio, kLuGre, kGonthier };
struct FrictionTerm;
struct FrictionLaw;
struct FrictionLoad;

class ModelCompiler {
 public:
  ModelCompiler(const ModelDescription& description, const Catalogue& catalogue);
  Model compile(CoordinateSet coordinates);

 private:
  /// Says what is wrong with the element being compiled; caught by guard().
  [[noreturn]] void fail(const SourceLocation& where, const std::string& message) const;
  /// Runs the compilation of one element; a failure is recorded and the next element goes on.
  void guard(const std::string& element, const SourceLocation& where,
             const std::function<void()>& body);
  /// The given place, or the element's own if the field has none.
  const SourceLocation& place(const SourceLocation& where) const;

  // compile_parameters.cpp
  void compile_parameters();
  void compile_splines();
  void read_parameter(std::size_t k);
  /// The value of a parameter named in an expression.
  const Symbol& parameter_value(std::size_t k) const;
  /// Definitions of that kind that name each other in a ring.
  void report_cycles(const DependencyOrder& order, const std::string& kind,
                     const std::function<const std::string&(std::size_t)>& name,
                     const std::function<const SourceLocation&(std::size_t)>& where);
  /// A number that may depend on parameters only.
  Symbol number(const NumberSpec& spec, const std::string& field);
  /// The same, for a field that measures an angle: degrees if the file says so.
  Symbol angle(const NumberSpec& spec, const std::string& field);
  /// A number that depends on nothing.
  double constant(const NumberSpec& spec, const std::string& field);
  double positive(const Symbol& value, const SourceLocation& where, const std::string& field);
  /// Three numbers or an axis word.
  Sym3 triple(const VectorSpec& spec, const std::string& field);
  /// `body`: where the names of its directions are looked up.
  SymMat3 orientation(const OrientationSpec& spec, const std::string& field, int body);

  // compile_vectors.cpp
  const std::vector<NamedVectorSpec>& named_on(int body, bool point) const;
  /// Three numbers or an axis: what the name of a point or direction of that body stands for.
  const VectorSpec& written_on(const VectorSpec& spec, int body, bool point,
                               const std::string& field) const;
  /// The same as numbers.
  Sym3 triple_on(const VectorSpec& spec, int body, bool point, const std::string& field);

  /// 'body "A"', or what the file calls the element that this one stands for.
  std::string element_called(const char* kind, const std::string& name) const;

  // layout of p
  /// Fails if the value is not finite: sums and products of the file's numbers may overflow.
  int add_physical(const std::string& name, const std::string& unit, const Symbol& value);
  int add_physical(const std::string& name, const std::string& unit, const Sym3& value);
  FrameBlock add_frame(const std::string& name, const SymMat3& R, const Sym3& origin);

  // compile_bodies.cpp
  void declare_bodies();
  void compile_body(const BodySpec& spec, std::size_t body);
  void compile_placement(const BodySpec& spec, std::size_t body);
  MassProperties<Symbol> mass_properties(const BodySpec& spec, int body);
  MassProperties<Symbol> explicit_mass(const BodySpec& spec, int body);
  MassProperties<Symbol> shape_mass(const ShapeSpec& spec, int body);
  Symbol shape_radius(const ShapeSpec& spec);
  Sym3 box_size(const ShapeSpec& spec);
  Shape compile_shape(const ShapeSpec& spec, int body, const std::string& name);
  void check_mass(const MassProperties<Symbol>& mass, const BodySpec& spec) const;
  void add_body_vectors(const BodySpec& spec, int body);
  void add_vector(const NamedVectorSpec& spec, int body, bool is_point);

  // compile_joints.cpp
  void compile_joint(const JointSpec& spec, std::size_t joint);
  struct SideFrames {
    Sym3 origin[2];
    SymMat3 R[2];
  };
  /// A joint between its two passes.
  struct JointDraft {
    enum Form { kWrong, kInBodies, kInWorld } form = kWrong;
    SideFrames frames;
    JointVector<double> placed_at;  ///< coordinates in which both bodies are where they are placed
  };
  void locate_bodies();
  void finish_joint(const JointSpec& spec, std::size_t joint);
  SideFrames frames_in_bodies(const JointSpec& spec, const JointModel& type, const int (&body)[2]);
  SideFrames frames_in_world(const JointSpec& spec, const JointModel& type, const int (&body)[2]);
  void check_geometry_keys(const JointSpec& spec, const JointModel& type) const;
  Sym3 checked_axis(const Sym3& axis, const SourceLocation& where, const std::string& what) const;
  /// Axes with z along `axis` and x towards `reference`, which messages call `what`.
  SymMat3 frame_of(const Sym3& axis, const std::optional<Sym3>& reference,
                   const SourceLocation& where, const std::string& what) const;
  Sym3 point_on(const VectorSpec& spec, int body, const std::string& field);
  Sym3 direction_on(const VectorSpec& spec, int body, const std::string& field);
  Sym3 point_in_world(const VectorSpec& spec, const std::string& field);
  Sym3 direction_in_world(const VectorSpec& spec, const std::string& field);
  int vector_named(const std::string& name, const SourceLocation& where, bool point) const;
  /// On that body; -1 if there is none. Throws if it was found wrong before.
  int vector_on(std::string_view name, int body) const;
  std::vector<int> vectors_called(std::string_view name) const;
  void check_placements(const JointSpec& spec, const JointModel& type, JointDraft& draft,
                        const int (&body)[2]) const;
  int body_named(const NameSpec& name) const;

  // compile_topology.cpp
  void compile_topology();
  /// What markers weigh: nothing.
  void declare_markers();
  TreeNode add_marker(int joint);
  /// Cut joints in which something reads reactions keep their coordinates, by markers.          [BF-8]
  void keep_rubbing_joints();
  bool is_point_mass(std::size_t body) const;
  void add_free_joints();
  void check_rigid_loops() const;

  // compile_closures.cpp
  void compile_closures();
  void close_loop(const Loop& loop);
  /// `of`: the joint whose bodies it closes, where that is another one.
  void close_joint(int joint, bool redundant, int of = -1);
  /// A point or direction of a constraint, not named by the file; its index in vectors().
  int hidden_vector(int body, int first, bool is_point);
  /// Holonomic rows come first.
  void order_rows();
  /// Where p has an axis of a frame as three numbers in a row.
  int axis_of(FrameBlock frame, int i, const std::string& name);

  // compile_global.cpp
  /// From the compiled joint coordinates to others, with the same elements [GC-1].
  void make_global(CoordinateSet coordinates);
  void hang_bodies(const JointModel& carrier, const std::set<int>& read);
  TreeNode hang_body(int body, const JointModel& carrier, std::map<int, int>& kept);
  void close_all_joints();
  void number_coordinates();
  void rename_independent(const Model& start);

  // compile_natural.cpp
  struct NaturalCandidate {
    int joint = 0;
    bool is_point = true;
    std::array<int, 2> body{}, local{};
    int chosen = 0;  ///< by how many bodies
    bool fixed() const { return body[0] == 0 || body[1] == 0; }
    bool is_shared() const { return chosen == (fixed() ? 1 : 2); }
  };
  struct NaturalChoice {  // by slot of a body
    std::array<int, 4> candidate{-1, -1, -1, -1}, local{};
    std::array<bool, 4> is_point{true, false, false, false};
  };
  class Directions;
  Vec3 value_at(int first) const;
  void find_candidates(const Model& start);
  NaturalChoice choose_elements(int body);
  double size_of(int body, const Vec3& origin) const;
  void make_elements();
  void make_rigid_rows();
  void number_natural();
  /// Whether elements that the bodies of a joint share make a piece of its closure superfluous.
  bool is_implied(int joint, const ClosurePiece& piece) const;
  std::vector<NaturalCandidate> candidates_;

  // compile_constraints.cpp
  void compile_constraints();
  void compile_constraint(const ConstraintSpec& spec);
  void check_constraint_fields(const ConstraintSpec& spec, const ConstraintModel& type) const;
  void check_constraint_joints();
  friend class ConstraintFields;

  // compile_constraint_rows.cpp
  /// Σ s A⊙B + E = 0 [C-1]; `where` is the place of what E was read from.
  void add_holonomic_row(int constraint, std::vector<ConstraintTerm> terms, const Symbol& E,
                         const SourceLocation& where);
  /// E = 0, linear in the rates [C-6].
  void add_nonholonomic_row(int constraint, const Symbol& E, const SourceLocation& where);
  void check_row_splines(NodeId node, const SourceLocation& where);
  void check_row_inputs(int constraint, NodeId node, int highest_order,
                        const SourceLocation& where);
  bool terms_move(const std::vector<ConstraintTerm>& terms) const;
  bool moves(const SignalInput& input) const;
  /// Inputs of that order which the node depends on and which move.
  std::vector<int> moving_inputs(NodeId node, int order) const;
  NodeId rate_of(NodeId node);
  std::vector<ConstraintSlope> slopes_of(NodeId node, int order);
  int constraint_output(NodeId node);
  /// As an expression spells it: "J.q2", "P.vx".
  std::string input_name(const SignalInput& input) const;

  // compile_state_uses.cpp: nothing acts on a state but its rate [OS-3]
  bool carries_state(int body) const;
  /// The state behind an input of an expression, empty if it is none.
  std::string state_read(const SignalInput& input) const;
  /// Refuses an element that would act on the body of a state; `how` follows the element's name.
  void refuse_state_body(int body, const SourceLocation& where, const std::string& how) const;
  void check_row_states(NodeId node, int lowest_order, const SourceLocation& where) const;
  void check_force_target(const ForceSpec& spec, int joint) const;

  // compile_initial.cpp
  void declare_initial();
  void compile_initial();
  struct CoordinateName {
    int joint = -1;
    char level = 'q';    ///< q, v, a, or w: angular velocity
    int component = -1;  ///< -1: all of the joint's coordinates
  };
  /// "J.q", "J.q2", "J.v", …: fails with a sentence if it is no such name.
  CoordinateName coordinate_name(const std::string& text, const SourceLocation& where) const;
  std::string coordinate_refusal(int joint, std::string_view suffix) const;
  struct ComponentName {
    int vector = -1;  ///< index into vectors(), -1: it is no such name
    int axis = 0;
    bool rate = false;  ///< "P.vx"
  };
  /// "P.x", "P.vx", "body.P.x" of a point or direction; fails if the name is ambiguous or fixed.
  ComponentName component_name(const std::string& text, const SourceLocation& where) const;
  /// False if it is no component.
  bool declare_target(const InitialSpec& spec);
  /// `initial` or `guess`, while it is compiled: what it names, and what it has a value of.
  struct StartSection {
    const char* name;
    const std::vector<InitialSpec>* specs;
    std::vector<CoordinateName> names;  // by specs; joint -1 where wrong, or a component
    std::vector<bool> q, v;
  };
  void declare_names(StartSection& section, bool components);
  void default_initial();
  void place_joint(std::size_t joint);
  void place_markers();
  std::vector<Pose<double>> initial_poses(std::span<const double> p) const;
  Pose<Symbol> placed_pose(const Joint& joint) const;
  void apply_section(StartSection& section, char level);
  void apply_values(StartSection& section, const InitialSpec& spec, const CoordinateName& name);
  void apply_angular_velocity(StartSection& section, const InitialSpec& spec, const Joint& joint);
  void check_free(const StartSection& section, const InitialSpec& spec, char level,
                  std::size_t k) const;
  void order_conditions();
  void check_euler_parameters();
  void check_euler_speeds();
  void check_placed_start();
  void add_initial(const std::string& prefix, const std::vector<Symbol>& x);
  const SourceLocation& initial_place(const Joint& joint) const;

  // compile_independent.cpp
  void declare_independent();
  void compile_independent();
  void add_independent(const NameSpec& name);
  void add_independent_coordinate(const NameSpec& name, const CoordinateName& coordinate);

  // compile_forces.cpp
  void compile_forces();
  void compile_force(const ForceSpec& spec);
  void attach(const ForceSpec& spec, Force& force);
  void attach_to_body(const ForceSpec& spec, Force& force) const;
  void attach_to_frames(const ForceSpec& spec, Force& force);
  bool compile_reactive(const ForceSpec& spec, const Force& force);
  void add_matrix_attribute(Force& force, const AttributeInfo& attribute, const std::string& name,
                            const std::vector<NumberSpec>& numbers);
  void check_coordinate_kind(const ForceSpec& spec, const Force& force) const;
  void refuse_unknown_attributes(const ForceSpec& spec, const ForceModel& type) const;
  void check_attributes(const ForceSpec& spec, const Force& force) const;
  void intern_inputs(const ForceSpec& spec, const ForceModel& type);
  bool varies(const NumberSpec& spec, const std::string& field) const;
  /// Refuses what a force cannot depend on.
  void check_force_inputs(NodeId node, const SourceLocation& where, const std::string& field,
                          bool reactions = false) const;
  void add_variable_attribute(Force& force, const std::string& name, const std::string& unit,
                              NodeId node);
  void add_attribute(Force& force, const AttributeInfo& attribute, const std::string& name,
                     const NumberSpec& spec, const std::string& field);
  void add_vector_attribute(Force& force, const AttributeInfo& attribute, const std::string& name,
                            const VectorSpec& spec);

  // compile_ground.cpp: heights of grounds at the foot of a force [GR]
  std::array<NodeId, 2> place_on_ground(const Force& force);
  std::array<NodeId, 5> ground_nodes(const Force& force, const NumberSpec& height,
                                     const std::optional<NumberSpec>& radius);
  void add_ground_attribute(const ForceSpec& spec, Force& force, const AttributeInfo& attribute,
                            const std::array<NodeId, 5>* nodes);

  // compile_friction.cpp: friction in joints becomes forces that read their reactions [BF]
  void compile_friction(const ForceSpec& spec);
  int friction_joint(const ForceSpec& spec) const;
  FrictionKind friction_kind(const ForceSpec& spec) const;
  void check_friction(const ForceSpec& spec, std::string_view type, FrictionKind kind);
  void check_bristles(const ForceSpec& spec, FrictionKind kind);
  FrictionTerm friction_number(const ForceSpec& spec, const std::string& key, double other,
                               double least);
  FrictionLaw friction_law(const ForceSpec& spec, FrictionKind kind);
  FrictionLoad friction_load(const ForceSpec& spec, int joint);
  /// μ⃗ along the sliding velocities of one surface of the joint, which has bristles of its own.
  std::vector<FrictionTerm> friction_along(const ForceSpec& spec, const FrictionLaw& law,
                                           const std::vector<FrictionTerm>& v,
                                           const std::string& surface);
  FrictionTerm friction_state(const ForceSpec& spec, const std::string& name);
  void add_state_rate(const ForceSpec& spec, const std::string& name, const FrictionTerm& rate);

  // compile_fields.cpp: expressions of the place become forces on every centre of mass [GF-2]
  void compile_field(const ForceSpec& spec);
  void add_field_force(const ForceSpec& spec, const ForceModel& part, int body);
  std::array<NodeId, 5> potential_nodes(const NumberSpec& potential, int com);
  std::array<NodeId, 5> acceleration_nodes(const VectorSpec& acceleration, int com);

  // compile_laws.cpp: expressions of length and rate become forces of the tape [NS-1]
  struct Law;
  void compile_law(const ForceSpec& spec, Force& force, const ForceModel& part);
  void add_potential(const NumberSpec& spec, const LocalNames& names, Law& law);
  /// The node with length and rate in place of what stands for them.
  NodeId at_length(NodeId node, const Law& law);

  // compile_port_nodes.cpp: variables of ports and their rates, as nodes of the expressions
  struct PortNodes {
    std::vector<NodeId> x, xdot;
  };
  NodeId vector_node(int vector, int component, int order);
  int body_vector(int body, int first, bool is_point);
  PortNodes pair_nodes(int point1, int point2);
  PortNodes law_nodes(const Force& force);
  NodeId length_node(const PortNodes& d);
  NodeId rate_node(const PortNodes& d);
  /// "F.length", "F.rate" of a force between two points; none otherwise.
  std::optional<NodeId> force_motion(std::string_view name, std::string_view which);
  const ForceSpec* force_between_points(std::string_view name) const;

  // compile_element_signals.cpp: what forces and constraints tell of themselves                    [SG-9], [SG-10]
  std::span<const ForceSignal> signals_of(const ForceSpec& spec) const;
  std::optional<NodeId> force_signal(std::string_view name, std::string_view which);
  NodeId multiplier_signal(std::span<const std::string_view> words);
  std::string force_refusal(std::string_view name, std::string_view which) const;
  void check_element_signals();
  void resolve_element_signals(Model& model) const;

  // compile_signals.cpp
  void compile_signals();
  void compile_objectives();
  /// `place`: the point whose coordinates x, y, z are; -1: there are no such names. `names`: what means something here alone.
  NodeId signal_expression(const NumberSpec& spec, const std::string& field, int place = -1,
                           const LocalNames* names = nullptr);
  void compile_signal(std::size_t k);
  NodeId signal_input(const SignalInput& input);
  /// A component of a joint's reaction, fx … tz, in axes of its frame F.                     [SG-8]
  NodeId own_reaction(int joint, int component);
  int signal_spline(std::size_t spline);
  friend struct DesignScope;
  friend struct SignalScope;

  // compile_optimize.cpp
  void compile_optimize();
  int optimize_objective(const NameSpec& name) const;
  std::vector<int> optimize_parameter(const NameSpec& name) const;
  void optimize_cost(OptimizeSection& out);
  void optimize_parameters(OptimizeSection& out);
  ObjectiveRange optimize_range(const ObjectiveRangeSpec& spec);
  void optimize_scale(OptimizeSection& out);
  void optimize_horizons(OptimizeSection& out);
  double optimize_number(const std::optional<NumberSpec>& field, const char* name);
  long optimize_count(const std::optional<NumberSpec>& field, const char* name, long smallest);

  void check_names();
  void compile_elements();
  void compile_analysis();
  /// Makes the tapes of what was compiled so far.
  void finish(Model& model);

  void note_user(std::size_t parameter);
  void note_dependents(const std::vector<NodeId>& outputs);
  std::vector<std::string> parameter_names() const;
  std::vector<std::string> body_names() const;
  std::vector<std::string> joint_names() const;
  std::vector<std::string> vector_names() const;

  const ModelDescription& description_;
  const Catalogue& catalogue_;
  mutable Diagnostics diagnostics_;
  Model model_;

  // the element being compiled, for messages and for "who uses this parameter"
  std::string element_;
  SourceLocation element_where_;

  ExpressionGraph graph_;  // expressions of ρ
  std::vector<Symbol> parameter_values_;
  std::vector<bool> parameter_known_;  // it has a value: not wrong, nor in a cycle
  NameIndex parameter_index_;
  int independent_count_ = 0;
  struct Users {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> seen;
    void add(const std::string& user) {
      if (seen.insert(user).second) names.push_back(user);
    }
  };
  std::vector<Users> parameter_users_;
  std::vector<Symbol> p_;           // the physical parameters, as expressions of ρ
  std::vector<std::string> owner_;  // the element each of them belongs to
  std::vector<SplineBlock> splines_;
  NameIndex spline_index_;

  std::map<std::string, int, std::less<>> body_index_, joint_index_;
  std::vector<Sym3> placement_origin_;  // by body
  std::vector<SymMat3> placement_R_;
  std::vector<bool> placed_;         // the file gives a placement (or it is the ground)
  std::vector<Sym3> vector_values_;  // by point or direction, in body axes
  std::map<std::string, std::map<int, int>, std::less<>> vector_index_;  // name, body; -1: wrong
  mutable std::set<int> used_joints_;  // named by initial, forces, constraints or signals

  ExpressionGraph signal_graph_;
  std::map<std::tuple<int, int, int, int>, int> signal_input_index_;
  NameIndex signal_index_;
  std::vector<NodeId> signal_nodes_;  // -1: wrong, or in a cycle
  std::vector<NodeId> signal_outputs_;
  std::vector<NodeId> force_outputs_;
  std::vector<NodeId> constraint_outputs_;
  std::set<std::pair<int, int>> constraint_joints_;  // constraint, joint whose coordinates it reads
  std::map<std::size_t, int> signal_spline_;         // spline → its number in signal_graph_

  StartSection initial_{"initial", &description_.initial, {}, {}, {}};
  StartSection guess_{"guess", &description_.guess, {}, {}, {}};
  std::map<std::string, SourceLocation, std::less<>> initial_where_;  // by joint
  std::vector<JointDraft> drafts_;                                    // by joint of the description
  std::vector<Symbol> q0_, v0_;

  std::map<std::pair<int, int>, int> axes_;  // frame, axis → entry of p
  std::map<int, int> welds_;                 // weld of a marker, the joint that carries it
  FrameBlock world_;                         // a frame that is the body's own
  MassBlock massless_;
};

}  // namespace kinegrad
