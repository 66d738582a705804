import { ancestorAt } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import { damagedIndex } from "../damaged-index.ts"
import type { IndexName, QueryError } from "../../engine/api/engine-error.ts"
import type { Handlers } from "../../engine/api/handler.ts"
import type { OutputCalls, Part, ScriptSums, ScriptTransaction, UnspentOutput } from "../../engine/api/output-calls.ts"
import type { ChainEngine } from "../../engine/state/chain-engine.ts"
import { asFault } from "../../engine/chainstate/faults.ts"
import type { Writer } from "../../engine/chainstate/writer.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { UnconfirmedLookups, UnconfirmedMovement } from "../../engine/state/unconfirmed-lookups.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { Follower } from "../follow-chain.ts"
import type { AddressIndex } from "./address-index.ts"
import { decodeHistory, decodeUnspent, decodeValue, type UnspentEntry } from "./output-entries.ts"
import { type TakenRange, walkRange, withSnapshot } from "./pending-changes.ts"
import type { ValueIndex } from "./value-index.ts"

/** Number of mempool entries that are resolved in one turn of the writer. */
const AT_ONCE = 500

const broken = (index: IndexName): StorageError => damagedIndex(`An entry of ${index} is damaged`)

/** The state of one moment that a query needs. */
interface Moment<R> {
  readonly tip: HeaderIndexNode
  readonly taken: R
  readonly walk: <A>(
    range: TakenRange,
    decode: (key: Uint8Array, value: Uint8Array) => A | undefined,
    visit: (entry: A) => void
  ) => Effect.Effect<void, StorageError>
}

interface Question<R, A> {
  readonly index: IndexName
  readonly follower: Follower
  /** Runs within the writer's turn. */
  readonly take: (unconfirmed: UnconfirmedLookups | undefined) => R
  /** Runs after it, on a snapshot that was made in it. */
  readonly answer: (moment: Moment<R>) => Effect.Effect<A, StorageError>
}

/** Runs queries about one moment, while the chain and the mempool advance. */
const asker = (engine: ChainEngine, writer: Writer) =>
  Effect.fnUntraced(function*<R, A>({ answer, follower, index, take }: Question<R, A>) {
    while (engine.unconfirmed !== undefined && !(yield* writer.alone(engine.unconfirmed.resolve(AT_ONCE)))) {
      yield* Effect.yieldNow
    }
    const moment = yield* writer.alone(Effect.gen(function*() {
      const { bestBlockHeight, synced } = follower.state()
      if (!synced) {
        const failure: QueryError<"IndexNotSynced"> = { _tag: "IndexNotSynced", index, height: bestBlockHeight }
        return yield* Effect.fail(failure)
      }
      if (engine.unconfirmed !== undefined) yield* engine.unconfirmed.resolve(Infinity)
      const snapshot = yield* engine.store.snapshot
      return { tip: engine.tree.tip, snapshot, taken: take(engine.unconfirmed) }
    }))
    const { snapshot, taken, tip } = moment
    const walk: Moment<R>["walk"] = (range, decode, visit) => {
      let isBroken = false
      const visitEntry = (key: Uint8Array, value: Uint8Array): void => {
        const entry = decode(key, value)
        if (entry === undefined) isBroken = true
        else visit(entry)
      }
      return Effect.flatMap(
        walkRange(snapshot, range, visitEntry),
        () => isBroken ? Effect.fail(broken(index)) : Effect.void
      )
    }
    return yield* asFault(withSnapshot(snapshot, answer({ tip, taken, walk })))
  })

const NO_MOVEMENTS: ReadonlyArray<UnconfirmedMovement> = []

const sumOf = (outputs: ReadonlyArray<{ readonly value: bigint }>): bigint =>
  outputs.reduce((sum, { value }) => sum + value, 0n)

const unconfirmedSums = (movements: ReadonlyArray<UnconfirmedMovement>): ScriptSums => ({
  received: sumOf(movements.flatMap(({ created }) => created)),
  sent: sumOf(movements.flatMap(({ spent }) => spent)),
  transactions: movements.length
})

const nameOf = ({ txid, vout }: { readonly txid: Uint8Array; readonly vout: number }): string =>
  `${Buffer.from(txid).toString("latin1")}${vout}`

/** Collects the requested part of a list, and counts the rest. */
const collector = <A>({ limit, offset }: Part) => {
  const wanted: Array<A> = []
  let total = 0
  return {
    add: (make: () => A): void => {
      if (total >= offset && wanted.length < limit) wanted.push(make())
      total++
    },
    wanted,
    total: () => total
  }
}

