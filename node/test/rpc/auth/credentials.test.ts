import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { allowedAddresses } from "../../../src/http/auth/allowed-addresses.ts"
import { readAuthorization } from "../../../src/http/auth/authorization.ts"
import { callerOf, isAllowed } from "../../../src/http/auth/caller.ts"
import { methodWhitelist, userOf } from "../../../src/http/auth/method-whitelist.ts"
import { saltedPasswords } from "../../../src/http/auth/salted-passwords.ts"
import { certificateCaller } from "../../../src/rpc/quic/certificate-caller.ts"

const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64")

describe("an Authorization header", () => {
  it.each<readonly [what: string, header: string, secret: string | undefined]>([
    ["a token", "Bearer abc", "bearer abc"],
    ["a token with spaces inside", "Bearer a b", "bearer a b"],
    ["one space and one tab behind", "Bearer abc \t", "bearer abc"],
    ["space of every kind around", " \t\v\f\r\nBearer   abc \t\v\f\r\n", "bearer abc"],
    ["another kind of space behind, which belongs to it", "Bearer abc\u00a0", "bearer abc\u00a0"],
    ["nothing but space behind the scheme", "Bearer    ", "bearer "],
    ["a scheme without space", "Bearer", undefined],
    ["a tab behind the scheme", "Bearer\tabc", undefined],
    ["a scheme in any letters", "bEARER abc", "bearer abc"],
    ["name and password", `BASIC ${base64("u:p")}`, "basic u:p"],
    ["name and password with space behind", `Basic ${base64("u:p")}  `, "basic u:p"],
    ["base64 without its padding", "Basic dTpwYQ", undefined],
    ["base64 with its padding", "Basic dTpwYQ==", "basic u:pa"],
    ["base64 with bits left over", "Basic dTpwYR==", undefined],
    ["base64 with a line inside", "Basic dTpw\nYQ==", undefined],
    ["no base64", "Basic ???", undefined],
    ["nothing encoded", "Basic ", "basic "],
    ["another scheme", "Digest abc", undefined],
    ["nothing", "", undefined]
  ])("says what it says: %s", (_, header, secret) => {
    const read = readAuthorization(header)
    assert.strictEqual(read && `${read.scheme} ${read.secret.toString("latin1")}`, secret)
  })
})

const salted = (user: string, password: string, salt = "5a17") => ({
  user,
  salt,
  hash: createHmac("sha256", salt).update(password).digest("hex")
})

describe("salted passwords", () => {
  const isUser = saltedPasswords([salted("alice", "p:w"), salted("bob", ""), salted("a", "x", "")])

  it.each<readonly [credentials: string, isRight: boolean]>([
    ["alice:p:w", true],
    ["bob:", true],
    ["a:x", true],
    ["alice:p", false],
    ["alice:p:w:", false],
    ["alicia:p:w", false],
    ["alic:p:w", false],
    ["bobby:p:w", false],
    ["bob:p:w", false],
    ["carol:p:w", false],
    [":p:w", false],
    ["alice", false],
    ["bob", false],
    ["", false]
  ])("open for %s: %s", (credentials, isRight) => assert.strictEqual(isUser(Buffer.from(credentials)), isRight))

  it("open for a user without a name", () => {
    const isNameless = saltedPasswords([salted("", "p")])
    assert.isTrue(isNameless(Buffer.from(":p")))
    assert.isFalse(isNameless(Buffer.from("p")))
  })

  it("are keyed with the salt, not with the password", () => {
    const swapped = { user: "alice", salt: "s", hash: createHmac("sha256", "password").update("s").digest("hex") }
    assert.isFalse(saltedPasswords([swapped])(Buffer.from("alice:password")))
  })
})

