/**
 * Static properties of a miniscript expression (BIP379), one letter each.
 *
 * - Basic types: B base, V verify, K key, W wrapped.
 * - Stack: z takes nothing, o takes one element, n takes a top element that is not zero, d can be dissatisfied, u leaves 1.
 * - Malleability: e has one dissatisfaction, f has none without a signature, s takes a signature, m has a satisfaction
 *   that no third party can change.
 * - x: its last instruction has no form with VERIFY.
 * - Locks: g relative time, h relative height, i absolute time, j absolute height; k: no path needs both kinds.
 */
export type Properties = number

export const PROPERTY_LETTERS = "BVKWzonduefsmxghijk"

const known = new Map<string, Properties>()

/** Returns the properties that letters denote. */
export const properties = (letters: string): Properties => {
  let bits = known.get(letters)
  if (bits === undefined) {
    bits = 0
    for (const letter of letters) bits |= 1 << PROPERTY_LETTERS.indexOf(letter)
    known.set(letters, bits)
  }
  return bits
}

/** Reports whether an expression has all properties that letters denote. */
export const hasProperties = (of: Properties, letters: string): boolean => {
  const wanted = properties(letters)
  return (of & wanted) === wanted
}

const when = (condition: boolean, letters: string): Properties => condition ? properties(letters) : 0

const only = (of: Properties, letters: string): Properties => of & properties(letters)

const onlyWhen = (condition: boolean, of: Properties, letters: string): Properties => condition ? only(of, letters) : 0

const crossed = (x: Properties, y: Properties, one: string, other: string): boolean =>
  (hasProperties(x, one) && hasProperties(y, other)) || (hasProperties(x, other) && hasProperties(y, one))

/** Reports whether two expressions that must both hold require locks by time and by height. */
const mixesLocks = (x: Properties, y: Properties): boolean => crossed(x, y, "g", "h") || crossed(x, y, "i", "j")

type Rule = (x: Properties, y: Properties, z: Properties, isTapscript: boolean) => Properties

/** Rules for all forms with parts except `thresh`. */
const RULES: Readonly<Record<string, Rule>> = {
  a: (x) => when(hasProperties(x, "B"), "W") | only(x, "ghijkudfems") | properties("x"),
  s: (x) => when(hasProperties(x, "Bo"), "W") | only(x, "ghijkudfemsx"),
  c: (x) => when(hasProperties(x, "K"), "B") | only(x, "ghijkondfem") | properties("us"),
  // In tapscript the argument of IF must be minimal by consensus.
  d: (x, _y, _z, isTapscript) =>
    when(hasProperties(x, "Vz"), "B") | when(hasProperties(x, "z"), "o") | when(hasProperties(x, "f"), "e") |
    only(x, "ghijkms") |
    when(isTapscript, "u") | properties("ndx"),
  v: (x) => when(hasProperties(x, "B"), "V") | only(x, "ghijkzonms") | properties("fx"),
  j: (x) =>
    when(hasProperties(x, "Bn"), "B") | when(hasProperties(x, "f"), "e") | only(x, "ghijkoums") | properties("ndx"),
  n: (x) => only(x, "ghijkBzondfems") | properties("ux"),
  and_v: (x, y) =>
    onlyWhen(hasProperties(x, "V"), y, "KVB") | only(x, "n") | onlyWhen(hasProperties(x, "z"), y, "n") |
    onlyWhen(hasProperties(x | y, "z"), x | y, "o") |
    only(x & y, "dmz") | only(x | y, "s") | when(hasProperties(y, "f") || hasProperties(x, "s"), "f") | only(y, "ux") |
    only(x | y, "ghij") |
    when(hasProperties(x & y, "k") && !mixesLocks(x, y), "k"),
  and_b: (x, y) =>
    onlyWhen(hasProperties(y, "W"), x, "B") | onlyWhen(hasProperties(x | y, "z"), x | y, "o") | only(x, "n") |
    onlyWhen(hasProperties(x, "z"), y, "n") |
    onlyWhen(hasProperties(x & y, "s"), x & y, "e") | only(x & y, "dzm") |
    when(hasProperties(x & y, "f") || hasProperties(x, "sf") || hasProperties(y, "sf"), "f") |
    only(x | y, "s") | properties("ux") | only(x | y, "ghij") |
    when(hasProperties(x & y, "k") && !mixesLocks(x, y), "k"),
  or_b: (x, y) =>
    when(hasProperties(x, "Bd") && hasProperties(y, "Wd"), "B") | onlyWhen(hasProperties(x | y, "z"), x | y, "o") |
    onlyWhen(hasProperties(x | y, "s") && hasProperties(x & y, "e"), x & y, "m") | only(x & y, "zse") |
    properties("dux") |
    only(x | y, "ghij") | only(x & y, "k"),
  or_d: (x, y) =>
    onlyWhen(hasProperties(x, "Bdu"), y, "B") | onlyWhen(hasProperties(y, "z"), x, "o") |
    onlyWhen(hasProperties(x, "e") && hasProperties(x | y, "s"), x & y, "m") |
    only(x & y, "zs") | only(y, "ufde") | properties("x") | only(x | y, "ghij") | only(x & y, "k"),
  or_c: (x, y) =>
    onlyWhen(hasProperties(x, "Bdu"), y, "V") | onlyWhen(hasProperties(y, "z"), x, "o") |
    onlyWhen(hasProperties(x, "e") && hasProperties(x | y, "s"), x & y, "m") |
    only(x & y, "zs") | properties("fx") | only(x | y, "ghij") | only(x & y, "k"),
  or_i: (x, y) =>
    only(x & y, "VBKufs") | when(hasProperties(x & y, "z"), "o") | onlyWhen(hasProperties(x | y, "f"), x | y, "e") |
    onlyWhen(hasProperties(x | y, "s"), x & y, "m") | only(x | y, "d") | properties("x") | only(x | y, "ghij") |
    only(x & y, "k"),
  andor: (x, y, z) =>
    onlyWhen(hasProperties(x, "Bdu"), y & z, "BKV") | only(x & y & z, "z") |
    onlyWhen(hasProperties(x | (y & z), "z"), x | (y & z), "o") |
    only(y & z, "u") | onlyWhen(hasProperties(x, "s") || hasProperties(y, "f"), z, "fe") | only(z, "d") |
    onlyWhen(hasProperties(x, "e") && hasProperties(x | y | z, "s"), x & y & z, "m") | only(z & (x | y), "s") |
    properties("x") |
    only(x | y | z, "ghij") | when(hasProperties(x & y & z, "k") && !mixesLocks(x, y), "k")
}

