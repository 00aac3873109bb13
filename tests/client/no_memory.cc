// Calls that compile, in processes of their own, of which the n-th allocation fails: std::bad_alloc, or what it is
// without the failure, but never an error that blames the text. tests/client/run.py builds and runs it.
#include <portcullis/admission.h>
#include <portcullis/cel.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
using namespace portcullis::v1;

static long left = -1;  // allocations until one fails
void* operator new(size_t size) {
  void* made = left >= 0 && left-- == 0 ? nullptr : std::malloc(size > 0 ? size : 1);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, size_t) noexcept { std::free(made); }

static constexpr const char* kPolicy = R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]
  validations: [{expression: "object.spec.replicas < 3"}])";

static bool compiles() {
  return bool(compile("[1, 2].exists(a, a > 1) ? {'a': 1} : {'b': 2}", Environment::kubernetes()));
}
static bool builds() {
  EnvironmentBuilder builder;
  builder.library("stdlib").function("f(T) -> T",
                                     [](FunctionCall&, std::span<const Value> given) { return given[0]; });
  return bool(builder.build());
}
static bool loads() {
  Manifests manifests;
  return manifests.add(kPolicy) && Engine::load(manifests).engine != nullptr;
}

int main() {
  const struct {
    const char* name;
    bool (*call)();
    long step;
  } kCalls[] = {{"compile", compiles, 7}, {"build", builds, 5}, {"load", loads, 11}};
  if (!Memory().read_json("{}"))
    return 1;  // simdjson ends the program if it has no memory for its first text
  int wrong = 0;
  for (const auto& c : kCalls) {
    long fails = 0;
    for (bool failed = true; failed; fails += c.step) {
      const pid_t child = fork();
      if (child == 0) {
        left = fails;
        bool right = true;
        try {
          right = c.call();
        } catch (const std::bad_alloc&) {
        }
        _exit(!right ? 1 : left < 0 ? 0 : 2);  // 2: it needs no more allocations
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) == 1)
        wrong++, std::printf("%s, allocation %ld\n", c.name, fails);
      failed = !WIFEXITED(status) || WEXITSTATUS(status) != 2;
    }
    if (fails < 100) wrong++, std::printf("%s is not tried\n", c.name);
  }
  return wrong > 0;
}
