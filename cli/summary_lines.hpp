#pragma once
// Lines that the summaries of several commands share, and how summaries write shares.

#include <string>
#include <string_view>
#include <vector>

#include "netsim/result.hpp"
#include "platforms/description.hpp"

namespace toroid::cli {

/// A share for people: `12.5 %`. What rounds to zero has no sign.
std::string percent(double share);

/// What a mapper notes, a line each.
std::string mapper_lines(const std::vector<std::string>& notes);

/// Messages, hops and link loads.
std::string traffic_lines(const netsim::SentMessages& sent, const netsim::LinkLoads& loads);

/// What an order of messages means: `all messages of a node one after another`.
std::string_view order_in_words(platforms::Order order);

/// What a user should know of the engine (netsim::named_remarks()), a line each.
std::string remark_lines(const std::vector<std::string>& remarks);

}  // namespace toroid::cli
