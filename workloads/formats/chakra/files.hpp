#pragma once
// The files of an execution trace: one a rank, PREFIX.RANK.et (or .json), each perhaps packed.

#include <string>
#include <vector>

namespace toroid::workloads {

/// Whether a file is called like one of an execution trace.
bool has_chakra_name(const std::string& path);

/// Whether a path has %d where the number of a rank stands in the names of files that are read, PREFIX.%d.et.
bool has_place_for_rank(const std::string& path);

/// The files of all ranks, in order: those beside `path` that are called as it but for the rank, or `path` alone if no
/// rank stands in its name. The path may have %d for the rank. Throws InputError where a rank has no file, or one
/// that is packed otherwise.
std::vector<std::string> chakra_files(const std::string& path);

/// The file of rank 0 in a folder; empty if there is none. Throws InputError if there are several.
std::string chakra_file_in(const std::string& folder);

}  // namespace toroid::workloads
