#include "kinegrad/io/model_yaml.hpp"

#include "io/model_yaml_sections.hpp"
#include "io/yaml_document.hpp"

namespace kinegrad {

using namespace io;

ModelDescription parse_model_yaml(std::string_view text, const std::string& file_name,
                                  const Catalogue& catalogue) {
  Diagnostics diagnostics;
  const YamlDocument document = parse_yaml(text, file_name, diagnostics);
  ReadContext context(file_name, catalogue, diagnostics);
  const MapReader model(context, {&document.root(), "", context.place(document.root())},
                        model_keys());
  ModelDescription out;
  out.file = file_name;
  out.name = find_text(model, "name");
  out.description = find_text(model, "description");
  if (const auto degrees = model.find("degrees")) {
    out.degrees = read_flag(context, *degrees).value_or(false);
  }
  read_parameters(model, out);
  read_splines(model, out);
  out.points = read_named_vectors(model, "points", NameOf::kPoint, "");
  out.vectors = read_named_vectors(model, "vectors", NameOf::kVector, "");
  read_bodies(model, out);
  read_joints(model, out);
  read_forces(model, out);
  read_constraints(model, out);
  read_initial(model, out);
  read_states(model, out);
  read_controllers(model, out);
  read_signals(model, out);
  read_objectives(model, out);
  read_analysis(model, out);
  read_optimize(model, out);
  diagnostics.throw_if_any();
  return out;
}

ModelDescription read_model_yaml(const std::string& path, const Catalogue& catalogue) {
  return parse_model_yaml(read_text_file(path), path, catalogue);
}

}  // namespace kinegrad
