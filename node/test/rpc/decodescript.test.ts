import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

/** Scripts that a script hash can stand for, and those for which wrapping makes no sense. */
const SCRIPTS: ReadonlyArray<readonly [name: string, digits: string, isWrapped: boolean]> = [
  ["OP_TRUE", "51", true],
  ["OP_MUL, which makes a tapscript succeed", "95", false],
  ["OP_RESERVED, which makes a tapscript succeed", "50", false],
  ["OP_VER, which makes a tapscript succeed", "62", false],
  ["OP_CAT, which makes a tapscript succeed", "7e", false],
  ["the byte of OP_RESERVED as data", "0150", true],
  ["OP_CHECKSIGADD", "ba", false],
  ["OP_VERIF, which is no success opcode", "65", true],
  ["OP_RETURN", "6a", false],
  ["a push that is cut off", "0201", false]
]

describe("decodescript", () => {
  it.live("shows p2sh and segwit unless the script has OP_CHECKSIGADD, a success opcode or an invalid instruction", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      for (const [name, digits, isWrapped] of SCRIPTS) {
        const { result } = yield* Effect.promise(() => ask(address, "decodescript", [digits]))
        const decoded = result as Readonly<Record<string, unknown>>
        assert.deepStrictEqual(["p2sh" in decoded, "segwit" in decoded], [isWrapped, isWrapped], name)
      }
    }))
})
