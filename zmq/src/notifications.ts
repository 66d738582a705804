import { openPublisher, type Publisher } from "./zmtp/publisher.ts"

/** The topics of Bitcoin Core, in the order in which it notifies. */
export const TOPICS = ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"] as const

export type Topic = (typeof TOPICS)[number]

/** Messages that may wait for a subscriber by default. */
export const DEFAULT_HIGH_WATER = 1_000

/** A topic that is published at an address. */
export interface Notifier {
  readonly topic: Topic
  readonly address: string
  /** Messages that may wait for one subscriber; 0 for no limit. */
  readonly highWater: number
}

/** A transaction; `txid` is in display byte order. */
export interface PublishedTransaction {
  readonly txid: Uint8Array
  /** Serialization with witness. */
  readonly bytes: Uint8Array
}

/** Publishes changes of the chain and the mempool. Hashes are in display byte order. */
export interface Notifications {
  readonly notifiers: ReadonlyArray<Notifier>
  /** Reports whether anything is published under one of these topics. */
  readonly has: (...topics: ReadonlyArray<Topic>) => boolean
  /** Publishes a new tip after the initial download. `block` is its serialization, needed if {@link has} `rawblock`. */
  readonly tip: (hash: Uint8Array, block: Uint8Array | undefined) => void
  /** Publishes a transaction of the mempool, or of a block that was connected or disconnected. */
  readonly transaction: (transaction: PublishedTransaction) => void
  /** Publishes a block: `C` if it was connected, `D` if disconnected. */
  readonly block: (label: "C" | "D", hash: Uint8Array) => void
  /**
   * Publishes a transaction: `A` if it was added to the mempool, `R` if it was removed, but not by a block. `sequence`
   * is the mempool's.
   */
  readonly mempool: (label: "A" | "R", txid: Uint8Array, sequence: number) => void
  /** Skips this many sequence numbers for lost notifications, so that subscribers notice the gap. */
  readonly missed: (count: number) => void
  readonly close: () => Promise<void>
}

/** Opens a socket at an address. Up to `highWater` messages may wait for each subscriber. */
export type OpenPublisher = (address: string, highWater: number) => Promise<Publisher>

interface Open extends Notifier {
  readonly publisher: Publisher
  /** Sequence number of the notifier's next message. */
  next: number
}

const MODULUS = 2 ** 32

const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Opens the sockets. If one cannot be opened, closes the others. */
const openAll = async (
  notifiers: ReadonlyArray<Notifier>,
  openOne: OpenPublisher
): Promise<ReadonlyMap<string, Publisher>> => {
  const publishers = new Map<string, Publisher>()
  try {
    for (const { address, highWater } of notifiers) {
      // Topics share a socket by their address; the first one sets the number of messages that may wait.
      if (!publishers.has(address)) publishers.set(address, await openOne(address, highWater))
    }
    return publishers
  } catch (error) {
    for (const publisher of publishers.values()) await publisher.close()
    throw error
  }
}

const inOrder = (notifiers: ReadonlyArray<Notifier>): ReadonlyArray<Notifier> =>
  TOPICS.flatMap((topic) => notifiers.filter((each) => each.topic === topic))

const sequenceBody = (hash: Uint8Array, label: string, sequence?: number): Buffer => {
  const parts = [hash, Buffer.from(label, "latin1")]
  if (sequence === undefined) return Buffer.concat(parts)
  const number = Buffer.alloc(8)
  number.writeBigUInt64LE(BigInt(sequence))
  return Buffer.concat([...parts, number])
}

/** Opens the sockets of all notifiers. Rejects and leaves none open if one fails. */
export const openNotifications = async (
  given: ReadonlyArray<Notifier>,
  openOne: OpenPublisher = openPublisher
): Promise<Notifications> => {
  const notifiers = inOrder(given)
  const publishers = await openAll(notifiers, openOne)
  const open: ReadonlyArray<Open> = notifiers.map((notifier) => ({
    ...notifier,
    publisher: publishers.get(notifier.address)!,
    next: 0
  }))

  /** Publishes the body of each given topic, in the order of the topics. */
  const publish = (bodies: Readonly<Partial<Record<Topic, Uint8Array>>>): void => {
    for (const notifier of open) {
      const body = bodies[notifier.topic]
      if (body === undefined) continue
      notifier.publisher.publish(notifier.topic, [body, numberBytes(notifier.next)])
      notifier.next = (notifier.next + 1) % MODULUS
    }
  }

  return {
    notifiers,
    has: (...topics) => notifiers.some(({ topic }) => topics.includes(topic)),
    tip: (hash, block) => publish({ hashblock: hash, ...(block === undefined ? {} : { rawblock: block }) }),
    transaction: ({ bytes, txid }) => publish({ hashtx: txid, rawtx: bytes }),
    block: (label, hash) => publish({ sequence: sequenceBody(hash, label) }),
    mempool: (label, txid, sequence) => publish({ sequence: sequenceBody(txid, label, sequence) }),
    missed: (count) => {
      for (const notifier of open) notifier.next = (notifier.next + count) % MODULUS
    },
    close: async () => {
      for (const publisher of publishers.values()) await publisher.close()
    }
  }
}
