#pragma once
// Communication matrices in files, for programs of which there is no trace. One file per format; registered in
// matrices.cpp.

#include "core/file.hpp"
#include "toroid/workloads/summary.hpp"

namespace toroid::workloads {

struct MatrixFormat {
  /// Whether the file looks like one of this format, by its name or its first line.
  bool (*recognizes)(const std::string& path);
  /// Reads the matrix of a TRACE argument, which is a path, for QAPLIB with the order behind it. Throws InputError,
  /// with file and line, on anything that is not understood.
  CommunicationMatrix (*read)(const std::string& text);
  /// Writes a matrix to `out` part by part, as the text of a dense format is far larger than the matrix.
  void (*write)(const CommunicationMatrix& matrix, const TextSink& out);
  /// Whether it has a number for each pair of ranks, also for those that send each other nothing.
  bool is_dense = false;
  std::string text(const CommunicationMatrix& matrix) const {
    std::string all;
    write(matrix, [&](std::string_view part) { all += part; });
    return all;
  }
};

const core::Registry<MatrixFormat>& matrix_formats();

/// What stands between the name of a problem of QAPLIB and the order of its matrices.
constexpr std::string_view qap_order = ":order=";

/// The format of the matrix that a TRACE argument names; null when it names a generator, or no file that looks like a
/// matrix. The argument is what the format reads.
const core::Entry<MatrixFormat>* matrix_format_of(const std::string& text);

// What the readers of matrices share: lines and words, what a number may be, and adding up entries.

/// The most ranks that a matrix in a file may have: a larger number is a mistake, and must not cost all memory.
constexpr std::int64_t most_matrix_ranks = 1 << 20;

/// A file, and the communication matrix that is made of it. Entries of the same two ranks add up; those of a rank with
/// itself are left out. Errors are InputErrors that name the file, and the line that was read last.
class MatrixReader {
 public:
  explicit MatrixReader(const std::string& path) : lines_(path) {}
  /// Passes over lines that begin with this character from now on.
  void pass_over(char comment) { comment_ = comment; }

  /// Goes on to the next line that is no comment, and not blank unless these count; false at the end. line() has it
  /// then, trimmed.
  bool next_line(bool blank_ones_too = false);
  std::string_view line() const { return line_; }
  /// The next word of the file, whatever the line; nothing at the end.
  std::optional<std::string_view> next_word();

  /// Makes the matrix one of at least `ranks` ranks.
  void widen(std::int64_t ranks);
  /// Adds an entry. Its ranks are below the number that widen() was told. The bytes of all entries may add up to 2^53,
  /// and so may the messages.
  void add(std::int64_t from, std::int64_t to, std::uint64_t bytes, std::uint64_t messages = 1);
  std::size_t ranks() const { return matrix_.rows.size(); }
  /// The matrix. What is added afterwards goes into another one.
  CommunicationMatrix finish();

  /// Reads a whole number from `low` to `high`; `what` names in an error what was expected.
  std::int64_t index(std::string_view text, std::int64_t low, std::int64_t high, std::string_view what) const {
    return lines_.number(text, low, high, what);
  }
  /// Reads a weight: a whole number from 0 to 2^53, which may be written as 1e6 or 12.0.
  std::uint64_t weight(std::string_view text) const;

  const std::string& path() const { return lines_.path(); }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input_at(path(), std::max<std::uint64_t>(1, lines_.line()), format, std::forward<Args>(args)...);
  }

 private:
  core::LineReader lines_;
  char comment_ = 0;  ///< 0: there are no comments
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::size_t next_word_ = 0;
  CommunicationMatrix matrix_;
  std::uint64_t bytes_ = 0, messages_ = 0;  ///< sums of all entries
};

/// Whether the path ends in `.EXTENSION`, or that and `.zst`.
bool has_extension(std::string_view path, std::string_view extension);

}  // namespace toroid::workloads
