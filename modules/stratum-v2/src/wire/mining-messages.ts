import { b0_255, b0_32, b0_64k, bool, f32, option, seq0_255, str0_255, u16, u256, u32, u64, u8 } from "./fields.ts"

const shareFields = { channel_id: u32, sequence_number: u32, job_id: u32, nonce: u32, ntime: u32, version: u32 }
const openFields = { request_id: u32, user_identity: str0_255, nominal_hash_rate: f32, max_target: u256 }

/** Messages of the mining protocol, and those that open a connection of any protocol. */
export const MINING_MESSAGES = {
  SetupConnection: {
    type: 0x00,
    isOfChannel: false,
    fields: {
      protocol: u8,
      min_version: u16,
      max_version: u16,
      flags: u32,
      endpoint_host: str0_255,
      endpoint_port: u16,
      vendor: str0_255,
      hardware_version: str0_255,
      firmware: str0_255,
      device_id: str0_255
    }
  },
  "SetupConnection.Success": { type: 0x01, isOfChannel: false, fields: { used_version: u16, flags: u32 } },
  "SetupConnection.Error": { type: 0x02, isOfChannel: false, fields: { flags: u32, error_code: str0_255 } },
  OpenStandardMiningChannel: { type: 0x10, isOfChannel: false, fields: openFields },
  "OpenStandardMiningChannel.Success": {
    type: 0x11,
    isOfChannel: false,
    fields: { request_id: u32, channel_id: u32, target: u256, extranonce_prefix: b0_32, group_channel_id: u32 }
  },
  "OpenMiningChannel.Error": { type: 0x12, isOfChannel: false, fields: { request_id: u32, error_code: str0_255 } },
  OpenExtendedMiningChannel: {
    type: 0x13,
    isOfChannel: false,
    fields: { ...openFields, min_extranonce_size: u16 }
  },
  "OpenExtendedMiningChannel.Success": {
    type: 0x14,
    isOfChannel: false,
    fields: {
      request_id: u32,
      channel_id: u32,
      target: u256,
      extranonce_size: u16,
      extranonce_prefix: b0_32,
      group_channel_id: u32
    }
  },
  NewMiningJob: {
    type: 0x15,
    isOfChannel: true,
    fields: { channel_id: u32, job_id: u32, min_ntime: option(u32), version: u32, merkle_root: u256 }
  },
  UpdateChannel: {
    type: 0x16,
    isOfChannel: true,
    fields: { channel_id: u32, nominal_hash_rate: f32, maximum_target: u256 }
  },
  "UpdateChannel.Error": { type: 0x17, isOfChannel: true, fields: { channel_id: u32, error_code: str0_255 } },
  CloseChannel: { type: 0x18, isOfChannel: true, fields: { channel_id: u32, reason_code: str0_255 } },
  SubmitSharesStandard: { type: 0x1a, isOfChannel: true, fields: shareFields },
  SubmitSharesExtended: { type: 0x1b, isOfChannel: true, fields: { ...shareFields, extranonce: b0_32 } },
  "SubmitShares.Success": {
    type: 0x1c,
    isOfChannel: true,
    fields: { channel_id: u32, last_sequence_number: u32, new_submits_accepted_count: u32, new_shares_sum: u64 }
  },
  "SubmitShares.Error": {
    type: 0x1d,
    isOfChannel: true,
    fields: { channel_id: u32, sequence_number: u32, error_code: str0_255 }
  },
  NewExtendedMiningJob: {
    type: 0x1f,
    isOfChannel: true,
    fields: {
      channel_id: u32,
      job_id: u32,
      min_ntime: option(u32),
      version: u32,
      version_rolling_allowed: bool,
      merkle_path: seq0_255(u256),
      coinbase_tx_prefix: b0_64k,
      coinbase_tx_suffix: b0_64k
    }
  },
  SetNewPrevHash: {
    type: 0x20,
    isOfChannel: true,
    fields: { channel_id: u32, job_id: u32, prev_hash: u256, min_ntime: u32, nbits: u32 }
  },
  SetTarget: { type: 0x21, isOfChannel: true, fields: { channel_id: u32, maximum_target: u256 } },
  SetCustomMiningJob: {
    type: 0x22,
    isOfChannel: false,
    fields: {
      channel_id: u32,
      request_id: u32,
      mining_job_token: b0_255,
      version: u32,
      prev_hash: u256,
      min_ntime: u32,
      nbits: u32,
      coinbase_tx_version: u32,
      coinbase_prefix: b0_255,
      coinbase_tx_input_nSequence: u32,
      coinbase_tx_outputs: b0_64k,
      coinbase_tx_locktime: u32,
      merkle_path: seq0_255(u256)
    }
  },
  "SetCustomMiningJob.Success": {
    type: 0x23,
    isOfChannel: false,
    fields: { channel_id: u32, request_id: u32, job_id: u32 }
  },
  "SetCustomMiningJob.Error": {
    type: 0x24,
    isOfChannel: false,
    fields: { channel_id: u32, request_id: u32, error_code: str0_255 }
  }
} as const
