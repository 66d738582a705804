import type { PreimageKind } from "@lockstep/protocol/psbt/psbt.ts"
import { assert, describe, it } from "vitest"
import type { Fragment, Surroundings } from "../src/descriptor/miniscript/fragment.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { insanityOf } from "../src/descriptor/miniscript/sanity.ts"
import { type Condition, MOST_PATHS, spendingPaths } from "../src/descriptor/miniscript/spending-paths.ts"
import { largestWitness } from "../src/descriptor/miniscript/witness-sizes.ts"
import { satisfyMiniscript } from "../src/psbt/sign/satisfy-miniscript.ts"
import { randomFrom } from "./random-from.ts"
import { LOCKS, PREIMAGE, textsFrom } from "./random-miniscript-texts.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const WANTED = 400
const MOST_TRIED = 40_000

/** Signatures and keys as large as they can be. */
const LARGEST = { wsh: { signature: 72, key: 33 }, tr: { signature: 65, key: 32 } } as const

const parsed = (text: string, surroundings: Surroundings): Fragment | undefined => {
  let keys = 0
  return parseMiniscript(text, surroundings, () => keys++)
}

/** What a spender has: keys by their places, hashes by their forms, locks. */
interface Means {
  readonly signs: (key: number) => boolean
  readonly knows: (form: string) => boolean
  readonly takes: (ask: "after" | "older", lock: number) => boolean
}

/** The witness that the signer of this package makes of these means. */
const witnessOf = (root: Fragment, surroundings: Surroundings, { knows, signs, takes }: Means) => {
  const { key, signature } = LARGEST[surroundings]
  return satisfyMiniscript(root, {
    sign: (place) => signs(place) ? new Uint8Array(signature) : undefined,
    keyBytes: () => new Uint8Array(key),
    preimage: (form: PreimageKind) => knows(form) ? PREIMAGE : undefined,
    takesLockTime: (lock) => takes("after", lock),
    takesSequence: (lock) => takes("older", lock)
  })
}

const sizeOf = (elements: ReadonlyArray<Uint8Array>): number =>
  elements.reduce((sum, { length }) => sum + length + 1, 0)

/** Just what one way asks for. */
const meansOf = (conditions: ReadonlyArray<Condition>): Means => {
  const keys = conditions.flatMap((condition) =>
    condition.ask === "keys" ? condition.keys.slice(0, condition.required) : []
  )
  return {
    signs: (key) => keys.includes(key),
    knows: (form) => conditions.some((condition) => condition.ask === "preimage" && condition.form === form),
    takes: (ask, lock) => conditions.some((condition) => condition.ask === ask && condition.lock === lock)
  }
}

const anyMeans = (random: () => number): Means => {
  const [missing, forms] = [new Set<number>(), new Map<string, boolean>()]
  for (let key = 0; key < 64; key++) if (random() < 0.3) missing.add(key)
  for (const form of ["sha256", "hash256", "ripemd160", "hash160"]) forms.set(form, random() < 0.7)
  const [after, older] = [random() < 0.7, random() < 0.7]
  return {
    signs: (key) => !missing.has(key),
    knows: (form) => forms.get(form)!,
    takes: (ask) => ask === "after" ? after : older
  }
}

/** Sane miniscripts that a seed leads to. */
const saneOnes = (random: () => number, surroundings: Surroundings) => {
  const next = textsFrom(random, surroundings)
  const found: Array<{ readonly text: string; readonly root: Fragment }> = []
  for (let tried = 0; found.length < WANTED && tried < MOST_TRIED; tried++) {
    const text = next()
    const root = parsed(text, surroundings)
    if (root !== undefined && insanityOf(root, surroundings, String) === undefined) found.push({ text, root })
  }
  return found
}

