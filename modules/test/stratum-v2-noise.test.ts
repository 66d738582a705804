import { createCipheriv, hash, hkdfSync } from "node:crypto"
import { assert, describe, it } from "vitest"
import {
  authorityKeyOf,
  CERTIFICATE_BYTES,
  isCertified,
  signedCertificate
} from "../stratum-v2/src/noise/certificate.ts"
import { FIRST_BYTES, SECOND_BYTES } from "../stratum-v2/src/noise/handshake.ts"
import { cipherState, symmetricState } from "../stratum-v2/src/noise/symmetric-state.ts"
import { frameReader, MOST_DECLARED_PAYLOAD, MOST_PAYLOAD, sealFrame } from "../stratum-v2/src/wire/frames.ts"
import { type MessageName, MESSAGES } from "../stratum-v2/src/wire/messages.ts"
import { targetBytes, targetIn } from "../stratum-v2/src/wire/target-bytes.ts"

const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer")

const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => 0x80 + i))

describe("one direction of an encrypted connection", () => {
  it("is ChaCha20-Poly1305 with four zero bytes and a counter from 0 on as its nonce", () => {
    const sealedWith = (nonce: string, plain: string, additional: string): Buffer => {
      const cipher = createCipheriv("chacha20-poly1305", KEY, Buffer.from(nonce, "hex"), { authTagLength: 16 })
      cipher.setAAD(Buffer.from(additional), { plaintextLength: plain.length })
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    }
    const state = cipherState(KEY)
    const sealed = [state.seal(Buffer.from("first"), Buffer.from("ad")), state.seal(Buffer.from("second"))]
    assert.deepStrictEqual(sealed.map(({ length }) => length), [21, 22])
    assert.deepStrictEqual(sealed, [
      sealedWith("00".repeat(12), "first", "ad"),
      sealedWith(`00000000${"01".padEnd(16, "0")}`, "second", "")
    ])
    const other = cipherState(KEY)
    assert.isUndefined(other.open(sealed[1]!))
    assert.isUndefined(other.open(sealed[0]!))
    assert.isUndefined(other.open(sealed[0]!, Buffer.from("ae")))
    assert.isUndefined(other.open(sealed[0]!.subarray(0, 15), Buffer.from("ad")))
    assert.strictEqual(other.open(sealed[0]!, Buffer.from("ad"))!.toString(), "first")
    assert.isUndefined(other.open(sealed[0]!, Buffer.from("ad")))
    assert.strictEqual(other.open(sealed[1]!)!.toString(), "second")
  })

  it("carries an empty text as a tag alone", () => {
    const sealed = cipherState(KEY).seal(Buffer.alloc(0))
    assert.lengthOf(sealed, 16)
    assert.lengthOf(cipherState(KEY).open(sealed)!, 0)
  })
})

