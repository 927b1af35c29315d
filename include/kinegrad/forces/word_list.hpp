// The names of a list of types as the words of an attribute, "a|b|c".
#pragma once

#include <array>
#include <string_view>

#include "kinegrad/base/type_list.hpp"

namespace kinegrad {

template <typename List>
class WordList;

template <typename... Ts>
class WordList<TypeList<Ts...>> {
 public:
  constexpr WordList() {
    std::size_t k = 0;
    const auto append = [&](std::string_view name) {
      if (k > 0) text_[k++] = '|';
      for (const char c : name) text_[k++] = c;
    };
    (append(Ts::name), ...);
  }
  constexpr std::string_view view() const { return {text_.data(), kSize}; }

 private:
  static constexpr std::size_t kSize = (Ts::name.size() + ...) + sizeof...(Ts) - 1;
  std::array<char, kSize> text_{};
};

}  // namespace kinegrad
