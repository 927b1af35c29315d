// Which coordinates meet in the matrices of a tree.
#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

std::size_t TreePartials::mass_entries() const {
  std::vector<int> before(nodes().size());  // coordinates up to a joint
  std::size_t count = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto& node = node_at(k);
    const int inherited = node.parent < 0 ? 0 : before[static_cast<std::size_t>(node.parent)];
    before[k] = inherited + node.nq;
    count += static_cast<std::size_t>(node.nq * (node.nq + 2 * inherited));
  }
  return count;
}

void TreePartials::add_pattern(PatternBuilder& mass, PatternBuilder& equations) const {
  std::vector<int> own, beyond;
  for (std::size_t k = 0; k < nodes().size(); ++k) {
    const auto& node = node_at(k);
    own.clear();
    beyond.clear();
    for (int c = node.q; c < node.q + node.nq; ++c) own.push_back(c);
    each_column(static_cast<int>(k), [&](int c) { beyond.push_back(c); });
    for (PatternBuilder* pattern : {&mass, &equations}) {
      pattern->add_block(own, beyond);
      pattern->add_block(beyond, own);
    }
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::span<const int> own_columns = ports_[i]->columns();
    own.assign(own_columns.begin(), own_columns.end());
    equations.add_block(own, own);
    for (const std::vector<int>& columns : varying_[i].columns) equations.add_block(own, columns);
  }
}

}  // namespace kinegrad
