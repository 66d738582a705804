import { assert, describe, it } from "vitest"
import { activationHeight, withActivationHeights } from "../src/networks/activation-heights.ts"
import { REGTEST } from "../src/networks/regtest.ts"

describe("activation heights", () => {
  it.each([["bip34", 2], ["cltv", 111], ["segwit", 0]] as const)("%s@%i is understood", (name, height) => {
    assert.deepStrictEqual(activationHeight(`${name}@${height}`), [name, height])
  })

  it.each(["", "bip34", "bip34@", "bip34@-1", "taproot@5", "constructor@5", "csv@1@2", "csv@99999999999"])(
    "%s is not",
    (text) => {
      assert.isUndefined(activationHeight(text))
    }
  )

  it("change the named deployments and nothing else", () => {
    const changed = withActivationHeights(REGTEST.parameters, [["dersig", 102], ["cltv", 111]])
    assert.deepStrictEqual(changed, {
      ...REGTEST.parameters,
      heights: { ...REGTEST.parameters.heights, bip66: 102, bip65: 111 }
    })
  })
})
