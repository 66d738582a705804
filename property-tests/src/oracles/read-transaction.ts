import { fromLittleEndian } from "./byte-string.ts"
import { readCompactSize } from "./compact-size.ts"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "./transaction.ts"

/** What was read with the bytes that are left, or the id of the rule that is broken. */
export type Read<A> = readonly [A, Uint8Array] | string
type Reader<A> = (bytes: Uint8Array) => Read<A>

const fixed = (size: number): Reader<Uint8Array> => (bytes) =>
  bytes.length < size ? "SER-003" : [bytes.subarray(0, size), bytes.subarray(size)]

/** Reads with `reader`, then with what `next` makes of the value. */
const then = <A, B>(reader: Reader<A>, next: (value: A) => Reader<B>): Reader<B> => (bytes) => {
  const read = reader(bytes)
  return typeof read === "string" ? read : next(read[0])(read[1])
}

const done = <A>(value: A): Reader<A> => (bytes) => [value, bytes]
const broken = (rule: string): Reader<never> => () => rule

const unsigned = (size: number): Reader<bigint> => then(fixed(size), (bytes) => done(fromLittleEndian(bytes)))

const count: Reader<number> = (bytes) => {
  const read = readCompactSize(bytes)
  return typeof read === "string" ? read : [read.value, bytes.subarray(read.size)]
}

const prefixed: Reader<Uint8Array> = then(count, fixed)

const times = <A>(n: number, reader: Reader<A>): Reader<ReadonlyArray<A>> => (bytes) => {
  const values: Array<A> = []
  let rest = bytes
  while (values.length < n) {
    const read = reader(rest)
    if (typeof read === "string") return read
    values.push(read[0])
    rest = read[1]
  }
  return [values, rest]
}

const vector = <A>(reader: Reader<A>): Reader<ReadonlyArray<A>> => then(count, (n) => times(n, reader))

const input: Reader<NaiveInput> = then(
  fixed(32),
  (txid) =>
    then(
      unsigned(4),
      (vout) =>
        then(prefixed, (script) =>
          then(unsigned(4), (sequence) =>
            done({ txid, vout: Number(vout), script, sequence: Number(sequence), witness: [] })))
    )
)

const output: Reader<NaiveOutput> = then(
  unsigned(8),
  (value) => then(prefixed, (script) => done({ value: BigInt.asIntN(64, value), script }))
)

type Body = Omit<NaiveTransaction, "version" | "lockTime">

const witnesses = (body: Body): Reader<Body> =>
  then(times(body.inputs.length, vector(prefixed)), (stacks) =>
    stacks.every((stack) => stack.length === 0)
      ? broken("SER-011")
      : done({ ...body, inputs: body.inputs.map((each, i) => ({ ...each, witness: stacks[i]! })) }))

const vectors: Reader<Body> = then(
  vector(input),
  (inputs) => then(vector(output), (outputs) => done({ inputs, outputs }))
)

/** Behind the marker: nothing at all, or both vectors with what the flag's bits announce. */
const marked: Reader<Body> = then(unsigned(1), (flag) => {
  if (flag === 0n) return done<Body>({ inputs: [], outputs: [] })
  const whole = flag % 2n === 1n ? then(vectors, witnesses) : vectors
  return flag === 1n ? whole : then(whole, () => broken("SER-012"))
})

const body: Reader<Body> = then(
  vector(input),
  (inputs) => inputs.length === 0 ? marked : then(vector(output), (outputs) => done({ inputs, outputs }))
)

/** The transaction at the front of `bytes` with what follows it. */
export const readTransaction: Reader<NaiveTransaction> = then(
  unsigned(4),
  (version) =>
    then(
      body,
      ({ inputs, outputs }) =>
        then(unsigned(4), (lockTime) => done({ version: Number(version), inputs, outputs, lockTime: Number(lockTime) }))
    )
)

/** An unconfirmed transaction, the whole of `bytes`, or the id of the rule that is broken. */
export const parseTransaction = (bytes: Uint8Array): NaiveTransaction | string => {
  const read = readTransaction(bytes)
  if (typeof read === "string") return read
  return read[1].length === 0 ? read[0] : "SER-004"
}
