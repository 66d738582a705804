import { assert, describe, it } from "vitest"
import { libraryNames, libsecp256k1Provider } from "../src/libsecp256k1.ts"

const reasonOf = (...files: ReadonlyArray<string>): string => {
  const provider = libsecp256k1Provider({ files })
  assert(!provider.available)
  return provider.reason
}

describe("the system's libsecp256k1", () => {
  it("is unavailable with instructions when it is not installed", () => {
    assert.strictEqual(
      reasonOf("libnothing.so.1", "libnothing.so"),
      "no libsecp256k1 on this system (tried libnothing.so.1, libnothing.so); on Debian: apt-get install libsecp256k1-1"
    )
  })

  it.runIf(process.platform === "linux")("is unavailable when the library is another one", () => {
    assert.match(reasonOf("libnothing.so", "libc.so.6"), /^libc\.so\.6 lacks Schnorr signatures or x-only keys: /)
  })

  it.runIf(process.platform === "linux")("is looked for beyond a library that will not do", () => {
    const [usual, fallback] = [
      libsecp256k1Provider(),
      libsecp256k1Provider({ files: ["libc.so.6", ...libraryNames("linux")] })
    ]
    assert.strictEqual(fallback.available, usual.available)
  })

  it("has names to try on every platform", () => {
    for (const platform of ["linux", "freebsd", "darwin", "win32"] as const) {
      assert.isAbove(libraryNames(platform).length, 1)
    }
  })
})
