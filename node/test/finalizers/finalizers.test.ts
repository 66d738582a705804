import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  acquireRelease,
  acquireUseRelease,
  addFinalizer,
  addFinalizerTo,
  ensuring,
  onExit,
  onInterrupt
} from "../../src/finalizers/finalizers.ts"
import { lockDataDirectory } from "../../src/storage/data-directory/directory-lock.ts"
import { layoutOf } from "../../src/storage/data-directory/layout.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url))

const sources = (): ReadonlyArray<readonly [path: string, text: string]> =>
  readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [name, readFileSync(join(SOURCES, name), "utf8")])

/** Effect's own ways to run something at the end: a fault of theirs takes the place of the error before. */
const BARE =
  /\b(?:Effect\.(?:acquireRelease|acquireUseRelease|acquireDisposable|addFinalizer|ensuring|onExit|onExitIf|onExitPrimitive|onError|onErrorIf|onInterrupt)|Scope\.addFinalizer(?:Exit)?|Stream\.(?:ensuring|onExit|onError|scoped))\b/

const occurrences = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(pattern, "g"))].map(([found]) => found)

const real = new Error("the disk broke")

const broken = Effect.sync((): void => {
  throw new Error("the finalizer broke")
})

const thrown = (): Effect.Effect<void> => {
  throw new Error("the finalizer broke before it began")
}

const FAILING = Effect.fail(real)

const scoped = <A>(effect: Effect.Effect<A, Error, Scope.Scope>): Effect.Effect<A, Error> => Effect.scoped(effect)

/** Every form, with work that ends as given and a finalizer that breaks. */
const formsAround = (
  work: Effect.Effect<void, Error>,
  finalizer: () => Effect.Effect<void>
): Readonly<Record<string, Effect.Effect<void, Error>>> => ({
  acquireRelease: scoped(Effect.andThen(acquireRelease(Effect.void, finalizer), work)),
  acquireUseRelease: acquireUseRelease(Effect.void, () => work, finalizer),
  addFinalizer: scoped(Effect.andThen(addFinalizer(finalizer), work)),
  addFinalizerTo: Effect.flatMap(
    Scope.make(),
    (scope) =>
      Effect.flatMap(
        Effect.exit(Effect.andThen(addFinalizerTo(scope, Effect.suspend(finalizer)), work)),
        (exit) => Effect.andThen(Scope.close(scope, exit), exit)
      )
  ),
  ensuring: ensuring(work, Effect.suspend(finalizer)),
  onExit: onExit(work, finalizer),
  onInterrupt: onInterrupt(work, finalizer),
  piped: work.pipe(ensuring(Effect.suspend(finalizer)), onExit(finalizer))
})

const inDirectory = async (use: (directory: string) => Promise<void>): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-finalizers-"))
  try {
    await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe("no finalizer replaces an error", () => {
  it("because every finalizer of the node is one of finalizers.ts", () => {
    const bare = sources()
      .filter(([path]) => path !== join("finalizers", "finalizers.ts"))
      .flatMap(([path, text]) => occurrences(text, BARE).map((found) => `${path}: ${found}`))
    assert.deepStrictEqual(bare, [])
  })

  it("because no block of `finally` calls the system, which may fail", () => {
    const calls = /\b(?:close|rm|unlink|rename|ftruncate|truncate|fsync|write|writeFile)Sync\(|await (?!.*\.catch\()/
    const found = sources().flatMap(([path, text]) =>
      [...text.matchAll(/\bfinally \{([^}]*)\}/g)].filter(([, body = ""]) => calls.test(body)).map(([block]) =>
        `${path}: ${block}`
      )
    )
    assert.deepStrictEqual(found, [])
  })

  it("the look at the sources finds what it looks for", () => {
    assert.deepStrictEqual(occurrences("x.pipe(Effect.ensuring(y)); Scope.addFinalizer(s, y)", BARE), [
      "Effect.ensuring",
      "Scope.addFinalizer"
    ])
    assert.isAbove(sources().length, 300)
  })

  for (const [how, finalizer] of [["dies", () => broken], ["throws before it begins", thrown]] as const) {
    for (const [form, effect] of Object.entries(formsAround(FAILING, finalizer))) {
      it(`${form}: the error stays a failure of its type when the finalizer ${how}`, async () => {
        const exit = await Effect.runPromiseExit(effect)
        if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
        assert.deepStrictEqual(
          exit.cause.reasons.map((reason) => Cause.isFailReason(reason) ? reason.error : reason._tag),
          [real]
        )
      })
    }
    for (
      const [form, effect] of Object.entries(formsAround(Effect.void, finalizer)).filter(([name]) =>
        name !== "onInterrupt"
      )
    ) {
      it(`${form}: a finalizer that ${how} after work that ended well is not passed over`, async () => {
        assert.isTrue(Exit.isFailure(await Effect.runPromiseExit(effect)))
      })
    }
  }

  it("onInterrupt runs at an interrupt alone, and leaves it one", async () => {
    let count = 0
    const note = Effect.sync(() => void count++)
    await Effect.runPromiseExit(onInterrupt(FAILING, () => note))
    assert.strictEqual(count, 0)
    const exit = await Effect.runPromiseExit(onInterrupt(Effect.interrupt, () => Effect.andThen(note, broken)))
    assert.strictEqual(count, 1)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  })
})

describe("files that cannot be closed as they should", () => {
  it("the lock of the data directory takes neither the error away nor a good end", async () => {
    await inDirectory(async (directory) => {
      for (const work of [FAILING, Effect.succeed("done")]) {
        // The system refuses to empty and to close a descriptor that is none any more.
        const lock = lockDataDirectory(layoutOf(directory), (descriptor) => {
          process.nextTick(() => fs.closeSync(descriptor))
          return "held"
        })
        const exit = await Effect.runPromiseExit(
          Effect.scoped(lock.pipe(Effect.andThen(Effect.sleep(5)), Effect.andThen(work)))
        )
        assert.deepStrictEqual(exit, await Effect.runPromiseExit(work))
      }
    })
  })

  it("a file of the storage layer takes neither the error away nor a good end", async () => {
    await inDirectory(async (directory) => {
      const disk = nodeDisk("block-files")
      for (const work of [FAILING, Effect.succeed("done")]) {
        const path = join(directory, "file")
        const used = acquireUseRelease(
          disk.open(path, "create"),
          () => {
            const name = readdirSync("/proc/self/fd").find((each) =>
              fs.existsSync(`/proc/self/fd/${each}`) && fs.readlinkSync(`/proc/self/fd/${each}`) === path
            )
            fs.closeSync(Number(name))
            return work
          },
          (file) => file.close
        )
        assert.deepStrictEqual(await Effect.runPromiseExit(used), await Effect.runPromiseExit(work))
      }
    })
  })
})
