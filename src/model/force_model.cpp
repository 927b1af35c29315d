#include "kinegrad/model/force_model.hpp"

namespace kinegrad {

std::vector<std::string> words_of(std::string_view words) {
  std::vector<std::string> out;
  while (!words.empty()) {
    const std::size_t end = words.find('|');
    out.emplace_back(words.substr(0, end));
    words = end == std::string_view::npos ? std::string_view{} : words.substr(end + 1);
  }
  return out;
}

int word_place(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = words_of(words);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == word) return static_cast<int>(i);
  }
  return -1;
}

PortVector<double> variable_rates(PortKind port, const PortState<double>& state) {
  if (port_variables(port) == port_size(port)) return state.xdot;
  PortVector<double> out(12);
  const Vec3 omega = state.xdot.head<3>();
  out.head<3>() = state.xdot.tail<3>();
  for (int j = 0; j < 3; ++j) {
    const Vec3 turned = la::cross(omega, Vec3(state.x(3 + j), state.x(6 + j), state.x(9 + j)));
    for (int i = 0; i < 3; ++i) out(3 + 3 * i + j) = turned(i);
  }
  return out;
}

}  // namespace kinegrad
