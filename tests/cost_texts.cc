// cost_texts: what the reference of functions says that a call costs, against what calls cost.
//
// Idea: every call in an example is evaluated, and so is each of its arguments: the difference is the cost of the call.
// The text of its overload is computed with the sizes of the arguments and the result. So each overload has a call,
// and one whose text names sizes has calls of two costs; those that no example has are in kMoreCalls.
// Prints the failures, then `N passed, N failed, N skipped`.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "admission/expressions/environment.h"
#include "admission/functions/values.h"
#include "cli/functions/reference.h"
#include "grammar/unparse.h"
#include "interpreter/cel.h"
#include "interpreter/functions/cost.h"
#include "tests/notation.h"
#include "tests/scenes.h"
#include "tests/tally.h"
#include "typecheck/check.h"
#include "typecheck/environment.h"

namespace portcullis::tests {
namespace {

using kubernetes::as, kubernetes::FormatValue, kubernetes::kFormatClass;

// A call that was evaluated.
struct Call {
  std::vector<Value> args;  // receiver first
  Value result;
  uint64_t cost = 0;     // without the arguments
  bool of_path = false;  // whether the first argument is a variable, a field or an item
};

double size(const Value& v) { return static_cast<double>(outer_size_of(v)); }

bool is_text(const Value& v) { return v.is(Kind::String) || v.is(Kind::Bytes); }

// The value of a text like `size0 * 2 / 10 + 1`.
class Formula {
 public:
  Formula(std::string_view text, const Call& call) : rest_(text), call_(call) {}

  // Nothing if the text is no formula.
  std::optional<double> value() {
    double (*round)(double) = nullptr;
    if (drop_end(", rounded up")) round = std::ceil;
    if (drop_end(", rounded down")) round = std::floor;
    rounds_divisions_ = round == nullptr;
    double made = sum();
    if (round != nullptr) made = round(made);
    return good_ && rest_.empty() ? std::optional(made) : std::nullopt;
  }

 private:
  bool drop_end(std::string_view end) {
    if (!rest_.ends_with(end)) return false;
    rest_.remove_suffix(end.size());
    return true;
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) { good_ &= take(token); }

  double sum() {
    double made = product();
    while (take(" + ")) made += product();
    return made;
  }
  double product() {
    double made = factor();
    while (true) {
      if (take(" * ")) {
        made *= factor();
      } else if (take(" / ")) {
        made /= factor();
        if (rounds_divisions_) made = std::ceil(made);
      } else {
        return made;
      }
    }
  }
  double factor() {
    if (take("(")) {
      const double inner = sum();
      expect(")");
      return inner;
    }
    if (take("min(")) {
      const double a = sum();
      expect(", ");
      const double b = sum();
      expect(")");
      return std::min(a, b);
    }
    if (take("size of the result")) return size(call_.result);
    if (take("size of the format's expression"))
      return static_cast<double>(as<FormatValue>(argument(0), kFormatClass)->regex_size);
    if (take("size0")) return size(argument(0));
    if (take("size1")) return size(argument(1));
    if (take("depth")) return static_cast<double>(argument(1).as_int());
    return number();
  }
  double number() {
    const size_t length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    good_ &= length != 0;
    const double made = length == 0 ? 0 : std::stod(std::string(rest_.substr(0, length)));
    rest_.remove_prefix(length);
    return made;
  }
  const Value& argument(size_t i) const { return call_.args.at(i); }