describe("a caller", () => {
  const credentials = {
    adminTokens: ["admin", "chief"],
    tokens: ["normal", "admin"],
    basic: { username: "u", password: "p" },
    salted: [salted("alice", "w")],
    required: false,
    whitelist: {},
    whitelistDefault: undefined
  }
  const basic = (text: string): string => `Basic ${base64(text)}`

  it("is known by a token of its kind, by a password, the cookie or a salted password", () => {
    const caller = callerOf(credentials, "__cookie__:c")
    const found = [
      "Bearer admin",
      "Bearer chief",
      "Bearer normal",
      basic("u:p"),
      basic("__cookie__:c"),
      basic("alice:w")
    ]
      .map(caller)
    assert.deepStrictEqual(found, ["admin", "admin", "normal", "admin", "admin", "admin"])
  })

  it.each(["Bearer u:p", "Bearer __cookie__:c", basic("admin"), basic("normal"), basic("u:"), "Bearer ", "nonsense"])(
    "is refused with %s",
    (header) => assert.strictEqual(callerOf(credentials, "__cookie__:c")(header), "refused")
  )

  it("without a header is anonymous, and refused where credentials are required", () => {
    assert.strictEqual(callerOf(credentials, undefined)(undefined), "anonymous")
    assert.strictEqual(callerOf({ ...credentials, required: true }, undefined)(undefined), "refused")
  })

  it("has no password where there is neither one nor a cookie", () => {
    const caller = callerOf({ ...credentials, basic: undefined, salted: [] }, undefined)
    for (const text of ["u:p", "undefined", "undefined:undefined", ""]) {
      assert.strictEqual(caller(basic(text)), "refused")
    }
  })

  it("may call what is open to anyone, and as an administrator everything", () => {
    const callers = ["anonymous", "normal", "refused", "admin"] as const
    assert.deepStrictEqual(callers.map((each) => isAllowed(each, "anyone")), [true, true, true, true])
    assert.deepStrictEqual(callers.map((each) => isAllowed(each, "admin")), [false, false, false, true])
  })

  it("over QUIC is known by its identity, an administrator's first", () => {
    const caller = certificateCaller({ adminIdentities: ["a", "b"], identities: ["b", "c"] })
    assert.deepStrictEqual(["a", "b", "c", "d"].map(caller), ["admin", "admin", "normal", undefined])
  })
})

describe("a whitelist", () => {
  const known = (caller: "anonymous" | "normal" | "admin" | "refused", authorization?: string) => ({
    caller,
    authorization
  })
  const alice = known("admin", `Basic ${base64("alice:a:b")}`)

  it("knows callers by their names, and those without by what they are", () => {
    assert.deepStrictEqual(
      [
        alice,
        known("admin", "Bearer t"),
        known("normal", "Bearer t"),
        known("anonymous"),
        known("refused"),
        known("admin")
      ]
        .map(userOf),
      ["alice", "__admin_token__", "__token__", "__anonymous__", "", "__admin_token__"]
    )
  })

  it("allows its users their methods alone, and others none unless they are let in", () => {
    const whitelist = { alice: ["uptime"], __token__: [] }
    for (const [whitelistDefault, areOthersLetIn] of [[undefined, false], [true, false], [false, true]] as const) {
      const mayCall = methodWhitelist({ whitelist, whitelistDefault })
      assert.deepStrictEqual(
        [
          mayCall(alice, "uptime"),
          mayCall(alice, "stop"),
          mayCall(alice, undefined),
          mayCall(known("normal"), "uptime")
        ],
        [true, false, false, false]
      )
      assert.deepStrictEqual(
        [mayCall(known("anonymous"), "uptime"), mayCall(known("admin"), undefined)],
        [areOthersLetIn, areOthersLetIn]
      )
    }
  })

  it("without users allows everything, or nothing where it says so", () => {
    for (const [whitelistDefault, isAllowedAll] of [[undefined, true], [false, true], [true, false]] as const) {
      const mayCall = methodWhitelist({ whitelist: {}, whitelistDefault })
      assert.deepStrictEqual([mayCall(alice, "stop"), mayCall(alice, undefined)], [isAllowedAll, isAllowedAll])
    }
  })
})

describe("addresses that are allowed", () => {
  it("are those of this machine and of the subnets; all of them without any subnet that can be read", () => {
    const isTaken = allowedAddresses(["10.0.0.0/8", "fe80::/64", "nonsense"])
    const addresses = ["127.0.0.1", "::1", "10.1.2.3", "fe80::1%eth0", "11.0.0.1", "fe81::1", "", "%"]
    assert.deepStrictEqual(addresses.map(isTaken), [true, true, true, true, false, false, false, false])
    for (const none of [[], ["nonsense"]]) {
      assert.isTrue(["11.0.0.1", ""].every(allowedAddresses(none)))
    }
  })
})
