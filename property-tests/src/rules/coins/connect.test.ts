import { type Collected, collectBlock, type ScriptJob, tableSeed } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine, type Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { ScriptFailure } from "@lockstep/kernel/internal/script/fault.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anySpend } from "../../arbitraries/doubtful-spend.ts"
import { consensusFlagSet } from "../../arbitraries/flags.ts"
import { anyScenario, lockedScenario, type Scenario, validScenario } from "../../arbitraries/world.ts"
import { check } from "../../check.ts"
import { blockHash } from "../../oracles/block.ts"
import { firstIsCoinbase, onlyFirstIsCoinbase } from "../../oracles/check-block.ts"
import {
  isUnspendable,
  type NaiveCoin,
  type NaiveCoins,
  outPointKey,
  prevoutKey,
  valueOut
} from "../../oracles/coins.ts"
import * as oracle from "../../oracles/connect.ts"
import { readHeader } from "../../oracles/header.ts"
import { transactionId } from "../../oracles/transaction.ts"
import {
  changesOf,
  inOrder,
  kernelBlock,
  kernelChain,
  kernelChild,
  kernelIdentity,
  kernelIds,
  kernelParameters,
  kernelView,
  naiveUndo,
  withChanges
} from "../../subject/chain.ts"
import { flagBits, kernelTransaction, verdictName } from "../../subject/kernel.ts"

const collect = ({ block, place, coins }: Scenario, asked?: (key: string) => void): Collected => {
  const node = kernelChild(kernelChain(place.chain), readHeader(block.header))
  return collectBlock(
    kernelBlock(block),
    node,
    kernelIdentity(block),
    kernelParameters(place.parameters),
    kernelView(coins, asked)
  )
}

/**
 * What the rules of a block's coins are asked about: a coinbase, and transactions each of which spends different coins.
 */
const isAsked = ({ block }: Scenario): boolean =>
  firstIsCoinbase(block) === "OK" &&
  onlyFirstIsCoinbase(block) === "OK" &&
  block.transactions.every(({ inputs }) => inputs.length > 0 && new Set(inputs.map(prevoutKey)).size === inputs.length)

const created = ({ block }: Scenario): ReadonlyArray<string> =>
  block.transactions.flatMap((tx) => tx.outputs.map((_, vout) => outPointKey(transactionId(tx), vout)))

/** The coins changed behind the block's back: one there already that it makes, one worth anything that it spends. */
const disturbed = (made: Scenario, kind: number, at: number, value: bigint): Scenario => {
  const coin: NaiveCoin = { value: 1n, script: Uint8Array.of(0x51), height: 1, isCoinbase: false }
  const keys = created(made)
  const spent = made.block.transactions.flatMap(({ inputs }) => inputs.map(prevoutKey)).filter((key) =>
    made.coins.has(key)
  )
  if ((kind === 0 || kind === 4) && keys.length > 0) {
    const { parameters, chain } = made.place
    const repeatedCoinbases = kind === 0
      ? parameters.repeatedCoinbases
      : [{ height: chain.length, hash: blockHash(made.block) }]
    const coins = new Map([...made.coins, [keys[at % keys.length]!, coin]])
    return { ...made, coins, place: { ...made.place, parameters: { ...parameters, repeatedCoinbases } } }
  }
  if (kind > 2 || spent.length === 0) return made
  const rich = spent[at % spent.length]!
  return {
    ...made,
    coins: new Map([...made.coins].map(([key, each]) => [key, key === rich || kind === 2 ? { ...each, value } : each]))
  }
}

const asked: Arbitrary<Scenario> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: anyScenario }, { weight: 1, arbitrary: lockedScenario }),
    fc.nat(9),
    fc.nat(),
    fc.constantFrom(2_100_000_000_000_000n, 2_100_000_000_000_001n, 2_099_999_999_999_000n, -1n, 1_400_000_000_000_000n)
  )
  .map(([made, kind, at, value]) => disturbed(made, kind, at, value))
  .filter(isAsked)

