#include "admission/patching/json_patch.h"

#include <algorithm>

#include "admission/builtin/plain.h"
#include "admission/expressions/patches.h"
#include "admission/patching/edited.h"
#include "admission/patching/json_size.h"
#include "admission/patching/json_value.h"
#include "admission/patching/type_names.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/formats/number.h"
#include "interpreter/values/json.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

constexpr std::string_view kMissing = ": missing value";
constexpr uint64_t kMostCounted = uint64_t{64} << 20;  // of one value, which may share parts
// Upstream only measures values that it writes: those it copies, and the result. Operations may leave one value that
// is too deep, so that its error is the one that upstream finds; a deeper one ends the patch at once.
constexpr int kDeepest = 2 * kMaxJsonDepth;
// Upstream says the first half once for each level between the value and the part that is too deep.
constexpr std::string_view kTooDeep =
    "json: error calling MarshalJSON for type *jsonpatch.lazyNode: exceeded max depth";

// Decodes the escapes of a JSON pointer: ~1 is /, then ~0 is ~, in one pass.
std::string_view unescaped_part(Arena& arena, std::string_view part) {
  if (part.find('~') == part.npos) return part;
  TextBuilder out(arena);
  for (size_t i = 0; i < part.size(); ++i) {
    bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    out.append(escape ? (part[++i] == '1' ? '/' : '~') : part[i]);
  }
  return out.view();
}

// Upstream writes operations as JSON with Go's escapes, some of which JSON does not have. Returns the first
// character of such an escape; 0 if `text` has none. Ordinary text takes one test per byte.
char bad_escape(std::string_view text) {
  bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  while (!plain && !text.empty()) {
    utf8::Rune rune = utf8::decode(text);
    text.remove_prefix(rune.size);
    char32_t c = rune.value;
    if (c == '\a') return 'a';
    if (c == '\v') return 'v';
    if (c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c < 0x20 || c == 0x7f || (c == utf8::kReplacement && rune.size == 1)) return 'x';
    if (c > 0xffff && !is_printable(c)) return 'U';
  }
  return 0;
}

// `data` with the members of all maps sorted by name.
Value with_sorted_members(Arena& arena, const Value& data) {
  arena.step();
  if (data.is(Kind::List)) {
    Value* items = arena.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i)
      new (&items[i]) Value(with_sorted_members(arena, data.as_list()[i]));
    return Value::list(items, data.size(), kNativeList);
  }
  if (!data.is(Kind::Map)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const MapEntry& e = data.as_map()[i];
    new (&entries[i]) MapEntry{e.key, with_sorted_members(arena, e.value)};
  }
  sort_members(entries, data.size());
  return make_native_map(entries, data.size());
}

// Whether `v` nests lists and maps more than `most` deep. Visits no more levels than that.
bool is_deeper(Arena& arena, const Value& v, int most) {
  arena.step();
  if (!v.is(Kind::List) && !v.is(Kind::Map)) return false;
  if (most <= 0) return true;
  if (v.is(Kind::List)) {
    for (const Value& item : v.as_list())
      if (is_deeper(arena, item, most - 1)) return true;
  } else {
    for (const MapEntry& entry : v.as_map())
      if (is_deeper(arena, entry.value, most - 1)) return true;
  }
  return false;
}

class JsonPatch {
 public:
  JsonPatch(Arena& arena, const Value& object, MemberOrder order)
      : arena_(arena), document_(arena, object, order == MemberOrder::Written), order_(order) {}

  // False if the operation failed, or a test did.
  bool apply(const JsonOperation& op) {
    op_ = op;
    value_ = op.has_value ? &op_.value : nullptr;
    if (op.op == "add") return add();
    if (op.op == "remove") return remove();
    if (op.op == "replace") return replace();
    if (op.op == "move") return move();
    if (op.op == "test") return test();
    if (op.op == "copy") return copy();
    return fail({"Unexpected kind: ", op.op});
  }

