/** Transactions, headers and blocks: decoding, encoding, identity, weight. */
export {
  type BlockIdentity,
  blockIdentity,
  type MerkleRoot,
  transactionIds,
  witnessTransactionIds
} from "./model/block-identity.ts"
export { type Block, decodeBlock } from "./model/block.ts"
export { decodeHeader, type Header, headerOf } from "./model/header.ts"
export { blockHash, transactionId, witnessTransactionId } from "./model/identity.ts"
export { decodeTransaction, encodeWithoutWitness, readTransaction } from "./model/transaction-codec.ts"
export { encodeParts, transactionOf } from "./model/transaction-encode.ts"
export {
  isCoinbase,
  type OutPoint,
  type SpentOutputs,
  type Transaction,
  type TransactionInput,
  type TransactionOutput
} from "./model/transaction.ts"
export { blockWeight, strippedSize, transactionWeight } from "./model/weight.ts"
