import { openPublisher, type Publisher } from "./zmtp/publisher.ts"

/** The topics of Bitcoin Core, in the order in which it notifies. */
export const TOPICS = ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"] as const

export type Topic = (typeof TOPICS)[number]

/** How many messages wait for a subscriber where the operator does not say. */
export const DEFAULT_HIGH_WATER = 1_000

/** What is published where. */
export interface Notifier {
  readonly topic: Topic
  readonly address: string
  /** Messages that may wait for one subscriber; 0: without a limit. */
  readonly highWater: number
}

/** A transaction; `txid` in the byte order in which people read it. */
export interface PublishedTransaction {
  readonly txid: Uint8Array
  /** Its serialization with witness. */
  readonly bytes: Uint8Array
}

/** Publishes what happens to the chain and the mempool. Hashes are in the byte order in which people read them. */
export interface Notifications {
  readonly notifiers: ReadonlyArray<Notifier>
  /** Whether anything is published under one of these topics. */
  readonly has: (...topics: ReadonlyArray<Topic>) => boolean
  /** A new tip after the initial download; `block` is its serialization, needed where {@link has} `rawblock`. */
  readonly tip: (hash: Uint8Array, block: Uint8Array | undefined) => void
  /** A transaction of the mempool, or of a block that was connected or disconnected. */
  readonly transaction: (transaction: PublishedTransaction) => void
  /** `C`: a block was connected, `D`: disconnected. */
  readonly block: (label: "C" | "D", hash: Uint8Array) => void
  /** `A`: a transaction entered the mempool, `R`: left it, and not into a block. `sequence` is the mempool's. */
  readonly mempool: (label: "A" | "R", txid: Uint8Array, sequence: number) => void
  /** So many notifications are lost: the numbers of the messages leave a gap, by which subscribers see it. */
  readonly missed: (count: number) => void
  readonly close: () => Promise<void>
}

/** Opens a socket at an address; `highWater` messages may wait for each subscriber. */
export type OpenPublisher = (address: string, highWater: number) => Promise<Publisher>

interface Open extends Notifier {
  readonly publisher: Publisher
  /** The number of the next message of this notifier. */
  next: number
}

const MODULUS = 2 ** 32

const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Closes what is open when one of several cannot be opened. */
const openAll = async (
  notifiers: ReadonlyArray<Notifier>,
  openOne: OpenPublisher
): Promise<ReadonlyMap<string, Publisher>> => {
  const publishers = new Map<string, Publisher>()
  try {
    for (const { address, highWater } of notifiers) {
      // Topics share a socket by their address; the first says how many messages may wait.
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

/** Opens the sockets of all notifiers, or rejects and leaves none open. */
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

  /** Under each of some topics its body, in the order of the topics. */
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
