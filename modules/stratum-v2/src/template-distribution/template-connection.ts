import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { decodeTransaction, encodeWithoutWitness } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import type { BlockTemplate } from "@lockstep/sdk"
import * as Result from "effect/Result"
import { headerBytes } from "../../../mining/block.ts"
import { heightPush, outputBytes } from "../../../mining/coinbase.ts"
import { merkleBranch, merkleRoot, sha256d } from "../../../mining/merkle.ts"
import type { FoundBlock } from "../found-block.ts"
import type { Jobs } from "../jobs.ts"
import type { Role } from "../role.ts"
import { targetBytes } from "../wire/target-bytes.ts"
import type { Message, MessageOf } from "../wire/messages.ts"
import { fittedTemplate, type OutputConstraints } from "./fitted-template.ts"

const COINBASE_VERSION = 2
const SEQUENCE = 0xffff_ffff

/** Templates of a tip for which solutions are accepted. */
const MOST_TEMPLATES = 32

/** Options for serving a client of the template distribution protocol. */
export interface TemplateOptions {
  readonly jobs: Pick<Jobs, "template">
  readonly send: (message: Message) => void
  readonly found: (block: FoundBlock) => void
  readonly warn: (text: string) => void
}

interface Provided {
  readonly template: BlockTemplate
  readonly branch: ReadonlyArray<Uint8Array>
  isStale: boolean
}

const newTemplate = (
  template_id: bigint,
  { branch, template }: Provided,
  future_template: boolean
): MessageOf<"NewTemplate"> => {
  const { coinbase_value, default_witness_commitment: commitment, height, version } = template
  return {
    _tag: "NewTemplate",
    template_id,
    future_template,
    version,
    coinbase_tx_version: COINBASE_VERSION,
    coinbase_prefix: heightPush(height),
    coinbase_tx_input_sequence: SEQUENCE,
    coinbase_tx_value_remaining: BigInt(coinbase_value),
    coinbase_tx_outputs_count: commitment === undefined ? 0 : 1,
    coinbase_tx_outputs: commitment === undefined ? new Uint8Array() : outputBytes(0, commitment),
    coinbase_tx_locktime: 0,
    merkle_path: branch
  }
}

const prevHash = (template_id: bigint, { template }: Provided): MessageOf<"SetTemplatePrevHash"> => ({
  _tag: "SetTemplatePrevHash",
  template_id,
  prev_hash: template.previous_hash,
  header_timestamp: template.current_time,
  nbits: template.bits,
  target: targetBytes(expandTarget(template.bits)!)
})

/** Builds the block of a solution. Returns `undefined` if the coinbase is an invalid transaction. */
const solvedBlock = (
  { branch, template: { bits, height, previous_hash, transactions } }: Provided,
  { coinbase_tx, header_nonce, header_timestamp, version }: MessageOf<"SubmitSolution">
): FoundBlock | undefined => {
  const coinbase = decodeTransaction(coinbase_tx)
  if (Result.isFailure(coinbase)) return undefined
  const header = headerBytes({
    version,
    previousHash: previous_hash,
    merkleRoot: merkleRoot(sha256d(encodeWithoutWitness(coinbase.success)), branch),
    time: header_timestamp,
    bits,
    nonce: header_nonce
  })
  return {
    hash: sha256d(header),
    height,
    finder: "a client of templates",
    block: () =>
      concatBytes([
        header,
        encodeCompactSize(transactions.length + 1),
        coinbase_tx,
        ...transactions.map(({ data }) => data)
      ])
  }
}

/** Serves one client of the template distribution protocol. */
export const templateConnection = ({ found, jobs, send, warn }: TemplateOptions): Role => {
  const provided = new Map<bigint, Provided>()
  let constraints: OutputConstraints | undefined
  let lastId = 0n

  /** Sends a template. Returns false if the coinbase lacks the room for the client's additions. */
  const provide = (isNewTip: boolean): boolean => {
    const present = jobs.template()
    if (constraints === undefined || present === undefined) return true
    const template = fittedTemplate(present, constraints)
    if (template === undefined) return false
    if (isNewTip) {
      for (const [id, each] of provided) {
        if (each.isStale) provided.delete(id)
        each.isStale = true
      }
    }
    const one = { template, branch: merkleBranch(template.transactions.map(({ txid }) => txid)), isStale: false }
    provided.set(++lastId, one)
    for (const id of provided.keys()) if (provided.size > MOST_TEMPLATES) provided.delete(id)
    send(newTemplate(lastId, one, isNewTip))
    if (!isNewTip) return true
    send(prevHash(lastId, one))
    return true
  }

  const constrain = (message: MessageOf<"CoinbaseOutputConstraints">): boolean => {
    const isFirst = constraints === undefined
    constraints = {
      size: message.coinbase_output_max_additional_size,
      sigops: message.coinbase_output_max_additional_sigops
    }
    return provide(isFirst)
  }

  const sendTransactions = (template_id: bigint): void => {
    const one = provided.get(template_id)
    const error_code = one === undefined ? "template-id-not-found" : one.isStale ? "stale-template-id" : undefined
    if (error_code !== undefined) return send({ _tag: "RequestTransactionData.Error", template_id, error_code })
    send({
      _tag: "RequestTransactionData.Success",
      template_id,
      excess_data: new Uint8Array(),
      transaction_list: one!.template.transactions.map(({ data }) => data)
    })
  }

  /** Submits a solution, even for an older tip: the node judges it. */
  const submit = (message: MessageOf<"SubmitSolution">): boolean => {
    const one = provided.get(message.template_id)
    if (one === undefined) {
      warn(`a solution is of the template ${message.template_id}, which this server does not have`)
      return true
    }
    const block = solvedBlock(one, message)
    if (block === undefined) return false
    if (hashNumber(block.hash) <= expandTarget(one.template.bits)!) found(block)
    else warn(`a solution of the template ${message.template_id} has not the proof of work of a block`)
    return true
  }

  return {
    take: (message) => {
      if (message._tag === "CoinbaseOutputConstraints") return constrain(message)
      if (constraints === undefined) return false
      switch (message._tag) {
        case "RequestTransactionData":
          sendTransactions(message.template_id)
          return true
        case "SubmitSolution":
          return submit(message)
        default:
          return false
      }
    },
    newTemplate: (isNewTip) => {
      // The first template of a client is on a tip that it does not know yet.
      if (!provide(isNewTip || lastId === 0n)) warn("a template has no room for what a client adds to the coinbase")
    },
    end: () => provided.clear()
  }
}