  std::string_view rest_;
  const Call& call_;
  bool rounds_divisions_ = true, good_ = true;
};

// A text that is no formula, and what it means.
struct Said {
  std::string_view text;
  double (*cost)(const Call& call);
};
constexpr Said kSaid[] = {
    {"1 for each item, of texts size / 10, rounded down",
     [](const Call& call) {
       const auto of = [](const Value& v) { return is_text(v) ? std::floor(size(v) / 10) : 1; };
       if (!call.args[0].is(Kind::List)) return of(call.args[0]);
       double sum = 0;
       for (const Value& item : call.args[0].as_list()) sum += of(item);
       return sum;
     }},
    {"1, and 1 more of what is no variable, field or item",
     [](const Call& call) { return call.of_path ? 1.0 : 2.0; }},
    {"1 if the result has a value, and 1 more of what is no variable, field or item",
     [](const Call& call) {
       return (call.result.as_optional() == nullptr ? 0.0 : 1.0) + (call.of_path ? 0.0 : 1.0);
     }},
};

// A formula may end with another one for some arguments.
struct Else {
  std::string_view begin;
  bool (*takes)(const Value& argument);
};
constexpr Else kElse[] = {
    {"; of texts ",
     [](const Value& v) { return v.is(Kind::List) && v.size() != 0 && is_text(v.as_list()[0]); }},
    {"; of values of Kubernetes' libraries ", [](const Value& v) { return v.is(Kind::Opaque); }},
};

// What a text says that a call costs; nothing if it is not understood.
std::optional<double> said_cost(std::string_view text, const Call& call) {
  for (const Said& said : kSaid) {
    if (said.text == text) return said.cost(call);
  }
  for (const Else& other : kElse) {
    const size_t at = text.find(other.begin);
    if (at == text.npos) continue;
    text = other.takes(call.args.at(0)) ? text.substr(at + other.begin.size()) : text.substr(0, at);
  }
  return Formula(text, call).value();
}

// Calls of overloads whose examples are too few.
struct MoreCalls {
  std::string_view overload, expression;
};
constexpr MoreCalls kMoreCalls[] = {
    {"index_list", "[[1, 2]][0][1]"},
    {"index_map", "[{'a': 1}][0]['a']"},
    {"negate_double", "-double('3.5')"},
    {"negate_int64", "-int('3')"},
    {"list_slice", "[1, 2, 3, 4].slice(1, 4)"},
    {"list_flatten_int", "[[1], [2]].flatten(2)"},
    {"list_flatten_int", "[[1], [2], [3]].flatten(1)"},
    {"lists_range", "lists.range(5)"},
    {"string_format", "'a text of some length %s'.format(['a'])"},
    {"list_string_is_sorted_bool", "['a text of some length', 'b text of some length'].isSorted()"},
    {"list_string_min_string", "['a text of some length', 'b text of some length'].min()"},
    {"list_string_max_string", "['a text of some length', 'b text of some length'].max()"},
    {"list_bytes_is_sorted_bool", "[b'a text of some length', b'b text of some length'].isSorted()"},
    {"list_bytes_min_bytes", "[b'a text of some length', b'b text of some length'].min()"},
    {"list_bytes_max_bytes", "[b'a text of some length', b'b text of some length'].max()"},
    {"string_to_quantity", "quantity('100000000000Mi')"},
    {"string_to_ip", "ip('2001:db8:1:2::1')"},
    {"ip_is_canonical", "ip.isCanonical('127.0.0.1')"},
    {"string_to_cidr", "cidr('10.0.0.0/8')"},
    {"cidr_contains_ip_string", "cidr('2001:db8:1:2::/64').containsIP('2001:db8:1:2::1')"},
    {"cidr_contains_ip_ip", "cidr('2001:db8:1:2::/64').containsIP(ip('2001:db8:1:2::1'))"},
    {"cidr_contains_cidr_string", "cidr('2001:db8:1:2::/64').containsCIDR('2001:db8:1:2::/70')"},
    {"cidr_contains_cidr", "cidr('2001:db8:1:2::/64').containsCIDR(cidr('2001:db8:1:2::/70'))"},
    {"string_bool_to_semver", "semver('v1.2.3-alpha.beta', true)"},
};

// Evaluates expressions; the values live as long as this.
class Evaluator {
 public:
  explicit Evaluator(const Scene& scene) : scene_(scene) {}

  ExpressionPtr compiled(std::string_view text) const {
    auto made = compile(text, *scene_.environment);
    return made.ok() ? *made : nullptr;
  }
  // Nothing if the text, which may name local variables, does not compile or its value is an error.
  std::optional<Outcome> outcome(std::string_view text) {
    const ExpressionPtr expression = compiled(text);
    auto program =
        expression == nullptr ? Result<ProgramPtr>(Error{}) : make_program(expression, {.fold = false});
    if (!program.ok()) return {};
    programs_.push_back(*program);
    Activation activation((*program)->paths());
    for (const Given& variable : scene_.given) activation.set(variable.name, variable.value);
    Outcome made = evaluate(**program, activation, context_);
    if (made.value.is_error()) return {};
    return made;
  }

 private:
  const Scene& scene_;
  Context context_;
  std::vector<ProgramPtr> programs_;
};

// Collects the calls of an overload in expressions.
class Calls {
 public:
  Calls(Evaluator& evaluator, std::string_view overload) : evaluator_(evaluator), overload_(overload) {}

  void add(std::string_view text) {
    if (const ExpressionPtr e = evaluator_.compiled(text)) visit(e->ast(), *e->ast().root);
  }
  const std::map<std::string, Call>& all() const { return all_; }

 private:
  bool calls_it(const Expr& e) const {
    return e.kind == ExprKind::Call && e.reference != nullptr && e.reference->overloads.size() == 1 &&
           e.reference->overloads[0]->id == overload_;
  }
  void visit(const Ast& ast, const Expr& e) {
    if (calls_it(e)) measure(ast, e);
    for_each_child(e, [&](const Expr& child) { visit(ast, child); });
  }

