#include "admission/patching/merge.h"

#include <algorithm>

#include "admission/ownership/compare.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

using ownership::Declared;
using ownership::Form;
using ownership::MergeType;
using ownership::PathElement;

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kSeveral = UINT32_MAX - 1;  // the object has several of the element

// The indices of one element on both sides.
struct Shared {
  uint32_t left = kNone, right = kNone;
  bool merged = false;
};

class Merger {
 public:
  Merger(Arena& arena, MergeTrace* trace) : arena_(arena), trace_(trace) {}

  Value merge(const Value& left, const Value& right, const MergeType& type) {
    arena_.step();
    bool maps = left.is(Kind::Map) && left.size() != 0 && type.form != Form::Scalar && !type.atomic;
    bool lists = left.is(Kind::List) && left.size() != 0 && type.form == Form::List && !type.atomic;
    if (maps && (right.is(Kind::Map) || right.is_null())) return entries(left, right, type);
    if (lists && (right.is(Kind::List) || right.is_null())) return items(left, right, type);
    replaces_undeclared_ |= type.declared == Declared::Not && !has_form_of(right, left);
    bool whole = type.atomic && (right.is(Kind::List) || right.is(Kind::Map));
    if (trace_ != nullptr && whole) trace_->tell(MergeStep::Kind::Whole);
    return right;
  }
  // Whether a merge has replaced what its type does not declare.
  bool replaces_undeclared() const { return replaces_undeclared_; }

 private:
  // Whether `right` may be of the type of `left`, which it replaces: both are scalars of one sort, or `left` says
  // nothing about its type, as null and an empty list do.
  static bool has_form_of(const Value& right, const Value& left) {
    const auto is_number = [](const Value& v) {
      return v.is(Kind::Int) || v.is(Kind::Uint) || v.is(Kind::Double);
    };
    if (left.is(Kind::List)) return left.size() == 0 && right.is(Kind::List);
    return left.is_null() || left.kind() == right.kind() || (is_number(left) && is_number(right));
  }

  // Whether the list or map of the configuration is null or empty, so that the object's stays.
  bool kept(const Value& right) {
    if (!right.is_null() && right.size() != 0) return false;
    if (trace_ != nullptr) trace_->tell(MergeStep::Kind::Kept);
    return true;
  }

  Value merge_below(const Value& left, const Value& right, const MergeType& type, const PathElement& step) {
    if (trace_ == nullptr) return merge(left, right, type);
    trace_->enter(step);
    Value merged = merge(left, right, type);
    trace_->leave();
    return merged;
  }

  Value entries(const Value& left, const Value& right, const MergeType& type) {
    if (kept(right)) return left;
    MapEntry* made = alloc_entries(arena_, left.size() + right.size());
    size_t n = 0;
    for (const MapEntry& e : left.as_map()) {
      const Value* other = find_key(right, e.key);
      Value value = other == nullptr ? e.value
                                     : merge_below(e.value, *other, *ownership::entry_type(type, e.key),
                                                   {ownership::ElementKind::Field, e.key});
      new (&made[n++]) MapEntry{e.key, value};
    }
    for (const MapEntry& e : right.as_map()) {
      if (find_key(left, e.key) == nullptr) new (&made[n++]) MapEntry(e);
    }
    return make_native_map(made, n);
  }

