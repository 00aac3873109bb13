#include "admission/objects/difference.h"

#include <algorithm>
#include <array>

#include "grammar/ascii.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// Appends a key as a step of a JSON pointer.
void append_step(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

bool is_plain_name(std::string_view key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_alphanumeric(c) || c == '_'; });
}

// How well two items match; 0: not at all.
enum Fit : uint32_t { kNone = 0, kPlace = 1, kName = 4, kSame = 8 };

// Fields that identify the items of lists in Kubernetes. The first one that an item has is its name.
constexpr std::array<std::string_view, 8> kNames = {"name",          "key",         "type", "mountPath",
                                                    "containerPort", "topologyKey", "ip",   "port"};

Fit fit(const Value& a, const Value& b) {
  if (same_data(a, b)) return kSame;
  if (!a.is(Kind::Map) || !b.is(Kind::Map)) return a.kind() == b.kind() ? kPlace : kNone;
  for (std::string_view name : kNames) {
    const Value *x = find_member(a, name), *y = find_member(b, name);
    if (x == nullptr && y == nullptr) continue;
    if (x == nullptr || y == nullptr || !same_data(*x, *y)) return kNone;
    return kName;
  }
  return kPlace;
}

class Comparison {
 public:
  explicit Comparison(size_t most) : left_(most) {}
  std::vector<Difference> found;

  void compare(const Value& before, const Value& after) {
    if (before.is(Kind::Map) && after.is(Kind::Map)) return maps(before, after);
    if (before.is(Kind::List) && after.is(Kind::List)) return lists(before, after);
    if (!same_data(before, after)) add(Difference::Operation::Replace, before, after);
  }

 private:
  void add(Difference::Operation operation, const Value& before, const Value& after) {
    const size_t size = sizeof(Difference) + pointer_.size() + path_.size();
    if (size > left_) throw BoundsExceeded();
    left_ -= size;
    found.push_back({operation, pointer_, path_, before, after});
  }

  // Runs `then` with the place of a member or item; `end`: behind the last item.
  template <class Then>
  void at_member(std::string_view key, Then then) {
    size_t pointer = pointer_.size(), path = path_.size();
    append_step(pointer_, key);
    append_member(path_, key);
    then();
    pointer_.resize(pointer);
    path_.resize(path);
  }
  template <class Then>
  void at_item(size_t i, bool end, Then then) {
    size_t pointer = pointer_.size(), path = path_.size();
    std::string number = std::to_string(i);
    pointer_.append("/").append(end ? "-" : number);
    path_.append("[").append(number).append("]");
    then();
    pointer_.resize(pointer);
    path_.resize(path);
  }

  void maps(const Value& before, const Value& after) {
    for (const MapEntry& e : before.as_map()) {
      std::string_view key = e.key.as_text();
      const Value* now = find_member(after, key);
      at_member(key, [&] {
        now == nullptr ? add(Difference::Operation::Remove, e.value, {}) : compare(e.value, *now);
      });
    }
    for (const MapEntry& e : after.as_map()) {
      std::string_view key = e.key.as_text();
      if (find_member(before, key) == nullptr)
        at_member(key, [&] { add(Difference::Operation::Add, {}, e.value); });
    }
  }

  // Walks both lists; `at` counts the items of the list as it is by then.
  void lists(const Value& before, const Value& after) {
    auto a = before.as_list(), b = after.as_list();
    std::vector<std::pair<size_t, size_t>> pairs = align(before, after);
    pairs.emplace_back(a.size(), b.size());
    size_t i = 0, j = 0, at = 0;
    for (auto [x, y] : pairs) {
      size_t left = a.size() - i;  // items of the old list that are still behind `at`
      for (; i < x; i++, left--) at_item(at, false, [&] { add(Difference::Operation::Remove, a[i], {}); });
      for (; j < y; j++, at++) at_item(at, left == 0, [&] { add(Difference::Operation::Add, {}, b[j]); });
      if (i == a.size() || j == b.size()) continue;
      at_item(at, false, [&] { compare(a[i], b[j]); });
      i++, j++, at++;
    }
  }

  std::string pointer_, path_;  // of what is compared
  size_t left_;                 // bytes for what is found
};

}  // namespace

void append_member(std::string& path, std::string_view key) {
  bool plain = is_plain_name(key);
  path += !plain ? "[" : path.empty() ? "" : ".";
  path += key;
  if (!plain) path += ']';
}

std::vector<std::pair<size_t, size_t>> align(const Value& before, const Value& after) {
  auto a = before.as_list(), b = after.as_list();
  std::vector<std::pair<size_t, size_t>> pairs, ends;
  size_t first = 0, last_a = a.size(), last_b = b.size();
  while (first < last_a && first < last_b && same_data(a[first], b[first])) {
    pairs.emplace_back(first, first);
    first++;
  }
  while (last_a > first && last_b > first && same_data(a[last_a - 1], b[last_b - 1]))
    ends.emplace_back(--last_a, --last_b);
  size_t rows = last_a - first, columns = last_b - first;
  if (rows != 0 && columns > kMaxAlignment / rows) {
    for (size_t i = 0; i < std::min(rows, columns); i++) pairs.emplace_back(first + i, first + i);
  } else if (rows != 0 && columns != 0) {
    // best[i][j]: the best sum of fits of the items from i and j to the ends.
    std::vector<uint32_t> fits(rows * columns), best((rows + 1) * (columns + 1), 0);
    auto of = [&](size_t i, size_t j) -> uint32_t& { return best[i * (columns + 1) + j]; };
    for (size_t i = rows; i-- > 0;) {
      for (size_t j = columns; j-- > 0;) {
        uint32_t here = fits[i * columns + j] = fit(a[first + i], b[first + j]);
        uint32_t paired = here == kNone ? 0 : here + of(i + 1, j + 1);
        of(i, j) = std::max({paired, of(i + 1, j), of(i, j + 1)});
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      uint32_t here = fits[i * columns + j];
      if (here != kNone && of(i, j) == here + of(i + 1, j + 1)) {
        pairs.emplace_back(first + i++, first + j++);
      } else if (of(i, j) == of(i + 1, j)) {
        i++;
      } else {
        j++;
      }
    }
  }
  pairs.insert(pairs.end(), ends.rbegin(), ends.rend());
  return pairs;
}

std::vector<Difference> differences(const Value& before, const Value& after, size_t most) {
  Comparison comparison(most);
  comparison.compare(before, after);
  return std::move(comparison.found);
}

std::string json_patch_text(const std::vector<Difference>& differences, bool old) {
  std::string out;
  JsonWriter w(out);
  w.begin_list();
  for (const Difference& d : differences) {
    bool removes = d.operation == Difference::Operation::Remove;
    bool adds = d.operation == Difference::Operation::Add;
    w.begin_object();
    if (old && !adds) w.member("old", d.before);
    w.member("op", removes ? "remove" : adds ? "add" : "replace");
    w.member("path", d.pointer);
    if (!removes) w.member("value", d.after);
    w.end_object();
  }
  w.end_list();
  return out;
}

}  // namespace portcullis
