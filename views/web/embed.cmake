# Writes OUTPUT, a C++ file that holds what pages are made of besides their data. PAGE.txt lists the files of a page: those
# in .css become its style, those in .html its body, each kind one after the other in the order of the list. The modules
# in .js and what they import become its script: esbuild makes one function of them, with the shaders as texts.
#   cmake -DDIRECTORY=views/web "-DPAGES=run schedule" -DOUTPUT=web.cpp -P embed.cmake
separate_arguments(PAGES)
find_program(ESBUILD esbuild REQUIRED)
# A string literal of C++ may be limited in length: texts are cut.
function(append_text name text)
  set(code "constexpr std::string_view ${name} =\n")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 part)
    string(APPEND code "    R\"toroid(${part})toroid\"\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(all "${all}${code}    \"\";\n\n" PARENT_SCOPE)
endfunction()

set(all "")
foreach(page ${PAGES})
  file(STRINGS ${DIRECTORY}/${page}.txt files)
  foreach(kind css html js)
    set(text_${kind} "")
  endforeach()
  foreach(name ${files})
    string(REGEX REPLACE ".*\\." "" kind ${name})
    if(kind STREQUAL "js")
      set(text "import \"./${name}\";\n")
    else()
      file(READ ${DIRECTORY}/${name} text)
    endif()
    string(APPEND text_${kind} "${text}")
  endforeach()
  file(WRITE ${OUTPUT}.${page}.js "${text_js}")
  execute_process(COMMAND ${ESBUILD} --bundle --format=esm --charset=utf8 --loader:.vert=text --loader:.frag=text
                  WORKING_DIRECTORY ${DIRECTORY} INPUT_FILE ${OUTPUT}.${page}.js OUTPUT_VARIABLE text_js
                  COMMAND_ERROR_IS_FATAL ANY)
  append_text(${page}_style "${text_css}")
  append_text(${page}_body "${text_html}")
  append_text(${page}_script "(async () => {\n\"use strict\";\n${text_js}})();\n")
  string(APPEND all "extern const PageParts ${page};\nconst PageParts ${page}{${page}_style, ${page}_body, ${page}_script};\n\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from views/web by embed.cmake.\n#include \"views/documents/page.hpp\"\n\nnamespace toroid::views::web {\n\n${all}}  // namespace toroid::views::web\n")
