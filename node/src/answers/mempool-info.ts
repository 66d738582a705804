import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import type { CallError } from "../queries/call-error.ts"
import type { QueryNode } from "../queries/query-node.ts"
import { Amount, described, optionalDescribed } from "./result-schema.ts"

export const MempoolInfo = Schema.Struct({
  loaded: described(Schema.Boolean, "Whether the mempool of the last run has been read"),
  size: described(Schema.Number, "How many transactions it has"),
  bytes: described(Schema.Number, "Their virtual size, as they are charged for"),
  usage: described(Schema.Number, "Bytes of memory that Bitcoin Core would count for it"),
  total_fee: described(Amount, "What they pay, in BTC"),
  maxmempool: described(Schema.Number, "Bytes of memory that it may have"),
  mempoolminfee: described(Amount, "The least feerate of a transaction that enters, in BTC for 1,000 virtual bytes"),
  minrelaytxfee: described(Amount, "The same while the mempool is not full"),
  incrementalrelayfee: described(Amount, "What a replacement adds at least to what it replaces, in the same unit"),
  unbroadcastcount: described(Schema.Number, "Transactions of this node's user that no peer has fetched yet"),
  permitbaremultisig: described(Schema.Boolean, "Whether outputs of bare multisig are relayed"),
  maxdatacarriersize: described(Schema.Number, "Bytes that the data outputs of a transaction may have"),
  limitclustercount: described(Schema.Number, "Transactions that a cluster may have"),
  limitclustersize: described(Schema.Number, "Virtual bytes that a cluster may have"),
  optimal: described(Schema.Boolean, "Whether every cluster is known to be in the best order for mining"),
  fullrbf: optionalDescribed(
    Schema.Boolean,
    "Whether any transaction may be replaced (only where the node keeps this deprecated answer)"
  )
})

/** Returns the size of the mempool and its conditions for transactions. */
export const mempoolInfo = Effect.fnUntraced(
  function*({ chain, deprecated }: QueryNode): Effect.fn.Return<typeof MempoolInfo.Type, CallError> {
    const facts = yield* chain.call("mempoolFacts", undefined)
    const rolling = BigInt(facts.rollingMinimum)
    return {
      loaded: facts.loaded,
      size: facts.count,
      bytes: facts.virtualSize,
      usage: facts.usage,
      total_fee: amount(facts.fees),
      maxmempool: facts.maxBytes,
      mempoolminfee: amount(rolling > facts.minRelayFee ? rolling : facts.minRelayFee),
      minrelaytxfee: amount(facts.minRelayFee),
      incrementalrelayfee: amount(facts.incrementalRelayFee),
      unbroadcastcount: facts.unbroadcast,
      permitbaremultisig: facts.permitBareMultisig,
      maxdatacarriersize: facts.dataCarrierBytes,
      limitclustercount: facts.clusterCount,
      limitclustersize: facts.clusterSize,
      optimal: facts.isOptimal,
      fullrbf: deprecated.has("fullrbf") ? facts.replacesUnsignalled : undefined
    }
  }
)
