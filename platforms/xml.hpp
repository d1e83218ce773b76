#pragma once
// Machines as XML: a SimGrid platform (DTD 4.1) with one zone, whose properties describe the machine.
//
//   <?xml version='1.0'?>
//   <!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
//   <platform version="4.1">
//     <zone id="cabinet" routing="Full">
//       <prop id="shape" value="20x4"/>
//       <prop id="bandwidth" value="2GBps"/>
//     </zone>
//   </platform>

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

/// Something wrong or odd in a file, with its place, both from 1.
struct Finding {
  bool is_error = true;
  std::size_t line = 1, column = 1;
  std::string message;
};

struct CheckedXml {
  Description description;        ///< what could be made of it
  std::vector<Finding> findings;  ///< by place; errors and warnings
  bool has_errors() const;
};

/// Everything that is wrong with the text of a platform file, and what is odd.
CheckedXml check_xml(const std::string& text);
/// The same of a file. Throws InputError when it cannot be read or is larger than 16 MiB.
CheckedXml check_xml_file(const std::string& path);

/// The machine of a text without errors. Throws InputError with the first: `file:line:column: message`.
Description parse_xml(const std::string& text, const std::string& file);
Description read_xml(const std::string& path);

/// The description as a file that reads back as exactly the same.
std::string xml_text(const Description& description);

}  // namespace toroid::platforms
