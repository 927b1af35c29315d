// The forces of forces/all.hpp as types of tests, and random inputs of theirs.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <string>

#include "kinegrad/forces/all.hpp"
#include "recipes/cubic_spring.hpp"
#include "support/element_oracles.hpp"

namespace kinegrad::test {

template <typename List>
struct ForceCases;
template <typename... Fs>
struct ForceCases<TypeList<Fs...>> {
  using Types = testing::Types<Fs..., CubicSpring>;
};

struct ForceName {
  template <typename F>
  static std::string GetName(int) {
    std::string name(F::name);
    std::replace(name.begin(), name.end(), '-', '_');  // '-' means "not" in a test filter
    return name;
  }
};

using ForceTypes = ForceCases<Forces>::Types;

/// A turn by up to 2.5 rad about any axis, row by row behind the distance.
inline void set_rotation(Vec<double, 12>& x, std::mt19937_64& rng) {
  const Vec3 axis = random_vector<3>(rng).normalized();
  const double angle = 2.5 * random_vector<1>(rng)(0);
  const Mat3 R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  for (int i = 0; i < 3; ++i) x.segment<3>(3 + 3 * i) = R.row(i).transpose();
}

/// A symmetric stiffness, a damping that takes power, and no preload, which is no potential.
inline void make_passive(Vec<double, 78>& p) {
  using Six = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  Eigen::Map<Six> K(p.data()), C(p.data() + 36);
  K = (K + K.transpose()).eval();
  C = (C * C.transpose()).eval();
  p.tail<6>().setZero();
}

/// Every word of an attribute in its turn.
template <typename F>
void choose_words(unsigned seed, Vec<double, ForceInput<F, double>::np>& p) {
  int place = 0;
  unsigned turn = seed;
  for (const AttributeInfo& a : F::attributes) {
    if (!a.words.empty()) {
      const auto count = static_cast<unsigned>(words_of(a.words).size());
      p(place) = turn % count;
      turn /= count;
    }
    place += a.size;
  }
}

/// Positive attributes of order one, port variables of any sign and of length well above zero.
template <typename F>
ForceInput<F, double> random_input(unsigned seed) {
  using In = ForceInput<F, double>;
  std::mt19937_64 rng(seed);
  In in;
  do {
    in.x = random_vector<In::nx>(rng, -2, 2);
  } while (in.x.norm() < 0.3);
  if constexpr (F::port == PortKind::kFramePair) set_rotation(in.x, rng);
  in.xdot = random_vector<In::ne>(rng);
  in.t = random_vector<1>(rng)(0);
  in.p = random_vector<In::np>(rng, 0.5, 2);
  if constexpr (std::is_same_v<F, Bushing>) make_passive(in.p);
  in.z = random_vector<In::ns>(rng, -0.5, 0.5);
  choose_words<F>(seed, in.p);
  return in;
}

}  // namespace kinegrad::test
