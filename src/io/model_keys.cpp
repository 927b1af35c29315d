#include "io/model_keys.hpp"

#include <algorithm>

#include "io/noise.hpp"
#include "io/samples.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::io {

namespace {

using enum FieldKind;

constexpr bool kRequired = true;
constexpr bool kOptional = false;

const KeyInfo& unit_key() {
  static const KeyInfo key{"unit", kText, kOptional, "Unit, for people; nothing is converted."};
  return key;
}

const KeyInfo& description_key() {
  static const KeyInfo key{"description", kText, kOptional, "What it is, for people."};
  return key;
}

}  // namespace

bool is_collection(FieldKind kind) { return kind >= kParameters || kind == kShapes; }

const KeyInfo* KeyTable::find(std::string_view key) const {
  const auto it =
      std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& info) { return info.key == key; });
  return it == keys.end() ? nullptr : &*it;
}

std::vector<std::string> KeyTable::names() const {
  std::vector<std::string> out;
  for (const KeyInfo& info : keys) out.push_back(info.key);
  return out;
}

const KeyTable& model_keys() {
  static const KeyTable table{
      "model",
      {
          {"name", kText, kOptional, "Name of the model."},
          {"description", kText, kOptional, "What the model is and where its data come from."},
          {"degrees", kFlag, kOptional,
           "Whether initial angles, angular speeds, orientation angles and the angles of "
           "constraints are in degrees; false if not given."},
          {"parameters", kParameters, kOptional,
           "Named numbers that expressions may use and gradients refer to."},
          {"splines", kSplines, kOptional, "Named functions through nodes."},
          {"points", kNamedVectors, kOptional, "Named points fixed on the ground, world axes."},
          {"vectors", kNamedVectors, kOptional, "Named directions fixed on the ground."},
          {"bodies", kBodies, kRequired, "The moving bodies; \"ground\" is there already."},
          {"joints", kJoints, kOptional, "What connects the bodies."},
          {"forces", kForces, kOptional, "Gravity, springs and other loads."},
          {"constraints", kConstraints, kOptional,
           "Equations between the bodies beyond the joints: rods, gears, prescribed motions."},
          {"initial", kInitial, kOptional,
           "Coordinates (joint.q), speeds (joint.v), angular velocities (joint.w), places and "
           "velocities of points (P.x, P.vx) at the start."},
          {"guess", kInitial, kOptional,
           "Coordinates, speeds and angular velocities from which the start is searched for; "
           "initial holds its values, a guess does not."},
          {"states", kStates, kOptional,
           "States of their own, given by their rates: filters, actuators, memories."},
          {"controllers", kControllers, kOptional, "Signals made of an error by gains P, I, D."},
          {"signals", kSignals, kOptional, "Named expressions of the motion."},
          {"objectives", kObjectives, kOptional, "Numbers to differentiate or to minimise."},
          {"analysis", kAnalysis, kOptional, "Defaults of a run; options override them."},
          {"optimize", kOptimize, kOptional,
           "What is to be minimised over which parameters; options override it."},
      }};
  return table;
}

const KeyTable& parameter_keys() {
  static const KeyTable table{
      "parameter",
      {
          {"value", kNumber, kRequired, "Its value: a number or an expression of parameters."},
          {"count", kCount, kOptional, "Makes a range of as many: name[0], name[1], …"},
          unit_key(),
          {"bounds", kBounds, kOptional, "Smallest and largest value; null leaves a side open."},
          description_key(),
      }};
  return table;
}

const KeyTable& spline_keys() {
  static const KeyTable table{
      "spline",
      {
          {"type",
           kWord,
           kOptional,
           "Kind of spline; cubic if not given.",
           {"cubic", "linear", "monotone", "periodic"}},
          {"nodes", kNodes, kRequired,
           "Increasing abscissas: a list, or from, to and count, or a column of a file."},
          {"values", kValues, kRequired,
           "One value per node, the name of a range, noise, or a column of a file; periodic: the "
           "last is the first."},
          unit_key(),
          description_key(),
      }};
  return table;
}

const KeyTable& node_range_keys() {
  static const KeyTable table{
      "node-range",
      {
          {"from", kConstant, kRequired, "The first node."},
          {"to", kConstant, kRequired, "The last node."},
          {"count", kCount, kRequired, "How many nodes, ends included.", {}, 2},
      }};
  return table;
}

