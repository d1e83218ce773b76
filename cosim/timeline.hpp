#pragma once
// The machine from instant to instant: how much of it is in use, how many jobs wait, and into how many pieces what is
// free has fallen.

#include <functional>
#include <string_view>

#include "cosim/followed_pieces.hpp"

namespace toroid::cosim {

/// Writes a line of CSV after each instant in which jobs came, started, ended or changed their size, in time in
/// proportion to the machine.
class TimelineCsv final : public FollowedPieces {
 public:
  using Write = std::function<void(std::string_view)>;

  /// Writes the header at once by `write`, and later all lines.
  TimelineCsv(const Machine& machine, Write write);
  void submitted(const jobs::Job&, JobId, const Time&) override { ++waiting_; }
  void started(const Record& record) override;
  void ended(const Record& record) override;
  void settled(const Time& now) override;

 private:
  std::int32_t compute_nodes_ = 0;
  Write write_;
  std::int64_t waiting_ = 0;
};

}  // namespace toroid::cosim
