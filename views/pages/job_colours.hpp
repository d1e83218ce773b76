#pragma once
// Colours of jobs on a machine.

#include <cstdint>
#include <string>
#include <vector>

#include "cosim/pictures.hpp"
#include "netsim/run.hpp"
#include "platforms/machine.hpp"

namespace toroid::views {

/// How many colours jobs have: those of Okabe and Ito (2008) besides black.
constexpr std::uint8_t job_colours = 7;

/// Gives each job a colour that no running job beside it has: none whose routers working links join to its own, or that
/// shares a router with it. Where all colours are taken it is the one with the fewest such links; of equally good ones,
/// that which was given least recently. Jobs are coloured by their starts.
std::vector<std::uint8_t> colours_of(const platforms::Machine& machine, const std::vector<cosim::GanttJob>& jobs);

/// Colours of jobs that hold their nodes at one time; each list is sorted.
std::vector<std::uint8_t> colours_of(const platforms::Machine& machine, const std::vector<cosim::Allocation>& held);

/// Colours of the jobs of one run, each of which has its nodes for itself all along.
std::vector<std::uint8_t> colours_of(const netsim::JobsRequest& request);

/// A colour as `#rrggbb`.
std::string job_colour_text(std::uint8_t colour);

}  // namespace toroid::views
