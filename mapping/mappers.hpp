#pragma once
// The mappers, one file each; registered in mapper.cpp.

#include <optional>

#include "mapping/mapper.hpp"

namespace toroid::mapping {

std::unique_ptr<Mapper> make_consecutive(const core::Spec& spec);
std::unique_ptr<Mapper> make_random(const core::Spec& spec);
std::unique_ptr<Mapper> make_grasp(const core::Spec& spec);
std::unique_ptr<Mapper> make_anneal(const core::Spec& spec);
std::unique_ptr<Mapper> make_tabu(const core::Spec& spec);
std::unique_ptr<Mapper> make_refine(const core::Spec& spec);
std::unique_ptr<Mapper> make_minmaxload(const core::Spec& spec);
std::unique_ptr<Mapper> make_geom(const core::Spec& spec);
std::unique_ptr<Mapper> make_gsearch(const core::Spec& spec);
std::unique_ptr<Mapper> make_mj(const core::Spec& spec);
std::unique_ptr<Mapper> make_rcm(const core::Spec& spec);
std::unique_ptr<Mapper> make_spectral(const core::Spec& spec);
std::unique_ptr<Mapper> make_bisect(const core::Spec& spec);
std::unique_ptr<Mapper> make_greedy(const core::Spec& spec);
std::unique_ptr<Mapper> make_greedyallc(const core::Spec& spec);
std::unique_ptr<Mapper> make_scotch(const core::Spec& spec);
std::unique_ptr<Mapper> make_simulated(const core::Spec& spec);
std::unique_ptr<Mapper> make_from_file(const core::Spec& spec);

/// The key `seed` of a mapper's spec, if it is given; without it a mapper uses the problem's seed. Throws InputError.
std::optional<std::uint64_t> seed_parameter(const core::Spec& spec);

/// The mapper that reads the mapping file at `path`.
std::unique_ptr<Mapper> make_file_mapper(const std::string& path);

}  // namespace toroid::mapping
