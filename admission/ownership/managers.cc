#include "admission/ownership/managers.h"

#include <algorithm>
#include <new>
#include <tuple>

#include "interpreter/values/member.h"
#include "interpreter/values/native.h"

namespace portcullis::ownership {
namespace {

// The most entries of updates that stay separate; beyond that, the oldest are merged.
constexpr size_t kMaxUpdates = 10;
constexpr std::string_view kOldUpdates = "ancient-changes";

// Fields that no manager owns.
constexpr std::string_view kNobodys[] = {"apiVersion",
                                         "kind",
                                         "metadata",
                                         "metadata.name",
                                         "metadata.namespace",
                                         "metadata.creationTimestamp",
                                         "metadata.selfLink",
                                         "metadata.uid",
                                         "metadata.clusterName",
                                         "metadata.generation",
                                         "metadata.managedFields",
                                         "metadata.resourceVersion"};

struct Entry {
  std::string_view manager, api_version, subresource;
  Value time;  // null if absent
  bool applied = false;
  size_t number = 0;  // index in the list that it was read from
  FieldSet set;

  // The key of an entry: a list has one entry for each owner. An applier has one for all versions.
  auto owner() const {
    return std::tuple(manager, subresource, applied, applied ? std::string_view() : api_version);
  }
  std::string_view seconds() const { return time.is(Kind::String) ? time.as_text() : std::string_view(); }
};

// Entries in an arena, with room for the largest list.
class Entries {
 public:
  Entries(Arena& arena, size_t room) : first_(arena.array<Entry>(room)), last_(first_) {}

  Entry* begin() { return first_; }
  Entry* end() { return last_; }
  const Entry* begin() const { return first_; }
  const Entry* end() const { return last_; }
  size_t size() const { return static_cast<size_t>(last_ - first_); }
  bool empty() const { return first_ == last_; }
  void clear() { last_ = first_; }
  Entry& add(const Entry& entry) { return *new (last_++) Entry(entry); }
  // Keeps only the first of neighbours with the same owner.
  void drop_repeated() {
    last_ = std::unique(first_, last_, [](const Entry& a, const Entry& b) { return a.owner() == b.owner(); });
  }
  template <class Which>
  void drop(Which which) {
    last_ = std::remove_if(first_, last_, which);
  }

