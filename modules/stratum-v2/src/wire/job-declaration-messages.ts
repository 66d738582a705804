import { b0_16m, b0_255, b0_32, b0_64k, seq0_64k, str0_255, u16, u256, u32 } from "./fields.ts"

/** Messages of the job declaration protocol. */
export const JOB_DECLARATION_MESSAGES = {
  AllocateMiningJobToken: { type: 0x50, isOfChannel: false, fields: { user_identifier: str0_255, request_id: u32 } },
  "AllocateMiningJobToken.Success": {
    type: 0x51,
    isOfChannel: false,
    fields: { request_id: u32, mining_job_token: b0_255, coinbase_tx_outputs: b0_64k }
  },
  ProvideMissingTransactions: {
    type: 0x55,
    isOfChannel: false,
    fields: { request_id: u32, unknown_tx_position_list: seq0_64k(u16) }
  },
  "ProvideMissingTransactions.Success": {
    type: 0x56,
    isOfChannel: false,
    fields: { request_id: u32, transaction_list: seq0_64k(b0_16m) }
  },
  DeclareMiningJob: {
    type: 0x57,
    isOfChannel: false,
    fields: {
      request_id: u32,
      mining_job_token: b0_255,
      version: u32,
      coinbase_tx_prefix: b0_64k,
      coinbase_tx_suffix: b0_64k,
      wtxid_list: seq0_64k(u256),
      excess_data: b0_64k
    }
  },
  "DeclareMiningJob.Success": {
    type: 0x58,
    isOfChannel: false,
    fields: { request_id: u32, new_mining_job_token: b0_255 }
  },
  "DeclareMiningJob.Error": {
    type: 0x59,
    isOfChannel: false,
    fields: { request_id: u32, error_code: str0_255, error_details: b0_64k }
  },
  PushSolution: {
    type: 0x60,
    isOfChannel: false,
    fields: { extranonce: b0_32, prev_hash: u256, nonce: u32, ntime: u32, nbits: u32, version: u32 }
  }
} as const
