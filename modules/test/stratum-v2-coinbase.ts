import { hash } from "node:crypto"

/** Bytes that a coinbase of these tests leaves to miners. */
export const EXTRANONCE = 16

/** The script of P2WSH over `OP_TRUE`, which anybody can spend. */
export const ANYONE = Buffer.concat([Buffer.of(0, 32), hash("sha256", Buffer.of(0x51), "buffer")])

export const sha256d = (bytes: Uint8Array): Buffer => hash("sha256", hash("sha256", bytes, "buffer"), "buffer")

const little = (value: number | bigint, length: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes.subarray(0, length)
}

export const output = (value: number | bigint, script: Uint8Array): Buffer =>
  Buffer.concat([little(value, 8), Buffer.of(script.length), script])

/** A transaction with its ids, in internal byte order. */
export interface TestTransaction {
  readonly data: Buffer
  readonly txid: Buffer
  readonly wtxid: Buffer
}

/** Spends the first output of a transaction, which anybody can spend, to anybody; `more`: its further outputs. */
export const spend = (txid: Uint8Array, value: number, more: ReadonlyArray<Uint8Array> = []): TestTransaction => {
  const body = Buffer.concat([
    Buffer.of(1),
    txid,
    Buffer.alloc(5),
    Buffer.alloc(4, 0xff),
    Buffer.of(1 + more.length),
    output(value, ANYONE),
    ...more
  ])
  const [version, lockTime] = [little(2, 4), Buffer.alloc(4)]
  const data = Buffer.concat([version, Buffer.of(0, 1), body, Buffer.of(1, 1, 0x51), lockTime])
  return { data, txid: sha256d(Buffer.concat([version, body, lockTime])), wtxid: sha256d(data) }
}

/** Hashes beside the way from the coinbase to the root. */
export const pathOf = (ids: ReadonlyArray<Buffer>): ReadonlyArray<Buffer> => {
  const path: Array<Buffer> = []
  for (let level: ReadonlyArray<Buffer | undefined> = [undefined, ...ids]; level.length > 1;) {
    path.push(level[1]!)
    const even = level.length % 2 === 0 ? level : [...level, level.at(-1)]
    level = even.flatMap((left, i) =>
      i % 2 === 1 ? [] : [left === undefined ? undefined : sha256d(Buffer.concat([left, even[i + 1]!]))]
    )
  }
  return path
}

export const rootAbove = (first: Uint8Array, path: ReadonlyArray<Uint8Array>): Buffer =>
  path.reduce<Buffer>((left, right) => sha256d(Buffer.concat([left, right])), Buffer.from(first))

const commitment = (wtxids: ReadonlyArray<Buffer>): Buffer => {
  const root = rootAbove(Buffer.alloc(32), pathOf(wtxids))
  return Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), sha256d(Buffer.concat([root, Buffer.alloc(32)]))])
}

/** The height as a script pushes it, from 17 to 32,767. */
const heightScript = (height: number): Buffer =>
  height < 0x80 ? Buffer.of(1, height) : Buffer.concat([Buffer.of(2), little(height, 2)])

/** What a client makes a coinbase of. */
export interface CoinbaseFacts {
  readonly height: number
  readonly outputs: ReadonlyArray<Uint8Array>
  readonly script?: Uint8Array
}

/** A coinbase around its extranonce, with witness and without, and its parts as messages name them. */
export const coinbase = ({ height, outputs, script = heightScript(height) }: CoinbaseFacts) => {
  const version = little(2, 4)
  const input = Buffer.concat([
    Buffer.of(1),
    Buffer.alloc(32),
    Buffer.alloc(4, 0xff),
    Buffer.of(script.length + EXTRANONCE),
    script
  ])
  const counted = Buffer.concat([Buffer.of(outputs.length), ...outputs])
  const rest = Buffer.concat([Buffer.alloc(4, 0xff), counted])
  const witness = Buffer.concat([Buffer.of(1, 32), Buffer.alloc(32)])
  const lockTime = Buffer.alloc(4)
  return {
    script,
    outputs: counted,
    prefix: Buffer.concat([version, Buffer.of(0, 1), input]),
    suffix: Buffer.concat([rest, witness, lockTime]),
    txid: (extranonce: Uint8Array): Buffer => sha256d(Buffer.concat([version, input, extranonce, rest, lockTime]))
  }
}

/** The outputs of a block with these transactions that pays everything to a script. */
export const outputsFor = (
  transactions: ReadonlyArray<TestTransaction>,
  value: number,
  script: Uint8Array
): ReadonlyArray<Uint8Array> => [output(value, script), output(0, commitment(transactions.map(({ wtxid }) => wtxid)))]
