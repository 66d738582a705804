import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type SettingSources, settingsOf } from "../../src/bitcoind/args/settings.ts"
import { coreFailureTexts } from "../../src/bitcoind/run/failure-text.ts"
import { newTips } from "../../src/bitcoind/run/new-tips.ts"
import { snapshotDirectory } from "../../src/bitcoind/run/snapshot-directory.ts"
import { bindFaultText, systemErrorWords } from "../../src/bitcoind/process/system-error.ts"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

describe("what keeps bitcoind from listening", () => {
  it("is unknown where the system gave no code", () => {
    assert.deepStrictEqual(coreFailureTexts("cannot listen for other nodes on 1.1.1.1:8333: something odd"), [
      "Unable to bind to 1.1.1.1:8333 on this computer (bind returned error unknown)",
      "Failed to listen on any port. Use -listen=0 if you want this."
    ])
  })

  it.each([
    ["EPERM", "Operation not permitted"],
    ["ENOENT", "No such file or directory"],
    ["EIO", "Input/output error"],
    ["EACCES", "Permission denied"],
    ["ENODEV", "No such device"],
    ["ENOTDIR", "Not a directory"],
    ["EISDIR", "Is a directory"],
    ["EINVAL", "Invalid argument"],
    ["ENFILE", "Too many open files in system"],
    ["EMFILE", "Too many open files"],
    ["ENOMEM", "Cannot allocate memory"],
    ["ENOSPC", "No space left on device"],
    ["EROFS", "Read-only file system"],
    ["ENAMETOOLONG", "File name too long"],
    ["ELOOP", "Too many levels of symbolic links"],
    ["EDQUOT", "Disk quota exceeded"],
    ["EADDRNOTAVAIL", "Cannot assign requested address"],
    ["EAFNOSUPPORT", "Address family not supported by protocol"],
    ["EPROTONOSUPPORT", "Protocol not supported"],
    ["ENOBUFS", "No buffer space available"],
    ["ENETDOWN", "Network is down"],
    ["ENETUNREACH", "Network is unreachable"]
  ])("is said of %s in the words of the system: %s", (code, words) => {
    assert.strictEqual(systemErrorWords(Object.assign(new Error("why"), { code })), words)
    assert.include(bindFaultText("a:1", code), `(bind returned error ${words} (`)
  })
})

describe("a tip that is known", () => {
  const follow = () => {
    const tipsOf = newTips(() => true)
    return (number: number, initialBlockDownload = false) =>
      tipsOf({
        _tag: "State",
        state: { hash: new Uint8Array(32).fill(number), chainWork: BigInt(number), initialBlockDownload }
      } as EngineNotification)
  }

  it("is no new one when the state of the chain comes again, be it the first or that at the end of the download", () => {
    const state = follow()
    assert.deepStrictEqual([state(1), state(1), state(1)], [[], [], []])
    const late = follow()
    assert.deepStrictEqual([late(1, true), late(2, true), late(2), late(2)], [[], [], [], []])
  })
})

describe("the directory of a snapshot that is there", () => {
  it("keeps the base that it names, whatever is loaded", () => {
    const plan = Result.getOrThrow(home.plan("-regtest"))
    const base = join(home.base, "chainstate_snapshot", "base_blockhash")
    mkdirSync(join(home.base, "chainstate_snapshot"))
    writeFileSync(base, "kept")
    const { changed, opened } = snapshotDirectory(plan, home.base, () => {})
    const state = { snapshot: { hash: new Uint8Array(32), background: {} } } as unknown as ChainState
    changed(state)
    opened(state)
    assert.strictEqual(readFileSync(base, "utf8"), "kept")
  })
})

describe("values outside of sections", () => {
  it("count once where no section is asked for", () => {
    const settings: SettingSources = {
      forced: new Map(),
      commandLine: new Map(),
      saved: new Map(),
      conf: new Map([["", new Map([["x", ["a", "b"]]])]])
    }
    assert.deepStrictEqual(settingsOf(settings, "", "x"), ["a", "b"])
  })
})
