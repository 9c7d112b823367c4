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

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t at) { return data_[at]; }
  const T& operator[](std::size_t at) const { return data_[at]; }
  const T& front() const { return data_[0]; }
  operator std::span<const T>() const { return {data_, size_}; }

  void push_back(T element) {
    if (size_ == capacity_) grow();
    data_[size_++] = element;
  }
  void truncate(const T* new_end) { size_ = static_cast<std::size_t>(new_end - data_); }
  void erase_at(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }

 private:
  void grow() {
    auto larger = std::make_unique_for_overwrite<T[]>(2 * capacity_);
    std::copy(begin(), end(), larger.get());
    heap_ = std::move(larger);
    data_ = heap_.get();
    capacity_ *= 2;
  }

  T inline_[inline_capacity];
  std::unique_ptr<T[]> heap_;
  T* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = inline_capacity;
};

}  // namespace hoist::arith
