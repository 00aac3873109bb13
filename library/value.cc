// Value and Memory of the public face: see portcullis/value.h.
#include <portcullis/value.h>

#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "interpreter/values/print.h"
#include "library/bridge.h"
#include "library/memory.h"
#include "manifests/object.h"
#include "manifests/yaml.h"

namespace portcullis::v1 {

Value Value::boolean(bool b) { return outer(portcullis::Value::boolean(b)); }
Value Value::integer(int64_t i) { return outer(portcullis::Value::integer(i)); }
Value Value::uinteger(uint64_t u) { return outer(portcullis::Value::uinteger(u)); }
Value Value::real(double d) { return outer(portcullis::Value::real(d)); }
Value Value::string(std::string_view text) { return outer(portcullis::Value::string(text)); }

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

std::string to_json(const Value& value) { return portcullis::to_json(inner(value)); }
std::string to_yaml(const Value& value) { return portcullis::to_yaml(inner(value)); }
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

Value Memory::list(std::span<const Value> items) {
  auto* copies = state_->arena.array<portcullis::Value>(items.size());
  for (size_t i = 0; i < items.size(); i++) copies[i] = inner(items[i]);
  return outer(portcullis::Value::list(copies, items.size()));
}

Value Memory::map(std::span<const Entry> entries) {
  MapEntry* copies = alloc_entries(state_->arena, entries.size());
  for (size_t i = 0; i < entries.size(); i++)
    copies[i] = {portcullis::Value::string(state_->arena.copy(entries[i].key)), inner(entries[i].value)};
  return outer(make_map(state_->arena, copies, entries.size()));
}

void Memory::reset() { state_->arena.reset(); }

}  // namespace portcullis::v1
