// What the tables of keys have in common: how a key is marked, and keys that many maps have.
#pragma once

#include "io/model_keys.hpp"

namespace kinegrad::io::key_words {

using enum FieldKind;

inline constexpr bool kRequired = true;
inline constexpr bool kOptional = false;

inline const KeyInfo& unit_key() {
  static const KeyInfo key{"unit", kText, kOptional, "Unit, for people; nothing is converted."};
  return key;
}

inline const KeyInfo& description_key() {
  static const KeyInfo key{"description", kText, kOptional, "What it is, for people."};
  return key;
}

}  // namespace kinegrad::io::key_words
