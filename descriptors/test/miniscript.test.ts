import { assert, describe, it } from "vitest"
import { decodeMiniscript } from "../src/descriptor/miniscript/decode-miniscript.ts"
import type { Fragment, Surroundings } from "../src/descriptor/miniscript/fragment.ts"
import { inferredMiniscript } from "../src/descriptor/miniscript/inferred-miniscript.ts"
import { miniscriptText } from "../src/descriptor/miniscript/miniscript-text.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { hasProperties } from "../src/descriptor/miniscript/properties.ts"
import { insanityOf } from "../src/descriptor/miniscript/sanity.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { keyOfLetter, lettered, scriptOf } from "./lettered-keys.ts"

const S = "sha256(926a54995ca48600920a19bf7bc502ca5f2f7d07e6f804c4f00ebf0325084dbc)"
const S_CODE = "82012088a820926a54995ca48600920a19bf7bc502ca5f2f7d07e6f804c4f00ebf0325084dbc87"
const T = "sha256(c7bcb868ab4db55ca45f8eefe5b1677d9fc2c4111e295baaee1b34ed352c719b)"
const [A, B, C, D] = [
  "210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  "2102c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  "2102f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
  "2102e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13"
]
const HASH_OF_A = "14751e76e8199196d454941c45d1b3a323f1433bd6"
const half = (push: string | undefined): string => `20${push!.slice(4)}`

/** Scripts that BIP379 publishes. */
const SCRIPTS: ReadonlyArray<readonly [surroundings: Surroundings, text: string, script: string]> = [
  ["wsh", "after(1)", "51b1"],
  ["wsh", "after(2147483647)", "04ffffff7fb1"],
  ["wsh", "after(500000000)", "040065cd1db1"],
  ["wsh", "and_b(after(1),a:and_b(after(1),ac:pk_h(A)))", `51b16b51b16b76a9${HASH_OF_A}88ac6c9a6c9a`],
  ["wsh", "and_b(after(1),a:and_b(after(500000001),sc:pk_k(A)))", `51b16b040165cd1db17c${A}ac9a6c9a`],
  [
    "wsh",
    `and_b(after(1),a:and_b(after(1),a:andor(${S},after(1),after(1))))`,
    `51b16b51b16b${S_CODE}6451b16751b1686c9a6c9a`
  ],
  [
    "wsh",
    "and_b(after(1),a:and_b(j:multi(2,A,B,C),a:after(500000001)))",
    `51b16b82926352${A}${B}${C}53ae686b040165cd1db16c9a6c9a`
  ],
  [
    "wsh",
    "and_b(after(1),a:and_b(multi(2,A,B,C),s:or_i(after(500000001),0)))",
    `51b16b52${A}${B}${C}53ae7c63040165cd1db16700689a6c9a`
  ],
  [
    "wsh",
    "and_b(after(1),a:andor(c:pk_k(A),after(500000001),jc:pk_k(B)))",
    `51b16b${A}ac64829263${B}ac6867040165cd1db1686c9a`
  ],
  [
    "wsh",
    "and_b(after(1),a:andor(multi(2,A,B,C),n:after(500000001),c:pk_k(D)))",
    `51b16b52${A}${B}${C}53ae64${D}ac67040165cd1db192686c9a`
  ],
  [
    "tr",
    `and_b(multi_a(2,A,B,C),a:andor(${S},n:after(1),after(1)))`,
    `${half(A)}ac${half(B)}ba${half(C)}ba529c6b${S_CODE}6451b16751b192686c9a`
  ],
  [
    "tr",
    `and_b(multi_a(2,A,B,C),a:andor(${S},c:pk_k(D),after(1)))`,
    `${half(A)}ac${half(B)}ba${half(C)}ba529c6b${S_CODE}6451b167${half(D)}ac686c9a`
  ]
]

/**
 * Figures that BIP379 publishes: bytes, instructions, elements of the witness with the script, mixed locks, no one can
 * change it.
 */
