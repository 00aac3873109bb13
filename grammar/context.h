// The memory of one parse: ten thousands of rule contexts and tokens, all freed at once.
//
// Idea: ANTLR allocates each with `new` and deletes it when it is done, which takes half of the time of a
// long text. PooledContext and PooledToken allocate from the thread's current ParsePool instead and free
// nothing; the pool frees all of it when the parse ends (parse.cc).
// Limits: a context or token needs a pool and must not outlive it; destructors still run.
// Tested by grammar/parse_test.cc.
#pragma once

#include <CommonToken.h>
#include <ParserRuleContext.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace portcullis {

// A bump allocator. The thread's contexts and tokens are allocated from the pool constructed last.
class ParsePool {
 public:
  ParsePool() : outer_(std::exchange(current(), this)) {}
  ~ParsePool() { current() = outer_; }
  ParsePool(const ParsePool&) = delete;
  ParsePool& operator=(const ParsePool&) = delete;

  void* allocate(size_t size) {
    constexpr size_t kFirst = 4 << 10, kLargest = 1 << 20;  // a short expression takes one small block
    size = (size + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    if (size > left_) {
      next_size_ = next_size_ == 0 ? kFirst : next_size_ < kLargest ? 2 * next_size_ : kLargest;
      left_ = next_size_ < size ? size : next_size_;
      blocks_.emplace_back(new char[left_]);  // not zeroed
      at_ = blocks_.back().get();
    }
    left_ -= size;
    return std::exchange(at_, at_ + size);
  }

  // Memory from the thread's current pool. There must be one.
  static void* take(size_t size) { return current()->allocate(size); }

 private:
  static ParsePool*& current() {
    thread_local ParsePool* pool = nullptr;
    return pool;
  }

  ParsePool* outer_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  size_t left_ = 0, next_size_ = 0;
};

class PooledContext : public antlr4::ParserRuleContext {
 public:
  using antlr4::ParserRuleContext::ParserRuleContext;
  static void* operator new(size_t size) { return ParsePool::take(size); }
  static void operator delete(void*) {}
};

class PooledToken final : public antlr4::CommonToken {
 public:
  using antlr4::CommonToken::CommonToken;
  static void* operator new(size_t size) { return ParsePool::take(size); }
  static void operator delete(void*) {}
};

namespace generated {

// Calls a function at the end of a scope. The generated parser finds it before ANTLR's, which calls through a
// std::function.
template <class F>
class AtEnd {
 public:
  explicit AtEnd(F call) : call_(call) {}
  ~AtEnd() { call_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  F call_;
};
template <class F>
AtEnd<F> finally(F call) {
  return AtEnd<F>(call);
}

}  // namespace generated

}  // namespace portcullis
