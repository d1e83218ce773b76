#pragma once
// Standard error has readers: people, or a program that waits for errors.

namespace toroid::core {

/// Leaves standard error to errors from now on: no progress is shown, and nothing announced.
void leave_to_errors();
/// Whether people see on a terminal what is said there besides errors.
bool is_watched();

}  // namespace toroid::core
