#pragma once
// Classes of flows on links without a machine: for testing the solver of max-min fair rates.

#include "core/random.hpp"
#include "netsim/fluid/max_min.hpp"

namespace toroid::test {

using ByLink = core::IdVector<netsim::MaxMin::Link, double>;

struct PlainClass {
  std::vector<netsim::MaxMin::Link> route;
  std::uint32_t weight = 0;
  netsim::MaxMin::ClassId id = 0;
};

std::vector<netsim::MaxMin::Link> random_route(core::Random& random, std::size_t links);

/// Capacities alike, so that links tie, or of different sizes, up to six orders of magnitude apart.
ByLink random_capacities(core::Random& random);

/// A class comes, up to `most` of them, or goes, or has another weight.
void change_something(core::Random& random, netsim::MaxMin& solver, std::vector<PlainClass>& classes, std::size_t links,
                      std::size_t most);

/// What defines max-min fair rates: no link over its capacity, and each class has a full link where none is faster. A
/// link may carry more or less by a share of its capacity, `tolerance`.
void check_fair(const ByLink& capacities, const std::vector<PlainClass>& classes, const netsim::MaxMin& solver,
                double tolerance = 0);

}  // namespace toroid::test
