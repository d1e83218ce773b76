#pragma once
// What the mappers have in common, one file each; the table of them is in mappers.cpp.

#include <optional>
#include <type_traits>

#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// Makes a mapper of class M, for its entry.
template <class M>
std::unique_ptr<Mapper> make(const core::Arguments& arguments) {
  if constexpr (std::is_constructible_v<M, const core::Arguments&>)
    return std::make_unique<M>(arguments);
  else
    return std::make_unique<M>();
}

/// The key `seed`; without it a mapper uses the problem's seed.
extern const core::OptionalParameter<std::uint64_t> seed_parameter;

/// The type of keys whose value is another mapper: SPEC, (SPEC) or the path of a mapping file.
core::Type<std::shared_ptr<const Mapper>> mapper_in_parentheses();

}  // namespace toroid::mapping
