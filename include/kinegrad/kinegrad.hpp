// The whole library in one include: describe or read a model, compile it, and ask for its motion,
// for gradients of it, and for the best parameters.
#pragma once

#include "kinegrad/assembly/tree_kinematics.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/constraints/constraint_concept.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/optimization/design.hpp"
#include "kinegrad/optimization/journal.hpp"
#include "kinegrad/sensitivity/derivative_checker.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "kinegrad/version.hpp"
