// States of their own and controllers.
#include "io/model_yaml_sections.hpp"

namespace kinegrad::io {

void read_states(const MapReader& model, ModelDescription& out) {
  for (const auto& [name, field] : find_elements(model, "states", NameOf::kState)) {
    const MapReader map(model.context(), field, state_keys());
    StateSpec& state = out.states.emplace_back();
    state.name = name.name;
    state.where = name.where;
    state.rate = find_number(map, "rate").value_or(NumberSpec{});
    state.initial = find_number(map, "initial").value_or(NumberSpec(0.0));
    state.unit = find_text(map, "unit");
    state.description = find_text(map, "description");
  }
}

void read_controllers(const MapReader& model, ModelDescription& out) {
  ReadContext& context = model.context();
  for (const auto& [name, field] : find_elements(model, "controllers", NameOf::kController)) {
    const MapReader map(context, field, controller_keys());
    ControllerSpec& controller = out.controllers.emplace_back();
    controller.name = name.name;
    controller.where = name.where;
    if (const auto type = map.find("type")) {
      read_word(context, *type, controller_keys().find("type")->words);
    }
    controller.error = find_number(map, "error").value_or(NumberSpec{});
    controller.rate = find_number(map, "rate");
    controller.P = find_number(map, "P");
    controller.I = find_number(map, "I");
    controller.D = find_number(map, "D");
    controller.initial = find_number(map, "initial").value_or(NumberSpec(0.0));
    controller.limit = find_number(map, "limit");
    controller.unit = find_text(map, "unit");
    controller.description = find_text(map, "description");
  }
}

}  // namespace kinegrad::io
