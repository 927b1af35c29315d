// The four ways of writing an inertia tensor: a map of entries, its diagonal, its six entries, or
// the whole symmetric matrix.
#include <fmt/format.h>

#include "io/literal.hpp"
#include "io/model_yaml_sections.hpp"
#include "io/yaml_text.hpp"

namespace kinegrad::io {

namespace {

InertiaSpec read_inertia_map(ReadContext& context, const Field& field) {
  InertiaSpec out;
  const MapReader map(context, field, inertia_keys());
  out.xx = find_number(map, "xx").value_or(NumberSpec{});
  out.yy = find_number(map, "yy").value_or(NumberSpec{});
  out.zz = find_number(map, "zz").value_or(NumberSpec{});
  if (auto xy = find_number(map, "xy")) out.xy = std::move(*xy);
  if (auto xz = find_number(map, "xz")) out.xz = std::move(*xz);
  if (auto yz = find_number(map, "yz")) out.yz = std::move(*yz);
  if (const auto about = map.find("about")) {
    out.about = read_word(context, *about, inertia_keys().find("about")->words);
  }
  if (const auto axes = map.find("axes")) out.axes = read_orientation(context, *axes);
  return out;
}

/// Whether two entries are the same: as text, or as numbers if both are plain ones.
bool same_entry(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto value_a = literal<double>(a), value_b = literal<double>(b);
  return value_a && value_b && *value_a == *value_b;
}

InertiaSpec read_inertia_matrix(ReadContext& context, const Field& field) {
  InertiaSpec out;
  std::vector<std::vector<NumberSpec>> rows;
  for (const Field& row : read_list(context, field, 3, "rows")) {
    rows.push_back(read_numbers(context, row, 3));
    if (rows.back().size() != 3) return out;
  }
  if (rows.size() != 3) return out;
  for (std::size_t i = 1; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const NumberSpec &lower = rows[i][j], &upper = rows[j][i];
      if (lower.text.empty() || upper.text.empty() || same_entry(lower.text, upper.text)) continue;
      context.report(lower.where, field.label,
                     fmt::format("not symmetric: row {} column {} is {}, row {} column {} is {}",
                                 i + 1, j + 1, shown(lower.text), j + 1, i + 1, shown(upper.text)));
    }
  }
  out.xx = rows[0][0], out.yy = rows[1][1], out.zz = rows[2][2];
  out.xy = rows[0][1], out.xz = rows[0][2], out.yz = rows[1][2];
  return out;
}

InertiaSpec read_inertia_list(ReadContext& context, const Field& field) {
  const std::vector<const YamlNode*>& items = field.node->items;
  if (items.size() != 3 && items.size() != 6) {
    context.report(field.where, field.label,
                   fmt::format("expected 3 entries (xx yy zz), 6 (xx yy zz xy xz yz) or 3 rows, "
                               "found {}",
                               items.size()));
    return {};
  }
  if (items.size() == 3 && items[0]->is_sequence()) return read_inertia_matrix(context, field);
  const std::vector<NumberSpec> entries = read_numbers(context, field, items.size());
  InertiaSpec out;
  out.xx = entries[0], out.yy = entries[1], out.zz = entries[2];
  if (entries.size() == 6) out.xy = entries[3], out.xz = entries[4], out.yz = entries[5];
  return out;
}

}  // namespace

InertiaSpec read_inertia(ReadContext& context, const Field& field) {
  InertiaSpec out;
  if (field.node->is_sequence()) {
    out = read_inertia_list(context, field);
  } else {
    out = read_inertia_map(context, field);
  }
  out.where = field.where;
  return out;
}

}  // namespace kinegrad::io
