// See cluster_watch.h.
#include "server/cluster_watch.h"

#include <algorithm>

#include "cli/formats/percent.h"

namespace portcullis::server {
namespace {

using std::chrono::seconds;
using News = WatchContext::News;

// How long a watch lasts, as in client-go: this long to twice as long.
constexpr int kWatchSeconds = 300;
// What the server may take beyond that, and for a page of a list.
constexpr seconds kAnswerGrace{30}, kPageTime{120};
// A watch that ends sooner, without an event, is a failure; one that lasts for longer ends a failure.
constexpr seconds kShort{1};
// If the server forgets the version of a list within this time, the next list comes later.
constexpr seconds kRecent{10};
// How often the server is asked again for a kind that it does not have.
constexpr seconds kAskAgain{30};
// The most of an answer with an error that is read.
constexpr size_t kMaxRefusal = size_t{64} << 10;

// Whether `version` is a later one than `other`, or the same. Both are decimal numbers.
bool reaches(std::string_view version, std::string_view other) {
  return version.size() != other.size() ? version.size() > other.size() : version >= other;
}

std::string too_many(const WatchContext& context) {
  return "the objects of the cluster are larger than " + std::to_string(context.most) + " bytes";
}

// A query's value: `continue` and resourceVersion are opaque.
std::string escaped(std::string_view text) { return percent_encoded(text, "-._"); }

}  // namespace

std::string version_path(std::string_view group, std::string_view version) {
  return (group.empty() ? "/api/" : "/apis/" + std::string(group) + "/") + std::string(version);
}

std::string KindWatch::path() const {
  return version_path(what_.group, what_.versions[version_]) + "/" + what_.plural;
}

void KindWatch::ask_version(size_t version) {
  version_ = version;
  wanted_ = what_.kind;
  wanted_.asked_version = (what_.group.empty() ? "" : what_.group + "/") + what_.versions[version];
}

std::optional<KindWatch::Ask> KindWatch::next(Time now) {
  if (state_ == State::Watching && answered_ && !failure_.empty() && now - began_ > kShort) good(now);
  if (state_ != State::Waiting || now < due_) return std::nullopt;
  began_ = now;
  body_.clear();
  lines_.clear();
  trouble_.clear();
  lists_again_ = forgot_ = too_large_ = answered_ = false;
  events_ = 0;
  Ask out;
  if (resource_version_.empty()) {
    state_ = State::Listing;
    out.target = path();
    if (!whole_) out.target += "?limit=" + std::to_string(limit_);
    if (!next_page_.empty()) out.target += "&continue=" + escaped(next_page_);
    out.timeout = kPageTime;
    return out;
  }
  state_ = State::Watching;
  const int last = kWatchSeconds + static_cast<int>(context_.random() % kWatchSeconds);
  out.target = path() + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + escaped(resource_version_) +
               "&timeoutSeconds=" + std::to_string(last);
  out.watch = true;
  out.timeout = seconds(last) + kAnswerGrace;
  return out;
}

std::optional<KindWatch::Time> KindWatch::due() const {
  if (state_ == State::Waiting) return due_;
  if (state_ == State::Watching && answered_ && !failure_.empty())
    return began_ + kShort + std::chrono::milliseconds(10);
  return std::nullopt;
}

void KindWatch::good(Time now) {
  last_good_ = now;
  if (!failure_.empty()) context_.tell(News::Recovery, what_, "the cluster answers again");
  failure_.clear();
  failures_ = 0;
}

// Notes a failure; the next attempt comes after the delay of client-go, which is doubled each time, with jitter.
void KindWatch::fail(std::string text, Time now, seconds at_least) {
  if (failure_ != text) context_.tell(News::Failure, what_, text);
  failure_ = std::move(text);
  auto delay = context_.first_delay * (int64_t{1} << std::min<uint64_t>(failures_, 6));
  delay = std::min(delay, context_.last_delay);
  failures_++;
  delay += std::chrono::milliseconds(context_.random() % static_cast<uint64_t>(delay.count() + 1));
  due_ = now + std::max<std::chrono::milliseconds>(delay, std::min(at_least, seconds(60)));
}

void KindWatch::list_again() {
  resource_version_.clear();
  next_page_.clear();
  incoming_.clear();
  incoming_bytes_ = 0;
}

// The server does not know the resource version, or page, any more: everything is listed anew.
void KindWatch::forgotten(std::string text, Time now) {
  const bool recent = listed_ != Time() && now - listed_ < kRecent;
  const bool in_pages = !next_page_.empty();
  const bool at_once = in_pages ? !whole_ : !recent;
  // Pages are kept for a few minutes only: then all objects are asked for at once, as client-go does.
  whole_ |= in_pages;
  list_again();
  if (!at_once) return fail(std::move(text), now);
  context_.tell(News::Recovery, what_, "everything is listed anew: " + text);
}

bool KindWatch::data(int status, std::string_view part, Time now) {
  answered_ = status == 200;
  if (status == 200 && state_ == State::Watching) {
    last_good_ = now;
    if (lines_.add(part, [&](std::string_view line) { return take(line, now); })) return true;
    if (lines_.too_long() || trouble_.empty())
      trouble_ = "an event is longer than " + std::to_string(kMaxEvent) + " bytes", lists_again_ = true;
    return false;
  }
  const size_t most = status == 200 ? kMaxPage : kMaxRefusal;
  too_large_ = body_.size() + part.size() > most;
  if (!too_large_) body_.append(part);
  return !too_large_;
}

void KindWatch::closed(Time now) {
  if (state_ == State::Watching && answered_) last_good_ = now;
}

void KindWatch::ended(int status, std::string error, seconds retry_after, Time now) {
  const bool watched = state_ == State::Watching;
  state_ = State::Waiting;
  due_ = now;
  if (!trouble_.empty()) {
    if (forgot_) return forgotten(trouble_, now);
    if (lists_again_) list_again();
    return fail(trouble_, now);
  }
  if (too_large_ && status == 200) {
    list_again();
    if (!whole_ && limit_ > 1) return void(limit_ = std::max<size_t>(1, limit_ / 4));
    whole_ = false;
    return fail("a page of the list is larger than " + std::to_string(kMaxPage) + " bytes", now);
  }
  if (status != 200 && status != 0 && (error.empty() || too_large_)) return refused(status, retry_after, now);
  if (!error.empty() || status == 0) return fail(error.empty() ? "no answer" : std::move(error), now);
  if (!watched) return page(now);
  if (lines_.pending() > 0) return fail("the watch ended within an event", now);
  if (events_ == 0 && now - began_ < kShort) return fail("the watch ended at once", now);
  good(now);
}

void KindWatch::page(Time now) {
  Result<ListPage> page = context_.reader.list(body_, wanted_);
  body_.clear();
  if (!page.ok()) return list_again(), fail(page.error().text, now);
  for (ClusterObject& object : page->items) {
    incoming_bytes_ += object.key.size() + object.json.size();
    if (context_.used - bytes_ + incoming_bytes_ > context_.most)
      return list_again(), fail(too_many(context_), now);
    incoming_.insert_or_assign(std::move(object.key), std::move(object.json));
  }
  if (!page->next.empty() && page->items.empty())
    return list_again(), fail("a page of the list is empty, and not the last", now);
  next_page_ = page->next;
  last_good_ = now;
  if (!next_page_.empty()) return;
  resource_version_ = page->resource_version;
  finish_list(now);
}

void KindWatch::finish_list(Time now) {
  if (!known_ || !unavailable_.empty()) changes_++;
  for (const auto& [key, json] : objects_) {
    if (!incoming_.contains(key)) change(key);
  }
  for (const auto& [key, json] : incoming_) {
    auto found = objects_.find(key);
    if (found == objects_.end() || found->second != json) change(key);
  }
  objects_ = std::move(incoming_);
  incoming_.clear();
  incoming_bytes_ = 0;
  whole_ = false;
  listed_ = now;
  size_t bytes = 0;
  for (const auto& [key, json] : objects_) bytes += key.size() + json.size();
  resize(bytes);
  known_ = true;
  unavailable_.clear();
  relists_++;
  good(now);
}

void KindWatch::refused(int status, seconds retry_after, Time now) {
  const ApiStatus why = context_.reader.status(body_);
  std::string text = std::to_string(status) + (why.message.empty() ? "" : " " + why.message);
  if (status == 410) return forgotten(std::move(text), now);
  if (status == 400) list_again();
  if (status == 404 || status == 405) {
    list_again();
    if (version_ + 1 < what_.versions.size()) return ask_version(version_ + 1);
    ask_version(0);
    if (what_.may_be_absent) return set_unavailable(std::move(text), now);
  }
  if (status == 403 && what_.may_be_refused && !known_) return set_unavailable(std::move(text), now);
  fail(std::move(text), now, retry_after);
}

void KindWatch::set_unavailable(std::string why, Time now) {
  if (unavailable_ != why || !known_) {
    context_.tell(News::Unavailable, what_, "there is no list of it: " + why);
    changes_++;
  }
  for (const auto& [key, json] : objects_) change(key);
  objects_.clear();
  resize(0);
  unavailable_ = std::move(why);
  known_ = true;
  good(now);
  due_ = now + kAskAgain;
}

// An event of the watch. False if the rest is not wanted.
bool KindWatch::take(std::string_view line, Time now) {
  if (line.find_first_not_of(" \t\r") == line.npos) return true;
  Result<WatchEvent> event = context_.reader.event(line, wanted_);
  if (!event.ok() || event->kind == WatchEvent::Kind::Error) {
    trouble_ = !event.ok() ? event.error().text : std::to_string(event->code) + " " + event->message;
    forgot_ = event.ok() && event->code == 410;
    lists_again_ = true;
    return false;
  }
  events_++;
  good(now);
  ClusterObject& object = event->object;
  const std::string version = object.resource_version;
  if (event->kind == WatchEvent::Kind::Deleted) remove(object.key);
  if (event->kind == WatchEvent::Kind::Changed && !put(std::move(object))) {
    trouble_ = too_many(context_);
    return false;
  }
  resource_version_ = version;
  return true;
}

void KindWatch::change(const std::string& key) {
  changed_.insert(key);
  changes_++;
}

// Adds or replaces an object. False if the limit does not allow it.
bool KindWatch::put(ClusterObject object) {
  auto found = objects_.find(object.key);
  const size_t before = found == objects_.end() ? 0 : found->first.size() + found->second.size();
  const size_t size = object.key.size() + object.json.size();
  if (context_.used - before + size > context_.most) return false;
  resize(bytes_ - before + size);
  if (found == objects_.end() || found->second != object.json) change(object.key);
  objects_.insert_or_assign(std::move(object.key), std::move(object.json));
  return true;
}

void KindWatch::remove(const std::string& key) {
  auto found = objects_.find(key);
  if (found == objects_.end()) return;
  resize(bytes_ - found->first.size() - found->second.size());
  change(found->first);
  objects_.erase(found);
}

void KindWatch::resize(size_t bytes) {
  context_.used = context_.used - bytes_ + bytes;
  bytes_ = bytes;
}

void KindWatch::learn(ClusterObject object) {
  // A watch that is further has seen the object, and its end.
  const bool seen = !resource_version_.empty() && reaches(resource_version_, object.resource_version);
  if (!seen && !objects_.contains(object.key)) put(std::move(object));
}

}  // namespace portcullis::server
