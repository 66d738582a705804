import { existsSync } from "node:fs"
import type { Spend } from "@lockstep/kernel/internal/machine/machine.ts"
import type { ScriptFlags } from "@lockstep/kernel/internal/script/flags.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { flagsOfBlock } from "../judge/deployment-flags.ts"
import { createHash } from "node:crypto"
import { expectError, spendOf } from "../judge/spending.ts"
import { besides, blockIn, placeOf, spentOutputsIn } from "./block-file.ts"
import type { Runner } from "./runner.ts"

const sha256d = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest())

/** Every input of a block whose spent outputs are known, under the flags of the block's height: one case an input. */
export const blockInputs: Runner = function*(file) {
  const raw = besides(file, ".blk")
  if (!existsSync(raw.absolute)) throw new MalformedVector(file.display, "", `needs ${raw.display} beside it`)
  const block = blockIn(raw)
  const spent = spentOutputsIn(file, block)
  const { network, height } = placeOf(file)
  const flags = flagsOfBlock(network, height, sha256d(block.header.bytes))
  let index = 0
  for (const [t, tx] of block.transactions.entries()) {
    if (t === 0) continue
    // Computed by the first input that is judged, for all inputs of the transaction.
    let spend: ((inputIndex: number, flags: ScriptFlags) => Spend) | undefined
    for (const i of tx.inputs.keys()) {
      yield {
        index: String(index++),
        name: `transaction ${t}, input ${i}`,
        judge: (bench) => {
          spend ??= spendOf(tx, spent[t]!, bench.crypto)
          return expectError(bench, spend(i, flags), "OK")
        }
      }
    }
  }
}
