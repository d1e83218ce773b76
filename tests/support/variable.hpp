#pragma once
// Environment variables in tests.

#include <cstdlib>

namespace toroid::test {

/// A variable of the environment as long as this lives.
struct Variable {
  Variable(const char* its_name, const char* value) : name(its_name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  const char* name;
};

}  // namespace toroid::test
