// Memory of a parse: rule contexts and tokens by the ten thousand, all of them dropped at once.
//
// Idea: ANTLR makes each with `new` and deletes each when it is done, which for a long text is half of the
// time. Both classes here take memory from the pool of the thread instead, and give none back; the pool goes
// with the parse (parse.cc). Limits: no context or token without a pool, nor longer than it; destructors
// still run. Tested by grammar/parse_test.cc.
#pragma once

#include <CommonToken.h>
#include <ParserRuleContext.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace portcullis {

// Bump allocation. While it lives it is what the thread's contexts and tokens are made in.
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

  // Memory of the thread's pool, of which there must be one.
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

}  // namespace portcullis
