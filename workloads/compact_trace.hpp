#pragma once
// A trace held in memory. Programs repeat themselves: a rank has a few dozen different operations and millions of
// them. So each rank keeps its different operations once, in a vocabulary, and its program as a string of their numbers
// (one or two bytes each); only computations carry their own amount (see program_code.hpp).

#include <map>
#include <unordered_set>

#include "toroid/workloads/trace.hpp"
#include "workloads/program_code.hpp"

namespace toroid::workloads {

/// Lists of numbers of which equal ones are kept once: an allgatherv has the same counts at every rank and in every
/// step.
template <class Number>
class SharedLists {
 public:
  /// Stores a list as long as this object lives, equal lists only once. Returns the stored list.
  std::span<const Number> keep(std::vector<Number> list) {
    if (list.empty()) return {};
    return *lists_.insert(std::move(list)).first;
  }
  std::span<const Number> keep(std::span<const Number> list) { return keep(std::vector(list.begin(), list.end())); }

  std::size_t memory_bytes() const {
    std::size_t sum = 0;
    for (const auto& list : lists_) sum += sizeof list + list.capacity() * sizeof(Number);
    return sum;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Number>& list) const {
      std::uint64_t hash = list.size();
      for (const auto number : list) hash = core::mix(hash, number);
      return hash;
    }
  };

  std::unordered_set<std::vector<Number>, Hash> lists_;
};

/// How much of a recorded program is replayed: nodes of its graph that do something, the bytes that they hand in, and
/// the seconds that they took.
struct Coverage {
  struct Amount {
    std::uint64_t nodes = 0;
    double bytes = 0, seconds = 0;
  };
  Amount all = {}, replayed = {};
  std::map<std::string, std::uint64_t> left_out = {};  ///< numbers of nodes, by what they are in words
};

/// How computation was measured that a run has recorded, where that is known.
struct Recording {
  std::string clock = {};             ///< wall, cpu or instructions; empty: not known
  std::int32_t ranks = 0, cores = 0;  ///< ranks and cores of the machine where the most ranks shared a core

  std::optional<Coverage> coverage = {};  ///< where a trace may say more than is replayed

  /// Whether ranks waited for each other's computation, which the clock `wall` counts as their own.
  bool is_crowded() const { return ranks > cores; }
};

class CompactTrace final : public Trace {
 public:
  explicit CompactTrace(std::int32_t ranks = 0);
  ~CompactTrace() override;

  /// Appends an operation to a rank's program; `line` is where it was found (0: nowhere). Ranks beyond the present ones
  /// are added. The lists that the operation refers to are copied. Returns the number under which the operation can
  /// be repeated unless it is a computation.
  std::uint32_t add(Rank rank, const Operation& operation, std::uint64_t line = 0);
  /// Appends an operation that the rank had before, by its number.
  void repeat(Rank rank, std::uint32_t number, std::uint64_t line) {
    auto& program = programs_[rank];
    TOROID_ASSERT_HEAVY(number < program.vocabulary.size());
    append_line(program, line);
    program.code.add_operation(number);
  }
  /// Appends a computation of a rank that has been named before.
  void compute(Rank rank, double amount, std::uint64_t line) {
    auto& program = programs_[rank];
    append_line(program, line);
    program.code.add_computation(amount);
  }
  /// Appends a block of `items` items, as ProgramCode::check() has counted them, to a rank that has been named before.
  /// The numbers in it are those that add() returned; its operations stand on no line.
  void add(Rank rank, const ProgramCode::Block& block, std::uint64_t items) {
    auto& program = programs_[rank];
    append_line(program, 0);
    program.count += items - 1;
    program.code.add(block);
  }
  /// The file that was named for the trace, if it lists others.
  void set_list(std::string path) { list_ = std::move(path); }
  void set_collectives(CollectiveWorld which) { collectives_ = which; }
  void set_computation(Computation what, Recording recording = {}) {
    computation_ = what;
    recording_ = std::move(recording);
  }
  /// Adds a communicator; its ids count from 1.
  CommId add_communicator(Communicator communicator);
  /// The file that the rank's lines belong to.
  void set_file(Rank rank, const std::string& path);
  /// Ends the building: gives back spare memory and fixes the world communicator.
  void finish();

