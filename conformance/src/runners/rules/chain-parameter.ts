import {
  blockIdentity,
  type BlockIdentity,
  type MerkleRoot,
  witnessTransactionIds
} from "@lockstep/kernel/internal/model/block-identity.ts"
import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import type { AssumedBlock } from "@lockstep/kernel/internal/chain/assumed-valid.ts"
import type { Candidate } from "@lockstep/kernel/internal/chain/selection.ts"
import type { ScriptJob } from "@lockstep/kernel/internal/connect/collect.ts"
import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { ScriptFailure } from "@lockstep/kernel/internal/script/fault.ts"
import type { ScriptErrorName } from "@lockstep/kernel/internal/script/script-error.ts"
import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import type { SequenceLocks } from "@lockstep/kernel/internal/tx/sequence-locks.ts"
import { violation } from "@lockstep/kernel/internal/verdict.ts"
import type { Field } from "../../formats/field.ts"
import { nodeIn } from "./forms/chains.ts"
import { coinIn, coinsIn, outPointIn, placedCoinsIn, undoIn, viewIn } from "./forms/coins.ts"
import { hashOf } from "./forms/hash.ts"
import { heightsIn, parametersIn, versionBitsIn, workIn } from "./forms/networks.ts"
import { bitsOf, numberOf } from "./forms/numbers.ts"
import { blockIn, idOf, transactionIn } from "./forms/transactions.ts"
import { flagsIn, from, type Parameter } from "./parameter.ts"

export const hash = from(hashOf)
export const bits = from(bitsOf)
export const wide = from(numberOf)
export const heights = from(heightsIn)
export const work = from(workIn)
export const parameters = from(parametersIn)
export const versionBits = from(versionBitsIn)
export const coin = from(coinIn)
export const coins = from(coinsIn)
export const placedCoins = from(placedCoinsIn)
export const outpoint = from(outPointIn)
export const view = from(viewIn)
export const undo = from(undoIn)

export const node = (name: string): Parameter<HeaderNode> => ({ name, read: (args) => nodeIn(args.get(name), args) })

/** A node, or none where the argument is left out or null. */
export const nodeOrNone = (name: string): Parameter<HeaderNode | undefined> => ({
  name,
  read: (args) => args.find(name) === undefined ? undefined : nodeIn(args.get(name), args)
})

/** `{header: node}`, `{}` where no header is known, or none where the argument is left out. */
export const assumedBlock = (name: string): Parameter<AssumedBlock | undefined> => ({
  name,
  read: (args) => {
    const given = args.find(name)
    if (given === undefined) return undefined
    const header = given.find("header")
    return { header: header === undefined ? undefined : nodeIn(header, args) }
  }
})

/** `{chainWork, sequence}` */
export const candidate = from((field): Candidate => ({
  node: { chainWork: numberOf(field.get("chainWork")) } as HeaderNode,
  sequence: field.get("sequence").integer
}))

/** `{height, time}` */
export const sequenceLocks = from((field): SequenceLocks => ({
  height: field.get("height").integer,
  time: field.get("time").integer
}))

const idsIn = (args: Field): Uint8Array =>
  new Uint8Array(Buffer.concat(blockIn(args.get("block")).transactions.map(idOf)))

/** The ids of the transactions of the argument `block`. */
export const ids: Parameter<Uint8Array> = { name: "ids", read: idsIn }

/** What the kernel says is the identity of the argument `block`. */
export const identity: Parameter<BlockIdentity> = {
  name: "identity",
  read: (args, { crypto }) => blockIdentity(blockIn(args.get("block")), crypto)
}

/** What the kernel says is the merkle root of the argument `block`. */
export const computed: Parameter<MerkleRoot> = {
  name: "computed",
  read: (args, { crypto }) => merkleRoot(idsIn(args), crypto)
}

/** What it says is the merkle root of its witness ids. */
export const computedOfWitnesses: Parameter<MerkleRoot> = {
  name: "computed",
  read: (args, { crypto }) => merkleRoot(witnessTransactionIds(blockIn(args.get("block")), crypto), crypto)
}

/** Where a table of outpoints starts to look; no answer depends on it. */
export const seed: Parameter<number> = { name: "seed", read: () => 0 }

/** `{tx, coins, flags?}` */
export const job = from((field): ScriptJob => ({
  tx: transactionIn(field.get("tx")),
  coins: coinsIn(field.get("coins")),
  flags: flagsIn(field)
}))

const isRuleId = (text: string): text is RuleId => Object.hasOwn(RULES, text)

/** `{rule, error}`, or none where the argument is left out. */
export const scriptFailure = (name: string): Parameter<ScriptFailure | undefined> => ({
  name,
  read: (args) => {
    const given = args.find(name)
    if (given === undefined) return undefined
    const rule = given.get("rule")
    if (!isRuleId(rule.text)) return rule.fail(`there is no rule "${rule.text}"`)
    return violation(rule.text, { error: given.get("error").text as ScriptErrorName })
  }
})
