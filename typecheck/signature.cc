// See signature.h.
#include "typecheck/signature.h"

#include <string>

#include "grammar/ascii.h"

namespace portcullis {

namespace {

// The type that a signature names by a word.
const Type* named_type(std::string_view name) {
  using namespace types;
  if (name == "dyn") return kDyn;
  if (name == "timestamp") return kTimestamp;
  if (name == "duration") return kDuration;
  if (name == "any") return kAny;
  if (name == "error") return kError;
  if (name == "null") return kNull;
  return basic_type(name);
}

bool is_type_param(std::string_view name) { return name.size() == 1 && is_upper(name[0]); }

// Whether the dotted name is an opaque type, which has no fields; other dotted names are structs.
bool is_opaque_name(std::string_view name) { return name.starts_with("net."); }

// Whether the text before the last dot of a head is a receiver type and not a namespace.
bool is_type_text(std::string_view text) {
  if (text.empty()) return false;
  if (text.back() == ')' || is_type_param(text) || named_type(text)) return true;
  size_t dot = text.rfind('.');
  return dot != std::string_view::npos && dot + 1 < text.size() && is_upper(text[dot + 1]);
}

// The most levels of a type: far more than a table or an embedder needs, and few enough for every recursion over types.
constexpr int kMostNested = 1000;

// Reads types from left to right.
class Reader {
 public:
  Reader(std::string_view text, TypePool& pool, std::vector<const Type*>* type_params)
      : text_(text), pool_(pool), type_params_(type_params) {}

  Result<const Type*> type() {
    std::string_view name = word();
    if (name.empty()) return Error{"type expected at '" + std::string(rest()) + "'"};
    if (peek() == '(') return composed(name);
    if (const Type* basic = named_type(name)) return basic;
    if (is_type_param(name)) return param(name);
    return is_opaque_name(name) ? pool_.opaque(name) : pool_.structure(name);
  }

  // Reads a list of types in parentheses.
  Result<std::vector<const Type*>> list() {
    std::vector<const Type*> found;
    take('(');
    if (take(')')) return found;
    do {
      Result<const Type*> t = type();
      if (!t) return t.error();
      found.push_back(*t);
    } while (take(','));
    if (!take(')')) return Error{"')' expected at '" + std::string(rest()) + "'"};
    return found;
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_blanks();
    size_t start = at_;
    auto part = [](char c) { return is_alphanumeric(c) || c == '_' || c == '.'; };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  const Type* param(std::string_view name) {
    if (!type_params_) return pool_.param(name);
    for (const Type* known : *type_params_) {
      if (known->name() == name) return known;
    }
    return type_params_->emplace_back(pool_.param(name));
  }

  Result<const Type*> composed(std::string_view name) {
    if (++level_ == kMostNested)
      return Error{"a type nests more than " + std::to_string(kMostNested) + " deep"};
    Result<std::vector<const Type*>> params = list();
    --level_;
    if (!params) return params.error();
    size_t n = params->size();
    if (name == "list" && n == 1) return pool_.list((*params)[0]);
    if (name == "map" && n == 2) return pool_.map((*params)[0], (*params)[1]);
    if (name == "type" && n == 1) return pool_.type_of((*params)[0]);
    if (name == "wrapper" && n == 1) return pool_.wrapper((*params)[0]);
    if (name == "list" || name == "map" || name == "type" || name == "wrapper") {
      return Error{"wrong number of parameters of '" + std::string(name) + "'"};
    }
    return pool_.opaque(name, std::move(*params));
  }

  std::string_view text_;
  TypePool& pool_;
  std::vector<const Type*>* type_params_;
  size_t at_ = 0;
  int level_ = 0;  // of the composed type that is being read
};

// The index of the parenthesis that the last character of `text` closes, or npos.
size_t matching_parenthesis(std::string_view text) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// A head split into receiver and name: "list(A).join" into "list(A)" and "join". A global name has no
// receiver.
struct Head {
  std::string_view receiver;
  std::string_view name;
};
Head split_head(std::string_view head) {
  size_t dot = head.rfind('.');
  // Operators have no receiver, although "_?._" has a dot in its name.
  bool is_operator = !head.empty() && (head[0] == '_' || head[0] == '!' || head[0] == '-' || head[0] == '@');
  if (is_operator || dot == std::string_view::npos || !is_type_text(head.substr(0, dot))) return {{}, head};
  return {head.substr(0, dot), head.substr(dot + 1)};
}

Error mistake(std::string_view text, std::string_view what) {
  return Error{"signature '" + std::string(text) + "': " + std::string(what)};
}

}  // namespace

Result<Signature> parse_signature(std::string_view text, TypePool& pool) {
  size_t arrow = text.rfind(" -> ");
  if (arrow == std::string_view::npos) return mistake(text, "no ' -> '");
  std::string_view call = text.substr(0, arrow);
  size_t open = call.empty() || call.back() != ')' ? std::string_view::npos : matching_parenthesis(call);
  if (open == std::string_view::npos) return mistake(text, "no arguments");
  Head head = split_head(call.substr(0, open));
  if (head.name.empty()) return mistake(text, "no function name");

  Signature signature;
  signature.name = head.name;
  signature.member = !head.receiver.empty();
  if (signature.member) {
    Reader receiver(head.receiver, pool, &signature.type_params);
    Result<const Type*> t = receiver.type();
    if (!t) return mistake(text, t.error().text);
    signature.args.push_back(*t);
  }
  Reader arguments(call.substr(open), pool, &signature.type_params);
  Result<std::vector<const Type*>> args = arguments.list();
  if (!args) return mistake(text, args.error().text);
  signature.args.insert(signature.args.end(), args->begin(), args->end());
  Reader result(text.substr(arrow + 4), pool, &signature.type_params);
  Result<const Type*> t = result.type();
  if (!t) return mistake(text, t.error().text);
  if (!result.at_end()) return mistake(text, "unexpected '" + std::string(result.rest()) + "'");
  signature.result = *t;
  return signature;
}

Result<const Type*> parse_type(std::string_view text, TypePool& pool) {
  Reader reader(text, pool, nullptr);
  Result<const Type*> t = reader.type();
  if (t && !reader.at_end()) return Error{"unexpected '" + std::string(reader.rest()) + "'"};
  return t;
}

}  // namespace portcullis
