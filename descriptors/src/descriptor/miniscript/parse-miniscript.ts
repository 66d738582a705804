import { bytesOfDigits } from "@lockstep/protocol/hex.ts"
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
import { scriptNumberSize } from "./script-number.ts"
import { type TextCursor, textOf } from "./text-cursor.ts"

/**
 * Reads a key and returns its index among all keys. Returns `undefined` if the key is invalid, which makes the
 * miniscript invalid.
 */
export type ReadKey = (text: string) => number | undefined

/** A pending step of the parser: read an expression, or combine those that were read last. */
type Task =
  | { readonly do: "wrapped" | "bare" | "comma" | "close" }
  | { readonly do: "wrap"; readonly form: WrapperForm | "t" | "u" }
  | { readonly do: "join"; readonly form: BranchForm | "and_n"; readonly parts: number }
  | { readonly do: "threshold"; readonly k: number; readonly parts: number }

const MAX_KEYS = { multi: 20, multi_a: 999 } as const
/** Maximum number of parts of one `thresh`. Its resources are computed for every number of satisfied parts. */
const MAX_PARTS = 10_000

/** Bytes that a wrapper adds regardless of its part. */
const WRAPPERS: Readonly<Record<string, number>> = { a: 2, s: 1, c: 1, d: 3, v: 0, j: 4, n: 1, u: 4, t: 1, l: 4 }

/** Branches with the bytes that they add, of which each part but the first has already counted one. */
const BRANCHES: ReadonlyArray<readonly [BranchForm | "and_n", parts: number, bytes: number]> = [
  ["andor", 3, 5],
  ["and_n", 2, 5],
  ["and_b", 2, 2],
  ["and_v", 2, 1],
  ["or_b", 2, 2],
  ["or_c", 2, 3],
  ["or_d", 2, 4],
  ["or_i", 2, 4]
]

const HASHES: ReadonlyArray<readonly [HashForm, bytes: number]> = [["sha256", 32], ["ripemd160", 20], ["hash256", 32], [
  "hash160",
  20
]]

const INTEGER = /^-?[0-9]+$/

const integerOf = (text: string, least: number, most: number): number | undefined => {
  const number = INTEGER.test(text) ? Number(text) : 0
  return number >= least && number <= most ? number : undefined
}

/** State of the parser. Not recursive, since expressions may be deeply nested. */
interface Reading {
  readonly text: TextCursor
  readonly surroundings: Surroundings
  readonly readKey: ReadKey
  readonly tasks: Array<Task>
  readonly made: Array<Fragment>
  /** Bytes of the script as far as they are known. */
  size: number
}

const put = (reading: Reading, made: Made, bytes: number): boolean => {
  reading.made.push(fragment(made, reading.surroundings))
  reading.size += bytes
  return true
}

const readWrappers = (reading: Reading): boolean => {
  const { made, surroundings, tasks, text } = reading
  const wrappers = text.wrappers()
  for (const [i, form] of Array.from(wrappers).entries()) {
    const bytes = WRAPPERS[form]
    if (
      reading.size > MAX_MINISCRIPT_SIZE[surroundings] || bytes === undefined ||
      (form === "v" && wrappers[i - 1] === "v")
    ) {
      return false
    }
    reading.size += bytes
    if (form === "l") {
      made.push(fragment({ form: "0" }, surroundings))
      tasks.push({ do: "join", form: "or_i", parts: 2 })
    } else tasks.push({ do: "wrap", form: form as WrapperForm | "t" | "u" })
  }
  tasks.push({ do: "bare" })
  return true
}

const readKeys = (reading: Reading, form: "multi" | "multi_a"): boolean => {
  const { readKey, surroundings, text } = reading
  if ((form === "multi_a") !== (surroundings === "tr")) return false
  const threshold = text.upToComma()
  const k = threshold === undefined ? undefined : integerOf(threshold, 1, Number.MAX_SAFE_INTEGER)
  if (k === undefined) return false
  const keys: Array<number> = []
  for (let isLast = false; !isLast;) {
    const before = text.upToComma()
    isLast = before === undefined
    const key = before ?? text.upToBracket()
    const place = key === undefined || key === "" ? undefined : readKey(key)
    if (place === undefined) return false
    keys.push(place)
  }
  if (keys.length > MAX_KEYS[form] || k > keys.length) return false
  const bytes = form === "multi_a"
    ? 34 * keys.length + scriptNumberSize(k)
    : 2 + (keys.length > 16 ? 1 : 0) + (k > 16 ? 1 : 0) + 34 * keys.length
  return put(reading, { form, k, keys }, bytes)
}

const readThreshold = (reading: Reading): boolean => {
  const { tasks, text } = reading
  const threshold = text.upToComma()
  const k = threshold === undefined ? undefined : integerOf(threshold, 1, Number.MAX_SAFE_INTEGER)
  if (k === undefined) return false
  tasks.push({ do: "threshold", parts: 1, k }, { do: "wrapped" })
  reading.size += 1 + scriptNumberSize(Math.min(k, 2 ** 31))
  return true
}

