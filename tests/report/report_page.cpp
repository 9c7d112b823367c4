// Reads a report's data (JSON) from standard input and prints its page: for the tests in this directory.
#include <iostream>

#include "report/page.hpp"

int main() {
  const auto made = hoist::report::page(nlohmann::json::parse(std::cin, nullptr, false));
  if (!made) {
    std::cerr << made.error().render() << "\n";
    return 1;
  }
  std::cout << *made;
}
