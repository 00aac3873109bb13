#include "cli/reports/review_reports.h"

namespace portcullis {

ReviewReports::ReviewReports(Outputs& outputs, const ReviewOptions& options) : outputs_(outputs) {
  for (Outputs::Output& o : outputs.all()) {
    if (o.own) all_.push_back(make(o.format, options.quiet, o.destination));
  }
  if (!outputs.wants_run()) return;
  auto run = std::make_unique<RunReporter>(options.kubernetes_version);
  run_ = run.get();
  all_.push_back(std::move(run));
}

void ReviewReports::begin(std::span<const InputObject> manifests) {
  for (auto& r : all_) r->begin(manifests);
}

void ReviewReports::add(const ReviewResult& result) {
  for (auto& r : all_) r->add(result);
}

void ReviewReports::finish(const Remainder& rest) {
  finished_ = true;
  for (auto& r : all_) r->finish(rest);
}

void ReviewReports::give_up(const Remainder& rest) {
  finished_ = true;
  for (auto& r : all_) r->give_up(rest);
}

bool ReviewReports::close() {
  if (run_ != nullptr) {
    if (!finished_) run_->finish({.errors = said_errors()});
    outputs_.put(run_->run());
  }
  return outputs_.close();
}

}  // namespace portcullis
