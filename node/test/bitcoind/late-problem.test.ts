import { assert, describe, it } from "@effect/vitest"
import { isLateProblem } from "../../src/bitcoind/plan/late-problem.ts"

describe("a problem with the options", () => {
  it.each([
    "acceptstalefeeestimates is not supported on test chain.",
    "User Agent comment (/) contains unsafe characters.",
    "Unknown network specified in -onlynet: 'abc'",
    "Invalid -proxy address or hostname: 'def'",
    "Cannot resolve -bind address: 'ghi'",
    "Invalid port specified in -port: '65536'",
    "-maxmempool must be at least 5 MB",
    "Unable to start HTTP server. See debug log for details.",
    "Could not find asmap file \"/a\""
  ])("is found when the log is open: %s", (problem) => {
    assert.isTrue(isLateProblem(problem))
  })

  it.each([
    "Prune cannot be configured with a negative value.",
    "Unsupported logging category -debug=abc.",
    "Invalid amount for -minrelaytxfee=<amount>: 'x'",
    "peertimeout must be a positive integer.",
    "Config setting for -port only applied on test network when in [test] section.\n"
  ])("is found before there is a log: %s", (problem) => {
    assert.isFalse(isLateProblem(problem))
  })
})
