#pragma once
// Which axes of a machine the axes of a logical mesh get, as jax.experimental.mesh_utils decides it (commit cec06d1,
// August 2026; written from its documentation and the cases of its tests). Logical axes come with the least traffic
// first and choose last to first. Neither wraps nor twists nor bandwidths count.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace toroid::mapping::jax {

/// The extents of the axes of a mesh, or so much of each physical axis.
using Shape = std::vector<std::int32_t>;
/// How much of physical axis p logical axis l has: element [p][l]. The product of a row is the physical extent, that of
/// a column the logical one.
using Assignment = std::vector<Shape>;

/// How many places a mesh of that shape has.
std::int32_t product(const Shape& shape);

/// How much of each physical axis the logical ones have.
Shape taken_of(const Assignment& assignment);

/// The coordinates of a place of that number, the last axis fastest.
Shape coordinates(const Shape& shape, std::int32_t number);

/// Each logical axis gets as many whole physical axes as it can. Nothing if an axis finds none that fit, whose number
/// is then in `stuck`.
std::optional<Assignment> whole_axes(const Shape& physical, const Shape& logical, std::size_t* stuck = nullptr);

/// Physical axes may be divided among logical ones. Nothing if the extents cannot be divided so.
std::optional<Assignment> split_axes(const Shape& physical, const Shape& logical, std::size_t* stuck = nullptr);

/// All ways to make a logical axis of that size from what is left of the physical axes, of which `taken` is taken.
std::vector<Shape> candidates(const Shape& physical, const Shape& taken, std::int32_t size);

/// Whether split_axes() prefers the first to the second: more of whole axes, then more of them, then more of those that
/// are taken already, then the lexicographically larger one.
bool prefers(const Shape& first, const Shape& second, const Shape& physical, const Shape& taken);

/// For each place of the logical mesh, its last axis fastest, the place on the machine, its first axis fastest.
/// Earlier logical axes have the larger steps of a divided axis; within a logical axis, earlier physical ones have.
std::vector<std::int32_t> order(const Shape& physical, const Assignment& assignment);

/// The permutation of the physical axes that comes first with contiguous_submeshes. Throws InputError, in the words of
/// JAX, on slices and meshes that it does not know.
std::vector<std::size_t> contiguous_axes(const Shape& physical, const Shape& logical);

struct Options {
  bool split = false;       ///< allow_split_physical_axes
  bool contiguous = false;  ///< contiguous_submeshes
};

/// The devices, by number, in the mesh's order: what create_device_mesh() gives. Devices count along x, y, z, the cores
/// of a chip first. Throws InputError where JAX refuses.
std::vector<std::int32_t> device_mesh(const std::string& generation, const Shape& chips, std::int32_t cores,
                                      const Shape& logical, const Options& options);

/// The rings that JAX has for small slices: devices by number, in the mesh's order; nothing where there is none. The
/// generation is that of a slice, `v5e`; the chips are in a box of `chips` with so many cores each.
std::optional<std::vector<std::int32_t>> fixed_ring(const std::string& generation, const Shape& chips,
                                                    std::int32_t cores, const Shape& logical);

}  // namespace toroid::mapping::jax