  // Numbers the elements of both lists, which have some; equal elements have equal numbers. Returns how many there are.
  uint32_t number(const Value& left, const Value& right, const MergeType& type, uint32_t* numbers) {
    size_t n = left.size() + right.size();
    auto* elements = arena_.array<PathElement>(n);
    auto* order = arena_.array<uint32_t>(n);
    for (uint32_t i = 0; i < n; ++i) {
      const Value& item = i < left.size() ? left.as_list()[i] : right.as_list()[i - left.size()];
      ownership::element_of(arena_, type, item, *new (&elements[i]) PathElement);
      order[i] = i;
    }
    std::sort(order, order + n,
              [&](uint32_t a, uint32_t b) { return ownership::compare(elements[a], elements[b]) < 0; });
    uint32_t next = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i != 0 && ownership::compare(elements[order[i - 1]], elements[order[i]]) != 0) ++next;
      numbers[order[i]] = next;
    }
    return next + 1;
  }

  Value items(const Value& left, const Value& right, const MergeType& type) {
    if (kept(right)) return left;
    auto* lefts = arena_.array<uint32_t>(left.size() + right.size());
    uint32_t distinct = number(left, right, type, lefts);
    const uint32_t* rights = lefts + left.size();
    auto* shared = arena_.array<Shared>(distinct);
    for (uint32_t i = 0; i < distinct; ++i) new (&shared[i]) Shared;
    for (uint32_t i = 0; i < left.size(); ++i) {
      uint32_t& place = shared[lefts[i]].left;
      place = place == kNone ? i : kSeveral;
    }
    for (uint32_t i = 0; i < right.size(); ++i) shared[rights[i]].right = i;
    return in_order(left, right, type, lefts, rights, shared);
  }

  // Upstream's walk over both lists: items that only the object has are appended when met, shared ones when
  // it is their turn among the items of the configuration.
  Value in_order(const Value& left, const Value& right, const MergeType& type, const uint32_t* lefts,
                 const uint32_t* rights, Shared* shared) {
    Value* out = arena_.array<Value>(left.size() + right.size());
    size_t n = 0, l = 0, r = 0, turn = 0;
    auto next_turn = [&] {  // of the configuration's items that the object has, too
      while (turn < right.size() && shared[rights[turn]].left == kNone) ++turn;
    };
    auto merge_right = [&] {
      Shared& s = shared[rights[r]];
      s.merged = true;
      const Value& given = right.as_list()[r];
      replaces_undeclared_ |= s.left == kSeveral && type.declared != Declared::Fully;
      if (trace_ != nullptr) enter_item(type, given, s, n);
      Value value = s.left == kNone ? given
                                    : merge(s.left == kSeveral ? Value::null() : left.as_list()[s.left],
                                            given, *type.item);
      if (trace_ != nullptr) trace_->leave();
      new (&out[n++]) Value(value);
      if (turn < right.size() && rights[turn] == rights[r]) {
        ++turn;
        next_turn();
      }
      ++r;
    };
    next_turn();
    while (l < left.size() || r < right.size()) {
      if (l < left.size() && r < right.size()) {
        if (lefts[l] == rights[r]) {
          merge_right();
          ++l;
          continue;
        }
        bool waits = turn < right.size() && rights[turn] != lefts[l];
        if (shared[lefts[l]].right != kNone && waits) {
          ++l;
          continue;
        }
      }
      if (l < left.size()) {
        if (shared[lefts[l]].right == kNone) {
          new (&out[n++]) Value(left.as_list()[l++]);
          continue;
        }
        if (shared[lefts[l]].merged) ++l;
      }
      if (r < right.size()) merge_right();
    }
    return Value::list(out, n, kNativeList);
  }

  // Enters an item of the configuration, which will be at index `to`.
  void enter_item(const MergeType& type, const Value& item, const Shared& shared, size_t to) {
    PathElement element;
    ownership::element_of(arena_, type, item, element);
    trace_->enter(element);
    if (shared.left == kNone) return trace_->tell(MergeStep::Kind::New, 0, to);
    if (shared.left == kSeveral) return trace_->tell(MergeStep::Kind::Replaces, 0, to);
    trace_->tell(MergeStep::Kind::Meets, shared.left, to);
  }

  Arena& arena_;
  MergeTrace* trace_;
  bool replaces_undeclared_ = false;
};

}  // namespace

std::optional<Value> merge(Arena& arena, const Value& object, const Value& native, const MergeType& type,
                           MergeTrace* trace) {
  Merger merger(arena, trace);
  const Value merged = merger.merge(object, native, type);
  if (merger.replaces_undeclared()) return std::nullopt;
  return merged;
}

}  // namespace portcullis::patching
