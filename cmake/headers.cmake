# Writes the public headers as others include them, <toroid/netsim/run.hpp>: ours say "netsim/run.hpp", names that are too
# general for somebody else's include path.
#   cmake -DSOURCE=CHECKOUT -DOUTPUT=FOLDER -DHEADERS="netsim/run.hpp;..." -P headers.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${OUTPUT}/toroid)
foreach(header IN LISTS HEADERS)
  file(READ ${SOURCE}/${header} text)
  string(REGEX MATCHALL "#include \"[^\"]+" included "${text}")
  foreach(line IN LISTS included)
    string(REPLACE "#include \"" "" other ${line})
    if(NOT other IN_LIST HEADERS)
      message(FATAL_ERROR "${header} is public and includes ${other}, which is not")
    endif()
  endforeach()
  string(REGEX REPLACE "#include \"([a-z_]+/)" "#include \"toroid/\\1" text "${text}")
  file(WRITE ${OUTPUT}/toroid/${header} "${text}")
endforeach()