const KeyTable& body_keys() {
  static const KeyTable table{
      "body",
      {
          {"mass",
           kNumber,
           kOptional,
           "Mass; 0 of a rotor; from the densities of the shapes if not given.",
           {},
           1,
           "kg"},
          {"com",
           kVector,
           kOptional,
           "Centre of mass in the body frame; the origin if not given.",
           {},
           1,
           "m"},
          {"inertia",
           kInertia,
           kOptional,
           "Inertia tensor: a map, [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three lists; none, a "
           "point mass, if not given.",
           {},
           1,
           "kg m²"},
          {"placement", kPlacement, kOptional,
           "Pose of the body frame in the initial configuration, in world axes; that of the world "
           "if not given."},
          {"points", kNamedVectors, kOptional, "Named points of the body, in its frame."},
          {"vectors", kNamedVectors, kOptional, "Named directions of the body, in its frame."},
          {"shape", kShape, kOptional, "A solid for viewing; with a density it supplies mass."},
          {"shapes", kShapes, kOptional, "Several solids."},
      }};
  return table;
}

const KeyTable& placement_keys() {
  static const KeyTable table{"placement",
                              {
                                  {"position",
                                   kVector,
                                   kOptional,
                                   "Origin of the body frame, world axes; [0, 0, 0] if not given.",
                                   {},
                                   1,
                                   "m"},
                                  {"orientation", kOrientation, kOptional,
                                   "Axes of the body frame; those of the world if not given."},
                              }};
  return table;
}

const KeyTable& orientation_keys() {
  static const KeyTable table{
      "orientation",
      {
          {"axis", kVector, kOptional, "Axis of the rotation, with angle."},
          {"angle", kNumber, kOptional, "Angle about the axis.", {}, 1, "rad"},
          {"x", kVector, kOptional, "Direction of the axis x, with z."},
          {"z", kVector, kOptional, "Direction of the axis z, with x."},
          {"euler_parameters", kEulerParameters, kOptional,
           "Four numbers e0, e1, e2, e3 of length 1."},
      }};
  return table;
}

const KeyTable& inertia_keys() {
  static const KeyTable table{
      "inertia",
      {
          {"xx", kNumber, kRequired, "∫(y² + z²) dm.", {}, 1, "kg m²"},
          {"yy", kNumber, kRequired, "∫(x² + z²) dm.", {}, 1, "kg m²"},
          {"zz", kNumber, kRequired, "∫(x² + y²) dm.", {}, 1, "kg m²"},
          {"xy", kNumber, kOptional, "−∫xy dm; 0 if not given.", {}, 1, "kg m²"},
          {"xz", kNumber, kOptional, "−∫xz dm; 0 if not given.", {}, 1, "kg m²"},
          {"yz", kNumber, kOptional, "−∫yz dm; 0 if not given.", {}, 1, "kg m²"},
          {"about",
           kWord,
           kOptional,
           "The point: the centre of mass or the origin of the body frame; com if not given.",
           {"com", "origin"}},
          {"axes", kOrientation, kOptional,
           "Axes of the entries in the body frame; the body axes if not given."},
      }};
  return table;
}

const KeyTable& joint_keys() {
  static const KeyTable table{
      "joint",
      {
          {"type", kName, kRequired, "Type of the joint."},
          {"bodies", kTwoNames, kRequired, "Two bodies; the second moves relative to the first."},
          {"point",
           kVector,
           kOptional,
           "Where it is: world axes, initial configuration.",
           {},
           1,
           "m"},
          {"axis", kVector, kOptional, "Its axis: world axes, initial configuration."},
          {"axis2", kVector, kOptional, "Second axis (universal), fixed to the second body."},
          {"reference", kVector, kOptional, "Direction from which its angle is measured."},
          {"points", kTwoVectors, kOptional, "Where it is on each body, in body axes.", {}, 1, "m"},
          {"axes", kTwoVectors, kOptional, "Its axis on each body, in body axes."},
          {"references", kTwoVectors, kOptional,
           "Reference direction on each body, in body axes; the angle is zero when they agree."},
          {"cut", kFlag, kOptional,
           "Whether a loop is opened at this joint; a choice of Kinegrad's if not given."},
          {"closure",
           kWord,
           kOptional,
           "Equations that close the loop if it is cut: as few as needed, or a redundant set; "
           "minimal if not given.",
           {"minimal", "redundant"}},
      }};
  return table;
}

