#include <filesystem>

#include "core/file.hpp"
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

class Otf2Reader {
 public:
  explicit Otf2Reader(const std::string& path) : path_(path), definitions_(otf2::read_definitions(path)) {}

  std::unique_ptr<CompactTrace> read() {
    begin();
    read_ranks();
    if (shared_->unrecorded_ranks > 0) leave_out_half_messages();
    check_threads();
    tell_what_is_missing();
    for (const Rank rank : core::ids<Rank>(trace_->ranks()))
      trace_->for_each_distinct(rank, [&](Operation& op, std::uint64_t) { fill(op, rank); });
    trace_->set_computation(Computation::timed);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void begin() {
    trace_ = std::make_unique<CompactTrace>(static_cast<std::int32_t>(definitions_.ranks.size()));
    trace_->set_list(path_);
    shared_.emplace(*trace_, definitions_, path_);
  }

  void read_ranks() {
    otf2::EventReader events(path_, definitions_.events);
    for (const Rank rank : core::ids<Rank>(trace_->ranks())) {
      const auto file = file_of(definitions_.events[rank.index()].first);
      trace_->set_file(rank, file);
      otf2::read_rank(*shared_, rank, events.next(), file);
    }
  }

  /// Reads the archive again, without the messages of which it has one end alone.
  void leave_out_half_messages() {
    otf2::EventReader events(path_, definitions_.events);
    for (const Rank rank : core::ids<Rank>(trace_->ranks())) half_.note(rank, events.next(), shared_->comms);
    half_.find();
    if (half_.size() == 0) return;
    begin();
    shared_->half = &half_;
    read_ranks();
  }

  std::string file_of(otf2::LocationRef location) const {
    const auto archive = fs::path(path_);
    return (archive.parent_path() / archive.stem() / (std::to_string(location) + ".evt")).string();
  }

  void tell_what_is_missing() const {
    if (definitions_.is_predicted)
      core::announce(
          fmt::format("{}: toroid predicted this run: messages of its collectives are read as single "
                      "messages, and no send blocks",
                      path_));
    const double seconds = static_cast<double>(shared_->unrecorded) / static_cast<double>(definitions_.resolution);
    if (shared_->unrecorded_ranks > 0)
      core::announce(fmt::format(
          "{}: {} of {} ranks had recording switched off, for {} in all: what they did meanwhile "
          "is missing, and the time, too{}",
          path_, shared_->unrecorded_ranks, trace_->ranks(), core::format_duration(seconds),
          half_.size() == 0 ? std::string()
                            : fmt::format("; {} messages with one end recorded are left out", half_.size())));
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
  void fill(Operation& op, Rank rank) const {
    const bool is_open = op.kind == OpKind::gatherv || op.kind == OpKind::scatterv || op.kind == OpKind::allgatherv ||
                         (op.kind == OpKind::reduce_scatter && op.recv_counts.empty());
    if (!is_open) return;
    auto blocks = shared_->unequal.blocks(op.comm, static_cast<std::uint64_t>(op.amount));
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
  std::optional<otf2::Shared> shared_;  ///< of the trace
  otf2::HalfMessages half_;
};

}  // namespace

std::vector<std::string> otf2::files_of(const std::string& path) {
  std::vector<std::string> files{path};
  std::error_code ignored;
  if (const auto definitions = fs::path(path).replace_extension(".def"); fs::is_regular_file(definitions, ignored))
    files.push_back(definitions.string());
  const auto first = static_cast<std::ptrdiff_t>(files.size());
  for (const auto& entry : fs::directory_iterator(fs::path(path).replace_extension(), ignored))
    if (entry.is_regular_file(ignored)) files.push_back(entry.path().string());
  std::sort(files.begin() + first, files.end());
  return files;
}

std::unique_ptr<CompactTrace> read_otf2(const std::string& path) {
  // What the library opens in our place is on no list of inputs.
  for (const auto& file : otf2::files_of(path)) core::Inputs::enter(file);
  return Otf2Reader(path).read();
}

core::Entry<TraceFormat> otf2_format() {
  return {"otf2", "OTF2 archives, as Score-P writes them", TraceFormat{is_otf2, as_trace<read_otf2>}};
}

}  // namespace toroid::workloads
