// The keys of a model file, one table per kind of map. The reader is driven by these tables and the
// JSON Schema is made from them, so that neither can know a key the other does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/model/catalogue.hpp"

namespace kinegrad::io {

/// What may stand behind a key. Each kind has one reading function and one schema.
enum class FieldKind {
  kNumber,           ///< a literal or an expression of parameters
  kConstant,         ///< a literal or an expression without names
  kVector,           ///< three numbers, or a word
  kText,             ///< any single value
  kFlag,             ///< true or false
  kWord,             ///< one of KeyInfo::words
  kName,             ///< the name of something
  kNumbers,          ///< a list of numbers
  kConstants,        ///< a list of constants
  kThreeNumbers,     ///< a list of three numbers
  kMatrix6,          ///< six numbers (the diagonal), or six lists of six
  kTwoNames,         ///< a list of two names
  kTwoVectors,       ///< a list of two vectors
  kMotion,           ///< a coordinate: "J.q", "P.x", "body.P.x"
  kMotions,          ///< a list of them
  kBounds,           ///< two constants, each may be null
  kNodes,            ///< a list of constants, or from/to/count
  kValues,           ///< a list of numbers, or the name of a range of parameters
  kCount,            ///< a whole number
  kEulerParameters,  ///< four numbers
  kOrientation,
  kPlacement,
  kInertia,
  kShape,
  kShapes,
  kAnalysis,
  kOptimize,
  kMinimize,         ///< an objective, a map of weights, or minimax: of several
  kParameterNames,   ///< a list of names of parameters
  kScale,            ///< automatic, or a map from parameters to numbers
  kObjectiveRanges,  ///< a map from objectives to their ranges
  kParameters,       ///< from here on: maps from names to elements
  kSplines,
  kNamedVectors,
  kBodies,
  kJoints,
  kForces,
  kConstraints,
  kInitial,
  kStates,
  kControllers,
  kSignals,
  kObjectives,
};

/// Whether the key opens a collection, which may be left empty.
bool is_collection(FieldKind kind);

/// A description ends with "; VALUE if not given" where there is a default.
struct KeyInfo {
  std::string key;
  FieldKind kind = FieldKind::kNumber;
  bool required = false;
  std::string description;
  std::vector<std::string> words = {};  ///< of kWord
  std::size_t least = 1;                ///< of kCount
  std::string unit = {};
};

/// The keys of one kind of map.
struct KeyTable {
  std::string context;  ///< its name in the schema: "body", "shape-box", …
  std::vector<KeyInfo> keys;

  const KeyInfo* find(std::string_view key) const;
  std::vector<std::string> names() const;
};

const KeyTable& model_keys();
const KeyTable& parameter_keys();
const KeyTable& spline_keys();
const KeyTable& node_range_keys();
const KeyTable& body_keys();
const KeyTable& placement_keys();
const KeyTable& orientation_keys();
const KeyTable& inertia_keys();
const KeyTable& joint_keys();
const KeyTable& state_keys();
const KeyTable& controller_keys();
const KeyTable& signal_keys();
const KeyTable& objective_keys();
const KeyTable& analysis_keys();
const KeyTable& optimize_keys();
const KeyTable& objective_range_keys();

/// The types of shape, and the table of one of them.
const std::vector<std::string>& shape_types();
const KeyTable& shape_keys(std::string_view type);

/// The keys of a force of that type: what attaches it, then its attributes.
KeyTable force_keys(const ForceModel& force);

/// The keys of a constraint of that type: its fields.
KeyTable constraint_keys(const ConstraintModel& constraint);

/// Every table there is, for those who walk them.
std::vector<KeyTable> all_key_tables(const Catalogue& catalogue);

}  // namespace kinegrad::io
