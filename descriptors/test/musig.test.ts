import { assert, describe, it } from "vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Result from "effect/Result"
import { descriptorText, type Expression, isRanged, scriptsAt } from "../src/descriptor/descriptor.ts"
import { parseDescriptor } from "../src/descriptor/parse-descriptor.ts"
import { keyAggregate } from "@scure/btc-signer/musig2.js"
import { aggregateKey, musigKeyBytes, sortedParticipants } from "../src/descriptor/aggregate-key.ts"
import { testKey } from "./spend-of.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"

/** The private key of the first of the public ones. */
const SECRET = "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU74sHUHy8S"
const F = "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
const [D, E] = [
  "03dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
  "023590a94e768f8e1815c2f24b4d80a8e3149316c3518ce7b7ad338368d038ca66"
]
const X =
  "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL"
const Y =
  "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y"
const THREE = `${F},${D},${E}`

/** Scripts at the first positions, as BIP390 publishes them. */
const PUBLISHED: ReadonlyArray<readonly [descriptor: string, scripts: ReadonlyArray<string>]> = [
  [`rawtr(musig(${SECRET},${D},${E}))`, ["5120789d937bade6673538f3e28d8368dda4d0512f94da44cf477a505716d26a1575"]],
  [`tr(musig(${THREE}))`, ["512079e6c3e628c9bfbce91de6b7fb28e2aec7713d377cf260ab599dcbc40e542312"]],
  [`rawtr(musig(${X},${Y})/0/*)`, [
    "51209508c08832f3bb9d5e8baf8cb5cfa3669902e2f2da19acea63ff47b93faa9bfc",
    "51205ca1102663025a83dd9b5dbc214762c5a6309af00d48167d2d6483808525a298",
    "51207dbed1b89c338df6a1ae137f133a19cae6e03d481196ee6f1a5c7d1aeb56b166"
  ]],
  [`tr(musig(${X},${Y})/0/*,pk(${F.slice(2)}))`, [
    "51201d377b637b5c73f670f5c8a96a2c0bb0d1a682a1fca6aba91fe673501a189782",
    "51208950c83b117a6c208d5205ffefcf75b187b32512eb7f0d8577db8d9102833036",
    "5120a49a477c61df73691b77fcd563a80a15ea67bb9c75470310ce5c0f25918db60d"
  ]],
  [`tr(${F.slice(2)},pk(musig(${X},${Y})/0/*))`, [
    "512068983d461174afc90c26f3b2821d8a9ced9534586a756763b68371a404635cc8",
    "5120368e2d864115181bdc8bb5dc8684be8d0760d5c33315570d71a21afce4afd43e",
    "512097a1e6270b33ad85744677418bae5f59ea9136027223bc6e282c47c167b471d5"
  ]]
]

const MANY = Array.from({ length: 1_001 }, (_, i) => hexOf(testKey(1 + i % 200).publicKey))

const ELSEWHERE = "musig() is only allowed in tr() and rawtr()"

const WRONG: ReadonlyArray<readonly [text: string, message: string]> = [
  [`pk(musig(${THREE}))`, `pk(): ${ELSEWHERE}`],
  [`wpkh(musig(${THREE}))`, `wpkh(): ${ELSEWHERE}`],
  [`sh(wsh(pk(musig(${THREE}))))`, `pk(): ${ELSEWHERE}`],
  [`wsh(musig(${THREE}))`, "A function is needed within P2WSH"],
  [`sh(musig(${THREE}))`, "A function is needed within P2SH"],
  [`tr(musig(musig(${F},${D}),${E}))`, "tr(): Too many ')' in musig() expression"],
  ["tr(musig())", "tr(): musig(): Must contain key expressions"],
  [`tr(musig(${MANY.join(",")}))`, "tr(): musig(): Cannot have more than 1000 participants in one descriptor"],
  [
    `tr(${F.slice(2)},{pk(musig(${MANY.slice(0, 500).join(",")})),pk(musig(${MANY.slice(0, 501).join(",")}))})`,
    "pk(): musig(): Cannot have more than 1000 participants in one descriptor"
  ],
  [`tr(musig(${F},))`, "tr(): musig(): No key provided"],
  [`tr(musig(${F.slice(2)}))`, `tr(): musig(): Pubkey '${F.slice(2)}' is invalid`],
  [`tr(musig(${THREE})/0/0)`, "tr(): musig(): derivation requires all participants to be xpubs or xprvs"],
  [`tr(musig(${X}/*,${Y})/0/*)`, "tr(): musig(): Cannot have ranged participant keys if musig() also has derivation"],
  [`tr(musig(${X},${Y})/0h/*)`, "tr(): musig(): cannot have hardened derivation steps"],
  [`tr(musig(${X},${Y})/0/*h)`, "tr(): musig(): Cannot have hardened child derivation"],
  [
    `tr(musig(${X}/<0;1>,${Y})/<0;1>/*)`,
    "tr(): musig(): Cannot have multipath participant keys if musig() is also multipath"
  ],
  [`tr(musig(${X}/<0;1>,${Y}/<0;1;2>))`, "tr(): musig(): Multipath derivation paths have mismatched lengths"]
]

const context = { network: NETWORKS.mainnet, crypto: nobleCrypto }

const parsed = (text: string): ReadonlyArray<Expression> => Result.getOrThrow(parseDescriptor(text, NETWORKS.mainnet))

const scriptAt = (expression: Expression, position: number): string =>
  hexOf(scriptsAt(expression, position, context)![0]!.script)

