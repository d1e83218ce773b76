#pragma once
// Allocation: which nodes a job gets.

#include "alloc/free_nodes.hpp"
#include "core/figure.hpp"
#include "core/registry.hpp"
#include "platforms/names.hpp"

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
  netsim::Network* network = nullptr;  ///< for allocators that send messages; null where there is no network
  std::uint64_t seed = 1;
  netsim::Clock* clock = nullptr;  ///< for allocators that take time, the network's if there is one; null: none may

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

  /// From now on, wrong answers of find() are InputErrors of the one who wrote it, as `who` names him, not contracts
  /// that are broken here. An allocator with a twin (core/blame.hpp) must find the same nodes as its twin.
  void blame(std::string who, std::unique_ptr<Allocator> twin = nullptr);

 protected:
  const Machine& machine() const { return site_.machine(); }
  const FreeNodes& free() const { return site_.free; }

 private:
  /// Chooses free nodes for a request; nothing if none suit. Called only when `request.nodes` nodes are free.
  virtual std::optional<Allocation> find(const Request& request) = 0;

  void check_answer(const Request& request, const std::optional<Allocation>& nodes) const;

  Site site_;
  std::string who_;
  std::unique_ptr<Allocator> twin_;
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

/// The nodes that jobs had in their log, on a machine whose nodes may have the same names.
class LoggedNodes {
 public:
  /// The machine must outlive this.
  explicit LoggedNodes(const Machine& machine) : machine_(machine), names_(machine.description()) {}

  /// Reads a list of nodes as a log has it, `nid[001-032]`, in its order. Throws InputError unless the list names
  /// `count` different compute nodes of the machine.
  Allocation read(std::string_view list, std::int32_t count) const;

 private:
  const Machine& machine_;
  platforms::NodeNames names_;
};

}  // namespace toroid::alloc