 private:
  Entry* first_;
  Entry* last_;
};

bool read_entry(Arena& arena, const Value& data, Entry& out) {
  if (!data.is(Kind::Map)) return false;
  std::string_view operation = text_member(data, "operation");
  out.applied = operation == "Apply";
  if (!out.applied && operation != "Update") return false;
  out.manager = text_member(data, "manager");
  out.api_version = text_member(data, "apiVersion");
  out.subresource = text_member(data, "subresource");
  const Value *time = find_member(data, "time"), *fields = find_member(data, "fieldsV1");
  out.time = time == nullptr ? Value::null() : *time;
  if (out.api_version.empty() || text_member(data, "fieldsType") != "FieldsV1") return false;
  return read_fields(arena, fields == nullptr ? Value::null() : *fields, out.set);
}

// Reads the entries of `list`. If one is invalid, returns false and no entry. The later of two entries of one
// owner wins.
bool read_entries(Arena& arena, const Value& list, Entries& out) {
  out.clear();
  for (size_t i = 0; list.is(Kind::List) && i < list.size(); ++i) {
    Entry entry;
    if (!read_entry(arena, list.as_list()[i], entry)) return out.clear(), false;
    entry.number = i;
    out.add(entry);
  }
  std::ranges::sort(out, [](const Entry& a, const Entry& b) {
    return a.owner() != b.owner() ? a.owner() < b.owner() : a.number > b.number;
  });
  out.drop_repeated();
  return true;
}

// Whether a list asks to clear managedFields: it is empty, or holds one empty entry.
bool is_reset(const Value& list) {
  if (!list.is(Kind::List)) return false;
  if (list.size() != 1) return list.size() == 0;
  const Value& entry = list.as_list()[0];
  return entry.is(Kind::Map) && std::ranges::all_of(entry.as_map(), [](const MapEntry& e) {
           return e.value.is_null() || (e.value.is(Kind::String) && e.value.size() == 0);
         });
}

// The entries that the request starts from, with room for one more.
Entries known_entries(Arena& arena, const Manager& manager, const Change& change) {
  auto count = [](const Value& list) { return list.is(Kind::List) ? list.size() : 0; };
  Entries out(arena, std::max(count(change.before_list), count(change.after_list)) + 1);
  if (manager.subresource.empty()) {
    if (is_reset(change.after_list)) return out;
    if (read_entries(arena, change.after_list, out) && !out.empty()) return out;
  }
  read_entries(arena, change.before_list, out);
  return out;
}

Value write_entry(Arena& arena, const Entry& e) {
  MapEntry* entries = alloc_entries(arena, 7);
  size_t n = 0;
  auto add = [&](std::string_view key, const Value& v) { entries[n++] = {Value::string(key), v}; };
  if (!e.manager.empty()) add("manager", Value::string(e.manager));
  add("operation", Value::string(e.applied ? "Apply" : "Update"));
  add("apiVersion", Value::string(e.api_version));
  if (e.time.is(Kind::String)) add("time", e.time);
  add("fieldsType", Value::string("FieldsV1"));
  add("fieldsV1", to_fields(arena, e.set));
  if (!e.subresource.empty()) add("subresource", Value::string(e.subresource));
  return make_native_map(entries, n);
}

// The order of a list: appliers first, then by time. All times have one format, so they sort as texts.
bool comes_before(const Entry& a, const Entry& b) {
  if (a.applied != b.applied) return a.applied;
  if (a.seconds() != b.seconds()) return a.seconds() < b.seconds();
  if (a.manager != b.manager) return a.manager < b.manager;
  return a.api_version != b.api_version ? a.api_version < b.api_version : a.subresource < b.subresource;
}

Value write_entries(Arena& arena, Entries& all) {
  if (all.empty()) return Value::null();
  std::ranges::sort(all, comes_before);
  Value* items = arena.array<Value>(all.size());
  for (size_t i = 0; i < all.size(); ++i) new (&items[i]) Value(write_entry(arena, all.begin()[i]));
  return Value::list(items, all.size(), kNativeList);
}

// Merges the oldest updates of each version until at most kMaxUpdates remain.
void cap(Arena& arena, Entries& all) {
  auto updates = static_cast<size_t>(std::ranges::count(all, false, &Entry::applied));
  if (updates <= kMaxUpdates) return;
  std::ranges::sort(all, comes_before);
  Entry* first = all.end() - updates;
  // Which entries merge into the oldest entry of their version. Only versions that the server knows get here,
  // so they are few.
  Entry** bucket_of = arena.array<Entry*>(updates);
  Entry* end = first;
  for (size_t left = updates; end != all.end() && left > kMaxUpdates; ++end) {
    Entry* bucket =
        std::find_if(first, end, [&](const Entry& o) { return o.api_version == end->api_version; });
    bucket_of[end - first] = bucket;
    left -= bucket != end;
  }
  // If two entries spell a value differently (1 and 1.0), the spelling of the newest stays.
  FieldSet* sets = arena.array<FieldSet>(updates);
  for (Entry* bucket = first; bucket != end; ++bucket) {
    if (bucket_of[bucket - first] != bucket) continue;
    size_t n = 0;
    Entry* newest = bucket;
    for (Entry* e = end; e-- != bucket;) {
      if (bucket_of[e - first] != bucket) continue;
      if (n == 0) newest = e;
      sets[n++] = e->set;
      if (e != bucket) e->set = {};
    }
    if (n == 1) continue;
    bucket->manager = kOldUpdates;
    bucket->subresource = {};
    bucket->time = newest->time;
    bucket->set = unite_all(arena, {sets, n});
  }
  all.drop([](const Entry& e) { return e.set.empty(); });
}

class Request {
 public:
  Request(Arena& arena, const Manager& manager, const Change& change, const Versions& versions)
      : arena_(arena), manager_(manager), change_(change), versions_(versions) {}

