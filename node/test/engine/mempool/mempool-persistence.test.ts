import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { decodeMempoolFile, encodeMempoolFile } from "../../../src/engine/mempool/mempool-file.ts"
import { hexOf } from "../../../src/hex.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { makeFailingDisk } from "../../storage/disk/failing-disk.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "./loose-transactions.ts"
import { mempoolEngine, type MempoolEngine, type MempoolEngineChanges, REWARD } from "./mempool-engine.ts"

const HOUR = 3_600

const facts = ({ call }: MempoolEngine) => call("mempoolFacts", undefined)

/** Waits until the file has been gone through. */
const whenLoaded = (engine: MempoolEngine): Effect.Effect<void, unknown> =>
  Effect.flatMap(
    facts(engine),
    ({ loaded }) => loaded ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), whenLoaded(engine))
  )

const loadedAt = Effect.fnUntraced(function*(directory: string, changes: MempoolEngineChanges = {}) {
  const engine = yield* mempoolEngine(directory, changes)
  yield* whenLoaded(engine)
  return engine
})

const offer = Effect.fnUntraced(function*({ call }: MempoolEngine, tx: Transaction) {
  const { _tag } = yield* call("acceptTransaction", { bytes: rawOf(tx) })
  assert.strictEqual(_tag, "Accepted")
})

/** A parent, its child, and one that has nothing to do with them. */
const filled = Effect.fnUntraced(function*(directory: string) {
  const engine = yield* loadedAt(directory)
  yield* mine(engine, 110)
  const parent = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - 1_000n] })
  const child = loose({ inputs: [outputOf(parent)], values: [REWARD - 10_000n] })
  const other = loose({ inputs: [yield* coinbaseAt(engine, 2)], values: [REWARD - 2_000n] })
  for (const tx of [parent, child, other]) yield* offer(engine, tx)
  return { engine, transactions: [parent, child, other] as const }
})

const idsIn = ({ call }: MempoolEngine) =>
  Effect.map(call("mempoolEntries", undefined), (entries) => entries.map(({ txid }) => hexOf(txid)).toSorted())

const idsOf = (...transactions: ReadonlyArray<Transaction>) => transactions.map((tx) => hexOf(idOf(tx))).toSorted()

const linesOf = (news: ReadonlyArray<EngineNotification>, level: "info" | "warn") =>
  news.flatMap((each) => each._tag === "Log" && each.level === level ? [each] : [])

const failureOf = (call: Effect.Effect<unknown, unknown>) => Effect.flip(call)