const FIGURES: ReadonlyArray<
  readonly [Surroundings, string, size: number, instructions: number, witness: number, mixed: boolean, safe: boolean]
> = [
  ["wsh", "after(1)", 2, 1, 1, false, true],
  ["wsh", "and_b(after(1),a:and_b(after(1),ac:pk_h(A)))", 35, 12, 3, false, true],
  ["wsh", "and_b(after(1),a:and_b(after(500000001),aj:multi(2,A,B,C)))", 123, 16, 4, true, true],
  ["wsh", `and_b(after(1),a:and_b(c:pk_h(A),a:or_d(${T},${T})))`, 114, 22, 5, false, false],
  ["wsh", "and_b(after(1),a:and_b(multi(2,A,B,C),a:multi(2,D,E,F)))", 218, 15, 7, false, true],
  ["wsh", "and_b(after(1),a:andor(c:pk_h(A),after(500000001),c:pk_h(B)))", 64, 16, 5, true, true],
  ["wsh", "and_b(after(1),a:andor(j:multi(2,A,B,C),multi(2,D,E,F),c:pk_h(G)))", 247, 23, 7, false, false],
  ["wsh", "and_b(after(1),a:and_v(v:multi(2,A,B,C),multi(2,D,E,F)))", 215, 12, 7, false, true],
  ["wsh", "and_b(after(1),a:or_b(multi(2,A,B,C),a:or_d(multi(2,D,E,F),multi(2,G,I,J))))", 326, 22, 10, false, true],
  ["wsh", "and_b(after(1),a:or_i(0,and_b(after(500000001),a:multi(2,A,B,C))))", 123, 15, 5, true, true],
  ["wsh", `and_b(after(1),a:thresh(2,multi(2,A,B,C),a:multi(2,D,E,F),s:${T}))`, 261, 22, 8, false, false],
  ["wsh", "and_b(after(1),sjc:pk_k(A))", 43, 8, 2, false, true],
  ["tr", `andor(and_b(${T},a:multi_a(2,A,B,C)),after(1),multi_a(2,D,E,F))`, 255, 0, 8, false, false],
  [
    "tr",
    "andor(andor(multi_a(2,A,B,C),multi_a(2,D,E,F),multi_a(2,G,I,J)),multi_a(2,K,L,M),multi_a(2,N,O,P))",
    526,
    0,
    10,
    false,
    true
  ],
  ["tr", "andor(andor(multi_a(2,A,B,C),n:after(1),0),after(500000001),0)", 121, 0, 4, true, true],
  [
    "tr",
    `andor(andor(multi_a(2,A,B,C),${S},multi_a(2,D,E,F)),multi_a(2,G,I,J),or_d(multi_a(2,K,L,M),multi_a(2,N,O,P)))`,
    568,
    0,
    13,
    false,
    true
  ]
]

/** Expressions whose parts do not fit, from BIP379. */
const MISFITS: ReadonlyArray<string> = [
  `or_b(or_i(0,${S}),after(1))`,
  "or_b(s:pk_h(A),after(500000001))",
  "or_d(j:multi(2,A,B,C),pk_k(D))",
  `dc:${S}`,
  "and_v(multi(2,A,B,C),after(1))",
  "csn:pk_k(A)",
  `thresh(2,${S},pk_k(A),after(1))`,
  "or_d(pk_k(A),pk_k(B))",
  "ca:after(1)",
  "and_b(pk_h(A),a:pk_k(B))",
  `cda:${S}`,
  "thresh(2,n:pk_k(A),after(500000001),pk_k(B))",
  "or_i(0,or_c(after(1),pk_h(A)))",
  "andor(pk_h(A),multi(2,B,C,D),after(500000001))"
]

