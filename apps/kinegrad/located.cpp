// Where the file says what a message of a run is about.
#include "commands.hpp"

namespace kinegrad::app {

namespace {

struct Element {
  const std::string* name;
  const SourceLocation* where;
};

/// What messages name, what they name most often first.
std::vector<Element> elements_of(const Model& model) {
  std::vector<Element> all;
  const auto add = [&](const auto& list) {
    for (const auto& element : list) {
      if (element.where.known()) all.push_back({&element.name, &element.where});
    }
  };
  add(model.joints());
  add(model.constraints());
  add(model.bodies());
  add(model.forces());
  add(model.reactive_forces());
  add(model.initial_targets());
  return all;
}

/// Where the message has the name: in quotes, or before the dot of a coordinate.
std::size_t mention(const std::string& message, const std::string& name) {
  const std::size_t quoted = message.find('"' + name + '"');
  for (std::size_t at = message.find(name + "."); at != std::string::npos;
       at = message.find(name + ".", at + 1)) {
    if (at > 0 && (message[at - 1] == ' ' || message[at - 1] == '(')) return std::min(at, quoted);
  }
  return quoted;
}

}  // namespace

std::string located(const Model& model, const std::string& file, const std::string& message) {
  const std::vector<Element> all = elements_of(model);
  if (all.empty()) return file + ": " + message;
  std::size_t first = std::string::npos;
  SourceLocation where = *all.front().where;
  for (const Element& element : all) {
    const std::size_t at = mention(message, *element.name);
    if (at >= first) continue;
    first = at;
    where = *element.where;
  }
  where.file = file;
  return Diagnostic{where, message}.text();
}

}  // namespace kinegrad::app
