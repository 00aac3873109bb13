// See part_decider.h.
#include "cli/session/part_decider.h"

#include <utility>

#include "manifests/namespaces.h"

namespace portcullis {

PartDecider::PartDecider(const Session& session, const RequestMaker& maker, WebhookCallers& callers,
                         bool failures_only)
    : session_(session),
      maker_(maker),
      gates_(session.options()),
      decider_(session, callers, session.options().explain, gates_.hears() ? &gates_ : nullptr),
      requests_(session.cluster()) {
  if (failures_only) decider_.tell_failures_only();
}

DecidedPart PartDecider::decide(ManifestPart& part, Reporter& report) {
  Listening listening;
  settle(part.objects, session_.cluster().resources(), session_.options().namespace_name, part.arena);
  // Of what the new state lacks there is no manifest.
  report.begin(maker_.settings().deletes ? std::span<const InputObject>() : part.objects);
  size_t number = part.number;
  for (const InputObject& o : part.objects) {
    const size_t mine = number++;
    if (!is_request(o)) continue;
    arena_.reset();
    maker_.restart(arena_);
    maker_.add(o);
    requests_.add(maker_, mine);
    const ReviewResult& result = decider_.decide(maker_.requests().front(), maker_);
    result.refusal ? gates_.refused() : gates_.add(result, decider_.policies_asked());
    report.add(result);
  }
  report.end();
  return {gates_.hand_over(), std::move(listening.messages)};
}

}  // namespace portcullis
