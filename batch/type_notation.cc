#include "batch/type_notation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "batch/tagged.h"
#include "interpreter/values/json.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

// Names of types that the protocol spells differently from signatures.
constexpr std::pair<std::string_view, std::string_view> kTypeNames[] = {
    {"quantity", "kubernetes.Quantity"},
    {"ip", "net.IP"},
    {"cidr", "net.CIDR"},
    {"semver", "kubernetes.Semver"},
    {"url", "kubernetes.URL"},
    {"format", "kubernetes.NamedFormat"},
    {"authorizer", "kubernetes.authorization.Authorizer"},
    {"resourceCheck", "kubernetes.authorization.ResourceCheck"},
    {"request", "kubernetes.AdmissionRequest"},
    {"namespace", "kubernetes.Namespace"},
};
constexpr std::string_view kPlainTypeNames[] = {"dyn",       "any",       "bool",     "int",
                                                "uint",      "double",    "string",   "bytes",
                                                "null_type", "timestamp", "duration", "type"};

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes one type from the start of `text`.
Result<const Type*> take_type(std::string_view& text, TypePool& pool) {
  size_t end = std::min(text.find_first_of("(),"), text.size());
  std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  if (!text.starts_with('(')) {
    for (auto [from, to] : kTypeNames) {
      if (from == name) return parse_type(to, pool);
    }
    if (std::find(std::begin(kPlainTypeNames), std::end(kPlainTypeNames), name) !=
        std::end(kPlainTypeNames)) {
      return parse_type(name, pool);
    }
    return Error{"unknown type \"" + std::string(name) + "\""};
  }
  std::vector<const Type*> params;
  do {
    text.remove_prefix(1);
    Result<const Type*> param = take_type(text, pool);
    if (!param.ok()) return param;
    params.push_back(*param);
  } while (text.starts_with(','));
  if (!text.starts_with(')')) return Error{"want , or ) in a type"};
  text.remove_prefix(1);
  if (name == "list" && params.size() == 1) return pool.list(params[0]);
  if (name == "map" && params.size() == 2) return pool.map(params[0], params[1]);
  if (name == "optional_type" && params.size() == 1) return pool.optional(params[0]);
  if (name == "type" && params.size() == 1) return pool.type_of(params[0]);
  return Error{"unknown type \"" + std::string(name) + "\" of " + std::to_string(params.size()) +
               " parameters"};
}

Result<std::vector<const Type*>> read_table_types(const Value& json, TypePool& pool) {
  std::vector<const Type*> types;
  if (!json.is(Kind::List)) return Error{"want a list of types"};
  for (const Value& item : json.as_list()) {
    Result<const Type*> type = read_table_type(item, pool);
    if (!type.ok()) return type.error();
    types.push_back(*type);
  }
  return types;
}

Result<const Type*> read_abstract(const Value& body, TypePool& pool) {
  const Value* name = body.is(Kind::Map) ? find_key(body, Value::string("name")) : nullptr;
  const Value* params = body.is(Kind::Map) ? find_key(body, Value::string("params")) : nullptr;
  if (name == nullptr || !name->is(Kind::String)) return Error{"want the name of an abstract type"};
  std::vector<const Type*> types;
  if (params != nullptr && !params->is_null()) {
    Result<std::vector<const Type*>> read = read_table_types(*params, pool);
    if (!read.ok()) return read.error();
    types = *read;
  }
  if (name->as_text() == "optional_type" && types.size() == 1) return pool.optional(types[0]);
  return pool.opaque(name->as_text(), std::move(types));
}

}  // namespace

Result<const Type*> parse_batch_type(std::string_view text, TypePool& pool) {
  std::string packed;
  for (char c : text) {
    if (c != ' ') packed += c;
  }
  std::string_view rest = trim_spaces(packed);
  Result<const Type*> type = take_type(rest, pool);
  if (type.ok() && !rest.empty()) return Error{"trailing \"" + std::string(rest) + "\" in a type"};
  return type;
}

Result<const Type*> read_table_type(const Value& json, TypePool& pool) {
  if (json.is(Kind::String)) {
    std::string_view name = json.as_text();
    if (name == "error") return types::kError;
    return parse_batch_type(name, pool);
  }
  Result<MapEntry> member = only_member(json);
  if (!member.ok()) return member.error();
  std::string_view form = member->key.as_text();
  const Value& body = member->value;
  if (form == "message" && body.is(Kind::String)) return parse_type(body.as_text(), pool);
  if (form == "type_param" && body.is(Kind::String)) return pool.param(body.as_text());
  if (form == "abstract") return read_abstract(body, pool);
  if (form == "map") {
    Result<std::vector<const Type*>> params = read_table_types(body, pool);
    if (!params.ok()) return params.error();
    if (params->size() != 2) return Error{"want two types in a map"};
    return pool.map((*params)[0], (*params)[1]);
  }
  if (form != "list" && form != "wrapper" && form != "type")
    return Error{"unknown form of type " + to_json(json)};
  Result<const Type*> param = read_table_type(body, pool);
  if (!param.ok()) return param;
  return form == "list" ? pool.list(*param) : form == "wrapper" ? pool.wrapper(*param) : pool.type_of(*param);
}

}  // namespace portcullis
