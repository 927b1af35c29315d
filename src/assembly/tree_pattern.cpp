// Which coordinates meet in the matrices of a tree.
#include <algorithm>

#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

namespace {

void make_unique(std::vector<int>& columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

}  // namespace

/// The coordinates that each force's port moves with, and those its varying attributes read.
void TreePartials::list_port_columns() {
  port_columns_.resize(model_.forces().size());
  for (std::size_t i = 0; i < port_columns_.size(); ++i) {
    const Force& force = model_.forces()[i];
    auto& [port, varying] = port_columns_[i];
    const auto add_body = [&](std::vector<int>& columns, int body) {
      const int node = d_.node_of_body_[static_cast<std::size_t>(body)];
      each_column(node, [&](int c) { columns.push_back(c); });
    };
    const auto add_vector = [&](std::vector<int>& columns, int vector) {
      if (vector < 0) return;
      add_body(columns, model_.vectors()[static_cast<std::size_t>(vector)].body);
    };
    switch (force.type->port()) {
      case PortKind::kField: break;
      case PortKind::kJointCoordinate:
        port.push_back(model_.joints()[static_cast<std::size_t>(force.joint)].q_first +
                       force.coordinate);
        break;
      case PortKind::kBody: add_body(port, force.body); break;
      default: add_vector(port, force.point1); add_vector(port, force.point2);
    }
    make_unique(port);
    for (const auto& [place, output] : force.variable) {
      std::vector<int>& columns = varying.emplace_back();
      const std::vector<bool> read = model_.force_tape().inputs_of(output);
      for (const std::size_t k : d_.moving_inputs_) {
        const auto input = static_cast<std::size_t>(model_.force_inputs()[k]);
        if (input >= read.size() || !read[input]) continue;
        const SignalInput& in = d_.force_input(k);
        if (in.kind == SignalInput::Kind::kJoint) {
          columns.push_back(model_.joints()[static_cast<std::size_t>(in.element)].q_first +
                            in.component);
        } else if (in.kind == SignalInput::Kind::kVector) {
          add_vector(columns, in.element);
        }
      }
      make_unique(columns);
    }
  }
}

std::size_t TreePartials::mass_entries() const {
  std::vector<int> before(d_.nodes_.size());  // coordinates up to a joint
  std::size_t count = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto& node = d_.nodes_[k];
    const int inherited = node.parent < 0 ? 0 : before[static_cast<std::size_t>(node.parent)];
    before[k] = inherited + node.nq;
    count += static_cast<std::size_t>(node.nq * (node.nq + 2 * inherited));
  }
  return count;
}

void TreePartials::add_pattern(PatternBuilder& mass, PatternBuilder& equations) const {
  std::vector<int> own, beyond;
  for (std::size_t k = 0; k < d_.nodes_.size(); ++k) {
    const auto& node = d_.nodes_[k];
    own.clear();
    beyond.clear();
    for (int c = node.q; c < node.q + node.nq; ++c) own.push_back(c);
    each_column(static_cast<int>(k), [&](int c) { beyond.push_back(c); });
    for (PatternBuilder* pattern : {&mass, &equations}) {
      pattern->add_block(own, beyond);
      pattern->add_block(beyond, own);
    }
  }
  for (const PortColumns& columns : port_columns_) {
    equations.add_block(columns.port, columns.port);
    for (const std::vector<int>& varying : columns.varying) {
      equations.add_block(columns.port, varying);
    }
  }
}

}  // namespace kinegrad
