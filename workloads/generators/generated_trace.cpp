#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

/// So many are kept as they are: packing takes about as long as generating, and so many take 128 kB at most.
constexpr std::size_t few = 1000;

/// Computations of different amounts are the same unless amounts count.
bool are_same(const Operation& a, const Operation& b, bool amounts_count) {
  const bool compute = a.kind == OpKind::compute && b.kind == OpKind::compute;
  return (compute && !amounts_count) || key_of(a) == key_of(b);
}

}  // namespace

void StepOperations::fill(const Generate& generate) {
  static thread_local std::vector<Operation> generated;  // of any rank: its memory serves the next one
  generated.clear();
  operations_.clear();
  size_ = at_ = 0;
  is_packed_ = false;
  generate(generated);
  if (generated.size() > few)
    pack(generated);
  else
    operations_ = generated;
  size_ = generated.size();
}

void StepOperations::pack(const std::vector<Operation>& operations) {
  static thread_local KnownOperations known;
  known.forget();
  code_.clear();
  for (const auto& operation : operations) {
    if (operation.kind == OpKind::compute)
      code_.add_computation(operation.amount);
    else
      code_.add_operation(known.number_of(operation).first);
  }
  operations_ = known.different();
  reader_ = ProgramCode::Reader(code_);
  is_packed_ = true;
}

void StepOperations::next(Operation& operation) {
  TOROID_ASSERT_HEAVY(at_ < size_);
  const auto at = at_++;
  if (!is_packed_)
    operation = operations_[at];
  else if (reader_.at_computation())
    operation = {.amount = reader_.amount()};
  else
    operation = operations_[reader_.number()];
}

ProgramCode::Reader StepOperations::reader_at(std::uint64_t at) const {
  ProgramCode::Reader reader(code_);
  for (; at > 0; --at) reader.pass();
  return reader;
}

void StepOperations::go_to(std::uint64_t at) {
  at_ = at;
  if (is_packed_) reader_ = reader_at(at);
}

bool StepOperations::begin_as(const std::vector<Operation>& others, std::uint64_t count, bool amounts_count) const {
  if (others.size() < count) return false;
  auto reader = reader_at(0);
  for (std::uint64_t at = 0; at < count; ++at) {
    const auto& other = others[at];
    const bool same = !is_packed_               ? are_same(operations_[at], other, amounts_count)
                      : reader.at_computation() ? are_same({.amount = reader.amount()}, other, amounts_count)
                                                : are_same(operations_[reader.number()], other, amounts_count);
    if (!same) return false;
  }
  return true;
}

