#pragma once
// Handles for requests of a trace that has none of its own, or has numbers that grow without end.

#include <span>
#include <vector>

#include "workloads/operation.hpp"

namespace toroid::workloads {

/// The handles of a rank. They stay small, as handles that are taken back are given again.
class Handles {
 public:
  RequestHandle give() {
    if (free_.empty()) return next_++;
    const auto handle = free_.back();
    free_.pop_back();
    return handle;
  }
  void take_back(RequestHandle handle) { free_.push_back(handle); }
  void take_back(std::span<const RequestHandle> handles) { free_.insert(free_.end(), handles.begin(), handles.end()); }

 private:
  std::vector<RequestHandle> free_;
  RequestHandle next_ = 0;
};

}  // namespace toroid::workloads