  bool test_failed() const { return test_failed_; }
  std::string_view error() const { return error_; }
  Value finished() const { return document_.copied(document_.root); }

 private:
  // The parent that a path leads to, and the last part of the path. `place` is null if an earlier part does
  // not exist. A null inserted by an operation exists, but nothing can be below it.
  struct Parent {
    Value* place = nullptr;
    std::string_view key;

    explicit operator bool() const { return place != nullptr; }
  };

  bool fail(std::initializer_list<std::string_view> parts) {
    error_ = joined(arena_, parts);
    return false;
  }

  static bool is_nothing(const Value& v) { return v.is_null(); }
  static bool is_container(const Value& v) {
    return EditedDocument::is_list(v) || EditedDocument::is_map(v) || is_put_null(v);
  }

  // Finds the parent for `path`. `writing`: the lists and maps on the path are about to change.
  Parent parent_of(std::string_view path, bool writing) {
    size_t slash = path.find('/');
    Value* at = &document_.root;
    if (slash == path.npos || !is_container(*at)) return {};
    path.remove_prefix(slash + 1);
    while ((slash = path.find('/')) != path.npos) {
      Value* next = below(*at, unescaped_part(arena_, path.substr(0, slash)), writing);
      if (next == nullptr || !is_container(*next)) return {};
      at = next;
      path.remove_prefix(slash + 1);
    }
    if (writing) document_.open(*at);
    return {at, unescaped_part(arena_, path)};
  }

  Value* below(Value& place, std::string_view key, bool writing) {
    Node* node = writing ? document_.open(place) : nullptr;
    if (EditedDocument::is_list(place)) {
      int64_t i = index_of(place, key);
      if (i < 0) return nullptr;
      return node != nullptr ? &node->items[i] : const_cast<Value*>(&EditedDocument::items(place)[i]);
    }
    if (!EditedDocument::is_map(place)) return nullptr;
    return node != nullptr ? document_.find(*node, Value::string(key))
                           : const_cast<Value*>(document_.find(place, Value::string(key)));
  }

  // The index in a list that `key` means; -1 if there is none, with the reason in `get_error_`.
  int64_t index_of(const Value& list, std::string_view key) {
    auto size = static_cast<int64_t>(EditedDocument::size(list));
    return checked_index(key, size, size);
  }

  // The index that `key` means among `end` places, of which those from `bound` on do not exist.
  int64_t checked_index(std::string_view key, int64_t bound, int64_t end) {
    ReadValue<int64_t> index = read_int(key);
    TextBuilder text(arena_);
    if (!index) {
      append_atoi_error(text, key, index.status);
    } else if (index.value >= bound || index.value < -end) {
      text.append("Unable to access invalid index: ");
      append_int(text, index.value);
      text.append(": invalid index referenced");
    }
    index_error_ = text.view();
    return !index_error_.empty() ? -1 : index.value < 0 ? index.value + end : index.value;
  }

  // con.get(): false with index_error_; an absent value is null.
  bool get(const Parent& parent, Value*& out) {
    out = nullptr;
    index_error_ = {};
    if (is_put_null(*parent.place)) return true;
    out = below(*parent.place, parent.key, false);
    return index_error_.empty();
  }

  // Whether `value` may stand at the path of the operation; an error if it nests too deep there.
  bool has_room(const Value& value) {
    auto level = static_cast<int>(std::ranges::count(op_.path, '/'));
    return !is_deeper(arena_, value, kDeepest - level) || fail({kTooDeep});
  }

  // con.add(): false with `why` in index_error_.
  bool put(const Parent& parent, const Value& value) {
    Node* node = document_.open(*parent.place);
    if (!node->is_list) return document_.put(*node, Value::string(parent.key), value), true;
    if (parent.key == "-") return document_.insert(*node, node->count, value), true;
    int64_t room = int64_t{node->count} + 1;
    int64_t at = checked_index(parent.key, room, room);
    if (at < 0) {
      if (index_error_.starts_with("strconv.")) {
        index_error_ =
            joined(arena_, {"value was not a proper array index: '", parent.key, "': ", index_error_});
      }
      return false;
    }
    return document_.insert(*node, static_cast<uint32_t>(at), value), true;
  }

