// A call of a webhook over HTTP: the query, redirections, repetitions, the deadline.
//
// Source of behaviour: client-go rest/request.go and rest/with_retry.go, Go 1.26 net/http client.go.
// Limits: kMaxRepetitions, kMaxRedirections, as there. The body of an answer that is repeated or redirected
// is read to its end, where Go reads at most 2 KiB. Tested by chain/rest_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chain/exchange.h"
#include "grammar/result.h"

namespace portcullis::chain {

inline constexpr int kMaxRepetitions = 10;   // client-go's maxRetries
inline constexpr int kMaxRedirections = 10;  // net/http's defaultCheckRedirect

// The URL of a call, without the query: from `clientConfig.url`, whose own query is dropped, or from
// `clientConfig.service`. Paths are cleaned as Go's path.Join does. An error is what the API
// server says behind `could not get REST client: ` and, of a URL, `failed calling webhook "<name>": `.
Result<std::string> call_url(std::string_view configured);
Result<std::string> call_url(std::string_view service, std::string_view name_space, int64_t port,
                             std::string_view path);

// Posts `review` to `url`, which has no query and is as Go prints URLs. The answer is the last one; its error,
// if there is one, names the URL: `Post "https://a/?timeout=5s": EOF`.
HttpAnswer call(Asker& asker, std::string_view url, std::string_view review, int timeout_seconds);

}  // namespace portcullis::chain
