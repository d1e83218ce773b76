# What `cmake --install` puts where. Components: `toroid` is the command with its pages, `mpi` what it loads for MPI
# programs, `python` the module, `dev` the libraries.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/toroid)
set(libraries toroid_core toroid_platforms toroid_workloads toroid_jobs toroid_netsim toroid_alloc toroid_mapping toroid_cosim toroid_study toroid_views)

install(TARGETS toroid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT toroid)
# Libraries that are opened by their names have no version of their own in these.
install(TARGETS toroid_platform LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT toroid)
if(MPI_CXX_FOUND)
  install(TARGETS toroid_capture LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
endif()
# Its pages, in its own words.
set(pages ${PROJECT_BINARY_DIR}/toroid.1 ${PROJECT_BINARY_DIR}/toroid.bash ${PROJECT_BINARY_DIR}/toroid.zsh
    ${PROJECT_BINARY_DIR}/toroid.fish)
add_custom_command(OUTPUT ${pages}
  COMMAND toroid pages man > ${PROJECT_BINARY_DIR}/toroid.1
  COMMAND toroid pages bash > ${PROJECT_BINARY_DIR}/toroid.bash
  COMMAND toroid pages zsh > ${PROJECT_BINARY_DIR}/toroid.zsh
  COMMAND toroid pages fish > ${PROJECT_BINARY_DIR}/toroid.fish
  DEPENDS toroid VERBATIM)
add_custom_target(toroid_pages ALL DEPENDS ${pages})
install(FILES ${PROJECT_BINARY_DIR}/toroid.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT toroid)
install(FILES ${PROJECT_BINARY_DIR}/toroid.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME toroid COMPONENT toroid)
install(FILES ${PROJECT_BINARY_DIR}/toroid.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        RENAME _toroid COMPONENT toroid)
install(FILES ${PROJECT_BINARY_DIR}/toroid.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT toroid)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT toroid)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT toroid)

install(TARGETS ${libraries} toroid_headers toroid_all toroid_plugin EXPORT toroid-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT toroid-targets NAMESPACE toroid:: DESTINATION ${package_folder} COMPONENT dev)
configure_package_config_file(cmake/toroid-config.cmake.in ${PROJECT_BINARY_DIR}/toroid-config.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/toroid-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toroid-config.cmake ${PROJECT_BINARY_DIR}/toroid-config-version.cmake
              cmake/FindZstd.cmake cmake/FindYAML.cmake cmake/FindScotch.cmake cmake/FindOTF2.cmake
        DESTINATION ${package_folder} COMPONENT dev)

# All that is installed, for tools/package: no tests, no benchmarks.
add_custom_target(toroid_installed DEPENDS toroid_pages toroid_platform ${libraries})
foreach(target toroid_capture toroid_python)
  if(TARGET ${target})
    add_dependencies(toroid_installed ${target})
  endif()
endforeach()

# Debian packages: `tools/package deb`. Who made toroid, and under which licence, packages learn here alone.
set(CPACK_PACKAGE_CONTACT "The authors of toroid <toroid@toroid.invalid>")
set(CPACK_TOROID_LICENCE "none yet: the owner of toroid has to choose one. Until then all rights are reserved.")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME toroid)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What a package does whose libraries programs open by their names.
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_TOROID_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
# The package of a component; `depends` is what its programs do not say themselves.
macro(toroid_package component name depends has)
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${key}_DESCRIPTION ${has})
endmacro()
set(CPACK_COMPONENTS_ALL "")
set(same "(= ${PROJECT_VERSION})")
toroid_package(toroid toroid "" "The command toroid, its manual page, documentation and examples.")
set(CPACK_DEBIAN_TOROID_PACKAGE_SUGGESTS "toroid-mpi ${same}, python3-toroid ${same}")
if(MPI_CXX_FOUND)
  toroid_package(mpi toroid-mpi "toroid ${same}"
                 "What toroid capture records MPI programs with, for Open MPI.")
endif()
if(TARGET toroid_python)
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  toroid_package(python python3-toroid "toroid ${same}, python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy"
                 "The module toroid for Python.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-scipy")
endif()
string(JOIN ", " needed "toroid ${same}" libfmt-dev nlohmann-json3-dev libpugixml-dev libssl-dev libzstd-dev zlib1g-dev
       libyaml-dev libscotch-dev libopen-trace-format2-dev)
toroid_package(dev libtoroid-dev "${needed}" "Libraries, headers and files for CMake.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
include(CPack)
