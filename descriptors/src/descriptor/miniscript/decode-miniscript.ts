import {
  type BranchForm,
  type Fragment,
  fragment,
  type HashForm,
  type Made,
  type Surroundings,
  type WrapperForm
} from "./fragment.ts"
import { hasProperties } from "./properties.ts"
import { MAX_MINISCRIPT_SIZE } from "./sanity.ts"
import { type ScriptStep, stepsOf, VERIFY } from "./script-steps.ts"

/**
 * Lookup of the keys that may be in a script. Each function returns the index of a key, or `undefined` if it is invalid
 * or unknown.
 */
export interface KnownKeys {
  readonly ofBytes: (bytes: Uint8Array) => number | undefined
  readonly ofHash: (hash: Uint8Array) => number | undefined
}

/** A pending step of the decoder. Scripts are read from their end, since the last instruction determines the most. */
type Task =
  | { readonly do: "single" | "any" | "wrapped" | "more" | "endif" | "endif-notif" | "endif-else" }
  | { readonly do: "wrap"; readonly form: WrapperForm; readonly before?: number }
  | { readonly do: "join"; readonly form: BranchForm; readonly parts: number }
  | { readonly do: "count" | "threshold"; readonly parts: number; readonly k: number }

interface Reading {
  readonly steps: ReadonlyArray<ScriptStep>
  /** Number of steps still to be read, from the start of the script. */
  left: number
  readonly surroundings: Surroundings
  readonly keys: KnownKeys
  readonly tasks: Array<Task>
  readonly made: Array<Fragment>
}

const IF = 0x63
const NOTIF = 0x64
const ELSE = 0x67
const ENDIF = 0x68
const TOALTSTACK = 0x6b
const FROMALTSTACK = 0x6c
const IFDUP = 0x73
const DUP = 0x76
const SWAP = 0x7c
const SIZE = 0x82
const EQUAL = 0x87
const ZERONOTEQUAL = 0x92
const ADD = 0x93
const NUMEQUAL = 0x9c
const HASH160 = 0xa9
const CHECKSIG = 0xac
const CHECKMULTISIG = 0xae
const CHECKSIGADD = 0xba

const HASHES: ReadonlyMap<number, readonly [form: HashForm, size: number]> = new Map([
  [0xa6, ["ripemd160", 20]],
  [0xa8, ["sha256", 32]],
  [0xa9, ["hash160", 20]],
  [0xaa, ["hash256", 32]]
])

/** Returns the step this many positions before the end of the unread ones. */
const stepAt = ({ left, steps }: Reading, back: number): ScriptStep | undefined => steps[left - 1 - back]

const isCode = (reading: Reading, back: number, code: number): boolean => stepAt(reading, back)?.code === code

/** Reports whether the last steps have these codes, the last one first. */
const endsWith = (reading: Reading, ...codes: ReadonlyArray<number | undefined>): boolean =>
  reading.left >= codes.length && codes.every((code, back) => code === undefined || isCode(reading, back, code))

const takeCode = (reading: Reading, code: number): boolean => {
  if (!isCode(reading, 0, code)) return false
  reading.left--
  return true
}

const put = (reading: Reading, steps: number, made: Made): boolean => {
  reading.left -= steps
  reading.made.push(fragment(made, reading.surroundings))
  return true
}

/** Reads a leaf. Returns `undefined` if it is of another kind. */
type ReadLeaf = (reading: Reading) => boolean | undefined

const readConstant: ReadLeaf = (reading) => {
  const step = stepAt(reading, 0)
  if (step?.code === 0) return put(reading, 1, { form: "0" })
  return step?.code === 0x51 ? put(reading, 1, { form: "1" }) : undefined
}

const readKey: ReadLeaf = (reading) => {
  const data = stepAt(reading, 0)?.data
  if (data?.length !== 32 && data?.length !== 33) return undefined
  const key = reading.keys.ofBytes(data)
  return key !== undefined && put(reading, 1, { form: "pk_k", keys: [key] })
}

const readKeyHash: ReadLeaf = (reading) => {
  const hash = stepAt(reading, 2)?.data
  if (!endsWith(reading, VERIFY, EQUAL, undefined, HASH160, DUP) || hash?.length !== 20) return undefined
  const key = reading.keys.ofHash(hash)
  return key !== undefined && put(reading, 5, { form: "pk_h", keys: [key] })
}

const TIMES = [["older", 0xb2], ["after", 0xb1]] as const

const readTime: ReadLeaf = (reading) => {
  const [form] = TIMES.find(([, code]) => isCode(reading, 0, code)) ?? []
  const k = stepAt(reading, 1)?.number
  if (form === undefined || k === undefined) return undefined
  return isWithin(k, 2 ** 31 - 1) && put(reading, 2, { form, k })
}

