import { DEFAULT_HIGH_WATER, type Topic, TOPICS } from "@lockstep/zmq"
import { type CoreOption, rowsOf } from "../core-option.ts"

const { does } = rowsOf("ZeroMQ notification options")

const PUBLISHED: Readonly<Record<Topic, string>> = {
  hashblock: "the hash of each new tip",
  hashtx: "the txid of each transaction of the mempool and of blocks",
  rawblock: "each new tip",
  rawtx: "each transaction of the mempool and of blocks",
  sequence: "what happens to blocks and to the mempool, with a sequence number"
}

const topic = (name: Topic): ReadonlyArray<CoreOption> => [
  does(`zmqpub${name}`, "=<address>", `Publish ${PUBLISHED[name]} at this address (tcp://… or unix:…)`, {
    list: true,
    example: "tcp://127.0.0.1:28332"
  }),
  does(
    `zmqpub${name}hwm`,
    "=<n>",
    `How many of them may wait for a subscriber (default: ${DEFAULT_HIGH_WATER})`,
    { example: [`-zmqpub${name}=tcp://127.0.0.1:28332`, `-zmqpub${name}hwm=5`] }
  )
]

/** Options about notifications through ZeroMQ. */
export const ZMQ: ReadonlyArray<CoreOption> = TOPICS.flatMap(topic)
