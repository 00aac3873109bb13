// The same for unit tests.
#include <gtest/gtest.h>

#include "precompiled/std.h"
