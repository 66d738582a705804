import type { EngineNotification, TipFigures } from "../../engine/api/engine-calls.ts"
import { displayHash } from "../../hex.ts"
import type { CoreLine } from "./core-line.ts"

const MEBIBYTE = 1_048_576

/** The binary logarithm of a number that is too large to be one here. */
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

/** The lines of `debug.log` for notifications of the chain; others have none of their own. */
export const linesOfNews = (news: EngineNotification): ReadonlyArray<CoreLine> =>
  news._tag === "Tip" ? [{ level: "info", text: tipText(news.tip) }] : []
