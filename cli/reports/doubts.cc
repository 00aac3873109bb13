#include "cli/reports/doubts.h"

#include <algorithm>
#include <deque>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include "admission/objects/difference.h"
#include "cli/reports/explain.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using About = ReviewDoubt::About;

constexpr size_t kDoubtWidth = 60;

// The steps of a JSON pointer.
class Steps {
 public:
  explicit Steps(std::string_view pointer) : rest_(pointer) {}
  bool next(std::string_view& step) {
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    step = rest_.substr(0, rest_.find('/'));
    rest_.remove_prefix(step.size());
    return true;
  }

 private:
  std::string_view rest_;
};

// One policy's change of one path.
struct Write {
  size_t policy;  // its number
  const Difference* difference;
};

// Two policies in their order, and their changes of the same path; null if another reason makes them a pair.
struct Pair {
  size_t one, other;
  const Difference *ones, *others;
};

// The changes of all policies, as a tree of the steps of pointers.
class Writes {
 public:
  // Pairs of policies that write the same path, or paths of which one contains the other; at most kMostPairs
  // + 1.
  std::vector<Pair> pairs;

  void add(const Write& write) {
    size_t at = 0;
    Steps steps(write.difference->pointer);
    for (std::string_view step; steps.next(step);) {
      meet(nodes_[at].here, write);
      note(nodes_[at].below, write);
      auto [child, made] = nodes_[at].children.try_emplace(step, nodes_.size());
      at = child->second;
      if (made) nodes_.emplace_back();
    }
    meet(nodes_[at].here, write);
    meet(nodes_[at].below, write);
    note(nodes_[at].here, write);
  }

 private:
  struct Node {
    std::map<std::string_view, size_t> children;
    std::vector<Write> here, below;  // the first of each policy
  };

  void meet(const std::vector<Write>& earlier, const Write& write) {
    for (const Write& w : earlier) {
      if (w.policy == write.policy || pairs.size() > kMostPairs) continue;
      bool swapped = w.policy > write.policy;
      const Write &one = swapped ? write : w, &other = swapped ? w : write;
      if (known_.emplace(one.policy, other.policy).second)
        pairs.push_back({one.policy, other.policy, one.difference, other.difference});
    }
  }
  // More writes would not give more pairs than needed.
  static void note(std::vector<Write>& list, const Write& write) {
    if (list.size() > kMostPairs) return;
    if (std::ranges::none_of(list, [&](const Write& w) { return w.policy == write.policy; }))
      list.push_back(write);
  }

  std::deque<Node> nodes_{1};
  std::set<std::pair<size_t, size_t>> known_;
};

// The first path at which two objects differ; lists are compared place by place.
class FirstDifference {
 public:
  std::string path;
  const Value *one = nullptr, *other = nullptr;  // the values there; null: absent

  // Searches below `pointer`, then everywhere. False if the objects do not differ.
  bool find(const Value& a, const Value& b, std::string_view pointer) {
    const Value *x = &a, *y = &b;
    Steps steps(pointer);
    for (std::string_view step; steps.next(step);) {
      const Value *below_x = below(*x, step), *below_y = below(*y, step);
      if (below_x == nullptr && below_y == nullptr) break;
      x->is(Kind::List) ? void(path.append("[").append(step).append("]"))
                        : append_member(path, unescaped(step));
      if (below_x == nullptr || below_y == nullptr) return found(below_x, below_y);
      x = below_x, y = below_y;
    }
    if (differ(*x, *y)) return true;
    path.clear();
    return differ(a, b);
  }

