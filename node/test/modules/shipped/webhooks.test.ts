import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { type HookReceiver, hookReceiver } from "./hook-receiver.ts"
import { type ScriptedNats, scriptedNats } from "./nats-server.ts"
import { type NodeWithModules, nodeWithModules } from "./node-with-modules.ts"

const SECRET = "a secret of this test"
const DESCRIPTOR = "raw(51)#8lvh9jxk"
const MOST_WAITING = 40

interface HookJson {
  readonly name: string
  readonly url: string
  readonly state: string
  readonly waiting: number
  readonly sent: number
  readonly failures: number
  readonly dropped: number
  readonly last_error?: string
}

let running: NodeWithModules
let plain: HookReceiver
let secured: HookReceiver
let nats: ScriptedNats
let stream: ScriptedNats
let closedPort: number
const directory = mkdtempSync(join(tmpdir(), "lsh-"))

/** A certificate of 127.0.0.1 that signs itself. */
const certificate = () => {
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")]
  const what = ["-subj", "/CN=hooks", "-addext", "subjectAltName=IP:127.0.0.1"]
  const out = ["-keyout", key, "-out", cert]
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  execFileSync("openssl", ["req", ...kind, ...what, ...out], { stdio: "ignore" })
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
}

const mine = async (blocks: number): Promise<ReadonlyArray<string>> =>
  await running.call("generatetodescriptor", blocks, DESCRIPTOR) as ReadonlyArray<string>

const hooks = async (): Promise<ReadonlyArray<HookJson>> => await running.call("getwebhooks") as ReadonlyArray<HookJson>

const hook = async (name: string): Promise<HookJson> => (await hooks()).find((each) => each.name === name)!

const blocksIn = ({ accepted }: HookReceiver): ReadonlyArray<unknown> =>
  accepted.filter(({ event }) => event === "NewBlock").map(({ data }) => data["block_hash"])

/** The ids of a hook without a gap, from 1 on. */
const assertWithoutGap = (ids: ReadonlyArray<number>): void => assert.deepStrictEqual(ids, ids.map((_, i) => i + 1))

const settingsWith = (
  cert: string
): { readonly settings: string; readonly files: Readonly<Record<string, string>> } => ({
  files: { "secret.txt": `${SECRET}\n`, "ca.pem": cert },
  settings: `network_connect = ["127.0.0.1:*"]
longest_pause_seconds = 1
failures_until_dead = 3
most_waiting = ${MOST_WAITING}

[[modules.webhooks.hooks]]
name = "plain"
url = "http://user:word@127.0.0.1:${plain.port}/blocks?a=1"
secret = "${SECRET}"
headers = { x-more = "1" }

[[modules.webhooks.hooks]]
name = "secured"
url = "https://127.0.0.1:${secured.port}/all"
secret_file = "secret.txt"
ca_file = "ca.pem"
events = ["NewBlock", "MempoolTransactionAdded", "MempoolTransactionRemoved"]
where = { height = [2, 4] }

[[modules.webhooks.hooks]]
name = "nats"
url = "nats://127.0.0.1:${nats.port}"
subject = "bitcoin.regtest"
user = "alice"
secret = "word"

[[modules.webhooks.hooks]]
name = "stream"
url = "nats://127.0.0.1:${stream.port}"
jetstream = true

[[modules.webhooks.hooks]]
name = "dead"
url = "http://127.0.0.1:${closedPort}/"
`
})