/** Lists the unspent outputs of a range of the chain, and of the mempool. */
const unspentOf = Effect.fnUntraced(function*(
  { taken: { movements, range }, tip, walk }: Moment<{
    readonly range: TakenRange
    readonly movements: ReadonlyArray<UnconfirmedMovement>
  }>,
  part: Part,
  decode: (key: Uint8Array, value: Uint8Array) => UnspentEntry | undefined
) {
  const spent = new Set(movements.flatMap((movement) => movement.spent.map(nameOf)))
  const found = collector<UnspentOutput>(part)
  yield* walk(range, decode, (entry) => {
    if (!spent.has(nameOf(entry))) found.add(() => entry)
  })
  for (const output of movements.flatMap(({ created }) => created)) {
    if (!spent.has(nameOf(output))) found.add(() => ({ ...output, isCoinbase: false, height: undefined }))
  }
  return { tipHeight: tip.height, total: found.total(), outputs: found.wanted }
})

const summaryOf = Effect.fnUntraced(function*(
  { taken: { history, movements, unspent }, tip, walk }: Moment<{
    readonly history: TakenRange
    readonly unspent: TakenRange
    readonly movements: ReadonlyArray<UnconfirmedMovement>
  }>
) {
  let [received, sent, balance] = [0n, 0n, 0n]
  let [transactions, count] = [0, 0]
  yield* walk(history, decodeHistory, (entry) => {
    received += entry.received
    sent += entry.sent
    transactions++
  })
  yield* walk(unspent, decodeUnspent, ({ value }) => {
    balance += value
    count++
  })
  const confirmed = { received, sent, transactions }
  return { tipHeight: tip.height, confirmed, balance, unspent: count, unconfirmed: unconfirmedSums(movements) }
})

const transactionsOf = Effect.fnUntraced(function*(
  { taken: { history, movements }, tip, walk }: Moment<{
    readonly history: TakenRange
    readonly movements: ReadonlyArray<UnconfirmedMovement>
  }>,
  part: Part
) {
  const found = collector<ScriptTransaction>(part)
  for (const { created, spent, txid } of movements.toReversed()) {
    found.add(() => ({ txid, received: sumOf(created), sent: sumOf(spent), block: undefined }))
  }
  yield* walk(history, decodeHistory, ({ height, received, sent, txid }) =>
    // Looked up in the branch of the snapshot: the active chain may have changed meanwhile.
    found.add(() => ({ txid, received, sent, block: { height, hash: ancestorAt(tip, height)!.hash.slice() } })))
  return { tipHeight: tip.height, total: found.total(), transactions: found.wanted }
})

type AddressCalls = Pick<OutputCalls, "scriptOutputs" | "scriptSummary" | "scriptTransactions">

/** Handlers of queries by address index. */
export const addressHandlers = (
  engine: ChainEngine,
  writer: Writer,
  index: AddressIndex,
  follower: Follower
): Handlers<keyof AddressCalls> => {
  const ask = asker(engine, writer)
  const about = { index: "addressindex", follower } as const
  const hashOf = (script: Uint8Array): Uint8Array => engine.crypto.sha256(script)
  const movementsOf = (unconfirmed: UnconfirmedLookups | undefined, script: Uint8Array) =>
    unconfirmed?.ofScript(hashOf(script)) ?? NO_MOVEMENTS
  return {
    scriptSummary: ({ script }) =>
      ask({
        ...about,
        take: (unconfirmed) => ({
          history: index.history(hashOf(script), false),
          unspent: index.unspent(hashOf(script)),
          movements: movementsOf(unconfirmed, script)
        }),
        answer: summaryOf
      }),
    scriptTransactions: ({ part, script }) =>
      ask({
        ...about,
        take: (unconfirmed) => ({
          history: index.history(hashOf(script), true),
          movements: movementsOf(unconfirmed, script)
        }),
        answer: (moment) => transactionsOf(moment, part)
      }),
    scriptOutputs: ({ part, script, withMempool }) =>
      ask({
        ...about,
        take: (unconfirmed) => ({
          range: index.unspent(hashOf(script)),
          movements: withMempool ? movementsOf(unconfirmed, script) : NO_MOVEMENTS
        }),
        answer: (moment) => unspentOf(moment, part, decodeUnspent)
      })
  }
}

/** Handlers of queries by value index. */
export const valueHandlers = (
  engine: ChainEngine,
  writer: Writer,
  index: ValueIndex,
  follower: Follower
): Handlers<"outputsOfValue"> => {
  const ask = asker(engine, writer)
  return {
    outputsOfValue: ({ least, most, part, withMempool }) =>
      ask({
        index: "valueindex",
        follower,
        take: (unconfirmed) => ({
          range: index.unspent(least, most),
          movements: withMempool ? unconfirmed?.ofValues(least, most) ?? NO_MOVEMENTS : NO_MOVEMENTS
        }),
        answer: (moment) => unspentOf(moment, part, decodeValue)
      })
  }
}
