import { createDecipheriv, hash, hkdfSync } from "node:crypto"
import { assert, describe, it } from "vitest"
import { symmetricState } from "../stratum-v2/src/noise/symmetric-state.ts"

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer => hash("sha256", Buffer.concat(parts), "buffer")

/** The key that Noise derives first (the new chain) or second, as HKDF defines it. */
const derived = (chain: Uint8Array, secret: Uint8Array, which: 0 | 1): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, chain, new Uint8Array(0), 64)).subarray(which * 32, which * 32 + 32)

const opened = (key: Uint8Array, counter: number, said: Uint8Array, sealed: Uint8Array): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32LE(counter, 4)
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 })
  decipher.setAAD(said, { plaintextLength: sealed.length - 16 })
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}

const PROTOCOL = Buffer.from("Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256")
const [CHAIN, SAID] = [sha256(PROTOCOL), sha256(sha256(PROTOCOL))]
const [WORD, SECRET, PLAIN] = [Buffer.from("a word"), Buffer.alloc(32, 5), Buffer.from("plain")]

describe("what both sides of a handshake keep", () => {
  it("is hashed behind what was said before, and sealed with by the key that the chain leads to", () => {
    const state = symmetricState()
    state.mixHash(WORD)
    state.mixKey(SECRET)
    const first = state.encryptAndHash(PLAIN)
    const key = derived(CHAIN, SECRET, 1)
    const said = sha256(SAID, WORD)
    assert.strictEqual(opened(key, 0, said, first).toString(), "plain")
    const second = state.encryptAndHash(PLAIN)
    assert.strictEqual(opened(key, 1, sha256(said, first), second).toString(), "plain")
    state.mixKey(SECRET)
    const chain = derived(CHAIN, SECRET, 0)
    const third = state.encryptAndHash(PLAIN)
    const before = sha256(sha256(said, first), second)
    assert.strictEqual(opened(derived(chain, SECRET, 1), 0, before, third).toString(), "plain")
  })

  it("seals nothing before there is a key", () => {
    const state = symmetricState()
    assert.strictEqual(state.encryptAndHash(PLAIN).toString(), "plain")
    state.mixKey(SECRET)
    assert.strictEqual(
      opened(derived(CHAIN, SECRET, 1), 0, sha256(SAID, PLAIN), state.encryptAndHash(PLAIN)).toString(),
      "plain"
    )
  })

  it("splits into a key from the initiator and one to it", () => {
    const state = symmetricState()
    state.mixKey(SECRET)
    const chain = derived(CHAIN, SECRET, 0)
    const [from, to] = state.split()
    const none = new Uint8Array(0)
    assert.strictEqual(opened(derived(chain, none, 0), 0, none, from.seal(PLAIN)).toString(), "plain")
    assert.strictEqual(opened(derived(chain, none, 1), 0, none, to.seal(PLAIN)).toString(), "plain")
  })
})
