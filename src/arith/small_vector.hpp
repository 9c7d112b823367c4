#pragma once
// A vector whose first elements live inside it: polynomials and factor lists are short, and the simplifier
// makes millions of them.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace hoist::arith {

/// Elements must be trivially copyable; references are invalidated when it grows.
template <class T, std::size_t inline_capacity>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      size_ = 0;
      append(other.begin(), other.end());
    }
    return *this;
  }
  ~SmallVector() = default;

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t at) { return data()[at]; }
  const T& operator[](std::size_t at) const { return data()[at]; }
  T& back() { return data()[size_ - 1]; }
  const T& front() const { return data()[0]; }
  operator std::span<const T>() const { return {data(), size_}; }

  void push_back(T element) {
    if (size_ == capacity_) grow();
    data()[size_++] = element;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void truncate(const T* new_end) { size_ = static_cast<std::size_t>(new_end - data()); }
  void erase_at(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }

 private:
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  void grow() {
    auto larger = std::make_unique_for_overwrite<T[]>(2 * capacity_);
    std::copy(begin(), end(), larger.get());
    heap_ = std::move(larger);
    capacity_ *= 2;
  }

  T inline_[inline_capacity];
  std::unique_ptr<T[]> heap_;
  std::size_t size_ = 0;
  std::size_t capacity_ = inline_capacity;
};

}  // namespace hoist::arith
