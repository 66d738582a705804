import { assert, describe, it } from "@effect/vitest"
import { linesOfRecord } from "../../src/bitcoind/log/lines-of-records.ts"
import type { LogRecord } from "../../src/log/log-record.ts"

describe("what stands for lines of this node", () => {
  const linesOf = (message: string, fields: LogRecord["fields"]): ReadonlyArray<string> =>
    linesOfRecord({ time: new Date(0), level: "info", category: "chain", message, fields }).map((line) =>
      line.category === undefined ? line.text : `[${line.category}] ${line.text}`
    )

  it("are Bitcoin Core's about scripts, fee estimates and pruning", () => {
    const block = { height: 102, block_hash: "aa" }
    assert.deepStrictEqual(
      [
        linesOf("Scripts are verified from a block on", { ...block, reason: "assumevalid=0 (always verify)" }),
        linesOf("Scripts are assumed valid from a block on", block),
        linesOf("The fee estimates are written", { file: "fee_estimates.dat" }),
        linesOf("The fee estimates of the last run are too old: fees are estimated anew", {
          path: "/f",
          hours: 61,
          most_hours: 60
        }),
        linesOf("An index keeps blocks from a lower one on", { index: "coinstatsindex", height: 7 }),
        linesOf("Old blocks were removed", { files: 2, highest: 90, is_behind_snapshot: false }),
        linesOf("Old blocks were removed", {
          files: 1,
          highest: 712,
          is_behind_snapshot: true,
          target: 550 * 1024 * 1024,
          used: 561.5 * 1024 * 1024
        })
      ].flat(),
      [
        "Enabling script verification at block #102 (aa): assumevalid=0 (always verify).",
        "Disabling script verification at block #102 (aa).",
        "[estimatefee] Flushed fee estimates to fee_estimates.dat.",
        "Fee estimation file /f too old (age=61 > 60 hours) and will not be used to avoid serving stale estimates.",
        "[prune] coinstatsindex prune lock moved back to 7",
        "[normal] Prune (Manual): prune_height=90 removed 2 blk/rev pairs",
        "[prune] [assumedvalid] target=550MiB actual=561MiB diff=-11MiB min_height=0 max_prune_height=712 removed 1 blk/rev pairs"
      ]
    )
  })
})

describe("lines of our own log", () => {
  const of = (message: string, level: "debug" | "info" | "warn" = "info", category = "node", fields = {}) =>
    linesOfRecord({ time: new Date(0), level, category, message, fields })

  it("have Bitcoin Core's words where it has some", () => {
    assert.deepStrictEqual(of("RPC listens", "info", "rpc", { address: "[::1]:18443" }), [
      { level: "info", text: "Binding RPC on address ::1 port 18443" }
    ])
    assert.deepStrictEqual(of("event", "debug", "events"), [])
  })

  it.each([
    ["EADDRINUSE", "Unable to bind to [::1]:1 on this computer. Bitcoin Core is probably already running."],
    [
      "EADDRNOTAVAIL",
      "Unable to bind to [::1]:1 on this computer (bind returned error Cannot assign requested address (99))"
    ],
    ["EACCES", "Unable to bind to [::1]:1 on this computer (bind returned error Permission denied (13))"],
    ["EPERM", "Unable to bind to [::1]:1 on this computer (bind returned error Operation not permitted (1))"],
    [
      "EAFNOSUPPORT",
      "Unable to bind to [::1]:1 on this computer (bind returned error Address family not supported by protocol (97))"
    ]
  ])("says that another node may run only where the address is taken, not with %s", (code, text) => {
    assert.deepStrictEqual(of("RPC cannot listen", "warn", "rpc", { address: "[::1]:1", code, cause: "why" }), [
      { level: "warning", text: `Binding RPC on address ::1 failed: ${text}` }
    ])
  })

  it("say which blocks of files waited for their parents", () => {
    const facts = { block: "bb", parent: "aa" }
    assert.deepStrictEqual(of("A block of a file waits for its parent", "debug", "chain", facts), [
      { level: "debug", category: "reindex", text: "LoadExternalBlockFile: Out of order block bb, parent aa not known" }
    ])
    assert.deepStrictEqual(of("A block that waited for its parent is taken in", "debug", "chain", facts), [
      {
        level: "debug",
        category: "reindex",
        text: "LoadExternalBlockFile: Processing out of order child bb of aa"
      }
    ])
  })

  it("say what became of a saved mempool", () => {
    const texts = (message: string, fields: object) => of(message, "debug", "chain", fields).map((line) => line.text)
    assert.deepStrictEqual(
      texts("The mempool is saved", {
        transactions: 3,
        unbroadcast: 1,
        bytes: 700,
        copy_seconds: 0.0004,
        write_seconds: 1.25
      }),
      [
        "Writing 3 mempool transactions to file...",
        "Writing 1 unbroadcast transactions to file.",
        "Dumped mempool: 0.000s to copy, 1.250s to dump, 700 bytes dumped to file"
      ]
    )
    const counts = { accepted: 1, failed: 2, expired: 3, known: 4, unbroadcast: 5 }
    const loaded = "Imported mempool transactions from file: 1 succeeded, 2 failed, 3 expired, 4 already there, " +
      "5 waiting for initial broadcast"
    assert.deepStrictEqual(texts("The mempool of the last run is loaded", counts), [loaded])
    assert.deepStrictEqual(texts("A mempool is imported", { file: "/m", ...counts }), [loaded])
    assert.deepStrictEqual(texts("A saved mempool is being loaded", { transactions: 10 }), [
      "Loading 10 mempool transactions from file..."
    ])
    assert.deepStrictEqual(texts("A transaction leaves before a peer asked for it", { txid: "ab" }), [
      "Removed ab from set of unbroadcast txns before confirmation that txn was sent out"
    ])
    assert.deepStrictEqual(
      texts("Transactions were evicted from a full mempool", { transactions: 3, minimum_fee_rate: 1_234 }),
      ["Removed 3 txn, rolling minimum fee bumped to 0.00001234 BTC/kvB"]
    )
    assert.deepStrictEqual(texts("no new block for long: one more peer is asked", { minutes: 30, seconds: 1_801 }), [
      "Potential stale tip detected, will try using extra outbound peer (last tip update: 1801 seconds ago)"
    ])
    assert.deepStrictEqual(texts("There is no mempool of the last run", {}), [
      "Failed to open mempool file. Continuing anyway."
    ])
    assert.deepStrictEqual(texts("The mempool could not be saved", { cause: "full" }), [
      "Failed to dump mempool: full. Continuing anyway."
    ])
  })

  it("say what became of a snapshot of coins", () => {
    const texts = (message: string) =>
      of(message, "info", "chain", { block_hash: "ab", height: 1 }).map((line) => line.text)
    assert.deepStrictEqual(texts("[snapshot] successfully activated snapshot"), [
      "[snapshot] successfully activated snapshot ab"
    ])
    assert.deepStrictEqual(texts("[snapshot] the loaded snapshot is confirmed"), [
      "[snapshot] snapshot beginning at ab has been fully validated"
    ])
  })

  it("keep their own words elsewhere, with what they are about", () => {
    assert.deepStrictEqual(of("the disk is full", "warn", "chain", { free: 5 }), [
      { level: "warning", category: undefined, text: "the disk is full free=5" }
    ])
    assert.deepStrictEqual(of("something", "debug", "net"), [{ level: "debug", category: "net", text: "something" }])
  })
})
