// Decides the manifests of a part of the input, on a thread of its own.
//
// Idea: a part is made, decided and reported one manifest after the other, and what a manifest needs is forgotten with
// it. What the end of a review needs to know is kept: what the gates count, what the requests show, messages in their
// order. Tested by tests/cli.py.
#pragma once

#include <vector>

#include "cli/messages/messages.h"
#include "cli/reading/manifest_stream.h"
#include "cli/reports/gates.h"
#include "cli/reports/report.h"
#include "cli/requests/rule_names.h"
#include "cli/session/decider.h"
#include "cli/session/session.h"

namespace portcullis {

// What came of a part.
struct DecidedPart {
  Gates::Counted counted;
  std::vector<Message> messages;
};

class PartDecider {
 public:
  // `maker` is copied; it and all others must outlive this. `failures_only`: results need not tell what passed.
  PartDecider(const Session& session, const RequestMaker& maker, WebhookCallers& callers, bool failures_only);

  // Settles its objects and decides those that are requests; `report` hears of the results.
  DecidedPart decide(ManifestPart& part, Reporter& report);
  // Of all requests so far.
  const RequestTally& requests() const { return requests_; }

 private:
  const Session& session_;
  Arena arena_;  // of the present request
  RequestMaker maker_;
  Gates gates_;
  Decider decider_;
  RequestTally requests_;
};

}  // namespace portcullis
