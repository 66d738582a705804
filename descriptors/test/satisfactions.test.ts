import { taggedHash } from "@lockstep/kernel/crypto"
import { transactionOf } from "@lockstep/kernel/model"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { assert, describe, it } from "vitest"
import type { SecretKey } from "../src/descriptor/key-text.ts"
import type { Fragment, Surroundings } from "../src/descriptor/miniscript/fragment.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { hasProperties } from "../src/descriptor/miniscript/properties.ts"
import { insanityOf } from "../src/descriptor/miniscript/sanity.ts"
import { scriptOfMiniscript } from "../src/descriptor/miniscript/script-of-miniscript.ts"
import { largestWitness } from "../src/descriptor/miniscript/witness-sizes.ts"
import { leafHash, TAPSCRIPT_VERSION } from "../src/descriptor/taproot-tree.ts"
import { satisfyMiniscript } from "../src/psbt/sign/satisfy-miniscript.ts"
import { signatureCreator } from "../src/psbt/sign/signature-creator.ts"
import { sharedDigests } from "../src/signing/input-digests.ts"
import { randomFrom } from "./random-from.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { LOCKS, PREIMAGE, textsFrom } from "./random-miniscript-texts.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const WANTED = 150
const MOST_TRIED = 20_000
const SIGHASH_ALL = 1
/** Of a witness of which pairs of changes are tried. */
const MOST_ELEMENTS = 4

const NOTHING = new Uint8Array(0)
const { Fn, Point } = { ...secp256k1, Fn: secp256k1.Point.Fn }

/** The private key of a number, the generator times which has an even y. */
const secretOf = (number: number): SecretKey => {
  const scalar = BigInt(number + 1)
  const isOdd = Point.BASE.multiply(scalar).toBytes(true)[0] === 3
  const even = isOdd ? Fn.neg(scalar) : scalar
  return { secret: Fn.toBytes(even), compressed: true, publicKey: Point.BASE.multiply(even).toBytes(true) }
}

/** A miniscript with the script that it stands for, and its keys. */
interface Compiled {
  readonly root: Fragment
  readonly isSane: boolean
  readonly script: Uint8Array
  readonly keys: ReadonlyArray<SecretKey>
  readonly bytes: (key: number) => Uint8Array
}

/** The miniscript of a text; none: it is no whole script, or not within the limits. */
const compiled = (text: string, surroundings: Surroundings): Compiled | undefined => {
  const keys: Array<SecretKey> = []
  const root = parseMiniscript(text, surroundings, (name) => keys.push(secretOf(Number(name))) - 1)!
  if (!hasProperties(root.properties, "B")) return undefined
  const problem = insanityOf(root, surroundings, String)?.problem
  if (problem !== undefined && !/malleable witnesses|without signature/.test(problem)) return undefined
  const bytes = (key: number): Uint8Array => keys[key]!.publicKey.subarray(surroundings === "tr" ? 1 : 0)
  return {
    root,
    keys,
    bytes,
    isSane: problem === undefined,
    script: scriptOfMiniscript(root, { bytes, hash: (key) => nobleCrypto.hash160(bytes(key)) })
  }
}

/** An output of a script, and what its witness ends with. */
const outputOf = (script: Uint8Array, surroundings: Surroundings) => {
  if (surroundings === "wsh") return { output: Uint8Array.of(0, 32, ...nobleCrypto.sha256(script)), ending: [script] }
  const internal = secretOf(1_000_000).publicKey.subarray(1)
  const root = leafHash(script, TAPSCRIPT_VERSION, nobleCrypto)
  const tweak = taggedHash(nobleCrypto, "TapTweak", Uint8Array.of(...internal, ...root))
  const key = Point.fromBytes(Uint8Array.of(2, ...internal)).add(Point.BASE.multiply(Fn.fromBytes(tweak))).toBytes(true)
  const control = Uint8Array.of(TAPSCRIPT_VERSION | (key[0] === 3 ? 1 : 0), ...internal)
  return { output: Uint8Array.of(0x51, 32, ...key.subarray(1)), ending: [script, control] }
}

/** What a spender has. */
interface Means {
  readonly signs: (key: number) => boolean
  readonly knowsPreimage: boolean
  readonly lockTime: number
  readonly sequence: number
}

const EVERYTHING: Means = {
  signs: () => true,
  knowsPreimage: true,
  lockTime: LOCKS.after,
  sequence: LOCKS.older
}

const meansFrom = (random: () => number): Means => {
  const missing = new Set(Array.from({ length: 64 }, (_, key) => key).filter(() => random() < 0.25))
  return {
    signs: (key) => !missing.has(key),
    knowsPreimage: random() < 0.7,
    lockTime: random() < 0.7 ? LOCKS.after : 5,
    sequence: random() < 0.7 ? LOCKS.older : 1
  }
}