 private:
  static std::string unescaped(std::string_view step) {
    std::string out;
    for (size_t i = 0; i < step.size(); i++) {
      bool escape = step[i] == '~' && i + 1 < step.size();
      out += escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return out;
  }
  static const Value* below(const Value& v, std::string_view step) {
    if (!v.is(Kind::List)) return find_member(v, unescaped(step));
    size_t i = 0;
    for (char c : step) {
      if (c < '0' || c > '9' || i > v.size()) return nullptr;
      i = i * 10 + static_cast<size_t>(c - '0');
    }
    return i < v.size() ? &v.as_list()[i] : nullptr;
  }

  bool found(const Value* a, const Value* b) {
    one = a;
    other = b;
    return true;
  }
  bool differ(const Value& a, const Value& b) {
    size_t length = path.size();
    if (a.is(Kind::Map) && b.is(Kind::Map)) {
      for (const MapEntry& e : a.as_map()) {
        append_member(path, e.key.as_text());
        const Value* there = find_member(b, e.key.as_text());
        if (there == nullptr ? found(&e.value, nullptr) : differ(e.value, *there)) return true;
        path.resize(length);
      }
      for (const MapEntry& e : b.as_map()) {
        if (find_member(a, e.key.as_text()) != nullptr) continue;
        append_member(path, e.key.as_text());
        return found(nullptr, &e.value);
      }
      return false;
    }
    if (a.is(Kind::List) && b.is(Kind::List)) {
      for (size_t i = 0; i < std::max(a.size(), b.size()); i++) {
        path += "[" + std::to_string(i) + "]";
        const Value* x = i < a.size() ? &a.as_list()[i] : nullptr;
        const Value* y = i < b.size() ? &b.as_list()[i] : nullptr;
        if (x == nullptr || y == nullptr ? found(x, y) : differ(*x, *y)) return true;
        path.resize(length);
      }
      return false;
    }
    return !same_data(a, b) && found(&a, &b);
  }
};

class Doubts {
 public:
  Doubts(ReviewResult& result, const Mutation& mutation, const Engine& engine,
         const AdmissionRequest& request, const Authorizer* authorizer)
      : result_(result), mutation_(mutation), engine_(engine), request_(request) {
    context_.authorizer = authorizer;
  }

  void ask() {
    bool changed = std::ranges::any_of(result_.changes, [](auto& c) { return !c.differences.empty(); });
    if (changed || !mutation_.allowed) ask_for_orders();
    if (mutation_.allowed && mutation_.changed) ask_for_more();
  }

 private:
  // --- the order ---

  void ask_for_orders() {
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> invocations;
    for (const MutationOutcome& o : mutation_.outcomes) {
      if (o.kind == MutationOutcome::Kind::ConfigError) continue;
      invocations.emplace(o.policy, o.binding, o.param);
      if (numbers_.try_emplace(o.policy, names_.size()).second) names_.push_back(o.policy);
    }
    if (invocations.size() < 2) return;
    Writes writes;
    for (const ReviewChange& c : std::views::reverse(result_.changes)) {  // the last change matters most
      for (const Difference& d : c.differences) writes.add({numbers_.at(c.policy), &d});
    }
    size_t tried = 0;
    for (const Pair& pair : writes.pairs) {
      if (tried++ == kMostPairs) {
        add({About::Untried, "more than " + std::to_string(kMostPairs) +
                                 " pairs of policies write one path; only the first " +
                                 std::to_string(kMostPairs) +
                                 " changed places to see whether their order matters"});
        break;
      }
      exchange(pair);
    }
    if (told_) return;
    ReviewDoubt reversed = other_result({.reversed = true}, "all run in the reverse order", nullptr);
    if (reversed.text.empty()) return;
    // Searches for the two policies that matter, neighbours first.
    for (size_t distance = 1; distance < names_.size() && !told_; distance++) {
      for (size_t i = 0; i + distance < names_.size() && !told_ && tried < kMostPairs; i++, tried++)
        exchange({i, i + distance, nullptr, nullptr});
    }
    if (told_) return;
    if (tried > 0)
      reversed.text +=
          "; of " + std::to_string(tried) + " pairs of policies that changed places none makes a difference";
    reversed.text.insert(0, "the order of invocations matters: ");
    add(std::move(reversed));
  }

