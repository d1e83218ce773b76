#include "workloads/generators/npb/benchmark.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace toroid::workloads::npb {
namespace {

std::int32_t checked_iterations(const Request& request, const Amount& amount) {
  if (request.iterations.value_or(0) > amount.iterations)
    core::fail_input("'{}': iterations={}: expected at most {}, which is all that the benchmark has",
                     core::excerpt(request.name), *request.iterations, amount.iterations);
  return request.iterations.value_or(amount.iterations);
}

/// The request's name, with the true number of iterations if it asks for fewer.
std::string name_of(const Request& request, const Amount& amount) {
  const auto iterations = checked_iterations(request, amount);
  if (iterations == amount.iterations) return request.name;
  return fmt::format("{} ({} of {} iterations)", request.name, iterations, amount.iterations);
}

}  // namespace

Benchmark::Benchmark(const Request& request, const Amount& amount)
    : IteratedTrace(name_of(request, amount), request.ranks, checked_iterations(request, amount),
                    amount.operations * amount.cost / request.ranks / (amount.iterations + 1)) {}

}  // namespace toroid::workloads::npb