const readHash: ReadLeaf = (reading) => {
  if (
    !endsWith(reading, EQUAL, undefined, undefined, VERIFY, EQUAL, undefined, SIZE) || stepAt(reading, 5)?.number !== 32
  ) return undefined
  const [form, size] = HASHES.get(stepAt(reading, 2)!.code) ?? []
  const data = stepAt(reading, 1)?.data
  return form !== undefined && data?.length === size ? put(reading, 7, { form, data: data! }) : undefined
}

/** Returns the index of the key pushed this many positions before the end, if it has this size. */
const keyAt = (reading: Reading, back: number, size: number): number | undefined => {
  const data = stepAt(reading, back)?.data
  return data?.length === size ? reading.keys.ofBytes(data) : undefined
}

const isWithin = (number: number | undefined, most: number): number is number =>
  number !== undefined && number >= 1 && number <= most

const readMultisig: ReadLeaf = (reading) => {
  if (!endsWith(reading, CHECKMULTISIG, undefined, undefined)) return undefined
  const count = stepAt(reading, 1)?.number
  if (reading.surroundings === "tr" || !isWithin(count, 20)) return false
  const keys: Array<number> = []
  for (let back = 1 + count; back > 1; back--) {
    const key = keyAt(reading, back, 33)
    if (key === undefined) return false
    keys.push(key)
  }
  const k = stepAt(reading, 2 + count)?.number
  return isWithin(k, count) && put(reading, 3 + count, { form: "multi", k, keys })
}

const MOST_KEYS = 999

const readSum: ReadLeaf = (reading) => {
  if (!endsWith(reading, NUMEQUAL, undefined, undefined, undefined)) return undefined
  const k = stepAt(reading, 1)?.number
  if (reading.surroundings === "wsh" || !isWithin(k, MOST_KEYS)) return false
  const keys: Array<number> = []
  for (let back = 2; keys.length < MOST_KEYS; back += 2) {
    const isFirst = isCode(reading, back, CHECKSIG)
    const key = isFirst || isCode(reading, back, CHECKSIGADD) ? keyAt(reading, back + 1, 32) : undefined
    if (key === undefined) return false
    keys.push(key)
    if (isFirst) return isWithin(k, keys.length) && put(reading, back + 2, { form: "multi_a", k, keys: keys.reverse() })
  }
  return false
}

const LEAVES: ReadonlyArray<ReadLeaf> = [readConstant, readKey, readKeyHash, readTime, readHash, readMultisig, readSum]

/** Tasks that the last instruction of an expression with parts requires, in reverse order. */
const ENDINGS: ReadonlyMap<number, ReadonlyArray<Task>> = new Map<number, ReadonlyArray<Task>>([
  [CHECKSIG, [{ do: "wrap", form: "c" }, { do: "single" }]],
  [VERIFY, [{ do: "wrap", form: "v" }, { do: "single" }]],
  [ZERONOTEQUAL, [{ do: "wrap", form: "n" }, { do: "single" }]],
  [ENDIF, [{ do: "endif" }, { do: "any" }]],
  [0x9a, [{ do: "join", form: "and_b", parts: 2 }, { do: "single" }, { do: "wrapped" }]],
  [0x9b, [{ do: "join", form: "or_b", parts: 2 }, { do: "single" }, { do: "wrapped" }]]
])

/** Reads one expression other than `and_v`, which is recognized by what precedes another expression. */
const readSingle = (reading: Reading): boolean => {
  if (reading.left === 0) return false
  for (const leaf of LEAVES) {
    const found = leaf(reading)
    if (found !== undefined) return found
  }
  const k = stepAt(reading, 1)?.number
  if (reading.left >= 3 && isCode(reading, 0, EQUAL) && k !== undefined) {
    reading.left -= 2
    reading.tasks.push({ do: "count", parts: 0, k })
    return k >= 1
  }
  const tasks = ENDINGS.get(stepAt(reading, 0)!.code)
  if (tasks === undefined) return false
  reading.left--
  reading.tasks.push(...tasks)
  return true
}

/** Instructions before an expression, at which no other expression can end. */
const BOUNDARIES: ReadonlySet<number> = new Set([IF, ELSE, NOTIF, TOALTSTACK, SWAP])

const readMore = (reading: Reading): boolean => {
  const step = stepAt(reading, 0)
  if (step !== undefined && !BOUNDARIES.has(step.code)) {
    reading.tasks.push({ do: "join", form: "and_v", parts: 2 }, { do: "any" })
  }
  return true
}

