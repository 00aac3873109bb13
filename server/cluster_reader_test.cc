// Lists and events of an API server, and answers that are none.
#include "server/cluster_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portcullis::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const WantedKind kNamespace{"v1", "Namespace", {}};
const WantedKind kPolicy{"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy",
                         "admissionregistration.k8s.io/v1beta1"};

TEST(ClusterReader, ItemsGetTheirKind) {
  ClusterReader reader;
  auto page =
      reader.list(R"({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "7",
    "continue": "c"}, "items": [{"metadata": {"name": "a", "resourceVersion": "5"}, "status": {"phase": "x"}}]})",
                  kNamespace);
  ASSERT_TRUE(page.ok()) << page.error().text;
  EXPECT_EQ(page->resource_version, "7");
  EXPECT_EQ(page->next, "c");
  ASSERT_EQ(page->items.size(), 1);
  EXPECT_EQ(page->items[0].key, "/a");
  EXPECT_EQ(page->items[0].json,
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","resourceVersion":"5"},)"
            R"("status":{"phase":"x"}})");
}

TEST(ClusterReader, OlderVersionsBecomeTheWantedOne) {
  ClusterReader reader;
  auto event = reader.event(R"({"type": "ADDED", "object": {"kind": "MutatingAdmissionPolicy",
    "apiVersion": "admissionregistration.k8s.io/v1beta1", "metadata": {"name": "a", "resourceVersion": "5"}}})",
                            kPolicy);
  ASSERT_TRUE(event.ok()) << event.error().text;
  EXPECT_THAT(event->object.json, HasSubstr(R"("apiVersion":"admissionregistration.k8s.io/v1",)"));
}

TEST(ClusterReader, EventsAreToldApart) {
  ClusterReader reader;
  auto mark =
      reader.event(R"({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}})", kNamespace);
  ASSERT_TRUE(mark.ok());
  EXPECT_EQ(mark->kind, WatchEvent::Kind::Bookmark);
  EXPECT_EQ(mark->object.resource_version, "9");
  auto gone = reader.event(
      R"({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "old"}})", kNamespace);
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->kind, WatchEvent::Kind::Error);
  EXPECT_EQ(gone->code, 410);
  EXPECT_EQ(gone->message, "old");
  auto deleted = reader.event(
      R"({"type": "DELETED", "object": {"metadata": {"name": "a", "namespace": "b", "resourceVersion": "9"}}})",
      kNamespace);
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(deleted->kind, WatchEvent::Kind::Deleted);
  EXPECT_EQ(deleted->object.key, "b/a");
}

TEST(ClusterReader, WhatIsNoListOrEventIsSaid) {
  ClusterReader reader;
  auto list = [&](std::string_view text) { return reader.list(text, kNamespace).error().text; };
  auto event = [&](std::string_view text) { return reader.event(text, kNamespace).error().text; };
  EXPECT_THAT(list("<html>"), HasSubstr("the list is not JSON"));
  EXPECT_THAT(list("[]"), HasSubstr("the list is not a JSON object"));
  EXPECT_EQ(list(R"({"kind": "PodList", "apiVersion": "v1"})"),
            "the answer is a v1 PodList, not v1 NamespaceList");
  EXPECT_EQ(list(R"({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {}})"),
            "the list has no resourceVersion");
  EXPECT_EQ(event("{}"), "the event has the type \"\" and no object");
  EXPECT_EQ(event(R"({"type": "SENT", "object": {}})"),
            "the event has the type \"SENT\", which is none of a watch");
  EXPECT_EQ(event(R"({"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {}}})"),
            "an object is of the kind v1 Pod, not v1 Namespace");
  EXPECT_EQ(event(R"({"type": "ADDED", "object": {"metadata": {}}})"), "an object has no name");
  EXPECT_EQ(event(R"({"type": "ADDED", "object": {"metadata": {"name": "a"}}})"),
            "an object has no resourceVersion");
}

TEST(ClusterReader, ResourcesOfKindsAreFound) {
  ClusterReader reader;
  constexpr std::string_view kList = R"({"kind": "APIResourceList", "resources": [
    {"name": "limits/status", "kind": "Limit", "namespaced": true, "verbs": ["get"]},
    {"name": "../secrets", "kind": "Limit", "verbs": ["list", "watch"]},
    {"name": "limits", "kind": "Limit", "namespaced": true, "verbs": ["get", "list", "watch"]},
    {"name": "reviews", "kind": "Review", "namespaced": false, "verbs": ["create"]}]})";
  auto limit = reader.find_resource(kList, "Limit");
  ASSERT_TRUE(limit.ok());
  EXPECT_EQ(limit->plural, "limits");
  EXPECT_TRUE(limit->namespaced && limit->watchable);
  EXPECT_FALSE(reader.find_resource(kList, "Review")->watchable);
  EXPECT_EQ(reader.find_resource(kList, "Other")->plural, "");
}

TEST(LineReader, SplitsWhatArrives) {
  LineReader reader;
  std::vector<std::string> lines;
  auto add = [&](std::string_view part) {
    return reader.add(part, [&](std::string_view line) { return lines.emplace_back(line), line != "stop"; });
  };
  for (std::string_view part : {"a\nb", "c", "\n\nd\ne"}) EXPECT_TRUE(add(part));
  EXPECT_THAT(lines, ElementsAre("a", "bc", "", "d"));
  EXPECT_EQ(reader.pending(), 1);
  EXPECT_FALSE(add("\nstop\nnever\n"));
  EXPECT_EQ(lines.back(), "stop");
  EXPECT_TRUE(add(std::string(kMaxEvent, 'x')));
  EXPECT_FALSE(add("x"));
  EXPECT_TRUE(reader.too_long());
}

}  // namespace
}  // namespace portcullis::server
