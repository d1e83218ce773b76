#pragma once
// Mappers that are not toroid's own.

#include <memory>
#include <string>

#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// The mapper, whose mappings are checked: InputError, which names the mapper, says what is wrong with one, be it only
/// that its twin (core/twins.hpp), if it has one, makes another.
std::unique_ptr<Mapper> checked_mapper(std::string name, std::unique_ptr<Mapper> mapper,
                                       std::unique_ptr<Mapper> twin = nullptr);

}  // namespace toroid::mapping
