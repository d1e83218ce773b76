#pragma once
// Tables for programs.

#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace toroid::core {

/// A field: quoted when it holds a comma, a quote or a line end (RFC 4180). Names come from logs and traces, and tables
/// are opened by spreadsheets and shown by terminals: what would be a formula there, =1+1, gets an apostrophe in front,
/// as those who work with spreadsheets put it, and characters that control terminals become escapes such as \x1b.
std::string csv_field(const std::string& text);

/// The fields of a line that are written so, without these apostrophes; a quote that nobody closes ends with the line.
std::vector<std::string> csv_fields(std::string_view line);

/// A header and a line per row, from an array of objects that all have the keys of the first one in its order. Null is
/// an empty field, an array or object its JSON text.
std::string csv_of(const Json& rows);

}  // namespace toroid::core