const KeyTable& state_keys() {
  static const KeyTable table{
      "state",
      {
          {"rate", kNumber, kRequired, "Its rate: an expression of time, motion and states."},
          {"initial", kNumber, kOptional, "Its value at the start; 0 if not given."},
          unit_key(),
          description_key(),
      }};
  return table;
}

const KeyTable& controller_keys() {
  static const KeyTable table{
      "controller",
      {
          {"type", kWord, kOptional, "Kind of controller; pid if not given.", {"pid"}},
          {"error", kNumber, kRequired, "What is to become zero: reference less measurement."},
          {"rate", kNumber, kOptional, "The rate of the error; D needs it."},
          {"P", kNumber, kOptional, "Gain of the error; 0 if not given."},
          {"I", kNumber, kOptional,
           "Gain of its integral, which is the signal NAME_integral; 0 if not given."},
          {"D", kNumber, kOptional, "Gain of its rate; 0 if not given."},
          {"initial", kNumber, kOptional, "The integral at the start; 0 if not given."},
          {"limit", kNumber, kOptional,
           "Largest output u, approached as limit*tanh(u/limit); no limit if not given."},
          unit_key(),
          description_key(),
      }};
  return table;
}

const KeyTable& signal_keys() {
  static const KeyTable table{
      "signal",
      {
          {"value", kNumber, kRequired, "Expression of the motion, such as P.x or joint.q."},
          unit_key(),
          description_key(),
      }};
  return table;
}

const KeyTable& objective_keys() {
  static const KeyTable table{
      "objective",
      {
          {"integral", kNumber, kOptional, "Expression integrated over the run."},
          {"terminal", kNumber, kOptional, "Expression taken at the end of the run."},
          unit_key(),
          description_key(),
      }};
  return table;
}

const KeyTable& analysis_keys() {
  static const KeyTable table{
      "analysis",
      {
          {"coordinates", kWord, kOptional, "Coordinates of the motion.",
           names_of(coordinate_sets())},
          {"formulation", kWord, kOptional, "How accelerations are found.",
           names_of(formulations())},
          {"integrator", kWord, kOptional, "How a step is closed.", names_of(integrators())},
          {"step",
           kConstant,
           kOptional,
           "Time step, of adaptive methods the distance of the samples; --step if not given.",
           {},
           1,
           "s"},
          {"end", kConstant, kOptional, "Time at the end; --end if not given.", {}, 1, "s"},
          {"independent", kMotions, kOptional,
           "Degrees of freedom that matrix-r integrates: joint coordinates (joint.q) and "
           "coordinates "
           "of points (P.x), as many as there are; its own choice if not given."},
          {"steps",
           kWord,
           kOptional,
           "Who decides about the sizes of steps: all of the step's size, or adaptive by the "
           "tolerance; dopri5, esdirk3 and esdirk4 are adaptive if nothing is said, others fixed.",
           {"fixed", "adaptive"}},
          {"start",
           kWord,
           kOptional,
           "Where a run starts: as the initial values say, or where the forces balance at rest, "
           "with the speeds of the initial values; given if not given.",
           {"given", "equilibrium"}},
          {"tolerance", kConstant, kOptional,
           "Tolerance of the iterations or, of adaptive steps, of the local error."},
          {"max_step",
           kConstant,
           kOptional,
           "Largest of adaptive steps; a tenth of the run if not given.",
           {},
           1,
           "s"},
          {"min_step",
           kConstant,
           kOptional,
           "Smallest of adaptive steps: a run that needs smaller ones fails; no limit if not "
           "given.",
           {},
           1,
           "s"},
      }};
  return table;
}

namespace {

/// Those of `kinegrad gradient`, or one that suits the numbers of parameters and objectives.
std::vector<std::string> method_words() {
  std::vector<std::string> out = names_of(gradient_methods());
  out.insert(out.begin(), "auto");
  return out;
}

}  // namespace

