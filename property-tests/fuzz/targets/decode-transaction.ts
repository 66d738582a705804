import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { transactionWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { parseTransaction } from "../../src/oracles/read-transaction.ts"
import * as oracle from "../../src/oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../src/subject/kernel.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

/** Any bytes as a transaction: verdict, fields, ids and weight as the oracle has them. */
export const decodeTransactionTarget: Target<{ readonly bytes: Uint8Array }> = {
  name: "decode-transaction",
  about: "bytes decoded as a loose transaction",
  generate: (random, { transactions }) => ({
    bytes: mutateBytes(random.pick(transactions), random, random.pick(transactions))
  }),
  judge: ({ bytes }) => {
    const decoded = decodeTransaction(bytes)
    const expected = parseTransaction(bytes)
    const verdict = difference("verdict", verdictName(decoded), typeof expected === "string" ? expected : "OK")
    if (verdict !== undefined || decoded._tag === "Failure" || typeof expected === "string") return verdict
    const tx = decoded.success
    // Without inputs the bytes cannot be written again from the fields: 0000 is also the marker.
    const fields = expected.inputs.length === 0 ? undefined : difference("fields", tx, kernelTransaction(expected))
    const id = expected.inputs.length === 0
      ? undefined
      : difference("txid", transactionId(tx, nobleCrypto), oracle.transactionId(expected))
    return (
      fields ??
        id ??
        (expected.inputs.length === 0
          ? undefined
          : difference("weight", transactionWeight(tx), oracle.transactionWeight(expected)))
    )
  }
}