const readKeyed = (reading: Reading): boolean | undefined => {
  const { readKey, surroundings, text } = reading
  for (const form of ["pk", "pkh", "pk_k", "pk_h"] as const) {
    if (!text.startsWith(`${form}(`)) continue
    const inside = text.argumentsOf(form)
    const key = inside === undefined ? undefined : readKey(inside)
    if (key === undefined) return false
    const isHashed = form === "pkh" || form === "pk_h"
    const inner: Made = { form: isHashed ? "pk_h" : "pk_k", keys: [key] }
    const bytes = isHashed ? 23 : surroundings === "tr" ? 32 : 33
    return form.includes("_")
      ? put(reading, inner, bytes)
      : put(reading, { form: "c", parts: [fragment(inner, surroundings)] }, bytes + 1)
  }
  return undefined
}

const readHash = (reading: Reading): boolean | undefined => {
  const { text } = reading
  const [form, size] = HASHES.find(([name]) => text.startsWith(`${name}(`)) ?? []
  if (form === undefined || size === undefined) return undefined
  const data = bytesOfDigits(text.argumentsOf(form) ?? "-")
  return data?.length === size && put(reading, { form, data: new Uint8Array(data) }, 6 + size)
}

const readTime = (reading: Reading): boolean | undefined => {
  const { text } = reading
  const form = (["after", "older"] as const).find((name) => text.startsWith(`${name}(`))
  if (form === undefined) return undefined
  const k = integerOf(text.argumentsOf(form) ?? "", 1, 2 ** 31 - 1)
  return k !== undefined && put(reading, { form, k }, scriptNumberSize(k))
}

/** Begins an expression with parts, which become tasks. */
const readBranch = (reading: Reading): boolean => {
  const { tasks, text } = reading
  if (text.take("thresh(")) return readThreshold(reading)
  const [form, parts, bytes] = BRANCHES.find(([name]) => text.take(`${name}(`)) ?? []
  if (form === undefined || parts === undefined || bytes === undefined) return false
  reading.size += bytes
  tasks.push({ do: "join", form, parts }, { do: "close" }, { do: "wrapped" })
  for (let part = 1; part < parts; part++) tasks.push({ do: "comma" }, { do: "wrapped" })
  return true
}

/** Reads an expression without wrappers. */
const readBare = (reading: Reading): boolean => {
  const { text } = reading
  for (const form of ["0", "1"] as const) if (text.take(form)) return put(reading, { form }, 0)
  for (const form of ["multi", "multi_a"] as const) if (text.take(`${form}(`)) return readKeys(reading, form)
  return readKeyed(reading) ?? readHash(reading) ?? readTime(reading) ?? readBranch(reading)
}

const join = ({ made, surroundings }: Reading, form: BranchForm | "and_n", count: number): boolean => {
  const parts = made.splice(made.length - count)
  const last = form === "and_n" ? [fragment({ form: "0" }, surroundings)] : []
  made.push(fragment({ form: form === "and_n" ? "andor" : form, parts: [...parts, ...last] }, surroundings))
  return true
}

const wrap = (reading: Reading, form: WrapperForm | "t" | "u"): boolean => {
  const { made, surroundings } = reading
  const part = made.pop()!
  if (form === "v" && hasProperties(part.properties, "x")) reading.size++
  const leaf = (digit: "0" | "1"): Fragment => fragment({ form: digit }, surroundings)
  made.push(fragment(
    form === "t"
      ? { form: "and_v", parts: [part, leaf("1")] }
      : form === "u"
      ? { form: "or_i", parts: [part, leaf("0")] }
      : { form, parts: [part] },
    surroundings
  ))
  return true
}

const endThreshold = (reading: Reading, k: number, count: number): boolean => {
  const { made, surroundings, tasks, text } = reading
  if (text.take(",")) {
    tasks.push({ do: "threshold", k, parts: count + 1 }, { do: "wrapped" })
    reading.size += 2
    return count < MAX_PARTS
  }
  if (!text.take(")") || k > count) return false
  made.push(fragment({ form: "thresh", k, parts: made.splice(made.length - count) }, surroundings))
  return true
}

const perform = (reading: Reading, task: Task): boolean => {
  switch (task.do) {
    case "wrapped":
      return readWrappers(reading)
    case "bare":
      return readBare(reading)
    case "comma":
      return reading.text.take(",")
    case "close":
      return reading.text.take(")")
    case "wrap":
      return wrap(reading, task.form)
    case "join":
      return join(reading, task.form, task.parts)
    case "threshold":
      return endThreshold(reading, task.k, task.parts)
  }
}

/** Parses a miniscript, sane or not. Returns `undefined` if the text is invalid, or its script is far too large. */
export const parseMiniscript = (text: string, surroundings: Surroundings, readKey: ReadKey): Fragment | undefined => {
  const reading: Reading = { text: textOf(text), surroundings, readKey, tasks: [{ do: "wrapped" }], made: [], size: 1 }
  for (let task = reading.tasks.pop(); task !== undefined; task = reading.tasks.pop()) {
    if (reading.size > MAX_MINISCRIPT_SIZE[surroundings] || !perform(reading, task)) return undefined
  }
  return reading.text.isAtEnd() ? reading.made[0] : undefined
}
