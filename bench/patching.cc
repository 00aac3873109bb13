// What one mutation costs, without the evaluation of its expression: a JSON patch of two operations and a
// configuration with a keyed list, on the Pod as it stands (`plain`) and decoded and defaulted again (`decoded`).
//
// Wanted: at most 4 us for the patch and 8 us for the configuration as the Pod stands; what decoding it again costs
// is told by bench/normalize.cc.
#include "admission/patching/kind.h"

#include "admission/builtin/normalize.h"
#include "admission/expressions/environment.h"
#include "bench/input.h"
#include "bench/ratio.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

constexpr std::string_view kJsonPatch =
    "[JSONPatch{op: 'add', path: '/metadata/labels/added', value: 'x'},"
    " JSONPatch{op: 'replace', path: '/spec/containers/0/image', value: 'registry.example.com/web:2'}]";
constexpr std::string_view kConfiguration =
    "Object{metadata: Object.metadata{labels: {'added': 'x'}},"
    " spec: Object.spec{containers: [Object.spec.containers{name: 'added', image: 'sidecar:1'}]}}";

void mutate(State& state, std::string_view text, bool typed) {
  Arena input, arena;
  Value object = read_json(read_input("pod.json").view(), input).value();
  if (typed) object = builtin::normalize(input, object).object;
  EnvironmentBuilder builder(stored_environment());
  add_patch_types(builder);
  ProgramPtr program = make_program(*compile(text, *builder.build())).value();
  Context context;
  Activation activation(program->paths());
  const Value value = evaluate(*program, activation, context).value;
  const patching::KindSchema kind = patching::builtin_kind("", "v1", "Pod", typed);
  patching::Patched made;
  for (auto _ : state) {
    arena.reset();
    made = text.starts_with('[') ? patching::mutate_by_json_patch(arena, kind, {object, typed}, value)
                                 : patching::mutate_by_configuration(arena, kind, {object, typed}, value);
    if (!made.ok()) return state.SkipWithError(std::string(made.error).c_str());
  }
  if (to_json(made.object).find(R"("added")") == std::string::npos) state.SkipWithError("not mutated");
}

void json_patch_plain(State& state) { mutate(state, kJsonPatch, false); }
void json_patch_decoded(State& state) { mutate(state, kJsonPatch, true); }
void configuration_plain(State& state) { mutate(state, kConfiguration, false); }
void configuration_decoded(State& state) { mutate(state, kConfiguration, true); }
BENCHMARK(json_patch_plain)->Name("mutate/json-patch/plain");
BENCHMARK(json_patch_decoded)->Name("mutate/json-patch/decoded");
BENCHMARK(configuration_plain)->Name("mutate/configuration/plain");
BENCHMARK(configuration_decoded)->Name("mutate/configuration/decoded");

}  // namespace
}  // namespace portcullis::bench
