import { type Fragment, type HashForm, insideOut, type Surroundings } from "./fragment.ts"
import { ELEMENT_SIZES, type ElementSizes, ONE_SIZE, PREIMAGE_SIZE, ZERO_SIZE } from "./witness-sizes.ts"

/** A condition of one expression. Keys are given by their index. */
export type Condition =
  | { readonly ask: "keys"; readonly required: number; readonly keys: ReadonlyArray<number> }
  | { readonly ask: "preimage"; readonly form: HashForm; readonly hash: Uint8Array }
  | { readonly ask: "after" | "older"; readonly lock: number }

/** One way to satisfy a miniscript: all its conditions must hold. */
export interface SpendingPath {
  readonly conditions: ReadonlyArray<Condition>
  /** Bytes of its largest witness without the script. Each element includes its length. */
  readonly size: number
  /** Number of elements of that witness. */
  readonly elements: number
}

/** All ways except those that mix locks by height and by time. */
export interface SpendingPaths {
  readonly paths: ReadonlyArray<SpendingPath>
  /** True if there are more ways than listed. */
  readonly isCut: boolean
}

/** Maximum number of listed ways. */
export const MOST_PATHS = 64

/** Maximum of the number of parts times the threshold; beyond it the ways of a `thresh` are not listed. */
const MOST_COUNTS = 20_000

/** A way, stored by its components, since most ways share most of them. */
interface Way {
  readonly size: number
  readonly elements: number
  readonly condition?: Condition
  readonly before?: Way
  readonly after?: Way
}

interface Ways {
  readonly sat: ReadonlyArray<Way>
  readonly nsat: Way | undefined
  readonly isCut: boolean
}

const NOTHING: Way = { size: 0, elements: 0 }
const ZERO: Way = { size: ZERO_SIZE, elements: 1 }
const ONE: Way = { size: ONE_SIZE, elements: 1 }

const join = (before: Way, after: Way): Way => ({
  size: before.size + after.size,
  elements: before.elements + after.elements,
  before,
  after
})

const joined = (a: Way | undefined, b: Way | undefined): Way | undefined => a && b && join(a, b)

type Found = Pick<Ways, "sat" | "isCut">

const listed = (sat: ReadonlyArray<Way>, ...from: ReadonlyArray<{ readonly isCut: boolean }>): Found => ({
  sat: sat.slice(0, MOST_PATHS),
  isCut: sat.length > MOST_PATHS || from.some(({ isCut }) => isCut)
})

/** Combines each way of one expression with each of another. */
const both = (x: Ways, y: Ways): Found => {
  const sat: Array<Way> = []
  for (const a of x.sat) {
    if (sat.length > MOST_PATHS) break
    for (const b of y.sat) sat.push(join(a, b))
  }
  return listed(sat, x, y)
}

const each = (ways: ReadonlyArray<Way>, other: Way | undefined): ReadonlyArray<Way> =>
  other === undefined ? [] : ways.map((way) => join(way, other))

/** Combines the ways of as many parts as the threshold. */
const counted = (k: number, parts: ReadonlyArray<Ways>): Found => {
  if (k * parts.length > MOST_COUNTS) return { sat: [], isCut: true }
  let isCut = parts.some((part) => part.isCut)
  let ways: ReadonlyArray<ReadonlyArray<Way>> = [[NOTHING]]
  for (const [i, { nsat, sat }] of parts.entries()) {
    const left = parts.length - i - 1
    ways = Array.from({ length: Math.min(k, i + 1) + 1 }, (_, j) => {
      // Combinations that can no longer reach the threshold are dropped.
      if (j + left < k) return []
      const fewer = j === 0 ? [] : ways[j - 1]!
      const found = [...each(ways[j] ?? [], nsat), ...fewer.flatMap((way) => sat.map((more) => join(way, more)))]
      isCut ||= found.length > MOST_PATHS
      return found.slice(0, MOST_PATHS)
    })
  }
  return { sat: ways[k]!, isCut }
}

type Rule = (fragment: Fragment, parts: ReadonlyArray<Ways>, sizes: ElementSizes) => Ways

const leaf = (sat: Way | undefined, nsat?: Way): Ways => ({ sat: sat === undefined ? [] : [sat], nsat, isCut: false })

const asked = (condition: Condition, size: number, elements: number): Way => ({ condition, size, elements })

const hashed: Rule = ({ data, form }) =>
  leaf(asked({ ask: "preimage", form: form as HashForm, hash: data }, PREIMAGE_SIZE, 1))

const lock: Rule = ({ form, k }) => leaf(asked({ ask: form as "after" | "older", lock: k }, 0, 0))

const same: Rule = (_, [x]) => x!

const zeros = (elements: number): Way => ({ size: elements * ZERO_SIZE, elements })

