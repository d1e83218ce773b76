# What `cmake --install` puts where. Components: `toroid` is the command with its pages, `dev` the libraries.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/toroid)
set(libraries toroid_core toroid_platforms toroid_workloads toroid_jobs toroid_netsim toroid_alloc toroid_mapping toroid_cosim toroid_study toroid_views)

install(TARGETS toroid RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT toroid)
# The library is opened by its name, so it has no version of its own in it.
install(TARGETS toroid_platform LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT toroid)
if(TARGET toroid_capture)
  install(TARGETS toroid_capture LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT toroid)
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
write_basic_package_version_file(${PROJECT_BINARY_DIR}/toroid-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toroid-config.cmake ${PROJECT_BINARY_DIR}/toroid-config-version.cmake
              cmake/FindZstd.cmake cmake/FindYAML.cmake cmake/FindScotch.cmake cmake/FindOTF2.cmake
        DESTINATION ${package_folder} COMPONENT dev)

# The Debian package: cpack -G DEB --config build/release/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME toroid)
set(CPACK_PACKAGE_CONTACT "the authors of toroid <toroid@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
