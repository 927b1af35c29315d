// Named parameters, splines, and the numbers of the file as expressions of them.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "kinegrad/math/euler_parameters.hpp"
#include "model/model_compiler.hpp"

namespace kinegrad {

/// Names in a field that is constant during a run: parameters.
struct DesignScope final : ExpressionScope {
  ModelCompiler& compiler;
  explicit DesignScope(ModelCompiler& c) : compiler(c) {}

  std::optional<NodeId> variable(std::string_view name, ExpressionGraph& graph) const override {
    const auto it = compiler.parameter_index_.find(name);
    if (it == compiler.parameter_index_.end()) return {};
    compiler.note_user(it->second);
    return compiler.parameter_value(it->second).node(graph);
  }
  std::vector<std::string> names() const override { return compiler.parameter_names(); }
  std::string refusal(std::string_view name) const override {
    if (name == "t") return "time is not available in this field";
    const std::string head(name.substr(0, name.find('.')));
    if (compiler.signal_index_.contains(head)) return "signals are not available in this field";
    for (const SplineSpec& spline : compiler.description_.splines) {
      if (spline.name == name) return "splines are not available in this field";
    }
    if (name.find('.') != std::string_view::npos &&
        (compiler.joint_index_.contains(head) || compiler.body_index_.contains(head) ||
         compiler.vector_index_.contains(head))) {
      return "the motion is not available in this field";
    }
    return {};
  }
};

/// Names in a field that must not change with the design: none.
struct ConstantScope final : ExpressionScope {
  std::optional<NodeId> variable(std::string_view, ExpressionGraph&) const override { return {}; }
  std::vector<std::string> names() const override { return {}; }
  std::string refusal(std::string_view) const override {
    return "this field must be a constant and cannot depend on parameters";
  }
};

/// The element being compiled names the parameter.
void ModelCompiler::note_user(std::size_t parameter) { parameter_users_[parameter].add(element_); }

/// Elements that depend on a parameter without naming it: a joint at a point that it moves. One walk
/// over the graph for every 64 parameters, which travel as the bits of a word.
void ModelCompiler::note_dependents(const std::vector<NodeId>& outputs) {
  constexpr int kBits = 64;
  long links = 1'000'000;  // enough for any model that a person reads about
  std::vector<std::size_t> parameter_of_input(static_cast<std::size_t>(independent_count_));
  for (std::size_t k = 0; k < model_.parameters_.size(); ++k) {
    const int index = model_.parameters_[k].index;
    if (index >= 0) parameter_of_input[static_cast<std::size_t>(index)] = k;
  }
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(graph_.size()));
  for (int first = 0; first < independent_count_; first += kBits) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const ExpressionGraph::Node& node = graph_.node(id);
      std::uint64_t& own = bits[static_cast<std::size_t>(id)] = 0;
      for (const NodeId operand : {node.a, node.b, node.c}) {
        if (operand >= 0) own |= bits[static_cast<std::size_t>(operand)];
      }
      if (node.op == Op::kInput && node.index >= first && node.index < first + kBits) {
        own = std::uint64_t{1} << (node.index - first);
      }
    }
    // who uses a derived parameter uses those it is made of
    for (std::size_t k = 0; k < model_.parameters_.size(); ++k) {
      if (!model_.parameters_[k].derived) continue;
      std::uint64_t own = bits[static_cast<std::size_t>(parameter_values_[k].node(graph_))];
      for (; own != 0 && links > 0; own &= own - 1) {
        const auto input = static_cast<std::size_t>(first + std::countr_zero(own));
        for (const std::string& user : parameter_users_[k].names) {
          parameter_users_[parameter_of_input[input]].add(user);
          --links;
        }
      }
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::uint64_t own = owner_[k].empty() ? 0 : bits[static_cast<std::size_t>(outputs[k])];
      for (; own != 0 && links > 0; own &= own - 1, --links) {
        const auto input = static_cast<std::size_t>(first + std::countr_zero(own));
        parameter_users_[parameter_of_input[input]].add(owner_[k]);
      }
    }
  }
}

std::vector<std::string> ModelCompiler::parameter_names() const {
  std::vector<std::string> names;
  for (const ParameterSpec& p : description_.parameters) names.push_back(p.name);
  return names;
}

void ModelCompiler::compile_parameters() {
  const auto& specs = description_.parameters;
  parameter_values_.resize(specs.size());
  parameter_known_.assign(specs.size(), false);
  parameter_users_.resize(specs.size());
  model_.parameters_.resize(specs.size());
  std::vector<std::string_view> texts;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    texts.emplace_back(specs[k].value.text);
    if (!parameter_index_.emplace(specs[k].name, k).second) {
      diagnostics_.add(specs[k].where, "parameter \"" + specs[k].name + "\" is defined twice");
    }
  }
  const DependencyOrder order = dependency_order(texts, parameter_index_);
  report_cycles(
      order, "parameter", [&](std::size_t k) -> const std::string& { return specs[k].name; },
      [&](std::size_t k) -> const SourceLocation& { return specs[k].where; });
  for (const std::size_t k : order.order) {
    guard("parameter \"" + specs[k].name + "\"", specs[k].where, [&] { read_parameter(k); });
  }
}

