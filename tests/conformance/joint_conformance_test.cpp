// What every joint of joints/all.hpp must satisfy, forwards and reversed (docs/theory/joints.md).
// A new joint is tested because it is listed; that of the recipe (docs/howto/add_a_joint.md) stands for it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kinegrad/joints/all.hpp"
#include "recipes/pin_slot.hpp"
#include "support/element_oracles.hpp"
#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::block_error;
using test::ComplexOracle;
using test::DualOracle;
using test::kElementTolerance;
using test::kRoundTripTolerance;

template <typename J>
struct IsReversed : std::false_type {};
template <typename J>
struct IsReversed<Reversed<J>> : std::true_type {};

template <typename List>
struct Cases;
template <typename... Js>
struct Cases<TypeList<Js...>> {
  using Forwards = testing::Types<Js..., PinSlot>;
  using BothWays = testing::Types<Js..., PinSlot, Reversed<Js>..., Reversed<PinSlot>>;
};

struct CaseName {
  template <typename J>
  static std::string GetName(int) {
    return std::string(J::name) + (IsReversed<J>::value ? "_reversed" : "");
  }
};

/// Where a joint is tested.
template <int nq>
struct Sample {
  Vec<double, nq> q, v, a;
  std::string where;
};

template <typename J>
bool is_euler_parameter(int k) {
  return J::coordinates[static_cast<std::size_t>(k)].kind == CoordinateKind::kEulerParameter;
}

/// The coordinates of X_FM = identity.
template <typename J>
Vec<double, J::nq> identity_coordinates() {
  Vec<double, J::nq> q;
  bool first = true;
  for (int k = 0; k < J::nq; ++k) {
    q(k) = is_euler_parameter<J>(k) && first ? 1 : 0;
    if (is_euler_parameter<J>(k)) first = false;
  }
  return q;
}

/// Angles over the whole circle; Euler parameters of any direction and of length 0.5 to 2.
template <typename J>
Vec<double, J::nq> random_coordinates(std::mt19937_64& rng) {
  std::uniform_real_distribution<double> angle(-3.1, 3.1), length(0.5, 2);
  Vec<double, J::nq> q = test::random_vector<J::nq>(rng);
  double square = 0;
  for (int k = 0; k < J::nq; ++k) {
    if (J::coordinates[static_cast<std::size_t>(k)].kind == CoordinateKind::kAngle) {
      q(k) = angle(rng);
    } else if (is_euler_parameter<J>(k)) {
      square += q(k) * q(k);
    }
  }
  const double scale = length(rng) / std::sqrt(square);
  for (int k = 0; k < J::nq; ++k) {
    if (is_euler_parameter<J>(k)) q(k) *= scale;
  }
  return q;
}

/// The identity, 1e-8 from it, and 20 seeded random places; speeds and accelerations random, in
/// every direction (along p too).
template <typename J>
std::vector<Sample<J::nq>> samples() {
  std::vector<Sample<J::nq>> all;
  const auto add = [&](const Vec<double, J::nq>& q, std::mt19937_64& rng, std::string where) {
    const Vec<double, J::nq> v = test::random_vector<J::nq>(rng);
    const Vec<double, J::nq> a = test::random_vector<J::nq>(rng);
    all.push_back({q, v, a, std::move(where)});
  };
  std::mt19937_64 rng(1);
  add(identity_coordinates<J>(), rng, "at the identity");
  const Vec<double, J::nq> nearby = test::random_vector<J::nq>(rng) * 1e-8;
  add(identity_coordinates<J>() + nearby, rng, "1e-8 from the identity");
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 local(seed);
    add(random_coordinates<J>(local), local, "seed " + std::to_string(seed));
  }
  return all;
}

/// The twist at Fo of a pose that moves: ω from ṘRᵀ, v = ṗ − ω×p. `skewness` is the size of the
/// symmetric part of ṘRᵀ, zero for a rotation.
template <typename Oracle>
Twist<double> twist_of(const Pose<typename Oracle::Number>& X, double& skewness) {
  Mat3 R;
  Vec3 p;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) = real_part(X.R(i, j));
    p(i) = real_part(X.p(i));
  }
  const Mat3 W = test::derivative<Oracle>(X.R) * R.transpose();
  skewness = (W + W.transpose()).norm();
  const Vec3 w = la::unskew(W);
  Twist<double> V;
  V << w, (test::derivative<Oracle>(X.p) - la::cross(w, p));
  return V;
}

