#include "bench/floors.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace portcullis::bench {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// --- the parts of a Pod

std::string_view text(const element& parent, std::string_view key) {
  std::string_view found;
  return parent[key].get(found) ? std::string_view() : found;
}

int64_t number(const element& parent, std::string_view key) {
  int64_t found = 0;
  return parent[key].get(found) ? 0 : found;
}

std::string_view pod_name(const element& v) {
  std::string_view found;
  return v["object"]["metadata"]["name"].get(found) ? std::string_view() : found;
}

// Whether `passes` holds for all items of the list, or for one of them.
template <class F>
bool all_of(const element& list, F passes) {
  array items;
  if (list.get(items)) return false;
  for (const element item : items) {
    if (!passes(item)) return false;
  }
  return true;
}

template <class F>
bool any_of(const element& list, F passes) {
  return !all_of(list, [&](const element& item) { return !passes(item); });
}

// The same for the containers.
template <class F>
bool all_containers(const element& v, F passes) {
  element list;
  return !v["object"]["spec"]["containers"].get(list) && all_of(list, passes);
}

size_t container_count(const element& v) {
  array list;
  return v["object"]["spec"]["containers"].get(list) ? 0 : list.size();
}

bool has_known_image(const element& container) {
  return text(container, "image").starts_with("registry.example.com/");
}

bool has_memory(const element& container) { return !container["resources"]["limits"]["memory"].error(); }

bool matches(std::string_view text, const RE2& pattern) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

template <size_t N>
bool is_one_of(std::string_view text, const std::string_view (&set)[N]) {
  return std::find(std::begin(set), std::end(set), text) != std::end(set);
}

bool app_label(const element& v, std::string_view& app) {
  return !v["object"]["metadata"]["labels"]["app"].get(app);
}

// --- the cases

bool always(const element&) { return true; }

bool replicas_le(const element& v) {
  int64_t replicas = 0;
  return !v["object"]["spec"]["replicas"].get(replicas) && replicas <= 5;
}

bool name_eq(const element& v) { return pod_name(v) == "web-1"; }

bool all_starts_with(const element& v) { return all_containers(v, has_known_image); }

bool all_has_memory(const element& v) { return all_containers(v, has_memory); }

bool all_non_root(const element& v) {
  return all_containers(v, [](const element& c) {
    bool flag = false;
    return !c["securityContext"]["runAsNonRoot"].get(flag) && flag;
  });
}

bool own_network(const element& v) {
  bool flag = false;
  return v["object"]["spec"]["hostNetwork"].get(flag) || !flag;
}

bool matches_name(const element& v) {
  static const RE2 kPattern("^[a-z0-9-]+$");
  return matches(pod_name(v), kPattern);
}

bool label_in_8(const element& v) {
  static constexpr std::string_view kSet[] = {"web",   "api",  "worker", "cron",
                                              "batch", "edge", "auth",   "mail"};
  std::string_view app;
  return app_label(v, app) && is_one_of(app, kSet);
}

bool map_names(const element& v) {
  thread_local std::vector<std::string_view> names;
  names.clear();
  all_containers(v, [](const element& c) { return names.push_back(text(c, "name")), true; });
  return names.size() == 3 && names[0] == "c0" && names[2] == "c2";
}

bool filter_size(const element& v) {
  size_t count = 0;
  all_containers(v, [&](const element& c) { return count += text(c, "image").ends_with(":0"), true; });
  return count == 1;
}

bool exists_exists(const element& v) {
  return !all_containers(v, [](const element& c) {
    element env;
    return c["env"].get(env) ||
           !any_of(env, [](const element& e) { return text(e, "name") == "A7" && text(e, "value") == "v7"; });
  });
}

bool int_arith(const element& v) {
  int64_t sum = 0, product = 0;
  return !__builtin_mul_overflow(number(v, "b"), 2, &product) &&
         !__builtin_add_overflow(number(v, "a"), product, &sum) &&
         !__builtin_sub_overflow(sum, number(v, "c") / 3, &sum) && sum == 7;
}

const std::string& bad_object(const element& v) {
  thread_local std::string message;
  message = "bad object ";
  return message += pod_name(v);
}

bool concat(const element& v) { return bad_object(v) == "bad object web-1"; }

bool concat_size(const element& v) { return bad_object(v).size() == 16; }

bool and20_int(const element& v) {
  const int64_t a = number(v, "a"), b = number(v, "b");
  for (int64_t i = 100; i < 120; i += 2) {
    if (!(b < i && a != i + 1)) return false;
  }
  return true;
}

bool and20_fields(const element& v) {
  static constexpr std::string_view kNames[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",
                                                "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",
                                                "x14", "x15", "x16", "x17", "x18", "x19"};
  return !is_one_of(pod_name(v), kNames);
}

bool ternaries(const element& v) {
  const int64_t a = number(v, "a");
  std::string_view size = a > 100 ? "huge" : a > 50 ? "large" : a > 20 ? "medium" : a > 10 ? "small" : "tiny";
  return size == "tiny";
}

bool matches_image(const element& v) {
  static const RE2 kPattern(R"(^registry\.example\.com/[a-z]+:[0-9]+$)");
  std::string_view image;
  return !v["object"]["spec"]["containers"].at(0)["image"].get(image) && matches(image, kPattern);
}

bool len100(const element& v) {
  std::string_view app;
  return app_label(v, app) && app == "web" && container_count(v) < 10;
}

bool len400(const element& v) {
  static constexpr std::string_view kSet[] = {"web", "api"};
  std::string_view app;
  return matches_name(v) && app_label(v, app) && is_one_of(app, kSet) &&
         all_containers(v, [](const element& c) { return has_known_image(c) && has_memory(c); }) &&
         own_network(v) && container_count(v) < 10;
}

constexpr struct {
  std::string_view name;
  Floor floor;
} kFloors[] = {
    {"const", always},
    {"replicas-le", replicas_le},
    {"name-eq", name_eq},
    {"all-startsWith", all_starts_with},
    {"all-has-memory", all_has_memory},
    {"all-nonroot", all_non_root},
    {"not-hostnetwork", own_network},
    {"matches-name", matches_name},
    {"label-in-8", label_in_8},
    {"map-names", map_names},
    {"filter-size", filter_size},
    {"exists-exists", exists_exists},
    {"all-1000", all_starts_with},
    {"int-arith", int_arith},
    {"concat", concat},
    {"concat-size", concat_size},
    {"and20-int", and20_int},
    {"and20-fields", and20_fields},
    {"ternaries", ternaries},
    {"matches-image", matches_image},
    {"len100", len100},
    {"len400", len400},
};

}  // namespace

Floor find_floor(std::string_view name) {
  for (const auto& row : kFloors) {
    if (row.name == name) return row.floor;
  }
  return nullptr;
}

}  // namespace portcullis::bench
