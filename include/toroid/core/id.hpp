#pragma once
// Numbers of things that must not be confused: a node is no rank, a link no router. Each kind of thing has a type of
// its own, and containers that only that type indexes.
//
//   core::IdVector<workloads::Rank, double> bytes(16, 0);  // indexed by ranks alone
//   for (const auto rank : bytes.ids()) bytes[rank] += 8;

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "toroid/core/assert.hpp"

namespace toroid::core {

/// An integer that need not be a constant. As a constraint it ranks behind the constructor for constants.
template <class Number>
concept Counted = std::integral<Number> && true;

/// The number of a thing of the kind `Tag`: 0, 1, 2, ...
///
///   NodeId first = 0;       a constant needs no more
///   NodeId next(count);     any other number must be made one by name
///   next.value()            and is one again by name
template <class Tag>
class Id {
 public:
  using Value = std::int32_t;

  constexpr Id() = default;
  template <std::integral Number>
  consteval Id(Number constant) : value_(static_cast<Value>(constant)) {}
  template <Counted Number>
  constexpr explicit Id(Number number) : value_(static_cast<Value>(number)) {}

  /// The id -1, which stands for no thing.
  static constexpr Id none() { return Id(-1); }

  constexpr Value value() const { return value_; }
  /// The id as an index of containers that know nothing of ids.
  constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }

  constexpr Id& operator++() {
    ++value_;
    return *this;
  }
  /// Arithmetic as with pointers: an id and a number of steps give an id, two ids the number of steps between them.
  friend constexpr Id operator+(Id id, Value steps) { return Id(id.value_ + steps); }
  friend constexpr Id operator-(Id id, Value steps) { return Id(id.value_ - steps); }
  friend constexpr Value operator-(Id a, Id b) { return a.value_ - b.value_; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
  friend std::ostream& operator<<(std::ostream& out, Id id) { return out << id.value_; }

 private:
  Value value_ = 0;
};

/// A range of successive ids, in ascending order.
template <class I>
class IdRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;

    constexpr Iterator() = default;
    constexpr explicit Iterator(I id) : id_(id) {}
    constexpr I operator*() const { return id_; }
    constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const auto before = *this;
      ++id_;
      return before;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    I id_;
  };
  /// The ids from `first` to the one before `end`.
  constexpr IdRange(I first, I end) : first_(first), end_(end) {}
  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  I first_, end_;
};

/// The ids from 0 to below a count: for (const NodeId node : core::ids<NodeId>(count))
template <class I, std::integral Count>
constexpr IdRange<I> ids(Count count) {
  return IdRange<I>(I(0), I(count));
}

/// A vector with one element for each id of a kind, indexed by ids of that kind alone.
template <class I, class T>
class IdVector {
 public:
  using Elements = std::vector<T>;
  using value_type = T;
  using iterator = typename Elements::iterator;
  using const_iterator = typename Elements::const_iterator;

  IdVector() = default;
  template <std::integral Count>
  explicit IdVector(Count count) : elements_(static_cast<std::size_t>(count)) {}
  template <std::integral Count>
  IdVector(Count count, const T& value) : elements_(static_cast<std::size_t>(count), value) {}
  IdVector(std::initializer_list<T> elements) : elements_(elements) {}
  explicit IdVector(Elements elements) : elements_(std::move(elements)) {}

  decltype(auto) operator[](I id) {
    TOROID_ASSERT_HEAVY(has(id));
    return elements_[id.index()];
  }
  decltype(auto) operator[](I id) const {
    TOROID_ASSERT_HEAVY(has(id));
    return elements_[id.index()];
  }
  decltype(auto) at(I id) { return elements_.at(id.index()); }
  decltype(auto) at(I id) const { return elements_.at(id.index()); }
  bool has(I id) const { return id.value() >= 0 && id.index() < elements_.size(); }

  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  auto ids() const { return core::ids<I>(size()); }
  /// Appends an element and returns its id.
  template <class... Args>
  I add(Args&&... args) {
    elements_.emplace_back(std::forward<Args>(args)...);
    return I(elements_.size() - 1);
  }
  decltype(auto) back() { return elements_.back(); }
  decltype(auto) back() const { return elements_.back(); }
  void clear() { elements_.clear(); }
  template <std::integral Count>
  void reserve(Count count) {
    elements_.reserve(static_cast<std::size_t>(count));
  }
  template <std::integral Count>
  void resize(Count count) {
    elements_.resize(static_cast<std::size_t>(count));
  }
  template <std::integral Count>
  void assign(Count count, const T& value) {
    elements_.assign(static_cast<std::size_t>(count), value);
  }

  auto begin() { return elements_.begin(); }
  auto end() { return elements_.end(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }
  /// The elements in order, for code that needs no ids.
  const Elements& elements() const { return elements_; }
  Elements& elements() { return elements_; }

  bool operator==(const IdVector&) const = default;

 private:
  Elements elements_;
};

// An id in JSON is its number.
template <class Json, class Tag>
void to_json(Json& json, Id<Tag> id) {
  json = id.value();
}
template <class Json, class Tag>
void from_json(const Json& json, Id<Tag>& id) {
  id = Id<Tag>(json.template get<typename Id<Tag>::Value>());
}

}  // namespace toroid::core

template <class Tag>
struct std::hash<toroid::core::Id<Tag>> {
  std::size_t operator()(toroid::core::Id<Tag> id) const {
    return std::hash<typename toroid::core::Id<Tag>::Value>{}(id.value());
  }
};

template <class Tag>
struct fmt::formatter<toroid::core::Id<Tag>> : fmt::formatter<typename toroid::core::Id<Tag>::Value> {
  template <class Context>
  auto format(toroid::core::Id<Tag> id, Context& context) const {
    return fmt::formatter<typename toroid::core::Id<Tag>::Value>::format(id.value(), context);
  }
};
