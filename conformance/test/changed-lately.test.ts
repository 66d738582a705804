import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { changedLately } from "../src/suite/changed-lately.ts"

let root: string

const git = (directory: string, ...args: ReadonlyArray<string>): void =>
  void execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: directory,
    stdio: "ignore",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "", GIT_CONFIG_SYSTEM: "" }
  })

/** Writes a file and commits it on a day of May. */
const commit = (day: number, file: string): void => {
  writeFileSync(join(root, file), String(day))
  git(root, "add", "-A")
  process.env["GIT_COMMITTER_DATE"] = `2026-05-${String(day).padStart(2, "0")}T12:00:00Z`
  try {
    git(root, "commit", "-m", file)
  } finally {
    delete process.env["GIT_COMMITTER_DATE"]
  }
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lockstep-changed-"))
  mkdirSync(join(root, "crypto"))
  git(root, "init", "-b", "main")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe("a folder of a clone has changed lately", () => {
  it("if a commit of the last days did it, and not if all of them are older", () => {
    commit(1, "crypto/a")
    assert.isTrue(changedLately(root, "crypto", 3))
    commit(4, "other")
    assert.isTrue(changedLately(root, "crypto", 3))
    commit(5, "other")
    assert.isFalse(changedLately(root, "crypto", 3))
    assert.isTrue(changedLately(root, "crypto", 4))
    commit(6, "crypto/b")
    assert.isTrue(changedLately(root, "crypto", 3))
  })

  it("while it differs from the newest commit", () => {
    commit(1, "crypto/a")
    commit(20, "other")
    assert.isFalse(changedLately(root, "crypto", 3))
    writeFileSync(join(root, "crypto/new"), "")
    assert.isTrue(changedLately(root, "crypto", 3))
    rmSync(join(root, "crypto/new"))
    writeFileSync(join(root, "crypto/a"), "other")
    assert.isTrue(changedLately(root, "crypto", 3))
  })

  it("where that cannot be known: without a commit, in a shallow clone, and in a copy that is no clone", () => {
    assert.isTrue(changedLately(root, "crypto", 3))
    commit(1, "crypto/a")
    commit(20, "other")
    assert.isFalse(changedLately(root, "crypto", 3))
    git(root, "clone", "--depth", "1", `file://${root}`, "shallow")
    assert.isTrue(changedLately(join(root, "shallow"), "crypto", 3))
    cpSync(root, `${root}-copy`, { recursive: true })
    rmSync(join(`${root}-copy`, ".git"), { recursive: true })
    try {
      assert.isTrue(changedLately(`${root}-copy`, "crypto", 3))
    } finally {
      rmSync(`${root}-copy`, { recursive: true })
    }
  })
})
