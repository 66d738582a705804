import type {
  ChildDoesNotPay,
  DustPaysFee,
  FeeRate,
  FeeShortfall,
  PackagePaysTooLittle,
  ScriptSigFails,
  SigOpCostTooHigh,
  SpendsWhatItReplaces,
  TooManyClusters,
  TooManyRedeemSigOps,
  TrucChildTooBig,
  TrucTooBig,
  TrucTooManyAncestors,
  TrucTooManyDescendants,
  TrucTransaction,
  TrucVersionsDiffer
} from "@lockstep/kernel/relay"
import {
  feePerKilobyte,
  MAX_P2SH_SIGOPS,
  MAX_REPLACEMENT_CANDIDATES,
  TRUC_CHILD_MAX_VSIZE,
  TRUC_MAX_VSIZE,
  TRUC_VERSION
} from "@lockstep/kernel/relay"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { PrematureCoinbaseSpend, SpendsMoreThanItHas } from "@lockstep/kernel/tx"
import type { Violation } from "@lockstep/kernel/verdict"
import type { Offender } from "./debug-message.ts"
import { debugMessage } from "./debug-message.ts"
import { moneyText } from "./money-text.ts"
import { SCRIPT_ERROR_TEXTS } from "./script-error-text.ts"

type Writer = (detail: never, offender: Offender) => string

const shown = (id: Uint8Array): string => {
  let text = ""
  for (let i = id.length - 1; i >= 0; i--) text += id[i]!.toString(16).padStart(2, "0")
  return text
}

const named = ({ txid, wtxid }: TrucTransaction): string => `tx ${shown(txid)} (wtxid=${shown(wtxid)})`

const version = (tx: TrucTransaction): string => tx.version === TRUC_VERSION ? "version=3" : "non-version=3"

const rateText = (rate: FeeRate): string => {
  const rest = feePerKilobyte(rate)
  const amount = rest < 0n ? -rest : rest
  return `${rest < 0n ? "-" : ""}${amount / 100_000_000n}.${String(amount % 100_000_000n).padStart(8, "0")} BTC/kvB`
}

const ofInput = (text: (input: number) => string): Writer => ({ input }: { readonly input: number }) => text(input)

const shortfall: Writer = ({ fee, minimum }: FeeShortfall) => `${fee} < ${minimum}`

const tooManyClusters: Writer = ({ clusters }: TooManyClusters["detail"], { txid }) =>
  `rejecting replacement ${txid}; too many conflicting clusters (${clusters} > ${MAX_REPLACEMENT_CANDIDATES})`

/** Message for either way of paying too little for a replacement. */
const unpaid: Writer = (detail: PackagePaysTooLittle["detail"], { txid }) =>
  "fee" in detail
    ? `rejecting replacement ${txid}, less fees than conflicting txs; ${moneyText(detail.fee)} < ${
      moneyText(detail.removedFees)
    }`
    : `rejecting replacement ${txid}, not enough additional fees to relay; ${moneyText(detail.added)} < ${
      moneyText(detail.needed)
    }`

const DIAGRAM: Writer = () => "insufficient feerate: does not improve feerate diagram"

/** Bitcoin Core's addition to the reason for which the mempool refuses a transaction, by the rule that is broken. */
const MESSAGES: Partial<Record<RuleId, Writer>> = {
  "TXI-001": () => "",
  "TXI-002": ({ coinHeight, spendHeight }: PrematureCoinbaseSpend["detail"]) =>
    `tried to spend coinbase at depth ${spendHeight - coinHeight}`,
  "TXI-004": ({ valueIn, valueOut }: SpendsMoreThanItHas["detail"]) =>
    `value in (${moneyText(valueIn)}) < value out (${moneyText(valueOut)})`,
  "POL-026": shortfall,
  "POL-027": shortfall,
  "POL-051": () => "non-witness sigops exceed bip54 limit",
  "POL-052": ofInput((input) => `input ${input} script unknown`),
  "POL-053": ofInput((input) => `input ${input} witness program is undefined`),
  "POL-054": ({ input, scriptError }: ScriptSigFails["detail"]) =>
    `p2sh scriptsig malformed (input ${input}: ${SCRIPT_ERROR_TEXTS[scriptError]})`,
  "POL-055": ofInput((input) => `input ${input} P2SH redeemscript missing`),
  "POL-056": ({ count, input }: TooManyRedeemSigOps["detail"]) =>
    `p2sh redeemscript sigops exceed limit (input ${input}: ${count} > ${MAX_P2SH_SIGOPS})`,
  "POL-070": ({ cost }: SigOpCostTooHigh["detail"]) => String(cost),
  "POL-080": (_detail: DustPaysFee["detail"]) => "tx with dust output must be 0-fee",
  "POL-081": (_detail, { txid, wtxid }) => `tx ${txid} (wtxid=${wtxid}) did not spend parent's ephemeral dust`,
  "POL-089": ({ conflict }: SpendsWhatItReplaces["detail"], { txid }) =>
    `${txid} spends conflicting transaction ${shown(conflict)}`,
  "POL-090": ({ parent, tx }: TrucVersionsDiffer["detail"]) =>
    `${version(tx)} ${named(tx)} cannot spend from ${version(parent)} ${named(parent)}`,
  "POL-091": ({ size, tx }: TrucTooBig["detail"]) =>
    `version=3 ${named(tx)} is too big: ${size} > ${TRUC_MAX_VSIZE} virtual bytes`,
  "POL-092": ({ tx }: TrucTooManyAncestors["detail"]) => `${named(tx)} would have too many ancestors`,
  "POL-093": ({ size, tx }: TrucChildTooBig["detail"]) =>
    `version=3 child ${named(tx)} is too big: ${size} > ${TRUC_CHILD_MAX_VSIZE} virtual bytes`,
  "POL-094": ({ parent }: TrucTooManyDescendants["detail"]) => `${named(parent)} would exceed descendant count limit`,
  "POL-110": tooManyClusters,
  "POL-111": unpaid,
  "POL-112": unpaid,
  "POL-113": DIAGRAM,
  "POL-117": tooManyClusters,
  "POL-118": unpaid,
  "POL-120": ({ all, parent }: ChildDoesNotPay["detail"]) =>
    `package feerate ${rateText(all)} <= parent feerate is ${rateText(parent)}`
}

/** Returns Bitcoin Core's message beside the reject reason of its mempool, or `undefined` if it has no message. */
export const relayDebugMessage = (violation: Violation, offender: Offender): string | undefined => {
  const { detail, rule } = violation
  const write = MESSAGES[rule]
  if (write !== undefined) return write(detail as never, offender) || undefined
  // Rules about a single transaction have no message outside of a block.
  return rule.startsWith("TX") ? undefined : debugMessage(violation, offender)
}
