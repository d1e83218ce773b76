#pragma once
// Tables for programs.

#include "toroid/core/json.hpp"

namespace toroid::core {

/// `text` as a field of a CSV line, quoted when it holds a comma or a quote (RFC 4180). Names come from logs and
/// traces, and tables are opened by spreadsheets and shown by terminals. So a text that a spreadsheet would take for a
/// formula, such as =1+1, gets an apostrophe before it, and line ends, characters that control terminals and what is no
/// UTF-8 become escapes such as \n and \x1b.
std::string csv_field(const std::string& text);

/// The fields of a line that csv_field() has written, without its apostrophes. A quote that is not closed ends with the
/// line.
std::vector<std::string> csv_fields(std::string_view line);

/// A header and a line per row, from an array of objects that all have the keys of the first one in its order. Null is
/// an empty field, an array or object its JSON text.
std::string csv_of(const Json& rows);

}  // namespace toroid::core
