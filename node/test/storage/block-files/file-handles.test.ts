import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { fileHandles } from "../../../src/storage/block-files/file-handles.ts"
import type { Disk, DiskFile } from "../../../src/storage/disk/disk.ts"

interface WatchedFiles {
  readonly disk: Disk
  /** `+` a file was opened, `-` it was closed. */
  readonly seen: Array<string>
  /** Files that are removed before they are used again. */
  readonly removed: Set<string>
}

/** A disk of which only `open` is asked, and what of its files is open. */
const watchedFiles = (beforeOpen: Effect.Effect<void> = Effect.void): WatchedFiles => {
  const seen: Array<string> = []
  const removed = new Set<string>()
  const open: Disk["open"] = (path) =>
    Effect.as(
      Effect.andThen(beforeOpen, Effect.sync(() => seen.push(`+${path}`))),
      {
        path,
        isRemoved: Effect.sync(() => removed.delete(path)),
        close: Effect.sync(() => {
          seen.push(`-${path}`)
        })
      } as unknown as DiskFile
    )
  return { disk: { open } as Disk, seen, removed }
}

const nothing = () => Effect.void

describe("open files", () => {
  it.effect("stay open for the next who reads, and are closed at the end", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { closeAll, using } = fileHandles(disk, 2)
      yield* using("a", "read", nothing)
      yield* using("b", "read", nothing)
      yield* using("a", "read", nothing)
      assert.deepStrictEqual(seen, ["+a", "+b"])
      yield* closeAll
      assert.deepStrictEqual(seen.slice(2).toSorted(), ["-a", "-b"])
      yield* using("a", "read", nothing)
      assert.strictEqual(seen.at(-1), "+a")
    }))

  it.effect("are opened anew when they were removed meanwhile, since what is in them would be lost", () =>
    Effect.gen(function*() {
      const { disk, removed, seen } = watchedFiles()
      const { closeAll, using } = fileHandles(disk, 2)
      yield* using("a", "read-write", nothing)
      removed.add("a")
      yield* using("a", "read-write", nothing)
      assert.deepStrictEqual(seen, ["+a", "-a", "+a"])
      yield* using("a", "read-write", nothing)
      yield* closeAll
      assert.deepStrictEqual(seen, ["+a", "-a", "+a", "-a"])
    }))

  it.effect("that were opened to be read are opened again by the first write, which later reads use as well", () =>
    Effect.gen(function*() {
      const modes: Array<string> = []
      const { disk, seen } = watchedFiles()
      const noting = { open: (path, mode) => (modes.push(mode), disk.open(path, mode)) } as Disk
      const { closeAll, using } = fileHandles(noting, 2)
      for (const mode of ["read", "read", "read-write", "read", "read-write", "create"] as const) {
        yield* using("a", mode, nothing)
      }
      assert.deepStrictEqual(modes, ["read", "read-write"])
      assert.deepStrictEqual(seen, ["+a", "-a", "+a"])
      yield* closeAll
      assert.deepStrictEqual(seen, ["+a", "-a", "+a", "-a"])
    }))

  it.effect("that are being read stay open for the reader when another one writes", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { closeAll, using } = fileHandles(disk, 2)
      yield* using("a", "read", () =>
        Effect.gen(function*() {
          yield* using("a", "read-write", nothing)
          assert.deepStrictEqual(seen, ["+a", "+a"])
        }))
      assert.deepStrictEqual(seen, ["+a", "+a", "-a"])
      yield* closeAll
      assert.deepStrictEqual(seen, ["+a", "+a", "-a", "-a"])
    }))

  it.effect("are as many as the limit says: the one that was used longest ago goes first", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { using } = fileHandles(disk, 2)
      for (const path of ["a", "b", "a", "c", "a", "b"]) yield* using(path, "read", nothing)
      assert.deepStrictEqual(seen, ["+a", "+b", "-b", "+c", "-c", "+b"])
    }))

  it.effect("are not closed while they are in use, however many there are", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { using } = fileHandles(disk, 1)
      yield* using("a", "read", () =>
        Effect.gen(function*() {
          yield* using("b", "read", () => using("c", "read", nothing))
          yield* using("a", "read", nothing)
          assert.deepStrictEqual(seen, ["+a", "+b", "+c"])
        }))
      // The next one makes room again.
      yield* using("d", "read", nothing)
      assert.deepStrictEqual(seen.slice(3).toSorted(), ["+d", "-a", "-b", "-c"])
    }))

  it.effect("that are forgotten while in use are closed by the last who uses them, and opened anew for others", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { forget, using } = fileHandles(disk, 4)
      yield* forget("a")
      yield* using("a", "read", () =>
        Effect.gen(function*() {
          yield* using("a", "read", () => forget("a"))
          assert.deepStrictEqual(seen, ["+a"])
          yield* using("a", "read", nothing)
          assert.deepStrictEqual(seen, ["+a", "+a"])
        }))
      assert.deepStrictEqual(seen, ["+a", "+a", "-a"])
      yield* forget("a")
      assert.deepStrictEqual(seen, ["+a", "+a", "-a", "-a"])
    }))

  it.effect("that two open at the same time end as one", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { disk, seen } = watchedFiles(Deferred.await(gate))
      const { closeAll, using } = fileHandles(disk, 4)
      const first = yield* Effect.forkChild(using("a", "read", nothing), { startImmediately: true })
      const second = yield* Effect.forkChild(using("a", "read", nothing), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(seen.toSorted(), ["+a", "+a", "-a"])
      yield* closeAll
      assert.deepStrictEqual(seen.toSorted(), ["+a", "+a", "-a", "-a"])
    }))

  it.effect("are given back also by who failed", () =>
    Effect.gen(function*() {
      const { disk, seen } = watchedFiles()
      const { forget, using } = fileHandles(disk, 4)
      yield* Effect.exit(using("a", "read", () => Effect.die("a bug")))
      yield* forget("a")
      assert.deepStrictEqual(seen, ["+a", "-a"])
    }))
})
