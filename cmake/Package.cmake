# make install, and what find_package(kinegrad) needs.
include(CMakePackageConfigHelpers)
set(kinegrad_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kinegrad")

install(TARGETS kinegrad EXPORT kinegrad_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/kinegrad "${CMAKE_CURRENT_BINARY_DIR}/include/kinegrad"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(EXPORT kinegrad_targets NAMESPACE kinegrad:: DESTINATION "${kinegrad_package_dir}"
  FILE kinegradTargets.cmake)

# A static library passes its private libraries on to the linker, so a consumer must find them too.
get_target_property(kinegrad_type kinegrad TYPE)
set(kinegrad_link_dependencies "")
if(kinegrad_type STREQUAL "STATIC_LIBRARY")
  set(kinegrad_link_dependencies
    "find_dependency(yaml-cpp)\nfind_dependency(fmt)\nfind_dependency(Threads)\n")
endif()
configure_package_config_file(cmake/kinegradConfig.cmake.in kinegradConfig.cmake
  INSTALL_DESTINATION "${kinegrad_package_dir}")
write_basic_package_version_file(kinegradConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/kinegradConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/kinegradConfigVersion.cmake"
  DESTINATION "${kinegrad_package_dir}")
install(DIRECTORY examples schema DESTINATION "${CMAKE_INSTALL_DATADIR}/kinegrad"
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