const KeyTable& optimize_keys() {
  static const KeyTable table{
      "optimize",
      {
          {"minimize", kMinimize, kOptional,
           "An objective, weights of several ({a: 1, b: 0.5}), or the largest of several "
           "({minimax: [a, b]}); not needed if the model has one objective only."},
          {"parameters", kParameterNames, kOptional,
           "Parameters to change; all that have bounds if not given."},
          {"constraints", kObjectiveRanges, kOptional,
           "Objectives that must stay in a range: {a: {at_most: 3}}."},
          {"optimizer", kWord, kOptional,
           "Who searches; lbfgsb (slsqp with constraints or minimax) if not given.",
           names_of(optimizers())},
          {"method", kWord, kOptional,
           "How gradients are found; auto: forward or adjoint, what costs less; auto if not given.",
           method_words()},
          {"tolerance", kConstant, kOptional,
           "Of the projected gradient in scaled variables; 1e-7 if not given."},
          {"objective_tolerance", kConstant, kOptional,
           "Ends when the cost changes by less, relatively; 1e-12 if not given."},
          {"parameter_tolerance", kConstant, kOptional,
           "Ends when the parameters change by less, in units of their scale; 1e-10 if not given."},
          {"constraint_tolerance", kConstant, kOptional,
           "How far a constraint may be missed, in its unit; 1e-8 if not given."},
          {"evaluations", kConstant, kOptional,
           "Most simulations of one start and horizon; 500 if not given."},
          {"seconds",
           kConstant,
           kOptional,
           "Most time for everything; no limit if not given.",
           {},
           1,
           "s"},
          {"scale", kScale, kOptional,
           "What parameters change by, about; automatic: a tenth of the range of "
           "their bounds, or of their value; automatic if not given."},
          {"starts", kConstant, kOptional,
           "Number of starts; the first is the file's, the others lie between the bounds; 1 if not "
           "given."},
          {"seed", kConstant, kOptional, "Which of many sets of starts; 1 if not given."},
          {"horizons",
           kConstants,
           kOptional,
           "Shorter ends of the run to be solved first, each from the optimum before; none if not "
           "given.",
           {},
           1,
           "s"},
      }};
  return table;
}

const KeyTable& objective_range_keys() {
  static const KeyTable table{"objective-range",
                              {
                                  {"at_least", kConstant, kOptional, "Its lower bound."},
                                  {"at_most", kConstant, kOptional, "Its upper bound."},
                                  {"equals", kConstant, kOptional, "The value it must have."},
                              }};
  return table;
}

namespace {

std::vector<KeyTable> make_shape_tables() {
  const KeyInfo radius{"radius", kNumber, kRequired, "Radius.", {}, 1, "m"};
  const KeyInfo density{
      "density", kNumber, kOptional, "Density, to supply mass; for viewing alone if not given.",
      {},        1,       "kg/m³"};
  const KeyInfo color{"color", kText, kOptional, "Colour for viewing, such as \"#4477aa\"."};
  const KeyInfo center{"center", kVector, kOptional, "Centre; the body origin if not given."};
  const KeyInfo orientation{"orientation", kOrientation, kOptional,
                            "Its axes in the body frame; those of the body if not given."};
  const KeyInfo from{"from", kVector, kRequired, "One end of the axis."};
  const KeyInfo to{"to", kVector, kRequired, "The other end of the axis."};
  const auto type = [](std::string name) {
    return KeyInfo{"type", kWord, kRequired, "Type of the shape.", {std::move(name)}};
  };
  return {
      {"shape-box",
       {type("box"),
        {"size", kThreeNumbers, kRequired, "Edges along its axes.", {}, 1, "m"},
        center,
        orientation,
        density,
        color}},
      {"shape-cylinder", {type("cylinder"), from, to, radius, density, color}},
      {"shape-sphere", {type("sphere"), center, radius, density, color}},
      {"shape-capsule", {type("capsule"), from, to, radius, density, color}},
      {"shape-mesh",
       {type("mesh"),
        {"file", kText, kRequired, "Path relative to the model file."},
        {"scale", kNumber, kOptional, "Factor on its coordinates; 1 if not given."},
        center,
        orientation,
        color}},
  };
}

const std::vector<KeyTable>& shape_tables() {
  static const std::vector<KeyTable> tables = make_shape_tables();
  return tables;
}

}  // namespace