describe.runIf(process.platform === "linux")("the module webhooks", () => {
  beforeAll(async () => {
    const tls = certificate()
    plain = await hookReceiver(SECRET)
    secured = await hookReceiver(SECRET, { tls })
    nats = await scriptedNats()
    stream = await scriptedNats()
    closedPort = await freePort()
    const { files, settings } = settingsWith(tls.cert)
    running = await nodeWithModules({ webhooks: settings }, [], { webhooks: files })
    assert.strictEqual((await running.status("webhooks")).status, "loaded", running.log())
    await running.until(() => running.log().includes("5 hooks follow the chain"))
  }, patience(120_000))

  afterAll(async () => {
    await running.stop()
    for (const server of [plain, secured, nats, stream]) await server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  it("sends every block once, in order, with a signature over time and body", async () => {
    const mined = await mine(5)
    await running.until(() => plain.accepted.length === 5)
    assert.deepStrictEqual(blocksIn(plain), mined)
    assertWithoutGap(plain.accepted.map(({ id }) => id))
    for (const { headers, isSigned, path } of plain.accepted) {
      assert.isTrue(isSigned)
      assert.strictEqual(path, "/blocks?a=1")
      assert.strictEqual(headers.authorization, `Basic ${Buffer.from("user:word").toString("base64")}`)
      assert.strictEqual(headers["x-more"], "1")
    }
    const [first, second] = plain.accepted
    assert.strictEqual(second!.headers["lockstep-delivery"], "plain-2")
    assert.deepInclude(second!.data, { height: 2, previous_hash: mined[0] })
    const header = await running.call("getblockheader", mined[0], false)
    assert.strictEqual(first!.data["header"], header)
  })

  it("sends over TLS what the fields of a hook select, and trusts its authority alone", async () => {
    await running.until(() => secured.accepted.length === 2)
    assert.deepStrictEqual(secured.accepted.map(({ data }) => data["height"]), [2, 4])
    assert.isTrue(secured.accepted.every(({ isSigned }) => isSigned))
  })

  it("publishes to NATS with a subject for each type, and to streams that acknowledge", async () => {
    await running.until(() => nats.stored.length === 5 && stream.stored.length === 5)
    assert.deepStrictEqual(nats.stored[4], {
      subject: "bitcoin.regtest.NewBlock",
      id: 5,
      event: "NewBlock",
      messageId: "nats-5"
    })
    assert.deepInclude(nats.connects[0], { user: "alice", pass: "word", name: "lockstep" })
    assert.strictEqual(stream.stored[0]!.subject, "lockstep.NewBlock")
  })

  it("reports blocks that a reorganization disconnects before those that replace them", async () => {
    const tip = await running.call("getbestblockhash")
    await running.call("invalidateblock", tip)
    await running.call("generatetoaddress", 2, "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc")
    await running.until(() => plain.accepted.length === 8)
    assert.deepStrictEqual(plain.accepted.slice(5).map(({ event }) => event), [
      "BlockDisconnected",
      "NewBlock",
      "NewBlock"
    ])
    assert.deepInclude(plain.accepted[5]!.data, { hash: tip, height: 5 })
  })

  it("keeps order and loses nothing when endpoints refuse, break off, and the module is killed meanwhile", async () => {
    plain.answer(503)
    nats.breakAfter(1)
    stream.breakAfter(2)
    await mine(3)
    await running.until(() => plain.refused() > 0)
    const { pid } = await running.status("webhooks")
    process.kill(pid!, "SIGKILL")
    await running.until(async () => (await running.status("webhooks")).status === "crashed")
    await mine(3)
    await running.call("loadmodule", "webhooks")
    plain.answer(200)
    await running.until(() => [plain.accepted, nats.stored, stream.stored].every(({ length }) => length === 14))
    for (const received of [plain.accepted, nats.stored, stream.stored]) assertWithoutGap(received.map(({ id }) => id))
    const heights = plain.accepted.slice(8).map(({ data }) => data["height"])
    assert.deepStrictEqual(heights, [7, 8, 9, 10, 11, 12])
  })

  it("goes on behind the last block when the node is killed", async () => {
    plain.answer(500)
    await mine(2)
    await running.until(async () => (await hook("plain")).waiting === 2)
    await running.killAndStart()
    plain.answer(204)
    await mine(1)
    await running.until(() => plain.accepted.length === 17)
    assertWithoutGap(plain.accepted.map(({ id }) => id))
  })

  it("keeps trying a dead endpoint, says so, and drops the oldest events beyond the bound", async () => {
    await mine(30)
    const dead = await running.until(async () => {
      const found = await hook("dead")
      return found.state === "dead" && found.dropped === 47 - MOST_WAITING && found
    })
    assert.deepInclude(dead, { sent: 0, waiting: MOST_WAITING })
    await running.until(() => running.log().includes("the hook dead is dead"))
    assert.strictEqual((await hook("plain")).url, `http://127.0.0.1:${plain.port}/blocks`, "no password is shown")
    assert.deepStrictEqual(await running.call("skipwebhook", "dead"), { skipped: 47 - MOST_WAITING + 1 })
    const late = await hookReceiver(SECRET, { port: closedPort })
    await running.call("retrywebhook", "dead")
    await running.until(() => late.accepted.length === MOST_WAITING - 1)
    await running.until(async () => (await hook("dead")).state === "idle")
    await running.until(() => running.log().includes("the hook dead works again"))
    await late.close()
  })

  it("sends a test event, and answers commands", async () => {
    await running.until(() => plain.accepted.length === 47)
    await running.call("testwebhook", "plain")
    await running.until(() => plain.accepted.at(-1)!.event === "Test")
    // The receiver has the event before the module has its answer.
    await running.until(async () => (await hook("plain")).waiting === 0)
    const printed = await running.call("runmodulecli", "webhooks", "list", []) as { readonly stdout: string }
    assert.match(printed.stdout, /^plain: idle, 0 waiting/)
    const refused = await running.call("testwebhook", "none").then(() => "", ({ message }: Error) => message)
    assert.include(refused, "there is no hook none; there are plain, secured, nats, stream, dead")
  })
})