/** What is wrong with miniscripts, in Bitcoin Core's words. */
const INSANE: ReadonlyArray<readonly [surroundings: Surroundings, text: string, problem: string | undefined]> = [
  ["wsh", "pk(A)", undefined],
  ["wsh", "and_v(v:pk(A),pk(A))", "and_v(v:pk(A),pk(A)) is not sane: contains duplicate public keys"],
  ["wsh", "or_i(multi(1,A,B),pk(B))", "or_i(multi(1,A,B),pk(B)) is not sane: contains duplicate public keys"],
  ["wsh", "older(1)", "older(1) is not sane: witnesses without signature exist"],
  ["wsh", "or_b(pk(A),s:pk(B))", undefined],
  [
    "wsh",
    "and_v(v:pk(A),or_i(sha256(926a54995ca48600920a19bf7bc502ca5f2f7d07e6f804c4f00ebf0325084dbc),older(1)))",
    `or_i(${S},older(1)) is not sane: malleable witnesses exist`
  ],
  [
    "wsh",
    "and_v(v:pk(A),and_v(v:older(1),older(4194304)))",
    "and_v(v:older(1),older(4194304)) is not sane: contains mixes of timelocks expressed in blocks and seconds"
  ],
  ["wsh", "pk_k(A)", "pk_k(A) is not sane"],
  ["wsh", "and_b(pk(A),pk(B))", "and_b(pk(A),pk(B)) is invalid"],
  ["wsh", "0", "0 is not satisfiable"],
  ["wsh", "j:and_b(1,a:pkh(A))", "j:and_b(1,a:pkh(A)) is invalid"],
  // Only the consensus of tapscript makes sure of what d: leaves.
  ["tr", "and_v(v:pk(A),or_d(dv:1,pk(B)))", undefined],
  ["wsh", "and_v(v:pk(A),or_d(dv:1,pk(B)))", "or_d(dv:1,pk(B)) is invalid"],
  ["tr", "thresh(2,dv:older(42),s:pk(A),s:pk(B))", undefined]
]

const rootOf = (text: string, surroundings: Surroundings) => {
  const { letters, root } = lettered(text, surroundings)
  assert.isDefined(root, text)
  return { letters, root: root! }
}

const problemOf = (text: string, surroundings: Surroundings): string | undefined => {
  const { letters, root } = rootOf(text, surroundings)
  const insanity = insanityOf(root, surroundings, (key) => letters[key]!)
  return insanity && `${miniscriptText(insanity.fragment, (key) => letters[key]!)} ${insanity.problem}`
}

/** Only P2WSH counts instructions. */
const taken = (
  { resources: { instructions, keys, stack }, size }: Fragment,
  surroundings: Surroundings
) => [size, surroundings === "tr" ? 0 : instructions + keys.satisfied, stack.satisfied.taken + 2]

