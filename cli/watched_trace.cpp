#include "cli/watched_trace.hpp"

#include "cli/arguments.hpp"
#include "workloads/amounts.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {

using workloads::Operation;
using workloads::Rank;

class WatchedTrace::Stream final : public workloads::OperationStream {
 public:
  Stream(const WatchedTrace& watched, Rank rank) : watched_(watched), stream_(watched.forwarded().open(rank)) {}
  ~Stream() override { note(); }

  bool next(Operation& operation) override {
    constexpr std::uint64_t some = 1U << 14U;
    if (++read_ == some) note();
    return stream_->next(operation);
  }

 private:
  void note() { watched_.bar_.update(watched_.read_ += std::exchange(read_, 0)); }

  const WatchedTrace& watched_;
  std::unique_ptr<workloads::OperationStream> stream_;
  std::uint64_t read_ = 0;
};

WatchedTrace::WatchedTrace(const workloads::Trace& trace, std::string title)
    : ForwardedTrace(trace),
      length_(workloads::about_length(trace)),
      bar_(std::move(title), static_cast<std::uint64_t>(length_)) {
  announce_operations(length_);
}

WatchedTrace::~WatchedTrace() = default;

std::unique_ptr<workloads::OperationStream> WatchedTrace::open(Rank rank) const {
  constexpr double many = 1e8;
  const double of_a_rank = length_ / std::max(1, ranks());
  if (of_a_rank >= many) return std::make_unique<Stream>(*this, rank);
  bar_.update(read_);
  read_ += static_cast<std::uint64_t>(of_a_rank);
  return ForwardedTrace::open(rank);
}

OpenedTraffic open_traffic(const std::string& argument, const std::string& matrix, const std::string& collectives) {
  const auto kind = mapping::parse_matrix_kind(matrix);
  const auto choice = workloads::CollectiveChoice::parse(collectives);
  if (const auto* format = workloads::matrix_format_of(argument)) {
    if (matrix != "expanded" || collectives != "default")
      core::fail_input("{}: is a matrix ({}) already; --matrix and --collectives are for traces", argument,
                       format->name);
    return {.traffic = std::make_unique<mapping::Traffic>(format->make.read(argument))};
  }
  refuse_swapped("TRACE", argument);
  OpenedTraffic opened{.opened = workloads::open_trace(argument)};
  opened.trace = std::make_unique<WatchedTrace>(*opened.opened, "adding up messages");
  opened.traffic = std::make_unique<mapping::Traffic>(*opened.trace, choice, kind);
  return opened;
}

void announce_operations(double operations) {
  constexpr double many = 3e8;
  if (operations >= many) core::announce(fmt::format("about {} operations", core::about(operations)));
}

}  // namespace toroid::cli
