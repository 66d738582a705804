import type { HealthFacts } from "../../src/health/judge.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { FIGURES, STATE } from "../rpc/fake-chain.ts"

export const MEBIBYTE = 1_048_576

export const thread = { heapUsed: 1, heapLimit: 100, external: 0, lag: { median: 0, p99: 0, longest: 0 }, pauses: {} }

/** What is measured of a node that is well. */
export const WELL: HealthFacts = {
  chain: { ...STATE, initialBlockDownload: false },
  engine: {
    _tag: "Answered",
    milliseconds: 1,
    figures: { ...FIGURES, thread }
  },
  mempool: undefined,
  main: thread,
  disk: { free: 1_000 * MEBIBYTE, total: 2_000 * MEBIBYTE },
  isRegtest: false,
  stage: undefined,
  now: unixSeconds(STATE.time + 600),
  minimumFreeBytes: 100 * MEBIBYTE,
  network: { isActive: true, peers: 10, maximum: 125, unreachable: [] },
  modules: [],
  rpc: { inFlight: 0, capacity: 10, overloads: 0 }
}
