// See cluster_requests.h.
#include "server/cluster_requests.h"

namespace portcullis::server {
namespace {

constexpr size_t kMaxAnswer = size_t{16} << 20;

}  // namespace

std::string resource_of(const WatchedKind& k) {
  return k.group.empty() ? k.plural : k.plural + "." + k.group;
}

bool Source::data(int status, std::string_view part) {
  return watch.data(status, part, std::chrono::steady_clock::now());
}

void Source::closed() { watch.closed(std::chrono::steady_clock::now()); }

void Source::ended(int status, std::string error, std::chrono::seconds retry_after) {
  watch.ended(status, std::move(error), retry_after, std::chrono::steady_clock::now());
}

void Source::ask(KindWatch::Time now) {
  if (auto ask = watch.next(now)) api.get({ask->target, ask->watch, ask->timeout}, *this);
}

Question::Question(ClusterApi& api, const std::string& target, std::chrono::seconds time) : api(api) {
  api.get({target, false, time}, *this);
}

bool Question::data(int, std::string_view part) {
  if (body.size() + part.size() > kMaxAnswer) return false;
  body.append(part);
  return true;
}

void Question::ended(int code, std::string why, std::chrono::seconds) {
  status = code;
  error = std::move(why);
  done = true;
}

}  // namespace portcullis::server
