// ReviewContext::State: the memory of one thread's reviews. Lists keep their capacity; values live in the
// arena. Tested by admission/engine/engine_test.cc, tests/allocations.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/engine/loaded.h"
#include "admission/engine/stage.h"

namespace portcullis {

// The outcome of one validation or (if `whole`) of an evaluation that failed as a whole.
struct PolicyDecision {
  enum class Kind : uint8_t { Passed, Failed, Error };
  Kind kind = Kind::Passed;
  bool denied = false;
  bool whole = false;
  std::string_view field;  // the list of the policy whose evaluation failed as a whole
  int item = -1;           // the index in that list at which the budget was exhausted
  int index = 0;
  std::string_view message, reason;
  uint64_t cost = 0;
};

struct AnnotationResult {
  int index = 0;
  std::string_view value;  // empty: nothing to publish
  std::string_view error;  // if not empty, refuses the request
};

// The result of a policy with one param.
struct PolicyResult {
  bool skipped = false;  // match conditions were false
  std::vector<PolicyDecision> decisions;
  std::vector<AnnotationResult> annotations;
};

struct AuditedFailure {
  const LoadedPolicy* policy;
  const PolicyBinding* binding;
  std::string_view message;
  int index;
};

struct CollectedAnnotation {
  std::string_view key, value;
  int index = 0;
  bool done = false;
};

struct ReviewContext::State {
  Context context;
  std::unique_ptr<Activation> activation;
  StageRunner runner{context};

  RuleOutcomes outcomes;
  std::vector<uint32_t> matched;  // policies that match, or fail to
  std::vector<uint64_t> scratch;
  std::vector<Evaluation> evaluations, messages;
  std::vector<PolicyResult> results;  // results of one policy; the first `used` are valid
  size_t used = 0;
  std::vector<size_t> chosen;
  std::vector<const Param*> params;
  std::vector<CollectedAnnotation> annotations;
  std::vector<AuditedFailure> failures;
  std::vector<std::string_view> texts;
  std::string json;
  bool denied = false;
  std::string_view denial_prefix, denial_message, denial_reason;
  std::string_view denial_namespace;  // as Status::missing_namespace

  // Starts a review.
  void begin(const Engine::Loaded& engine, ReviewContext& review);
  void reset_results() { used = 0; }
  size_t new_result();
  void add_annotation(std::string_view key, int index, std::string_view value);

  // Each sets a variable only if its value changes, so that cached paths stay valid.
  void set(uint32_t variable, const Value& value);
  void set_objects(const Engine::Loaded& engine, const AdmissionRequest& request,
                   const GroupVersionKind& kind);
  void set_request(const Engine::Loaded& engine, const AdmissionRequest& request,
                   const GroupVersionKind& kind, const GroupVersionResource& resource);
  void set_authorizer(const Engine::Loaded& engine, const AdmissionRequest& request, bool bound);

 private:
  struct Converted {
    GroupVersionKind kind;
    Value object, old_object;
  };
  struct Seen {
    GroupVersionKind kind;
    GroupVersionResource resource;
    Value value;
  };
  struct Setting {
    bool set = false;
    Value value;
  };
  std::vector<Converted> converted_;
  std::vector<Seen> requests_;
  std::vector<Setting> settings_;  // by number of the variable
  const Authorizer* authorizer_ = nullptr;
  bool authorizer_made_ = false;
  Value authorizer_value_, request_resource_value_;
};

}  // namespace portcullis
