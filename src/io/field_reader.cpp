#include "io/field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "io/yaml_text.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/expression_parser.hpp"

namespace kinegrad::io {

void ReadContext::report(SourceLocation where, std::string_view label, std::string_view message) {
  std::string text(label);
  if (!text.empty()) text += ": ";
  diagnostics_.add(std::move(where), text.append(message));
  if (diagnostics_.findings().size() >= Diagnostics::kLimit) diagnostics_.throw_if_any();
}

namespace {

/// `label: "key"`, or `"key"` alone at the top level.
std::string label_of(const std::string& label, std::string_view key) {
  return label.empty() ? shown(key) : label + ": " + shown(key);
}

/// Where findings about the value of that key belong: a map is best found by its key.
SourceLocation place_of(const ReadContext& context, const YamlEntry& entry) {
  return entry.value->is_map() ? context.place(entry) : context.place(*entry.value);
}

/// `{mass: max(1, 2)}` has a key `2)` without a value.
std::string_view comma_hint(const YamlEntry& entry) {
  const bool piece = entry.value->is_null() && (entry.key.find(')') != std::string::npos ||
                                                entry.key.find_first_of("0123456789") == 0);
  return piece ? ": a comma inside { } ends a value; put an expression that has one in quotes" : "";
}

/// Why an expression is none, where people write what other programs take: 3 kg, 30deg, if(…). Empty: it
/// is for the parser to say.
std::string expression_hint(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t first = text.find_first_not_of(" +-");
  if (first != std::string::npos && kDigits.find(text[first]) != std::string_view::npos) {
    char* end = nullptr;
    const char* const begin = text.c_str() + text.find_first_not_of(' ');
    std::strtod(text.c_str() + first, &end);
    const std::string number(begin, static_cast<std::size_t>(end - begin));
    while (*end == ' ') ++end;
    if (std::string_view(end).starts_with("deg")) return "write deg(" + number + ")";
    if (std::isalpha(static_cast<unsigned char>(*end))) {
      return fmt::format(
          "an operator is missing after {0}; numbers are in SI units and carry none, so if this is "
          "a "
          "unit, write {0}",
          number);
    }
  }
  const std::size_t at = text.find("if(");
  if (at != std::string::npos &&
      (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])))) {
    return "there is no if(): max, min, abs and others are in `kinegrad list functions`";
  }
  return {};
}

/// The text of a scalar that says something; else reports what should stand there instead.
const std::string* scalar_text(ReadContext& context, const Field& field, std::string_view wanted) {
  if (field.node->is_scalar() && !field.node->text.empty()) return &field.node->text;
  const std::string_view found = field.node->is_scalar() ? "an empty text" : kind_word(*field.node);
  context.report(field.where, field.label, fmt::format("expected {}, found {}", wanted, found));
  return nullptr;
}

}  // namespace

MapReader::MapReader(ReadContext& context, const Field& map, const KeyTable& table)
    : context_(context), node_(map.node), table_(table), label_(map.label) {
  if (!node_->is_map()) {
    context_.report(map.where, label_, fmt::format("expected a map, found {}", kind_word(*node_)));
    node_ = nullptr;
    return;
  }
  report_keys(map.where);
}

void MapReader::report_keys(const SourceLocation& where) const {
  for (const YamlEntry& entry : node_->entries) {
    const KeyInfo* known = table_.find(entry.key);
    if (!known) {
      context_.report(context_.place(entry), label_,
                      fmt::format("unknown key {}{}{}", shown(entry.key),
                                  suggestion(entry.key, table_.names()), comma_hint(entry)));
    } else if (entry.value->is_null() && (known->required || !is_collection(known->kind))) {
      context_.report(context_.place(entry), label_of(label_, entry.key), "has no value");
    }
  }
  for (const KeyInfo& info : table_.keys) {
    if (info.required && !node_->find(info.key)) {
      context_.report(where, label_, fmt::format("the key {} is missing", shown(info.key)));
    }
  }
}

std::optional<Field> MapReader::find(std::string_view key) const {
  KINEGRAD_DEMAND(table_.find(key) != nullptr);
  const YamlEntry* entry = node_ ? node_->find(key) : nullptr;
  if (!entry || entry->value->is_null()) return {};
  return Field{entry->value, label_of(label_, key), place_of(context_, *entry)};
}

NumberSpec read_number(ReadContext& context, const Field& field) {
  const std::string* text = scalar_text(context, field, "a number or an expression");
  if (!text) return {};
  const std::string hint = expression_hint(*text);
  std::string_view wrong = hint;
  if (text->size() > static_cast<std::size_t>(kMaxExpressionLength)) {
    wrong = "the expression is too long";
  } else if (!field.node->was_quoted && is_boolean_word(*text)) {
    wrong = "expected a number or an expression, found a boolean";
  } else if (is_non_finite_word(*text)) {
    wrong = "not a finite number";
  } else if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    wrong = "expected a number or an expression, found an empty text";
  }
  if (!wrong.empty()) {
    context.report(field.where, field.label, fmt::format("{}: {}", shown(*text), wrong));
    return {};
  }
  return {*text, field.where};
}

VectorSpec read_vector(ReadContext& context, const Field& field) {
  static constexpr std::string_view kWanted =
      "a vector: a list of three numbers, one of x y z -x -y -z, or a name";
  if (field.node->is_sequence()) {
    const std::vector<NumberSpec> entries = read_numbers(context, field, 3);
    VectorSpec vector;
    if (entries.size() == 3) vector = VectorSpec(entries[0], entries[1], entries[2]);
    vector.where = field.where;
    return vector;
  }
  const std::string* text = scalar_text(context, field, kWanted);
  if (!text) return {};
  if (!is_axis_word(*text) && !is_reference(*text)) {
    context.report(field.where, field.label,
                   fmt::format("expected {}, found {}", kWanted, shown(*text)));
    return {};
  }
  return {*text, field.where};
}

