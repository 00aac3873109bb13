// Calls webhooks for tests/http/run.py. Each line of standard input is a call:
// {"url", "ca", "timeout", "to": {host: address}, "certificate", "key"}; the answer is a line of JSON: the
// response, how long it took, and how many files are open.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "chain/answer.h"
#include "chain/rest.h"
#include "http/client.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

using namespace portcullis;

static std::string content(std::string_view path) {
  std::ifstream file{std::string(path)};
  return {std::istreambuf_iterator<char>(file), {}};
}

static int64_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

static std::string respond(const Value& line, Arena& arena, double& seconds) {
  http::Options options{
      {}, std::string(text_member(line, "certificate")), std::string(text_member(line, "key"))};
  if (const Value* to = find_member(line, "to")) {
    for (const MapEntry& e : to->as_map()) options.addresses.emplace_back(e.key.as_text(), e.value.as_text());
  }
  auto client = http::make_client(options, content(text_member(line, "ca")));
  if (!client.ok()) return "could not get REST client: " + client.error().text;
  const int64_t start = (*client)->now();
  const chain::HttpAnswer answer =
      chain::call(**client, text_member(line, "url"), R"({"request":{"uid":"u1"}})",
                  static_cast<int>(find_member(line, "timeout")->as_int()));
  seconds = static_cast<double>((*client)->now() - start) / 1e9;
  const chain::Response response = chain::read_answer(arena, answer, {"u1", true, false});
  return response.error.empty() ? (response.allowed ? "allowed" : "denied") : response.error;
}

int main() {
  if (!http::start().ok()) return 77;
  std::string text;
  while (std::getline(std::cin, text)) {
    Arena arena;
    double seconds = 0;
    const std::string got = respond(*read_json(text, arena), arena, seconds);
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    w.member("files", open_files());
    w.member("got", got);
    w.member("seconds", seconds);
    w.end_object();
    std::cout << out << std::endl;
  }
}
