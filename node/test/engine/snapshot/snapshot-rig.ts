import type { AssumeUtxo, Network } from "@lockstep/protocol/networks/network.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { EngineNotification } from "../../../src/engine/api/engine-calls.ts"
import type { EngineParts } from "../../../src/engine/chain-engine.ts"
import { type CrashPoint } from "../../../src/engine/crash-point.ts"
import type { EngineOptions } from "../../../src/engine/engine-options.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { plantChain, type Planned, PLANTED_AT, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

/** The height of the snapshot, and of the tip of the chain. */
export const BASE = 8
export const TOP = 10

/** A chain, a snapshot of the coins at {@link BASE}, and what a release would say of it. */
export interface Recorded {
  readonly directory: string
  readonly chain: ReadonlyArray<Planned>
  readonly file: string
  readonly known: AssumeUtxo
}

const chain = plantChain(plantedRoot(), TOP)

/** Runs a full node up to the snapshot. */
export const recordSnapshot = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const file = join(directory, "utxo.dat")
  const dumped = yield* Effect.scoped(Effect.gen(function*() {
    const { call } = yield* testEngine({ directory: join(directory, "full"), mockTime: PLANTED_AT })
    for (const { bytes } of chain.slice(0, BASE)) yield* call("submitBlock", { bytes: bytes.slice() })
    return yield* call("dumpCoins", { file, height: undefined })
  }))
  const known: AssumeUtxo = {
    height: BASE,
    hash: dumped.block,
    setHash: dumped.setHash,
    chainTransactions: dumped.transactions
  }
  const recorded: Recorded = { directory, chain, file, known }
  return recorded
})

export interface Changes {
  readonly known?: AssumeUtxo
  readonly crashAt?: CrashPoint
  readonly options?: Partial<EngineOptions>
  readonly news?: (news: EngineNotification) => void
}

/** What a crash point throws: the engine does nothing any more, as after SIGKILL. */
const KILLED = new Error("killed")

const changed = ({ crashAt, known }: Changes, { known: recorded }: Recorded) => (parts: EngineParts): EngineParts => {
  const network: Network = { ...REGTEST, assumeUtxo: [known ?? recorded] }
  return {
    ...parts,
    network,
    crashPoint: (name) => {
      if (name === crashAt) throw KILLED
    }
  }
}

/** A node that is to load the snapshot. */
export const loadingEngine = (recorded: Recorded, changes: Changes = {}) =>
  testEngine({
    directory: join(recorded.directory, "loading"),
    mockTime: PLANTED_AT,
    parts: changed(changes, recorded),
    ...changes.options === undefined ? {} : { options: changes.options },
    ...changes.news === undefined ? {} : { news: changes.news }
  })

export type Loading = Effect.Success<ReturnType<typeof loadingEngine>>

/** Has the first blocks connected and all headers known. */
export const prepare = Effect.fnUntraced(function*({ call }: Loading, { chain }: Recorded, blocks: number) {
  for (const { bytes } of chain) yield* call("submitHeader", { bytes: bytes.slice(0, 80) })
  for (const { bytes } of chain.slice(0, blocks)) yield* call("submitBlock", { bytes: bytes.slice() })
})

/** Submits the blocks between these heights, the first left out. */
export const submit = Effect.fnUntraced(
  function*({ call }: Loading, { chain }: Recorded, from: number, to: number) {
    for (const { bytes } of chain.slice(from, to)) yield* call("submitBlock", { bytes: bytes.slice() })
  }
)

/** The hash of the coins at the tip. */
export const setHash = ({ call }: Loading) =>
  Effect.map(
    call("setStatistics", { hashType: "hash_serialized_3", at: undefined, useIndex: false }),
    ({ block, setHash: hash }) => ({
      block: Buffer.from(block).toString("hex"),
      hash: Buffer.from(hash!).toString("hex")
    })
  )
