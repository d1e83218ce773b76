#include "core/error.hpp"
#include "core/file.hpp"
#include "workloads/formats/dumpi/dumpi.hpp"
#include "workloads/formats/dumpi/rank.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/operation_faults.hpp"

namespace toroid::workloads {
namespace {

/// The header is there if dumpi2ascii was asked for it.
bool is_text(const std::string& first) {
  return dumpi::CallReader::enters(first) || first.starts_with("version=");
}

bool is_dumpi(const std::string& path) {
  const auto first = core::first_content(path);
  if (is_text(first)) return true;
  const auto listed = first.empty() ? std::string() : core::listed_file(path, first);
  return !listed.empty() && is_text(core::first_content(listed));
}

class DumpiReader {
 public:
  explicit DumpiReader(const std::string& path) : trace_(std::make_unique<CompactTrace>()) {
    if (is_text(core::first_content(path))) {
      files_.emplace_back(path);
      return;
    }
    trace_->set_list(path);
    for (const auto& [file, line] : core::listed_files(path, "a call of MPI")) files_.push_back(file);
  }

  std::unique_ptr<CompactTrace> read() {
    world_ = Communicator::all(static_cast<std::int32_t>(files_.size()));
    dumpi::CommsMade made(files_.size());
    for (const Rank rank : made.ids()) {
      const auto& file = files_[rank.index()];
      trace_->set_file(rank, file);
      made[rank] = dumpi::read_rank(*trace_, rank, static_cast<std::int32_t>(files_.size()), file);
    }
    const auto comms = dumpi::add_communicators(*trace_, made);
    for (const Rank rank : made.ids())
      trace_->for_each_distinct(rank, [&](Operation& op, std::uint64_t line) {
        op.comm = comms[rank][op.comm.index()];
        check(op, rank, line);
      });
    trace_->set_computation(Computation::timed);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void check(Operation& op, Rank rank, std::uint64_t line) const {
    const auto& members = op.comm == world ? world_ : trace_->communicator(op.comm);
    if (const auto fault = fault_of(op, members, rank); !fault.empty())
      core::fail_input_at(trace_->file_of(rank), line, "{}", fault);
    if (op.kind == OpKind::allgatherv) op.bytes = op.recv_counts[static_cast<std::size_t>(members.rank_of(rank))];
  }

  std::vector<std::string> files_;  ///< by rank
  std::unique_ptr<CompactTrace> trace_;
  Communicator world_ = Communicator::all(0);
};

}  // namespace

std::unique_ptr<CompactTrace> read_dumpi(const std::string& path) {
  return DumpiReader(path).read();
}

core::Entry<TraceFormat> dumpi_format() {
  return {"dumpi", "DUMPI traces as dumpi2ascii prints them, a text for each rank",
          TraceFormat{is_dumpi, [](const std::string& path) -> std::unique_ptr<Trace> { return read_dumpi(path); }}};
}

}  // namespace toroid::workloads