const oneKey = ({ keys }: Fragment, { key, signature }: ElementSizes, isHash: boolean): Ways => {
  const [bytes, elements] = isHash ? [key, 1] : [0, 0]
  const condition: Condition = { ask: "keys", required: 1, keys }
  return leaf(asked(condition, signature + bytes, 1 + elements), {
    size: ZERO_SIZE + bytes,
    elements: 1 + elements
  })
}

const RULES: Readonly<Record<Fragment["form"], Rule>> = {
  0: () => leaf(undefined, NOTHING),
  1: () => leaf(NOTHING),
  pk_k: (fragment, _, sizes) => oneKey(fragment, sizes, false),
  pk_h: (fragment, _, sizes) => oneKey(fragment, sizes, true),
  older: lock,
  after: lock,
  sha256: hashed,
  hash256: hashed,
  ripemd160: hashed,
  hash160: hashed,
  multi: ({ k, keys }, _, { signature }) =>
    leaf(asked({ ask: "keys", required: k, keys }, ZERO_SIZE + k * signature, k + 1), zeros(k + 1)),
  multi_a: ({ k, keys }, _, { signature }) => {
    const size = k * signature + (keys.length - k) * ZERO_SIZE
    return leaf(asked({ ask: "keys", required: k, keys }, size, keys.length), zeros(keys.length))
  },
  thresh: ({ k }, parts) => {
    let nsat: Way | undefined = NOTHING
    for (const part of parts) nsat = joined(nsat, part.nsat)
    return { ...counted(k, parts), nsat }
  },
  a: same,
  s: same,
  c: same,
  n: same,
  d: (_, [x]) => ({ ...listed(each(x!.sat, ONE), x!), nsat: ZERO }),
  j: (_, [x]) => ({ ...x!, nsat: ZERO }),
  v: (_, [x]) => ({ ...x!, nsat: undefined }),
  and_v: (_, [x, y]) => ({ ...both(x!, y!), nsat: undefined }),
  and_b: (_, [x, y]) => ({ ...both(x!, y!), nsat: joined(x!.nsat, y!.nsat) }),
  or_b: (_, [x, y]) => ({
    ...listed([...each(x!.sat, y!.nsat), ...each(y!.sat, x!.nsat)], x!, y!),
    nsat: joined(x!.nsat, y!.nsat)
  }),
  or_c: (_, [x, y]) => ({ ...listed([...x!.sat, ...each(y!.sat, x!.nsat)], x!, y!), nsat: undefined }),
  or_d: (_, [x, y]) => ({
    ...listed([...x!.sat, ...each(y!.sat, x!.nsat)], x!, y!),
    nsat: joined(x!.nsat, y!.nsat)
  }),
  or_i: (_, [x, y]) => {
    const [first, second] = [joined(x!.nsat, ONE), joined(y!.nsat, ZERO)]
    const larger = first && second && (first.size > second.size ? first : second)
    return { ...listed([...each(x!.sat, ONE), ...each(y!.sat, ZERO)], x!, y!), nsat: larger ?? first ?? second }
  },
  andor: (_, [x, y, z]) => {
    const [first, second] = [both(x!, y!), { ...z!, sat: each(z!.sat, x!.nsat) }]
    return { ...listed([...first.sat, ...second.sat], first, second), nsat: joined(x!.nsat, z!.nsat) }
  }
}

const conditionsOf = (way: Way): ReadonlyArray<Condition> => {
  const found: Array<Condition> = []
  const open = [way]
  while (open.length > 0) {
    const { after, before, condition } = open.pop()!
    if (condition !== undefined) found.push(condition)
    if (after !== undefined) open.push(after)
    if (before !== undefined) open.push(before)
  }
  return found
}

const TIME_SEQUENCE = 1 << 22
const LOCKTIME_THRESHOLD = 500_000_000

/** Reports whether a way needs the same type of lock by height and by time, which no transaction can satisfy. */
const mixesLocks = (conditions: ReadonlyArray<Condition>): boolean => {
  const kinds = new Set(conditions.flatMap((condition) => {
    if (condition.ask === "after") return [condition.lock < LOCKTIME_THRESHOLD ? "height" : "time"]
    return condition.ask === "older" ? [(condition.lock & TIME_SEQUENCE) === 0 ? "blocks" : "seconds"] : []
  }))
  return kinds.has("height") && kinds.has("time") || kinds.has("blocks") && kinds.has("seconds")
}

/** Lists the ways to satisfy a miniscript that no third party can change into others. */
export const spendingPaths = (root: Fragment, surroundings: Surroundings): SpendingPaths => {
  const known = new Map<Fragment, Ways>()
  for (const fragment of insideOut(root)) {
    const parts = fragment.parts.map((part) => known.get(part)!)
    known.set(fragment, RULES[fragment.form](fragment, parts, ELEMENT_SIZES[surroundings]))
  }
  const { isCut, sat } = known.get(root)!
  const paths = sat.map((way) => ({ conditions: conditionsOf(way), size: way.size, elements: way.elements }))
  return { paths: paths.filter(({ conditions }) => !mixesLocks(conditions)), isCut }
}
