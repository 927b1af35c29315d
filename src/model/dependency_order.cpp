#include "model/dependency_order.hpp"

#include <algorithm>

#include "kinegrad/math/expression_parser.hpp"

namespace kinegrad {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || is_digit(c);
}

/// Where the arguments of a function of names end: reaction(joint, fx) names a joint and a component,
/// which are no definitions. `end` itself if no arguments follow.
std::size_t after_words(std::string_view text, std::size_t end) {
  const std::size_t open = text.find_first_not_of(" \t\r\n", end);
  if (open == std::string_view::npos || text[open] != '(') return end;
  const std::size_t close = text.find(')', open);
  return close == std::string_view::npos ? text.size() : close;
}

/// The definitions whose names are words of the text.
std::vector<std::size_t> named_in(std::string_view text, const NameIndex& index) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (is_word_function(word)) {
      end = after_words(text, end);
    } else if (end > i && !is_digit(text[i])) {
      const auto it = index.find(word);
      if (it != index.end()) found.push_back(it->second);
    }
    i = std::max(end, i + 1);
  }
  return found;
}

/// Depth-first walk with a stack of its own.
class Walk {
 public:
  Walk(const std::vector<std::string_view>& texts, const NameIndex& index)
      : texts_(texts),
        index_(index),
        state_(texts.size(), State::kNew),
        in_cycle_(texts.size(), false) {}

  DependencyOrder run() {
    for (std::size_t k = 0; k < texts_.size(); ++k) {
      if (state_[k] == State::kNew) walk_from(k);
    }
    return std::move(result_);
  }

 private:
  enum class State { kNew, kOpen, kDone };
  struct Open {
    std::size_t definition;
    std::vector<std::size_t> names;
    std::size_t next = 0;
  };

  void push(std::size_t k) {
    state_[k] = State::kOpen;
    open_.push_back({k, named_in(texts_[k], index_)});
  }

  void walk_from(std::size_t first) {
    push(first);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.next == top.names.size()) {
        state_[top.definition] = State::kDone;
        result_.order.push_back(top.definition);
        open_.pop_back();
        continue;
      }
      const std::size_t to = top.names[top.next++];
      if (state_[to] == State::kNew) {
        push(to);
      } else if (state_[to] == State::kOpen) {
        note_cycle(to);
      }
    }
  }

  /// The open definitions from `to` on name each other in a ring. One that shares a definition with
  /// a ring found before is not reported again.
  void note_cycle(std::size_t to) {
    if (in_cycle_[to]) return;
    std::vector<std::size_t> ring;
    bool known = false;
    for (std::size_t i = open_.size(); i-- > 0;) {
      const std::size_t k = open_[i].definition;
      ring.push_back(k);
      known = known || in_cycle_[k];
      in_cycle_[k] = true;
      if (k == to) break;
    }
    std::reverse(ring.begin(), ring.end());
    if (!known) result_.cycles.push_back(std::move(ring));
  }

  const std::vector<std::string_view>& texts_;
  const NameIndex& index_;
  std::vector<State> state_;
  std::vector<Open> open_;
  std::vector<bool> in_cycle_;
  DependencyOrder result_;
};

}  // namespace

DependencyOrder dependency_order(const std::vector<std::string_view>& texts,
                                 const NameIndex& index) {
  return Walk(texts, index).run();
}

std::string cycle_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kShown && names.size() > kShown + 1) {
      text += "… → ";
      break;
    }
    text += names[i] + " → ";
  }
  return text + names.front();
}

}  // namespace kinegrad