  // Returns false, and leaves managedFields unchanged, if the objects cannot be compared.
  bool run(Entries& all) {
    compared_ = arena_.array<Compared>(all.size() + 1);
    if (!adapt(all)) return false;
    const Compared* own = compared(manager_.api_version);
    if (own == nullptr || !own->fits) return false;
    yield(all);
    FieldSet set = unite(arena_, own->changes.modified, own->changes.added);
    set = versions_.without_reset(arena_, set, manager_.api_version);
    for (std::string_view path : kNobodys) set = subtract(arena_, set, path_set(arena_, path));
    if (!set.empty()) take(all, set);
    return true;
  }

 private:
  struct Compared {
    std::string_view api_version;
    bool fits = false;  // whether both objects conform to the type of the version
    Comparison changes;
    const MergeType* type = nullptr;
  };

  // The changes of this request at a version; null if there is no such version.
  const Compared* compared(std::string_view api_version) {
    for (size_t i = 0; i < compared_count_; ++i) {
      if (compared_[i].api_version == api_version) return &compared_[i];
    }
    auto before = versions_.at(arena_, change_.before, api_version);
    if (!before) return nullptr;
    auto after = versions_.at(arena_, change_.after, api_version);
    if (!after) return nullptr;
    Compared& made = *new (&compared_[compared_count_++]) Compared{api_version, false, {}, after->type};
    made.fits = conforms(before->object, *made.type, Source::Decoded) &&
                conforms(after->object, *made.type, Source::Decoded);
    if (made.fits) {
      Comparison all = compare_objects(arena_, before->object, after->object, *made.type);
      auto kept = [&](const FieldSet& s) { return versions_.without_reset(arena_, s, api_version); };
      made.changes = {kept(all.added), kept(all.modified), kept(all.removed)};
    }
    return &made;
  }

  // Drops entries of versions that are no longer served, and adapts the others to the present schema.
  bool adapt(Entries& all) {
    all.drop([&](const Entry& e) { return compared(e.api_version) == nullptr; });
    for (Entry& e : all) {
      const Compared& c = *compared(e.api_version);
      if (!c.fits) return false;
      e.set = reconcile(arena_, e.set, *c.type);
    }
    return true;
  }

  // Takes the fields that this request sets or removes from all entries.
  void yield(Entries& all) {
    for (Entry& e : all) {
      const Comparison& changes = compared(e.api_version)->changes;
      for (const FieldSet* gone : {&changes.modified, &changes.added, &changes.removed})
        e.set = subtract(arena_, e.set, *gone);
    }
    all.drop([](const Entry& e) { return e.set.empty(); });
  }

  void take(Entries& all, const FieldSet& set) {
    Entry mine;
    mine.manager = manager_.name.empty() ? std::string_view("unknown") : manager_.name;
    mine.api_version = manager_.api_version;
    mine.subresource = manager_.subresource;
    auto same = std::ranges::find_if(all, [&](const Entry& e) { return e.owner() == mine.owner(); });
    if (same == all.end()) same = &all.add(mine);
    same->time = Value::string(manager_.now);
    same->set = unite(arena_, set, same->set);
  }

  Arena& arena_;
  const Manager& manager_;
  const Change& change_;
  const Versions& versions_;
  Compared* compared_ = nullptr;  // room for the version of the request and of each entry
  size_t compared_count_ = 0;
};

}  // namespace

Value manage_fields(Arena& arena, const Manager& manager, const Change& change, const Versions& versions) {
  Entries all = known_entries(arena, manager, change);
  if (all.empty() && !change.creates) return Value::null();
  if (!Request(arena, manager, change, versions).run(all)) return change.before_list;
  cap(arena, all);
  return write_entries(arena, all);
}

}  // namespace portcullis::ownership
