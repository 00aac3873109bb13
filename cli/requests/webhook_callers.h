// Where the answers of webhooks come from: nobody, the network, or files that --record wrote.
//
// Idea: one file per webhook and request, DIR/CONFIGURATION/WEBHOOK/OPERATION_RESOURCE_NAMESPACE_NAME.json, with what
// was sent (for people) and `answers` (chain/replay.h), one for each call: a redirection, a repetition and the second
// pass are calls of their own. Tested by tests/cli/webhooks.txt.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/objects/request.h"
#include "chain/exchange.h"
#include "chain/replay.h"
#include "http/client.h"

namespace portcullis {

// The options of a command about webhooks; see --help.
struct WebhookOptions {
  std::string mode = "note";  // note, call, recorded=DIR
  std::string record;
  std::vector<std::string> addresses;  // NAME=HOST:PORT
  std::string certificate, key;        // PEM files
};

class WebhookCallers final : public chain::Callers {
 public:
  // Says what is wrong with them; see ok().
  explicit WebhookCallers(const WebhookOptions& options);
  ~WebhookCallers() override;

  bool ok() const { return ok_; }
  // Whether webhooks are asked at all: --webhooks is not `note`.
  bool asks() const { return mode_ != Mode::Note; }

  // Starts a request; writes the record of the one before.
  void begin(const AdmissionRequest& request);
  // Writes the last record. False if one could not be written, which it says.
  bool finish();
  // The first file that lacks an answer of this request; empty if none does.
  const std::string& missing() const { return missing_; }

  Result<chain::Asker*> caller(const chain::Target& target) override;
  std::string new_uid() override;
  bool at_once() const override { return mode_ == Mode::Call; }

 private:
  enum class Mode { Note, Call, Recorded };
  class Recorder;

  void fail(std::string_view text);
  std::string file_of(std::string_view directory, const chain::Target& target) const;
  Result<chain::Asker*> replay(const chain::Target& target);
  Result<chain::Asker*> client(const chain::Target& target);

  Mode mode_ = Mode::Note;
  bool ok_ = true;
  std::string directory_, record_;  // of recorded answers; of --record
  http::Options http_;
  std::map<std::string, std::unique_ptr<chain::Asker>, std::less<>> clients_;  // by trusted certificates
  // Of the present request:
  std::string key_;  // "CREATE_deployments.apps_shop_cart"
  std::string uid_, missing_;
  struct Written;
  std::map<std::string, std::unique_ptr<Written>> written_;     // recorded answers, by file
  std::map<std::string, std::unique_ptr<Recorder>> recorders_;  // by file
  std::map<std::string, int> keys_;                             // how often a key came
};

}  // namespace portcullis
