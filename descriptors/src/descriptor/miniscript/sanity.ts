import { type Fragment, insideOut, type Surroundings } from "./fragment.ts"
import { hasProperties } from "./properties.ts"

/** Maximum bytes of a script in relayed transactions. */
export const MAX_MINISCRIPT_SIZE: Readonly<Record<Surroundings, number>> = { wsh: 3600, tr: 329_482 }

const MAX_INSTRUCTIONS = 201
const MAX_WITNESS_ITEMS = 100
const MAX_STACK = 1000

const isValid = ({ properties, size }: Fragment, surroundings: Surroundings): boolean =>
  properties !== 0 && size <= MAX_MINISCRIPT_SIZE[surroundings]

/** Greatest use of a limited resource when an expression is satisfied; negative if it cannot be satisfied. */
export interface ResourceUse {
  readonly name: "instructions" | "witness_elements" | "stack_elements"
  readonly used: number
  readonly most: number
}

/** Returns the use of each limited resource when an expression is satisfied. */
export const resourceUse = (
  { properties, resources }: Fragment,
  surroundings: Surroundings
): ReadonlyArray<ResourceUse> => {
  const { most, taken } = resources.stack.satisfied
  // Every expression leaves an element, except those of type V.
  const left = hasProperties(properties, "V") || properties === 0 ? 0 : 1
  if (surroundings === "tr") return [{ name: "stack_elements", used: most + left, most: MAX_STACK }]
  const instructions = resources.instructions + resources.keys.satisfied
  return [
    { name: "instructions", used: instructions, most: MAX_INSTRUCTIONS },
    { name: "witness_elements", used: taken + left, most: MAX_WITNESS_ITEMS }
  ]
}

/** Reports whether every satisfaction stays within the limits of scripts. */
const isAffordable = (fragment: Fragment, surroundings: Surroundings): boolean =>
  resourceUse(fragment, surroundings).every(({ most, used }) => used <= most)

/** Returns the expressions in which a key occurs twice. `identity` is equal for equal keys. */
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

/** A problem of a miniscript, in the words that clients know, with the expression that has it. */
export interface Insanity {
  readonly fragment: Fragment
  readonly problem: string
}

/**
 * Checks that a miniscript can be satisfied without malleability and within all limits, and always needs a signature.
 * Returns the problem of the first innermost expression at fault, or `undefined` if it is safe to use.
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

/** Reports whether a miniscript is safe to use if it can be satisfied, which is not checked. */
export const isSaneMiniscript = (
  root: Fragment,
  surroundings: Surroundings,
  identity: (key: number) => string
): boolean => {
  const insanity = insanityOf(root, surroundings, identity)
  return insanity === undefined || insanity.problem === UNSATISFIABLE
}
