// See assumed_sizes.h.
#include "cli/checks/assumed_sizes.h"

#include <algorithm>
#include <charconv>

#include "admission/crd/decl_type.h"
#include "typecheck/type.h"

namespace portcullis {
namespace {

// What fits a request, as pkg/cel/types.go estimates it: a text in quotes; elements of a byte and a comma; entries of an
// empty key and a byte.
constexpr uint64_t kRequest = crd::kMaxRequestBytes - 2;
constexpr uint64_t kText = kRequest, kElements = kRequest / 2, kEntries = kRequest / 7;

bool has_no_size(const Type* t) {
  switch (t->base_kind()) {
    case TypeKind::Bool:
    case TypeKind::Double:
    case TypeKind::Duration:
    case TypeKind::Int:
    case TypeKind::Null:
    case TypeKind::Timestamp:
    case TypeKind::Uint: return true;
    default: return false;
  }
}

uint64_t largest(const Type* t, bool walked) {
  if (t->is(TypeKind::List)) return kElements;
  if (t->is(TypeKind::Map)) return kEntries;
  return walked ? kElements : kText;
}

}  // namespace

std::string path_text(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& name : path) {
    // A loop over plain data may walk a list or the keys of a map, so both are [].
    if (name == "@items" || name == "@indices" || name == "@keys") {
      out += "[]";
    } else if (name == "@values") {
      out += "{}";
    } else {
      out.append(out.empty() ? "" : ".").append(name);
    }
  }
  return out;
}

Result<void> Assumptions::add(std::string_view text) {
  size_t equals = text.rfind('=');
  Error wrong{"--assume: want PATH=N, such as containers=50, not \"" + std::string(text) + "\""};
  if (equals == text.npos || equals == 0) return wrong;
  std::string_view number = text.substr(equals + 1);
  uint64_t size = 0;
  auto read = std::from_chars(number.data(), number.data() + number.size(), size);
  if (number.empty() || read.ec != std::errc() || read.ptr != number.data() + number.size()) return wrong;
  sizes_[std::string(text.substr(0, equals))] = {size};
  return {};
}

std::optional<uint64_t> Assumptions::find(const std::string& path) const {
  auto found = sizes_.find(path);
  if (found == sizes_.end()) found = sizes_.find(path.substr(path.rfind('.') + 1));
  if (found == sizes_.end()) return std::nullopt;
  found->second.used = true;
  return found->second.size;
}

std::vector<std::string> Assumptions::unused() const {
  std::vector<std::string> out;
  for (const auto& [path, size] : sizes_) {
    if (!size.used) out.push_back(path);
  }
  return out;
}

namespace {

// A place for people; some have none.
std::string shown_place(const std::string& place) {
  if (place == "[]") return "an item of a computed list";
  if (place == "{}") return "a value of a computed map";
  return place;
}

}  // namespace

void PolicySizes::add(const std::string& name, const Expr* value, std::optional<ValueSize> size) {
  origins_.name(name, value);
  if (size && !origins_.looks_through(name)) values_["variables." + name] = *size;
}

const PolicySizes::ValueSize* PolicySizes::value_at(std::string_view place) const {
  auto found = values_.find(place);
  return found == values_.end() ? nullptr : &found->second;
}

AssumedSizes::AssumedSizes(const Ast& ast, PolicySizes& policy) : policy_(policy) {
  policy.origins().add(ast.root);
}

SizeEstimate AssumedSizes::take(const SizeTaken& size, uint64_t least) const {
  auto [at, fresh] = taken_.try_emplace(size.path, size);
  if (!fresh && at->second.size < size.size) at->second = size;
  if (small_.contains(size.path)) return Range{0, std::min<uint64_t>(1, size.size)};
  return Range{least, size.size};
}

// The largest size at any of the places.
SizeEstimate AssumedSizes::size_at(const std::set<std::string>& places, const SizeNode& node) const {
  using From = SizeTaken::From;
  const std::string written = path_text({node.path.begin(), node.path.end()});
  std::optional<SizeEstimate> out;
  std::vector<SizeTaken> sizes;
  for (const std::string& place : places) {
    auto given = policy_.assumed().find(place);
    if (!given) given = policy_.assumed().find(written);
    const PolicySizes::ValueSize* value = given ? nullptr : policy_.value_at(place);
    if (value != nullptr) {
      SizeEstimate size = value->size;
      if (value->from) size = take({place, size.max, *value->from}, size.min);
      out = out ? out->united(size) : size;
    } else {
      sizes.push_back({shown_place(place),
                       given.value_or(largest(node.type, policy_.origins().walked(node.expr))),
                       given ? From::User : From::Request});
    }
  }
  // One name for all, if a variable has them all.
  if (sizes.size() > 1 && written.starts_with("variables.")) {
    SizeTaken& most = *std::ranges::max_element(sizes, {}, &SizeTaken::size);
    sizes = {{written, most.size, most.from}};
  }
  for (const SizeTaken& size : sizes) out = out ? out->united(take(size)) : take(size);
  return *out;
}

std::optional<SizeEstimate> AssumedSizes::estimate_size(const SizeNode& node) const {
  constexpr uint64_t kLongestNumber = 24;
  const Expr* e = node.expr;
  OriginFinder& origins = policy_.origins();
  if (has_no_size(node.type) || (e != nullptr && origins.item_of_literal(e))) return std::nullopt;
  // The estimator knows the sizes of all but calls, if they have no path.
  if (e != nullptr && node.path.empty() && e->kind != ExprKind::Call) return std::nullopt;
  if (e != nullptr && e->is_call("string", 1) && has_no_size(e->args[0]->type))
    return Range{1, kLongestNumber};
  const Origins from = e == nullptr ? origins.of_items(node.list) : origins.of(e);
  if (from.computed || from.places.empty())
    return take({"the result of " + e->name + "()", largest(node.type, origins.walked(e))});
  SizeEstimate size = size_at(from.places, node);
  for (const Expr* literal : from.literals) size = size.united(written_size(literal).value_or(Range{}));
  return size;
}

}  // namespace portcullis
