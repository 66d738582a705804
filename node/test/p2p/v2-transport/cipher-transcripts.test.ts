import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { rawEnd } from "./raw-end.ts"
import { bytesOf, hexOf, type Scenario, scenarios } from "./transcripts.ts"
import { transportCryptos } from "./transport-crypto.ts"

const encrypted = scenarios().filter(({ effect }) => effect.ecdhSecret !== undefined)

/** Rows whose packet is not what its contents say. */
const isDamaged = (what: string): boolean => what.includes("damaged") || what.includes("wrong")

const replay = ({ effect, head, name, rows }: Scenario, crypto: (typeof transportCryptos)[number]["crypto"]): void => {
  // One recorder derived the keys of another network by intent.
  const magic = name === "bad_other_network" ? undefined : REGTEST.magic
  const end = rawEnd({
    crypto,
    magic: magic ?? MAINNET.magic,
    privateKey: bytesOf(head.ourPrivateKey!),
    encoded: bytesOf(head.ourEllswift!),
    isInitiator: head.role === "responder"
  })
  const isInitiator = head.role === "responder"
  const [ours, theirs] = [bytesOf(head.ourEllswift!), bytesOf(effect.theirEllswift!)]
  const secret = crypto.sharedSecret(bytesOf(head.ourPrivateKey!), ours, theirs, isInitiator)
  assert.strictEqual(hexOf(secret), effect.ecdhSecret)
  if (magic === undefined) return
  end.receive(theirs)
  assert.strictEqual(hexOf(end.keys()!.sessionId), effect.sessionId)
  assert.strictEqual(hexOf(end.keys()!.ownTerminator), effect.sendGarbageTerminator)
  assert.strictEqual(hexOf(end.keys()!.peerTerminator), effect.recvGarbageTerminator)
  const received = rows.filter(({ d }) => d === "recv").map(({ hex }) => hex!).join("")
  end.receive(bytesOf(received.slice(128)))
  const [, ...messages] = end.packets.map(hexOf)
  assert.deepStrictEqual(messages, effect.packetsFromNode!.map(({ contents }) => contents))
  for (const { aad = "", contents, d, hex, ignore, what } of rows) {
    if (d !== "send" || contents === undefined || isDamaged(what!)) continue
    // Contents of no interest were not recorded: any of their length move the ciphers on.
    const plain = contents === null ? new Uint8Array(hex!.length / 2 - 20) : bytesOf(contents)
    const sealed = end.seal(plain, { isDecoy: ignore === true, aad: bytesOf(aad) })
    if (contents !== null && !what!.includes("other garbage")) assert.strictEqual(hexOf(sealed), hex, what)
  }
}

describe.skipIf(encrypted.length === 0)("recorded encrypted connections with Bitcoin Core", () => {
  for (const { crypto, name } of transportCryptos) {
    it.each(encrypted.map((scenario) => [scenario.name, scenario] as const))(
      `%s: the same secrets, and the same packets in both directions, by ${name}`,
      (_, scenario) => replay(scenario, crypto)
    )
  }
})
