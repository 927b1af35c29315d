// Keys of shapes, and of forces and constraints as their types state them.
#include <algorithm>

#include "io/key_words.hpp"
#include "kinegrad/base/error.hpp"

namespace kinegrad::io {

using namespace key_words;

namespace {

std::vector<KeyTable> make_shape_tables() {
  const KeyInfo radius{"radius", kNumber, kRequired, "Radius.", {}, 1, "m"};
  const KeyInfo density{
      "density", kNumber, kOptional, "Density, to supply mass; for viewing alone if not given.",
      {},        1,       "kg/m³"};
  const KeyInfo color{"color", kText, kOptional, "Colour for viewing, such as \"#4477aa\"."};
  const KeyInfo center{"center", kVector, kOptional, "Centre; the body origin if not given."};
  const KeyInfo orientation{"orientation", kOrientation, kOptional,
                            "Its axes in the body frame; those of the body if not given."};
  const KeyInfo from{"from", kVector, kRequired, "One end of the axis."};
  const KeyInfo to{"to", kVector, kRequired, "The other end of the axis."};
  const auto type = [](std::string name) {
    return KeyInfo{"type", kWord, kRequired, "Type of the shape.", {std::move(name)}};
  };
  return {
      {"shape-box",
       {type("box"),
        {"size", kThreeNumbers, kRequired, "Edges along its axes.", {}, 1, "m"},
        center,
        orientation,
        density,
        color}},
      {"shape-cylinder", {type("cylinder"), from, to, radius, density, color}},
      {"shape-sphere", {type("sphere"), center, radius, density, color}},
      {"shape-capsule", {type("capsule"), from, to, radius, density, color}},
      {"shape-mesh",
       {type("mesh"),
        {"file", kText, kRequired, "Path relative to the model file."},
        {"scale", kNumber, kOptional, "Factor on its coordinates; 1 if not given."},
        center,
        orientation,
        color}},
  };
}

const std::vector<KeyTable>& shape_tables() {
  static const std::vector<KeyTable> tables = make_shape_tables();
  return tables;
}

}  // namespace

const std::vector<std::string>& shape_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> out;
    for (const KeyTable& table : shape_tables()) out.push_back(table.find("type")->words.front());
    return out;
  }();
  return types;
}

const KeyTable& shape_keys(std::string_view type) {
  const auto it = std::find(shape_types().begin(), shape_types().end(), type);
  KINEGRAD_DEMAND(it != shape_types().end());
  return shape_tables()[static_cast<std::size_t>(it - shape_types().begin())];
}

KeyTable force_keys(const ForceModel& force) {
  KeyTable table{
      "force-" + std::string(force.name()),
      {{"type", kWord, kRequired, std::string(force.summary()), {std::string(force.name())}}}};
  const PortAttachment attachment = port_attachment(force.port());
  if (attachment == PortAttachment::kTwoPoints) {
    table.keys.push_back({"points", kTwoNames, kRequired, "The two points it acts between."});
  } else if (attachment == PortAttachment::kJointCoordinate) {
    table.keys.push_back({"joint", kName, kRequired, "The joint it acts in."});
  } else if (attachment == PortAttachment::kPoint || attachment == PortAttachment::kBody) {
    const bool point = attachment == PortAttachment::kPoint;
    table.keys.push_back({point ? "point" : "body", kName, kRequired,
                          point ? "The point it acts on." : "The body it acts on."});
    table.keys.push_back({"axes",
                          kWord,
                          kOptional,
                          "Axes of its components: the world's, or the body's own.",
                          {"world", "body"}});
  } else if (attachment == PortAttachment::kTwoFrames) {
    table.keys.push_back({"bodies", kTwoNames, kRequired, "The two bodies it acts between."});
    for (const char* key : {"point", "axis", "reference", "points", "axes", "references"}) {
      table.keys.push_back(*joint_keys().find(key));
    }
  }
  for (const AttributeInfo& attribute : force.attributes()) {
    std::string description(attribute.description.empty() ? attribute.name : attribute.description);
    table.keys.push_back({std::string(attribute.name),
                          !attribute.words.empty() ? kWord
                          : attribute.size == 36   ? kMatrix6
                          : attribute.size == 3    ? kVector
                                                   : kNumber,
                          attribute.required, std::move(description), words_of(attribute.words), 1,
                          attribute.words.empty() ? std::string(attribute.unit) : std::string()});
  }
  return table;
}

namespace {

FieldKind kind_of(ConstraintField::Kind kind) {
  using Kind = ConstraintField::Kind;
  switch (kind) {
    case Kind::kPoint:
    case Kind::kDirection: return kVector;
    case Kind::kPoints:
    case Kind::kDirections: return kTwoVectors;
    case Kind::kCoordinate: return kMotion;
    case Kind::kCoordinates: return kMotions;
    case Kind::kNumbers: return kNumbers;
    case Kind::kNumber:
    case Kind::kExpression: break;
  }
  return kNumber;
}

}  // namespace

KeyTable constraint_keys(const ConstraintModel& constraint) {
  const std::string name(constraint.name());
  KeyTable table{"constraint-" + name,
                 {{"type", kWord, kRequired, std::string(constraint.summary()), {name}}}};
  for (const ConstraintField& field : constraint.fields()) {
    table.keys.push_back({std::string(field.name),
                          kind_of(field.kind),
                          field.required,
                          std::string(field.description),
                          {},
                          1,
                          std::string(field.unit)});
  }
  return table;
}
}  // namespace kinegrad::io
