import { scriptNumberSize } from "./script-number.ts"
import { hasProperties, type Properties, propertiesOf } from "./properties.ts"
import { type Resources, resourcesOf } from "./resources.ts"

/** Context of a miniscript: the script of a P2WSH output, or a leaf of a taproot tree. */
export type Surroundings = "wsh" | "tr"

export type LeafForm = "0" | "1" | "pk_k" | "pk_h" | "older" | "after" | HashForm | "multi" | "multi_a"
export type HashForm = "sha256" | "hash256" | "ripemd160" | "hash160"
export type WrapperForm = "a" | "s" | "c" | "d" | "v" | "j" | "n"
export type BranchForm = "and_v" | "and_b" | "or_b" | "or_c" | "or_d" | "or_i" | "andor" | "thresh"

/** An expression of miniscript (BIP379), with the properties that follow from its parts. */
export interface Fragment {
  readonly form: LeafForm | WrapperForm | BranchForm
  /** A time, or a threshold; 0 if the form has no number. */
  readonly k: number
  /** Indexes of keys among all keys of the miniscript. */
  readonly keys: ReadonlyArray<number>
  /** A hash; empty if the form has no hash. */
  readonly data: Uint8Array
  readonly parts: ReadonlyArray<Fragment>
  readonly properties: Properties
  readonly resources: Resources
  /** Bytes of its script. */
  readonly size: number
}

/** Components of a fragment. */
export interface Made {
  readonly form: Fragment["form"]
  readonly k?: number
  readonly keys?: ReadonlyArray<number>
  readonly data?: Uint8Array
  readonly parts?: ReadonlyArray<Fragment>
}

type Size = (k: number, keys: number, parts: number, surroundings: Surroundings) => number

/** Bytes that a form adds to those of its parts. Only `v` depends on its part. */
const MORE: Readonly<Record<Exclude<Fragment["form"], "v">, number | Size>> = {
  0: 1,
  1: 1,
  pk_h: 24,
  a: 2,
  s: 1,
  c: 1,
  d: 3,
  j: 4,
  n: 1,
  and_v: 0,
  and_b: 1,
  or_b: 1,
  or_c: 2,
  or_d: 3,
  or_i: 3,
  andor: 3,
  sha256: 39,
  hash256: 39,
  ripemd160: 27,
  hash160: 27,
  pk_k: (_k, _keys, _parts, surroundings) => surroundings === "tr" ? 33 : 34,
  older: (k) => 1 + scriptNumberSize(k),
  after: (k) => 1 + scriptNumberSize(k),
  multi: (k, keys) => 1 + scriptNumberSize(keys) + scriptNumberSize(k) + 34 * keys,
  multi_a: (k, keys) => 34 * keys + scriptNumberSize(k) + 1,
  thresh: (k, _keys, parts) => parts + scriptNumberSize(k)
}

const NO_DATA = new Uint8Array(0)

export const fragment = (made: Made, surroundings: Surroundings): Fragment => {
  const { data = NO_DATA, form, k = 0, keys = [], parts = [] } = made
  const [first] = parts
  const isVerified = form === "v" && first !== undefined && hasProperties(first.properties, "x")
  const more = form === "v" ? Number(isVerified) : MORE[form]
  const own = typeof more === "number" ? more : more(k, keys.length, parts.length, surroundings)
  return {
    form,
    k,
    keys,
    data,
    parts,
    properties: propertiesOf(form, k, parts.map((part) => part.properties), surroundings === "tr"),
    resources: resourcesOf(form, k, keys.length, parts.map((part) => part.resources), isVerified),
    size: parts.reduce((sum, { size }) => sum + size, own)
  }
}

/**
 * Lists all expressions in an expression, each after its parts. Not recursive, since expressions may be deeply nested.
 */
export const insideOut = (root: Fragment): ReadonlyArray<Fragment> => {
  const found: Array<Fragment> = []
  const open = [root]
  while (open.length > 0) {
    const next = open.pop()!
    found.push(next)
    for (const part of next.parts) open.push(part)
  }
  return found.reverse()
}

/** Flattens an expression into a list. `spread` expands one expression and may return others in turn. */
export const spreadOut = <A, S>(
  root: Fragment,
  state: S,
  spread: (fragment: Fragment, state: S) => ReadonlyArray<A | readonly [Fragment, S]>,
  isThing: (each: A | readonly [Fragment, S]) => each is A
): ReadonlyArray<A> => {
  const row: Array<A> = []
  const open: Array<A | readonly [Fragment, S]> = [[root, state]]
  while (open.length > 0) {
    const next = open.pop()!
    if (isThing(next)) row.push(next)
    else for (const each of spread(next[0], next[1]).toReversed()) open.push(each)
  }
  return row
}
