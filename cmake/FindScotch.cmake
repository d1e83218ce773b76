# Scotch::scotch, the graph partitioner. The package of Debian brings no file for CMake.
find_library(SCOTCH_LIBRARY scotch)
find_library(SCOTCH_ERROR_LIBRARY scotcherr)  # Scotch calls it; a wheel finds what its programs say that they need
find_path(SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch)
mark_as_advanced(SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY SCOTCH_INCLUDE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Scotch REQUIRED_VARS SCOTCH_LIBRARY SCOTCH_ERROR_LIBRARY SCOTCH_INCLUDE)
if(Scotch_FOUND AND NOT TARGET Scotch::scotch)
  add_library(Scotch::scotch UNKNOWN IMPORTED)
  set_target_properties(Scotch::scotch PROPERTIES IMPORTED_LOCATION ${SCOTCH_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SCOTCH_INCLUDE}
                        INTERFACE_LINK_LIBRARIES -Wl,--push-state,--no-as-needed,${SCOTCH_ERROR_LIBRARY},--pop-state)
endif()
