import { assert, describe, it } from "vitest"
import type { Manifest } from "../../src/module-manifest/manifest.ts"
import { networkPlaceOf, networkTargetOf, placeOfTarget } from "../../src/module-manifest/network-place.ts"
import { signatureFault } from "../../src/module-manifest/signature-fault.ts"
import { signedFileBytes, signedManifestBytes } from "../../src/module-manifest/signed-bytes.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("a place of the network", () => {
  it("has a host or all, and ports from the least to the most", () => {
    const places = {
      "127.0.0.1:28332": ["127.0.0.1", 28_332, 28_332],
      "*:1": [undefined, 1, 1],
      "[::A]:*": ["::a", 0, 65_535],
      "Example.ORG:8000-8010": ["example.org", 8_000, 8_010],
      "a_b-c:65535": ["a_b-c", 65_535, 65_535],
      "x:7-7": ["x", 7, 7]
    } as const
    for (const [text, [host, least, most]] of Object.entries(places)) {
      assert.deepStrictEqual(networkPlaceOf(text), { host, ports: { least, most } }, text)
    }
    const wrong = [
      "x",
      "x:",
      ":1",
      "x:0",
      "x:65536",
      "x:9-8",
      "x:0-5",
      "x:1-65536",
      "x:123456",
      "[::1:1",
      "x y:1",
      "*:a"
    ]
    for (const text of [...wrong, `${"a".repeat(254)}:1`]) assert.isUndefined(networkPlaceOf(text), text)
    assert.isDefined(networkPlaceOf(`${"a".repeat(253)}:1`))
  })

  it("holds targets by host and port, and the one with a host counts first", () => {
    assert.deepStrictEqual(networkTargetOf("[::A]:0"), { host: "::a", port: 0 })
    assert.deepStrictEqual(networkTargetOf("X:65535"), { host: "x", port: 65_535 })
    for (const text of ["x:65536", "x", "*:1", "x:*", "x:1-2"]) assert.isUndefined(networkTargetOf(text), text)
    const [all, named, other] = ["*:10-20", "x:15-30", "y:1"].map((text) => networkPlaceOf(text)!)
    const holding = (port: number, host = "x") => placeOfTarget([all!, named!, other!], { host, port })
    assert.deepStrictEqual([9, 10, 14, 15, 20, 21, 30, 31].map((port) => holding(port)), [
      undefined,
      all,
      all,
      named,
      named,
      named,
      named,
      undefined
    ])
    assert.strictEqual(holding(15, "z"), all)
    assert.isUndefined(holding(30, "z"))
  })
})

/** Eight bytes, lowest first. */
const count = (value: number): string => hex(Uint8Array.of(value & 0xff, value >>> 8, 0, 0, 0, 0, 0, 0))
const text = (value: string): string => `${count(value.length)}${hex(Buffer.from(value))}`

describe("the bytes that maintainers sign", () => {
  it("name each value by its kind and length, tables in the order of their names", () => {
    const signed = (content: Record<string, unknown>): string => hex(signedManifestBytes(content))
    const begin = text("lockstep module manifest v1")
    assert.strictEqual(signed({}), `${begin}07${count(0)}`)
    assert.strictEqual(
      signed({ b: "x", a: 5, c: 7n }),
      `${begin}07${count(3)}${text("a")}02${text("5")}${text("b")}01${text("x")}${text("c")}02${text("7")}`
    )
    assert.strictEqual(
      signed({ d: [true, false, 1.5], e: { f: "" } }),
      `${begin}07${count(2)}${text("d")}06${count(3)}0405` +
        `03000000000000f83f${text("e")}07${count(1)}${text("f")}01${text("")}`
    )
    assert.strictEqual(signed({ b: 1, a: 2 }), signed({ a: 2, b: 1 }))
    assert.notStrictEqual(signed({ a: "1" }), signed({ a: 1 }))
  })

  it("leave out the signatures, and nothing else of who signs", () => {
    const of = (signature: string, key = "k") =>
      hex(signedManifestBytes({ signatures: { threshold: "1-of-1", maintainers: [{ name: "n", key, signature }, 3] } }))
    assert.strictEqual(of("one"), of("other"))
    assert.notStrictEqual(of("one", "k"), of("one", "l"))
    const odd = (signatures: unknown) => hex(signedManifestBytes({ signatures }))
    assert.notStrictEqual(odd({ maintainers: { signature: "one" } }), odd({ maintainers: { signature: "two" } }))
    assert.notStrictEqual(odd(1), odd(2))
  })

  it("of a file are its size and hash", () => {
    const hash = new Uint8Array(32).fill(9)
    assert.strictEqual(
      hex(signedFileBytes({ hash, size: 258 })),
      `${text("lockstep file v1")}${count(258)}${"09".repeat(32)}`
    )
  })
})

describe("signatures of a manifest", () => {
  const keys = [1, 2, 3].map((byte) => new Uint8Array(2).fill(byte))
  const manifest = (needed: number, signers = 3): Manifest =>
    ({
      signatures: {
        threshold: { needed, of: 3 },
        maintainers: keys.slice(0, signers).map((key, i) => ({ name: `m${i}`, key, signature: key }))
      }
    }) as unknown as Manifest
  const trusting = (...trusted: ReadonlyArray<string>) => ({ required: false, trustedKeys: new Set(trusted) })

  it("count where they are valid and by keys that are trusted", () => {
    assert.isUndefined(signatureFault(manifest(3), trusting(), () => true))
    assert.strictEqual(
      signatureFault(manifest(3, 2), trusting(), () => true),
      "has 2 of the 3 valid signatures that it needs"
    )
    assert.isUndefined(signatureFault(manifest(2), trusting("0101", "0303"), () => true))
    assert.strictEqual(
      signatureFault(manifest(2), trusting("0101", "0404"), () => true),
      "has 1 of the 2 valid signatures by trusted keys that it needs"
    )
    assert.strictEqual(
      signatureFault(manifest(1), trusting(), ({ name }) => name !== "m2"),
      "has a signature of m2 that is not valid"
    )
  })

  it("may be missing unless they are required", () => {
    const unsigned = { signatures: undefined } as unknown as Manifest
    assert.isUndefined(signatureFault(unsigned, trusting(), () => true))
    assert.strictEqual(
      signatureFault(unsigned, { ...trusting(), required: true }, () => true),
      "is not signed, and only signed modules are loaded"
    )
  })
})
