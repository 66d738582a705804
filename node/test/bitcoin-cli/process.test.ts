import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place, until } from "../bitcoind/bitcoind-process.ts"
import { freePort } from "../process/node-process.ts"
import { runCli } from "./cli-process.ts"

const HELP_LINES =
  "\n\nMake sure the bitcoind server is running and that you are connecting to the correct RPC port.\nUse \"bitcoin-cli -help\" for more info.\n"

let place: Place
let other: Place
let node: ReturnType<Place["start"]>
let peer: ReturnType<Place["start"]>
let waited: ReturnType<typeof runCli>

const cli = (...words: ReadonlyArray<string>) => runCli([...place.common, ...words])

beforeAll(async () => {
  place = await makePlace()
  other = await makePlace()
  // Called before there is a node to answer.
  waited = runCli([...place.common, "-rpcwait", "getblockcount"])
  const port = await freePort()
  node = place.start("-listen=1", "-listenonion=0", `-bind=127.0.0.1:${port}`)
  await place.ready()
  peer = other.start(`-connect=127.0.0.1:${port}`, "-uacomment=caller")
  await other.ready()
})

afterAll(async () => {
  await other.call("stop")
  await peer.ended
  assert.strictEqual((await cli("stop")).stdout, "Bitcoin Core stopping\n")
  await node.ended
  other.remove()
  place.remove()
})

