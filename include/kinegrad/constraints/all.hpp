// The constraints. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/constraints/angle.hpp"
#include "kinegrad/constraints/coincident.hpp"
#include "kinegrad/constraints/coupling.hpp"
#include "kinegrad/constraints/distance.hpp"
#include "kinegrad/constraints/dot.hpp"
#include "kinegrad/constraints/expression.hpp"
#include "kinegrad/constraints/knife_edge.hpp"
#include "kinegrad/constraints/nonholonomic.hpp"
#include "kinegrad/constraints/point_on_line.hpp"
#include "kinegrad/constraints/point_on_plane.hpp"
#include "kinegrad/constraints/prescribed.hpp"
#include "kinegrad/constraints/rolling.hpp"

namespace kinegrad {

using Constraints = TypeList<  //
    Coincident,                //
    Distance,                  //
    Dot,                       //
    Angle,                     //
    PointOnLine,               //
    PointOnPlane,              //
    Coupling,                  //
    Prescribed,                //
    ExpressionConstraint,      //
    Nonholonomic,              //
    KnifeEdge,                 //
    Rolling>;

}  // namespace kinegrad
