// Attributes of forces that vary with time and with the motion: the tape of their expressions, what it reads,
// and its derivatives (docs/theory/expressions.md). Other attributes are numbers of p.
#pragma once

#include <array>
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

  /// A point or direction that the expressions read.
  struct Vector {
    int element = 0;  ///< of model.vectors()
    bool is_point = false;
    std::array<int, 6> inputs{-1, -1, -1, -1, -1, -1};  ///< signal inputs of r and ṙ, -1: not read
    BodyPlace<T> place;
  };

  const Model& model;
  std::vector<Vector> vectors;
  std::vector<std::size_t> moving;  ///< force inputs that are not parameters, those of vectors last
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

/// What an output reads of the motion.
struct OutputReads {
  std::vector<int> columns;          ///< coordinates, ascending
  std::vector<std::size_t> scalars;  ///< force inputs that are joint coordinates
  std::vector<std::size_t> vectors;  ///< entries of ForceExpressions::vectors
  std::vector<int> others;           ///< inputs of the tape that do not move with the bodies, splines apart
};

/// Their derivatives. Nothing is allocated after construction.
class ForceExpressionPartials {
 public:
  using Values = ForceExpressionValues<double>;

  /// The expressions must outlive the object.
  explicit ForceExpressionPartials(const ForceExpressions<double>& expressions);

  OutputReads reads(const TreeParameters<double>& tree, int output) const;
  /// Gradient of an output with respect to the coordinates that it reads and their speeds; other entries stay.
  void gradient(const Values& x, const PortSite<double>& site, const TreeLinearization& at,
                int output, const OutputReads& reads, VecX& by_q, VecX& by_v);

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
  using Vector = ForceExpressions<double>::Vector;
  struct VectorBar {  // cotangents of r and ṙ
    Vec3 r = Vec3::Zero(), rdot = Vec3::Zero();
    bool any() const { return !r.isZero(0) || !rdot.isZero(0); }
  };
  /// The cotangents of a vector's inputs, or of one input, which are zero afterwards.
  VectorBar take(const Vector& vector);
  double take(int input);
  void pull_parameters(const Values& x, std::span<double> p_bar);
  void pull_vector(const PortSite<double>& site, const TreeLinearization& at, const Vector& vector,
                   const VectorBar& bar, TreeCotangent& sums, const ResidualCotangent& out) const;
  int coordinate(const SignalInput& in) const {
    return x_.model.joints()[static_cast<std::size_t>(in.element)].q_first + in.component;
  }

  const ForceExpressions<double>& x_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  std::vector<double> d_inputs_, d_registers_, d_outputs_;
};

}  // namespace kinegrad
