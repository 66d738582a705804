import { sameBytes } from "./byte-string.ts"
import { hash160, ripemd160, sha1, sha256, sha256d } from "./hash.ts"
import { bytesOfNumber, operand, truth } from "./script-number.ts"

/** Bottom first. */
export type NaiveStack = ReadonlyArray<Uint8Array>

/**
 * The stack after an opcode, or what is broken: the rule and Bitcoin Core's name of the error, or the name alone where
 * the rule is the opcode's own.
 */
export type StackOutcome = NaiveStack | string

/** An opcode that looks at nothing but the main stack; `minimal` asks numbers to be in their shortest form. */
export type StackFunction = (stack: NaiveStack, minimal: boolean) => StackOutcome

const UNDERFLOW = "INVALID_STACK_OPERATION"
const bool = (value: boolean): Uint8Array => (value ? Uint8Array.of(1) : new Uint8Array(0))

/** `before` names the top elements, deepest first; `after` says what stands in their place. */
const effect = (before: string, after: string): StackFunction => (stack) => {
  if (stack.length < before.length) return UNDERFLOW
  const top = stack.slice(stack.length - before.length)
  return [...stack.slice(0, stack.length - before.length), ...[...after].map((name) => top[before.indexOf(name)]!)]
}

/** Takes `count` elements and pushes what `of` makes of them. */
const onBytes =
  (count: number, of: (a: Uint8Array, b: Uint8Array) => Uint8Array | string): StackFunction => (stack) => {
    if (stack.length < count) return UNDERFLOW
    const [a, b] = stack.slice(stack.length - count)
    const result = of(a!, b!)
    return typeof result === "string" ? result : [...stack.slice(0, stack.length - count), result]
  }

/** Takes `count` numbers of at most four bytes and pushes the number or boolean that `of` makes of them. */
const onNumbers =
  (count: number, of: (a: bigint, b: bigint, c: bigint) => bigint | boolean): StackFunction => (stack, minimal) => {
    if (stack.length < count) return UNDERFLOW
    const numbers = stack.slice(stack.length - count).map((element) => operand(element, 4, minimal))
    const wrong = numbers.find((number) => typeof number === "string")
    if (wrong !== undefined) return wrong
    const [a, b, c] = numbers as ReadonlyArray<bigint>
    const result = of(a!, b!, c!)
    return [...stack.slice(0, stack.length - count), typeof result === "bigint" ? bytesOfNumber(result) : bool(result)]
  }

/** A comparison that removes its result when it is true and fails as `error` otherwise. */
const verified = (comparison: StackFunction, error: string): StackFunction => (stack, minimal) => {
  const outcome = comparison(stack, minimal)
  if (typeof outcome === "string") return outcome
  return truth(outcome.at(-1)!) ? outcome.slice(0, -1) : error
}

/** OP_PICK keeps the chosen element where it is, OP_ROLL takes it away. */
const chosen = (keep: boolean): StackFunction => (stack, minimal) => {
  if (stack.length < 2) return UNDERFLOW
  const n = operand(stack.at(-1)!, 4, minimal)
  if (typeof n === "string") return n
  const rest = stack.slice(0, -1)
  if (n < 0n || n >= BigInt(rest.length)) return UNDERFLOW
  const place = rest.length - 1 - Number(n)
  return [...rest.filter((_, i) => keep || i !== place), rest[place]!]
}

const constant = (value: bigint): StackFunction => (stack) => [...stack, bytesOfNumber(value)]

const equal = onBytes(2, (a, b) => bool(sameBytes(a, b)))
const numEqual = onNumbers(2, (a, b) => a === b)

/** The opcodes by number that only rearrange, compare, compute or hash what the main stack holds. */
export const STACK_FUNCTIONS: Readonly<Record<number, StackFunction>> = {
  79: constant(-1n),
  ...Object.fromEntries(Array.from({ length: 16 }, (_, i) => [81 + i, constant(BigInt(i + 1))])),
  97: (stack) => stack,
  105: (stack) => (stack.length < 1 ? UNDERFLOW : truth(stack.at(-1)!) ? stack.slice(0, -1) : "VERIFY"),
  106: () => "OP_RETURN",
  109: effect("ab", ""),
  110: effect("ab", "abab"),
  111: effect("abc", "abcabc"),
  112: effect("abcd", "abcdab"),
  113: effect("abcdef", "cdefab"),
  114: effect("abcd", "cdab"),
  115: (stack) => (stack.length < 1 ? UNDERFLOW : truth(stack.at(-1)!) ? [...stack, stack.at(-1)!] : stack),
  116: (stack) => [...stack, bytesOfNumber(BigInt(stack.length))],
  117: effect("a", ""),
  118: effect("a", "aa"),
  119: effect("ab", "b"),
  120: effect("ab", "aba"),
  121: chosen(true),
  122: chosen(false),
  123: effect("abc", "bca"),
  124: effect("ab", "ba"),
  125: effect("ab", "bab"),
  130: (stack) => (stack.length < 1 ? UNDERFLOW : [...stack, bytesOfNumber(BigInt(stack.at(-1)!.length))]),
  135: equal,
  136: verified(equal, "EQUALVERIFY"),
  139: onNumbers(1, (a) => a + 1n),
  140: onNumbers(1, (a) => a - 1n),
  143: onNumbers(1, (a) => -a),
  144: onNumbers(1, (a) => (a < 0n ? -a : a)),
  145: onNumbers(1, (a) => !a),
  146: onNumbers(1, (a) => a !== 0n),
  147: onNumbers(2, (a, b) => a + b),
  148: onNumbers(2, (a, b) => a - b),
  154: onNumbers(2, (a, b) => a !== 0n && b !== 0n),
  155: onNumbers(2, (a, b) => a !== 0n || b !== 0n),
  156: numEqual,
  157: verified(numEqual, "NUMEQUALVERIFY"),
  158: onNumbers(2, (a, b) => a !== b),
  159: onNumbers(2, (a, b) => a < b),
  160: onNumbers(2, (a, b) => a > b),
  161: onNumbers(2, (a, b) => a <= b),
  162: onNumbers(2, (a, b) => a >= b),
  163: onNumbers(2, (a, b) => (a < b ? a : b)),
  164: onNumbers(2, (a, b) => (a > b ? a : b)),
  165: onNumbers(3, (x, min, max) => min <= x && x < max),
  166: onBytes(1, (a) => ripemd160(a)),
  167: onBytes(1, (a) => sha1(a)),
  168: onBytes(1, (a) => sha256(a)),
  169: onBytes(1, (a) => hash160(a)),
  170: onBytes(1, (a) => sha256d(a))
}

/** Opcodes that fail wherever they stand, executed or not. */
export const DISABLED: ReadonlyArray<number> = [
  126,
  127,
  128,
  129,
  131,
  132,
  133,
  134,
  141,
  142,
  149,
  150,
  151,
  152,
  153
]
