#include "bench/by_hand.h"

#include <re2/re2.h>
#include <simdjson.h>

namespace portcullis::bench {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// Which of the checks 1 to 3 all containers so far pass.
struct Containers {
  bool known_registry = true, limit_memory = true, run_as_non_root = true;

  void look_at(const object& container) {
    std::string_view image;
    object part;
    element memory;
    bool flag = false;
    known_registry &= !container["image"].get(image) && image.substr(0, 21) == "registry.example.com/";
    limit_memory &= !container["resources"]["limits"].get(part) && !part["memory"].get(memory);
    run_as_non_root &= !container["securityContext"].get(part) && !part["runAsNonRoot"].get(flag) && flag;
  }
};

}  // namespace

struct HandWritten::State {
  simdjson::dom::parser parser;
  element pod;
  RE2 name{"^[a-z0-9-]+$"};
};

HandWritten::HandWritten() : state_(std::make_unique<State>()) {}
HandWritten::~HandWritten() = default;

bool HandWritten::parse(const char* text, size_t size) {
  return !state_->parser.parse(text, size, false).get(state_->pod);
}

int HandWritten::passed() const {
  object pod, spec;
  array list;
  if (state_->pod.get(pod) || pod["spec"].get(spec) || spec["containers"].get(list)) return 0;
  Containers all;
  for (element item : list) {
    object container;
    if (item.get(container)) return 0;
    all.look_at(container);
  }
  bool host_network = false;
  std::string_view name;
  const bool own_network = spec["hostNetwork"].get(host_network) || !host_network;
  const bool plain_name = !pod["metadata"]["name"].get(name) &&
                          RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), state_->name);
  return all.known_registry + all.limit_memory + all.run_as_non_root + own_network + plain_name;
}

}  // namespace portcullis::bench
