import { defineConfig } from "vitest/config"
import { OrderAsAsked, TEST_ORDER } from "./conformance/src/mutation/areas/test-order.ts"
import { patience } from "./node/test/process/patience.ts"
import { SlowFilesFirst } from "./conformance/src/suite/slow-files-first.ts"

export default defineConfig({
  test: {
    include: [
      "{kernel,crypto,protocol,descriptors,txgraph,conformance,node,sdk,zmq,modules}/test/**/*.test.ts",
      "property-tests/**/*.test.ts"
    ],
    // Prints the seed that every property of the run starts from.
    globalSetup: ["property-tests/src/global-setup.ts"],
    // Most of the time goes by while real nodes start, wait and stop: three files keep two processors busy, two do not.
    maxWorkers: 3,
    // Loading a file's modules anew takes longer than most tests: files share a process, and leave no state behind in it.
    // Files that failed run once more in a process of their own (scripts/test.ts).
    isolate: false,
    sequence: { sequencer: process.env[TEST_ORDER] === undefined ? SlowFilesFirst : OrderAsAsked },
    // Far more than anything takes: a busy machine is no failure.
    testTimeout: patience(120_000),
    hookTimeout: patience(120_000)
  }
})
