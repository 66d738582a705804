import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { patience } from "../process/patience.ts"
import { regtestServer, type Shown } from "./regtest-server.ts"

const KEY = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW"
const TXID = "11".repeat(32)

/** Space as C has it: what Bitcoin Core skips around base58. */
const AROUND: ReadonlyArray<readonly [name: string, before: string, after: string]> = [
  ["a space before", " ", ""],
  ["a line end behind", "", "\n"],
  ["tabs and the line end of a file from Windows", "\t\t", "\r\n"],
  ["every kind of space", " \t\n\v\f\r", "\r\f\v\n\t "]
]

/** What looks like it and is not. */
const NO_SPACE: ReadonlyArray<readonly [name: string, before: string, after: string]> = [
  ["a no-break space", "\u00a0", ""],
  ["a zero width space", "", "\u200b"],
  ["a byte order mark", "\ufeff", ""],
  ["an ideographic space", "", "\u3000"],
  ["a line separator", "", "\u2028"],
  ["a zero byte", "", "\0"]
]

type Show = (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<Shown>

/** What has an address or a key of base58 in it, by that text. */
const CALLS: Readonly<Record<string, (show: Show, address: string, key: string) => Effect.Effect<Shown>>> = {
  validateaddress: (show, address) => show("validateaddress", address),
  createrawtransaction: (show, address) => show("createrawtransaction", [{ txid: TXID, vout: 0 }], [{ [address]: 1 }]),
  "createrawtransaction with an object": (show, address) =>
    show("createrawtransaction", [{ txid: TXID, vout: 0 }], { [address]: 1 }),
  createpsbt: (show, address) => show("createpsbt", [{ txid: TXID, vout: 0 }], [{ [address]: 1 }]),
  generatetoaddress: (show, address) =>
    Effect.map(show("generatetoaddress", 1, address), (found) => Array.isArray(found) ? found.length : found),
  generateblock: (show, address) =>
    Effect.map(show("generateblock", address, [], false), (found) => found.hash === undefined ? found : "a block"),
  verifymessage: (show, address) => show("verifymessage", address, "AAAA", "text"),
  signmessagewithprivkey: (show, _address, key) => show("signmessagewithprivkey", key, "text"),
  signrawtransactionwithkey: (show, _address, key) =>
    Effect.flatMap(
      show("createrawtransaction", [{ txid: TXID, vout: 0 }], [{ data: "00" }]),
      (raw) => show("signrawtransactionwithkey", raw, [key])
    )
}

/** With the spaces of the text in what an error quotes, which differs from call to call. */
const plain = (shown: Shown): string => JSON.stringify(shown)

describe("text that people paste", () => {
  it.live(
    "addresses and keys of base58 are read with space around them as without, by every method",
    () =>
      Effect.gen(function*() {
        const { show } = yield* regtestServer()
        const [address] = yield* Effect.flatMap(
          show("getdescriptorinfo", `pkh(${KEY})`),
          ({ descriptor }) => show("deriveaddresses", descriptor)
        )
        for (const [method, call] of Object.entries(CALLS)) {
          const bare = plain(yield* call(show, address, KEY))
          assert.notInclude(bare, "nvalid", method)
          for (const [name, before, after] of AROUND) {
            const spaced = yield* call(show, `${before}${address}${after}`, `${before}${KEY}${after}`)
            assert.strictEqual(plain(spaced), bare, `${method}: ${name}`)
          }
          for (const [name, before, after] of NO_SPACE) {
            const other = yield* call(show, `${before}${address}${after}`, `${before}${KEY}${after}`)
            assert.match(plain(other), /nvalid/, `${method}: ${name}`)
          }
          const split = yield* call(
            show,
            `${address.slice(0, 9)} ${address.slice(9)}`,
            `${KEY.slice(0, 9)} ${KEY.slice(9)}`
          )
          assert.match(plain(split), /nvalid/, `${method}: a space within`)
        }
      }),
    patience(60_000)
  )

  it.live(
    "addr() takes spaces around an address and shows it without; keys of other descriptors take none",
    () =>
      Effect.gen(function*() {
        const { show } = yield* regtestServer()
        const [address] = yield* Effect.flatMap(
          show("getdescriptorinfo", `pkh(${KEY})`),
          ({ descriptor }) => show("deriveaddresses", descriptor)
        )
        const bare = yield* show("getdescriptorinfo", `addr(${address})`)
        const spaced = yield* show("getdescriptorinfo", `addr( ${address}  )`)
        assert.strictEqual(spaced.descriptor, bare.descriptor)
        assert.notStrictEqual(spaced.checksum, bare.checksum)
        assert.deepStrictEqual(yield* show("deriveaddresses", `addr( ${address}  )#${spaced.checksum}`), [address])
        assert.deepInclude(yield* show("scantxoutset", "start", [`addr( ${address})`]), { success: true, unspents: [] })
        const tabbed = yield* show("getdescriptorinfo", `addr(\t${address})`)
        assert.deepStrictEqual(tabbed, { code: -5, message: "Invalid characters in payload" })
        for (const text of [` ${KEY}`, `${KEY} `]) {
          const refused = yield* show("getdescriptorinfo", `wpkh(${text})`)
          assert.deepStrictEqual(refused, { code: -5, message: `wpkh(): Key '${text}' is invalid due to whitespace` })
        }
      }),
    patience(60_000)
  )

  it.live(
    "witness addresses take no space, and the places of what is wrong with them are counted in bytes",
    () =>
      Effect.gen(function*() {
        const { show } = yield* regtestServer()
        const good = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
        const strange = "Invalid character or mixed case"
        const cases: ReadonlyArray<readonly [text: string, error: string, places: ReadonlyArray<number>]> = [
          [` ${good}`, "Invalid or unsupported Segwit (Bech32) or Base58 encoding.", []],
          [`${good} `, strange, [44]],
          [`${good}\n`, strange, [44]],
          [`${good.slice(0, 6)}é${good.slice(7)}`, strange, [6, 7]],
          [`${good.slice(0, 6)}é${good.slice(7, 20)}€${good.slice(21)}`, strange, [6, 7, 21, 22, 23]],
          [`${good.slice(0, 6)}\u{1f511}${good.slice(7)}`, strange, [6, 7, 8, 9]],
          [`${good.slice(0, 6)}é${good.slice(7)}${"q".repeat(46)}`, "Bech32 string too long", [90]],
          // Its lower case is k.
          [good.toUpperCase().replace("K", "\u212a"), strange, [11, 12, 13]]
        ]
        for (const [text, error, places] of cases) {
          const found = yield* show("validateaddress", text)
          assert.deepStrictEqual(found, { isvalid: false, error_locations: places, error }, text)
        }
      }),
    patience(60_000)
  )

  it.live("unused() keeps a key that is in no script", () =>
    Effect.gen(function*() {
      const { show } = yield* regtestServer()
      const info = yield* show("getdescriptorinfo", `unused(${KEY})`)
      assert.match(info.descriptor, /^unused\(0[23][0-9a-f]{64}\)#[a-z0-9]{8}$/)
      assert.deepInclude(info, { isrange: false, issolvable: true, hasprivatekeys: true })
      const derived = yield* show("deriveaddresses", info.descriptor)
      assert.deepStrictEqual(derived, { code: -1, message: "Unexpected empty result" })
      assert.deepInclude(yield* show("scantxoutset", "start", [info.descriptor]), { success: true, unspents: [] })
      assert.strictEqual((yield* show("generatetodescriptor", 1, info.descriptor)).code, -5)
    }), patience(60_000))

  it.live(
    "an amount is what Bitcoin Core's reader of decimal numbers reads, its exponent within bounds also for zero",
    () =>
      Effect.gen(function*() {
        const { show } = yield* regtestServer()
        const address = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
        const made = (amount: string): Effect.Effect<Shown> =>
          show("createrawtransaction", [{ txid: TXID, vout: 0 }], [{ [address]: amount }])
        for (const text of ["0e9", "0.00e9", "1e-8", "10e-9"]) assert.isString(yield* made(text), text)
        for (const text of ["0e99999999", "0e10", "0e-9", " 1", "1 ", "1\n", "\u0661"]) {
          assert.deepStrictEqual(yield* made(text), { code: -3, message: "Invalid amount" }, text)
        }
      }),
    patience(60_000)
  )
})
