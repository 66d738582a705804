import { afterAll, assert, describe, it } from "@effect/vitest"
import { quicKeyOf } from "../../../src/quic/quic-key.ts"
import { ADDRESS, coinsOf, place, type PlacedNode, until } from "./place.ts"
import { triedOverUdp } from "./udp-trials.ts"

const BLOCKS = 120

const { clear, start, stop } = place("quic")
afterAll(clear)

interface PeerInfo {
  readonly addr: string
  readonly transport_protocol_type: string
  readonly quic_identity?: string
  readonly bytesrecv: number
}

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<PeerInfo>> => call("getpeerinfo")

const only = (preference: string): ReadonlyArray<string> => ["--set", `transport_preference=${preference}`]

describe("two nodes over QUIC", () => {
  it("sync with equal coins; another identity is refused; a stop leaves no peer behind", async () => {
    const [miner, other] = await Promise.all([start("miner", only("quinnonly")), start("other", only("hybrid"))])
    await miner.call("generatetoaddress", BLOCKS, ADDRESS)
    const at = `127.0.0.1:${miner.p2pPort}`

    const wrong = `quic://${quicKeyOf(new Uint8Array(32).fill(9)).identity}@${at}`
    await other.call("addnode", wrong, "add")
    const errors = async (): Promise<string> => JSON.stringify(await other.call("getaddednodeinfo"))
    await until("the identity is refused", async () => (await errors()).includes("another node answers there"))
    assert.deepStrictEqual(await peersOf(miner), [])
    await other.call("addnode", wrong, "remove")

    await other.call("addnode", `quic://${at}`, "add")
    await until(
      "both have the same tip",
      async () => await other.call("getbestblockhash") === await miner.call("getbestblockhash")
    )
    assert.strictEqual(await coinsOf(other), await coinsOf(miner))
    const [[peer], [inbound]] = [await peersOf(other), await peersOf(miner)]
    assert.deepStrictEqual([peer!.addr, peer!.transport_protocol_type], [`quic://${at}`, "quic"])
    assert.match(peer!.quic_identity!, /^12D3KooW/)
    assert.isTrue(inbound!.addr.startsWith(`quic://${inbound!.quic_identity}@127.0.0.1:`))
    const headers = { authorization: "Bearer quic" }
    const metrics = await (await fetch(`http://127.0.0.1:${other.running.port}/metrics`, { headers })).text()
    assert.include(metrics, "lockstep_peers_by_transport{transport=\"quic\"} 1")

    await stop(miner)
    await until("no peer is left", async () => (await peersOf(other)).length === 0)
    await stop(other)
    assert.strictEqual((await other.running.ended).exitCode, 0)
  })

  triedOverUdp({ name: "quic", preference: "quinnonly", place: { start, stop }, token: "quic" })
})
