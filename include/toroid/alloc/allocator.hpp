#pragma once
// Allocation: which nodes a job gets.
//
//   class Lowest final : public alloc::LocalAllocator {  // takes the free nodes with the lowest numbers
//     std::optional<alloc::Allocation> find(const alloc::Request& request) override {
//       return free().lowest(request.nodes);
//     }
//     ...

#include "toroid/core/figure.hpp"
#include "toroid/core/registry.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {
class Clock;
class Network;
}  // namespace toroid::netsim

namespace toroid::alloc {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;
using platforms::Wrap;

class FreeNodes;

/// The free nodes in another form (intervals of a curve, lists of blocks, sums over boxes). It begins with the nodes
/// that are free when it is made, and is told of every change right after that was made in the FreeNodes, as long as it
/// lives. Each call takes time in proportion to the change.
class FreeView {
 public:
  explicit FreeView(FreeNodes& free);
  virtual ~FreeView();
  FreeView(const FreeView&) = delete;
  FreeView& operator=(const FreeView&) = delete;

  virtual void taken(std::span<const NodeId> nodes) = 0;
  virtual void given_back(std::span<const NodeId> nodes) = 0;

 private:
  FreeNodes& free_;
};

/// Which nodes of a machine are free: the one record of them that schedulers and allocators share.
class FreeNodes {
 public:
  /// At first all compute nodes of the machine are free; other nodes never are.
  explicit FreeNodes(const Machine& machine);
  FreeNodes(const FreeNodes&) = delete;
  FreeNodes& operator=(const FreeNodes&) = delete;

  const Machine& machine() const { return machine_; }
  std::int32_t count() const { return count_; }
  bool is_free(NodeId node) const { return is_free_[node] != 0; }
  /// How many nodes on a router are free.
  std::int32_t free_on(RouterId router) const { return free_on_[router]; }
  /// The `count` free nodes with the lowest numbers, in order; all if there are fewer.
  std::vector<NodeId> lowest(std::int32_t count) const;
  /// All free nodes, in order.
  std::vector<NodeId> all() const { return lowest(count_); }

  /// Marks nodes as not free. Contract: each of them is free and stands once in the list.
  void take(std::span<const NodeId> nodes);
  /// Marks nodes as free. Contract: each of them computes, is not free, and stands once in the list.
  void give_back(std::span<const NodeId> nodes);

 private:
  friend FreeView;
  void set_free(NodeId node, bool free);
  bool is_consistent() const;

  const Machine& machine_;
  std::int32_t count_ = 0;
  core::IdVector<NodeId, char> is_free_;
  core::IdVector<RouterId, std::int32_t> free_on_;
  std::vector<FreeView*> views_;
};

/// Changes which nodes are free, to see what would be then, and undoes it at the end of its life. Views follow the
/// changes both ways.
class Supposed {
 public:
  explicit Supposed(FreeNodes& free) : free_(free) {}
  ~Supposed();
  Supposed(const Supposed&) = delete;
  Supposed& operator=(const Supposed&) = delete;

  /// Marks nodes as free. Contract: none of them is free.
  void given_back(std::span<const NodeId> nodes);
  /// Marks those of the nodes that are free as not free.
  void taken(std::span<const NodeId> nodes);

 private:
  FreeNodes& free_;
  std::vector<NodeId> given_back_, taken_;
};

/// The nodes of a job, in order: rank r runs on the r-th unless mapped otherwise.
using Allocation = std::vector<NodeId>;

/// What a job asks for.
struct Request {
  std::int64_t job = 0;                  ///< its number
  std::int32_t nodes = 1;                ///< 1 or more
  std::vector<std::int32_t> shape = {};  ///< nodes along each dimension, their product is `nodes`; empty: any shape
  std::span<const NodeId> held = {};     ///< nodes that the job has already, if it grows by `nodes`
  std::span<const NodeId> logged = {};   ///< the nodes that it had in its log; empty: not known, or nobody uses them
};

/// Receives the allocation, or nothing if there is none now.
using Decided = std::function<void(std::optional<Allocation>)>;

class LocalAllocator;

/// Decides which free nodes jobs get, in simulated time and perhaps with messages over the network. It may allocate
/// more nodes than a job asks for, where it allocates only whole blocks; the last nodes then run nothing.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Finds nodes for a request. Calls `decided` once, within this call or later; from then on the nodes of the
  /// allocation are not free. Nodes that are only considered before stay free.
  virtual void allocate(const Request& request, Decided decided) = 0;
  /// Gives nodes of an allocation back: all of them, or, for a job that shrinks, some. They are free at once, or when
  /// the allocator's messages have arrived.
  virtual void release(std::int64_t job, std::span<const NodeId> nodes) = 0;

