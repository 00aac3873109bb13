// Runs parts of tests with a stack of a known size.
#pragma once

#include <gtest/gtest.h>

#include <pthread.h>

#include <functional>

namespace portcullis {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// For builds whose frames are large: with sanitizers, or not optimised.
inline constexpr size_t kLargeStack = size_t{256} << 20;

// Runs `f` in a thread with a stack of so many bytes.
inline void in_stack(size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  auto start = [](void* it) -> void* {
    (*static_cast<std::function<void()>*>(it))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &f), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace portcullis