template <int nq>
Vec<double, nq> direction(int k) {
  Vec<double, nq> e = Vec<double, nq>::Constant(0.0);
  e(k) = 1;
  return e;
}

/// V̇ = H a + Ḣ v, at any scalar.
template <typename J, typename T>
Twist<T> acceleration(const Vec<T, J::nq>& q, const Vec<T, J::nq>& v, const Vec<T, J::nq>& a) {
  return J::template motion<T>(q) * a + J::template motion_dot<T>(q, v) * v;
}

#define EXPECT_BLOCK(actual, expected, tolerance) \
  EXPECT_LE(block_error((actual), (expected)), tolerance) << at.where

template <typename J>
class JointConformance : public testing::Test {
 public:
  static constexpr int nq = J::nq;
  using Columns = Mat<double, 6, nq>;

  /// H is the derivative of the pose, column by column [J-1].
  template <typename Oracle>
  static void motion_is_derivative_of_pose(const Sample<nq>& at) {
    using T = typename Oracle::Number;
    Columns H;
    double skewness = 0;
    if constexpr (nq > 0) {
      for (int k = 0; k < nq; ++k) {
        H.col(k) = twist_of<Oracle>(
            J::template pose<T>(test::seed<Oracle, nq>(at.q, direction<nq>(k))), skewness);
        EXPECT_LE(skewness, kElementTolerance * std::max(1.0, H.col(k).norm())) << at.where;
      }
    }
    EXPECT_BLOCK(J::template motion<double>(at.q), H, kElementTolerance);
  }

  /// Ḣ and Ḧ are the derivatives of H and Ḣ along the motion [J-2].
  template <typename Oracle>
  static void rates_are_derivatives_of_motion(const Sample<nq>& at) {
    using T = typename Oracle::Number;
    const Vec<T, nq> q = test::seed<Oracle, nq>(at.q, at.v);
    const Vec<T, nq> v = test::seed<Oracle, nq>(at.v, at.a);
    EXPECT_BLOCK(J::template motion_dot<double>(at.q, at.v),
                 test::derivative<Oracle>(J::template motion<T>(q)), kElementTolerance);
    EXPECT_BLOCK(J::template motion_ddot<double>(at.q, at.v, at.a),
                 test::derivative<Oracle>(J::template motion_dot<T>(q, v)), kElementTolerance);
  }

  /// The partials that the tree takes from H, Ḣ, Ḧ alone [J-4]; their angular rows are (A.19).
  template <typename Oracle>
  static void partials_follow_from_rates(const Sample<nq>& at) {
    using T = typename Oracle::Number;
    if constexpr (nq > 0) {
      const Columns H = J::template motion<double>(at.q);
      const Columns Hdot = J::template motion_dot<double>(at.q, at.v);
      const Columns Hddot = J::template motion_ddot<double>(at.q, at.v, at.a);
      const Twist<double> V = H * at.v;
      const Twist<double> Vdot = acceleration<J, double>(at.q, at.v, at.a);
      const Vec<T, nq> q = test::constant<Oracle, nq>(at.q), v = test::constant<Oracle, nq>(at.v),
                       a = test::constant<Oracle, nq>(at.a);
      Columns V_q, Vdot_q, Vdot_v, V_q_oracle, Vdot_q_oracle, Vdot_v_oracle;
      for (int k = 0; k < nq; ++k) {
        V_q.col(k) = Hdot.col(k) - twist_cross(V, H.col(k));
        Vdot_q.col(k) = Hddot.col(k) - twist_cross(Vdot, H.col(k)) - twist_cross(V, Hdot.col(k));
        Vdot_v.col(k) = 2 * Hdot.col(k) - twist_cross(V, H.col(k));
        const Vec<T, nq> q_k = test::seed<Oracle, nq>(at.q, direction<nq>(k));
        const Vec<T, nq> v_k = test::seed<Oracle, nq>(at.v, direction<nq>(k));
        V_q_oracle.col(k) = test::derivative<Oracle>(Twist<T>(J::template motion<T>(q_k) * v));
        Vdot_q_oracle.col(k) = test::derivative<Oracle>(acceleration<J, T>(q_k, v, a));
        Vdot_v_oracle.col(k) = test::derivative<Oracle>(acceleration<J, T>(q, v_k, a));
      }
      EXPECT_BLOCK(V_q, V_q_oracle, kElementTolerance);
      EXPECT_BLOCK(Vdot_q, Vdot_q_oracle, kElementTolerance);
      EXPECT_BLOCK(Vdot_v, Vdot_v_oracle, kElementTolerance);
    }
  }

