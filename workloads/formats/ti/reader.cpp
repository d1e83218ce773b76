#include "core/file.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/text.hpp"
#include "workloads/formats/ti/actions.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using ti::Line;

/// How many ranks below that of a line may have had no line yet.
constexpr std::size_t most_ranks_ahead = 1 << 16;

struct RankState {
  std::uint64_t default_size = 1;  ///< bytes of an element without a datatype
  bool seen = false;               ///< has a line
  bool open = false;               ///< has an `init` without its `finalize`
  bool finalized = false;
  ti::RequestNames requests = {};
};

class TiReader {
 public:
  explicit TiReader(std::string path) : top_(std::move(path)), trace_(std::make_unique<CompactTrace>()) {}

  std::unique_ptr<CompactTrace> read() {
    core::LineReader reader(top_);
    while (const auto text = reader.next()) {
      if (is_blank(*text)) continue;
      // A line that starts with a rank and an action is the trace itself; anything else is a list of files.
      Line line{top_, reader.line()};
      line.cut(*text);
      const bool is_trace = line.fields.size() >= 2 && core::parse_number<std::int64_t>(line.fields[0]).has_value();
      if (is_trace)
        read_actions(top_, std::nullopt);
      else
        read_list();
      break;
    }
    if (trace_->ranks() == 0)
      core::fail_input("{}: the trace is empty; expected lines 'RANK ACTION ...' or paths of such files", top_);
    check();
    for (const Rank r : core::ids<Rank>(trace_->ranks())) ti::resolve_requests(*trace_, r, states_[r].requests);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  static bool is_blank(std::string_view text) {
    const auto trimmed = core::trim(text);
    return trimmed.empty() || trimmed[0] == '#';
  }

  void read_list() {
    trace_->set_list(top_);
    const auto paths = core::listed_files(top_, "'RANK ACTION ...'");
    if (paths.size() == 1) return read_actions(paths[0].first, std::nullopt);
    for (std::size_t r = 0; r < paths.size(); ++r) {
      trace_->set_file(Rank(r), paths[r].first);
      read_actions(paths[r].first, Rank(r));
    }
  }

  /// Reads a file of one rank, or of all.
  void read_actions(const std::string& path, std::optional<Rank> only) {
    core::LineReader reader(path);
    Line line{path};
    while (const auto text = reader.next()) {
      line.number = reader.line();
      if (compute(*text, line.number, only) || repeat(*text, line.number, only) || is_blank(*text)) continue;
      line.cut(*text);
      if (const auto meaning = read_action(line, only)) known_.add(*text, *meaning);
    }
  }

  /// Whether lines of the rank may come in this place, and have come before.
  bool is_under_way(Rank rank, std::optional<Rank> only) const {
    return (!only || rank == *only) && states_.has(rank) && states_[rank].seen && !states_[rank].finalized;
  }

  /// Most lines are computations: whether this is one, in plain spelling, and could be taken.
  bool compute(std::string_view text, std::uint64_t line, std::optional<Rank> only) {
    const auto computation = ti::plain_computation(text);
    if (!computation || !is_under_way(computation->rank, only)) return false;
    trace_->compute(computation->rank, computation->amount, line);
    return true;
  }

  /// Most others were read before: whether this one was, and could be taken again.
  bool repeat(std::string_view text, std::uint64_t line, std::optional<Rank> only) {
    const auto* known = known_.find(text);
    if (known == nullptr || !is_under_way(known->rank, only)) return false;
    trace_->repeat(known->rank, known->number, line);
    return true;
  }

  /// Reads an action and returns what its line means; nothing if the line cannot be repeated.
  std::optional<KnownLines::Meaning> read_action(Line& line, std::optional<Rank> only) {
    const auto number = core::parse_number<std::int32_t>(line.fields[0]);
    if (!number || *number < 0 || *number >= ti::max_rank)
      line.fail("found '{}' at the start of the line, expected a rank", core::excerpt(line.fields[0]));
    if (line.fields.size() < 2) line.fail("found only a rank, expected 'RANK ACTION ...'");
    const Rank rank(*number);
    if (only && rank != *only) line.fail("the line belongs to rank {}, but this is the file of rank {}", rank, *only);
    auto& state = state_of(line, rank);
    const auto action = line.fields[1];
    if (state.finalized) line.fail("the line comes after the 'finalize' of rank {}", rank);
    if (action == "init") {  // with an argument, elements without a datatype are doubles, else bytes
      line.expect_arguments(0, 1, "nothing or one flag");
      if (state.open) line.fail("a second 'init' of rank {}", rank);
      state.default_size = line.arguments() == 1 ? 8 : 1;
      state.open = true;
      known_.clear();  // the same line may mean something else now
      return std::nullopt;
    }
    if (action == "finalize") {
      line.expect_arguments(0, 0, "none");
      state.open = false;
      state.finalized = true;
    }
    if (ti::is_without_effect(line)) return std::nullopt;
    const auto* meaning = ti::find_action(action);
    if (meaning == nullptr) ti::fail_unknown_action(line);
    line.default_size = state.default_size;
    Operation op{.kind = meaning->kind, .mode = meaning->mode};
    if (meaning->parse_counts == nullptr)
      meaning->parse(line, op);
    else
      postpone(line, op);
    name_request(op, rank, state.requests);
    const auto operation = trace_->add(rank, op, line.number);
    if (op.kind == OpKind::compute) return std::nullopt;  // those hardly repeat
    return KnownLines::Meaning{rank, operation};
  }

  static void name_request(Operation& op, Rank rank, ti::RequestNames& names) {
    if (op.kind == OpKind::isend || op.kind == OpKind::irecv) op.request = names.handle(ti::request_name(op, rank));
    if (op.kind != OpKind::wait && op.kind != OpKind::test) return;
    op.request = names.handle({op.from, op.to, op.tag});
    op.from = op.to = op.tag = 0;
  }

  RankState& state_of(const Line& line, Rank rank) {
    // Typing errors in ranks must not cost gigabytes.
    if (rank.index() > ranks_seen_ + most_ranks_ahead)
      line.fail("found rank {}, far above the {} ranks before it", rank, ranks_seen_);
    if (!states_.has(rank)) states_.resize(rank.value() + 1);
    auto& state = states_[rank];
    if (!state.seen) {
      trace_->set_file(rank, line.file);
      ++ranks_seen_;
    }
    state.seen = true;
    return state;
  }

  void check() {
    const auto ranks = trace_->ranks();
    states_.resize(ranks);
    for (const Rank r : states_.ids()) {
      const auto& state = states_[r];
      if (!state.seen)
        core::fail_input("{}: rank {} has no line; expected every rank from 0 to {}", top_, r, ranks - 1);
      if (state.open)
        core::fail_input("{}: rank {} has 'init' but no 'finalize': the trace is truncated", trace_->file_of(r), r);
      trace_->for_each_distinct(r, [&](Operation& op, std::uint64_t line) {
        if (has_counts(op.kind)) understand(op, r, line);
        for (const auto rank : {op.to, op.from, op.root}) check_rank(rank, ranks, r, line);
        if (op.request == no_handle) return;
        const auto& name = state.requests[op.request];
        for (const auto rank : {name.sender, name.receiver}) check_rank(rank, ranks, r, line);
      });
    }
  }

  void check_rank(CommRank found, std::int32_t ranks, Rank rank, std::uint64_t line) const {
    if (found >= ranks)
      core::fail_input_at(trace_->file_of(rank), line,
                          "found rank {}, expected a rank below {}: the trace has {} ranks", found, ranks, ranks);
  }

  /// Keeps the text of a line that can only be understood later; the operation holds its number for the time being.
  /// Equal lines have one number.
  void postpone(const Line& line, Operation& op) {
    const auto& last = line.fields.back();
    const std::string text(line.fields[0].data(), last.data() + last.size());
    const auto [known, is_new] = postponed_numbers_.try_emplace({text, line.default_size}, postponed_.size());
    if (is_new) postponed_.push_back({text, line.default_size});
    op.bytes = known->second;
  }

  void understand(Operation& op, Rank rank, std::uint64_t number) {
    const auto& [text, default_size] = postponed_[op.bytes];
    Line line{trace_->file_of(rank), number};
    line.default_size = default_size;
    line.cut(text);
    ti::Counts counts;
    op.bytes = 0;
    ti::find_action(line.fields[1])->parse_counts(line, static_cast<std::size_t>(trace_->ranks()), rank, op, counts);
    if (!counts.send.empty()) op.send_counts = trace_->keep(std::move(counts.send));
    if (!counts.recv.empty()) op.recv_counts = trace_->keep(std::move(counts.recv));
  }

  struct Postponed {
    std::string text;
    std::uint64_t default_size;
  };
  std::string top_;
  std::unique_ptr<CompactTrace> trace_;
  core::IdVector<Rank, RankState> states_;
  std::size_t ranks_seen_ = 0;
  KnownLines known_;
  std::vector<Postponed> postponed_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> postponed_numbers_;
};

}  // namespace

std::unique_ptr<CompactTrace> read_ti(const std::string& path) {
  return TiReader(path).read();
}

core::Entry<TraceFormat> ti_format() {
  return {"ti", "SimGrid's time-independent traces: one file, or a list of per-rank files; plain, gzip or zstd",
          TraceFormat{[](const std::string&) { return true; }, as_trace<read_ti>, write_as_they_are<write_ti>,
                      write_as_they_are<write_ti_per_rank>}};
}

}  // namespace toroid::workloads
