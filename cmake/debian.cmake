# CPack runs this over the files of its packages: what Debian wants besides, and a plain installation does not have.
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${usr}/share/doc/${package})
  file(WRITE ${documents}/copyright "Copyright: 2026 ${CPACK_PACKAGE_CONTACT}\nLicense: ${CPACK_TOROID_LICENCE}\n")
  file(WRITE ${documents}/changelog
       "toroid (${CPACK_PACKAGE_VERSION}) stable; urgency=low\n\n  * CHANGELOG.md of the package toroid tells what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  Sun, 29 Nov 2026 00:00:00 +0000\n")
  file(GLOB pages ${usr}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  # In /usr/lib the system finds libraries without being told where.
  file(GLOB_RECURSE programs ${usr}/bin/* ${usr}/lib/*.so)
  foreach(program ${programs})
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
