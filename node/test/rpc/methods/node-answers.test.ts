import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { type EngineAnswers, hashOf, methodNode, type NodeParts, shownHash } from "../method-node.ts"

const TIP = shownHash(7)
const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const SCRIPT = new Uint8Array(Buffer.from("001488b03f5850c387f91ce810c0e4ba51a69d9ba0c2", "hex"))

/** What calls of a method are answered with. */
const holds = (
  parts: NodeParts,
  method: string,
  rows: ReadonlyArray<readonly [params: ReadonlyArray<unknown>, answer: string]>
) =>
  Effect.gen(function*() {
    const { text } = methodNode(parts)
    for (const [params, answer] of rows) {
      assert.strictEqual(yield* text(method, ...params), answer, JSON.stringify(params))
    }
  })

describe("the state of the chain", () => {
  const background = {
    height: 110,
    hash: hashOf(3),
    bits: 0x1d00ffff,
    medianTime: 1_500_000_000,
    chainWork: 222n,
    progress: 0.25,
    progressToBase: 0.5
  }
  const snapshot = { hash: hashOf(4), height: 299, background }

  it.effect("shows the validation behind a snapshot as long as it goes on", () =>
    Effect.gen(function*() {
      const info = (state: NodeParts["state"]) => methodNode({ state: state! }).show("getblockchaininfo")
      assert.deepStrictEqual((yield* info({ snapshot: snapshot as never })).backgroundvalidation, {
        snapshotheight: 299,
        blocks: 110,
        bestblockhash: shownHash(3),
        mediantime: 1_500_000_000,
        chainwork: 222n.toString(16).padStart(64, "0"),
        verificationprogress: 0.5
      })
      assert.notProperty(
        yield* info({ snapshot: { ...snapshot, background: undefined } as never }),
        "backgroundvalidation"
      )
      assert.notProperty(yield* info({}), "backgroundvalidation")
    }))

  it.effect("says from where blocks are here only where old ones are pruned, and what holds them to a size", () =>
    Effect.gen(function*() {
      const info = (state: object, pruning: unknown) =>
        Effect.map(
          methodNode({ state, more: { pruning } }).show("getblockchaininfo"),
          (shown) => [shown.pruned, shown.pruneheight, shown.automatic_pruning, shown.prune_target_size]
        )
      assert.deepStrictEqual(yield* info({}, "off"), [false, undefined, undefined, undefined])
      assert.deepStrictEqual(yield* info({ pruned: true }, "manual"), [true, 0, false, undefined])
      assert.deepStrictEqual(yield* info({ pruned: true, pruneHeight: 9 }, "automatic"), [true, 9, true, undefined])
      assert.deepStrictEqual(yield* info({ pruned: true, pruneHeight: 9 }, { targetBytes: 550 }), [true, 9, true, 550])
    }))

  it.effect("is of two chains that share the memory while one is validated behind the other", () =>
    Effect.gen(function*() {
      const states = (state: object) =>
        Effect.map(
          methodNode({ state, more: { coinCacheBytes: 1_001 } }).show("getchainstates"),
          ({ chainstates }) => chainstates
        )
      const brief = (
        each: Readonly<Record<string, unknown>>
      ) => [
        each["blocks"],
        each["validated"],
        each["coins_tip_cache_bytes"],
        each["snapshot_blockhash"],
        each["verificationprogress"]
      ]
      assert.deepStrictEqual((yield* states({})).map(brief), [[322, true, 1_001, undefined, 1]])
      assert.deepStrictEqual((yield* states({ snapshot })).map(brief), [
        [110, true, 500, undefined, 0.25],
        [322, false, 500, shownHash(4), 1]
      ])
      const confirmed = { ...snapshot, background: undefined }
      assert.deepStrictEqual((yield* states({ snapshot: confirmed })).map(brief), [[322, true, 1_001, shownHash(4), 1]])
    }))

  it.effect("comes with all warnings, or with the last one where the answer is the old one", () =>
    Effect.gen(function*() {
      const warnings = (state: object, more: object) =>
        Effect.map(methodNode({ state, more }).show("getblockchaininfo"), (shown) => shown.warnings)
      const peers = (isFarOff: boolean, notice?: string) => () => ({
        clocks: { isFarOff: () => isFarOff },
        foreignChains: { notice: () => notice }
      })
      assert.deepStrictEqual(yield* warnings({ warnings: ["a"] }, { peers: peers(false) }), ["a"])
      const all = yield* warnings({ warnings: ["a"] }, { peers: peers(true, "other chain") })
      assert.deepStrictEqual([all.length, all[0], all[2]], [3, "a", "other chain"])
      assert.match(all[1], /^Your computer's date and time appear to be more than 10 minutes out of sync/)
      const deprecated = new Set(["warnings"])
      assert.strictEqual(yield* warnings({ warnings: ["a", "b"] }, { deprecated }), "b")
      assert.strictEqual(yield* warnings({}, { deprecated }), "")
    }))
})

describe("pruneblockchain", () => {
  const answers: EngineAnswers = {
    hashAt: ({ height }) => hashOf(height % 250),
    blockFacts: ({ hash }) => ({ medianTime: 1_100_000_000 + 10 * hash[0] }),
    pruneTo: ({ height }) => height
  }
  const on = (height: number): NodeParts => ({ answers, state: { height }, more: { pruning: "manual" } })

  it.effect("prunes up to a height, and keeps the last 288 blocks", () =>
    Effect.gen(function*() {
      yield* holds(on(1_500), "pruneblockchain", [
        [[0], "0"],
        [[1_211], "1211"],
        [[1_212], "1212"],
        [[1_213], "1212"],
        [[1_500], "1212"],
        [[1_501], "-8 Blockchain is shorter than the attempted prune height."],
        [[1_000_000_000], "-8 Blockchain is shorter than the attempted prune height."],
        [[-1], "-8 Negative block height."]
      ])
      yield* holds(on(999), "pruneblockchain", [[[1], "-1 Blockchain is too short for pruning."]])
      yield* holds(on(1_000), "pruneblockchain", [[[1], "1"]])
      yield* holds({ answers }, "pruneblockchain", [[[1], "-1 Cannot prune blocks because node is not in prune mode."]])
    }))

  it.effect("finds the first block that is not two hours older than a time", () =>
    Effect.gen(function*() {
      const at = (seconds: number) => 1_100_000_000 + seconds + 7_200
      const times: EngineAnswers = {
        ...answers,
        hashAt: ({ height }) => Buffer.alloc(32, 0).fill(height >> 8, 0, 1).fill(height & 255, 1, 2),
        blockFacts: ({ hash }) => ({ medianTime: 1_100_000_000 + 10 * (256 * hash[0] + hash[1]) })
      }
      yield* holds({ ...on(1_500), answers: times }, "pruneblockchain", [
        [[at(5_000)], "500"],
        [[at(5_001)], "501"],
        [[at(4_999)], "500"],
        [[at(-1)], "0"],
        [[1_000_000_001], "0"],
        [[at(15_001)], "-8 Could not find block with at least the specified timestamp."],
        [[at(15_000)], "1212"]
      ])
    }))
})

describe("filters of blocks", () => {
  const index = { indexes: () => [{ name: "basic block filter index", synced: true, bestBlockHeight: 322 }] }
  const facts = { confirmations: 5, height: 100, undo: undefined, hash: hashOf(9), block: undefined, pruned: false }

  it.effect("are shown with their headers, or it is said why there is none", () =>
    Effect.gen(function*() {
      const filter = { block: hashOf(9), filter: Uint8Array.of(1, 2), header: hashOf(5) }
      const got = (known: object, filters: unknown, synced = true, ...more: ReadonlyArray<string>) => {
        const { calls, text } = methodNode({
          answers: {
            indexes: () => [{ name: "basic block filter index", synced, bestBlockHeight: 1 }],
            blockFacts: () => ({ ...facts, ...known }),
            blockFilters: () => filters
          }
        })
        return Effect.map(text("getblockfilter", shownHash(9), ...more), (said) => [said, calls.at(-1)?.[1]] as const)
      }
      assert.deepStrictEqual(yield* got({}, [filter]), [
        `{"filter":"0102","header":"${shownHash(5)}"}`,
        { from: 100, stop: hashOf(9), most: 1 }
      ])
      const missing = (found: readonly [string, unknown]) => found[0]
      const corrupt = "-32603 Filter not found. This error is unexpected and indicates index corruption."
      const indexing = "-1 Filter not found. Block filters are still in the process of being indexed."
      const foreign = "-5 Filter not found. Block was not connected to active chain."
      assert.strictEqual(missing(yield* got({}, [])), corrupt)
      assert.strictEqual(missing(yield* got({}, undefined, false)), indexing)
      assert.strictEqual(missing(yield* got({ confirmations: -1 }, undefined, false)), foreign)
      assert.strictEqual(missing(yield* got({ confirmations: 0 }, undefined)), corrupt)
      assert.strictEqual(missing(yield* got({ confirmations: -1, undo: {} }, undefined)), corrupt)
      assert.strictEqual(missing(yield* got({}, [filter], true, "other")), "-5 Unknown filtertype")
      yield* holds({ answers: { indexes: () => [] } }, "getblockfilter", [
        [[TIP], "-1 Index is not enabled for filtertype basic"]
      ])
    }))

  it.effect("are scanned between heights of the chain, five hundred at a time, one scan at once", () =>
    Effect.gen(function*() {
      const scan = {
        during: (run: (state: object) => unknown) => run({ progress: 0, height: 0, isAborted: false }),
        current: () => undefined
      }
      const { calls, text } = methodNode({
        answers: { ...index, hashAt: () => hashOf(9), blockFilters: () => undefined },
        more: { blockScan: scan }
      })
      const run = (...params: ReadonlyArray<unknown>) => text("scanblocks", "start", ["raw(51)"], ...params)
      const [from, to] = ["-1 Invalid start_height", "-1 Invalid stop_height"]
      for (const start of [-1, 323]) assert.strictEqual(yield* run(start), from)
      for (const [start, stop] of [[5, 4], [0, 323], [0, -1]]) assert.strictEqual(yield* run(start, stop), to)
      const indexing = "-1 Filter not found. Block filters are still in the process of being indexed."
      for (const [start, stop] of [[322, 322], [0, 0], [4, 5]]) assert.strictEqual(yield* run(start, stop), indexing)
      assert.strictEqual(yield* run(), indexing)
      assert.deepStrictEqual(calls.filter(([name]) => name === "hashAt").map(([, params]) => params), [
        { height: 322 },
        { height: 0 },
        { height: 5 },
        { height: 322 }
      ])
      assert.deepStrictEqual(calls.at(-1), ["blockFilters", { from: 0, stop: hashOf(9), most: 500 }])
      assert.strictEqual(yield* text("scanblocks", "start"), "-1 scanobjects argument is required for the start action")
      assert.strictEqual(yield* text("scanblocks", "x"), "-8 Invalid action 'x'")
      assert.match(yield* run(0, 5, "basic", { filter_false_positives: 1 }), /^-3 /)
      assert.strictEqual(yield* run(0, 5, "other"), "-5 Unknown filtertype")
    }))

  it.effect("show how far the scan is, which can be aborted", () =>
    Effect.gen(function*() {
      const state = { progress: 40, height: 8, isAborted: false }
      const busy = methodNode({ more: { blockScan: { current: () => state, during: () => Effect.undefined } } })
      assert.strictEqual(yield* busy.text("scanblocks", "status"), "{\"progress\":40,\"current_height\":8}")
      assert.match(yield* busy.text("scanblocks", "start", []), /^-8 Scan already in progress/)
      assert.strictEqual(yield* busy.text("scanblocks", "abort"), "true")
      assert.isTrue(state.isAborted)
      const idle = methodNode({ more: { blockScan: { current: () => undefined } } })
      assert.strictEqual(yield* idle.text("scanblocks", "status"), "null")
      assert.strictEqual(yield* idle.text("scanblocks", "abort"), "false")
    }))
})

describe("generating blocks", () => {
  it.effect("asks for so many with a million tries unless others are given, and for none where there is nothing to try", () =>
    Effect.gen(function*() {
      const { calls, text } = methodNode({
        answers: { generate: () => ({ hashes: [hashOf(1)], block: Uint8Array.of(9) }) }
      })
      const hashes = `["${shownHash(1)}"]`
      assert.strictEqual(yield* text("generatetoaddress", 2, ADDRESS), hashes)
      assert.strictEqual(yield* text("generatetodescriptor", 1, "raw(51)", 5), hashes)
      const request = { blocks: 2, maxTries: 1_000_000, transactions: undefined, submit: true }
      assert.deepStrictEqual(calls.map(([, params]) => params), [
        { ...request, script: SCRIPT },
        { ...request, script: Uint8Array.of(0x51), blocks: 1, maxTries: 5 }
      ])
      for (const [blocks, tries] of [[0, 1], [-1, 1], [1, 0]]) {
        assert.strictEqual(yield* text("generatetoaddress", blocks, ADDRESS, tries), "[]")
        assert.strictEqual(yield* text("generatetodescriptor", blocks, "raw(51)", tries), "[]")
      }
      assert.lengthOf(calls, 2)
      assert.strictEqual(yield* text("generatetoaddress", 1, ADDRESS, 1), hashes)
      assert.strictEqual(yield* text("generatetodescriptor", 1, "raw(51)", 1), hashes)
      assert.strictEqual(yield* text("generatetoaddress", 0, "x"), "-5 Error: Invalid address")
    }))

  it.effect("pays to the one script of a descriptor, of several to the witness program before the key hash", () =>
    Effect.gen(function*() {
      const key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
      const long = "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd" +
        "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
      const { calls, text } = methodNode({ answers: { generate: () => ({ hashes: [] }) } })
      yield* text("generatetodescriptor", 1, `combo(${key})`)
      yield* text("generatetodescriptor", 1, `combo(${long})`)
      const scripts = calls.map(([, params]) =>
        Buffer.from((params as { readonly script: Uint8Array }).script).toString("hex")
      )
      assert.match(scripts[0]!, /^0014[0-9a-f]{40}$/)
      assert.match(scripts[1]!, /^76a914[0-9a-f]{40}88ac$/)
      const xpub =
        "tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B"
      for (
        const [descriptor, message] of [
          [`pkh(${xpub}/*)`, "-8 Ranged descriptor not accepted. Maybe pass through deriveaddresses first?"],
          [`pkh(${xpub}/<0;1>)`, "-8 Multipath descriptor not accepted"],
          [`pkh(${xpub}/0h)`, "-5 Cannot derive script without private keys"],
          [`unused(${key})`, "-5 Descriptor does not have a script"]
        ]
      ) assert.strictEqual(yield* text("generatetodescriptor", 1, descriptor), message)
    }))

  it.effect("makes one block of these transactions, which is answered unless it is handed in", () =>
    Effect.gen(function*() {
      const { calls, text } = methodNode({
        answers: { generate: () => ({ hashes: [hashOf(1)], block: Uint8Array.of(9) }) }
      })
      assert.strictEqual(yield* text("generateblock", ADDRESS, [shownHash(0xa1)]), `{"hash":"${shownHash(1)}"}`)
      assert.strictEqual(yield* text("generateblock", "raw(51)", [], false), `{"hash":"${shownHash(1)}","hex":"09"}`)
      assert.deepStrictEqual(calls.map(([, params]) => params), [
        { script: SCRIPT, blocks: 1, maxTries: 1_000_000, transactions: [{ txid: hashOf(0xa1) }], submit: true },
        { script: Uint8Array.of(0x51), blocks: 1, maxTries: 1_000_000, transactions: [], submit: false }
      ])
      assert.strictEqual(yield* text("generateblock", "x", []), "-5 Error: Invalid address or descriptor")
      assert.match(yield* text("generateblock", "raw(51)", ["00"]), /^-22 Transaction decode failed for 00\. Make sure/)
      const none = methodNode({ answers: { generate: () => ({ hashes: [], block: undefined }) } })
      assert.strictEqual(yield* none.text("generateblock", "raw(51)", []), "-1 Failed to make block.")
    }))

  it.effect("takes blocks and headers that are handed in, and judges proposals", () =>
    Effect.gen(function*() {
      let result: string | undefined
      const { calls, text } = methodNode({
        answers: { submitBlock: () => ({ result }), submitHeader: () => undefined, proposeBlock: () => ({ result }) }
      })
      assert.strictEqual(yield* text("submitblock", "0102"), "null")
      assert.strictEqual(yield* text("submitblock", "0102", "ignored"), "null")
      result = "duplicate"
      assert.strictEqual(yield* text("submitblock", "0102"), "\"duplicate\"")
      assert.strictEqual(yield* text("getblocktemplate", { mode: "proposal", data: "0102" }), "\"duplicate\"")
      result = undefined
      assert.strictEqual(yield* text("getblocktemplate", { mode: "proposal", data: "0102" }), "null")
      assert.strictEqual(yield* text("submitheader", "ab".repeat(81)), "null")
      assert.deepStrictEqual(calls[0], ["submitBlock", { bytes: Uint8Array.of(1, 2) }])
      assert.deepStrictEqual(calls.at(-1), ["submitHeader", { bytes: new Uint8Array(80).fill(0xab) }])
      const failed = "-22 Block decode failed"
      for (const none of ["", "0", "zz"]) {
        assert.strictEqual(yield* text("submitblock", none), failed)
        assert.strictEqual(yield* text("getblocktemplate", { mode: "proposal", data: none }), failed)
      }
      for (const none of ["", "zz", "00".repeat(79)]) {
        assert.strictEqual(yield* text("submitheader", none), "-22 Block header decode failed")
      }
      assert.strictEqual(
        yield* text("getblocktemplate", { mode: "proposal" }),
        "-3 Missing data String key for proposal"
      )
      for (const mode of ["x", 5, true]) {
        assert.strictEqual(yield* text("getblocktemplate", { mode }), "-8 Invalid mode")
      }
    }))
})

describe("stop", () => {
  it.effect("requests the end, and waits up to a second with its answer", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const { text } = methodNode({
        more: { programName: "Lockstep", shutdown: { request: (by: string) => Effect.sync(() => void asked.push(by)) } }
      })
      assert.strictEqual(yield* text("stop"), "\"Lockstep stopping\"")
      assert.strictEqual(yield* text("stop", 0), "\"Lockstep stopping\"")
      for (const [wait, least] of [[400, 400], [1_000, 1_000], [5_000, 1_000]] as const) {
        const waiting = yield* Effect.forkChild(text("stop", wait), { startImmediately: true })
        yield* TestClock.adjust(least - 1)
        assert.isUndefined(waiting.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* Fiber.join(waiting), "\"Lockstep stopping\"")
      }
      assert.deepStrictEqual(asked, Array.from({ length: 5 }, () => "rpc"))
    }))
})
