#include <set>

#include "core/random.hpp"
#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

const core::Parameter<std::int32_t> rank_count{"ranks", "number of ranks", core::whole<std::int32_t>(1, 1 << 20), "64"};
const core::Parameter<std::vector<std::int32_t>> patches{"patches", "boxes of atoms, in space that is periodic",
                                                         core::extents(3, 1 << 20U), "6x6x4"};
const core::Parameter<std::uint64_t> atoms{"atoms", "atoms in all",
                                           core::whole(std::uint64_t{1}, std::uint64_t{1} << 40U), "92224"};
const core::Parameter<double> spread{"spread", "by what part of the mean a patch has more or fewer atoms, at most",
                                     core::real(0, 1), "0.2"};
const core::Parameter<std::int32_t> steps{"steps", "time steps", core::whole<std::int32_t>(0, 1'000'000'000), "10"};
const core::Parameter<double> flops{"flops", "computation per atom and step, on average", core::flops(), "20kf"};
const core::Parameter<std::uint64_t> seed{"seed", "of the numbers of atoms and the places of computes",
                                          core::whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()),
                                          "1"};

/// Pairs of patches that touch, the lower number first, each once.
std::set<std::pair<std::int32_t, std::int32_t>> touching(const RankGrid& grid) {
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const Rank patch : core::ids<Rank>(grid.size())) {
    std::set<Rank> near{patch};
    for (std::size_t axis = 0; axis < grid.axes(); ++axis)
      for (const Rank from : std::set<Rank>(near))
        for (const std::int32_t offset : {-1, +1})
          if (const auto next = grid.neighbour(from, axis, offset, true); next != no_process) near.insert(Rank(next));
    for (const Rank other : near)
      if (patch < other) pairs.emplace(patch.value(), other.value());
  }
  return pairs;
}

/// Molecular dynamics as NAMD does it: L. Kale et al., NAMD2: Greater scalability for parallel molecular dynamics, J.
/// Computational Physics 151, 1999. Atoms are in patches, each at home on a rank. A compute, the forces between the
/// atoms of a patch or of two patches that touch, may be on another rank, which is a proxy of the patches then: it gets
/// the positions of their atoms, and sends back forces, one message each for all its computes. There are many small
/// messages, of different sizes and between irregular pairs of ranks. The long-range forces (PME) are left out.
class MolecularDynamics final : public IteratedTrace {
 public:
  explicit MolecularDynamics(const core::Arguments& arguments)
      : IteratedTrace(arguments, arguments[rank_count], arguments[steps],
                      arguments[flops] * static_cast<double>(arguments[atoms]) / arguments[rank_count]),
        needed_(ranks()),
        lent_(ranks()),
        share_(ranks()) {
    const RankGrid grid(arguments[patches]);
    core::Random random(arguments[seed], "namd");
    const auto mean = static_cast<double>(arguments[atoms]) / grid.size();
    for (std::int32_t patch = 0; patch < grid.size(); ++patch)
      atoms_.push_back(
          static_cast<std::uint64_t>(std::llround(mean * (1 + arguments[spread] * (2 * random.unit() - 1)))));
    for (std::int32_t patch = 0; patch < grid.size(); ++patch) place(patch, patch, home(patch));
    // With more ranks than patches, those after a home have no patch, but computes.
    const auto near = static_cast<std::uint64_t>(std::max(1, ranks() / grid.size()));
    for (const auto& [a, b] : touching(grid)) {
      const auto at = home(random.below(2) == 0 ? a : b);
      place(a, b, Rank(at.value() + static_cast<std::int32_t>(random.below(near))));
    }
    double computation = 0;
    std::size_t requests = 0;
    for (const Rank rank : core::ids<Rank>(ranks())) {
      for (auto* proxies : {&needed_[rank], &lent_[rank]}) {
        std::sort(proxies->begin(), proxies->end());
        proxies->erase(std::unique(proxies->begin(), proxies->end()), proxies->end());
      }
      computation += share_[rank];
      requests = std::max(requests, 2 * (needed_[rank].size() + lent_[rank].size()));
    }
    if (computation > 0)
      for (auto& share : share_) share *= ranks() / computation;
    handles_ = handles_below(requests);
  }

 private:
  /// A patch of which one rank is the proxy of another.
  struct Proxy {
    std::int32_t patch;
    CommRank other;
    auto operator<=>(const Proxy&) const = default;
  };

  void iterate(Rank rank, std::int32_t, Script& script) const override {
    const auto& needed = needed_[rank];
    const auto& lent = lent_[rank];
    RequestHandle next = 0;
    for (const auto& [patch, home] : needed) script.irecv(home, patch, bytes(patch), next++);
    for (const auto& [patch, proxy] : lent) script.irecv(proxy, patch, bytes(patch), next++);
    for (const auto& [patch, proxy] : lent) script.isend(proxy, patch, bytes(patch), next++);
    wait_for(0, needed.size(), script);  // positions
    script.compute(share_[rank]);
    for (const auto& [patch, home] : needed) script.isend(home, patch, bytes(patch), next++);
    wait_for(needed.size(), next - needed.size(), script);
  }

  void wait_for(std::size_t first, std::size_t count, Script& script) const {
    if (count > 0) script.add({.kind = OpKind::waitall, .requests = std::span(handles_).subspan(first, count)});
  }

  /// Three numbers for each atom.
  std::uint64_t bytes(std::int32_t patch) const { return 3 * word * atoms_[static_cast<std::size_t>(patch)]; }

  /// Where a patch is at home: patches are spread evenly over the ranks, in order.
  Rank home(std::int32_t patch) const {
    return Rank(std::int64_t{patch} * ranks() / static_cast<std::int64_t>(atoms_.size()));
  }

  /// Puts the compute of two patches, or of one with itself, on a rank.
  void place(std::int32_t a, std::int32_t b, Rank rank) {
    for (const auto patch : {a, b})
      if (home(patch) != rank) {
        needed_[rank].push_back({patch, home(patch).value()});
        lent_[home(patch)].push_back({patch, rank.value()});
      }
    const auto pairs = static_cast<double>(atoms_[static_cast<std::size_t>(a)]) *
                       static_cast<double>(atoms_[static_cast<std::size_t>(b)]);
    share_[rank] += a == b ? pairs / 2 : pairs;
  }

  std::vector<std::uint64_t> atoms_;  ///< atoms of each patch
  core::IdVector<Rank, std::vector<Proxy>> needed_, lent_;
  core::IdVector<Rank, double> share_;  ///< what each rank computes, over the mean
  std::vector<RequestHandle> handles_;
};

}  // namespace

core::Entry<MakeTrace> namd_generator() {
  return {"namd",
          "molecular dynamics in patches and computes, as NAMD: many small irregular messages",
          make_trace<MolecularDynamics>,
          {rank_count, patches, atoms, spread, steps, flops, seed}};
}

}  // namespace toroid::workloads
