// Reading single fields of a model file: each function takes what stands behind a key and returns
// it as written, or reports what is wrong and returns an empty value. Nothing is resolved here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/model_keys.hpp"
#include "io/yaml_document.hpp"
#include "kinegrad/base/diagnostic.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/description.hpp"
#include "model/names.hpp"

namespace kinegrad::io {

/// What every reading function needs: where findings go and which element types there are.
class ReadContext {
 public:
  ReadContext(const std::string& file, const Catalogue& catalogue, Diagnostics& diagnostics)
      : file_(file), catalogue_(catalogue), diagnostics_(diagnostics) {}

  const Catalogue& catalogue() const { return catalogue_; }
  SourceLocation place(int line, int column) const { return {file_, line, column}; }
  SourceLocation place(const YamlNode& node) const { return place(node.line, node.column); }
  SourceLocation place(const YamlEntry& entry) const { return place(entry.line, entry.column); }

  /// Adds "label: message". Throws all findings once no more are kept, so that a file with a
  /// hundred thousand mistakes costs no more than one with fifty.
  void report(SourceLocation where, std::string_view label, std::string_view message);

 private:
  const std::string& file_;
  const Catalogue& catalogue_;
  Diagnostics& diagnostics_;
};

/// A value to read and how messages call it: `body "A1": "mass"`.
struct Field {
  const YamlNode* node;
  std::string label;
  SourceLocation where;  ///< of the value; of its key if the value is missing
};

/// A map read with a table of keys. Reports, when made, whatever is wrong with its keys: not a map,
/// unknown, missing, without a value.
class MapReader {
 public:
  MapReader(ReadContext& context, const Field& map, const KeyTable& table);

  /// What stands behind the key, if it is there and has a value. The key must be in the table.
  std::optional<Field> find(std::string_view key) const;

  const std::string& label() const { return label_; }
  ReadContext& context() const { return context_; }

 private:
  void report_keys(const SourceLocation& where) const;

  ReadContext& context_;
  const YamlNode* node_;  ///< null if it is no map
  const KeyTable& table_;
  std::string label_;
};

NumberSpec read_number(ReadContext& context, const Field& field);
VectorSpec read_vector(ReadContext& context, const Field& field);
std::string read_text(ReadContext& context, const Field& field);
std::optional<bool> read_flag(ReadContext& context, const Field& field);
/// One of the words; empty (and reported) if it is another.
std::string read_word(ReadContext& context, const Field& field,
                      const std::vector<std::string>& words);
NameSpec read_name(ReadContext& context, const Field& field);

/// The entries of a list of `count` things, or of any number if `count` is 0; empty (and reported)
/// if it is no such list. `things` is the word for messages.
std::vector<Field> read_list(ReadContext& context, const Field& field, std::size_t count,
                             std::string_view things);
std::vector<NumberSpec> read_numbers(ReadContext& context, const Field& field, std::size_t count);
std::vector<NameSpec> read_names(ReadContext& context, const Field& field, std::size_t count);
std::vector<VectorSpec> read_vectors(ReadContext& context, const Field& field, std::size_t count);

/// The elements of a map from names to elements. Bad names and elements without a value are
/// reported and left out.
std::vector<std::pair<NameSpec, Field>> read_elements(ReadContext& context, const Field& field,
                                                      NameOf what,
                                                      const std::string& label_prefix = {});

// The same, for a key of a map that may be absent.
std::optional<NumberSpec> find_number(const MapReader& map, std::string_view key);
std::optional<VectorSpec> find_vector(const MapReader& map, std::string_view key);
std::string find_text(const MapReader& map, std::string_view key);
std::vector<std::pair<NameSpec, Field>> find_elements(const MapReader& map, std::string_view key,
                                                      NameOf what,
                                                      const std::string& label_prefix = {});

}  // namespace kinegrad::io
