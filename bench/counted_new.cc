#include "bench/counted_new.h"

#include <cstdlib>
#include <new>

namespace portcullis::bench {

size_t allocations = 0;

}  // namespace portcullis::bench

static void* count(size_t size) {
  ++portcullis::bench::allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
static void* count(size_t size, std::align_val_t alignment) {
  ++portcullis::bench::allocations;
  const size_t unit = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size) { return count(size); }
void* operator new[](size_t size) { return count(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return ++portcullis::bench::allocations, std::malloc(size ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return ++portcullis::bench::allocations, std::malloc(size ? size : 1);
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