class alignas(64) GeneratedTrace::Stream final : public OperationStream {
 public:
  Stream(const GeneratedTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  bool next(Operation& operation) override {
    while (operations_.at() == operations_.size()) {
      before_ += operations_.size();
      if (!begin_step()) return false;
    }
    operations_.next(operation);
    TOROID_ASSERT_HEAVY(std::max({operation.to, operation.from, operation.root}) <
                        trace_.communicator(operation.comm).size());
    return true;
  }

  StreamMark mark() const override {
    const auto [step, at] = place();
    return {before_ + operations_.at(), {step, at}};
  }

  /// Both places are behind as many operations of their steps, so what comes next repeats if the steps do.
  std::uint64_t repeats(const StreamMark& since, bool amounts_count) const override {
    const auto loop = trace_.loop();
    const auto [step, at] = place();
    const auto steps = step - since.at[0];
    if (amounts_count && !loop.same_amounts) return 0;
    if (loop.period == 0 || at != since.at[1] || since.at[0] < loop.first || step >= loop.end) return 0;
    if (steps == 0 || steps % loop.period != 0) return 0;
    const auto left = loop.end - 1 - step, times = left / steps;
    const bool is_before_end = left % steps + 1 == steps;  // of the loop: then comes a step that may begin likewise
    return times + (is_before_end && (at == 0 || begins_step(loop.end, at, amounts_count)) ? 1 : 0);
  }

  void skip(const StreamMark& since, std::uint64_t times) override {
    TOROID_ASSERT_HEAVY(times <= repeats(since, false));
    const auto [step, at] = place();
    before_ += times * (mark().operation - since.operation);
    next_step_ += times * (step - since.at[0]);
    if (next_step_ <= trace_.loop().end) return;
    --next_step_;
    begin_step();
    operations_.go_to(at);
  }

 private:
  /// The step that the next operation is of, if there is one, and how many of that were taken.
  std::pair<std::uint64_t, std::uint64_t> place() const {
    if (operations_.at() == operations_.size()) return {next_step_, 0};
    return {next_step_ - 1, operations_.at()};
  }

  /// Has the operations of the next step; false if there is none. Within a loop of one step it has them already.
  bool begin_step() {
    const auto step = next_step_++;
    const auto loop = trace_.loop();
    if (loop.period == 1 && loop.same_amounts && step > loop.first && step < loop.end) {
      operations_.go_to(0);
      return true;
    }
    bool is_there = false;
    // With one name more this would be too large for a std::function that allocates nothing.
    operations_.fill([&](std::vector<Operation>& out) { is_there = trace_.step(rank_, next_step_ - 1, out); });
    return is_there;
  }

  /// Whether a step begins with the first operations of the present one.
  bool begins_step(std::uint64_t step, std::uint64_t operations, bool amounts_count) const {
    std::vector<Operation> others;
    return trace_.step(rank_, step, others) && operations_.begin_as(others, operations, amounts_count);
  }

  StepOperations operations_;  ///< operations of the step before `next_step_`, or of one like it
  const GeneratedTrace& trace_;
  Rank rank_;
  std::uint64_t next_step_ = 0;
  std::uint64_t before_ = 0;  ///< operations of earlier steps
};

GeneratedTrace::GeneratedTrace(std::string name, std::int32_t ranks)
    : name_(std::move(name)), communicators_{Communicator::all(ranks)} {}

GeneratedTrace::GeneratedTrace(const core::Arguments& arguments, std::int32_t ranks, const std::string& remark)
    : arguments_(arguments), name_(arguments.spec().text() + remark), communicators_{Communicator::all(ranks)} {}

std::unique_ptr<OperationStream> GeneratedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string GeneratedTrace::locate(Rank, std::uint64_t index) const {
  return fmt::format("{} operation {}", name_, index);
}

std::uint64_t GeneratedTrace::operations_in(Rank rank, std::uint64_t first, std::uint64_t end) const {
  std::vector<Operation> operations;
  std::uint64_t count = 0;
  for (auto at = first; at < end && step(rank, at, operations); ++at) {
    count += operations.size();
    operations.clear();
  }
  return count;
}

Rounds GeneratedTrace::rounds(Rank rank) const {
  const auto repeating = loop();
  if (repeating.period == 0 || repeating.end <= repeating.first) return {};
  return {operations_in(rank, 0, repeating.first),
          operations_in(rank, repeating.first, repeating.first + repeating.period),
          (repeating.end - repeating.first) / repeating.period};
}

CommId GeneratedTrace::add_communicator(Communicator communicator) {
  return communicators_.add(std::move(communicator));
}

CommGrid GeneratedTrace::add_grid(std::int32_t rows, std::int32_t columns) {
  CommGrid grid{columns, {}, {}};
  for (std::int32_t row = 0; row < rows; ++row)
    grid.of_row.push_back(add_communicator(Communicator::strided(Rank(row * columns), 1, columns)));
  for (std::int32_t column = 0; column < columns; ++column)
    grid.of_column.push_back(add_communicator(Communicator::strided(Rank(column), columns, rows)));
  return grid;
}

std::vector<RequestHandle> handles_below(std::size_t count) {
  std::vector<RequestHandle> handles(count);
  std::iota(handles.begin(), handles.end(), 0U);
  return handles;
}

}  // namespace toroid::workloads
