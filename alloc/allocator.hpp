#pragma once
// Allocation: which nodes a job gets.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alloc/free_nodes.hpp"
#include "core/registry.hpp"

namespace toroid::netsim {
class Clock;
class Network;
}  // namespace toroid::netsim

namespace toroid::alloc {

/// The nodes of a job, in order: rank r runs on the r-th unless mapped otherwise.
using Allocation = std::vector<NodeId>;

/// What a job asks for.
struct Request {
  std::int64_t job = 0;                  ///< its number
  std::int32_t nodes = 1;                ///< 1 or more
  std::vector<std::int32_t> shape = {};  ///< nodes along each dimension, their product is `nodes`; empty: any shape
  std::span<const NodeId> held = {};     ///< what the job holds already: it grows by `nodes`
};

/// Gets the allocation; nothing if there is none now.
using Decided = std::function<void(std::optional<Allocation>)>;

/// Something that an allocator counted or measured, by its name in results.
struct Figure {
  std::string name;
  double value = 0;
};

class LocalAllocator;

/// Decides which free nodes jobs get, in simulated time and perhaps with messages over the network. More than the nodes
/// asked for may be allocated where only whole blocks are: the last ones then run nothing.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Calls `decided` once, within this call or later. From then on the nodes of the allocation are not free; those
  /// that it considers in between still are.
  virtual void allocate(const Request& request, Decided decided) = 0;
  /// Gives nodes of an allocation back, all or (of a job that shrinks) some. They are free at once, or when messages
  /// have told those concerned.
  virtual void release(std::int64_t job, std::span<const NodeId> nodes) = 0;

  /// Whether it would find nodes for the request if all that compute were free. A request that does not fit so waits
  /// for ever.
  virtual bool fits(const Request& request) const = 0;
  /// Whether a job gets nodes whenever as many are free as it asks for, and no more than these: then who plans ahead
  /// needs to count nodes only. Where not, who keeps nodes for a job must keep some that suit.
  virtual bool counting_suffices() const { return true; }
  /// Itself, if it answers at once: then it can be asked what it would do.
  virtual LocalAllocator* local() { return nullptr; }
  /// Whether another seed may give another allocation.
  virtual bool uses_seed() const { return false; }
  /// What it counted so far, such as messages.
  virtual std::vector<Figure> figures() const { return {}; }
};

/// Where an allocator works. All of it outlives the allocator.
struct Site {
  FreeNodes& free;
  netsim::Network* network = nullptr;  ///< for those that send messages; null where there is no network
  std::uint64_t seed = 1;
  netsim::Clock* clock = nullptr;  ///< for those that take time, the network's if there is one; null: none may pass

  const Machine& machine() const { return free.machine(); }
};

/// One that answers at once, from what is free now.
class LocalAllocator : public Allocator {
 public:
  explicit LocalAllocator(const Site& site) : site_(site) {}

  /// The nodes that the request gets if it is made now; takes none of them. Nothing if there are too few free nodes, or
  /// none that suit.
  std::optional<Allocation> choose(const Request& request);

  void allocate(const Request& request, Decided decided) final;
  void release(std::int64_t job, std::span<const NodeId> nodes) override;
  bool fits(const Request& request) const override;
  LocalAllocator* local() final { return this; }

 protected:
  const Machine& machine() const { return site_.machine(); }
  const FreeNodes& free() const { return site_.free; }

 private:
  /// Asked only when `request.nodes` nodes are free.
  virtual std::optional<Allocation> find(const Request& request) = 0;

  Site site_;
};

using MakeAllocator = std::unique_ptr<Allocator> (*)(const Site&, const core::Arguments&);

/// The allocators, by name.
const core::Registry<MakeAllocator>& allocators();

/// The allocator that a spec names. Throws InputError when there is none, or when it cannot work on that machine.
std::unique_ptr<Allocator> make_allocator(const std::string& text, const Site& site);

}  // namespace toroid::alloc
