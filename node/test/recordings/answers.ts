/** Members that depend on the machine, the moment or the representation: they are not compared. */
const IGNORED = new Set([
  "usage",
  "optimal",
  "clusterid",
  "longpollid",
  "currentblocktx",
  "currentblockweight",
  "coins_db_cache_bytes",
  "coins_tip_cache_bytes",
  "size_on_disk",
  "verificationprogress",
  "disk_size"
])

/** Methods whose lists of transactions have no order. */
const UNORDERED = new Set([
  "getrawmempool",
  "getmempoolancestors",
  "getmempooldescendants",
  "getorphantxs",
  "getchaintips"
])

/** Members that are lists without an order. */
const UNORDERED_MEMBERS = new Set(["depends", "spentby"])

/** Seconds that a time may differ by. */
const TIME_TOLERANCE = 2

const short = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

interface Place {
  readonly method: string
  readonly path: string
  /** The nearest member that the value belongs to. */
  readonly member: string
}

const compareLists = (
  expected: ReadonlyArray<unknown>,
  found: ReadonlyArray<unknown>,
  place: Place
): ReadonlyArray<string> => {
  const { member, method, path } = place
  if (expected.length !== found.length) return [`${path}: ${short(found)} instead of ${short(expected)}`]
  const isUnordered = UNORDERED_MEMBERS.has(member) || UNORDERED.has(method)
  const [left, right] = isUnordered ? [sorted(expected), sorted(found)] : [expected, found]
  return left.flatMap((each, i) => compareAt(each, right[i], { ...place, path: `${path}[${i}]` }))
}

const compareMembers = (
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  { method, path }: Place
): ReadonlyArray<string> =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((key) => !IGNORED.has(key))
    .flatMap((key) => compareAt(expected[key], found[key], { method, path: `${path}.${key}`, member: key }))

const compareAt = (expected: unknown, found: unknown, place: Place): ReadonlyArray<string> => {
  if (isObject(expected) && isObject(found)) return compareMembers(expected, found, place)
  if (Array.isArray(expected) && Array.isArray(found)) return compareLists(expected, found, place)
  if (place.member === "time" && typeof expected === "number" && typeof found === "number") {
    if (Math.abs(expected - found) <= TIME_TOLERANCE) return []
  }
  return Object.is(expected, found) ? [] : [`${place.path}: ${short(found)} instead of ${short(expected)}`]
}

export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string } | null
}

/** An error of this code often has a text of help. */
const MISC = -1

/** Where an answer of RPC is not the recorded one. */
export const answerDiffers = (method: string, expected: Answer, found: Answer): ReadonlyArray<string> => {
  const [recorded, error] = [expected.error ?? undefined, found.error ?? undefined]
  if (recorded === undefined) {
    return error === undefined
      ? compareAt(expected.result, found.result, { method, path: "result", member: "" })
      : [`error ${short(error)} instead of ${short(expected.result)}`]
  }
  const isSame = error?.code === recorded.code && (recorded.code === MISC || error.message === recorded.message)
  const what = error === undefined ? short(found.result) : `error ${error.code} ${short(error.message)}`
  return isSame ? [] : [`${what} instead of error ${recorded.code} ${short(recorded.message)}`]
}
