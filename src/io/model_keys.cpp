#include "io/model_keys.hpp"

#include <algorithm>

#include "io/key_words.hpp"
#include "io/noise.hpp"
#include "io/samples.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/model/catalogue.hpp"

namespace kinegrad::io {

using namespace key_words;

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
