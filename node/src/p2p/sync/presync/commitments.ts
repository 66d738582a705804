/** A queue of commitment bits. */
export interface BitQueue {
  bytes: Uint8Array
  first: number
  end: number
}

export const bitQueue = (): BitQueue => ({ bytes: new Uint8Array(64), first: 0, end: 0 })

export const bitCount = ({ end, first }: BitQueue): number => end - first

export const addBit = (queue: BitQueue, bit: number): void => {
  if (queue.end === queue.bytes.length * 8) {
    const longer = new Uint8Array(queue.bytes.length * 2)
    longer.set(queue.bytes)
    queue.bytes = longer
  }
  queue.bytes[queue.end >> 3]! |= bit << (queue.end & 7)
  queue.end++
}

/** Removes and returns the oldest bit. Precondition: the queue is not empty. */
export const takeBit = (queue: BitQueue): number => {
  const bit = queue.bytes[queue.first >> 3]! >> (queue.first & 7) & 1
  queue.first++
  return bit
}