const spentKeys = ({ block }: Scenario): ReadonlyArray<string> =>
  block.transactions.slice(1).flatMap(({ inputs }) => inputs.map(prevoutKey))

const total = (coins: NaiveCoins): bigint => [...coins.values()].reduce((sum, { value }) => sum + value, 0n)

const naiveJobs = (jobs: ReadonlyArray<oracle.NaiveJob>): ReadonlyArray<ScriptJob> =>
  jobs.map(({ tx, coins, flags }) => ({ tx: kernelTransaction(tx), coins, flags: flagBits(flags) }))

const failureOf = (machine: Machine, job: ScriptJob): ScriptFailure | undefined => {
  const verdict = judgeScripts(machine, job)
  return verdict._tag === "Failure" ? verdict.failure : undefined
}

/** All jobs judged in block order on one machine. */
const firstFailure = ({ jobs }: Collected): ScriptFailure | undefined => {
  const machine = createMachine(nobleCrypto)
  for (const job of jobs) {
    const failure = failureOf(machine, job)
    if (failure !== undefined) return failure
  }
  return undefined
}

const anyJob: Arbitrary<oracle.NaiveJob> = fc.tuple(anySpend, consensusFlagSet).map(([{ tx, spent }, flags]) => ({
  tx,
  coins: spent.map((output) => ({ ...output, height: 0, isCoinbase: false })),
  flags
}))

