import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { transactionId } from "@lockstep/kernel/internal/model/identity.ts"
import { blockWeight } from "@lockstep/kernel/internal/model/weight.ts"
import * as oracle from "../../src/oracles/block.ts"
import { join } from "../../src/oracles/byte-string.ts"
import * as merkle from "../../src/oracles/merkle.ts"
import * as naive from "../../src/oracles/transaction.ts"
import { verdictName } from "../../src/subject/kernel.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target } from "../target.ts"

/** Any bytes as a block: verdict, transactions, weight and merkle root as the oracle has them. */
export const decodeBlockTarget: Target<{ readonly bytes: Uint8Array }> = {
  name: "decode-block",
  about: "bytes decoded as a block, with weight and merkle root",
  generate: (random, { blocks }) => ({ bytes: mutateBytes(random.pick(blocks), random, random.pick(blocks)) }),
  judge: ({ bytes }) => {
    const decoded = decodeBlock(bytes)
    const expected = oracle.parseBlock(bytes)
    const verdict = difference("verdict", verdictName(decoded), typeof expected === "string" ? expected : "OK")
    if (verdict !== undefined || decoded._tag === "Failure" || typeof expected === "string") return verdict
    const { transactions } = decoded.success
    const ids = expected.transactions.map(naive.transactionId)
    return (
      difference("count", transactions.length, expected.transactions.length) ??
        difference(
          "txids",
          transactions.map((tx) => transactionId(tx, nobleCrypto)),
          ids
        ) ??
        difference("weight", blockWeight(decoded.success), oracle.blockWeight(expected)) ??
        difference("merkle root", merkleRoot(join(...ids), nobleCrypto), merkle.merkleRoot(ids))
    )
  }
}