const readWrapped = (reading: Reading): boolean => {
  if (reading.left === 0) return false
  const isAside = takeCode(reading, FROMALTSTACK)
  reading.tasks.push(
    isAside ? { do: "wrap", form: "a", before: TOALTSTACK } : { do: "wrap", form: "s", before: SWAP },
    { do: "any" }
  )
  return true
}

const readConditional = (reading: Reading): boolean => {
  const { tasks } = reading
  if (takeCode(reading, ELSE)) tasks.push({ do: "endif-else" }, { do: "any" })
  else if (takeCode(reading, NOTIF)) tasks.push({ do: "endif-notif" })
  else if (endsWith(reading, IF, DUP)) {
    reading.left -= 2
    tasks.push({ do: "wrap", form: "d" })
  } else if (endsWith(reading, IF, ZERONOTEQUAL, SIZE)) {
    reading.left -= 3
    tasks.push({ do: "wrap", form: "j" })
  } else return false
  return true
}

const join = ({ made, surroundings }: Reading, form: BranchForm, count: number): boolean => {
  if (made.length < count) return false
  const parts = made.splice(made.length - count).reverse()
  // The second part of `andor` follows the third one in the script.
  const [x, y, z] = parts
  made.push(fragment({ form, parts: form === "andor" ? [x!, z!, y!] : parts }, surroundings))
  return true
}

const readElse = (reading: Reading): boolean => {
  if (takeCode(reading, IF)) return join(reading, "or_i", 2)
  if (!takeCode(reading, NOTIF)) return false
  reading.tasks.push({ do: "join", form: "andor", parts: 3 }, { do: "single" })
  return true
}

const readNotIf = (reading: Reading): boolean => {
  if (reading.left === 0) return false
  const form = takeCode(reading, IFDUP) ? "or_d" : "or_c"
  reading.tasks.push({ do: "join", form, parts: 2 }, { do: "single" })
  return true
}

const countParts = (reading: Reading, parts: number, k: number): boolean => {
  if (reading.left === 0) return false
  if (takeCode(reading, ADD)) reading.tasks.push({ do: "count", parts: parts + 1, k }, { do: "wrapped" })
  else reading.tasks.push({ do: "threshold", parts: parts + 1, k }, { do: "single" })
  return true
}

const endThreshold = ({ made, surroundings }: Reading, count: number, k: number): boolean => {
  if (k > count || made.length < count) return false
  made.push(fragment({ form: "thresh", k, parts: made.splice(made.length - count).reverse() }, surroundings))
  return true
}

const wrap = (reading: Reading, form: WrapperForm, before: number | undefined): boolean => {
  const { made, surroundings } = reading
  if (before !== undefined && !takeCode(reading, before)) return false
  const part = made.pop()
  if (part !== undefined) made.push(fragment({ form, parts: [part] }, surroundings))
  return part !== undefined
}

const STEPS: Readonly<
  Record<Exclude<Task["do"], "wrap" | "join" | "count" | "threshold">, (reading: Reading) => boolean>
> = {
  single: readSingle,
  any: ({ tasks }) => tasks.push({ do: "more" }, { do: "single" }) > 0,
  wrapped: readWrapped,
  more: readMore,
  endif: readConditional,
  "endif-else": readElse,
  "endif-notif": readNotIf
}

const perform = (reading: Reading, task: Task): boolean => {
  switch (task.do) {
    case "wrap":
      return wrap(reading, task.form, task.before)
    case "join":
      return join(reading, task.form, task.parts)
    case "count":
      return countParts(reading, task.parts, task.k)
    case "threshold":
      return endThreshold(reading, task.parts, task.k)
    default:
      return STEPS[task.do](reading)
  }
}

/**
 * Decodes the miniscript of a script with known keys. Returns `undefined` if it has none, or if a part does not fit.
 */
export const decodeMiniscript = (
  script: Uint8Array,
  surroundings: Surroundings,
  keys: KnownKeys
): Fragment | undefined => {
  const steps = script.length > MAX_MINISCRIPT_SIZE[surroundings] ? undefined : stepsOf(script)
  if (steps === undefined) return undefined
  const reading: Reading = { steps, left: steps.length, surroundings, keys, tasks: [{ do: "any" }], made: [] }
  for (let task = reading.tasks.pop(); task !== undefined; task = reading.tasks.pop()) {
    if (reading.made.at(-1)?.properties === 0 || !perform(reading, task)) return undefined
  }
  const [root, ...more] = reading.made
  return root !== undefined && more.length === 0 && reading.left === 0 && hasProperties(root.properties, "B")
    ? root
    : undefined
}
