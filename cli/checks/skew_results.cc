// See skew_results.h.
#include "cli/checks/skew_results.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "admission/crd/formats.h"
#include "admission/expressions/expression_places.h"
#include "admission/mutation.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

constexpr size_t kMostOfValue = 120;  // bytes of a value

std::string_view list_of_part(ReviewTrace::Part part) {
  switch (part) {
    case ReviewTrace::Part::MatchCondition: return place_of(ExpressionRole::MatchCondition).list;
    case ReviewTrace::Part::Annotation: return place_of(ExpressionRole::Annotation).list;
    case ReviewTrace::Part::Mutation: return place_of(ExpressionRole::ApplyConfiguration).list;
    default: return place_of(ExpressionRole::Validation).list;
  }
}

// Keeps what each expression of a policy came to.
class ResultTrace final : public ReviewTrace {
 public:
  ResultTrace(std::vector<ObjectSkew>& objects, ServerRange range) : objects_(objects), range_(range) {}

  void begin(const InputObject* manifest, size_t server) {
    manifest_ = manifest;
    server_ = server;
  }

  void evaluated(const Evaluated& e, Replay&) override {
    ExpressionSkew* expression = find(e);
    if (expression == nullptr) return;
    ExpressionResult result{e.error.empty() ? format_cel(e.value, kMostOfValue) : std::string(e.error),
                            !e.error.empty(), e.cost};
    // A mutating policy may run twice; what it came to first is told.
    auto& slot = results_of(*expression, e.param).on[server_];
    if (!slot) slot = std::move(result);
  }

 private:
  ExpressionSkew* find(const Evaluated& e) {
    auto object = std::ranges::find_if(objects_, [&](const ObjectSkew& o) {
      return role_of(*o.object) == Role::Policy && o.object->name == e.policy &&
             is_mutating(*o.object) == e.mutating;
    });
    if (object == objects_.end()) return nullptr;
    std::string entry(list_of_part(e.part));
    entry.append("[").append(std::to_string(e.index)).append("].");
    const bool message = e.part == Part::Message;
    for (ExpressionSkew& x : object->expressions) {
      if (x.path.starts_with(entry) && (x.path.ends_with(".messageExpression") == message)) return &x;
    }
    return nullptr;
  }

  ManifestResults& results_of(ExpressionSkew& expression, std::string_view param) {
    for (ManifestResults& r : expression.results) {
      if (r.manifest == manifest_ && r.param == param) return r;
    }
    ManifestResults& made = expression.results.emplace_back();
    made.manifest = manifest_;
    made.param = param;
    made.on.resize(range_.count());
    return made;
  }

  std::vector<ObjectSkew>& objects_;
  ServerRange range_;
  const InputObject* manifest_ = nullptr;
  size_t server_ = 0;
};

// An API server, as far as it decides requests.
class Server {
 public:
  Server(std::shared_ptr<const Engine> engine, uint32_t minor, const SkewSetting& setting)
      : engine_(std::move(engine)), minor_(minor), arena_(setting.arena) {}

  std::string verdict(const ManifestRequest& asked, ReviewContext& context) {
    AdmissionRequest request = asked.attributes;
    engine_->mutate(request, context, mutation_);
    if (!mutation_.allowed) return std::string(mutation_.status.message);
    if (mutation_.changed) request.object = mutation_.object;
    if (asked.definition != nullptr) {
      if (std::string why = refusal(*asked.definition, request); !why.empty())
        return "refused by its definition: " + why;
    }
    engine_->review(request, context, decision_);
    if (decision_.allowed) return "allowed";
    return std::string(decision_.error.empty() ? decision_.status.message : decision_.error);
  }

 private:
  // Why the definition refuses the object, which it completes.
  std::string refusal(const InputObject& definition, AdmissionRequest& request) {
    auto [found, fresh] = definitions_.try_emplace(&definition);
    if (fresh) found->second = definition_on(definition, minor_);
    crd::ObjectOutcome outcome =
        found->second->review(request.kind.version, request.object, nullptr, arena_, values_);
    if (!outcome.decode_error.empty()) return outcome.decode_error;
    if (!outcome.errors.empty()) return outcome.errors[0].message;
    request.object = outcome.object;
    return {};
  }

  std::shared_ptr<const Engine> engine_;
  uint32_t minor_;
  Arena& arena_;
  Context values_;
  Mutation mutation_;
  Decision decision_;
  std::map<const InputObject*, std::shared_ptr<const crd::Definition>> definitions_;
};

// What the servers before have is that of a server whose libraries are the same.
void repeat(std::vector<ObjectSkew>& objects, std::vector<ManifestVerdicts>& verdicts, size_t server) {
  for (ManifestVerdicts& v : verdicts) v.on.push_back(v.on.back());
  for (ObjectSkew& o : objects) {
    for (ExpressionSkew& e : o.expressions) {
      for (ManifestResults& r : e.results) r.on[server] = r.on[server - 1];
    }
  }
}

}  // namespace

std::shared_ptr<const crd::Definition> definition_on(const InputObject& definition, uint32_t minor) {
  crd::RuleEnvironment environment = crd::new_rules(stored_on(minor));
  environment.server = minor;
  return crd::Definition::read(definition.value, environment);
}

Result<std::vector<ManifestVerdicts>> skew_results(ReviewCluster& cluster,
                                                   std::span<const ManifestRequest> requests,
                                                   const SkewSetting& setting, ServerRange range,
                                                   std::vector<ObjectSkew>& objects) {
  std::vector<ManifestVerdicts> out;
  for (const ManifestRequest& r : requests) out.push_back({.manifest = r.manifest, .on = {}});
  ResultTrace trace(objects, range);
  for (size_t server = 0; server < range.count() && !out.empty(); server++) {
    const uint32_t minor = range.from + static_cast<uint32_t>(server);
    const bool as_before = new_environment(stored_on(minor)) == new_environment(stored_on(minor - 1));
    if (server > 0 && as_before && !crd::formats_changed(minor)) {
      repeat(objects, out, server);
      continue;
    }
    cluster.libraries = stored_on(minor);
    std::vector<std::string_view> assumed;
    auto engine = cluster.load(setting.namespaces, setting.arena, assumed, setting.params, true);
    if (!engine.ok()) return engine.error();
    ReviewContext context;
    context.trace = &trace;
    context.authorizer = &cluster.authorizer();
    Server decides(*engine, minor, setting);
    for (size_t i = 0; i < requests.size(); i++) {
      trace.begin(requests[i].manifest, server);
      out[i].on.push_back(decides.verdict(requests[i], context));
    }
  }
  return out;
}

}  // namespace portcullis
