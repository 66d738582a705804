import { assert, describe, it } from "@effect/vitest"
import { engineError } from "../../../src/storage/key-value/engine-error.ts"

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
})
