import type { ChainIndex } from "../chain-index.ts"
import { addBlock, outputsOfBlock, type PlacedOutput, removeBlock } from "./block-outputs.ts"
import { encodeValue, valueKey, valueRange } from "./output-entries.ts"
import { pendingChanges, type TakenRange, takeRange } from "./pending-changes.ts"

/** Finds the unspent outputs of the active chain by their value. */
export interface ValueIndex extends ChainIndex {
  /** Returns the outputs with values between two bounds in satoshis, both included; smallest first. */
  readonly unspent: (least: bigint, most: bigint) => TakenRange
}

/** Makes a value index. `mostPending` is the number of uncommitted changes from which a commit is due. */
export const valueIndex = (mostPending?: number): ValueIndex => {
  const pending = pendingChanges(mostPending)
  const changes = {
    add: (output: PlacedOutput) => pending.put(valueKey(output), encodeValue(output)),
    take: (output: PlacedOutput) => pending.remove(valueKey(output))
  }
  return {
    name: "valueindex",
    connected: (step) => addBlock(step, outputsOfBlock(step), changes),
    disconnected: (step) => removeBlock(step, outputsOfBlock(step), changes),
    writeChanges: pending.writeTo,
    committed: pending.clear,
    isFull: pending.isFull,
    state: () => new Uint8Array(0),
    restore: (state) => state.length === 0,
    unspent: (least, most) => {
      const { from, to } = valueRange(least, most)
      return takeRange(pending, from, to)
    }
  }
}
