import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makePlace, type Place } from "../bitcoind/bitcoind-process.ts"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { type Conditioned, lackingFor, makeUnder, runUnder } from "./under.ts"

/** What a stream can be that cannot be written, and what the system says of it; none: only that the reader is gone. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  full: "ENOSPC: no space left on device",
  unopened: "EBADF: bad file descriptor",
  "hung-up": "EIO: i/o error",
  broken: undefined,
  reset: undefined,
  closed: undefined
}

/** Runs a program from its sources. */
const SOURCES = { LOCKSTEP_SOURCES: "1" }

type StreamName = "stderr" | "stdout"

/** Command lines that end by themselves, with the exit code and how a remark of the program begins. */
const COMMANDS: ReadonlyArray<readonly [line: string, code: number, remarks: string, codeWhenLost: number]> = [
  ["bitcoind -version", 0, "Warning", 0],
  ["bitcoind -help", 0, "Warning", 0],
  ["bitcoind -nosuch", 1, "Error", 1],
  ["bitcoin-cli -version", 0, "error", 0],
  ["bitcoin-cli -datadir=/nowhere getblockcount", 1, "", 1],
  ["lockstep version", 0, "node", 1],
  ["lockstep --help", 0, "node", 1],
  ["lockstep --completions bash", 0, "node", 1],
  ["lockstep nosuch", 2, "", 2]
]

let root: string
let under: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "lockstep-output-"))
  under = makeUnder(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const missing = (kind: string): string | undefined => lackingFor(under, [`stdout=${kind}`])

const CASES = Object.keys(KINDS).flatMap((kind) =>
  (["stdout", "stderr"] as const).map((stream): readonly [StreamName, string] => [stream, kind])
)

/** Places and names of the code: a program that crashed shows them. */
const STACK = /\n\s+at |throw |node:internal|Native stack/

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until calls are answered, or the process ends. */
const answers = async (node: Conditioned, call: () => Promise<unknown>): Promise<void> => {
  let isOver = false
  void node.ended.then(() => void (isOver = true))
  const deadline = Date.now() + patience(90_000)
  while (!await call().then(() => true, () => false)) {
    await pause(50)
    assert.isFalse(isOver, `it ended before it answered: ${node.stderr()}`)
    assert.isBelow(Date.now(), deadline, "it never answered")
  }
}

describe("a command whose output cannot be written", { timeout: patience(240_000) }, () => {
  it.each(CASES)("ends as it should where %s is %s, from builds and from sources", async (stream, kind) => {
    const lacking = missing(kind)
    if (lacking !== undefined) return void process.stderr.write(`${lacking}\n`)
    for (const [line, code, remarks, codeWhenLost] of COMMANDS) {
      for (const env of kind === "full" && line.endsWith("version") ? [{}, SOURCES] : [{}]) {
        const { exitCode, signal, stderr, stdout } = await runUnder({
          under,
          conditions: [`${stream}=${kind}`],
          words: line.split(" "),
          env
        }).ended
        const why = KINDS[kind]
        const isLost = stream === "stdout" && why !== undefined && remarks !== "" && remarks !== "Error"
        const about = `${line}: ${stderr}`
        assert.deepStrictEqual([exitCode, signal], [isLost ? codeWhenLost : code, null], about)
        assert.notMatch(stderr, STACK, about)
        if (isLost) assert.strictEqual(stderr, `${remarks}: standard output cannot be written: ${why}\n`)
        else if (stream === "stdout") assert.strictEqual(stderr === "", code === 0, about)
        else assert.strictEqual(stdout === "", code !== 0, about)
      }
    }
  })
})

/** What an orderly stop leaves, and what it takes away. */
const filesAreInOrder = ({ debugLog, directory }: Place, since: number): void => {
  for (const name of ["mempool.dat", "fee_estimates.dat"]) {
    assert.isAtLeast(statSync(join(directory, name)).mtimeMs, since - 2_000, name)
  }
  for (const name of ["bitcoind.pid", ".cookie"]) assert.isFalse(existsSync(join(directory, name)), name)
  assert.match(debugLog(), /Z Shutdown done\n$/)
}

describe("a node whose output cannot be written", { timeout: patience(400_000) }, () => {
  it.each(Object.keys(KINDS))("goes on and stops in order as bitcoind: %s", async (kind) => {
    const lacking = missing(kind)
    if (lacking !== undefined) return void process.stderr.write(`${lacking}\n`)
    const place = await makePlace()
    try {
      const since = Date.now()
      for (const streams of [["stdout", "stderr"], ["stdout"]]) {
        const node = runUnder({
          under,
          conditions: streams.map((stream) => `${stream}=${kind}`),
          words: ["bitcoind", ...place.common, "-connect=0", "-listen=0", "-printtoconsole", "-debug=rpc"],
          env: streams.length > 1 && kind === "full" ? SOURCES : {}
        })
        await answers(node, () => place.call("getblockcount"))
        process.kill(node.pid, "SIGTERM")
        const { exitCode, signal, stderr } = await node.ended
        const why = streams.includes("stderr") ? undefined : KINDS[kind]
        const remark = why === undefined ? "" : `Warning: standard output cannot be written: ${why}\n`
        assert.deepStrictEqual({ exitCode, signal, stderr }, { exitCode: 0, signal: null, stderr: remark })
        filesAreInOrder(place, since)
      }
      const again = place.start()
      await place.ready()
      place.signal(again.pid, "SIGTERM")
      const { exitCode, stderr } = await again.ended
      assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
      assert.notMatch(place.debugLog(), /ended suddenly|Corrupted|\[error\]/)
    } finally {
      place.remove()
    }
  })

  it.each(Object.keys(KINDS))("goes on and stops in order as lockstep: %s", async (kind) => {
    const lacking = missing(kind)
    if (lacking !== undefined) return void process.stderr.write(`${lacking}\n`)
    const home = join(root, `lockstep-${kind}`)
    mkdirSync(home)
    const port = await freePort()
    const client = rpcClient(port)
    const words = ["lockstep", "start", "--network", "regtest", "--data-dir", home, "--rpc-addr", `127.0.0.1:${port}`]
    const run = async (conditions: ReadonlyArray<string>) => {
      const node = runUnder({ under, conditions, words })
      await answers(node, () => client.call("getblockcount"))
      process.kill(node.pid, "SIGTERM")
      return node.ended
    }
    try {
      const silent = await run([`stdout=${kind}`, `stderr=${kind}`])
      assert.deepStrictEqual([silent.exitCode, silent.signal], [0, null])
      const deaf = await run([`stdout=${kind}`])
      const why = KINDS[kind]
      const remark = why === undefined ? "" : `node: standard output cannot be written: ${why}\n`
      assert.deepStrictEqual([deaf.exitCode, deaf.stderr], [0, remark])
      const again = await run([])
      assert.deepStrictEqual([again.exitCode, again.stderr], [0, ""])
      assert.include(again.stdout, "the node has stopped")
    } finally {
      client.close()
    }
  })
})
