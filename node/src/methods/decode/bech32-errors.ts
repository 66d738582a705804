const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const MAX_LENGTH = 90
const CHECKSUM_LENGTH = 6
const TARGETS = { bech32: 1, bech32m: 0x2bc830a3 } as const

/** An error in a bech32 text, with the positions of wrong characters. */
export interface Bech32Fault {
  readonly error: string
  readonly locations: ReadonlyArray<number>
}

const fault = (error: string, locations: ReadonlyArray<number> = []): Bech32Fault => ({ error, locations })

const step = (state: number, value: number): number => {
  const top = state >>> 25
  let next = ((state & 0x1ffffff) << 5) ^ value
  for (let i = 0; i < GENERATOR.length; i++) if (((top >>> i) & 1) !== 0) next ^= GENERATOR[i]!
  return next
}

const checksumOf = (prefix: string, values: ReadonlyArray<number>): number => {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0))
  const all = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]
  return all.reduce(step, 1)
}

const LOWER = /[a-z]/
const UPPER = /[A-Z]/

/**
 * Returns the positions of characters out of range, and of letters whose case differs from that of the first letter.
 */
const strangeCharacters = (text: string): ReadonlyArray<number> => {
  let isLower = false
  let isUpper = false
  const strange: Array<number> = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    const code = text.charCodeAt(i)
    if (LOWER.test(character)) {
      if (isUpper) strange.push(i)
      else isLower = true
    } else if (UPPER.test(character)) {
      if (isLower) strange.push(i)
      else isUpper = true
    } else if (code < 33 || code > 126) strange.push(i)
  }
  return strange
}

interface Change {
  readonly at: number
  readonly residue: number
}

/** Returns the effect of each change of one value on the checksum, which is linear. */
const changesOf = (length: number): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  for (let value = 1; value < 32; value++) {
    let residue = value
    for (let at = length - 1; at >= 0; at--) {
      changes.push({ at, residue })
      residue = step(residue, 0)
    }
  }
  return changes
}

/** Returns the positions of the one or two values that must change for a valid checksum; empty if more are wrong. */
const wrongValues = (residue: number, changes: ReadonlyArray<Change>): ReadonlyArray<number> => {
  const places = new Map(changes.map((change) => [change.residue, change.at]))
  const single = places.get(residue)
  if (single !== undefined) return [single]
  for (const change of changes) {
    const other = places.get(residue ^ change.residue)
    if (other !== undefined && other !== change.at) return [change.at, other].toSorted((a, b) => a - b)
  }
  return []
}

const checksumFault = (prefix: string, values: ReadonlyArray<number>): Bech32Fault => {
  const checksum = checksumOf(prefix, values)
  const changes = changesOf(values.length)
  const found = (["bech32", "bech32m"] as const)
    .map((kind) => ({ kind, wrong: wrongValues(checksum ^ TARGETS[kind], changes) }))
    .filter(({ wrong }) => wrong.length > 0)
    .toSorted((a, b) => a.wrong.length - b.wrong.length)[0]
  if (found === undefined) return fault("Invalid checksum")
  const error = `Invalid ${found.kind === "bech32" ? "Bech32" : "Bech32m"} checksum`
  return fault(error, found.wrong.map((at) => prefix.length + 1 + at))
}

/** Returns why a text is no bech32, with the characters that are most likely wrong. Precondition: it is invalid. */
export const bech32Fault = (text: string): Bech32Fault => {
  if (text.length > MAX_LENGTH) {
    return fault("Bech32 string too long", Array.from({ length: text.length - MAX_LENGTH }, (_, i) => MAX_LENGTH + i))
  }
  const strange = strangeCharacters(text)
  if (strange.length > 0) return fault("Invalid character or mixed case", strange)
  const separator = text.lastIndexOf("1")
  if (separator < 0) return fault("Missing separator")
  if (separator === 0 || separator + CHECKSUM_LENGTH >= text.length) {
    return fault("Invalid separator position", [separator])
  }
  const lower = text.toLowerCase()
  const values = Array.from(lower.slice(separator + 1), (character) => CHARACTERS.indexOf(character))
  const unknown = values.indexOf(-1)
  if (unknown >= 0) return fault("Invalid Base 32 character", [separator + 1 + unknown])
  return checksumFault(lower.slice(0, separator), values)
}
