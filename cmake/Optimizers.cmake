# Optimisers are libraries that may be missing: the rest is built without them, and
# `kinegrad list optimizers` says which there are. They bring no package files that agree on anything.
find_library(LBFGSB_LIBRARY lbfgsb)
find_library(NLOPT_LIBRARY nlopt)
find_path(NLOPT_INCLUDE_DIR nlopt.h)
find_library(IPOPT_LIBRARY ipopt)
find_path(IPOPT_INCLUDE_DIR IpStdCInterface.h PATH_SUFFIXES coin coin-or)
mark_as_advanced(LBFGSB_LIBRARY NLOPT_LIBRARY NLOPT_INCLUDE_DIR IPOPT_LIBRARY IPOPT_INCLUDE_DIR)
find_package(Threads REQUIRED)

# kinegrad_use_optimizer(NAME INCLUDE_DIR LIBRARY): the one file of that name knows of it.
function(kinegrad_use_optimizer name include_dir library)
  string(TOUPPER ${name} upper)
  if(NOT library OR (include_dir STREQUAL "include-NOTFOUND"))
    message(STATUS "${name} is not there: kinegrad is built without it")
    return()
  endif()
  set_property(SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/src/optimization/${name}.cpp"
               APPEND PROPERTY COMPILE_DEFINITIONS KINEGRAD_HAS_${upper})
  if(include_dir)
    target_include_directories(kinegrad SYSTEM PRIVATE "${include_dir}")
  endif()
  get_filename_component(file "${library}" NAME_WE)
  string(REGEX REPLACE "^lib" "" file "${file}")
  target_link_libraries(kinegrad PRIVATE ${file})
endfunction()

kinegrad_use_optimizer(lbfgsb "" "${LBFGSB_LIBRARY}")
kinegrad_use_optimizer(nlopt "${NLOPT_INCLUDE_DIR}" "${NLOPT_LIBRARY}")
kinegrad_use_optimizer(ipopt "${IPOPT_INCLUDE_DIR}" "${IPOPT_LIBRARY}")
target_link_libraries(kinegrad PRIVATE Threads::Threads)
