import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { DISK_ENGINES } from "../../../src/storage/key-value/opening/disk-engine.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { type Engine, opened } from "./behaviour.ts"
import { LEVELDB, LMDB } from "./engines.ts"
import { wholeBatches } from "./numbered-batches.ts"
import { patience } from "../../process/patience.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

const WORKER = fileURLToPath(new URL("./store-worker.ts", import.meta.url))

interface Worker {
  readonly child: ChildProcess
  readonly lines: Array<string>
  /** Waits for the next line, or the end. */
  readonly received: () => Promise<unknown>
}

const listen = (child: ChildProcess): Worker => {
  const lines: Array<string> = []
  let rest = ""
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop()!
    lines.push(...parts)
  })
  return { child, lines, received: () => Promise.race([once(child.stdout!, "data"), once(child, "exit")]) }
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve()

const worker = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => listen(endsWithTests(spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })))),
    ({ child }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await ended(child)
      })
  )

const lastDone = (lines: ReadonlyArray<string>): number =>
  Number(lines.findLast((line) => line.startsWith("done "))?.slice(5) ?? -1)

/** A pseudo-random sequence, so that a failing run can be repeated. */
const random = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What a death leaves behind is no damage. */
const looksSound = ({ name }: Engine, directory: string): Effect.Effect<void, StorageError> =>
  Effect.suspend(() => {
    const [lmdb, level] = DISK_ENGINES
    const engine = name === LMDB.name ? lmdb! : level!
    assert.isUndefined(engine.fault(directory))
    return engine.probe(directory, Duration.millis(patience(60_000)))
  })

const killedAgainAndAgain = (engine: Engine, entries: number, rounds: number): void => {
  it.live(`${engine.name}: batches of ${entries} are there completely or not at all after SIGKILL, and all that were answered for are`, () =>
    Effect.gen(function*() {
      const next = random(Number(process.env["LOCKSTEP_SEED"] ?? 1) + entries)
      const directory = yield* temporaryDirectory
      let before = -1
      for (let round = 0; round < rounds; round++) {
        const answered = yield* Effect.scoped(Effect.gen(function*() {
          const { child, received, lines } = yield* worker(process.execPath, [
            "--no-warnings",
            WORKER,
            engine.name,
            directory,
            String(entries)
          ])
          yield* Effect.promise(received)
          yield* Effect.sleep(`${Math.floor(next() * 120)} millis`)
          child.kill("SIGKILL")
          yield* Effect.promise(() => ended(child))
          return lastDone(lines)
        }))
        yield* looksSound(engine, directory)
        const last = yield* Effect.scoped(
          Effect.flatMap(opened(engine, directory), (store) => wholeBatches(store, entries))
        )
        assert.isAtLeast(last, Math.max(answered, before))
        before = last
      }
      assert.isAtLeast(before, rounds - 1)
    }))
}

/** A process whose files may not grow beyond `kibibytes`: writing fails there as on a full disk. */
const limited = (kibibytes: number, args: ReadonlyArray<string>) =>
  worker("bash", [
    "-c",
    `trap '' XFSZ; ulimit -S -f ${kibibytes}; exec "$0" "$@"`,
    process.execPath,
    "--no-warnings",
    WORKER,
    ...args
  ])

const hasPrlimit = ((): boolean => {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

describe("a store whose process dies", () => {
  for (const engine of [LMDB, LEVELDB]) {
    killedAgainAndAgain(engine, 20, 5)
    killedAgainAndAgain(engine, 20_000, 3)
  }
})

describe.skipIf(process.platform !== "linux" || !hasPrlimit)("a store that can grow no more", () => {
  for (const [engine, kibibytes] of [[LMDB, 8000], [LEVELDB, 8000]] as const) {
    it.live(`${engine.name}: says that the disk is full, keeps what it has, and goes on when there is room`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const entries = 20_000
        const answered = yield* Effect.scoped(Effect.gen(function*() {
          const { child, received, lines } = yield* limited(kibibytes, [
            engine.name,
            directory,
            String(entries),
            "pause"
          ])
          while (!lines.some((line) => line.startsWith("failed ")) && child.exitCode === null) {
            yield* Effect.promise(received)
          }
          const failure = lines.find((line) => line.startsWith("failed "))
          assert.match(failure ?? "nothing failed", /^failed full .*(?:Free some space|Raise the limit)/)
          const stuckAt = lastDone(lines)
          execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:unlimited"])
          while (lastDone(lines) < stuckAt + 3 && child.exitCode === null) yield* Effect.promise(received)
          assert.isAtLeast(lastDone(lines), stuckAt + 3)
          child.kill("SIGKILL")
          yield* Effect.promise(() => ended(child))
          return lastDone(lines)
        }))
        // Nothing that came behind the write that failed is lost with it.
        yield* looksSound(engine, directory)
        const store = yield* opened(engine, directory)
        assert.isAtLeast(yield* wholeBatches(store, entries), answered)
      }))

    it.live(`${engine.name}: has all that it answered for when it is opened after dying on a full disk`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const entries = 20_000
        const answered = yield* Effect.scoped(Effect.gen(function*() {
          const { child, lines } = yield* limited(kibibytes, [engine.name, directory, String(entries)])
          yield* Effect.promise(() => ended(child))
          assert.strictEqual(child.exitCode, 0)
          assert.match(lines.at(-1)!, /^failed full/)
          return lastDone(lines)
        }))
        const store = yield* opened(engine, directory)
        assert.isAtLeast(yield* wholeBatches(store, entries), answered)
      }))
  }
})
