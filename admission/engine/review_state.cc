#include "admission/engine/review_state.h"

#include "admission/builtin/normalize.h"
#include "admission/engine/converted.h"
#include "admission/engine/mutation_state.h"
#include "admission/functions/libraries.h"

namespace portcullis {

ReviewContext::ReviewContext() : state_(std::make_unique<State>()) {}
void ReviewContext::set_max_memory(size_t bytes) {
  state_->context.arena().set_most(bytes);
  mutation_state().state.context.arena().set_most(bytes);
}
ReviewContext::~ReviewContext() = default;
ReviewContext::MutationState& ReviewContext::mutation_state() {
  if (mutation_state_ == nullptr) mutation_state_ = std::make_unique<MutationState>();
  return *mutation_state_;
}

void ReviewContext::State::begin(const Engine::Loaded& engine, ReviewContext& review) {
  context.reset();
  // The activation keeps its table alive, so equal addresses mean the same table.
  if (activation == nullptr || &activation->paths() != engine.paths.get()) {
    activation = std::make_unique<Activation>(engine.paths);
  }
  activation->clear();
  settings_.assign(engine.paths->variable_count(), {});
  converted_.clear();
  requests_.clear();
  failures.clear();
  denied = false;
  runner.interrupt_for(review);
  authorizer_ = review.authorizer;
  authorizer_made_ = false;
}

size_t ReviewContext::State::new_result() {
  if (used == results.size()) results.emplace_back();
  PolicyResult& r = results[used];
  r.skipped = false;
  r.decisions.clear();
  r.annotations.clear();
  return used++;
}

void ReviewContext::State::add_annotation(std::string_view key, int index, std::string_view value) {
  for (const CollectedAnnotation& a : annotations) {
    if (a.key == key && a.value == value) return;
  }
  annotations.push_back({key, value, index, false});
}

void ReviewContext::State::set(uint32_t variable, const Value& value) {
  if (variable == PathTable::kNone) return;
  Setting& s = settings_[variable];
  if (s.set && s.value.is_identical(value)) return;
  s.set = true;
  s.value = value;
  activation->set(variable, value);
}

void ReviewContext::State::set_objects(const Engine::Loaded& engine, const AdmissionRequest& request,
                                       const GroupVersionKind& kind) {
  Value object = request.object, old_object = request.old_object;
  if (kind != request.kind_of_objects()) {
    const Converted* found = nullptr;
    for (const Converted& c : converted_) {
      if (c.kind == kind) found = &c;
    }
    if (found == nullptr) {
      auto make = [&](const Value& o) { return at_version(context.arena(), request.typed, o, kind); };
      converted_.push_back({kind, make(object), make(old_object)});
      found = &converted_.back();
    }
    object = found->object;
    old_object = found->old_object;
  }
  set(engine.numbers->object, object);
  set(engine.numbers->old_object, old_object);
}

void ReviewContext::State::set_request(const Engine::Loaded& engine, const AdmissionRequest& request,
                                       const GroupVersionKind& kind, const GroupVersionResource& resource) {
  if (engine.numbers->request == PathTable::kNone) return;
  for (const Seen& s : requests_) {
    if (s.kind == kind && s.resource == resource) return set(engine.numbers->request, s.value);
  }
  requests_.push_back({kind, resource, request_value(request, kind, resource, context.arena())});
  set(engine.numbers->request, requests_.back().value);
}

void ReviewContext::State::set_authorizer(const Engine::Loaded& engine, const AdmissionRequest& request,
                                          bool bound) {
  const VariableNumbers& n = *engine.numbers;
  if (n.authorizer == PathTable::kNone && n.request_resource == PathTable::kNone) return;
  if (bound && !authorizer_made_) {
    authorizer_value_ = authorizer_value(context.arena(), authorizer_, request.user);
    request_resource_value_ =
        resource_check_value(context.arena(), authorizer_, request.user,
                             {request.resource.group, request.resource.resource, request.subresource,
                              request.namespace_name, request.name});
    authorizer_made_ = true;
  }
  for (auto [number, value] :
       {std::pair{n.authorizer, authorizer_value_}, {n.request_resource, request_resource_value_}}) {
    if (number == PathTable::kNone) continue;
    if (bound) {
      set(number, value);
    } else if (settings_[number].set) {
      settings_[number].set = false;
      activation->unset(number);
    }
  }
}

}  // namespace portcullis