  /// I, but for Euler parameters ±(I − p̂p̂ᵀ)/|p|: what the read-back of a pose has as derivative.
  static Mat<double, nq, nq> normalisation_derivative(const Vec<double, nq>& q, double sign) {
    Mat<double, nq, nq> D = Mat<double, nq, nq>::Identity();
    double square = 0;
    for (int k = 0; k < nq; ++k) square += is_euler_parameter<J>(k) ? q(k) * q(k) : 0;
    for (int i = 0; i < nq; ++i) {
      for (int j = 0; j < nq; ++j) {
        if (is_euler_parameter<J>(i) && is_euler_parameter<J>(j)) {
          D(i, j) = sign * (D(i, j) - q(i) * q(j) / square) / std::sqrt(square);
        }
      }
    }
    return D;
  }

  /// coordinates_of and speeds_of undo pose and motion, and are differentiated rightly.
  template <typename Oracle>
  static void read_back_is_differentiable(const Sample<nq>& at) {
    using T = typename Oracle::Number;
    if constexpr (nq > 0) {
      const Vec<double, nq> back =
          J::template coordinates_of<double>(J::template pose<double>(at.q));
      double sign = 0;
      for (int k = 0; k < nq; ++k) sign += is_euler_parameter<J>(k) ? back(k) * at.q(k) : 0;
      Mat<double, nq, nq> D;
      for (int k = 0; k < nq; ++k) {
        const Vec<T, nq> q = test::seed<Oracle, nq>(at.q, direction<nq>(k));
        D.col(k) = test::derivative<Oracle>(J::template coordinates_of<T>(J::template pose<T>(q)));
      }
      EXPECT_BLOCK(D, normalisation_derivative(at.q, sign < 0 ? -1 : 1), kRoundTripTolerance);
    }
  }
};

using BothWays = Cases<Joints>::BothWays;
TYPED_TEST_SUITE(JointConformance, BothWays, CaseName);

TYPED_TEST(JointConformance, PoseIsRigid) {
  for (const auto& at : samples<TypeParam>()) {
    const Pose<double> X = TypeParam::template pose<double>(at.q);
    EXPECT_BLOCK(Mat3(X.R.transpose() * X.R), Mat3::Identity().eval(), kElementTolerance);
    EXPECT_BLOCK(la::cross(X.R.col(0), X.R.col(1)), Vec3(X.R.col(2)), kElementTolerance);
  }
}

TYPED_TEST(JointConformance, PoseAtZeroIsIdentity) {
  const auto X = TypeParam::template pose<double>(identity_coordinates<TypeParam>());
  EXPECT_EQ(X.R, Mat3::Identity());
  EXPECT_EQ(X.p, Vec3::Zero());
}

TYPED_TEST(JointConformance, MotionIsDerivativeOfPose) {
  for (const auto& at : samples<TypeParam>()) {
    TestFixture::template motion_is_derivative_of_pose<DualOracle>(at);
    TestFixture::template motion_is_derivative_of_pose<ComplexOracle>(at);
  }
}

TYPED_TEST(JointConformance, RatesAreDerivativesOfMotion) {
  for (const auto& at : samples<TypeParam>()) {
    TestFixture::template rates_are_derivatives_of_motion<DualOracle>(at);
    TestFixture::template rates_are_derivatives_of_motion<ComplexOracle>(at);
  }
}

TYPED_TEST(JointConformance, PartialsFollowFromRates) {
  for (const auto& at : samples<TypeParam>()) {
    TestFixture::template partials_follow_from_rates<DualOracle>(at);
    TestFixture::template partials_follow_from_rates<ComplexOracle>(at);
  }
}

