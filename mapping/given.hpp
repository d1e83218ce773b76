#pragma once
// Mappings that lie in memory and not in a file, as those that Python gives.

#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// While it lives, `file:PATH` is this mapping for its thread and for processes that the thread forks. Messages have
/// the name in the place of the path.
class GivenMapping {
 public:
  GivenMapping(std::string path, std::string name, Mapping mapping);
  ~GivenMapping();
  GivenMapping(const GivenMapping&) = delete;
  GivenMapping& operator=(const GivenMapping&) = delete;

  /// The one of that path; null if there is none.
  static const GivenMapping* find(const std::string& path);
  const std::string& name() const { return name_; }
  const Mapping& mapping() const { return mapping_; }

 private:
  std::string path_, name_;
  Mapping mapping_;
};

}  // namespace toroid::mapping
