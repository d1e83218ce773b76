#include "workloads/compact_trace.hpp"

#include "core/period.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

/// The numbers in the program. Computations have none, or all the same one, that of no operation.
enum class Computations : std::uint8_t { left_out, alike };
std::vector<std::uint32_t> numbers_in(const ProgramCode& code, Computations computations) {
  constexpr auto of_computations = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers;
  for (ProgramCode::Reader reader(code); !reader.at_end();) {
    if (!reader.at_computation()) {
      numbers.push_back(reader.number());
    } else {
      reader.amount();
      if (computations == Computations::alike) numbers.push_back(of_computations);
    }
  }
  return numbers;
}

/// Where a program of so many items goes round and round.
Rounds rounds_in(const ProgramCode& code, std::uint64_t items, Computations computations) {
  constexpr std::uint64_t least = 8, most = std::uint64_t{1} << 24U;  // more would take too much memory
  if (items < least || items > most) return {};
  const auto [first, end, period] = core::repetition_in(numbers_in(code, computations));
  if (period == 0) return {};
  return {first, period, (end - first) / period};
}

/// The program with other numbers in place of its own.
ProgramCode with_numbers(const ProgramCode& code, const std::vector<std::uint32_t>& numbers) {
  ProgramCode changed;
  auto number = numbers.begin();
  for (ProgramCode::Reader reader(code); !reader.at_end();) {
    if (reader.at_computation()) {
      changed.add_computation(reader.amount());
    } else {
      reader.number();
      changed.add_operation(*number++);
    }
  }
  return changed;
}

}  // namespace

/// The numbers of each rank's vocabulary, found by the operations that they stand for.
struct CompactTrace::Numbering {
  /// A copy of the operation in every entry would take more memory than the vocabulary itself.
  struct OfRank {
    const core::IdVector<Rank, Program>* programs;
    Rank rank;
    const Operation& operation(std::uint32_t number) const { return (*programs)[rank].vocabulary[number].operation; }
    std::size_t operator()(std::uint32_t number) const { return hash_of(operation(number)); }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return key_of(operation(a)) == key_of(operation(b)); }
  };
  using Numbers = std::unordered_set<std::uint32_t, OfRank, OfRank>;
  core::IdVector<Rank, Numbers> of_rank;

  void add_ranks(const core::IdVector<Rank, Program>& programs) {
    for (Rank rank(of_rank.size()); programs.has(rank); ++rank)
      of_rank.add(0, OfRank{&programs, rank}, OfRank{&programs, rank});
  }
};

class CompactTrace::Stream final : public OperationStream {
 public:
  Stream(const Program& program, bool has_computations)
      : vocabulary_(program.vocabulary.data()), has_computations_(has_computations), reader_(program.code) {}

  bool next(Operation& operation) override {
    if (!find_item(reader_)) return false;
    ++count_;
    take(vocabulary_, reader_, operation);
    return true;
  }

  StreamMark mark() const override {
    const auto [item, whole, real] = reader_.place();
    return {count_, {offset(item, begin_.item), offset(whole, begin_.whole), offset(real, begin_.real)}};
  }

  std::uint64_t repeats(const StreamMark& since, bool amounts_count) const override {
    auto then = reader_, now = reader_;
    then.go_to({begin_.item + since.at[0], begin_.whole + since.at[1], begin_.real + since.at[2]});
    std::uint64_t same = 0;
    while (find_item(then) && find_item(now) && take_same(then, now, amounts_count)) ++same;
    return same / (count_ - since.operation);
  }

  void skip(const StreamMark& since, std::uint64_t times) override {
    TOROID_ASSERT_HEAVY(times <= repeats(since, false));
    const auto passed = times * (count_ - since.operation);
    for (auto left = passed; left > 0 && find_item(reader_); --left) reader_.pass();
    count_ += passed;
  }

 private:
  static std::uint64_t offset(const std::uint8_t* at, const std::uint8_t* begin) {
    return static_cast<std::uint64_t>(at - begin);
  }
  /// Goes on to the next item that the stream gives; false after the last.
  bool find_item(ProgramCode::Reader& reader) const {
    if (!has_computations_)
      while (!reader.at_end() && reader.at_computation()) reader.amount();
    return !reader.at_end();
  }
  /// Takes an item of both, if it is the same.
  static bool take_same(ProgramCode::Reader& a, ProgramCode::Reader& b, bool amounts_count) {
    if (a.at_computation() != b.at_computation()) return false;
    if (!a.at_computation()) return a.number() == b.number();
    const double amount = a.amount(), other = b.amount();
    return !amounts_count || amount == other;
  }

  const Word* vocabulary_;
  bool has_computations_;
  ProgramCode::Reader reader_;
  ProgramCode::Reader::Place begin_ = reader_.place();
  std::uint64_t count_ = 0;  ///< operations given
};

CompactTrace::CompactTrace(std::int32_t ranks) : programs_(ranks), numbering_(std::make_unique<Numbering>()) {
  communicators_[world] = Communicator::all(ranks);
}
CompactTrace::~CompactTrace() = default;

