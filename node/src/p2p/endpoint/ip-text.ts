import { isIPv4, isIPv6 } from "node:net"

export const ipv4Bytes = (text: string): Uint8Array | undefined =>
  isIPv4(text) ? Uint8Array.from(text.split("."), Number) : undefined

export const ipv4Text = (bytes: Uint8Array): string => bytes.join(".")

/** Groups of sixteen bits that one side of `::` has; a dotted end counts as two. */
const groupsOf = (side: string): Array<number> => {
  if (side === "") return []
  return side.split(":").flatMap((group) => {
    const dotted = ipv4Bytes(group)
    return dotted === undefined
      ? [Number.parseInt(group, 16)]
      : [dotted[0]! * 256 + dotted[1]!, dotted[2]! * 256 + dotted[3]!]
  })
}

/** The 16 bytes of an IPv6 address; none for what is none, or has a zone. */
export const ipv6Bytes = (text: string): Uint8Array | undefined => {
  if (!isIPv6(text) || text.includes("%")) return undefined
  const [left = "", right] = text.split("::")
  const head = groupsOf(left)
  const tail = right === undefined ? [] : groupsOf(right)
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

/** Where the longest run of at least two zero groups is, the first of equals. */
const longestZeros = (groups: ReadonlyArray<number>): { readonly from: number; readonly length: number } => {
  let best = { from: -1, length: 1 }
  let length = 0
  groups.forEach((group, i) => {
    length = group === 0 ? length + 1 : 0
    if (length > best.length) best = { from: i - length + 1, length }
  })
  return best
}

/** The form of RFC 5952: short, in lower case. */
export const ipv6Text = (bytes: Uint8Array): string => {
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!)
  const hex = groups.map((group) => group.toString(16))
  const { from, length } = longestZeros(groups)
  if (from < 0) return hex.join(":")
  return `${hex.slice(0, from).join(":")}::${hex.slice(from + length).join(":")}`
}
