#pragma once
// About how long a program takes where its mesh is laid so: by what it asks of each axis, and by the busiest links.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/meshes/jax.hpp"
#include "mapping/meshes/layouts.hpp"
#include "netsim/mapping.hpp"
#include "platforms/block.hpp"

namespace toroid::mapping {

/// Bytes of a rank along some axes, in the whole program.
struct Demand {
  double rings = 0;      ///< that its group gathers or scatters in all; of an all-reduce both
  double exchanges = 0;  ///< that a rank has for others in all-to-alls
  double messages = 0;   ///< that a rank sends to single others
};

/// The demands by axes: the members of a communicator, or the two ends of a message, differ along these alone. Taken
/// from the operations of a few ranks, the first, the last and some between them.
std::map<std::vector<std::size_t>, Demand> demands(const Program& program, const jax::Shape& mesh);

/// What the messages along some axes of the mesh take: about how many seconds, in single precision, so that layouts
/// that mirror each other are equal; and what tells those apart that are not.
struct AxesEstimate {
  float seconds = 0;
  std::vector<workloads::CommRank> grid = {};  ///< extents of the grid in which the members of a group stand, ascending
  std::size_t to_and_fro = 0;                  ///< how many sides of it are walked to and fro
  auto operator<=>(const AxesEstimate&) const = default;
};

/// The sum over all axes that have messages, and its terms.
struct Estimate {
  float seconds = 0;
  std::vector<AxesEstimate> by_axes = {};
  auto operator<=>(const Estimate&) const = default;
};

/// Makes estimates of the layouts of a mesh on the block of a job. All groups along an axis have their collectives at
/// the same time; collectives along several axes come one after the other. Simulations take as long or longer, since
/// the grids of groups may have axes of unequal lengths, and rarely a tenth less, since groups may be done early.
class Estimator {
 public:
  /// All must outlive this object; the problem has a program.
  Estimator(const MappingProblem& problem, const platforms::Block& block, const jax::Shape& mesh);

  Estimate operator()(const Layout& layout);
  Mapping mapping_of(const Layout& layout) const;

 private:
  AxesEstimate along(const Layout& layout, const std::vector<std::size_t>& axes, const Demand& demand) const;

  const MappingProblem& problem_;
  const platforms::Block& block_;
  const jax::Shape& mesh_;
  std::map<std::vector<std::size_t>, Demand> demands_;
  std::map<std::pair<std::vector<std::size_t>, std::string>, AxesEstimate> known_;  ///< by axes and form_of()
};

/// The layouts with the least estimates, the best first; of those with equal ones the first alone.
class BestLayouts {
 public:
  explicit BestLayouts(std::size_t count) : count_(count) {}

  void add(Estimate estimate, const Layout& layout);
  const std::map<Estimate, Layout>& all() const { return all_; }

 private:
  std::size_t count_;
  std::map<Estimate, Layout> all_;
};

}  // namespace toroid::mapping