  /// Whether the allocator would find nodes for the request if all compute nodes were free. A request that does not fit
  /// then would wait for ever.
  virtual bool fits(const Request& request) const = 0;
  /// Whether a job always gets nodes if as many are free as it asks for, and gets no more than these. Then a scheduler
  /// that plans ahead needs only to count nodes; else, to keep nodes for a job, it must keep nodes that suit the job.
  virtual bool counting_suffices() const { return true; }
  /// Whether the allocator looks at the nodes that jobs had in their log.
  virtual bool uses_logged_nodes() const { return false; }
  /// Why the last request got no nodes, or does not fit, in the words of the resource manager that the allocator
  /// follows; empty if there is no more to say than that nodes are missing.
  virtual std::string_view refusal() const { return {}; }
  /// This allocator, if it answers at once, so that it can be asked what it would choose; else null.
  virtual LocalAllocator* local() { return nullptr; }
  /// Whether another seed may give another allocation.
  virtual bool uses_seed() const { return false; }
  /// What the allocator has counted so far, such as messages.
  virtual std::vector<core::Figure> figures() const { return {}; }
};

/// What an allocator works with. All of it must outlive the allocator.
struct Site {
  FreeNodes& free;
  netsim::Network* network = nullptr;  ///< the network of allocators that send messages; null where there is none
  std::uint64_t seed = 1;
  /// The clock of allocators that take time, the network's if there is one; null: none may.
  netsim::Clock* clock = nullptr;

  const Machine& machine() const { return free.machine(); }
};

/// An allocator that answers at once, from the nodes that are free now.
class LocalAllocator : public Allocator {
 public:
  explicit LocalAllocator(const Site& site) : site_(site) {}

  /// The nodes that a request would get now, without taking them; nothing if there are too few free nodes, or none that
  /// suit.
  std::optional<Allocation> choose(const Request& request);

  void allocate(const Request& request, Decided decided) final;
  void release(std::int64_t job, std::span<const NodeId> nodes) override;
  bool fits(const Request& request) const override;
  LocalAllocator* local() final { return this; }

  /// From now on, wrong answers of find() are InputErrors that name its author, `who`, and no broken contracts.
  void blame(std::string who) { who_ = std::move(who); }

 protected:
  const Machine& machine() const { return site_.machine(); }
  const FreeNodes& free() const { return site_.free; }

 private:
  /// Chooses free nodes for a request; nothing if none suit. Called only when `request.nodes` nodes are free.
  virtual std::optional<Allocation> find(const Request& request) = 0;

  void check_answer(const Request& request, const std::optional<Allocation>& nodes) const;

  Site site_;
  std::string who_;
};

using MakeAllocator = std::function<std::unique_ptr<Allocator>(const Site&, const core::Arguments&)>;

/// The allocators, by name.
const core::Registry<MakeAllocator>& allocators();

/// Adds an allocator from elsewhere (core::Registry::add), which must answer at once. Its answers are checked before
/// any node is taken: InputError says what is wrong with one.
void add_allocator(core::Entry<MakeAllocator> entry);

/// An allocator with its settings, as a user chose it. Its make() takes the site, and throws InputError when the
/// allocator cannot work on that machine.
using AllocatorChoice = core::Choice<allocators>;

/// Makes an allocator of class A, for its entry.
template <class A>
std::unique_ptr<Allocator> make(const Site& site, const core::Arguments& arguments) {
  if constexpr (std::is_constructible_v<A, const Site&, const core::Arguments&>)
    return std::make_unique<A>(site, arguments);
  else
    return std::make_unique<A>(site);
}

/// Makes an allocator that answers at once.
using MakeLocal = std::function<std::unique_ptr<LocalAllocator>(const Site&)>;

/// The type of keys whose value is another allocator: SPEC or (SPEC).
core::Type<MakeLocal> allocator_in_parentheses();

}  // namespace toroid::alloc