describe("keys of several signers together", () => {
  it("make the scripts that BIP390 publishes, in whatever order the signers are named", () => {
    for (const [text, scripts] of PUBLISHED) {
      const [expression] = parsed(text)
      assert.strictEqual(isRanged(expression!), scripts.length > 1, text)
      assert.deepStrictEqual(scripts.map((_, i) => scriptAt(expression!, i)), scripts, text)
    }
    const [other] = parsed(`tr(musig(${E},${F},${D}))`)
    assert.strictEqual(scriptAt(other!, 0), PUBLISHED[1]![1][0])
  })

  it("are added up to the key that the signing library finds, with keys that come again too", () => {
    const keys = Array.from({ length: 40 }, (_, i) => testKey(40 - i).publicKey)
    const [a, b, c] = [keys[0]!, keys[1]!, keys[2]!]
    for (const participants of [[a], [a, b], [b, a], [a, a], [a, a, b, a, c, b], keys]) {
      const sorted = sortedParticipants(participants)
      assert.deepStrictEqual(aggregateKey(participants), keyAggregate([...sorted]).aggPublicKey.toBytes(true))
      const unsorted = musigKeyBytes({ participants, tweaks: [] })
      assert.deepStrictEqual(unsorted, keyAggregate([...participants]).aggPublicKey.toBytes(true))
    }
    assert.isUndefined(musigKeyBytes({ participants: [a, new Uint8Array(33)], tweaks: [] }))
    assert.isUndefined(musigKeyBytes({ participants: [], tweaks: [] }))
  })

  it("are refused with the reason", () => {
    for (const [text, message] of WRONG) {
      const result = parseDescriptor(text, NETWORKS.mainnet)
      assert.strictEqual(Result.isFailure(result) ? result.failure : "no problem", message, text)
    }
  })

  it("are written as they were read, without private keys, each alternative on its own", () => {
    const bare = (expression: Expression) => descriptorText(expression).split("#")[0]
    const [first, second, ...more] = parsed(`tr(musig(${X},${Y})/<3;4>/*)`)
    assert.lengthOf(more, 0)
    assert.deepStrictEqual([bare(first!), bare(second!)], [`tr(musig(${X},${Y})/3/*)`, `tr(musig(${X},${Y})/4/*)`])
    const [each, other] = parsed(`rawtr(musig(${X}/<0;1>/*,${Y}/7/*))`)
    assert.deepStrictEqual([bare(each!), bare(other!)], [
      `rawtr(musig(${X}/0/*,${Y}/7/*))`,
      `rawtr(musig(${X}/1/*,${Y}/7/*))`
    ])
    assert.notStrictEqual(scriptAt(each!, 0), scriptAt(each!, 1))
    const [secret] = parsed(`rawtr(musig(${SECRET},${D}))`)
    assert.strictEqual(bare(secret!), `rawtr(musig(${F},${D}))`)
  })
})

describe("paths that are too long", () => {
  it("are read, and lead to no key", () => {
    const long = "/0".repeat(300)
    for (const text of [`wpkh(${X}${long})`, `tr(musig(${X},${Y})${long})`, `wsh(and_v(v:pk(${X}${long}),older(1)))`]) {
      assert.isUndefined(scriptsAt(parsed(text)[0]!, 0, context), text.slice(0, 20))
    }
  })
})

describe("miniscripts in descriptors", () => {
  it("stand in wsh() and in the leaves of tr(), with all their keys' alternatives", () => {
    const [receive, change] = parsed(`wsh(and_v(v:pk(${X}/<0;1>/*),or_d(pk(${Y}/<0;1>/*),older(12960))))`)
    assert.strictEqual(
      descriptorText(change!).split("#")[0],
      `wsh(and_v(v:pk(${X}/1/*),or_d(pk(${Y}/1/*),older(12960))))`
    )
    assert.notStrictEqual(scriptAt(receive!, 0), scriptAt(change!, 0))
    const [leaf] = parsed(`tr(${F.slice(2)},{pkh(${D}),and_v(v:multi_a(1,${D},${E}),after(700000))})`)
    assert.strictEqual(
      descriptorText(leaf!).split("#")[0],
      `tr(${F.slice(2)},{pkh(${D}),and_v(v:multi_a(1,${D},${E}),after(700000))})`
    )
    const { descriptor, keys } = scriptsAt(leaf!, 0, context)![0]!
    assert.include(descriptor, "after(700000)")
    assert.lengthOf(keys, 4)
  })

  it("are refused elsewhere, with keys that are none, and when they are not safe", () => {
    const wrong: ReadonlyArray<readonly [text: string, message: string]> = [
      [`sh(and_v(v:pk(${F}),older(1)))`, "Miniscript expressions can only be used in wsh or tr."],
      [`and_v(v:pk(${F}),older(1))`, "Miniscript expressions can only be used in wsh or tr."],
      [`wsh(and_v(v:pk(${F.slice(2)}),older(1)))`, `Pubkey '${F.slice(2)}' is invalid`],
      [
        `wsh(and_v(v:pk(${SECRET}),pk(${F})))`,
        `and_v(v:pk(${F}),pk(${F})) is not sane: contains duplicate public keys`
      ],
      [
        `wsh(and_v(v:pk(${X}/<0;1>),pk(${Y}/<0;1;2>)))`,
        "Miniscript: Multipath derivation paths have mismatched lengths"
      ],
      ["wsh(older(1))", "older(1) is not sane: witnesses without signature exist"],
      [`wsh(and_v(v:pk(${F}),foo(1)))`, "A function is needed within P2WSH"],
      [`tr(${F},foo(1))`, "'foo(1)' is not a valid descriptor function"]
    ]
    for (const [text, message] of wrong) {
      const result = parseDescriptor(text, NETWORKS.mainnet)
      assert.strictEqual(Result.isFailure(result) ? result.failure : "no problem", message, text)
    }
  })
})
