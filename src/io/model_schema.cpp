#include "kinegrad/io/model_schema.hpp"

#include <nlohmann/json.hpp>

#include "io/model_keys.hpp"
#include "kinegrad/math/expression_parser.hpp"
#include "kinegrad/model/joint_model.hpp"

namespace kinegrad {

namespace {

using io::FieldKind;
using io::KeyInfo;
using io::KeyTable;
using Json = nlohmann::ordered_json;

constexpr const char* kNamePattern = "^[A-Za-z_][A-Za-z0-9_]*$";
/// A parameter, or an element of one that is a list.
constexpr const char* kParameterPattern = "^[A-Za-z_][A-Za-z0-9_]*(\\[[0-9]+\\])?$";
constexpr const char* kComponentPattern =
    "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*){1,2}$";

/// An expression whose only names are those of functions and constants.
std::string constant_pattern() {
  std::string names;
  for (const ConstantInfo& c : expression_constants()) names += "|" + std::string(c.name);
  for (const FunctionInfo& f : expression_functions()) {
    if (!is_word_function(f.name)) names += "|" + std::string(f.name);
  }
  return "^([ .,()*/^+-]|[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?" + names + ")+$";
}

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json list_of(Json item, int smallest, int largest) {
  Json out = {{"type", "array"}, {"items", std::move(item)}, {"minItems", smallest}};
  if (largest > 0) out["maxItems"] = largest;
  return out;
}

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }

/// A map from names to elements; it may be left empty.
Json map_of(Json element) {
  return {{"type", {"object", "null"}},
          {"propertyNames", {{"pattern", kNamePattern}}},
          {"additionalProperties", std::move(element)}};
}

Json shapes() {
  std::vector<Json> choices;
  for (const std::string& type : io::shape_types()) {
    choices.push_back(reference(io::shape_keys(type).context));
  }
  return {{"oneOf", std::move(choices)}};
}

Json forces(const Catalogue& catalogue) {
  std::vector<Json> choices;
  for (const ForceModel* force : catalogue.forces()) {
    choices.push_back(reference(io::force_keys(*force).context));
  }
  return {{"oneOf", std::move(choices)}};
}

Json constraints(const Catalogue& catalogue) {
  std::vector<Json> choices;
  for (const ConstraintModel* constraint : catalogue.constraints()) {
    choices.push_back(reference(io::constraint_keys(*constraint).context));
  }
  return {{"oneOf", std::move(choices)}};
}

Json initial() {
  const Json number = reference("number");
  return {{"type", {"object", "null"}},
          {"propertyNames", {{"pattern", kComponentPattern}}},
          {"additionalProperties", any_of({number, list_of(number, 1, kMaxNamedCoordinates)})}};
}

/// {name: number, …}
Json numbers_by_name() {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", kParameterPattern}}},
          {"additionalProperties", reference("constant")},
          {"minProperties", 1}};
}

Json minimize() {
  Json minimax = {
      {"type", "object"},
      {"properties", {{"minimax", any_of({list_of(reference("name"), 1, 0), numbers_by_name()})}}},
      {"required", {"minimax"}},
      {"additionalProperties", false}};
  return any_of({reference("name"), numbers_by_name(), std::move(minimax)});
}

