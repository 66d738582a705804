import type { ModuleNetwork, NetworkStream } from "@lockstep/sdk"
import { type Duplex, duplexPair } from "node:stream"
import { assert, describe, it } from "vitest"
import { overNode } from "../zmq/src/over-node.ts"

/** A network that listens, and what became of that. */
const listening = () => {
  const places: Array<string> = []
  const done: Array<string> = []
  let take: ((stream: NetworkStream) => void) | undefined
  const network: Pick<ModuleNetwork, "listen"> = {
    listen: (place, serve) => {
      places.push(place)
      take = serve
      return Promise.resolve({
        address: place,
        close: async () => {
          await Promise.resolve()
          done.push("closed")
        }
      })
    }
  }
  const connect = (): Duplex => {
    const [near, far] = duplexPair()
    near.once("close", () => done.push("ended"))
    take!(near as unknown as NetworkStream)
    far.resume()
    return near
  }
  return { connect, done, network, places }
}

describe("a socket of ZeroMQ that the node holds", () => {
  it("is at the place of its address, and serves who connects there", async () => {
    const { connect, network, places } = listening()
    await overNode(network)("tcp://*:28332", 10)
    assert.deepStrictEqual(places, ["0.0.0.0:28332"])
    assert.isAbove(connect().listenerCount("data"), 0)
  })

  it("takes no more subscribers once it is closed, and those that it has are disconnected then", async () => {
    const { connect, done, network } = listening()
    const publisher = await overNode(network)("tcp://127.0.0.1:1", 10)
    const subscriber = connect()
    const over = new Promise((resolve) => void subscriber.once("close", resolve))
    await publisher.close()
    await over
    assert.deepStrictEqual(done, ["closed", "ended"])
  })

  it("is not opened where the node refuses to listen", async () => {
    const refused = overNode({ listen: () => Promise.reject(new Error("it is not named")) })("tcp://127.0.0.1:1", 10)
    assert.strictEqual(await refused.then(() => "", (error: Error) => error.message), "it is not named")
  })
})
