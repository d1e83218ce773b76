#include "workloads/computation_keys.hpp"

#include "core/quantities.hpp"

namespace toroid::workloads {

std::vector<core::AnyParameter> computation_keys(const core::Entry<MakeTrace>& generator) {
  std::vector<core::AnyParameter> keys;
  for (const auto& parameter : generator.parameters)
    if (parameter.values == core::flops().values) keys.push_back(parameter);
  return keys;
}

}  // namespace toroid::workloads
