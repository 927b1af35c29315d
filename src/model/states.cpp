#include "model/states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

NumberSpec expression(std::string text, const SourceLocation& where) {
  NumberSpec out(std::move(text));
  out.where = where;
  return out;
}

/// Inertia 1 about z, no mass: no field sees it, and what turns it is the rate alone [OS-1].
BodySpec carrier(const StateSpec& state) {
  BodySpec body;
  body.name = state.name;
  body.where = state.where;
  body.auxiliary = true;
  body.mass = 0.0;
  body.com = VectorSpec(0.0, 0.0, 0.0);
  InertiaSpec J;
  J.xx = J.yy = J.zz = 1.0;
  body.inertia = J;
  return body;
}

JointSpec axis_of(const StateSpec& state) {
  JointSpec joint;
  joint.name = state.name;
  joint.where = state.where;
  joint.type = "revolute";
  joint.bodies = {NameSpec("ground"), NameSpec(state.name)};
  joint.points = {VectorSpec(0.0, 0.0, 0.0), VectorSpec(0.0, 0.0, 0.0)};
  joint.axes = {"z", "z"};
  joint.references = {"x", "x"};
  return joint;
}

ForceSpec rate_of(const StateSpec& state) {
  ForceSpec force;
  force.name = state.name;
  force.where = state.where;
  force.type = "joint-force";
  force.joint = NameSpec(state.name, state.where);
  force.numbers["value"] = state.rate;
  return force;
}

/// What a state brings along must be new; said in the words of the file.
void require_new(const StateSpec& state, const ModelDescription& model) {
  const auto taken = [&](const auto& elements, const char* what) {
    for (const auto& element : elements) {
      if (element.name != state.name) continue;
      throw InvalidModel(state.where,
                         fmt::format("state \"{}\": a {} has the same name", state.name, what));
    }
  };
  taken(model.bodies, "body");
  taken(model.joints, "joint");
  taken(model.forces, "force");
  taken(model.signals, "signal or state");
}

/// Where a state starts is said once, beside its rate.
void require_no_speed(const StateSpec& state, const ModelDescription& model) {
  for (const InitialSpec& initial : model.initial) {
    if (initial.key.name != state.name + ".v") continue;
    throw InvalidModel(
        initial.key.where,
        fmt::format("initial: {0}.v is the state \"{0}\" itself: give its start where "
                    "its rate is, {0}: {{rate: …, initial: …}}",
                    state.name));
  }
}

/// The coordinate of a state, its start and its signal. `element`: what the file calls it, state "u" or
/// controller "c".
void add_coordinate(const StateSpec& state, const std::string& element, ModelDescription& out) {
  require_new(state, out);
  require_no_speed(state, out);
  out.stands_for[state.name] = element;
  out.bodies.push_back(carrier(state));
  out.joints.push_back(axis_of(state));
  // a state is no angle, whatever the file's unit of angles is
  const NumberSpec start =
      out.degrees ? expression(fmt::format("({})*180/pi", state.initial.text), state.initial.where)
                  : state.initial;
  out.initial.push_back({NameSpec(state.name + ".v", state.where), {start}});
  out.signals.push_back({state.name, expression(state.name + ".v", state.where), state.unit,
                         state.description, state.where});
}

void add_state(const StateSpec& state, const std::string& element, ModelDescription& out) {
  add_coordinate(state, element, out);
  out.forces.push_back(rate_of(state));
}

/// States of its type, or of friction in a joint, which depend on the joint.
std::vector<StateInfo> all_states_of(const ForceSpec& force, const ForceModel& type,
                                     const ModelDescription& model) {
  if (type.name() != "friction" || !force.joint) {
    const std::span<const StateInfo> own = states_of(force, type);
    return {own.begin(), own.end()};
  }
  for (const JointSpec& joint : model.joints) {
    if (joint.name == force.joint->name) return bearing_states(force, joint.type.name);
  }
  return {};
}

/// The states of a force [OS-4]: "rub.z1".
void add_force_states(const ForceSpec& force, const ForceModel& type, ModelDescription& out) {
  for (const StateInfo& info : all_states_of(force, type, out)) {
    StateSpec state;
    state.name = force.name + "." + std::string(info.name);
    state.unit = info.unit;
    state.description = "state of the force";
    state.where = force.where;
    const auto start = force.numbers.find(std::string(info.start));
    if (start != force.numbers.end()) state.initial = start->second;
    add_coordinate(state, fmt::format("force \"{}\"", force.name), out);
  }
}

[[noreturn]] void fail(const ControllerSpec& c, const std::string& message) {
  throw InvalidModel(c.where, fmt::format("controller \"{}\": {}", c.name, message));
}

void add_controller(const ControllerSpec& c, ModelDescription& out) {
  if (!c.P && !c.I && !c.D) fail(c, "needs at least one of the gains P, I, D");
  if (c.D && !c.rate) fail(c, "D needs \"rate\", the rate of the error");
  std::string u;
  const auto add = [&](const std::optional<NumberSpec>& gain, const std::string& text) {
    if (gain) u += fmt::format("{}({})*({})", u.empty() ? "" : " + ", gain->text, text);
  };
  const std::string integral = c.name + "_integral";
  const std::string element = fmt::format("controller \"{}\"", c.name);
  if (c.I) {
    add_state({integral, c.error, c.initial, "", "integral of the error", c.where}, element, out);
  }
  add(c.P, c.error.text);
  add(c.I, integral);
  if (c.rate) add(c.D, c.rate->text);
  if (c.limit) u = fmt::format("({0})*tanh(({1})/({0}))", c.limit->text, u);
  out.signals.push_back({c.name, expression(u, c.where), c.unit, c.description, c.where});
  out.stands_for[c.name] = element;
}

}  // namespace

std::span<const StateInfo> states_of(const ForceSpec& force, const ForceModel& type) {
  if (type.states().empty()) return {};
  AttributeVector<double> words = AttributeVector<double>::Zero(type.attribute_count());
  Eigen::Index place = 0;
  for (const AttributeInfo& attribute : type.attributes()) {
    const auto word = force.numbers.find(std::string(attribute.name));
    if (word != force.numbers.end()) {
      words(place) =
          attribute.words.empty() ? 1 : std::max(0, word_place(attribute.words, word->second.text));
    }
    place += attribute.size;
  }
  return type.states().first(static_cast<std::size_t>(type.state_count(words)));
}

bool has_states(const ModelDescription& description, const Catalogue& catalogue) {
  if (!description.states.empty() || !description.controllers.empty()) return true;
  for (const ForceSpec& force : description.forces) {
    const ForceModel* type = catalogue.find_force(force.type.name);
    if (type && !all_states_of(force, *type, description).empty()) return true;
  }
  return false;
}

ModelDescription with_states_as_coordinates(const ModelDescription& description,
                                            const Catalogue& catalogue) {
  ModelDescription out = description;
  out.states.clear();
  out.controllers.clear();
  for (const StateSpec& state : description.states) {
    add_state(state, fmt::format("state \"{}\"", state.name), out);
  }
  for (const ControllerSpec& controller : description.controllers) add_controller(controller, out);
  for (const ForceSpec& force : description.forces) {
    const ForceModel* type = catalogue.find_force(force.type.name);
    if (type) add_force_states(force, *type, out);
  }
  return out;
}

}  // namespace kinegrad
