/**
 * The quantities of the specification by name, so that a signature reads like the `inputs:` of its rule. They are
 * aliases: each says in which unit, range and byte order a plain value is meant.
 */

/** Number of blocks below a block in its chain: 0 for a genesis block. An integer, 0 ≤ h < 2³¹. */
export type Height = number

/** An amount in satoshis, signed and at most 64 bits wide; a bitcoin has 100,000,000. */
export type Sats = bigint

/** Seconds since 1970-01-01 00:00:00 UTC. A header's own time is an unsigned 32-bit integer. */
export type UnixSeconds = number

/** A target in its compact form, as a header carries it (`nBits`): an unsigned 32-bit integer. */
export type Bits = number

/** The greatest valid hash of a block, read as a little-endian number. 0 ≤ t < 2²⁵⁶. */
export type Target = bigint

/** Expected number of hashes for a block, or for a whole chain. */
export type Work = bigint

/** Any number of bytes. Callers may share the memory: nothing here writes to it. */
export type Bytes = Uint8Array

/** Exactly 32 bytes: a key, a digest, a commitment. */
export type Bytes32 = Uint8Array

/** A 32-byte hash in wire order, which is the reverse of how it is shown. */
export type Hash = Uint8Array

/** Weight units (BIP141): a byte of a witness counts one, any other byte four. */
export type Weight = number