void ModelCompiler::report_cycles(const DependencyOrder& order, const std::string& kind,
                                  const std::function<const std::string&(std::size_t)>& name,
                                  const std::function<const SourceLocation&(std::size_t)>& where) {
  for (const std::vector<std::size_t>& cycle : order.cycles) {
    std::vector<std::string> names;
    for (const std::size_t k : cycle) names.push_back(name(k));
    diagnostics_.add(where(cycle.front()), fmt::format("{} \"{}\" depends on itself ({})", kind,
                                                       names.front(), cycle_text(names)));
  }
}

/// Parameters are read in the order of their dependence, so one without a value was found wrong.
const Symbol& ModelCompiler::parameter_value(std::size_t k) const {
  if (!parameter_known_[k]) throw AlreadyReported{};
  return parameter_values_[k];
}

void ModelCompiler::read_parameter(std::size_t k) {
  const ParameterSpec& spec = description_.parameters[k];
  const Symbol value = number(spec.value, "value");
  Parameter& out = model_.parameters_[k];
  out.name = spec.name;
  out.unit = spec.unit;
  out.description = spec.description;
  out.where = spec.where;
  out.value = value.value();
  out.derived = !value.is_constant();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  out.lower = spec.lower ? constant(*spec.lower, "lower bound") : -kInfinity;
  out.upper = spec.upper ? constant(*spec.upper, "upper bound") : kInfinity;
  if (out.derived && (spec.lower || spec.upper)) {
    fail(spec.where, "a parameter that is an expression of others cannot have bounds");
  }
  if (out.lower > out.upper) fail(spec.where, "the lower bound is above the upper one");
  if (out.value < out.lower || out.value > out.upper) {
    fail(spec.value.where, fmt::format("the value {} is outside its bounds", out.value));
  }
  if (out.derived) {
    parameter_values_[k] = value;
  } else {
    out.index = independent_count_++;
    const NodeId node = graph_.input(out.index);
    graph_.set_reference_input(out.index, out.value);
    parameter_values_[k] = Symbol(graph_, node, out.value);
  }
  parameter_known_[k] = true;
}

Symbol ModelCompiler::number(const NumberSpec& spec, const std::string& field) {
  const DesignScope scope(*this);
  try {
    const NodeId node = parse_expression(spec.text, graph_, scope);
    const Symbol value(graph_, node);
    if (!std::isfinite(value.value())) {
      fail(spec.where, field + ": \"" + spec.text + "\" is not a finite number");
    }
    return value;
  } catch (const ExpressionError& error) {
    fail(spec.where, field + ": " + error.what());
  }
}

Symbol ModelCompiler::angle(const NumberSpec& spec, const std::string& field) {
  const Symbol value = number(spec, field);
  return description_.degrees ? value * Symbol(std::numbers::pi / 180) : value;
}

double ModelCompiler::constant(const NumberSpec& spec, const std::string& field) {
  try {
    ExpressionGraph graph;
    const NodeId node = parse_expression(spec.text, graph, ConstantScope{});
    const double value = graph.constant_value(node);
    if (!std::isfinite(value)) fail(spec.where, field + ": not a finite number");
    return value;
  } catch (const ExpressionError& error) {
    fail(spec.where, field + ": " + error.what());
  }
}

double ModelCompiler::positive(const Symbol& value, const SourceLocation& where,
                               const std::string& field) {
  if (!(value.value() > 0)) fail(where, field + " must be positive");
  return value.value();
}

std::optional<Sym3> axis_word(const std::string& word) {
  const bool negative = word.size() == 2 && word[0] == '-';
  if (word.size() != 1 && !negative) return {};
  const char letter = word.back();
  if (letter < 'x' || letter > 'z') return {};
  Sym3 axis(Symbol(0), Symbol(0), Symbol(0));
  axis(letter - 'x') = Symbol(negative ? -1 : 1);
  return axis;
}

Sym3 ModelCompiler::triple(const VectorSpec& spec, const std::string& field) {
  if (!spec.name.empty()) {
    if (const auto axis = axis_word(spec.name)) return *axis;
    fail(spec.where, field + ": \"" + spec.name + "\" is neither three numbers nor an axis");
  }
  static constexpr const char* kAxes[] = {".x", ".y", ".z"};
  Sym3 out;
  for (int i = 0; i < 3; ++i) {
    NumberSpec entry = spec.entries[static_cast<std::size_t>(i)];
    if (!entry.where.known()) entry.where = spec.where;
    out(i) = number(entry, field + kAxes[i]);
  }
  return out;
}

