// SharedMap: a sorted map whose copies share what they have in common.
//
// Idea: the items are sorted and stand in chunks. A copy shares all chunks, and a change makes only those anew that it
// touches. So what changes little is exchanged at little cost, and who reads the map of before goes on without a lock.
// Tested by admission/engine/shared_map_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis {

// T has `SharedMapKey map_key() const`, which never changes.
using SharedMapKey = std::pair<std::string_view, std::string_view>;

template <class T>
class SharedMap {
 public:
  using Key = SharedMapKey;
  using Item = std::shared_ptr<const T>;
  // An item to add or replace; without one, that of the key goes.
  struct Change {
    Key key;
    Item item;
  };

  // Null if there is none.
  const T* find(const Key& key) const {
    auto chunk = std::ranges::upper_bound(chunks_, key, {}, first_of);
    if (chunk == chunks_.begin()) return nullptr;
    const Chunk& items = **--chunk;
    auto found = std::ranges::lower_bound(items, key, {}, key_of);
    return found != items.end() && key_of(*found) == key ? found->get() : nullptr;
  }

  // Calls `visit` with the items whose key begins with `first`, in order.
  template <class Visit>
  void each(std::string_view first, Visit visit) const {
    const Key from(first, {});
    auto chunk = std::ranges::upper_bound(chunks_, from, {}, first_of);
    if (chunk != chunks_.begin()) --chunk;
    auto item = chunk == chunks_.end() ? typename Chunk::const_iterator()
                                       : std::ranges::lower_bound(**chunk, from, {}, key_of);
    while (chunk != chunks_.end()) {
      for (; item != (*chunk)->end(); ++item) {
        if (key_of(*item).first != first) return;
        visit(**item);
      }
      if (++chunk != chunks_.end()) item = (*chunk)->begin();
    }
  }

  // Of several changes of one key the last one counts.
  void change(std::vector<Change> changes) {
    std::ranges::stable_sort(changes, {}, &Change::key);
    std::vector<ChunkPtr> made;
    made.reserve(chunks_.size() + 1);
    std::span<const Change> rest = changes;
    for (size_t i = 0; i < chunks_.size(); i++) {
      // What is before the next chunk belongs to this one.
      auto end = i + 1 == chunks_.size()
                     ? rest.end()
                     : std::ranges::lower_bound(rest, first_of(chunks_[i + 1]), {}, &Change::key);
      const auto count = static_cast<size_t>(end - rest.begin());
      if (count == 0)
        made.push_back(chunks_[i]);
      else
        append(merged(*chunks_[i], rest.first(count)), made);
      rest = rest.subspan(count);
    }
    append(merged({}, rest), made);
    chunks_ = std::move(made);
  }

  size_t size() const {
    size_t sum = 0;
    for (const ChunkPtr& c : chunks_) sum += c->size();
    return sum;
  }

 private:
  // The most items of a chunk: a change copies about as many pointers as there are chunks, and as a chunk has items.
  static constexpr size_t kMost = 128;
  using Chunk = std::vector<Item>;
  using ChunkPtr = std::shared_ptr<const Chunk>;

  static Key key_of(const Item& item) { return item->map_key(); }
  static Key first_of(const ChunkPtr& chunk) { return key_of(chunk->front()); }

  static Chunk merged(const Chunk& items, std::span<const Change> changes) {
    Chunk out;
    out.reserve(items.size() + changes.size());
    auto item = items.begin();
    for (size_t i = 0; i < changes.size(); i++) {
      const Change& c = changes[i];
      if (i + 1 < changes.size() && changes[i + 1].key == c.key) continue;
      while (item != items.end() && key_of(*item) < c.key) out.push_back(*item++);
      if (item != items.end() && key_of(*item) == c.key) ++item;
      if (c.item != nullptr) out.push_back(c.item);
    }
    out.insert(out.end(), item, items.end());
    return out;
  }

  // Adds items behind the others: to the last chunk if the two have few, and in several chunks if there are too many.
  static void append(Chunk items, std::vector<ChunkPtr>& to) {
    if (items.empty()) return;
    if (!to.empty() && to.back()->size() + items.size() <= kMost / 2) {
      items.insert(items.begin(), to.back()->begin(), to.back()->end());
      to.pop_back();
    }
    const size_t count = items.size(), parts = (count + kMost - 1) / kMost;
    for (size_t i = 0; i < parts; i++) {
      auto at = [&](size_t part) { return items.begin() + static_cast<ptrdiff_t>(count * part / parts); };
      to.push_back(std::make_shared<const Chunk>(at(i), at(i + 1)));
    }
  }

  std::vector<ChunkPtr> chunks_;  // none is empty
};

}  // namespace portcullis
