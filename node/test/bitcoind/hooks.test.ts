import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import type { DebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { bitcoindHooks } from "../../src/bitcoind/run/bitcoind-hooks.ts"
import { openingLines } from "../../src/bitcoind/run/chain-steps.ts"
import { diskWarning } from "../../src/bitcoind/run/disk-warning.ts"
import type { Chain } from "../../src/engine-client/chain.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { Shutdown } from "../../src/runtime/shutdown.ts"
import { patience } from "../process/patience.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const STATE = {
  hash: new Uint8Array(32).fill(1),
  chainWork: 5n,
  height: 10,
  headersHeight: 12,
  progress: 1,
  loadingBlocks: true,
  time: 0,
  mockTime: 0,
  warnings: [],
  initialBlockDownload: false
}

/** The hooks of a start with these words, over a chain and a log that keep what they are asked. */
const hooked = (words: ReadonlyArray<string>, { came = false } = {}) => {
  const plan = Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join()))
  const lines: Array<string> = []
  const mocked: Array<number> = []
  const calls: Array<unknown> = []
  const asked: Array<unknown> = []
  const snapshots: Array<string> = []
  const subscribers: Array<(notification: EngineNotification) => void> = []
  const log = {
    write: ({ level, text }: { readonly level: string; readonly text: string }) => void lines.push(`${level}: ${text}`),
    setMockTime: (time: number) => void mocked.push(time)
  } as unknown as DebugLog
  const chain = {
    state: () => STATE,
    subscribe: (take: (notification: EngineNotification) => void) => void subscribers.push(take),
    call: (name: string, params: unknown) => Effect.sync(() => void calls.push([name, params]))
  } as unknown as Chain["Service"]
  const shutdown = {
    request: (reason: string) => Effect.sync(() => void asked.push(reason))
  } as unknown as Shutdown["Service"]
  const hooks = bitcoindHooks(plan, log, ["one", "two"], {
    signals: { came: () => came },
    snapshots: {
      fault: () => undefined,
      opened: () => void snapshots.push("opened"),
      changed: () => void snapshots.push("changed")
    }
  })
  const send = (notification: object): void => subscribers.forEach((take) => take(notification as EngineNotification))
  return { asked, calls, chain, hooks, lines, mocked, plan, send, shutdown, snapshots }
}

const run = (effect: Effect.Effect<unknown, unknown, never>): Promise<unknown> => Effect.runPromise(effect)

const state = (change: object): object => ({ _tag: "State", state: { ...STATE, ...change } })

/** Resolves once a file has so many lines. */
const linesOf = (file: string, count: number): Promise<ReadonlyArray<string>> =>
  vi.waitFor(() => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""
    assert.lengthOf(text.split("\n"), count + 1)
    return text.trimEnd().split("\n")
  }, { timeout: patience(20_000), interval: 5 })

