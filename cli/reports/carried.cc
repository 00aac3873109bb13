#include "cli/reports/carried.h"

#include <algorithm>
#include <vector>

#include "admission/objects/difference.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

Value list_of(Arena& arena, const std::vector<Value>& items) {
  Value* out = arena.array<Value>(items.size());
  std::copy(items.begin(), items.end(), out);
  return Value::list(out, items.size());
}

Value map_of(Arena& arena, const std::vector<MapEntry>& entries) {
  MapEntry* out = alloc_entries(arena, entries.size());
  std::copy(entries.begin(), entries.end(), out);
  return make_map(out, entries.size());
}

// For each item of `after`, the index of the same item in `before`, or kNone.
std::vector<size_t> origins(const Value& before, const Value& after) {
  std::vector<size_t> out(after.size(), kNone);
  for (auto [i, j] : align(before, after)) out[j] = i;
  return out;
}

Value news(Arena& arena, const Value& before, const Value& after);

// Adds the members of `after` that `manifest` does not have and that differ from those of `before`.
void add_news(Arena& arena, const Value& manifest, const Value& before, const Value& after,
              std::vector<MapEntry>& entries) {
  for (const MapEntry& e : after.as_map()) {
    std::string_view key = e.key.as_text();
    if (find_member(manifest, key) != nullptr) continue;
    const Value* was = find_member(before, key);
    if (was == nullptr) {
      entries.push_back(e);
    } else if (!same_data(*was, e.value)) {
      entries.push_back({e.key, news(arena, *was, e.value)});
    }
  }
}

// The differences of `after` from `before`, for a value that the manifest does not have.
Value news(Arena& arena, const Value& before, const Value& after) {
  if (!before.is(Kind::Map) || !after.is(Kind::Map)) return after;
  std::vector<MapEntry> entries;
  add_news(arena, Value(), before, after, entries);
  return map_of(arena, entries);
}

Value carry_map(Arena& arena, const Value& manifest, const Value& before, const Value& after,
                UnwrittenItems unwritten) {
  std::vector<MapEntry> entries;
  for (const MapEntry& e : manifest.as_map()) {
    std::string_view key = e.key.as_text();
    const Value *was = find_member(before, key), *is = find_member(after, key);
    if (is == nullptr && was != nullptr) continue;  // removed
    if (is == nullptr) {
      entries.push_back(e);  // the API server does not keep it
    } else {
      entries.push_back({e.key, was == nullptr ? *is : carry(arena, e.value, *was, *is, unwritten)});
    }
  }
  add_news(arena, manifest, before, after, entries);
  return map_of(arena, entries);
}

Value carry_list(Arena& arena, const Value& manifest, const Value& before, const Value& after,
                 UnwrittenItems unwritten) {
  std::vector<size_t> written = origins(manifest, before), was = origins(before, after);
  size_t last_new = 0;  // behind the last new item
  for (size_t i = 0; i < was.size() && unwritten == UnwrittenItems::WrittenBeforeNewOnes; i++) {
    if (was[i] == kNone) last_new = i + 1;
  }
  std::vector<Value> items;
  for (size_t i = 0; i < after.size(); i++) {
    const Value& is = after.as_list()[i];
    size_t b = was[i], m = b == kNone ? kNone : written[b];
    if (m != kNone) {
      items.push_back(carry(arena, manifest.as_list()[m], before.as_list()[b], is, unwritten));
    } else if (b == kNone || i < last_new || !same_data(before.as_list()[b], is)) {
      items.push_back(is);
    }
  }
  return list_of(arena, items);
}

// Removes members from new values, from the outside in.
class Trimmer {
 public:
  Trimmer(Arena& arena, const Value& root, const std::function<Value(const Value&)>& served)
      : arena_(arena),
        served_(served),
        root_(root),
        wanted_(served(root)),
        trials_(std::min(kMaxTrials, kMaxTrialWork / count(root))) {}

  Value trim(const Value& manifest) {
    if (!wanted_.is_null()) visit(root_, &manifest);
    return root_;
  }

 private:
  // How many values there are, the root among them.
  static size_t count(const Value& v) {
    size_t n = 1;
    if (v.is(Kind::List)) {
      for (const Value& item : v.as_list()) n += count(item);
    } else if (v.is(Kind::Map)) {
      for (const MapEntry& e : v.as_map()) n += count(e.value);
    }
    return n;
  }

  // `path_` leads to `node`. `manifest`: what is written there; null: nothing.
  void visit(const Value& node, const Value* manifest) {
    if (node.is(Kind::Map)) {
      for (const MapEntry& e : node.as_map()) {
        const Value* written = manifest == nullptr ? nullptr : find_member(*manifest, e.key.as_text());
        path_.push_back(e.key);
        bool is_default = written == nullptr && without_end();
        if (!is_default) visit(e.value, written);
        path_.pop_back();
      }
    } else if (node.is(Kind::List)) {
      std::vector<size_t> from(node.size(), kNone);
      if (manifest != nullptr && manifest->is(Kind::List)) from = origins(*manifest, node);
      for (size_t i = 0; i < node.size(); i++) {
        path_.push_back(Value::integer(static_cast<int64_t>(i)));
        visit(node.as_list()[i], from[i] == kNone ? nullptr : &manifest->as_list()[from[i]]);
        path_.pop_back();
      }
    }
  }

  // Removes the member at the path if the API server adds it again; returns whether it does.
  bool without_end() {
    if (trials_ == 0) return false;
    trials_--;
    Value less = removed(root_, 0);
    Value made = served_(less);
    if (made.is_null() || !same_data(made, wanted_)) return false;
    root_ = less;
    return true;
  }
  Value removed(const Value& node, size_t depth) {
    const Value& step = path_[depth];
    bool last = depth + 1 == path_.size();
    if (node.is(Kind::List)) {
      std::vector<Value> items(node.as_list().begin(), node.as_list().end());
      Value& item = items[static_cast<size_t>(step.as_int())];
      item = removed(item, depth + 1);
      return list_of(arena_, items);
    }
    std::vector<MapEntry> entries;
    for (const MapEntry& e : node.as_map()) {
      bool here = e.key.as_text() == step.as_text();
      if (!here) {
        entries.push_back(e);
      } else if (!last) {
        entries.push_back({e.key, removed(e.value, depth + 1)});
      }
    }
    return map_of(arena_, entries);
  }

  Arena& arena_;
  const std::function<Value(const Value&)>& served_;
  Value root_, wanted_;
  std::vector<Value> path_;
  size_t trials_;  // that are left
};

}  // namespace

Value carry(Arena& arena, const Value& manifest, const Value& before, const Value& after,
            UnwrittenItems unwritten) {
  if (same_data(before, after)) return manifest;
  if (manifest.is(Kind::Map) && before.is(Kind::Map) && after.is(Kind::Map))
    return carry_map(arena, manifest, before, after, unwritten);
  if (manifest.is(Kind::List) && before.is(Kind::List) && after.is(Kind::List))
    return carry_list(arena, manifest, before, after, unwritten);
  return after;
}

Value without_defaults(Arena& arena, const Value& carried, const Value& manifest,
                       const std::function<Value(const Value&)>& served) {
  return Trimmer(arena, carried, served).trim(manifest);
}

}  // namespace portcullis
