// ReviewLine: the cluster and the request in a line of the modes `review` and `admit`, read strictly, so that a
// mistake in a test is an input error and no verdict. Source of behaviour: reference/batch-protocol.md. Tested by
// tests/corpus, tests/oracle/.
#pragma once

#include "admission/engine/objects_to_load.h"
#include "batch/request_line.h"

namespace portcullis {

struct ReviewLine {
  RequestLine asked;
  Cluster options;
  ObjectsToLoad objects;
};
Result<void> read_review_line(const Document& line, ReviewLine& out);

}  // namespace portcullis
