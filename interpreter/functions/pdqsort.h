// PatternSort: the algorithm of Go's sort.Slice, which determines the order of equal elements.
//
// Idea: sort.Slice is not stable, and the result of sortBy() shows in which order it leaves equal keys. So
// this is the same algorithm: pattern-defeating quicksort (Orson Peters, arXiv:2106.05123) with Go's choices
// of pivots, thresholds and pseudo-random swaps. It works on indices through Less(i, j) and Swap(i, j), and
// ends even if Less is inconsistent.
// Tested by tests/language/lists.cel.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace portcullis {

template <class Less, class Swap>
class PatternSort {
 public:
  PatternSort(Less less, Swap swap) : less_(less), swap_(swap) {}

  void sort(size_t count) { sort(0, static_cast<Index>(count), std::bit_width(count)); }

 private:
  using Index = ptrdiff_t;
  enum class Hint { Unknown, Increasing, Decreasing };

  static constexpr Index kInsertion = 12;    // ranges up to this length are sorted by insertion
  static constexpr Index kNinther = 50;      // from this length on, the pivot is a median of medians
  static constexpr Index kShifting = 50;     // from this length on, out-of-order pairs are shifted
  static constexpr int kShifts = 5;          // the most pairs that are shifted
  static constexpr int kAllSwapped = 4 * 3;  // so many swaps mean that the range is descending

  void insertion(Index a, Index b) {
    for (Index i = a + 1; i < b; ++i) {
      for (Index j = i; j > a && less_(j, j - 1); --j) swap_(j, j - 1);
    }
  }

  void sift_down(Index root, Index end, Index first) {
    for (;;) {
      Index child = 2 * root + 1;
      if (child >= end) return;
      if (child + 1 < end && less_(first + child, first + child + 1)) ++child;
      if (!less_(first + root, first + child)) return;
      swap_(first + root, first + child);
      root = child;
    }
  }

  void heap(Index a, Index b) {
    Index n = b - a;
    for (Index i = (n - 1) / 2; i >= 0; --i) sift_down(i, n, a);
    for (Index i = n - 1; i >= 0; --i) {
      swap_(a, a + i);
      sift_down(0, i, a);
    }
  }

  void sort(Index a, Index b, int bad_pivots) {
    bool balanced = true, partitioned = true;
    for (;;) {
      Index length = b - a;
      if (length <= kInsertion) return insertion(a, b);
      if (bad_pivots == 0) return heap(a, b);
      if (!balanced) {
        scatter(a, b);
        --bad_pivots;
      }
      Hint hint;
      Index pivot = choose(a, b, hint);
      if (hint == Hint::Decreasing) {
        reverse(a, b);
        pivot = b - 1 - (pivot - a);
        hint = Hint::Increasing;
      }
      if (balanced && partitioned && hint == Hint::Increasing && nearly_sorted(a, b)) return;
      if (a > 0 && !less_(a - 1, pivot)) {  // many equal elements
        a = partition_equal(a, b, pivot);
        continue;
      }
      Index middle = partition(a, b, pivot, partitioned);
      Index left = middle - a, right = b - middle;
      if (left < right) {
        balanced = left >= length / 8;
        sort(a, middle, bad_pivots);
        a = middle + 1;
      } else {
        balanced = right >= length / 8;
        sort(middle + 1, b, bad_pivots);
        b = middle;
      }
    }
  }

  // Moves smaller elements before the pivot and the others behind it; returns the pivot's new index.
  Index partition(Index a, Index b, Index pivot, bool& was_partitioned) {
    swap_(a, pivot);
    Index i = a + 1, j = b - 1;
    was_partitioned = true;
    for (;;) {
      while (i <= j && less_(i, a)) ++i;
      while (i <= j && !less_(j, a)) --j;
      if (i > j) break;
      was_partitioned = false;
      swap_(i++, j--);
    }
    swap_(j, a);
    return j;
  }

  // Moves elements equal to the pivot to the front (none is smaller); returns the index behind them.
  Index partition_equal(Index a, Index b, Index pivot) {
    swap_(a, pivot);
    Index i = a + 1, j = b - 1;
    for (;;) {
      while (i <= j && !less_(a, i)) ++i;
      while (i <= j && less_(a, j)) --j;
      if (i > j) return i;
      swap_(i++, j--);
    }
  }

  // Puts a few elements in order; true if the range is sorted then.
  bool nearly_sorted(Index a, Index b) {
    Index i = a + 1;
    for (int shift = 0; shift < kShifts; ++shift) {
      while (i < b && !less_(i, i - 1)) ++i;
      if (i == b) return true;
      if (b - a < kShifting) return false;
      swap_(i, i - 1);
      if (i - a >= 2) {
        for (Index j = i - 1; j >= 1 && less_(j, j - 1); --j) swap_(j, j - 1);
      }
      if (b - i >= 2) {
        for (Index j = i + 1; j < b && less_(j, j - 1); ++j) swap_(j, j - 1);
      }
    }
    return false;
  }

  // Swaps three elements in the middle with others, to break patterns that lead to bad pivots.
  void scatter(Index a, Index b) {
    Index length = b - a;
    if (length < 8) return;
    uint64_t random = static_cast<uint64_t>(length);
    uint64_t mask = (uint64_t{1} << std::bit_width(static_cast<uint64_t>(length))) - 1;
    Index middle = a + length / 4 * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      Index other = static_cast<Index>(random & mask);
      if (other >= length) other -= length;
      swap_(i, a + other);
    }
  }

  Index choose(Index a, Index b, Hint& hint) {
    Index length = b - a, i = a + length / 4, j = a + length / 4 * 2, k = a + length / 4 * 3;
    int swaps = 0;
    if (length >= 8) {
      if (length >= kNinther) {
        i = median(i - 1, i, i + 1, swaps);
        j = median(j - 1, j, j + 1, swaps);
        k = median(k - 1, k, k + 1, swaps);
      }
      j = median(i, j, k, swaps);
    }
    hint = swaps == 0 ? Hint::Increasing : swaps == kAllSwapped ? Hint::Decreasing : Hint::Unknown;
    return j;
  }

  Index median(Index a, Index b, Index c, int& swaps) {
    order(a, b, swaps);
    order(b, c, swaps);
    order(a, b, swaps);
    return b;
  }

  void order(Index& a, Index& b, int& swaps) {
    if (!less_(b, a)) return;
    Index t = a;
    a = b;
    b = t;
    ++swaps;
  }

  void reverse(Index a, Index b) {
    for (Index i = a, j = b - 1; i < j;) swap_(i++, j--);
  }

  Less less_;
  Swap swap_;
};

}  // namespace portcullis
