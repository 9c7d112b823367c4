#pragma once
// One callable from several, for std::visit.

namespace hoist {

template <class... Alternatives>
struct Overloaded : Alternatives... {
  using Alternatives::operator()...;
};
template <class... Alternatives>
Overloaded(Alternatives...) -> Overloaded<Alternatives...>;

}  // namespace hoist
