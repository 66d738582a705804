import type { Random } from "@lockstep/property-tests/fuzz/random.ts"

/** A piece of text that stands in JSON as it is, right or wrong. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Members by their names, any name more than once. */
export class Members {
  readonly entries: ReadonlyArray<readonly [name: string, value: unknown]>
  constructor(entries: ReadonlyArray<readonly [name: string, value: unknown]>) {
    this.entries = entries
  }
}

const membersText = (entries: ReadonlyArray<readonly [string, unknown]>): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${looseText(value)}`).join(",")}}`

/** JSON, but for what is {@link Raw}. */
export const looseText = (value: unknown): string => {
  if (value instanceof Raw) return value.text
  if (value instanceof Members) return membersText(value.entries)
  if (Array.isArray(value)) return `[${value.map(looseText).join(",")}]`
  if (typeof value === "object" && value !== null) return membersText(Object.entries(value))
  return value === undefined ? "null" : JSON.stringify(value)
}

const NUMBERS: ReadonlyArray<string> = [
  ..."0 1 -1 2 3 6 100 144 322 323 1000 65535 65536 2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296"
    .split(" "),
  ..."9007199254740991 9007199254740992 9223372036854775807 9223372036854775808 -9223372036854775808 18446744073709551616"
    .split(" "),
  ..."-0 0.0 1.0 1.5 0.1 1e2 1E+2 1e-2 1e400 -1e400 1e-400 0.00000001 0.000000001 21000000 21000000.00000001 20999999.9999"
    .split(" "),
  ..."01 +1 1. .5 0x10 NaN Infinity -Infinity 1e 1e+ - -- 1_000 1e99999999999".split(" "),
  "9".repeat(400),
  `0.${"0".repeat(300)}1`
]

const TEXTS: ReadonlyArray<string> = [
  "",
  " ",
  "0",
  "-1",
  "1",
  "00",
  "abc",
  "zz",
  "0x00",
  "null",
  "true",
  "\u0000",
  "\u007f",
  "é",
  "𝄞",
  "\ud800",
  "\udc00x",
  "a\nb\tc\"\\",
  "__proto__",
  "constructor",
  "toString",
  "args",
  "0".repeat(64),
  "f".repeat(64),
  "0".repeat(63),
  "g".repeat(64),
  "00".repeat(80),
  "01".repeat(2_000),
  "raw(51)",
  "raw()",
  "addr()",
  "wpkh(",
  "pk()",
  "multi(1,)",
  "tr()",
  "sh(".repeat(200),
  "muhash",
  "none",
  "hash_serialized_3",
  "start",
  "status",
  "abort",
  "proposal",
  "template",
  "segwit",
  "all",
  "ALL|ANYONECANPAY",
  "DEFAULT",
  "basic"
]

const RAW: ReadonlyArray<string> = [
  ..."tru nul undefined [ ] { } [1,] {,} {\"a\":} [[] // /* ' \"".split(" "),
  "\"\\x\"",
  "\"\\ud800\"",
  "\"\\u12\"",
  "\"\t\"",
  "\ufeff1",
  "1 2",
  "\u00a01",
  "{\"a\":1,\"a\":2}",
  "[".repeat(600),
  `${"[".repeat(511)}${"]".repeat(511)}`,
  `${"{\"a\":".repeat(513)}1${"}".repeat(513)}`
]

const oddNumber = (random: Random): Raw =>
  random.oneIn(2)
    ? new Raw(random.pick(NUMBERS))
    : new Raw(String(random.below(random.oneIn(2) ? 400 : 2 ** 31) - (random.oneIn(8) ? 500 : 0)))

const nonsense = (random: Random): unknown =>
  random.oneIn(20) ? new Raw(random.pick(RAW)) : Buffer.from(random.bytes(random.below(40))).toString("latin1")

const anyName = (random: Random): string => random.oneIn(2) ? random.pick(TEXTS) : "a"

/** Any value, odd ones more often than others; texts also from `known`. */
export const anyValue = (random: Random, known: ReadonlyArray<string>, depth = 0): unknown => {
  const inner = (): unknown => anyValue(random, known, depth + 1)
  const kinds: ReadonlyArray<() => unknown> = [
    () => random.pick([null, true, false]),
    () => oddNumber(random),
    () => oddNumber(random),
    () => random.pick(TEXTS),
    () => random.pick(known),
    () => random.pick(known),
    () => nonsense(random),
    () => Array.from({ length: random.below(5) }, inner),
    () => new Members(Array.from({ length: random.below(4) }, () => [anyName(random), inner()]))
  ]
  return kinds[random.below(depth > 3 ? kinds.length - 2 : kinds.length)]!()
}

const changedText = (text: string, random: Random): string => {
  const at = random.below(text.length + 1)
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + random.pick(["0", "f", "z", "(", ")", ",", "#", "'", "/", "*", " ", "é", "\u0000"]) +
        text.slice(at)
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random.below(8))
    case 3:
      return text + text.slice(at)
    default:
      return text.slice(0, at) + random.pick(["0", "1", "a", "Q", "ff"]) + text.slice(at + 1)
  }
}

const changedList = (list: ReadonlyArray<unknown>, random: Random, known: ReadonlyArray<string>): unknown => {
  const at = random.below(list.length)
  if (random.oneIn(8)) return list.toSpliced(at, 1)
  if (random.oneIn(8)) return list.toSpliced(at, 0, random.oneIn(2) ? list[at] : anyValue(random, known))
  return list.with(at, changedValue(list[at], random, known))
}

const changedMembers = (entries: Members["entries"], random: Random, known: ReadonlyArray<string>): Members => {
  const at = random.below(entries.length)
  const [name, inner] = entries[at]!
  if (random.oneIn(8)) return new Members(entries.toSpliced(at, 1))
  if (random.oneIn(8)) {
    return new Members([...entries, [random.oneIn(2) ? name : random.pick(TEXTS), anyValue(random, known)]])
  }
  return new Members(entries.with(at, [name, changedValue(inner, random, known)]))
}

const entriesOf = (value: unknown): Members["entries"] => {
  if (value instanceof Members) return value.entries
  return typeof value === "object" && value !== null && !(value instanceof Raw) ? Object.entries(value) : []
}

/** A value after one change somewhere in it. */
export const changedValue = (value: unknown, random: Random, known: ReadonlyArray<string>): unknown => {
  if (random.oneIn(6)) return anyValue(random, known)
  if (Array.isArray(value)) return value.length === 0 ? anyValue(random, known) : changedList(value, random, known)
  const entries = entriesOf(value)
  if (entries.length > 0) return changedMembers(entries, random, known)
  if (typeof value === "string" && !random.oneIn(4)) return changedText(value, random)
  if (typeof value === "number") {
    return new Raw(random.oneIn(2) ? random.pick(NUMBERS) : String(value + random.below(5) - 2))
  }
  return anyValue(random, known)
}