  void exchange(const Pair& pair) {
    std::string_view one = names_[pair.one], other = names_[pair.other];
    ReviewDoubt doubt = other_result({.one = one, .other = other}, "they change places", pair.others);
    if (doubt.text.empty()) return;
    told_ = true;
    doubt.text.insert(
        0, "the order of policies " + std::string(one) + " and " + std::string(other) + " matters: ");
    doubt.policies = {std::string(one), std::string(other)};
    if (pair.ones != nullptr) {
      doubt.writes = {pair.ones->path, pair.others->path};
      doubt.text += pair.ones->path == pair.others->path
                        ? "; both write " + pair.ones->path
                        : "; the first writes " + pair.ones->path + ", the other " + pair.others->path;
    }
    add(std::move(doubt));
  }

  // The effect of another order: "data.a is 1, and 2 if CONDITION"; an empty text: no effect. Searches at `near`
  // first.
  ReviewDoubt other_result(const MutationOrder& order, const std::string& condition, const Difference* near) {
    context_.order = order;
    engine_.mutate(request_, context_, other_);
    context_.order = {};
    ReviewDoubt doubt{.about = About::Order};
    if (!mutation_.allowed && !other_.allowed) return doubt;
    if (!mutation_.allowed || !other_.allowed) {
      doubt.refused = mutation_.allowed ? "otherwise" : "now";
      doubt.text = mutation_.allowed
                       ? "if " + condition + ", the request is refused: " + std::string(other_.status.message)
                       : "the request is refused, but not if " + condition;
      return doubt;
    }
    FirstDifference first;
    if (!first.find(mutation_.object, other_.object, near == nullptr ? "" : near->pointer)) return doubt;
    auto shown = [](const Value* v) { return v == nullptr ? "absent" : value_text(*v, kDoubtWidth); };
    doubt.text = first.path + " is " + shown(first.one) + ", and " + shown(first.other) + " if " + condition;
    doubt.path = std::move(first.path);
    if (first.one != nullptr) doubt.value = to_json(*first.one);
    if (first.other != nullptr) doubt.otherwise = to_json(*first.other);
    return doubt;
  }

  // --- repetition ---

  void ask_for_more() {
    AdmissionRequest left = request_;
    left.object = mutation_.object;
    engine_.mutate(left, context_, other_);
    ReviewDoubt doubt{.about = About::Repetition};
    if (!other_.allowed) {
      doubt.text =
          "not idempotent: the policies refuse their own result: " + std::string(other_.status.message);
      doubt.refused = "otherwise";
      return add(std::move(doubt));
    }
    if (!other_.changed) return;
    doubt.text = "not idempotent: the policies would change their own result again";
    std::vector<Difference> more = differences(left.object, other_.object);
    if (!more.empty()) {
      const Difference& first = more[0];
      doubt.text += ", first " + change_text(first);
      doubt.path = first.path;
      if (first.operation != Difference::Operation::Add) doubt.value = to_json(first.before);
      if (first.operation != Difference::Operation::Remove) doubt.otherwise = to_json(first.after);
    }
    add(std::move(doubt));
  }
  static std::string change_text(const Difference& d) {
    using Operation = Difference::Operation;
    if (d.operation == Operation::Remove) return d.path + ": removed";
    std::string after = value_text(d.after, kDoubtWidth);
    return d.path + ": " +
           (d.operation == Operation::Add ? "added " : value_text(d.before, kDoubtWidth) + " -> ") + after;
  }

  void add(ReviewDoubt doubt) { result_.doubts.push_back(std::move(doubt)); }

  ReviewResult& result_;
  const Mutation& mutation_;
  const Engine& engine_;
  const AdmissionRequest& request_;
  ReviewContext context_;
  Mutation other_;
  std::vector<std::string_view> names_;         // of the invoked policies, in order
  std::map<std::string_view, size_t> numbers_;  // maps a name to its index there
  bool told_ = false;
};

}  // namespace

void add_doubts(ReviewResult& result, const Mutation& mutation, const Engine& engine,
                const AdmissionRequest& request, const Authorizer* authorizer) {
  Doubts(result, mutation, engine, request, authorizer).ask();
}

}  // namespace portcullis