const std::vector<std::string>& shape_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> out;
    for (const KeyTable& table : shape_tables()) out.push_back(table.find("type")->words.front());
    return out;
  }();
  return types;
}

const KeyTable& shape_keys(std::string_view type) {
  const auto it = std::find(shape_types().begin(), shape_types().end(), type);
  KINEGRAD_DEMAND(it != shape_types().end());
  return shape_tables()[static_cast<std::size_t>(it - shape_types().begin())];
}

KeyTable force_keys(const ForceModel& force) {
  KeyTable table{
      "force-" + std::string(force.name()),
      {{"type", kWord, kRequired, std::string(force.summary()), {std::string(force.name())}}}};
  const PortAttachment attachment = port_attachment(force.port());
  if (attachment == PortAttachment::kTwoPoints) {
    table.keys.push_back({"points", kTwoNames, kRequired, "The two points it acts between."});
  } else if (attachment == PortAttachment::kJointCoordinate) {
    table.keys.push_back({"joint", kName, kRequired, "The joint it acts in."});
  } else if (attachment == PortAttachment::kPoint || attachment == PortAttachment::kBody) {
    const bool point = attachment == PortAttachment::kPoint;
    table.keys.push_back({point ? "point" : "body", kName, kRequired,
                          point ? "The point it acts on." : "The body it acts on."});
    table.keys.push_back({"axes",
                          kWord,
                          kOptional,
                          "Axes of its components: the world's, or the body's own.",
                          {"world", "body"}});
  } else if (attachment == PortAttachment::kTwoFrames) {
    table.keys.push_back({"bodies", kTwoNames, kRequired, "The two bodies it acts between."});
    for (const char* key : {"point", "axis", "reference", "points", "axes", "references"}) {
      table.keys.push_back(*joint_keys().find(key));
    }
  }
  for (const AttributeInfo& attribute : force.attributes()) {
    std::string description(attribute.description.empty() ? attribute.name : attribute.description);
    table.keys.push_back({std::string(attribute.name),
                          !attribute.words.empty() ? kWord
                          : attribute.size == 36   ? kMatrix6
                          : attribute.size == 3    ? kVector
                                                   : kNumber,
                          attribute.required, std::move(description), words_of(attribute.words), 1,
                          attribute.words.empty() ? std::string(attribute.unit) : std::string()});
  }
  return table;
}

namespace {

FieldKind kind_of(ConstraintField::Kind kind) {
  using Kind = ConstraintField::Kind;
  switch (kind) {
    case Kind::kPoint:
    case Kind::kDirection: return kVector;
    case Kind::kPoints:
    case Kind::kDirections: return kTwoVectors;
    case Kind::kCoordinate: return kMotion;
    case Kind::kCoordinates: return kMotions;
    case Kind::kNumbers: return kNumbers;
    case Kind::kNumber:
    case Kind::kExpression: break;
  }
  return kNumber;
}

}  // namespace

KeyTable constraint_keys(const ConstraintModel& constraint) {
  const std::string name(constraint.name());
  KeyTable table{"constraint-" + name,
                 {{"type", kWord, kRequired, std::string(constraint.summary()), {name}}}};
  for (const ConstraintField& field : constraint.fields()) {
    table.keys.push_back({std::string(field.name),
                          kind_of(field.kind),
                          field.required,
                          std::string(field.description),
                          {},
                          1,
                          std::string(field.unit)});
  }
  return table;
}

std::vector<KeyTable> all_key_tables(const Catalogue& catalogue) {
  std::vector<KeyTable> tables = {model_keys(),      parameter_keys(), spline_keys(),
                                  node_range_keys(), noise_keys(),     samples_keys(),
                                  body_keys(),       placement_keys(), orientation_keys(),
                                  inertia_keys(),    joint_keys(),     state_keys(),
                                  controller_keys(), signal_keys(),    objective_keys(),
                                  analysis_keys(),   optimize_keys(),  objective_range_keys()};
  for (const std::string& type : shape_types()) tables.push_back(shape_keys(type));
  for (const ForceModel* force : catalogue.forces()) tables.push_back(force_keys(*force));
  for (const ConstraintModel* c : catalogue.constraints()) tables.push_back(constraint_keys(*c));
  return tables;
}

}  // namespace kinegrad::io
