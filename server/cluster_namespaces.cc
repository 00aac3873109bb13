// See cluster_namespaces.h.
#include "server/cluster_namespaces.h"

namespace portcullis::server {
namespace {

constexpr std::chrono::seconds kTime{5};
constexpr size_t kMostFinds = 64;
constexpr const char* kEnds = "the server ends";

}  // namespace

void ClusterNamespaces::find(const std::string& name, Done done) {
  {
    std::lock_guard lock(mutex_);
    if (!ends_) return asked_.emplace_back(name, std::move(done)), void();
  }
  done(kEnds);
}

void ClusterNamespaces::ask() {
  std::vector<std::pair<std::string, Done>> taken;
  {
    std::lock_guard lock(mutex_);
    taken.swap(asked_);
  }
  for (auto& [name, done] : taken) {
    if (watch_.objects().contains("/" + name) || !is_path_part(name)) {
      exchange_();
      done({});
    } else if (!finds_.contains(name) && finds_.size() >= kMostFinds) {
      done("too many namespaces are looked for");
    } else {
      Find& find = finds_[name];
      if (!find.question)
        find.question = std::make_unique<Question>(api_, "/api/v1/namespaces/" + name, kTime);
      find.done.push_back(std::move(done));
    }
  }
}

// Takes the answer to a GET of a namespace. The reason if it tells nothing.
std::string ClusterNamespaces::learn(const Question& q) {
  if (q.status == 404 && q.error.empty()) return {};
  if (!q.error.empty()) return q.error;
  if (q.status != 200) return std::to_string(q.status) + " " + context_.reader.status(q.body).message;
  Result<ClusterObject> object = context_.reader.single(q.body, watch_.what().kind);
  if (!object.ok()) return object.error().text;
  watch_.learn(std::move(*object));
  return {};
}

void ClusterNamespaces::take() {
  std::vector<std::pair<std::string, Done>> told;
  for (auto it = finds_.begin(); it != finds_.end();) {
    Find& find = it->second;
    if (!find.question->done) {
      it++;
      continue;
    }
    const std::string why = learn(*find.question);
    for (auto& done : find.done) told.emplace_back(why, std::move(done));
    it = finds_.erase(it);
  }
  if (told.empty()) return;
  exchange_();
  for (auto& [why, done] : told) done(why);
}

void ClusterNamespaces::end() {
  std::vector<std::pair<std::string, Done>> left;
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    left.swap(asked_);
  }
  for (auto& [name, done] : left) done(kEnds);
  for (auto& [name, find] : finds_) {
    for (auto& done : find.done) done(kEnds);
  }
  finds_.clear();
}

}  // namespace portcullis::server
