# CPack runs this over the files of its packages: what Debian wants besides, and a plain installation does not have.

# The date of the changelog is SOURCE_DATE_EPOCH, or that of the last commit, or that of the files of a source archive.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source)
set(seconds $ENV{SOURCE_DATE_EPOCH})
if("${seconds}" STREQUAL "")
  execute_process(COMMAND git --git-dir=${source}/.git log -1 --format=%ct OUTPUT_VARIABLE seconds ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if("${seconds}" STREQUAL "")
  file(TIMESTAMP ${CMAKE_CURRENT_LIST_FILE} seconds "%s" UTC)
endif()
set(ENV{SOURCE_DATE_EPOCH} ${seconds})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
message(STATUS "The changelog is of ${date}")
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${usr}/share/doc/${package})
  file(WRITE ${documents}/copyright "Copyright: 2026 ${CPACK_PACKAGE_CONTACT}\nLicense: ${CPACK_TOROID_LICENCE}\n")
  file(WRITE ${documents}/changelog
       "toroid (${CPACK_PACKAGE_VERSION}) stable; urgency=low\n\n  * CHANGELOG.md of the package toroid tells what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB pages ${usr}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  # In /usr/lib the system finds libraries without being told where.
  file(GLOB_RECURSE programs ${usr}/bin/* ${usr}/lib/*.so)
  foreach(program ${programs})
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
