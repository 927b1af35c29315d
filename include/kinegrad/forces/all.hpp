// The forces. A new one is its header and its line here.
#pragma once

#include "kinegrad/base/type_list.hpp"
#include "kinegrad/forces/gravity.hpp"
#include "kinegrad/forces/spring_damper.hpp"
#include "kinegrad/forces/torsional_spring_damper.hpp"

namespace kinegrad {

using Forces = TypeList<  //
    Gravity,              //
    SpringDamper,         //
    TorsionalSpringDamper>;

}  // namespace kinegrad
