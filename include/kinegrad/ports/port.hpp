// How a force is attached to a tree (docs/theory/ports.md). A port turns the motion into variables x with
// rates ẋ, and an effort e, whose power is eᵀẋ, into wrenches on bodies and forces on coordinates:
//
//   x = x(q; p)    ẋ = J v    r −= Jᵀe                                                        [PO-1]
//
// A kind of port is one file of src/ports: its values (`Port`) and its derivatives (`PortPartials`) stand
// there side by side. Nobody else knows what a port does.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/tree/parameter_direction.hpp"
#include "kinegrad/tree/tree_linearization.hpp"
#include "kinegrad/tree/tree_loads.hpp"

namespace kinegrad {

/// Where and when the ports of a tree are read.
template <Scalar T>
struct PortSite {
  const TreeParameters<T>& tree;
  const TreeMotion<T>& motion;
  T t;
};

class PortPartials;

/// One force of a model on one tree, at the parameters that place() was given.
template <Scalar T>
class Port {
 public:
  using Attributes = AttributeVector<T>;

  explicit Port(const Force& force) : force_(force) {}
  virtual ~Port() = default;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const Force& force() const { return force_; }
  const ForceModel& type() const { return *force_.type; }

  /// Finds its points and frames at the parameters of the tree.
  virtual void place(const TreeParameters<T>& tree) = 0;
  /// Calls visit(state, body) for every state at which its force is evaluated; body -1: not of one body.
  using StateVisitor = std::function<void(const PortState<T>&, int body)>;
  virtual void each_state(const PortSite<T>& site, const StateVisitor& visit) const = 0;
  /// A uniform field is no force on bodies: they are accelerated against it [D-5].
  virtual void add_field(const Attributes&, Vec3T<T>&) const {}
  virtual void apply(const PortSite<T>& site, const Attributes& p, TreeLoads<T>& loads) const = 0;
  virtual T energy(const PortSite<T>& site, const Attributes& p) const = 0;
  /// eᵀẋ + V̇ of the real parts.                                                              [MO-2]
  virtual double power(const PortSite<T>& site, const AttributeVector<double>& p) const = 0;
  /// Its derivatives; of real numbers only.
  virtual std::unique_ptr<PortPartials> partials(const TreeParameters<T>& tree) const = 0;

 private:
  const Force& force_;
};

/// Takes blocks of r_q and r_v.
class PortBlockSink {
 public:
  virtual ~PortBlockSink() = default;
  virtual void add(std::span<const int> columns, const Eigen::Ref<const MatX>& r_q,
                   const Eigen::Ref<const MatX>& r_v) = 0;
};

/// The columns of the joints, at one common point or at the bodies' reference points.
struct ColumnView {
  const TreeLinearization::Columns& S;
  const TreeLinearization::Columns* Sdot;
  const Vec3* x0;
  const TreeMotion<double>* motion;

  static ColumnView at_common_point(const TreeLinearization& at) {
    return {at.S, &at.Sdot, &at.x0, nullptr};
  }
  static ColumnView at_bodies(const TreeMotion<double>& motion) {
    return {motion.S, nullptr, nullptr, &motion};
  }
  const Vec3& origin(int node) const { return x0 ? *x0 : motion->body(node).o; }
};

/// The derivatives of a port. A linearisation is taken once and read by all other functions.
class PortPartials {
 public:
  using Attributes = AttributeVector<double>;
  using Site = PortSite<double>;

  virtual ~PortPartials() = default;

  /// The coordinates that the port moves with; empty where every body is one (fields).
  virtual std::span<const int> columns() const = 0;
  /// Whether it couples no coordinate with another.
  virtual bool diagonal() const { return false; }

  /// Takes a state; applied forces enter f of the bodies.
  virtual void linearize(const Site& site, const Attributes& p, TreeLinearization& at) = 0;
  /// Adds the forces that it puts on coordinates directly.
  virtual void add_joint_forces(VecX&) const {}
  /// r_q and r_v of [PO-2]; without `exact` the change of J is left out.
  virtual void add_matrices(const Site& site, const TreeLinearization& at, bool exact,
                            PortBlockSink& sink) = 0;
  /// The column −Jᵀe_p of one attribute, added to out by columns().
  virtual void add_attribute_column(int attribute, std::span<double> out) const = 0;
  /// −Jᵀ(c_q e_x + c_v e_ẋ)J at a state of its own, by columns(); what simulations need.     [N-3]
  virtual void newton_block(const Site& site, const Attributes& p, double c_v, double c_q,
                            MatX& block) = 0;

  /// Adds the port's share of wᵀr [PO-4]; returns the cotangents of its attributes. Without w that of
  /// the bodies' weights alone.
  virtual Attributes pullback(const Site& site, const TreeLinearization& at,
                              std::span<const double> w, TreeCotangent& sums,
                              const ResidualCotangent& out) = 0;
  /// The same of weight times its potential energy.
  virtual Attributes pullback_energy(const Site& site, const TreeLinearization& at,
                                     const Attributes& p, double weight, TreeCotangent& sums,
                                     const ResidualCotangent& out) = 0;
  /// The same of weight times one of the signals of its force; a field has none.                [SG-9]
  virtual Attributes pullback_signal(const Site&, const TreeLinearization&, const Attributes& p,
                                     int, double, TreeCotangent&, const ResidualCotangent&) {
    return Attributes::Zero(p.size());
  }
  /// The part of a uniform field in the cotangent of g.
  virtual void pullback_field(const Attributes&, const Vec3&, std::span<double>) const {}

  /// Adds what the port does along a direction of the parameters, d being that of its attributes [PO-5].
  virtual void tangent(const Site& site, const TreeLinearization& at,
                       const TreeDisplacement& displacement, const Attributes& p,
                       const Attributes& d, TreeWrenches& wrenches, Eigen::Ref<VecX> dr) = 0;
};

}  // namespace kinegrad
