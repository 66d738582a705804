import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { lackingFor, makeUnder, runUnder } from "./under.ts"

/** Not below `/tmp`, which some conditions take away. */
const ROOM = "/var/tmp"

let root: string
let under: string

beforeAll(() => {
  root = mkdtempSync(join(ROOM, "lockstep-machine-"))
  under = makeUnder(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Surroundings {
  /** What the helper does; `DATA` stands for the data directory. */
  readonly conditions: ReadonlyArray<string>
  /** Why the node does not start; none: it does. */
  readonly cause?: RegExp
  /** What it warns of in its log. */
  readonly warning?: RegExp
  readonly options?: ReadonlyArray<string>
}

const MACHINES: Readonly<Record<string, Surroundings>> = {
  "a root that is read-only": { conditions: ["writable=DATA", "readonly=/"] },
  "no /tmp": { conditions: ["empty=/tmp"] },
  "a /tmp that is full": { conditions: ["small=/tmp"] },
  "no /proc": { conditions: ["empty=/proc"] },
  "no IPv6": { conditions: ["no-ipv6"] },
  "no address of IPv6": { conditions: ["no-ipv6-address"] },
  "a filter of system calls that is old": { conditions: ["old-profile"] },
  "six gigabytes of addresses": { conditions: ["address-space=6442450944"], options: ["-par=1"] },
  "a control group with 150 MiB of memory": {
    conditions: ["memory=157286400"],
    options: ["-dbcache=4"],
    warning:
      /This process may take 150 MiB of memory \(a control group limits it\) and may come to need 541 MiB: .* lower -dbcache and -maxmempool\./
  },
  "200 open files": { conditions: ["open-files=200"] },
  "no shared mappings for writing": { conditions: ["no-writable-maps"] },
  "no shared mappings": {
    conditions: ["no-shared-maps"],
    cause:
      /its files cannot be mapped into memory \(ENODEV: no such device\)\. Put the data directory on a file system that/
  },
  "two gigabytes of addresses": {
    conditions: ["address-space=2147483648"],
    cause: /the limit of address space is 2097152 KiB \(ulimit -v, or LimitAS= of a service\), .* or `unlimited`/
  },
  "memory that is never run once written": {
    conditions: ["no-new-code"],
    cause: /may not run code that it has written to memory, .* set MemoryDenyWriteExecute=false in the unit/
  },
  "a filter that refuses threads": {
    conditions: ["old-profile-of-threads"],
    cause: /the system refuses to start threads: .* update the runtime, allow clone3, or raise the limit/
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

describe("bitcoind on a machine", { timeout: patience(240_000) }, () => {
  const run = async (data: string, conditions: ReadonlyArray<string>, words: ReadonlyArray<string>) => {
    const port = await freePort()
    const node = runUnder({
      under,
      conditions: conditions.map((each) => each.replace("DATA", data)),
      words: ["bitcoind", `-datadir=${data}`, "-regtest", `-rpcport=${port}`, "-connect=0", "-listen=0", ...words]
    })
    return { node, port }
  }
  const logIn = (data: string): string => {
    const file = join(data, "regtest/debug.log")
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }

  /** Starts a node, waits until it is ready, and stops it by a signal. */
  const startAndStop = async (data: string, conditions: ReadonlyArray<string>, words: ReadonlyArray<string> = []) => {
    const before = logIn(data).length
    const { node } = await run(data, conditions, words)
    const state = { isOver: false }
    void node.ended.then(() => void (state.isOver = true))
    while (!state.isOver && !logIn(data).slice(before).includes("Done loading\n")) await pause(50)
    if (!state.isOver) process.kill(node.pid, "SIGTERM")
    const { exitCode, stderr } = await node.ended
    return { exitCode, stderr, log: logIn(data).slice(before) }
  }

  let started: string
  beforeAll(async () => {
    started = join(root, "started")
    mkdirSync(started)
    const { exitCode, stderr } = await startAndStop(started, [])
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    for (const name of ["chainstate", "blocks"]) rmSync(join(started, "regtest", name), { recursive: true })
  }, patience(60_000))

  it.each(Object.keys(MACHINES))("works, or names the cause on standard error and in debug.log: %s", async (name) => {
    const { cause, conditions, options, warning } = MACHINES[name]!
    const data = join(root, name.replaceAll(/\W/g, "-"))
    // The directories of the network are there, as after any start.
    cpSync(started, data, { recursive: true })
    const lacking = lackingFor(under, conditions.map((each) => each.replace("DATA", data)))
    if (lacking !== undefined) return void process.stderr.write(`${lacking}\n`)

    const met = await startAndStop(data, conditions, options)
    assert.strictEqual(met.exitCode, cause === undefined ? 0 : 1, met.stderr + met.log)
    if (cause === undefined) {
      assert.notMatch(met.stderr, /^Error/m)
      assert.strictEqual(lastLine(met.log).slice(-13), "Shutdown done")
      if (warning !== undefined) assert.match(met.log, warning)
    } else {
      assert.match(lastLine(met.stderr), cause)
      assert.match(lastLine(met.stderr), /^Error: /)
      assert.match(met.log, new RegExp(`\\[error\\] .*${cause.source}`))
      const { node } = await run(data, conditions, ["-daemonwait"])
      const waited = await node.ended
      assert.strictEqual(waited.exitCode, 1)
      assert.strictEqual(logIn(data).split("[error]").filter((text) => cause.test(text)).length, 2)
    }

    const again = await startAndStop(data, [])
    assert.deepStrictEqual([again.exitCode, again.stderr], [0, ""])
    assert.notInclude(again.log, "damaged")
  })

  it("says in debug.log that it may have been ended for its memory, where a control group has too little for a call", async () => {
    const data = join(root, "ended")
    cpSync(started, data, { recursive: true })
    // Enough for a start, whatever that takes, and not for what follows.
    const conditions = ["memory=125829120"]
    const lacking = lackingFor(under, conditions)
    if (lacking !== undefined) return void process.stderr.write(`${lacking}\n`)
    const before = logIn(data).length
    const { node, port } = await run(data, conditions, ["-dbcache=4"])
    while (!logIn(data).slice(before).includes("Done loading\n")) await pause(50)
    const authorization = `Basic ${readFileSync(join(data, "regtest/.cookie")).toString("base64")}`
    // 29 MB, which the node has as bytes, as a text, as values and as an answer.
    const body = JSON.stringify({
      method: "echo",
      params: Array.from({ length: 300_000 }, (_, i) => "a".repeat(90) + i),
      id: 1
    })
    const call = () =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { authorization }, body })
        .then((answer) => answer.arrayBuffer()).then(() => undefined, () => undefined)
    const calls = Promise.all(Array.from({ length: 6 }, call))
    await node.ended
    await calls
    assert.match(lastLine(logIn(data)), /\[error\] the process ended suddenly: it was killed, memory ran out, /)
    assert.deepStrictEqual((await startAndStop(data, [])).exitCode, 0)
  })

  it("leaves a store as it is that it cannot map, and opens it where it can", async () => {
    const data = join(root, "kept")
    mkdirSync(data)
    await startAndStop(data, [])
    const met = await startAndStop(data, ["no-shared-maps"])
    assert.strictEqual(met.exitCode, 1)
    assert.match(met.stderr, /its files cannot be mapped into memory/)
    assert.isTrue(existsSync(join(data, "regtest/chainstate/store-leveldb/CURRENT")))
    assert.deepStrictEqual((await startAndStop(data, [])).exitCode, 0)
  })
})

describe("bitcoin-cli where written memory is never run", { timeout: patience(120_000) }, () => {
  it("calls a node, as far as the confinement shows", async () => {
    const words = ["bitcoin-cli", "-version"]
    const { exitCode, stderr, stdout } = await runUnder({
      under,
      conditions: ["no-new-code"],
      words,
      env: { INVOCATION_ID: "1" }
    }).ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.match(stdout, /^Bitcoin Core RPC client version/)
  })
})
