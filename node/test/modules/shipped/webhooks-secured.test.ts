import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { testAuthority } from "./authority.ts"
import { type HookReceiver, hookReceiver } from "./hook-receiver.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"
import { NATS_SERVER, type RealNats, realNats } from "./real-nats.ts"

const DESCRIPTOR = "raw(51)#8lvh9jxk"
const OLDEST_BLOCK_SECONDS = 3_600
/** A time long ago for blocks, in the seconds of the chain. */
const LONG_AGO = 1_500_000_000
const [USER, PASSWORD] = ["publisher", "a word of this test"]

interface HookJson {
  readonly name: string
  readonly state: string
  readonly waiting: number
  readonly sent: number
  readonly last_error?: string
}

const directory = mkdtempSync(join(tmpdir(), "lsw-"))
const authority = testAuthority(directory)
const other = testAuthority(directory)

let running: NodeWithModules
/** Certified for its address; for another name; by another authority. */
let good: HookReceiver
let misnamed: HookReceiver
let foreign: HookReceiver
let nats: RealNats

const hook = (name: string, url: string, ...more: ReadonlyArray<string>): string =>
  [`[[modules.webhooks.hooks]]`, `name = "${name}"`, `url = "${url}"`, ...more, ""].join("\n")

const CA = `ca_file = "ca.pem"`

const settings = (natsPort: number): string =>
  [
    `network_connect = ["127.0.0.1:*"]`,
    "longest_pause_seconds = 1",
    `oldest_block_seconds = ${OLDEST_BLOCK_SECONDS}`,
    hook("good", `https://127.0.0.1:${good.port}/`, CA),
    hook("misnamed", `https://127.0.0.1:${misnamed.port}/`, CA),
    hook("foreign", `https://127.0.0.1:${foreign.port}/`, CA),
    hook("public", `https://127.0.0.1:${good.port}/public`),
    ...NATS_SERVER === undefined ? [] : [
      hook("nats", `tls://127.0.0.1:${natsPort}`, CA, "jetstream = true", `user = "${USER}"`, `secret = "${PASSWORD}"`),
      hook("refused", `tls://127.0.0.1:${natsPort}`, CA, "jetstream = true", `user = "${USER}"`, `secret = "no"`)
    ]
  ].join("\n")

const hookNamed = async (name: string): Promise<HookJson> => {
  const all = await running.call("getwebhooks") as ReadonlyArray<HookJson>
  return all.find((each) => each.name === name)!
}

const mine = async (blocks: number): Promise<ReadonlyArray<string>> =>
  await running.call("generatetodescriptor", blocks, DESCRIPTOR) as ReadonlyArray<string>

describe.runIf(process.platform === "linux")("the module webhooks over TLS, with an authority of its own", () => {
  beforeAll(async () => {
    const here = authority.certify("IP:127.0.0.1")
    good = await hookReceiver("", { tls: here })
    misnamed = await hookReceiver("", { tls: authority.certify("DNS:hooks.example") })
    foreign = await hookReceiver("", { tls: other.certify("IP:127.0.0.1") })
    const port = await freePort()
    const who = { user: USER, password: PASSWORD }
    nats = realNats({ directory, port, certificate: here, authority: authority.cert, ...who })
    if (NATS_SERVER !== undefined) {
      await nats.start()
      await nats.addStream("lockstep")
    }
    running = await nodeWithModules({ webhooks: settings(port) }, [], { webhooks: { "ca.pem": authority.cert } })
    await running.until(() => running.log().includes("hooks follow the chain"))
  }, patience(120_000))

  afterAll(async () => {
    await running.stop()
    for (const server of [good, misnamed, foreign]) await server.close()
    if (NATS_SERVER !== undefined) await nats.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  it("sends no block that is older than the operator wants, and goes on behind it", async () => {
    await running.call("setmocktime", LONG_AGO)
    await mine(3)
    await running.call("setmocktime", 0)
    const mined = await mine(2)
    await running.until(() => good.accepted.length === 2)
    assert.deepStrictEqual(good.accepted.map(({ data, id }) => [id, data["height"], data["block_hash"]]), [
      [1, 4, mined[0]],
      [2, 5, mined[1]]
    ])
    await running.call("unloadmodule", "webhooks")
    await running.call("setmocktime", LONG_AGO + 7_200)
    const [tip] = (await mine(1)) as [string]
    await running.call("setmocktime", 0)
    await running.call("loadmodule", "webhooks")
    const last = await mine(1)
    await running.until(() => good.accepted.length === 3 && good.accepted)
    assert.deepInclude(good.accepted[2]!, { id: 3 })
    assert.deepInclude(good.accepted[2]!.data, { block_hash: last[0], previous_hash: tip })
  })

  it.each([
    ["misnamed", /does not match|altname/i],
    ["foreign", /unable to verify|self.signed|issuer/i],
    ["public", /unable to verify|self.signed|issuer/i]
  ])("sends nothing to a server that is not certified: %s", async (name, reason) => {
    const found = await running.until(async () => {
      const each = await hookNamed(name)
      return each.last_error !== undefined && each
    })
    assert.match(found.last_error!, reason)
    assert.deepInclude(found, { sent: 0 })
    assert.isAbove(found.waiting, 0)
    const paths = [good, misnamed, foreign].flatMap(({ accepted }) => accepted.map(({ path }) => path))
    assert.isTrue(paths.every((path) => path === "/"))
    assert.isEmpty([...misnamed.accepted, ...foreign.accepted])
  })

  it.skipIf(NATS_SERVER === undefined)(
    "stores each block once in a stream of NATS, over kills of the server",
    async () => {
      await running.until(async () => (await nats.stored()).length === 3)
      await nats.kill()
      await mine(2)
      await running.until(async () => (await hookNamed("nats")).last_error !== undefined)
      await nats.start()
      await running.until(async () => (await nats.stored()).length === 5)
      await mine(1)
      await running.until(async () => (await hookNamed("nats")).waiting === 0)
      const stored = await nats.stored()
      assert.deepStrictEqual(stored.map(({ body }) => (JSON.parse(body) as { readonly id: number }).id), [
        1,
        2,
        3,
        4,
        5,
        6
      ])
      assert.isTrue(stored.every(({ subject }) => subject === "lockstep.NewBlock"))
      const refused = await hookNamed("refused")
      assert.deepInclude(refused, { sent: 0 })
      assert.match(refused.last_error!, /authorization/i)
    }
  )
})
