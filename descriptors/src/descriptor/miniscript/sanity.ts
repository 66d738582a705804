import { type Fragment, insideOut, type Surroundings } from "./fragment.ts"
import { hasProperties } from "./properties.ts"

/** Bytes of a script beyond which transactions that spend it are not relayed. */
export const MAX_MINISCRIPT_SIZE: Readonly<Record<Surroundings, number>> = { wsh: 3600, tr: 329_482 }

const MAX_INSTRUCTIONS = 201
const MAX_WITNESS_ITEMS = 100
const MAX_STACK = 1000

const isValid = ({ properties, size }: Fragment, surroundings: Surroundings): boolean =>
  properties !== 0 && size <= MAX_MINISCRIPT_SIZE[surroundings]

/** What of a limit satisfying an expression uses at most; below 0: nothing satisfies it. */
export interface ResourceUse {
  readonly name: "instructions" | "witness_elements" | "stack_elements"
  readonly used: number
  readonly most: number
}

/** What satisfying an expression uses of each limit of scripts. */
export const resourceUse = (
  { properties, resources }: Fragment,
  surroundings: Surroundings
): ReadonlyArray<ResourceUse> => {
  const { most, taken } = resources.stack.satisfied
  // All but V leave an element.
  const left = hasProperties(properties, "V") || properties === 0 ? 0 : 1
  if (surroundings === "tr") return [{ name: "stack_elements", used: most + left, most: MAX_STACK }]
  const instructions = resources.instructions + resources.keys.satisfied
  return [
    { name: "instructions", used: instructions, most: MAX_INSTRUCTIONS },
    { name: "witness_elements", used: taken + left, most: MAX_WITNESS_ITEMS }
  ]
}

/** Whether what satisfies it stays within the limits of scripts. */
const isAffordable = (fragment: Fragment, surroundings: Surroundings): boolean =>
  resourceUse(fragment, surroundings).every(({ most, used }) => used <= most)

/** Expressions with a key that is in them twice; `identity` is the same for keys that are the same. */
const withRepeatedKeys = (all: ReadonlyArray<Fragment>, identity: (key: number) => string): ReadonlySet<Fragment> => {
  const repeated = new Set<Fragment>()
  const keysIn = new Map<Fragment, Set<string>>()
  for (const fragment of all) {
    const { keys, parts } = fragment
    let merged = new Set(keys.map(identity))
    let isRepeated = merged.size !== keys.length || parts.some((part) => repeated.has(part))
    for (const part of isRepeated ? [] : parts) {
      const [smaller, larger] = [merged, keysIn.get(part)!].toSorted((a, b) => a.size - b.size) as [
        Set<string>,
        Set<string>
      ]
      for (const key of smaller) {
        isRepeated ||= larger.has(key)
        larger.add(key)
      }
      merged = larger
    }
    if (isRepeated) repeated.add(fragment)
    keysIn.set(fragment, merged)
  }
  return repeated
}

const UNSATISFIABLE = "is not satisfiable"

/**
 * What is wrong with a miniscript, in the words that clients know: the expression, and why. None: it is safe to use.
 */
export interface Insanity {
  readonly fragment: Fragment
  readonly problem: string
}

/**
 * Whether a miniscript can be satisfied without malleability and within all limits, and always takes a signature. Of
 * the expressions in it that are at fault the first of the innermost is blamed.
 */
export const insanityOf = (
  root: Fragment,
  surroundings: Surroundings,
  identity: (key: number) => string
): Insanity | undefined => {
  const all = insideOut(root)
  const repeated = withRepeatedKeys(all, identity)
  const isSaneInside = (fragment: Fragment): boolean =>
    isValid(fragment, surroundings) && isAffordable(fragment, surroundings) &&
    hasProperties(fragment.properties, "mk") &&
    !repeated.has(fragment)
  const isSane = isSaneInside(root) && hasProperties(root.properties, "Bs")
  const isSatisfiable = root.resources.stack.satisfied.taken !== -Infinity
  if (isSane && isSatisfiable) return undefined
  const fragment = all.find((each) => !isSaneInside(each)) ?? root
  if (!isValid(fragment, surroundings)) return { fragment, problem: "is invalid" }
  if (isSane) return { fragment, problem: UNSATISFIABLE }
  const { properties } = fragment
  const reason = !hasProperties(properties, "m")
    ? ": malleable witnesses exist"
    : fragment === root && !hasProperties(properties, "s")
    ? ": witnesses without signature exist"
    : !hasProperties(properties, "k")
    ? ": contains mixes of timelocks expressed in blocks and seconds"
    : repeated.has(fragment)
    ? ": contains duplicate public keys"
    : !isAffordable(fragment, surroundings)
    ? ": needs witnesses that may exceed resource limits"
    : ""
  return { fragment, problem: `is not sane${reason}` }
}

/** Whether a miniscript is safe to use once it can be satisfied, which it may not be. */
export const isSaneMiniscript = (
  root: Fragment,
  surroundings: Surroundings,
  identity: (key: number) => string
): boolean => {
  const insanity = insanityOf(root, surroundings, identity)
  return insanity === undefined || insanity.problem === UNSATISFIABLE
}
