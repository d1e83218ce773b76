#pragma once
// What differs in what two runs tell that should tell the same.

#include <string>
#include <vector>

#include "toroid/netsim/result.hpp"

namespace toroid::test {

/// Each function returns the first thing that differs, or nothing.
class Differences {
 public:
  /// Times may differ by 1e-11 of the run time, in seconds.
  explicit Differences(double runtime) : most_(1e-11 * runtime) {}

  bool are_near(double a, double b) const;
  std::string of_messages(const netsim::SentMessages& a, const netsim::SentMessages& b) const;
  std::string of_histories(const netsim::History& a, const netsim::History& b) const;
  using Ranks = core::IdVector<workloads::Rank, netsim::RankReport>;
  std::string of_ranks(const Ranks& a, const Ranks& b) const;
  std::string of_exposed(const netsim::ReplayReport& a, const netsim::ReplayReport& b) const;
  using Links = std::vector<netsim::LinkResult>;
  std::string of_links(const Links& a, const Links& b) const;

 private:
  double most_;
};

}  // namespace toroid::test
