// What passes between the API server and a webhook.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::chain {

// An HTTP answer.
struct HttpAnswer {
  int code = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // The first header of this name, in any case of letters; empty if there is none.
  std::string_view header(std::string_view name) const;
};

}  // namespace portcullis::chain
