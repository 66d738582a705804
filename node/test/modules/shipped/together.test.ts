import { shippedModules } from "@lockstep/modules/build"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type HookReceiver, hookReceiver } from "./hook-receiver.ts"
import { type ListedModule, type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

/** An address of regtest. */
const PAYOUT = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"

let running: NodeWithModules
let receiver: HookReceiver

const settings = async (): Promise<Readonly<Record<string, string>>> => {
  const [zmq, first, second] = await Promise.all([freePort(), freePort(), freePort()])
  const stratum = (port: number | undefined): string =>
    `network_listen = ["127.0.0.1:${port}"]\nlisten = "127.0.0.1:${port}"\npayout_address = "${PAYOUT}"`
  return {
    psbt: "",
    "stratum-v1": stratum(first),
    "stratum-v2": stratum(second),
    webhooks: `network_connect = ["127.0.0.1:${receiver.port}"]
[[modules.webhooks.hooks]]
name = "hook"
url = "http://127.0.0.1:${receiver.port}/"`,
    zmq: `network_listen = ["127.0.0.1:${zmq}"]\npubhashblock = ["tcp://127.0.0.1:${zmq}"]`
  }
}

describe.runIf(process.platform === "linux")("all modules that come with the node", () => {
  beforeAll(async () => {
    receiver = await hookReceiver("")
    running = await nodeWithModules(await settings())
  }, patience(120_000))

  afterAll(async () => {
    await running.stop()
    await receiver.close()
  })

  it("run in one node, each with its own methods and commands", async () => {
    const listed = await running.call("listmodules") as ReadonlyArray<ListedModule>
    assert.deepStrictEqual(listed.map(({ name }) => name).toSorted(), shippedModules())
    for (const { errors, name, status } of listed) assert.strictEqual(status, "loaded", `${name}: ${errors.join()}`)
    for (const method of ["getstratuminfo", "getstratumv2info", "getwebhooks", "getzmqnotifications"]) {
      assert.strictEqual(typeof await running.call(method), "object", method)
    }
    assert.strictEqual(typeof await running.call("analyzeminiscript", "pk(A)"), "object")
    assert.include(JSON.stringify(await running.call("getmoduleclispecs")), "\"webhooks\"")
    await running.until(() => running.log().includes("1 hooks follow the chain"))
    await running.call("generatetoaddress", 1, PAYOUT)
    await running.until(() => receiver.accepted.length === 1)
  })
})