SymMat3 ModelCompiler::orientation(const OrientationSpec& spec, const std::string& field,
                                   int body) {
  if (!spec.euler_parameters.empty()) {
    Vec<Symbol, 4> p;
    for (int i = 0; i < 4; ++i) {
      p(i) = number(spec.euler_parameters[static_cast<std::size_t>(i)], field);
    }
    const double norm = std::sqrt(la::squared_norm(p).value());
    if (!(std::abs(norm - 1) <= 1e-6)) {
      fail(spec.where,
           fmt::format("{}: the Euler parameters have length {:.6g}, not 1", field, norm));
    }
    return euler_rotation(p);
  }
  if (spec.axis) {
    if (!spec.angle) fail(spec.where, field + ": an axis needs an angle");
    const Sym3 axis = checked_axis(triple_on(*spec.axis, body, false, field + ".axis"),
                                   spec.axis->where, field + ".axis");
    return rotation_about<Symbol>(axis, angle(*spec.angle, field + ".angle"));
  }
  if (spec.angle) fail(spec.where, field + ": an angle needs an axis");
  if (spec.x || spec.z) {
    if (!spec.x || !spec.z) fail(spec.where, field + ": give both directions x and z");
    const Sym3 z =
        checked_axis(triple_on(*spec.z, body, false, field + ".z"), spec.z->where, field + ".z");
    return frame_of(z, triple_on(*spec.x, body, false, field + ".x"), spec.x->where, field + ".x");
  }
  return SymMat3::Identity();
}

int ModelCompiler::add_physical(const std::string& name, const std::string& unit,
                                const Symbol& value) {
  if (!std::isfinite(value.value())) {
    fail(element_where_, "the numbers are too large: " + name + " is not finite");
  }
  model_.physical_.push_back({name, unit});
  p_.push_back(value);
  owner_.push_back(element_);
  return static_cast<int>(p_.size()) - 1;
}

int ModelCompiler::add_physical(const std::string& name, const std::string& unit,
                                const Sym3& value) {
  const int first = add_physical(name + ".x", unit, value(0));
  add_physical(name + ".y", unit, value(1));
  add_physical(name + ".z", unit, value(2));
  return first;
}

FrameBlock ModelCompiler::add_frame(const std::string& name, const SymMat3& R, const Sym3& origin) {
  const FrameBlock block{add_physical(name, "m", origin)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      add_physical(name + ".R" + std::to_string(i + 1) + std::to_string(j + 1), "1", R(i, j));
    }
  }
  return block;
}

void ModelCompiler::compile_splines() {
  for (const SplineSpec& spec : description_.splines) {
    guard("spline \"" + spec.name + "\"", spec.where, [&] {
      if (parameter_index_.contains(spec.name)) fail(spec.where, "a parameter has the same name");
      if (spline_index_.contains(spec.name)) fail(spec.where, "it is defined twice");
      if (is_expression_function(spec.name) || is_word_function(spec.name))
        fail(spec.where, "a function has the same name");
      SplineKnots knots;
      if (spec.type == "monotone") {
        knots.type = SplineType::kMonotone;
      } else if (spec.type == "periodic") {
        knots.type = SplineType::kPeriodic;
      } else if (spec.type == "linear") {
        knots.type = SplineType::kLinear;
      } else if (spec.type != "cubic") {
        fail(spec.where, "unknown type \"" + spec.type + "\" (cubic, linear, monotone, periodic)");
      }
      for (const NumberSpec& node : spec.nodes) knots.x.push_back(constant(node, "nodes"));
      if (spec.values.size() != spec.nodes.size()) {
        fail(spec.where, "has " + std::to_string(spec.nodes.size()) + " nodes but " +
                             std::to_string(spec.values.size()) + " values");
      }
      std::vector<Symbol> values;
      for (const NumberSpec& value : spec.values) values.push_back(number(value, "values"));
      if (knots.type == SplineType::kPeriodic && !values.empty() &&
          values.front().node(graph_) != values.back().node(graph_)) {
        fail(spec.where, "a periodic spline's last value must be the same as its first");
      }
      try {
        Spline spline(std::move(knots));
        const int first = static_cast<int>(p_.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          add_physical(spec.name + ".value" + std::to_string(i), spec.unit, values[i]);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
          add_physical(spec.name + ".slope" + std::to_string(i), spec.unit, Symbol(0));
        }
        spline_index_.emplace(spec.name, splines_.size());
        splines_.push_back({std::move(spline), first});
      } catch (const InvalidArgument& error) {
        fail(spec.where, error.what());
      }
    });
  }
}

}  // namespace kinegrad
