import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { authoritySecret } from "../stratum-v2/src/authority.ts"

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-authority-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe("the secret of an authority", () => {
  it("is made once, kept in a file that its owner alone reads, and found again", () => {
    const secret = authoritySecret(directory)
    const file = join(directory, "authority-secret")
    assert.strictEqual(readFileSync(file, "utf8"), `${Buffer.from(secret).toString("hex")}\n`)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(authoritySecret(directory), secret)
    rmSync(file)
    assert.notDeepEqual(authoritySecret(directory), secret)
  })

  it.each([["no digits", "key"], ["zero", "00".repeat(32)], ["a byte more", "01".repeat(33)], [
    "a key with other text behind it",
    `${"01".repeat(32)} x`
  ], ["nothing", ""]])(
    "is not made anew where the file holds %s",
    (_, text) => {
      writeFileSync(join(directory, "authority-secret"), text)
      assert.throws(() => authoritySecret(directory), /is no secret key: restore it, or remove it for a new one/)
    }
  )

  it("is not made where the file cannot be read for another reason than that there is none", () => {
    writeFileSync(join(directory, "file"), "")
    assert.throws(() => authoritySecret(join(directory, "file")), /ENOTDIR/)
    mkdirSync(join(directory, "other", "authority-secret"), { recursive: true })
    assert.throws(() => authoritySecret(join(directory, "other")), /EISDIR/)
  })
})
