// See assumed_sizes.h.
#include "cli/checks/assumed_sizes.h"

#include <algorithm>
#include <charconv>

#include "typecheck/type.h"

namespace portcullis {
namespace {

// What fits a request of 3 MiB, as pkg/cel/types.go estimates it: a text in quotes; elements of a byte and a comma;
// entries of an empty key and a byte.
constexpr uint64_t kRequest = 3 * 1024 * 1024 - 2;
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

namespace {

// Finds what loops walk, and the loop variables that name an item of a list or map as it is written.
class LoopSearch {
 public:
  LoopSearch(std::set<const Expr*>& walked, std::set<const Expr*>& written)
      : walked_(walked), written_(written) {}

  void visit(const Expr* e) {
    if (e == nullptr) return;
    if (e->kind == ExprKind::Ident && names_.contains(e->name)) written_.insert(e);
    visit(e->target);
    for (const Expr* arg : e->args) visit(arg);
    if (e->is_call(operators::kIn, 2)) walked_.insert(e->args[1]);
    for (const Entry& entry : e->entries) {
      visit(entry.key);
      visit(entry.value);
    }
    if (e->fold != nullptr) loop(*e->fold);
  }

 private:
  void loop(const Comprehension& f) {
    walked_.insert(f.range);
    visit(f.range);
    visit(f.accu_init);
    const std::set<std::string> outside = names_;
    const bool written = f.range->kind == ExprKind::List || f.range->kind == ExprKind::Map;
    for (const std::string& name : {f.iter_var, f.iter_var2}) {
      names_.erase(name);
      if (written) names_.insert(name);
    }
    for (const Expr* part : {f.loop_condition, f.loop_step, f.result}) visit(part);
    names_ = outside;
  }

  std::set<const Expr*>&walked_, &written_;
  std::set<std::string> names_;  // of loop variables in scope
};

}  // namespace

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

std::vector<std::string> place_named(const Expr* e) {
  if (e == nullptr) return {};
  if (e->kind == ExprKind::Ident) return {e->name};
  if (e->kind != ExprKind::Select || e->test_only) return {};
  std::vector<std::string> path = place_named(e->target);
  if (!path.empty()) path.push_back(e->name);
  return path;
}

AssumedSizes::AssumedSizes(const Ast& ast, const Assumptions& assumed, const KnownVariables& variables)
    : assumed_(assumed), variables_(variables) {
  LoopSearch(walked_, written_).visit(ast.root);
}

SizeEstimate AssumedSizes::take(const SizeTaken& size, uint64_t least) const {
  auto [at, fresh] = taken_.try_emplace(size.path, size);
  if (!fresh && at->second.size < size.size) at->second = size;
  if (small_.contains(size.path)) return Range{0, std::min<uint64_t>(1, size.size)};
  return Range{least, size.size};
}

// Of what is computed, if the estimator knows no size of it: a number as text, what a function makes of its input, an item
// of a computed list.
std::optional<SizeEstimate> AssumedSizes::computed_size(const SizeNode& node) const {
  constexpr uint64_t kLongestNumber = 24;
  const Expr* e = node.expr;
  if (e != nullptr && e->kind != ExprKind::Call) return std::nullopt;
  if (e != nullptr && e->is_call("string", 1) && has_no_size(e->args[0]->type))
    return Range{1, kLongestNumber};
  const std::string text = e == nullptr ? "an item of a computed list" : "the result of " + e->name + "()";
  return take({text, largest(node.type, walked_.contains(e))});
}

std::optional<SizeEstimate> AssumedSizes::estimate_size(const SizeNode& node) const {
  if (has_no_size(node.type) || written_.contains(node.expr)) return std::nullopt;
  if (node.path.empty()) return computed_size(node);
  std::vector<std::string> path(node.path.begin(), node.path.end());
  const std::string written = path_text(path);
  if (path.size() >= 2 && path[0] == "variables") {
    auto known = variables_.find(path[1]);
    if (known != variables_.end() && !known->second.path.empty()) {
      path.erase(path.begin(), path.begin() + 2);
      path.insert(path.begin(), known->second.path.begin(), known->second.path.end());
    } else if (known != variables_.end() && path.size() == 2 && known->second.result) {
      const auto& [place, result, from] = known->second;
      if (!assumed_.find(written)) return from ? take({written, result->max, *from}, result->min) : result;
    }
  }
  const std::string text = path_text(path);
  SizeTaken taken{text, largest(node.type, walked_.contains(node.expr))};
  auto given = assumed_.find(text);
  if (!given) given = assumed_.find(written);
  if (given) {
    taken.size = *given;
    taken.from = SizeTaken::From::User;
  }
  return take(taken);
}

}  // namespace portcullis
