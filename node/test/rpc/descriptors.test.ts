import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { HDKey } from "@scure/bip32"
import * as Result from "effect/Result"
import { base58CheckText } from "@lockstep/descriptors/script-text/base58-bytes.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { descriptorText, type Expression, scriptsAt } from "@lockstep/descriptors/descriptor/descriptor.ts"
import { parseDescriptor } from "@lockstep/descriptors/descriptor/parse-descriptor.ts"
import { addressFault } from "../../src/methods/decode/address-fault.ts"
import { addressOf } from "@lockstep/descriptors/script-text/address.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { testCrypto } from "../engine/test-engine.ts"

const KEY = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
const X = KEY.slice(2)
const LONG =
  "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
const XPUB =
  "tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B"

const HOLDER = HDKey.fromMasterSeed(new Uint8Array(32).fill(7), { public: 0x043587cf, private: 0x04358394 })

/** Texts that are no descriptors, and why. */
const WRONG: ReadonlyArray<readonly [text: string, message: string]> = [
  ["pk()", "pk(): No key provided"],
  ["pk(00)", "pk(): Pubkey '00' is invalid"],
  ["pk(foo)", "pk(): key 'foo' is not valid"],
  [`pk( ${KEY})`, `pk(): Key ' ${KEY}' is invalid due to whitespace`],
  [`pk(06${LONG.slice(2)})`, "pk(): Hybrid public keys are not allowed"],
  [`wsh(pk(${LONG}))`, "pk(): Uncompressed keys are not allowed"],
  [`pk(${X})`, `pk(): Pubkey '${X}' is invalid`],
  [`pk([deadbeef]${KEY}]x)`, "pk(): Multiple ']' characters found for a single pubkey"],
  [`pk(deadbeef]${KEY})`, "pk(): Key origin start '[ character expected but not found, got 'd' instead"],
  [`pk([dead]${KEY})`, "pk(): Fingerprint is not 4 bytes (4 characters instead of 8 characters)"],
  [`pk([deadbeeg]${KEY})`, "pk(): Fingerprint 'deadbeeg' is not hex"],
  [`pk([deadbeef/x]${KEY})`, "pk(): Key path value 'x' is not a valid uint32"],
  [
    `pk([deadbeef/<0;1>]${KEY})`,
    "pk(): Key path value '<0;1>' specifies multipath in a section where multipath is not allowed"
  ],
  [`pk(${XPUB}/<0>)`, "pk(): Multipath key path specifiers must have at least two items"],
  [`pk(${XPUB}/<0;0>)`, "pk(): Duplicated key path value 0 in multipath specifier"],
  [`pk(${XPUB}/<0;1>/<0;1>)`, "pk(): Multiple multipath key path specifiers found"],
  ["multi(a)", "Multi threshold 'a' is not valid"],
  ["multi(1)", "Cannot have 0 keys in multisig; must have between 1 and 20 keys, inclusive"],
  [`multi(0,${KEY})`, "Multisig threshold cannot be 0, must be at least 1"],
  [`multi(1,${KEY},${KEY},${KEY},${KEY})`, "Cannot have 4 pubkeys in bare multisig; only at most 3 pubkeys"],
  [`sh(multi(1${`,${KEY}`.repeat(16)}))`, "P2SH script is too large, 547 bytes is larger than 520 bytes"],
  [`multi(1,${XPUB}/<0;1>,${XPUB}/<0;1;2>)`, "multi(): Multipath derivation paths have mismatched lengths"],
  [`multi_a(1,${KEY})`, "Can only have multi_a/sortedmulti_a inside tr()"],
  [`tr(${X},multi(1,${KEY}))`, "Can only have multi/sortedmulti at top level, in sh(), or in wsh()"],
  [`tr(${X},{pk(${X}))`, "tr(): expected ',' after script expression"],
  [`sh(sh(pk(${KEY})))`, "Can only have sh() at top level"],
  [`wsh(wsh(pk(${KEY})))`, "Can only have wsh() at top level or inside sh()"],
  [`sh(addr(x))`, "Can only have addr() at top level"],
  [`wsh(combo(${KEY}))`, "Can only have combo() at top level"],
  [`wsh(${KEY})`, "A function is needed within P2WSH"],
  ["addr(x)", "Address is not valid"],
  ["raw(x)", "Raw script is not hex"],
  ["raw()", "Raw script is not hex"],
  ["unused()", "unused(): No key provided"],
  ["unused(foo)", "unused(): key 'foo' is not valid"],
  [`unused(${KEY},${KEY})`, "unused(): only one key expected"],
  [`unused(${XPUB}/*)`, "unused(): key cannot be ranged"],
  [`sh(unused(${KEY}))`, "Can only have unused() at top level"],
  ["addr(x x)", "Address is not valid"],
  // Neither is the other, but without their private keys both are unknown.
  [
    `wsh(and_v(v:pk(${XPUB}/0h),pk(${XPUB}/1h)))`,
    `and_v(v:pk(${XPUB}/0h),pk(${XPUB}/1h)) is not sane: contains duplicate public keys`
  ],
  [
    `wsh(and_v(v:pk(${HOLDER.privateExtendedKey}/0h),pk(${HOLDER.privateExtendedKey}/1h)))`,
    `and_v(v:pk(${HOLDER.publicExtendedKey}/0h),pk(${HOLDER.publicExtendedKey}/1h)) is not sane: contains duplicate public keys`
  ],
  [`rawtr(${X},${X})`, "rawtr(): only one key expected."],
  [`pk(${KEY})##`, "Multiple '#' symbols"],
  [`pk(${KEY})#abc`, "Expected 8 character checksum, not 3 characters"],
  ["pk(é)", "Invalid characters in payload"]
]

