// Data: a decoded object of a built-in kind, read by the names of fields.
//
// Idea: a view of a slot (object.h), so that "absent", "null", "zero" and "empty" stay apart exactly as they do in
// Go's structs, and nothing is held twice. What is there is asked field by field: d["spec"]["paramKind"].set.
// Limits: reads only; the arena of the object, and what its texts are views of, must outlive it. For load and
// validation, never per decision. Tested by admission/builtin/registration_test.cc and tests/oracle/mutate_policies.py.
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

// The elements of a list, as Data.
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
  // Nothing: what a struct that is not there has for fields.
  Data() = default;
  explicit Data(const Value& slot, const builtin::FieldRow* field = nullptr);
  explicit Data(const builtin::Object& object) : Data(Value::opaque(&object)) {}

  // The field of this name; nothing if this is no struct or has no such field.
  Data operator[](std::string_view field) const;
  // The text of a field.
  std::string_view field_text(std::string_view field) const { return (*this)[field].text; }
  bool is_struct() const { return builtin::is_object(value); }
  size_t size() const { return items.size(); }
  // Of a map of texts, by key.
  std::vector<std::pair<std::string_view, std::string_view>> sorted_texts() const;

  Value value = builtin::absent();           // the slot
  const builtin::FieldRow* field = nullptr;  // of the slot; null for an element of a list and a whole object
  bool set = false;                          // it is there: of a pointer, list or map that it is not nil
  bool flag = false;                         // of a boolean
  int64_t number = 0;                        // of an integer
  std::string_view text;                     // of a text; of a time as it is printed; of bytes their base64
  DataList items;                            // of a list
};

inline Data DataList::Iterator::operator*() const { return Data(*at_); }
inline Data DataList::operator[](size_t i) const { return Data(values_[i]); }

// Kubernetes' Semantic.DeepEqual: nil and empty lists and maps are equal.
bool semantic_equal(const Data& a, const Data& b);
// reflect.DeepEqual.
bool deep_equal(const Data& a, const Data& b);

// A struct as Go marshals it, keys in byte order at every level.
std::string sorted_json(const Data& data);
// The same in the order of the struct's fields (for messages).
std::string go_json(const Data& data);
// A list of texts as Go marshals it.
std::string strings_json(const Data& list);

}  // namespace portcullis
