import { afterAll, assert, describe, it } from "@effect/vitest"
import { runNodeIn } from "../../cli/command-line.ts"
import { ADDRESS, pause, place, type PlacedNode, until } from "./place.ts"
import { patience } from "../../process/patience.ts"

const BLOCKS = 120
const DAY = 86_400

const { clear, config, root, start, stop } = place("first-asked")

afterAll(clear)

interface Status {
  readonly stage: string
  readonly blocks: number
}

const status = ({ call }: PlacedNode): Promise<Status> => call<Status>("getsyncstatus")

const says = async (node: PlacedNode): Promise<string> =>
  (await runNodeIn(root, [
    "sync",
    "--once",
    "--config",
    config,
    "--data-dir",
    node.directory,
    "--rpc-addr",
    `127.0.0.1:${node.running.port}`
  ])).stdout

describe("a node among one with nothing and one with a chain", () => {
  it("asks the second as soon as the first has nothing, and is synced at no height but the chain's", {
    timeout: patience(180_000)
  }, async () => {
    const [empty, whole, node] = [await start("empty"), await start("whole"), await start("new")]
    try {
      await whole.call("setmocktime", Math.floor(Date.now() / 1_000) - 3 * DAY)
      await whole.call("generatetoaddress", BLOCKS, ADDRESS)
      assert.strictEqual(await says(node), "Initial (0 %): height 0, waiting for a peer to connect\n")

      await node.call("setnetworkactive", false)
      for (const { p2pPort } of [empty, whole]) await node.call("addnode", `127.0.0.1:${p2pPort}`, "add")
      await node.call("setnetworkactive", true)
      const since = Date.now()
      await until("the chain is there", async () => (await status(node)).blocks === BLOCKS)
      assert.isBelow(Date.now() - since, patience(20_000))
      await until("it is synced", async () => (await status(node)).stage === "Synced")
      assert.match(await says(node), /^Synced \(100 %\): 120 of 120 blocks \(100 %\).*, 2 peers.*, caught up\n$/)
    } finally {
      for (const each of [node, whole, empty]) await stop(each)
    }
  })

  it(
    "is synced with the one that has nothing alone, and no longer once the other comes",
    { timeout: patience(180_000) },
    async () => {
      const [empty, whole, node] = [await start("empty-2"), await start("whole-2"), await start("new-2")]
      try {
        await whole.call("setmocktime", Math.floor(Date.now() / 1_000) - 3 * DAY)
        await whole.call("generatetoaddress", BLOCKS, ADDRESS)
        await node.call("addnode", `127.0.0.1:${empty.p2pPort}`, "add")
        await until("nothing is missing that a peer has", async () => (await status(node)).stage === "Synced")
        await pause(500)
        await node.call("addnode", `127.0.0.1:${whole.p2pPort}`, "add")
        const since = Date.now()
        await until("the chain is there", async () => (await status(node)).blocks === BLOCKS)
        assert.isBelow(Date.now() - since, patience(20_000))
        await until("it is synced again", async () => (await status(node)).stage === "Synced")
      } finally {
        for (const each of [node, whole, empty]) await stop(each)
      }
    }
  )
})
