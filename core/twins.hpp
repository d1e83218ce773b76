#pragma once
// Whether algorithms from elsewhere give the same answer to the same question: results are reproducible only then.

namespace toroid::core {

/// From now on, each algorithm from elsewhere that is made gets a twin, made alike and asked the same. Where the two
/// differ, that is an InputError. For --check-deterministic.
void make_twins();

bool are_twins_made();

/// What `make` makes, if twins are made; else null.
template <class Make>
auto twin_by(Make make) {
  return are_twins_made() ? make() : decltype(make())();
}

}  // namespace toroid::core
