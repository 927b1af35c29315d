# kinegrad_precompile(NAME [header…]): Eigen and the common standard headers, parsed once per target.
function(kinegrad_precompile name)
  target_precompile_headers(${name} PRIVATE
    <Eigen/Dense>
    <algorithm> <array> <cmath> <complex> <cstddef> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <utility> <vector>
    ${ARGN})
endfunction()
