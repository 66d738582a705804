import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import {
  confinedFacts,
  listConfined,
  makeConfined,
  MAX_CONFINED_FILE_BYTES,
  MAX_DIRECTORY_ENTRIES,
  readConfined,
  removeConfined,
  writeConfined
} from "../../src/modules/api/confined-files.ts"
import { confinedPath, UNFINISHED } from "../../src/modules/api/confined-path.ts"

let root = ""
/** Beside the directory: what a module must not reach. */
let outside = ""
beforeEach(() => {
  const place = mkdtempSync(join(tmpdir(), "lockstep-confined-"))
  root = join(place, "data")
  outside = join(place, "outside")
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, "secret"), "secret")
})
afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }))

const text = (content: Uint8Array): string => Buffer.from(content).toString()

/** The code or the name of an error. */
const refusal = (work: () => Promise<unknown>): Promise<string> =>
  work().then(() => "none", (error: NodeJS.ErrnoException) => error.code ?? error.name)

const openFiles = (): number => readdirSync("/proc/self/fd").length

describe("files of a module", () => {
  it.each([0, 1, 2, 3, 65_537])("of %d bytes are read to their last byte", async (length) => {
    const data = Uint8Array.from({ length }, (_, i) => i + 1)
    await writeConfined(root, ["a"], data)
    assert.deepStrictEqual(await readConfined(root, ["a"]), data)
    assert.strictEqual((await confinedFacts(root, ["a"])).size, length)
  })

  it("are written whole for their owner alone, replaced, read, listed and removed", async () => {
    await writeConfined(root, ["a"], Buffer.from("one"))
    await writeConfined(root, ["a"], Buffer.from("two!"))
    assert.strictEqual(text(await readConfined(root, ["a"])), "two!")
    assert.strictEqual(statSync(join(root, "a")).mode & 0o777, 0o600)
    await makeConfined(root, ["d"])
    assert.strictEqual(statSync(join(root, "d")).mode & 0o777, 0o700)
    await writeConfined(root, ["d", "b"], new Uint8Array(0))
    assert.deepStrictEqual(await readConfined(root, ["d", "b"]), new Uint8Array(0))
    assert.deepStrictEqual(await listConfined(root, []), ["a", "d"])
    assert.deepStrictEqual(await listConfined(root, ["d"]), ["b"])
    assert.strictEqual(await refusal(() => removeConfined(root, ["d"])), "ENOTEMPTY")
    await removeConfined(root, ["d", "b"])
    await removeConfined(root, ["d"])
    await removeConfined(root, ["a"])
    assert.deepStrictEqual(readdirSync(root), [])
  })

  it("have facts, also the directory itself", async () => {
    writeFileSync(join(root, "a"), "abc")
    assert.deepInclude(await confinedFacts(root, ["a"]), { size: 3, isFile: true, isDirectory: false })
    assert.deepInclude(await confinedFacts(root, []), { isFile: false, isDirectory: true })
    symlinkSync(join(outside, "secret"), join(root, "link"))
    assert.deepInclude(await confinedFacts(root, ["link"]), { isFile: false, isDirectory: false })
    const { created, modified } = await confinedFacts(root, ["a"])
    for (const time of [created, modified]) assert.isBelow(Math.abs(time - Date.now()), 600_000)
  })

  it("may have 8 MiB, also the last byte of it", async () => {
    const path = join(root, "large")
    writeFileSync(path, "x")
    truncateSync(path, MAX_CONFINED_FILE_BYTES)
    assert.lengthOf(await readConfined(root, ["large"]), MAX_CONFINED_FILE_BYTES)
    truncateSync(path, MAX_CONFINED_FILE_BYTES + 1)
    assert.strictEqual(await refusal(() => readConfined(root, ["large"])), "TooLarge")
  })

  it("are listed up to ten thousand, without those that are being written", async () => {
    // So many files are made at once where they are in memory.
    const many = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lockstep-confined-"))
    try {
      writeFileSync(join(many, "0"), "")
      for (let i = 1; i < MAX_DIRECTORY_ENTRIES; i++) linkSync(join(many, "0"), join(many, String(i)))
      assert.lengthOf(await listConfined(many, []), MAX_DIRECTORY_ENTRIES)
      writeFileSync(join(many, "more"), "")
      assert.strictEqual(await refusal(() => listConfined(many, [])), "TooLarge")
      for (const name of ["more", "7"]) rmSync(join(many, name))
      writeFileSync(join(many, `${UNFINISHED}x`), "")
      assert.notInclude(await listConfined(many, []), `${UNFINISHED}x`)
    } finally {
      rmSync(many, { recursive: true })
    }
  })

  it("leave nothing unfinished where they cannot be put in place", async () => {
    mkdirSync(join(root, "taken"))
    writeFileSync(join(root, "taken", "x"), "")
    assert.oneOf(await refusal(() => writeConfined(root, ["taken"], Buffer.from("a"))), ["EISDIR", "ENOTEMPTY"])
    assert.deepStrictEqual(readdirSync(root), ["taken"])
  })
})

