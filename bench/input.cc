#include "bench/input.h"

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "admission/expressions/environment.h"
#include "interpreter/values/json.h"

namespace portcullis::bench {
namespace {

const Value& member(const Value& object, std::string_view name) {
  return *find_key(object, Value::string(name));
}

Value read_five(Arena& arena) { return read_json(read_input("five.json").view(), arena).value(); }

std::vector<Value> list_of(const Value& list) { return {list.as_list().begin(), list.as_list().end()}; }

}  // namespace

PaddedText read_input(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(BENCH_DIR) / name;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  PaddedText text{std::string(std::istreambuf_iterator<char>(in), {}), 0};
  text.size = text.memory.size();
  text.memory.resize(text.size + simdjson::SIMDJSON_PADDING);
  return text;
}

Cluster five_policies(Arena& arena) {
  const Value five = read_five(arena);
  Cluster cluster;
  cluster.policies = list_of(member(five, "policies"));
  cluster.bindings = list_of(member(five, "bindings"));
  cluster.namespaces = {
      read_json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"prod"}})", arena).value()};
  return cluster;
}

std::vector<std::string> five_expressions() {
  Arena arena;
  std::vector<std::string> texts;
  for (const Value& policy : list_of(member(read_five(arena), "policies"))) {
    for (const Value& validation : list_of(member(member(policy, "spec"), "validations"))) {
      texts.emplace_back(member(validation, "expression").as_text());
    }
  }
  return texts;
}

AdmissionRequest pod_request(const Value& pod) {
  AdmissionRequest request;
  request.kind = {"", "v1", "Pod"};
  request.resource = {"", "v1", "pods"};
  request.name = "web-1";
  request.namespace_name = "prod";
  request.object = pod;
  request.user.username = "dev";
  return request;
}

std::shared_ptr<const Environment> policy_environment() {
  EnvironmentBuilder builder(stored_environment());
  add_policy_variables(builder, {});
  return builder.build().value();
}

}  // namespace portcullis::bench
