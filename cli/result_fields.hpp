#pragma once
// What the fields of all JSON that commands write are: one table, from which the reference and `toroid list fields` are
// made. The tests hold it to real documents: each field of them is in the table with values of its type, and each field
// of the table is in one of them (tests/docs/fields_test.cpp).

#include <string_view>
#include <vector>

namespace toroid::cli {

struct ResultField {
  /// In capitals stands what varies: `SUBJECT` for map, alloc, platform or trace, `PURPOSE` for what a communicator is
  /// for.
  /// `...` stands for several fields, as its type says.
  std::string_view name;
  /// What its value is. A unit or kind of number: seconds, bytes, B/s, share (of 1), count (a whole number), number;
  /// text; yes or no; the name of an object, a list (`list of rank`), or an object whose fields users name (`rank by
  /// name`); any. `fields of X` stands for all fields of X. A type ends in ` or null` where there may be none.
  std::string_view type;
  std::string_view meaning;
};

/// A kind of JSON object, with its fields in the order in which they are written.
struct ResultObject {
  std::string_view name;  ///< `run`, `rank`
  std::vector<ResultField> fields;
};

/// Documents first, each with the objects that it has.
const std::vector<ResultObject>& result_objects();

}  // namespace toroid::cli