describe.runIf(process.platform === "linux")("paths of a module", () => {
  it("lead through no symbolic link, and to no file that one names", async () => {
    symlinkSync(outside, join(root, "way"))
    symlinkSync(join(outside, "secret"), join(root, "link"))
    for (
      const work of [
        () => readConfined(root, ["way", "secret"]),
        () => readConfined(root, ["link"]),
        () => writeConfined(root, ["way", "new"], Buffer.from("a")),
        () => makeConfined(root, ["way", "new"]),
        () => removeConfined(root, ["way", "secret"]),
        () => listConfined(root, ["way"]),
        () => confinedFacts(root, ["way", "secret"])
      ]
    ) {
      assert.oneOf(await refusal(work), ["ENOTDIR", "ELOOP"])
    }
    // A link itself is replaced and removed, not what it names.
    await writeConfined(root, ["link"], Buffer.from("own"))
    assert.strictEqual(readFileSync(join(root, "link"), "utf8"), "own")
    await removeConfined(root, ["way"])
    assert.deepStrictEqual(readdirSync(outside), ["secret"])
    assert.strictEqual(readFileSync(join(outside, "secret"), "utf8"), "secret")
    assert.isFalse(existsSync(join(root, "way")))
  })

  it("do not wait for a named pipe, and read no directory", async () => {
    assert.strictEqual(spawnSync("mkfifo", [join(root, "pipe")]).status, 0)
    mkdirSync(join(root, "d"))
    assert.strictEqual(await refusal(() => readConfined(root, ["pipe"])), "NotRegular")
    assert.strictEqual(await refusal(() => readConfined(root, ["d"])), "NotRegular")
  })

  it("leave no file open, whatever comes of them", async () => {
    mkdirSync(join(root, "a", "b"), { recursive: true })
    writeFileSync(join(root, "a", "b", "c"), "x")
    symlinkSync(outside, join(root, "a", "way"))
    await readConfined(root, ["a", "b", "c"])
    const before = openFiles()
    for (let i = 0; i < 6; i++) {
      await readConfined(root, ["a", "b", "c"])
      await writeConfined(root, ["a", "b", "c"], Buffer.from("x"))
      await listConfined(root, ["a", "b"])
      await confinedFacts(root, ["a", "b", "c"])
      for (
        const work of [
          () => readConfined(root, ["a", "none"]),
          () => readConfined(root, ["a", "b"]),
          () => readConfined(root, ["a", "way", "secret"]),
          () => writeConfined(root, ["a", "b"], Buffer.from("x")),
          () => makeConfined(root, ["a", "b"]),
          () => removeConfined(root, ["a", "b", "none"])
        ]
      ) {
        assert.notStrictEqual(await refusal(work), "none")
      }
    }
    assert.isAtMost(openFiles(), before + 2)
  })
})

describe("the path that a module gives", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["", []],
    [".", []],
    ["a", ["a"]],
    ["a/b c/ä", ["a", "b c", "ä"]],
    ["a".repeat(255), ["a".repeat(255)]],
    [Array(32).fill("a").join("/"), Array(32).fill("a")],
    [`${"b".repeat(204)}${`/${"a".repeat(204)}`.repeat(4)}`, ["b".repeat(204), ...Array(4).fill("a".repeat(204))]]
  ])("%j has parts", (path, parts) => {
    assert.deepStrictEqual(confinedPath(path), parts)
  })

  it.each([
    ["/a", "PermissionDenied"],
    ["..", "PermissionDenied"],
    ["a/../b", "PermissionDenied"],
    ["a\\b", "PermissionDenied"],
    ["C:", "PermissionDenied"],
    ["a//b", undefined],
    ["a/", undefined],
    ["./a", undefined],
    ["a\0", undefined],
    ["a".repeat(256), undefined],
    ["ä".repeat(128), undefined],
    [Array(33).fill("a").join("/"), undefined],
    [`${"abcdefg/".repeat(31)}${"a".repeat(800)}`, undefined],
    [`${"b".repeat(205)}${`/${"a".repeat(204)}`.repeat(4)}`, undefined],
    [`a/${UNFINISHED}x`, undefined]
  ])("%j is refused", (path, kind) => {
    const refused = confinedPath(path)
    assert.isFalse(Array.isArray(refused))
    assert.strictEqual((refused as { readonly kind?: string }).kind, kind)
  })
})
