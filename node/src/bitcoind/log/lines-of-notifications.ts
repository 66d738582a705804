import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type {
  EngineNotification,
  Refused,
  SelectedTransaction,
  TipFigures
} from "../../engine/api/engine-notification.ts"
import { displayHash } from "../../hex.ts"
import { exceptionText } from "./exception-text.ts"
import { type CoreLine, inDetail, info } from "./core-line.ts"
import { COIN, MEBIBYTE } from "../../units.ts"

/** Core's function that logs each connected block. It is exempt from the rate limit. */
export const UPDATE_TIP = "UpdateTip"

/** Returns the binary logarithm of a number that may exceed a double. */
const logarithm = (value: bigint): number => {
  const digits = value.toString(2)
  const shift = Math.max(0, digits.length - 53)
  return Math.log2(Number(value >> BigInt(shift))) + shift
}

const hex8 = (value: number): string => (value >>> 0).toString(16).padStart(8, "0")

const tipText = (
  { cacheBytes, chainWork, hash, height, progress, time, transactions, version }: TipFigures
): string => {
  const date = `${new Date(time * 1000).toISOString().slice(0, 19)}Z`
  return `UpdateTip: new best=${displayHash(hash)} height=${height} version=0x${hex8(version)} ` +
    `log2_work=${logarithm(chainWork).toFixed(6)} tx=${transactions} date='${date}' progress=${progress.toFixed(6)} ` +
    `cache=${(cacheBytes / MEBIBYTE).toFixed(1)}MiB`
}

const validation = (text: string): CoreLine => inDetail("validation", text)

const failed = (text: string): CoreLine => ({ level: "error", text })

/** Reports whether the rule is about headers: Bitcoin Core logs its violations with the hash. */
const isOfHeader = ({ rule }: Rejection): boolean => rule !== undefined && /^(?:HDR|WRK)-/.test(rule)

const linesOfHeader = (hash: string, rejection: Rejection): ReadonlyArray<CoreLine> => {
  const text = rejectionText(rejection)
  switch (rejection.class) {
    case "missing parent":
      return [validation(`header ${hash} has prev block not found`)]
    case "invalid parent":
      return [validation(`header ${hash} has prev block invalid`)]
    case "known invalid":
      return [validation(`AcceptBlockHeader: block ${hash} is marked invalid`)]
    default:
      return [
        validation(
          `AcceptBlockHeader: Consensus::${
            rejection.rule === "WRK-004" ? "CheckBlockHeader" : "ContextualCheckBlockHeader"
          }: ${hash}, ${text}`
        )
      ]
  }
}

const linesOfRefused = (hash: string, why: Refused): ReadonlyArray<CoreLine> => {
  if (why.what === "too little work") {
    return [
      validation(`AcceptBlockHeader: not adding new block header ${hash}, missing anti-dos proof-of-work validation`)
    ]
  }
  if (why.what === "bytes") {
    const text = exceptionText({ _tag: "Malformed", rule: why.fault.rule, offset: why.fault.detail.offset })
    return [inDetail("net", `ProcessMessages(block, ${why.bytes} bytes): Exception '${text}' caught`)]
  }
  const { rejection } = why
  const text = rejectionText(rejection)
  if (why.what === "header") return linesOfHeader(hash, rejection)
  if (rejection.class === "mutated") return [validation(`Block mutated: ${text}`)]
  const isAboutHeader = rejection.rule === undefined || isOfHeader(rejection)
  return [
    ...isAboutHeader ? linesOfHeader(hash, rejection) : [failed(`AcceptBlock: ${text}`)],
    failed(`ProcessNewBlock: AcceptBlock FAILED (${text})`)
  ]
}

/** Core: `CFeeRate::ToString`, rounded down, with eight decimals. */
const feeRateText = ({ modifiedFee, virtualSize }: SelectedTransaction): string => {
  const [fee, size] = [modifiedFee * 1_000n, BigInt(virtualSize)]
  const rounded = fee / size
  const perKilobyte = fee < 0n && rounded * size !== fee ? rounded - 1n : rounded
  // Both parts show their sign, as with `printf`.
  const [whole, rest] = [perKilobyte / COIN, perKilobyte % COIN]
  const digits = rest < 0n ? `-${String(-rest).padStart(7, "0")}` : String(rest).padStart(8, "0")
  return `${whole}.${digits} BTC/kvB`
}

/** Core: `BlockAssembler::AddToBlock` with `-printpriority`. */
const linesOfSelected = (transaction: SelectedTransaction): CoreLine =>
  info(`fee rate ${feeRateText(transaction)} txid ${displayHash(transaction.txid)}`)

/** Returns the lines of `debug.log` for a notification of the chain. Some notifications have none. */
export const linesOfNotification = (notification: EngineNotification): ReadonlyArray<CoreLine> => {
  if (notification._tag === "Tip") return [{ ...info(tipText(notification.tip)), source: UPDATE_TIP }]
  if (notification._tag === "Selected") return notification.transactions.map(linesOfSelected)
  return notification._tag === "Refused" ? linesOfRefused(displayHash(notification.hash), notification.why) : []
}
