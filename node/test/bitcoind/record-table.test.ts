import { assert, describe, it } from "@effect/vitest"
import { linesOfRecord } from "../../src/bitcoind/log/lines-of-records.ts"
import { INVALID_CHAIN_FOUND, INVALID_CHAIN_IS_OVER } from "../../src/engine/api/fault-text.ts"
import type { LogRecord } from "../../src/log/log-record.ts"

const shown = (message: string, fields: LogRecord["fields"] = {}): ReadonlyArray<string> =>
  linesOfRecord({ time: new Date(0), level: "info", category: "node", message, fields }).map(
    ({ category = "-", level, text }) => `[${category}:${level}] ${text}`
  )

const MEBIBYTE = 1_048_576

type Row = readonly [message: string, fields: LogRecord["fields"], ...lines: ReadonlyArray<string>]

describe("a record for which Bitcoin Core has words of its own", () => {
  it.each(([
    ["Component startup complete", {}, "[-:info] init message: Done loading"],
    ["RPC listens", { address: "127.0.0.1:8332" }, "[-:info] Binding RPC on address 127.0.0.1 port 8332"],
    ["other nodes may connect", { address: "[::]:8333" }, "[-:info] Bound to [::]:8333"],
    ["Block files were taken in", {}, "[-:info] Reindexing finished"],
    ["Verifying the last blocks", { blocks: 6, level: 3 }, "[-:info] Verifying last 6 blocks at level 3"],
    [
      "Block verification stopped at a block that is not on disk",
      { height: 12 },
      "[-:info] Block verification stopping at height 12 (no data). This could be due to pruning or use of an assumeutxo snapshot."
    ],
    [
      "Block verification left out coins for lack of memory",
      {},
      "[-:warning] Skipped verification of level >=3 (insufficient database cache size). Consider increasing -dbcache."
    ],
    [
      "The verified blocks and coins fit together",
      { blocks: 6, transactions: 12 },
      "[-:info] Verification: No coin database inconsistencies in last 6 blocks (12 transactions)"
    ],
    ["the chain on disk is not as it should be", { problem: "why" }, "[-:error] Verification error: why"],
    [
      "Initial block download is over",
      {},
      "[-:info] Leaving InitialBlockDownload (latching to false)"
    ],
    [
      "There are no fee estimates of the last run",
      { path: "/d/fee_estimates.dat" },
      "[-:info] /d/fee_estimates.dat is not found. Continue anyway."
    ],
    [
      "Old blocks were removed",
      { files: 3, highest: 9, is_behind_snapshot: false, target: 600 * MEBIBYTE, used: 590.9 * MEBIBYTE },
      "[prune:debug] [normal] target=600MiB actual=590MiB diff=9MiB min_height=0 max_prune_height=9 removed 3 blk/rev pairs"
    ],
    [
      "Old blocks were removed",
      { files: 3, highest: 9, is_behind_snapshot: true },
      "[-:info] [assumedvalid] Prune (Manual): prune_height=9 removed 3 blk/rev pairs"
    ],
    ["Pruning is limited by an index", { height: 5 }, "[prune:debug] index limited pruning to height 5"],
    [
      "Transactions were evicted from a full mempool",
      { transactions: 1, minimum_fee_rate: 100_000_000 },
      "[mempool:debug] Removed 1 txn, rolling minimum fee bumped to 1.00000000 BTC/kvB"
    ],
    [
      "A transaction leaves before a peer asked for it",
      { txid: "ab" },
      "[mempool:debug] Removed ab from set of unbroadcast txns before confirmation that txn was sent out"
    ],
    ["wrong RPC credentials", { from: "::1" }, "[-:warning] ThreadRPCServer incorrect password attempt from ::1"],
    [INVALID_CHAIN_FOUND, {}, `[-:warning] ${INVALID_CHAIN_FOUND}`],
    [
      "a block is invalid",
      { block_hash: "ab", reason: "bad-blk" },
      "[-:info] Block validation error: bad-blk",
      "[-:info] InvalidChainFound: invalid block=ab"
    ],
    ["RPC listens", { address: "nowhere" }, "[-:info] Binding RPC on address nowhere port "]
  ] as ReadonlyArray<Row>).map(([message, fields, ...lines]) => [message, fields, lines] as const))(
    "%s %j",
    (message, fields, lines) => {
      assert.deepStrictEqual(shown(message, fields), lines)
    }
  )

  it.each([
    "event",
    "configuration loaded",
    "a new tip",
    "a connection has ended",
    "private broadcast",
    "a peer did what no honest node does",
    "the node stops",
    "the node stops because of an error",
    "the node does not start",
    "the node has stopped",
    INVALID_CHAIN_IS_OVER,
    "headers of a chain of too little work are ignored",
    "a transaction was refused",
    "a connection was not taken"
  ])("has no line where Bitcoin Core writes none: %s", (message) => {
    assert.deepStrictEqual(shown(message, { a: 1 }), [])
  })

  it.each(["constructor", "toString", "__proto__"])("is none by the name of a part of every object: %s", (message) => {
    assert.deepStrictEqual(shown(message, { a: 1 }), [`[-:info] ${message} a=1`])
  })

  it("says how long a mempool took to copy and to write, each in its place, with its size", () => {
    assert.deepStrictEqual(
      shown("The mempool is saved", {
        transactions: 3,
        unbroadcast: 1,
        bytes: 700,
        copy_seconds: "0.5",
        write_seconds: "1.25"
      }),
      [
        "[-:info] Writing 3 mempool transactions to file...",
        "[-:info] Writing 1 unbroadcast transactions to file.",
        "[-:info] Dumped mempool: 0.500s to copy, 1.250s to dump, 700 bytes dumped to file"
      ]
    )
  })
})
