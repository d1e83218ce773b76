# Writes the public headers as others include them, <toroid/netsim/run.hpp>: ours say "netsim/run.hpp", names that are too
# general for somebody else's include path.
#   cmake -DSOURCE=CHECKOUT -DOUTPUT=FOLDER -DHEADERS="netsim/run.hpp;..." -P headers.cmake
file(REMOVE_RECURSE ${OUTPUT}/toroid)
foreach(header IN LISTS HEADERS)
  file(READ ${SOURCE}/${header} text)
  string(REGEX REPLACE "#include \"([a-z_]+/)" "#include \"toroid/\\1" text "${text}")
  file(WRITE ${OUTPUT}/toroid/${header} "${text}")
endforeach()
