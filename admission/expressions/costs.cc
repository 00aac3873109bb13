// Kubernetes' costs by function name: see costs.h. The file has the run-time functions, then the static ones,
// then the table.
#include "admission/expressions/costs.h"

#include <array>
#include <cmath>

#include "admission/functions/values.h"
#include "grammar/escape.h"
#include "grammar/powers.h"
#include "interpreter/functions/cost.h"
#include "interpreter/values/map.h"
#include "typecheck/type.h"

namespace portcullis::kubernetes {
namespace {

constexpr uint64_t kAuthorizationCheck = 350000;  // an expression can afford two
constexpr double kRequirementsPerByte = 0.5;      // the shortest requirement of a selector: "k,"
constexpr double kCostPerRequirement = kListCreateCost + kStructCreateCost;
constexpr uint64_t kLongestFormatRegex = 128;  // for the static estimate; at run time the format is known
constexpr uint64_t kLongestFormatName = 64;
constexpr SizeEstimate kAddressSize = {4, 16};  // bytes of an address

uint64_t ceil_of(double d) { return static_cast<uint64_t>(std::ceil(d)); }
double size_at(const Value* args, size_t i) { return static_cast<double>(outer_size_of(args[i])); }

// --- run time: `false` means that cel-go's rules apply.
using Args = const Value*;

template <uint64_t cost_of_call>
bool flat(std::string_view, Args, size_t, const Value&, uint64_t& cost) {
  cost = cost_of_call;
  return true;
}

// Costs ceil(size of the first argument * times / 10).
template <int times>
bool scan(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  if (count < 1) return false;
  cost = ceil_of(size_at(args, 0) * times * kStringTraversal);
  return true;
}

bool join(std::string_view, Args, size_t count, const Value& result, uint64_t& cost) {
  if (count < 1) return false;
  cost = ceil_of(static_cast<double>(outer_size_of(result)) * 2 * kStringTraversal);
  return true;
}

bool find(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  if (count < 2) return false;
  cost = ceil_of((1.0 + size_at(args, 0)) * kStringTraversal) * ceil_of(size_at(args, 1) * kRegexLength);
  return true;
}

Range selector_cost(Range length) {
  return fixed_range(kListCreateCost) + length * kStringTraversal +
         (length * kRequirementsPerByte) * kCostPerRequirement;
}

bool selector(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  if (count < 2) return false;
  cost = selector_cost(fixed_range(outer_size_of(args[1]))).max;
  return true;
}

// The cost of reading a value once: a tenth of the *bytes* of a text, rounded down; 1 for other leaves.
uint64_t traversal(const Value& v);

// The cost of one entry. Typed data has entries that CEL does not see (typed.cc), but they cost, too: an
// unknown field costs an empty key and an error, a null property costs its name and an error.
uint64_t traversal(const MapEntry& e, bool typed) {
  if (!typed || !e.key.is(Kind::Bytes)) return traversal(e.key) + traversal(e.value);
  if (!e.value.is(Kind::Optional)) return 2;
  std::string name(e.key.as_text());
  const std::string escaped = escape_property(name).value_or(name);
  return traversal(Value::string(escaped)) + 1;
}

uint64_t traversal(const Value& v) {
  uint64_t sum = 0;
  switch (v.kind()) {
    case Kind::String:
    case Kind::Bytes: return static_cast<uint64_t>(static_cast<double>(v.size()) * kStringTraversal);
    case Kind::List:
      for (const Value& item : v.as_list()) sum += traversal(item);
      return sum;
    case Kind::Map:
      for (const MapEntry& e : v.as_map()) sum += traversal(e, v.flags() & kTypedMap);
      return sum;
    case Kind::Opaque: {
      if (v.as_opaque().cls->names == nullptr) return 1;
      Arena scratch;
      for (std::string_view name : v.as_opaque().cls->names(v.as_opaque())) {
        MapEntry e = entry_of(v.as_opaque(), name, true, scratch);
        sum += traversal(e.key) + traversal(e.value);
      }
      return sum;
    }
    default: return 1;
  }
}

bool traverse(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  cost = count > 0 ? traversal(args[0]) : 0;
  return true;
}

bool ip(std::string_view overload, Args args, size_t count, const Value& result, uint64_t& cost) {
  if (overload != "cidr_ip") return scan<1>(overload, args, count, result, cost);
  cost = 1;
  return count >= 1;
}

// Compares two prefixes; a text argument is parsed first. If `masks`, masking adds the size of the receiver
// and 1.
template <bool masks>
bool contains(std::string_view overload, Args args, size_t count, const Value&, uint64_t& cost) {
  if (count < 2) return false;
  double size = size_at(args, 0);
  cost = ceil_of((size + size) * kStringTraversal);
  if (masks) cost += ceil_of(size * kStringTraversal) + 1;
  bool parses = overload == (masks ? "cidr_contains_cidr_string" : "cidr_contains_ip_string");
  if (parses) cost += ceil_of(size_at(args, 1) * kStringTraversal);
  return true;
}

bool validate(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  const auto* format = count >= 2 ? as<FormatValue>(args[0], kFormatClass) : nullptr;
  if (!format) return false;
  cost = ceil_of((1.0 + size_at(args, 1)) * kStringTraversal) * ceil_of(format->regex_size * kRegexLength);
  return true;
}

bool equality(std::string_view, Args args, size_t count, const Value&, uint64_t& cost) {
  if (count != 2 || !args[0].is(Kind::Opaque)) return false;
  const OpaqueClass* cls = args[0].as_opaque().cls;
  for (const OpaqueClass* known :
       {&kQuantityClass, &kQuantityResultClass, &kIpClass, &kCidrClass, &kFormatClass, &kUrlClass,
        &kSemverClass, &kAuthorizerClass, &kPathCheckClass, &kGroupCheckClass, &kResourceCheckClass,
        &kDecisionClass}) {
    if (cls != known) continue;
    cost = 1;
    return true;
  }
  return false;
}

// --- static: an empty result means that cel-go's rules apply.
using Estimate = std::optional<CallEstimate>;

size_t argument_count(const EstimateCall& call) { return call.count() - call.has_receiver(); }
// The size of an argument, not counting the receiver.
Range argument(EstimateCall& call, size_t i) { return call.size(i + call.has_receiver()); }

template <uint64_t cost>
Estimate flat(EstimateCall&) {
  return CallEstimate{fixed_range(cost)};
}

// Reads the first argument `times` tenths of its size; if `keeps_size`, the result has that size, too.
template <int times, bool keeps_size = false>
Estimate scan_argument(EstimateCall& call) {
  size_t count = argument_count(call);
  if (keeps_size ? count != 1 : count < 1) return std::nullopt;
  Range size = argument(call, 0);
  return CallEstimate{size * (times / 10.0), keeps_size ? std::optional(size) : std::nullopt};
}

// The same for the receiver.
Estimate scan_receiver(EstimateCall& call) {
  if (!call.has_receiver()) return std::nullopt;
  return CallEstimate{call.size(0) * kStringTraversal, call.size(0)};
}

Estimate selector(EstimateCall& call) {
  if (argument_count(call) != 1) return std::nullopt;
  return CallEstimate{selector_cost(argument(call, 0))};
}

// Lists cost one for each element, plus the cost of reading it if it is a text. A receiver of unknown element
// type counts as a text, except in includes(), where it counts as a list.
Estimate traverse(EstimateCall& call) {
  if (!call.has_receiver()) return std::nullopt;
  Range size = call.size(0);
  const Type* element = call.element_type(0);
  if (!element)
    return CallEstimate{call.function() == "includes" ? size * fixed_range(1) : size * kStringTraversal};
  Range cost = fixed_range(1);
  if (element->is(TypeKind::String) || element->is(TypeKind::Bytes)) {
    cost = cost + call.element_size(0) * kStringTraversal;
  }
  return CallEstimate{size * cost};
}

// ceil(a / b) in double arithmetic.
uint64_t divide_up(uint64_t a, uint64_t b) {
  double q = std::ceil(static_cast<double>(a) / static_cast<double>(b));
  return q >= kTwoTo64 ? kUnbounded : static_cast<uint64_t>(q);
}

// The size of the result of replace(): the least and greatest number of replacements times the size of the
// replacement, plus the size of the text that stays.
Range replaced_size(Range subject, Range searched, Range replacement) {
  Range times, kept;
  if (searched.min == 0) {  // replacing "" surrounds every character
    times.max = saturating_add(subject.max, 1);
    kept.max = subject.max;
  } else if (replacement.max <= searched.min) {
    kept.max = subject.max;
  } else {
    times.max = divide_up(subject.max, searched.min);
  }
  if (searched.max == 0) {
    times.min = saturating_add(subject.min, 1);
    kept.min = subject.min;
  } else if (searched.max <= replacement.min) {
    kept.min = subject.min;
  } else {
    times.min = divide_up(subject.min, searched.max);
  }
  return times * replacement + kept;
}

Estimate replace(EstimateCall& call) {
  if (!call.has_receiver() || argument_count(call) < 2) return std::nullopt;
  return CallEstimate{call.size(0) * (2 / 10.0), replaced_size(call.size(0), call.size(1), call.size(2))};
}

Estimate split(EstimateCall& call) {
  if (!call.has_receiver()) return std::nullopt;
  Range size = call.size(0);
  uint64_t most = size.max;
  const Literal* limit = argument_count(call) > 1 ? call.literal(2) : nullptr;
  if (const int64_t* n = limit ? std::get_if<int64_t>(limit) : nullptr) most = static_cast<uint64_t>(*n);
  return CallEstimate{size * (2 / 10.0), Range{0, most}};
}

Estimate join(EstimateCall& call) {
  if (!call.has_receiver()) return std::nullopt;
  Range count = call.size(0), size = {0, 0};
  if (call.element_type(0)) size = count * call.element_size(0);
  if (argument_count(call) > 0) {
    Range gaps = {count.min > 0 ? count.min - 1 : 0, count.max > 0 ? count.max - 1 : 0};
    size = size + argument(call, 0) * gaps;
  }
  return CallEstimate{size * kStringTraversal, size};
}

Estimate find(EstimateCall& call) {
  if (!call.has_receiver() || argument_count(call) < 1) return std::nullopt;
  Range size = call.size(0);
  Range text = (size + fixed_range(1)) * kStringTraversal;
  return CallEstimate{text * (argument(call, 0) * kRegexLength), Range{0, size.max}};
}

Estimate ip(EstimateCall& call) {
  return call.overload_id() == "cidr_ip" ? flat<1>(call) : scan_argument<1>(call);
}

template <bool masks>
Estimate contains(EstimateCall& call) {
  if (argument_count(call) < 1) return std::nullopt;
  Range cost = (kAddressSize + kAddressSize) * kStringTraversal;
  if (masks) cost = cost + kAddressSize * kStringTraversal + fixed_range(1);
  bool parses = call.overload_id() == (masks ? "cidr_contains_cidr_string" : "cidr_contains_ip_string");
  if (parses) cost = cost + argument(call, 0) * kStringTraversal;
  return CallEstimate{cost};
}

Estimate validate(EstimateCall& call) {
  if (argument_count(call) < 1) return std::nullopt;
  return CallEstimate{(argument(call, 0) * kStringTraversal) * (kLongestFormatRegex * kRegexLength)};
}

Estimate equality(EstimateCall& call) {
  if (call.count() != 2 || !same_type(call.type(0), call.type(1))) return std::nullopt;
  const std::string& name = call.type(0)->name();
  if (call.type(0)->is(TypeKind::Opaque)) {
    return name == "net.IP" || name == "net.CIDR" ? flat<1>(call) : std::nullopt;
  }
  if (!call.type(0)->is(TypeKind::Struct)) return std::nullopt;
  if (name == "kubernetes.NamedFormat") return CallEstimate{Range{1, kLongestFormatName} * kStringTraversal};
  if (name == "kubernetes.URL") {  // upstream counts the right operand twice
    return CallEstimate{Range{1, call.computed_size(1).value_or(fixed_range(1)).max} * kStringTraversal};
  }
  bool flat_cost = name == "kubernetes.Quantity" || name == "kubernetes.Semver" ||
                   name.starts_with("kubernetes.authorization.");
  return flat_cost ? flat<1>(call) : std::nullopt;
}

// A row, and what the reference of functions says of the cost at run time, as the rows of functions do.
struct CostRow {
  NamedCost cost;
  std::string_view text;
};

// What it says of overloads that cost otherwise than their function.
struct OverloadText {
  std::string_view overload, text;
};
constexpr std::string_view kOfText = "size0 / 10, rounded down";
constexpr OverloadText kOverloadTexts[] = {
    {"cidr_ip", "1"},
    {"cidr_contains_ip_string", "size0 * 2 / 10 + size1 / 10"},
    {"cidr_contains_cidr_string", "size0 * 2 / 10 + size0 / 10 + 1 + size1 / 10"},
    {"string_index_of_string", kOfText},
    {"string_index_of_string_int", kOfText},
    {"string_last_index_of_string", kOfText},
    {"string_last_index_of_string_int", kOfText},
};
constexpr std::string_view kOfList = "1 for each item, of texts size / 10, rounded down";

constexpr CostRow one(std::string_view function) { return {{function, flat<1>, flat<1>}, "1"}; }

constexpr CostRow kTable[] = {
    {{"check", flat<kAuthorizationCheck>, flat<kAuthorizationCheck>}, "350000"},
    one("serviceAccount"),
    one("path"),
    one("group"),
    one("resource"),
    one("subresource"),
    one("namespace"),
    one("name"),
    one("allowed"),
    one("reason"),
    one("error"),
    one("errored"),
    {{"fieldSelector", selector, selector}, "size1 / 10 + 50 * (size1 / 2) + 10"},
    {{"labelSelector", selector, selector}, "size1 / 10 + 50 * (size1 / 2) + 10"},
    {{"isSorted", traverse, traverse}, kOfList},
    {{"sum", traverse, traverse}, kOfList},
    {{"max", traverse, traverse}, kOfList},
    {{"min", traverse, traverse}, kOfList},
    {{"indexOf", traverse, traverse}, kOfList},
    {{"lastIndexOf", traverse, traverse}, kOfList},
    {{"includes", traverse, traverse}, kOfList},
    {{"url", scan_argument<1, true>, scan<1>}, "size0 / 10"},
    {{"jsonpatch.escapeKey", scan_argument<1, true>, scan<1>}, "size0 / 10"},
    {{"lowerAscii", scan_receiver, scan<1>}, "size0 / 10"},
    {{"upperAscii", scan_receiver, scan<1>}, "size0 / 10"},
    {{"substring", scan_receiver, scan<1>}, "size0 / 10"},
    {{"trim", scan_receiver, scan<1>}, "size0 / 10"},
    {{"replace", replace, scan<2>}, "size0 * 2 / 10"},
    {{"split", split, scan<2>}, "size0 * 2 / 10"},
    {{"join", join, join}, "size of the result * 2 / 10"},
    {{"find", find, find}, "(size0 + 1) / 10 * (size1 / 4)"},
    {{"findAll", find, find}, "(size0 + 1) / 10 * (size1 / 4)"},
    {{"cidr", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"isIP", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"isCIDR", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"ip", ip, ip}, "size0 / 10"},
    {{"ip.isCanonical", scan_argument<2>, scan<2>}, "size0 * 2 / 10"},
    one("masked"),
    one("prefixLength"),
    one("family"),
    one("isUnspecified"),
    one("isLoopback"),
    one("isLinkLocalMulticast"),
    one("isLinkLocalUnicast"),
    one("isGlobalUnicast"),
    {{"containsIP", contains<false>, contains<false>}, "size0 * 2 / 10"},
    {{"containsCIDR", contains<true>, contains<true>}, "size0 * 2 / 10 + size0 / 10 + 1"},
    {{"quantity", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"isQuantity", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"semver", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"isSemver", scan_argument<1>, scan<1>}, "size0 / 10"},
    {{"validate", validate, validate}, "(size1 + 1) / 10 * (size of the format's expression / 4)"},
    one("format.named"),
    one("sign"),
    one("asInteger"),
    one("isInteger"),
    one("asApproximateFloat"),
    one("isGreaterThan"),
    one("isLessThan"),
    one("compareTo"),
    one("add"),
    one("sub"),
    one("major"),
    one("minor"),
    one("patch"),
    one("getScheme"),
    one("getHostname"),
    one("getHost"),
    one("getPort"),
    one("getEscapedPath"),
    one("getQuery"),
    {{"_==_", equality, equality}, "min(size0, size1) / 10; of values of Kubernetes' libraries 1"},
};

constexpr auto kCosts = [] {
  std::array<NamedCost, std::size(kTable)> made = {};
  for (size_t i = 0; i < made.size(); i++) made[i] = kTable[i].cost;
  return made;
}();

}  // namespace

std::span<const NamedCost> named_costs() { return kCosts; }

std::string_view cost_text(std::string_view function, std::string_view overload) {
  for (const OverloadText& one : kOverloadTexts) {
    if (one.overload == overload) return one.text;
  }
  for (const CostRow& row : kTable) {
    if (row.cost.function == function) return row.text;
  }
  return {};
}

}  // namespace portcullis::kubernetes