describe("node/bin/bitcoin-cli", () => {
  it("waits for a node that is not there yet", async () => {
    assert.deepStrictEqual(await waited, { exitCode: 0, stdout: "0\n", stderr: "" })
  })

  it("prints texts as they are and other results as JSON, and ends with the code of an error", async () => {
    const mined = await cli("generatetodescriptor", "1", "raw(51)")
    const [hash] = JSON.parse(mined.stdout) as ReadonlyArray<string>
    assert.strictEqual(mined.stdout, `[\n  "${hash}"\n]\n`)
    assert.strictEqual((await cli("getbestblockhash")).stdout, `${hash}\n`)
    assert.strictEqual((await cli("listbanned")).stdout, "[\n]\n")
    assert.deepStrictEqual(await cli("ping"), { exitCode: 0, stdout: "", stderr: "" })
    assert.deepStrictEqual(await cli("getblockhash", "1000"), {
      exitCode: 8,
      stdout: "",
      stderr: "error code: -8\nerror message:\nBlock height out of range\n"
    })
    assert.deepStrictEqual(await cli("getblockhash", "one"), {
      exitCode: 1,
      stdout: "",
      stderr: "error: Error parsing JSON: one\n"
    })
  })

  it("takes parameters by name, and from standard input", async () => {
    const hash = (await cli("getblockhash", "1")).stdout.trim()
    const stats = "{\n  \"height\": 1,\n  \"txs\": 1\n}\n"
    const named = await cli("-named", "getblockstats", `hash_or_height=${hash}`, "stats=[\"height\",\"txs\"]")
    assert.strictEqual(named.stdout, stats)
    const typed = await runCli([...place.common, "-stdin", "getblockstats"], "1\n[\"height\",\"txs\"]\n")
    assert.strictEqual(typed.stdout, stats)
    const mixed = await cli("-named", "getblockstats", "1", "stats=[\"height\",\"txs\"]")
    assert.strictEqual(mixed.stdout, stats)
  })

  it("finds the node by sections of bitcoin.conf, and its password on standard input", async () => {
    const [name, value] = place.common.find((word) => word.startsWith("-rpcport"))!.slice(1).split("=")
    writeFileSync(join(place.base, "bitcoin.conf"), `regtest=1\nprune=0\nrpcport=1\n[regtest]\n${name}=${value}\n`)
    const found = await runCli([`-datadir=${place.base}`, "getblockcount"])
    assert.deepStrictEqual(found, { exitCode: 0, stdout: "1\n", stderr: "" })
    const [user, password] = readFileSync(join(place.directory, ".cookie"), "utf8").split(":")
    const words = [...place.common, "-norpccookiefile", `-rpcuser=${user}`, "-stdinrpcpass", "getblockcount"]
    assert.strictEqual((await runCli(words, `${password}\n`)).stdout, "1\n")
    const wrong = await runCli(words, "wrong\n")
    assert.strictEqual(wrong.exitCode, 1)
    assert.strictEqual(
      wrong.stderr,
      `error: Authorization failed: Incorrect rpcuser or rpcpassword were specified. Configuration file: (${
        join(place.base, "bitcoin.conf")
      })\n`
    )
  })

  it("shows an overview, the peers and the known addresses", async () => {
    await until("the other node is connected", async () => (await cli("-netinfo", "4")).stdout.includes("(caller)"))
    const info = await cli("-getinfo")
    assert.match(
      info.stdout,
      /^Chain: regtest\nBlocks: 1\nHeaders: 1\nVerification progress: [^\n]+%\nDifficulty: 4\.65654\S*\n\nNetwork: in 1, out 0, total 1\nVersion: \d+\nTime offset \(s\): 0\nProxies: n\/a\nMin tx relay fee rate \(BTC\/kvB\): 0\.00000100\n\nWarnings: \(none\)\n$/
    )
    assert.include((await cli("-color=always", "-getinfo")).stdout, "\u001b[34mChain: regtest\u001b[0m\n")
    const peers = (await cli("-netinfo", "4")).stdout
    assert.match(
      peers,
      /^Bitcoin Core client v31\.99\.0 regtest - server 70017\/Satoshi:31\.99\.0\/Lockstep:\S+ - services nwl2\n\n/
    )
    assert.match(
      peers,
      /\n in +npr +nwl2 {2}[2 ] .* \d+ 127\.0\.0\.1:\d+ 70017\/Satoshi:31\.99\.0\/Lockstep:[^\n]*\(caller\)\/\n +ms +ms {2}sec/
    )
    assert.match(peers, /\nin {10}0 {7}0 {7}1 {7}1\n/)
    assert.include((await cli("-netinfo")).stdout, "\n\nLocal services: network, witness, network limited, p2p v2\n\n")
    assert.include(JSON.parse((await cli("-addrinfo")).stdout).addresses_known, { ipv4: 0, total: 0 })
    assert.strictEqual(
      (await cli("-netinfo", "x")).stderr,
      "error: invalid -netinfo level argument: x\nFor more information, run: bitcoin-cli -netinfo help\n"
    )
  })

  it("says below Bitcoin Core's lines that the node has no wallet, and what to use, where one is called for", async () => {
    const notFound = "error code: -32601\nerror message:\nMethod not found\n"
    for (
      const words of [["createwallet", "x"], ["-named", "send", "outputs={}"], ["-rpcwallet=x", "getbalance"], [
        "-generate",
        "2"
      ]]
    ) {
      const { exitCode, stderr, stdout } = await cli(...words)
      assert.deepStrictEqual([exitCode, stdout], [32_601 % 256, ""])
      assert.isTrue(stderr.startsWith(`${notFound}\nthis node has no wallet: keep keys in a wallet program`), stderr)
      for (const method of ["scantxoutset", "descriptorprocesspsbt"]) {
        assert.include(stderr, method)
        assert.include((await cli("help", method)).stdout, method)
      }
    }
    assert.strictEqual((await cli("nosuchmethod")).stderr, notFound)
  })

  it("says what is wrong with its arguments and with the connection, with exit code 1", async () => {
    const refused = (run: Awaited<ReturnType<typeof runCli>>): string => {
      assert.deepInclude(run, { exitCode: 1, stdout: "" })
      return run.stderr
    }
    assert.strictEqual(refused(await cli()), "error: too few parameters (need at least command)\n")
    assert.strictEqual(
      refused(await cli("-getinfo", "-netinfo")),
      "error: Only one of -getinfo, -netinfo may be specified.\n"
    )
    assert.strictEqual(
      refused(await cli("-nosuch", "getblockcount")),
      "Error parsing command line arguments: Invalid parameter -nosuch\n"
    )
    assert.strictEqual(
      refused(await cli("-rpcport=0", "getblockcount")),
      "error: Invalid port provided in -rpcport: 0\n"
    )
    assert.strictEqual(
      refused(await cli("-ipcconnect=unix", "getblockcount")),
      "error: bitcoin-cli was not built with IPC support\n"
    )
    const port = await freePort()
    const nowhere =
      `Error while attempting to communicate with server 127.0.0.1:${port} (Could not connect to the server)`
    assert.strictEqual(
      refused(await cli(`-rpcport=${port}`, "getblockcount")),
      `error: timeout on transient error: ${nowhere}${HELP_LINES}`
    )
    assert.strictEqual(
      refused(await cli(`-rpcport=${port}`, "-rpcwait", "-rpcwaittimeout=1", "getblockcount")),
      `error: timeout on transient error: ${nowhere}${HELP_LINES}`
    )
    const bare = await runCli([])
    assert.strictEqual(bare.exitCode, 1)
    assert.strictEqual(bare.stderr, "Error: too few parameters\n")
    assert.match(bare.stdout, /^Bitcoin Core RPC client version v31\.\d[^]*\n {2}-rpcwait\n/)
  })
})