std::string read_text(ReadContext& context, const Field& field) {
  if (field.node->is_scalar()) return field.node->text;
  context.report(field.where, field.label,
                 fmt::format("expected a text, found {}", kind_word(*field.node)));
  return {};
}

std::optional<bool> read_flag(ReadContext& context, const Field& field) {
  const std::string* text = scalar_text(context, field, "true or false");
  if (!text) return {};
  if (!field.node->was_quoted) {
    if (*text == "true" || *text == "True" || *text == "TRUE") return true;
    if (*text == "false" || *text == "False" || *text == "FALSE") return false;
  }
  context.report(field.where, field.label,
                 fmt::format("expected true or false, found {}", shown(*text)));
  return {};
}

std::string read_word(ReadContext& context, const Field& field,
                      const std::vector<std::string>& words) {
  const std::string wanted = fmt::format("one of {}", fmt::join(words, ", "));
  const std::string* text = scalar_text(context, field, wanted);
  if (!text) return {};
  if (std::find(words.begin(), words.end(), *text) != words.end()) return *text;
  context.report(
      field.where, field.label,
      fmt::format("expected {}, found {}{}", wanted, shown(*text), suggestion(*text, words)));
  return {};
}

NameSpec read_name(ReadContext& context, const Field& field) {
  const std::string* text = scalar_text(context, field, "a name");
  if (!text) return {};
  // Types of joints and forces have hyphens in their names; nothing else that is named may.
  std::string plain = *text;
  std::replace(plain.begin(), plain.end(), '-', '_');
  if (!is_reference(plain)) {
    context.report(field.where, field.label,
                   fmt::format("expected a name, found {}", shown(*text)));
    return {};
  }
  return {*text, field.where};
}

std::vector<Field> read_list(ReadContext& context, const Field& field, std::size_t count,
                             std::string_view things) {
  const std::string wanted =
      count ? fmt::format("a list of {} {}", count, things) : fmt::format("a list of {}", things);
  if (!field.node->is_sequence()) {
    context.report(field.where, field.label,
                   fmt::format("expected {}, found {}", wanted, kind_word(*field.node)));
    return {};
  }
  const std::vector<const YamlNode*>& items = field.node->items;
  if ((count && items.size() != count) || items.empty()) {
    context.report(field.where, field.label,
                   fmt::format("expected {}, found {}", wanted, items.size()));
    return {};
  }
  std::vector<Field> fields;
  fields.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    // The mark of an empty entry is that of what follows it, perhaps lines below.
    const SourceLocation where = items[i]->is_null() ? field.where : context.place(*items[i]);
    fields.push_back({items[i], fmt::format("{}: entry {}", field.label, i + 1), where});
  }
  return fields;
}

std::vector<NumberSpec> read_numbers(ReadContext& context, const Field& field, std::size_t count) {
  std::vector<NumberSpec> out;
  for (const Field& entry : read_list(context, field, count, "numbers")) {
    out.push_back(read_number(context, entry));
  }
  return out;
}

std::vector<NameSpec> read_names(ReadContext& context, const Field& field, std::size_t count) {
  std::vector<NameSpec> out;
  for (const Field& entry : read_list(context, field, count, "names")) {
    out.push_back(read_name(context, entry));
  }
  return out;
}

std::vector<VectorSpec> read_vectors(ReadContext& context, const Field& field, std::size_t count) {
  std::vector<VectorSpec> out;
  for (const Field& entry : read_list(context, field, count, "vectors")) {
    out.push_back(read_vector(context, entry));
  }
  return out;
}

std::vector<std::pair<NameSpec, Field>> read_elements(ReadContext& context, const Field& field,
                                                      NameOf what,
                                                      const std::string& label_prefix) {
  std::vector<std::pair<NameSpec, Field>> out;
  if (!field.node->is_map()) {
    context.report(
        field.where, field.label,
        fmt::format("expected a map from names to {}, found {}",
                    what == NameOf::kBody ? "bodies" : fmt::format("{}s", word_for(what)),
                    kind_word(*field.node)));
    return out;
  }
  for (const YamlEntry& entry : field.node->entries) {
    const SourceLocation key_place = context.place(entry);
    if (const std::string refusal = name_refusal(what, entry.key); !refusal.empty()) {
      context.report(key_place, label_prefix.empty() ? field.label : label_prefix, refusal);
      continue;
    }
    std::string label = fmt::format("{}{}{} {}", label_prefix, label_prefix.empty() ? "" : ": ",
                                    word_for(what), shown(entry.key));
    if (entry.value->is_null()) {
      context.report(key_place, label, "has no value");
      continue;
    }
    out.emplace_back(NameSpec(entry.key, key_place),
                     Field{entry.value, std::move(label), place_of(context, entry)});
  }
  return out;
}

std::optional<NumberSpec> find_number(const MapReader& map, std::string_view key) {
  const auto field = map.find(key);
  if (!field) return {};
  return read_number(map.context(), *field);
}

std::optional<VectorSpec> find_vector(const MapReader& map, std::string_view key) {
  const auto field = map.find(key);
  if (!field) return {};
  return read_vector(map.context(), *field);
}

std::string find_text(const MapReader& map, std::string_view key) {
  const auto field = map.find(key);
  return field ? read_text(map.context(), *field) : std::string{};
}

std::vector<std::pair<NameSpec, Field>> find_elements(const MapReader& map, std::string_view key,
                                                      NameOf what,
                                                      const std::string& label_prefix) {
  const auto field = map.find(key);
  if (!field) return {};
  return read_elements(map.context(), *field, what, label_prefix);
}

}  // namespace kinegrad::io