  // con.remove(): false with `why` in index_error_.
  bool take(const Parent& parent) {
    Node* node = document_.open(*parent.place);
    if (node != nullptr && node->is_list) {
      int64_t at = index_of(*parent.place, parent.key);
      if (at >= 0) document_.remove(*node, static_cast<uint32_t>(at));
      return at >= 0;
    }
    if (node != nullptr && document_.remove(*node, Value::string(parent.key))) return true;
    index_error_ = joined(arena_, {"Unable to remove nonexistent key: ", parent.key, kMissing});
    return false;
  }

  // A value of the document for another place: marks of Go structs hold only for the present one (decoded.h).
  Value elsewhere(const Value& place) const {
    return is_put_null(place) ? place : builtin::plain_throughout(arena_, document_.copied(place));
  }

  // The value that an operation inserts; null of its own kind if it is null, and plain null if it is absent.
  Value given() const {
    if (value_ == nullptr) return Value::null();
    if (value_->is_null()) return put_null();
    return order_ == MemberOrder::Written ? with_sorted_members(arena_, *value_) : *value_;
  }

  // "add operation failed to decode path: ...", which some operations report without the reason.
  bool has_path(std::string_view operation, bool with_reason) {
    if (op_.path_error.empty()) return true;
    if (!with_reason) return fail({operation, " operation failed to decode path", kMissing});
    return fail({operation, " operation failed to decode path: ", op_.path_error});
  }

  bool has_from(std::string_view operation) {
    return op_.from_error.empty() || fail({operation, " operation failed to decode from: ", op_.from_error});
  }

  bool add() {
    if (!has_path("add", false)) return false;
    Parent parent = parent_of(op_.path, true);
    if (!parent || is_put_null(*parent.place))
      return fail({"add operation does not apply: doc is missing path: \"", op_.path, "\"", kMissing});
    Value value = given();
    if (!has_room(value)) return false;
    return put(parent, value) || fail({"error in add for path: '", op_.path, "': ", index_error_});
  }

  bool remove() {
    if (!has_path("remove", false)) return false;
    Parent parent = parent_of(op_.path, true);
    if (!parent)
      return fail({"remove operation does not apply: doc is missing path: \"", op_.path, "\"", kMissing});
    return take(parent) || fail({"error in remove for path: '", op_.path, "': ", index_error_});
  }

  bool replace() {
    if (!has_path("replace", true)) return false;
    if (op_.path.empty()) return replace_all();
    Parent parent = parent_of(op_.path, true);
    if (!parent || is_put_null(*parent.place))
      return fail({"replace operation does not apply: doc is missing path: ", op_.path, kMissing});
    Value value = given();
    if (!has_room(value)) return false;
    Node* node = document_.open(*parent.place);
    if (!node->is_list) return document_.put(*node, Value::string(parent.key), value), true;
    int64_t at = index_of(*parent.place, parent.key);
    if (at < 0) return fail({"replace operation does not apply: doc is missing key: ", op_.path, kMissing});
    return node->items[at] = value, true;
  }

  bool replace_all() {
    Value value = given();
    if (!is_container(value)) return fail({"replace operation value must be object or array: %!w(<nil>)"});
    return has_room(value) && (document_.root = value, true);
  }