TYPED_TEST(JointConformance, CoordinatesOfUndoesPose) {
  constexpr int n = TypeParam::nq;
  for (const auto& at : samples<TypeParam>()) {
    Vec<double, n> expected = at.q;
    const Vec<double, n> back =
        TypeParam::template coordinates_of<double>(TypeParam::template pose<double>(at.q));
    double square = 0, product = 0;
    for (int k = 0; k < n; ++k) {
      if (!is_euler_parameter<TypeParam>(k)) continue;
      square += at.q(k) * at.q(k);
      product += at.q(k) * back(k);
    }
    for (int k = 0; k < n; ++k) {
      if (is_euler_parameter<TypeParam>(k)) {
        expected(k) *= (product < 0 ? -1 : 1) / std::sqrt(square);
      }
    }
    EXPECT_BLOCK(back, expected, kRoundTripTolerance);
  }
}

TYPED_TEST(JointConformance, CoordinatesOfIsDifferentiable) {
  for (const auto& at : samples<TypeParam>()) {
    TestFixture::template read_back_is_differentiable<DualOracle>(at);
    TestFixture::template read_back_is_differentiable<ComplexOracle>(at);
  }
}

TYPED_TEST(JointConformance, SpeedsOfUndoesMotion) {
  constexpr int n = TypeParam::nq;
  for (const auto& at : samples<TypeParam>()) {
    const Twist<double> V = TypeParam::template motion<double>(at.q) * at.v;
    const Vec<double, n> back = TypeParam::template speeds_of<double>(at.q, V);
    double square = 0, along = 0, back_along = 0;
    for (int k = 0; k < n; ++k) {
      if (!is_euler_parameter<TypeParam>(k)) continue;
      square += at.q(k) * at.q(k);
      along += at.q(k) * at.v(k);
      back_along += at.q(k) * back(k);
    }
    Vec<double, n> expected = at.v;
    for (int k = 0; k < n; ++k) {
      if (is_euler_parameter<TypeParam>(k)) expected(k) -= along / square * at.q(k);
    }
    EXPECT_BLOCK(back, expected, kRoundTripTolerance);
    EXPECT_LE(std::abs(back_along), kRoundTripTolerance) << at.where;
  }
}

/// A twist the joint does not allow: the residual of speeds_of is orthogonal to the columns of H.
/// Reversed joints measure the residual at the other body's origin, so only forwards.
TYPED_TEST(JointConformance, SpeedsOfIsLeastSquares) {
  if constexpr (!IsReversed<TypeParam>::value) {
    for (const auto& at : samples<TypeParam>()) {
      std::mt19937_64 rng(7);
      const Twist<double> V = test::random_vector<6>(rng);
      const Mat<double, 6, TypeParam::nq> H = TypeParam::template motion<double>(at.q);
      const Vec<double, TypeParam::nq> v = TypeParam::template speeds_of<double>(at.q, V);
      const Twist<double> residual = V - H * v;
      const Vec<double, TypeParam::nq> projection = H.transpose() * residual;
      EXPECT_BLOCK(projection, (Vec<double, TypeParam::nq>::Zero().eval()), kRoundTripTolerance);
    }
  }
}

TYPED_TEST(JointConformance, EulerParametersAlongThemselvesDoNotMove) {
  if constexpr (TypeParam::nc > 0) {
    for (const auto& at : samples<TypeParam>()) {
      Vec<double, TypeParam::nq> along = at.q;
      for (int k = 0; k < TypeParam::nq; ++k) {
        if (!is_euler_parameter<TypeParam>(k)) along(k) = 0;
      }
      const Twist<double> V = TypeParam::template motion<double>(at.q) * along;
      EXPECT_BLOCK(V, Twist<double>::Zero().eval(), kElementTolerance);
    }
  }
}

template <typename J>
class JointModelConformance : public testing::Test {
 public:
  static constexpr int nq = J::nq;

  template <typename T>
  static JointVector<T> dynamic(const Vec<T, nq>& x) {
    JointVector<T> y(nq);
    for (int k = 0; k < nq; ++k) y(k) = x(k);
    return y;
  }