describe("miniscripts", () => {
  it("stand for the scripts that BIP379 publishes, as long as they say", () => {
    for (const [surroundings, text, script] of SCRIPTS) {
      const { letters, root } = rootOf(text, surroundings)
      assert.strictEqual(hexOf(scriptOf(root, letters, surroundings)), script, text)
      assert.strictEqual(root.size, script.length / 2, text)
    }
  })

  it("take what BIP379 says they take", () => {
    for (const [surroundings, text, size, instructions, witness, mixed, safe] of FIGURES) {
      const { root } = rootOf(text, surroundings)
      // Where another party can change the witness, the publication counts ways that no wallet should take.
      const observed = safe ? 3 : 2
      assert.deepStrictEqual(
        taken(root, surroundings).slice(0, observed),
        [size, instructions, witness].slice(0, observed),
        text
      )
      assert.deepStrictEqual(
        [!hasProperties(root.properties, "k"), hasProperties(root.properties, "m")],
        [mixed, safe],
        text
      )
    }
  })

  it("are none when their parts do not fit", () => {
    for (const text of MISFITS) {
      const { root } = rootOf(text, "wsh")
      assert.isFalse(hasProperties(root.properties, "B"), text)
    }
  })

  it("that are not safe are refused with the expression at fault and the reason", () => {
    for (const [surroundings, text, problem] of INSANE) assert.strictEqual(problemOf(text, surroundings), problem, text)
  })

  it("are written in their shortest form", () => {
    const cases: ReadonlyArray<readonly [given: string, written: string]> = [
      ["c:pk_k(A)", "pk(A)"],
      ["and_v(vc:pk_h(A),1)", "tv:pkh(A)"],
      ["or_i(0,or_i(pk(A),0))", "lu:pk(A)"],
      ["andor(pk(A),older(1),0)", "and_n(pk(A),older(1))"],
      ["thresh(1,pk(A),sc:pk_k(B))", "thresh(1,pk(A),s:pk(B))"],
      ["wsh:pk(A)", ""]
    ]
    for (const [given, written] of cases) {
      const { letters, root } = lettered(given, "wsh")
      assert.strictEqual(root === undefined ? "" : miniscriptText(root, (key) => letters[key]!), written)
    }
  })

  it("are no miniscripts with a number, a hash or a bracket that is wrong", () => {
    const wrong = [
      "",
      "older(0)",
      "older(2147483648)",
      "after(-1)",
      "after(x)",
      "pk(a)",
      "pk(A",
      "pk(A))",
      "sha256(00)",
      "multi(0,A)",
      "multi(2,A)",
      "multi()",
      "multi(1,A,)",
      "multi_a(1,A)",
      "thresh(0,pk(A))",
      "thresh(2,pk(A))",
      "thresh(1,pk(A)",
      "and_v(v:pk(A))",
      "and_v(v:pk(A),1,1)",
      "vv:pk(A)",
      "x:pk(A)",
      ":pk(A)",
      "or_i(0;1)",
      "2"
    ]
    for (const text of wrong) assert.isUndefined(lettered(text, "wsh").root, text)
    assert.isUndefined(lettered("multi(1,A)", "tr").root)
    assert.isDefined(lettered("multi_a(1,A)", "tr").root)
  })
})

/** The miniscript of a script whose keys are letters. */
const decoded = (script: Uint8Array, surroundings: Surroundings): string | undefined => {
  const of = (bytes: Uint8Array, known: (letter: string) => Uint8Array): number | undefined => {
    const place = Array.from("ABCDEFGIJ").findIndex((letter) => hexOf(known(letter)) === hexOf(bytes))
    return place < 0 ? undefined : place
  }
  const shown = (letter: string): Uint8Array => keyOfLetter(letter).subarray(surroundings === "tr" ? 1 : 0)
  const root = decodeMiniscript(script, surroundings, {
    ofBytes: (bytes) => of(bytes, shown),
    ofHash: (hash) => of(hash, (letter) => nobleCrypto.hash160(shown(letter)))
  })
  return root && miniscriptText(root, (key) => "ABCDEFGIJ"[key]!)
}

