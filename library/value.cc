// Value and Memory of the public face: see portcullis/value.h.
#include <portcullis/value.h>

#include <algorithm>

#include "admission/functions/libraries.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "interpreter/values/print.h"
#include "library/bridge.h"
#include "library/make.h"
#include "library/memory.h"
#include "manifests/object.h"
#include "manifests/yaml.h"

namespace portcullis::v1 {

namespace {

// Converts what JSON does not have, as cel-go's ConvertToNative to a structpb.Value does, but keeps all digits of
// integers.
class JsonForm {
 public:
  explicit JsonForm(Arena& arena) : arena_(arena) {}

  // `v` itself if there is nothing to convert. Bytes and non-finite numbers are left to the writer.
  portcullis::Value of(const portcullis::Value& v) {
    switch (v.kind()) {
      case portcullis::Kind::Timestamp: {
        TextBuilder text(arena_);
        append_rfc3339(text, {v.seconds(), v.nanos(), v.offset_minutes()});
        return portcullis::Value::string(text.view());
      }
      case portcullis::Kind::Duration: {
        TextBuilder text(arena_);
        append_duration_seconds(text, v.as_duration());
        return portcullis::Value::string(text.view());
      }
      case portcullis::Kind::Optional:
        return v.as_optional() == nullptr ? portcullis::Value() : of(*v.as_optional());
      case portcullis::Kind::List: return list(v);
      case portcullis::Kind::Map: return map(v);
      default: return v;
    }
  }

 private:
  portcullis::Value list(const portcullis::Value& v) {
    auto items = v.as_list();
    portcullis::Value* made = nullptr;
    for (size_t i = 0; i < items.size(); i++) {
      const portcullis::Value converted = of(items[i]);
      if (made == nullptr && converted.is_identical(items[i])) continue;
      if (made == nullptr) {
        made = arena_.array<portcullis::Value>(items.size());
        std::copy_n(items.data(), i, made);
      }
      made[i] = converted;
    }
    return made == nullptr ? v : portcullis::Value::list(made, items.size());
  }

  portcullis::Value map(const portcullis::Value& v) {
    auto entries = v.as_map();
    MapEntry* made = nullptr;
    for (size_t i = 0; i < entries.size(); i++) {
      const portcullis::Value converted = of(entries[i].value);
      if (made == nullptr && converted.is_identical(entries[i].value)) continue;
      if (made == nullptr) {
        made = arena_.array<MapEntry>(entries.size());
        std::copy_n(entries.data(), i, made);
      }
      made[i] = {entries[i].key, converted};
    }
    return made == nullptr ? v : portcullis::Value::map(made, entries.size());
  }

