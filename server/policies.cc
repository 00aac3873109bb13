// See policies.h.
#include "server/policies.h"

#include <utility>

namespace portcullis::server {

uint64_t Policies::use(std::shared_ptr<const v1::Engine> engine) {
  PolicySet set{std::move(engine), generation() + 1};  // then the old one, which ends after the lock
  std::lock_guard lock(mutex_);
  std::swap(current_, set);
  generation_ = current_.generation;
  for (KeptPolicies* k : kept_) k->drop();
  return current_.generation;
}

void Policies::exchange(std::shared_ptr<const v1::Engine> engine, std::chrono::steady_clock::duration time,
                        std::initializer_list<LogField> about) {
  const size_t policies = engine->policy_count(), bindings = engine->binding_count();
  const uint64_t number = use(std::move(engine));
  {
    std::lock_guard lock(mutex_);
    trouble_.clear();
  }
  std::vector<LogField> fields = {{"generation", static_cast<int64_t>(number)},
                                  {"policies", static_cast<int64_t>(policies)},
                                  {"bindings", static_cast<int64_t>(bindings)}};
  fields.insert(fields.end(), about.begin(), about.end());
  fields.push_back({"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(time).count()});
  metrics_.reloaded(true, policies, bindings);
  log_.line(LogLevel::Info, "policies are loaded", fields);
}

void Policies::refresh(std::shared_ptr<const v1::Engine> engine, std::chrono::steady_clock::duration time) {
  const uint64_t number = use(std::move(engine));
  log_.line(LogLevel::Debug, "params and namespaces are exchanged",
            {{"generation", static_cast<int64_t>(number)},
             {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(time).count()}});
}

void Policies::keep(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    trouble_ = why;
  }
  metrics_.reloaded(false, 0, 0);
  log_.line(LogLevel::Error,
            generation() == 0 ? "no policies are loaded" : "the last good policies stay in use",
            {{"generation", static_cast<int64_t>(generation())}, {"error", why}});
}

PolicySetPtr Policies::current() const {
  std::lock_guard lock(mutex_);
  return current_.engine == nullptr ? nullptr : std::make_unique<const PolicySet>(current_);
}

std::string Policies::trouble() const {
  std::lock_guard lock(mutex_);
  return trouble_;
}

void Policies::enter(KeptPolicies& kept) {
  std::lock_guard lock(mutex_);
  kept_.push_back(&kept);
}

void Policies::leave(KeptPolicies& kept) {
  std::lock_guard lock(mutex_);
  std::erase(kept_, &kept);
}

}  // namespace portcullis::server
