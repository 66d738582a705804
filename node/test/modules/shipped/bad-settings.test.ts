import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { patience } from "../../process/patience.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

/** Settings that are wrong, and what the log says of them. */
const BAD: Readonly<Record<string, readonly [settings: string, message: string]>> = {
  psbt: ["keys = \"none\"", "unknown setting \"keys\" (settings of this module: none)"],
  "stratum-v1": [
    "payout_address = \"bc1qnone\"",
    "the setting payout_address is wrong: bc1qnone is no address of regtest"
  ],
  "stratum-v2": ["listen = \"127.0.0.1:1\"", "set payout_address to the address that blocks are to pay to"],
  webhooks: [
    "hooks = [{ name = \"a\", url = \"ftp://a\" }]",
    "hooks[0].url must begin with http://, https://, nats:// or tls:// and name a host"
  ],
  zmq: [
    "pubhashblock = [\"ipc:///tmp/block\"]",
    "the setting pubhashblock must be tcp://host:port, and is ipc:///tmp/block"
  ]
}

let running: NodeWithModules

describe.runIf(process.platform === "linux")("a module that comes with the node", () => {
  beforeAll(async () => {
    running = await nodeWithModules(
      Object.fromEntries(Object.entries(BAD).map(([name, [settings]]) => [name, settings]))
    )
  }, patience(120_000))

  afterAll(() => running.stop())

  it.each(Object.entries(BAD))(
    "%s does not run with wrong settings, and says why in one line",
    async (name, [, message]) => {
      assert.strictEqual((await running.status(name)).status, "crashed")
      await running.until(() => running.log().includes(JSON.stringify(message).slice(1, -1)))
    }
  )
})
