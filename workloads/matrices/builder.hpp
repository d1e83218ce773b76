#pragma once
// What the readers of matrices share: what a number may be, and adding up entries.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/summary.hpp"

namespace toroid::workloads {

/// The most ranks that a matrix in a file may have: a larger number is a mistake, and must not cost all memory.
constexpr std::int64_t most_matrix_ranks = 1 << 20;

/// A communication matrix under construction from a file. Entries of the same two ranks add up; those of a rank with
/// itself are left out. Errors are InputErrors that name file and line.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(std::string path) : path_(std::move(path)) {}

  /// Makes the matrix one of at least `ranks` ranks.
  void widen(std::int64_t ranks, std::uint64_t line);
  /// Adds an entry. Its ranks are below the number that widen() was told. The bytes of all entries may add up to 2^53,
  /// and so may the messages.
  void add(std::int64_t from, std::int64_t to, std::uint64_t bytes, std::uint64_t messages, std::uint64_t line);
  CommunicationMatrix finish();

  std::size_t ranks() const { return matrix_.rows.size(); }

  /// Reads a whole number from `low` to `high`; `what` names in an error what was expected.
  std::int64_t index(std::string_view text, std::int64_t low, std::int64_t high, std::string_view what,
                     std::uint64_t line) const;
  /// Reads a weight: a whole number from 0 to 2^53, which may be written as 1e6 or 12.0.
  std::uint64_t weight(std::string_view text, std::uint64_t line) const;

 private:
  std::string path_;
  CommunicationMatrix matrix_;
  std::uint64_t bytes_ = 0, messages_ = 0;
};

/// Whether the path ends in `.EXTENSION`, or that and `.zst`.
bool has_extension(std::string_view path, std::string_view extension);

}  // namespace toroid::workloads
