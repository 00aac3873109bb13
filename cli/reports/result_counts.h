// The verdict of a result in one word, and how many results have which. Tested by tests/cli.py.
#pragma once

#include <string_view>

#include "cli/reports/report.h"

namespace portcullis {

inline std::string_view verdict_of(const ReviewResult& r) {
  if (r.refusal) return "refused";
  if (!r.allowed) return "denied";
  return r.warnings.empty() ? "admitted" : "warned";
}

struct ResultCounts {
  int manifests = 0, deleted = 0, admitted = 0, warned = 0, denied = 0, refused = 0, unmatched = 0;

  void add(const ResultCounts& c) {
    manifests += c.manifests;
    deleted += c.deleted;
    admitted += c.admitted;
    warned += c.warned;
    denied += c.denied;
    refused += c.refused;
    unmatched += c.unmatched;
  }
  void add(const ReviewResult& r) {
    manifests++;
    deleted += r.deleted;
    refused += r.refusal.has_value();
    if (r.refusal) return;
    denied += !r.allowed;
    warned += r.allowed && !r.warnings.empty();
    admitted += r.allowed && r.warnings.empty();
    unmatched += r.policies_matched + r.webhooks_reached == 0;
  }
};

}  // namespace portcullis