describe("UTX connecting a block", () => {
  it("UTX-009/P1 breach, jobs, coins, undo data, fees and cost equal the statement", () => {
    check(
      fc.property(asked, (made) => {
        const { failure, jobs, delta, undo, fees, sigOpCost } = collect(made)
        const expected = oracle.collectBlock(made.block, made.place, made.coins)
        agree(failure?.rule ?? "OK", expected.rule)
        agree(jobs, naiveJobs(expected.jobs))
        if (failure !== undefined) return
        agree(inOrder(withChanges(made.coins, delta)), inOrder(expected.coins))
        for (const [key, before] of changesOf(delta)) agree(before, made.coins.get(key))
        agree(naiveUndo(undo), expected.undo)
        agree([fees, sigOpCost], [expected.fees, expected.sigOpCost])
      }),
      350
    )
  })

  it("UTX-009/P2 coins that the block neither spends nor creates have no influence, and the view is never written to", () => {
    check(
      fc.property(asked, (made) => {
        const before = inOrder(made.coins)
        const touched = new Set([...spentKeys(made), ...created(made)])
        const all = collect(made, (key) => assert(touched.has(key), `looks at ${key}`))
        const others = collect({ ...made, coins: new Map([...made.coins].filter(([key]) => touched.has(key))) })
        agree(others.failure, all.failure)
        agree(changesOf(others.delta), changesOf(all.delta))
        agree([others.jobs, others.undo, others.fees, others.sigOpCost], [all.jobs, all.undo, all.fees, all.sigOpCost])
        agree(inOrder(made.coins), before)
      }),
      200
    )
  })

  it("UTX-009/P3 no value appears but what the coinbase pays above the fees", () => {
    check(
      fc.property(asked, (made) => {
        const { failure, delta, fees, undo } = collect(made)
        if (failure !== undefined || undo.replaced.length > 0) return
        const lost = made.block.transactions
          .flatMap(({ outputs }) => outputs)
          .filter(({ script }) => isUnspendable(script))
          .reduce((sum, { value }) => sum + value, 0n)
        agree(
          total(withChanges(made.coins, delta)) - total(made.coins),
          valueOut(made.block.transactions[0]!) - fees - lost
        )
      }),
      300
    )
  })

  it("UTX-009/P4 of two transactions that spend the same coin, the second is the breach", () => {
    check(
      fc.property(
        validScenario.filter(({ block }) => block.transactions.length > 1),
        fc.nat(),
        (made, at) => {
          const { transactions } = made.block
          const tx = transactions[1 + (at % (transactions.length - 1))]!
          const again = { ...tx, outputs: [{ value: 0n, script: Uint8Array.of(0x51) }] }
          const { failure, jobs } = collect({
            ...made,
            block: { ...made.block, transactions: [...transactions, again] }
          })
          agree(failure?.rule, "TXI-001")
          agree(jobs.length, transactions.length - 1)
        }
      ),
      150
    )
  })

  it("UTX-003/P2 disconnecting a connected block gives back every coin there was", () => {
    check(
      fc.property(fc.oneof(validScenario, asked), (made) => {
        const { failure, delta, undo } = collect(made)
        if (failure !== undefined) return
        const { block, place, coins } = made
        const after = withChanges(coins, delta)
        const seed = tableSeed(blockHash(block))
        const undone = disconnectBlock(
          kernelBlock(block),
          kernelIds(block),
          place.chain.length,
          undo,
          kernelView(after),
          seed
        )
        assert(undone._tag === "Success")
        agree(inOrder(withChanges(after, undone.success)), inOrder(coins))
        // Straight on the overlay, without writing it to the view in between.
        const stacked = disconnectBlock(kernelBlock(block), kernelIds(block), place.chain.length, undo, delta, seed)
        assert(stacked._tag === "Success")
        for (const [key, , now] of changesOf(stacked.success)) agree(now, coins.get(key))
      }),
      250
    )
  })

  it("UTX-010/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(anyJob, (job) => {
        const [judged] = naiveJobs([job])
        agree(verdictName(judgeScripts(createMachine(nobleCrypto), judged!)), oracle.judgeScripts(job))
      }),
      250
    )
    check(
      fc.property(validScenario, (made) => agree(firstFailure(collect(made)), undefined)),
      60
    )
  })

  it("UTX-010/P2 the machine's past has no influence", () => {
    const used = createMachine(nobleCrypto)
    check(
      fc.property(anyJob, (job) => {
        const [judged] = naiveJobs([job])
        agree(judgeScripts(used, judged!), judgeScripts(createMachine(nobleCrypto), judged!))
      }),
      100
    )
  })

  it("UTX-011/P1 the verdict equals the statement", () => {
    const failures = fc.constantFrom<string | undefined>(undefined, "SCR-011", "OPC-106")
    check(
      fc.property(asked, failures, (made, rule) => {
        const collected = collect(made)
        const failure = rule === undefined
          ? undefined
          : ({ _tag: "Violation", rule, detail: {} } as unknown as ScriptFailure)
        const verdict = concludeBlock(collected, failure)
        agree(verdictName(verdict), rule ?? collected.failure?.rule ?? "OK")
        if (verdict._tag === "Failure") return
        const { delta, undo, fees, sigOpCost } = verdict.success
        assert(
          delta === collected.delta && undo === collected.undo && fees === collected.fees &&
            sigOpCost === collected.sigOpCost
        )
      }),
      100
    )
    check(
      fc.property(asked, (made) => {
        const collected = collect(made)
        const expected = oracle.concluded(oracle.collectBlock(made.block, made.place, made.coins))
        agree(verdictName(concludeBlock(collected, firstFailure(collected))), expected)
      }),
      250
    )
  })

  it("UTX-011/P2 judging the jobs in any order, and in any parts, gives the same verdict", () => {
    const scheduled = asked.chain((made) => {
      const jobs = [...collect(made).jobs.keys()]
      return fc.tuple(
        fc.constant(made),
        fc.shuffledSubarray(jobs, { minLength: jobs.length }),
        fc.integer({ min: 1, max: 3 })
      )
    })
    check(
      fc.property(scheduled, ([made, order, workers]) => {
        const collected = collect(made)
        const machines = Array.from({ length: workers }, () => createMachine(nobleCrypto))
        const found = new Map<number, ScriptFailure>()
        for (const [turn, index] of order.entries()) {
          const failure = failureOf(machines[turn % workers]!, collected.jobs[index]!)
          if (failure !== undefined) found.set(index, failure)
        }
        const earliest = found.get(Math.min(...found.keys()))
        agree(
          verdictName(concludeBlock(collected, earliest)),
          verdictName(concludeBlock(collected, firstFailure(collected)))
        )
      }),
      100
    )
  })
})
