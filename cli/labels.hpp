#pragma once
// Labels of what is compared: `LABEL := NAME` gives a name another one in tables and pictures.

#include <functional>
#include <string>
#include <vector>

namespace toroid::cli {

/// Takes labels off the names, and returns one for each: what has none is called by its short name. A file that is
/// called `LABEL := NAME` is a name. `change` makes of each name what stands in its place. Throws InputError if a label
/// comes twice, and where a label or a name is missing.
std::vector<std::string> take_labels(std::vector<std::string>& names,
                                     const std::function<std::string(const std::string&)>& change = nullptr);

}  // namespace toroid::cli
