import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts } = rowsOf("ZeroMQ notification options")

const NONE = "nothing is published through ZeroMQ"

const topic = (name: string): ReadonlyArray<CoreOption> => [
  accepts(`zmqpub${name}`, "=<address>", `Publish ${name} at this address`, NONE, {
    list: true,
    example: "tcp://127.0.0.1:28332"
  }),
  accepts(`zmqpub${name}hwm`, "=<n>", `How many of them may wait`, NONE, { inert: ["1000"], example: "5" })
]

/** Options about notifications through ZeroMQ. */
export const ZMQ: ReadonlyArray<CoreOption> = ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"].flatMap(topic)