/// The schema of what stands behind a key of that kind.
Json field_schema(const KeyInfo& info, const Catalogue& catalogue) {
  const Json number = reference("number");
  const Json constant = reference("constant");
  const Json vector = reference("vector");
  switch (info.kind) {
    case FieldKind::kNumber: return number;
    case FieldKind::kConstant: return constant;
    case FieldKind::kVector: return vector;
    case FieldKind::kText: return {{"type", {"string", "number", "boolean"}}};
    case FieldKind::kFlag: return {{"type", "boolean"}};
    case FieldKind::kWord: return {{"type", "string"}, {"enum", info.words}};
    case FieldKind::kName: return reference("name");
    case FieldKind::kNumbers: return list_of(number, 1, 0);
    case FieldKind::kConstants: return list_of(constant, 1, 0);
    case FieldKind::kThreeNumbers: return list_of(number, 3, 3);
    case FieldKind::kMatrix6:
      return any_of({list_of(number, 6, 6), list_of(list_of(number, 6, 6), 6, 6)});
    case FieldKind::kTwoNames: return list_of(reference("name"), 2, 2);
    case FieldKind::kTwoVectors: return list_of(vector, 2, 2);
    case FieldKind::kMotion: return reference("coordinate");
    case FieldKind::kMotions: return list_of(reference("coordinate"), 1, 0);
    case FieldKind::kBounds: return list_of(any_of({constant, {{"type", "null"}}}), 2, 2);
    case FieldKind::kValues:
      return any_of(
          {list_of(number, 1, 0), reference("name"), reference("noise"), reference("samples")});
    case FieldKind::kNodes:
      return any_of({list_of(constant, 1, 0), reference("node-range"), reference("samples")});
    case FieldKind::kCount: return {{"type", "integer"}, {"minimum", info.least}};
    case FieldKind::kEulerParameters: return list_of(number, 4, 4);
    case FieldKind::kOrientation: return reference("orientation");
    case FieldKind::kPlacement: return reference("placement");
    case FieldKind::kInertia:
      return any_of({reference("inertia"), list_of(number, 3, 3), list_of(number, 6, 6),
                     list_of(list_of(number, 3, 3), 3, 3)});
    case FieldKind::kShape: return shapes();
    case FieldKind::kShapes: return {{"type", {"array", "null"}}, {"items", shapes()}};
    case FieldKind::kAnalysis: return reference("analysis");
    case FieldKind::kOptimize: return reference("optimize");
    case FieldKind::kMinimize: return minimize();
    case FieldKind::kParameterNames:
      return list_of({{"type", "string"}, {"pattern", kParameterPattern}}, 1, 0);
    case FieldKind::kScale:
      return any_of({{{"type", "string"}, {"enum", {"automatic"}}}, numbers_by_name()});
    case FieldKind::kObjectiveRanges: return map_of(reference("objective-range"));
    case FieldKind::kParameters: return map_of(any_of({number, reference("parameter")}));
    case FieldKind::kSplines: return map_of(reference("spline"));
    case FieldKind::kNamedVectors: return map_of(vector);
    case FieldKind::kBodies: return map_of(reference("body"));
    case FieldKind::kJoints: return map_of(reference("joint"));
    case FieldKind::kForces: return map_of(forces(catalogue));
    case FieldKind::kConstraints: return map_of(constraints(catalogue));
    case FieldKind::kInitial: return initial();
    case FieldKind::kStates: return map_of(reference("state"));
    case FieldKind::kControllers: return map_of(reference("controller"));
    case FieldKind::kSignals: return map_of(any_of({number, reference("signal")}));
    case FieldKind::kObjectives: return map_of(reference("objective"));
  }
  return {};
}

Json table_schema(const KeyTable& table, const Catalogue& catalogue) {
  Json properties = Json::object();
  std::vector<std::string> required;
  for (const KeyInfo& info : table.keys) {
    Json property = field_schema(info, catalogue);
    property["description"] =
        info.unit.empty() ? info.description : info.description + " [" + info.unit + "]";
    properties[info.key] = std::move(property);
    if (info.required) required.push_back(info.key);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = required;
  out["additionalProperties"] = false;
  return out;
}

/// Rules between the keys of a map, which the tables do not hold.
void add_rules(Json& definitions, const Catalogue& catalogue) {
  std::vector<std::string> joint_types;
  for (const JointModel* joint : catalogue.joints()) joint_types.emplace_back(joint->name());
  Json& type = definitions["joint"]["properties"]["type"];
  type = {{"type", "string"}, {"enum", joint_types}, {"description", type["description"]}};

  definitions["orientation"]["oneOf"] = {{{"required", {"axis", "angle"}}},
                                         {{"required", {"x", "z"}}},
                                         {{"required", {"euler_parameters"}}}};
  definitions["objective-range"]["minProperties"] = 1;
  definitions["objective"]["anyOf"] = {{{"required", {"integral"}}}, {{"required", {"terminal"}}}};
}

}  // namespace

std::string model_schema_json(const Catalogue& catalogue) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Kinegrad model"}};
  schema.update(table_schema(io::model_keys(), catalogue));

  Json definitions = Json::object();
  definitions["number"] = {{"description", "A number, or an expression of parameters."},
                           {"type", {"number", "string"}},
                           {"pattern", "\\S"}};
  definitions["constant"] = {
      {"description", "A number, or an expression without parameters, such as 2*pi."},
      {"type", {"number", "string"}},
      {"pattern", constant_pattern()}};
  definitions["vector"] = {
      {"description", "Three numbers, one of x y z -x -y -z, or the name of a point or vector."},
      {"anyOf",
       {{{"type", "string"},
         {"pattern", "^(-[xyz]|[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?)$"}},
        list_of(reference("number"), 3, 3)}}};
  definitions["name"] = {{"description", "The name of an element."},
                         {"type", "string"},
                         {"pattern", "^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*)?$"}};
  definitions["coordinate"] = {
      {"description", "A joint coordinate or a component of a point or vector: J.q, J.q2, P.x."},
      {"type", "string"},
      {"pattern", kComponentPattern}};
  for (const KeyTable& table : io::all_key_tables(catalogue)) {
    if (table.context != io::model_keys().context) {
      definitions[table.context] = table_schema(table, catalogue);
    }
  }
  add_rules(definitions, catalogue);
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

}  // namespace kinegrad
