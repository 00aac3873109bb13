// See limit_ranges.h.
#include "admission/policies/limit_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "admission/builtin/amounts.h"
#include "admission/scalars/quantity.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using builtin::Amounts;

// What a container or Pod asks for, and may use at most.
struct Resources {
  Amounts requests, limits;
};

class LimitRangeCheck {
 public:
  // Reads the defaults of containers, which a resize has not got yet.
  void set_defaults(std::span<const Value> ranges);
  void check_pod(const Value& pod, const Value& range);
  void check_claim(const Value& claim, const Value& range);
  // The errors as Go's Aggregate prints them.
  std::string text() const;

 private:
  Amounts amounts(const Value& map, std::string_view member);
  Resources resources(const Value& owner);
  Resources of_container(const Value& container);
  Resources of_pod(const Value& spec);
  void check(const Value& limit, const Resources& used, bool is_claim);
  void at_least(std::string_view name, const Quantity& bound, const Resources& used);
  void at_most(std::string_view name, const Quantity& bound, const Resources& used);
  void at_most_requested(std::string_view name, const Quantity& bound, const Resources& used);
  void in_ratio(std::string_view name, const Quantity& bound, const Resources& used);
  // The quantity in units of 10^exponent, rounded up.
  int64_t scaled(Quantity q, int32_t exponent);
  // Whether a < b: in thousandths if `fine`, else in units.
  bool less(const Quantity& a, const Quantity& b, bool fine);
  bool fits_thousandths(std::initializer_list<const Quantity*> quantities);
  std::string print(const Quantity& q) { return quantity::print(arena_, q); }
  void fail(std::string text);

  Arena arena_;
  Resources defaults_;
  std::string_view type_;  // of the limit that is looked at
  std::vector<std::string> errors_;
};

const Quantity* find(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? nullptr : &found->second;
}

void LimitRangeCheck::fail(std::string text) {
  if (std::ranges::find(errors_, text) == errors_.end()) errors_.push_back(std::move(text));
}

std::string LimitRangeCheck::text() const {
  if (errors_.size() < 2) return errors_.empty() ? "" : errors_[0];
  return fmt::format("[{}]", fmt::join(errors_, ", "));
}

// --- amounts ---

Amounts LimitRangeCheck::amounts(const Value& map, std::string_view name) {
  const Value* list = find_member(map, name);
  return list == nullptr ? Amounts() : builtin::amounts_of(arena_, *list);
}

Resources LimitRangeCheck::resources(const Value& owner) {
  const Value* resources = find_member(owner, "resources");
  if (resources == nullptr) return {};
  return {amounts(*resources, "requests"), amounts(*resources, "limits")};
}

Resources LimitRangeCheck::of_container(const Value& container) {
  Resources out = resources(container);
  out.requests.insert(defaults_.requests.begin(), defaults_.requests.end());
  out.limits.insert(defaults_.limits.begin(), defaults_.limits.end());
  return out;
}

int64_t LimitRangeCheck::scaled(Quantity q, int32_t exponent) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  quantity::round_up(arena_, q, exponent);
  if (q.big) return q.sign() < 0 ? -kMost : kMost;
  int64_t value = q.value;
  if (value == 0) return 0;
  for (int32_t e = q.exponent; e > exponent; e--) {
    if (__builtin_mul_overflow(value, 10, &value)) return q.sign() < 0 ? -kMost : kMost;
  }
  for (int32_t e = q.exponent; e < exponent; e++) value /= 10;
  return value;
}

bool LimitRangeCheck::fits_thousandths(std::initializer_list<const Quantity*> quantities) {
  return std::ranges::all_of(quantities, [&](const Quantity* q) {
    return q == nullptr || scaled(*q, 0) <= std::numeric_limits<int64_t>::max() / 1000;
  });
}

bool LimitRangeCheck::less(const Quantity& a, const Quantity& b, bool fine) {
  const int32_t exponent = fine ? -3 : 0;
  return scaled(a, exponent) < scaled(b, exponent);
}

Resources LimitRangeCheck::of_pod(const Value& spec) {
  builtin::PodAmounts requests(arena_), limits(arena_);
  for (const Value& c : list_member(spec, "containers")) {
    const Resources r = of_container(c);
    requests.add_container(r.requests);
    limits.add_container(r.limits);
  }
  for (const Value& c : list_member(spec, "initContainers")) {
    const Resources r = of_container(c);
    const bool stays = text_member(c, "restartPolicy") == "Always";
    requests.add_init_container(r.requests, stays);
    limits.add_init_container(r.limits, stays);
  }
  Resources out{requests.total(), limits.total()};
  // What the Pod itself says counts instead.
  const Resources own = resources(spec);
  for (Amounts Resources::* list : {&Resources::requests, &Resources::limits}) {
    for (const auto& [name, amount] : own.*list) {
      if (name == "cpu" || name == "memory") (out.*list)[name] = amount;
    }
  }
  return out;
}

// --- bounds ---

void LimitRangeCheck::at_least(std::string_view name, const Quantity& bound, const Resources& used) {
  const Quantity *request = find(used.requests, name), *limit = find(used.limits, name);
  const std::string start = fmt::format("minimum {} usage per {} is {}", name, type_, print(bound));
  if (request == nullptr) return fail(start + ".  No request is specified");
  const bool fine = fits_thousandths({&bound, request, limit});
  if (less(*request, bound, fine)) return fail(start + ", but request is " + print(*request));
  if (limit != nullptr && less(*limit, bound, fine)) fail(start + ", but limit is " + print(*limit));
}

