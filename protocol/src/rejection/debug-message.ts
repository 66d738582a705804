import type { CoinbasePaysTooMuch } from "@lockstep/kernel/connect"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { OldVersion } from "@lockstep/kernel/header"
import type { PrematureCoinbaseSpend, SpendsMoreThanItHas } from "@lockstep/kernel/tx"
import type { Violation } from "@lockstep/kernel/verdict"
import { moneyText } from "./money-text.ts"

/** The transaction that breaks a rule. Ids are in display order. */
export interface Offender {
  readonly txid: string
  readonly wtxid: string
  /** Outpoints that its inputs spend, in order. */
  readonly spends: ReadonlyArray<{ readonly txid: string; readonly vout: number }>
}

/**
 * Formats the debug message of a violation from its detail. Without an offender, the transaction is judged outside of
 * any block.
 */
type Writer = (detail: never, offender: Offender | undefined) => string

const fixed = (text: string): Writer => () => text

/**
 * Message for a transaction of a block, which it names. Bitcoin Core has no message for a transaction outside of a
 * block.
 */
const checked: Writer = (_detail, offender) =>
  offender === undefined ? "" : `Transaction check failed (tx hash ${offender.txid}) `

const inTransaction = <D>(text: (detail: D) => string) => (detail: D, offender: Offender | undefined): string =>
  offender === undefined ? text(detail) : `${text(detail)} in transaction ${offender.txid}`

/** Bitcoin Core's addition to the reject reason, by the rule that is broken. */
const MESSAGES: Partial<Record<RuleId, Writer>> = {
  "WRK-004": fixed("proof of work failed"),
  "HDR-001": fixed("incorrect proof of work"),
  "HDR-002": fixed("block's timestamp is too early"),
  "HDR-003": fixed("block's timestamp is too early on diff adjustment block"),
  "HDR-004": fixed("block timestamp too far in the future"),
  "HDR-005": ({ version }: OldVersion["detail"]) =>
    `rejected nVersion=0x${(version >>> 0).toString(16).padStart(8, "0")} block`,
  "BLK-002": fixed("hashMerkleRoot mismatch"),
  "BLK-003": fixed("duplicate transaction"),
  "BLK-004": fixed("size limits failed"),
  "BLK-005": fixed("first tx is not coinbase"),
  "BLK-006": fixed("more than one coinbase"),
  "BLK-008": fixed("out-of-bounds SigOpCount"),
  "BLK-009": fixed("non-final transaction"),
  "BLK-010": fixed("block height mismatch in coinbase"),
  "BLK-011": fixed("CheckWitnessMalleation : invalid witness reserved value size"),
  "BLK-012": fixed("CheckWitnessMalleation : witness merkle commitment mismatch"),
  "BLK-013": fixed("CheckWitnessMalleation : unexpected witness data found"),
  "BLK-014": fixed("ContextualCheckBlock : weight limit failed"),
  "BLK-017": fixed("signet block signature validation failure"),
  "TXN-001": checked,
  "TXN-002": checked,
  "TXN-003": checked,
  "TXN-004": checked,
  "TXN-005": checked,
  "TXN-006": checked,
  "TXN-007": checked,
  "TXN-008": checked,
  "TXN-009": checked,
  "TXI-001": inTransaction(() => "CheckTxInputs: inputs missing/spent"),
  "TXI-002": inTransaction(({ coinHeight, spendHeight }: PrematureCoinbaseSpend["detail"]) =>
    `tried to spend coinbase at depth ${spendHeight - coinHeight}`
  ),
  "TXI-003": inTransaction(() => ""),
  "TXI-004": inTransaction(({ valueIn, valueOut }: SpendsMoreThanItHas["detail"]) =>
    `value in (${moneyText(valueIn)}) < value out (${moneyText(valueOut)})`
  ),
  "TXI-005": inTransaction(() => ""),
  "TXI-008": (_detail, offender) =>
    offender === undefined ? "" : `contains a non-BIP68-final transaction ${offender.txid}`,
  "UTX-005": fixed("tried to overwrite transaction"),
  "UTX-006": fixed("accumulated fee in the block out of range"),
  "UTX-007": fixed("too many sigops"),
  "UTX-008": ({ limit, paid }: CoinbasePaysTooMuch["detail"]) =>
    `coinbase pays too much (actual=${paid} vs limit=${limit})`
}

const isOfInput = (detail: unknown): detail is { readonly error: string; readonly input: number } =>
  typeof detail === "object" && detail !== null && "error" in detail && "input" in detail &&
  typeof detail.input === "number"

/** Formats the input whose script fails: `input 0 of <txid> (wtxid <wtxid>), spending <txid>:<n>`. */
export const inputText = (input: number, { spends, txid, wtxid }: Offender): string => {
  const { txid: spent, vout } = spends[input]!
  return `input ${input} of ${txid} (wtxid ${wtxid}), spending ${spent}:${vout}`
}

/**
 * Returns Bitcoin Core's message beside the reject reason, or `undefined` if it has no message. Empty details count as
 * missing.
 */
export const debugMessage = (violation: Violation, offender?: Offender): string | undefined => {
  const { detail, rule } = violation
  if (isOfInput(detail)) return offender && inputText(detail.input, offender)
  return MESSAGES[rule]?.(detail as never, offender) || undefined
}
