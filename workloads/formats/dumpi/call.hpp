#pragma once
// The calls in a text that dumpi2ascii prints.

#include <map>
#include <unordered_map>

#include "core/file.hpp"
#include "toroid/core/error.hpp"

namespace toroid::workloads::dumpi {

/// One call, with its arguments as text by their names.
struct Call {
  const std::string& file;
  std::uint64_t line = 0;                  ///< the line on which it is entered
  std::string name;                        ///< its name in MPI: MPI_Send
  std::int64_t entered = 0, returned = 0;  ///< wall times in nanoseconds
  std::map<std::string, std::string, std::less<>> arguments = {};

  /// Return an argument as a number. Throw InputError if it is missing or is something else.
  std::int64_t integer(std::string_view argument) const;
  std::int64_t count(std::string_view argument) const;  ///< 0 or more
  /// Returns an argument that is a list of `length` numbers, `[1, 2, 3]`; the list `<IGNORED>` has none. A negative
  /// length is MPI_UNDEFINED and stands for 0.
  std::vector<std::int64_t> list(std::string_view argument, std::int64_t length) const;

  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) const {
    core::fail_input_at(file, line, "{}: {}", name, fmt::format(format, std::forward<Parts>(parts)...));
  }

 private:
  const std::string& text(std::string_view argument) const;
  std::vector<std::int64_t> list(std::string_view argument) const;
};

/// Reads the calls one by one. What stands before the first and after the last of them (header, counts, sizes) is
/// passed over.
class CallReader {
 public:
  explicit CallReader(const std::string& path) : lines_(path), call_{lines_.path(), 0, {}} {}

  /// The next call, valid until the one after it is read; null after the last.
  const Call* next();

  /// Whether the line enters a call.
  static bool enters(std::string_view line) { return line.find(" entering at walltime ") != std::string_view::npos; }

 private:
  std::int64_t begin(std::string_view line, std::string_view separator, std::string& name) const;
  std::int64_t time(std::string_view text) const;
  void read_argument(std::string_view line);

  core::LineReader lines_;
  Call call_;
  bool has_begun_ = false;
  std::uint64_t other_line_ = 0;  ///< the first line after a call that belongs to no call
  std::string other_text_;
};

/// What a text says besides its calls.
struct Totals {
  std::unordered_map<std::int64_t, std::uint64_t> datatype_sizes;  ///< bytes by number
  std::map<std::string, std::uint64_t> ignored;  ///< calls of which some were not recorded: the lines that say so
};
Totals read_totals(const std::string& path);

}  // namespace toroid::workloads::dumpi