describe("what both sides of a handshake keep", () => {
  it("is open before the first key, and bound to all that was said afterwards", () => {
    const [left, right] = [symmetricState(), symmetricState()]
    for (const state of [left, right]) state.mixHash(Buffer.from("e"))
    assert.strictEqual(left.encryptAndHash(Buffer.from("plain")).toString(), "plain")
    assert.strictEqual(right.decryptAndHash(Buffer.from("plain"))!.toString(), "plain")
    for (const state of [left, right]) state.mixKey(Buffer.from("secret"))
    const [one, two] = [left.encryptAndHash(Buffer.from("one")), left.encryptAndHash(Buffer.from("two"))]
    assert.deepStrictEqual([one.length, two.length], [19, 19])
    assert.strictEqual(right.decryptAndHash(one)!.toString(), "one")
    assert.strictEqual(right.decryptAndHash(two)!.toString(), "two")
  })

  it.each([
    ["other bytes", (state: ReturnType<typeof symmetricState>) => void state.mixHash(Buffer.from("f"))],
    ["fewer bytes", () => undefined]
  ])("does not open what belongs behind other words: %s", (_, said) => {
    const [left, right] = [symmetricState(), symmetricState()]
    left.mixHash(Buffer.from("e"))
    said(right)
    for (const state of [left, right]) state.mixKey(Buffer.from("secret"))
    assert.isUndefined(right.decryptAndHash(left.encryptAndHash(Buffer.from("one"))))
  })

  it("does not open what was said before it once more", () => {
    const [left, right] = [symmetricState(), symmetricState()]
    for (const state of [left, right]) state.mixKey(Buffer.from("secret"))
    // The hash of plain bytes and of what was received is mixed on both sides.
    left.encryptAndHash(Buffer.from("one"))
    assert.isUndefined(right.decryptAndHash(left.encryptAndHash(Buffer.from("two"))))
  })

  it("comes to the two keys of HKDF over its chain, the first from the initiator", () => {
    const state = symmetricState()
    state.mixKey(Buffer.from("a secret"))
    const [from, to] = state.split()
    const name = Buffer.from("Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256")
    const both = (chain: Uint8Array, secret: Uint8Array): Buffer =>
      Buffer.from(hkdfSync("sha256", secret, chain, Buffer.alloc(0), 64))
    const chain = both(sha256(name), Buffer.from("a secret")).subarray(0, 32)
    const keys = both(chain, Buffer.alloc(0))
    for (const [given, key] of [[from, keys.subarray(0, 32)], [to, keys.subarray(32)]] as const) {
      assert.deepStrictEqual(given.seal(Buffer.from("x")), cipherState(key).seal(Buffer.from("x")))
    }
  })
})

describe("the certificate of a server of Stratum V2", () => {
  const SECRET = new Uint8Array(32).fill(7)
  const SERVER = new Uint8Array(32).fill(5)
  const good = signedCertificate(SECRET, SERVER, { from: 100, until: 200 })

  it("has a version, the times between which it holds, and a signature", () => {
    assert.strictEqual(good.subarray(0, 10).toString("hex"), "000064000000c8000000")
    assert.deepStrictEqual([good.length, CERTIFICATE_BYTES, FIRST_BYTES, SECOND_BYTES], [74, 74, 64, 234])
  })

  const changed = (at: number): Buffer => {
    const bytes = Buffer.from(good)
    bytes[at]! ^= 1
    return bytes
  }
  it.each<readonly [string, Uint8Array, Uint8Array, number, boolean]>([
    ["at its first second", good, SERVER, 100, true],
    ["at its last second", good, SERVER, 200, true],
    ["before", good, SERVER, 99, false],
    ["after", good, SERVER, 201, false],
    ["of another server", good, new Uint8Array(32).fill(6), 150, false],
    ["of another version", changed(1), SERVER, 150, false],
    ["with other times", changed(2), SERVER, 150, false],
    ["with another signature", changed(73), SERVER, 150, false],
    ["with a byte less", good.subarray(0, 73), SERVER, 150, false],
    ["with a byte more", Buffer.concat([good, Buffer.of(0)]), SERVER, 150, false]
  ])("is good or not: %s", (_, certificate, server, now, isGood) => {
    assert.strictEqual(isCertified(certificate, server, authorityKeyOf(SECRET), now), isGood)
  })
})

