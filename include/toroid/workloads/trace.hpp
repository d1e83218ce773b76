#pragma once
// A workload: for each rank a stream of operations. Where they come from (memory, a file, a generator) is behind this
// interface, so a generated class D run never lies in memory whole.
//
//   for (const auto stream = trace.open(rank); stream->next(operation);) ...  // what a rank does

#include <array>
#include <memory>

#include "toroid/core/registry.hpp"
#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

/// A place in a stream: how many operations are before it, and what else its stream needs to find it.
struct StreamMark {
  std::uint64_t operation = 0;
  std::array<std::uint64_t, 3> at = {};
};

/// The operations of one rank, in program order.
class OperationStream {
 public:
  virtual ~OperationStream() = default;
  /// Puts the next operation into `operation`; false after the last.
  virtual bool next(Operation& operation) = 0;

  // What streams answer that know where they repeat themselves; see Trace::rounds().

  /// Where the stream is.
  virtual StreamMark mark() const { return {}; }
  /// How many times, one after another, the stream is going to give once more what it has given since the mark, at
  /// which some operations have come. Computations of different amounts are equal unless amounts count.
  virtual std::uint64_t repeats(const StreamMark& /*since*/, bool /*amounts_count*/) const { return 0; }
  /// Passes over what it has given since the mark, that many times: no more often than repeats() says.
  virtual void skip(const StreamMark& /*since*/, std::uint64_t /*times*/) {}
};

/// A part of a rank's program that comes again and again: `count` rounds of `length` operations each, after the first
/// `first` ones. There is none if the count is below 2.
struct Rounds {
  std::uint64_t first = 0, length = 0, count = 0;
};

/// The algorithms that the collectives of a program have unless the user chooses: those of an MPI library, or those of
/// the libraries for accelerators on a torus.
enum class CollectiveWorld : std::uint8_t { mpi, torus };

/// What the amounts of a program's computations are.
enum class Computation : std::uint8_t {
  modelled,  ///< flops, of a model or of a form that does not tell where they are from
  timed,     ///< nanoseconds that passed in a run, whatever the cores of another machine do
  counted,   ///< instructions that were counted in a run
};

/// What a training keeps in the memory of the rank that has most, in bytes.
struct TrainingMemory {
  double weights = 0, optimizer = 0, gradients = 0, activations = 0;
  double total() const { return weights + optimizer + gradients + activations; }
};

/// What the training of a model gets done in all its steps, however it is laid out.
struct TrainingWork {
  double tokens = 0;
  /// Floating-point operations that the model takes for these tokens; what is computed again, to save memory, does not
  /// count.
  double flops = 0;
  std::string_view attention = {};  ///< how its operations are counted: `full` or `causal`
  std::int64_t layers = 0;          ///< layers that are trained
  std::int64_t published = 0;       ///< layers of the model whose name it has
  TrainingMemory memory = {};
};

/// Which ranks of the world a communicator has, in the order of their numbers in it.
class Communicator {
 public:
  /// All ranks of a world of that size, in order.
  static Communicator all(std::int32_t ranks) { return strided(0, 1, ranks); }
  /// The ranks first, first + stride, ..., such as a row or column of a grid of ranks. Takes no memory per member. The
  /// stride is not 0.
  static Communicator strided(Rank first, std::int32_t stride, CommRank size);
  /// The given ranks, all different, in any order. Takes 4 bytes per member, 8 if they do not ascend.
  explicit Communicator(std::vector<Rank> members);

  CommRank size() const { return size_; }
  /// The world rank of a member.
  Rank member(CommRank number) const {
    TOROID_ASSERT_HEAVY(number >= 0 && number < size_);
    return members_.empty() ? Rank(first_.value() + stride_ * number) : members_[static_cast<std::size_t>(number)];
  }
  /// The position of a world rank among the members; no_process if it is none. Takes O(1) for strided members, else
  /// O(log size).
  CommRank rank_of(Rank rank) const;

 private:
  Communicator() = default;

  Rank first_ = 0;
  std::int32_t stride_ = 1;
  CommRank size_ = 0;
  std::vector<Rank> members_;      ///< empty: as first and stride say
  std::vector<CommRank> by_rank_;  ///< positions by ascending world rank; empty: the members ascend
};

class Trace {
 public:
  virtual ~Trace() = default;

  virtual std::int32_t ranks() const = 0;
  /// A fresh stream at the first operation of `rank`. Streams are independent; the trace must outlive them.
  virtual std::unique_ptr<OperationStream> open(Rank rank) const = 0;
  /// Where the `index`-th operation (from 0) of `rank` stands: `file:line`, or the generator and that number.
  virtual std::string locate(Rank rank, std::uint64_t index) const = 0;
  /// The communicator of an id; id 0 is the world, all ranks in order.
  virtual const Communicator& communicator(CommId comm) const = 0;
  /// Where the rank's program goes round and round, as far as the trace knows: worth a look, but no promise. What
  /// repeats for certain, its stream says.
  virtual Rounds rounds(Rank /*rank*/) const { return {}; }
  virtual CollectiveWorld collectives() const { return CollectiveWorld::mpi; }
  virtual Computation computation() const { return Computation::modelled; }
  /// What the messages and collectives of a communicator are for, in a word or two of their field, such as
  /// `tensor parallel`; empty: the program does not say. Runs tell by these words what ranks wait for.
  virtual std::string_view purpose(CommId /*comm*/) const { return {}; }
  /// What a program gets done that trains a model, in all its steps; nothing of other programs.
  virtual std::optional<TrainingWork> training() const { return std::nullopt; }
  /// Number of operations of all ranks, if known without reading the streams; else 0.
  virtual std::uint64_t operation_count() const { return 0; }
  /// Bytes of memory that hold the operations; 0 if they are not held.
  virtual std::size_t memory_bytes() const { return 0; }
  /// Files the trace was read from.
  virtual std::vector<std::string> files() const { return {}; }
};

class CompactTrace;

/// Makes a trace of operations that are given one by one, which is then held in memory:
///   TraceBuilder trace(2);
///   trace.add(0, send_to_1);
///   trace.add(1, receive_from_0);
///   return trace.finished();
class TraceBuilder {
 public:
  explicit TraceBuilder(std::int32_t ranks);
  ~TraceBuilder();

  /// Appends an operation to a rank's program. The lists that the operation refers to are copied.
  void add(Rank rank, const Operation& operation);
  /// Adds a communicator; its ids count from 1.
  CommId add_communicator(Communicator communicator);
  /// The trace; once, and last.
  std::unique_ptr<Trace> finished();

 private:
  std::unique_ptr<CompactTrace> trace_;
};

using MakeTrace = std::function<std::unique_ptr<Trace>(const core::Arguments&)>;

/// The generators: workloads that are computed, not read.
const core::Registry<MakeTrace>& generators();

/// Adds a generator from elsewhere (core::Registry::add). Its operations are checked as they are read: InputError says
/// what is wrong with one.
void add_generator(core::Entry<MakeTrace> entry);

}  // namespace toroid::workloads
