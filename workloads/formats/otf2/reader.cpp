#include <algorithm>
#include <filesystem>

#include "core/inputs.hpp"
#include "core/progress.hpp"
#include "core/units.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/otf2/rank.hpp"

namespace toroid::workloads {
namespace {

namespace fs = std::filesystem;

/// The file begins with a mark for what it is, one for the order of bytes, and the name.
bool is_otf2(const std::string& path) {
  core::LineReader lines(path);
  const auto line = lines.next();
  return path.ends_with(".otf2") || (line && line->substr(0, 6).ends_with("OTF2"));
}

/// Puts what the library opens in our place on the lists of inputs.
void enter_archive(const std::string& path) {
  core::Inputs::enter(path);
  std::error_code ignored;
  const auto definitions = fs::path(path).replace_extension(".def");
  if (fs::is_regular_file(definitions, ignored)) core::Inputs::enter(definitions.string());
  std::vector<std::string> of_locations;
  for (const auto& entry : fs::directory_iterator(fs::path(path).replace_extension(), ignored))
    if (entry.is_regular_file(ignored)) of_locations.push_back(entry.path().string());
  std::sort(of_locations.begin(), of_locations.end());
  for (const auto& file : of_locations) core::Inputs::enter(file);
}

class Otf2Reader {
 public:
  explicit Otf2Reader(const std::string& path)
      : path_(path),
        definitions_(otf2::read_definitions(path)),
        trace_(std::make_unique<CompactTrace>(static_cast<std::int32_t>(definitions_.ranks.size()))) {}

  std::unique_ptr<CompactTrace> read() {
    trace_->set_list(path_);
    otf2::Shared shared(*trace_, definitions_, path_);
    otf2::EventReader events(path_, definitions_.events);
    for (const Rank rank : core::ids<Rank>(trace_->ranks())) {
      const auto file = file_of(definitions_.events[rank.index()].first);
      trace_->set_file(rank, file);
      otf2::read_rank(shared, rank, events.next(), file);
    }
    check_threads();
    tell_what_is_missing(shared);
    for (const Rank rank : core::ids<Rank>(trace_->ranks()))
      trace_->for_each_distinct(rank, [&](Operation& op, std::uint64_t) { fill(shared, op, rank); });
    trace_->set_computation(Computation::timed);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  std::string file_of(otf2::LocationRef location) const {
    const auto archive = fs::path(path_);
    return (archive.parent_path() / archive.stem() / (std::to_string(location) + ".evt")).string();
  }

  void tell_what_is_missing(const otf2::Shared& shared) const {
    if (definitions_.is_predicted)
      core::announce(
          fmt::format("{}: toroid predicted this run: messages of its collectives are read as single "
                      "messages, and no send blocks",
                      path_));
    const double seconds = static_cast<double>(shared.unrecorded) / static_cast<double>(definitions_.resolution);
    if (shared.unrecorded_ranks > 0)
      core::announce(
          fmt::format("{}: {} of {} ranks had recording switched off, for {} in all: what they did meanwhile "
                      "is missing, and the time, too",
                      path_, shared.unrecorded_ranks, trace_->ranks(), core::format_duration(seconds)));
  }

  /// Threads besides those of the ranks may do anything but communicate.
  void check_threads() const {
    otf2::EventReader events(path_, definitions_.threads);
    for (const auto& [location, count] : definitions_.threads)
      for (const auto& event : events.next())
        if (event.kind > otf2::Event::Kind::switched)
          core::fail_input("{}: event {}: found communication of a thread, expected that of a rank's one thread alone",
                           file_of(location), event.number);
  }

  /// Blocks that are known now that all ranks are.
  void fill(const otf2::Shared& shared, Operation& op, Rank rank) const {
    const bool is_open = op.kind == OpKind::gatherv || op.kind == OpKind::scatterv || op.kind == OpKind::allgatherv ||
                         (op.kind == OpKind::reduce_scatter && op.recv_counts.empty());
    if (!is_open) return;
    auto blocks = shared.unequal.blocks(op.comm, static_cast<std::uint64_t>(op.amount));
    if (!blocks.error.empty())
      core::fail_input("{}: {} {} on communicator {}: {}", trace_->file_of(rank), to_string(op.kind),
                       static_cast<std::uint64_t>(op.amount) + 1, op.comm, blocks.error);
    op.amount = 0;
    const auto me = trace_->communicator(op.comm).rank_of(rank);
    if (op.kind != OpKind::reduce_scatter) op.bytes = blocks.bytes[static_cast<std::size_t>(me)];
    const bool has_blocks = op.kind == OpKind::allgatherv || op.kind == OpKind::reduce_scatter || op.root == me;
    if (!has_blocks) return;
    (op.kind == OpKind::scatterv ? op.send_counts : op.recv_counts) = trace_->keep(std::move(blocks.bytes));
  }

  const std::string& path_;
  otf2::Definitions definitions_;
  std::unique_ptr<CompactTrace> trace_;
};

}  // namespace

std::unique_ptr<CompactTrace> read_otf2(const std::string& path) {
  enter_archive(path);
  return Otf2Reader(path).read();
}

core::Entry<TraceFormat> otf2_format() {
  return {"otf2", "OTF2 archives, as Score-P writes them", TraceFormat{is_otf2, as_trace<read_otf2>}};
}

}  // namespace toroid::workloads
