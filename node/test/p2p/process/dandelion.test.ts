import { afterAll, assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { SERVICES } from "../sockets/regtest-wire.ts"
import { connectPeer, politeness, waitForNode, type WirePeer } from "../sockets/wire-peer.ts"
import { place, until } from "./place.ts"
import { minedCoins, spend } from "./spent-coins.ts"

const nodes = place("dandelion")

afterAll(nodes.clear)

const announced = ({ received }: WirePeer, txid: string): boolean =>
  received.some((message) =>
    message.command === "inv" &&
    message.inventory.some(({ hash, type }) =>
      type === InventoryType.TX && Buffer.from(hash).reverse().toString("hex") === txid
    )
  )

describe("Dandelion++, in a node as an operator runs it", () => {
  it("a peer that swallows a stem transaction delays it by no more than the embargo", async () => {
    const hole = await waitForNode(politeness, 0, 0, SERVICES | ServiceFlag.DANDELION)
    const node = await nodes.start("hole", [
      "--enable-dandelion",
      "--set",
      "dandelion.stem_timeout_seconds=2",
      "--set",
      "dandelion.fluff_probability=0"
    ])
    try {
      const [coin] = await minedCoins(node, 1)
      await node.call("addnode", `127.0.0.1:${hole.port}`, "onetry")
      const [first, second] = [await connectPeer(node.p2pPort), await connectPeer(node.p2pPort)]
      const bystanders = [first, second]
      const all = async (): Promise<ReadonlyArray<{ readonly version: number; readonly relaytxes: boolean }>> =>
        await node.call("getpeerinfo")
      await until("all are connected", async () => (await all()).filter(({ relaytxes }) => relaytxes).length === 3)
      const signed = await spend(node, coin!)
      await node.call("sendrawtransaction", signed.hex)
      assert.deepStrictEqual(await node.call("getrawmempool"), [signed.txid])
      const [stem] = hole.links
      await until("the stem has it", async () => stem!.commands().includes("dandeliontx"))
      await until(
        "it is announced to all",
        async () => bystanders.every((peer) => announced(peer, signed.txid)) && announced(stem!, signed.txid)
      )
      assert.deepStrictEqual(
        stem!.commands().filter((command) => command === "dandeliontx" || command === "inv"),
        ["dandeliontx", "inv"]
      )
      for (const peer of bystanders) assert.notInclude(peer.commands(), "dandeliontx")
      for (const peer of bystanders) peer.end()
    } finally {
      await nodes.stop(node)
      hole.end()
    }
  })
})
