import type { Milliseconds } from "../../quantities.ts"
import {
  advance,
  compactSizeLength,
  type Cursor,
  cursorOn,
  readCompactSize,
  readUint32,
  writeCompactSize,
  type Writer,
  writerOf,
  writeUint32
} from "@lockstep/kernel/bytes"
import * as Result from "effect/Result"
import { type FeeHistory, HORIZON_NAMES } from "./fee-estimator.ts"
import type { Averages } from "./horizon.ts"

/** The version of `fee_estimates.dat` in Bitcoin Core 31, which reads no other. */
const VERSION = 309_900

const MAX_BUCKETS = 1_000
const MAX_TARGET = 1_008

/** Age in hours after which a file is no evidence of present fees. */
export const MAX_AGE_HOURS = 60

const MS_PER_HOUR = 3_600_000

export const wholeHours = (ageMs: Milliseconds): number => Math.floor(ageMs / MS_PER_HOUR)

/** Reports whether a file of this age is too old. Only whole hours count. */
export const isStale = (ageMs: Milliseconds): boolean => wholeHours(ageMs) > MAX_AGE_HOURS

const doublesLength = (values: Float64Array): number => compactSizeLength(values.length) + 8 * values.length

const rowsLength = (rows: ReadonlyArray<Float64Array>): number =>
  rows.reduce((total, row) => total + doublesLength(row), compactSizeLength(rows.length))

const averagesLength = ({ confirmed, confirmedCounts, failed, feerateSums }: Averages): number =>
  12 + doublesLength(feerateSums) + doublesLength(confirmedCounts) + rowsLength(confirmed) + rowsLength(failed)

const writeDouble = (writer: Writer, value: number): void => {
  const { buffer, byteOffset } = writer.bytes
  new DataView(buffer, byteOffset).setFloat64(writer.offset, value, true)
  writer.offset += 8
}

const writeDoubles = (writer: Writer, values: Float64Array): void => {
  writeCompactSize(writer, values.length)
  for (const value of values) writeDouble(writer, value)
}

const writeRows = (writer: Writer, rows: ReadonlyArray<Float64Array>): void => {
  writeCompactSize(writer, rows.length)
  for (const row of rows) writeDoubles(writer, row)
}

const writeAverages = (writer: Writer, averages: Averages): void => {
  writeDouble(writer, averages.decay)
  writeUint32(writer, averages.scale)
  writeDoubles(writer, averages.feerateSums)
  writeDoubles(writer, averages.confirmedCounts)
  writeRows(writer, averages.confirmed)
  writeRows(writer, averages.failed)
}

/** Encodes the content of `fee_estimates.dat`. */
export const encodeFeeEstimates = (history: FeeHistory): Uint8Array => {
  const all = HORIZON_NAMES.map((name) => history.horizons[name])
  const size = all.reduce((total, each) => total + averagesLength(each), 16 + doublesLength(history.bounds))
  const writer = writerOf(size)
  writeUint32(writer, VERSION)
  writeUint32(writer, history.bestHeight)
  writeUint32(writer, history.recordedFirst)
  writeUint32(writer, history.recordedBest)
  writeDoubles(writer, history.bounds)
  for (const each of all) writeAverages(writer, each)
  return writer.bytes
}

const readDouble = (cursor: Cursor): number => {
  const at = advance(cursor, 8)
  return at < 0 ? 0 : cursor.view.getFloat64(at, true)
}

const readDoubles = (cursor: Cursor): Float64Array => {
  const count = readCompactSize(cursor)
  const start = advance(cursor, 8 * count)
  const values = new Float64Array(start < 0 ? 0 : count)
  for (let i = 0; i < values.length; i++) values[i] = cursor.view.getFloat64(start + 8 * i, true)
  return values
}

const readRows = (cursor: Cursor): ReadonlyArray<Float64Array> => {
  const count = readCompactSize(cursor)
  const rows: Array<Float64Array> = []
  while (rows.length < count && cursor.broken === undefined) rows.push(readDoubles(cursor))
  return rows
}

const readAverages = (cursor: Cursor): Averages => ({
  decay: readDouble(cursor),
  scale: readUint32(cursor),
  feerateSums: readDoubles(cursor),
  confirmedCounts: readDoubles(cursor),
  confirmed: readRows(cursor),
  failed: readRows(cursor)
})

const averagesFault = (averages: Averages, buckets: number): string | undefined => {
  const { confirmed, confirmedCounts, decay, failed, feerateSums, scale } = averages
  if (!(decay > 0 && decay < 1)) return `the decay ${decay} is not between 0 and 1`
  if (scale === 0) return "a period has no blocks"
  const highest = confirmed.length * scale
  if (highest < 1 || highest > MAX_TARGET) return `the highest target ${highest} is not between 1 and ${MAX_TARGET}`
  if (failed.length !== confirmed.length) return "failures and confirmations have different periods"
  const hasAll = [feerateSums, confirmedCounts, ...confirmed, ...failed].every(({ length }) => length === buckets)
  return hasAll ? undefined : `an average is not of ${buckets} buckets`
}

const historyFault = (
  { bestHeight, bounds, horizons, recordedBest, recordedFirst }: FeeHistory
): string | undefined => {
  if (recordedFirst > recordedBest || recordedBest > bestHeight) {
    return `the recorded blocks ${recordedFirst} to ${recordedBest} do not fit the height ${bestHeight}`
  }
  if (bounds.length < 2 || bounds.length > MAX_BUCKETS) return `it has ${bounds.length} buckets`
  return HORIZON_NAMES.map((name) => averagesFault(horizons[name], bounds.length)).find((fault) => fault !== undefined)
}

/**
 * Decodes `fee_estimates.dat`. Fails with the reason why the file is not used. Bounds, decays and scales are those of
 * the file. Trailing bytes are accepted, as in Bitcoin Core.
 */
export const decodeFeeEstimates = (bytes: Uint8Array): Result.Result<FeeHistory, string> => {
  const cursor = cursorOn(bytes)
  const version = readUint32(cursor) | 0
  if (cursor.broken === undefined && version !== VERSION) return Result.fail(`its version is ${version}`)
  const [bestHeight, recordedFirst, recordedBest] = [readUint32(cursor), readUint32(cursor), readUint32(cursor)]
  const bounds = readDoubles(cursor)
  const [medium, short, long] = [readAverages(cursor), readAverages(cursor), readAverages(cursor)]
  if (cursor.broken !== undefined) return Result.fail("it ends early or has a length that cannot be")
  const history = { bestHeight, recordedFirst, recordedBest, bounds, horizons: { short, medium, long } }
  const fault = historyFault(history)
  return fault === undefined ? Result.succeed(history) : Result.fail(fault)
}
