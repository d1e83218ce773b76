#pragma once
// What Python holds of toroid: machines and traces, each with the text that it was made of.

#include "python/calls.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::python {

struct HeldMachine {
  std::string text;
  std::shared_ptr<const platforms::Machine> machine;

  /// A node by its number. Throws InputError where there is none.
  platforms::NodeId node(std::int64_t number) const;
  std::vector<platforms::NodeId> nodes(const py::object& numbers, const std::string& what) const;
};

struct HeldTrace {
  std::string text;  ///< empty if it was not made of one
  std::shared_ptr<const workloads::Trace> trace;
};

/// A trace by its text, or, where Python holds it in memory, a Trace of that name.
workloads::TraceSource source_of(const std::string& name, const py::object& given);

/// The numbers of nodes, ranks or links, as an array.
template <class Ids>
py::array_t<std::int32_t> numbers_of(const Ids& ids) {
  std::vector<std::int32_t> numbers;
  for (const auto id : ids) numbers.push_back(id.value());
  return array_of(std::move(numbers));
}

/// Nodes as Python gives them; numbers that no node can have are NodeId::none().
std::vector<platforms::NodeId> nodes_in(const py::object& numbers, const std::string& what);

/// Things that a study varies: each by its text, or, where that is not null, by what Python holds under that name.
using Things = std::vector<std::pair<std::string, py::object>>;

/// The bytes, or the numbers of messages, from rank (row) to rank, for scipy.
class SparseRows {
 public:
  explicit SparseRows(const workloads::CommunicationMatrix& matrix, bool messages = false);
  /// The rows as a scipy.sparse.csr_matrix, which takes them over.
  py::object to_scipy() &&;

 private:
  std::vector<std::int64_t> begins_{0};
  std::vector<std::int32_t> columns_;
  std::vector<std::uint64_t> values_;
};

// Each part of the module adds itself.
void add_machine(py::module_& module);
void add_trace(py::module_& module);
void add_runs(py::module_& module);
void add_studies(py::module_& module);
void add_outside(py::module_& module);

}  // namespace toroid::python
