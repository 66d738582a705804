import { assert, describe, it } from "@effect/vitest"
import { createMachine } from "@lockstep/kernel/script/machine.ts"
import { jobReader } from "../../../src/engine/script-pool/job-reader.ts"
import { rehearsal } from "../../../src/engine/script-pool/rehearsal.ts"
import { testCrypto } from "../test-engine.ts"

describe("the rehearsal of a script worker", () => {
  it("comes to an end", () => {
    const rehearse = rehearsal(createMachine(testCrypto), jobReader())
    let rounds = 0
    while (rehearse()) rounds++
    assert.isAbove(rounds, 1)
    assert.isAtMost(rounds, 300)
    assert.isFalse(rehearse())
  })

  it.each(["ecdsaVerify", "schnorrVerify"] as const)("finds out that %s refuses what is good", (broken) => {
    const rehearse = rehearsal(createMachine({ ...testCrypto, [broken]: () => false }), jobReader())
    assert.throws(rehearse, /a good signature is refused/)
  })
})