describe("frames of Stratum V2", () => {
  /** A frame whose header says that so many bytes follow, and nothing of them. */
  const announced = (length: number): Buffer => {
    const header = Buffer.alloc(6)
    header.writeUIntLE(length, 3, 3)
    return cipherState(KEY).seal(header)
  }

  it("may have 81,920 bytes of a miner, and 4,300,000 of a declaration", () => {
    assert.deepStrictEqual([MOST_PAYLOAD, MOST_DECLARED_PAYLOAD], [81_920, 4_300_000])
    const fed = (length: number, most?: number) =>
      frameReader({ receive: cipherState(KEY) }, most === undefined ? undefined : () => most).feed(announced(length))
    assert.deepStrictEqual([fed(81_920), fed(81_921), fed(10, 10), fed(11, 10)], [[], undefined, [], undefined])
  })

  it("say whether they are of a channel, and come many at once", () => {
    const [send, receive] = [cipherState(KEY), cipherState(KEY)]
    const frames = [
      { type: 0x10, isOfChannel: false, payload: Buffer.from("a") },
      { type: 0xfe, isOfChannel: true, payload: Buffer.alloc(0) },
      { type: 0x01, isOfChannel: false, payload: Buffer.alloc(70_000, 7) }
    ]
    const sealed = Buffer.concat(frames.map((frame) => sealFrame({ send }, frame)))
    assert.lengthOf(sealed, 3 * 22 + 17 + 70_000 + 32)
    assert.deepStrictEqual(frameReader({ receive }).feed(sealed), frames)
  })

  it("with a header that is not sealed with the key end the connection", () => {
    assert.isUndefined(frameReader({ receive: cipherState(KEY) }).feed(Buffer.alloc(22)))
  })
})

describe("a target of Stratum V2", () => {
  it("is a number of 32 bytes in little-endian order", () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => i === 0 ? 0xfe : i === 31 ? 1 : 0)
    assert.deepStrictEqual(targetBytes((1n << 248n) + 0xfen), bytes)
    assert.strictEqual(targetIn(bytes), (1n << 248n) + 0xfen)
    assert.deepStrictEqual(targetBytes(0n), new Uint8Array(32))
  })
})

describe("messages of Stratum V2", () => {
  it.each<readonly [MessageName, type: number, isOfChannel: boolean]>([
    ["SetupConnection", 0x00, false],
    ["SetupConnection.Success", 0x01, false],
    ["SetupConnection.Error", 0x02, false],
    ["OpenStandardMiningChannel", 0x10, false],
    ["OpenStandardMiningChannel.Success", 0x11, false],
    ["OpenMiningChannel.Error", 0x12, false],
    ["OpenExtendedMiningChannel", 0x13, false],
    ["OpenExtendedMiningChannel.Success", 0x14, false],
    ["NewMiningJob", 0x15, true],
    ["UpdateChannel", 0x16, true],
    ["UpdateChannel.Error", 0x17, true],
    ["CloseChannel", 0x18, true],
    ["SubmitSharesStandard", 0x1a, true],
    ["SubmitSharesExtended", 0x1b, true],
    ["SubmitShares.Success", 0x1c, true],
    ["SubmitShares.Error", 0x1d, true],
    ["NewExtendedMiningJob", 0x1f, true],
    ["SetNewPrevHash", 0x20, true],
    ["SetTarget", 0x21, true],
    ["SetCustomMiningJob", 0x22, false],
    ["SetCustomMiningJob.Success", 0x23, false],
    ["SetCustomMiningJob.Error", 0x24, false],
    ["AllocateMiningJobToken", 0x50, false],
    ["AllocateMiningJobToken.Success", 0x51, false],
    ["ProvideMissingTransactions", 0x55, false],
    ["ProvideMissingTransactions.Success", 0x56, false],
    ["DeclareMiningJob", 0x57, false],
    ["DeclareMiningJob.Success", 0x58, false],
    ["DeclareMiningJob.Error", 0x59, false],
    ["PushSolution", 0x60, false],
    ["CoinbaseOutputConstraints", 0x70, false],
    ["NewTemplate", 0x71, false],
    ["SetTemplatePrevHash", 0x72, false],
    ["RequestTransactionData", 0x73, false],
    ["RequestTransactionData.Success", 0x74, false],
    ["RequestTransactionData.Error", 0x75, false],
    ["SubmitSolution", 0x76, false]
  ])("have the types of the specification: %s", (name, type, isOfChannel) => {
    const { isOfChannel: given, type: number } = MESSAGES[name]
    assert.deepStrictEqual([number, given], [type, isOfChannel])
  })
})
