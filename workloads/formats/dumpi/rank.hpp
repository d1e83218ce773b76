#pragma once
// What the calls in a DUMPI text do, and the operations of one rank. Each rank's file only says what the rank itself
// told of its communicators: that it duplicated one, or split it with a color and a key. All ranks' files together say
// who is in them.

#include <unordered_map>

#include "core/file.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads::dumpi {

// The calls in a text that dumpi2ascii prints.

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

/// Whether a call of this name, such as MPI_Comm_rank, is noticed by no other rank.
bool is_local(std::string_view name);

/// Turns arguments of calls into bytes: counts times the sizes of their datatypes. Throws InputError where an argument
/// is no count, or the size of a datatype is not known.
class Datatypes {
 public:
  explicit Datatypes(const Totals& totals) : totals_(totals) {}

  std::uint64_t bytes(const Call& call, const char* count, const char* type) const;
  /// The bytes for each element of a list of counts, one for each of the `commsize` ranks.
  std::vector<std::uint64_t> all_bytes(const Call& call, const char* counts, const char* type) const;

 private:
  std::uint64_t size(const Call& call, const char* argument) const;

  const Totals& totals_;
};

/// The collective that a call makes, but for its communicator; nothing if it makes none. The contribution to an
/// allgatherv is left at 0: it is known only when the rank's place in the communicator is.
std::optional<HeldOperation> read_collective(const Call& call, const Datatypes& datatypes);

/// A communicator of a rank, in the order in which it got them; 0 is the world, 1 the rank alone.
using LocalComm = std::int32_t;
inline constexpr LocalComm local_world = 0, local_self = 1, first_local_comm = 2;

/// How a rank got a communicator, or, where it has no color, took part in splitting one without getting a part.
struct CommMade {
  enum class How { dup, split, other } how = How::dup;
  LocalComm from = local_world;
  std::int64_t color = 0, key = 0;
  bool is_member = true;
  std::string call;  ///< the call that made it, and its line
  std::uint64_t line = 0;
};

/// For each rank, how it made its communicators. Its local communicators 2, 3, ... are those of these that it is a
/// member of, in this order.
using CommsMade = core::IdVector<Rank, std::vector<CommMade>>;

/// Adds the operations of one of `ranks` ranks to the trace. Their communicators are the rank's local ones, as
/// CommId(LocalComm). Returns how the rank made these.
std::vector<CommMade> read_rank(CompactTrace& trace, Rank rank, std::int32_t ranks, const std::string& path);

}  // namespace toroid::workloads::dumpi