/** Answers from BIP86 (the first receiving and change addresses of its test vector) and BIP67. */
const BIP86 =
  "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ"
const DERIVED: ReadonlyArray<readonly [descriptor: string, range: number | undefined, addresses: unknown]> = [
  [`tr(${BIP86}/<0;1>/*)`, 0, [
    ["bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"],
    ["bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7"]
  ]],
  [
    "sh(sortedmulti(2,02ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f8," +
    "02fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f))",
    undefined,
    ["39bgKC7RFbpoCRbtD5KEdkYKtNyhpsNa3Z"]
  ],
  [`wpkh(${KEY})`, undefined, ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]]
]

/** Addresses that are none, what is said of them, and where. */
const NO_ADDRESS: ReadonlyArray<readonly [address: string, error: string, locations: ReadonlyArray<number>]> = [
  ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt08b", "Invalid Base 32 character", [43]],
  ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt08q", "Invalid Bech32 checksum", [43]],
  ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7qygt08q", "Invalid Bech32 checksum", [37, 43]],
  ["bcrt1Qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "Invalid character or mixed case", [5]],
  ["bcrtq", "Missing separator", []]
]

const context = { network: NETWORKS.mainnet, crypto: testCrypto }

const addressAt = (expression: Expression, position: number): string | undefined =>
  addressOf(scriptKind(scriptsAt(expression, position, context)![0]!.script), context.network.addresses)

describe("descriptors", () => {
  it("that are none are refused with the reason", () => {
    for (const [text, message] of WRONG) {
      const parsed = parseDescriptor(text, NETWORKS.regtest)
      assert.strictEqual(Result.isFailure(parsed) ? parsed.failure : "no problem", message, text)
    }
  })

  it("stand for the addresses that their standards publish", () => {
    for (const [text, position = 0, expected] of DERIVED) {
      const expressions = Result.getOrThrow(parseDescriptor(text, NETWORKS.mainnet))
      const found = expressions.map((each) => [addressAt(each, position)])
      assert.deepStrictEqual(found.length === 1 ? found[0] : found, expected, text)
    }
  })

  it("are written as they were read, without private keys and with origins normalized", () => {
    const cases: ReadonlyArray<readonly [given: string, written: string]> = [
      [`wpkh([DEADBEEF/84h/1']${XPUB}/0/*')`, `wpkh([deadbeef/84'/1']${XPUB}/0/*')`],
      [`tr(${X},{pk(${X}),{pk(${KEY}),multi_a(1,${X})}})`, `tr(${X},{pk(${X}),{pk(${KEY}),multi_a(1,${X})}})`],
      [`tr(${X},{{pk(${X}),pk(${KEY})},pk(${X})})`, `tr(${X},{{pk(${X}),pk(${KEY})},pk(${X})})`],
      [`sh(wsh(sortedmulti(1,${KEY.toUpperCase()})))`, `sh(wsh(sortedmulti(1,${KEY})))`],
      ["pkh(cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA)", `pkh(${KEY})`]
    ]
    for (const [given, written] of cases) {
      const [expression] = Result.getOrThrow(parseDescriptor(given, NETWORKS.regtest))
      assert.strictEqual(descriptorText(expression!).split("#")[0], written)
    }
  })

  it("take the private key for hardened steps", () => {
    const regtest = { network: NETWORKS.regtest, crypto: testCrypto }
    const [expression] = Result.getOrThrow(parseDescriptor(`pkh(${XPUB}/0h)`, NETWORKS.regtest))
    assert.isUndefined(scriptsAt(expression!, 0, regtest))
  })

  it("take a private key of any place in the descriptor for hardened steps", () => {
    const regtest = { network: NETWORKS.regtest, crypto: testCrypto }
    const wif = base58CheckText(Uint8Array.of(0xef, ...HOLDER.privateKey!, 1))
    const hardened = `${HOLDER.publicExtendedKey}/0h/*h`
    const child = hexOf(HOLDER.derive("m/0'/5'").publicKey!)
    for (const other of [HOLDER.privateExtendedKey, wif]) {
      const [expression] = Result.getOrThrow(parseDescriptor(`wsh(multi(1,${hardened},${other}))`, NETWORKS.regtest))
      assert.include(hexOf(scriptsAt(expression!, 5, regtest)![0]!.inner[0]!), child)
    }
    const [without] = Result.getOrThrow(parseDescriptor(`wsh(multi(1,${hardened},${XPUB}))`, NETWORKS.regtest))
    assert.isUndefined(scriptsAt(without!, 5, regtest))
  })

  it("change their checksum with every character", () => {
    const text = `pk(${KEY})`
    const { failure } = parseDescriptor(`${text}#00000000`, NETWORKS.regtest) as { readonly failure: string }
    assert.match(failure, /^Provided checksum '00000000' does not match computed checksum '[a-z0-9]{8}'$/)
    const needed = parseDescriptor(text, NETWORKS.regtest, true) as { readonly failure: string }
    assert.strictEqual(needed.failure, "Missing checksum")
  })
})

describe("addresses that are none", () => {
  for (const [address, error, locations] of NO_ADDRESS) {
    it(error, () => assert.deepStrictEqual(addressFault(address, NETWORKS.regtest.addresses), { error, locations }))
  }
})
