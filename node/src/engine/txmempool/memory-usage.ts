import type { Transaction } from "@lockstep/kernel/model"

/** Memory that Bitcoin Core counts for a block of memory: its allocator rounds up to 16 bytes, with a head. */
export const blockBytes = (size: number): number => size === 0 ? 0 : Math.floor((size + 31) / 16) * 16

/** A script of up to this length is stored within its input or output. */
const DIRECT_SCRIPT = 36

const scriptBytes = (script: Uint8Array): number => script.length > DIRECT_SCRIPT ? blockBytes(script.length) : 0

/** Memory that Bitcoin Core counts for a transaction. */
export const transactionUsage = ({ inputs, outputs }: Transaction): number => {
  let usage = 192 + blockBytes(112 * inputs.length) + blockBytes(48 * outputs.length)
  for (const { script, witness } of inputs) {
    usage += scriptBytes(script) + blockBytes(24 * witness.length)
    for (const item of witness) usage += blockBytes(item.length)
  }
  for (const { script } of outputs) usage += scriptBytes(script)
  return usage
}

/** The parts of the sum in {@link memoryUsage}. */
export interface UsageCounts {
  readonly transactions: number
  readonly inputs: number
  readonly priorities: number
  /** Capacity of the list of transactions that Bitcoin Core keeps in random order. */
  readonly capacity: number
  readonly graph: number
  /** Memory of the transactions themselves. */
  readonly bytes: number
}

/** Memory that Bitcoin Core counts for a mempool. */
export const memoryUsage = ({ bytes, capacity, graph, inputs, priorities, transactions }: UsageCounts): number =>
  224 * transactions + 64 * inputs + 96 * priorities + blockBytes(40 * capacity) + graph + bytes

/** The capacity of the list after one transaction was added to `count`. */
export const capacityWithOneMore = (capacity: number, count: number): number =>
  count < capacity ? capacity : Math.max(1, 2 * capacity)

/**
 * The capacity of the list after one of `count` transactions was removed. It shrinks if more than half is empty, but
 * not if all is.
 */
export const capacityWithOneLess = (capacity: number, count: number): number =>
  count > 1 && (count - 1) * 2 < capacity ? count - 1 : capacity
