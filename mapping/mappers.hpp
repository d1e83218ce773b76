#pragma once
// The mappers, one file each; registered in mapper.cpp.

#include "mapping/mapper.hpp"

namespace toroid::mapping {

std::unique_ptr<Mapper> make_consecutive(const core::Spec& spec);
std::unique_ptr<Mapper> make_random(const core::Spec& spec);
std::unique_ptr<Mapper> make_from_file(const core::Spec& spec);

}  // namespace toroid::mapping
