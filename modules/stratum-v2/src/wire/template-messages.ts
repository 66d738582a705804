import { b0_16m, b0_255, b0_64k, bool, seq0_255, seq0_64k, str0_255, u16, u256, u32, u64 } from "./fields.ts"

/** Messages of the template distribution protocol. */
export const TEMPLATE_MESSAGES = {
  CoinbaseOutputConstraints: {
    type: 0x70,
    isOfChannel: false,
    fields: { coinbase_output_max_additional_size: u32, coinbase_output_max_additional_sigops: u16 }
  },
  NewTemplate: {
    type: 0x71,
    isOfChannel: false,
    fields: {
      template_id: u64,
      future_template: bool,
      version: u32,
      coinbase_tx_version: u32,
      coinbase_prefix: b0_255,
      coinbase_tx_input_sequence: u32,
      coinbase_tx_value_remaining: u64,
      coinbase_tx_outputs_count: u32,
      coinbase_tx_outputs: b0_64k,
      coinbase_tx_locktime: u32,
      merkle_path: seq0_255(u256)
    }
  },
  /** `SetNewPrevHash` of this protocol, renamed because the mining protocol has another message of that name. */
  SetTemplatePrevHash: {
    type: 0x72,
    isOfChannel: false,
    fields: { template_id: u64, prev_hash: u256, header_timestamp: u32, nbits: u32, target: u256 }
  },
  RequestTransactionData: { type: 0x73, isOfChannel: false, fields: { template_id: u64 } },
  "RequestTransactionData.Success": {
    type: 0x74,
    isOfChannel: false,
    fields: { template_id: u64, excess_data: b0_64k, transaction_list: seq0_64k(b0_16m) }
  },
  "RequestTransactionData.Error": {
    type: 0x75,
    isOfChannel: false,
    fields: { template_id: u64, error_code: str0_255 }
  },
  SubmitSolution: {
    type: 0x76,
    isOfChannel: false,
    fields: { template_id: u64, version: u32, header_timestamp: u32, header_nonce: u32, coinbase_tx: b0_64k }
  }
} as const
