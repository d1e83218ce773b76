#pragma once
// One line of a TI trace, cut into fields, and its fields as what they stand for. A field that is wrong is an
// InputError `file:line: action: found, expected`.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads::ti {

inline constexpr std::int32_t max_rank = 1 << 24;

/// A line of a trace. Field 0 is the rank, field 1 the action; then come its arguments, which count from 0.
struct Line {
  const std::string& file;
  std::uint64_t number = 0;
  std::vector<std::string_view> fields = {};
  std::uint64_t default_size = 1;  ///< bytes of an element without a datatype

  /// Cuts the text into fields at blanks and tabs. The fields are parts of the text, which must outlive them.
  void cut(std::string_view text);

  std::size_t arguments() const { return fields.size() - 2; }
  /// Fails unless there are `least` to `most` arguments; `grammar` says in the message what they are.
  void expect_arguments(std::size_t least, std::size_t most, std::string_view grammar) const;

  /// Argument i as a number >= 0.
  double amount(std::size_t i) const;
  /// Argument i as a whole number >= 0; SimGrid reads counts as doubles, so 1e6 is one.
  std::uint64_t count(std::size_t i) const;
  /// Argument i as a rank, or `undefined_means` where it is MPI_ANY_SOURCE or MPI_PROC_NULL, which TI writes alike.
  CommRank rank(std::size_t i, CommRank undefined_means) const;
  /// Argument i as the rank of a root.
  CommRank root(std::size_t i) const;
  /// Argument i as a tag or any_tag.
  std::int32_t tag(std::size_t i) const;
  /// Argument i as a tag that is not any_tag.
  std::int32_t certain_tag(std::size_t i) const;
  /// Argument `count_at` times the size of the datatype at `type_at`, or the default size where that field is absent.
  std::uint64_t bytes(std::size_t count_at, std::size_t type_at) const;
  /// The bytes for n counts, which are the arguments from `first` on; `type_at` as for bytes().
  std::vector<std::uint64_t> byte_counts(std::size_t first, std::size_t n, std::size_t type_at) const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(file, number, "{}: {}", fields.size() > 1 ? core::excerpt(fields[1]) : "trace",
                        fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::int32_t integer(std::size_t i) const;
  std::uint64_t element_size(std::size_t i) const;
  std::uint64_t scaled(std::uint64_t elements, std::uint64_t size) const;
};

}  // namespace toroid::workloads::ti
