import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ADDRESS, type PlacedNode, until } from "./place.ts"
import { addressOver, type UdpSubject } from "./udp-trials.ts"

const SLOTS = 4

interface PeerInfo {
  readonly addr: string
  readonly connection_type: string
  readonly addr_processed: number
}

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<PeerInfo>> => call("getpeerinfo")

/** Clocks of nodes, moved on together: addresses wait half a minute before each hop. */
const clocks = () => {
  let time = Math.floor(Date.now() / 1_000)
  return async (nodes: ReadonlyArray<PlacedNode>, seconds: number): Promise<void> => {
    time += seconds
    await Promise.all(nodes.map(({ call }) => call("setmocktime", time)))
  }
}

/** Whether a node is connected to another one by its own choice. */
const isChosen = async (node: PlacedNode, to: string): Promise<boolean> =>
  (await peersOf(node)).some(({ addr, connection_type: type }) => addr === to && type === "outbound-full-relay")

/** Whether a node has the one block that there is. */
const hasBlock = (node: PlacedNode) => async (): Promise<boolean> => await node.call("getblockcount") === 1

const savedIn = ({ directory }: PlacedNode): string => {
  const path = join(directory, "regtest", "udp-peers.json")
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

/** What gossip is tried with; `both`: the preference that has the transport beside TCP. */
export type GossipSubject = Omit<UdpSubject, "token"> & { readonly both: string }

/** Whole nodes that learn of each other from a third one, over one transport. */
export const gossipTriedOverUdp = ({ both, name, place: { start, stop }, preference }: GossipSubject): void => {
  const begin = (of: string, preferred = preference, slots = 0) =>
    start(of, [
      "--set",
      `transport_preference=${preferred}`,
      "--set",
      "enable_self_advertisement=true",
      "--target-peer-count",
      String(slots)
    ])

  it("go from node to node, outlive a restart, and lead to a connection; a node over TCP alone gets none", async () => {
    const [middle, far, near, plain] = await Promise.all([
      begin("middle", both),
      begin("far"),
      begin("near", preference, SLOTS),
      begin("plain", "tcponly")
    ])
    await middle.call("generatetoaddress", 1, ADDRESS)
    const [toMiddle, toFar] = [await addressOver(middle, name), await addressOver(far, name)]
    await far.call("addnode", toMiddle, "add")
    await plain.call("addnode", `127.0.0.1:${middle.p2pPort}`, "add")
    await until("all are connected", async () => (await peersOf(middle)).length === 2)
    await until("the far node has the block", hasBlock(far))

    await near.call("addnode", toMiddle, "add")
    await until("the near node has the block", hasBlock(near))
    const pass = clocks()
    await until("the near node is connected to the far one", async () => {
      await pass([middle, far, near, plain], 10)
      return isChosen(near, toFar)
    })
    assert.deepStrictEqual((await peersOf(plain)).map((peer) => peer.addr_processed), [0])

    await stop(middle)
    await stop(near)
    assert.include(savedIn(near), toFar)
    const again = await begin("near", preference, SLOTS)
    // A node that was tried is left alone for a minute.
    await pass([again], 120)
    await until("it is connected once more", () => isChosen(again, toFar))
    await Promise.all([stop(again), stop(far), stop(plain)])
    assert.strictEqual(savedIn(plain), "")
  })
}
