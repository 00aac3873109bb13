// Arbitrary bytes as what a kubeconfig has and what an API server answers: a kubeconfig, a page of a list, the events of a
// watch in two pieces, discovery. None may crash; objects that are read must be JSON that reads back, and the bytes that
// are held must stay within their limit.
#include <cstdlib>

#include "server/cluster_access.h"
#include "server/cluster_watch.h"

using namespace portcullis;
using namespace portcullis::server;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (auto access = read_kubeconfig(bytes, "config", ""); access.ok() && access->server.empty()) std::abort();
  static WatchContext context;
  context.most = 4096;
  const KindWatch::Time now{std::chrono::seconds(1000)};
  KindWatch watch({.kind = {"v1", "Namespace", {}}, .group = "", .versions = {"v1"}, .plural = "namespaces"},
                  context);
  auto answer = [&](std::string_view first, std::string_view rest) {
    const bool whole = watch.data(200, first, now) && watch.data(200, rest, now);
    watch.ended(200, whole ? "" : "the rest is not wanted", std::chrono::seconds(0), now);
    for (const auto& [key, json] : watch.objects()) {
      Arena arena;
      if (!read_json(json, arena).ok() || key.find('/') == key.npos) std::abort();
    }
    if (context.used > context.most) std::abort();
  };
  if (watch.next(now)) answer(bytes, {});
  if (!watch.known()) {
    watch.next(*watch.due());
    answer(
        R"({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []})",
        {});
  }
  if (watch.due()) watch.next(*watch.due());
  answer(bytes.substr(0, size / 2), bytes.substr(size / 2));
  (void)context.reader.find_resource(bytes, "Limit");
  (void)context.reader.status(bytes);
  return 0;
}