  /// Every function of the model gives the very numbers of the struct's.
  template <typename S, typename T>
  static void model_is_struct(const JointModel& model, const Sample<nq>& at) {
    const Vec<T, nq> q = at.q.template cast<T>(), v = at.v.template cast<T>(),
                     a = at.a.template cast<T>();
    const JointVector<T> Q = dynamic<T>(q), V = dynamic<T>(v), A = dynamic<T>(a);
    const Pose<T> X = S::template pose<T>(q);
    EXPECT_EQ(model.pose(Q).R, X.R);
    EXPECT_EQ(model.pose(Q).p, X.p);
    const Twist<T> twist = S::template motion<T>(q) * v;
    expect_same(model.motion(Q), S::template motion<T>(q));
    expect_same(model.motion_dot(Q, V), S::template motion_dot<T>(q, v));
    expect_same(model.motion_ddot(Q, V, A), S::template motion_ddot<T>(q, v, a));
    expect_same(model.coordinates_of(X), S::template coordinates_of<T>(X));
    expect_same(model.speeds_of(Q, twist), S::template speeds_of<T>(q, twist));
  }

  template <typename Dynamic, typename FixedSize>
  static void expect_same(const Dynamic& actual, const FixedSize& expected) {
    ASSERT_EQ(actual.rows(), expected.rows());
    ASSERT_EQ(actual.cols(), expected.cols());
    for (int j = 0; j < expected.cols(); ++j) {
      for (int i = 0; i < expected.rows(); ++i) EXPECT_EQ(actual(i, j), expected(i, j));
    }
  }
};

using Forwards = Cases<Joints>::Forwards;
TYPED_TEST_SUITE(JointModelConformance, Forwards, CaseName);

TYPED_TEST(JointModelConformance, DescribesTheStruct) {
  const JointModel& model = joint_model<TypeParam>();
  EXPECT_EQ(model.name(), TypeParam::name);
  EXPECT_FALSE(model.summary().empty());
  EXPECT_EQ(model.nq(), TypeParam::nq);
  EXPECT_LE(model.nq(), kMaxJointCoordinates);
  EXPECT_EQ(model.normalisations(), TypeParam::nc);
  EXPECT_EQ(model.freedom(), TypeParam::nq - TypeParam::nc);
  EXPECT_EQ(model.axes(), TypeParam::axes);
  for (int i = 0; i < model.nq(); ++i) {
    for (int j = 0; j < i; ++j) {
      EXPECT_NE(model.coordinates()[static_cast<std::size_t>(i)].name,
                model.coordinates()[static_cast<std::size_t>(j)].name);
    }
  }
}

TYPED_TEST(JointModelConformance, ModelIsStruct) {
  for (const auto& at : samples<TypeParam>()) {
    SCOPED_TRACE(at.where);
    TestFixture::template model_is_struct<TypeParam, double>(joint_model<TypeParam>(), at);
    TestFixture::template model_is_struct<TypeParam, Complex>(joint_model<TypeParam>(), at);
  }
}

TYPED_TEST(JointModelConformance, ReversedModelIsReversedStruct) {
  using Back = Reversed<TypeParam>;
  const JointModel& reversed = joint_model<TypeParam>().reversed();
  EXPECT_EQ(reversed.name(), TypeParam::name);
  EXPECT_EQ(reversed.nq(), TypeParam::nq);
  for (const auto& at : samples<TypeParam>()) {
    SCOPED_TRACE(at.where);
    TestFixture::template model_is_struct<Back, double>(reversed, at);
    TestFixture::template model_is_struct<Back, Complex>(reversed, at);
  }
}

TYPED_TEST(JointModelConformance, ReversedTwiceIsItself) {
  const JointModel& model = joint_model<TypeParam>();
  EXPECT_EQ(&model.reversed().reversed(), &model);
  EXPECT_NE(&model.reversed(), &model);
}

/// The reversed pose is the inverse, and its twist the opposite motion seen from M.
TYPED_TEST(JointModelConformance, ReversedIsTheOppositeMotion) {
  using Back = Reversed<TypeParam>;
  for (const auto& at : samples<TypeParam>()) {
    const Pose<double> X_FM = TypeParam::template pose<double>(at.q);
    const Pose<double> product = X_FM * Back::template pose<double>(at.q);
    EXPECT_BLOCK(product.R, Mat3::Identity().eval(), kElementTolerance);
    EXPECT_BLOCK(product.p, Vec3::Zero().eval(), kElementTolerance);
    const Twist<double> V_MF = Back::template motion<double>(at.q) * at.v;
    const Twist<double> V_FM = TypeParam::template motion<double>(at.q) * at.v;
    EXPECT_BLOCK(transform_twist(X_FM, V_MF), Twist<double>(-V_FM), kElementTolerance);
  }
}

#undef EXPECT_BLOCK

}  // namespace
}  // namespace kinegrad
