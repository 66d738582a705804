import { isIPv4, isIPv6 } from "node:net"

export const ipv4Bytes = (text: string): Uint8Array | undefined =>
  isIPv4(text) ? Uint8Array.from(text.split("."), Number) : undefined

/** A part of an old spelling: decimal, octal after a zero, hexadecimal after `0x`. */
const PART = /^(?:0x[0-9a-f]+|0[0-7]*|[1-9][0-9]*)$/i

const partOf = (text: string): number => Number(/^0[0-7]+$/.test(text) ? `0o${text}` : text)

/**
 * Parses an IPv4 address in an old spelling, which resolvers of all systems accept: `127.1`, `0x7f.1`, `2130706433`.
 * The last part fills all bytes that the others leave.
 */
export const legacyIpv4Bytes = (text: string): Uint8Array | undefined => {
  const parts = text.split(".")
  if (parts.length > 4 || !parts.every((part) => PART.test(part))) return undefined
  const numbers = parts.map(partOf)
  const last = numbers.pop()!
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) return undefined
  const left = 4 - numbers.length
  const rest = Array.from({ length: left }, (_, i) => Math.floor(last / 256 ** (left - 1 - i)) % 256)
  return Uint8Array.from([...numbers, ...rest])
}

export const ipv4Text = (bytes: Uint8Array): string => bytes.join(".")

/** Returns the 16-bit groups on one side of `::`; a dotted end counts as two. */
const groupsOf = (side: string): Array<number> => {
  if (side === "") return []
  return side.split(":").flatMap((group) => {
    const dotted = ipv4Bytes(group)
    return dotted === undefined
      ? [Number.parseInt(group, 16)]
      : [dotted[0]! * 256 + dotted[1]!, dotted[2]! * 256 + dotted[3]!]
  })
}

/** Returns the 16 bytes of an IPv6 address, or `undefined` for an invalid one or one with a zone. */
export const ipv6Bytes = (text: string): Uint8Array | undefined => {
  if (!isIPv6(text) || text.includes("%")) return undefined
  const [left = "", right] = text.split("::")
  const head = groupsOf(left)
  const tail = right === undefined ? [] : groupsOf(right)
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

/** Returns the position of the longest run of at least two zero groups, the first of equals. */
const longestZeros = (groups: ReadonlyArray<number>): { readonly from: number; readonly length: number } => {
  let best = { from: -1, length: 1 }
  let length = 0
  groups.forEach((group, i) => {
    length = group === 0 ? length + 1 : 0
    if (length > best.length) best = { from: i - length + 1, length }
  })
  return best
}

/** Formats an address as in RFC 5952: short, in lower case. */
export const ipv6Text = (bytes: Uint8Array): string => {
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!)
  const hex = groups.map((group) => group.toString(16))
  const { from, length } = longestZeros(groups)
  if (from < 0) return hex.join(":")
  return `${hex.slice(0, from).join(":")}::${hex.slice(from + length).join(":")}`
}
