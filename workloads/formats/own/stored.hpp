#pragma once
// Traces whose programs stay in their file, a plain one of our own form: for those that are larger than memory. Of each
// rank that is read one block of code is in memory, as well as all that is spelled out.

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

class StoredTrace final : public Trace {
 public:
  /// Where a block of code stands in the file: three strings, one behind the other.
  struct Place {
    std::uint64_t offset;
    std::size_t items, whole, real;  ///< bytes
    std::uint64_t count;             ///< operations in it
    std::size_t vocabulary;          ///< number of operations that are spelled out before it
    std::size_t size() const { return items + whole + real; }
  };

  /// Remembers the file, to see later whether it has changed. Throws InputError if it does not exist.
  explicit StoredTrace(std::string path);
  /// Appends a block, which must have been checked, to the rank's program.
  void add(Rank rank, const Place& place);
  /// Ends the building. `rest` has everything that is not in blocks: communicators, spelled-out operations, and what
  /// ranks do after their blocks.
  void finish(std::unique_ptr<CompactTrace> rest);

  std::int32_t ranks() const override { return rest_->ranks(); }
  /// A stream of a rank's operations. It throws InputError when the file has changed.
  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  const Communicator& communicator(CommId comm) const override { return rest_->communicator(comm); }
  CollectiveWorld collectives() const override { return rest_->collectives(); }
  Computation computation() const override { return rest_->computation(); }
  std::uint64_t operation_count() const override;
  std::size_t memory_bytes() const override;
  std::vector<std::string> files() const override { return rest_->files(); }

 private:
  class Stream;
  struct Program {
    std::vector<Place> blocks;
    std::uint64_t count = 0;  ///< operations in them
  };
  void read(const Place& place, ProgramCode& code) const;
  [[noreturn]] void fail_changed() const;

  /// The identity of the file (device and number), its size, and the time of its last change: equal stamps mean the
  /// same, unchanged file.
  using Stamp = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
  static Stamp stamp_of(int file);

  std::string path_;
  Stamp stamp_;
  core::IdVector<Rank, Program> programs_;
  std::unique_ptr<CompactTrace> rest_;
};

}  // namespace toroid::workloads
