import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AcceptanceCalls, TransactionOutcome } from "../api/mempool-calls.ts"
import type { EngineFault, QueryError } from "../api/engine-error.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { keepExtra } from "../compact-blocks/keep-extra.ts"
import { callerErrorOf } from "../chainstate/faults.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { TurnTakingAcceptance } from "./acceptance/acceptance.ts"

const UNDECODABLE: QueryError<"Undecodable"> = { _tag: "Undecodable", what: "transaction" }

const decoded = (bytes: Uint8Array): Effect.Effect<Transaction, QueryError<"Undecodable">> =>
  Effect.suspend(() => {
    const tx = decodeTransaction(bytes)
    return Result.isFailure(tx) ? Effect.fail(UNDECODABLE) : Effect.succeed(tx.success)
  })

const decodedAll = (
  all: ReadonlyArray<Uint8Array>
): Effect.Effect<ReadonlyArray<Transaction>, QueryError<"Undecodable">> => Effect.forEach(all, decoded)

/** Accepts a transaction in turns of the writer; scripts are verified between the turns. */
const inTurns = (
  { engine, tx, writer }: { readonly engine: ChainEngine; readonly writer: Writer; readonly tx: Transaction },
  acceptance: TurnTakingAcceptance,
  isTest: boolean
): Effect.Effect<TransactionOutcome, EngineFault> =>
  Effect.catchCause(
    acceptance.acceptInTurns<EngineFault>(writer.alone, tx, { isTest }),
    (cause) => Effect.fail(callerErrorOf(engine, cause))
  )

/** Submits transactions to the mempool, in the writer's turn if needed. `count` gets the outcome of each that was no test. */
export const acceptanceHandlers = (
  engine: ChainEngine,
  writer: Writer,
  acceptance: TurnTakingAcceptance,
  count: (outcome: TransactionOutcome) => void
): Handlers<keyof AcceptanceCalls> => ({
  acceptTransaction: ({ bytes, origin }) =>
    Effect.flatMap(
      decoded(bytes),
      (tx) =>
        Effect.tap(inTurns({ engine, writer, tx }, acceptance, false), (outcome) =>
          Effect.sync(() => {
            count(outcome)
            keepExtra(engine, tx, outcome, origin)
          }))
    ),
  testTransaction: ({ bytes }) =>
    Effect.flatMap(decoded(bytes), (tx) => inTurns({ engine, writer, tx }, acceptance, true)),
  acceptPackage: ({ maxFeerate, shape, transactions }) =>
    Effect.flatMap(
      decodedAll(transactions),
      (all) => {
        const accept = shape === "ancestor package" ? acceptance.acceptAncestorPackage : acceptance.acceptPackage
        return Effect.tap(writer.alone(accept(all, maxFeerate)), ({ outcomes }) =>
          Effect.sync(() => {
            for (const outcome of outcomes) if (outcome !== undefined) count(outcome)
          }))
      }
    ),
  testPackage: ({ transactions }) =>
    Effect.flatMap(decodedAll(transactions), (all) => writer.alone(acceptance.testPackage(all)))
})
