#pragma once
// What goes from one part of a fabric to another: packets and credits that leave for a router of another part. A letter
// that is sent in a step can be taken in the next one. In between all parts have done their step, so a box is never
// written and read at the same time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "netsim/packet/routes.hpp"
#include "netsim/packet/wheel.hpp"

namespace toroid::netsim::packet {

/// An event at a router of another part, and the packet that comes in there, if it is an arrival.
struct Letter {
  Tick at = 0;
  Event event{};
  Packet packet{};
};

class Post {
 public:
  explicit Post(std::size_t parts) : parts_(parts), boxes_(parts * parts) {}

  std::size_t parts() const { return parts_; }

  void send(std::size_t from, std::size_t to, const Letter& letter) {
    auto& bag = boxes_[from * parts_ + to][open_];
    bag.letters.push_back(letter);
    bag.earliest = std::min(bag.earliest, letter.at);
  }
  /// Calls `read` with each letter to a part that was sent in the step before, sender by sender.
  template <class Read>
  void take(std::size_t to, Read read) {
    for (std::size_t from = 0; from < parts_; ++from) {
      auto& bag = boxes_[from * parts_ + to][1 - open_];
      if (bag.letters.empty()) continue;
      for (const auto& letter : bag.letters) read(letter);
      bag.letters.clear();
      bag.earliest = never;
    }
  }
  /// Ends a step. Called while no part works.
  void end_step() { open_ = 1 - open_; }
  /// The earliest tick of all letters that can be taken, or never. Called while no part works.
  Tick next() const {
    Tick earliest = never;
    for (const auto& box : boxes_) earliest = std::min(earliest, box[1 - open_].earliest);
    return earliest;
  }

 private:
  struct alignas(128) Bag {  // lines of the cache that no other thread writes
    std::vector<Letter> letters;
    Tick earliest = never;
  };

  std::size_t parts_, open_ = 0;
  std::vector<std::array<Bag, 2>> boxes_;  ///< by sender and receiver: letters of this step, and of the step before
};

}  // namespace toroid::netsim::packet
