# Writes OUTPUT, a C++ file that holds what pages are made of besides their data. PAGE.txt lists the files of a page: those
# in .css become its style, those in .html its body, and those in .js its script, each kind one after the other in the
# order of the list. The script is one function, so that it shares names with nobody.
#   cmake -DDIRECTORY=views/web "-DPAGES=run;schedule" -DOUTPUT=web.cpp -P embed.cmake
# A string literal of C++ may be limited in length: texts are cut where a line ends.
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
    file(READ ${DIRECTORY}/${name} text)
    string(APPEND text_${kind} "${text}")
  endforeach()
  append_text(${page}_style "${text_css}")
  append_text(${page}_body "${text_html}")
  append_text(${page}_script "(async () => {\n\"use strict\";\n${text_js}})();\n")
  string(APPEND all "extern const PageParts ${page};\nconst PageParts ${page}{${page}_style, ${page}_body, ${page}_script};\n\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from views/web by embed.cmake.\n#include \"views/documents/page.hpp\"\n\nnamespace toroid::views::web {\n\n${all}}  // namespace toroid::views::web\n")