describe("scripts that are miniscript", () => {
  it("are distinguished from those that are not, and come back as they were written", () => {
    const texts = [...SCRIPTS, ...FIGURES].filter(([, text]) => !/[K-P]/.test(text)).map(([surroundings, text]) =>
      [surroundings, text] as const
    )
    for (
      const [surroundings, text] of [...texts, ["wsh", "and_v(v:pk(A),or_d(pk(B),older(12960)))"], [
        "wsh",
        "0"
      ]] as const
    ) {
      const { letters, root } = rootOf(text, surroundings)
      const script = scriptOf(root, letters, surroundings)
      assert.strictEqual(decoded(script, surroundings), miniscriptText(root, (key) => letters[key]!), text)
      if (script.length > 1) assert.isUndefined(decoded(script.subarray(1), surroundings), text)
    }
  })

  it("of two ways to write one know the one with the fewest parts in a wrapper", () => {
    const { letters, root } = rootOf("c:and_v(v:pk(A),pk_k(B))", "wsh")
    assert.strictEqual(decoded(scriptOf(root, letters, "wsh"), "wsh"), "and_v(v:pk(A),pk(B))")
  })

  it("are as short as they may be", () => {
    const cases: ReadonlyArray<readonly [script: string, found: string | undefined]> = [
      [`${A}ac`, "pk(A)"],
      [`${A}ad51`, "tv:pk(A)"],
      // CHECKSIG VERIFY for CHECKSIGVERIFY; a push with a length of its own; a number in two bytes.
      [`${A}ac6951`, undefined],
      [`4c${A}ac`, undefined],
      [`${A}ad020100b2`, undefined],
      [`${A}ad0110b2`, undefined],
      [`${A}ad60b2`, "and_v(v:pk(A),older(16))"],
      [`${A}ad00b2`, undefined],
      ["55b27521", undefined],
      [`52${A}ae`, undefined],
      [`51${A}51ae`, "multi(1,A)"],
      [`00${A}51ae`, undefined],
      ["", undefined]
    ]
    for (const [script, found] of cases) {
      assert.strictEqual(decoded(Uint8Array.from(Buffer.from(script, "hex")), "wsh"), found, script)
    }
  })

  it("are shown inside of wsh() when they are sane and show their keys", () => {
    const bytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, "hex"))
    const key = (push: string | undefined): string => push!.slice(2)
    assert.strictEqual(inferredMiniscript(bytes(`${A}ad029000b2`)), `and_v(v:pk(${key(A)}),older(144))`)
    assert.strictEqual(inferredMiniscript(bytes("00")), "0")
    assert.isUndefined(inferredMiniscript(bytes("51")))
    assert.isUndefined(inferredMiniscript(bytes(`76a9${HASH_OF_A}88ac`)))
    assert.isUndefined(inferredMiniscript(bytes(`${A}ad${A}ac`)))
    assert.isUndefined(inferredMiniscript(bytes(`2104${A!.slice(4)}ac`)))
  })
})

describe("large miniscripts", () => {
  it("may be deep without using up the stack", () => {
    const deep = `${"n".repeat(100_000)}:pk(A)`
    const { letters, root } = rootOf(deep, "tr")
    assert.strictEqual(scriptOf(root, letters, "tr").length, 100_034)
    assert.strictEqual(miniscriptText(root, () => "A").length, 100_006)
    assert.isUndefined(insanityOf(root, "tr", (key) => letters[key]!))
    assert.isUndefined(lettered(`${"or_i(".repeat(200_000)}`, "tr").root)
  })

  it("beyond the limits of scripts are not sane, or none", () => {
    assert.match(
      problemOf(`${"n".repeat(201)}:pk(A)`, "wsh")!,
      /^n{201}:pk\(A\) is not sane: needs witnesses that may exceed resource limits$/
    )
    assert.isUndefined(problemOf(`${"n".repeat(200)}:pk(A)`, "wsh"))
    assert.isUndefined(problemOf(`${"n".repeat(201)}:pk(A)`, "tr"))
    assert.isUndefined(lettered(`${"n".repeat(4_000)}:pk(A)`, "wsh").root)
    const signers = (count: number, more: string): string | undefined => {
      const names: Array<string> = []
      const root = parseMiniscript(
        `and_b(multi_a(1${",K".repeat(count)}),${more})`,
        "tr",
        (name) => names.push(name) - 1
      )
      return insanityOf(root!, "tr", (key) => `${names[key]}${key}`)?.problem
    }
    // As many signatures, one more, a key and what the last one is compared with: at most a thousand.
    assert.isUndefined(signers(997, "a:pk(L)"))
    assert.strictEqual(signers(999, "a:pk(L)"), "is not sane: needs witnesses that may exceed resource limits")
    assert.isUndefined(lettered(`thresh(1,pk(A)${",a:0".repeat(20_000)})`, "tr").root)
  })
})
