#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad::app {

namespace {

ModelDescription description_of(const ModelArguments& arguments) {
  ModelDescription description = read_model_yaml(arguments.file);
  for (const std::string& setting : arguments.set) {
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size()) {
      throw InvalidArgument("--set takes NAME=VALUE, not \"" + setting + "\"");
    }
    set_parameter(description, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return description;
}

/// A formulation that goes from joint to joint has made the choice.
std::string automatic(const RunArguments& arguments, const ModelDescription& description) {
  std::string formulation = arguments.formulation;
  if (formulation.empty() && description.analysis.formulation) {
    formulation = description.analysis.formulation->name;
  }
  if (is_recursive(formulation)) {
    return std::string(coordinate_set_name(CoordinateSet::kJoint));
  }
  // forces that read reactions have whole matrices, which are smallest in joint coordinates
  if (!compile_model(description).reactive_forces().empty()) {
    return std::string(coordinate_set_name(CoordinateSet::kJoint));
  }
  return fastest(kinegrad::coordinate_sizes(description));
}

LoadedModel with_files(const ModelDescription& description, Model model, const std::string& file) {
  std::vector<NamedFile> files{{"the model", file}};
  for (const Body& body : model.bodies()) {
    for (const Shape& shape : body.shapes) {
      if (!shape.file.empty()) files.push_back({"a mesh of body " + body.name, shape.file});
    }
  }
  for (const SplineSpec& spline : description.splines) {
    for (const std::string& path : spline.files) {
      files.push_back({"a file of spline " + spline.name, path});
    }
  }
  return {std::move(model), std::move(files)};
}

}  // namespace

LoadedModel load_model(const ModelArguments& arguments) {
  const ModelDescription description = description_of(arguments);
  return with_files(description, compile_model(description), arguments.file);
}

LoadedModel load_model(const RunArguments& arguments) {
  const ModelDescription description = description_of(arguments.model);
  std::string name = arguments.coordinates;
  if (name.empty() && description.analysis.coordinates) {
    name = description.analysis.coordinates->name;
  }
  if (name == kAutomatic) name = automatic(arguments, description);
  const CoordinateSet set = name.empty() ? CoordinateSet::kJoint : coordinate_set_named(name);
  return with_files(description, compile_model(description, builtin_catalogue(), set),
                    arguments.model.file);
}

std::vector<CoordinateSize> coordinate_sizes(const ModelArguments& arguments) {
  return kinegrad::coordinate_sizes(description_of(arguments));
}

}  // namespace kinegrad::app
