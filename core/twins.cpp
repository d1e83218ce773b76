#include "core/twins.hpp"

namespace toroid::core {
namespace {

bool made = false;

}  // namespace

void make_twins() {
  made = true;
}

bool are_twins_made() {
  return made;
}

}  // namespace toroid::core
