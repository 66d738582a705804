import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort, type RunningNode, startNode } from "../process/node-process.ts"
import { type ForeignPeer, foreignPeer } from "./foreign-peer.ts"
import { areInstalled } from "./install.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "foreign"
const PATIENCE_MS = patience(150_000)
/** Behind it witnesses are in force for the foreign node as well; more than it is given in one answer. */
const FIRST = 520

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await pause(50)
  }
}

describe.runIf(areInstalled)("full nodes that others wrote (bcoin), with ours between two of them", () => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-foreign-peer-"))
  let ours: RunningNode
  let below: ForeignPeer
  let above: ForeignPeer

  const call = <A>(method: string, ...params: ReadonlyArray<unknown>): Promise<A> =>
    ours.client.call(method, ...params) as Promise<A>
  const tip = (): Promise<string> => call<string>("getbestblockhash")
  const allSame = async (): Promise<boolean> => {
    const [a, b, c] = await Promise.all([tip(), below.call<string>("tip"), above.call<string>("tip")])
    return a === b && b === c
  }
  const generate = (blocks: number): Promise<unknown> => call("generatetodescriptor", blocks, "raw(51)")

  beforeAll(async () => {
    const config = join(root, "node.toml")
    const p2pPort = await freePort()
    // After an attempt with the v2 transport no connection to a node of this kind came about.
    const settings = ["transport_preference = \"tcponly\"", "[connections]", "v2_transport = false"]
    writeFileSync(config, [...settings, "[rpc_auth]", `admin_tokens = ["${TOKEN}"]`, ""].join("\n"))
    ours = await startNode(join(root, "data"), {
      token: TOKEN,
      args: ["--config", config, "--listen-addr", `127.0.0.1:${p2pPort}`]
    })
    below = await foreignPeer(await freePort())
    await below.call("mine", FIRST)
    await below.call("connect")
    await call("addnode", `127.0.0.1:${below.port}`, "add")
    above = await foreignPeer(await freePort(), [`127.0.0.1:${p2pPort}`])
    // A node of this kind answers no request for headers before it has a block that is new.
    await above.call("mine", 1)
    await above.call("connect")
  }, patience(300_000))

  afterAll(async () => {
    await below?.stop()
    await above?.stop()
    ours?.client.close()
    ours?.signal("SIGTERM")
    await ours?.ended
    rmSync(root, { recursive: true, force: true })
  })

  it(
    "we sync from the one that we connect to, and the other, which connects to us, from us",
    { timeout: patience(300_000) },
    async () => {
      await until("we have it", async () => await tip() === await below.call("tip"))
      await until("it has it from us", allSame)
      assert.strictEqual(await above.call("height"), FIRST)
    }
  )

  it("blocks of each of the three reach the others", { timeout: patience(300_000) }, async () => {
    for (
      const mine of [
        () => below.call("mine", 1),
        () => above.call("mine", 1),
        () => generate(1),
        () => below.call("mine", 3),
        () => generate(3)
      ]
    ) {
      await mine()
      await until("all have it", allSame)
    }
  })

  it("transactions of either reach us and the other one", { timeout: patience(300_000) }, async () => {
    for (const [i, [from, to]] of ([[below, above], [above, below]] as const).entries()) {
      const txid = await from.call<string>("pay", 5 + i)
      await until("we have it", async () => (await call<ReadonlyArray<string>>("getrawmempool")).includes(txid))
      await until("the other has it", async () => (await to.call<ReadonlyArray<string>>("pool")).includes(txid))
    }
    await below.call("mine", 1)
    await until("all have the block", allSame)
    assert.deepStrictEqual(await call("getrawmempool"), [])
  })

  it(
    "reorganisations of depth 1, 3 and 10, found by the others and by us",
    { timeout: patience(400_000) },
    async () => {
      for (const depth of [1, 3, 10]) {
        for (const winner of ["theirs", "ours"]) {
          await call("setnetworkactive", false)
          await until("they are apart", async () => await below.call<number>("peers") === 0)
          await (winner === "ours" ? below.call("mine", depth) : generate(depth))
          await (winner === "ours" ? generate(depth + 1) : below.call("mine", depth + 1))
          await call("setnetworkactive", true)
          await until(
            "they are together",
            async () => await below.call<number>("peers") > 0 && await above.call<number>("peers") > 0
          )
          // A node of this kind looks for headers of those that it did not choose only when they announce something.
          await (winner === "ours" ? generate(1) : below.call("mine", 1))
          await until(`all have the branch of depth ${depth} that was ${winner}`, allSame)
        }
      }
    }
  )
})
