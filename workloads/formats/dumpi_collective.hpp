#pragma once
// How much the calls in a DUMPI text move, and the collectives among them.

#include <optional>

#include "workloads/formats/dumpi_call.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads::dumpi {

/// Arguments as bytes: counts times the sizes of their datatypes. Each fails at what is no count, or a datatype whose
/// size is not known.
class Datatypes {
 public:
  explicit Datatypes(const Totals& totals) : totals_(totals) {}

  std::uint64_t bytes(const Call& call, const char* count, const char* type) const;
  /// Of a list with an element for each of the `commsize` ranks.
  std::vector<std::uint64_t> all_bytes(const Call& call, const char* counts, const char* type) const;

 private:
  std::uint64_t size(const Call& call, const char* argument) const;

  const Totals& totals_;
};

struct Collective {
  Operation operation;  ///< without its lists and its communicator
  std::vector<std::uint64_t> send_counts, recv_counts;
};

/// Nothing if the call is no collective. What an allgatherv contributes is left at 0: it is known when the rank's place
/// in the communicator is.
std::optional<Collective> read_collective(const Call& call, const Datatypes& datatypes);

}  // namespace toroid::workloads::dumpi
