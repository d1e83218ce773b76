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

#include "toroid/platforms/load.hpp"

namespace toroid::platforms {

/// Something wrong or odd in a file, with its line and column, which count from 1.
struct Finding {
  bool is_error = true;
  std::size_t line = 1, column = 1;
  std::string message;
};

struct CheckedXml {
  Description description;        ///< the machine, as far as the text is valid
  std::vector<Finding> findings;  ///< errors and warnings, by place
  bool has_errors() const;
};

/// Checks the text of a platform file, and finds everything that is wrong or odd in it. `choose` says which value each
/// interval has; what it throws is an error of the file.
CheckedXml check_xml(const std::string& text, const Choose& choose = &PropertyInterval::middle);
/// Checks a platform file as check_xml() does its text. Throws InputError when the file cannot be read or is larger
/// than 16 MiB.
CheckedXml check_xml_file(const std::string& path);

/// The machine that a text describes, with the values that `choose` says of intervals. Throws InputError with the first
/// error in it: `file:line:column: message`.
Description parse_xml(const std::string& text, const std::string& file, const Choose& choose = best_estimate);
Description read_xml(const std::string& path, const Choose& choose = best_estimate);

/// The text of a file that reads back as exactly this description, where these of its properties are intervals.
std::string xml_text(const Description& description, const std::vector<PropertyInterval>& intervals = {});

}  // namespace toroid::platforms