  std::int32_t ranks() const override { return static_cast<std::int32_t>(programs_.size()); }
  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  const Communicator& communicator(CommId comm) const override { return communicators_.at(comm); }
  Rounds rounds(Rank rank) const override;
  CollectiveWorld collectives() const override { return collectives_; }
  Computation computation() const override { return computation_; }
  const Recording& recording() const { return recording_; }
  std::uint64_t operation_count() const override;
  std::size_t memory_bytes() const override;
  std::vector<std::string> files() const override;

  /// The file set for the rank; empty if none was.
  const std::string& file_of(Rank rank) const;

  /// Calls visit(operation, line) once for each different operation of the rank except computations; `line` is where it
  /// stands first. The operation may be changed: what a reader learns late (the number of ranks) can be filled in.
  template <class Visit>
  void for_each_distinct(Rank rank, Visit&& visit) {
    auto& program = programs_[rank];
    for (auto& word : program.vocabulary) visit(word.operation, word.first_line);
  }
  /// Stores a list of counts as long as the trace lives, equal lists only once. Returns the stored list.
  std::span<const std::uint64_t> keep(std::vector<std::uint64_t> counts) { return counts_.keep(std::move(counts)); }

  // Streams and rounds without computations; Trace::open() and rounds() say the rest.

  std::unique_ptr<OperationStream> open_without_computations(Rank rank) const;
  Rounds rounds_without_computations(Rank rank) const;
  /// Whether the program of any rank has strands, which say by numbers of operations what they wait for.
  bool has_strands() const;

  // The whole program of a rank, which readers need while they build a trace.

  /// The rank's program, in which numbers stand for operations.
  const ProgramCode& code(Rank rank) const { return programs_.at(rank).code; }
  /// The numbers of the rank's operations in their order, computations left out.
  std::vector<std::uint32_t> numbers(Rank rank) const;
  const Operation& operation(Rank rank, std::uint32_t number) const { return word(rank, number).operation; }
  /// Where the operation of that number stands first.
  std::uint64_t first_line(Rank rank, std::uint32_t number) const { return word(rank, number).first_line; }
  /// The number of an operation that is no computation; `line` as for add(), if it is new.
  std::uint32_t number_of(Rank rank, const Operation& operation, std::uint64_t line);
  /// Replaces the operations that numbers() returns by those of other numbers.
  void set_numbers(Rank rank, const std::vector<std::uint32_t>& numbers);

 private:
  static constexpr std::size_t no_file = ~std::size_t{0};
  class Stream;
  struct Word {
    Operation operation;
    std::uint64_t first_line;
  };
  /// A run of successive lines: they count up by one from `line`, which is that of operation `index`. With line 0 the
  /// operations stand on no line.
  struct LineRun {
    std::uint64_t index, line;
  };
  struct Program {
    ProgramCode code;
    std::vector<Word> vocabulary;
    std::vector<LineRun> lines;
    std::uint64_t count = 0;
    std::uint64_t next_line = 0;  ///< line of the next operation if it continues the last run
    std::size_t file = no_file;
  };
  struct Numbering;

  static void take(const Word* vocabulary, ProgramCode::Reader& reader, Operation& operation) {
    if (reader.at_computation()) {
      const double amount = reader.amount();
      operation = Operation{};
      operation.amount = amount;
    } else {
      operation = vocabulary[reader.number()].operation;
    }
  }
  const Word& word(Rank rank, std::uint32_t number) const { return programs_[rank].vocabulary[number]; }
  /// Counts an operation on that line; a run of lines ends where the next does not follow the last.
  static void append_line(Program& program, std::uint64_t line) {
    if (line != program.next_line) program.lines.push_back({program.count, line});
    program.next_line = line == 0 ? 0 : line + 1;
    ++program.count;
  }

  core::IdVector<Rank, Program> programs_;
  core::IdVector<CommId, Communicator> communicators_{Communicator::all(0)};
  CollectiveWorld collectives_ = CollectiveWorld::mpi;
  Computation computation_ = Computation::modelled;
  Recording recording_;
  std::string list_;
  std::vector<std::string> files_;
  SharedLists<std::uint64_t> counts_;
  SharedLists<RequestHandle> requests_;
  std::unique_ptr<Numbering> numbering_;  ///< only while building
};

/// How the trace was recorded, as far as it knows.
Recording recording_of(const Trace& trace);

}  // namespace toroid::workloads
