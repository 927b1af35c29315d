#include "sensitivity/complex_point.hpp"

namespace kinegrad {

ComplexPoint::ComplexPoint(const CheckPoint& at)
    : model_(at.model),
      q(at.x.q.cast<Complex>()),
      v(at.x.v.cast<Complex>()),
      a(at.x.a.cast<Complex>()),
      lambda(at.x.lambda.cast<Complex>()),
      rho(read(at.rho).cast<Complex>()),
      p(static_cast<Eigen::Index>(at.p.size())),
      t(at.x.t),
      work_(at.model.design_map().make_workspace<Complex>()) {
  update();
}

VecX slope(const VecXT<Complex>& y) { return y.imag() / kComplexStep; }

std::vector<double> pulled_to_rho(const CheckPoint& at, std::span<const double> p_bar) {
  const DesignMap& map = at.model.design_map();
  auto work = map.make_workspace<double>();
  std::vector<double> p(at.p.size()), rho_bar(at.rho.size(), 0.0);
  map.evaluate<double>(at.rho, p, work);
  map.reverse(at.rho, p, p_bar, rho_bar, work);
  return rho_bar;
}

std::string name_of(const Model& model, Part part, Eigen::Index k) {
  const auto i = static_cast<std::size_t>(k);
  if (part == &ComplexPoint::rho) return parameter_at(model, static_cast<int>(k)).name;
  if (part == &ComplexPoint::lambda) return "multiplier " + std::to_string(k + 1);
  const std::string& q = model.coordinate_names()[i];
  if (part == &ComplexPoint::q) return q;
  return (part == &ComplexPoint::v ? "the speed of " : "the acceleration of ") + q;
}

EntryName by(const Model& model, Part part, std::string row) {
  return [&model, part, row](Eigen::Index i, Eigen::Index k) {
    return row + " " + std::to_string(i + 1) + " by " + name_of(model, part, k);
  };
}

}  // namespace kinegrad
