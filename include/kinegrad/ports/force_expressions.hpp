// Attributes of forces that vary with time and with the motion: the tape of their expressions, what it reads,
// and its derivatives (docs/theory/expressions.md). Other attributes are numbers of p.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/ports/port.hpp"

namespace kinegrad {

template <Scalar T>
struct ForceExpressionValues;

/// What the expressions read that is constant at p.
template <Scalar T>
struct ForceExpressions {
  /// The model must outlive the value.
  explicit ForceExpressions(const Model& model);

  /// Points, directions and numbers that the expressions read, at the parameters of the tree.
  void place(const TreeParameters<T>& tree);
  void evaluate(const PortSite<T>& site, ForceExpressionValues<T>& x) const;
  /// All attributes of a force.
  AttributeVector<T> attributes(const TreeParameters<T>& tree, const Force& force,
                                const ForceExpressionValues<T>& x) const;
  const SignalInput& input(std::size_t k) const {
    return model.signal_inputs()[static_cast<std::size_t>(model.force_inputs()[k])];
  }

  const Model& model;
  std::vector<BodyPlace<T>> places;  ///< by force input
  std::vector<std::size_t> moving;   ///< force inputs that are not parameters
  std::vector<T> inputs;             ///< those that are parameters, by signal input
  long placed = 0;                   ///< how often the parameters were given
};

/// The expressions at one state.
template <Scalar T>
struct ForceExpressionValues {
  explicit ForceExpressionValues(const ForceExpressions<T>& expressions);

  std::vector<T> inputs, registers, outputs;
  long placed = 0;  ///< whose parameters the inputs have
};

/// Their derivatives. Nothing is allocated after construction.
class ForceExpressionPartials {
 public:
  using Values = ForceExpressionValues<double>;

  /// The expressions must outlive the object.
  explicit ForceExpressionPartials(const ForceExpressions<double>& expressions);

  /// The coordinates that an output reads.
  std::vector<int> columns(const TreeParameters<double>& tree, int output) const;
  /// Gradient of an output with respect to those coordinates and their speeds; other entries stay.
  void gradient(const Values& x, const PortSite<double>& site, const TreeLinearization& at,
                int output, std::span<const int> columns, VecX& by_q, VecX& by_v);

  void clear();
  /// Splits the cotangent of a force's attributes: those that vary wait for pullback(), the others are
  /// entries of p.
  void add_cotangent(const Force& force, AttributeVector<double> bar, std::span<double> p_bar);
  /// Adds what the cotangents since clear() are to coordinates, points and parameters.
  void pullback(const Values& x, const PortSite<double>& site, const TreeLinearization& at,
                TreeCotangent& sums, const ResidualCotangent& out);

  /// Along a direction of the parameters, or of the state; change() reads what it does to an output.
  void forward(const Values& x, const PortSite<double>& site, const TreeLinearization& at,
               const TreeDisplacement& displacement);
  double change(int output) const { return d_outputs_[static_cast<std::size_t>(output)]; }

 private:
  template <typename Moving, typename Physical>
  void reverse(const Values& x, const Moving& on_moving, const Physical& on_parameter);
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