  bool move() {
    if (!has_from("move")) return false;
    Parent from = parent_of(op_.from, true);
    if (!from) return fail({"move operation does not apply: doc is missing from path: ", op_.from, kMissing});
    Value* there = nullptr;
    bool got = get(from, there);
    Value moved = there != nullptr ? elsewhere(*there) : Value::null();
    if (!got || !take(from)) return fail({"error in move for path: '", from.key, "': ", index_error_});
    if (!has_path("move", true)) return false;
    Parent to = parent_of(op_.path, true);
    if (!to || is_put_null(*to.place))
      return fail({"move operation does not apply: doc is missing destination path: ", op_.path, kMissing});
    if (!has_room(moved)) return false;
    return put(to, moved) || fail({"error in move for path: '", op_.path, "': ", index_error_});
  }

  bool copy() {
    if (!has_from("copy")) return false;
    Parent from = parent_of(op_.from, false);
    if (!from) return fail({"copy operation does not apply: doc is missing from path: ", op_.from, kMissing});
    Value* there = nullptr;
    if (!get(from, there)) return fail({"error in copy for from: '", op_.from, "': ", index_error_});
    if (!has_path("copy", false)) return false;
    Parent to = parent_of(op_.path, true);
    if (!to || is_put_null(*to.place))
      return fail({"copy operation does not apply: doc is missing destination path: ", op_.path, kMissing});
    // The value is taken now: the way to a destination within it opens it, which sorts its keys.
    if (there != nullptr) get(parent_of(op_.from, false), there);
    const Value source = there != nullptr ? *there : Value::null();
    Value made = source;
    if (!source.is_null() && !count_copied(source, made)) return false;
    if (!has_room(made)) return false;
    return put(to, made) || fail({"error while adding value during copy: ", index_error_});
  }

  bool count_copied(const Value& source, Value& made) {
    made = elsewhere(source);
    // The parts of a value are measured, not the value itself.
    if (is_deeper(arena_, made, kMaxJsonDepth + 1))
      return fail({"error while performing deep copy: ", kTooDeep});
    copied_ += json_size(made, kMostCounted);
    if (copied_ > kMostCopied) {
      TextBuilder text(arena_);
      append_uint(text, copied_);
      text.append(", exceeding the limit ");
      append_uint(text, kMostCopied);
      return fail({"Unable to complete the copy, the accumulated size increase of copy is ", text.view()});
    }
    return true;
  }

  bool test() {
    if (!has_path("test", true)) return false;
    Value* there = &document_.root;
    if (!op_.path.empty()) {
      Parent parent = parent_of(op_.path, false);
      if (!parent) return fail({"test operation does not apply: is missing path: ", op_.path, kMissing});
      if (!get(parent, there)) return fail({"error in test for path: '", op_.path, "': ", index_error_});
    }
    bool none = there == nullptr || is_nothing(*there);
    test_failed_ = none ? value_ != nullptr : value_ == nullptr || !equal(*there, *value_);
    return !test_failed_ || fail({"testing value ", op_.path, " failed: test failed"});
  }

  // Compares a place that is not null with the operation's value: null equals an empty list or map.
  bool equal(const Value& place, const Value& given) const {
    bool put = is_put_null(place);
    if (given.is_null()) return put || (is_container(place) && EditedDocument::size(place) == 0);
    if (put) return given.is(Kind::Map) && given.size() == 0;
    return same(place, given);
  }

  bool same(const Value& place, const Value& given) const {
    arena_.step();
    if (is_nothing(place) || given.is_null()) return is_nothing(place) && given.is_null();
    if (is_put_null(place)) return given.is(Kind::Map) && given.size() == 0;
    if (EditedDocument::is_list(place)) {
      auto items = EditedDocument::items(place);
      return given.is(Kind::List) &&
             std::ranges::equal(items, given.as_list(),
                                [this](const Value& a, const Value& b) { return same(a, b); });
    }
    if (EditedDocument::is_map(place)) {
      if (!given.is(Kind::Map) || EditedDocument::size(place) != given.size()) return false;
      return std::ranges::all_of(EditedDocument::entries(place), [&](const MapEntry& e) {
        if (EditedDocument::is_removed(e)) return true;
        const Value* other = find_key(given, e.key);
        return other != nullptr && same(e.value, *other);
      });
    }
    return same_scalar(place, given);
  }

