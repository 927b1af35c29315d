// Vectors that a file gives by the name of a point or direction instead of three numbers, where the body is
// still being read: centre of mass, placement, shapes, other points. The name stands for what is written behind
// it, which may be a name again.
#include <algorithm>

#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// What the file writes behind a name; null if nothing bears it.
const VectorSpec* written(const std::vector<NamedVectorSpec>& named, std::string_view name) {
  const auto it = std::find_if(named.begin(), named.end(),
                               [&](const NamedVectorSpec& v) { return v.name == name; });
  return it == named.end() ? nullptr : &it->value;
}

}  // namespace

/// Points and directions of a body of the file; the ground is 0.
const std::vector<NamedVectorSpec>& ModelCompiler::named_on(int body, bool point) const {
  if (body == 0) return point ? description_.points : description_.vectors;
  const BodySpec& spec = description_.bodies[static_cast<std::size_t>(body - 1)];
  return point ? spec.points : spec.vectors;
}

const VectorSpec& ModelCompiler::written_on(const VectorSpec& spec, int body, bool point,
                                            const std::string& field) const {
  static const VectorSpec origin(0.0, 0.0, 0.0);
  const std::string& owner = model_.bodies_[static_cast<std::size_t>(body)].name;
  const std::vector<NamedVectorSpec>& named = named_on(body, point);
  const VectorSpec* at = &spec;
  for (std::size_t links = 0; !at->name.empty() && !axis_word(at->name); ++links) {
    std::string_view name = at->name;
    if (const std::string prefix = owner + "."; name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
    }
    const VectorSpec* next = written(named, name);
    if (!next && point && name == "com" && body > 0) {
      const BodySpec& own = description_.bodies[static_cast<std::size_t>(body - 1)];
      next = own.com ? &*own.com : own.mass ? &origin : nullptr;
    }
    const std::string kind = point ? "point" : "vector";
    if (!next) {
      std::vector<std::string> known;
      for (const NamedVectorSpec& v : named) known.push_back(v.name);
      fail(spec.where, field + ": \"" + at->name +
                           "\" is neither three numbers nor an axis nor a " + kind + " of \"" +
                           owner + "\"" + suggestion(name, known));
    }
    if (links > named.size() + 1) {
      fail(spec.where, field + ": " + kind + " \"" + spec.name + "\" stands for itself");
    }
    at = next;
  }
  return *at;
}

Sym3 ModelCompiler::triple_on(const VectorSpec& spec, int body, bool point,
                              const std::string& field) {
  return triple(written_on(spec, body, point, field), field);
}

}  // namespace kinegrad
