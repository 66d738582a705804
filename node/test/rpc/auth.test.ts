import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { cookiePath } from "../../src/http/auth/cookie-file.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { basic, bearer, exchange } from "./http-exchange.ts"
import { testServer } from "./test-server.ts"

const chain = fakeChain({ setMockTime: () => Effect.void })

const OPEN = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getblockcount\"}"
const ADMIN = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"setmocktime\",\"params\":[1]}"
const DENIED = "{\"error\":{\"code\":403,\"message\":\"Method 'setmocktime' requires admin privileges\"}}\n"

type Case = readonly [who: string, authorization: string | undefined, open: number, admin: number, required: number]

/**
 * Who calls, and what they get for a method that is open to all, and one that is not; with and without the duty to sign
 * in.
 */
const MATRIX: ReadonlyArray<Case> = [
  ["nobody", undefined, 200, 403, 401],
  ["a normal token", bearer("normal-token"), 200, 403, 200],
  ["an admin token", bearer("admin-token"), 200, 200, 200],
  ["a token in small letters' scheme", "bearer admin-token", 200, 200, 200],
  ["name and password", basic("u:p"), 200, 200, 200],
  ["a wrong token", bearer("wrong"), 401, 401, 401],
  ["an empty token", "Bearer ", 401, 401, 401],
  ["an empty header", "", 401, 401, 401],
  ["a wrong password", basic("u:x"), 401, 401, 401],
  ["a wrong name", basic("x:p"), 401, 401, 401],
  ["a name alone", basic("u"), 401, 401, 401],
  ["a token as a password", basic("admin-token:"), 401, 401, 401],
  ["a password as a token", bearer("u:p"), 401, 401, 401],
  ["no base64", "Basic ***", 401, 401, 401],
  ["another scheme", "Digest admin-token", 401, 401, 401],
  ["the start of a token", bearer("admin-toke"), 401, 401, 401]
]

const withHeader = (authorization: string | undefined): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { authorization }

describe("who may call what", () => {
  for (const [who, authorization, open, admin, required] of MATRIX) {
    it.live(who, () =>
      Effect.gen(function*() {
        const headers = withHeader(authorization)
        const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain })
        const [toOpen, toAdmin] = yield* Effect.promise(() =>
          Promise.all([exchange(address, { headers, body: OPEN }), exchange(address, { headers, body: ADMIN })])
        )
        assert.deepStrictEqual([toOpen.status, toAdmin.status], [open, admin])
        if (admin === 403) assert.strictEqual(toAdmin.body, DENIED)
        const strict = yield* testServer({
          directory: yield* temporaryDirectory,
          chain,
          credentials: { required: true }
        })
        const answer = yield* Effect.promise(() => exchange(strict.address, { headers, body: OPEN }))
        assert.strictEqual(answer.status, required)
      }))
  }

  it.live("a batch with one admin method is refused as a whole, notifications too", () =>
    Effect.gen(function*() {
      let called = 0
      const counting = fakeChain({ setMockTime: () => Effect.sync(() => void called++) })
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: counting })
      const batch = yield* Effect.promise(() => exchange(address, { body: `[${OPEN},${ADMIN}]` }))
      assert.deepStrictEqual([batch.status, batch.body], [403, DENIED])
      const notification = "{\"jsonrpc\":\"2.0\",\"method\":\"setmocktime\",\"params\":[1]}"
      const silent = yield* Effect.promise(() => exchange(address, { body: notification }))
      assert.strictEqual(silent.status, 403)
      assert.strictEqual(called, 0)
    }))

  it.live("without any credentials configured no caller is an administrator, and a credential is wrong", () =>
    Effect.gen(function*() {
      const credentials = { tokens: [], adminTokens: [], basic: undefined }
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain, credentials })
      const ask = (body: string, authorization?: string) =>
        Effect.promise(() => exchange(address, { body, headers: withHeader(authorization) }))
      assert.strictEqual((yield* ask(OPEN)).status, 200)
      assert.strictEqual((yield* ask(ADMIN)).status, 403)
      for (const wrong of [bearer("x"), basic("u:p"), basic(":"), "Bearer undefined"]) {
        assert.strictEqual((yield* ask(OPEN, wrong)).status, 401, wrong)
      }
    }))

  it.live("the cookie opens everything, belongs to its user alone, and goes with the server", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = cookiePath(directory)
      const first = yield* Effect.scoped(Effect.gen(function*() {
        const { address } = yield* testServer({ directory, chain })
        const cookie = readFileSync(path, "utf8")
        assert.match(cookie, /^__cookie__:[0-9a-f]{64}$/)
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        const answer = yield* Effect.promise(() =>
          exchange(address, { headers: { authorization: basic(cookie) }, body: ADMIN })
        )
        assert.strictEqual(answer.status, 200)
        return cookie
      }))
      assert.isFalse(existsSync(path))
      const { address } = yield* testServer({ directory, chain })
      const stale = yield* Effect.promise(() =>
        exchange(address, { headers: { authorization: basic(first) }, body: OPEN })
      )
      assert.strictEqual(stale.status, 401)
    }))

  it.live("the cookie that another process put there since is left at the end, and one that is gone is no fault", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = cookiePath(directory)
      const others = `__cookie__:${"5".repeat(64)}`
      yield* Effect.scoped(
        Effect.andThen(testServer({ directory, chain }), Effect.sync(() => writeFileSync(path, others)))
      )
      assert.strictEqual(readFileSync(path, "utf8"), others)
      // The next one replaces it, whole.
      yield* Effect.scoped(Effect.andThen(
        testServer({ directory, chain }),
        Effect.sync(() => {
          assert.notStrictEqual(readFileSync(path, "utf8"), others)
          assert.deepStrictEqual(readdirSync(directory), [".cookie"])
          rmSync(path)
        })
      ))
      assert.deepStrictEqual(readdirSync(directory), [])
    }))

  it.live("a directory that cannot be written to is named", () =>
    Effect.gen(function*() {
      const directory = `${yield* temporaryDirectory}/missing`
      const error = yield* Effect.flip(testServer({ directory, chain }))
      assert.include(error.message, `${directory}/.cookie`)
    }))
})
