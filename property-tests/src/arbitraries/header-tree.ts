import fc, { type Arbitrary } from "fast-check"
import { sha256d } from "../oracles/hash.ts"
import {
  medianTimePast,
  type NaiveChain,
  type NaiveHeader,
  type NaiveWorkParameters,
  requiredBits,
  serializeHeader
} from "../oracles/header.ts"
import { anyBits, easiestBits } from "./work.ts"

/** A block time: near the one before, late, hours back and forth, or anything. */
const timeStep: Arbitrary<number> = fc.oneof(
  fc.constantFrom(600, 601, 1_200, 1_201, 0, 1, -1, -600, -601, 7_200, -7_200),
  fc.integer({ min: -4_000, max: 6_000 }),
  fc.constantFrom(1_209_600, -1_209_600)
)

const blockVersion: Arbitrary<number> = fc.constantFrom(
  0x20000000,
  0x20000001,
  0x20000002,
  0x3fffffff,
  0x20000003,
  4,
  1,
  0x40000001,
  0x60000001,
  -1,
  -0x80000000,
  0x7fffffff
)

/** How one header comes about. */
interface Step {
  /** How many headers before the last one its parent is; mostly none, so that chains grow. */
  readonly back: number
  readonly time: number
  readonly version: number
  readonly bits: number | undefined
}

const step = (bits: Arbitrary<number | undefined>): Arbitrary<Step> =>
  fc.record({
    back: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) }),
    time: timeStep,
    version: blockVersion,
    bits
  })

/** Headers with the index of each one's parent, which comes before it; the first is the genesis. */
export interface NaiveTree {
  readonly headers: ReadonlyArray<NaiveHeader>
  readonly parents: ReadonlyArray<number>
}

/** From the genesis to header `index`. */
export const chainTo = ({ headers, parents }: NaiveTree, index: number): NaiveChain => {
  const chain: Array<NaiveHeader> = []
  for (let at = index; at >= 0; at = parents[at]!) chain.push(headers[at]!)
  return chain.toReversed()
}

const GENESIS_TIME = 1_300_000_000

const header = (chain: NaiveChain, { time, version, bits }: Step, required: (time: number) => number): NaiveHeader => {
  const parent = chain.at(-1)
  const at = Math.max(0, (parent?.time ?? GENESIS_TIME) + time)
  return {
    version,
    previous: parent === undefined ? new Uint8Array(32) : sha256d(serializeHeader(parent)),
    // Siblings must differ, or they would be one header.
    merkleRoot: sha256d(Uint8Array.of(chain.length & 255, chain.length >> 8)),
    time: at,
    bits: bits ?? required(at),
    nonce: 0
  }
}

const grown = (steps: ReadonlyArray<Step>, make: (chain: NaiveChain, step: Step) => NaiveHeader): NaiveTree => {
  const headers: Array<NaiveHeader> = []
  const parents: Array<number> = []
  for (const [i, each] of steps.entries()) {
    const parent = i === 0 ? -1 : Math.max(0, i - 1 - each.back)
    const made = make(chainTo({ headers, parents }, parent), each)
    headers.push({ ...made, nonce: i })
    parents.push(parent)
  }
  return { headers, parents }
}

/** Trees of up to `maxLength` headers with any bits and times: what nodes can be made of, whatever is valid. */
export const anyTree = (maxLength: number, bits: Arbitrary<number> = anyBits): Arbitrary<NaiveTree> =>
  fc
    .array(step(bits), { minLength: 1, maxLength, size: "max" })
    .map((steps) => grown(steps, (chain, each) => header(chain, each, () => 0)))

/** Trees whose bits are the required ones, or the easiest where there is nothing yet, and now and then any. */
export const retargetedTree = (maxLength: number, work: NaiveWorkParameters): Arbitrary<NaiveTree> =>
  fc
    .array(
      step(
        fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(0x1b0404cb) })
      ),
      {
        minLength: 1,
        maxLength,
        size: "max"
      }
    )
    .map((steps) =>
      grown(steps, (chain, each) =>
        header(chain, each, (time) => (chain.length === 0 ? easiestBits(work) : requiredBits(chain, time, work))))
    )

/** Trees in which every header is later than the median before it. */
export const forwardTree = (maxLength: number): Arbitrary<NaiveTree> =>
  fc.array(step(fc.constant(0x207fffff)), { minLength: 1, maxLength, size: "max" }).map((steps) =>
    grown(steps, (chain, each) => {
      const made = header(chain, each, () => 0)
      return chain.length === 0 ? made : { ...made, time: Math.max(made.time, medianTimePast(chain) + 1) }
    })
  )

/** A tree with the index of one of its headers. */
export const withIndex = (tree: Arbitrary<NaiveTree>): Arbitrary<readonly [tree: NaiveTree, index: number]> =>
  fc.tuple(tree, fc.nat()).map(([made, at]) => [made, at % made.headers.length])

/** The chain to the last header that was made, or to any. */
export const chainIn = (tree: Arbitrary<NaiveTree>): Arbitrary<NaiveChain> =>
  fc.oneof(
    tree.map((made) => chainTo(made, made.headers.length - 1)),
    withIndex(tree).map(([made, index]) => chainTo(made, index))
  )
