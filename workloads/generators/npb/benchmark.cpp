#include "workloads/generators/npb/benchmark.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace toroid::workloads::npb {
namespace {

std::int32_t checked_iterations(const Request& request, std::int32_t all) {
  if (request.iterations.value_or(0) > all)
    core::fail_input("'{}': iterations={}: expected at most {}, which is all that the benchmark has",
                     core::excerpt(request.name), *request.iterations, all);
  return request.iterations.value_or(all);
}

/// The request's name, with the true number of iterations if it asks for fewer.
std::string name_of(const Request& request, std::int32_t all) {
  const auto iterations = checked_iterations(request, all);
  if (iterations == all) return request.name;
  return fmt::format("{} ({} of {} iterations)", request.name, iterations, all);
}

}  // namespace

Benchmark::Benchmark(const Request& request, std::int32_t iterations)
    : IteratedTrace(name_of(request, iterations), request.ranks, checked_iterations(request, iterations), 1,
                    request.scatter) {}

}  // namespace toroid::workloads::npb
