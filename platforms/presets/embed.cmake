# Writes OUTPUT, a C++ file that holds the XML files of DIRECTORY.
file(GLOB files ${DIRECTORY}/*.xml)
list(SORT files)
set(entries "")
foreach(path ${files})
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} xml)
  string(APPEND entries "      {\"${name}\", R\"toroid(${xml})toroid\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from platforms/presets/*.xml by embed.cmake.
#include \"platforms/presets.hpp\"

namespace toroid::platforms {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
${entries}  };
  return all;
}

}  // namespace toroid::platforms
")