  Arena& arena_;
};

}  // namespace

Value Value::boolean(bool b) { return outer(portcullis::Value::boolean(b)); }
Value Value::integer(int64_t i) { return outer(portcullis::Value::integer(i)); }
Value Value::uinteger(uint64_t u) { return outer(portcullis::Value::uinteger(u)); }
Value Value::real(double d) { return outer(portcullis::Value::real(d)); }
Value Value::string(std::string_view text) { return outer(portcullis::Value::string(text)); }
Value Value::bytes(std::string_view bytes) { return outer(portcullis::Value::bytes(bytes)); }
Value Value::duration(int64_t nanoseconds) { return outer(portcullis::Value::duration(nanoseconds)); }

Value Value::timestamp(int64_t seconds, int32_t nanoseconds) {
  static constexpr ErrorValue kOverflow{"timestamp overflow"};
  if (seconds < kMinUnixSeconds || seconds > kMaxUnixSeconds || nanoseconds < 0 || nanoseconds > 999'999'999)
    return outer(portcullis::Value::error(&kOverflow));
  return outer(portcullis::Value::timestamp(seconds, static_cast<uint32_t>(nanoseconds)));
}

Kind Value::kind() const { return static_cast<Kind>(inner(*this).kind()); }
bool Value::as_bool() const { return inner(*this).is_true(); }
int64_t Value::as_int() const { return is(Kind::Int) ? inner(*this).as_int() : 0; }
uint64_t Value::as_uint() const { return is(Kind::Uint) ? inner(*this).as_uint() : 0; }

double Value::as_double() const {
  switch (kind()) {
    case Kind::Double: return inner(*this).as_double();
    case Kind::Int: return static_cast<double>(inner(*this).as_int());
    case Kind::Uint: return static_cast<double>(inner(*this).as_uint());
    default: return 0;
  }
}

std::string_view Value::as_text() const {
  switch (kind()) {
    case Kind::String:
    case Kind::Bytes:
    case Kind::Type: return inner(*this).as_text();
    case Kind::Error: return inner(*this).as_error().message;
    default: return {};
  }
}

int64_t Value::seconds() const { return is(Kind::Timestamp) ? inner(*this).seconds() : 0; }
int64_t Value::nanoseconds() const {
  if (is(Kind::Duration)) return inner(*this).as_duration();
  return is(Kind::Timestamp) ? inner(*this).nanos() : 0;
}

std::optional<Value> Value::as_optional() const {
  const portcullis::Value* held = is(Kind::Optional) ? inner(*this).as_optional() : nullptr;
  return held == nullptr ? std::nullopt : std::optional(outer(*held));
}

size_t Value::size() const {
  switch (kind()) {
    case Kind::List:
    case Kind::Map:
    case Kind::String:
    case Kind::Bytes: return inner(*this).size();
    default: return 0;
  }
}

Value Value::at(size_t index) const {
  portcullis::Value v = inner(*this);
  if (is(Kind::List) && index < v.size()) return outer(v.as_list()[index]);
  return is(Kind::Map) && index < v.size() ? outer(v.as_map()[index].value) : Value();
}

Value Value::key(size_t index) const {
  portcullis::Value v = inner(*this);
  return is(Kind::Map) && index < v.size() ? outer(v.as_map()[index].key) : Value();
}

std::optional<Value> Value::find(std::string_view key) const {
  const portcullis::Value map = inner(*this);
  const portcullis::Value* found = find_member(map, key);
  return found == nullptr ? std::nullopt : std::optional(outer(*found));
}

Value Value::find_path(std::string_view path) const {
  const portcullis::Value root = inner(*this);
  const portcullis::Value* found = portcullis::find_path(root, path);
  return found == nullptr ? Value() : outer(*found);
}

std::string to_json(const Value& value) {
  Arena arena;
  return portcullis::to_json(JsonForm(arena).of(inner(value)));
}
std::string to_yaml(const Value& value) {
  Arena arena;
  return portcullis::to_yaml(JsonForm(arena).of(inner(value)));
}
std::string to_text(const Value& value) { return format_cel(inner(value)); }

Memory::Memory() : state_(std::make_unique<State>()) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

Result<Value> Memory::read_json(std::string_view json) {
  auto read = state_->reader.read(json, state_->arena);
  if (!read.ok()) return outer(read.error());
  return outer(*read);
}

Result<Value> Memory::read_yaml(std::string_view yaml) {
  auto read = portcullis::read_yaml(yaml, state_->arena);
  if (!read.ok()) return outer(read.error());
  return outer(*read);
}

Value Memory::text(std::string_view text) { return Value::string(state_->arena.copy(text)); }

Value Memory::bytes(std::string_view text) { return make_bytes(state_->arena, text); }
Value Memory::list(std::span<const Value> items) { return make_list(state_->arena, items); }
Value Memory::map(std::span<const Entry> entries) { return make_map(state_->arena, entries); }
Value Memory::optional(std::optional<Value> value) { return make_optional(state_->arena, value); }
Value Memory::quantity(std::string_view text) {
  return outer(kubernetes::quantity_value(state_->arena, text));
}
Value Memory::ip(std::string_view text) { return outer(kubernetes::ip_value(state_->arena, text)); }
Value Memory::cidr(std::string_view text) { return outer(kubernetes::cidr_value(state_->arena, text)); }
Value Memory::semver(std::string_view text) { return outer(kubernetes::semver_value(state_->arena, text)); }
Value Memory::url(std::string_view text) { return outer(kubernetes::url_value(state_->arena, text)); }

void Memory::reset() { state_->arena.reset(); }

}  // namespace portcullis::v1
