import { crc32c } from "./crc32c.ts"

const BLOCK = 32_768
const HEADER = 7

/** LevelDB stores checksums rotated and shifted, so that a checksum of checksums is not one of itself. */
const unmask = (stored: number): number => {
  const rotated = (stored - 0xa282ead8) >>> 0
  return ((rotated >>> 17) | (rotated << 15)) >>> 0
}

const FIRST = 2
const MIDDLE = 3
const LAST = 4

const isWhole = (type: number): boolean => type === 1 || type === LAST

/** Whether anything but zeros stands from `at` on. */
const hasBytesFrom = (log: Uint8Array, at: number): boolean => {
  for (let i = at; i < log.length; i++) if (log[i] !== 0) return true
  return false
}

/**
 * What is wrong with a LevelDB log, if anything. LevelDB itself drops records that do not fit their checksum and takes the
 * ones behind them: a batch would be lost in the middle. A record that the end of the file cuts off is the trace of a
 * process that died, and was never answered for.
 */
export const levelLogFault = (log: Uint8Array): string | undefined => {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  let at = 0
  let isInside = false
  while (at + HEADER <= log.length) {
    const left = BLOCK - at % BLOCK
    if (left < HEADER) {
      at += left
      continue
    }
    const [length, type] = [view.getUint16(at + 4, true), log[at + 6]!]
    // Space set aside and not written to.
    if (type === 0 && length === 0) return hasBytesFrom(log, at) ? `a record at ${at} has no type` : undefined
    if (HEADER + length > left) return `a record at ${at} is longer than its block`
    const end = at + HEADER + length
    if (end > log.length) return undefined
    if (crc32c(log.subarray(at + 6, end)) !== unmask(view.getUint32(at, true))) {
      return end === log.length || !hasBytesFrom(log, end) ? undefined : `the record at ${at} does not fit its checksum`
    }
    const continues = type === MIDDLE || type === LAST
    if (continues !== isInside) return `the record at ${at} does not follow the one before it`
    isInside = !isWhole(type) && (type === FIRST || isInside)
    at = end
  }
  return undefined
}
