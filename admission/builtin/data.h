// Data: a decoded object of a built-in kind, whose fields are read by name.
//
// Idea: a view of a slot (object.h), so that absent, null, zero and empty values stay distinct exactly as in
// Go structs, and nothing is stored twice. Callers chain fields: d["spec"]["paramKind"].set.
// Limits: read-only. The arena of the object must outlive it, and so must the input that its texts refer to.
// Load and validation use it, decisions never. Tested by admission/builtin/registration_test.cc and
// tests/oracle/mutate_policies.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/builtin/object.h"

namespace portcullis {

class Data;

// The items of a list, as Data.
class DataList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = ptrdiff_t;
    using value_type = Data;
    using pointer = void;
    using reference = Data;

    explicit Iterator(const Value* at) : at_(at) {}
    Data operator*() const;
    Iterator& operator++() { return ++at_, *this; }
    bool operator==(const Iterator&) const = default;

   private:
    const Value* at_;
  };

  DataList() = default;
  explicit DataList(std::span<const Value> values) : values_(values) {}
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  Data operator[](size_t i) const;
  Iterator begin() const { return Iterator(values_.data()); }
  Iterator end() const { return Iterator(values_.data() + values_.size()); }

 private:
  std::span<const Value> values_;
};

class Data {
 public:
  // An absent value; every field of an absent struct is one.
  Data() = default;
  explicit Data(const Value& slot, const builtin::FieldRow* field = nullptr);
  explicit Data(const builtin::Object& object) : Data(Value::opaque(&object)) {}

  // The field of this name; an absent value if this is no struct or has no such field.
  Data operator[](std::string_view field) const;
  // The text of a field.
  std::string_view field_text(std::string_view field) const { return (*this)[field].text; }
  bool is_struct() const { return builtin::is_object(value); }
  size_t size() const { return items.size(); }
  // The entries of a map of texts, sorted by key.
  std::vector<std::pair<std::string_view, std::string_view>> sorted_texts() const;

  Value value = builtin::absent();           // the slot
  const builtin::FieldRow* field = nullptr;  // of the slot; null for an item of a list and for a whole object
  bool set = false;                          // the value is present; for a pointer, list or map: not nil
  bool flag = false;                         // of a boolean
  int64_t number = 0;                        // of an integer
  std::string_view text;                     // of a string; a time as it is printed; bytes as base64
  DataList items;                            // of a list
};

inline Data DataList::Iterator::operator*() const { return Data(*at_); }
inline Data DataList::operator[](size_t i) const { return Data(values_[i]); }

// Semantic.DeepEqual of Kubernetes: nil equals an empty list or map.
bool semantic_equal(const Data& a, const Data& b);
// reflect.DeepEqual.
bool deep_equal(const Data& a, const Data& b);

// A struct as JSON, with keys in byte order at every level.
std::string sorted_json(const Data& data);
// The same with keys in the order of the fields, as messages show it.
std::string go_json(const Data& data);
// A list of texts as Go marshals it to JSON.
std::string strings_json(const Data& list);

}  // namespace portcullis
