import { nobleCrypto } from "@lockstep/kernel/noble"
import { assert, describe, it } from "vitest"
import {
  describeProvider,
  describeSelectionError,
  detectProviders,
  type Provider,
  PROVIDER_NAMES,
  type ProviderName,
  selectProvider
} from "../src/index.ts"
import { type Detectors } from "../src/select.ts"

const present = (name: ProviderName): Provider => ({ name, available: true, detail: "here", crypto: nobleCrypto })
const absent = (name: ProviderName): Provider => ({ name, available: false, reason: "not installed" })
const machine = (...missing: ReadonlyArray<ProviderName>): Detectors => {
  const detector = (name: ProviderName) => (): Provider => missing.includes(name) ? absent(name) : present(name)
  return { libsecp256k1: detector("libsecp256k1"), prebuilt: detector("prebuilt"), noble: detector("noble") }
}

const chosen = (wanted?: string, detectors?: Detectors): string => {
  const selection = selectProvider(wanted, detectors)
  return selection.ok ? selection.provider.name : selection.error._tag
}

describe("selection of a crypto provider", () => {
  it("takes the first that is available", () => {
    assert.strictEqual(chosen(undefined, machine()), "libsecp256k1")
    assert.strictEqual(chosen(undefined, machine("libsecp256k1")), "prebuilt")
    assert.strictEqual(chosen(undefined, machine("libsecp256k1", "prebuilt")), "noble")
  })

  it("looks no further than it must", () => {
    const selection = selectProvider(undefined, {
      ...machine(),
      prebuilt: () => assert.fail("looked for a slower provider")
    })
    assert(selection.ok)
  })

  it("takes the one that is named", () => {
    for (const name of PROVIDER_NAMES) assert.strictEqual(chosen(name, machine()), name)
  })

  it("answers an unknown name with the names there are", () => {
    const selection = selectProvider("openssl", machine())
    assert(!selection.ok)
    assert.deepStrictEqual(selection.error, {
      _tag: "UnknownProvider",
      wanted: "openssl",
      valid: ["libsecp256k1", "prebuilt", "noble"]
    })
    assert.strictEqual(
      describeSelectionError(selection.error),
      "there is no crypto provider called \"openssl\"; choose one of libsecp256k1, prebuilt, noble"
    )
  })

  it("answers the name of a missing one with the reason and with those that are available", () => {
    const selection = selectProvider("libsecp256k1", machine("libsecp256k1"))
    assert(!selection.ok)
    assert.deepStrictEqual(selection.error, {
      _tag: "UnavailableProvider",
      wanted: "libsecp256k1",
      reason: "not installed",
      valid: ["prebuilt", "noble"]
    })
    assert.strictEqual(
      describeSelectionError(selection.error),
      "the crypto provider libsecp256k1 is unavailable: not installed; available here: prebuilt, noble"
    )
  })

  it("does not take names of properties for providers", () => {
    for (const name of ["", "toString", "constructor", "Noble"]) {
      assert.strictEqual(chosen(name, machine()), "UnknownProvider")
    }
  })

  it("describes each in one line", () => {
    assert.strictEqual(describeProvider(present("prebuilt")), "prebuilt (here)")
    assert.strictEqual(describeProvider(absent("prebuilt")), "prebuilt is unavailable: not installed")
    for (const provider of detectProviders()) assert.notInclude(describeProvider(provider), "\n")
  })

  it("always has the reference", () => {
    assert(detectProviders().some(({ available, name }) => available && name === "noble"))
  })
})
