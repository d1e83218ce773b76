#pragma once
// What SimGrid's own elements of a platform, hosts, links and clusters, say of a machine.

#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

namespace toroid::platforms {

/// What there is in a platform, its zones included.
struct SimgridElements {
  explicit SimgridElements(pugi::xml_node platform);

  /// The one cluster with TORUS topology that is all there is; empty if there is anything else.
  pugi::xml_node torus() const;
  /// In one sentence why this is no machine of toroid, and which one is equal to it, as far as that can be told.
  std::string why_no_grid() const;

  pugi::xml_node first = {};  ///< the first host, link or cluster; empty if there is none
  std::vector<pugi::xml_node> clusters = {};
  std::size_t hosts = 0;  ///< besides those of clusters
};

/// The properties of the machine that a cluster with TORUS topology is. Throws InputError where it is none of ours.
std::vector<std::pair<std::string, std::string>> torus_properties(pugi::xml_node cluster);

}  // namespace toroid::platforms
