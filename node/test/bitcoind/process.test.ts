import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

const inDirectory = (name: string): string => join(place.directory, name)

describe("node/bin/bitcoind", () => {
  it("logs the transactions of a template and saves the mempool in its old format when it is asked to", async () => {
    const { ended } = place.start("-printpriority", "-persistmempoolv1")
    await place.ready()
    // Outputs that need no signature: 101 blocks to them, and a transaction of the first one in a template.
    const [first] = await place.call("generatetodescriptor", 101, "raw(51024e73)") as ReadonlyArray<string>
    const { tx: [coinbase] } = await place.call("getblock", first) as { readonly tx: [string] }
    const outputs = [{ "bcrt1pfeesnyr2tx": 49.9999 }, { data: "00".repeat(20) }]
    const raw = await place.call("createrawtransaction", [{ txid: coinbase, vout: 0 }], outputs)
    const txid = String(await place.call("sendrawtransaction", raw))
    const { vsize } = await place.call("getmempoolentry", txid) as { readonly vsize: number }
    await place.call("getblocktemplate", { rules: ["segwit"] })
    const rate = (Math.floor(10_000 * 1_000 / vsize) / 100_000_000).toFixed(8)
    await until("the template was logged", () => place.debugLog().includes(`Z fee rate ${rate} BTC/kvB txid ${txid}\n`))
    await place.call("stop")
    assert.strictEqual((await ended).exitCode, 0)
    const saved = readFileSync(inDirectory("mempool.dat"))
    assert.deepStrictEqual([saved.readBigUInt64LE(0), saved.readBigUInt64LE(8)], [1n, 1n])
    assert.isTrue(saved.includes(Buffer.from(String(raw), "hex")))
  })

  it("runs a chain in Bitcoin Core's places, and stops by call without a word", async () => {
    const note = join(place.base, "note")
    const { ended, pid } = place.start(
      "-debug=rpc",
      `-startupnotify=echo started >> ${note}`,
      `-blocknotify=echo %s >> ${note}`,
      `-shutdownnotify=echo stopped >> ${note}`
    )
    await place.ready()
    assert.strictEqual(readFileSync(inDirectory("bitcoind.pid"), "utf8"), `${pid}\n`)
    assert.strictEqual(statSync(inDirectory(".cookie")).mode & 0o777, 0o600)
    assert.match(readFileSync(inDirectory(".cookie"), "utf8"), /^__cookie__:[0-9a-f]{64}$/)
    assert.deepStrictEqual(readdirSync(inDirectory("wallets")), [])
    await until("the first command was run", () => existsSync(note))
    const [hash] = await place.call("generatetodescriptor", 1, "raw(51)") as ReadonlyArray<string>
    await until("the block was reported", () => readFileSync(note, "utf8").includes(hash!))
    const more = await place.call("generatetodescriptor", 9, "raw(51)") as ReadonlyArray<string>
    await until("each block was reported", () => more.every((each) => readFileSync(note, "utf8").includes(each)))
    assert.include(place.debugLog(), "[rpc] ThreadRPCServer method=generatetodescriptor user=__cookie__ id=1")

    // A second one keeps out of the directory.
    const second = await place.start().ended
    assert.strictEqual(second.exitCode, 1)
    assert.strictEqual(
      second.stderr,
      `Error: Cannot obtain a lock on directory ${place.directory}. Bitcoin Core is probably already running.\n`
    )

    assert.strictEqual(await place.call("stop"), "Bitcoin Core stopping")
    const { exitCode, stderr } = await ended
    assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
    assert.deepStrictEqual(
      readFileSync(note, "utf8").split("\n").toSorted(),
      ["", "started", hash!, ...more, "stopped"].toSorted()
    )
    assert.match(place.debugLog(), /^\n{5}\S+Z Bitcoin Core .*\n[^]*Z Shutdown done\n$/)
    // Beside these there are only files, which tools remove.
    const directories = readdirSync(place.directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    assert.sameMembers(directories, ["blocks", "chainstate", "wallets"])
    assert.isFalse(existsSync(inDirectory(".cookie")))
    assert.isFalse(existsSync(inDirectory("bitcoind.pid")))

    // Programs follow a start and a stop by these lines, in this order.
    const lines = [
      "scheduler thread start",
      "init message: Loading block index…",
      "Permissions used for cookie: rw-------",
      "Using random cookie authentication.",
      "init message: Verifying blocks…",
      "Block index and chainstate loaded",
      "initload thread start",
      "init message: Loading P2P addresses…",
      "SetNetworkActive: true",
      "init message: Starting network threads…",
      "init message: Done loading",
      "Shutdown in progress...",
      "net thread exit",
      "msghand thread exit",
      "Writing 0 mempool transactions to file...",
      "Writing 0 unbroadcast transactions to file.",
      "scheduler thread exit"
    ]
    const places = lines.map((line) => place.debugLog().indexOf(`Z ${line}\n`))
    assert.notInclude(places, -1)
    assert.deepStrictEqual(places.toSorted((one, other) => one - other), places)

    // What was mined is there again, at the height at which this one stops.
    const again = await place.start("-stopatheight=1").ended
    assert.deepStrictEqual({ exitCode: again.exitCode, stderr: again.stderr }, { exitCode: 0, stderr: "" })
  })

  it("runs in the background once it has started, and stops by signal", async () => {
    const { exitCode, stderr, stdout } = await place.start("-daemonwait", "-loadblock=none.dat", "-loadblock=.").ended
    assert.deepStrictEqual({ exitCode, stderr, stdout }, { exitCode: 0, stderr: "", stdout: "Bitcoin Core starting\n" })
    await place.ready()
    for (const file of ["none.dat", "."]) {
      assert.include(place.debugLog(), `Z [warning] Could not open blocks file ${file}\n`)
    }
    const pid = Number(readFileSync(inDirectory("bitcoind.pid"), "utf8"))
    try {
      renameSync(inDirectory("debug.log"), inDirectory("debug.log.1"))
      place.signal(pid, "SIGHUP")
      await until("the log is opened anew", () => existsSync(inDirectory("debug.log")))
    } finally {
      place.signal(pid, "SIGTERM")
    }
    await until("the process has ended", () => !existsSync(inDirectory("bitcoind.pid")))
    await until("the log is complete", () => place.debugLog().endsWith("Shutdown done\n"))
  })

  it("says why it does not start, with exit code 1", async () => {
    const wrong = await place.start("-nosuch").ended
    assert.strictEqual(wrong.exitCode, 1)
    assert.strictEqual(wrong.stderr, "Error: Error parsing command line arguments: Invalid parameter -nosuch\n")
    assert.strictEqual(
      (await place.start("-peertimeout=0").ended).stderr,
      "Error: peertimeout must be a positive integer.\n"
    )
    const unsure = await place.start("-rpccookieperms=any", "-checkpoints").ended
    assert.strictEqual(unsure.stderr, "Error: Unable to start HTTP server. See debug log for details.\n")
    assert.include(place.debugLog(), "Invalid -rpccookieperms=any; must be one of 'owner', 'group', or 'all'.\n")
    // What is in the way of the cookie's own file is named in the log.
    mkdirSync(inDirectory(".cookie.tmp"))
    const barred = await place.start().ended
    assert.deepStrictEqual(
      [barred.exitCode, barred.stderr],
      [1, "Error: Unable to start HTTP server. See debug log for details.\n"]
    )
    assert.match(place.debugLog(), /cannot write the cookie for tools on this machine: .*directory/)
    assert.include(place.debugLog(), "[error] Unable to start HTTP server. See debug log for details.\n")
    const nowhere = join(place.directory, "none", "pid")
    assert.strictEqual(
      (await place.start(`-pid=${nowhere}`, "-checkpoints").ended).stderr,
      "Warning: Option '-checkpoints' is set but checkpoints were removed. This option has no effect.\n" +
        `Error: Unable to create the PID file '${nowhere}': No such file or directory (2)\n`
    )
    mkdirSync(inDirectory("chainstate"), { recursive: true })
    writeFileSync(inDirectory("chainstate/CURRENT"), "MANIFEST-000001\n")
    assert.match(
      (await place.start().ended).stderr,
      /^Error: The data directory .* holds a chain that Bitcoin Core made/
    )
  })

  it("shows its version and its options", async () => {
    const version = await place.start("-version").ended
    assert.strictEqual(version.exitCode, 0)
    assert.match(version.stdout, /^Bitcoin Core daemon version v31\.\d+\.\d+.* bitcoind/)
    const { stdout } = await place.start("-help").ended
    assert.match(stdout, /\n {2}-datadir=<dir>\n {7}The data directory\n/)
    assert.notInclude(stdout, "-stopatheight")
    assert.include((await place.start("-help-debug").ended).stdout, "-stopatheight")
  })
})
