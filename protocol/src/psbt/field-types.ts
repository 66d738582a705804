/** Types of global fields (BIP174, BIP370). */
export const GlobalField = {
  unsignedTransaction: 0x00,
  extendedKey: 0x01,
  txVersion: 0x02,
  fallbackLockTime: 0x03,
  inputCount: 0x04,
  outputCount: 0x05,
  modifiable: 0x06,
  version: 0xfb,
  proprietary: 0xfc
} as const

/** Types of fields of an input (BIP174, BIP370, BIP371, BIP373). */
export const InputField = {
  nonWitnessUtxo: 0x00,
  witnessUtxo: 0x01,
  partialSignature: 0x02,
  sighashType: 0x03,
  redeemScript: 0x04,
  witnessScript: 0x05,
  origin: 0x06,
  finalScript: 0x07,
  finalWitness: 0x08,
  ripemd160: 0x0a,
  sha256: 0x0b,
  hash160: 0x0c,
  hash256: 0x0d,
  previousTxid: 0x0e,
  outputIndex: 0x0f,
  sequence: 0x10,
  timeLockTime: 0x11,
  heightLockTime: 0x12,
  taprootKeySignature: 0x13,
  taprootScriptSignature: 0x14,
  taprootScript: 0x15,
  taprootOrigin: 0x16,
  taprootInternalKey: 0x17,
  taprootMerkleRoot: 0x18,
  musigParticipants: 0x1a,
  musigNonce: 0x1b,
  musigPartialSignature: 0x1c,
  proprietary: 0xfc
} as const

/** Types of fields of an output. */
export const OutputField = {
  redeemScript: 0x00,
  witnessScript: 0x01,
  origin: 0x02,
  value: 0x03,
  script: 0x04,
  taprootInternalKey: 0x05,
  taprootTree: 0x06,
  taprootOrigin: 0x07,
  musigParticipants: 0x08,
  proprietary: 0xfc
} as const

/** Prefix of every serialization: "psbt" and 0xff. */
export const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)
