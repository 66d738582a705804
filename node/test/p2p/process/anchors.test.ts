import { afterAll, assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { waitForNode } from "../sockets/wire-peer.ts"
import { pause, place, type PlacedNode, until } from "./place.ts"

const nodes = place("anchors")

afterAll(nodes.clear)

const kindsOf = async ({ call }: PlacedNode): Promise<ReadonlyArray<string>> =>
  (await call<ReadonlyArray<{ readonly connection_type: string; readonly version: number }>>("getpeerinfo"))
    .filter(({ version }) => version > 0).map(({ connection_type: kind }) => kind)

const anchorsIn = ({ directory }: PlacedNode): ReadonlyArray<string> =>
  (JSON.parse(readFileSync(join(directory, "regtest", "anchors.json"), "utf8")) as {
    readonly anchors: ReadonlyArray<string>
  }).anchors

describe("anchors, in a node as an operator runs it", () => {
  it("are the block-relay-only peers of a clean stop, connected to once at the next start", async () => {
    const peer = await waitForNode()
    const start = (): Promise<PlacedNode> => nodes.start("anchored", ["--target-peer-count", "10"])
    let node = await start()
    try {
      await node.call("addconnection", `127.0.0.1:${peer.port}`, "block-relay-only", false)
      await until("it is a peer", async () => (await kindsOf(node)).length === 1)
      await nodes.stop(node)
      assert.deepStrictEqual(anchorsIn(node), [`127.0.0.1:${peer.port}`])

      node = await start()
      await until("it is a peer again", async () => (await kindsOf(node)).length === 1)
      assert.deepStrictEqual(await kindsOf(node), ["block-relay-only"])
      const [version] = peer.links[1]!.received
      assert.strictEqual(version?.command === "version" ? version.relay : undefined, 0)
      // The anchors are for one start: a kill leaves none behind.
      assert.deepStrictEqual(anchorsIn(node), [])
      await nodes.stop(node, "SIGKILL")
      node = await start()
      await pause(2_000)
      assert.lengthOf(peer.links, 2)
    } finally {
      await nodes.stop(node)
      peer.end()
    }
  })
})
