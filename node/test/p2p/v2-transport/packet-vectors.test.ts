import { assert, describe, it } from "@effect/vitest"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { sessionKeys } from "@lockstep/protocol/wire/v2-transport/key-schedule.ts"
import { sealPacket } from "@lockstep/protocol/wire/v2-transport/packet-cipher.ts"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bytesOf, hexOf } from "./transcripts.ts"
import { transportCryptos } from "./transport-crypto.ts"

const path = join(process.env["LOCKSTEP_VECTORS"] ?? "", "crypto/bip324_packet_encoding.csv")
const isThere = process.env["LOCKSTEP_VECTORS"] !== undefined && existsSync(path)

const rows = !isThere ? [] : readFileSync(path, "utf8").trim().split(/\r?\n/).map((line) => line.split(","))
const [names, ...cases] = rows
const vectors = cases.map((row) => Object.fromEntries(names!.map((name, i) => [name, row[i]!])))

describe.skipIf(vectors.length === 0)("the reference packets", () => {
  for (const { crypto, name } of transportCryptos) {
    it(`come out of the keys and ciphers by ${name}`, () => {
      assert.strictEqual(vectors.length, 7)
      for (const vector of vectors) {
        const isInitiator = vector["in_initiating"] === "1"
        const [ours, theirs] = [bytesOf(vector["in_ellswift_ours"]!), bytesOf(vector["in_ellswift_theirs"]!)]
        const secret = crypto.sharedSecret(bytesOf(vector["in_priv_ours"]!), ours, theirs, isInitiator)
        assert.strictEqual(hexOf(secret), vector["mid_shared_secret"])
        const keys = sessionKeys(crypto, MAINNET.magic, secret, isInitiator)
        assert.strictEqual(hexOf(keys.sessionId), vector["out_session_id"])
        assert.strictEqual(hexOf(keys.ownTerminator), vector["mid_send_garbage_terminator"])
        assert.strictEqual(hexOf(keys.peerTerminator), vector["mid_recv_garbage_terminator"])
        const nothing = new Uint8Array(0)
        for (let i = 0; i < Number(vector["in_idx"]); i++) sealPacket(keys.sending, [Uint8Array.of(0)], 0, nothing)
        const contents = bytesOf(vector["in_contents"]!.repeat(Number(vector["in_multiply"])))
        const header = Uint8Array.of(vector["in_ignore"] === "1" ? 0x80 : 0)
        const sealed = hexOf(
          Buffer.concat(sealPacket(keys.sending, [header, contents], contents.length, bytesOf(vector["in_aad"]!)))
        )
        if (vector["out_ciphertext"] !== "") assert.strictEqual(sealed, vector["out_ciphertext"])
        assert.isTrue(sealed.endsWith(vector["out_ciphertext_endswith"]!))
      }
    })
  }
})
