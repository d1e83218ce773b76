#pragma once
// Tables of things, each of which a function beside its code returns: entries of a registry, or families of them.
//
//   TOROID_ENTRIES(core::Entry<MakeMapper>, mapper_entries, random_mapper, snake_mapper)
//   ...
//   core::Registry<MakeMapper> registry("mapper", mapper_entries());

#include <utility>
#include <vector>

namespace toroid::core {

/// The things of all families, one after the other.
template <class Thing>
std::vector<Thing> joined(std::vector<std::vector<Thing>> families) {
  std::vector<Thing> all;
  for (auto& family : families)
    for (auto& thing : family) all.push_back(std::move(thing));
  return all;
}

}  // namespace toroid::core

/// Declares the functions whose names come after `table`, each of which returns a Thing, and defines the function
/// `table`, which returns what they return, in their order.
#define TOROID_ENTRIES(Thing, table, ...)                   \
  TOROID_FOR_EACH(TOROID_DECLARE_ENTRY, Thing, __VA_ARGS__) \
  static std::vector<Thing> table() {                       \
    std::vector<Thing> all;                                 \
    TOROID_FOR_EACH(TOROID_ADD_ENTRY, all, __VA_ARGS__)     \
    return all;                                             \
  }
#define TOROID_DECLARE_ENTRY(Thing, function) Thing function();
#define TOROID_ADD_ENTRY(all, function) all.push_back(function());

/// Calls macro(what, argument) for each of up to 80 arguments. A macro cannot call itself, so each step leaves the next
/// one behind, and the text is looked through again until none is left.
#define TOROID_FOR_EACH(macro, what, ...) __VA_OPT__(TOROID_THROUGH_3(TOROID_STEP(macro, what, __VA_ARGS__)))
#define TOROID_STEP(macro, what, first, ...) \
  macro(what, first) __VA_OPT__(TOROID_STEP_AGAIN TOROID_PARENTHESES(macro, what, __VA_ARGS__))
#define TOROID_STEP_AGAIN() TOROID_STEP
#define TOROID_PARENTHESES ()
#define TOROID_THROUGH_3(...) TOROID_THROUGH_2(TOROID_THROUGH_2(TOROID_THROUGH_2(TOROID_THROUGH_2(__VA_ARGS__))))
#define TOROID_THROUGH_2(...) TOROID_THROUGH_1(TOROID_THROUGH_1(TOROID_THROUGH_1(TOROID_THROUGH_1(__VA_ARGS__))))
#define TOROID_THROUGH_1(...) TOROID_THROUGH_0(TOROID_THROUGH_0(TOROID_THROUGH_0(TOROID_THROUGH_0(__VA_ARGS__))))
#define TOROID_THROUGH_0(...) __VA_ARGS__