describe(`witnesses of random sane miniscripts, seed ${SEED}`, () => {
  for (const surroundings of ["wsh", "tr"] as const) {
    it(`of ${surroundings}() are no larger than foretold, and the way that is foretold has that size`, () => {
      const random = randomFrom(SEED)
      let [ways, exact, whole] = [0, 0, 0]
      for (const { root, text } of saneOnes(random, surroundings)) {
        const most = largestWitness(root, surroundings)
        assert.isDefined(most, text)
        const { isCut, paths } = spendingPaths(root, surroundings)
        if (!isCut) assert.strictEqual(Math.max(...paths.map(({ size }) => size)), most, text)
        for (const path of paths) {
          const elements = witnessOf(root, surroundings, meansOf(path.conditions))
          assert.isDefined(elements, `${text} by ${JSON.stringify(path.conditions)}`)
          // Where a way needs more than a smaller one, the smaller one is taken.
          assert.isAtMost(sizeOf(elements!), path.size, text)
          ways++
          if (sizeOf(elements!) === path.size && elements!.length === path.elements) exact++
        }
        for (let i = 0; i < 4; i++) {
          const elements = witnessOf(root, surroundings, anyMeans(random))
          if (elements === undefined) continue
          whole++
          assert.isAtMost(sizeOf(elements), most!, text)
        }
      }
      assert.isAbove(ways, WANTED)
      assert.isAbove(whole, WANTED)
      assert.isAbove(exact, ways * 0.9)
    })
  }
})

const A64 = "aa".repeat(32)

/** The bytes of each were counted by hand: 73 a signature in wsh(), 66 in tr(), 34 or 33 a key, 33 a preimage. */
const COUNTED: ReadonlyArray<readonly [Surroundings, string, size: number, ways: number]> = [
  ["wsh", "pk(A)", 73, 1],
  ["wsh", "pkh(A)", 73 + 34, 1],
  ["wsh", "multi(2,A,B,C)", 1 + 2 * 73, 1],
  ["wsh", "and_v(v:pk(A),sha256(" + A64 + "))", 73 + 33, 1],
  ["wsh", "andor(pk(A),older(10),pk(B))", 1 + 73, 2],
  ["wsh", "or_d(pk(A),and_v(v:pkh(B),older(10)))", 1 + 73 + 34, 2],
  ["wsh", "or_i(pk(A),pkh(B))", 73 + 34 + 1, 2],
  ["wsh", "thresh(2,pk(A),s:pk(B),sln:older(144))", 2 * 73 + 2, 3],
  ["wsh", "and_v(or_c(pk(A),v:pkh(B)),pk(C))", 73 + 1 + 73 + 34, 2],
  ["tr", "pk(A)", 66, 1],
  ["tr", "multi_a(2,A,B,C)", 2 * 66 + 1, 1],
  ["tr", "and_v(v:pkh(A),hash160(" + "bb".repeat(20) + "))", 66 + 33 + 33, 1]
]

describe("the largest witness of a miniscript", () => {
  it.each(COUNTED)("%s(%s) has %i bytes, and %i ways lead there", (surroundings, text, size, ways) => {
    const root = parsed(text, surroundings)!
    assert.strictEqual(largestWitness(root, surroundings), size)
    const { isCut, paths } = spendingPaths(root, surroundings)
    assert.deepStrictEqual([paths.length, isCut], [ways, false])
  })

  it("is none where nothing satisfies it", () => {
    const root = parsed("and_v(v:pk(A),0)", "wsh")!
    assert.isUndefined(largestWitness(root, "wsh"))
    assert.deepStrictEqual(spendingPaths(root, "wsh"), { paths: [], isCut: false })
  })

  it("leaves out ways that need a height and a time", () => {
    const root = parsed(`and_v(v:pk(A),and_v(v:after(${LOCKS.after}),after(5)))`, "wsh")!
    assert.deepStrictEqual(spendingPaths(root, "wsh").paths, [])
    assert.isDefined(largestWitness(root, "wsh"))
  })

  it("is known of scripts with more ways than are listed, and of those too large to list any", () => {
    const keys = Array.from({ length: 40 }, (_, i) => i === 0 ? "pk(K)" : "s:pk(K)")
    const some = parsed(`thresh(20,${keys.join(",")})`, "tr")!
    assert.strictEqual(largestWitness(some, "tr"), 20 * 66 + 20)
    const { isCut, paths } = spendingPaths(some, "tr")
    assert.deepStrictEqual([paths.length, isCut], [MOST_PATHS, true])
    for (const { conditions } of paths) assert.strictEqual(conditions.length, 20)
    const many = Array.from({ length: 900 }, (_, i) => i === 0 ? "pk(K)" : "s:pk(K)")
    const large = parsed(`thresh(450,${many.join(",")})`, "tr")!
    assert.strictEqual(largestWitness(large, "tr"), 450 * 67)
    assert.deepStrictEqual(spendingPaths(large, "tr"), { paths: [], isCut: true })
  })
})
