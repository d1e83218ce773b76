#pragma once
// Files of other programs, which people of the field have, and which toroid does not read.

#include <string>
#include <string_view>

namespace toroid::core {

/// Throws InputError where a file that begins so is of a format that no reader of ours takes, whatever it was given
/// for: the message names the format, and says what to do. `begin` is unpacked; a few kilobytes are enough.
void refuse_foreign(const std::string& path, std::string_view begin);

}  // namespace toroid::core
