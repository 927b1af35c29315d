#include "kinegrad/model/compile.hpp"

#include "model/model_compiler.hpp"
#include "model/names.hpp"
#include "model/states.hpp"

namespace kinegrad {

ModelCompiler::ModelCompiler(const ModelDescription& description, const Catalogue& catalogue)
    : description_(description), catalogue_(catalogue) {}

const SourceLocation& ModelCompiler::place(const SourceLocation& where) const {
  return where.known() || !where.file.empty() ? where : element_where_;
}

void ModelCompiler::fail(const SourceLocation& where, const std::string& message) const {
  SourceLocation at = place(where);
  if (at.file.empty()) at.file = description_.file;
  throw InvalidModel(std::move(at), element_.empty() ? message : element_ + ": " + message);
}

void ModelCompiler::guard(const std::string& element, const SourceLocation& where,
                          const std::function<void()>& body) {
  element_ = element;
  element_where_ = where;
  try {
    body();
  } catch (const InvalidModel& error) {
    for (const Diagnostic& finding : error.findings()) {
      diagnostics_.add(finding.where, finding.message);
    }
  } catch (const AlreadyReported&) {
    // its cause is on the list
  }
  element_.clear();
  if (diagnostics_.findings().size() >= Diagnostics::kLimit) diagnostics_.throw_if_any();
}

std::string ModelCompiler::element_called(const char* kind, const std::string& name) const {
  const auto it = description_.stands_for.find(name);
  return it != description_.stands_for.end() ? it->second : std::string(kind) + " \"" + name + "\"";
}

void ModelCompiler::compile_elements() {
  for (std::size_t k = 0; k < description_.bodies.size(); ++k) {
    const BodySpec& spec = description_.bodies[k];
    const std::string element = element_called("body", spec.name);
    guard(element, spec.where, [&] { compile_placement(spec, k + 1); });
    guard(element, spec.where, [&] { compile_body(spec, k + 1); });
    add_body_vectors(spec, static_cast<int>(k + 1));
  }
  for (const NamedVectorSpec& spec : description_.points) add_vector(spec, 0, true);
  for (const NamedVectorSpec& spec : description_.vectors) add_vector(spec, 0, false);
  drafts_.resize(description_.joints.size());
  for (std::size_t k = 0; k < description_.joints.size(); ++k) {
    const JointSpec& spec = description_.joints[k];
    guard(element_called("joint", spec.name), spec.where, [&] { compile_joint(spec, k); });
  }
  locate_bodies();
  for (std::size_t b = 1; b < model_.bodies_.size(); ++b) {
    const std::string& name = model_.bodies_[b].name;
    guard(element_called("body", name), model_.bodies_[b].where, [&] {
      model_.bodies_[b].placement =
          add_frame(name + ".placement", placement_R_[b], placement_origin_[b]);
    });
  }
  for (std::size_t k = 0; k < description_.joints.size(); ++k) {
    const JointSpec& spec = description_.joints[k];
    guard(element_called("joint", spec.name), spec.where, [&] { finish_joint(spec, k); });
  }
  add_free_joints();
}

/// The reader refuses such names with a better place; a model built in C++ meets them here.
void ModelCompiler::check_names() {
  const auto check = [&](NameOf what, const std::string& name, const SourceLocation& where) {
    // "rub.z1": a state of a force, whose own name is checked
    if (name.find('.') != std::string::npos && description_.stands_for.contains(name)) return;
    const std::string refusal = name_refusal(what, name);
    if (!refusal.empty()) diagnostics_.add(where, refusal);
  };
  const auto vectors = [&](NameOf what, const std::vector<NamedVectorSpec>& all) {
    for (const NamedVectorSpec& v : all) check(what, v.name, v.where);
  };
  for (const auto& p : description_.parameters) check(NameOf::kParameter, p.name, p.where);
  for (const auto& s : description_.splines) check(NameOf::kSpline, s.name, s.where);
  vectors(NameOf::kPoint, description_.points);
  vectors(NameOf::kVector, description_.vectors);
  for (const BodySpec& b : description_.bodies) {
    check(NameOf::kBody, b.name, b.where);
    vectors(NameOf::kPoint, b.points);
    vectors(NameOf::kVector, b.vectors);
  }
  for (const auto& j : description_.joints) check(NameOf::kJoint, j.name, j.where);
  for (const auto& f : description_.forces) check(NameOf::kForce, f.name, f.where);
  for (const auto& c : description_.constraints) check(NameOf::kConstraint, c.name, c.where);
  for (const auto& s : description_.signals) check(NameOf::kSignal, s.name, s.where);
  for (const auto& o : description_.objectives) check(NameOf::kObjective, o.name, o.where);
}

void ModelCompiler::compile_forces() {
  for (const ForceSpec& spec : description_.forces) {
    guard(element_called("force", spec.name), spec.where, [&] { compile_force(spec); });
  }
}

void ModelCompiler::compile_analysis() {
  const AnalysisSpec& spec = description_.analysis;
  guard("analysis", spec.where, [&] {
    const auto read = [&](const std::optional<NumberSpec>& field, const char* name) {
      if (!field) return 0.0;
      const double value = constant(*field, name);
      if (!(value > 0)) fail(field->where, std::string(name) + " must be positive");
      return value;
    };
    const auto word = [](const std::optional<NameSpec>& field) {
      return field ? field->name : std::string();
    };
    model_.analysis_ = {read(spec.step, "step"),
                        read(spec.end, "end"),
                        read(spec.tolerance, "tolerance"),
                        read(spec.max_step, "max_step"),
                        read(spec.min_step, "min_step"),
                        word(spec.coordinates),
                        word(spec.formulation),
                        word(spec.integrator),
                        word(spec.steps),
                        word(spec.start)};
  });
}

Model ModelCompiler::compile(CoordinateSet coordinates) {
  model_.name_ = description_.name;
  model_.description_ = description_.description;
  model_.file_ = description_.file;
  for (std::size_t k = 0; k < description_.signals.size(); ++k) {
    const SignalSpec& spec = description_.signals[k];
    if (!signal_index_.emplace(spec.name, k).second) {
      diagnostics_.add(spec.where, "signal \"" + spec.name + "\" is defined twice");
    }
  }
  for (const JointSpec& spec : description_.joints) {
    Joint joint;
    joint.name = spec.name;
    if (!joint_index_.emplace(spec.name, static_cast<int>(model_.joints_.size())).second) {
      diagnostics_.add(spec.where, "joint \"" + spec.name + "\" is defined twice");
    }
    model_.joints_.push_back(std::move(joint));
  }
  check_names();
  declare_bodies();
  compile_parameters();
  compile_splines();
  compile_elements();
  declare_initial();
  declare_independent();
  compile_signals();
  compile_forces();
  compile_constraints();
  check_element_signals();
  compile_analysis();
  compile_optimize();
  diagnostics_.throw_if_any();  // the tree needs sound joints
  compile_topology();
  check_constraint_joints();
  diagnostics_.throw_if_any();
  compile_closures();
  order_rows();
  compile_initial();
  compile_independent();
  diagnostics_.throw_if_any();
  if (coordinates != CoordinateSet::kJoint) make_global(coordinates);
  finish(model_);
  return std::move(model_);
}

void ModelCompiler::finish(Model& model) {
  resolve_element_signals(model);
  std::vector<NodeId> outputs;
  for (const Symbol& value : p_) outputs.push_back(value.node(graph_));
  note_dependents(outputs);
  for (std::size_t k = 0; k < model.parameters_.size(); ++k) {
    model.parameters_[k].users = parameter_users_[k].names;
  }
  model.design_map_ = DesignMap(Tape(graph_, outputs), splines_, independent_count_);
  model.signal_tape_ = Tape(signal_graph_, signal_outputs_);
  model.force_tape_ = Tape(signal_graph_, force_outputs_);
  model.constraint_tape_ = Tape(signal_graph_, constraint_outputs_);
  const auto inputs_of = [&](const std::vector<NodeId>& nodes) {
    std::set<int> inputs;
    for (const NodeId node : nodes) {
      for (const int input : signal_graph_.inputs_of(node)) inputs.insert(input);
    }
    return std::vector<int>(inputs.begin(), inputs.end());
  };
  model.force_inputs_ = inputs_of(force_outputs_);
  model.constraint_inputs_ = inputs_of(constraint_outputs_);
}

Model compile_model(const ModelDescription& description, const Catalogue& catalogue,
                    CoordinateSet coordinates) {
  if (has_states(description, catalogue)) {
    const ModelDescription expanded = with_states_as_coordinates(description, catalogue);
    return ModelCompiler(expanded, catalogue).compile(coordinates);
  }
  return ModelCompiler(description, catalogue).compile(coordinates);
}

void set_parameter(ModelDescription& description, std::string_view name, std::string_view value) {
  std::vector<std::string> known;
  bool found = false;
  for (ParameterSpec& parameter : description.parameters) {
    known.push_back(parameter.name);
    if (parameter.name != name && range_of(parameter.name) != name) continue;
    found = true;
    parameter.value.text = value;
    // what is wrong with it then is not the file's fault
    parameter.value.where = {"--set " + std::string(name) + "=" + std::string(value), 0, 0};
  }
  if (found) return;
  throw InvalidArgument("there is no parameter \"" + std::string(name) + "\"" +
                        suggestion(name, known));
}

}  // namespace kinegrad
