#pragma once
// Which nodes come free: news for the scheduler, but not where they are only supposed to.

#include "toroid/alloc/allocator.hpp"

namespace toroid::cosim {

class FreedNodes final : alloc::FreeView {
 public:
  explicit FreedNodes(alloc::FreeNodes& free) : FreeView(free), free_(free) {}

  /// Notes that nodes are as good as freed.
  void note() { any_ = true; }
  /// Whether any have come free since this was called last.
  bool take_news() { return std::exchange(any_, false); }

 private:
  /// Counts up while it lives.
  class Counted {
   public:
    explicit Counted(int& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    int& count_;
  };

 public:
  /// Nodes that are supposed to be free or taken while it lives, which is no news.
  class Supposing : Counted, public alloc::Supposed {
   public:
    explicit Supposing(FreedNodes& freed) : Counted(freed.supposing_), Supposed(freed.free_) {}
  };

 private:
  void taken(std::span<const platforms::NodeId>) override {}
  void given_back(std::span<const platforms::NodeId>) override { any_ |= supposing_ == 0; }

  alloc::FreeNodes& free_;
  bool any_ = false;
  int supposing_ = 0;  ///< number of suppositions that live
};

}  // namespace toroid::cosim
