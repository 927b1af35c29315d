# What the library needs. Only Eigen shows in its headers; the others stay behind its sources.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

# SuiteSparse's KLU brings no package file in Debian 12.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)

# yaml-cpp named its target without a namespace until 0.8.
if(TARGET yaml-cpp::yaml-cpp)
  set(kinegrad_yaml_cpp yaml-cpp::yaml-cpp)
else()
  set(kinegrad_yaml_cpp yaml-cpp)
endif()
