// Attributes of forces that vary with time and with the motion: the tape of their expressions, what it reads,
// and its derivatives (docs/theory/expressions.md). Other attributes are numbers of p.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/ports/port.hpp"

namespace kinegrad {

/// The expressions at one state.
template <Scalar T>
struct ForceExpressions {
  /// The model must outlive the value.
  explicit ForceExpressions(const Model& model);

  /// Points, directions and numbers that the expressions read, at the parameters of the tree.
  void place(const TreeParameters<T>& tree);
  void evaluate(const PortSite<T>& site);
  /// All attributes of a force; those that vary as of the last evaluate().
  AttributeVector<T> attributes(const TreeParameters<T>& tree, const Force& force) const;
  const SignalInput& input(std::size_t k) const {
    return model.signal_inputs()[static_cast<std::size_t>(model.force_inputs()[k])];
  }

  const Model& model;
  std::vector<BodyPlace<T>> places;  ///< by force input
  std::vector<std::size_t> moving;   ///< force inputs that are not parameters
  std::vector<T> inputs, registers, outputs;
};

/// Their derivatives. Nothing is allocated after construction.
class ForceExpressionPartials {
 public:
  /// The expressions must outlive the object.
  explicit ForceExpressionPartials(const ForceExpressions<double>& expressions);

  /// The coordinates that an output reads.
  std::vector<int> columns(const TreeParameters<double>& tree, int output) const;
  /// Gradient of an output with respect to those coordinates and their speeds; other entries stay.
  void gradient(const PortSite<double>& site, const TreeLinearization& at, int output,
                std::span<const int> columns, VecX& by_q, VecX& by_v);

  void clear();
  /// Splits the cotangent of a force's attributes: those that vary wait for pullback(), the others are
  /// entries of p.
  void add_cotangent(const Force& force, AttributeVector<double> bar, std::span<double> p_bar);
  /// Adds what the cotangents since clear() are to coordinates, points and parameters.
  void pullback(const PortSite<double>& site, const TreeLinearization& at, TreeCotangent& sums,
                const ResidualCotangent& out);

  /// Along a direction of the parameters, or of the state; change() reads what it does to an output.
  void forward(const PortSite<double>& site, const TreeLinearization& at,
               const TreeDisplacement& displacement);
  double change(int output) const { return d_outputs_[static_cast<std::size_t>(output)]; }

 private:
  template <typename Moving, typename Physical>
  void reverse(const Moving& on_moving, const Physical& on_parameter);
  void add_gradient(const PortSite<double>& site, const TreeLinearization& at, std::size_t k,
                    double bar, VecX& by_q, VecX& by_v) const;
  void pull_input(const PortSite<double>& site, const TreeLinearization& at, std::size_t k,
                  double bar, TreeCotangent& sums, const ResidualCotangent& out) const;
  bool is_point(const SignalInput& in) const {
    return x_.model.vectors()[static_cast<std::size_t>(in.element)].is_point;
  }
  PointState<double> state(const PortSite<double>& site, std::size_t k) const {
    return is_point(x_.input(k)) ? point_state(site.motion, x_.places[k])
                                 : direction_state(site.motion, x_.places[k]);
  }

  const ForceExpressions<double>& x_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  std::vector<double> d_inputs_, d_registers_, d_outputs_;
};

}  // namespace kinegrad
