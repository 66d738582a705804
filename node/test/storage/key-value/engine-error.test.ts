import { assert, describe, it } from "@effect/vitest"
import { brokenSeal, engineError, isLacking, storeError } from "../../../src/storage/key-value/engine-error.ts"
import { EngineLacking } from "../../../src/storage/key-value/engine-lacking.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

const CASES: ReadonlyArray<readonly [name: string, error: unknown, reason: string, remedy: string]> = [
  [
    "a list of free pages that is damaged, which LMDB finds when it commits",
    Object.assign(
      new Error(
        "MDB_BAD_TXN: Transaction must abort, has a child, or is invalid: freelist entry 41 had bad/duplicate entries, error code 0\n"
      )
    ),
    "corrupt",
    "lockstep rebuild"
  ],
  [
    "a page of another kind",
    Object.assign(new Error("MDB_CORRUPTED: Located page was wrong type"), { code: -30796 }),
    "corrupt",
    "lockstep rebuild"
  ],
  [
    "a write that a full disk refuses",
    Object.assign(new Error("No space left on device"), { code: 28 }),
    "full",
    "Free some space"
  ],
  [
    "the same of LevelDB, in words",
    new Error("IO error: 000005.ldb: No space left on device"),
    "full",
    "Free some space"
  ],
  [
    "anything else",
    new Error("MDB_BAD_TXN: Transaction must abort, has a child, or is invalid"),
    "io",
    "Check the disk"
  ]
]

describe("what a key-value engine throws", () => {
  for (const [name, error, reason, remedy] of CASES) {
    it(`${name}: is ${reason}, and says what to do`, () => {
      const { message, reason: found } = engineError("commit to", "/data/store", error)
      assert.strictEqual(found, reason)
      assert.include(message, "/data/store")
      assert.include(message, remedy)
      assert.notMatch(message, /\n| \.|\.\./)
    })
  }

  const reasonOf = (message: string, code?: unknown): StorageError["reason"] =>
    engineError("read", "/data/store", Object.assign(new Error(message), { code })).reason

  it("is known by its code, also by that of its cause", () => {
    for (const code of [-30797, -30796, -30793, -30794, "LEVEL_CORRUPTION"]) {
      assert.strictEqual(reasonOf("odd", code), "corrupt", String(code))
    }
    for (const code of [-30792, 27, 28, 122, "ENOSPC", "EDQUOT"]) assert.strictEqual(reasonOf("odd", code), "full")
    for (const code of [2, "ENOENT"]) assert.strictEqual(reasonOf("odd", code), "missing")
    for (const code of [11, "LEVEL_LOCKED"]) assert.strictEqual(reasonOf("odd", code), "locked")
    for (const code of [-30795, 5, "EIO", undefined, {}]) assert.strictEqual(reasonOf("odd", code), "io")
    const nested = (depth: number): Error =>
      depth === 0
        ? Object.assign(new Error("inner"), { code: "LEVEL_LOCKED" })
        : new Error(`level ${depth}`, { cause: nested(depth - 1) })
    assert.strictEqual(engineError("read", "/data/store", nested(4)).reason, "locked")
    assert.strictEqual(engineError("read", "/data/store", nested(5)).reason, "io", "no chain is followed without end")
  })

  it("is known by its words where it has no code", () => {
    for (const words of ["no space left on device", "Disk quota exceeded", "File too large"]) {
      assert.strictEqual(reasonOf(words), "full", words)
    }
    for (
      const words of [
        "Corruption: x",
        "block checksum mismatch",
        "not an sstable (bad magic)",
        "bad block contents",
        "truncated record",
        "bad/duplicate entries",
        "/s/MANIFEST-000004: No such file or directory",
        "/s/000005.ldb: Invalid argument",
        "/s/000005.sst: No such file or directory",
        "/s/CURRENT: no such file"
      ]
    ) {
      assert.strictEqual(reasonOf(words), "corrupt", words)
    }
    for (const words of ["lock /s/LOCK: already held by process", "Resource temporarily unavailable"]) {
      assert.strictEqual(reasonOf(words), "locked", words)
    }
    assert.strictEqual(reasonOf("/s/LOG: No such file or directory"), "io")
  })

  it("is one line that says each thing once, whatever was thrown", () => {
    const messageOf = (error: unknown): string => engineError("read", "/data/store", error).message
    const twice = new Error("no  such\nkey.", { cause: new Error("no such key", { cause: new Error("disk") }) })
    assert.match(messageOf(twice), /^Cannot read the key-value store \/data\/store: no such key: disk\. Check/)
    assert.match(messageOf("a text"), /^Cannot read the key-value store \/data\/store: a text\. Check/)
    const known = storeError("newer", "open", "/other", "it is new")
    assert.strictEqual(engineError("read", "/data/store", known), known)
    assert.match(known.message, /it is new\. It was written by a newer version: use that version/)
    assert.include(storeError("missing", "open", "/other", "x").message, "Restore it, or run `lockstep rebuild`")
    assert.include(storeError("locked", "open", "/other", "x").message, "Stop the other process that has it open.")
  })

  it("is a library that is lacking, which no other error is taken for", () => {
    const error = engineError("open", "/data/store", new EngineLacking("no library", { cause: new Error("ELF") }))
    assert.isTrue(isLacking(error))
    assert.deepInclude(error, { part: "key-value", operation: "load", reason: "missing", path: "/data/store" })
    assert.match(error.message, /: no library: ELF\. Install the node anew on this machine, or choose another/)
    assert.isFalse(isLacking(engineError("open", "/data/store", new Error("no library"))))
  })

  it("names the key of a value that does not fit its checksum", () => {
    const error = brokenSeal("/data/store", Uint8Array.of(0x63, 0xff))
    assert.deepInclude(error, { operation: "read", reason: "corrupt", path: "/data/store" })
    assert.include(error.message, "the value under 63ff does not fit its checksum")
  })
})
