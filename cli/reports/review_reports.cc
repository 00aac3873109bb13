#include "cli/reports/review_reports.h"

namespace portcullis {
namespace {

// A part of each.
class Parts final : public Reporter {
 public:
  std::vector<std::unique_ptr<Reporter>> all;
  void begin(std::span<const InputObject> manifests) override {
    for (auto& r : all) r->begin(manifests);
  }
  void end() override {
    for (auto& r : all) r->end();
  }
  void add(const ReviewResult& result) override {
    for (auto& r : all) r->add(result);
  }
  void finish(const Remainder&) override {}
};

}  // namespace

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

void ReviewReports::end() {
  for (auto& r : all_) r->end();
}

std::unique_ptr<Reporter> ReviewReports::part() const {
  auto out = std::make_unique<Parts>();
  for (auto& r : all_) out->all.push_back(r->part());
  return out;
}

void ReviewReports::take(Reporter& part) {
  auto& parts = static_cast<Parts&>(part).all;
  for (size_t i = 0; i < all_.size(); i++) all_[i]->take(*parts[i]);
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
