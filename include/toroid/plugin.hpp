#pragma once
// A plug-in: a library of somebody else's algorithms, which `toroid --plugin mine.so` loads. A plug-in is one file
// that is compiled against these headers into a shared library, linked with nothing of toroid:
//
//   #include <toroid/plugin.hpp>
//
//   TOROID_PLUGIN(plugin) { plugin.add_mapper({"mine", "what it does", make_mine}); }
//
// docs/how-to/plug-ins.md has a whole one.

#include "toroid/alloc/allocator.hpp"
#include "toroid/cosim/scheduler.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid {

/// What toroid hands a plug-in while it loads it. The names that are added are then names like all others; InputError
/// where toroid has one itself. Texts of entries must live as long as the plug-in, as literals do.
class Plugin {
 public:
  /// `file` is what the names are said to come from.
  explicit Plugin(std::string file) : file_(std::move(file)) {}

  void add_allocator(core::Entry<alloc::MakeAllocator> entry) const { alloc::add_allocator(ours(std::move(entry))); }
  void add_scheduler(core::Entry<cosim::MakeScheduler> entry) const { cosim::add_scheduler(ours(std::move(entry))); }
  void add_mapper(core::Entry<mapping::MakeMapper> entry) const { mapping::add_mapper(ours(std::move(entry))); }
  void add_generator(core::Entry<workloads::MakeTrace> entry) const {
    workloads::add_generator(ours(std::move(entry)));
  }

 private:
  template <class Make>
  core::Entry<Make> ours(core::Entry<Make> entry) const {
    entry.from = file_;
    return entry;
  }

  std::string file_;
};

/// The version of what a plug-in and the program that loads it say to each other: all that this header has and
/// includes. The number grows with each change after which a plug-in that was compiled before would not work.
inline constexpr int plugin_interface = 4;

#define TOROID_IN_QUOTES(number) TOROID_QUOTED(number)
#define TOROID_QUOTED(text) #text

/// How the compiler lays out objects, which a plug-in and the program hand each other.
inline constexpr const char* plugin_abi =
    "C++ ABI " TOROID_IN_QUOTES(__GXX_ABI_VERSION) ", library's ABI " TOROID_IN_QUOTES(_GLIBCXX_USE_CXX11_ABI);

}  // namespace toroid

/// The one entry of a plug-in, once in it, with the body of the function that adds its names to `plugin`.
#define TOROID_PLUGIN(plugin)                  \
  extern "C" int toroid_plugin_interface() {   \
    return ::toroid::plugin_interface;         \
  }                                            \
  extern "C" const char* toroid_plugin_abi() { \
    return ::toroid::plugin_abi;               \
  }                                            \
  extern "C" void toroid_plugin([[maybe_unused]] const ::toroid::Plugin& plugin)
