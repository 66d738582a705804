import { createHash } from "node:crypto"
import * as blockRules from "@lockstep/kernel/internal/connect/block-rules.ts"
import { collectBlock, type Collected, type ScriptJob } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import { checkInputs } from "@lockstep/kernel/internal/tx/check-inputs.ts"
import * as inputs from "@lockstep/kernel/internal/tx/spending.ts"
import { isFinal } from "@lockstep/kernel/internal/tx/lock-time.ts"
import { sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/internal/tx/sequence-locks.ts"
import type { PlacedCoin } from "@lockstep/kernel/internal/utxo/coin.ts"
import { coinBytes } from "@lockstep/kernel/internal/utxo-hash/coin-serialization.ts"
import {
  EMPTY_MUHASH,
  type MuHash,
  muHashDigest,
  muHashElement,
  muHashInsert,
  muHashRemove
} from "@lockstep/kernel/internal/utxo-hash/muhash.ts"
import {
  compareForHash,
  serializedSetHash,
  type Sha256Stream
} from "@lockstep/kernel/internal/utxo-hash/serialized-hash.ts"
import { setStatistics } from "@lockstep/kernel/internal/utxo-hash/statistics.ts"
import { applyTransaction, type Overlay, overlayOn } from "@lockstep/kernel/internal/utxo/overlay.ts"
import { isUnspendable } from "@lockstep/kernel/internal/utxo/spendable.ts"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import * as Result from "effect/Result"
import type { Field } from "../../formats/field.ts"
import { flagNames } from "../../formats/flag-names.ts"
import type { Bench } from "../../judge/bench.ts"
import { type RuleAnswer, valueAnswer, violationAnswer } from "./answer.ts"
import { type Call, reader, value, verdict } from "./call.ts"
import * as c from "./chain-parameter.ts"
import { plainChanges, plainPlacedCoin } from "./forms/coins.ts"
import { idOf, transactionIn } from "./forms/transactions.ts"
import { type Parameter, bigint, block, boolean, bytes, crypto, number, transaction } from "./parameter.ts"

/** A fresh overlay on the argument `view`. */
const overlay: Parameter<Overlay> = {
  name: "overlay",
  read: (args, bench) => overlayOn(c.view("view").read(args, bench), 1, 0)
}

/** The id of the argument `tx`. */
const txid: Parameter<Uint8Array> = { name: "txid", read: (args) => idOf(transactionIn(args.get("tx"))) }

const machine: Parameter<Machine> = { name: "m", read: (_, bench) => bench.machine }

/** `{insert?: [bytes…], remove?: [bytes…]}` */
const muHash: Parameter<MuHash> = {
  name: "hash",
  read: (args, bench) => {
    const elements = (name: string) =>
      (args.get("hash").find(name)?.items ?? []).map((item) => muHashElement(item.bytes, bench.crypto))
    return elements("remove").reduce(muHashRemove, elements("insert").reduce(muHashInsert, EMPTY_MUHASH))
  }
}

const stream: Parameter<Sha256Stream> = {
  name: "stream",
  read: () => {
    const hash = createHash("sha256")
    return { update: (part) => hash.update(part), digest: () => new Uint8Array(hash.digest()) }
  }
}

/** The argument `coins` in the order in which the hash takes them. */
const sortedCoins: Parameter<ReadonlyArray<PlacedCoin>> = {
  name: "coins",
  read: (args, bench) =>
    c.placedCoins("coins").read(args, bench).toSorted((a, b) => compareForHash(a.outpoint, b.outpoint))
}

const plainUndo = ({ replaced, spent }: BlockUndo): unknown => ({ spent, replaced: replaced.map(plainPlacedCoin) })

const plainConnected = ({ delta, fees, sigOpCost, undo }: Collected): object => ({
  fees,
  sigOpCost,
  undo: plainUndo(undo),
  changes: plainChanges(delta)
})

const plainJob = ({ coins: spent, flags, tx }: ScriptJob): object => ({
  txid: idOf(tx),
  coins: spent,
  flags: flagNames(flags)
})

const shownCollected = (result: Collected): RuleAnswer =>
  result.failure === undefined
    ? valueAnswer({ ...plainConnected(result), jobs: result.jobs.map(plainJob) })
    : violationAnswer(result.failure)

const shownConnected = (result: Verdict<Collected>): RuleAnswer =>
  Result.isFailure(result) ? violationAnswer(result.failure) : valueAnswer(plainConnected(result.success))

const shownOverlay = (result: Verdict<Overlay>): RuleAnswer =>
  Result.isFailure(result) ? violationAnswer(result.failure) : valueAnswer(plainChanges(result.success))

const shownApplied = (
  replaced: ReturnType<typeof applyTransaction>,
  [changed]: readonly [Overlay, ...ReadonlyArray<unknown>]
): RuleAnswer => valueAnswer({ replaced: replaced.map(plainPlacedCoin), changes: plainChanges(changed) })

const { coin, coins, identity, ids, node, parameters, placedCoins, seed, view } = c

const collectParameters = [block("block"), node("node"), identity, parameters("parameters"), view("view")] as const

/** The argument `block` collected from the other arguments. */
const collected: Parameter<Collected> = {
  name: "collected",
  read: (args: Field, bench: Bench) => {
    const [b, n, i, p, v] = collectParameters
    return collectBlock(
      b.read(args, bench),
      n.read(args, bench),
      i.read(args, bench),
      p.read(args, bench),
      v.read(args, bench)
    )
  }
}

/** Kernel functions about coins: what a transaction spends, what a block does to the set, and hashes of the set. */
export const COIN_CALLS: Readonly<Record<string, Call>> = {
  isFinal: value(isFinal, transaction("tx"), number("height"), number("cutoff")),
  inputsAreAvailable: verdict(inputs.inputsAreAvailable, transaction("tx"), view("view")),
  coinbaseIsMature: verdict(inputs.coinbaseIsMature, coin("coin"), c.outpoint("prevout"), number("spendHeight")),
  inputValueIsInRange: verdict(inputs.inputValueIsInRange, bigint("value"), bigint("total")),
  inputsCoverOutputs: verdict(inputs.inputsCoverOutputs, bigint("valueIn"), bigint("valueOut")),
  feeIsInRange: verdict(inputs.feeIsInRange, bigint("fee")),
  checkInputs: verdict(checkInputs, transaction("tx"), coins("coins"), number("spendHeight")),
  sequenceLocks: value(sequenceLocks, transaction("tx"), coins("coins"), node("parent")),
  sequenceLocksArePassed: verdict(sequenceLocksArePassed, c.sequenceLocks("locks"), node("parent")),

  isUnspendable: value(isUnspendable, bytes("script")),
  applyTransaction: reader<Parameters<typeof applyTransaction>, ReturnType<typeof applyTransaction>>(shownApplied)(
    applyTransaction,
    overlay,
    transaction("tx"),
    txid,
    number("height"),
    boolean("isCoinbase")
  ),
  disconnectBlock: reader<Parameters<typeof disconnectBlock>, Verdict<Overlay>>(shownOverlay)(
    disconnectBlock,
    block("block"),
    ids,
    number("height"),
    c.undo("undo"),
    view("view"),
    seed
  ),
  blockSubsidy: value(blockSubsidy, number("height"), number("halvingInterval")),
  overwritesNoCoin: verdict(blockRules.overwritesNoCoin, block("block"), ids, view("view")),
  feesAreInRange: verdict(blockRules.feesAreInRange, bigint("fees")),
  sigOpCostFitsBlock: verdict(blockRules.sigOpCostFitsBlock, number("cost")),
  coinbasePaysAtMost: verdict(blockRules.coinbasePaysAtMost, bigint("paid"), bigint("limit")),
  collectBlock: reader<Parameters<typeof collectBlock>, Collected>(shownCollected)(collectBlock, ...collectParameters),
  judgeScripts: verdict(judgeScripts, machine, c.job("job")),
  concludeBlock: reader<Parameters<typeof concludeBlock<Collected>>, Verdict<Collected>>(shownConnected)(
    concludeBlock<Collected>,
    collected,
    c.scriptFailure("scriptFailure")
  ),
  coinBytes: value(coinBytes, c.outpoint("outpoint"), coin("coin")),
  muHashDigest: value<[MuHash, Crypto]>(muHashDigest, muHash, crypto),
  serializedSetHash: value(serializedSetHash, sortedCoins, stream, crypto),
  setStatistics: value(setStatistics, placedCoins("coins"))
}
