import type { OutPoint, Transaction, TransactionOutput } from "@lockstep/kernel/model"

/** Entries by text keys, whose order is the order of serialization. */
export type Sorted<A> = Map<string, A>

/** Origin of a key (BIP32): the fingerprint of the master key, and the path from it. */
export interface KeyOrigin {
  /** 4 bytes. */
  readonly fingerprint: Uint8Array
  readonly path: ReadonlyArray<number>
}

/** A public key and its origin. */
export interface OriginatedKey {
  /** 33 or 65 bytes. */
  readonly key: Uint8Array
  readonly origin: KeyOrigin
}

/** An ECDSA signature with its hash type, and the key that made it. */
export interface KeySignature {
  readonly key: Uint8Array
  readonly signature: Uint8Array
}

/** An x-only key of taproot, its origin, and the leaves that contain it. */
export interface TaprootKey {
  /** 32 bytes. */
  readonly key: Uint8Array
  readonly origin: KeyOrigin
  /** 32 bytes each, in order. */
  readonly leafHashes: ReadonlyArray<Uint8Array>
}

/** A signature of a key for one leaf. */
export interface LeafSignature {
  readonly key: Uint8Array
  readonly leafHash: Uint8Array
  readonly signature: Uint8Array
}

/** A script of a taproot tree with the control blocks that prove it. */
export interface LeafScript {
  readonly script: Uint8Array
  readonly version: number
  /** Control blocks, the shortest first. */
  readonly controlBlocks: Sorted<Uint8Array>
}

/** The participants of an aggregate key (BIP373). */
export interface MusigParticipants {
  readonly aggregate: Uint8Array
  readonly participants: ReadonlyArray<Uint8Array>
}

/** A nonce or a partial signature of one participant of an aggregate key (BIP373). */
export interface MusigPart {
  readonly aggregate: Uint8Array
  readonly participant: Uint8Array
  /** `undefined` for the key path. */
  readonly leafHash: Uint8Array | undefined
  readonly value: Uint8Array
}

/** A field that is kept unchanged. */
export interface KeptField {
  /** Key including its type. */
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** A proprietary field of a program (BIP174). */
export interface ProprietaryField extends KeptField {
  readonly identifier: Uint8Array
  readonly subtype: number
}

/** Preimages of one kind of hash. */
export type Preimages = Sorted<{ readonly hash: Uint8Array; readonly preimage: Uint8Array }>

export type PreimageKind = "ripemd160" | "sha256" | "hash160" | "hash256"

/** Fields common to inputs, outputs and the global map. */
export interface KeptFields {
  readonly proprietary: Sorted<ProprietaryField>
  readonly unknown: Sorted<KeptField>
}

/** One input. Empty scripts and signatures count as missing. */
export interface PsbtInput extends KeptFields {
  prevout: OutPoint
  sequence: number | undefined
  timeLockTime: number | undefined
  heightLockTime: number | undefined
  nonWitnessUtxo: Transaction | undefined
  witnessUtxo: TransactionOutput | undefined
  /** Signatures by the hash of the key. */
  readonly partialSignatures: Sorted<KeySignature>
  sighashType: number | undefined
  redeemScript: Uint8Array | undefined
  witnessScript: Uint8Array | undefined
  readonly origins: Sorted<OriginatedKey>
  readonly preimages: Readonly<Record<PreimageKind, Preimages>>
  finalScript: Uint8Array | undefined
  finalWitness: ReadonlyArray<Uint8Array> | undefined
  taprootKeySignature: Uint8Array | undefined
  readonly taprootScriptSignatures: Sorted<LeafSignature>
  readonly taprootScripts: Sorted<LeafScript>
  readonly taprootOrigins: Sorted<TaprootKey>
  taprootInternalKey: Uint8Array | undefined
  taprootMerkleRoot: Uint8Array | undefined
  readonly musigParticipants: Sorted<MusigParticipants>
  readonly musigNonces: Sorted<MusigPart>
  readonly musigPartialSignatures: Sorted<MusigPart>
}

/** A script of a taproot tree in the order of the tree. */
export interface TreeScript {
  readonly depth: number
  readonly version: number
  readonly script: Uint8Array
}

/** One output. */
export interface PsbtOutput extends KeptFields {
  /** In satoshis. */
  value: bigint
  script: Uint8Array
  redeemScript: Uint8Array | undefined
  witnessScript: Uint8Array | undefined
  readonly origins: Sorted<OriginatedKey>
  taprootInternalKey: Uint8Array | undefined
  /** Empty if the tree is unknown. */
  taprootTree: ReadonlyArray<TreeScript>
  readonly taprootOrigins: Sorted<TaprootKey>
  readonly musigParticipants: Sorted<MusigParticipants>
}

/** An extended public key (BIP32, 78 bytes) and its origin. */
export interface GlobalKey {
  readonly extendedKey: Uint8Array
  readonly origin: KeyOrigin
}

/** A partially signed transaction (BIP174, BIP370). It is modified in place. */
export interface Psbt extends KeptFields {
  readonly version: 0 | 2
  txVersion: number
  /** `undefined` if it is missing, which only version 2 allows. */
  fallbackLockTime: number | undefined
  /** Flags of version 2: 1 inputs may be changed, 2 outputs may be changed, 4 a signature of SIGHASH_SINGLE exists. */
  modifiable: number | undefined
  readonly globalKeys: Sorted<GlobalKey>
  inputs: Array<PsbtInput>
  outputs: Array<PsbtOutput>
}

/** Returns an input with only its outpoint and sequence number. */
export const psbtInput = (prevout: OutPoint, sequence: number | undefined): PsbtInput => ({
  prevout,
  sequence,
  timeLockTime: undefined,
  heightLockTime: undefined,
  nonWitnessUtxo: undefined,
  witnessUtxo: undefined,
  partialSignatures: new Map(),
  sighashType: undefined,
  redeemScript: undefined,
  witnessScript: undefined,
  origins: new Map(),
  preimages: { ripemd160: new Map(), sha256: new Map(), hash160: new Map(), hash256: new Map() },
  finalScript: undefined,
  finalWitness: undefined,
  taprootKeySignature: undefined,
  taprootScriptSignatures: new Map(),
  taprootScripts: new Map(),
  taprootOrigins: new Map(),
  taprootInternalKey: undefined,
  taprootMerkleRoot: undefined,
  musigParticipants: new Map(),
  musigNonces: new Map(),
  musigPartialSignatures: new Map(),
  proprietary: new Map(),
  unknown: new Map()
})

/** Returns an output with only its amount and script. */
export const psbtOutput = (value: bigint, script: Uint8Array): PsbtOutput => ({
  value,
  script,
  redeemScript: undefined,
  witnessScript: undefined,
  origins: new Map(),
  taprootInternalKey: undefined,
  taprootTree: [],
  taprootOrigins: new Map(),
  musigParticipants: new Map(),
  proprietary: new Map(),
  unknown: new Map()
})
