import { assert, describe, it } from "@effect/vitest"
import { createMachine } from "@lockstep/kernel/machine"
import { transactionOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import type { Rig } from "../../../../src/engine/mempool/acceptance/rig.ts"
import { verifyScripts } from "../../../../src/engine/mempool/acceptance/scripts.ts"
import { testCrypto } from "../../test-engine.ts"

const TRUE = Uint8Array.of(0x51)
const CHECKSIG = Uint8Array.of(0xac)

describe("the scripts of a transaction", () => {
  it("are run in this thread where none verifies a signature, of sixteen inputs at most", () => {
    const given: Array<number> = []
    const rig = {
      machine: createMachine(testCrypto),
      scripts: {
        verify: ({ tx }: { readonly tx: { readonly inputs: ReadonlyArray<unknown> } }) => {
          given.push(tx.inputs.length)
          return Effect.succeed(undefined)
        }
      },
      engine: { parameters: REGTEST.parameters, tree: { tip: { height: 500 } } }
    } as unknown as Rig
    const verify = (count: number, script: Uint8Array, witness: ReadonlyArray<Uint8Array> = []) =>
      verifyScripts(rig, {
        coins: Array.from({ length: count }, () => ({ value: 1n, script, height: 1, isCoinbase: false })),
        tx: transactionOf({
          version: 2,
          inputs: Array.from({ length: count }, (_, vout) => ({
            prevout: { txid: new Uint8Array(32).fill(3), vout },
            script: new Uint8Array(),
            sequence: 0,
            witness
          })),
          outputs: [{ value: 1n, script: TRUE }],
          lockTime: 0
        })
      })._tag
    assert.deepStrictEqual([verify(1, TRUE), verify(16, TRUE), given], ["Done", "Done", []])
    assert.deepStrictEqual([verify(17, TRUE), verify(2, CHECKSIG), verify(3, TRUE, [TRUE])], Array(3).fill("Started"))
    assert.deepStrictEqual(given, [17, 2, 3])
  })
})
