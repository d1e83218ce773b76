# Writes OUTPUT, a C++ file that holds the XML files of DIRECTORY.
file(GLOB names RELATIVE ${DIRECTORY} ${DIRECTORY}/*.xml)
list(TRANSFORM names REPLACE "\\.xml$" "")
list(SORT names)  # without the ending: a name comes before those that go on after it
set(entries "")
foreach(name ${names})
  file(READ ${DIRECTORY}/${name}.xml xml)
  string(APPEND entries "      {\"${name}\", R\"toroid(${xml})toroid\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from platforms/presets/*.xml by embed.cmake.
#include \"toroid/platforms/load.hpp\"

namespace toroid::platforms {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
${entries}  };
  return all;
}

}  // namespace toroid::platforms
")