describe("bitcoind beside its node", () => {
  const first = async (words: ReadonlyArray<string>, came = false) => {
    const { asked, hooks, lines, shutdown } = hooked(words, { came })
    await run(Effect.provideService(hooks.first! as Effect.Effect<void, never, Shutdown>, Shutdown, shutdown))
    return { asked, hooks, lines }
  }

  it("logs what a start begins with, and stops where a signal came before", async () => {
    const { asked, hooks, lines } = await first([])
    assert.deepStrictEqual([lines.slice(0, 2), asked], [["info: one", "info: two"], []])
    assert.notInclude(lines, "info: Log rate limiting disabled")
    assert.isTrue(hooks.ignoresSignals)
    assert.strictEqual(hooks.crashNotice!.file, join(home.base, "regtest", "debug.log"))
    const other = await first(["-logratelimit=0", "-addnode=a:b:c:"], true)
    assert.deepStrictEqual(other.asked, ["signal"])
    assert.deepStrictEqual(other.lines.slice(2), [
      "info: Log rate limiting disabled",
      "warning: -addnode=a:b:c: names no node"
    ])
  })

  it("follows the chain: opening lines, the mocked time, and the directory of a snapshot", async () => {
    const { asked, chain, hooks, lines, mocked, plan, send, shutdown, snapshots } = hooked([])
    await run(hooks.chainMade!(chain, shutdown) as Effect.Effect<void>)
    assert.deepStrictEqual(lines, openingLines(plan).map((line) => `info: ${line}`))
    send(state({ mockTime: 77, height: 1_000 }))
    send({ _tag: "Disconnected", hash: STATE.hash })
    assert.deepStrictEqual([mocked, snapshots, asked], [[77], ["changed"], []])
  })

  it("stops at the height that is asked for, and not below it", async () => {
    const { asked, chain, hooks, send, shutdown } = hooked(["-stopatheight=11"])
    await run(hooks.chainMade!(chain, shutdown) as Effect.Effect<void>)
    send(state({ height: 10 }))
    assert.deepStrictEqual(asked, [])
    send(state({ height: 11 }))
    assert.deepStrictEqual(asked, ["signal"])
  })

  it("runs the command of a new tip with its hash wherever %s stands, and logs one that fails", async () => {
    const file = join(home.machine.home, "tips")
    const { chain, hooks, lines, send, shutdown } = hooked([`-blocknotify=echo %s-%s >> ${file}; exit 3`])
    await run(hooks.chainMade!(chain, shutdown) as Effect.Effect<void>)
    send(state({}))
    send({
      _tag: "Tip",
      tip: {
        hash: new Uint8Array(32).fill(2),
        chainWork: 6n,
        time: 0,
        height: 11,
        version: 1,
        transactions: 1,
        progress: 1,
        cacheBytes: 0
      }
    })
    const hash = "02".repeat(32)
    assert.deepStrictEqual(await linesOf(file, 1), [`${hash}-${hash}`])
    const text = `warning: runCommand error: system(echo ${hash}-${hash} >> ${file}; exit 3) returned 768`
    await vi.waitFor(() => assert.include(lines, text), { timeout: patience(20_000) })
  })

  it("runs no command for blocks of the download, but for those that end it by the mocked time", async () => {
    const file = join(home.machine.home, "tips")
    const { chain, hooks, lines, send, shutdown } = hooked([`-blocknotify=echo %s >> ${file}`, "-maxtipage=100"])
    await run(hooks.chainMade!(chain, shutdown) as Effect.Effect<void>)
    const tip = (number: number, time: number): void =>
      send({
        _tag: "Tip",
        tip: {
          hash: new Uint8Array(32).fill(number),
          chainWork: BigInt(number),
          time,
          height: number,
          version: 1,
          transactions: 1,
          progress: 1,
          cacheBytes: 0
        }
      })
    send(state({ initialBlockDownload: true, mockTime: 5_000 }))
    for (const [number, time] of [[6, 4_899], [7, 4_900], [8, 4_899]] as const) tip(number, time)
    send(state({ hash: new Uint8Array(32).fill(8), chainWork: 8n, mockTime: 9_000 }))
    assert.deepStrictEqual((await linesOf(file, 2)).toSorted(), ["07".repeat(32), "08".repeat(32)])
    assert.lengthOf(lines.filter((line) => line.startsWith("info: UpdateTip: ")), 3)
  })

  it("runs the command of a warning once while it lasts, and again when it comes back, without what a shell acts on", async () => {
    const file = join(home.machine.home, "alerts")
    const { chain, hooks, send, shutdown } = hooked([`-alertnotify=echo %s >> ${file}`])
    await run(hooks.chainMade!(chain, shutdown) as Effect.Effect<void>)
    send(state({ warnings: ["a$b'c"] }))
    assert.deepStrictEqual(await linesOf(file, 1), ["abc"])
    send(state({ warnings: ["a$b'c", "next"] }))
    assert.deepStrictEqual(await linesOf(file, 2), ["abc", "next"])
    send(state({ warnings: ["next"] }))
    send(state({ warnings: ["next", "a$b'c"] }))
    assert.deepStrictEqual(await linesOf(file, 3), ["abc", "next", "abc"])
  })

  it("takes in the files that can be read, names the others, and goes on or stops", async () => {
    const file = join(home.machine.home, "blocks.dat")
    writeFileSync(file, "")
    mkdirSync(join(home.machine.home, "dir"))
    const none = join(home.machine.home, "none")
    const words = [file, none, join(home.machine.home, "dir")].map((path) => `-loadblock=${path}`)
    const load = async (...more: ReadonlyArray<string>) => {
      const at = hooked([...words, ...more])
      await run(at.hooks.chainReady!(at.chain, at.shutdown) as Effect.Effect<void>)
      return at
    }
    const { asked, calls, lines, snapshots } = await load()
    assert.deepStrictEqual(calls, [["importFiles", { paths: [file] }]])
    assert.deepStrictEqual([asked, snapshots], [[], ["opened"]])
    assert.includeMembers(lines, ["info: Opened LevelDB successfully", "info: block tree size = 13"])
    assert.deepStrictEqual(lines.slice(-3), [
      `warning: Could not open blocks file ${none}`,
      `warning: Could not open blocks file ${join(home.machine.home, "dir")}`,
      `info: Importing blocks file ${file}...`
    ])
    const stopped = await load("-stopafterblockimport")
    assert.deepStrictEqual([stopped.asked, stopped.lines.at(-1)], [["signal"], "info: Stopping after block import"])
  })

  it("warns in the log and on standard error where the disk may be too small", async () => {
    const { chain, hooks, lines, plan, shutdown } = hooked([])
    // Few disks have as much room as this chain needs.
    Object.assign(plan.config, { network: "mainnet" })
    mkdirSync(plan.storage.blocks, { recursive: true })
    const low = { ...STATE, height: 1 }
    const said: Array<string> = []
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0)
    await run(hooks.chainReady!({ ...chain, state: () => low } as never, shutdown) as Effect.Effect<void>)
    vi.restoreAllMocks()
    const expected = diskWarning(plan, 1)
    const all = expected === undefined ? [] : [expected]
    assert.deepStrictEqual(lines.filter((line) => line.includes("Disk space")), all.map((text) => `warning: ${text}`))
    assert.deepStrictEqual(said, all.map((text) => `Warning: ${text}\n`))
  })

  it("imports nothing where no file is named", async () => {
    const { calls, chain, hooks, shutdown } = hooked([])
    await run(hooks.chainReady!(chain, shutdown) as Effect.Effect<void>)
    assert.deepStrictEqual(calls, [])
  })

  it("runs commands once all runs and when it stops, and waits for the latter", async () => {
    const [started, stopped] = ["started", "stopped"].map((name) => join(home.machine.home, name))
    const { hooks, lines } = hooked([
      `-startupnotify=echo up > ${started}`,
      `-shutdownnotify=echo one > ${stopped}1`,
      `-shutdownnotify=exit 1`
    ])
    await run(hooks.started!)
    assert.deepStrictEqual(await linesOf(started!, 1), ["up"])
    await run(hooks.stopping!)
    assert.strictEqual(readFileSync(`${stopped}1`, "utf8"), "one\n")
    assert.deepStrictEqual(lines, [
      "warning: runCommand error: system(exit 1) returned 256",
      "info: Shutdown in progress..."
    ])
    const quiet = hooked([])
    await run(quiet.hooks.started!)
    await run(quiet.hooks.stopping!)
    assert.deepStrictEqual(quiet.lines, ["info: Shutdown in progress..."])
  })
})
