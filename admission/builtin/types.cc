#include "admission/builtin/types.h"

#include <array>
#include <bit>
#include <functional>
#include <unordered_map>
#include <vector>

#include "admission/builtin/merging.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/go_values.h"

namespace portcullis::builtin {
namespace {

#include "admission/builtin/types.inc"

// The texts as one array of characters: it has no pointers, so the loader relocates nothing.
constexpr size_t kTextSize = [] {
  size_t size = 0;
  for (std::string_view t : kTexts) size += t.size();
  return size;
}();
struct TextPool {
  char characters[kTextSize];
  uint32_t starts[std::size(kTexts) + 1];
};
constexpr TextPool kPool = [] {
  TextPool made{};
  uint32_t at = 0, n = 0;
  for (std::string_view t : kTexts) {
    made.starts[n++] = at;
    for (char c : t) made.characters[at++] = c;
  }
  made.starts[n] = at;
  return made;
}();
constexpr std::string_view pool_text(size_t i) {
  return {kPool.characters + kPool.starts[i], kPool.starts[i + 1] - kPool.starts[i]};
}

// The most bytes that the table may take in the program.
constexpr size_t kMaxTable = 300'000;
static_assert(sizeof kPool + sizeof kFields + sizeof kStructs + sizeof kKinds + sizeof kMerges < kMaxTable);

// The keys, in the order of kFields.
constexpr auto kAllKeys = [] {
  std::array<Value, std::size(kFields)> made;
  for (size_t i = 0; i < made.size(); ++i) made[i] = Value::string(pool_text(kFields[i].name));
  return made;
}();

// For each struct a small hash table from the first word of a key to a field; made once, then immutable.
class Names {
 public:
  Names() {
    tables_.reserve(std::size(kStructs));
    for (const StructRow& row : kStructs) {
      Table table{static_cast<uint32_t>(slots_.size()),
                  static_cast<uint32_t>(std::bit_ceil(row.count * 2u + 1u) - 1u)};
      slots_.resize(slots_.size() + table.mask + 1, kEmpty);
      for (uint16_t i = 0; i < row.count; ++i) {
        uint32_t at = hash(kAllKeys[row.first + i]) & table.mask;
        while (slots_[table.first + at] != kEmpty) at = (at + 1) & table.mask;
        slots_[table.first + at] = static_cast<uint8_t>(i);
      }
      tables_.push_back(table);
    }
  }

  int find(const StructRow& row, const Value& name) const {
    const Table& table = tables_[struct_index(row)];
    for (uint32_t at = hash(name) & table.mask;; at = (at + 1) & table.mask) {
      uint8_t i = slots_[table.first + at];
      if (i == kEmpty) return -1;
      const Value& key = kAllKeys[row.first + i];
      if (key.raw_head() == name.raw_head() && same_rest(key, name)) return i;
    }
  }

 private:
  static constexpr uint8_t kEmpty = kMaxFields;
  struct Table {
    uint32_t first, mask;
  };
  static uint32_t hash(const Value& key) {
    return static_cast<uint32_t>((key.raw_head() * 0x9e3779b97f4a7c15u) >> 40);
  }

  std::vector<Table> tables_;
  std::vector<uint8_t> slots_;
};

const Names& known_names() {
  static const Names all;
  return all;
}

}  // namespace

const StructRow* const kStructRows = kStructs;
const FieldRow* const kFieldRows = kFields;
constinit const Value* const kFieldKeys = kAllKeys.data();

int field_index(const StructRow& row, const Value& name) { return known_names().find(row, name); }

namespace {

// The kinds in a hash table by apiVersion and kind; made once.
class Kinds {
 public:
  Kinds() : slots_(std::bit_ceil(std::size(kKinds) * 2)) {
    for (const KindRow& row : kKinds) {
      size_t space = row.kind.find(' ');
      size_t at = hash(row.kind.substr(0, space), row.kind.substr(space + 1));
      while (slots_[at & (slots_.size() - 1)] != nullptr) ++at;
      slots_[at & (slots_.size() - 1)] = &row;
    }
  }
  const KindRow* find(std::string_view api_version, std::string_view kind) const {
    for (size_t at = hash(api_version, kind);; ++at) {
      const KindRow* row = slots_[at & (slots_.size() - 1)];
      if (row == nullptr || is(row->kind, api_version, kind)) return row;
    }
  }

 private:
  static size_t hash(std::string_view api_version, std::string_view kind) {
    std::hash<std::string_view> of;
    return of(api_version) * 31 + of(kind);
  }
  // Whether `row` is the two parts, separated by a space.
  static bool is(std::string_view row, std::string_view api_version, std::string_view kind) {
    return row.size() == api_version.size() + 1 + kind.size() && row[api_version.size()] == ' ' &&
           row.starts_with(api_version) && row.ends_with(kind);
  }
  std::vector<const KindRow*> slots_;
};

const KindRow* find_kind_row(std::string_view api_version, std::string_view kind) {
  static const Kinds all;
  const auto [group, version, well_formed] = split_api_version(api_version);
  return all.find(group.empty() && well_formed ? version : api_version, kind);  // "/v1" is "v1", as in Go
}

}  // namespace

const StructRow* find_kind(std::string_view api_version, std::string_view kind) {
  const KindRow* row = find_kind_row(api_version, kind);
  return row == nullptr ? nullptr : &kStructs[row->structure];
}

bool is_protocol_kind(std::string_view api_version, std::string_view kind) {
  const KindRow* row = find_kind_row(api_version, kind);
  return row != nullptr && !row->more;
}

const StructRow* find_struct(std::string_view path) {
  static const std::unordered_map<std::string_view, const StructRow*> by_path = [] {
    std::unordered_map<std::string_view, const StructRow*> made;
    for (const StructRow& row : kStructs) made.emplace(pool_text(row.path), &row);
    return made;
  }();
  auto found = by_path.find(path);
  return found == by_path.end() ? nullptr : found->second;
}

std::string_view group_of(const StructRow& row) {
  std::string_view path = pool_text(row.path);
  path = path.substr(0, path.rfind('/'));
  return path.substr(path.rfind('/') + 1);
}

std::string_view go_name(const StructRow& row) {
  const std::string_view path = pool_text(row.path);
  return path.substr(path.rfind('/') + 1);
}

std::span<const StructRow> all_structs() { return kStructs; }
std::span<const KindRow> all_kinds() { return kKinds; }
bool is_published(const KindRow& kind) { return kPublished[&kind - kKinds]; }
std::span<const MergeRow> all_merges() { return kMerges; }
std::string_view text_at(size_t index) { return pool_text(index); }

}  // namespace portcullis::builtin
