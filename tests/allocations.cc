// allocations: the hot path (decode, normalise, match, evaluate) takes no memory once it is warm.
//
// Idea: operator new is replaced by one that counts; after a few rounds of the benches' request, no
// round may count. Limits: memory that is taken by malloc itself would go unseen; neither we nor
// simdjson or RE2 do that.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "admission/builtin/normalize.h"
#include "bench/face.h"
#include "bench/input.h"
#include "interpreter/values/json.h"

static size_t allocations = 0;

static void* count(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
static void* count(size_t size, std::align_val_t alignment) {
  ++allocations;
  const size_t unit = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size) { return count(size); }
void* operator new[](size_t size) { return count(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return ++allocations, std::malloc(size ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return ++allocations, std::malloc(size ? size : 1);
}
void* operator new(size_t size, std::align_val_t alignment) { return count(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return count(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace portcullis::bench {
namespace {

constexpr int kWarmUp = 3, kRounds = 100;

// Decodes and decides `text` again and again; allocations of the rounds after the warm-up, or -1
// for a wrong decision.
long measure(const Engine& engine, const PaddedText& text, bool allowed) {
  JsonReader reader;
  Arena arena;
  ReviewContext context;
  Decision decision;
  builtin::DecodeOptions options;
  options.phase = builtin::Phase::Validating;
  options.name_space = "prod";
  options.manager = "kubectl-create";
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    arena.reset();
    const builtin::Normalized pod =
        builtin::normalize(arena, *reader.read_padded(text.view(), arena), options);
    engine.review(pod_request(pod.object), context, decision);
    if (decision.allowed != allowed) return -1;
  }
  return static_cast<long>(allocations - before);
}

// The same through the public face, whose requests are decided as they are.
long measure_face(const PaddedText& text, bool allowed) {
  const auto engine = five_behind_the_face();
  v1::Memory memory;
  v1::Context context;
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    memory.reset();
    const v1::Value pod = *memory.read_json(text.view());
    if (engine->review(pod_request(pod), context).allowed != allowed) return -1;
  }
  return static_cast<long>(allocations - before);
}

// The Pod of the benches with another registry in its first image.
PaddedText refused_pod() {
  PaddedText text = read_input("pod.json");
  const size_t at = text.memory.find("registry.example.com");
  text.memory.replace(at, 8, "stranger");
  return text;
}

}  // namespace
}  // namespace portcullis::bench

int main() {
  using namespace portcullis::bench;
  portcullis::Arena arena;
  const auto engine = portcullis::Engine::load(five_policies(arena)).value();
  const long admitted = measure(*engine, read_input("pod.json"), true);
  const long refused = measure(*engine, refused_pod(), false);
  const long face_admitted = measure_face(read_input("pod.json"), true);
  const long face_refused = measure_face(refused_pod(), false);
  std::printf(
      "%d decisions each: %ld allocations when admitted, %ld when refused; through the face %ld and %ld\n",
      kRounds, admitted, refused, face_admitted, face_refused);
  return admitted == 0 && refused == 0 && face_admitted == 0 && face_refused == 0 ? 0 : 1;
}
