import { afterAll, assert, describe, it } from "@effect/vitest"
import { ADDRESS, coinsOf, place, type PlacedNode, until } from "../process/place.ts"
import { addressOver, triedOverUdp } from "../process/udp-trials.ts"
import { isPrivateNetwork } from "./private-network.ts"

const BLOCKS = 120

const { clear, start, stop } = place("iroh")
afterAll(clear)

interface PeerInfo {
  readonly addr: string
  readonly transport_protocol_type: string
  readonly iroh_identity?: string
}

interface Listening {
  readonly transports: ReadonlyArray<{ readonly name: string; readonly listening: ReadonlyArray<string> }>
}

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<PeerInfo>> => call("getpeerinfo")

const only = (preference: string): ReadonlyArray<string> => ["--set", `transport_preference=${preference}`]

describe.runIf(isPrivateNetwork)("two nodes over Iroh", () => {
  it("sync with equal coins; another identity is refused; a stop leaves no peer behind", async () => {
    const [miner, other, third] = await Promise.all([
      start("miner", only("irohonly")),
      start("other", only("all")),
      start("third", only("irohonly"))
    ])
    await miner.call("generatetoaddress", BLOCKS, ADDRESS)
    const at = await addressOver(miner, "iroh")
    assert.match(at, new RegExp(`^iroh://[0-9a-f]{64}@127\\.0\\.0\\.1:${miner.p2pPort + 1}$`))
    const wrong = at.replace(/[0-9a-f]{64}/, /[0-9a-f]{64}/.exec(await addressOver(other, "iroh"))![0])
    const own = await other.call("getnetworkinfo")
    assert.deepStrictEqual((own as Listening).transports.map(({ name }) => name), ["tcp", "quic", "iroh"])

    await third.call("addnode", wrong, "add")
    const errors = async (): Promise<string> => JSON.stringify(await third.call("getaddednodeinfo"))
    await until("the identity is refused", async () => (await errors()).includes("another node answers there"))
    assert.deepStrictEqual(await peersOf(miner), [])
    await stop(third)

    await other.call("addnode", at, "add")
    await until(
      "both have the same tip",
      async () => await other.call("getbestblockhash") === await miner.call("getbestblockhash")
    )
    assert.strictEqual(await coinsOf(other), await coinsOf(miner))
    const [[peer], [inbound]] = [await peersOf(other), await peersOf(miner)]
    assert.deepStrictEqual([peer!.addr, peer!.transport_protocol_type], [at, "iroh"])
    assert.strictEqual(peer!.iroh_identity, at.slice("iroh://".length, at.indexOf("@")))
    assert.isTrue(inbound!.addr.startsWith(`iroh://${inbound!.iroh_identity}@127.0.0.1:`))
    const headers = { authorization: "Bearer iroh" }
    const metrics = await (await fetch(`http://127.0.0.1:${other.running.port}/metrics`, { headers })).text()
    assert.include(metrics, "lockstep_peers_by_transport{transport=\"iroh\"} 1")

    await stop(miner)
    await until("no peer is left", async () => (await peersOf(other)).length === 0)
    await stop(other)
    assert.strictEqual((await other.running.ended).exitCode, 0)
  })

  triedOverUdp({ name: "iroh", preference: "irohonly", place: { start, stop }, token: "iroh" })
})
