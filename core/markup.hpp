#pragma once
// Texts in XML and HTML.

#include <string>
#include <string_view>

namespace toroid::core {

/// `text` as content of an XML element or attribute. Bytes that are no UTF-8, characters that XML does not have
/// and those that control terminals become U+FFFD.
std::string escape_markup(std::string_view text);

}  // namespace toroid::core
