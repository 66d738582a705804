import type { AssumeUtxo, Network } from "@lockstep/protocol/networks/network.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { otherSpace } from "../../../src/coins/coin-space.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { type CrashPoint } from "../../../src/engine/options/crash-point.ts"
import type { EngineOptions } from "../../../src/engine/options/engine-options.ts"
import { indexes } from "../../../src/indexes/indexes.ts"
import { rangeOf } from "../../../src/storage/key-space.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { plantChain, type Planned, PLANTED_AT, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** The height of the snapshot, and of the tip of the chain. */
export const BASE = 8
export const TOP = 10

/** A snapshot file, and what a release would say of it. */
interface Recorded {
  readonly file: string
  readonly known: AssumeUtxo
}

/** The chain of all tests, and what a full node recorded of it. */
export interface Records extends Recorded {
  readonly chain: ReadonlyArray<Planned>
  /** Of the coins one block earlier, under the name of the base. */
  readonly wrong: Recorded
  /** The coins at the tip. */
  readonly top: string
}

/** Runs a full node over the chain and records the snapshots in `directory`. */
export const record = Effect.fnUntraced(function*(directory: string) {
  const chain = plantChain(plantedRoot(), TOP)
  const full = yield* testEngine({ directory: join(directory, "full"), mockTime: PLANTED_AT })
  for (const { bytes } of chain) yield* full.call("submitBlock", { bytes: bytes.slice() })
  const dump = Effect.fnUntraced(function*(name: string, height: number) {
    const file = join(directory, name)
    return { ...(yield* full.call("dumpCoins", { file, height })), file }
  })
  const { block: hash, file, setHash, transactions } = yield* dump("utxo.dat", BASE)
  const earlier = yield* dump("wrong.dat", BASE - 1)
  writeFileSync(earlier.file, readFileSync(earlier.file).fill(hash, 11, 43))
  const known: AssumeUtxo = { height: BASE, hash, setHash, chainTransactions: transactions }
  const records: Records = {
    chain,
    file,
    known,
    wrong: { file: earlier.file, known: { ...known, setHash: earlier.setHash } },
    top: yield* coinsOf(full)
  }
  return records
}, Effect.scoped)

/** Records once for all tests of a file. */
export const recordForAll = (use: (records: Records) => void): void => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lockstep-snapshot-"))
    use(await Effect.runPromise(record(folder)))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
}

export interface Changes {
  readonly known?: AssumeUtxo
  readonly crashAt?: CrashPoint
  /** Called each time that the engine comes to `crashAt`. */
  readonly reached?: () => void
  readonly options?: Partial<EngineOptions>
  readonly news?: (news: EngineNotification) => void
  readonly store?: (store: KeyValueStore) => KeyValueStore
}

/** What a crash point throws: the engine does nothing any more, as after SIGKILL. */
const KILLED = new Error("killed")

const changed =
  ({ crashAt, known, reached }: Changes, { known: recorded }: Records) => (parts: EngineParts): EngineParts => {
    const network: Network = { ...REGTEST, assumeUtxo: [known ?? recorded] }
    return {
      ...parts,
      network,
      crashPoint: (name) => {
        if (name !== crashAt) return
        reached?.()
        throw KILLED
      }
    }
  }

/** A node in `directory` that is to load the snapshot. */
export const loadingEngine = (directory: string, recorded: Records, changes: Changes = {}) =>
  testEngine({
    directory,
    mockTime: PLANTED_AT,
    parts: changed(changes, recorded),
    ...changes.options === undefined ? {} : { options: changes.options },
    ...changes.news === undefined ? {} : { news: changes.news },
    ...changes.store === undefined ? {} : { store: changes.store }
  })

/** The same with the given indexes. */
export const indexingEngine = (directory: string, recorded: Records, options: Partial<EngineOptions>) =>
  testEngine({
    directory,
    mockTime: PLANTED_AT,
    parts: changed({}, recorded),
    options,
    extensions: [indexes]
  })

export type Loading = Effect.Success<ReturnType<typeof testEngine>>

/** Has the first blocks connected and all headers known. */
export const prepare = Effect.fnUntraced(function*({ call }: Loading, { chain }: Records, blocks: number) {
  for (const { bytes } of chain) yield* call("submitHeader", { bytes: bytes.slice(0, 80) })
  for (const { bytes } of chain.slice(0, blocks)) yield* call("submitBlock", { bytes: bytes.slice() })
})

/** Submits the blocks between these heights, the first left out. */
export const submit = Effect.fnUntraced(
  function*({ call }: Loading, { chain }: Records, from: number, to: number) {
    for (const { bytes } of chain.slice(from, to)) yield* call("submitBlock", { bytes: bytes.slice() })
  }
)

/** Heights of the tip, of the chain behind a snapshot, and of the snapshot that is not confirmed. */
export const heights = ({ chain: { snapshot, tree } }: Loading) => ({
  tip: tree.tip.height,
  behind: snapshot?.background?.tip.height,
  assumed: tree.assumed?.height
})

/** The tip and the hash of the coins there. */
export const coinsOf = ({ call }: Loading) =>
  Effect.map(
    call("setStatistics", { hashType: "hash_serialized_3", at: undefined, useIndex: false }),
    ({ block, setHash }) => `${Buffer.from(block).toString("hex")} ${Buffer.from(setHash!).toString("hex")}`
  )

/** Coins of the set that is not in use, once what is of no use has been removed. */
export const otherCoins = Effect.fnUntraced(function*({ chain: { chainstates } }: Loading) {
  while (chainstates.hasLeftover) yield* Effect.sleep(5)
  const entries = yield* Stream.runCollect(chainstates.whole.range(rangeOf(otherSpace(chainstates.active))))
  return entries.flat().length
})