  // Compares scalars as JSON texts.
  static bool same_scalar(const Value& a, const Value& b) {
    if (a.is(Kind::String) || b.is(Kind::String)) return a.kind() == b.kind() && a.as_text() == b.as_text();
    if (a.is(Kind::Bool) || b.is(Kind::Bool)) return a.kind() == b.kind() && a.as_bool() == b.as_bool();
    if (b.is(Kind::List) || b.is(Kind::Map)) return false;
    Value left = a.is(Kind::Double) ? number_read_back(a.as_double()) : a;
    Value right = b.is(Kind::Double) ? number_read_back(b.as_double()) : b;
    return left.kind() == right.kind() && left.raw_payload() == right.raw_payload();
  }

  Arena& arena_;
  EditedDocument document_;
  JsonOperation op_;
  MemberOrder order_;
  const Value* value_ = nullptr;
  uint64_t copied_ = 0;
  bool test_failed_ = false;
  std::string_view error_, index_error_;
};

// The error of a text that upstream cannot read back; empty if it can.
std::string_view escape_error(Arena& arena, std::string_view text) {
  char bad = bad_escape(text);
  if (bad == 0) return {};
  return refused(arena, {"invalid character '", std::string_view(&bad, 1), "' in string escape code"}).error;
}

// Converts a JSONPatch{} to the operation that upstream reads back.
JsonOperation operation_of(Arena& arena, const PatchOperation& given) {
  JsonOperation out{.op = given.op, .path = given.path, .from = given.from};
  if (bad_escape(given.op) != 0) out.op = kUnknownOperation;
  out.path_error = escape_error(arena, given.path);
  out.from_error = given.from.empty() ? kMissingFrom : escape_error(arena, given.from);
  return out;
}

// Converts all operations and their values; returns the error of the first value that has no JSON form.
std::string_view prepare(Arena& arena, std::span<const Value> operations, JsonOperation* out) {
  for (const Value& v : operations) {
    if (!is_json_patch(v)) {
      return "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch";
    }
    const PatchOperation given = patch_operation(v);
    JsonOperation& operation = *new (out++) JsonOperation(operation_of(arena, given));
    if (given.value == nullptr) continue;
    operation.has_value = true;
    if (is_patch_object(*given.value)) {
      std::string_view names = check_type_names(arena, *given.value);
      if (!names.empty()) return refused(arena, {"type mismatch: ", names}).error;
    }
    JsonValue json = json_value(arena, *given.value);
    if (!json.error.empty()) {
      return refused(arena, {"JSONPath valueExpression evaluated to a type that could not marshal to JSON: ",
                             json.error})
          .error;
    }
    operation.value = builtin::plain_throughout(arena, json.value);
  }
  return {};
}

}  // namespace

Patched apply_json_patch(Arena& arena, const Value& current, const Value& operations, MemberOrder order) {
  std::span<const Value> list = operations.as_list();
  auto* prepared = arena.array<JsonOperation>(list.size());
  if (std::string_view error = prepare(arena, list, prepared); !error.empty()) return {.error = error};
  Patched patched = apply_operations(arena, current, {prepared, list.size()}, order);
  if (patched.skipped) return {.object = current, .skipped = true};
  if (!patched.ok()) return refused(arena, {"JSON Patch: ", patched.error});
  return patched;
}

Patched apply_operations(Arena& arena, const Value& current, std::span<const JsonOperation> operations,
                         MemberOrder order) {
  JsonPatch patch(arena, current, order);
  for (const JsonOperation& operation : operations) {
    if (!patch.apply(operation)) return {.skipped = patch.test_failed(), .error = patch.error()};
  }
  Value made = patch.finished();
  if (is_deeper(arena, made, kMaxJsonDepth)) return {.error = kTooDeep};
  return {.object = made};
}

}  // namespace portcullis::patching
