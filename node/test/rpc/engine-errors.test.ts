import { assert, describe, it } from "@effect/vitest"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { EngineError } from "../../src/engine/api/engine-error.ts"
import { EngineFailure } from "../../src/engine-client/chain.ts"
import { problemOf } from "../../src/rest/rest-problem.ts"
import { engineCallError } from "../../src/queries/engine-errors.ts"
import { rpcErrorOf } from "../../src/rpc/rpc-error.ts"

const hash = Uint8Array.from({ length: 32 }, (_, i) => i)
const SHOWN = "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100"
const rejection: Rejection = { reason: "time-too-old", what: "invalid", rule: "HDR-002", debug: "too early" } as never

/** Code, sentence and status of each. */
const ANSWERS: ReadonlyArray<readonly [EngineError, number, string, number]> = [
  [{ _tag: "Closing" }, -20, "The node is stopping", 500],
  [{ _tag: "Broken", cause: "the disk is gone" }, -20, "the disk is gone", 500],
  [
    { _tag: "DiskFull", cause: "no space" },
    -20,
    "The disk is full: nothing is written until there is space again. no space",
    500
  ],
  [
    { _tag: "LowSpace", directory: "/data", minimumFreeBytes: 50 * 1_048_576 },
    -20,
    "Less than 50 MiB are free in /data: nothing is written until there is more",
    500
  ],
  [{ _tag: "StorageFailed", reason: "io", message: "cannot read blk00000.dat" }, -20, "cannot read blk00000.dat", 500],
  [{ _tag: "ScriptWorkerFailed", message: "a worker died" }, -32_603, "a worker died", 500],
  [{ _tag: "Defect" }, -32_603, "Internal error", 500],
  [{ _tag: "BlockNotFound", hash }, -5, "Block not found", 404],
  [{ _tag: "BlockNotInActiveChain", hash }, -8, "Block is not in main chain", 400],
  [{ _tag: "HeightNotInActiveChain", height: 9 }, -8, "Block does not exist at specified height", 400],
  [
    { _tag: "BlockPruned", hash, height: 7 },
    -1,
    `Block ${SHOWN} at height 7 is pruned: the chain cannot go back behind it`,
    400
  ],
  [{ _tag: "Undecodable", what: "block" }, -22, "Block decode failed", 400],
  [{ _tag: "Undecodable", what: "header" }, -22, "Block header decode failed", 400],
  [{ _tag: "Undecodable", what: "transaction" }, -22, "Transaction decode failed", 400],
  [{ _tag: "PreviousHeaderNotFound", previous: hash }, -25, `Must submit previous header (${SHOWN}) first`, 400],
  [{ _tag: "HeaderRejected", rejection }, -25, "time-too-old", 400],
  [{ _tag: "CandidateRejected", rejection }, -25, "TestBlockValidity failed: time-too-old, too early", 400],
  [{ _tag: "TemplateRejected", rejection }, -1, "TestBlockValidity failed: time-too-old, too early", 400],
  [{ _tag: "NotInMempool", txid: hash }, -5, `Transaction ${SHOWN} not in mempool.`, 404],
  [
    { _tag: "MinedBlockNotAccepted", reason: "inconclusive" },
    -32_603,
    "ProcessNewBlock, block not accepted: inconclusive",
    500
  ],
  [
    { _tag: "OnlyOnRegtest", call: "generate" },
    -1,
    "Blocks are generated on regtest and on a signet of one's own only",
    400
  ],
  [
    { _tag: "OnlyOnRegtest", call: "moveScheduler" },
    -1,
    "mockscheduler is for regression testing (-regtest mode) only",
    400
  ],
  [
    { _tag: "OnlyOnRegtest", call: "setMockTime" },
    -1,
    "setmocktime is for regression testing (-regtest mode) only",
    400
  ],
  [{ _tag: "NegativeMockTime", time: -1 }, -8, "Mocktime must not be negative", 400],
  [{ _tag: "IndexNotEnabled", index: "txindex" }, -1, "The transaction index is not part of this engine", 400],
  [
    { _tag: "IndexNotEnabled", index: "coinstatsindex" },
    -8,
    "Querying specific block heights requires coinstatsindex",
    400
  ],
  [
    { _tag: "IndexNotEnabled", index: "basic block filter index" },
    -1,
    "The index of block filters is not part of this engine",
    400
  ],
  [
    { _tag: "IndexNotSynced", index: "coinstatsindex", height: 12 },
    -32_603,
    "Unable to get data because coinstatsindex is still syncing. Current height: 12",
    500
  ],
  [{ _tag: "IndexEntryNotFound", index: "coinstatsindex", height: 3 }, -32_603, "Unable to read UTXO set", 500],
  [{ _tag: "ScanInProgress" }, -8, "Scan already in progress, use action \"abort\" or \"status\"", 400],
  [
    { _tag: "WindowTooLong", blocks: 9, height: 3 },
    -8,
    "Invalid block count: should be between 0 and the block's height - 1",
    400
  ],
  [{ _tag: "InvalidBlockCount", blocks: 0 }, -8, "Invalid nblocks. Must be a positive number or -1.", 400],
  [{ _tag: "PruningDisabled" }, -1, "Cannot prune blocks because node is not in prune mode.", 400],
  [
    { _tag: "ChainTooShortToPrune", height: 9, pruneAfterHeight: 1_000 },
    -1,
    "Blockchain is too short for pruning.",
    400
  ]
]

describe("errors of the engine where clients are", () => {
  it.each(ANSWERS)("$_tag has its code, its sentence and its status", (error, code, message, status) => {
    const answer = engineCallError(error)
    assert.deepStrictEqual(rpcErrorOf(answer), { code, message })
    const problem = problemOf(answer)
    assert.deepStrictEqual([problem.status, problem.rpcCode, problem.message], [status, code, message])
    assert.strictEqual(problemOf(answer, { [answer._tag]: 409 }).status, 409)
  })

  it("survive the way between threads as they are", () => {
    for (const [error] of ANSWERS) assert.deepStrictEqual(structuredClone(error), error)
  })

  it("without an engine are of the inside", () => {
    const answer = engineCallError(new EngineFailure({ message: "the engine is gone" }))
    assert.deepStrictEqual(rpcErrorOf(answer), { code: -32_603, message: "the engine is gone" })
    assert.strictEqual(problemOf(answer).status, 500)
  })
})
