#pragma once
// How much the calls in a DUMPI text move, and the collectives among them.

#include <optional>

#include "workloads/formats/dumpi/call.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads::dumpi {

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

struct Collective {
  Operation operation;  ///< without its lists and its communicator
  std::vector<std::uint64_t> send_counts, recv_counts;
};

/// The collective that a call makes; nothing if it makes none. The contribution to an allgatherv is left at 0: it is
/// known only when the rank's place in the communicator is.
std::optional<Collective> read_collective(const Call& call, const Datatypes& datatypes);

}  // namespace toroid::workloads::dumpi