void LimitRangeCheck::at_most(std::string_view name, const Quantity& bound, const Resources& used) {
  const Quantity *request = find(used.requests, name), *limit = find(used.limits, name);
  const std::string start = fmt::format("maximum {} usage per {} is {}", name, type_, print(bound));
  if (limit == nullptr) return fail(start + ".  No limit is specified");
  const bool fine = fits_thousandths({&bound, request, limit});
  if (less(bound, *limit, fine)) return fail(start + ", but limit is " + print(*limit));
  if (request != nullptr && less(bound, *request, fine)) fail(start + ", but request is " + print(*request));
}

void LimitRangeCheck::at_most_requested(std::string_view name, const Quantity& bound, const Resources& used) {
  const Quantity* request = find(used.requests, name);
  const std::string start = fmt::format("maximum {} usage per {} is {}", name, type_, print(bound));
  if (request == nullptr) return fail(start + ".  No request is specified");
  if (less(bound, *request, fits_thousandths({&bound, request})))
    fail(start + ", but request is " + print(*request));
}

void LimitRangeCheck::in_ratio(std::string_view name, const Quantity& bound, const Resources& used) {
  const Quantity *request = find(used.requests, name), *limit = find(used.limits, name);
  const std::string start =
      fmt::format("{} max limit to request ratio per {} is {}, but ", name, type_, print(bound));
  const int32_t exponent = fits_thousandths({&bound, request, limit}) ? -3 : 0;
  const int64_t requested = request == nullptr ? 0 : scaled(*request, exponent),
                limited = limit == nullptr ? 0 : scaled(*limit, exponent);
  if (requested == 0) return fail(start + "no request is specified or request is 0");
  if (limited == 0) return fail(start + "no limit is specified or limit is 0");
  const double ratio = static_cast<double>(limited) / static_cast<double>(requested);
  const bool fine = fits_thousandths({&bound});
  if ((fine ? ratio * 1000 : ratio) > static_cast<double>(scaled(bound, fine ? -3 : 0)))
    fail(fmt::format("{}provided ratio is {:f}", start, ratio));
}

void LimitRangeCheck::check(const Value& limit, const Resources& used, bool is_claim) {
  for (const auto& [name, bound] : amounts(limit, "min")) at_least(name, bound, used);
  for (const auto& [name, bound] : amounts(limit, "max"))
    is_claim ? at_most_requested(name, bound, used) : at_most(name, bound, used);
  if (is_claim) return;
  for (const auto& [name, bound] : amounts(limit, "maxLimitRequestRatio")) in_ratio(name, bound, used);
}

std::span<const Value> limits_of(const Value& range) {
  const Value* spec = find_member(range, "spec");
  return spec == nullptr ? std::span<const Value>() : list_member(*spec, "limits");
}

// Of one range the last default counts, of several ranges the first.
void LimitRangeCheck::set_defaults(std::span<const Value> ranges) {
  for (const Value& range : ranges) {
    Resources own;
    for (const Value& limit : limits_of(range)) {
      if (text_member(limit, "type") != "Container") continue;
      for (const auto& [name, amount] : amounts(limit, "defaultRequest")) own.requests[name] = amount;
      for (const auto& [name, amount] : amounts(limit, "default")) own.limits[name] = amount;
    }
    defaults_.requests.merge(own.requests);
    defaults_.limits.merge(own.limits);
  }
}

void LimitRangeCheck::check_pod(const Value& pod, const Value& range) {
  const Value* spec = find_member(pod, "spec");
  if (spec == nullptr) return;
  for (const Value& limit : limits_of(range)) {
    type_ = text_member(limit, "type");
    if (type_ == "Container") {
      for (std::string_view list : {"containers", "initContainers"}) {
        for (const Value& c : list_member(*spec, list)) check(limit, of_container(c), false);
      }
    } else if (type_ == "Pod") {
      check(limit, of_pod(*spec), false);
    }
  }
}

void LimitRangeCheck::check_claim(const Value& claim, const Value& range) {
  const Value* spec = find_member(claim, "spec");
  if (spec == nullptr) return;
  Resources used = resources(*spec);
  used.limits.clear();  // nobody reads those of a claim
  for (const Value& limit : limits_of(range)) {
    type_ = text_member(limit, "type");
    if (type_ == "PersistentVolumeClaim") check(limit, used, true);
  }
}

bool is_being_deleted(const Value& object) {
  const Value* metadata = find_member(object, "metadata");
  return metadata != nullptr && find_member(*metadata, "deletionTimestamp", Kind::String) != nullptr;
}

}  // namespace

std::string check_limit_ranges(const AdmissionRequest& r, std::span<const Value> ranges) {
  const bool creates = r.operation == Operation::Create, updates = r.operation == Operation::Update;
  if (!r.resource.group.empty() || (!creates && !updates)) return {};
  if (updates && is_being_deleted(r.old_object)) return {};
  const bool resizes = updates && r.subresource == "resize";
  const bool is_pod = r.resource.resource == "pods" && (creates ? r.subresource.empty() : resizes),
             is_claim = r.resource.resource == "persistentvolumeclaims" && r.subresource.empty();
  for (const Value& range : ranges) {
    LimitRangeCheck check;
    if (resizes) check.set_defaults(ranges);
    if (is_pod) check.check_pod(r.object, range);
    if (is_claim) check.check_claim(r.object, range);
    if (std::string text = check.text(); !text.empty()) return text;
  }
  return {};
}

}  // namespace portcullis
