/** Bytes of the encrypted length before a packet. */
export const LENGTH_SIZE = 3

/** Bytes of the header, which is encrypted with the contents. */
export const HEADER_SIZE = 1

export const TAG_SIZE = 16

/** Bytes of a packet without its contents. */
export const PACKET_OVERHEAD = LENGTH_SIZE + HEADER_SIZE + TAG_SIZE

/** The bit of the header that marks a decoy; the other bits have no meaning. */
export const DECOY = 0x80

/** Maximum bytes of contents: a message of Core's greatest length with a type of the long form. */
export const MOST_CONTENTS = 1 + 12 + 4_000_000

/** Bytes of an encoded public key, the first thing that each side sends. */
export const KEY_SIZE = 64

/** Maximum bytes of garbage after the key. */
export const MOST_GARBAGE = 4_095

/** Bytes that end the garbage. */
export const TERMINATOR_SIZE = 16