describe("mempool.dat", () => {
  it.live("a restart finds the same mempool: transactions with their times, fees that were changed, and what no peer fetched", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const absent = new Uint8Array(32).fill(7)
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const { engine, transactions } = yield* filled(directory)
        engine.chain.clock.setMockTime(PLANTED_AT + HOUR)
        const late = loose({ inputs: [yield* coinbaseAt(engine, 3)], values: [REWARD - 3_000n] })
        yield* offer(engine, late)
        yield* engine.call("prioritise", { txid: idOf(transactions[0]), delta: 5_000n })
        yield* engine.call("prioritise", { txid: absent, delta: -7n })
        yield* engine.call("markUnbroadcast", { txid: idOf(late) })
        return { entries: yield* engine.call("mempoolEntries", undefined), late }
      }))
      const news: Array<EngineNotification> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory, { mockTime: PLANTED_AT + 2 * HOUR, news })
        assert.deepStrictEqual(yield* engine.call("mempoolEntries", undefined), before.entries)
        assert.deepStrictEqual(before.entries.map(({ time }) => time - PLANTED_AT).toSorted(), [0, 0, 0, HOUR])
        const prioritised = yield* engine.call("prioritised", undefined)
        assert.deepStrictEqual(prioritised.map(({ delta }) => delta).toSorted(), [-7n, 5_000n])
        assert.deepStrictEqual((yield* engine.call("unbroadcast", undefined)).map(hexOf), idsOf(before.late))
        const line = linesOf(news, "info").find(({ message }) => message.includes("is loaded"))
        assert.deepStrictEqual(line?.fields, { accepted: 4, failed: 0, expired: 0, known: 0, unbroadcast: 1 })
      }))
    }))

  it.live("a small mempool is there when the engine takes calls", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { transactions } = yield* Effect.scoped(filled(directory))
      const engine = yield* mempoolEngine(directory)
      const { count, loaded } = yield* facts(engine)
      assert.deepStrictEqual([count, loaded], [transactions.length, true])
    }))

  it.live("what has expired, is confirmed or does not hold any more is left out; the rest is loaded", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const news: Array<EngineNotification> = []
      const [parent, child, other] = yield* Effect.scoped(
        Effect.map(filled(directory), ({ transactions }) => transactions)
      )
      const file = join(directory, "mempool.dat")
      const saved = decodeMempoolFile(readFileSync(file))
      assert.isUndefined(saved.fault)
      const conflict = loose({ inputs: [{ txid: new Uint8Array(32).fill(9), vout: 0 }], values: [1_000n] })
      const times = [PLANTED_AT, PLANTED_AT - 336 * HOUR, PLANTED_AT - 336 * HOUR + 1]
      const transactions = [parent, other, child].map((tx, i) => ({ tx, time: times[i]!, feeDelta: 0n }))
      transactions.push({ tx: conflict, time: PLANTED_AT, feeDelta: 0n }, {
        tx: parent,
        time: PLANTED_AT,
        feeDelta: 0n
      })
      writeFileSync(file, encodeMempoolFile({ transactions, deltas: [], unbroadcast: [] }, undefined))
      const engine = yield* loadedAt(directory, { news })
      assert.deepStrictEqual(yield* idsIn(engine), idsOf(parent, child))
      const line = linesOf(news, "info").find(({ message }) => message.includes("is loaded"))
      assert.deepStrictEqual(line?.fields, { accepted: 2, failed: 1, expired: 1, known: 1, unbroadcast: 0 })
    }))

  for (
    const [what, damage, fault, left] of [
      ["cut short", (file: string, size: number) => truncateSync(file, size - 20), "damaged at byte", 3],
      ["cut within a transaction", (file: string) => truncateSync(file, 60), "damaged at byte", 0],
      ["newer", (file: string) => writeFileSync(file, Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0)), "its version is 3", 0],
      ["foreign", (file: string) => writeFileSync(file, "what is this doing here?"), "its version is", 0],
      ["empty", (file: string) => truncateSync(file, 0), "it ends before its version", 0]
    ] as const
  ) {
    it.live(`a file that is ${what} is named and set aside; what can be read of it is loaded`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* Effect.scoped(Effect.gen(function*() {
          const { engine, transactions } = yield* filled(directory)
          yield* engine.call("markUnbroadcast", { txid: idOf(transactions[0]) })
        }))
        const file = join(directory, "mempool.dat")
        damage(file, readFileSync(file).length)
        const content = readFileSync(file)
        const news: Array<EngineNotification> = []
        yield* Effect.scoped(Effect.gen(function*() {
          const engine = yield* loadedAt(directory, { news })
          assert.strictEqual((yield* facts(engine)).count, left)
          assert.deepStrictEqual(yield* engine.call("unbroadcast", undefined), [])
        }))
        const [line] = linesOf(news, "warn")
        assert.include(line?.message, file)
        assert.include(line?.message, fault)
        assert.deepStrictEqual(readFileSync(`${file}.damaged`), content)
        assert.isUndefined(decodeMempoolFile(readFileSync(file)).fault)
      }))
  }

  it.live("a second file that is of no use does not overwrite the first that was set aside", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "mempool.dat")
      for (const content of ["first", "second", "third"]) {
        writeFileSync(file, content)
        const news: Array<EngineNotification> = []
        yield* Effect.scoped(loadedAt(directory, { news }))
        assert.lengthOf(linesOf(news, "warn"), 1, content)
      }
      const kept = ["damaged", "damaged-2", "damaged-3"].map((end) => readFileSync(`${file}.${end}`, "utf8"))
      assert.deepStrictEqual(kept, ["first", "second", "third"])
    }))

  it.live("what it holds is no news: peers and modules had it before", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(filled(directory))
      const news: Array<EngineNotification> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory, { news })
        const { count } = yield* facts(engine)
        assert.isAbove(count, 0)
        const events = news.flatMap((each) => each._tag === "Event" ? [each.event.type] : [])
        assert.lengthOf(events.filter((type) => type === "MempoolTransactionAdded"), count)
        assert.notInclude(events, "NewTransaction")
      }))
    }))

  it.live("a directory in its place is named and not fatal", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      mkdirSync(join(directory, "mempool.dat"))
      const news: Array<EngineNotification> = []
      yield* Effect.scoped(Effect.flatMap(loadedAt(directory, { news }), (engine) => mine(engine, 1)))
      assert.isTrue(linesOf(news, "warn").some(({ message }) => message.startsWith("A saved file cannot be read")))
      assert.isTrue(statSync(join(directory, "mempool.dat")).isDirectory())
    }))

  it.live("without persistence nothing is read or written, but by savemempool", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "mempool.dat")
      yield* Effect.scoped(Effect.flatMap(filled(directory), ({ engine }) => engine.call("saveMempool", undefined)))
      const content = readFileSync(file)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory, { settings: { persists: false } })
        assert.strictEqual((yield* facts(engine)).count, 0)
      }))
      assert.deepStrictEqual(readFileSync(file), content)
      rmSync(file)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory, { settings: { persists: false } })
        assert.deepStrictEqual(yield* engine.call("saveMempool", undefined), { file })
      }))
      assert.isUndefined(decodeMempoolFile(readFileSync(file)).fault)
    }))

  it.live("it is kept where the settings say", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "elsewhere.dat")
      yield* Effect.scoped(Effect.flatMap(loadedAt(directory, { settings: { file } }), (engine) => mine(engine, 1)))
      assert.isTrue(existsSync(file))
      assert.isFalse(existsSync(join(directory, "mempool.dat")))
    }))

  it.live("after a defect that broke the node, what is in memory is not saved over the file", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(filled(directory))
      const file = join(directory, "mempool.dat")
      const content = readFileSync(file)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory)
        engine.chain.status = { _tag: "Broken", cause: "a test" }
      }))
      assert.deepStrictEqual(readFileSync(file), content)
    }))

  it.live("is saved as version 1, without a key, where the settings say so", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "mempool.dat")
      for (const [savesVersion1, version] of [[true, 1], [false, 2]] as const) {
        const engine = yield* loadedAt(directory, { settings: { savesVersion1, persists: false } })
        yield* engine.call("saveMempool", undefined)
        assert.deepStrictEqual([...readFileSync(file).subarray(0, 8)], [version, 0, 0, 0, 0, 0, 0, 0])
      }
    }))

  it.live("a disk that fails leaves the file as it was, and savemempool says so", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(filled(directory))
      const file = join(directory, "mempool.dat")
      const content = readFileSync(file)
      const plan = { fault: "failed-sync", at: 1, lasting: true } as const
      const { disk } = makeFailingDisk(nodeDisk("block-files"), plan)
      const news: Array<EngineNotification> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadedAt(directory, { disk, news })
        const failure = yield* failureOf(engine.call("saveMempool", undefined))
        assert.propertyVal(failure, "_tag", "MempoolNotSaved")
      }))
      assert.deepStrictEqual(readFileSync(file), content)
      assert.strictEqual(
        linesOf(news, "warn").filter(({ message }) => message.includes("could not be saved")).length,
        2
      )
    }))
})

