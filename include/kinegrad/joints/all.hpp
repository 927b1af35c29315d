// The joints. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/joints/cartesian.hpp"
#include "kinegrad/joints/cylindrical.hpp"
#include "kinegrad/joints/fixed.hpp"
#include "kinegrad/joints/floating.hpp"
#include "kinegrad/joints/planar.hpp"
#include "kinegrad/joints/prismatic.hpp"
#include "kinegrad/joints/rectangular.hpp"
#include "kinegrad/joints/revolute.hpp"
#include "kinegrad/joints/spherical.hpp"
#include "kinegrad/joints/triad.hpp"
#include "kinegrad/joints/universal.hpp"

namespace kinegrad {

using Joints = TypeList<  //
    Fixed,                //
    Revolute,             //
    Prismatic,            //
    Universal,            //
    Cylindrical,          //
    Spherical,            //
    Floating,             //
    Planar,               //
    Rectangular,          //
    Cartesian>;

/// Joints that carry bodies in other coordinates; no file names them.
using Carriers = TypeList<Triad>;

}  // namespace kinegrad
