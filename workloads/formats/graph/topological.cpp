#include "workloads/formats/graph/order.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using Number = std::uint32_t;  ///< the number of an operation of the rank

/// The operations so that each stands behind those that it requires, and else as in the file. Throws InputError with
/// `fault` if there is no such order.
std::vector<Number> order_by(const RankGraph& schedule, std::span<const GraphRequirement> requirements,
                             const std::string& path, std::string_view fault) {
  const GraphSuccessors successors(schedule.operations.size(), requirements);
  const auto count = static_cast<Number>(schedule.operations.size());
  std::vector<Number> left(count), order;
  for (const auto& edge : requirements) ++left[edge.operation];
  TOROID_ASSERT(left.size() == count);
  Least<Number> next;
  for (Number i = 0; i < count; ++i)
    if (left[i] == 0) next.push(i);
  while (!next.empty()) {
    order.push_back(take(next));
    for (const auto& edge : successors.of(order.back()))
      if (--left[edge.to] == 0) next.push(edge.to);
  }
  const auto cycle = std::find_if(left.begin(), left.end(), [](Number n) { return n > 0; });
  if (cycle != left.end())
    core::fail_input_at(path, schedule.operations[static_cast<std::size_t>(cycle - left.begin())].line, "{}", fault);
  return order;
}

/// The requirements, and that each collective stands behind the one before of its communicator in the file: ranks match
/// them by their places, which would else depend on what each has to wait for.
std::vector<GraphRequirement> with_order_of_calls(const RankGraph& schedule) {
  auto ordered = schedule.requirements;
  std::map<CommId, Number> last;
  for (Number i = 0; i < schedule.operations.size(); ++i) {
    const auto& op = schedule.operations[i].strand;
    if (!is_collective(op.kind)) continue;
    if (const auto [at, is_new] = last.try_emplace(op.comm, i); !is_new)
      ordered.push_back({i, std::exchange(at->second, i), false});
  }
  return ordered;
}

}  // namespace

std::vector<std::uint32_t> topological_order(const RankGraph& schedule, const std::string& path) {
  auto order = order_by(schedule, schedule.requirements, path,
                        "found a cycle of requirements, expected an order in which operations can begin");
  const auto ordered = with_order_of_calls(schedule);
  if (ordered.size() == schedule.requirements.size()) return order;
  return order_by(schedule, ordered, path,
                  "found a collective that requires a later one of its group, expected those of a group in the order "
                  "in which they can begin");
}

}  // namespace toroid::workloads
