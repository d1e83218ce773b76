#include "workloads/cut.hpp"

#include <map>
#include <unordered_set>

#include "workloads/cuts/copied_trace.hpp"
#include "workloads/cuts/ties.hpp"
#include "workloads/generators/generated_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

/// The inits before the part whose handles are started in it before they are given again.
std::vector<Operation> inits_needed(const Trace& trace, Rank rank, std::uint64_t from, std::uint64_t to) {
  std::map<RequestHandle, Operation> inits;
  std::unordered_set<RequestHandle> given;
  std::vector<Operation> needed;
  const auto started = [&](RequestHandle handle) {
    const auto init = inits.find(handle);
    if (init != inits.end() && given.insert(handle).second) needed.push_back(init->second);
  };
  const auto stream = trace.open(rank);
  Operation op;
  for (std::uint64_t index = 0; index < to && stream->next(op); ++index) {
    const bool init = is_persistent_init(op.kind);
    if (index < from) {
      if (init) inits[op.request] = op;
      continue;
    }
    if (init) given.insert(op.request);
    if (op.kind == OpKind::start) started(op.request);
    if (op.kind == OpKind::startall)
      for (const auto handle : op.requests) started(handle);
  }
  return needed;
}

/// Copies a part. Waits for requests that had been taken before it, and so do nothing, are left out.
class PartCopy {
 public:
  explicit PartCopy(const Trace& trace) : trace_(trace), copy_(trace.ranks(), trace) {}

  void copy(Rank rank, std::uint64_t from, std::uint64_t to) {
    given_.clear();
    for (const auto& init : inits_needed(trace_, rank, from, to)) add(rank, init);
    const auto stream = trace_.open(rank);
    Operation op;
    for (std::uint64_t index = 0; index < to && stream->next(op); ++index)
      if (index >= from) add(rank, op);
  }

  std::uint64_t count() const { return count_; }
  std::unique_ptr<CompactTrace> finish() { return copy_.finish(); }

 private:
  void add(Rank rank, Operation op) {
    const bool gives = is_point_to_point(op.kind) || is_collective(op.kind);
    if (gives && op.request != no_handle) given_.insert(op.request);
    if (!gives && op.request != no_handle && !given_.contains(op.request)) return;
    std::vector<RequestHandle> handles;
    for (const auto handle : op.requests)
      if (given_.contains(handle)) handles.push_back(handle);
    if (!op.requests.empty() && handles.empty()) return;
    op.requests = handles;
    copy_.add(rank, op, [&](CommId comm) { return trace_.communicator(comm); });
    ++count_;
  }

  const Trace& trace_;
  CopiedTrace copy_;
  std::unordered_set<RequestHandle> given_;  ///< handles that the rank has given in the part
  std::uint64_t count_ = 0;
};

}  // namespace

std::pair<Places, Places> iteration_places(const Trace& trace, std::uint64_t first, std::uint64_t last) {
  TOROID_ASSERT(first <= last);
  const auto* generated = dynamic_cast<const GeneratedTrace*>(&trace);
  const auto steps = generated == nullptr ? GeneratedTrace::Iterations{} : generated->iteration_steps();
  const auto count = steps.end - steps.first;
  if (count == 0) core::fail_input("{}: the trace does not know its iterations", trace.locate(0, 0));
  for (const auto iteration : {first, last})
    if (iteration == 0 || iteration > count) core::fail_input("found iteration {}, expected 1 to {}", iteration, count);
  const auto begin_of = [&](std::uint64_t iteration) {
    Places places(trace.ranks(), 0);
    std::vector<Operation> operations;
    for (const Rank rank : places.ids())
      for (std::uint64_t step = 0; step < steps.first + iteration - 1; ++step) {
        operations.clear();
        generated->step(rank, step, operations);
        places[rank] += operations.size();
      }
    return places;
  };
  return {begin_of(first), begin_of(last + 1)};
}

Places time_places(const Trace& trace, double seconds) {
  constexpr double nanosecond = 1e-9;
  Places places(trace.ranks(), 0);
  for (const Rank rank : places.ids()) {
    const auto stream = trace.open(rank);
    double time = 0;
    for (Operation op; time < seconds && stream->next(op); ++places[rank]) {
      if (op.kind == OpKind::compute) time += op.amount * nanosecond;
      if (op.kind == OpKind::sleep) time += op.amount;
    }
  }
  return places;
}

TracePart cut_between(const Trace& trace, const Places& from, const Places& to) {
  Ties ties(trace);
  TracePart part{nullptr, ties.closed(from), ties.closed(to)};
  PartCopy copy(trace);
  for (const Rank rank : core::ids<Rank>(trace.ranks())) copy.copy(rank, part.from[rank], part.to[rank]);
  if (copy.count() == 0) core::fail_input("nothing lies between the two cuts: expected operations there");
  part.trace = copy.finish();
  return part;
}

}  // namespace toroid::workloads
