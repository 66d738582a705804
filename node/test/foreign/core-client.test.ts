import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makePlace, type Place, until } from "../bitcoind/bitcoind-process.ts"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { coreClient, type Ending, runCoreClient } from "./core-client.ts"

if (coreClient === undefined) {
  process.stderr.write(
    "foreign programs: LOCKSTEP_BITCOIN_CLI names no bitcoin-cli of Bitcoin Core, nor does PATH, so its test is left out\n"
  )
}

const ADDRESS = "mjTkW3DjgyZck4KbiRusZsqTgaYTxdSz6z"
const NOT_FOUND = 89
const MIB = 1 << 20

describe.runIf(coreClient !== undefined)("Bitcoin Core's own client", () => {
  let place: Place
  let other: Place
  const waited: Array<Ending> = []
  let ended: Promise<{ readonly exitCode: number | null; readonly stderr: string }>
  let otherEnded: typeof ended
  const run = (...words: ReadonlyArray<string>): Promise<Ending> => runCoreClient([...place.common, ...words])
  const printed = async (...words: ReadonlyArray<string>): Promise<string> => {
    const { exitCode, stderr, stdout } = await run(...words)
    assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" }, words.join(" "))
    return stdout.trimEnd()
  }
  beforeAll(async () => {
    place = await makePlace()
    other = await makePlace()
    const p2p = await freePort()
    const waiting = run("-rpcwait", "-rpcwaittimeout=60", "getblockcount")
    ended = place.start().ended
    otherEnded = other.start("-listen", `-bind=127.0.0.1:${p2p}`).ended
    waited.push(await waiting)
    await other.ready()
    await place.call("addnode", `127.0.0.1:${p2p}`, "add")
    await until(
      "they are connected",
      async () => (await other.call("getpeerinfo") as ReadonlyArray<unknown>).length > 0
    )
  }, patience(120_000))
  afterAll(async () => {
    await other.call("stop")
    assert.deepInclude(await otherEnded, { exitCode: 0, stderr: "" })
    place.remove()
    other.remove()
  }, patience(60_000))

  it("waits for a node that is started after it", () => {
    assert.deepStrictEqual(waited, [{ exitCode: 0, stdout: "0\n", stderr: "" }])
  })

  it("calls by position, by name and with arguments from standard input", async () => {
    const hashes = JSON.parse(await printed("generatetoaddress", "3", ADDRESS)) as ReadonlyArray<string>
    assert.strictEqual(await printed("getblockhash", "2"), hashes[1])
    assert.strictEqual(await printed("-named", "getblockhash", "height=2"), hashes[1])
    assert.strictEqual(await printed("-rpcwallet=none", "getblockcount"), "3")
    const { stdout } = await runCoreClient([...place.common, "-stdin"], "getblockhash\n3\n")
    assert.strictEqual(stdout, `${hashes[2]}\n`)
    assert.strictEqual(await printed("echo", "ü", "{}"), "[\n  \"ü\",\n  \"{}\"\n]")
    assert.strictEqual(await printed("echojson", "{\"a\":[1.0]}"), "[\n  {\n    \"a\": [\n      1.0\n    ]\n  }\n]")
    const long = "x".repeat(MIB)
    const echoed = await runCoreClient([...place.common, "-stdin", "echo"], `${long}\n`)
    assert.strictEqual(echoed.stdout, `[\n  "${long}"\n]\n`)
  }, patience(60_000))

  it("shows credentials from the cookie, options and standard input, and why they are refused", async () => {
    const [, secret = ""] = readFileSync(join(place.directory, ".cookie"), "utf8").split(":")
    const typed = [...place.common, "-rpcuser=__cookie__", "-stdinrpcpass", "getblockcount"]
    assert.deepInclude(await runCoreClient(typed, `${secret}\n`), { exitCode: 0, stdout: "3\n" })
    const refused = await runCoreClient(typed, "wrong\n")
    assert.strictEqual(refused.exitCode, 1)
    assert.match(refused.stderr, /Authorization failed: Incorrect rpcuser or rpcpassword/)
    assert.strictEqual(await printed(`-rpcuser=__cookie__`, `-rpcpassword=${secret}`, "getblockcount"), "3")
  }, patience(60_000))

  it("shows errors with their codes", async () => {
    const failed = (exitCode: number, code: number, message: string): Ending => ({
      exitCode,
      stdout: "",
      stderr: `error code: ${code}\nerror message:\n${message}\n`
    })
    assert.deepStrictEqual(await run("nosuch"), failed(NOT_FOUND, -32_601, "Method not found"))
    assert.deepStrictEqual(await run("getblockhash", "99"), failed(8, -8, "Block height out of range"))
    assert.deepStrictEqual(await run("-named", "getblockhash", "x=1"), failed(8, -8, "Unknown named parameter x"))
    assert.deepInclude(await run("-generate"), { exitCode: NOT_FOUND, stdout: "" })
  }, patience(60_000))

  it("shows the node and its peers", async () => {
    const about = await printed("-getinfo")
    for (const line of ["Chain: regtest", "Blocks: 3", "Network: in 0, out 1, total 1", "Warnings: (none)"]) {
      assert.include(about, line)
    }
    assert.match(await printed("-netinfo"), /^\D+ client \S+ regtest - server 70\d{3}\/Satoshi:31\.99\.0\/Lockstep:/)
    const table = await printed("-netinfo", "4")
    assert.match(table, /^out manual +npr +nwl2 +2 .*127\.0\.0\.1:\d+ +70\d{3}\/Satoshi:31\.99\.0\/Lockstep:/m)
    assert.strictEqual(await printed("-netinfo", "4", "outonly").then((text) => /^out manual/m.test(text)), true)
    const inbound = await runCoreClient([...other.common, "-netinfo", "4"])
    assert.match(inbound.stdout, /^ in +npr +nwl2 +2 /m)
    assert.deepStrictEqual(JSON.parse(await printed("-addrinfo")).addresses_known.total, 0)
  }, patience(60_000))

  it("stops the node", async () => {
    assert.strictEqual(await printed("stop"), "Bitcoin Core stopping")
    assert.deepInclude(await ended, { exitCode: 0, stderr: "" })
    const { exitCode, stderr } = await run("getblockcount")
    assert.strictEqual(exitCode, 1)
    assert.include(stderr, `Could not connect to the server 127.0.0.1:${place.port}`)
  }, patience(60_000))
})
