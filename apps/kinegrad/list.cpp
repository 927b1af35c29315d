#include <fmt/core.h>

#include <functional>
#include <utility>

#include "commands.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/math/expression_parser.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::app {

namespace {

using Row = std::pair<std::string, std::string>;

std::vector<Row> joints() {
  std::vector<Row> rows;
  for (const JointModel* joint : builtin_catalogue().joints()) {
    std::string coordinates;
    for (const CoordinateInfo& c : joint->coordinates()) {
      coordinates += (coordinates.empty() ? "" : ", ") + std::string(c.name);
    }
    rows.emplace_back(
        joint->name(),
        std::string(joint->summary()) + (coordinates.empty() ? "" : "; q = (" + coordinates + ")"));
  }
  return rows;
}

std::vector<Row> forces() {
  std::vector<Row> rows;
  for (const ForceModel* force : builtin_catalogue().forces()) {
    std::string attributes;
    for (const AttributeInfo& a : force->attributes()) {
      attributes += fmt::format("{}{} [{}]", attributes.empty() ? "" : ", ", a.name, a.unit);
    }
    rows.emplace_back(force->name(), std::string(force->summary()) + "; " + attributes);
  }
  return rows;
}

std::vector<Row> constraints() {
  std::vector<Row> rows;
  for (const ConstraintModel* constraint : builtin_catalogue().constraints()) {
    std::string fields;
    for (const ConstraintField& f : constraint->fields()) {
      fields += (fields.empty() ? "" : ", ") + std::string(f.name);
    }
    rows.emplace_back(constraint->name(), std::string(constraint->summary()) + "; " + fields);
  }
  return rows;
}

std::vector<Row> functions() {
  std::vector<Row> rows;
  for (const FunctionInfo& f : expression_functions()) rows.emplace_back(f.name, f.summary);
  return rows;
}

template <typename Choices>
std::vector<Row> choices(const Choices& all) {
  std::vector<Row> rows;
  for (const NamedChoice& choice : all) rows.emplace_back(choice.name, choice.summary);
  return rows;
}

std::vector<Row> optimizer_rows() {
  std::vector<Row> rows;
  for (const OptimizerInfo& info : optimizers()) {
    std::string text(info.summary);
    if (!info.available()) text += fmt::format(" (not built in: {} was missing)", info.package);
    rows.emplace_back(info.name, text);
  }
  return rows;
}

struct Topic {
  const char* name;
  std::function<std::vector<Row>()> rows;
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{{"joints", joints},
                                      {"forces", forces},
                                      {"functions", functions},
                                      {"constraints", constraints},
                                      {"coordinates", [] { return choices(coordinate_sets()); }},
                                      {"formulations", [] { return choices(formulations()); }},
                                      {"integrators", [] { return choices(integrators()); }},
                                      {"methods", [] { return choices(gradient_methods()); }},
                                      {"optimizers", optimizer_rows}};
  return all;
}

}  // namespace

std::vector<std::string> list_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  return names;
}

int list(const ListOptions& options) {
  for (const Topic& topic : topics()) {
    if (topic.name != options.what) continue;
    const std::vector<Row> rows = topic.rows();
    if (rows.empty()) fmt::print("this version has no {}\n", options.what);
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, row.first.size());
    for (const Row& row : rows) fmt::print("{:<{}}  {}\n", row.first, width, row.second);
  }
  return kDone;
}

}  // namespace kinegrad::app