const ofThreshold = (k: number, parts: ReadonlyArray<Properties>): Properties => {
  let [each, signed, taken] = [properties("em"), 0, 0]
  let locks = properties("k")
  for (const [i, part] of parts.entries()) {
    if (!hasProperties(part, i === 0 ? "Bdu" : "Wdu")) return 0
    each &= part
    if (hasProperties(part, "s")) signed++
    taken += hasProperties(part, "z") ? 0 : hasProperties(part, "o") ? 1 : 2
    const isClear = hasProperties(locks & part, "k") && (k <= 1 || !mixesLocks(locks, part))
    locks = only(locks | part, "ghij") | when(isClear, "k")
  }
  const unsigned = parts.length - signed
  return properties("Bdu") | when(taken === 0, "z") | when(taken === 1, "o") |
    when(hasProperties(each, "e") && unsigned === 0, "e") |
    when(hasProperties(each, "em") && unsigned <= k, "m") | when(unsigned < k, "s") | locks
}

const TIME = 1 << 22
const LOCKTIME_THRESHOLD = 500_000_000

const LEAVES: Readonly<Record<string, (k: number) => Properties>> = {
  0: () => properties("Bzudemsxk"),
  1: () => properties("Bzufmxk"),
  pk_k: () => properties("Konudemsxk"),
  pk_h: () => properties("Knudemsxk"),
  older: (k) => properties("Bzfmxk") | properties((k & TIME) === 0 ? "h" : "g"),
  after: (k) => properties("Bzfmxk") | properties(k >= LOCKTIME_THRESHOLD ? "i" : "j"),
  multi: () => properties("Bnudemsk"),
  multi_a: () => properties("Budemsk")
}

const BASIC = properties("BVKW")

/** Returns the properties of an expression, from those of its parts; 0 if it is invalid because a part does not fit. */
export const propertiesOf = (
  form: string,
  k: number,
  parts: ReadonlyArray<Properties>,
  isTapscript: boolean
): Properties => {
  const [x = 0, y = 0, z = 0] = parts
  const rule = RULES[form]
  // A form without a rule that is not one of these leaves is the hash of a preimage.
  const found = form === "thresh"
    ? ofThreshold(k, parts)
    : rule === undefined
    ? LEAVES[form]?.(k) ?? properties("Bonudmk")
    : rule(x, y, z, isTapscript)
  return (found & BASIC) === 0 ? 0 : found
}
