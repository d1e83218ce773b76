# The target headers: each public header compiles with nothing before it but what it includes.
#
# Most of that time is spent on the same few: json, fmt, the standard library. So what includes core/json.hpp, itself or
# through others, is compiled with that header precompiled, and so on. What does not include them does not
# get them; only an include that stands below its first use goes unnoticed.
set(read_once toroid/core/json.hpp toroid/core/error.hpp toroid/core/id.hpp)  # what takes longest first

get_target_property(include_folder toroid::headers HEADER_DIRS)

# Sets `result` to the public headers that a public header includes, itself and through others.
function(find_included header result)
  get_property(is_known GLOBAL PROPERTY "included by ${header}" SET)
  if(NOT is_known)
    set(all "")
    file(STRINGS ${include_folder}/${header} lines REGEX "^ *# *include *[<\"]toroid/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*[<\"](toroid/[^>\"]+).*" "\\1" other "${line}")
      find_included(${other} others)
      list(APPEND all ${other} ${others})
    endforeach()
    list(REMOVE_DUPLICATES all)
    set_property(GLOBAL PROPERTY "included by ${header}" "${all}")
  endif()
  get_property(all GLOBAL PROPERTY "included by ${header}")
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

function(compile_headers target headers)
  foreach(header IN LISTS headers)
    string(REPLACE / _ source ${header})
    file(CONFIGURE OUTPUT ${source}.cpp CONTENT "#include <${header}>\n")
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/${source}.cpp)
  endforeach()
  add_library(${target} OBJECT ${sources})
  target_compile_options(${target} PRIVATE -O0)
  target_link_libraries(${target} PRIVATE toroid::toroid)
  add_dependencies(headers ${target})
endfunction()

add_custom_target(headers)
file(GLOB_RECURSE headers RELATIVE ${include_folder} ${include_folder}/toroid/*.hpp)
foreach(common IN LISTS read_once)
  set(with_it "")
  foreach(header IN LISTS headers)
    find_included(${header} included)
    if(common IN_LIST included)
      list(APPEND with_it ${header})
    endif()
  endforeach()
  list(REMOVE_ITEM headers ${with_it})
  get_filename_component(name ${common} NAME_WE)
  compile_headers(headers_with_${name} "${with_it}")
  target_precompile_headers(headers_with_${name} PRIVATE <${common}>)
endforeach()
compile_headers(headers_alone "${headers}")