describe("importing a mempool", () => {
  const NOTHING_MORE = { usesCurrentTime: false, appliesDeltas: false, appliesUnbroadcast: false }

  const exported = Effect.fnUntraced(function*(directory: string) {
    const file = join(directory, "exported.dat")
    const transactions = yield* Effect.scoped(Effect.gen(function*() {
      const { engine, transactions: all } = yield* filled(directory)
      yield* engine.call("prioritise", { txid: idOf(all[0]), delta: 5_000n })
      yield* engine.call("prioritise", { txid: new Uint8Array(32).fill(7), delta: 9n })
      yield* engine.call("markUnbroadcast", { txid: idOf(all[1]) })
      yield* engine.call("saveMempool", undefined)
      return all
    }))
    copyFileSync(join(directory, "mempool.dat"), file)
    return { file, transactions }
  })

  const withoutPersistence = { settings: { persists: false }, mockTime: PLANTED_AT + HOUR }

  it.live("takes the transactions with the times of the file, and nothing else unless it is asked to", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { file, transactions } = yield* exported(directory)
      const engine = yield* loadedAt(directory, withoutPersistence)
      yield* engine.call("importMempool", { file, ...NOTHING_MORE })
      assert.deepStrictEqual(yield* idsIn(engine), idsOf(...transactions))
      const entries = yield* engine.call("mempoolEntries", undefined)
      assert.isTrue(entries.every(({ fee, modifiedFee, time }) => time === PLANTED_AT && fee === modifiedFee))
      assert.deepStrictEqual(yield* engine.call("prioritised", undefined), [])
      assert.deepStrictEqual(yield* engine.call("unbroadcast", undefined), [])
    }))

  it.live("takes all there is where it is asked to, at the present time; what an operator added adds up", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { file, transactions } = yield* exported(directory)
      const engine = yield* loadedAt(directory, withoutPersistence)
      yield* engine.call("prioritise", { txid: idOf(transactions[0]), delta: 1n })
      yield* engine.call("importMempool", {
        file,
        usesCurrentTime: true,
        appliesDeltas: true,
        appliesUnbroadcast: true
      })
      const entries = yield* engine.call("mempoolEntries", undefined)
      assert.isTrue(entries.every(({ time }) => time === PLANTED_AT + HOUR))
      const deltas = (yield* engine.call("prioritised", undefined)).map(({ delta }) => delta)
      assert.deepStrictEqual(deltas.toSorted(), [5_001n, 9n])
      assert.deepStrictEqual((yield* engine.call("unbroadcast", undefined)).map(hexOf), idsOf(transactions[1]))
    }))

  it.live("of a file that is not there, or damaged, fails; the file of the operator stays where it is", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { file, transactions } = yield* exported(directory)
      const engine = yield* loadedAt(directory, withoutPersistence)
      for (const wrong of [join(directory, "none.dat"), directory]) {
        const failure = yield* failureOf(engine.call("importMempool", { file: wrong, ...NOTHING_MORE }))
        assert.propertyVal(failure, "_tag", "MempoolNotImported")
      }
      truncateSync(file, readFileSync(file).length - 40)
      const failure = yield* failureOf(engine.call("importMempool", { file, ...NOTHING_MORE }))
      assert.propertyVal(failure, "_tag", "MempoolNotImported")
      assert.deepStrictEqual(yield* idsIn(engine), idsOf(...transactions))
      assert.isTrue(existsSync(file))
    }))

  it.live("waits for the end of the initial download", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const engine = yield* mempoolEngine(directory)
      const failure = yield* failureOf(engine.call("importMempool", { file: "mempool.dat", ...NOTHING_MORE }))
      assert.deepStrictEqual(failure, { _tag: "InInitialDownload" })
    }))
})
