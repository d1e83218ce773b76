#pragma once
// What every allocator must keep to, whatever comes: jobs of random sizes come and go on one machine, and what each
// gets and gives back is checked.

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "core/random.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

struct StormJobs {
  int steps = 300;
  std::int32_t most_nodes = 0;  ///< of a job; 0: as many as the machine has
  bool exact = true;            ///< jobs get no more nodes than they ask for
  bool always = true;           ///< a job gets nodes whenever enough are free
};

/// Jobs come and go at random. `check(request, allocation)` is called before the nodes of a job are taken.
template <class Check>
void storm(const std::string& spec, const Machine& machine, core::Random& random, StormJobs jobs, Check&& check) {
  FreeNodes free(machine);
  const auto allocator = allocators().make(spec, Site{free});
  auto* local = allocator->local();
  REQUIRE(local != nullptr);
  REQUIRE(local->counting_suffices() == (jobs.exact && jobs.always));
  const auto total = free.count();
  std::map<std::int64_t, Allocation> running;
  std::int32_t held = 0;
  const auto most = static_cast<std::uint64_t>(jobs.most_nodes == 0 ? total : std::min(jobs.most_nodes, total));
  for (std::int64_t job = 0; job < jobs.steps; ++job) {
    CAPTURE(spec, machine.name(), job);
    Request request;
    request.job = job;
    request.nodes = static_cast<std::int32_t>(1 + random.below(1 + random.below(most)));
    const auto chosen = local->choose(request);
    if (jobs.always && request.nodes <= free.count()) REQUIRE(chosen);
    if (!local->fits(request)) REQUIRE(!chosen);
    if (chosen) {
      REQUIRE(static_cast<std::int32_t>(chosen->size()) >= request.nodes);
      if (jobs.exact) REQUIRE(static_cast<std::int32_t>(chosen->size()) == request.nodes);
      auto sorted = *chosen;
      std::sort(sorted.begin(), sorted.end());
      REQUIRE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
      REQUIRE(std::all_of(sorted.begin(), sorted.end(), [&](NodeId node) { return free.is_free(node); }));
      check(free, request, *chosen);
      free.take(*chosen);
      held += static_cast<std::int32_t>(chosen->size());
      running[job] = *chosen;
    }
    REQUIRE(free.count() == total - held);
    while (!running.empty() && (!chosen || random.below(3) == 0)) {
      const auto ending = std::next(running.begin(), static_cast<std::ptrdiff_t>(random.below(running.size())));
      held -= static_cast<std::int32_t>(ending->second.size());
      allocator->release(ending->first, ending->second);
      running.erase(ending);
      if (random.below(2) == 0) break;
    }
  }
  for (const auto& [job, nodes] : running) allocator->release(job, nodes);
  CHECK(free.all() == std::vector<NodeId>(machine.compute_nodes().begin(), machine.compute_nodes().end()));
}

inline void storm(const std::string& spec, const Machine& machine, core::Random& random, StormJobs jobs = {}) {
  storm(spec, machine, random, jobs, [](const FreeNodes&, const Request&, const Allocation&) {});
}

/// Machines of all kinds: meshes, tori, one-way rings, twisted; flat and not; with several nodes per router; with nodes
/// that do not compute.
inline const std::vector<std::string>& machines_of_all_kinds() {
  static const std::vector<std::string> all{
      "mesh:1",
      "mesh:7",
      "mesh:6x5",
      "torus:8x4",
      "ring:5x4",
      "mesh:4x3x3",
      "torus:4x4x4",
      "mesh:3x2x2x3",
      "torus:5x1x3,nodes-per-router=2",
      "mesh:8x8,nodes-per-router=3,service-nodes=0-2,absent-nodes=10,failed-nodes=50-60,failed-routers=r20",
      "mesh:4x4x4,x.wrap=torus,y.wrap=ring"};
  return all;
}

}  // namespace toroid::alloc