  // Measures the call as it is, and with texts and lists many times as long.
  void measure(const Ast& ast, const Expr& e) {
    const auto text = unparse(ast, &e);
    if (!text.ok()) return;
    std::vector<const Expr*> args(e.args.begin(), e.args.end());
    if (e.target != nullptr) args.insert(args.begin(), e.target);
    std::string grown = *text;
    std::vector<std::string> given, longer;
    size_t at = 0;
    for (const Expr* arg : args) {
      const auto arg_text = unparse(ast, arg);
      if (!arg_text.ok()) return;
      given.push_back(*arg_text);
      longer.push_back(can_grow(*arg) ? repeated(*arg_text) : *arg_text);
      const size_t found = grown.find(given.back(), at);
      if (found == grown.npos) continue;  // the name of a field
      grown.replace(found, given.back().size(), longer.back());
      at = found + longer.back().size();
    }
    const bool of_path = !args.empty() && is_path(*args[0]);
    measure(*text, given, of_path);
    // Of these only some arguments are evaluated.
    if (!e.is_call(operators::kConditional, 3) && e.name != "orValue")
      measure(grown, longer, of_path && longer[0] == given[0]);
  }
  static bool is_path(const Expr& e) {
    return e.kind == ExprKind::Ident || e.kind == ExprKind::Select || e.is_call(operators::kIndex, 2);
  }
  static bool can_grow(const Expr& e) {
    return e.type != nullptr &&
           (e.type->is(TypeKind::String) || e.type->is(TypeKind::Bytes) || e.type->is(TypeKind::List));
  }
  static std::string repeated(const std::string& text) {
    std::string out = "(" + text;
    for (int i = 1; i < kTimes; i++) out += " + " + text;
    return out + ")";
  }

  void measure(const std::string& text, const std::vector<std::string>& args, bool of_path) {
    const ExpressionPtr e = evaluator_.compiled(text);
    const auto whole = e != nullptr && calls_it(*e->ast().root) ? evaluator_.outcome(text) : std::nullopt;
    if (!whole) return;
    Call call{{}, whole->value, whole->cost, of_path};
    for (const std::string& arg : args) {
      const auto made = evaluator_.outcome(arg);
      if (!made) return;
      call.args.push_back(made->value);
      call.cost -= made->cost;
    }
    all_.emplace(text, std::move(call));
  }

  static constexpr int kTimes = 12;
  Evaluator& evaluator_;
  std::string_view overload_;
  std::map<std::string, Call> all_;
};

// Where the text of the row holds: in policies of the last version that has it, or with its library alone.
Scene scene_for(const Library& library, const Function& row) {
  for (uint32_t minor = KubernetesVersion::kLast; minor >= KubernetesVersion::kFirst; --minor) {
    if (kubernetes_has(library, row.since, row.until, minor)) return policy_scene(minor);
  }
  return scene_of(library, static_cast<uint8_t>(row.until - 1));
}

void check_row(const Library& library, const Function& row, Tally& tally) {
  const std::string id = fmt::format("{} {}", library.name, row.id);
  const Scene scene = scene_for(library, row);
  if (!scene.environment.ok()) return tally.fail(id, "an environment", scene.environment.error().text);
  Evaluator evaluator(scene);
  Calls calls(evaluator, row.id);
  for (const Example& example : read_examples(row.examples)) calls.add(example.expression);
  for (const MoreCalls& more : kMoreCalls) {
    if (more.overload == row.id) calls.add(more.expression);
  }
  if (calls.all().empty() && name_of(row).find('@') != std::string::npos)
    return tally.skip();  // only macros call it, with variables of their own
  const std::string_view text = cost_of(library, row);
  std::set<double> costs;
  for (const auto& [written, call] : calls.all()) {
    const std::optional<double> said = said_cost(text, call);
    if (!said) return tally.fail(id, "a text that says what a call costs", text);
    costs.insert(*said);
    if (*said == static_cast<double>(call.cost))
      tally.pass(id);
    else
      tally.fail(id, fmt::format("{}: {} = {}", written, text, *said), fmt::to_string(call.cost));
  }
  const size_t wanted = text.find("size") == text.npos ? 1 : 2;
  if (costs.size() < wanted)
    tally.fail(id, fmt::format("calls of {} costs: {}", wanted, text), fmt::format("{}", costs.size()));
}

}  // namespace
}  // namespace portcullis::tests

int main() {
  using namespace portcullis;
  tests::Tally tally;
  for (const Library* library : all_libraries()) {
    for (const Function& row : library->functions) tests::check_row(*library, row, tally);
  }
  return tally.finish();
}
