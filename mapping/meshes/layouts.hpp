#pragma once
// The logical mesh of a program, the box of the machine that its devices fill, and the ways to lay the axes of one
// along those of the other.

#include "mapping/meshes/jax.hpp"
#include "platforms/survey.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// The key `mesh`: the extents of the axes, ranks being numbered along the last one first, as in a numpy array.
extern const core::OptionalParameter<std::vector<std::int32_t>> mesh_parameter;

/// The mesh, or one axis of all ranks. Throws InputError unless it has a place for each rank.
std::vector<std::int32_t> mesh_of(const std::optional<std::vector<std::int32_t>>& mesh, const MappingProblem& problem);

/// The block of all slots of the job. Throws InputError unless they fill one, with a rank on each.
platforms::Block block_of_job(const MappingProblem& problem);

/// Bytes of a rank along some axes, in the whole program.
struct Demand {
  double rings = 0;      ///< bytes that its group gathers or scatters in all; an all-reduce does both
  double exchanges = 0;  ///< bytes that a rank has for others in all-to-alls
  double messages = 0;   ///< bytes that a rank sends to single others
};

/// The demands by axes: the members of a communicator, or the two ends of a message, differ along these alone. Taken
/// from the operations of a few ranks, the first, the last and some between them.
std::map<std::vector<std::size_t>, Demand> demands(const Program& program, const jax::Shape& mesh);

/// How much of each physical axis each logical axis has, and in which steps. Within a logical axis its ranks go round a
/// ring through the places that it has, if there is one, else row by row.
struct Layout {
  jax::Assignment parts;                           ///< [physical][logical]
  std::vector<std::vector<std::size_t>> in_order;  ///< the logical axes of each physical one, large steps first
  /// For each physical axis, whether logical axes with small steps are walked to and fro along it. On a ring, pairs of
  /// a logical axis with large steps are then not all half round it.
  std::vector<bool> to_and_fro;
};

/// Calls visit(layout) for each layout, at most `most` times. Physical axes that are `rings` may be walked to and fro.
void for_each_layout(const jax::Shape& physical, const std::vector<bool>& rings, const jax::Shape& logical,
                     std::size_t most, const std::function<void(const Layout&)>& visit);

/// For each rank, the last logical axis fastest, its place in the block, the first physical axis fastest.
std::vector<std::int32_t> places_of(const Layout& layout, const jax::Shape& physical);

/// Where the ranks are that differ along some logical axes alone: equal texts mean groups of the same form.
std::string form_of(const Layout& layout, const std::vector<std::size_t>& axes);

/// The places of a box in the order of a ring through neighbours, if an extent is even and two are longer than 1; else
/// row by row, the last extent fastest. Element i has the coordinates of the i-th place.
std::vector<jax::Shape> round_trip(const jax::Shape& box);

}  // namespace toroid::mapping
