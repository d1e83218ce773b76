# Writes OUTPUT, a C++ file with a stamp of the sources of FOLDERS and of HOW they are compiled.
separate_arguments(FOLDERS)
set(text "${HOW}")
foreach(folder ${FOLDERS})
  file(GLOB_RECURSE sources ${DIRECTORY}/${folder}/*.hpp ${DIRECTORY}/${folder}/*.cpp ${DIRECTORY}/include/toroid/${folder}/*.hpp)
  list(SORT sources)
  foreach(source ${sources})
    file(SHA256 ${source} hash)
    string(APPEND text ${hash})
  endforeach()
endforeach()
string(SHA256 stamp "${text}")
string(SUBSTRING ${stamp} 0 16 stamp)
file(WRITE ${OUTPUT} "// Made by cmake/stamp.cmake.
#include \"netsim/engines/simgrid_module.hpp\"

namespace toroid::netsim {

std::string_view build_stamp() {
  return \"${stamp}\";
}

}  // namespace toroid::netsim
")
