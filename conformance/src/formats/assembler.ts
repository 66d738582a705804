import { bytesOf, isHex } from "./hex.ts"
import { OPCODES } from "./opcode-names.ts"

/** A script text that means nothing; the reader of the file adds where it stands. */
export class AssemblyError extends Error {}

/** Repetition, so that a script at a limit stays readable. */
interface Repetition {
  readonly repeat: string
  readonly times: number
}

/** What scripts and long hex fields are written as. */
export type Parts = string | ReadonlyArray<string | Repetition>

/** `parts` written out; `separator` goes between them. */
export const spellOut = (parts: Parts, separator: string): string =>
  typeof parts === "string" ?
    parts :
    parts.map((part) =>
      typeof part === "string" ? part : Array.from({ length: part.times }, () => part.repeat).join(separator)
    ).join(separator)

/** Push of `data` with the shortest length prefix; small numbers are not turned into opcodes. */
const pushOf = (data: Uint8Array): Uint8Array => {
  const n = data.length
  const prefix = n < 76
    ? [n]
    : n < 256
    ? [76, n]
    : n < 65536
    ? [77, n & 255, n >> 8]
    : [78, n & 255, n >> 8 & 255, n >> 16 & 255, n >>> 24]
  const script = new Uint8Array(prefix.length + n)
  script.set(prefix)
  script.set(data, prefix.length)
  return script
}

const numberBytes = (value: bigint): Uint8Array => {
  const magnitude = value < 0n ? -value : value
  const bytes: Array<number> = []
  for (let rest = magnitude; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 0xffn))
  const last = bytes.length - 1
  if (bytes[last]! >= 0x80) bytes.push(value < 0n ? 0x80 : 0)
  else if (value < 0n) bytes[last]! |= 0x80
  return Uint8Array.from(bytes)
}

const numberPush = (word: string): Uint8Array => {
  const value = BigInt(word)
  if (BigInt.asIntN(64, value) !== value) throw new AssemblyError(`number ${word} does not fit 64 bits`)
  if (value === 0n) return Uint8Array.of(0)
  if (value === -1n || value >= 1n && value <= 16n) return Uint8Array.of(80 + Number(value))
  return pushOf(numberBytes(value))
}

const namedOpcode = (word: string): Uint8Array => {
  const opcode = OPCODES.get(word)
  if (opcode === undefined) throw new AssemblyError(`"${word}" is no opcode, number, 0x… bytes or '…' text`)
  return Uint8Array.of(opcode)
}

const wordBytes = (word: string): Uint8Array => {
  if (/^-?[0-9]+$/.test(word)) return numberPush(word)
  if (word.startsWith("0x") && word.length > 2 && isHex(word.slice(2))) return bytesOf(word.slice(2))
  if (/^'.*'$/s.test(word) && word.length >= 2) return pushOf(new TextEncoder().encode(word.slice(1, -1)))
  return namedOpcode(word)
}

const joined = (asm: string, bytesOfWord: (word: string) => Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat(asm.split(/[ \t\n]+/).filter((word) => word !== "").map(bytesOfWord)))

/**
 * Script bytes of an assembly text: `0x…` bytes inserted as they are, `'…'` pushed, a decimal number pushed in its
 * shortest form, anything else the name of an opcode.
 */
export const assemble = (parts: Parts): Uint8Array => joined(spellOut(parts, " "), wordBytes)

/** The dialect of bitcoinjs: every word that is not `OP_…` is hex and pushed. */
export const assembleBitcoinjs = (asm: string): Uint8Array =>
  joined(
    asm,
    (word) => word.startsWith("OP_") ? namedOpcode(word) : isHex(word) ? pushOf(bytesOf(word)) : namedOpcode(word)
  )