/** The witness by which a spender spends the output of a miniscript, and a judge of witnesses. */
const spent = ({ bytes, keys, root, script }: Compiled, surroundings: Surroundings, means: Means) => {
  const { ending, output } = outputOf(script, surroundings)
  const tx = transactionOf({
    version: 2,
    lockTime: means.lockTime,
    inputs: [{
      prevout: { txid: new Uint8Array(32).fill(1), vout: 0 },
      script: NOTHING,
      sequence: means.sequence,
      witness: []
    }],
    outputs: [{ value: 1_000n, script: Uint8Array.of(0x51) }]
  })
  const coin = { value: 2_000n, script: output }
  const digests = sharedDigests(tx, [coin], nobleCrypto)
  const spend = { tx, index: 0, output: coin, spentOutputs: [coin], digests }
  const creator = signatureCreator(spend, SIGHASH_ALL, nobleCrypto)
  const leaf = leafHash(script, TAPSCRIPT_VERSION, nobleCrypto)
  const elements = satisfyMiniscript(root, {
    sign: (key) => {
      if (!means.signs(key)) return undefined
      return surroundings === "wsh" ? creator.ecdsa(keys[key], script, true) : creator.leaf(keys[key], leaf)
    },
    keyBytes: bytes,
    preimage: () => means.knowsPreimage ? PREIMAGE : undefined,
    takesLockTime: creator.takesLockTime,
    takesSequence: creator.takesSequence
  })
  const isSpentBy = (changed: ReadonlyArray<Uint8Array>): boolean => creator.isSpentBy(NOTHING, [...changed, ...ending])
  return { elements, isSpentBy }
}

type Witness = ReadonlyArray<Uint8Array>

/** A third party has no keys, and knows the preimages that the spender knows: no more is promised of a satisfaction. */
const othersOf = ({ knowsPreimage }: Means): Witness => [
  NOTHING,
  Uint8Array.of(1),
  new Uint8Array(32),
  ...knowsPreimage ? [PREIMAGE] : []
]

/** A witness with one change by a third party. */
const changedOnce = (elements: Witness, others: Witness): ReadonlyArray<Witness> =>
  elements.flatMap((_, at) => [elements.toSpliced(at, 1), ...others.map((other) => elements.with(at, other))])

const same = (a: Witness, b: Witness): boolean =>
  a.length === b.length && a.every((element, at) => Buffer.compare(element, b[at]!) === 0)

/** What a third party makes of a witness by two changes. */
const malleated = (elements: Witness, others: Witness): ReadonlyArray<Witness> =>
  changedOnce(elements, others)
    .flatMap((once) => elements.length > MOST_ELEMENTS ? [once] : [once, ...changedOnce(once, others)])
    .filter((changed) => !same(changed, elements))

describe(`satisfactions of random miniscripts, seed ${SEED}`, () => {
  for (const surroundings of ["wsh", "tr"] as const) {
    it(`spend ${surroundings}() outputs in the interpreter, within what is foretold, and cannot be changed by a third party`, () => {
      const random = randomFrom(SEED)
      const next = textsFrom(random, surroundings)
      let [found, partial] = [0, 0]
      for (let tried = 0; found < WANTED && tried < MOST_TRIED; tried++) {
        const text = next()
        const miniscript = compiled(text, surroundings)
        if (miniscript === undefined) continue
        found++
        const whole = spent(miniscript, surroundings, EVERYTHING)
        if (miniscript.isSane) assert.isDefined(whole.elements, `${text} is sane, and everything is there`)
        if (whole.elements !== undefined) assert.isTrue(whole.isSpentBy(whole.elements), text)
        const most = largestWitness(miniscript.root, surroundings)
        const isWithin = (of: Witness): boolean => of.reduce((sum, { length }) => sum + length + 1, 0) <= most!
        if (whole.elements !== undefined) assert.isTrue(isWithin(whole.elements), text)
        const means = meansFrom(random)
        const { elements, isSpentBy } = spent(miniscript, surroundings, means)
        if (elements === undefined) continue
        partial++
        assert.isTrue(isSpentBy(elements), `${text} with ${JSON.stringify(means)}`)
        assert.isTrue(isWithin(elements), text)
        assert.isAtMost(elements.length, miniscript.root.resources.stack.satisfied.taken + 1, text)
        for (const changed of malleated(elements, othersOf(means))) {
          assert.isFalse(
            isSpentBy(changed),
            `${text} is spent by ${changed.map((each) => Buffer.from(each).toString("hex"))}`
          )
        }
      }
      assert.strictEqual(found, WANTED)
      assert.isAbove(partial, WANTED / 10)
    })
  }
})