std::uint32_t CompactTrace::number_of(Rank rank, const Operation& operation, std::uint64_t line) {
  numbering_->add_ranks(programs_);
  auto& vocabulary = programs_[rank].vocabulary;
  Word word{operation, line};
  word.operation.requests = requests_.keep(operation.requests);
  word.operation.after = counts_.keep(operation.after);
  word.operation.after_begin = counts_.keep(operation.after_begin);
  word.operation.send_counts = counts_.keep(operation.send_counts);
  word.operation.recv_counts = counts_.keep(operation.recv_counts);
  vocabulary.push_back(word);
  const auto next = static_cast<std::uint32_t>(vocabulary.size() - 1);
  const auto [number, is_new] = numbering_->of_rank[rank].insert(next);
  if (!is_new) vocabulary.pop_back();
  return *number;
}

std::uint32_t CompactTrace::add(Rank rank, const Operation& operation, std::uint64_t line) {
  if (!programs_.has(rank)) programs_.resize(rank.value() + 1);
  if (operation.kind == OpKind::compute) {
    compute(rank, operation.amount, line);
    return 0;
  }
  const auto number = number_of(rank, operation, line);
  repeat(rank, number, line);
  return number;
}

CommId CompactTrace::add_communicator(Communicator communicator) {
  return communicators_.add(std::move(communicator));
}

void CompactTrace::set_file(Rank rank, const std::string& path) {
  if (!programs_.has(rank)) programs_.resize(rank.value() + 1);
  // Ranks of one file come one after the other.
  if (files_.empty() || files_.back() != path) files_.push_back(path);
  programs_[rank].file = files_.size() - 1;
}

std::vector<std::uint32_t> CompactTrace::numbers(Rank rank) const {
  return numbers_in(programs_[rank].code, Computations::left_out);
}

void CompactTrace::set_numbers(Rank rank, const std::vector<std::uint32_t>& numbers) {
  auto& code = programs_[rank].code;
  code = with_numbers(code, numbers);
}

void CompactTrace::finish() {
  numbering_.reset();
  communicators_[world] = Communicator::all(ranks());
  for (auto& program : programs_) {
    program.code.shrink_to_fit();
    program.vocabulary.shrink_to_fit();
    program.lines.shrink_to_fit();
  }
}

std::unique_ptr<OperationStream> CompactTrace::open(Rank rank) const {
  return std::make_unique<Stream>(programs_.at(rank), true);
}

std::unique_ptr<OperationStream> CompactTrace::open_without_computations(Rank rank) const {
  return std::make_unique<Stream>(programs_.at(rank), false);
}

Rounds CompactTrace::rounds(Rank rank) const {
  const auto& program = programs_.at(rank);
  return rounds_in(program.code, program.count, Computations::alike);
}

Rounds CompactTrace::rounds_without_computations(Rank rank) const {
  const auto& program = programs_.at(rank);
  return rounds_in(program.code, program.count, Computations::left_out);
}

bool CompactTrace::has_strands() const {
  return std::ranges::any_of(programs_, [](const Program& program) {
    return std::ranges::any_of(program.vocabulary, [](const Word& word) { return is_strand(word.operation); });
  });
}

std::string CompactTrace::locate(Rank rank, std::uint64_t index) const {
  const auto& program = programs_.at(rank);
  const auto after = std::upper_bound(program.lines.begin(), program.lines.end(), index,
                                      [](std::uint64_t i, const LineRun& run) { return i < run.index; });
  const LineRun run = after == program.lines.begin() ? LineRun{0, 0} : *std::prev(after);
  if (program.file == no_file || run.line == 0) return fmt::format("operation {}", index);
  return fmt::format("{}:{}", files_[program.file], run.line + (index - run.index));
}

std::vector<std::string> CompactTrace::files() const {
  auto all = files_;
  if (!list_.empty()) all.insert(all.begin(), list_);
  return all;
}

const std::string& CompactTrace::file_of(Rank rank) const {
  static const std::string none;
  const auto file = programs_.at(rank).file;
  return file == no_file ? none : files_[file];
}

std::uint64_t CompactTrace::operation_count() const {
  std::uint64_t sum = 0;
  for (const auto& program : programs_) sum += program.count;
  return sum;
}

std::size_t CompactTrace::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& p : programs_)
    sum += sizeof p + p.code.memory_bytes() + p.vocabulary.capacity() * sizeof(Word) +
           p.lines.capacity() * sizeof(LineRun);
  return sum + counts_.memory_bytes() + requests_.memory_bytes();
}

Recording recording_of(const Trace& trace) {
  if (const auto* other = dynamic_cast<const ForwardedTrace*>(&trace)) return recording_of(other->forwarded());
  const auto* held = dynamic_cast<const CompactTrace*>(&trace);
  return held == nullptr ? Recording{} : held->recording();
}

TraceBuilder::TraceBuilder(std::int32_t ranks) : trace_(std::make_unique<CompactTrace>(ranks)) {}

TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::add(Rank rank, const Operation& operation) {
  TOROID_ASSERT(trace_ != nullptr);
  trace_->add(rank, operation);
}

CommId TraceBuilder::add_communicator(Communicator communicator) {
  TOROID_ASSERT(trace_ != nullptr);
  return trace_->add_communicator(std::move(communicator));
}

std::unique_ptr<Trace> TraceBuilder::finished() {
  TOROID_ASSERT(trace_ != nullptr);
  trace_->finish();
  return std::move(trace_);
}

}  // namespace toroid::workloads
